"""Documents as bags of words over a fixed vocabulary, and their place in an LSA space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch, starts_of, sum_segments
from understandability.feature.language_model import statistics_key


@dataclass(frozen=True, slots=True)
class Bags:
    """Distinct words of each document: those of document ``i`` at ``starts[i]:starts[i + 1]``.

    `words` are numbers in the vocabulary, ascending within a document, `counts` how often.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]


def bags_of(numbers: NDArray[np.int32], token_starts: NDArray[np.int64]) -> Bags:
    """The bags of documents from the number of each token; below 0 are no words.

    >>> bags = bags_of(np.array([7, 2, 7, -1]), np.array([0, 3, 4]))
    >>> bags.starts.tolist(), bags.words.tolist(), bags.counts.tolist()
    ([0, 2, 2], [2, 7], [1, 2])
    """
    sizes = np.diff(token_starts)
    document = np.repeat(np.arange(len(sizes)), sizes)
    known = numbers >= 0
    width = int(numbers.max(initial=0)) + 1
    keys, counts = np.unique(document[known] * width + numbers[known], return_counts=True)
    starts = starts_of(np.bincount(keys // width, minlength=len(sizes)))
    return Bags(starts, keys % width, counts)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words that a model knows, as `statistics_key` writes them, each with its number.

    Equal to itself only: what is computed for a word is kept by vocabulary, whose words would
    otherwise be hashed at each look.
    """

    words: tuple[str, ...]

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """The number of each token; -1 outside the vocabulary. A column of types."""
        return self.numbers_of_keys(list(map(statistics_key, tokens)))

    def numbers_of_keys(self, keys: Sequence[str]) -> NDArray[np.int32]:
        """`numbers` of tokens by what `statistics_key` says of them."""
        number = self._numbers.get
        return np.fromiter((number(key, -1) for key in keys), np.int32, len(keys))

    def bags(self, batch: Batch) -> Bags:
        """The documents of a batch as bags of these words."""
        return bags_of(batch.token_values(self.numbers), batch.token_starts)

    def to_array(self) -> NDArray[np.uint8]:
        """The words as one array of bytes."""
        return np.frombuffer("\n".join(self.words).encode(), np.uint8)

    @classmethod
    def from_array(cls, array: NDArray[Any] | None) -> Vocabulary:
        """The vocabulary that `to_array` gave."""
        if array is None or array.dtype != np.uint8 or array.ndim != 1:
            raise InputError("it has no vocabulary")
        try:
            return cls(tuple(array.tobytes().decode().split("\n")))
        except UnicodeDecodeError as error:
            raise InputError("its vocabulary is damaged") from error


@dataclass(frozen=True, slots=True)
class LsaSpace:
    """Latent semantic analysis (Deerwester et al. 1990) over TF-IDF.

    `weights` are the inverse document frequencies, log2(documents / documents with the word);
    `projection` is (words, dimensions).
    """

    weights: Floats
    projection: Floats

    def __post_init__(self) -> None:
        if self.weights.ndim != 1 or self.projection.ndim != 2:
            raise InputError("its LSA space has the wrong shape")
        if self.projection.shape[0] != len(self.weights) or 0 in self.projection.shape:
            raise InputError("its LSA space does not fit its vocabulary")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.projection).all()):
            raise InputError("its LSA space has numbers that are not finite")

    def vectors(self, bags: Bags) -> Floats:
        """The place of each document, of length 1 before projection; (documents, dimensions)."""
        worth = bags.counts * self.weights[bags.words]
        lengths = np.sqrt(sum_segments(worth**2, bags.starts))
        sums = sum_segments(worth[:, None] * self.projection[bags.words], bags.starts)
        return sums / np.where(lengths > 0, lengths, 1)[:, None]
