"""Fitted estimators as plain arrays, evaluated by numpy alone.

A `Predictor` maps a matrix (documents, inputs) to (documents, outputs): one column for a regressor,
a probability per class for a classifier. It returns the numbers of the scikit-learn
estimator that it was converted from, whatever version is installed. It loads in milliseconds and
cannot crash: arrays are checked when they are read, and no native code of an estimator runs. The
result for a row is bit-identical whatever the other rows are.
"""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core.products import PRODUCT_WIDTH
from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import sizes_of

Arrays = Mapping[str, NDArray[Any]]
# The largest weight, chosen so that products over all layers stay finite.
MOST = 1e30


def within(values: Floats, low: float, high: float) -> Floats:
    """Clip values to a range. For short arrays this is three times as fast as `np.clip`."""
    return np.asarray(np.minimum(np.maximum(values, low), high))


def _softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _both_classes(values: Floats) -> Floats:
    probability = 1 / (1 + np.exp(-within(values, -500, 500)))
    return np.concatenate([1 - probability, probability], axis=1)


def _normalised(values: Floats) -> Floats:
    probabilities = 1 / (1 + np.exp(-within(values, -500, 500)))
    return np.asarray(probabilities / np.maximum(probabilities.sum(axis=1, keepdims=True), 1e-300))


# Functions of the last layer: identity or 0 to 100 for regressors, probabilities for classifiers.
LINKS: Mapping[str, Callable[[Floats], Floats]] = {
    "identity": lambda values: values,
    "softmax": _softmax,
    "binary": _both_classes,
    "one_vs_rest": _normalised,
    "percent": lambda values: 100 / (1 + np.exp(-within(values, -500, 500))),
}


def require(condition: bool, message: str) -> None:
    """Raise `InputError` with the message unless the condition is true."""
    if not condition:
        raise InputError(message)


def plain_array(arrays: Arrays, name: str, dimensions: int, dtypes: str) -> NDArray[Any]:
    """Return the array with this name, after checking it; it must not be empty.

    It must have this number of dimensions, and a dtype of one of these kinds (``"iu"``: integers).
    """
    array = arrays.get(name)
    if (
        array is None
        or array.ndim != dimensions
        or array.dtype.kind not in dtypes
        or 0 in array.shape
    ):
        raise InputError(f"its weights have no array {name!r} of the right form")
    return array


def floats(arrays: Arrays, name: str, dimensions: int) -> Floats:
    """Return an array of floats; raise `InputError` if an absolute value exceeds `MOST`."""
    array = plain_array(arrays, name, dimensions, "f").astype(np.float64)
    bounded = bool((np.abs(array) <= MOST).all())
    require(bounded, f"its weights {name!r} are not all numbers up to {MOST:g}")
    return array


def whole(arrays: Arrays, name: str, dimensions: int) -> NDArray[np.int32]:
    """Return an array of integers; raise `InputError` if one is negative."""
    array = plain_array(arrays, name, dimensions, "iu")
    require(
        int(array.min()) >= 0 and int(array.max()) < 2**31,
        f"its weights {name!r} are not all numbers from 0 up",
    )
    return array.astype(np.int32)


def link_of(arrays: Arrays) -> str:
    """Return the name of the link function that the arrays state, a key of `LINKS`."""
    link = str(plain_array(arrays, "link", 0, "U"))
    require(link in LINKS, f"this version knows no link {link[:20]!r}")
    return link


# Greater than any depth in `estimators`. A deeper tree in a file would only cost time.
MAX_DEPTH = 32
LEAF = -1
_ROWS_AT_ONCE = 16


class _Steps(NamedTuple):
    """Arrays that direct the walk of rows down the trees of a `Forest`.

    A leaf is its own left child, and its limit is infinite, so a walk that reaches it stays.
    """

    depth: int
    left: NDArray[np.intp]
    feature: NDArray[np.intp]
    limit: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    values: Floats  # (outputs, nodes)


@dataclass(frozen=True, slots=True)
class Forest:
    """The sum of decision trees, such as a random forest or gradient boosting.

    The nodes of a tree are ordered by level. The two children of a node are neighbours, and the
    children of an earlier node come first. Trees are concatenated, and `roots` are the indices of
    their first nodes. A row goes left if its `feature`, as float32, is at most the `threshold`, or
    if it is NaN and `missing_left` is set; otherwise it goes right. A leaf has the feature -1. The
    `values` (nodes, outputs) of the leaves are summed over the trees, and `start` is added.

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
        # The k-th inner node of a tree has the children root + 2k + 1 and root + 2k + 2.
        preceding = np.cumsum(inner) - inner  # inner nodes before this one, in all trees
        root = np.repeat(self.roots, sizes)
        own = np.arange(nodes)
        left = np.where(inner, root + 1 + 2 * (preceding - preceding[root]), own)
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
        """Return the outputs for each row."""
        # A value that overflows to infinity goes to the same side as before.
        with np.errstate(over="ignore"):
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
        """Return the nodes of all trees, in the shortest dtypes that keep their values."""
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
        """Restore a forest from the result of `to_arrays`."""
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


_MOST_LAYERS = 4
_MOST_MEMBERS = 12


class Predictor(Protocol):
    """The interface of a fitted estimator: it maps (documents, inputs) to (documents, outputs)."""

    @property
    def inputs(self) -> int:
        """The number of columns that it reads."""

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs for each row."""


class Columns:
    """A matrix to multiply rows with, such that the result of a row depends on that row only.

    BLAS adds in an order that depends on the shapes, and copies the matrix for every few rows; the
    core does neither. The matrix is stored in blocks of columns, padded with zeros. A matrix whose
    values fit in 16 bits is multiplied in float32, in half the time.

    >>> Columns(np.array([[3.0], [4.0]])).product(np.array([[1.0, 2.0]]))
    array([[11.]])
    """

    __slots__ = ("_blocks", "_outputs")

    def __init__(self, matrix: Floats) -> None:
        inputs, self._outputs = matrix.shape
        count = -(-self._outputs // PRODUCT_WIDTH)
        with np.errstate(over="ignore"):
            is_short = bool((matrix == matrix.astype(np.float16)).all())
        padded = np.zeros((inputs, count * PRODUCT_WIDTH), np.float32 if is_short else np.float64)
        padded[:, : self._outputs] = matrix
        blocks = padded.reshape(inputs, count, PRODUCT_WIDTH).transpose(1, 0, 2)
        self._blocks = np.ascontiguousarray(blocks)

    def product(self, rows: Floats, biases: Floats | None = None, least: float = -np.inf) -> Floats:
        """Return ``rows @ matrix + biases``; results below `least` are replaced by it."""
        products = np.empty((len(rows), self._outputs))
        rows = np.ascontiguousarray(rows, self._blocks.dtype)
        biases = np.zeros(self._outputs) if biases is None else np.asarray(biases, np.float64)
        _core.multiply(rows, self._blocks, biases, least, products)
        return products


def _square_sums(rows: Floats) -> Floats:
    """Return the sum of the squares of each row."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


@dataclass(frozen=True, slots=True)
class Network:
    """A multi-layer perceptron, or a linear model if it has one layer.

    ReLU between layers. Per layer, `weights` are (inputs, outputs) and `biases` (outputs,).
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
        """The number of columns that it reads."""
        return len(self.weights[0])

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs for each row."""
        values, last = rows, len(self.biases) - 1
        for number, (columns, bias) in enumerate(zip(self._columns, self.biases, strict=True)):
            values = columns.product(values, bias, 0.0 if number < last else -np.inf)
        return LINKS[self.link](values)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return weights and biases, named by the number of their layer."""
        arrays: dict[str, NDArray[Any]] = {"link": np.array(self.link)}
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Network:
        """Restore a network from the result of `to_arrays`."""
        layers = range(sum(name.startswith("weight_") for name in arrays))
        return cls(
            tuple(floats(arrays, f"weight_{number}", 2) for number in layers),
            tuple(floats(arrays, f"bias_{number}", 1) for number in layers),
            link_of(arrays),
        )


@dataclass(frozen=True, slots=True)
class Kernel:
    """A support vector machine with a Gaussian kernel: sums of bells around `vectors`.

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
        """The number of columns that it reads."""
        return int(self.vectors.shape[1])

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs for each row."""
        vectors, weights = self._columns
        squares = _square_sums(rows)[:, None] + self._square_sums
        squares -= 2 * vectors.product(rows)
        distances = np.maximum(squares, 0, out=squares)
        distances *= -self.gamma
        bells = np.exp(distances, out=distances)
        return LINKS[self.link](weights.product(bells, self.biases))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return vectors, weights, biases, gamma and link."""
        return {
            "vectors": self.vectors,
            "weights": self.weights,
            "biases": self.biases,
            "gamma": np.array(self.gamma),
            "link": np.array(self.link),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Kernel:
        """Restore a machine from the result of `to_arrays`."""
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
    """Replace NaN by `fill`, subtract the centre, divide by the scale, clip to ``±cut``."""
    values = np.where(np.isfinite(rows), rows, fill)
    values -= center  # in place: new arrays for each step would take four times as long
    values /= scale
    np.maximum(values, -cut, out=values)
    return np.minimum(values, cut, out=values)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A predictor whose inputs are standardised first: NaN filled, centred, scaled and clipped.

    Inputs are clipped at `cut` standard deviations, so none is outside the training range.
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
        """The number of columns that it reads."""
        return self.predictor.inputs

    def prepared(self, rows: Floats) -> Floats:
        """Standardise rows of inputs: fill missing values, centre, scale and clip them."""
        return standardised(rows[:, : self.inputs], self.fill, self.center, self.scale, self.cut)

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs for each row."""
        return self.predictor(self.prepared(rows))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the preparation and of the predictor."""
        return {
            "fill": self.fill,
            "center": self.center,
            "scale": self.scale,
            "cut": np.array(self.cut),
            "kind": np.array(_part_name(self.predictor)),
            **self.predictor.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Prepared:
        """Restore a predictor from the result of `to_arrays`."""
        type_ = str(plain_array(arrays, "kind", 0, "U"))
        require(type_ in KINDS, f"this version knows no predictor {type_[:20]!r}")
        fill, center, scale = (floats(arrays, name, 1) for name in ("fill", "center", "scale"))
        cut = float(floats(arrays, "cut", 0))
        return cls(fill, center, scale, KINDS[type_].from_arrays(arrays), cut)


@dataclass(frozen=True, slots=True)
class Combined:
    """A vote or a stack (Wolpert 1992): a final predictor reads the outputs of its members.

    The outputs of all members are concatenated, and `chosen` are the columns that `final` reads.
    With `passthrough` it also reads the inputs, following the outputs.

    >>> double, half = (Network((np.array([[x]]),), (np.zeros(1),)) for x in (2.0, 0.5))
    >>> mean = Network((np.full((2, 1), 0.5),), (np.zeros(1),))
    >>> Combined((double, half), np.arange(2), mean)(np.array([[4.0]]))
    array([[5.]])
    """

    members: tuple[Predictor, ...]
    chosen: NDArray[np.intp]
    final: Network | Kernel | Forest | Prepared
    passthrough: bool = False

    def __post_init__(self) -> None:
        require(
            0 < len(self.members) <= _MOST_MEMBERS
            and len({member.inputs for member in self.members}) == 1
            and not any(isinstance(member, Combined) for member in (*self.members, self.final))
            and self.final.inputs == len(self.chosen) + self.passthrough * self.inputs,
            "the members of its combination do not fit each other",
        )
        outputs = sum(member(np.zeros((1, member.inputs))).shape[1] for member in self.members)
        require(
            bool((self.chosen >= 0).all()) and bool((self.chosen < outputs).all()),
            "its combination reads outputs that its members lack",
        )

    @property
    def inputs(self) -> int:
        """The number of columns that it reads."""
        return self.members[0].inputs

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs for each row."""
        outputs = np.concatenate([member(rows) for member in self.members], axis=1)
        chosen = outputs[:, self.chosen]
        if self.passthrough:
            chosen = np.concatenate([chosen, rows], axis=1)
        return self.final(chosen)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of all parts; each name starts with the part's number, `final` last."""
        arrays: dict[str, NDArray[Any]] = {
            "members": np.array(len(self.members)),
            "chosen": self.chosen,
            "passthrough": np.array(self.passthrough),
        }
        for number, part in enumerate((*self.members, self.final)):
            assert isinstance(part, Network | Kernel | Forest | Prepared)
            arrays[f"{number}_part"] = np.array(_part_name(part))
            arrays |= {f"{number}_{name}": array for name, array in part.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Combined:
        """Restore a predictor from the result of `to_arrays`."""
        count = int(whole(arrays, "members", 0))
        require(0 < count <= _MOST_MEMBERS, "its combination has too many members")
        parts = []
        for number in range(count + 1):
            own = {
                name.removeprefix(f"{number}_"): array
                for name, array in arrays.items()
                if name.startswith(f"{number}_")
            }
            name = str(plain_array(own, "part", 0, "U"))
            require(name in PARTS, f"this version knows no predictor {name[:20]!r}")
            parts.append(PARTS[name].from_arrays(own))
        *members, final = parts
        passthrough = bool(plain_array(arrays, "passthrough", 0, "b"))
        chosen = whole(arrays, "chosen", 1).astype(np.intp)
        return cls(tuple(members), chosen, final, passthrough)


KINDS: Mapping[str, type[Network] | type[Kernel] | type[Forest]] = {
    "network": Network,
    "kernel": Kernel,
    "forest": Forest,
}
PARTS: Mapping[str, type[Network] | type[Kernel] | type[Forest] | type[Prepared]] = {
    **KINDS,
    "prepared": Prepared,
}


def _part_name(part: Network | Kernel | Forest | Prepared) -> str:
    return next(name for name, class_ in PARTS.items() if isinstance(part, class_))


# NumPy reads headers of arrays with Python's parser, and headers of format 1 with its tokenizer.
NO_PLAIN_ARRAYS = (
    OSError,
    ValueError,
    EOFError,
    LookupError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
)
DAMAGED_ARRAYS = (zlib.error, RuntimeError, MemoryError, OverflowError)

# Limits for one file: the uncompressed size in bytes, and the number of arrays.
_MAX_BYTES = 256_000_000
_MAX_ARRAYS = 200


def array_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return named arrays as a compressed ``.npz``; equal arrays give equal bytes."""
    stream = io.BytesIO()
    # No array has the name of an option of savez_compressed.
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def arrays_of(weights: Mapping[str, bytes], name: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of one weight file of a bundle; raise `InputError` for anything else."""
    if name not in weights:
        raise InputError(f"it has no file {name[:60]}")
    stream = io.BytesIO(weights[name])
    try:
        with zipfile.ZipFile(stream) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
            if len(sizes) > _MAX_ARRAYS or sum(sizes) > _MAX_BYTES:
                raise InputError(f"{name} expands to more than {_MAX_BYTES // 1_000_000} MB")
        with np.load(stream, allow_pickle=False) as arrays:
            read = {key: arrays[key] for key in arrays.files}
    except NO_PLAIN_ARRAYS as error:
        raise InputError(f"{name} holds no plain arrays, perhaps a pickle") from error
    except DAMAGED_ARRAYS as error:
        raise InputError(f"{name} is damaged") from error
    if not all(isinstance(array, np.ndarray) for array in read.values()):
        raise InputError(f"{name} holds more than arrays")
    return read


def predictor_files(predictor: Predictor) -> dict[str, bytes]:
    """Serialise a predictor as a weight file, by name."""
    if isinstance(predictor, Prepared | Network | Forest | Kernel | Combined):
        return {"estimator.npz": array_bytes(predictor.to_arrays())}
    raise TypeError(f"{type(predictor).__name__} is not a model that a bundle can hold")


def predictor_of(weights: Mapping[str, bytes], stem: str = "estimator") -> Predictor:
    """Restore a predictor from the file ``STEM.npz`` that `predictor_files` wrote."""
    arrays = arrays_of(weights, f"{stem}.npz")
    for name, class_ in (("members", Combined), ("fill", Prepared), ("roots", Forest)):
        if name in arrays:
            return class_.from_arrays(arrays)
    return (Kernel if "vectors" in arrays else Network).from_arrays(arrays)
