"""Tables of results, which can be shown as pandas data frames, LaTeX (booktabs) or Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

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

# Widths in points: the widest table that is not split (a line of `article` has 345), a column of a
# page of two columns, and the space between the columns of a table.
_WIDEST, _PAGE_COLUMN, _BETWEEN = 400.0, 229.0, 12.0
# Shrinks a table to the width of the line.
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of one result, with a caption above and a note below them.

    Args:
        columns: The names of the columns.
        rows: The cells: numbers, texts, None.
        marks: Signs to print after cells, by the index of the row and the name of the column.
        best: The cells to print in bold, by the index of the row and the name of the column.
        note: What the marks mean.
        digits: Decimal places of numbers.
        texts: How many columns, from the first, are left-aligned on a terminal.
        heads: For LaTeX, the common heading of a group of columns, and the column's own heading.
        caption: The conventions of the numbers, for LaTeX and Markdown.
        subheads: How many columns, from the first, are subheadings above their rows in LaTeX. None:
            only those of a table that is too wide.

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
    heads: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    caption: str = ""
    subheads: int | None = None

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a frame of pandas, with unrounded numbers and without marks."""
        with needing("frames need pandas", ".[pandas]"):
            import pandas
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))

    def to_markdown(self) -> str:
        """Return a Markdown table, with the best of a column in bold."""
        head = " | ".join(map(_markdown, self.columns))
        rule = "|".join("---:" if numeric else "---" for numeric in self._numeric())
        rows = [
            " | ".join(f"**{cell}**" if bold else cell for cell, bold in row)
            for row in self.cells(_markdown)
        ]
        lines = [f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows)]
        text = " ".join(filter(None, [self.note, self.caption]))
        return "\n".join([*lines, "", text] if text else lines)

    def to_latex(self, *, split: bool = False) -> str:
        """Return a LaTeX table with the rules of booktabs, and the best of a column in bold.

        The table is one float with one tabular. Its caption states the conventions and explains the
        marks. A table wider than the line is made to fit, which requires graphicx; a very wide one
        is a ``table*``, as wide as the page. With `split`, a wide table becomes several tabulars
        below each other, without a float.
        """
        cells = self.cells()
        columns = zip(self.columns, *([cell for cell, _ in row] for row in cells), strict=True)
        widths = [
            _BETWEEN + max(map(_points, [self._own_head(name), *column]))
            for name, *column in columns
        ]
        names = list(range(self._name_columns()))
        above: list[int] = []  # name columns with few different texts: they become subheadings
        if self.subheads is not None:
            names = list(range(max(len(names), self.subheads + 1)))
            above, names = names[: self.subheads], names[self.subheads :]
        elif sum(widths) > _WIDEST < 2 * sum(widths[index] for index in names):
            longest = max(names, key=lambda index: len({row[index][0] for row in cells}))
            above, names = [index for index in names if index != longest], [longest]
        first = len(names) + len(above)
        blocks = [[*names, *range(first, len(widths))]]
        if split:
            blocks = _split(names, range(first, len(widths)), widths)
        parts = []
        for block in blocks:
            text = self._tabular(block, above)
            if sum(widths[index] for index in block) > _PAGE_COLUMN:
                text = f"{_FIT}{{%\n{text}}}"
            parts.append(text)
        caption = _latex(" ".join(filter(None, [self.caption, self.note])))
        caption = caption.replace(r"\_", r"\_\allowbreak{}")
        if split:
            return "\n\n".join(
                [*(f"\\noindent\n{part}" for part in parts), *filter(None, [caption])]
            )
        wide = sum(widths[index] for index in blocks[0]) > 2 * _PAGE_COLUMN
        environment = "table*" if wide else "table"
        lines = [rf"\begin{{{environment}}}", r"\centering"]
        lines += [rf"\caption{{{caption}}}"] if caption else []
        return "\n".join([*lines, parts[0], rf"\end{{{environment}}}"])

    def _own_head(self, column: str) -> str:
        return self.heads.get(column, ("", column))[1]

    def _name_columns(self) -> int:
        """The number of columns, from the first, whose values identify a row."""
        for count in range(1, len(self.columns)):
            if len({row[:count] for row in self.rows}) == len(self.rows):
                return count
        return 1

    def _tabular(self, indices: Sequence[int], above: Sequence[int]) -> str:
        """Return a LaTeX tabular of some columns; the columns `above` become subheadings."""
        numeric = self._numeric()
        alignment = "".join("r" if numeric[index] else "l" for index in indices)
        columns = [self.columns[index] for index in indices]
        head = " & ".join(_latex(self._own_head(column)) for column in columns)
        lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
        lines += self._group_heads(columns)
        lines += [rf"{head} \\", r"\midrule"]
        before = ""
        for row in self.cells(_latex):
            title = ", ".join(row[index][0] for index in above)
            if title != before:
                lines.append(rf"\multicolumn{{{len(indices)}}}{{l}}{{\emph{{{title}}}}} \\")
                before = title
            cells = [rf"\textbf{{{cell}}}" if bold else cell for cell, bold in row]
            lines.append(" & ".join(cells[index] for index in indices) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def _group_heads(self, columns: Sequence[str]) -> list[str]:
        """Return the LaTeX line of common headings above groups of columns, with rules below
        them.
        """
        cells, rules, start = [], [], 1
        for group, members in groupby(columns, key=lambda name: self.heads.get(name, ("", ""))[0]):
            width = len(list(members))
            if group:
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_latex(group)}}}")
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            else:
                cells += [""] * width
            start += width
        return [" & ".join(cells) + r" \\", " ".join(rules)] if rules else []

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _numeric(self) -> list[bool]:
        return [
            any(isinstance(row[index], int | float) for row in self.rows)
            for index in range(len(self.columns))
        ]

    def cells(self, escape: Callable[[str], str] = str) -> list[list[tuple[str, bool]]]:
        """Return for each cell its text with its mark, and True if it is the best of its column.

        `escape` is applied to texts.
        """
        return [
            [
                (
                    escape(self._text(value)) + self._mark(index, column, escape),
                    (index, column) in self.best,
                )
                for column, value in zip(self.columns, row, strict=True)
            ]
            for index, row in enumerate(self.rows)
        ]

    def _mark(self, row: int, column: str, escape: Callable[[str], str]) -> str:
        mark = self.marks.get((row, column), "")
        if escape is _latex and mark.isalnum():  # letters of runs
            return f"$^{{{mark}}}$"
        return escape(f" {mark}" if mark.isalnum() else mark)

    def _text(self, value: Any) -> str:
        if value is None:
            return "-"
        if isinstance(value, float):
            return "-" if math.isnan(value) else f"{value:.{self.digits}f}"
        return str(value)


def _split(names: Sequence[int], others: Sequence[int], widths: Sequence[float]) -> list[list[int]]:
    """Distribute the columns `others` over several tables that fit a page.

    Each table also gets the columns `names`, which identify a row.
    """
    blocks: list[list[int]] = [[*names]]
    for index in others:
        width = sum(widths[column] for column in (*blocks[-1], index))
        if width > _WIDEST and blocks[-1] != [*names]:
            blocks.append([*names])
        blocks[-1].append(index)
    return blocks


def _points(text: str) -> float:
    """Estimate the width of a text, from above, in points of Computer Modern at 10 points."""
    return round(sum(7.8 if c in _BROAD else 2.8 if c in ".,:;'!|il" else 5.3 for c in text), 1)


_BROAD = frozenset("ABCDEFGHKLMNOPQRUVWXYZmw@=+<>±%&")


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(letter, letter) for letter in text)
    return re.sub(r"\}\$\$\^\{", "", escaped)  # two marks are one exponent


def _markdown(text: str) -> str:
    return text.replace("|", "\\|")


class TableOptions(TypedDict, total=False):
    """The options of `Tabular.table`, as keywords."""

    digits: int


class Tabular:
    """A result that can be shown as a table: as a data frame, in Markdown or in LaTeX.

    Subclasses define `table`.
    """

    __slots__ = ()

    def table(self, *, digits: int = 4) -> ResultTable:
        """Return the result as a table; numbers have `digits` decimal places."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column, for files."""
        return self.table().to_dicts()

    def shown(self, **options: Unpack[TableOptions]) -> ResultTable:
        """Return the table for Markdown and LaTeX; accepts the options of `table`."""
        return self.table(**options)

    def __repr__(self) -> str:
        """Show the table in Markdown."""
        return self.to_markdown()

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas data frame with unrounded numbers."""
        return self.table().to_pandas()

    def to_markdown(self, **options: Unpack[TableOptions]) -> str:
        """Return the table in Markdown; accepts the options of `shown`."""
        return self.shown(**options).to_markdown()

    def to_latex(self, *, split: bool = False, **options: Unpack[TableOptions]) -> str:
        """Return the table in LaTeX; accepts the options of `shown` and of
        `ResultTable.to_latex`.
        """
        return self.shown(**options).to_latex(split=split)
