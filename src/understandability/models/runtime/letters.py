"""How words are spelled: runs of their letters, of which a model learns what each is worth.

A word is the runs of three to five of its letters, with marks where it begins and ends, and the
whole of it; runs have numbers by a hash, so that no list of them is kept. A text is the sum of its
distinct words, each as often as the logarithm says, of length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.features.batch import Batch
from understandability.models.runtime.arrays import Arrays, floats
from understandability.models.runtime.bags import Bags, token_bags

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RUNS = 8192
_LENGTHS = (3, 4, 5)
_MOST_LETTERS = 30
_FACTOR = np.uint32(2654435761)  # Knuth's multiplier
_POWERS = _FACTOR ** np.arange(_MOST_LETTERS + 2, dtype=np.uint32)


class Runs(NamedTuple):
    """The runs of some words, in no order: the place of the word, the run's number, its value.

    Values are of the sign that the hash says, so that runs which share a number cancel out rather
    than add up; those of a word have the length 1.
    """

    words: NDArray[np.intp]
    numbers: NDArray[np.intp]
    values: Floats


def runs_of_letters(words: Sequence[str]) -> Runs:
    """The runs of each word, at once for all.

    >>> len(runs_of_letters(["Flu"]).numbers)  # <fl flu lu> <flu flu> <flu>
    6
    """
    marked = [f"<{word.lower()[:_MOST_LETTERS]}>" for word in words]
    letters = np.frombuffer("".join(marked).encode("utf-32-le", "replace"), "<u4")
    sizes = np.fromiter(map(len, marked), np.intp, len(marked))
    ends = np.cumsum(sizes)
    word = np.repeat(np.arange(len(words)), sizes)
    left = ends[word] - np.arange(len(letters))  # letters from here to the word's end
    owners, hashes = [], []
    for length in _LENGTHS:
        starts = np.flatnonzero(left >= length)
        hashed = np.zeros(len(starts), np.uint32)
        for place in range(length):
            hashed += letters[starts + place] * _POWERS[place]
        owners.append(word[starts])
        hashes.append(hashed)
    long = np.flatnonzero(sizes > max(_LENGTHS))
    if len(long):
        inside = sizes[word] - left
        wholes = np.add.reduceat(letters * _POWERS[inside], ends - sizes, dtype=np.uint32)
        owners.append(long)
        hashes.append(wholes[long])
    owner, mixed = np.concatenate(owners), np.concatenate(hashes)
    for shift in np.array([16, 13], np.uint32):
        mixed = (mixed ^ (mixed >> shift)) * _FACTOR
    values = np.where(mixed >> np.uint32(31), 1.0, -1.0)
    counts = np.bincount(owner, minlength=len(words))
    numbers = ((mixed >> np.uint32(12)) % RUNS).astype(np.intp)
    return Runs(owner, numbers, values / np.sqrt(counts[owner]))


def _bags(batch: Batch) -> tuple[Bags, Floats]:
    """The distinct tokens of each document, and what each counts."""
    bags = batch.once(token_bags)
    counts = 1 + np.log(bags.counts)
    lengths = np.sqrt(_sums(counts**2, bags.starts))
    return bags, counts / np.repeat(lengths, np.diff(bags.starts))


def _sums(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """The sum for each document, which does not depend on the order of its words, as types have."""
    numbers = values.tolist()
    return np.array([fsum(numbers[start:end]) for start, end in pairwise(starts.tolist())])


def letters(batch: Batch) -> csr_array:
    """(documents, `RUNS`) of each document, to learn from."""
    from scipy.sparse import csr_array

    bags, counts = _bags(batch)
    distinct, number = np.unique(bags.words, return_inverse=True)
    runs = runs_of_letters([batch.token_types.strings[word] for word in distinct.tolist()])
    words = csr_array((runs.values, (runs.words, runs.numbers)), shape=(len(distinct), RUNS))
    return csr_array((counts, number, bags.starts), shape=(len(batch), len(distinct))) @ words


@dataclass(frozen=True, eq=False)
class Spelling:
    """What runs of letters are worth: `weights` (`RUNS`, outputs); of a `typical` text, (outputs,).

    Equal to itself only: what a word is worth is kept by spelling.
    """

    weights: Floats
    typical: Floats

    def __post_init__(self) -> None:
        if self.weights.shape != (RUNS, *self.typical.shape):
            raise InputError("what it knows of letters has the wrong shape")

    def _worth(self, words: Sequence[str]) -> Floats:
        """What each word is worth for the outputs that read letters; a column of types."""
        runs = runs_of_letters(words)
        return np.column_stack(
            [
                np.bincount(runs.words, runs.values * weights[runs.numbers], len(words))
                for weights in self.weights[:, self._read].T
            ]
        )

    @cached_property
    def _read(self) -> NDArray[np.intp]:
        """The outputs for which letters are worth anything."""
        return np.flatnonzero(self.weights.any(axis=0))

    def __call__(self, batch: Batch) -> Floats:
        """(documents, outputs): `letters` times `weights`."""
        worths = np.zeros((len(batch), len(self.typical)))
        if len(self._read):
            bags, counts = _bags(batch)
            of_words = batch.token_types.column(self._worth).take(bags.words, axis=0)
            for output, worth in zip(self._read, of_words.T, strict=True):
                worths[:, output] = _sums(counts * worth, bags.starts)
        return worths

    def to_arrays(self) -> dict[str, NDArray[np.floating]]:
        """Weights as float16, as training used them."""
        return {"weights": self.weights.astype(np.float16), "typical": self.typical}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Spelling:
        """The spelling that `to_arrays` gave."""
        return cls(floats(arrays, "weights", 2), floats(arrays, "typical", 1))
