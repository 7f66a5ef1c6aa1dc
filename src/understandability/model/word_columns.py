"""Numbers for each word that the passage model reads: style, complexity, difficulty and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core import Numbers
from understandability._core.layout import STYLE_KINDS
from understandability.arrays import Floats, ids_of, numbered
from understandability.feature.frequency import places_of_keys
from understandability.feature.language_model import (
    UNKNOWN,
    log_probabilities_at,
    numbers_of_keys,
    statistics_key,
)
from understandability.feature.word_counts import kinds_of_word
from understandability.resources import resource_arrays

RUNS = 8192
_MOST_LETTERS = 30
# The number of runs of a word, by its length with two marks: the runs of three, four and five
# letters, and the word as a whole if it is longer.
_RUNS_OF_WORD = np.array(
    [
        sum(max(0, size - length + 1) for length in (3, 4, 5)) + (size > 5)
        for size in range(_MOST_LETTERS + 3)
    ]
)


class Runs(NamedTuple):
    """Sequences of three to five letters ("runs") in some words, hashed into buckets.

    Each entry has the index of its word, a bucket, and a value. The sign of the value comes from
    the hash, so that runs in one bucket cancel out on average. The values of a word have Euclidean
    length 1.
    """

    words: NDArray[np.intp]
    numbers: NDArray[np.intp]
    values: Floats


def runs_of_letters(words: Sequence[str]) -> Runs:
    """Hash the runs of three to five letters of all words.

    >>> [len(runs_of_letters([word]).numbers) for word in ("Flu", "a")]  # <fl flu lu> ... and <a>
    [6, 1]
    """
    marked = [f"<{word.lower()[:_MOST_LETTERS]}>" for word in words]
    counts = _RUNS_OF_WORD.take(list(map(len, marked)))
    mixed = np.empty(counts.sum(), np.uint32)
    _core.hash_runs(marked, mixed)
    values = np.where(mixed >> np.uint32(31), 1.0, -1.0)
    numbers = ((mixed >> np.uint32(12)) % RUNS).astype(np.intp)
    weights = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts)
    return Runs(np.repeat(np.arange(len(words)), counts), numbers, values * weights)


def spelled_of(letters: Floats, runs: Runs, count: int) -> Floats:
    """Return, for each of `count` words, the sum of its runs' values times the `letters`
    weights.
    """
    return np.asarray(np.bincount(runs.words, runs.values * letters[runs.numbers], count), float)


_MARKS = {
    "comma": ",",
    "colon": ";:",
    "bracket": "()[]",
    "quote": "\"“”‘’''``",
    "dash": "-–—--",
    "exclamation": "!?",
    "percent": "%",
    "symbol": "=<>±≥≤*/+~",
    "period": ".",
}
_FUNCTION_WORDS = {
    "first_person": "i me my we us our",
    "second_person": "you your",
    "third_person": "he she him her his",
    "it_they": "it its they them their",
    "past_be": "was were had did",
    "be": "is are be been being",
    "modal": "can could may might should would will must",
    "relative": "which that who whose whom",
    "connective": "however although thus therefore moreover whereas furthermore despite",
    "of": "of",
    "article": "the a an",
    "and": "and or",
    "cause": "but so because if when",
    "preposition": "in on at to for with by from",
    "negation": "n't not no never",
}
_ENDINGS = (
    ("tion", "tions"),
    ("ity", "ities"),
    ("ment", "ments"),
    ("ence", "ences"),
    ("ance", "ances"),
    ("ness",),
    ("ism",),
    ("ical",),
    ("ive",),
    ("ous",),
    ("ing",),
    ("ed",),
    ("ly",),
)
_LEAST_ENDING_WORD = 6

_MARK_OF = {mark: STYLE_KINDS.index(name) for name, marks in _MARKS.items() for mark in marks}
_WORD_OF = {
    word: STYLE_KINDS.index(name)
    for name, words in _FUNCTION_WORDS.items()
    for word in words.split()
}
_ENDING_OF = {
    ending: STYLE_KINDS.index(f"ending_{endings[0]}") for endings in _ENDINGS for ending in endings
}
_ALL_ENDINGS = tuple(_ENDING_OF)
_ENDING_SIZES = sorted(set(map(len, _ENDING_OF)))
_NUMBER, _CAPITALS, _CAPITALISED = map(STYLE_KINDS.index, ("number", "capitals", "capitalised"))


def kinds_of_token(token: str, lower: str) -> list[int]:
    """Return the indexes in `STYLE_KINDS` of the styles that a token has; `lower` is the token in
    lower case.
    """
    if not (token.isalnum() or any(map(str.isalnum, token))):
        column = _MARK_OF.get(token[:1])
        return [] if column is None else [column]
    styles = []
    column = _WORD_OF.get(lower.replace("’", "'"))
    if column is not None:
        styles.append(column)
    if len(lower) >= _LEAST_ENDING_WORD and lower.endswith(_ALL_ENDINGS):
        for size in _ENDING_SIZES:
            column = _ENDING_OF.get(lower[-size:])
            if column is not None:
                styles.append(column)
    if token[0].isdigit():
        styles.append(_NUMBER)
    elif token[0].isupper():
        styles.append(_CAPITALISED)
    if len(token) > 1 and token.isupper():
        styles.append(_CAPITALS)
    return styles


_ZIPF_LIMITS = np.array([2.0, 3.0, 4.0, 5.0])
_UNLISTED_ZIPF = 1.5
_CUT = 5.0


class Known(NamedTuple):
    """Values that were looked up for some tokens, one row per token.

    Attributes:
        zipf: The frequency in general English; 1.5 if wordfreq does not have the token.
        unlisted: 1 if wordfreq does not have it, else 0.
        numbers: Ids in `word_statistics`.
        logs: Log-probabilities in the background corpora, and in their mean.
        ranks: Ranks among the words with a vector; -1 without one.
        vectors: Vectors times their weights, then the weights; 0 without a vector.
    """

    zipf: Floats
    unlisted: Floats
    numbers: NDArray[np.int32]
    logs: Floats
    ranks: NDArray[np.int32]
    vectors: Floats


def known_of(tokens: Sequence[str]) -> Known:
    """Look up each token, ignoring case."""
    keys = list(map(statistics_key, tokens))
    frequencies, numbers = places_of_keys(keys), numbers_of_keys(keys)
    zipf = np.where(frequencies >= 0, frequencies / 100, _UNLISTED_ZIPF)
    ranks, vectors, scale = words_and_vectors()
    rows = ids_of(keys, ranks)
    rank = rows[:, None] + 1.0
    weights = rank / (rank + _HALF_RANK)  # 0 where there is no word
    weighted = np.hstack([(vectors.take(rows, axis=0, mode="clip") * scale) * weights, weights])
    unlisted = (frequencies == UNKNOWN).astype(float)
    return Known(zipf, unlisted, numbers, log_probabilities_at(numbers), rows, weighted)


def word_inputs(words: Sequence[str], entries: Known | None = None) -> Floats:
    """Return the inputs of `WordComplexity` except the runs of letters; shape (words, inputs)."""
    lower = [word.lower() if len(word) > 1 and word.isupper() else word for word in words]
    entries = entries or known_of(words)
    sizes = np.fromiter(map(len, lower), np.float64, len(lower))
    return np.column_stack(
        [
            entries.zipf,
            entries.unlisted,
            np.maximum(_ZIPF_LIMITS - entries.zipf[:, None], 0),
            entries.logs,
            kinds_of_word(lower),
            entries.vectors,
            sizes,
            np.log1p(sizes),
            [word[:1].isupper() for word in lower],
            ["-" in word for word in lower],
            [not word.isalpha() and any(map(str.isdigit, word)) for word in lower],
        ]
    )


@dataclass(frozen=True, slots=True)
class WordComplexity:
    """A linear regression that estimates a word's complexity from its `word_inputs` and its
    spelling.

    The inputs are standardised and clipped.
    """

    center: Floats
    scale: Floats
    weights: Floats
    letters: Floats
    bias: float

    def __call__(
        self, words: Sequence[str], entries: Known | None = None, runs: Runs | None = None
    ) -> Floats:
        """Return the complexity of each word, from 0 to 1; 0 without a letter."""
        if not len(words):
            return np.empty(0)
        rows = word_inputs(words, entries)
        rows -= self.center
        rows /= self.scale
        np.minimum(np.maximum(rows, -_CUT, out=rows), _CUT, out=rows)
        spelled = spelled_of(self.letters, runs or runs_of_letters(words), len(words))
        complexity = np.clip(np.einsum("ij,j->i", rows, self.weights) + spelled + self.bias, 0, 1)
        has_letter = [word.isalpha() or any(map(str.isalpha, word)) for word in words]
        return np.where(has_letter, complexity, 0.0)


@cache
def word_complexity() -> WordComplexity:
    """Load the regression of complexity that comes with the package."""
    arrays = resource_arrays("word_complexity.npz")
    center, scale, weights, letters = (
        np.asarray(arrays[name], np.float64) for name in ("center", "scale", "weights", "letters")
    )
    return WordComplexity(center, scale, weights, letters, float(arrays["bias"]))


def complexities(words: Sequence[str]) -> Floats:
    """Return the complexity of each word, 0 to 1. Called through `TypeTable.column`, a cache.

    >>> a, b = complexities(["doctor", "electroencephalogram"])
    >>> bool(a < 0.3 < 0.6 < b)
    True
    """
    return word_complexity()(words)


class WordDifficulty(NamedTuple):
    """A regression of the difficulty of words; their mean estimates a passage's difficulty by its
    words alone.

    It was fitted to the readings, and its unit is points of difficulty. `words` has the weight of
    each word with a vector, by rank, and `letters` the weight of each run of letters. So the
    regression recognises topics: "callback" and "pointer" are short and not rare, but occur in hard
    texts.
    """

    words: Floats
    letters: Floats
    start: float

    def of(self, ranks: NDArray[np.int32], runs: Runs) -> Floats:
        """Return the difficulty of each word; `ranks` are -1 for words without a vector."""
        own = np.where(ranks >= 0, self.words.take(ranks, mode="clip"), 0)
        return self.start + own + spelled_of(self.letters, runs, len(ranks))


@cache
def word_difficulty() -> WordDifficulty:
    """Load the regression of difficulty that comes with the package."""
    arrays = resource_arrays("word_difficulty.npz")
    words, letters = (arrays[name].astype(np.float64) for name in ("words", "letters"))
    return WordDifficulty(words, letters, float(arrays["start"]))


# The rank of the word with a weight of one half; its probability is 0.0005.
_HALF_RANK = 200


@cache
def words_and_vectors() -> tuple[Numbers, NDArray[np.int8], NDArray[np.float32]]:
    """Return the words by rank, their vectors as int8, and the unit of each dimension."""
    arrays = resource_arrays("word_vectors.npz")
    words = arrays["words"].tobytes().decode().split("\n")
    return numbered(words), arrays["vectors"], arrays["scale"]
