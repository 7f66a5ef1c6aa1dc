"""What the labels of a dimension mean: which end is easy, where "understandable" begins."""

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

# How scales are written, by their easy end.
_EASY_END = {Direction.HARDER: "lower-easier", Direction.EASIER: "higher-easier"}
_FORM = (
    "write DIRECTION[:THRESHOLD][:LOW..HIGH] such as lower-easier:40, lower-easier:<=40:0..100 or "
    f"higher-easier:2, the direction one of {', '.join(WORDS)}"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of labels: its direction, its threshold, its ends, the gains of its grades.

    The direction is always stated, as published collections use both (CLEF eHealth 2015 counts up
    to easy, 2016 and 2018 down).
    `threshold` is where "understandable" begins; a label equal to it counts if `inclusive`.
    `low` and `high` are the ends that labels may not leave; `gains` maps grades to gains and
    then says which labels there are.
    """

    direction: Direction
    threshold: float | None = None
    inclusive: bool = True
    low: float | None = None
    high: float | None = None
    gains: Mapping[float, float] | None = None

    @property
    def higher_is_easier(self) -> bool:
        """Whether a higher label means an easier (a better) document."""
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
        """1 for labels on the easy side of the threshold, 0 for others, NaN for NaN."""
        if self.threshold is None:
            raise OptionError(
                f"the scale {self} has no threshold, which binary gains need; write for example "
                f"{_EASY_END[self.direction]}:40"
            )
        beyond = labels > self.threshold if self.higher_is_easier else labels < self.threshold
        easy = beyond | ((labels == self.threshold) & self.inclusive)
        return np.where(np.isnan(labels), np.nan, easy.astype(np.float64))

    def graded(self, labels: Floats) -> Floats:
        """The gain of each label, by the table of gains or else linear between the ends."""
        if self.gains is not None:
            grades = np.array(sorted(self.gains))
            gains = np.array([self.gains[grade] for grade in grades.tolist()])
            places = np.minimum(np.searchsorted(grades, labels), len(grades) - 1)
            return np.where(grades[places] == labels, gains[places], np.nan)
        if self.low is None or self.high is None:
            raise OptionError(
                f"graded gains need a table of gains (0:0,1:.4,2:.8,3:1) or the ends of the scale "
                f"({self}:0..100)"
            )
        share = (labels - self.low) / (self.high - self.low)
        return share if self.higher_is_easier else 1 - share

    def check(self, labels: Labels) -> None:
        """Raise `InputError` where a label is outside what the scale declares."""
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
    """Raise `InputError` for the first of the labels that are wrong."""
    if wrong.any():
        line = int(np.argmax(wrong))
        raise InputError(f"{labels.where(line)}: label {labels.values[line]:g} {why}")


def parse_scale(text: str) -> Scale:
    """The scale that a text states.

    ``lower-easier:40`` means understandable below 40, ``lower-easier:<=40`` at most 40,
    ``higher-easier:2`` means 2 and above, ``higher-easier:>2`` above 2. The ends of the scale
    may follow (``lower-easier:40:0..100``); the threshold may be absent where gains are graded
    or come from a user model.

    >>> str(parse_scale("higher-easier:2"))
    'higher-easier:2'
    """
    found = re.fullmatch(
        r"([^:]*)(?::([<>]=?)?((?:(?!\.\.)[^:])+))?(?::([^:]+?)\.\.([^:]+))?", text.strip()
    )
    word = text.strip().partition(":")[0]
    if word not in WORDS:
        raise OptionError(
            f"{text!r} does not state whether lower or higher labels are easier; {_FORM}"
        )
    if found is None:
        raise OptionError(f"{text!r} is not a scale; {_FORM}")
    _, sign, *numbers = found.groups()
    threshold, low, high = (None if n is None else _number(n, text) for n in numbers)
    scale = Scale(WORDS[word], threshold, low=low, high=high)
    if sign and (sign[0] == ">") != scale.higher_is_easier:
        raise OptionError(f"{sign} goes against {_EASY_END[scale.direction]} in {text!r}; {_FORM}")
    if low is not None and high is not None and low >= high:
        raise OptionError(f"the scale {text!r} has its ends the wrong way round; {_FORM}")
    # Higher scales include their threshold unless told otherwise, lower ones do not.
    return replace(scale, inclusive=sign.endswith("=") if sign else scale.higher_is_easier)


def parse_gains(text: str) -> dict[float, float]:
    """A table of gains, grade by grade.

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
