"""The direction of a scale: whether high values or low values are hard to understand.

All tables, options and files state it with the words in `WORDS`.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Self

from understandability.errors import OptionError


class Direction(StrEnum):
    """Whether a higher value means a text that is harder or easier to understand.

    >>> Direction.of("lower-easier")
    <Direction.HARDER: 'higher-harder'>
    >>> Direction.EASIER.sign
    -1
    """

    HARDER = "higher-harder"
    EASIER = "higher-easier"

    @classmethod
    def of(cls, text: str | Self, where: str = "") -> Self:
        """Return the direction for a word such as ``higher-harder``; raise `OptionError` for other
        words.

        `WORDS` lists the accepted words. `where` says in the error what the direction belongs to.
        """
        value = WORDS.get(text)
        if value is None:
            raise OptionError(
                f"{where or 'the direction'} {text!r} does not say whether higher or lower values "
                f"are harder to understand; write one of {', '.join(WORDS)}"
            )
        return cls(value)

    @property
    def sign(self) -> int:
        """1 if higher values are harder, -1 if they are easier; values times this are higher for
        harder texts.
        """
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
