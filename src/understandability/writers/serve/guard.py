"""Who may call the server, and how much at once.

A page of another site that is open in the same browser must not read what a writer types. So the
name in ``Host`` has to be one of ours (a name that was bound to this machine anew is not), a
request from another origin is refused, and every body has to be JSON, which forms cannot send.
Pages of origins that the owner allows get the component's scripts and `_SHARED`, nothing else.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
# Paths that need no token: they tell nothing of what is scored, and a browser asks for a page
# before anybody can type one in.
OPEN_PATHS = ("/", "/healthz")
_EDITOR = "/editor/"
_SHARED = ("/v1/explain", "/v1/sentence")
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What one request may take, and how many may wait.

    `megabytes` is the longest body, `seconds` the longest time to send it and to answer it,
    `waiting` how many requests may wait for their turn, `documents` how many texts stand in one.
    """

    megabytes: float = 10.0
    seconds: float = 20.0
    waiting: int = 100
    documents: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Refuses what may not be served, and reads bodies within limits before anything else."""

    app: App
    hosts: tuple[str, ...]
    token: str | None
    limits: RequestLimits
    origins: frozenset[str] = frozenset()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        told = [*_HEADERS, *self._shared_with(headers.get("origin"), scope["path"])]
        if scope["method"] == "OPTIONS" and len(told) > len(_HEADERS):
            await send({"type": "http.response.start", "status": 204, "headers": told})
            await send({"type": "http.response.body", "body": b""})
            return
        refused = self._refused(scope, headers)
        if refused is not None:
            await answer(send, *refused, told)
            return
        body = b""
        if scope["method"] == "POST":
            read = await self._body(headers, receive)
            if isinstance(read, tuple):
                await answer(send, *read, told)
                return
            body = read

        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *told]}
            await send(message)

        await self.app(scope, replay, with_headers)

    def _shared_with(self, origin: str | None, path: str) -> Iterator[tuple[bytes, bytes]]:
        """What lets a page of that origin have the answer; nothing where it may not."""
        if origin in self.origins and (path in _SHARED or path.startswith(_EDITOR)):
            yield b"access-control-allow-origin", str(origin).encode()
            yield b"access-control-allow-headers", b"content-type, authorization"
            yield b"access-control-allow-private-network", b"true"
            yield b"access-control-max-age", b"600"
            yield b"vary", b"origin"

    def _refused(self, scope: Message, headers: dict[str, str]) -> tuple[int, str] | None:
        """Status and reason where a request is refused before its body is read."""
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if "*" not in self.hosts and name.lower() not in self.hosts:
            return 421, (
                f"this server does not answer to the name {name[:100]!r}; use one of "
                f"{', '.join(self.hosts)}, or start it with --name"
            )
        origin = headers.get("origin")
        is_own = origin is None or origin.partition("://")[2] == host
        if not is_own and not any(self._shared_with(origin, scope["path"])):
            return 403, "pages of other sites may not call this server"
        path = scope["path"]
        if self.token and path not in OPEN_PATHS and not path.startswith(_EDITOR):
            given = headers.get("authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                return 401, "the token is missing or wrong; send 'Authorization: Bearer TOKEN'"
        if scope["method"] == "POST" and path.startswith("/v1/"):  # others take no POST
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            wanted = "application/octet-stream" if path == "/v1/text" else "application/json"
            if kind != wanted:
                return 415, f"the body must be {wanted}, not {kind[:100] or 'of no stated type'}"
        return None

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes | tuple[int, str]:
        """The whole body, or status and reason where it is too long or comes too slowly."""
        most = int(self.limits.megabytes * 1e6)
        too_long = 413, f"the body is longer than {self.limits.megabytes:g} MB; send less at once"
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > most:
            return too_long
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.limits.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return 400, "the connection was closed before the body was whole"
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > most:
                        return too_long
                    if not message.get("more_body"):
                        return b"".join(chunks)
        except TimeoutError:
            return 408, f"the body did not come within {self.limits.seconds:g} seconds"


async def answer(
    send: Send, status: int, error: str, headers: Sequence[tuple[bytes, bytes]]
) -> None:
    """Send an error as JSON."""
    body = json.dumps({"error": error}).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        kind.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": [*kind, *headers]})
    await send({"type": "http.response.body", "body": body})
