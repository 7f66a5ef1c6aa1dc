"""Find which of many patterns begin at which places of a text, at all places at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Trie:
    """Patterns of characters as a table of nodes; a node stands for what some pattern begins with.

    `numbers` holds the node of each beginning, the empty one (1) too; `size` is above all nodes.

    >>> trie = Trie(["flu", "fly"])
    >>> for walkers, nodes in trie.walk(trie.encode("a flu"), np.array([0, 2])):
    ...     print(walkers, nodes == trie.numbers["flu"])
    [1] [False]
    [1] [False]
    [1] [ True]
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self.numbers = {"": 1}
        edges = []
        for pattern in patterns:
            for end in range(1, len(pattern) + 1):
                begun = pattern[:end]
                if begun not in self.numbers:
                    self.numbers[begun] = len(self.numbers) + 1
                    edges.append((self.numbers[begun[:-1]], ord(begun[-1]), self.numbers[begun]))
        self.size = len(self.numbers) + 1
        parents, characters, children = np.array(edges).T
        known, codes = np.unique(characters, return_inverse=True)
        self._width = len(known) + 1
        # Code 0 is any other character; node 0 is where no pattern goes.
        self._codes = np.zeros(known[-1] + 2, np.int32)
        self._codes[known] = np.arange(1, self._width)
        self._next = np.zeros(self.size * self._width, np.int32)
        self._next[parents * self._width + codes + 1] = children

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
