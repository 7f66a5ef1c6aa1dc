"""Files and URLs as streams of decoded bytes: plain, gzip or zstd, told by their first bytes.

At damage one read raises `DamagedStreamError`; the next goes on with the following member or frame.
"""

from __future__ import annotations

import io
import re
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import zstandard

from understandability.errors import InputError, MissingExtraError

# The extra that brings the package for a kind of URL; others need theirs by hand.
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = re.compile(rb"\0*[\x50-\x5f]\x2a\x4d\x18")
_READ = 1 << 16
# What is looked at again behind damage is what the last step did not decode, so that a step
# must not unfold far: one of deflate stops at `_UNFOLDED` bytes; one of zstd, whose decoder
# knows no such bound, has eight blocks of 128 KiB at most.
_GZIP_STEP, _ZSTD_STEP = 1 << 13, 1 << 5
_UNFOLDED = 1 << 16
# All that a file may unfold to: text shrinks to a fifth, that of a template to a hundredth.
MOST_OUTPUT = 1 << 30
MOST_RATIO = 300
_ZSTD_WINDOW = 1 << 27  # what `zstd --long` needs


def is_url(path: str) -> bool:
    """Whether a path is for fsspec."""
    return "://" in path


def file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it.

    Raises `MissingExtraError` where a package is missing, `InputError` for an unknown kind.
    """
    scheme = url.partition("://")[0]
    try:
        import fsspec.core

        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = f"'.[{_EXTRAS[scheme]}]' in the source folder" if scheme in _EXTRAS else "fsspec"
        raise MissingExtraError(
            f"{url} needs a package that is not installed ({error}); pip install {package}"
        ) from error
    except ValueError as error:
        raise InputError(f"{url} is of an unknown kind: {error}") from error
    return system, path


def open_file(path: str) -> IO[bytes]:
    """Open a file or a URL for reading; raises `InputError` where that cannot be done."""
    try:
        if is_url(path):
            system, path_there = file_system(path)
            file: IO[bytes] = system.open(path_there, "rb")
            return file
        return Path(path).open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


class DamagedStreamError(InputError):
    """A compressed stream is broken here; reading on continues behind the damage."""


class _Raw(io.RawIOBase):
    """A readable object of any kind as the raw stream that `io.BufferedReader` wants."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _MemberStream(_Raw):
    """Decoded bytes of a file made of gzip members or zstd frames."""

    def __init__(self, file: IO[bytes], magic: bytes) -> None:
        super().__init__(file)
        self._magic = magic
        is_gzip = magic == GZIP_MAGIC
        self._step, self._most = (_GZIP_STEP, [_UNFOLDED]) if is_gzip else (_ZSTD_STEP, [])
        self._decoder: Any = None  # of one gzip member or zstd frame
        self._input = b""
        self._output = memoryview(b"")
        self._bytes_in = self._bytes_out = 0
        self._given_up = False
        self._lost = False  # on the way to the next member, behind what is told

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        while not self._output:
            if self._given_up:
                return 0
            if self._bytes_out > max(MOST_OUTPUT, MOST_RATIO * self._bytes_in):
                self._given_up = True
                raise DamagedStreamError(
                    f"the compressed data expand to more than {MOST_OUTPUT / 1e6:,.0f} MB and "
                    f"more than {MOST_RATIO} times their size, the most that is read"
                )
            if not self._input:
                self._input = self._more()
            at_end = not self._input
            if at_end and self._decoder is None:
                return 0
            self._output = memoryview(self._decode_step())
            # At the end the decoder may still hold output that went beyond the last step.
            if at_end and not self._output and self._decoder is not None:
                self._decoder = None
                raise DamagedStreamError("the compressed data end too early")
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count

    def _more(self) -> bytes:
        data = self._file.read(_READ)
        self._bytes_in += len(data)
        return data

    def _decode_step(self) -> bytes:
        if self._decoder is None:
            if not self._find_member():
                return b""
            self._decoder = (
                zlib.decompressobj(31)
                if self._magic == GZIP_MAGIC
                else zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
            )
        step, self._input = self._input[: self._step], self._input[self._step :]
        try:
            output: bytes = self._decoder.decompress(step, *self._most)
        except (zlib.error, zstandard.ZstdError) as error:
            self._decoder, self._lost = None, True
            self._bytes_out += _UNFOLDED  # that much may have been decoded and is lost
            # The damage may lie in the header of this member: look behind its first byte.
            self._input = step[1:] + self._input
            raise DamagedStreamError(f"the compressed data are damaged ({error})") from error
        self._bytes_out += len(output)
        if self._decoder.eof:
            self._input = self._decoder.unused_data + self._input
            self._decoder = None
        elif rest := self._decoder.unconsumed_tail:
            self._input = rest + self._input
        return output

    def _find_member(self) -> bool:
        """Skip to the next member's first bytes; padding and what is damaged lie between."""
        if len(self._input) < len(self._magic):
            self._input += self._more()
        start = self._input.find(self._magic)
        between = self._input[:start] if start >= 0 else self._input
        # Zeros fill up blocks; frames that zstd skips have their own mark.
        if _SKIPPABLE.match(between):
            self._lost = True
        if between.strip(b"\0") and not self._lost:
            self._lost = True
            raise DamagedStreamError("the compressed data are damaged (no member begins here)")
        self._lost = self._lost and start < 0
        if start < 0:
            # The first bytes of a member may stand across the border of two reads.
            tail = self._input[-len(self._magic) + 1 :]
            more = self._more()
            self._input = tail + more if more else b""
            return False
        self._input = self._input[start:]
        return True


def decompressed(file: IO[bytes]) -> io.BufferedReader:
    """The decoded bytes of `file`, which is gzip, zstd or neither by its first bytes."""
    # The stream of a pipe gives fewer bytes than asked for; a BufferedReader peeks safely.
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(_Raw(file))
    first = buffered.peek(4)[:4]
    for magic in (GZIP_MAGIC, ZSTD_MAGIC):
        if first.startswith(magic):
            return io.BufferedReader(_MemberStream(buffered, magic), _READ)
    return buffered


def open_stream(path: str | Path) -> io.BufferedReader:
    """Open a file, a URL or standard input (``-``), and decode it if it is gzip or zstd.

    Raises `InputError` in one sentence where the file cannot be opened.
    """
    if str(path) == "-":
        return decompressed(sys.stdin.buffer)
    return decompressed(open_file(str(path)))


def read_bounded(stream: IO[bytes], limit: int) -> bytes | None:
    """All that is left of `stream`, or None where that is more than `limit` bytes."""
    data = stream.read(limit + 1)
    return None if len(data) > limit else data


def bounded_lines(stream: IO[bytes], most: int, where: str = "") -> Iterator[bytes]:
    """The lines of a stream, of fewer than `most` bytes each; `InputError` at a longer one."""
    for number, line in enumerate(iter(partial(stream.readline, most), b""), start=1):
        if len(line) == most:
            raise InputError(
                f"{where}line {number} has more than {most // 1_000_000} MB, the most that is "
                "read; name another file"
            )
        yield line


def skip(stream: IO[bytes], count: int) -> int:
    """Read past `count` bytes without keeping them; returns how many there were."""
    left = count
    while left > 0 and (data := stream.read(min(left, _READ))):
        left -= len(data)
    return count - left
