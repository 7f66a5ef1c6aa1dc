"""How words are spelled: runs of their letters, of which a model learns what each is worth.

A word is a set of runs of three to five letters, the marks of its begin and end among them, and the
whole of it; runs have numbers by a hash, so that no list of them is kept. A text is the sum of its
distinct words, each as often as the logarithm says, of length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.estimation.arrays import Arrays, floats
from understandability.estimation.users import Floats
from understandability.estimation.words import Bags, bags_of
from understandability.features.batch import Batch, sum_segments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RUNS = 4096
_LENGTHS = (3, 4, 5)
_MOST_LETTERS = 30


def runs_of_letters(words: Sequence[str]) -> csr_array:
    """(words, `RUNS`): rows of length 1, signs by the hash.

    >>> runs_of_letters(["Flu"]).nnz  # <fl flu lu> <flu flu> <flu>
    6
    """
    from scipy.sparse import csr_array

    starts, numbers, values = [0], [], []
    for word in words:
        marked = f"<{word[:_MOST_LETTERS].lower()}>"
        runs = {
            marked[at : at + length]
            for length in _LENGTHS
            for at in range(len(marked) - length + 1)
        }
        hashes = [crc32(run.encode("utf-8", "replace")) for run in sorted({*runs, marked})]
        numbers += [number % RUNS for number in hashes]
        values += [(1 if number >> 31 else -1) / len(hashes) ** 0.5 for number in hashes]
        starts.append(len(numbers))
    return csr_array((values, numbers, starts), shape=(len(words), RUNS))


def _bags(batch: Batch) -> tuple[Bags, Floats]:
    """The distinct tokens of each document, and what each counts."""
    bags = bags_of(batch.token_ids, batch.token_starts)
    counts = 1 + np.log(bags.counts)
    lengths = np.sqrt(sum_segments(counts**2, bags.starts))
    return bags, counts / np.repeat(lengths, np.diff(bags.starts))


def letters(batch: Batch) -> csr_array:
    """(documents, `RUNS`) of each document, to learn from."""
    from scipy.sparse import csr_array

    bags, counts = _bags(batch)
    distinct, number = np.unique(bags.words, return_inverse=True)
    runs = runs_of_letters([batch.types.strings[word] for word in distinct.tolist()])
    texts = csr_array((counts, number, bags.starts), shape=(len(batch), len(distinct)))
    return texts @ runs


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
        return np.asarray(runs_of_letters(words) @ self.weights)

    def __call__(self, batch: Batch) -> Floats:
        """(documents, outputs): `letters` times `weights`."""
        if not self.weights.any():
            return np.zeros((len(batch), len(self.typical)))
        bags, counts = _bags(batch)
        worth = batch.types.column(self._worth)[bags.words]
        return sum_segments(counts[:, None] * worth, bags.starts)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Weights as float16, as training used them."""
        return {"weights": self.weights.astype(np.float16), "typical": self.typical}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Spelling:
        """The spelling that `to_arrays` gave."""
        return cls(floats(arrays, "weights", 2), floats(arrays, "typical", 1))
