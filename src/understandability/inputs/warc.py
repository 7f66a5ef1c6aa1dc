"""Read pages from WARC, WET and ARC files (ClueWeb12, Common Crawl, web archives).

We use our own reader, because a crawl must survive broken records: FastWARC 2.0.1 stops silently at
the end of a truncated file, and cannot continue after a damaged record.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import IO
from urllib.parse import urlsplit

from understandability.errors import PageError
from understandability.flags import FlagName
from understandability.inputs.http import HttpResponse, decoded_body, parse_headers, parse_response
from understandability.inputs.limits import too_long, unread
from understandability.inputs.records import BrokenRecordError, RecordFormat, Records
from understandability.inputs.streams import DamagedStreamError, Window
from understandability.text.page import HTML, TEXT, Failure, Page, stated_language

MEDIA_TYPES = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/plain": TEXT,
    "": HTML,  # servers that state no type mostly send HTML; decoding refuses everything else
}
# The start of labels of pages that are cut off, but not skipped.
CUT = "scored as far as they go: "
# Of these types, the address shows that a response is a program or data.
_LOOSE_TYPES = ("", "text/plain")
_NO_PAGE_SUFFIX = re.compile(r"\.(?:js|mjs|css|json|map|xml|rss|atom|csv|svg|ico)")
_NO_PAGE = re.compile(
    r"/(robots\.txt|ads\.txt|app-ads\.txt|llms\.txt|security\.txt|\.well-known)(?:/.*)?"
)
# Records that hold no page by design. Their number says nothing about what is lost.
_OTHER_TYPES = ("warcinfo", "request", "metadata")
_HTTP_HEADERS = 1 << 20
# For the search of records in the middle of a file.
_FIRST_SEARCHED, _SEARCHED = 1 << 13, 1 << 20
_LONGEST_HEADER = 1 << 16
_HEADER_ENDS = (b"\r\n\r\n", b"\n\n")
_MOST_DIGITS = 15
_FOLLOWING = 16
_CONTENT_TYPE, _STATED = "content-type", "content-language"
_IDENTIFIED = "warc-identified-content-language"

WARC = RecordFormat(
    start=re.compile(rb"WARC/[01]\."),
    prefix=b"WARC/",
    # A version and the name of a header.
    inside=re.compile(rb"\nWARC/[01]\.[0-9]{1,3}[ \t]{0,9}\r?\n[A-Za-z][A-Za-z-]{1,40}:"),
    border=1 << 7,
)
# URL, IP address, date, media type, perhaps more, and the length.
_ARC_LINE = (
    rb"[a-z]{3,10}:[^\s]{1,2000} [0-9a-fA-F.:]{2,45} [0-9]{8,17} [^\s]{1,200}"
    rb"(?: [^\s]{1,200}){0,5} [0-9]{1,12}[ \t]{0,9}\r?\n"
)
ARC = RecordFormat(
    start=re.compile(_ARC_LINE),
    prefix=b"",
    inside=re.compile(rb"\n" + _ARC_LINE),
    border=1 << 12,
)


def read_warc(
    stream: io.BufferedReader,
    source: str,
    limit: int,
    skipped: Counter[str],
    window: Window | None = None,
) -> Iterator[Page | Failure]:
    """Yield the pages of a WARC stream.

    Pages are HTML and text in responses with status 200, in conversions (WET) and in resources.
    `skipped` counts other records, by label. The docno is the ``WARC-TREC-ID``, or else the target
    URI. A broken record is one `Failure`, and reading continues after it. A record whose stated
    length reaches into the next record is read up to there, and is a `Failure` too. With a `window`
    (a range of bytes), only the records that begin in it are read.
    """
    records = Records(stream, WARC, window)

    def read_record(line: bytes) -> Page | Failure | None:
        if not line.startswith(b"WARC/"):
            raise BrokenRecordError(f"it begins with {line[:20]!r} instead of WARC/1.0")
        return _page(records, records.headers(), f"{source}{records.label}", limit, skipped)

    yield from _read(records, read_record, source, "WARC")


def read_arc(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """Yield the pages of an ARC file, the predecessor of WARC (Internet Archive, until 2008).

    The docno is the address. Broken records become failures, as in `read_warc`.
    """
    records = Records(stream, ARC)

    def read_record(line: bytes) -> Page | Failure | None:
        if not ARC.start.match(line + b"\n"):
            raise BrokenRecordError(
                f"it begins with {line[:20]!r} instead of an address and a date"
            )
        fields = line.decode("utf-8", "replace").split(" ")
        url, length = fields[0], int(fields[-1])
        if url.startswith("filedesc:"):
            records.content(length, _HTTP_HEADERS, url)
            return None
        content = records.content(length, limit + _HTTP_HEADERS, url)
        if not content.upper().startswith(b"HTTP/"):
            skipped[f"ARC records of media type {fields[3]}"] += 1
            return None
        return _page_of_response(content, url, f"{source}{records.label}", url, limit, skipped)

    yield from _read(records, read_record, source, "ARC")


def _read(
    records: Records,
    read_record: Callable[[bytes], Page | Failure | None],
    source: str,
    name: str,
) -> Iterator[Page | Failure]:
    while True:
        try:
            line = records.next_line()
            if line is None:
                return
            page = read_record(line)
        except (BrokenRecordError, DamagedStreamError) as error:
            docno = getattr(error, "docno", "")
            yield unread(f"{source}{records.label}", f"broken {name} record: {error}", docno)
            records.find_next()
            continue
        if page is not None:
            yield page


def _page(
    records: Records, headers: dict[str, str], source: str, limit: int, skipped: Counter[str]
) -> Page | Failure | None:
    """Return the page of the record whose headers were just read, or None if it holds no page."""
    record_type = headers.get("warc-type", "").lower()
    uri = headers.get("warc-target-uri", "").strip("<>")
    docno = headers.get("warc-trec-id") or uri or headers.get("warc-record-id", source)
    media_type = headers.get(_CONTENT_TYPE, "").partition(";")[0].strip().lower()
    try:
        length = int(headers.get("content-length", ""))
    except ValueError:
        length = -1
    if length < 0:
        raise BrokenRecordError("it has no valid Content-Length", docno)
    is_response = record_type == "response" and media_type in ("application/http", "")
    # Resources under urn: are what a crawler made of pages: screenshots, their text.
    is_page = record_type == "conversion" or (
        record_type == "resource" and media_type in MEDIA_TYPES and not uri.startswith("urn:")
    )
    if not is_response and not is_page:
        records.content(length, _HTTP_HEADERS, docno)
        if record_type not in _OTHER_TYPES:
            skipped[f"WARC records of type {record_type or 'unknown'}"] += 1
        return None
    content = records.content(length, limit + _HTTP_HEADERS, docno)
    flags: tuple[FlagName, ...] = ()
    if truncated := headers.get("warc-truncated"):
        skipped[f"{CUT}WARC records cut by the crawler ({truncated})"] += 1
        flags = ("truncated",)
    if is_response:
        identified = headers.get(_IDENTIFIED)
        return _page_of_response(
            content, docno, source, uri, limit, skipped, flags=flags, identified=identified
        )
    if len(content) > limit:
        return Failure(docno, source, "read", too_long(limit))
    if media_type not in MEDIA_TYPES:
        skipped[f"WARC conversions of media type {media_type}"] += 1
        return None
    if label := _no_page(uri, media_type):
        skipped[f"WARC records {label}"] += 1
        return None
    is_html = media_type and MEDIA_TYPES[media_type] == HTML
    return Page(
        docno,
        source,
        content,
        HTML if is_html else TEXT,
        "utf-8" if record_type == "conversion" else None,
        uri or None,
        flags,
        claimed_language=stated_language(headers.get(_IDENTIFIED)),
    )


def _page_of_response(
    content: bytes,
    docno: str,
    source: str,
    uri: str,
    limit: int,
    skipped: Counter[str],
    *,
    flags: tuple[FlagName, ...] = (),
    identified: str | None = None,
) -> Page | Failure | None:
    """Convert an HTTP response to a page; return None if it is not a page, such as a redirect."""
    try:
        response = parse_response(content)
        if label := _no_response_page(response, uri):
            skipped[f"WARC responses {label}"] += 1
            return None
        body = decoded_body(response, limit)
    except PageError as error:
        return Failure(docno, source, error.stage, str(error))
    if body.is_truncated and not flags:
        skipped[f"{CUT}WARC responses that end too early"] += 1
        flags = ("truncated",)
    stated = response.headers.get(_STATED, "")
    return Page(
        docno,
        source,
        body.content,
        MEDIA_TYPES[response.media_type],
        response.charset,
        uri or None,
        flags,
        # A page that is meant for readers of several languages states none of its own.
        claimed_language=stated_language(stated if stated and "," not in stated else identified),
    )


def _no_response_page(response: HttpResponse, uri: str) -> str:
    """Return the reason why a response is not a page; '' if it is a page."""
    if response.status != 200:
        return f"with status {response.status}"
    if response.media_type not in MEDIA_TYPES:
        return f"of media type {response.media_type}"
    return _no_page(uri, response.media_type)


def _no_page(uri: str, media_type: str) -> str:
    """Return the reason why an address cannot be a page, such as robots.txt; '' if it can be.

    >>> _no_page("https://a.org/robots.txt", "text/plain"), _no_page("https://a.org/", "text/html")
    ('for robots.txt', '')
    """
    try:
        path = urlsplit(uri).path.lower()
    except ValueError:
        return ""
    if match := _NO_PAGE.fullmatch(path):
        return f"for {match[1]}"
    suffix = path[path.rfind(".") :] if "." in path else ""
    if media_type in _LOOSE_TYPES and _NO_PAGE_SUFFIX.fullmatch(suffix):
        return f"with the suffix {suffix}"
    return ""


def find_record(file: IO[bytes], position: int, last: int) -> int | None:
    """Return the offset of the first WARC record that begins at or after `position`.

    Its header must be complete, and its content must be followed by another record or the end of
    the file, because a page may contain text that looks like a record. Returns None if the file has
    no such record. The search stops at `last`: if there is none before it, `last` or a later offset
    is returned.
    """
    size = file.seek(0, io.SEEK_END)
    start = max(position - 1, 0)
    searched = _FIRST_SEARCHED  # mostly a record begins at the position itself
    while start < size:
        file.seek(start)
        data = file.read(searched + _LONGEST_HEADER)
        for match in WARC.inside.finditer(data):
            if match.start() < searched:
                end = _end_of_record(data, match.start() + 1, start)
                if end is not None and _is_followed(file, end, size):
                    return start + match.start() + 1
        start += searched
        searched = _SEARCHED
        if last < start < size:
            return start
    return None


def record_end(file: IO[bytes], start: int) -> int | None:
    """Return the offset at which the record at `start` ends; None if it states no length."""
    file.seek(start)
    return _end_of_record(file.read(_LONGEST_HEADER), 0, start)


def _end_of_record(data: bytes, index: int, offset: int) -> int | None:
    """Return the offset in the file at which a record ends; None if it states no length.

    Its header is at `index` in `data`, which was read from byte `offset` of the file.
    """
    marks = [(data.find(mark, index, index + _LONGEST_HEADER), len(mark)) for mark in _HEADER_ENDS]
    ends = [at + length for at, length in marks if at >= 0]
    if not ends:
        return None
    headers = parse_headers(data[index : min(ends)].splitlines()[1:])
    length = headers.get("content-length", "")
    if "warc-type" not in headers or not length.isdecimal() or len(length) > _MOST_DIGITS:
        return None
    return offset + min(ends) + int(length)


def _is_followed(file: IO[bytes], end: int, size: int) -> bool:
    """Return True if a record or the end of the file follows byte `end`."""
    if end > size:
        return False
    file.seek(end)
    following = file.read(_FOLLOWING).lstrip()
    return following.startswith(WARC.prefix[: len(following)])
