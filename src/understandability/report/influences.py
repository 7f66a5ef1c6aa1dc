"""What moved an estimate, in words: "long sentences: harder by 6"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from understandability.models.contributions import Contribution, Contributions

_LEAST_POINTS = 0.5
_ALIKE = 0.05  # of a typical text's value: a difference that no name should make much of

# Theme -> what it is called where its column is above that of a typical text, and where below,
# and how the two read.
_WORDS: Mapping[str, tuple[str, str, str]] = {
    "length of sentences": (
        "long sentences",
        "short sentences",
        "{:.0f} words each, {:.0f} in a typical text",
    ),
    "difficulty of words": (
        "difficult words",
        "familiar words",
        "{:.0%} are off the Dale-Chall list of familiar words, {:.0%} in a typical text",
    ),
    "medical words": (
        "medical words",
        "few medical words",
        "{:.1%} of the words end like a medical term, {:.1%} in a typical text",
    ),
    "readability formulas": (
        "high grades by formulas",
        "low grades by formulas",
        "Flesch-Kincaid {:.0f}, {:.0f} for a typical text",
    ),
}


@dataclass(frozen=True, slots=True)
class Influence:
    """By how many points of difficulty a theme made the page harder (above 0) or easier.

    `wording` says so; `detail` names what can be counted, beside a typical text ('': nothing).
    """

    theme: str
    points: float
    wording: str
    detail: str


def influences(why: Contributions) -> tuple[Influence, ...]:
    """The themes that moved an estimate by half a point or more, the most first.

    >>> part = Contribution("length of sentences", 6.2, own=31.0, typical=18.0)
    >>> found, = influences(Contributions("d", 40.0, 46.2, (part,)))
    >>> found.wording, found.detail
    ('long sentences: harder by 6', '31 words each, 18 in a typical text')
    """
    return tuple(
        Influence(part.theme, part.points, _wording(part), _detail(part))
        for part in why.parts
        if abs(part.points) >= _LEAST_POINTS
    )


def _wording(part: Contribution) -> str:
    direction = "harder" if part.points > 0 else "easier"
    return f"{_name(part)}: {direction} by {math.floor(abs(part.points) + 0.5)}"


def _name(part: Contribution) -> str:
    """A name that says what the text is like, where that agrees with the direction."""
    difference = part.own - part.typical
    if not abs(difference) > _ALIKE * part.typical or difference * part.points < 0:
        return part.theme
    more, less, _ = _WORDS[part.theme]
    return more if difference > 0 else less


def _detail(part: Contribution) -> str:
    if math.isnan(part.own - part.typical):
        return ""
    reading = _WORDS[part.theme][2]
    if reading.format(part.own, 0) == reading.format(part.typical, 0):
        return ""
    return reading.format(part.own, part.typical)
