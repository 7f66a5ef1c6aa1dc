"""The mean vector of a document's words: what it is about, as `scripts/build_word_vectors.py` says.

The vectors are GloVe's of general English (Pennington, Socher & Manning 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.estimation.users import Floats
from understandability.estimation.words import Vocabulary
from understandability.features import Batch, ratio
from understandability.features.batch import starts_of
from understandability.io.resources import resource_arrays


@cache
def _words_and_vectors() -> tuple[Vocabulary, Floats]:
    arrays = resource_arrays("word_vectors.npz")
    vectors = np.asarray(arrays["vectors"] * arrays["scale"], np.float64)
    return Vocabulary.from_array(arrays["words"]), vectors


def _numbers(tokens: Sequence[str]) -> NDArray[np.int32]:
    return _words_and_vectors()[0].numbers(tokens)


def dimensions() -> int:
    """How many numbers a vector has."""
    return int(_words_and_vectors()[1].shape[1])


def mean_word_vectors(batch: Batch) -> Floats:
    """(documents, dimensions); 0 where no word is known. Use `Batch.once`."""
    from scipy.sparse import csr_array

    vectors = _words_and_vectors()[1]
    numbers = batch.token_values(_numbers)
    known = numbers >= 0
    starts = starts_of(known)[batch.token_starts]
    # A sparse product adds row by row, and never holds a vector for each token.
    words = csr_array(
        (np.ones(starts[-1]), numbers[known], starts), shape=(len(batch), len(vectors))
    )
    means = ratio(words @ vectors, np.diff(starts)[:, None])
    return np.where(np.isnan(means), 0.0, means)
