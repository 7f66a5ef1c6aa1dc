"""Express difficulty in familiar terms: CEFR levels (Council of Europe 2001), and types of real
texts.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np

from understandability.errors import OptionError
from understandability.resources import resource_text

SHADES = 5  # from easy to very hard
AIM = 0.8  # the chance of being understood that a text for the public is to reach: eight of ten
PERCENTS = tuple(range(5, 100, 5))


def checked_aim(aim: object, where: str) -> float:
    """Return a target if it is a number from 0 to 1; otherwise raise `OptionError`.

    `where` says in the error where it was set.
    """
    if isinstance(aim, bool) or not isinstance(aim, int | float) or not 0 <= aim <= 1:
        raise OptionError(f"{where}: an aim is a chance from 0 to 1, such as 0.8, not {aim!r}")
    return float(aim)


@dataclass(frozen=True, slots=True)
class Level:
    """A CEFR level: its name, how hard it is in a word, and examples of texts."""

    name: str
    word: str
    texts: str


LEVELS = (
    Level("A1", "very easy", "names, everyday words and very simple sentences"),
    Level("A2", "easy", "very short, simple texts on everyday things"),
    Level("B1", "plain", "texts in everyday language, such as a good leaflet"),
    Level("B2", "fairly hard", "articles and reports on matters of the day"),
    Level("C1", "hard", "long texts on complex matters, for those who know the subject"),
    Level("C2", "very hard", "abstract texts in the language of specialists"),
)


def level_of(level: float) -> Level | None:
    """Return the level nearest to a number, 1 (A1) to 6 (C2); None for NaN.

    >>> level_of(3.6).name, level_of(0.2).name, level_of(7.5).name
    ('B2', 'A1', 'C2')
    """
    if math.isnan(level):
        return None
    return LEVELS[min(max(math.floor(level + 0.5), 1), len(LEVELS)) - 1]


def shade_of(level: float, difficulty: float) -> int:
    """Return the step of the colour scale: 0 for A1 and A2, 1 for B1, 2 for B2, 3 for C1, 4 for C2.

    For models without levels, each 20 points of difficulty are one step.

    >>> shade_of(2.4, 20.0), shade_of(3.0, 30.0), shade_of(6.3, 80.0), shade_of(math.nan, 45.0)
    (0, 1, 4, 2)
    """
    if not math.isnan(level):
        return min(max(math.floor(level + 0.5) - 2, 0), SHADES - 1)
    return 0 if math.isnan(difficulty) else min(int(difficulty // 20), SHADES - 1)


@dataclass(frozen=True, slots=True)
class Reference:
    """A type of real texts, with percentiles of their difficulty at 5, 10, ... 95 per cent."""

    name: str
    percentiles: tuple[float, ...]

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower quartile, the median and the upper quartile."""
        low, median, high = (self.percentiles[PERCENTS.index(percent)] for percent in (25, 50, 75))
        return low, median, high

    def share_easier(self, difficulty: float) -> float:
        """Return the share of these texts that are easier, from 0.05 to 0.95.

        >>> Reference("posts", tuple(float(percent) for percent in PERCENTS)).share_easier(30.0)
        0.3
        """
        return float(np.interp(difficulty, self.percentiles, PERCENTS)) / 100


def references(checksum: str) -> tuple[Reference, ...]:
    """Return the difficulty of typical texts on the scale of the bundle with this checksum; () if
    unknown.

    >>> references("the checksum of my own bundle")
    ()
    """
    rows = json.loads(resource_text("report/references.json"))
    return tuple(
        Reference(row["name"], tuple(row["percentiles"]))
        for row in rows.get(checksum, {}).get("texts", [])
    )
