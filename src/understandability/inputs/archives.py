"""Read the pages of tar and ZIP archives, and the files of an archive or a folder, within
limits.
"""

from __future__ import annotations

import io
import lzma
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Self

from understandability.errors import InputError
from understandability.inputs.limits import is_environment_error, too_long, unread
from understandability.inputs.streams import (
    MOST_OUTPUT,
    MOST_RATIO,
    DamagedStreamError,
    decompressed,
    open_stream,
    skip,
)
from understandability.text.page import HTML, MARKDOWN, TEXT, Failure, Page

PAGE_SUFFIXES = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".shtml": HTML,
    ".txt": TEXT,
    ".text": TEXT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdx": MARKDOWN,
}
_PAX_KEYS = (*tarfile.PAX_FIELDS, "hdrcharset")
# Headers that precede the header of their member, and hold its name.
_NAME_HEADERS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE)
_LONGEST_PAX_HEADER = 1 << 16
_MOST_OFFSETS = 500_000  # of members at which a tar archive is cut
_DIGITS = re.compile(rb"[0-9]+")
_MOST_DIGITS = 300
# The largest directory of a ZIP archive in bytes, and the longest record that locates it.
_MOST_OF_A_LIST = 1 << 26
_LONGEST_END = 22 + 65_535
ZIP_ERRORS = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
)
# Messages of `tarfile` for blocks that are not a header, and for zeros.
_ZEROS = "end of file header"
_NO_HEADER = ("bad checksum", "invalid header", _ZEROS)


class ForwardFile(io.RawIOBase):
    """A stream that `tarfile` can only read forwards, which protects against names of a gigabyte.

    The stream starts at byte `start`. The archive appears to end at byte `end`, where a member
    ends.
    """

    def __init__(
        self, stream: IO[bytes], most: int, start: int = 0, end: int | None = None
    ) -> None:
        self._stream, self._position, self._most = stream, start, most
        self._end = end
        self.in_headers = True
        self.is_within_member = False
        self.damage = ""

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence != 0 or offset < self._position:
            raise tarfile.ReadError("the archive would have to be read backwards")
        self._position += skip(self._stream, offset - self._position)
        return self._position

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._most:
            raise tarfile.ReadError(f"a header claims to be {size} bytes long")
        if self._end is not None and self._position >= self._end:
            # The mark at the end of an archive: two blocks of zeros.
            data = bytes(max(min(size, self._end + 2 * tarfile.BLOCKSIZE - self._position), 0))
        else:
            data = self._stream.read(size)
        self._position += len(data)
        # `tarfile` looks for a number before a name in a time that grows with its square.
        if self.in_headers and max(map(len, _DIGITS.findall(data)), default=0) > _MOST_DIGITS:
            raise tarfile.ReadError(f"a header has a number of more than {_MOST_DIGITS} digits")
        return data


class _Member(tarfile.TarInfo):
    """A tar member whose search for the next one continues after damaged headers and blocks of
    zeros.
    """

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        file = archive.fileobj
        assert isinstance(file, ForwardFile)
        if file.is_within_member:  # after a long name, which belongs to this member only
            return super().fromtarfile(archive)
        end: tarfile.HeaderError | None = None
        at = 0
        while True:
            start = file.tell()
            file.is_within_member = True
            try:
                member = super().fromtarfile(archive)
            except tarfile.HeaderError as error:
                length = file.tell() - start
                if str(error) == _ZEROS and length == tarfile.BLOCKSIZE:
                    end, at = end or error, start if end is None else at
                elif str(error) in _NO_HEADER and (start or length > tarfile.BLOCKSIZE):
                    file.damage = file.damage or f"no member begins at byte {start} ({error})"
                elif end is not None and length < tarfile.BLOCKSIZE:
                    raise end from None
                elif not start:
                    raise
                else:
                    where = "within a header" if length else "without its end mark"
                    raise tarfile.ReadError(f"it ends {where}, at byte {start}") from error
            else:
                if end is not None and not file.damage:
                    file.damage = f"members follow its end mark at byte {at}"
                return member
            finally:
                file.is_within_member = False


def tar_members(
    stream: IO[bytes], most: int, start: int = 0, end: int | None = None
) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield each member of a tar archive with the archive; read it before requesting the next one.

    Members after a damaged header are still yielded; `tarfile.TarError` is raised at the end.
    `most` is the number of bytes that a member may have. `start` and `end` restrict reading to a
    range of bytes (see `ForwardFile`).
    """
    file = ForwardFile(stream, most, start, end)
    try:
        with tarfile.open(fileobj=file, mode="r:", errorlevel=1, tarinfo=_Member) as archive:
            while (member := archive.next()) is not None:
                # It keeps all members it ever saw, and goes through all global headers for each.
                archive.members = []  # type: ignore[attr-defined]  # which the types leave out
                headers = archive.pax_headers
                archive.pax_headers = {key: headers[key] for key in _PAX_KEYS if key in headers}
                file.in_headers = False
                yield archive, member
                file.in_headers = True
        if file.damage:
            raise tarfile.ReadError(file.damage)
    except RecursionError as error:
        raise tarfile.ReadError("too many headers for one member") from error
    except IndexError as error:
        raise tarfile.ReadError("a header ends too early") from error
    except ValueError as error:
        raise tarfile.ReadError(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Entry:
    """One member of an archive. Its content must be read before the next member is requested."""

    name: str
    is_folder: bool
    is_plain: bool
    size: int
    open: Callable[[], IO[bytes] | None]


def _tar_entries(
    stream: io.BufferedReader, most: int, offsets: tuple[int, int | None] = (0, None)
) -> Iterator[_Entry]:
    for archive, member in tar_members(stream, max(most, 1 << 20), *offsets):
        name, opened = member.name.removeprefix("./"), partial(archive.extractfile, member)
        yield _Entry(name, member.isdir(), member.isreg(), member.size, opened)


def tar_offsets(file: IO[bytes]) -> list[int]:
    """Return the offsets of the members of a tar archive, where it can be split.

    The offset of a member includes preceding headers with its long name. The list ends early where
    the archive is damaged, and at headers that apply to later members or change the size of their
    member.
    """
    offsets: list[int] = []
    position, is_begun = 0, False
    while len(offsets) < _MOST_OFFSETS:
        file.seek(position)
        try:
            header = tarfile.TarInfo.frombuf(
                file.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape"
            )
        except tarfile.HeaderError:
            break
        if header.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_SPARSE) or header.size < 0:
            break
        if not is_begun:
            offsets.append(position)
        is_begun = header.type in _NAME_HEADERS
        if header.type == tarfile.XHDTYPE:
            content = file.read(min(header.size, _LONGEST_PAX_HEADER))
            if header.size > _LONGEST_PAX_HEADER or b" size=" in content or b"GNU.s" in content:
                offsets.pop()
                break
        position += tarfile.BLOCKSIZE
        if header.isreg() or is_begun or header.type not in tarfile.SUPPORTED_TYPES:
            position += -(-header.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
    return offsets


def zip_directory(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Return the directory of a ZIP archive; raise an error if it is too long."""
    with zipfile.ZipFile(_BoundedReads(file, _MOST_OF_A_LIST)) as archive:
        return archive.infolist()


def zip_sizes(file: IO[bytes]) -> list[int]:
    """Return the compressed size of each member of a ZIP archive."""
    return [entry.compress_size for entry in zip_directory(file)]


def is_plain(entry: zipfile.ZipInfo) -> bool:
    """Return True if a member of a ZIP archive is not a symbolic link."""
    return not stat.S_ISLNK(entry.external_attr >> 16)


def zip_entries(
    stream: io.BufferedReader, most: int, members: tuple[int, int] | None = None
) -> Iterator[_Entry]:
    """Yield the members of a ZIP archive; `members` restricts them to a range of indices.

    The file must be seekable, because the directory is at the end.
    """
    if not stream.seekable():
        message = "a zip archive is read from its end; name it as a file, not compressed again"
        raise InputError(message)
    size = stream.seek(0, io.SEEK_END)
    # How many members the end of the archive states, modulo 65,536.
    stream.seek(max(0, size - _LONGEST_END))
    _, mark, directory = stream.read().rpartition(b"PK\x05\x06")
    stated = int.from_bytes(directory[6:8], "little")
    remaining = max(MOST_OUTPUT, MOST_RATIO * size)
    with zipfile.ZipFile(_BoundedReads(stream, max(most + 1, _MOST_OF_A_LIST))) as archive:
        entries = archive.infolist()
        start, end = members or (0, len(entries))
        for index, entry in enumerate(entries[:end]):
            remaining -= min(entry.file_size, most)
            if index < start:
                continue
            if remaining < 0:
                raise zipfile.BadZipFile("it expands to more than is read")
            opened = partial(archive.open, entry)
            yield _Entry(entry.filename, entry.is_dir(), is_plain(entry), entry.file_size, opened)
    if (
        end == len(entries) and mark and stated not in (0xFFFF, len(entries) & 0xFFFF)
    ):  # which a large one leaves open
        raise zipfile.BadZipFile(f"{len(entries)} of its {stated} members are found")


def read_archive_pages(
    stream: io.BufferedReader,
    source: str,
    limit: int,
    skipped: Counter[str],
    *,
    is_zip: bool,
    members: tuple[int, int] | None = None,
    offsets: tuple[int, int | None] = (0, None),
) -> Iterator[Page | Failure]:
    """Yield the pages in an archive; links, devices and files of other types are counted in
    `skipped`.

    `members` is a range of members of a ZIP archive. `offsets` is a range of a tar archive; without
    an end it reaches to the end of the file. The stream is at its first byte.
    """
    try:
        if is_zip:
            entries = zip_entries(stream, limit, members)
        else:
            entries = _tar_entries(stream, limit, offsets)
        for entry in entries:
            if entry.is_folder:
                continue
            name = entry.name
            where = f"{source}!{name}"
            _, dot, ending = name.rpartition("/")[2].rpartition(".")
            suffix = dot + ending.lower() if dot else ".html"
            if not entry.is_plain:
                skipped["archive members that are not plain files"] += 1
            elif suffix not in PAGE_SUFFIXES:
                skipped[f"archive members with the suffix {suffix}"] += 1
            elif entry.size > limit:
                yield unread(where, too_long(limit), name)
            else:
                try:
                    file = entry.open()
                    content = file.read() if file else b""
                except ZIP_ERRORS as error:
                    if is_environment_error(error):
                        raise
                    yield unread(where, f"damaged member: {error}", name)
                    continue
                if len(content) < entry.size:
                    yield unread(where, "the archive ends within this member", name)
                else:
                    yield Page(name, where, content, PAGE_SUFFIXES[suffix])
    except (*ZIP_ERRORS, tarfile.TarError, DamagedStreamError, struct.error) as error:
        if is_environment_error(error):
            raise
        yield unread(source, f"damaged archive: {error}")


class _BoundedReads(io.RawIOBase):
    """A file that limits how much `zipfile` reads at once, because a directory may claim any
    length.
    """

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most
        self.seek, self.tell = file.seek, file.tell  # type: ignore[method-assign]  # as they are

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise zipfile.BadZipFile(f"its list of members claims {size:,} bytes")
        return self._file.read(size)


# The largest expanded source; all of NLTK's data is the largest known. A compressed source may
# expand to `_MOST_RATIO` times its size, or to `_ALWAYS` bytes; MeSH in XML expands twentyfold.
MAX_BYTES = 1 << 32
_MOST_RATIO = 100
_ALWAYS = 1 << 26
_MAX_MEMBERS = 100_000
_NamedStream = tuple[str, str, IO[bytes]]  # name, location for messages, content
_Opening = Callable[[IO[bytes]], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive: its path and its decoded bytes.

    The bytes must be read before the next file is requested.
    """

    name: str
    stream: io.BufferedReader


def members(path: Path, *, keep_compressed: bool = False) -> Iterator[Member]:
    """Yield the files in a folder or archive (or a single file), decompressed; links are not
    followed.

    `keep_compressed` leaves the files of a folder or archive as they are. Raises `InputError` for
    damaged files, and for a member whose path would leave the target folder (an absolute path,
    ``..``, a link). The same error is raised if all files decompress to more than `MAX_BYTES`, or
    to more than 64 MB and a hundred times the size of the archive.
    """
    size = path.stat().st_size if path.is_file() else MAX_BYTES
    bound = _Bound(min(MAX_BYTES, max(_ALWAYS, _MOST_RATIO * size)))
    opened = (lambda file: file) if keep_compressed else decompressed
    if path.is_dir():
        every = (file for file in sorted(path.rglob("*")) if not file.is_symlink())
        files = ((file.relative_to(path).as_posix(), file) for file in every if file.is_file())
        streams = _plain(files, opened)
    elif not path.is_file():
        raise InputError(f"{path} is neither a file nor a folder")
    elif _is_zip(path) or _is_tar(path):
        streams = _in_archive(path, opened)
    else:
        streams = _plain([(path.name, path)], decompressed)
    for name, where, stream in streams:
        yield Member(name, io.BufferedReader(_BoundedStream(stream, where, bound), 1 << 16))


def safe_name(name: str, source: Path) -> str:
    """Return the path of a member; raise `InputError` if it would leave the target folder.

    >>> safe_name("taggers/tags.json", Path("a.zip"))
    'taggers/tags.json'
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


def _is_tar(path: Path) -> bool:
    with open_stream(path) as stream:
        try:
            return stream.peek(512)[257:262] == b"ustar"
        except DamagedStreamError:
            return False


def _plain(files: Iterable[tuple[str, Path]], opened: _Opening) -> Iterator[_NamedStream]:
    for name, path in files:
        with path.open("rb") as file:
            yield name, str(path), opened(file)


def _in_archive(path: Path, opened: _Opening) -> Iterator[_NamedStream]:
    form, entries = ("zip", zip_entries) if _is_zip(path) else ("tar", _tar_entries)
    try:
        with open_stream(path) as file:
            for count, entry in enumerate(entries(file, MAX_BYTES if form == "zip" else 0)):
                if count > _MAX_MEMBERS:
                    raise InputError(f"{path} holds more than {_MAX_MEMBERS} files")
                if entry.is_folder:
                    continue
                name = safe_name(entry.name, path)
                content = entry.open() if entry.is_plain else None
                if content is None:
                    raise InputError(
                        f"{path} holds {name!r}, a link or device; only plain files are read"
                    )
                yield name, f"{path}:{name}", opened(content)
    except (*ZIP_ERRORS, tarfile.TarError, DamagedStreamError) as error:
        raise InputError(f"{path} is a damaged {form} archive: {error}") from error


class _Bound:
    """A budget of bytes that several streams share."""

    def __init__(self, most: int) -> None:
        self.most = self.remaining = most


class _BoundedStream(io.RawIOBase):
    """A stream that raises `InputError` if it is damaged, or exceeds its budget of bytes."""

    def __init__(self, stream: IO[bytes], where: str, bound: _Bound) -> None:
        self._stream, self._where, self._bound = stream, where, bound

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io's own buffers
        try:
            data = self._stream.read(len(buffer))
        except (DamagedStreamError, zipfile.BadZipFile, tarfile.TarError, zlib.error) as error:
            raise InputError(f"{self._where} is damaged: {error}") from error
        self._bound.remaining -= len(data)
        if self._bound.remaining < 0:
            raise InputError(
                f"{self._where} expands to more than {self._bound.most >> 20} MB, the most that is "
                "read of it"
            )
        buffer[: len(data)] = data
        return len(data)
