"""What statistics need of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from understandability.arrays import Floats


class Evaluated(Protocol):
    """Values by run, measure and query, and means by run and measure."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""

    @property
    def values(self) -> Mapping[str, Floats]:
        """By run: a row for each measure, a column for each query; NaN where none counts."""

    @property
    def means(self) -> Mapping[str, Floats]:
        """By run: a mean for each measure."""
