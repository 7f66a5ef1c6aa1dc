"""Arrays of numbers as files hold them, read without trusting them; what last sums become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError

Arrays = Mapping[str, NDArray[Any]]
# What weights may be: products of these and of as many layers as may be stay finite.
MOST = 1e30


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


def require(holds: bool, what: str) -> None:
    """Raise `InputError` unless it holds."""
    if not holds:
        raise InputError(what)


def plain_array(arrays: Arrays, name: str, dimensions: int, kinds: str) -> NDArray[Any]:
    """An array of so many dimensions and one of these kinds of type, not empty."""
    array = arrays.get(name)
    if (
        array is None
        or array.ndim != dimensions
        or array.dtype.kind not in kinds
        or 0 in array.shape
    ):
        raise InputError(f"its weights have no array {name!r} of the right form")
    return array


def floats(arrays: Arrays, name: str, dimensions: int) -> Floats:
    """An array of finite numbers of bounded size."""
    array = plain_array(arrays, name, dimensions, "f").astype(np.float64)
    within = bool((np.abs(array) <= MOST).all())
    require(within, f"its weights {name!r} are not all numbers up to {MOST:g}")
    return array


def whole(arrays: Arrays, name: str, dimensions: int) -> NDArray[np.int32]:
    """An array of whole numbers from 0 up."""
    array = plain_array(arrays, name, dimensions, "iu")
    require(
        int(array.min()) >= 0 and int(array.max()) < 2**31,
        f"its weights {name!r} are not all numbers from 0 up",
    )
    return array.astype(np.int32)


def link_of(arrays: Arrays) -> str:
    """The name of a function of `LINKS`."""
    link = str(plain_array(arrays, "link", 0, "U"))
    require(link in LINKS, f"this version knows no link {link[:20]!r}")
    return link
