"""The HTTP messages inside WARC records: status, headers, and the body decoded under a bound."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache

from understandability.errors import PageError
from understandability.inputs.limits import too_long
from understandability.inputs.streams import DamagedStreamError, decompressed, read_bounded

_MOST_CODINGS = 5
_CHUNK_SIZE = re.compile(rb"0*([0-9a-fA-F]+)[ \t]*(?:;.*)?\s*", re.S)
_CHUNK_DIGITS = 10
_CONTENT_TYPE = 1000  # characters of the header that are looked at


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A status code, the headers by lower-case name (the last one wins) and the raw body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """The lower-case type of the header ``Content-Type``, empty where there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The charset that the header ``Content-Type`` names."""
        return header_charset(self.headers.get("content-type", ""))


@lru_cache(maxsize=1000)
def header_charset(content_type: str) -> str | None:
    """The charset named in a Content-Type header."""
    message = Message()
    message["content-type"] = content_type[:_CONTENT_TYPE]
    charset = message.get_param("charset")
    return charset.strip() or None if isinstance(charset, str) else None


def parse_headers(lines: list[bytes]) -> dict[str, str]:
    """Header lines as a mapping of lower-case names; lines that are no header are left out."""
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if colon and name.strip():
            headers[name.strip().lower()] = value.strip()
    return headers


def parse_response(message: bytes) -> HttpResponse:
    """Split an HTTP response as archived; raises `PageError` where it is none.

    >>> parse_response(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>Hi").body
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


def decoded_body(response: HttpResponse, limit: int) -> bytes:
    """The body without Transfer- and Content-Encoding, at most `limit` bytes of it.

    Raises `PageError` where it is longer, damaged, or encoded in a way not known. A body that
    a crawler stored decoded under the header of the encoded one is taken as it is.
    """
    body = response.body
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        body = _without_chunks(body)
    names = response.headers.get("content-encoding", "").lower().split(",")
    codings = [name.strip() for name in names]
    codings = [name for name in codings if name not in ("", "identity", "none", "utf-8")]
    if len(codings) > _MOST_CODINGS:
        message = f"the content has {len(codings)} encodings; at most {_MOST_CODINGS} are undone"
        raise PageError("read", message)
    for coding in reversed(codings):
        try:
            body = _decompressed(body, coding, limit)
        except DamagedStreamError as error:
            if not body.lstrip().startswith(b"<"):
                raise PageError("read", f"the {coding} content is damaged: {error}") from error
    if len(body) > limit:
        raise PageError("read", too_long(limit))
    return body


def _without_chunks(body: bytes) -> bytes:
    """The data of a chunked body; one that was stored without its chunk sizes stays as it is."""
    stream = io.BytesIO(body)
    data: list[bytes] = []
    while line := stream.readline(1024):
        found = _CHUNK_SIZE.fullmatch(line)
        if not found and not data:
            return body
        if not found or len(found[1]) > _CHUNK_DIGITS:
            start = stream.tell() - len(line)
            message = f"the chunked content is damaged: no size of a chunk at byte {start}"
            raise PageError("read", message)
        size = int(found[1], 16)
        if not size:
            break
        data.append(stream.read(size))
        stream.readline(8)
    return b"".join(data)


def _decompressed(body: bytes, coding: str, limit: int) -> bytes:
    try:
        match coding:
            case "gzip" | "x-gzip" | "zstd":
                data = read_bounded(decompressed(io.BytesIO(body)), limit)
            case "deflate":
                # Some servers send a raw deflate stream under this name, without zlib's header.
                window = zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS
                decoder = zlib.decompressobj(window)
                data = decoder.decompress(body, limit + 1)
                if not decoder.eof and len(data) <= limit:
                    raise DamagedStreamError("it ends too early")
            case "br":
                data = _brotli(body, limit)
            case _:
                raise PageError("read", f"the content encoding {coding!r} is not known")
    except zlib.error as error:
        raise DamagedStreamError(str(error)) from error
    if data is None or len(data) > limit:
        raise PageError("read", too_long(limit))
    return data


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli

    decoder = brotli.Decompressor()
    data = []
    try:
        # The bound on the output is soft: what is there beyond it comes with the next call.
        data.append(decoder.process(body, output_buffer_limit=limit + 1))
        while not decoder.can_accept_more_data() and sum(map(len, data)) <= limit:
            data.append(decoder.process(b"", output_buffer_limit=limit + 1))
    except brotli.error as error:
        raise DamagedStreamError(str(error)) from error
    if not decoder.is_finished() and sum(map(len, data)) <= limit:
        raise DamagedStreamError("it ends too early")
    return b"".join(data)
