"""Count words by category (syllables, difficult words, stop words …) per document.

`kinds_of_word` has one row per distinct word and one column per category in `KINDS`, so one lookup
and one sum compute all counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import ids_of
from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, TypeTable, letters, sum_rows
from understandability.feature.language_model import word_numbers
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.syllables import count_each
from understandability.feature.word_lists import (
    embedded_list,
    outside_english,
    plain,
    polarity,
    stop_word_list,
    unfamiliar,
)
from understandability.resources import resource_arrays

# Endings that are a syllable: heal-ing, treat-ed, dos-es; but not in "hunger" or "walked".
_SYLLABIC_ENDING = re.compile(r"(?:ing|[td]ed|(?:[sxzcg]|[cs]h)es)$", re.IGNORECASE)
_NOT_INFLECTED = frozenset(("anything", "everything"))


def syllabic_ending(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the words with an ending -es, -ed or -ing that is a syllable of its own.

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


LONGER = (4, 6, 10, 13)
# Proper names are excluded from these counts.
_UNLESS_NAMES = ("difficult_words", "hard_for_fog")
KINDS = (
    *_UNLESS_NAMES,
    "characters",
    *(f"words_longer_{than}" for than in LONGER),
    "syllables",
    "polysyllables",
    "words_over_3_syllables",
    "medical_prefixes",
    "medical_suffixes",
    "medical_acronyms",
    "stop_words",
    "oov",
    "positive_words",
    "negative_words",
    "neutral_words",
)

# Batches, passages and tokens look up the same words.
_cache = TypeTable()


def kinds_of_word(words: Sequence[str]) -> NDArray[np.int32]:
    """Return, for each word, what it adds to the count of each category in `KINDS`.

    The shape is (words, categories). It is called through `TypeTable.column`, which caches it.
    Proper names are subtracted later, in `count_all`.
    """
    return _cache.remembered(_look_up_kinds, map(_without_initial_capital, words))


@cache
def _kinds_of_frequent() -> NDArray[np.int8]:
    """Return the values of `computed_kinds` for frequent words, which are stored in the package."""
    return resource_arrays("word_kinds.npz")["kinds"]


def _look_up_kinds(words: Sequence[str]) -> NDArray[np.int32]:
    numbers = ids_of(words, word_numbers())
    counts = _kinds_of_frequent().take(numbers, axis=0, mode="clip").astype(np.int32)
    unlisted = np.flatnonzero(numbers < 0)
    counts[unlisted] = computed_kinds([words[index] for index in unlisted.tolist()])
    return counts


def _without_initial_capital(word: str) -> str:
    """Lower the initial capital of a word that has no other capitals; its counts stay the same."""
    return word.lower() if word[1:].islower() and word.isascii() and word.isalpha() else word


def computed_kinds(words: Sequence[str]) -> NDArray[np.int32]:
    """Compute the values of `kinds_of_word`, without the stored table of frequent words."""
    plain_words = plain(words)
    characters = letters(words)
    syllables = count_each(words)
    sign = polarity(plain_words)
    three = np.flatnonzero(syllables == 3)
    inflected = np.zeros(len(words), bool)
    inflected[three] = syllabic_ending([words[index] for index in three.tolist()])
    columns = [
        unfamiliar(plain_words),
        (syllables >= 3) & ~(inflected | np.array(["-" in word for word in words], bool)),
        characters,
        *(characters > than for than in LONGER),
        syllables,
        syllables >= 3,
        syllables > 3,
        embedded_list("prefixes").begins(plain_words),
        embedded_list("suffixes").ends(plain_words),
        embedded_list("acronyms").contains_acronym(words),
        stop_word_list().contains(plain_words),
        outside_english(words),
        sign > 0,
        sign < 0,
        sign == 0,
    ]
    return np.column_stack(columns).astype(np.int32)


def is_of_kind(batch: Batch, category: str) -> NDArray[np.bool_]:
    """Return a mask of the words of a batch that are in a category of `KINDS`.

    Names are neither difficult words nor hard words of the Fog index.
    """
    mask: NDArray[np.bool_] = batch.word_values(kinds_of_word)[:, KINDS.index(category)] > 0
    return mask & ~batch.is_name if category in _UNLESS_NAMES else mask


def count_all(batch: Batch) -> FloatArray:
    """Return the number of words in each category of `KINDS` per document; (documents,
    categories).
    """
    table, starts = batch.word_types.column(kinds_of_word), batch.word_starts
    sums = sum_rows(table, batch.word_ids, starts)
    names, unless = np.flatnonzero(batch.is_name), len(_UNLESS_NAMES)
    sums[:, :unless] -= sum_rows(
        table[:, :unless], batch.word_ids[names], np.searchsorted(names, starts)
    )
    return sums


def counts_of(batch: Batch) -> dict[str, FloatArray]:
    """Return all counts that formulas need: the total of each category, words, and sentences, per
    document.

    Words and sentences are NaN if the document has none, because formulas divide by them. Call it
    through `Batch.once`, which caches it.
    """
    counts = dict(zip(KINDS, count_all(batch).T, strict=True))
    for name, number in (("words", batch.words), ("sentences", batch.sentences)):
        counts[name] = np.where(number > 0, number, np.nan)
    return counts


def count(batch: Batch, category: str) -> FloatArray:
    """Return the number of words in one category of `KINDS` per document."""
    return batch.once(counts_of)[category]


_ALL_FORMS = (DOCUMENT, WORD, SENTENCE)
_STUDY = "Palotti, Zuccon & Hanbury 2019"
# Name, unit, meaning, source, forms, and a function for counts that are not in `KINDS`.
_ROWS: tuple[tuple[Any, ...], ...] = (
    ("characters", "characters", "letters and digits of all words", _STUDY, _ALL_FORMS),
    ("difficult_words", "words",
     "words not on the Dale-Chall list; regular inflections, names and numerals are familiar",
     "Dale & Chall 1948", _ALL_FORMS),
    *((f"words_longer_{than}", "words", f"words of more than {than} letters and digits",
       _STUDY, _ALL_FORMS) for than in LONGER),
    ("syllables", "syllables", "syllables of all words", _STUDY, _ALL_FORMS),
    ("polysyllables", "words", "words of three syllables or more", _STUDY, _ALL_FORMS),
    ("words_over_3_syllables", "words", "words of more than three syllables", _STUDY, _ALL_FORMS),
    ("words", "words", "runs of characters between white space that have a letter or digit",
     "Flesch 1948", (DOCUMENT, SENTENCE), attrgetter("words")),
    ("sentences", "sentences", "sentences with a word", _STUDY, (DOCUMENT,),
     attrgetter("sentences")),
)  # fmt: skip


def _row(
    name: str,
    unit: str,
    meaning: str,
    source: str,
    per: tuple[str, ...],
    compute: Callable[[Batch], FloatArray] | None = None,
) -> Feature:
    compute = compute or partial(count, category=name)
    return Feature(name, "components", unit, Direction.HARDER, meaning, source, compute, per)


ROWS: tuple[Feature, ...] = tuple(_row(*row) for row in _ROWS)
