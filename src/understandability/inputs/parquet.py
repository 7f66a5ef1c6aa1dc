"""Read pages from Parquet files, after checking the uncompressed size of their data pages.

This is necessary because Arrow would expand a data page of a few kilobytes to gigabytes, and
damaged column metadata would crash it. Headers are in Thrift's compact protocol
(apache/parquet-format).
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from understandability.errors import InputError, in_one_line
from understandability.inputs.limits import is_environment_error, unread
from understandability.inputs.page_tables import Layout, Tables, page_of
from understandability.inputs.streams import open_file
from understandability.text.page import Failure, Page

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 64
_MOST_OF_A_PAGE = 1 << 27
_MOST_OF_A_BATCH = 1 << 28
_MAGIC = b"PAR1"
_MAX_FOOTER = 1 << 26
_MAX_HEADER = 1 << 20
_WINDOW = 1 << 12  # what is read for the header of a page at first
_DEPTH = 16
_MOST_ELEMENTS = 1_000_000

# Fields that are read, by their ids in parquet.thrift.
_ROW_GROUPS = 4  # of FileMetaData
_COLUMNS = 1  # of RowGroup
_COLUMN_META_DATA = 3  # of ColumnChunk
_PATH, _COMPRESSED, _DATA_PAGE, _DICTIONARY_PAGE = 3, 7, 9, 11  # of ColumnMetaData
_PAGE_UNCOMPRESSED, _PAGE_COMPRESSED = 2, 3  # of PageHeader

Fields = dict[int, Any]
Wanted = Mapping[int, "Wanted"]  # the fields to keep, and what to keep of each

_OF_COLUMN: Wanted = {_PATH: {}, _COMPRESSED: {}, _DATA_PAGE: {}, _DICTIONARY_PAGE: {}}
_OF_FOOTER: Wanted = {_ROW_GROUPS: {_COLUMNS: {_COLUMN_META_DATA: _OF_COLUMN}}}
_OF_PAGE: Wanted = {_PAGE_UNCOMPRESSED: {}, _PAGE_COMPRESSED: {}}


def read_parquet_pages(
    path: str, limit: int, tables: Tables, groups: tuple[int, int] | None = None
) -> Iterator[Page | Failure]:
    """Yield the pages of a Parquet file; `groups` restricts them to a range of row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_file(path) as raw:
        try:
            largest_pages(raw, ())  # looks at the footer before Arrow does
            file = pq.ParquetFile(raw, buffer_size=1 << 16, page_checksum_verification=True)
            layout = tables.layout(path, tables.names_of(file.schema_arrow))
            pages = largest_pages(raw, layout.names)
            if len(pages) != file.num_row_groups:
                raise ValueError("its footer can be read in two ways")
        except (OSError, ValueError, pa.ArrowException) as error:
            if is_environment_error(error):
                raise
            reason = in_one_line(error)
            raise InputError(f"{path} is not a Parquet file, or it is damaged: {reason}") from error
        most = max(4 * limit, _MOST_OF_A_PAGE)
        first, last = groups or (0, len(pages))
        rows_before = (file.metadata.row_group(group).num_rows for group in range(first))
        number = end = sum(rows_before)
        for group, columns in list(enumerate(pages))[first:last]:
            fit = [name for name, largest in columns.items() if largest <= most]
            # A row may unfold to a whole page: each has a page of its own, or all repeat one value.
            size = sum(columns[name] for name in fit)
            rows = max(1, min(_ROWS, _MOST_OF_A_BATCH // max(size, 1)))
            end += file.metadata.row_group(group).num_rows
            damage = "its pages have fewer rows than its footer says"
            try:
                for batch in file.iter_batches(rows, row_groups=[group], columns=fit):
                    for row in range(batch.num_rows):
                        number += 1
                        where = f"{path}#{number}"
                        page = _page_of_row(batch.slice(row, 1), where, limit, layout)
                        if isinstance(page, Failure) and len(fit) < len(columns):
                            message = (
                                f"row group {group} has a data page of more than {most / 1e6:.0f} "
                                "MB; raise --limit-mb, or write it with smaller pages"
                            )
                            page = unread(where, message, page.docno)
                        yield page
            except (OSError, ValueError, pa.ArrowException) as error:
                if is_environment_error(error):
                    raise
                damage = in_one_line(error)
            if number < end:
                message = f"damaged Parquet file: rows {number + 1} to {end}: {damage}"
                yield unread(f"{path}#{number + 1}", message)
                number = end
        if last == len(pages) and number < file.metadata.num_rows:
            message = f"damaged Parquet file: {number} rows are found, and its footer says "
            yield unread(path, f"{message}{file.metadata.num_rows}")


def _page_of_row(row: pa.RecordBatch, where: str, limit: int, layout: Layout) -> Page | Failure:
    try:
        (record,) = row.to_pylist()
    except UnicodeDecodeError as error:  # Arrow does not look at what it gives as text
        message = f"the row holds text that is not UTF-8 ({error.reason}); write it as bytes"
        return unread(where, message)
    return page_of(record, where, limit, layout)


def largest_pages(file: IO[bytes], names: Collection[str]) -> list[dict[str, int]]:
    """Return, for each row group, the uncompressed size of the largest data page of each column.

    Only the columns in `names` are measured. Raises `ValueError` if the footer or a header is
    damaged.
    """
    groups = []
    remaining = file.seek(0, io.SEEK_END)
    for group in _list(_footer(file).get(_ROW_GROUPS), dict):
        sizes: dict[str, int] = {}
        for chunk in _list(group.get(_COLUMNS), dict):
            column = chunk.get(_COLUMN_META_DATA)
            if not isinstance(column, dict):
                raise ValueError("a column lacks its metadata")
            path = b".".join(_list(column.get(_PATH), bytes)).decode("utf-8", "replace")
            # A nested column consists of several: a.list.element belongs to a.
            name = next((name for name in names if f"{path}.".startswith(f"{name}.")), None)
            if name is not None:
                remaining -= _number(column.get(_COMPRESSED))
                if remaining < 0:  # such as many chunks in the same place
                    raise ValueError("its columns claim to be longer than the file")
                sizes[name] = max(sizes.get(name, 0), _largest(file, column))
        groups.append(sizes)
    return groups


def row_group_sizes(file: IO[bytes]) -> list[int]:
    """Return the compressed size in bytes of each row group, read without Arrow."""
    return [
        sum(
            _number(chunk.get(_COLUMN_META_DATA, {}).get(_COMPRESSED))
            for chunk in _list(group.get(_COLUMNS), dict)
        )
        for group in _list(_footer(file).get(_ROW_GROUPS), dict)
    ]


def _footer(file: IO[bytes]) -> Fields:
    end = file.seek(0, io.SEEK_END)
    file.seek(max(end - 8, 0))
    tail = file.read(8)
    size = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or size > min(end - 8, _MAX_FOOTER):
        raise ValueError("the file has no footer")
    file.seek(end - 8 - size)
    return _Thrift(file.read(size)).struct(_OF_FOOTER)


def _largest(file: IO[bytes], column: Fields) -> int:
    starts = [_number(column.get(_DATA_PAGE)), _number(column.get(_DICTIONARY_PAGE, 0))]
    start = min((start for start in starts if start), default=0)  # one that is not there is 0
    if not start:
        raise ValueError("a column has no pages")
    end = start + _number(column.get(_COMPRESSED))
    largest = 0
    while start < end:
        fields, length = _page_header(file, start, end)
        largest = max(largest, _number(fields.get(_PAGE_UNCOMPRESSED)))
        start += length + _number(fields.get(_PAGE_COMPRESSED))
    return largest


def _page_header(
    file: IO[bytes], start: int, end: int, window: int = _WINDOW
) -> tuple[Fields, int]:
    """Parse the header of the data page at `start`; return it and its length in bytes."""
    file.seek(start)
    header = _Thrift(file.read(min(window, end - start)))
    try:
        return header.struct(_OF_PAGE), header.position
    except ValueError:  # it may go on after the window
        if window >= min(_MAX_HEADER, end - start):
            raise
    return _page_header(file, start, end, 16 * window)


def _number(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a header lacks a size")
    return value


def _list(value: Any, type_: type) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(element, type_) for element in value):
        raise ValueError("a header lacks a list")
    return value


class _Thrift:
    """A parser of Thrift's compact protocol; a struct becomes a dictionary of the `wanted` fields
    by id.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._elements_kept = 0
        self.position = 0

    def struct(self, wanted: Wanted | None, depth: int = 0) -> Fields:
        if depth > _DEPTH:
            raise ValueError("a header is nested too deeply")
        fields: Fields = {}
        field = 0
        while byte := self._byte():
            delta, code = byte >> 4, byte & 15
            field = field + delta if delta else self._zigzag()
            wanted_field = wanted.get(field) if wanted else None
            value = self._value(code, wanted_field, depth)
            if wanted_field is not None:
                fields[field] = value
        return fields

    def _value(self, code: int, wanted: Wanted | None, depth: int) -> Any:
        match code:
            case 1 | 2:  # which are types and truth values at once
                return code == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:  # a number with a fraction
                return self._bytes(8)
            case 8:
                return self._bytes(self._varint())
            case 9 | 10:
                return self._elements(wanted, depth)
            case 12:
                return self.struct(wanted, depth + 1)
        raise ValueError("a header has a value of an unknown type")

    def _elements(self, wanted: Wanted | None, depth: int) -> list[Any]:
        if depth > _DEPTH:
            raise ValueError("a header is nested too deeply")
        byte = self._byte()
        size = byte >> 4 if byte >> 4 < 15 else self._varint()
        if size > len(self._data) - self.position:
            raise ValueError("a header claims a list longer than itself")
        code = 3 if byte & 15 in (1, 2) else byte & 15  # in a list a truth value has its own byte
        values = (self._value(code, wanted, depth + 1) for _ in range(size))
        if wanted is None:
            deque(values, maxlen=0)
            return []
        self._elements_kept += size
        if self._elements_kept > _MOST_ELEMENTS:
            raise ValueError(f"its lists have more than {_MOST_ELEMENTS} elements")
        return list(values)

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        data = self._data[self.position : self.position + count]
        if len(data) < count:
            raise ValueError("a header ends too early")
        self.position += count
        return data

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number in a header does not end")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
