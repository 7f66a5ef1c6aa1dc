"""Results to files: one JSON document, rows, lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability.cli.tables import print_table
from understandability.errors import InputError, OptionError

if TYPE_CHECKING:
    from understandability.evaluation.result_table import ResultTable

_BY_SUFFIX = {".json": "json", ".eval": "trec_eval", ".tex": "latex", ".md": "markdown"}
_ROW_FORMATS = ("csv", "tsv", "jsonl", "parquet")


def write_result(
    destination: str,
    document: Mapping[str, Any],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    *,
    lines: Callable[[], str] | None = None,
    table: Callable[[], ResultTable] | None = None,
    stated: str | None = None,
    header: str = "settings",
) -> None:
    """Write a result in the format that is stated, or that the suffix names; ``-`` is JSON.

    `document` is the JSON form and holds the `header`, `rows` the form of tables, `lines` that
    of trec_eval and `table` that of LaTeX and Markdown where there is one.
    """
    kind = stated or ("json" if destination == "-" else _BY_SUFFIX.get(Path(destination).suffix))
    formats = ("json", *_ROW_FORMATS, *(("trec_eval",) if lines else ()))
    formats += ("latex", "markdown") if table else ()
    if kind is not None and kind not in formats:
        raise OptionError(f"there is no format {kind!r} here; choose one of {', '.join(formats)}")
    if kind == "json":
        _write_text(destination, json.dumps(_finite(document), indent=1, ensure_ascii=False) + "\n")
    elif kind == "trec_eval" and lines is not None:
        _write_text(destination, lines())
    elif kind == "latex" and table is not None:
        _write_text(destination, table().to_latex() + "\n")
    elif kind == "markdown" and table is not None:
        _write_text(destination, table().to_markdown() + "\n")
    else:
        import pyarrow as pa

        from understandability.inputs.tables import TableWriter

        settings = _finite(document[header])
        with TableWriter(destination, settings=settings, piped_as=kind or "jsonl") as writer:
            writer.write(pa.Table.from_pylist([dict(row) for row in rows()]))


def check_destination(destination: str | None) -> None:
    """Raise what `write_result` would, before there is a result to write."""
    if destination is None or destination == "-":
        return
    if Path(destination).suffix not in _BY_SUFFIX:
        from understandability.inputs.tables import table_format

        table_format(destination)
    check_folder(destination)


def check_folder(destination: str) -> None:
    """Raise `InputError` where the folder of a file to write is not there."""
    if not Path(destination).absolute().parent.is_dir():
        raise InputError(
            f"{destination} cannot be written: its folder does not exist; make it first"
        )


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


def with_first_names(what: str, docnos: Sequence[str], shown: int = 3) -> str:
    """How many documents there are of a kind, and the names of the first.

    >>> with_first_names("without a label", ["d1", "d2"])
    'without a label: 2 (d1, d2)'
    """
    more = ", ..." if len(docnos) > shown else ""
    return f"{what}: {len(docnos)} ({', '.join(docnos[:shown])}{more})"


def _write_text(destination: str, text: str) -> None:
    from understandability.inputs.writing import write_text

    if destination == "-":
        print(text, end="")
    else:
        write_text(destination, text)


def _finite(value: Any) -> Any:
    """The value with None for every NaN and infinity: JSON has neither."""
    from understandability.inputs.tables import finite

    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return finite(value) if isinstance(value, float) else value
