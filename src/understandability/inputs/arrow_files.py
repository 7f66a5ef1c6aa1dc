"""Read pages from Arrow files (Feather 2) and streams, or from some record batches of a file.

A file is a stream with a magic number before it and an index after it. The index is parsed here,
not by Arrow, so that a damaged index raises an error; it could crash Arrow. Messages and index are
encoded as FlatBuffers: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple, cast

from understandability.errors import in_one_line
from understandability.inputs.limits import is_environment_error, unread
from understandability.inputs.page_tables import Tables, page_of
from understandability.inputs.streams import FileSection
from understandability.text.page import Failure, Page

_MAGIC = b"ARROW1"
_START = 8  # bytes of the magic number before the stream
_ROWS = 64
_LEAST_BATCH = 64  # bytes; fewer are padding
_MOST_OF_AN_INDEX = 1 << 26
_LONGEST_HEADER = 1 << 20  # bytes of a batch's metadata
_BLOCK = struct.Struct("<qi4xq")  # offset, bytes of metadata, bytes of the body
_END_MARK = b"\xff\xff\xff\xff\0\0\0\0"
# Fields by their number in Arrow's schemas File.fbs and Message.fbs.
_DICTIONARIES, _RECORD_BATCHES = 2, 3  # of Footer
_HEADER = 2  # of Message
_LENGTH = 0  # of RecordBatch


def read_arrow_pages(
    stream: io.BufferedReader,
    path: str,
    limit: int,
    tables: Tables,
    batches: tuple[int, int] | None = None,
) -> Iterator[Page | Failure]:
    """Yield the pages of an Arrow file or stream; a damaged record batch yields one failure.

    `batches` restricts reading to a range of record batches, if `batch_sizes` accepts the file.
    """
    import pyarrow as pa

    is_file = stream.peek(_START)[: len(_MAGIC)] == _MAGIC
    number = 0
    if batches is not None:
        stream, number = _selected(stream, *batches)
    elif is_file:
        stream.read(_START)
    try:
        with pa.ipc.open_stream(stream) as opened:
            layout = tables.layout(path, tables.names_of(opened.schema))
            columns = layout.top_level(opened.schema.names)
            for batch in opened:
                selected = batch.select(columns)
                try:
                    selected.validate(full=True)  # Arrow follows offsets out of bounds unchecked
                except pa.ArrowInvalid as error:
                    first, number = number + 1, number + len(selected)
                    message = f"damaged Arrow file: rows {first} to {number}: {in_one_line(error)}"
                    yield unread(f"{path}#{first}", message)
                    continue
                for start in range(0, len(selected), _ROWS):
                    for record in selected.slice(start, _ROWS).to_pylist():
                        number += 1
                        yield page_of(record, f"{path}#{number}", limit, layout)
        if batches is None:
            _check_end(stream, is_file)
    except (pa.ArrowException, ValueError) as error:
        if is_environment_error(error):
            raise
        yield unread(f"{path}#{number + 1}", f"damaged Arrow file: {in_one_line(error)}")


def _check_end(stream: io.BufferedReader, is_file: bool) -> None:
    """Raise `ValueError` if the last batch is followed by anything but the index of a file."""
    size, end = 0, b""
    while data := stream.read(1 << 16):
        size, end = size + len(data), (end + data)[-10:]
    if is_file and end[4:] != _MAGIC:
        raise ValueError("the file ends without its index")
    index = int.from_bytes(end[:4], "little") + len(end) if is_file else 0
    if size > index + _LEAST_BATCH:
        raise ValueError(f"{size - index} bytes after its end mark are not read")


class _Block(NamedTuple):
    """The position of a message in the file: first its metadata, then its body."""

    start: int
    metadata_bytes: int
    body_bytes: int

    @property
    def end(self) -> int:
        return self.start + self.metadata_bytes + self.body_bytes


def batch_sizes(file: IO[bytes]) -> list[int]:
    """Return the size in bytes of each record batch of an Arrow file.

    Raises `ValueError` if the file cannot be read from the middle: if it has no index, if the
    batches are not in order without gaps, or if dictionaries follow them.
    """
    return [block.end - block.start for block in _record_batches(file)]


def _record_batches(file: IO[bytes]) -> list[_Block]:
    file.seek(0)
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("the file is an Arrow stream, without an index")
    end = file.seek(0, io.SEEK_END)
    file.seek(max(end - 10, 0))
    tail = file.read(10)
    size = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or size > min(end - 10, _MOST_OF_AN_INDEX):
        raise ValueError("the file has no index")
    file.seek(end - 10 - size)
    index = _Table.root(file.read(size))
    blocks = index.blocks(_RECORD_BATCHES)
    dictionaries = index.blocks(_DICTIONARIES)
    position = blocks[0].start if blocks else 0
    if any(block.start >= position for block in dictionaries):
        raise ValueError("dictionaries follow the first batch")
    for block in blocks:
        if block.start != position or min(block) < 0 or block.end > end:
            raise ValueError("the batches do not follow one another")
        position = block.end
    return blocks


def _selected(file: io.BufferedReader, first: int, end: int) -> tuple[io.BufferedReader, int]:
    """Return a stream of a range of record batches, and the number of rows before them."""
    blocks = _record_batches(file)
    rows_before = sum(_rows_in(file, block) for block in blocks[:first])
    sections = [
        FileSection(file, _START, blocks[0].start),  # the schema, and dictionaries
        FileSection(file, blocks[first].start, blocks[end - 1].end),
        cast(io.RawIOBase, io.BytesIO(_END_MARK)),
    ]
    return io.BufferedReader(_Joined(sections), 1 << 16), rows_before


def _rows_in(file: IO[bytes], block: _Block) -> int:
    """Read the number of rows of a record batch."""
    file.seek(block.start)
    data = file.read(min(block.metadata_bytes, _LONGEST_HEADER))
    is_marked = data[:4] == _END_MARK[:4]  # older files have the size of the metadata only
    batch = _Table.root(data[8 if is_marked else 4 :]).table(_HEADER)
    return batch.long(_LENGTH)


class _Table:
    """A table in the FlatBuffers format; offsets that point outside the data raise `ValueError`."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data, self._position = data, position
        self._fields = position - self._unpack("<i", position)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        if len(data) < 4:
            raise ValueError("the metadata end too early")
        return cls(data, int.from_bytes(data[:4], "little"))

    def long(self, field: int) -> int:
        """Return a 64-bit integer; 0 if the field is absent."""
        position = self._field(field)
        return self._unpack("<q", position) if position else 0

    def table(self, field: int) -> _Table:
        """Return a nested table."""
        position = self._field(field)
        if not position:
            raise ValueError("the metadata lack a table")
        return _Table(self._data, position + self._unpack("<I", position))

    def blocks(self, field: int) -> list[_Block]:
        """Return a list of blocks; empty if the field is absent."""
        position = self._field(field)
        if not position:
            return []
        position += self._unpack("<I", position)
        count = self._unpack("<I", position)
        start, end = position + 4, position + 4 + count * _BLOCK.size
        if start < 0 or end > len(self._data):
            raise ValueError("the index claims to be longer than it is")
        return [_Block(*values) for values in _BLOCK.iter_unpack(self._data[start:end])]

    def _field(self, number: int) -> int:
        """Return the position of a field in the data; 0 if it is absent."""
        size = self._unpack("<H", self._fields)
        slot = 4 + 2 * number
        offset = self._unpack("<H", self._fields + slot) if slot + 2 <= size else 0
        return self._position + offset if offset else 0

    def _unpack(self, form: str, position: int) -> int:
        if position < 0:
            raise ValueError("the metadata have an offset before their start")
        try:
            value: int = struct.unpack_from(form, self._data, position)[0]
        except struct.error as error:
            raise ValueError("the metadata end too early") from error
        return value


class _Joined(io.RawIOBase):
    """Several files, read one after another as a single stream."""

    def __init__(self, files: Sequence[io.RawIOBase]) -> None:
        self._files = list(files)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._files:
            if count := self._files[0].readinto(buffer):
                return count
            del self._files[0]
        return 0
