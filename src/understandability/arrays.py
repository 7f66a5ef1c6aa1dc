"""The types of numpy arrays that signatures name, and tables of strings, faster than a `dict`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers

Floats = NDArray[np.float64]


def numbered(strings: Iterable[str]) -> Numbers:
    """Distinct strings in a table in which `places_of` finds their places."""
    known, given = Numbers(), list(strings)
    known.number(given, np.empty(len(given), np.int32))
    return known


def places_of(strings: Iterable[str], known: Numbers) -> NDArray[np.int32]:
    """The place of each string among those that are known; -1 of others.

    >>> places_of(["flu", "rest"], numbered(["virus", "flu"]))
    array([ 1, -1], dtype=int32)
    """
    given = list(strings)
    places = np.empty(len(given), np.int32)
    known.number(given, places, adds_new=False)
    return places
