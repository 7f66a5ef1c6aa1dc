"""Shared by all views: output options, remarks, tables on the terminal, and files of results."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from understandability.errors import check_choice, shortened
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

MOST_NAMED = 20  # items of a long list that a message names
_BY_SUFFIX = {".json": "json", ".eval": "trec_eval", ".tex": "latex", ".md": "markdown"}
_ROW_FORMATS = ("csv", "tsv", "jsonl", "parquet")
# A table with more columns is transposed: a line for each column, and only a few of its rows.
_MOST_COLUMNS = 12
_MOST_TRANSPOSED = 6


_silent = False


def set_silent(is_silent: bool) -> None:
    """Hide (or show again) the remarks that `say` prints, until the next command starts."""
    global _silent
    _silent = is_silent


def say(text: str) -> None:
    """Print a remark to standard error."""
    if not _silent:
        print(shortened(text), file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Out:
    """The output options of a command: a table on the terminal, or a file.

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
        """True if the terminal shows a table, even when the result is also written to a file."""
        return self.output != "-" and self.form is None

    def write(
        self,
        document: Mapping[str, Any],
        rows: Callable[[], Sequence[Mapping[str, Any]]],
        table: Callable[[], ResultTable] | None = None,
        lines: Callable[[], str] | None = None,
    ) -> None:
        """Write the result to the output file, if there is one.

        The format is `form`, or follows from the suffix. Each format is written from another
        argument: JSON from `document`, which includes the conventions or settings; CSV, TSV, JSON
        Lines and Parquet from `rows`; LaTeX and Markdown from `table`; trec_eval from `lines`.
        """
        if self.output is None and self.form is None:
            return
        destination = self.output or "-"
        suffix = Path(destination).suffix
        format_ = self.form or ("json" if destination == "-" else _BY_SUFFIX.get(suffix))
        plain = plain_data(document)
        texts = {"json": lambda: json.dumps(plain, indent=1, ensure_ascii=False) + "\n"}
        if lines:
            texts["trec_eval"] = lines
        if table:
            texts["latex"] = lambda: f"{table().to_latex(split=self.split)}\n"
            texts["markdown"] = lambda: f"{table().to_markdown()}\n"
        if format_ in texts:
            from understandability.inputs.writing import write_text

            write_text(destination, texts[format_]())
        else:
            if format_ is not None:
                check_choice("format", format_, (*texts, *_ROW_FORMATS))
            import pyarrow as pa

            from understandability.inputs.tables import TableWriter

            settings = plain.get("conventions") or plain.get("settings")
            with TableWriter(destination, settings=settings, piped_as=format_ or "jsonl") as writer:
                writer.write(pa.Table.from_pylist([dict(row) for row in rows()]))


def check_destination(destination: str | None) -> None:
    """Raise an error before a long computation if `Out.write` could not write to this path."""
    from understandability.inputs.writing import check_folder

    if destination is None or destination == "-":
        return
    if Path(destination).suffix not in _BY_SUFFIX:
        from understandability.errors import OptionError
        from understandability.inputs.tables import table_format

        try:
            table_format(destination)
        except OptionError:
            raise OptionError(
                f"{destination} is not in a supported format; write .json, .tex (LaTeX), .md "
                "(Markdown), .jsonl, .csv, .tsv (also with .gz or .zst), .parquet, or - for JSON "
                "on standard output"
            ) from None
    check_folder(destination)


def with_first_names(label: str, docnos: Sequence[str], limit: int = 3) -> str:
    """Format a label with a count of documents and the first few docnos.

    >>> with_first_names("without a label", ["d1", "d2"])
    'without a label: 2 (d1, d2)'
    """
    more = ", ..." if len(docnos) > limit else ""
    return f"{label}: {len(docnos)} ({', '.join(docnos[:limit])}{more})"


def show_table(table: ResultTable) -> None:
    """Print a table; if it has two or more rows, a star marks the best value of each column."""
    starred = bool(table.best) and len(table.rows) > 1
    rows = [
        [
            cell + (("*" if best else " ") if starred and column >= table.texts else "")
            for column, (cell, best) in enumerate(row)
        ]
        for row in table.cells()
    ]
    print_table(table.columns, rows, table.texts)
    if starred:
        print("* is the best of its column")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> None:
    """Print a table of cells; the first `texts` columns are aligned left, the others right."""
    _print([(column, index >= texts) for index, column in enumerate(columns)], rows)


def show(rows: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> None:
    """Print rows of values as a table; `headings` maps each column to show to its heading."""
    if len(headings) > _MOST_COLUMNS:
        rows = rows[:_MOST_TRANSPOSED]
        first, *names = headings
        titles = {str(index): str(row[first]) for index, row in enumerate(rows)}
        rows = [
            {first: headings[name], **{str(index): row[name] for index, row in enumerate(rows)}}
            for name in names
        ]
        headings = {first: "", **titles}
    columns = [
        (heading, any(isinstance(row[name], int | float) for row in rows))
        for name, heading in headings.items()
    ]
    _print(columns, ([_cell(row[name]) for name in headings] for row in rows))


def _print(columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]]) -> None:
    """Print a table of cells; `columns` pairs each heading with True if its column is
    right-aligned.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, numeric in columns:
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Text for a file or a pipe is not wrapped to the width of a terminal.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 1000)
    console.print(table)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return "-" if value is None else str(value)
