"""Fitted estimators as arrays of numbers, evaluated by numpy alone.

A `Predictor` takes a matrix (documents, inputs) and gives (documents, outputs): one column for a
regressor, a probability for each class for a classifier. It equals the scikit-learn estimator that
it was taken from, whatever version reads it, loads in milliseconds, and cannot crash: there is no
native code between its arrays and the result, and the arrays are checked when they are read.
Trees that XGBoost grew are in `boosting`: its native code evaluates them several times as fast.

A row's result depends on that row only, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.estimation.users import Floats

Arrays = Mapping[str, NDArray[Any]]
# As deep as the trees of `estimators` may grow; a deeper one in a file would only cost time.
MAX_DEPTH = 32
# What weights may be: products of these and of as many layers as may be stay finite.
MOST = 1e30
_MOST_LAYERS = 4
_BLOCK = 64
# A page by itself costs as much as so many: few enough for it, enough for a crawl.
_ROWS_OF_PRODUCT = 8


class Predictor(Protocol):
    """A fitted estimator: (documents, inputs) to (documents, outputs)."""

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        ...

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        ...


def product(rows: Floats, matrix: Floats) -> Floats:
    """``rows @ matrix``, of which each row depends on its own only.

    BLAS adds in an order that depends on the shapes, so all products here have one shape.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    result = np.empty((len(rows), matrix.shape[1]))
    block = np.zeros((_ROWS_OF_PRODUCT, rows.shape[1]))
    for start in range(0, len(rows), _ROWS_OF_PRODUCT):
        part = rows[start : start + _ROWS_OF_PRODUCT]
        block[: len(part)] = part
        result[start : start + len(part)] = (block @ matrix)[: len(part)]
    return result


def _square_sums(rows: Floats) -> Floats:
    """The sum of the squares of each row."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def _softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _both_classes(values: Floats) -> Floats:
    chance = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
    return np.concatenate([1 - chance, chance], axis=1)


def _normalised(values: Floats) -> Floats:
    chances = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
    return np.asarray(chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300))


# What the last sums become: of regressors themselves, of classifiers probabilities.
LINKS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "identity": lambda values: values,
        "softmax": _softmax,
        "binary": _both_classes,
        "one_vs_rest": _normalised,
    }
)


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of sums: a multi-layer perceptron, or, of one layer, a linear model.

    Rectified between layers. `weights` are (inputs, outputs) of each layer, `biases` (outputs,).
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    link: str = "identity"

    def __post_init__(self) -> None:
        shapes = [weight.shape for weight in self.weights]
        _require(
            _MOST_LAYERS >= len(shapes) == len(self.biases) > 0
            and all(len(shape) == 2 for shape in shapes)
            and all(a[1] == b[0] for a, b in pairwise(shapes))
            and all(b.shape == s[1:] for b, s in zip(self.biases, shapes, strict=True)),
            "the layers of its network do not fit each other",
        )

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        return len(self.weights[0])

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        values = rows
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if number:
                values = np.maximum(values, 0)
            values = product(values, weight) + bias
        return LINKS[self.link](values)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and biases, numbered."""
        arrays: dict[str, NDArray[Any]] = {"link": np.array(self.link)}
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Network:
        """The network that `to_arrays` gave."""
        layers = range(sum(name.startswith("weight_") for name in arrays))
        return cls(
            tuple(_floats(arrays, f"weight_{number}", 2) for number in layers),
            tuple(_floats(arrays, f"bias_{number}", 1) for number in layers),
            _link(arrays),
        )


@dataclass(frozen=True, slots=True)
class Kernel:
    """Sums of Gaussian bells around `vectors`: a support vector machine.

    ``sum_i weights[i, k] * exp(-gamma * |row - vectors[i]|^2) + biases[k]``, for each output ``k``.
    """

    vectors: Floats
    weights: Floats
    biases: Floats
    gamma: float
    link: str = "identity"

    def __post_init__(self) -> None:
        _require(
            self.vectors.ndim == self.weights.ndim == 2
            and len(self.vectors) == len(self.weights)
            and self.biases.shape == self.weights.shape[1:]
            and self.gamma > 0,
            "its support vectors and their weights do not fit each other",
        )

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        return int(self.vectors.shape[1])

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        squares = _square_sums(rows)[:, None] + _square_sums(self.vectors)
        distances = np.maximum(squares - 2 * product(rows, self.vectors.T), 0)
        return LINKS[self.link](
            product(np.exp(-self.gamma * distances), self.weights) + self.biases
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Vectors, weights, biases, gamma."""
        return {
            "vectors": self.vectors,
            "weights": self.weights,
            "biases": self.biases,
            "gamma": np.array(self.gamma),
            "link": np.array(self.link),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Kernel:
        """The machine that `to_arrays` gave."""
        return cls(
            _floats(arrays, "vectors", 2),
            _floats(arrays, "weights", 2),
            _floats(arrays, "biases", 1),
            float(_floats(arrays, "gamma", 0)),
            _link(arrays),
        )


@dataclass(frozen=True, slots=True)
class Forest:
    """The sum of decision trees, all evaluated at once for all rows.

    Nodes of all trees stand one after another: `feature`, `threshold`, `left`, `right`
    (a row goes left where its feature, as float32, is at most the threshold), `values` (nodes,
    outputs). A leaf is its own child. `roots` are the first nodes of the trees; a child stands
    behind its parent and before the next root. `start` is added to the sum.
    """

    roots: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    values: Floats
    start: Floats
    inputs: int
    link: str = "identity"

    def __post_init__(self) -> None:
        nodes = len(self.left)
        _require(
            nodes == len(self.right) == len(self.feature) == len(self.threshold)
            and nodes == len(self.values)
            and self.start.shape == self.values.shape[1:]
            and len(self.roots) > 0
            and self.roots[0] == 0
            and bool((np.diff(self.roots) > 0).all())
            and self.roots[-1] < nodes
            and 0 <= int(self.feature.min()) <= int(self.feature.max()) < self.inputs,
            "the arrays of its trees do not fit each other",
        )
        own = np.arange(nodes)
        end = np.append(self.roots[1:], nodes)[np.searchsorted(self.roots, own, "right") - 1]
        leaf = (self.left == own) & (self.right == own)
        inner = (self.left > own) & (self.right > own) & (self.left < end) & (self.right < end)
        _require(bool((leaf | inner).all()), "a node of its trees has a child that cannot be")
        _require(self.depth <= MAX_DEPTH, f"its trees are deeper than {MAX_DEPTH}")

    @property
    def depth(self) -> int:
        """The most steps from a root to a leaf; `MAX_DEPTH` + 1 stands for all that is more."""
        reached = self.roots
        for steps in range(MAX_DEPTH + 1):
            reached = reached[self.left[reached] != reached]
            if not len(reached):
                return steps
            # Crafted trees may share children; each counts once.
            reached = np.unique(np.concatenate([self.left[reached], self.right[reached]]))
        return MAX_DEPTH + 1

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        with np.errstate(over="ignore"):  # infinity is on the right side too
            single = rows.astype(np.float32).astype(np.float64)
        sums = np.empty((len(rows), self.values.shape[1]))
        depth = self.depth
        for begin in range(0, len(rows), _BLOCK):
            part = single[begin : begin + _BLOCK]
            here = np.arange(len(part))[:, None]
            nodes = np.broadcast_to(self.roots, (len(part), len(self.roots)))
            for _ in range(depth):
                goes_left = part[here, self.feature[nodes]] <= self.threshold[nodes]
                nodes = np.where(goes_left, self.left[nodes], self.right[nodes])
            sums[begin : begin + _BLOCK] = self.values[nodes].sum(axis=1)
        return LINKS[self.link](sums + self.start)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The nodes of all trees."""
        return {
            "roots": self.roots,
            "left": self.left,
            "right": self.right,
            "feature": self.feature,
            "threshold": self.threshold,
            "values": self.values,
            "start": self.start,
            "inputs": np.array(self.inputs),
            "link": np.array(self.link),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Forest:
        """The forest that `to_arrays` gave."""
        roots, left, right, feature = (
            _whole(arrays, name, 1) for name in ("roots", "left", "right", "feature")
        )
        return cls(
            roots,
            left,
            right,
            feature,
            _floats(arrays, "threshold", 1),
            _floats(arrays, "values", 2),
            _floats(arrays, "start", 1),
            int(_whole(arrays, "inputs", 0)),
            _link(arrays),
        )


def standardised(
    rows: Floats, fill: Floats, center: Floats, scale: Floats, cut: float = MOST
) -> Floats:
    """Rows filled where they are NaN, centred, scaled, cut off at ``-cut`` and ``cut``."""
    filled = np.where(np.isfinite(rows), rows, fill)
    return np.clip((filled - center) / scale, -cut, cut)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A predictor whose inputs are filled where they are NaN, centred, scaled and cut off first.

    Cut off at `cut` standard deviations, so that nothing is further away than what was learned.
    """

    fill: Floats
    center: Floats
    scale: Floats
    predictor: Network | Kernel | Forest
    cut: float = MOST

    def __post_init__(self) -> None:
        inputs = self.predictor.inputs
        _require(
            self.fill.shape == self.center.shape == self.scale.shape == (inputs,)
            and bool((self.scale >= 1 / MOST).all())
            and self.cut > 0,
            "the preparation of its inputs does not fit its estimator",
        )

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        return self.predictor.inputs

    def prepared(self, rows: Floats) -> Floats:
        """What the predictor reads of each row."""
        return standardised(rows, self.fill, self.center, self.scale, self.cut)

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        return self.predictor(self.prepared(rows))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The three rows of numbers, and the arrays of the predictor."""
        kind = next(kind for kind, made in KINDS.items() if isinstance(self.predictor, made))
        return {
            "fill": self.fill,
            "center": self.center,
            "scale": self.scale,
            "cut": np.array(self.cut),
            "kind": np.array(kind),
            **self.predictor.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Prepared:
        """The predictor that `to_arrays` gave."""
        kind = str(_array(arrays, "kind", 0, "U"))
        _require(kind in KINDS, f"this version knows no predictor {kind[:20]!r}")
        fill, center, scale = (_floats(arrays, name, 1) for name in ("fill", "center", "scale"))
        cut = float(_floats(arrays, "cut", 0))
        return cls(fill, center, scale, KINDS[kind].from_arrays(arrays), cut)


KINDS: Mapping[str, type[Network] | type[Kernel] | type[Forest]] = MappingProxyType(
    {"network": Network, "kernel": Kernel, "forest": Forest}
)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise InputError(what)


def _array(arrays: Arrays, name: str, dimensions: int, kinds: str) -> NDArray[Any]:
    array = arrays.get(name)
    if (
        array is None
        or array.ndim != dimensions
        or array.dtype.kind not in kinds
        or 0 in array.shape
    ):
        raise InputError(f"its weights have no array {name!r} of the right form")
    return array


def _floats(arrays: Arrays, name: str, dimensions: int) -> Floats:
    array = _array(arrays, name, dimensions, "f").astype(np.float64)
    within = bool((np.abs(array) <= MOST).all())
    _require(within, f"its weights {name!r} are not all numbers up to {MOST:g}")
    return array


def _whole(arrays: Arrays, name: str, dimensions: int) -> NDArray[np.int32]:
    array = _array(arrays, name, dimensions, "iu")
    _require(
        int(array.min()) >= 0 and int(array.max()) < 2**31,
        f"its weights {name!r} are not all numbers from 0 up",
    )
    return array.astype(np.int32)


def _link(arrays: Arrays) -> str:
    link = str(_array(arrays, "link", 0, "U"))
    _require(link in LINKS, f"this version knows no link {link[:20]!r}")
    return link
