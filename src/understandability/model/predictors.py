"""Fitted estimators as arrays of numbers, evaluated by numpy alone.

A `Predictor` takes a matrix (documents, inputs) and gives (documents, outputs): one column for a
regressor, a probability for each class for a classifier. It equals the scikit-learn estimator that
it was taken from, whatever version reads it, loads in milliseconds, and cannot crash: there is no
native code between its arrays and the result, and the arrays are checked when they are read.
Trees are in `forest`.

A row's result depends on that row only, to the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.model.arrays import (
    LINKS,
    MOST,
    Arrays,
    floats,
    link_of,
    plain_array,
    require,
)
from understandability.model.forest import Forest

_MOST_LAYERS = 4
_ROWS = 8  # in one product; so many cost what one costs, because the columns come from memory
_ONE_THREAD = 2**17  # multiplications in a product; beyond 2**18 OpenBLAS takes a second thread


class Predictor(Protocol):
    """A fitted estimator: (documents, inputs) to (documents, outputs)."""

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        ...

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        ...


class Columns:
    """A matrix to multiply rows with, of which each result depends on its own row only.

    BLAS adds in an order that depends on the shapes, so all products with one matrix have one
    shape: some of its columns, and `_ROWS` rows, of which the last may be empty. It starts threads
    where that is large, which cost more than they gain. All rows meet the same columns before the
    next ones are fetched from memory.

    >>> Columns(np.array([[3.0], [4.0]])).product(np.array([[1.0, 2.0]]))
    array([[11.]])
    """

    __slots__ = ("_blocks", "_outputs")

    def __init__(self, matrix: Floats) -> None:
        inputs, self._outputs = matrix.shape
        # Nothing to multiply makes one empty block: a machine may have no vectors.
        width = max(1, min(self._outputs, _ONE_THREAD // (_ROWS * max(1, inputs))))
        count = max(1, -(-self._outputs // width))
        padded = np.zeros((inputs, count * width))
        padded[:, : self._outputs] = matrix
        blocks = padded.reshape(inputs, count, 1, width).transpose(1, 2, 0, 3)
        self._blocks = np.ascontiguousarray(blocks)

    def product(self, rows: Floats) -> Floats:
        """``rows @ matrix``."""
        count, _, inputs, width = self._blocks.shape
        tiles = -(-len(rows) // _ROWS)
        padded = np.zeros((tiles * _ROWS, inputs))
        padded[: len(rows)] = rows
        products = padded.reshape(tiles, _ROWS, inputs) @ self._blocks
        joined: Floats = products.transpose(1, 2, 0, 3).reshape(len(padded), count * width)
        return joined[: len(rows), : self._outputs]


def _square_sums(rows: Floats) -> Floats:
    """The sum of the squares of each row."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of sums: a multi-layer perceptron, or, of one layer, a linear model.

    Rectified between layers. `weights` are (inputs, outputs) of each layer, `biases` (outputs,).
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    link: str = "identity"
    _columns: tuple[Columns, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shapes = [weight.shape for weight in self.weights]
        require(
            _MOST_LAYERS >= len(shapes) == len(self.biases) > 0
            and all(len(shape) == 2 for shape in shapes)
            and all(a[1] == b[0] for a, b in pairwise(shapes))
            and all(b.shape == s[1:] for b, s in zip(self.biases, shapes, strict=True)),
            "the layers of its network do not fit each other",
        )
        object.__setattr__(self, "_columns", tuple(map(Columns, self.weights)))

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        return len(self.weights[0])

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        values = rows
        for number, (columns, bias) in enumerate(zip(self._columns, self.biases, strict=True)):
            if number:
                values = np.maximum(values, 0)
            values = columns.product(values) + bias
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
            tuple(floats(arrays, f"weight_{number}", 2) for number in layers),
            tuple(floats(arrays, f"bias_{number}", 1) for number in layers),
            link_of(arrays),
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
    _square_sums: Floats = field(init=False, repr=False, compare=False)
    _columns: tuple[Columns, Columns] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(
            self.vectors.ndim == self.weights.ndim == 2
            and len(self.vectors) == len(self.weights)
            and self.biases.shape == self.weights.shape[1:]
            and self.gamma > 0,
            "its support vectors and their weights do not fit each other",
        )
        object.__setattr__(self, "_square_sums", _square_sums(self.vectors))
        object.__setattr__(self, "_columns", (Columns(self.vectors.T), Columns(self.weights)))

    @property
    def inputs(self) -> int:
        """How many columns it takes."""
        return int(self.vectors.shape[1])

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        vectors, weights = self._columns
        squares = _square_sums(rows)[:, None] + self._square_sums
        squares -= 2 * vectors.product(rows)
        distances = np.maximum(squares, 0, out=squares)
        distances *= -self.gamma
        bells = np.exp(distances, out=distances)
        return LINKS[self.link](weights.product(bells) + self.biases)

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
            floats(arrays, "vectors", 2),
            floats(arrays, "weights", 2),
            floats(arrays, "biases", 1),
            float(floats(arrays, "gamma", 0)),
            link_of(arrays),
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
        require(
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
        """What the predictor reads of each row: the first of its columns."""
        return standardised(rows[:, : self.inputs], self.fill, self.center, self.scale, self.cut)

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
        kind = str(plain_array(arrays, "kind", 0, "U"))
        require(kind in KINDS, f"this version knows no predictor {kind[:20]!r}")
        fill, center, scale = (floats(arrays, name, 1) for name in ("fill", "center", "scale"))
        cut = float(floats(arrays, "cut", 0))
        return cls(fill, center, scale, KINDS[kind].from_arrays(arrays), cut)


KINDS: Mapping[str, type[Network] | type[Kernel] | type[Forest]] = MappingProxyType(
    {"network": Network, "kernel": Kernel, "forest": Forest}
)
