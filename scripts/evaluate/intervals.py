"""Compute measures with 95 % bootstrap intervals, resampling whole groups."""

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
    """A value with its 95 % interval, and the number of texts."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return self.formatted()

    def formatted(self, digits: int = 3) -> str:
        """Format the value with its interval in brackets."""
        value, low, high = (short(number, digits) for number in self[:3])
        return f"{value} [{low}, {high}]"


def short(value: float, digits: int = 3) -> str:
    """Format a number between -1 and 1 for a table, without the leading 0.

    >>> short(0.8391)
    '.839'
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def auc(values: Floats, labels: Floats) -> float:
    """Return the ROC AUC of texts with the highest label against texts with the lowest."""
    ends = (labels == labels.max()) | (labels == labels.min())
    return roc_auc(values[ends], labels[ends] == labels.max())


def of_groups(value: Callable[[NDArray[np.int64]], float], groups: NDArray[Any]) -> Measured:
    """Compute a function of row indices, with an interval from resampled groups."""
    resampled = [value(rows) for rows in resamples_of_groups(groups)]
    low, high = np.nanquantile(resampled, [0.025, 0.975])
    return Measured(value(np.arange(len(groups))), float(low), float(high), len(groups))


def measured(measure: Measure, values: Floats, labels: Floats, groups: NDArray[Any]) -> Measured:
    """Compute a measure over the texts with a value, with an interval from resampled groups."""
    usable = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[usable], labels[usable]
    return of_groups(lambda rows: measure(values[rows], labels[rows]), groups[usable])


def harder(values: Floats, formulas: Sequence[str] = BASELINES) -> Floats:
    """Negate formulas whose higher values are easier; `values` is (texts, formulas)."""
    return values * [(COLUMNS[name][0].direction or Direction.HARDER).sign for name in formulas]
