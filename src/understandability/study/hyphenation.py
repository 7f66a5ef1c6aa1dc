"""Where pyphen hyphenates English words, for many words at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import starts_of
from understandability.feature.syllables import Trie

_FROM_EDGE = 2
# Places at once: a word may have millions.
_AT_ONCE = 1 << 15


def count_hyphens(words: Sequence[str]) -> NDArray[np.int64]:
    """How many hyphens ``pyphen.Pyphen(lang="en")`` inserts in each word of lower case.

    Its patterns give levels to places between letters, the highest counts, and an odd one is a
    hyphen. Its own search looks up every part of one word after another.

    >>> count_hyphens(["hyphenation", "flu"])
    array([3, 0])
    """
    trie, levels_of = _patterns()
    gives, longest = np.asarray(levels_of.any(axis=1)), levels_of.shape[1]
    codes = trie.encode("\n".join(f".{word}." for word in words))
    levels = np.zeros(len(codes) + longest, np.int8)
    for begin in range(0, len(codes), _AT_ONCE):
        starts = np.arange(begin, min(begin + _AT_ONCE, len(codes)))
        for walkers, nodes in trie.walk(codes, starts):
            giving = np.flatnonzero(gives[nodes])
            reached, heights = starts[walkers[giving]], levels_of[nodes[giving]]
            # Of one length a single pattern begins at a place: none is reached twice.
            for place in range(longest):
                levels[reached + place] = np.maximum(levels[reached + place], heights[:, place])
    odd_before = starts_of(levels & 1)
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    # A level stands before its letter; the first letter stands behind a dot.
    first = starts_of(sizes + 3)[:-1] + 1
    left = first + _FROM_EDGE
    right = first + sizes - _FROM_EDGE + 1
    hyphens: NDArray[np.int64] = odd_before[np.maximum(left, right)] - odd_before[left]
    return hyphens


@cache
def _patterns() -> tuple[Trie, NDArray[np.int8]]:
    """The patterns, and by their nodes the levels of the places from where each begins."""
    import pyphen

    patterns = pyphen.Pyphen(lang="en").hd.patterns
    trie = Trie(list(patterns))
    longest = max(offset + len(heights) for offset, heights in patterns.values())
    levels = np.zeros((trie.size, longest), np.int8)
    for node, (offset, heights) in zip(trie.nodes.tolist(), patterns.values(), strict=True):
        levels[node, offset : offset + len(heights)] = heights
    return trie, levels
