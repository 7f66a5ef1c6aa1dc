"""Tables in and out: JSON Lines, CSV, TSV and Parquet by suffix, also compressed."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Self, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq
import zstandard

from understandability.errors import InputError, OptionError, in_one_line
from understandability.inputs.streams import DamagedStreamError, open_stream
from understandability.inputs.writing import write_text, written

FORMATS = ("jsonl", "csv", "tsv", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}
SETTINGS_KEY = b"understandability"
_MOST_COLUMNS = 10_000
_MOST_OF_A_HEADER = 10_000_000  # bytes
_MOST_BRACKETS = 1_000  # of a row in JSON
_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}


def table_format(destination: str) -> tuple[str, str | None]:
    """The format and the compression that a file name tells; ``-`` is JSON Lines.

    >>> table_format("scores.tsv.gz")
    ('tsv', 'gzip')
    """
    if destination == "-":
        return "jsonl", None
    path = Path(destination.lower())
    compression = _COMPRESSION.get(path.suffix)
    if compression:
        path = path.with_suffix("")
    name = path.suffix.removeprefix(".").replace("ndjson", "jsonl")
    if name not in FORMATS or (name == "parquet" and compression):
        raise OptionError(
            f"the suffix of {destination} names no kind of table; "
            "write .jsonl, .csv, .tsv (also with .gz or .zst), .parquet, or - for standard output"
        )
    return name, compression


class TableWriter:
    """Rows, batch by batch, into one file; a context manager.

    The file appears when the context ends well; what goes to standard output (``-``) is `piped_as`
    one of `FORMATS`. NaN is written as null. Texts in CSV and TSV that a spreadsheet would take for
    a formula get an apostrophe before them, which `read_table` takes away. Settings stand in the
    metadata of Parquet, beside other files in ``<file>.settings.json``. Raises `InputError`.
    """

    def __init__(
        self,
        destination: str,
        *,
        settings: Mapping[str, Any] | None = None,
        piped_as: str = "jsonl",
    ) -> None:
        self.destination = destination
        self._format, compression = table_format(destination)
        if destination == "-":
            self._format = piped_as
        self._settings = settings
        self._parquet: Any = None
        self._closing = contextlib.ExitStack()
        self._rows = 0
        self._file = self._closing.enter_context(written(destination))
        if compression == "gzip":
            # No time stamp and no name: the same table gives the same bytes.
            self._file = cast(IO[bytes], gzip.GzipFile("", "wb", 6, self._file, mtime=0))
            self._closing.callback(self._file.close)
        elif compression == "zstd":
            self._file = zstandard.ZstdCompressor().stream_writer(self._file, closefd=False)
            self._closing.callback(self._file.close)

    def write(self, table: pa.Table) -> None:
        """Append the rows of a table; all tables of a file have the same columns."""
        table = nan_to_null(table)
        if self._format == "parquet":
            self._write_parquet(table)
        elif self._format == "jsonl":
            for row in table.to_pylist():
                self._file.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")
        else:
            self._file.write(self._delimited(table))
        self._rows += table.num_rows

    def _write_parquet(self, table: pa.Table) -> None:
        if self._parquet is None:
            metadata = dict(table.schema.metadata or {})
            if self._settings is not None:
                metadata[SETTINGS_KEY] = json.dumps(self._settings).encode()
            schema = table.schema.with_metadata(metadata)
            self._parquet = pq.ParquetWriter(self._file, schema, compression="zstd")
            self._closing.push(self._end_parquet)
        self._parquet.write_table(table.cast(self._parquet.schema))

    def _end_parquet(self, error: type[BaseException] | None, *_: object) -> None:
        with contextlib.nullcontext() if error is None else contextlib.suppress(OSError):
            self._parquet.close()

    def _delimited(self, table: pa.Table) -> bytes:
        table = _quoted(table, r"^('*[=+\-@\t\r])", r"'\1")
        text = io.StringIO()
        writer = csv.writer(text, delimiter=DELIMITERS[self._format], lineterminator="\n")
        if self._rows == 0:
            writer.writerow(table.column_names)
        columns = [column.to_pylist() for column in table.columns]
        writer.writerows(zip(*columns, strict=True))
        return text.getvalue().encode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: Any) -> None:
        self._closing.__exit__(error, *rest)
        is_beside = self.destination != "-" and self._format != "parquet"
        if error is None and self._settings is not None and is_beside:
            settings = json.dumps(self._settings, indent=2) + "\n"
            write_text(f"{self.destination}.settings.json", settings)


def write_table(
    table: pa.Table, destination: str, *, settings: Mapping[str, Any] | None = None
) -> None:
    """Write one table to a file by its suffix, or to standard output (``-``)."""
    with TableWriter(destination, settings=settings) as writer:
        writer.write(table)


def _quoted(table: pa.Table, pattern: str, replacement: str) -> pa.Table:
    """The table with its texts, and the names of its columns, that begin so changed."""
    for place, column in enumerate(table.columns):
        if pa.types.is_string(column.type):
            column = pc.replace_substring_regex(column, pattern, replacement)
            table = table.set_column(place, table.column_names[place], column)
    return table.rename_columns([re.sub(pattern, replacement, name) for name in table.column_names])


def nan_to_null(table: pa.Table) -> pa.Table:
    """The table with null for every NaN: JSON knows none, and sums leave nulls out."""
    columns = [
        pc.if_else(pc.is_nan(column), None, column) if pa.types.is_floating(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, schema=table.schema)


def read_table(path: str, columns: Iterable[str] | None = None) -> pa.Table:
    """Read a table of any format that `TableWriter` writes; `columns` chooses some.

    Raises `InputError` where the file is no such table, or lacks a column.
    """

    if path.endswith("/") or Path(path).is_dir():
        command = f"understand crawl merge {path} -o scores.parquet"
        raise InputError(f"{path} is a folder, not a table; of a crawl, make one first: {command}")
    form, _ = table_format(path)
    try:
        if form == "parquet":
            # Opened here first, so that a missing file is told like any other.
            open_stream(path).close()
            table = pq.ParquetFile(path).read()
        elif form == "jsonl":
            _check_flat(path)
            with open_stream(path) as stream:
                table = pa.json.read_json(stream, pa.json.ReadOptions(block_size=1 << 26))
        else:
            delimiter = DELIMITERS[form]
            with open_stream(path) as stream:  # each of endless columns would take kilobytes
                if stream.readline(_MOST_OF_A_HEADER).count(delimiter.encode()) >= _MOST_COLUMNS:
                    raise InputError(
                        f"{path} has over {_MOST_COLUMNS:,} columns; scores have hundreds"
                    )
            with open_stream(path) as stream:
                texts = dict.fromkeys(("docno", "flags"), pa.string())
                types = pa.csv.ConvertOptions(column_types=texts)
                layout = pa.csv.ParseOptions(delimiter=delimiter)
                table = pa.csv.read_csv(stream, parse_options=layout, convert_options=types)
            table = _quoted(table, r"^'('*[=+\-@\t\r])", r"\1")
    except (DamagedStreamError, pa.ArrowException, OSError, ValueError) as error:
        of_arrow = isinstance(error, pa.ArrowException) and form != "parquet"
        where = _damaged_line(path, form) if of_arrow else ""
        raise InputError(
            f"{path}{where} cannot be read as a table: {in_one_line(error)}"
        ) from error
    for name, count in Counter(table.column_names).items():
        if count > 1:
            raise InputError(f"{path} has {count} columns {name!r}; rename or remove all but one")
    if "docno" in table.column_names:  # numbers, to a reader of JSON, where all are digits
        index = table.column_names.index("docno")
        table = table.set_column(index, "docno", table["docno"].cast(pa.string()))
    if columns is not None:
        wanted = list(columns)
        if missing := [name for name in wanted if name not in table.column_names]:
            raise InputError(
                f"{path} has no column {missing[0]!r}; it has {', '.join(table.column_names)}"
            )
        table = table.select(wanted)
    return table


def _damaged_line(path: str, form: str) -> str:
    """Which line of a text file Arrow cannot read, where that can be told."""
    types: dict[str, type] = {}
    columns = 0

    def is_like_before(text: str) -> bool:
        nonlocal columns
        if form == "jsonl":
            row = json.loads(text or "{}", parse_int=float)
            values = {name: type(value) for name, value in row.items() if value is not None}
            return all(types.setdefault(name, found) is found for name, found in values.items())
        (fields,) = csv.reader([text], delimiter=DELIMITERS[form])
        columns = columns or len(fields)
        return len(fields) in (0, columns)

    with open_stream(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                good = is_like_before(line.decode("utf-8").strip("\r\n"))
            except (ValueError, AttributeError):
                good = False
            if not good:
                return f", line {number}"
    return ""


def _check_flat(path: str) -> None:
    """Refuse nested rows: Arrow ends the process where they are nested very deeply."""
    with open_stream(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.count(b"[") + line.count(b"{") > _MOST_BRACKETS:
                raise InputError(
                    f"{path}, line {number} has more than {_MOST_BRACKETS:,} brackets; a row is "
                    "one object with names and values, not nested"
                )


def settings_of(table: Any) -> dict[str, Any]:
    """The settings that a table, in a file or in memory, was made with; none where it has none."""
    is_file = isinstance(table, str | Path)
    if is_file and table_format(str(table))[0] != "parquet":
        beside = Path(f"{table}.settings.json")
        return json.loads(beside.read_text("utf-8")) if beside.is_file() else {}
    schema = pq.read_schema(table) if is_file else getattr(table, "schema", None)
    return dict(json.loads((getattr(schema, "metadata", None) or {}).get(SETTINGS_KEY, "{}")))
