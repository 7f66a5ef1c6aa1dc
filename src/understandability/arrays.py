"""The types of numpy arrays that signatures name, and tables of strings, faster than a `dict`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers

Floats = NDArray[np.float64]


def within(values: Floats, low: float, high: float) -> Floats:
    """The values, cut off at both ends; `np.clip` takes three times as long for a few."""
    return np.asarray(np.minimum(np.maximum(values, low), high))


def numbered(strings: Iterable[str]) -> Numbers:
    """Distinct strings in a table in which `places_of` finds their places."""
    known = Numbers()
    places_of(strings, known, adds_new=True)
    return known


def places_of(strings: Iterable[str], known: Numbers, adds_new: bool = False) -> NDArray[np.int32]:
    """The place of each string among those that are known; -1 of others, unless they are added.

    >>> places_of(["flu", "rest"], numbered(["virus", "flu"]))
    array([ 1, -1], dtype=int32)
    """
    given = list(strings)
    places = np.empty(len(given), np.int32)
    known.number(given, places, adds_new)
    return places
