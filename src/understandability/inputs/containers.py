"""Files that hold many pages: JSON Lines, Parquet, TREC web text and tar archives.

Each reader takes a stream (or a path), the name of the source, a limit of decoded bytes for a
document, and what tables are read by or a counter of what is passed over; it gives pages, and
failures in the place of what cannot be read.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Self

from understandability.errors import InputError, in_one_line
from understandability.inputs.http import too_long
from understandability.inputs.jsonl import read_jsonl
from understandability.inputs.page_tables import Layout, Tables, page_of, read_object_pages
from understandability.inputs.parquet_pages import largest_pages
from understandability.inputs.remote import open_file
from understandability.inputs.streams import DamagedStreamError, skip
from understandability.text.page import HTML, TEXT, Failure, Page

if TYPE_CHECKING:
    import pyarrow as pa

PAGE_SUFFIXES = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".shtml": HTML,
    ".txt": TEXT,
    ".text": TEXT,
    ".md": TEXT,
}
_ROWS = 64
_PARQUET_PAGE = 1 << 27
_PARQUET_BATCH = 1 << 28


def read_jsonl_pages(
    stream: io.BufferedReader, source: str, limit: int, tables: Tables
) -> Iterator[Page | Failure]:
    """The pages of lines of JSON, such as ``{"id": "flu", "text": "Rest.", "url": "..."}``."""
    # JSON may write each byte of a text as an escape of six.
    lines = read_jsonl(stream, 6 * limit + 10_000)
    return read_object_pages(lines, source, limit, tables)


def read_parquet_pages(path: str, limit: int, tables: Tables) -> Iterator[Page | Failure]:
    """The pages of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_file(path) as raw:
        try:
            largest_pages(raw, ())  # looks at the footer before Arrow does
            file = pq.ParquetFile(raw, buffer_size=1 << 16, page_checksum_verification=True)
        except (OSError, ValueError, pa.ArrowException) as error:
            reason = in_one_line(error)
            raise InputError(f"{path} is not a Parquet file, or it is damaged: {reason}") from error
        layout = tables.layout(path, file.schema_arrow.names)
        try:
            # Arrow decodes a whole data page at once, whatever it unfolds to.
            pages = largest_pages(raw, layout.names)
            if len(pages) != file.num_row_groups:
                raise ValueError("its footer is read in two ways")
        except (OSError, ValueError) as error:
            reason = in_one_line(error)
            raise InputError(f"{path} is not a Parquet file, or it is damaged: {reason}") from error
        most = max(4 * limit, _PARQUET_PAGE)
        number = end = 0
        for group, columns in enumerate(pages):
            fit = [name for name, largest in columns.items() if largest <= most]
            # A row may unfold to a whole page: each has a page of its own, or all repeat one value.
            size = sum(columns[name] for name in fit)
            rows = max(1, min(_ROWS, _PARQUET_BATCH // max(size, 1)))
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
                            page = Failure(page.docno, where, "read", message)
                        yield page
            except (OSError, ValueError, pa.ArrowException) as error:
                damage = in_one_line(error)
            if number < end:
                where = f"{path}#{number + 1}"
                message = f"damaged Parquet file: rows {number + 1} to {end}: {damage}"
                yield Failure(where, where, "read", message)
                number = end
        if number < file.metadata.num_rows:
            message = f"damaged Parquet file: {number} rows are found, and its footer says "
            yield Failure(path, path, "read", f"{message}{file.metadata.num_rows}")


def _page_of_row(row: pa.RecordBatch, where: str, limit: int, layout: Layout) -> Page | Failure:
    try:
        (record,) = row.to_pylist()
    except UnicodeDecodeError as error:  # Arrow does not look at what it gives as text
        message = f"the row holds text that is not UTF-8 ({error.reason}); write it as bytes"
        return Failure(where, where, "read", message)
    return page_of(record, where, limit, layout)


def read_trec_pages(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """Pages of ``<DOC><DOCNO>...</DOCNO> ... </DOC>`` records, as TREC's web collections are.

    What follows ``<DOCHDR>`` is HTML; in collections without one, ``<TEXT>`` is plain text.
    """
    number = 0
    inside = False
    record = bytearray()  # a list of lines would be many times as large where they are empty
    size = 0
    lines = _Lines(stream)
    while True:
        try:
            line = lines.next()
        except DamagedStreamError as error:
            yield Failure(f"{source}#{number}", f"{source}#{number}", "read", str(error))
            inside = False
            continue
        if not line:
            break
        start = line.strip().upper()
        if start.startswith(b"<DOC>"):
            if inside:
                where = f"{source}#{number}"
                yield Failure(where, where, "read", "the record lacks its </DOC>")
            number, inside, record, size = number + 1, True, bytearray(), 0
            line = line[line.upper().index(b"<DOC>") + 5 :]
            start = line.strip().upper()
        if not inside:
            if start:
                skipped["lines outside <DOC> records"] += 1
            continue
        ends = start.endswith(b"</DOC>")
        size += len(line)
        if size <= limit + (1 << 20):
            record += line
        if ends:
            inside = False
            yield _trec_page(bytes(record), size, f"{source}#{number}", limit)
    if inside:
        where = f"{source}#{number}"
        yield Failure(where, where, "read", "the file ends within the record")


class _Lines:
    """Lines, or parts of long ones, cut also between two records that stand on one line."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._rest = b""

    def next(self) -> bytes:
        """The next one; nothing at the end."""
        rest, self._rest = self._rest, b""
        line = rest
        if not rest.endswith(b"\n"):
            line += self._stream.readline(1 << 16)
        border = _BETWEEN.search(line)
        end = border.end() if border else len(line)
        if not border and len(line) > len(rest):
            # A tag may go on behind a part of a line.
            start = line.rfind(b"<", -len(b"</DOC"))
            end = start if start > 0 and not line.endswith(b"\n") else end
        self._rest = line[end:]
        return line[:end]


_BETWEEN = re.compile(rb"</DOC>\s*(?=<DOC>)", re.I)


def _tags(names: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """What opens and what closes elements; a pattern from tag to tag would take quadratic time."""
    return re.compile(rb"<(?:%b)>" % names, re.I), re.compile(rb"</(?:%b)>" % names, re.I)


_DOCNO, _DOCHDR, _TEXT = _tags(b"DOCNO"), _tags(b"DOCHDR"), _tags(b"TEXT|TITLE|HEADLINE")
_MARKUP = re.compile(rb"<(?:html|head|body|p|div|br|table)\b", re.I)


def _trec_page(record: bytes, size: int, where: str, limit: int) -> Page | Failure:
    found, end = next(_elements(record, *_DOCNO), (b"", 0))
    docno = found.strip().decode("utf-8", "replace")
    if not docno:
        return Failure(where, where, "read", "the record has no <DOCNO>")
    if size > limit:
        return Failure(docno, where, "read", too_long(limit))
    body = record[end:]
    body = body[: body.upper().rindex(b"</DOC>")]
    header, end = next(_elements(body, *_DOCHDR), (b"", 0))
    if end:
        words = header.split(None, 1)
        url = words[0].decode("utf-8", "replace") if words else None
        return Page(docno, where, body[end:], HTML, url=url)
    texts = [text for text, _ in _elements(body, *_TEXT)]
    if texts and not any(_MARKUP.search(text) for text in texts):
        return Page(docno, where, b"\n\n".join(texts), TEXT)
    return Page(docno, where, body, HTML)


def _elements(
    record: bytes, opening: re.Pattern[bytes], closing: re.Pattern[bytes]
) -> Iterator[tuple[bytes, int]]:
    """What each element holds, and where it ends."""
    end = 0
    while (first := opening.search(record, end)) and (last := closing.search(record, first.end())):
        end = last.end()
        yield record[first.end() : last.start()], end


_PAX_KEYS = (*tarfile.PAX_FIELDS, "hdrcharset")
_DIGITS = re.compile(rb"[0-9]+")
_MOST_DIGITS = 300
# What `tarfile` says of blocks that are no header, and of zeros.
_ZEROS = "end of file header"
_NO_HEADER = ("bad checksum", "invalid header", _ZEROS)


class ForwardFile(io.RawIOBase):
    """A stream that `tarfile` can read member by member, forwards and within bounds.

    The bound is for the headers of an archive: a long name may claim to be a gigabyte long.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._position, self._most = stream, 0, most
        self.in_headers = True
        self.is_within_member = False
        self.damage = ""

    def readable(self) -> bool:
        return True

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
        data = self._stream.read(size)
        self._position += len(data)
        # `tarfile` looks for a number before a name in a time that grows with its square.
        if self.in_headers and max(map(len, _DIGITS.findall(data)), default=0) > _MOST_DIGITS:
            raise tarfile.ReadError(f"a header has a number of more than {_MOST_DIGITS} digits")
        return data


class _Member(tarfile.TarInfo):
    """A member, looked for behind what `tarfile` takes for the archive's end.

    That is a damaged header, and blocks of zeros: they are lost ones, or two archives are joined.
    """

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        file = archive.fileobj
        assert isinstance(file, ForwardFile)
        if file.is_within_member:  # behind a long name, which is that of no later member
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
                    file.damage = f"members stand behind the mark of its end at byte {at}"
                return member
            finally:
                file.is_within_member = False


def tar_members(stream: IO[bytes], most: int) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Each member of an archive, to be read before the next; raises `tarfile.TarError`.

    After damage to a header the members behind it are given, too, before the error is raised.
    """
    file = ForwardFile(stream, most)
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


def read_tar_pages(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """The pages among an archive's plain files; links, devices and other files are counted."""
    try:
        for archive, member in tar_members(stream, max(limit, 1 << 20)):
            yield from _tar_page(archive, member, source, limit, skipped)
    except (tarfile.TarError, DamagedStreamError) as error:
        yield Failure(source, source, "read", f"damaged archive: {error}")


def _tar_page(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    source: str,
    limit: int,
    skipped: Counter[str],
) -> Iterator[Page | Failure]:
    name = member.name.removeprefix("./")
    where = f"{source}!{name}"
    if member.isdir():
        return
    if not member.isreg():
        skipped["archive members that are no plain files"] += 1
        return
    if "." not in name.rpartition("/")[2]:
        suffix = ".html"
    else:
        suffix = "." + name.rpartition(".")[2].lower()
    if suffix not in PAGE_SUFFIXES:
        skipped[f"archive members with the suffix {suffix}"] += 1
        return
    if member.size > limit:
        yield Failure(name, where, "read", too_long(limit))
        return
    file = archive.extractfile(member)
    content = file.read() if file else b""
    if len(content) < member.size:
        yield Failure(name, where, "read", "the archive ends within this member")
        return
    yield Page(name, where, content, PAGE_SUFFIXES[suffix])
