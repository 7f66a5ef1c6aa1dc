"""Parse the HTTP responses inside WARC records: status, headers, and a body of limited size."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache
from typing import Any, NamedTuple

from understandability.errors import PageError
from understandability.inputs.limits import too_long
from understandability.inputs.streams import (
    GZIP,
    DamagedStreamError,
    NoMemberError,
    TruncatedStreamError,
    decompressed,
)

_MOST_CODINGS = 5
_CHUNK_SIZE = re.compile(rb"0*([0-9a-fA-F]+)[ \t]*(?:;.*)?\s*", re.S)
_CUT_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{0,10}[ \t]*(?:;.*)?\r?")
_CHUNK_DIGITS = 10
_READ = 1 << 16
_STEP = 1 << 12  # bytes that are decoded at once, and repeated one by one after an error
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_CUT_OFF = "it ends before any text"
_CONTENT_TYPE = 1000  # characters of the header that are looked at


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An HTTP response: status code, headers by lower-case name (the last one wins), and raw
    body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """The media type in the header ``Content-Type``, in lower case; empty without that
        header.
        """
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The charset in the header ``Content-Type``, or None."""
        return header_charset(self.headers.get("content-type", ""))


@lru_cache(maxsize=1000)
def header_charset(content_type: str) -> str | None:
    """Return the charset in a Content-Type header, or None."""
    message = Message()
    message["content-type"] = content_type[:_CONTENT_TYPE]
    charset = message.get_param("charset")
    return charset.strip() or None if isinstance(charset, str) else None


def parse_headers(lines: list[bytes]) -> dict[str, str]:
    """Parse header lines into a dictionary by lower-case name; malformed lines are ignored."""
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if colon and name.strip():
            headers[name.strip().lower()] = value.strip()
    return headers


def parse_response(message: bytes) -> HttpResponse:
    r"""Parse an archived HTTP response; raise `PageError` for anything else.

    >>> parse_response(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hi").body
    b'<p>Hi'
    """
    end = message.find(b"\r\n\r\n")
    end = end if end >= 0 else len(message)
    bare_end = message.find(b"\n\n", 0, end + 1)  # some crawlers end lines with LF alone
    end, begin = (end, end + 4) if bare_end < 0 else (bare_end, bare_end + 2)
    first, *lines = message[:end].splitlines() or [b""]
    version, _, rest = first.partition(b" ")
    status = rest.strip()[:3]
    if not version.upper().startswith(b"HTTP/") or not status.isdigit():
        raise PageError("read", "the record holds no HTTP response: it must begin with HTTP/")
    return HttpResponse(int(status), parse_headers(lines), message[begin:])


class Body(NamedTuple):
    """The decoded body of a response.

    `is_truncated` is True if the encoded data ended too early or are damaged from some point on;
    `error` describes the damage.
    """

    content: bytes
    is_truncated: bool = False
    error: str = ""


def decoded_body(response: HttpResponse, limit: int) -> Body:
    """Decode the Transfer-Encoding and Content-Encoding of a body, up to `limit` bytes.

    If the encoded data end too early or are damaged, the part before that is returned. Some
    crawlers store a decoded body with the headers of the encoded one; it is returned unchanged.

    Raises:
        PageError: if the body is longer than `limit`, cut off or damaged before any of it can be
            decoded, or encoded in an unknown way.
    """
    body, is_truncated = response.body, False
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        body, is_truncated, _ = _without_chunks(body)
    names = response.headers.get("content-encoding", "").lower().split(",")
    codings = [name.strip() for name in names]
    codings = [name for name in codings if name not in ("", "identity", "none", "utf-8")]
    if len(codings) > _MOST_CODINGS:
        message = f"the content has {len(codings)} encodings; at most {_MOST_CODINGS} are undone"
        raise PageError("read", message)
    for coding in reversed(codings):
        try:
            decoded = _decompressed(body, coding, limit)
        except DamagedStreamError as error:
            if not body.lstrip().startswith(b"<"):
                raise PageError("read", f"the {coding} content is damaged: {error}") from error
            continue
        body, is_truncated = decoded.content, is_truncated or decoded.is_truncated
    if len(body) > limit:
        raise PageError("read", too_long(limit))
    return Body(body, is_truncated)


def _without_chunks(body: bytes) -> Body:
    """Join the chunks of a body; a body that was stored without chunk sizes is returned
    unchanged.
    """
    stream = io.BytesIO(body)
    data: list[bytes] = []
    while line := stream.readline(1024):
        match = _CHUNK_SIZE.fullmatch(line)
        if not match and not data:
            return Body(body)
        if not match or len(match[1]) > _CHUNK_DIGITS:
            if data and stream.tell() == len(body) and _CUT_CHUNK_SIZE.fullmatch(line):
                break  # the body ends within the size of a chunk
            start = stream.tell() - len(line)
            message = f"the chunked content is damaged: no size of a chunk at byte {start}"
            raise PageError("read", message)
        size = int(match[1], 16)
        if not size:
            return Body(b"".join(data))
        data.append(stream.read(size))
        stream.readline(8)
    return Body(b"".join(data), is_truncated=True)


def _decompressed(body: bytes, coding: str, limit: int) -> Body:
    """Decode one content encoding.

    If the data end too early or are damaged, the part before that is returned.
    """
    match coding:
        case "gzip" | "x-gzip" | "zstd":
            decoded = _members(body, limit)
        case "deflate":
            # Some servers send a raw deflate stream under this name, without zlib's header.
            window = zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS
            decoded = _deflated(body, window, limit)
        case "br":
            decoded = _brotli(body, limit)
        case _:
            raise PageError("read", f"the content encoding {coding!r} is not known")
    if len(decoded.content) > limit:
        raise PageError("read", too_long(limit))
    if decoded.is_truncated and not decoded.content:
        raise DamagedStreamError(decoded.error or _CUT_OFF)
    return decoded


def _members(body: bytes, limit: int) -> Body:
    """Decode gzip or zstd, which may consist of several members; other bodies are returned
    unchanged.
    """
    stream = decompressed(io.BytesIO(body))
    data: list[bytes] = []
    size = 0
    while size <= limit:
        try:
            part = stream.read1(_READ)  # unlike read, read1 keeps what was decoded before an error
        except TruncatedStreamError:
            return Body(b"".join(data), is_truncated=True)
        except NoMemberError:
            if data:  # bytes that follow the body, as some servers send
                break
            raise
        except DamagedStreamError as error:
            decoded = b"".join(data)
            if GZIP.magic.match(body):  # the step that failed may have decoded more
                decoded = max(decoded, _deflated(body, _GZIP_WINDOW, limit).content, key=len)
            return Body(decoded, True, str(error))
        if not part:
            break
        data.append(part)
        size += len(part)
    return Body(b"".join(data))


def _deflated(body: bytes, window: int, limit: int) -> Body:
    """Decode streams of zlib, one after another if they have the header of gzip.

    A step that fails is repeated byte by byte, because its last byte may be that of a wrong
    checksum.
    """
    decoder = zlib.decompressobj(window)
    data, rest, step, error = bytearray(), body, _STEP, ""
    while rest and len(data) <= limit:
        if decoder.eof:
            if not GZIP.magic.match(rest):
                break
            decoder = zlib.decompressobj(window)
        before = decoder.copy()
        try:
            data += decoder.decompress(rest[:step], limit + 1)
            rest = decoder.unconsumed_tail + decoder.unused_data + rest[step:]
        except zlib.error as caught:
            decoder, error = before, str(caught)
            if step == 1:
                break
            step = 1
    return Body(bytes(data), not decoder.eof, error)


def _brotli(body: bytes, limit: int) -> Body:
    import brotli

    data, start = bytearray(), 0
    for step in (_STEP, 1):  # a step that fails is repeated byte by byte
        decoder = brotli.Decompressor()
        del data[:]
        try:
            data += _drained(decoder, body[:start], limit)
            while start < len(body) and not decoder.is_finished() and len(data) <= limit:
                data += _drained(decoder, body[start : start + step], limit)
                start += step
            return Body(bytes(data), not decoder.is_finished())
        except brotli.error as error:
            message = str(error)
    return Body(bytes(data), True, message)


def _drained(decoder: Any, data: bytes, limit: int) -> bytes:
    """Return all output of a brotli decoder for some input, up to about `limit` bytes."""
    output = bytearray()
    # One call returns a part of what it decodes; calls without new input return the rest.
    while len(output) <= limit and (part := decoder.process(data, output_buffer_limit=limit + 1)):
        output += part
        data = b""
    return bytes(output)
