"""The direction of a scale: the end that is hard to understand, stated once and in one form."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Self

from understandability.errors import OptionError


class Direction(StrEnum):
    """The meaning of a higher value: a text that is harder or easier to understand.

    >>> Direction.of("lower-easier")
    <Direction.HARDER: 'higher-harder'>
    >>> Direction.EASIER.sign
    -1
    """

    HARDER = "higher-harder"
    EASIER = "higher-easier"

    @classmethod
    def of(cls, text: str | Self, where: str = "") -> Self:
        """Return the direction that a word states (`WORDS`); raise `OptionError` for other words.

        `where` names the thing with the direction, for the error.
        """
        found = WORDS.get(text)
        if found is None:
            raise OptionError(
                f"{where or 'the direction'} {text!r} does not say whether higher or lower values "
                f"are harder to understand; write one of {', '.join(WORDS)}"
            )
        return cls(found)

    @property
    def sign(self) -> int:
        """The factor (1 or -1) that turns values so that higher is harder."""
        return 1 if self is Direction.HARDER else -1


# All words that state a direction. "Better" is for labels of other dimensions, such as trust.
WORDS = MappingProxyType(
    {
        "higher-harder": Direction.HARDER,
        "lower-harder": Direction.EASIER,
        "higher-easier": Direction.EASIER,
        "lower-easier": Direction.HARDER,
        "higher-better": Direction.EASIER,
        "lower-better": Direction.HARDER,
        "harder": Direction.HARDER,
        "easier": Direction.EASIER,
    }
)
