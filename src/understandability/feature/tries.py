"""Find which of many patterns begin at which places of a text, at all places at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Trie:
    """Patterns of characters as a table of nodes; a node stands for what some pattern begins with.

    `nodes` has that of each pattern; `size` is above all nodes. A pattern holds no NUL.

    >>> trie = Trie(["flu", "fly"])
    >>> for walkers, nodes in trie.walk(trie.encode("a flu"), np.array([0, 2])):
    ...     print(walkers, nodes == trie.nodes[0])
    [1] [False]
    [1] [False]
    [1] [ True]
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        strings = np.array(patterns)
        points = strings.view(np.uint32).reshape(len(strings), -1)  # NUL behind each end
        known = np.array(sorted({ord(each) for string in patterns for each in string}))
        self._width = len(known) + 1
        # Code 0 is any other character; node 0 is where no pattern goes, 1 where all begin.
        self._codes = np.zeros(known[-1] + 2, np.int32)
        self._codes[known] = np.arange(1, self._width)
        self.nodes, self.size = np.ones(len(strings), np.int64), 2
        edges = []
        for column in points.T:  # the nodes of all beginnings of one length at once
            longer = np.flatnonzero(column)
            steps = self.nodes[longer] * self._width + self._codes[column[longer]]
            distinct, places = np.unique(steps, return_inverse=True)
            self.nodes[longer] = self.size + places
            self.size += len(distinct)
            edges.append(distinct)
        self._next = np.zeros(self.size * self._width, np.int32)
        self._next[np.concatenate(edges)] = np.arange(2, self.size)

    def encode(self, text: str) -> Array:
        """The text as `walk` takes it; one character more, where no pattern goes on."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        codes = np.zeros(len(points) + 1, self._codes.dtype)
        codes[:-1] = self._codes[np.minimum(points, len(self._codes) - 1)]
        return codes

    def walk(
        self, codes: Array, starts: Array, nodes: Array | int = 1
    ) -> Iterator[tuple[Array, Array]]:
        """Go on from each of the `starts` while some pattern does, from the given `nodes`.

        Gives, step after step, the indexes in `starts` of those who still walk, and their nodes.
        """
        walkers = np.arange(len(starts))
        places = starts
        reached = np.broadcast_to(nodes, len(starts))
        while True:
            reached = self._next[reached * self._width + codes[places]]
            walking = np.flatnonzero(reached)
            if not len(walking):
                return
            walkers, reached, places = walkers[walking], reached[walking], places[walking] + 1
            yield walkers, reached
