"""Read and write tables as files: JSON Lines, CSV, TSV and Parquet, by suffix, also compressed."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any, Self, cast

import pyarrow as pa

from understandability.errors import InputError, OptionError, in_one_line
from understandability.inputs.delimited import as_utf8, detect_delimiter, is_excel_line
from understandability.inputs.streams import DamagedStreamError, open_stream
from understandability.inputs.writing import write_text, written
from understandability.inputs.zstd import ZstdFile
from understandability.wording import near_miss

FORMATS = ("jsonl", "csv", "tsv", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}
SETTINGS_KEY = b"understandability"
# The names of the columns with ids in ir_measures, PyTerrier, trectools, and here. In text tables
# such columns are read as texts: a query 007 is not 7.
QUERY_COLUMNS = ("query_id", "qid", "query", "topic")
DOCUMENT_COLUMNS = ("doc_id", "docno", "docid", "document")
_MOST_COLUMNS = 10_000
_MOST_OF_A_HEADER = 10_000_000  # bytes
_MOST_BRACKETS = 1_000  # of a row in JSON
_BLOCK = 1 << 24  # bytes; a longer row of CSV is refused
_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}

# Parts of Arrow that only some tables need are imported by the functions that use them: together
# they take a tenth of the start of a command.


def table_format(destination: str) -> tuple[str, str | None]:
    """Return the format and the compression of a file name; ``-`` is JSON Lines.

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
            f"{destination} is not in a supported table format; name a .jsonl, .csv, .tsv (also "
            "with .gz or .zst) or .parquet, or, to write, - for standard output"
        )
    return name, compression


class TableWriter:
    """Writes rows, batch by batch, to one file; a context manager.

    The file appears when the context ends without an error. ``-`` writes to standard output, in the
    format `piped_as` (one of `FORMATS`). NaN is written as null. Texts in CSV and TSV that a
    spreadsheet would evaluate as a formula get an apostrophe in front, which `read_table` removes.
    Settings are stored in the metadata of Parquet, or next to other files in
    ``<file>.settings.json``. Raises `InputError` if the file cannot be written.
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
            # Without a time stamp and a name, the same table becomes the same bytes.
            self._file = cast(IO[bytes], gzip.GzipFile("", "wb", 6, self._file, mtime=0))
            self._closing.callback(self._file.close)
        elif compression == "zstd":
            self._file = cast(IO[bytes], ZstdFile(self._file, "wb"))
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
        import pyarrow.parquet as pq

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
        is_separate = self.destination != "-" and self._format != "parquet"
        if error is None and self._settings is not None and is_separate:
            settings = json.dumps(self._settings, indent=2) + "\n"
            write_text(f"{self.destination}.settings.json", settings)


def write_table(
    table: pa.Table, destination: str, *, settings: Mapping[str, Any] | None = None
) -> None:
    """Write one table to a file, in the format of its suffix, or to standard output (``-``)."""
    with TableWriter(destination, settings=settings) as writer:
        writer.write(table)


def _quoted(table: pa.Table, pattern: str, replacement: str) -> pa.Table:
    """Apply a regular expression replacement to the texts of a table and to the names of its
    columns.
    """
    import pyarrow.compute as pc

    for index, column in enumerate(table.columns):
        if pa.types.is_string(column.type):
            column = pc.replace_substring_regex(column, pattern, replacement)
            table = table.set_column(index, table.column_names[index], column)
    return table.rename_columns([re.sub(pattern, replacement, name) for name in table.column_names])


def nan_to_null(table: pa.Table) -> pa.Table:
    """Replace NaN by null, because JSON has no NaN, and sums ignore nulls."""
    import pyarrow.compute as pc

    columns = [
        pc.if_else(pc.is_nan(column), None, column) if pa.types.is_floating(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, schema=table.schema)


def read_table(path: str, columns: Iterable[str] | None = None) -> pa.Table:
    """Read a table in any format that `TableWriter` writes, or some `columns` of it.

    CSV may use semicolons or tabs as delimiters, have line breaks in quoted cells, and be encoded
    in UTF-16, as spreadsheets write it. Raises `InputError` if the file is not such a table, or
    lacks a column.
    """
    if path.endswith("/") or Path(path).is_dir():
        command = f"understand crawl merge {path} -o scores.parquet"
        raise InputError(f"{path} is a folder, not a table; of a crawl, make one first: {command}")
    form, _ = table_format(path)
    try:
        if form == "parquet":
            import pyarrow.parquet as pq

            # Open the file first, so that a missing file raises our own error.
            open_stream(path).close()
            table = pq.ParquetFile(path).read()
        elif form == "jsonl":
            import pyarrow.json

            _check_flat(path)
            with open_stream(path) as stream:
                table = pyarrow.json.read_json(stream, pyarrow.json.ReadOptions(block_size=1 << 26))
        else:
            table = _read_delimited(path, form)
            table = _quoted(table, r"^'('*[=+\-@\t\r])", r"\1")
    except (DamagedStreamError, pa.ArrowException, OSError, ValueError) as error:
        is_of_arrow = isinstance(error, pa.ArrowException) and form != "parquet"
        where = _damaged_line(path, form) if is_of_arrow else ""
        raise InputError(
            f"{path}{where} cannot be read as a table: {in_one_line(error)}"
        ) from error
    for name, count in Counter(table.column_names).items():
        if count > 1:
            raise InputError(f"{path} has {count} columns {name!r}; rename or remove all but one")
    if "docno" in table.column_names:  # the JSON reader returns numbers if all are digits
        index = table.column_names.index("docno")
        table = table.set_column(index, "docno", table["docno"].cast(pa.string()))
    if columns is not None:
        selected = list(columns)
        if missing := [name for name in selected if name not in table.column_names]:
            raise InputError(
                f"{path} has no column {missing[0]!r}{near_miss(missing[0], table.column_names)}; "
                f"it has {', '.join(table.column_names)}"
            )
        table = table.select(selected)
    return table


def _read_delimited(path: str, form: str) -> pa.Table:
    """Read a CSV or TSV file."""
    import pyarrow.csv

    with open_stream(path) as stream:
        text = as_utf8(stream)
        first = text.readline(_MOST_OF_A_HEADER).decode("utf-8-sig", "replace")
        skipped_lines = is_excel_line(first)
        if skipped_lines:
            delimiter = first[4]
            first = text.readline(_MOST_OF_A_HEADER).decode("utf-8", "replace")
        else:
            delimiter = DELIMITERS[form] if form == "tsv" else detect_delimiter(first)
    if first.count(delimiter) >= _MOST_COLUMNS:  # each column takes kilobytes
        raise InputError(f"{path} has over {_MOST_COLUMNS:,} columns; scores have hundreds")
    with open_stream(path) as stream:
        texts = dict.fromkeys((*DOCUMENT_COLUMNS, *QUERY_COLUMNS, "flags"), pa.string())
        table: pa.Table = pyarrow.csv.read_csv(
            as_utf8(stream),
            pyarrow.csv.ReadOptions(block_size=_BLOCK, skip_rows=int(skipped_lines)),
            pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(column_types=texts),
        )
    return table


def _damaged_line(path: str, form: str) -> str:
    """Describe the first line of a text table whose cells differ from those of the lines before
    it.
    """
    with open_stream(path) as stream:
        number = _odd_json_line(stream) if form == "jsonl" else _odd_row(as_utf8(stream), form)
    return f", line {number}" if number else ""


def _odd_json_line(stream: IO[bytes]) -> int | None:
    types: dict[str, type] = {}
    for number, line in enumerate(stream, start=1):
        try:
            row = json.loads(line.strip() or b"{}", parse_int=float)
            values = {name: type(value) for name, value in row.items() if value is not None}
        except (ValueError, AttributeError, RecursionError):
            return number
        if any(types.setdefault(name, type_) is not type_ for name, type_ in values.items()):
            return number
    return None


def _odd_row(stream: IO[bytes], form: str) -> int | None:
    lines = (line.decode("utf-8") for line in stream)
    number = 0
    try:
        first = next(lines, "")
        delimiter = DELIMITERS[form] if form == "tsv" else detect_delimiter(first)
        rows = csv.reader(chain([first], lines), delimiter=delimiter)
        columns = len(next(rows, []))
        number = rows.line_num
        for row in rows:
            if len(row) not in (0, columns):
                return number + 1
            number = rows.line_num
    except (ValueError, csv.Error):
        return number + 1
    return None


def _check_flat(path: str) -> None:
    """Raise `InputError` for deeply nested rows, which crash Arrow."""
    with open_stream(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.count(b"[") + line.count(b"{") > _MOST_BRACKETS:
                raise InputError(
                    f"{path}, line {number} has more than {_MOST_BRACKETS:,} brackets; a row is "
                    "one object with names and values, not nested"
                )


def settings_of(table: Any) -> dict[str, Any]:
    """Return the settings stored with a table, in a file or in memory; empty if there are none."""
    is_file = isinstance(table, str | Path)
    if is_file and table_format(str(table))[0] != "parquet":
        settings = Path(f"{table}.settings.json")
        return json.loads(settings.read_text("utf-8")) if settings.is_file() else {}
    if is_file:
        import pyarrow.parquet as pq

        schema = pq.read_schema(table)
    else:
        schema = getattr(table, "schema", None)
    return dict(json.loads((getattr(schema, "metadata", None) or {}).get(SETTINGS_KEY, "{}")))
