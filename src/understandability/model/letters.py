"""How words are spelled: runs of their letters, of which a model learns what each is worth.

A word is the runs of three to five of its letters, with marks where it begins and ends, and the
whole of it; runs have numbers by a hash, so that no list of them is kept. A text is the sum of its
distinct words, each as often as the logarithm says, of length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats

if TYPE_CHECKING:
    pass

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
