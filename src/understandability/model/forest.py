"""Sums of decision trees as arrays, evaluated by numpy alone, all trees of all rows at once.

Where the children of a node are follows from the order of the nodes, so no file can say it wrongly:
there is no index in it that could lead out of the arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import sizes_of
from understandability.model.arrays import (
    LINKS,
    Arrays,
    floats,
    link_of,
    plain_array,
    require,
    whole,
)

# As deep as the trees of `estimators` may grow; a deeper one in a file would only cost time.
MAX_DEPTH = 32
LEAF = -1
_ROWS_AT_ONCE = 16


class _Steps(NamedTuple):
    """What walking down the trees needs, read off the order of the nodes.

    From a leaf one goes to the leaf: it is its own left child, and nothing is above its limit.
    """

    depth: int
    left: NDArray[np.intp]
    feature: NDArray[np.intp]
    limit: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    values: Floats  # (outputs, nodes)


@dataclass(frozen=True, slots=True)
class Forest:
    """The sum of decision trees.

    The nodes of a tree stand level by level, the two children of a node side by side, those of an
    earlier node first; the trees stand one after another, and `roots` are their first nodes. A row
    goes left where its `feature`, as float32, is at most the `threshold`, or where it is NaN and
    `missing_left` is set, and else right. A leaf has the feature -1; its `values` (nodes, outputs)
    are summed over the trees, and `start` is added.

    >>> tree = {"feature": np.array([0, -1, -1]), "threshold": np.array([1.5, 0, 0], np.float32)}
    >>> values, left = np.array([[0.0], [10.0], [20.0]]), np.array([True, False, False])
    >>> forest = Forest(np.array([0]), missing_left=left, values=values, start=np.ones(1), inputs=1,
    ...                 **tree)
    >>> forest(np.array([[1.5], [1.6], [np.nan]]))[:, 0].tolist()
    [11.0, 21.0, 11.0]
    """

    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    values: Floats
    start: Floats
    inputs: int
    link: str = "identity"
    _steps: _Steps = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        nodes = len(self.feature)
        require(
            nodes == len(self.threshold) == len(self.missing_left) == len(self.values)
            and self.start.shape == self.values.shape[1:]
            and len(self.roots) > 0
            and int(self.roots[0]) == 0
            and bool((np.diff(self.roots) > 0).all())
            and int(self.roots[-1]) < nodes
            and bool((self.feature >= LEAF).all())
            and bool((self.feature < self.inputs).all()),
            "the arrays of its trees do not fit each other",
        )
        inner = self.feature != LEAF
        sizes = sizes_of(self.roots, nodes)
        before = np.cumsum(inner) - inner  # inner nodes before this one, in all trees
        root = np.repeat(self.roots, sizes)
        own = np.arange(nodes)
        left = np.where(inner, root + 1 + 2 * (before - before[root]), own)
        require(
            bool((left > own)[inner].all())
            and np.array_equal(sizes, 2 * np.add.reduceat(inner.astype(np.intp), self.roots) + 1),
            "the nodes of its trees are not in order",
        )
        depth, reached = 0, self.roots[inner[self.roots]]
        while len(reached) and depth <= MAX_DEPTH:
            depth += 1
            below = np.concatenate([left[reached], left[reached] + 1])
            reached = below[inner[below]]
        require(depth <= MAX_DEPTH, f"its trees are deeper than {MAX_DEPTH}")
        steps = _Steps(
            depth,
            left,
            np.where(inner, self.feature, 0),
            np.where(inner, self.threshold, np.float32(np.inf)),
            self.missing_left | ~inner,
            np.ascontiguousarray(self.values.T),
        )
        object.__setattr__(self, "_steps", steps)

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        with np.errstate(over="ignore"):  # infinity is on the right side too
            single = rows.astype(np.float32)
        missing = bool(np.isnan(single).any())
        depth, left, feature, limit, missing_left, values = self._steps
        sums = np.empty((len(rows), len(values)))
        for begin in range(0, len(rows), _ROWS_AT_ONCE):
            part = single[begin : begin + _ROWS_AT_ONCE]
            first = np.arange(len(part))[:, None] * self.inputs
            nodes = np.repeat(self.roots[None], len(part), axis=0)
            for _ in range(depth):
                reads = part.take(feature.take(nodes) + first)
                right = reads > limit.take(nodes)
                if missing:
                    right |= np.isnan(reads) & ~missing_left.take(nodes)
                nodes = left.take(nodes) + right
            for output, value in enumerate(values):
                sums[begin : begin + len(part), output] = value.take(nodes).sum(axis=1)
        return LINKS[self.link](sums + self.start)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The nodes of all trees, each number as short as it can be."""
        short = self.values.astype(np.float32)
        return {
            "roots": self.roots,
            "feature": self.feature.astype(np.min_scalar_type(-self.inputs)),
            "threshold": self.threshold,
            "missing_left": self.missing_left,
            "values": short if bool((short == self.values).all()) else self.values,
            "start": self.start,
            "inputs": np.array(self.inputs),
            "link": np.array(self.link),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Forest:
        """The forest that `to_arrays` gave."""
        return cls(
            whole(arrays, "roots", 1).astype(np.intp),
            plain_array(arrays, "feature", 1, "i").astype(np.intp),
            floats(arrays, "threshold", 1).astype(np.float32),
            plain_array(arrays, "missing_left", 1, "b"),
            floats(arrays, "values", 2),
            floats(arrays, "start", 1),
            int(whole(arrays, "inputs", 0)),
            link_of(arrays),
        )
