"""How complex people find a word, as learned from open judgements of words.

A ridge regression on how often the word is used and where, its syllables, its vector and the runs
of its letters; see ``scripts/train/word_complexity.py``. 0 is a word that everybody knows, 1 one
that hardly anybody does. A word in capitals is judged by its lower-case form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from understandability.arrays import Floats
from understandability.feature.frequency import zipf_places
from understandability.feature.language_model import log_probabilities_of
from understandability.feature.word_counts import kinds_of_word
from understandability.feature.word_statistics import UNKNOWN
from understandability.model.letters import runs_of_letters
from understandability.model.word_vectors import vectors_of
from understandability.resources import resource_arrays

_ZIPF_LIMITS = np.array([2.0, 3.0, 4.0, 5.0])
_UNLISTED_ZIPF = 1.5
_CUT = 5.0


def zipf_of(tokens: Sequence[str]) -> tuple[Floats, Floats]:
    """The Zipf frequency of each token, 1.5 where wordfreq has none, and whether it has none."""
    places = zipf_places(tokens)
    return np.where(places >= 0, places / 100, _UNLISTED_ZIPF), (places == UNKNOWN).astype(float)


def word_inputs(words: Sequence[str]) -> Floats:
    """What the regression reads of each word, but for its letters; (words, inputs)."""
    lower = [word.lower() if len(word) > 1 and word.isupper() else word for word in words]
    zipf, unlisted = zipf_of(lower)
    sizes = np.fromiter(map(len, lower), np.float64, len(lower))
    return np.column_stack(
        [
            zipf,
            unlisted,
            np.maximum(_ZIPF_LIMITS - zipf[:, None], 0),
            log_probabilities_of(lower),
            kinds_of_word(lower),
            vectors_of(lower),
            sizes,
            np.log1p(sizes),
            [word[:1].isupper() for word in lower],
            ["-" in word for word in lower],
            [any(map(str.isdigit, word)) for word in lower],
        ]
    )


@dataclass(frozen=True, slots=True)
class WordComplexity:
    """The regression: a weight for each input, standardised and cut off, and for letters."""

    center: Floats
    scale: Floats
    weights: Floats
    letters: Floats
    bias: float

    def __call__(self, words: Sequence[str]) -> Floats:
        """The complexity of each word, from 0 to 1; 0 without a letter."""
        if not len(words):
            return np.empty(0)
        rows = np.clip((word_inputs(words) - self.center) / self.scale, -_CUT, _CUT)
        runs = runs_of_letters(words)
        spelled = np.bincount(runs.words, runs.values * self.letters[runs.numbers], len(words))
        found = np.clip((rows * self.weights).sum(axis=1) + spelled + self.bias, 0, 1)
        has_letter = [any(map(str.isalpha, word)) for word in words]
        return np.where(has_letter, found, 0.0)


@cache
def word_complexity() -> WordComplexity:
    """The embedded regression."""
    arrays = resource_arrays("word_complexity.npz")
    center, scale, weights, letters = (
        np.asarray(arrays[name], np.float64) for name in ("center", "scale", "weights", "letters")
    )
    return WordComplexity(center, scale, weights, letters, float(arrays["bias"]))


def complexities(words: Sequence[str]) -> Floats:
    """The complexity of each word; a column of types.

    >>> a, b = complexities(["doctor", "electroencephalogram"])
    >>> bool(a < 0.3 < 0.6 < b)
    True
    """
    return word_complexity()(words)
