"""Rows of documents to a file, to standard output or to a terminal, errors beside them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understandability.cli.progress import ProgressLine
from understandability.storage.tables import TableWriter, write_text

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.records import Failure
    from understandability.scoring import Documents

_MOST_SHOWN = 1000
# A table with more columns is turned on its side: a row for each column, a column for each of a
# few rows.
_MOST_COLUMNS = 12
_MOST_TURNED = 6


def write_rows(
    documents: Documents,
    tables: Iterable[pa.Table],
    output: str | None,
    *,
    settings: Mapping[str, Any],
    title: str,
    shown: Mapping[str, str],
    strict: bool,
    quiet: bool,
) -> None:
    """Write the `tables` of rows that come of `documents`, and their failures.

    With an `output` file the failures stand in ``<output>.errors.jsonl``, else on standard
    error. `shown` are the columns of a terminal and their headings, `title` what is above them.
    Ends the command with status 1 where `strict` and there was a failure.
    """
    rows: list[dict[str, Any]] = []
    total = 0
    most = _MOST_SHOWN if len(shown) <= _MOST_COLUMNS else _MOST_TURNED
    with ExitStack() as stack:
        writer = stack.enter_context(TableWriter(output, settings=settings)) if output else None
        progress = stack.enter_context(ProgressLine(quiet))
        for table in tables:
            if writer:
                writer.write(table)
            else:
                rows += table.select(list(shown)).slice(0, most - len(rows)).to_pylist()
            total += table.num_rows
            progress.update(documents.count, len(documents.failures))
    if output is None:
        typer.echo(title)
        show(rows, shown)
        if total > len(rows):
            typer.echo(f"... and {total - len(rows)} more; write them with -o FILE")
    report_failures(documents.failures, output)
    if not quiet:
        if output is not None:
            typer.echo(title, err=True)
        _summarise(documents, output)
    if strict and documents.failures:
        raise typer.Exit(1)


def show(rows: list[dict[str, Any]], shown: Mapping[str, str]) -> None:
    """Print the rows; `shown` are their columns and the headings of these."""
    from rich.console import Console
    from rich.table import Table

    if len(shown) > _MOST_COLUMNS:
        rows, shown = _turned(rows, shown)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, heading in shown.items():
        numeric = any(isinstance(row[name], int | float) for row in rows)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in shown))
    # Where nobody looks at a terminal, nothing is folded to its width.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 1000)
    console.print(table)


def _turned(
    rows: list[dict[str, Any]], shown: Mapping[str, str]
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
    return str(value)


def report_failures(failures: Sequence[Failure], output: str | None) -> None:
    """Write failures beside the output, as ``<output>.errors.jsonl``, or to standard error."""
    if output is None or output == "-":
        for failure in failures:
            typer.echo(f"{failure.source}: {failure.stage}: {failure.error}", err=True)
        return
    errors = _errors_file(output)
    if failures:
        lines = [json.dumps(asdict(failure), ensure_ascii=False) for failure in failures]
        write_text(errors, "\n".join(lines) + "\n")
    else:
        Path(errors).unlink(missing_ok=True)  # of an earlier run


def _errors_file(output: str) -> str:
    return f"{output}.errors.jsonl"


def _summarise(documents: Documents, output: str | None) -> None:
    failures = len(documents.failures)
    where = f" (in {_errors_file(output)})" if output not in (None, "-") and failures else ""
    typer.echo(f"{documents.count} documents, {failures} errors{where}", err=True)
    for kind, count in documents.skipped.most_common():
        typer.echo(f"passed over: {count} {kind}", err=True)
