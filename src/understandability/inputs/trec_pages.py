"""Read pages from TREC's web collections: files of ``<DOC>`` records."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator

from understandability.inputs.limits import too_long, unread
from understandability.inputs.streams import DamagedStreamError
from understandability.text.page import HTML, TEXT, Failure, Page

_BETWEEN = re.compile(rb"</DOC>\s*(?=<DOC>)", re.I)


def _tags(names: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return patterns of the opening and the closing tags with these names.

    They are separate because one pattern from opening to closing tag would take quadratic time.
    """
    return re.compile(rb"<(?:%b)>" % names, re.I), re.compile(rb"</(?:%b)>" % names, re.I)


_DOCNO, _DOCHDR, _TEXT = _tags(b"DOCNO"), _tags(b"DOCHDR"), _tags(b"TEXT|TITLE|HEADLINE")
_MARKUP = re.compile(rb"<(?:html|head|body|p|div|br|table)\b", re.I)


def read_trec_pages(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """Yield the pages of ``<DOC><DOCNO>...</DOCNO> ... </DOC>`` records.

    The content after ``<DOCHDR>`` is HTML. In collections without that element, ``<TEXT>`` holds
    plain text.
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
            yield unread(f"{source}#{number}", error)
            inside = False
            continue
        if not line:
            break
        start = line.strip().upper()
        if start.startswith(b"<DOC>"):
            if inside:
                yield unread(f"{source}#{number}", "the record lacks its </DOC>")
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
        yield unread(f"{source}#{number}", "the file ends within the record")


class _Lines:
    """Reads the lines of a file, long ones in pieces; two records on one line are separated."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._rest = b""

    def next(self) -> bytes:
        """Return the next line; empty at the end."""
        rest, self._rest = self._rest, b""
        line = rest
        if not rest.endswith(b"\n"):
            line += self._stream.readline(1 << 16)
        border = _BETWEEN.search(line)
        end = border.end() if border else len(line)
        if not border and len(line) > len(rest):
            # A tag may continue after a part of a line.
            start = line.rfind(b"<", -len(b"</DOC"))
            end = start if start > 0 and not line.endswith(b"\n") else end
        self._rest = line[end:]
        return line[:end]


def _trec_page(record: bytes, size: int, where: str, limit: int) -> Page | Failure:
    element, end = next(_elements(record, *_DOCNO), (b"", 0))
    docno = element.strip().decode("utf-8", "replace")
    if not docno:
        return unread(where, "the record has no <DOCNO>")
    if size > limit:
        return unread(where, too_long(limit), docno)
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
    """Yield the content of each element, and the offset at which the element ends."""
    end = 0
    while (first := opening.search(record, end)) and (last := closing.search(record, first.end())):
        end = last.end()
        yield record[first.end() : last.start()], end
