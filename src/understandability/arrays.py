"""Types of numpy arrays, and ids for strings, faster than with a `dict`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers

Floats = NDArray[np.float64]


def numbered(strings: Iterable[str]) -> Numbers:
    """Give each distinct string an id, in order of first appearance."""
    ids = Numbers()
    texts = list(strings)
    ids.number(texts, np.empty(len(texts), np.int32))
    return ids


def ids_of(strings: Iterable[str], ids: Numbers) -> NDArray[np.int32]:
    """Look up the id of each string; -1 for a string without an id.

    >>> ids_of(["flu", "rest"], numbered(["virus", "flu"]))
    array([ 1, -1], dtype=int32)
    """
    texts = list(strings)
    result = np.empty(len(texts), np.int32)
    ids.number(texts, result, adds_new=False)
    return result
