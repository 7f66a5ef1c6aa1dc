"""Results as tables: pandas frames, LaTeX (booktabs), Markdown, CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from understandability.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "†": r"$^{\dagger}$",
    "⋄": r"$^{\diamond}$",
    "τ": r"$\tau$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of one kind of result, with a note below them.

    `marks` are signs behind single cells and `best` the cells in bold, each by the number of the
    row and the name of the column; `digits` are those of numbers.

    >>> table = ResultTable(("run", "RBP"), (("mine", 0.25),))
    >>> print(table.to_markdown())
    | run | RBP |
    |---|---:|
    | mine | 0.2500 |
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    marks: Mapping[tuple[int, str], str] = field(default_factory=dict)
    best: frozenset[tuple[int, str]] = frozenset()
    note: str = ""
    digits: int = 4

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a frame of pandas, numbers unrounded and without marks."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("frames need pandas: pip install pandas") from None
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))

    def to_markdown(self) -> str:
        """A Markdown table; the best of a column is bold."""
        head = " | ".join(map(_markdown, self.columns))
        rule = "|".join("---:" if each else "---" for each in self._numeric())
        rows = [
            " | ".join(f"**{cell}**" if bold else cell for cell, bold in row)
            for row in self.cells(_markdown)
        ]
        lines = [f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows)]
        return "\n".join([*lines, "", self.note] if self.note else lines)

    def to_latex(self) -> str:
        """A LaTeX ``tabular`` with the rules of booktabs; the best of a column is bold."""
        kinds = "".join("r" if each else "l" for each in self._numeric())
        rows = [
            " & ".join(rf"\textbf{{{cell}}}" if bold else cell for cell, bold in row) + r" \\"
            for row in self.cells(_latex)
        ]
        head = " & ".join(map(_latex, self.columns)) + r" \\"
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, "", _latex(self.note)] if self.note else lines)

    def to_csv(self) -> str:
        """Lines of values with commas between them, numbers unrounded and without marks."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        return text.getvalue()

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _numeric(self) -> list[bool]:
        return [
            any(isinstance(row[place], int | float) for row in self.rows)
            for place in range(len(self.columns))
        ]

    def cells(self, escape: Callable[[str], str] = str) -> list[list[tuple[str, bool]]]:
        """The text of each cell with its marks, and whether it is the best of its column."""
        return [
            [
                (
                    escape(self._text(value) + self.marks.get((place, column), "")),
                    (place, column) in self.best,
                )
                for column, value in zip(self.columns, row, strict=True)
            ]
            for place, row in enumerate(self.rows)
        ]

    def _text(self, value: Any) -> str:
        if isinstance(value, float):
            return "-" if math.isnan(value) else f"{value:.{self.digits}f}"
        return str(value)


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(letter, letter) for letter in text)
    return re.sub(r"\}\$\$\^\{", "", escaped)  # two marks are one exponent


def _markdown(text: str) -> str:
    return text.replace("|", "\\|")


class Tabular:
    """A result that its `table` shows: as a frame, Markdown or LaTeX, with the table's options."""

    __slots__ = ()

    def table(self, *, digits: int = 4) -> ResultTable:
        """The rows of the result."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The table as at a prompt: its Markdown."""
        return self.to_markdown()

    def to_pandas(self, *which: Any, **how: Any) -> pd.DataFrame:
        """The table as a frame; options are those of `table`."""
        return self.table(*which, **how).to_pandas()

    def to_markdown(self, *which: Any, **how: Any) -> str:
        """The table as Markdown; options are those of `table`."""
        return self.table(*which, **how).to_markdown()

    def to_latex(self, *which: Any, **how: Any) -> str:
        """The table as LaTeX; options are those of `table`."""
        return self.table(*which, **how).to_latex()
