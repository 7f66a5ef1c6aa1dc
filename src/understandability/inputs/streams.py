"""Open files and URLs as streams of decompressed bytes: plain, gzip, zstd, bzip2 or xz.

The first bytes of a file decide its format. If the data are damaged, one read raises
`DamagedStreamError`. The next read continues with the compressed member that follows the damage.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from understandability.errors import InputError, MissingExtraError
from understandability.inputs.zstd import (
    DecompressionParameter,
    ZstdDecompressor,
    ZstdDict,
    ZstdError,
)

# URL scheme -> the extra that installs its file system. Other schemes need a package by hand.
_EXTRAS = {"http": "http", "https": "http", "s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
_READ = 1 << 16
_SEARCHED, _HEAD = 1 << 20, 1 << 13  # bytes that are searched at once, and of a member's start
# Members are followed for `_UNBROKEN` bytes, or until they expand to `_MOST_FOLLOWED` bytes.
_UNBROKEN, _MOST_FOLLOWED, _STEP_FOLLOWED = 3 << 17, 1 << 27, 1 << 12
# After an error, the input of the last decoding step is searched again for the next member. So a
# step must not expand far: most decoders stop after `_STEP_OUTPUT` bytes; zstd's decoder has no
# such bound, but 32 bytes of input hold at most eight blocks of 128 KiB.
_STEP_OUTPUT = 1 << 16
# A file may expand to `MOST_OUTPUT` bytes, or to `MOST_RATIO` times its size if that is more.
# Text is compressed to a fifth, text from a template to a hundredth.
MOST_OUTPUT = 1 << 30
MOST_RATIO = 300
_ZSTD_WINDOW_LOG = 27  # the window of `zstd --long`
_XZ_MEMORY = 1 << 28  # `xz -9` needs 65 MB
_LONGEST_MAGIC = 10
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # the frame that holds the dictionary of a .warc.zst file
_DICTIONARY_MAGIC = b"\x37\xa4\x30\xec"
_MOST_OF_A_DICTIONARY = 1 << 24
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_ERRORS = (zlib.error, ZstdError, lzma.LZMAError, OSError, ValueError, EOFError)


def is_url(path: str) -> bool:
    """Return True for a URL, which is opened by fsspec."""
    return "://" in path


def is_web(path: str) -> bool:
    """Return True for a URL of the web (http or https)."""
    return path.lower().startswith(("http://", "https://"))


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL, and the path within it.

    Raises `MissingExtraError` if a package is missing, and `InputError` for an unknown scheme.
    """
    scheme = url.partition("://")[0]
    try:
        import fsspec.core

        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        extra = _EXTRAS.get(scheme)
        package = f"'.[{extra}]' in the source folder" if extra else "fsspec"
        raise MissingExtraError(
            f"{url} needs a package that is not installed ({error}); pip install {package}"
        ) from error
    except ValueError as error:
        raise InputError(f"{url} cannot be read: {error}") from error
    return system, path


def open_file(path: str) -> IO[bytes]:
    """Open a file or a URL for reading; raise `InputError` if that fails."""
    try:
        if is_url(path):
            system, path_there = file_system(path)
            file: IO[bytes] = system.open(path_there, "rb")
            return file
        return Path(path).open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


class DamagedStreamError(InputError):
    """A compressed stream is damaged at this position; reading can continue after the damage."""


class TruncatedStreamError(DamagedStreamError):
    """A compressed stream ends too early; everything that can be decoded has been read."""


class NoMemberError(DamagedStreamError):
    """No member begins where the previous one ended."""


@dataclass(frozen=True, slots=True)
class Codec:
    """A compression format whose files are a sequence of independently compressed members.

    `magic` matches the first bytes of a member. `step` is the number of bytes per decoding step.
    `bound` holds the arguments of ``decompress`` that limit the output of a step.
    """

    name: str
    magic: re.Pattern[bytes]
    decoder: Callable[[], Any]
    step: int
    bound: tuple[int, ...] = (_STEP_OUTPUT,)

    def with_dictionary(self, dictionary: bytes) -> Codec:
        """Return a copy of this (zstd) codec that decodes with a dictionary.

        Raises `ZstdError` or `ValueError` for a dictionary that cannot be used.
        """
        decoder = partial(_zstd_decoder, ZstdDict(dictionary))
        decoder()  # a damaged dictionary fails here, not at the first member
        return Codec(self.name, self.magic, decoder, self.step, self.bound)


def _zstd_decoder(dictionary: ZstdDict | None = None) -> ZstdDecompressor:
    options: dict[int, int] = {DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    return ZstdDecompressor(dictionary, options)


GZIP = Codec("gzip", re.compile(rb"\x1f\x8b\x08"), partial(zlib.decompressobj, 31), 1 << 13)
ZSTD = Codec("zstd", re.compile(rb"\x28\xb5\x2f\xfd"), _zstd_decoder, 1 << 5, ())
# The magic of bzip2 is three letters, so the mark of the first block (or of the end) is needed too.
BZIP2 = Codec(
    "bzip2",
    re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    bz2.BZ2Decompressor,
    1 << 13,
)
XZ = Codec(
    "xz",
    re.compile(rb"\xfd7zXZ\0"),
    partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY),
    1 << 13,
)
CODECS = (GZIP, ZSTD, BZIP2, XZ)
COMPRESSION_SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def codec_of(first: bytes) -> Codec | None:
    """Return the compression format of a file that begins with these bytes; None if uncompressed.

    >>> codec_of(b"BZh91AY&SY").name
    'bzip2'
    """
    if _SKIPPABLE.match(first):
        return ZSTD
    return next((codec for codec in CODECS if codec.magic.match(first)), None)


class _Raw(io.RawIOBase):
    """An adapter: any object with a method ``read`` becomes the raw stream for
    `io.BufferedReader`.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class FileSection(io.RawIOBase):
    """The bytes from `start` to `end` of a seekable file, as a file.

    Closing it leaves the other file open.

    >>> FileSection(io.BytesIO(b"0123456789"), 2, 5).read()
    b'234'
    """

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        self._file, self._start, self._size = file, start, end - start
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(base + offset, 0)
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        self._file.seek(self._start + self._position)
        data = self._file.read(max(min(len(buffer), self._size - self._position), 0))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


class MemberStream(_Raw):
    """A stream of the decoded bytes of a file that consists of compressed members.

    Reading begins at byte `start` of the file. When a member is reached that begins at byte `end`
    or later, `boundary` is set to the number of decoded bytes before it. With `has_offsets`,
    `offset_of` returns where the member of a decoded byte begins.
    """

    def __init__(
        self,
        file: IO[bytes],
        codec: Codec,
        start: int = 0,
        end: int | None = None,
        *,
        has_offsets: bool = False,
    ) -> None:
        super().__init__(file)
        self._codec = codec
        self._decoder: Any = None  # of one member
        self._input = b""
        self._output = memoryview(b"")
        self._start, self._end = start, end
        self._bytes_in = self._bytes_out = self._decoded = 0
        self._is_abandoned = False
        self._is_searching = False  # for the next member, after damage that was reported
        self._to_skip = 0  # bytes of a frame that is no content
        # Of the members that were read: the decoded bytes before each, and its offset.
        self._members: deque[tuple[int, int]] | None = deque() if has_offsets else None
        self.boundary: int | None = None

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        while not self._output:
            if self._is_abandoned:
                return 0
            if self._bytes_out > max(MOST_OUTPUT, MOST_RATIO * self._bytes_in):
                self._is_abandoned = True
                raise DamagedStreamError(
                    f"the compressed data expand to more than {MOST_OUTPUT / 1e6:,.0f} MB and "
                    f"more than {MOST_RATIO} times their size, the most that is read"
                )
            if not self._input:
                self._input = self._more()
            at_end = not self._input
            if at_end and self._decoder is None:
                if self._to_skip:
                    self._to_skip = 0
                    raise TruncatedStreamError("the compressed data end too early")
                return 0
            self._output = memoryview(self._decode_step())
            self._decoded += len(self._output)
            # At the end the decoder may still hold output that exceeded the bound of the last step.
            if at_end and not self._output and self._decoder is not None:
                self._decoder = None
                raise TruncatedStreamError("the compressed data end too early")
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count

    def seekable(self) -> bool:
        return False

    def _more(self) -> bytes:
        data = self._file.read(_READ)
        self._bytes_in += len(data)
        return data

    def _decode_step(self) -> bytes:
        if self._decoder is None:
            if not self._find_member():
                return b""
            self._decoder = self._codec.decoder()
        # Some decoders keep their input, and take no more before their output was fetched.
        size = self._codec.step if getattr(self._decoder, "needs_input", True) else 0
        step, self._input = self._input[:size], self._input[size:]
        try:
            output: bytes = self._decoder.decompress(step, *self._codec.bound)
        except _ERRORS as error:
            self._decoder, self._is_searching = None, True
            self._bytes_out += _STEP_OUTPUT  # about this much may have been decoded and is lost
            # The damage may be in the header of this member: search from its second byte on.
            self._input = step[1:] + self._input
            raise DamagedStreamError(f"the compressed data are damaged ({error})") from error
        self._bytes_out += len(output)
        if self._decoder.eof:
            self._input = self._decoder.unused_data + self._input
            self._decoder = None
        elif rest := getattr(self._decoder, "unconsumed_tail", b""):
            self._input = rest + self._input
        return output

    def _find_member(self) -> bool:
        """Skip padding, skippable frames and damage up to the start of the next member.

        Returns False at the end of the file.
        """
        if self._to_skip:
            skipped = min(self._to_skip, len(self._input))
            self._to_skip -= skipped
            self._input = self._input[skipped:]
            return False
        if len(self._input) < _LONGEST_MAGIC:
            self._input += self._more()
        match = self._codec.magic.search(self._input)
        start = match.start() if match else -1
        between = self._input[:start] if match else self._input
        padding = len(between) - len(between.lstrip(b"\0"))  # zeros fill up blocks
        if self._codec.name == "zstd" and _SKIPPABLE.match(self._input, padding):
            self._input = self._input[padding:]
            if len(self._input) < 8:
                self._input += self._more()
            self._to_skip = 8 + int.from_bytes(self._input[4:8], "little")
            return False
        if padding < len(between) and not self._is_searching:
            self._is_searching = True
            raise NoMemberError("the compressed data are damaged (no member begins here)")
        self._is_searching = self._is_searching and match is None
        if match is None:
            # The magic may be cut by the border between two reads.
            tail = self._input[-_LONGEST_MAGIC + 1 :]
            more = self._more()
            self._input = tail + more if more else b""
            return False
        self._input = self._input[start:]
        offset = self._start + self._bytes_in - len(self._input)
        if self.boundary is None and self._end is not None and offset >= self._end:
            self.boundary = self._decoded
        if self._members is not None:
            if self._members and self._members[-1][0] == self._decoded:  # an empty member
                self._members.pop()
            self._members.append((self._decoded, offset))
        return True

    def offset_of(self, position: int) -> tuple[int, bool]:
        """Return the offset of the member that contains a decoded byte, and True for its first
        byte.

        Positions must not decrease from call to call.
        """
        members = self._members or deque([(0, self._start)])
        while len(members) > 1 and members[1][0] <= position:
            members.popleft()
        decoded, offset = members[0]
        return offset, decoded == position


def buffered(file: IO[bytes]) -> io.BufferedReader:
    """Return a file with a buffer, so that its first bytes can be peeked, even if it is a pipe."""
    return file if isinstance(file, io.BufferedReader) else io.BufferedReader(_Raw(file))


def decompressed(file: IO[bytes]) -> io.BufferedReader:
    """Return a stream of the decoded bytes of `file`, which may be compressed in a format of
    `CODECS`.
    """
    reader = buffered(file)
    codec = codec_of(reader.peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC])
    if codec is None:
        return reader
    try:
        codec, start = read_dictionary(reader, codec)
    except DamagedStreamError as error:
        return io.BufferedReader(_DamagedStream(reader, error), _READ)
    return io.BufferedReader(MemberStream(reader, codec, start), _READ)


class Window:
    """A range of a (possibly compressed) file, which contains the records that begin in it.

    An uncompressed file is read from byte `start`. With `has_partial_line`, the stream may begin
    within a line, because lines can continue from one compressed member to the next. Its first,
    partial line then belongs to the preceding range.
    """

    def __init__(
        self,
        stream: io.BufferedReader,
        start: int,
        end: int | None,
        members: MemberStream | None = None,
        *,
        has_partial_line: bool = False,
    ) -> None:
        self.stream = stream
        self.has_partial_line = has_partial_line
        self._start, self._end = start, end
        self._members = members
        self._last_offset, self._index = -1, 0

    def is_past(self, position: int) -> bool:
        """Return True if a record that begins at this decoded byte is after the range."""
        if self._members is None:
            return self._end is not None and self._start + position >= self._end
        return self._members.boundary is not None and position >= self._members.boundary

    def is_line_past(self, position: int) -> bool:
        """Return True if a line that begins at this decoded byte is after the range."""
        return self.is_past(position if self._members is None else position - 1)

    def label(self, position: int) -> str:
        """Return a name for the record that begins at a decoded byte: its offset in the file.

        If it is not the first record of its compressed member, its index there is appended, as in
        ``@4711#2``.
        """
        if self._members is None:
            return f"@{self._start + position}"
        offset, is_first = self._members.offset_of(position)
        self._index = self._index + 1 if offset == self._last_offset else 1 if is_first else 2
        self._last_offset = offset
        return f"@{offset}" if self._index == 1 else f"@{offset}#{self._index}"


def find_member(
    file: IO[bytes], codec: Codec, position: int, begins: bytes, most: int | None = None
) -> int | None:
    """Return the offset of the first member at or after `position` that holds a record.

    The decoded member must begin with the bytes `begins`, and must not be nested in another member:
    a crawl may contain compressed files, even compressed crawls. Compression stores such
    incompressible bytes unchanged, but only in blocks of at most 128 KiB with other bytes between
    the blocks. So a member belongs to the file itself if it is followed by members without a gap,
    over more than 128 KiB or up to the end of the file.

    At most `most` bytes are searched. Returns None if there is no such member.
    """
    end = None if most is None else position + most
    while (start := _find_magic(file, codec, position, begins, end)) is not None:
        gap = _gap_after(file, codec, start)
        if gap is None:
            return start
        position = gap
    return None


def _find_magic(
    file: IO[bytes], codec: Codec, position: int, begins: bytes, end: int | None
) -> int | None:
    """Return the offset of the first bytes from `position` to `end` that look like a member's
    start.
    """
    size = _HEAD  # mostly a member begins at the position itself
    while end is None or position < end:
        file.seek(position)
        data = file.read(size + _HEAD)
        for match in codec.magic.finditer(data):
            start = match.start()
            if start < size and _decodes_to(data[start : start + _HEAD], codec, begins):
                return position + start
        if len(data) < size + _HEAD:
            return None
        position += size
        size = _SEARCHED
    return None


def _gap_after(file: IO[bytes], codec: Codec, start: int) -> int | None:
    """Return None if members follow one another without a gap from `start` on.

    The check ends after `_UNBROKEN` bytes or at the end of the file. If there is a gap, its offset
    is returned, so that the search can continue from there.
    """
    member = start
    while member < start + _UNBROKEN:
        try:
            end = _member_end(file, codec, member, start + _UNBROKEN)
            following = None if end is None else _following_member(file, codec, end)
        except DamagedStreamError:
            return member + 1
        if following is None:
            return None
        member = following
    return None


def _member_end(file: IO[bytes], codec: Codec, start: int, most: int) -> int | None:
    """Return the offset at which the member at `start` ends; None if that is at byte `most` or
    later.

    Raises `DamagedStreamError` if the member is damaged.
    """
    file.seek(start)
    decoder = codec.decoder()
    offset, decoded = start, 0
    while offset < most and decoded < _MOST_FOLLOWED:
        step = file.read(_STEP_FOLLOWED)
        if not step:
            raise TruncatedStreamError("the compressed data end too early")
        offset += len(step)
        is_finished = False
        while not is_finished:
            try:
                output = decoder.decompress(step, _STEP_OUTPUT)
            except _ERRORS as error:
                raise DamagedStreamError(f"the compressed data are damaged ({error})") from error
            decoded += len(output)
            if decoder.eof:
                return offset - len(decoder.unused_data)
            step = getattr(decoder, "unconsumed_tail", b"")
            is_finished = decoded >= _MOST_FOLLOWED or (not step and len(output) < _STEP_OUTPUT)
    return None


def _following_member(file: IO[bytes], codec: Codec, position: int) -> int | None:
    """Return the offset of the next member at or after `position`; None at the end of the file.

    Zeros and skippable frames may precede it. Raises `DamagedStreamError` for anything else.
    """
    while True:
        file.seek(position)
        data = file.read(_STEP_FOLLOWED)
        first = data.lstrip(b"\0")
        position += len(data) - len(first)
        if not data:
            return None
        if not first:
            continue
        file.seek(position)
        first = file.read(_LONGEST_MAGIC)
        if codec.name == "zstd" and _SKIPPABLE.match(first):
            position += 8 + int.from_bytes(first[4:8], "little")
        elif codec.magic.match(first):
            return position
        else:
            raise DamagedStreamError("the compressed data are damaged (no member begins here)")


def _decodes_to(data: bytes, codec: Codec, begins: bytes) -> bool:
    decoder = codec.decoder()
    output = b""
    try:
        for start in range(0, len(data), codec.step):
            output += decoder.decompress(data[start : start + codec.step], *codec.bound)
            if len(output) >= len(begins) or decoder.eof:
                break
    except _ERRORS:
        return False
    return output.startswith(begins)


def read_dictionary(file: io.BufferedReader, codec: Codec) -> tuple[Codec, int]:
    """Read the zstd dictionary at the start of a file, if it has one.

    Returns the codec that decodes the frames after it, and how many bytes were read. The format is
    specified at https://iipc.github.io/warc-specifications/specifications/warc-zstd/. Raises
    `DamagedStreamError` if the dictionary is damaged, because no frame can be decoded without it.
    """
    if codec is not ZSTD or file.peek(4)[:4] != _DICTIONARY:
        return codec, 0
    size = int.from_bytes(file.read(8)[4:], "little")
    if size > _MOST_OF_A_DICTIONARY:
        raise DamagedStreamError(f"its zstd dictionary claims {size:,} bytes")
    data = file.read(size)
    if len(data) < size:
        raise DamagedStreamError("the file ends within its zstd dictionary")
    try:
        if ZSTD.magic.match(data):
            data = _zstd_decoder().decompress(data, _MOST_OF_A_DICTIONARY + 1)
        if len(data) > _MOST_OF_A_DICTIONARY:
            raise DamagedStreamError("its zstd dictionary expands to more than 16 MB")
    except ZstdError as error:
        raise DamagedStreamError(f"its zstd dictionary is damaged ({error})") from error
    if not data.startswith(_DICTIONARY_MAGIC):
        raise DamagedStreamError("its zstd dictionary is damaged")
    try:
        return codec.with_dictionary(data), 8 + size
    except (ZstdError, ValueError) as error:
        raise DamagedStreamError(f"its zstd dictionary is damaged ({error})") from error


class _DamagedStream(_Raw):
    """An empty stream whose first read raises the given error."""

    def __init__(self, file: IO[bytes], error: DamagedStreamError) -> None:
        super().__init__(file)
        self._error: DamagedStreamError | None = error

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        error, self._error = self._error, None
        if error is not None:
            raise error
        return 0


def open_stream(path: str | Path) -> io.BufferedReader:
    """Open a file, a URL or standard input (``-``), and decompress it.

    Raises `InputError` if the file cannot be opened.
    """
    if str(path) == "-":
        return decompressed(sys.stdin.buffer)
    file = open_file(str(path))
    try:
        return decompressed(file)
    except BaseException:
        file.close()
        raise


def read_bounded(stream: IO[bytes], limit: int) -> bytes | None:
    """Read the rest of `stream`; return None if it is longer than `limit` bytes."""
    data = stream.read(limit + 1)
    return None if len(data) > limit else data


def bounded_lines(stream: IO[bytes], most: int, where: str = "") -> Iterator[bytes]:
    """Yield the lines of a stream; raise `InputError` at a line of `most` bytes or more."""
    for number, line in enumerate(iter(partial(stream.readline, most), b""), start=1):
        if len(line) == most:
            raise InputError(
                f"{where}line {number} has more than {most // 1_000_000} MB, the most that is "
                "read; name another file"
            )
        yield line


def skip(stream: IO[bytes], count: int) -> int:
    """Read and discard `count` bytes; return how many there were."""
    remaining = count
    while remaining > 0 and (data := stream.read(min(remaining, _READ))):
        remaining -= len(data)
    return count - remaining
