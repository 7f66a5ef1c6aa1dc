"""The files inside a file, a folder, a zip or a tar archive, opened safely one after another."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from understandability.errors import InputError
from understandability.inputs.containers import tar_members
from understandability.inputs.streams import DamagedStreamError, decompressed, open_stream

# What one source may unfold to: all of NLTK's data is the largest. One that is packed may unfold
# to so many times its size, or to the bytes below; MeSH in XML unfolds to twenty times.
MAX_BYTES = 1 << 32
_MOST_RATIO = 100
_ALWAYS = 1 << 26
_MAX_MEMBERS = 100_000


@dataclass(frozen=True, slots=True)
class Member:
    """One file: `name` is its path below the folder or archive, `stream` its decoded bytes.

    The stream is good until the next member is asked for.
    """

    name: str
    stream: io.BufferedReader


def members(path: Path, *, keep_compressed: bool = False) -> Iterator[Member]:
    """The files of `path`, gzip and zstd undone; only plain files that stay below the top.

    `keep_compressed` leaves the files of a folder or archive as they are. Raises `InputError`
    for what is damaged, for a member that would climb out of the folder it is put in (an
    absolute path, ``..``, a link), and when the streams read unfold to more than `MAX_BYTES`
    in all, or to more than 64 MB and a hundred times the size of the file.
    """
    size = path.stat().st_size if path.is_file() else MAX_BYTES
    bounded = _Bound(min(MAX_BYTES, max(_ALWAYS, _MOST_RATIO * size)))
    if path.is_dir():
        yield from _of_folder(path, keep_compressed, bounded)
    elif not path.is_file():
        raise InputError(f"{path} is neither a file nor a folder")
    elif _is_zip(path):
        yield from _of_zip(path, keep_compressed, bounded)
    elif _is_tar(path):
        yield from _of_tar(path, keep_compressed, bounded)
    else:
        with open_stream(path) as stream:
            yield Member(path.name, bounded(stream, str(path)))


def safe_name(name: str, source: Path) -> str:
    """The name of a member, if it stays below the folder that it is unpacked in.

    >>> safe_name("taggers/tags.json", Path("a.zip"))
    'taggers/tags.json'
    >>> safe_name("../tags.json", Path("a.zip"))
    Traceback (most recent call last):
    ...
    understandability.errors.InputError: a.zip holds '../tags.json', which would be written ...
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0] or "\0" in name:
        raise InputError(
            f"{source} holds {name!r}, which would be written outside its folder; "
            "do not use this archive"
        )
    return "/".join(parts)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _of_folder(folder: Path, keep_compressed: bool, bounded: _Bound) -> Iterator[Member]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        with path.open("rb") as file:
            yield Member(name, bounded(file if keep_compressed else decompressed(file), str(path)))


def _of_zip(path: Path, keep_compressed: bool, bounded: _Bound) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > _MAX_MEMBERS:
                raise InputError(f"{path} holds more than {_MAX_MEMBERS} files")
            for entry in entries:
                if entry.is_dir():
                    continue
                name = safe_name(entry.filename, path)
                if stat.S_ISLNK(entry.external_attr >> 16):
                    raise InputError(f"{path} holds the link {name!r}; only plain files are read")
                with archive.open(entry) as file:
                    where = f"{path}:{name}"
                    stream = file if keep_compressed else decompressed(file)
                    yield Member(name, bounded(stream, where))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"{path} is a damaged or encrypted zip archive: {error}") from error


def _is_tar(path: Path) -> bool:
    with open_stream(path) as stream:
        try:
            return stream.peek(512)[257:262] == b"ustar"
        except DamagedStreamError:
            return False


def _of_tar(path: Path, keep_compressed: bool, bounded: _Bound) -> Iterator[Member]:
    try:
        with open_stream(path) as file:
            for count, (archive, entry) in enumerate(tar_members(file, 1 << 20)):
                if count > _MAX_MEMBERS:
                    raise InputError(f"{path} holds more than {_MAX_MEMBERS} files")
                if entry.isdir():
                    continue
                name = safe_name(entry.name, path)
                content = archive.extractfile(entry) if entry.isreg() else None
                if content is None:
                    raise InputError(
                        f"{path} holds {name!r}, a link or device; only plain files are read"
                    )
                where = f"{path}:{name}"
                stream = content if keep_compressed else decompressed(content)
                yield Member(name, bounded(stream, where))
    except (tarfile.TarError, DamagedStreamError, EOFError) as error:
        raise InputError(f"{path} is a damaged tar archive: {error}") from error


class _Bound:
    """Makes streams that together give no more than `most` bytes."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def __call__(self, stream: IO[bytes], where: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedStream(stream, where, self), 1 << 16)


class _BoundedStream(io.RawIOBase):
    """A stream that does not unfold without end, and says in one sentence where it is damaged."""

    def __init__(self, stream: IO[bytes], where: str, bound: _Bound) -> None:
        self._stream, self._where, self._bound = stream, where, bound

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        try:
            data = self._stream.read(len(buffer))
        except (DamagedStreamError, zipfile.BadZipFile, tarfile.TarError, zlib.error) as error:
            raise InputError(f"{self._where} is damaged: {error}") from error
        self._bound.left -= len(data)
        if self._bound.left < 0:
            raise InputError(
                f"{self._where} expands to more than {self._bound.most >> 20} MB, the most that is "
                "read of it"
            )
        buffer[: len(data)] = data
        return len(data)
