"""Where kinds of real texts lie on the scale of difficulty, to compare a text with."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from understandability.resources import resource_text

PERCENTS = tuple(range(5, 100, 5))


@dataclass(frozen=True, slots=True)
class Reference:
    """A kind of texts, and the percentiles of their difficulty, at 5, 10, ... 95 per cent."""

    name: str
    percentiles: tuple[float, ...]

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower quartile, the median and the upper quartile."""
        low, median, high = (self.percentiles[PERCENTS.index(percent)] for percent in (25, 50, 75))
        return low, median, high

    def share_easier(self, difficulty: float) -> float:
        """The share of these texts that are easier, from 0.05 to 0.95.

        >>> Reference("posts", tuple(float(each) for each in PERCENTS)).share_easier(30.0)
        0.3
        """
        return float(np.interp(difficulty, self.percentiles, PERCENTS)) / 100


def references(checksum: str) -> tuple[Reference, ...]:
    """Where typical texts lie on the scale of the bundle of that checksum; () if not known.

    >>> references("that of a bundle of my own")
    ()
    """
    rows = json.loads(resource_text("report/references.json"))
    return tuple(
        Reference(row["name"], tuple(row["percentiles"]))
        for row in rows.get(checksum, {}).get("texts", [])
    )
