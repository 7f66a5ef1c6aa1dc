"""Convert data frames (pandas, polars, Arrow, lists) to Arrow tables and back; read records from
files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from understandability.errors import InputError, WrongTypeError, in_one_line
from understandability.inputs.delimited import Dialect, read_delimited
from understandability.inputs.json_files import LineError, read_objects
from understandability.inputs.streams import DamagedStreamError, open_stream
from understandability.inputs.tables import read_table, table_format
from understandability.text.page import Page
from understandability.wording import kind_of

_LONGEST_CELL = 100_000_000  # characters of a cell of CSV


def is_frame(value: object) -> bool:
    """Return True for a table with named columns: pandas, polars, Arrow and similar."""
    return hasattr(value, "columns") or hasattr(value, "column_names")


def table_of(frame: Any, what: str = "table") -> pa.Table:
    """Convert a data frame, or a dictionary of lists, to an Arrow table.

    Any object that exports Arrow data is accepted. Raises `WrongTypeError` for other objects and
    `InputError` for a table that cannot be converted. `what` names the table in the message.
    """
    if isinstance(frame, Mapping) and any(isinstance(v, str | bytes) for v in frame.values()):
        raise WrongTypeError(
            f"the columns of a {what} are lists of values; for a dictionary of texts use score"
        )
    try:
        if isinstance(frame, Mapping):
            return pa.table({str(name): pa.array(values) for name, values in frame.items()})
        if _package(frame) == "pandas" and is_frame(frame):
            return pa.Table.from_pandas(frame, preserve_index=False)
        if hasattr(frame, "to_arrow") and is_frame(frame):  # polars, whose stream has newer types
            return frame.to_arrow()
        if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
            return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"the {what} cannot be read: {in_one_line(error)}; give columns of one length, each "
            "with values of one kind"
        ) from error
    raise WrongTypeError(
        f"a {what} is a frame of pandas, polars or Arrow, or a dictionary of lists, not a "
        f"{type(frame).__name__}"
    )


def texts_in(frame: Any, call: str) -> list[Any]:
    """Return the texts in a data frame: its column ``text``, or its only column.

    Raises `WrongTypeError` if neither exists; `call` names the calling function in the message.
    Callers must not iterate over a frame instead, because pandas then yields the names of columns.

    >>> texts_in(pa.table({"text": ["Rest."], "id": [1]}), "features")
    ['Rest.']
    """
    table = table_of(frame)
    names = table.column_names
    if "text" not in names and len(names) != 1:
        raise WrongTypeError(
            f"{call} takes texts, and this table has no column text; choose one of its columns "
            f"({', '.join(map(str, names))}), as in frame[NAME]"
        )
    texts: list[Any] = table["text" if "text" in names else names[0]].to_pylist()
    return texts


def in_kind_of(like: Any, table: pa.Table) -> Any:
    """Convert an Arrow table to the type of another table, with the index of a pandas frame."""
    if isinstance(like, Mapping):
        return table.to_pydict()
    if isinstance(like, pa.RecordBatch):
        batches = table.combine_chunks().to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
    if _package(like) == "pandas":
        import pandas as pd

        # Numbers that may be missing have one type, whatever rows a batch holds.
        frame = table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
        return frame.set_index(like.index)
    if _package(like) == "polars":
        import polars as pl

        return pl.from_arrow(table)
    return table


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def wrong_type(takes: str, value: object, among: bool = False) -> WrongTypeError:
    """Return the error for an argument of the wrong type.

    `takes` says what the function accepts. `among` is True if `value` is one of several.
    """
    type_name = kind_of(value)
    what = f"; there is {type_name} among what was given" if among else f", not {type_name}"
    return WrongTypeError(f"{takes}{what}; {_call_for(value)}")


def _call_for(value: object) -> str:
    if isinstance(value, bytes):
        return "use score_html for a page"
    if isinstance(value, Page):
        return "put it in a list: score([page])"
    if isinstance(value, Path):
        return "use score for files and folders"
    if is_frame(value):
        return "use score_table, with text= or html= and the name of a column"
    if isinstance(value, list | tuple | dict):
        return "use score for several documents: score({docno: text, ...})"
    return "use score_text for a text, score for files, score_table for tables"


def read_records(source: Any, *, fallback: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a file (JSON Lines, CSV, TSV, Parquet; .gz, .zst) or of a data frame.

    Cells of text tables are text, and None where they are empty. Lines that are not UTF-8 have the
    encoding `fallback`; without one they are damaged. Raises `InputError` at the first record that
    is damaged.

    >>> read_records({"id": ["a"], "label": [3]})
    [{'id': 'a', 'label': 3}]
    """
    if not isinstance(source, str | Path):
        records: list[dict[str, Any]] = table_of(source, "table of records").to_pylist()
        return records
    path = str(source)
    form, _ = table_format(path)
    if form == "jsonl":
        return list(read_objects(path))
    if form == "parquet":
        rows: list[dict[str, Any]] = read_table(path).to_pylist()
        return rows
    dialect = Dialect("\t" if form == "tsv" else None)
    table: list[dict[str, Any]] = []
    try:
        with open_stream(path) as stream:
            for row in read_delimited(stream, path, dialect, _LONGEST_CELL, fallback)[1]:
                if isinstance(row, LineError):
                    raise row
                table.append(dict(row))
    except (UnicodeDecodeError, LineError, DamagedStreamError) as error:
        raise InputError(
            f"{path} cannot be read as {form.upper()} in UTF-8; the problem is after row "
            f"{len(table)}: {in_one_line(error)}"
        ) from error
    return table
