"""Parse labels as people write them: numbers, percentages, yes and no, CEFR levels, words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Literal

_MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", "–", "?", ".", "missing"}
_YES_NO = {"yes": 1.0, "y": 1.0, "true": 1.0, "no": 0.0, "n": 0.0, "false": 0.0}
_CEFR = {f"{letter}{half}": 2.0 * i + half for i, letter in enumerate("abc") for half in (1, 2)}
_CEFR |= {f"{level}+": number + 0.5 for level, number in _CEFR.items()}
# A comma is a decimal point, as in 3,5; 1,500 could be either, and is refused.
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,(\d{1,2}|\d{4,})")
_MOST_WORDS = 7


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING


class LabelReader:
    """Converts the labels of one table to numbers, and remembers the word for each number.

    `order` lists labels that are words from the easiest to the hardest; they become 1, 2, 3 …
    Without it, CEFR levels become 1 (A1) to 6 (C2), with a half for a plus: A2+ becomes 2.5. Yes
    becomes 1, and no 0. Percent signs are dropped: 85 % is 85. `read` returns `MISSING` for an
    empty label such as NA, and None for one that it cannot convert.

    >>> reader = LabelReader(("easy", "hard"))
    >>> reader.read("Hard"), reader.read("NA") is MISSING, reader.read("odd")
    (2.0, True, None)
    >>> LabelReader(()).read("B2"), LabelReader(()).read("1 %"), LabelReader(()).read("3,5")
    (4.0, 1.0, 3.5)
    """

    def __init__(self, order: Sequence[str]) -> None:
        self._order = {word.casefold(): float(i) for i, word in enumerate(order, 1)}
        self._names = {float(i): word for i, word in enumerate(order, 1)}
        self._words: dict[float, str] = {}
        self._unknown: dict[str, None] = {}
        self._numbers = self._levels = 0

    @property
    def words(self) -> dict[float, str]:
        """The words read so far, by their number in ascending order."""
        return dict(sorted(self._words.items()))

    @property
    def is_cefr(self) -> bool:
        """True if all labels read so far are CEFR levels."""
        return self._levels > 0 and not self._numbers

    def read(self, cell: Any) -> float | Literal[_Missing.MISSING] | None:
        """Return the number of a label, `MISSING` for an empty cell, None if it cannot be read."""
        if cell is None or cell != cell:
            return MISSING
        if isinstance(cell, bool):
            return self._word(float(cell), "yes" if cell else "no")
        text = " ".join(str(cell).split())
        folded = text.casefold()
        if self._order:
            if folded in self._order:
                number = self._order[folded]
                return self._word(number, self._names[number])
            return MISSING if folded in _MISSING else None
        if folded in _MISSING:
            return MISSING
        if folded in _CEFR:
            self._levels += 1
            self._words[_CEFR[folded]] = text.upper()
            return _CEFR[folded]
        if folded in _YES_NO:
            return self._word(_YES_NO[folded], text)
        self._numbers += 1
        return _number(cell if isinstance(cell, int | float) else folded.removesuffix("%").strip())

    def refusal(self, cell: Any) -> str:
        """Return the end of the error message for a label that cannot be read."""
        label = repr(str(cell)[:40])
        if self._order:
            return f"{label}, not one of {', '.join(self._names.values())} (--order, order=)"
        advice = ""
        if isinstance(cell, str) and any(map(str.isalpha, cell)):
            advice = (
                "; if labels are words, list them from the easiest to the hardest, such as "
                "--order easy,medium,hard (order=)"
            )
        return f"{label}, not a number{advice}"

    def _word(self, number: float, word: str) -> float:
        self._numbers += 1
        self._words.setdefault(number, word)
        return number


def _number(value: int | float | str) -> float | None:
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
        value = value.replace(",", ".")
    if isinstance(value, str) and "_" in value:  # float() reads 1_000
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) != float("inf") else None
