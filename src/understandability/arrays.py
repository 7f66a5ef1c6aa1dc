"""Type aliases for numpy arrays, and integer ids for strings (faster than a `dict` for many
lookups).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers

Floats = NDArray[np.float64]


def numbered(strings: Iterable[str]) -> Numbers:
    """Return ids for distinct strings: 0, 1, 2, ... in order of first appearance."""
    ids = Numbers()
    texts = list(strings)
    ids.number(texts, np.empty(len(texts), np.int32))
    return ids


def ids_of(strings: Iterable[str], ids: Numbers) -> NDArray[np.int32]:
    """Return the id of each string as an array; -1 for a string without an id.

    >>> ids_of(["flu", "rest"], numbered(["virus", "flu"]))
    array([ 1, -1], dtype=int32)
    """
    texts = list(strings)
    result = np.empty(len(texts), np.int32)
    ids.number(texts, result, adds_new=False)
    return result
