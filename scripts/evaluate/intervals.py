"""Measures with 95 % intervals that resample groups."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.feature.catalogue import COLUMNS
from understandability.training.validation import BASELINES, resamples_of_groups, roc_auc

Measure = Callable[[Floats, Floats], float]


class Measured(NamedTuple):
    """A measure with its interval, and of how many texts."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return self.told()

    def told(self, digits: int = 3) -> str:
        """The value, and the interval in brackets."""
        value, low, high = (short(each, digits) for each in self[:3])
        return f"{value} [{low}, {high}]"


def short(value: float, digits: int = 3) -> str:
    """A number between -1 and 1 as tables print it.

    >>> short(0.8391)
    '.839'
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def auc(values: Floats, labels: Floats) -> float:
    """How often a text of the highest label has the higher value than one of the lowest."""
    ends = (labels == labels.max()) | (labels == labels.min())
    return roc_auc(values[ends], labels[ends] == labels.max())


def of_groups(value: Callable[[NDArray[np.int64]], float], groups: NDArray[Any]) -> Measured:
    """A value of rows; whole groups are drawn for its interval."""
    found = [value(rows) for rows in resamples_of_groups(groups)]
    low, high = np.nanquantile(found, [0.025, 0.975])
    return Measured(value(np.arange(len(groups))), float(low), float(high), len(groups))


def measured(measure: Measure, values: Floats, labels: Floats, groups: NDArray[Any]) -> Measured:
    """A measure of the texts that have a value; whole groups are drawn for its interval."""
    known = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[known], labels[known]
    return of_groups(lambda rows: measure(values[rows], labels[rows]), groups[known])


def harder(values: Floats, formulas: Sequence[str] = BASELINES) -> Floats:
    """Values of formulas, (texts, formulas), turned so that higher is harder."""
    return values * [(COLUMNS[name][0].direction or Direction.HARDER).sign for name in formulas]
