"""Tables on a terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# A table with more columns is turned on its side: a row for each column, a column for each of a
# few rows.
_MOST_COLUMNS = 12
_MOST_TURNED = 6


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> None:
    """A table of texts: the first columns (`texts`) to the left, the others to the right."""
    _print([(column, place >= texts) for place, column in enumerate(columns)], rows)


def show(rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> None:
    """Rows of values; `shown` are their columns and the headings of these."""
    if len(shown) > _MOST_COLUMNS:
        rows, shown = _turned(rows[:_MOST_TURNED], shown)
    headings = [
        (heading, any(isinstance(row[name], int | float) for row in rows))
        for name, heading in shown.items()
    ]
    _print(headings, ([_cell(row[name]) for name in shown] for row in rows))


def _print(headings: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]]) -> None:
    """Columns by their headings, each with whether it holds numbers, and rows of cells."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, numeric in headings:
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Where nobody looks at a terminal, nothing is folded to its width.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 1000)
    console.print(table)


def _turned(
    rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    first, *others = shown
    headings = {str(index): str(row[first]) for index, row in enumerate(rows)}
    turned = [
        {first: shown[name], **{str(index): row[name] for index, row in enumerate(rows)}}
        for name in others
    ]
    return turned, {first: "", **headings}


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return "-" if value is None else str(value)
