"""Scales of labels: which end is easy, and from which label on a document is "understandable"."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.errors import InputError, OptionError
from understandability.inputs.run import Labels

# The word for a scale, by what a higher label means.
_EASY_END = {Direction.HARDER: "lower-easier", Direction.EASIER: "higher-easier"}
_FORM = (
    "write DIRECTION[:THRESHOLD][:LOW..HIGH] such as lower-easier:40, lower-easier:<=40:0..100 or "
    f"higher-easier:2, the direction one of {', '.join(WORDS)}; in a shell, quote < and >"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of labels for one dimension, such as understandability.

    The direction must always be stated, because published collections use both: in CLEF eHealth
    2015 higher labels are easier, in 2016 and 2018 lower ones are.

    Args:
        direction: What a higher label means.
        threshold: The label from which (in the direction of the scale) a document is
            understandable.
        inclusive: True if a label equal to the threshold is understandable.
        low: The lowest label that is allowed.
        high: The highest label that is allowed.
        gains: The gain of each grade; no other grades are allowed.
    """

    direction: Direction
    threshold: float | None = None
    inclusive: bool = True
    low: float | None = None
    high: float | None = None
    gains: Mapping[float, float] | None = None

    @property
    def higher_is_easier(self) -> bool:
        """True if a higher label means an easier (a better) document."""
        return self.direction is Direction.EASIER

    def __str__(self) -> str:
        text = _EASY_END[self.direction]
        if self.threshold is not None:
            unusual = self.inclusive != self.higher_is_easier
            sign = (">" if self.higher_is_easier else "<=") if unusual else ""
            text += f":{sign}{self.threshold:g}"
        if self.low is not None:
            text += f":{self.low:g}..{self.high:g}"
        return text

    def binary(self, labels: Floats) -> Floats:
        """Return 1 for labels on the easy side of the threshold, 0 for others, and NaN for NaN."""
        if self.threshold is None:
            raise OptionError(
                f"the scale {self} has no threshold, but binary gains require one; write for "
                f"example {_EASY_END[self.direction]}:40"
            )
        beyond = labels > self.threshold if self.higher_is_easier else labels < self.threshold
        easy = beyond | ((labels == self.threshold) & self.inclusive)
        return np.where(np.isnan(labels), np.nan, easy.astype(np.float64))

    def graded(self, labels: Floats) -> Floats:
        """Return the gain of each label: from the table of gains, or linear between the ends of the
        scale.
        """
        if self.gains is not None:
            grades = np.array(sorted(self.gains))
            gains = np.array([self.gains[grade] for grade in grades.tolist()])
            indices = np.minimum(np.searchsorted(grades, labels), len(grades) - 1)
            return np.where(grades[indices] == labels, gains[indices], np.nan)
        if self.low is None or self.high is None:
            raise OptionError(
                f"graded gains need a table of gains (0:0,1:.4,2:.8,3:1) or the ends of the scale "
                f"({self}:0..100)"
            )
        share = (labels - self.low) / (self.high - self.low)
        return share if self.higher_is_easier else 1 - share

    def check(self, labels: Labels) -> None:
        """Raise `InputError` for the first label outside the declared scale."""
        if self.gains is not None:
            outside = ~np.isin(labels.values, list(self.gains))
            allowed = f"one of the grades with a gain ({', '.join(f'{g:g}' for g in self.gains)})"
        elif self.low is not None and self.high is not None:
            outside = (labels.values < self.low) | (labels.values > self.high)
            allowed = f"between {self.low:g} and {self.high:g}"
        else:
            return
        refuse(
            labels,
            outside,
            f"is outside the declared scale: it must be {allowed}; correct the scale, or name a "
            "label that means 'could not judge' with --not-a-label",
        )


def refuse(labels: Labels, wrong: NDArray[np.bool_], why: str) -> None:
    """Raise `InputError` for the first label in the mask `wrong`."""
    if wrong.any():
        line = int(np.argmax(wrong))
        raise InputError(f"{labels.where(line)}: label {labels.values[line]:g} {why}")


def parse_scale(text: str) -> Scale:
    """Parse a scale such as ``lower-easier:40``.

    ``lower-easier:40`` means understandable below 40, ``lower-easier:<=40`` at most 40,
    ``higher-easier:2`` means 2 and above, ``higher-easier:>2`` above 2. The ends of the scale
    may follow (``lower-easier:40:0..100``). The threshold may be omitted if gains are graded or
    come from a user model.

    >>> str(parse_scale("higher-easier:2"))
    'higher-easier:2'
    """
    match = re.fullmatch(
        r"([^:]*)(?::([<>]=?)?((?:(?!\.\.)[^:])+))?(?::([^:]+?)\.\.([^:]+))?", text.strip()
    )
    word = text.strip().partition(":")[0]
    if word not in WORDS:
        raise OptionError(
            f"{text!r} does not state whether lower or higher labels are easier; {_FORM}"
        )
    if match is None:
        raise OptionError(f"{text!r} is not a scale; {_FORM}")
    _, sign, *numbers = match.groups()
    threshold, low, high = (None if n is None else _number(n, text) for n in numbers)
    scale = Scale(WORDS[word], threshold, low=low, high=high)
    if sign and (sign[0] == ">") != scale.higher_is_easier:
        raise OptionError(f"{sign} goes against {_EASY_END[scale.direction]} in {text!r}; {_FORM}")
    if low is not None and high is not None and low >= high:
        raise OptionError(f"the scale {text!r} has its ends the wrong way round; {_FORM}")
    # By default a scale includes its threshold if higher labels are easier, else not.
    return replace(scale, inclusive=sign.endswith("=") if sign else scale.higher_is_easier)


def parse_gains(text: str) -> dict[float, float]:
    """Parse a table of gains by grade.

    >>> parse_gains("0:0,1:.4,2:.8,3:1")
    {0.0: 0.0, 1.0: 0.4, 2.0: 0.8, 3.0: 1.0}
    """
    gains: dict[float, float] = {}
    for pair in text.split(","):
        grade, separator, gain = pair.partition(":")
        if not separator:
            raise OptionError(
                f"{text!r} is not a table of gains; write GRADE:GAIN,... as 0:0,1:.4,3:1"
            )
        gains[_number(grade, text)] = _number(gain, text)
    if not all(0 <= gain <= 1 for gain in gains.values()):
        raise OptionError(f"a gain in {text!r} is not between 0 and 1, as a probability must be")
    return gains


def _number(text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise OptionError(f"{text!r} in {whole!r} is not a finite number")
    return number
