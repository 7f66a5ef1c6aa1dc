"""Records with named columns, as people have labels and answers: files of any kind, or frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from understandability.errors import InputError, in_one_line
from understandability.inputs.frames import table_of
from understandability.inputs.jsonl import read_objects
from understandability.inputs.streams import DamagedStreamError, open_stream
from understandability.inputs.tables import read_table, table_format

_LONGEST_CELL = 100_000_000


def read_records(given: Any) -> list[dict[str, Any]]:
    """The records of a path (JSON Lines, CSV, TSV, Parquet; .gz, .zst) or of a frame.

    A frame is one of pandas, polars or Arrow, or a dictionary of lists. Cells of text tables are
    text, and None where they are empty. Raises `InputError` at the first that is damaged.

    >>> read_records({"id": ["a"], "label": [3]})
    [{'id': 'a', 'label': 3}]
    """
    if not isinstance(given, str | Path):
        records: list[dict[str, Any]] = table_of(given, "table of records").to_pylist()
        return records
    path = str(given)
    kind, _ = table_format(path)
    if kind == "jsonl":
        return list(read_objects(path))
    if kind == "parquet":
        rows: list[dict[str, Any]] = read_table(path).to_pylist()
        return rows
    return list(_delimited(path, "," if kind == "csv" else "\t"))


def _delimited(path: str, delimiter: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(_LONGEST_CELL)
    with open_stream(path) as stream:
        rows = csv.reader(
            io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), delimiter=delimiter
        )
        try:
            names = next(rows, [])
            for row in rows:
                if row and len(row) != len(names):
                    raise InputError(
                        f"{path}, line {rows.line_num} has {len(row)} cells, and the line of "
                        f"headings {len(names)}"
                    )
                if row:
                    yield {name: cell or None for name, cell in zip(names, row, strict=True)}
        except (csv.Error, UnicodeDecodeError, DamagedStreamError) as error:
            raise InputError(
                f"{path} cannot be read as UTF-8 text with {delimiter!r} between cells; the "
                f"trouble starts at line {rows.line_num + 1}: {in_one_line(error)}"
            ) from error
