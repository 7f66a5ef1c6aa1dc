"""Split large input files into parts that several processes can read at the same time.

Records of a file that is split by bytes are named by their offset in the file, not by their number,
so the names do not depend on the parts.
"""

from __future__ import annotations

import io
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from understandability.errors import InputError
from understandability.inputs.archives import tar_offsets, zip_sizes
from understandability.inputs.arrow_files import batch_sizes
from understandability.inputs.delimited import is_utf16
from understandability.inputs.json_files import is_json_lines
from understandability.inputs.limits import is_environment_error
from understandability.inputs.parquet import row_group_sizes
from understandability.inputs.streams import (
    COMPRESSION_SUFFIXES,
    FileSection,
    MemberStream,
    Window,
    buffered,
    codec_of,
    decompressed,
    find_member,
    open_file,
    read_dictionary,
)
from understandability.inputs.wacz import stored_warcs
from understandability.inputs.warc import WARC, find_record, record_end

# A part of a file that holds many pages: some seconds of scoring.
PART_BYTES = 16_000_000
# Smaller files are not split.
SPLIT_BYTES = 4_000_000
WHOLE, BYTES, ROW_GROUPS, MEMBERS, BATCHES = "whole", "bytes", "row groups", "members", "batches"
_WARC_SUFFIXES = (".warc", ".wet")
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".json")
_LOOK_BACK, _LOOK_AHEAD = 1 << 24, 1 << 28  # bytes
# The size of the part that begins at an offset of a file.
PartSize = Callable[[int], int]
_LARGEST_MEMBER = 1 << 23  # of the first record; a file with a larger one is not split


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `input` is the path that the user named; `bytes` is its size, or 0 if
    unknown.
    """

    docno: str
    path: str
    input: str
    bytes: int

    @property
    def is_input(self) -> bool:
        """True if the user named this file itself, rather than a folder that contains it."""
        return self.path == self.input


@dataclass(frozen=True, slots=True)
class InputPart:
    """A range of a file that can be read on its own, by `Sources.read_part`.

    `unit` says what `start` and `end` count: ``bytes``, ``row groups`` (of Parquet), ``batches``
    (of Arrow), ``members`` (of a ZIP archive), or nothing for the ``whole`` file. A record belongs
    to the part in which it begins, even if it ends in the next one.

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
        """The name of the part in messages, such as ``a.warc.gz@16000000`` (with its offset)."""
        return f"{self.path}@{self.start}" if self.unit == BYTES and self.start else self.path


def plan_parts(
    file: File, size: int | PartSize = PART_BYTES, split_bytes: int = SPLIT_BYTES
) -> list[InputPart]:
    """Split a file into parts of about `size` bytes; a file that cannot be split is one part.

    `size` may depend on the offset at which a part begins. Files of at most `split_bytes` are not
    split. Reading the parts in order yields the same records as reading the file, for any `size`.
    The following formats are split:

    - WARC, WET and JSON Lines, also compressed if they consist of many members: WARC mostly has one
      for each record, and JSON Lines if several files were concatenated or compressed in parallel;
    - Parquet by row groups, Arrow files by record batches, ZIP and tar archives by members;
    - the WARC files that are stored in WACZ.

    Planning decompresses little, so it may happen in a process that only hands out work.
    """
    if file.path == "-" or file.bytes <= split_bytes:
        return [InputPart(file)]
    size_at = size if callable(size) else lambda _: size
    base, is_compressed = _without_compression(file.path)
    suffix = PurePosixPath(base).suffix
    split: _Splitter | None = None
    if suffix in (*_WARC_SUFFIXES, *_LINE_SUFFIXES):
        split = _split_records
    elif not is_compressed:
        split = _SPLITTERS.get(suffix)
    if split is None:
        return [InputPart(file)]
    try:
        parts = split(file, size_at)
    except (InputError, OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
        if is_environment_error(error):
            raise InputError(f"{file.path} cannot be read: {error}") from error
        parts = []  # the reader reports what is wrong
    # Records of files that can be split by bytes have the same names, however many parts there are.
    return parts or [InputPart(file)]


def _without_compression(path: str) -> tuple[str, bool]:
    """Return a file name in lower case without the suffix of a compression, and True if it had
    one.
    """
    name = base = path.lower()
    for suffix in COMPRESSION_SUFFIXES:
        base = base.removesuffix(suffix)
    return base, base != name


def _split_records(file: File, size_at: PartSize) -> list[InputPart]:
    with closing(buffered(open_file(file.path))) as opened:
        return _by_offset(file, size_at) if _is_divisible(opened, _is_lines(file.path)) else []


def _split_wacz(file: File, size_at: PartSize) -> list[InputPart]:
    with closing(buffered(open_file(file.path))) as opened:
        warcs = stored_warcs(opened)
        sections = [_section(opened, start, end) for _, start, end in warcs]
        can_split = warcs and all(_is_divisible(section, False) for section in sections)
    return _by_offset(file, size_at) if can_split else []


def _split_tar(file: File, size_at: PartSize) -> list[InputPart]:
    with open_file(file.path) as opened:
        offsets = tar_offsets(opened)
    cuts = [0]
    for part in _by_offset(file, size_at)[1:]:
        index = bisect_left(offsets, part.start)
        if index < len(offsets) and offsets[index] > cuts[-1]:
            cuts.append(offsets[index])
    return _parts_between(file, BYTES, [*cuts, file.bytes])


def _split_zip(file: File, size_at: PartSize) -> list[InputPart]:
    with open_file(file.path) as opened:
        return _by_size(file, MEMBERS, zip_sizes(opened), size_at)


def _split_parquet(file: File, size_at: PartSize) -> list[InputPart]:
    with open_file(file.path) as opened:
        return _by_size(file, ROW_GROUPS, row_group_sizes(opened), size_at)


def _split_arrow(file: File, size_at: PartSize) -> list[InputPart]:
    with open_file(file.path) as opened:
        return _by_size(file, BATCHES, batch_sizes(opened), size_at)


_Splitter = Callable[[File, PartSize], list[InputPart]]
_SPLITTERS: dict[str, _Splitter] = {
    ".wacz": _split_wacz,
    ".tar": _split_tar,
    ".zip": _split_zip,
    ".parquet": _split_parquet,
    ".arrow": _split_arrow,
    ".feather": _split_arrow,
}


def _by_offset(file: File, size_at: PartSize) -> list[InputPart]:
    cuts = [0]
    # A rest of less than a quarter of a part is added to the last one.
    while file.bytes - cuts[-1] > 1.25 * (size := max(size_at(cuts[-1]), 1)):
        cuts.append(cuts[-1] + size)
    return _parts_between(file, BYTES, [*cuts, file.bytes])


def _by_size(file: File, unit: str, sizes: Iterable[int], size_at: PartSize) -> list[InputPart]:
    """Group consecutive row groups, batches or members into parts of about the wanted size.

    `sizes` are their sizes, and `size_at` returns the wanted size of a part that starts at an
    offset.
    """
    cuts = [0]
    start = end = count = 0
    for count, bytes_ in enumerate(sizes, 1):
        end += bytes_
        if end - start >= size_at(start):
            cuts.append(count)
            start = end
    if cuts[-1] < count:
        cuts.append(count)
    return _parts_between(file, unit, cuts)


def _parts_between(file: File, unit: str, cuts: list[int]) -> list[InputPart]:
    return [InputPart(file, unit, *cuts[index : index + 2]) for index in range(len(cuts) - 1)]


def _is_lines(path: str) -> bool:
    return PurePosixPath(_without_compression(path)[0]).suffix in _LINE_SUFFIXES


def _is_divisible(file: io.BufferedReader, is_lines: bool) -> bool:
    """Return True if the first record after any byte of the file can be found."""
    codec = codec_of(file.peek(16)[:16])
    if is_lines:
        stream = decompressed(file)
        if is_utf16(stream) or not is_json_lines(stream):
            return False
        file.seek(0)
    if codec is None:
        return True
    prefix = b"" if is_lines else WARC.prefix
    codec, start = read_dictionary(file, codec)
    return (
        find_member(file, codec, start, prefix, 1) == start
        and find_member(file, codec, start + 1, prefix, _LARGEST_MEMBER) is not None
    )


@contextmanager
def open_window(part: InputPart) -> Iterator[Window]:
    """Open the range of bytes of a part: from its first record up to the first record of the next
    part.
    """
    with closing(buffered(open_file(part.path))) as file:
        yield _window(file, part.path, part.start, part.end, _is_lines(part.path))


def open_wacz_windows(part: InputPart) -> Iterator[tuple[str, Window]]:
    """Yield the WARC files in a part of a WACZ file, each as a pair of name and opened range."""
    with closing(buffered(open_file(part.path))) as file:
        for name, first, last in stored_warcs(file):
            if part.start < last and part.end > first:
                start, end = max(part.start - first, 0), min(part.end, last) - first
                section = _section(file, first, last)
                where = f"{part.path}!{name}"
                yield name, _window(section, where, start, end, is_lines=False)


def _section(file: IO[bytes], start: int, end: int) -> io.BufferedReader:
    section: io.BufferedReader = io.BufferedReader(FileSection(file, start, end))
    return section


@dataclass(frozen=True, slots=True)
class _Search:
    """The cached result of the last search for a line or a compressed record."""

    name: str
    size: int
    position: int
    offset: int | None

    def covers(self, name: str, size: int, position: int) -> bool:
        """Return True if a search from another position must have the same result."""
        is_same = (self.name, self.size) == (name, size)
        is_within = self.offset is None or position <= self.offset
        return is_same and self.position <= position and is_within


# A part begins where the one before it ends, and both may be within one very long record.
_last_search = _Search("", 0, 0, 0)


def _window(file: io.BufferedReader, name: str, start: int, end: int, is_lines: bool) -> Window:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    codec = codec_of(file.peek(16)[:16])
    first = 0
    if codec is not None:
        codec, first = read_dictionary(file, codec)

    def offset_of_first(position: int) -> int | None:
        """Return the offset of the first record at or after a position; None if there is none."""
        global _last_search
        if position <= first:
            return first
        if codec is None and not is_lines:
            return _find_record(file, position)
        if not _last_search.covers(name, size, position):
            if codec is not None:
                offset = find_member(file, codec, position, b"" if is_lines else WARC.prefix)
            else:
                offset = _find_line(file, position)
            _last_search = _Search(name, size, position, offset)
        return _last_search.offset

    first_offset = offset_of_first(start)
    end_offset = None if end >= size else offset_of_first(end)
    if first_offset is None:
        first_offset = end_offset = size
    file.seek(first_offset)
    if codec is None:
        return Window(file, first_offset, end_offset)
    members = MemberStream(file, codec, first_offset, end_offset, has_offsets=True)
    stream: io.BufferedReader = io.BufferedReader(members, 1 << 16)
    has_partial_line = is_lines and first < first_offset < size
    return Window(stream, first_offset, end_offset, members, has_partial_line=has_partial_line)


def _find_line(file: IO[bytes], position: int) -> int | None:
    """Return the offset of the first line that begins at or after `position`."""
    file.seek(position - 1)
    while data := file.readline(1 << 16):
        if data.endswith(b"\n"):
            return file.tell()
    return None


def _find_record(file: IO[bytes], position: int) -> int | None:
    """Return the offset of the first record at or after `position` in a WARC file.

    A page may contain a whole WARC file, whose records could be mistaken for records of the crawl.
    To avoid that, the search follows the chain of records from some distance before the position:
    after the inner file has ended, the next record belongs to the crawl.

    If the position is within a very large record, which cannot be a page, the search may end at an
    offset inside it. The part that begins there then reports an error.
    """
    last = position + _LOOK_AHEAD
    start = 0 if position <= _LOOK_BACK else find_record(file, position - _LOOK_BACK, last)
    while start is not None and start < position:
        end = record_end(file, start)
        start = find_record(file, start + 1 if end is None else end, last)
    return start
