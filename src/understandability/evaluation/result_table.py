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
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of one kind of result, with what to say below them.

    `marks` are signs behind single cells, and `best` the cells in bold, each by the place of the
    row and the name of the column; `note` says what they mean. `digits` are those of numbers.

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
        lines = [[_markdown(column) for column in self.columns]]
        lines.append(["---:" if each else "---" for each in self._numeric()])
        lines += [
            [f"**{cell}**" if bold else cell for cell, bold in row] for row in self.cells(_markdown)
        ]
        text = "\n".join(f"|{'|'.join(line)}|" if n == 1 else f"| {' | '.join(line)} |"
                         for n, line in enumerate(lines))  # fmt: skip
        return f"{text}\n\n{self.note}" if self.note else text

    def to_latex(self) -> str:
        """A LaTeX ``tabular`` with the rules of booktabs; the best of a column is bold."""
        kinds = "".join("r" if each else "l" for each in self._numeric())
        lines = [
            " & ".join(rf"\textbf{{{cell}}}" if bold else cell for cell, bold in row) + r" \\"
            for row in self.cells(_latex)
        ]
        head = " & ".join(_latex(column) for column in self.columns) + r" \\"
        parts = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *lines]
        parts += [r"\bottomrule", r"\end{tabular}"]
        if self.note:
            parts += ["", _latex(self.note)]
        return "\n".join(parts)

    def to_csv(self) -> str:
        """Lines of values with commas between them, numbers unrounded and without marks."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
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
    """A result that is shown by its `table`: the ways out of it, for a class that has one."""

    __slots__ = ()

    def table(self, *, digits: int = 4) -> ResultTable:
        """The rows of the result."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The table as at a prompt: its Markdown."""
        return self.to_markdown()

    def to_pandas(self) -> pd.DataFrame:
        """The table as a frame."""
        return self.table().to_pandas()

    def to_markdown(self, **how: Any) -> str:
        """The table as Markdown; `how` is as in `table`."""
        return self.table(**how).to_markdown()

    def to_latex(self, **how: Any) -> str:
        """The table as LaTeX; `how` is as in `table`."""
        return self.table(**how).to_latex()
