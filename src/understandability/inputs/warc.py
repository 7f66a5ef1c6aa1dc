"""WARC and WET files (ClueWeb12, Common Crawl, web archives) as pages.

Written here because a crawl must survive its broken records: FastWARC 2.0.1 ends without a word
where a file is cut, and cannot go on behind a damaged record.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator

from understandability.errors import PageError
from understandability.inputs.http import decoded_body, parse_headers, parse_response
from understandability.inputs.limits import too_long, unread
from understandability.inputs.streams import DamagedStreamError
from understandability.text.page import HTML, TEXT, Failure, Page

MEDIA_TYPES = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/plain": TEXT,
    "": HTML,  # servers that name no type mostly send HTML; decoding refuses what is none
}
_READ = 1 << 16
_LINE = 1 << 16
_NOT_SPACE = re.compile(rb"\S")
_VERSION = re.compile(rb"WARC/[01]\.")
_VERSION_LINE = re.compile(rb"\nWARC/[01]\.")
# What a record within the content of another looks like: a version and the name of a header.
_RECORD = re.compile(rb"\nWARC/[01]\.[0-9]{1,3}[ \t]{0,9}\r?\n[A-Za-z][A-Za-z-]{1,40}:")
_BORDER = 1 << 7  # bytes that a `_RECORD` fits in, to find one that stands across two blocks
_AHEAD = 1 << 24  # how far ahead the end of a content is looked at
_HEADER_LINES = 1000
_HTTP_HEADERS = 1 << 20


def read_warc(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """The pages of a WARC stream: HTML and text responses with status 200, and conversions.

    `skipped` counts what is passed over, by kind. A page's docno is its ``WARC-TREC-ID``, else
    its target URI. A broken record gives one `Failure`, and reading goes on behind it; one whose
    length reaches into the next record is read as far as that one, and gives a `Failure`, too.
    """
    reader = _Records(stream)
    number = 0
    while True:
        try:
            headers = reader.next_headers()
            if headers is None:
                return
            number += 1
            page = _page(reader, headers, f"{source}#{number}", limit, skipped)
        except (_BrokenRecordError, DamagedStreamError) as error:
            docno = getattr(error, "docno", "")
            yield unread(f"{source}#{number}", f"broken WARC record: {error}", docno)
            reader.find_next()
            continue
        if page is not None:
            yield page


def _page(
    reader: _Records, headers: dict[str, str], source: str, limit: int, skipped: Counter[str]
) -> Page | Failure | None:
    """The page of the record whose headers were just read; None if it is none."""
    record_type = headers.get("warc-type", "").lower()
    uri = headers.get("warc-target-uri", "").strip("<>")
    docno = headers.get("warc-trec-id") or uri or headers.get("warc-record-id", source)
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        length = int(headers.get("content-length", ""))
    except ValueError:
        length = -1
    if length < 0:
        raise _BrokenRecordError("it has no valid Content-Length", docno)
    is_response = record_type == "response" and media in ("application/http", "")
    if not is_response and record_type != "conversion":
        reader.content(length, _HTTP_HEADERS, docno)
        # ClueWeb09 and 12 begin each file with a warcinfo record, which is nothing to report.
        if record_type not in ("warcinfo", "request", "metadata"):
            skipped[f"WARC records of type {record_type or 'unknown'}"] += 1
        return None
    content = reader.content(length, limit + _HTTP_HEADERS, docno)
    flags: tuple[str, ...] = ()
    if truncated := headers.get("warc-truncated"):
        skipped[f"WARC records cut by the crawler ({truncated}), scored as far as they go"] += 1
        flags = ("truncated",)
    try:
        if record_type == "conversion":
            if len(content) > limit:
                raise PageError("read", too_long(limit))
            if media not in MEDIA_TYPES:
                skipped[f"WARC conversions of media type {media}"] += 1
                return None
            return Page(docno, source, content, TEXT, "utf-8", uri or None, flags)
        response = parse_response(content)
        if response.status != 200:
            skipped[f"WARC responses with status {response.status}"] += 1
            return None
        if response.media_type not in MEDIA_TYPES:
            skipped[f"WARC responses of media type {response.media_type}"] += 1
            return None
        body = decoded_body(response, limit)
        if body.is_truncated and not flags:
            skipped["WARC responses that are cut off, scored as far as they go"] += 1
            flags = ("truncated",)
        return Page(
            docno,
            source,
            body.content,
            MEDIA_TYPES[response.media_type],
            response.charset,
            uri or None,
            flags,
        )
    except PageError as error:
        return Failure(docno, source, error.stage, str(error))


class _BrokenRecordError(Exception):
    def __init__(self, message: str, docno: str = "") -> None:
        super().__init__(message)
        self.docno = docno


class _Records:
    """The records of a WARC stream, one after another: headers first, then the content.

    The buffer holds what was read ahead: `_AHEAD` bytes or one content.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._at = 0
        self._damage: DamagedStreamError | None = None  # what comes behind the buffer
        self._broken: _BrokenRecordError | None = None  # what was wrong with the last content

    def next_headers(self) -> dict[str, str] | None:
        """The headers of the next record, by lower-case name; None at the end."""
        if self._broken:
            broken, self._broken = self._broken, None
            raise broken
        while (text := _NOT_SPACE.search(self._buffer, self._at)) is None:
            self._at = len(self._buffer)
            if not self._fill(1):
                return None
        self._at = text.start()
        line = self._readline().strip()
        if not line.startswith(b"WARC/"):
            raise _BrokenRecordError(f"it begins with {line[:20]!r} instead of WARC/1.0")
        lines: list[bytes] = []
        while True:
            line = self._readline()
            if not line:
                raise _BrokenRecordError("the file ends within its headers")
            if not line.strip():
                return parse_headers(lines)
            if len(line) >= _LINE or len(lines) == _HEADER_LINES:
                raise _BrokenRecordError("its headers do not end")
            lines.append(line)

    def content(self, length: int, most: int, docno: str) -> bytes:
        """The content of a record; of one that is longer than `most` bytes, the beginning.

        A content may hold what looks like a record, but then the next record or the end of the
        file has to follow it; where that is too far away to be seen, its length is not believed.
        A content with a wrong length is cut there, and `next_headers` raises what was wrong.
        """
        content: bytes | None = None
        left = length
        while content is None or left:
            size = min(left, most if content is None else _READ)
            there = self._look(size + _BORDER)
            end = self._at + size
            record = _RECORD.search(self._buffer, max(self._at - 1, 0), end + _BORDER)
            ahead = record.start() + 1 - self._at if record else size + 1
            if ahead <= size and not self._ends_after(left):
                self._broken = _BrokenRecordError("its Content-Length reaches into other records")
                part = self._take(ahead)
                return part.removesuffix(b"\r\n\r\n") if content is None else content
            if there < size:
                self._at = len(self._buffer)
                self._fill(1)  # raises what the damage is
                raise _BrokenRecordError("the file ends within its content", docno)
            part = self._take(size)
            content = part if content is None else content
            left -= size
        return content

    def find_next(self) -> None:
        """Read past what is broken, up to the next line that begins a record."""
        at_line_start = True
        while True:
            try:
                if not self._fill(_BORDER):
                    return
            except DamagedStreamError:
                at_line_start = True
                continue
            if at_line_start and _VERSION.match(self._buffer, self._at):
                return
            if line := _VERSION_LINE.search(self._buffer, self._at):
                self._at = line.start() + 1
                return
            # No line begins here: look further, and keep the end of the buffer, where the first
            # bytes of a version line may stand.
            seen = len(self._buffer) - self._at
            more = self._look(seen + 1) > seen
            self._at += max(seen - _BORDER, 0) if more else seen
            at_line_start = at_line_start and more and seen <= _BORDER

    def _ends_after(self, count: int) -> bool:
        """Whether the file ends `count` bytes ahead, or the next record begins there."""
        if count > _AHEAD or self._look(count + _BORDER) < count:
            return False
        behind = self._buffer[self._at + count : self._at + count + _BORDER].lstrip()
        return behind.startswith(b"WARC/"[: len(behind)])

    def _readline(self) -> bytes:
        """The next line, or as much of it as is allowed; nothing at the end."""
        end = self._buffer.find(b"\n", self._at, self._at + _LINE) + 1
        if not end:
            self._fill(_LINE)
            end = self._buffer.find(b"\n", self._at, self._at + _LINE) + 1 or self._at + _LINE
        return self._take(end - self._at)

    def _take(self, count: int) -> bytes:
        data = bytes(memoryview(self._buffer)[self._at : self._at + count])
        self._at += len(data)
        return data

    def _fill(self, count: int) -> int:
        """Look `count` bytes ahead; damage is raised once all that is before it was read."""
        there = self._look(count)
        if not there and self._damage:
            damage, self._damage = self._damage, None
            raise damage
        return there

    def _look(self, count: int) -> int:
        """Have `count` bytes in the buffer where there are so many; returns how many there are."""
        if len(self._buffer) - self._at < count:
            passed = max(self._at - 1, 0)  # the byte before tells whether a line begins here
            del self._buffer[:passed]
            self._at -= passed
        while len(self._buffer) - self._at < count and not self._damage:
            try:
                # Unlike read, read1 loses nothing of what stands before the damage.
                data = self._stream.read1(_READ)
            except DamagedStreamError as error:
                self._damage = error
                break
            if not data:
                break
            self._buffer += data
        return len(self._buffer) - self._at
