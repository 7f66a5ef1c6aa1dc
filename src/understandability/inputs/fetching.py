"""Fetch a web page safely: the address may come from a stranger, and the server may be hostile.

A host name is resolved only once, and its IP address is checked before a request is sent, so that
nobody can reach the private network through this code.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from typing import cast
from urllib.parse import SplitResult, urljoin, urlsplit

from understandability._version import __version__
from understandability.errors import InputError, PageError, in_one_line
from understandability.inputs.http import HttpResponse, decoded_body
from understandability.inputs.office import PDF, read_office, require_office_extra
from understandability.text.page import HTML, TEXT, Failure, Page

_PORTS = {"http": 80, "https": 443}
# Media type -> the suffix that a file of it would have.
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "application/pdf": PDF,
}
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_CHARACTERS = 2000  # of an address


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits for fetching one page: bytes, seconds and redirects.

    With `private`, addresses of this machine and of its local network are allowed.
    """

    bytes: int = 10_000_000
    seconds: float = 20.0
    redirects: int = 5
    private: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched page: its content, the suffix that fits its media type, and its charset.

    `url` is the requested address, and `found_at` the address after redirects.
    """

    url: str
    found_at: str
    content: bytes
    suffix: str
    charset: str | None

    def page(self) -> Page | Failure:
        """The page, as if it had been read from a file."""
        if self.suffix == PDF:
            require_office_extra(PDF)
            stream = cast(io.BufferedReader, io.BytesIO(self.content))
            return read_office(PDF, stream, self.url, self.url, len(self.content))
        media_type = TEXT if self.suffix == ".txt" else HTML
        return Page(self.url, self.url, self.content, media_type, self.charset, self.found_at)


def fetch(url: str, limits: FetchLimits | None = None) -> Fetched:
    """Fetch the page at an address.

    Raises `InputError` if the address may not be requested, or yields no page within the limits.

    >>> fetch("ftp://example.org/leaflet.txt")
    Traceback (most recent call last):
    understandability.errors.InputError: ftp://example.org/leaflet.txt is not the address of a ...
    """
    limits = limits or FetchLimits()
    deadline = time.monotonic() + limits.seconds
    address = url
    for _ in range(limits.redirects + 1):
        try:
            response = answer_of(address, limits, deadline)
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() >= deadline or isinstance(error, TimeoutError):
                raise InputError(
                    f"{url} did not answer within {limits.seconds:g} seconds; save the page and "
                    "open the file"
                ) from error
            raise InputError(f"{url} cannot be read: {in_one_line(error)}") from error
        if response.status not in _REDIRECTS or "location" not in response.headers:
            return _fetched(url, address, response, limits)
        address = urljoin(address, response.headers["location"])
    raise InputError(f"{url} leads from address to address more than {limits.redirects} times")


def is_address(text: str) -> bool:
    """Return True for an address that `fetch` accepts."""
    return text.lower().startswith(("http://", "https://"))


def _fetched(url: str, found_at: str, response: HttpResponse, limits: FetchLimits) -> Fetched:
    if response.status != 200:
        raise InputError(f"{url} answered with status {response.status}, not with a page")
    if len(response.body) > limits.bytes:
        raise InputError(f"{found_at} is longer than {limits.bytes / 1e6:g} MB")
    suffix = _SUFFIXES.get(response.media_type or "text/html")
    if suffix is None:
        raise InputError(
            f"{url} has the type {response.media_type[:100]}; HTML, plain text and PDF are read"
        )
    try:
        body = decoded_body(response, limits.bytes)
    except PageError as error:
        raise InputError(f"{url}: {error}") from error
    if body.is_truncated:
        raise InputError(f"{url}: the answer was cut off; try again")
    return Fetched(url, found_at, body.content, suffix, response.charset)


def answer_of(
    url: str,
    limits: FetchLimits,
    deadline: float,
    content: bytes | None = None,
    headers: Mapping[str, str] = MappingProxyType({"Accept-Encoding": "gzip"}),
) -> HttpResponse:
    """Send one request and return the response; redirects are not followed.

    With `content`, the request is a POST. The body is not decoded, and at most one byte more than
    the limit is read.
    """
    parts = _parts(url)
    host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
    plain = socket.create_connection(_address(host, port, limits), _left(deadline))
    sockets = [plain]
    # A timeout of the socket begins anew with each byte; this one does not.
    watch = threading.Timer(_left(deadline), _shut, (sockets,))
    watch.start()
    try:
        if parts.scheme == "https":
            context = ssl.create_default_context()
            secure = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
            sockets.append(secure)
            secure.do_handshake()
        connection = http.client.HTTPConnection(host, port)
        connection.default_port = _PORTS[parts.scheme]  # which the header Host leaves out
        connection.sock = sockets[-1]
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        method = "GET" if content is None else "POST"
        agent = {"User-Agent": f"understandability/{__version__}"}
        connection.request(method, target, content, {**agent, **headers})
        # What `getresponse` does; but it leaves the answer open where none comes in time.
        with closing(http.client.HTTPResponse(connection.sock, method=method)) as answer:
            answer.begin()
            headers_received = {name.lower(): value for name, value in answer.getheaders()}
            headers_received.pop("transfer-encoding", None)  # undone already
            body = answer.read(limits.bytes + 1) if answer.status == 200 else b""
        if time.monotonic() >= deadline:
            raise TimeoutError
    finally:
        watch.cancel()
        for opened in sockets:
            opened.close()
    return HttpResponse(answer.status, headers_received, body)


def _parts(url: str) -> SplitResult:
    """Split an address; raise `InputError` if it may not be requested."""
    wrong = InputError(
        f"{' '.join(url.split())[:200]} is not the address of a page; it must begin with "
        "https:// or http:// and hold no password and no spaces"
    )
    if len(url) > _MOST_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc or port == 0:
        raise wrong
    return parts


def _address(host: str, port: int, limits: FetchLimits) -> tuple[str, int]:
    """Resolve a host name and check the IP address; the caller connects to this address.

    Resolving the name again for the connection could yield another address.
    """
    if limits.private:
        return host, port
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ip_address(answer[4][0]) for answer in answers]
    if not all(address.is_global and not address.is_multicast for address in addresses):
        raise InputError(
            f"{host} is an address of this machine or its network; only public ones are fetched"
        )
    return str(addresses[0]), port


def _left(deadline: float) -> float:
    """Return the seconds that remain until the deadline, at least 0.01."""
    return max(0.01, deadline - time.monotonic())


def _shut(sockets: list[socket.socket]) -> None:
    with suppress(OSError):
        sockets[-1].shutdown(socket.SHUT_RDWR)
