"""How large the data pages of a Parquet file unfold to, read from their headers alone.

Arrow decodes a data page in one piece, and a page of a few kilobytes may claim and hold
gigabytes; nothing that pyarrow offers tells before. The headers are Thrift's compact protocol:
https://parquet.apache.org/docs/file-format/data-pages/.
"""

from __future__ import annotations

import io
from typing import IO, Any

# The types of Thrift's compact protocol that page headers hold.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY = range(1, 9)
_STRUCT = 12
_DEPTH = 16


def largest_page(file: IO[bytes], column: Any) -> int:
    """The uncompressed size in bytes of the largest page of one column of a row group.

    `column` is pyarrow's metadata of it. Raises `ValueError` where a header is damaged.
    """
    largest = 0
    start = column.data_page_offset
    if column.dictionary_page_offset:
        start = min(start, column.dictionary_page_offset)
    end = start + column.total_compressed_size
    while start < end:
        file.seek(start)
        uncompressed, compressed = _page_header(file)
        largest = max(largest, uncompressed)
        start = file.tell() + compressed
    return largest


def _page_header(file: IO[bytes]) -> tuple[int, int]:
    """The two sizes that a page header begins with; leaves `file` behind the header."""
    header = _struct(file, 0)
    sizes = header.get(2), header.get(3)
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError("a page header lacks its sizes")
    return sizes  # type: ignore[return-value]  # checked in the line above


def _struct(file: IO[bytes], depth: int) -> dict[int, int]:
    """The whole-number fields of a Thrift struct by their ids; all others are read past."""
    if depth > _DEPTH:
        raise ValueError("a page header is nested too deeply")
    fields: dict[int, int] = {}
    field = 0
    while (byte := _byte(file)) != 0:
        delta, kind = byte >> 4, byte & 15
        field = field + delta if delta else _zigzag(_varint(file))
        value = _value(file, kind, depth)
        if value is not None:
            fields[field] = value
    return fields


def _value(file: IO[bytes], kind: int, depth: int) -> int | None:
    """Read one value; it is given where it is a whole number."""
    if kind in (_I16, _I32, _I64):
        return _zigzag(_varint(file))
    if kind == _BYTE:
        _byte(file)
    elif kind == _DOUBLE:
        file.seek(8, io.SEEK_CUR)
    elif kind == _BINARY:
        file.seek(_varint(file), io.SEEK_CUR)
    elif kind == _STRUCT:
        _struct(file, depth + 1)
    elif kind not in (_TRUE, _FALSE):  # which are types and values at once
        raise ValueError("a page header holds what no page header has")
    return None


def _byte(file: IO[bytes]) -> int:
    data = file.read(1)
    if not data:
        raise ValueError("a page header ends too early")
    return data[0]


def _varint(file: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 64, 7):
        byte = _byte(file)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise ValueError("a page header holds a number without end")


def _zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)
