"""Measures of lexical diversity that depend little on the length of the text.

Words are compared in lower case and not reduced to stems: "tablet" and "tablets" are different.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from understandability.distributions import log_factorial
from understandability.feature.batch import Batch
from understandability.feature.row import Feature

_WINDOW = 50  # words of MATTR
_FACTOR = 0.72  # the share of distinct words at which MTLD starts a new factor
_DRAWS = 42  # words of HD-D


Measure = Callable[[Sequence[object]], float]


def _keys(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the same id for words that differ only in case. Only the equality of ids matters."""
    return np.array([hash(word.lower()) for word in words], np.int64)


def measure_texts(batch: Batch, measure: Measure, least: int) -> NDArray[np.float64]:
    """Compute a measure of the words of each text; NaN for texts with fewer than `least` words."""
    texts = np.split(batch.word_values(_keys), batch.word_starts[1:-1])
    return np.array([measure(keys.tolist()) if len(keys) >= least else np.nan for keys in texts])


def window_ratio(words: Sequence[object]) -> float:
    """Return the mean share of distinct words in all windows of 50 words (MATTR).

    >>> window_ratio(["rest", "and", "rest"])  # shorter than a window: all words
    0.6666666666666666
    """
    size = min(_WINDOW, len(words))
    counts: dict[object, int] = {}
    total = 0
    for position, word in enumerate(words):
        counts[word] = counts.get(word, 0) + 1
        if position >= size:
            old = words[position - size]
            counts[old] -= 1
            if not counts[old]:
                del counts[old]
        if position >= size - 1:
            total += len(counts)
    return total / (size * (len(words) - size + 1))


def factor_length(words: Sequence[object]) -> float:
    """Return the mean number of words until the share of distinct words falls to 0.72 (MTLD)."""
    return (_one_way(words) + _one_way(words[::-1])) / 2


def _one_way(words: Iterable[object]) -> float:
    factors, seen, count, total = 0.0, set[object](), 0, 0
    for word in words:
        seen.add(word)
        count, total = count + 1, total + 1
        if len(seen) / count <= _FACTOR:
            factors, seen, count = factors + 1, set(), 0
    if count:
        factors += (1 - len(seen) / count) / (1 - _FACTOR)
    return total / (factors or 1.0)


def drawn_ratio(words: Sequence[object]) -> float:
    """Return the expected share of distinct words in 42 words drawn without replacement (HD-D)."""
    # Sorted, so that the last digit does not depend on the order of the words.
    counts = np.sort(np.unique(np.array(words), return_counts=True)[1])
    other_words = len(words) - counts
    # The log-probability that a word is not drawn: C(other words, 42) / C(all words, 42).
    log_absent = np.full(len(counts), -np.inf)
    can_be_absent = other_words >= _DRAWS
    log_absent[can_be_absent] = (
        log_factorial(other_words[can_be_absent])
        + log_factorial([len(words) - _DRAWS])
        - log_factorial(other_words[can_be_absent] - _DRAWS)
        - log_factorial([len(words)])
    )
    return float((1 - np.exp(log_absent)).sum() / _DRAWS)


# Name, unit, meaning, source, measure, and the least number of words that it needs.
_ROWS: tuple[tuple[str, str, str, str, Measure, int], ...] = (
    ("mattr", "share", "share of different words in windows of 50 words, mean of all windows",
     "Covington & McFall 2010", window_ratio, 1),
    ("mtld", "words",
     "words until the share of different words falls to .72, mean of both directions",
     "McCarthy & Jarvis 2010", factor_length, 1),
    ("hdd", "share",
     "expected share of different words among 42 words drawn at random; NaN below 42 words",
     "McCarthy & Jarvis 2007", drawn_ratio, _DRAWS),
)  # fmt: skip
ROWS: tuple[Feature, ...] = tuple(
    Feature(
        name, "lexical diversity", unit, None, meaning, source,
        partial(measure_texts, measure=measure, least=least),
    )
    for name, unit, meaning, source, measure, least in _ROWS
)  # fmt: skip
