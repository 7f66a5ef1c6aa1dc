"""Read CSV, TSV and similar tables, in the dialects of spreadsheets and data sets."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from understandability.errors import InputError
from understandability.inputs.json_files import LineError
from understandability.inputs.streams import bounded_lines

Row = Mapping[str, str | None]

# Excel separates by semicolons where the comma is the decimal sign, and may say so in line 1.
_DELIMITERS = ",;\t|"
_EXCEL_LINE = re.compile(r"sep=(.)\r?\n?")
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_LONGEST_ROW = 1_000_000  # bytes of a row apart from the page
_READ = 1 << 16


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited table is written.

    `delimiter` separates cells; if it is None, it is detected in the first line. With `has_header`
    the first line names the columns, otherwise they are named 1, 2, 3, ... With `is_quoted` a cell
    in double quotes may contain delimiters and line breaks.
    """

    delimiter: str | None = None
    has_header: bool = True
    is_quoted: bool = True


def detect_delimiter(line: str) -> str:
    r"""Return the delimiter that splits a line into the most cells; a comma if none does.

    >>> detect_delimiter('id;"text, in full";label\n')
    ';'
    """

    def cells(delimiter: str) -> int:
        try:
            return len(next(csv.reader([line], delimiter=delimiter), []))
        except csv.Error:
            return 0

    return max(_DELIMITERS, key=cells)


def is_excel_line(line: str) -> bool:
    """Return True if the first line of a file only states the delimiter, such as ``sep=;``."""
    return _EXCEL_LINE.fullmatch(line) is not None


def is_utf16(stream: io.BufferedReader) -> bool:
    """Return True if the stream begins with the byte order mark of UTF-16."""
    return stream.peek(2)[:2] in _BYTE_ORDER_MARKS


def as_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    """Convert a stream to UTF-8 if it begins with the byte order mark of UTF-16; else return it."""
    encoding = _BYTE_ORDER_MARKS.get(stream.peek(2)[:2])
    return io.BufferedReader(_Transcoded(stream, encoding), _READ) if encoding else stream


class _Transcoded(io.RawIOBase):
    """A stream that converts another encoding to UTF-8; undecodable characters are replaced."""

    def __init__(self, stream: io.BufferedReader, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._output = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        while not self._output:
            data = self._stream.read1(_READ)
            text = self._decoder.decode(data, not data)
            self._output = text.encode("utf-8", "replace")
            if not data:
                break
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count


def read_delimited(
    stream: io.BufferedReader,
    path: str,
    dialect: Dialect,
    limit: int,
    fallback: str | None = "windows-1252",
) -> tuple[list[str], Iterator[Row | LineError]]:
    """Return the names of the columns, and an iterator over the rows.

    Empty cells are None. A row that cannot be read is a `LineError` in place of the row. `limit`
    bounds the bytes of a cell. Lines that are not valid UTF-8 are decoded with `fallback`, by
    default the encoding of Excel in Europe. Without a fallback, such lines raise
    `UnicodeDecodeError`. Raises `InputError` if the first line cannot be read.
    """
    csv.field_size_limit(max(limit, _LONGEST_ROW))
    stream = as_utf8(stream)
    last_line = ""

    def lines() -> Iterator[str]:
        nonlocal last_line
        encoding = "utf-8-sig"
        for line in bounded_lines(stream, 2 * limit + _LONGEST_ROW, f"{path}, "):
            try:
                last_line = line.decode(encoding)
            except UnicodeDecodeError:
                if fallback is None:
                    raise
                last_line = line.decode(fallback, "replace")
            encoding = "utf-8"
            yield last_line

    texts = lines()
    first = next(texts, "")
    lines_before = 0
    if dialect.delimiter is None:
        if is_excel_line(first):
            dialect = replace(dialect, delimiter=first[4])
            first = next(texts, "")
            lines_before = 1
        else:
            dialect = replace(dialect, delimiter=detect_delimiter(first))
    delimiter = dialect.delimiter or ","
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if dialect.is_quoted else csv.QUOTE_NONE
    rows = csv.reader(chain([first], texts), delimiter=delimiter, strict=True, quoting=quoting)
    try:
        cells = next(rows, [])
    except csv.Error as error:
        raise InputError(f"the first line of {path} is not CSV: {error}") from error
    names = cells if dialect.has_header else [str(number) for number in range(1, len(cells) + 1)]

    def read() -> Iterator[Row | LineError]:
        row: list[str] | None = [] if dialect.has_header else cells
        while row is not None:
            number = rows.line_num + lines_before
            if len(row) == len(names):
                yield {name: cell or None for name, cell in zip(names, row, strict=True)}
            elif row:
                first = "the header" if dialect.has_header else "the first line"
                yield LineError(f"line {number} has {len(row)} cells, but {first} has {len(names)}")
            try:
                row = next(rows, None)
            except csv.Error as error:
                end = rows.line_num + lines_before
                row = _loose_row(last_line, delimiter) if end == number + 1 else None
                if row is None:
                    yield LineError(f"lines {number + 1} to {end} are not CSV: {error}")
                    row = []

    return names, read()


def _loose_row(line: str, delimiter: str) -> list[str] | None:
    """Split a line in which text follows a quoted part of a cell; None if a quote is not closed."""
    rows = csv.reader([line, ""], delimiter=delimiter)
    try:
        row = next(rows)
    except csv.Error:  # a cell that is too long
        return None
    return row if rows.line_num == 1 else None
