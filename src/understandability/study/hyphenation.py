"""Where pyphen hyphenates English words, for many words at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import Array, starts_of
from understandability.feature.syllables import Trie

_FROM_EDGE = 2
# Places at once: a word may have millions.
_AT_ONCE = 1 << 15


def count_hyphens(words: Sequence[str]) -> NDArray[np.int64]:
    """How many hyphens ``pyphen.Pyphen(lang="en")`` inserts in each word of lower case.

    Its patterns give levels to places between letters, the highest counts, and an odd one is a
    hyphen. Its own search looks up every part of one word after another and takes ten times as
    long.

    >>> count_hyphens(["hyphenation", "flu"])
    array([3, 0])
    """
    trie, levels_of = _patterns()
    codes = trie.encode("\n".join(f".{word}." for word in words))
    levels = np.zeros(len(codes) + levels_of.longest, np.int8)
    for begin in range(0, len(codes), _AT_ONCE):
        starts = np.arange(begin, min(begin + _AT_ONCE, len(codes)))
        for walkers, nodes in trie.walk(codes, starts):
            owners, shifts, heights = levels_of.of(nodes)
            np.maximum.at(levels, starts[walkers[owners]] + shifts, heights)
    odd_before = starts_of(levels & 1)
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    # A level stands before its letter; the first letter stands behind a dot.
    first = starts_of(sizes + 3)[:-1] + 1
    left = first + _FROM_EDGE
    right = first + sizes - _FROM_EDGE + 1
    hyphens: NDArray[np.int64] = odd_before[np.maximum(left, right)] - odd_before[left]
    return hyphens


class _Levels:
    """The levels that a pattern gives, by the node of the pattern: where, and how high."""

    def __init__(self, size: int, levels: dict[int, tuple[tuple[int, int], ...]]) -> None:
        sizes = np.zeros(size, np.int64)
        sizes[list(levels)] = [len(each) for each in levels.values()]
        self._starts = starts_of(sizes)
        pairs = chain.from_iterable(levels[node] for node in sorted(levels))
        shifts, heights = np.array(list(pairs)).T
        self._shifts, self._heights = shifts, heights.astype(np.int8)
        self.longest = int(shifts.max()) + 1

    def of(self, nodes: Array) -> tuple[Array, Array, Array]:
        """Of nodes: which one gives a level, how far on, and how high; a row for each level."""
        starts = self._starts[nodes]
        sizes = self._starts[nodes + 1] - starts
        giving = np.flatnonzero(sizes)
        starts, sizes = starts[giving], sizes[giving]
        owners = np.repeat(giving, sizes)
        rows = np.arange(len(owners)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return owners, self._shifts[rows], self._heights[rows]


@cache
def _patterns() -> tuple[Trie, _Levels]:
    import pyphen

    patterns = pyphen.Pyphen(lang="en").hd.patterns
    trie = Trie(list(patterns))
    levels = {
        node: tuple(enumerate(heights, offset))
        for node, (offset, heights) in zip(trie.nodes.tolist(), patterns.values(), strict=True)
    }
    return trie, _Levels(trie.size, levels)
