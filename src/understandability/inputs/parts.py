"""Inputs, and the parts of large ones that several processes read at the same time.

Records of a file that is split by bytes are named by their offset in the file, not by their number,
whatever the parts are.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO

from understandability.errors import InputError
from understandability.inputs.archives import zip_sizes
from understandability.inputs.delimited import is_utf16
from understandability.inputs.parquet import row_group_sizes
from understandability.inputs.streams import (
    COMPRESSION_SUFFIXES,
    GZIP,
    ZSTD,
    Codec,
    DamagedStreamError,
    MemberStream,
    Window,
    buffered,
    codec_of,
    find_member,
    member_end,
    open_file,
    read_dictionary,
)
from understandability.inputs.warc import WARC, find_record, record_end

# A part of a container that holds many pages: some seconds of scoring.
PART_BYTES = 16_000_000
WHOLE, BYTES, ROW_GROUPS, MEMBERS = "whole", "bytes", "row groups", "members"
_RECORDS = (".warc", ".wet")
_LINES = (".jsonl", ".ndjson")
_LOOK_BACK, _LOOK_BACK_COMPRESSED = 1 << 24, 1 << 21
_LONGEST_FOLLOWED = 1 << 27
_LARGEST_MEMBER = 1 << 23  # of the first record; a file with a larger one is not split


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `input` is the path that the user named; `bytes` is 0 if unknown."""

    docno: str
    path: str
    input: str
    bytes: int

    @property
    def is_input(self) -> bool:
        """True if the user named this file itself, not a folder that contains it."""
        return self.path == self.input


@dataclass(frozen=True, slots=True)
class InputPart:
    """A range of a file that is read on its own, by `Sources.read_part`.

    `unit` says what `start` and `end` count: ``bytes``, ``row groups`` (of Parquet), ``members``
    (of a ZIP archive), or nothing for the ``whole`` file. A record belongs to the part in which it
    begins, even if it ends in the next one.

    >>> part = InputPart(File("a.warc.gz", "a.warc.gz", "a.warc.gz", 100))
    >>> part.is_whole, part.source
    (True, 'a.warc.gz')
    """

    file: File
    unit: str = WHOLE
    start: int = 0
    end: int = 0

    @property
    def is_whole(self) -> bool:
        """True if the part is the whole file."""
        return self.unit == WHOLE

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.file.path

    @property
    def source(self) -> str:
        """The name of the part in messages, such as ``a.warc.gz@16000000``."""
        return f"{self.path}@{self.start}" if self.unit == BYTES and self.start else self.path


def plan_parts(file: File, size: int = PART_BYTES) -> list[InputPart]:
    """Split a file into parts of about `size` bytes; a file that cannot be split is one part.

    Reading the parts in order yields the same records as reading the file, for any `size`. Split
    are WARC, WET and JSON Lines; WARC and WET in gzip and zstd with a member for each record, as
    they mostly are; Parquet by row groups and ZIP archives by members. Planning decompresses
    nothing, so it may happen in a process that only hands out work.
    """
    if file.path == "-" or file.bytes <= size:
        return [InputPart(file)]
    name = file.path.lower()
    for suffix in COMPRESSION_SUFFIXES:
        name = name.removesuffix(suffix)
    is_archive = name.endswith((".parquet", ".zip"))
    try:
        if is_archive and name == file.path.lower():
            with open_file(file.path) as raw:
                is_zip = name.endswith(".zip")
                sizes = zip_sizes(raw) if is_zip else row_group_sizes(raw)
            return _by_size(file, MEMBERS if is_zip else ROW_GROUPS, sizes, size)
        if name.endswith((*_RECORDS, *_LINES)) and _is_divisible(
            file.path, name.endswith(_RECORDS)
        ):
            count = -(-file.bytes // size)
            cuts = [file.bytes * index // count for index in range(count + 1)]
            return [InputPart(file, BYTES, *cuts[index : index + 2]) for index in range(count)]
    except (InputError, OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        pass  # the reader reports what is wrong
    return [InputPart(file)]


def _by_size(file: File, unit: str, sizes: Iterable[int], size: int) -> list[InputPart]:
    """Group consecutive row groups or members until a group has `size` bytes."""
    cuts, total, count = [0], 0, 0
    for count, bytes_ in enumerate(sizes, 1):
        total += bytes_
        if total >= size:
            cuts.append(count)
            total = 0
    if cuts[-1] < count:
        cuts.append(count)
    if len(cuts) <= 2:
        return [InputPart(file)]
    return [InputPart(file, unit, *cuts[index : index + 2]) for index in range(len(cuts) - 1)]


def _is_divisible(path: str, is_warc: bool) -> bool:
    """Return True if records can be found from any byte of a file on."""
    with closing(buffered(open_file(path))) as file:
        codec = codec_of(file.peek(16)[:16])
        if codec is None:
            return not is_utf16(file)
        if not is_warc or codec not in (GZIP, ZSTD):
            return False
        codec, start = read_dictionary(file, codec)
        first = find_member(file, codec, start, WARC.prefix, 1)
        if first != start:
            return False
        return find_member(file, codec, first + 1, WARC.prefix, _LARGEST_MEMBER) is not None


@contextmanager
def open_window(part: InputPart) -> Iterator[Window]:
    """Open the range of bytes of a part, from its first record to the first record of the next."""
    is_lines = not any(suffix in part.path.lower() for suffix in _RECORDS)
    with closing(buffered(open_file(part.path))) as file:
        codec = codec_of(file.peek(16)[:16])
        first = 0
        if codec is not None:
            codec, first = read_dictionary(file, codec)

        def found(position: int) -> int | None:
            if position == 0:
                return first
            if codec is not None:
                return _find_member(file, codec, position, first)
            return _find_line(file, position) if is_lines else _find_record(file, position)

        start = found(part.start)
        end = None if part.end >= part.file.bytes else found(part.end)
        if start is None:
            start = end = file.seek(0, io.SEEK_END)
        file.seek(start)
        if codec is None:
            yield Window(file, start, end)
        else:
            members = MemberStream(file, codec, start, end, has_offsets=True)
            stream: io.BufferedReader = io.BufferedReader(members, 1 << 16)
            yield Window(stream, start, end, members)


def _find_line(file: IO[bytes], position: int) -> int | None:
    """Return the offset of the first line that begins at or after `position`."""
    file.seek(position - 1)
    while data := file.readline(1 << 16):
        if data.endswith(b"\n"):
            return file.tell()
    return None


# A page may contain a whole WARC file, whose records would be taken for those of the crawl. To
# follow the records from some way before the position avoids that: where the inner file ends, the
# next record is one of the crawl.


def _find_record(file: IO[bytes], position: int) -> int | None:
    """Return the offset of the first record at or after `position` in a WARC file."""
    start = 0 if position <= _LOOK_BACK else find_record(file, position - _LOOK_BACK)
    while start is not None and start < position:
        end = record_end(file, start)
        start = find_record(file, start + 1 if end is None else end)
    return start


def _find_member(file: IO[bytes], codec: Codec, position: int, first: int) -> int | None:
    """Return the offset of the first compressed record at or after `position`."""
    start: int | None = first
    if position - first > _LOOK_BACK_COMPRESSED:
        start = find_member(file, codec, position - _LOOK_BACK_COMPRESSED, WARC.prefix)
    while start is not None and start < position:
        try:
            end = member_end(file, codec, start, _LONGEST_FOLLOWED)
        except DamagedStreamError:
            end = start + 1
        start = find_member(file, codec, position if end is None else end, WARC.prefix)
    return start
