"""The mean vector of a document's words: what it is about, as `scripts/train/word_vectors.py` says.

The vectors are GloVe's of general English (Pennington, Socher & Manning 2014). A frequent word
weighs less: a / (a + p), where p is its frequency (Arora, Liang & Ma 2017), by Zipf's law of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.model.bags import Vocabulary
from understandability.resources import resource_arrays

# So many vectors stay in the processor's cache while they are summed, in one thread.
_AT_ONCE = 512
# The rank of the word that weighs half: that of p = 0.0005.
_HALF_RANK = 200


@cache
def _words_and_vectors() -> tuple[Vocabulary, Floats]:
    """The words, most frequent first, and their vectors times their weights, which come last."""
    arrays = resource_arrays("word_vectors.npz")
    vectors = np.asarray(arrays["vectors"] * arrays["scale"], np.float64)
    rank = np.arange(1, len(vectors) + 1)[:, None]
    weights = rank / (rank + _HALF_RANK)
    return Vocabulary.from_array(arrays["words"]), np.hstack([vectors * weights, weights])


def _numbers(tokens: Sequence[str]) -> NDArray[np.int32]:
    return _words_and_vectors()[0].numbers(tokens)


def dimensions() -> int:
    """How many numbers a vector has."""
    return int(_words_and_vectors()[1].shape[1]) - 1


def vectors_of(tokens: Sequence[str]) -> Floats:
    """The vector of each token times its weight; 0 where it has none. A column of types."""
    numbers = _numbers(tokens)
    known = numbers >= 0
    return np.asarray(_words_and_vectors()[1].take(numbers, axis=0, mode="clip") * known[:, None])
