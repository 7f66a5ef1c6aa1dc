"""What readability formulas are made of: characters, syllables, long and difficult words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from understandability.features.batch import Batch, letters
from understandability.features.familiar import unfamiliar
from understandability.features.feature import DOCUMENT, SENTENCE, WORD, Feature
from understandability.features.types import FloatArray
from understandability.language.syllables import count_each

# Endings that are a syllable: heal-ing, treat-ed, dos-es. Not those of "hunger", "walked".
_SYLLABIC_ENDING = re.compile(r"(?:ing|[td]ed|(?:[sxzcg]|[cs]h)es)$", re.IGNORECASE)
_NOT_INFLECTED = frozenset(("anything", "everything"))


def hyphenated(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words are compounds with a hyphen."""
    return np.fromiter(("-" in word for word in words), bool)


def syllabic_ending(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words end in an -es, -ed or -ing that is a syllable.

    >>> syllabic_ending(["diseases", "created", "treating", "walked", "anything"]).tolist()
    [True, True, True, False, False]
    """
    return np.fromiter(
        (
            _SYLLABIC_ENDING.search(word) is not None and word.lower() not in _NOT_INFLECTED
            for word in words
        ),
        bool,
    )


def is_polysyllable(batch: Batch) -> NDArray[np.bool_]:
    """Which words of the batch have three syllables or more."""
    many: NDArray[np.bool_] = batch.word_values(count_each) >= 3
    return many


def is_difficult(batch: Batch) -> NDArray[np.bool_]:
    """Which words of the batch are difficult; see `unfamiliar`, and names are familiar."""
    difficult: NDArray[np.bool_] = batch.word_values(unfamiliar) & ~batch.is_name
    return difficult


def is_hard_for_fog(batch: Batch) -> NDArray[np.bool_]:
    """Which words of the batch Gunning (1952) counts.

    Those of three syllables or more that are neither names nor hyphenated compounds, and do not
    reach three only by -es, -ed or -ing.
    """
    syllables = batch.word_values(count_each)
    inflected = (syllables == 3) & batch.word_values(syllabic_ending)
    hard: NDArray[np.bool_] = (syllables >= 3) & ~(
        inflected | batch.word_values(hyphenated) | batch.is_name
    )
    return hard


LONGER = (4, 6, 10, 13)
_COUNTED = (
    "characters",
    *(f"words_longer_{than}" for than in LONGER),
    "syllables",
    "polysyllables",
    "words_over_3_syllables",
    "difficult_words",
    "hard_for_fog",
)


def count_all(batch: Batch) -> FloatArray:
    """What of `_COUNTED` each document has, all summed at once; (documents, counted)."""
    characters = batch.word_values(letters)
    syllables = batch.word_values(count_each)
    counted = [
        characters,
        *(characters > than for than in LONGER),
        syllables,
        syllables >= 3,
        syllables > 3,
        is_difficult(batch),
        is_hard_for_fog(batch),
    ]
    return batch.sum_words(np.array(counted, np.int64).T)


def count(batch: Batch, what: str) -> FloatArray:
    """One of `_COUNTED`."""
    return batch.once(count_all)[:, _COUNTED.index(what)]


def count_words(batch: Batch) -> FloatArray:
    return batch.words


def count_sentences(batch: Batch) -> FloatArray:
    return batch.sentences


def _row(
    name: str,
    unit: str,
    meaning: str,
    compute: Callable[[Batch], FloatArray] | None = None,
    source: str = "Palotti, Zuccon & Hanbury 2019",
    per: tuple[str, ...] = (DOCUMENT, WORD, SENTENCE),
) -> Feature:
    compute = compute or partial(count, what=name)
    return Feature(name, "components", unit, "higher", meaning, source, compute, per)


ROWS: tuple[Feature, ...] = (
    _row("characters", "characters", "letters and digits of all words"),
    _row(
        "difficult_words",
        "words",
        "words off the Dale-Chall list; regular inflections, names and numerals count as familiar",
        source="Dale & Chall 1948",
    ),
    *(
        _row(
            f"words_longer_{than}",
            "words",
            f"words of more than {than} letters and digits",
        )
        for than in LONGER
    ),
    _row("syllables", "syllables", "syllables of all words"),
    _row("polysyllables", "words", "words of three syllables or more"),
    _row("words_over_3_syllables", "words", "words of more than three syllables"),
    _row(
        "words",
        "words",
        "what stands between white space and has a letter or digit",
        count_words,
        "Flesch 1948",
        (DOCUMENT, SENTENCE),
    ),
    _row("sentences", "sentences", "sentences with a word", count_sentences, per=(DOCUMENT,)),
)
