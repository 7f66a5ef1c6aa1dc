"""A linear model of a text by the spelling of its words: each run of three to five letters has a
weight.

The estimate is a weighted sum over the words of the text and their runs of letters
(`word_columns.runs_of_letters`). A word that occurs ``n`` times counts ``1 + log(n)``, and the
weights of a text's words have Euclidean length 1, as in TF-IDF. Runs are hashed, so the model
stores numbers and no words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch, sizes_between
from understandability.model.predictors import MOST, array_bytes, arrays_of, floats
from understandability.model.word_columns import RUNS, runs_of_letters, spelled_of


def word_weights(batch: Batch) -> Floats:
    """Return the weight of each word of a batch, an array of shape (words,).

    Each of ``n`` occurrences of a word in a document gets ``(1 + log(n)) / n``, so that they have
    ``1 + log(n)`` together. Weights are scaled per document, so that the squared weights of its
    distinct words sum to 1. Words that differ in capitals are different words.

    >>> from understandability.text.document import Document
    >>> batch = Batch([Document("a", "", ("Rest", "rest", "now"), (0,))])
    >>> word_weights(batch).round(3).tolist()
    [0.577, 0.577, 0.577]
    """
    sizes = sizes_between(batch.word_starts)
    document = np.repeat(np.arange(len(batch)), sizes)
    keys = document * len(batch.word_types) + batch.word_ids
    _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    count = counts[codes].astype(np.float64)
    whole = 1 + np.log(count)
    squares = batch.sum_words(whole**2 / count)
    return np.asarray(whole / count / np.sqrt(squares)[document])


@dataclass(frozen=True, eq=False)
class Spelling:
    """A linear model of labels by spelling.

    `letters` has a weight for each hash bucket of sequences of letters, of shape (`RUNS`,), and
    `start` is the intercept.
    """

    letters: Floats
    start: float

    def __post_init__(self) -> None:
        if self.letters.shape != (RUNS,) or not abs(self.start) <= MOST:
            raise InputError("the learner of spelling does not fit this version")

    def of_words(self, words: Sequence[str]) -> Floats:
        """Return the sum of the weights of each word's runs. Called through `TypeTable.column`, a
        cache.
        """
        return spelled_of(self.letters, runs_of_letters(words), len(words))

    def __call__(self, batch: Batch) -> Floats:
        """Return the estimate for each document."""
        return self.start + batch.sum_words(word_weights(batch) * batch.word_values(self.of_words))

    def to_bytes(self) -> bytes:
        """Serialise the arrays as a weight file of a bundle."""
        letters = self.letters.astype(np.float32)
        return array_bytes({"letters": letters, "start": np.array(self.start)})

    @classmethod
    def from_files(cls, weights: Mapping[str, bytes], name: str) -> Self:
        """Restore the model from the weight file that `to_bytes` wrote."""
        arrays = arrays_of(weights, name)
        return cls(floats(arrays, "letters", 1), float(floats(arrays, "start", 0)))
