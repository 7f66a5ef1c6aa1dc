"""Detect texts for which estimates are unreliable: too short, repetitive, or nonsense.

These texts get a flag and a wide spread. P(U|d) is withheld if a number would mislead: for fewer
than three words, and for words in reversed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from understandability.feature.batch import Batch
from understandability.flags import FlagName
from understandability.model.bundle import Estimate
from understandability.model.sense import sense

TOO_SHORT: Final = "too_short"
REPEATED: Final = "repeated"
NO_SENSE: Final = "no_sense"
NO_ORDER: Final = "words_without_order"

# Texts of fewer than _FEW_WORDS words are flagged; texts of fewer than _HARDLY_ANY get no P(U|d).
_FEW_WORDS, _HARDLY_ANY = 12, 3
# Words that do not fit each other are a sign of nonsense only up to this difficulty, because hard
# texts contain rare names and terms.
_EASY = 50.0
# The least spread of a text with one of these flags, and the factor by which a flag widens it.
_LEAST_SPREAD: dict[FlagName, float] = {
    TOO_SHORT: 20.0,
    REPEATED: 15.0,
    NO_ORDER: 20.0,
    NO_SENSE: 30.0,
}
_WIDENING = 1.5


def within_limits(batch: Batch, estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Flag and widen the estimates of English texts outside the limits; withhold P(U|d) if needed.

    >>> from understandability.text.analysis import document_of_text
    >>> documents = [document_of_text("Drink water. Rest at home, and call us if you feel worse.")]
    >>> batch = Batch([*documents, document_of_text("EXIT")])
    >>> easy = [Estimate(name, 0.9, 10.0, 5.0, 10.0) for name in ("leaflet", "sign")]
    >>> [(limited.p_understandable, limited.flags) for limited in within_limits(batch, easy)]
    [(0.9, ()), (nan, ('too_short',))]
    """
    is_easy = np.array([estimate.difficulty < _EASY for estimate in estimates], np.bool_)
    measured = sense(batch, is_easy)
    words = batch.words
    is_repeated, is_disordered, is_reversed, is_salad = (
        measured.is_repeated,
        measured.is_disordered,
        measured.is_reversed,
        measured.is_salad,
    )
    limited = []
    for index, estimate in enumerate(estimates):
        is_raised: dict[FlagName, bool] = {
            TOO_SHORT: 0 < words[index] < _FEW_WORDS,
            REPEATED: is_repeated[index],
            NO_ORDER: is_disordered[index],
            NO_SENSE: is_reversed[index] or is_salad[index],
        }
        flags = [flag for flag in is_raised if is_raised[flag]]
        # The model's own flag for disorder raises many false alarms in verse and proofs.
        own = tuple(flag for flag in estimate.flags if flag != NO_ORDER)
        if not flags:
            limited.append(estimate if own == estimate.flags else replace(estimate, flags=own))
            continue
        least = max(_LEAST_SPREAD[flag] for flag in flags)
        has_letters = batch.documents[index].language is not None
        is_withheld = words[index] < _HARDLY_ANY or is_reversed[index] or not has_letters
        limited.append(
            replace(
                estimate,
                p_understandable=math.nan if is_withheld else estimate.p_understandable,
                spread=max(estimate.spread * _WIDENING, least),
                flags=tuple(dict.fromkeys((*own, *flags))),
            )
        )
    return tuple(limited)
