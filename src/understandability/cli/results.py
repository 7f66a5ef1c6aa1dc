"""Common parts of views: options, remarks, tables on a terminal, results in files."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from understandability.errors import OptionError, shortened
from understandability.wording import plain_data

if TYPE_CHECKING:
    from understandability.evaluation.result_table import ResultTable

Quiet = Annotated[bool, Parameter(("--quiet", "-q"), help="Show no progress and no remarks.")]
Strict = Annotated[
    bool,
    Parameter(
        help="End with status 1 if any document failed or any file of a folder was not read."
    ),
]
StrictRuns = Annotated[
    bool,
    Parameter(help="Refuse a run with anything unusual, such as a document listed twice."),
]
LimitMb = Annotated[
    float, Parameter(help="Longest document, in MB once decoded; longer ones become errors.")
]
File = Annotated[str, Parameter(("--output", "-o"), metavar="FILE")]
RunFile = Annotated[
    str,
    Parameter(
        ("--output", "-o"),
        metavar="FILE",
        help="The new TREC run, also .gz; - is standard output.",
    ),
]
ResultFile = Annotated[
    str | None,
    Parameter(
        ("--output", "-o"),
        metavar="FILE",
        help="Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX) or .md (Markdown); - is "
        "JSON on standard output.",
    ),
]
OtherFile = Annotated[str | None, Parameter(metavar="FILE")]

MOST_NAMED = 20  # of what may be many
_BY_SUFFIX = {".json": "json", ".eval": "trec_eval", ".tex": "latex", ".md": "markdown"}
_ROW_FORMATS = ("csv", "tsv", "jsonl", "parquet")
# A table with more columns is turned on its side: a row for each column, a column for each of a
# few rows.
_MOST_COLUMNS = 12
_MOST_TURNED = 6


_silent = False


def set_silent(is_silent: bool) -> None:
    """Hide or show the remarks of `say`, until the next command."""
    global _silent
    _silent = is_silent


def say(text: str) -> None:
    """Print a remark to standard error."""
    if not _silent:
        print(shortened(text), file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Out:
    """The destination of a result: the terminal, as a table, or a file.

    Args:
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX) or .md (Markdown); - is
            JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex or markdown. Default: by
            suffix.
        split: LaTeX: several tables that fit a page, instead of one.
    """

    output: Annotated[str | None, Parameter(("--output", "-o"), metavar="FILE")] = None
    form: Annotated[str | None, Parameter("--format", metavar="FORMAT")] = None
    split: bool = False

    @property
    def shows(self) -> bool:
        """True if the terminal shows a table in addition to the file."""
        return self.output != "-" and self.form is None

    def write(
        self,
        document: Mapping[str, Any],
        rows: Callable[[], Sequence[Mapping[str, Any]]],
        table: Callable[[], ResultTable] | None = None,
        lines: Callable[[], str] | None = None,
    ) -> None:
        """Write the result, where that was asked for, in the format stated or of the suffix.

        `document` is the JSON form, with the conventions or settings, `rows` the form of tables,
        `lines` that of trec_eval and `table` that of LaTeX and Markdown.
        """
        if self.output is None and self.form is None:
            return
        destination = self.output or "-"
        suffix = Path(destination).suffix
        kind = self.form or ("json" if destination == "-" else _BY_SUFFIX.get(suffix))
        plain = plain_data(document)
        texts = {"json": lambda: json.dumps(plain, indent=1, ensure_ascii=False) + "\n"}
        if lines:
            texts["trec_eval"] = lines
        if table:
            texts["latex"] = lambda: f"{table().to_latex(split=self.split)}\n"
            texts["markdown"] = lambda: f"{table().to_markdown()}\n"
        if kind in texts:
            from understandability.inputs.writing import write_text

            write_text(destination, texts[kind]())
        elif kind is not None and kind not in _ROW_FORMATS:
            formats = ", ".join([*texts, *_ROW_FORMATS])
            raise OptionError(f"there is no format {kind!r} here; choose one of {formats}")
        else:
            import pyarrow as pa

            from understandability.inputs.tables import TableWriter

            settings = plain.get("conventions") or plain.get("settings")
            with TableWriter(destination, settings=settings, piped_as=kind or "jsonl") as writer:
                writer.write(pa.Table.from_pylist([dict(row) for row in rows()]))


def check_destination(destination: str | None) -> None:
    """Raise what `Out.write` would, before there is a result to write."""
    from understandability.inputs.writing import check_folder

    if destination is None or destination == "-":
        return
    if Path(destination).suffix not in _BY_SUFFIX:
        from understandability.inputs.tables import table_format

        table_format(destination)
    check_folder(destination)


def with_first_names(what: str, docnos: Sequence[str], shown: int = 3) -> str:
    """How many documents there are of a kind, and the names of the first.

    >>> with_first_names("without a label", ["d1", "d2"])
    'without a label: 2 (d1, d2)'
    """
    more = ", ..." if len(docnos) > shown else ""
    return f"{what}: {len(docnos)} ({', '.join(docnos[:shown])}{more})"


def show_table(table: ResultTable) -> None:
    """A result on the terminal; the best of a column of two or more rows carries a star."""
    starred = bool(table.best) and len(table.rows) > 1
    rows = [
        [
            cell + (("*" if best else " ") if starred and place >= table.texts else "")
            for place, (cell, best) in enumerate(row)
        ]
        for row in table.cells()
    ]
    print_table(table.columns, rows, table.texts)
    if starred:
        print("* is the best of its column")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> None:
    """A table of texts: the first columns (`texts`) to the left, the others to the right."""
    _print([(column, place >= texts) for place, column in enumerate(columns)], rows)


def show(rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> None:
    """Rows of values; `shown` are their columns and the headings of these."""
    if len(shown) > _MOST_COLUMNS:
        rows = rows[:_MOST_TURNED]
        first, *others = shown
        turned = {str(place): str(row[first]) for place, row in enumerate(rows)}
        rows = [
            {first: shown[name], **{str(place): row[name] for place, row in enumerate(rows)}}
            for name in others
        ]
        shown = {first: "", **turned}
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


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return "-" if value is None else str(value)
