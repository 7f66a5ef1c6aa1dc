"""Pages from addresses: only where asked, only from where they may come, within limits."""

import gzip
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from tests.conftest import answering

from understandability.errors import InputError
from understandability.inputs.fetching import FetchLimits, fetch
from understandability.text.page import Page

PAGE = b"<html><title>Flu</title><body><p>You have flu. Rest, and drink a lot of water.</p></body>"
HERE = FetchLimits(bytes=10_000, seconds=0.5, redirects=2, private=True)
GZIPPED = {"Content-Encoding": "gzip"}
LATIN = "<p>Die Grippe und das Gemüt".encode("latin-1")
# The answer to a path: status, body, headers.
ANSWERS: dict[str, tuple[int, bytes, dict[str, str]]] = {
    "page": (200, PAGE, {}),
    "again0": (302, b"", {"Location": "/page"}),
    **{f"again{n}": (302, b"", {"Location": f"/again{n - 1}"}) for n in range(1, 6)},
    "to-file": (302, b"", {"Location": "file:///etc/passwd"}),
    "gzip": (200, gzip.compress(PAGE), GZIPPED),
    "bomb": (200, gzip.compress(bytes(1_000_000)), GZIPPED),
    "latin": (200, LATIN, {"Content-Type": "text/html; charset=latin-1"}),
    "image": (200, b"\x89PNG", {"Content-Type": "image/png"}),
    "long": (200, PAGE + b" " * 20_000, {}),
}


def answer(handler: BaseHTTPRequestHandler) -> None:
    """A site with one good page and many bad ones."""
    name = handler.path.partition("?")[0].strip("/")
    if name == "slow":
        for byte in b"HTTP/1.1 200 OK\r\nX: ":
            handler.wfile.write(bytes([byte]))
            time.sleep(0.2)
        return
    status, body, more = ANSWERS.get(name, (404, b"none", {}))
    handler.send_response(status)
    headers = {"Content-Type": "text/html", "Content-Length": str(len(body))} | more
    for header, value in headers.items():
        handler.send_header(header, value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of that site."""
    with answering(answer) as address:
        yield address


@pytest.mark.parametrize("name", ["page", "gzip", "again0", "again1", "page?lang=en"])
def test_a_page_is_read(site: str, name: str) -> None:
    """Plain, compressed, and after a redirect."""
    result = fetch(f"{site}/{name}", HERE)
    assert result.content == PAGE
    page = result.page()
    assert isinstance(page, Page)
    assert page.url is not None
    assert page.url.partition("?")[0] == f"{site}/page" if name != "gzip" else f"{site}/gzip"
    assert fetch(f"{site}/latin", HERE).charset == "latin-1"  # of the header


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", "answered with status 404"),
        ("image", "has the type image/png; HTML, plain text and PDF are read"),
        ("long", "is longer than 0.01 MB"),
        ("bomb", "longer than 0.01 MB"),
        ("again5", "leads from address to address more than 2 times"),
        ("to-file", "is not the address of a page"),
        ("slow", r"did not answer within 0\.5 seconds"),
    ],
)
def test_what_is_no_page_is_told(site: str, name: str, said: str) -> None:
    """In one sentence, and within the time."""
    begin = time.monotonic()
    with pytest.raises(InputError, match=said):
        fetch(f"{site}/{name}", HERE)
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.org/", "http://", "http:///x", "http://u:p@example.org/",
        "http://example.org:0/", "http://exa mple.org/", "http://example.org/\r\nX: y", "page.html",
        "https://example.org/" + "a" * 3000, "http://[::1/", "https://ex\u00e4mple.org/",
    ],
)  # fmt: skip
def test_what_is_no_address_is_not_asked(url: str) -> None:
    """Other protocols, passwords, broken ones."""
    with pytest.raises(InputError, match="is not the address of a page"):
        fetch(url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "10.1.2.3", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]",
        "0.0.0.0", "192.168.0.1", "224.0.0.1",
    ],
)  # fmt: skip
def test_private_addresses_are_not_asked(host: str) -> None:
    """No connection is opened to it."""
    with pytest.raises(InputError, match="only public ones are fetched"):
        fetch(f"http://{host}:9/")


def test_a_name_is_looked_up_once(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is resolved once: its second answer, this machine, is not contacted."""
    answers = iter(["93.184.216.34", "127.0.0.1"])
    requested = []

    def looked_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def connected(address: tuple[str, int], timeout: float) -> Any:
        requested.append(address[0])
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "create_connection", connected)
    with pytest.raises(InputError, match="cannot be read: refused"):
        fetch("http://rebinding.example/")
    assert requested == ["93.184.216.34"]


def test_a_redirect_to_a_private_address_is_not_followed(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = socket.create_connection
    port = int(site.rpartition(":")[2])
    names = {"public.example": "93.184.216.34", "127.0.0.1": "127.0.0.1"}

    def looked_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (names[host], port))]

    def connected(_: Any, timeout: float) -> socket.socket:
        return connect(("127.0.0.1", port), timeout)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "create_connection", connected)
    monkeypatch.setitem(ANSWERS, "", (302, b"", {"Location": f"{site}/page"}))
    with pytest.raises(InputError, match=r"127\.0\.0\.1 is an address of this machine"):
        fetch("http://public.example/", FetchLimits(seconds=5.0))


def test_a_server_without_a_certificate_is_refused(site: str) -> None:
    """Who does not speak TLS is not asked in plain."""
    with pytest.raises(InputError, match="cannot be read"):
        fetch(site.replace("http:", "https:") + "/page", HERE)
    assert ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED


def test_explain_asks_the_network_only_where_told(
    site: str, understand: Callable[..., Any]
) -> None:
    done = understand("explain", f"{site}/page", "--json", status=2)
    assert "add --fetch to fetch it" in done.stderr
    done = understand("explain", f"{site}/page", "--json", "--fetch", status=2)
    assert "only public ones are fetched" in done.stderr
    done = understand("explain", f"{site}/page", "--json", "--fetch", "--fetch-private", status=0)
    assert '"title": "Flu"' in done.stdout
    done = understand("explain", "page.html", "--fetch-private", status=2)
    assert "add --fetch" in done.stderr
