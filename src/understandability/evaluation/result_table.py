"""Results as tables: pandas frames, LaTeX (booktabs), Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from understandability.errors import needing

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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}

# Points of the widest table (a line of `article` has 345), of one of two columns there, of the
# space between the columns of a table; and what shrinks a table to the line that it stands on.
_WIDEST, _COLUMN, _BETWEEN = 400.0, 229.0, 12.0
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of one kind of result, with a note below them.

    `marks` are signs behind single cells and `best` the cells in bold, each by the number of the
    row and the name of the column; `digits` are those of numbers, `texts` how many first columns
    stand to the left on a terminal.

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
    texts: int = 1

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a frame of pandas, numbers unrounded and without marks."""
        with needing("frames need pandas", "pandas"):
            import pandas
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
        """LaTeX with the rules of booktabs; the best of a column is bold.

        A table much wider than a line of `article` becomes several, one below the other. One that
        may be wider than a column of two is made to fit, which takes the package graphicx.
        """
        shown = self.cells()
        columns = zip(self.columns, *([cell for cell, _ in row] for row in shown), strict=True)
        widths = [_BETWEEN + max(map(_points, column)) for column in columns]
        named = list(range(self._named()))
        above: list[int] = []  # of which, what stands in lines of their own
        if sum(widths) > _WIDEST < 2 * sum(widths[place] for place in named):
            most = max(named, key=lambda place: len({row[place][0] for row in shown}))
            above, named = [place for place in named if place != most], [most]
        blocks: list[list[int]] = [[*named]]
        for place in range(len(named) + len(above), len(widths)):
            if sum(widths[each] for each in (*blocks[-1], place)) > _WIDEST and blocks[-1] != named:
                blocks.append([*named])
            blocks[-1].append(place)
        parts = []
        for block in blocks:
            text = self._tabular(block, above)
            if sum(widths[place] for place in block) > _COLUMN:
                text = f"{_FIT}{{%\n{text}}}"
            parts.append(f"\\noindent\n{text}")
        if self.note:
            parts.append(_latex(self.note).replace(r"\_", r"\_\allowbreak{}"))
        return "\n\n".join(parts)

    def _named(self) -> int:
        """How many columns, from the first, it takes to tell the rows apart."""
        for count in range(1, len(self.columns)):
            if len({row[:count] for row in self.rows}) == len(self.rows):
                return count
        return 1

    def _tabular(self, places: Sequence[int], above: Sequence[int]) -> str:
        """Some of the columns; those `above` stand in lines of their own, before their rows."""
        numeric = self._numeric()
        kinds = "".join("r" if numeric[place] else "l" for place in places)
        head = " & ".join(_latex(self.columns[place]) for place in places)
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", rf"{head} \\", r"\midrule"]
        before = ""
        for row in self.cells(_latex):
            title = ", ".join(row[place][0] for place in above)
            if title != before:
                lines.append(rf"\multicolumn{{{len(places)}}}{{l}}{{\emph{{{title}}}}} \\")
                before = title
            cells = (rf"\textbf{{{cell}}}" if bold else cell for cell, bold in row)
            some = {place: cell for place, cell in enumerate(cells) if place in places}
            lines.append(" & ".join(some[place] for place in places) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

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


def _points(text: str) -> float:
    """About how wide a text is in Computer Modern of 10 points, and hardly ever wider."""
    return round(sum(7.8 if c in _BROAD else 2.8 if c in ".,:;'!|il" else 5.3 for c in text), 1)


_BROAD = frozenset("ABCDEFGHKLMNOPQRUVWXYZmw@=+<>±%&")


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

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows for files of rows."""
        return self.table().to_dicts()

    def shown(self, *which: Any, **how: Any) -> ResultTable:
        """The table as Markdown and LaTeX show it; options are those of `table`."""
        return self.table(*which, **how)

    def __repr__(self) -> str:
        """The table as at a prompt: its Markdown."""
        return self.to_markdown()

    def to_pandas(self, *which: Any, **how: Any) -> pd.DataFrame:
        """The table as a frame; options are those of `table`."""
        return self.table(*which, **how).to_pandas()

    def to_markdown(self, *which: Any, **how: Any) -> str:
        """The table as Markdown; options are those of `shown`."""
        return self.shown(*which, **how).to_markdown()

    def to_latex(self, *which: Any, **how: Any) -> str:
        """The table as LaTeX; options are those of `shown`."""
        return self.shown(*which, **how).to_latex()
