"""Limits of estimates: texts that are too short, repeat themselves, or make no sense.

These texts get a flag and a wide spread. P(U|d) is withheld if a number would mislead: for fewer
than three words, and for words in reversed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import Batch
from understandability.model.bundle import Estimate
from understandability.model.sense import sense

TOO_SHORT, REPEATED = "too_short", "repeated"
NO_SENSE, NO_ORDER = "no_sense", "words_without_order"

# Texts of fewer than _FEW_WORDS words are flagged; texts of fewer than _HARDLY_ANY get no P(U|d).
_FEW_WORDS, _HARDLY_ANY = 12, 3
# A text repeats itself if less than this share of its first pairs of neighbouring tokens is
# distinct.
_LEAST_DISTINCT, _LEAST_TOKENS, _MOST_TOKENS = 0.35, 12, 400
# Words that do not fit each other are a sign of nonsense only up to this difficulty, because hard
# texts contain rare names and terms.
_EASY = 50.0
# The least spread of a text with one of these flags, and the factor by which a flag widens it.
_LEAST_SPREAD = {TOO_SHORT: 20.0, REPEATED: 15.0, NO_ORDER: 20.0, NO_SENSE: 30.0}
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
    measured = batch.once(sense)
    words = batch.sum_words(np.ones(len(batch.word_ids), np.int64))
    repeated = _repeat_themselves(batch)
    limited = []
    for index, estimate in enumerate(estimates):
        is_salad = measured.is_salad[index] and estimate.difficulty < _EASY
        flags = [
            flag
            for flag, is_raised in (
                (TOO_SHORT, 0 < words[index] < _FEW_WORDS),
                (REPEATED, repeated[index]),
                (NO_ORDER, measured.is_disordered[index]),
                (NO_SENSE, measured.is_reversed[index] or is_salad),
            )
            if is_raised
        ]
        # The model's own flag for disorder raises many false alarms in verse and proofs.
        own = tuple(flag for flag in estimate.flags if flag != NO_ORDER)
        if not flags:
            limited.append(estimate if own == estimate.flags else replace(estimate, flags=own))
            continue
        least = max(_LEAST_SPREAD[flag] for flag in flags)
        has_letters = batch.documents[index].language is not None
        is_withheld = words[index] < _HARDLY_ANY or measured.is_reversed[index] or not has_letters
        limited.append(
            replace(
                estimate,
                p_understandable=math.nan if is_withheld else estimate.p_understandable,
                spread=max(estimate.spread * _WIDENING, least),
                flags=tuple(dict.fromkeys((*own, *flags))),
            )
        )
    return tuple(limited)


def _repeat_themselves(batch: Batch) -> NDArray[np.bool_]:
    """A mask of the documents that mostly repeat the same pairs of neighbouring tokens."""
    ids = batch.token_ids.astype(np.int64)
    pairs = ids[:-1] * (int(ids.max(initial=0)) + 1) + ids[1:]
    bounds = np.asarray(batch.token_starts).tolist()
    repeated = np.zeros(len(batch), np.bool_)
    for index, (start, end) in enumerate(pairwise(bounds)):
        end = min(end, start + _MOST_TOKENS)
        count = end - start - 1
        if count >= _LEAST_TOKENS:
            distinct = len(np.unique(pairs[start : end - 1]))
            repeated[index] = distinct < _LEAST_DISTINCT * count
    return repeated
