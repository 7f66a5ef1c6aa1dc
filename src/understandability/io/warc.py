"""WARC and WET files (ClueWeb12, Common Crawl, web archives) as pages.

Written here because a crawl must survive its broken records: FastWARC 2.0.1 ends without a word
where a file is cut, cannot go on behind a damaged record, and loses its place after an encoded
payload that was read in part. This reader reports each of these and finds the next record.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from understandability.errors import PageError
from understandability.io.http import decoded_body, parse_headers, parse_response, too_long
from understandability.io.streams import DamagedStreamError, skip
from understandability.records import HTML, TEXT, Failure, Page

MEDIA_TYPES = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/plain": TEXT,
    "": HTML,  # servers that name no type mostly send HTML; decoding refuses what is none
}
_LINE = 1 << 16
_NEXT_RECORD = b"\nWARC/1."
_HEADER_LINES = 1000
_HTTP_HEADERS = 1 << 20


def read_warc(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """The pages of a WARC stream: HTML and text responses with status 200, and conversions.

    `skipped` counts what is passed over, by kind. A page's docno is its ``WARC-TREC-ID``, else
    its target URI. A broken record gives one `Failure`, and reading goes on behind it.
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
            docno = f"{source}#{number}"
            if isinstance(error, _BrokenRecordError) and error.docno:
                docno = error.docno
            yield Failure(docno, f"{source}#{number}", "read", f"broken WARC record: {error}")
            reader.find_next()
            continue
        if page is not None:
            yield page


def _page(
    reader: _Records, headers: dict[str, str], source: str, limit: int, skipped: Counter[str]
) -> Page | Failure | None:
    """The page of the record whose headers were just read; None if it is none."""
    kind = headers.get("warc-type", "").lower()
    uri = headers.get("warc-target-uri", "").strip("<>")
    docno = headers.get("warc-trec-id") or uri or headers.get("warc-record-id", source)
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        length = int(headers.get("content-length", ""))
    except ValueError:
        length = -1
    if length < 0:
        raise _BrokenRecordError("it has no valid Content-Length", docno)
    is_response = kind == "response" and media in ("application/http", "")
    if not is_response and kind != "conversion":
        reader.content(length, _HTTP_HEADERS, docno)
        # ClueWeb09 and 12 begin each file with a warcinfo record, which is nothing to report.
        if kind not in ("warcinfo", "request", "metadata"):
            skipped[f"WARC records of type {kind or 'unknown'}"] += 1
        return None
    content = reader.content(length, limit + _HTTP_HEADERS, docno)
    flags: tuple[str, ...] = ()
    if truncated := headers.get("warc-truncated"):
        skipped[f"WARC records cut by the crawler ({truncated}), scored as far as they go"] += 1
        flags = ("truncated",)
    try:
        if kind == "conversion":
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
        return Page(
            docno,
            source,
            decoded_body(response, limit),
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
    """The records of a WARC stream, one after another: headers first, then the content."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._again = io.BytesIO()  # content of a broken record, to be read once more
        # What was read behind the headers of the last record: a wrong length swallows the next.
        self._content = b""
        self._lines_behind: list[bytes] = []
        self._found = b""  # a version line that `find_next` came upon

    def next_headers(self) -> dict[str, str] | None:
        """The headers of the next record, by lower-case name; None at the end."""
        line, self._found = self._found, b""
        while not line:
            raw = self._readline()
            if not raw:
                return None
            if len(self._lines_behind) == _HEADER_LINES:  # padding without end
                self._content = b""
                self._lines_behind.clear()
            self._lines_behind.append(raw)
            line = raw.strip()
        if not line.startswith(b"WARC/"):
            raise _BrokenRecordError(f"it begins with {line[:20]!r} instead of WARC/1.0")
        self._content = b""
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
        """The content of a record; of one that is longer than `most` bytes, the beginning."""
        self._content = content = self._read(min(length, most))
        self._lines_behind.clear()
        if len(content) < length:
            if _NEXT_RECORD in content:
                raise _BrokenRecordError("its Content-Length reaches into other records", docno)
            if len(content) + skip(self._stream, length - len(content)) < length:
                raise _BrokenRecordError("the file ends within its content", docno)
        return content

    def find_next(self) -> None:
        """Read past what is broken, up to the next line that begins a record."""
        if _NEXT_RECORD in self._content:
            behind = b"".join(self._lines_behind)
            self._again = io.BytesIO(self._content + behind + self._again.read())
            self._content = b""
        at_line_start = True
        while True:
            try:
                line = self._readline()
            except DamagedStreamError:
                at_line_start = True
                continue
            if not line or (at_line_start and line.startswith((b"WARC/1.", b"WARC/0."))):
                self._found = line.strip()
                return
            at_line_start = line.endswith(b"\n")

    def _read(self, count: int) -> bytes:
        data = self._again.read(count)
        return data + self._stream.read(count - len(data)) if len(data) < count else data

    def _readline(self) -> bytes:
        line = self._again.readline(_LINE)
        if line.endswith(b"\n") or len(line) >= _LINE:
            return line
        return line + self._stream.readline(_LINE)
