"""Access control and size limits of the server.

A page of another site that is open in the same browser must not read what a writer types. So the
name in the header ``Host`` must be one of ours, which prevents DNS rebinding. A request from
another origin is refused, and every body must be JSON, which HTML forms cannot send. Pages of
origins that the owner allows can load the component's scripts and the paths in `_SHARED`, and
nothing else.
"""

from __future__ import annotations

import asyncio
import hmac
import zlib
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from understandability.writers.serve import RequestLimits

# Paths that need no token: they reveal no text, and a browser requests a page
# before anybody can type one in.
OPEN_PATHS = ("/", "/healthz", "/docs")
_EDITOR = "/editor/"
_DISCARDED = 8  # times the longest body: the most that is read of a refused one
_DISCARDING = 5.0  # seconds
_SHARED = ("/v1/explain", "/v1/sentence")
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """ASGI middleware that refuses forbidden requests, and reads bodies within limits."""

    app: ASGIApp
    hosts: tuple[str, ...]
    token: str | None
    limits: RequestLimits
    origins: frozenset[str] = frozenset()
    open_to_pages: tuple[str, ...] = ()  # paths that pages of any site, or of a disk, may call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        shared = self._shared_with(request)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS | shared)
            await send(message)

        if request.method == "OPTIONS" and shared:
            await Response(status_code=204)(scope, receive, with_headers)
            return
        try:
            self._check(request, bool(shared))
            body = await self._body(request) if request.method == "POST" else b""
        except HTTPException as refused:
            reply = JSONResponse({"error": refused.detail}, refused.status_code, refused.headers)
            await reply(scope, receive, with_headers)
            return
        read = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def replay() -> Message:
            return next(read, None) or await receive()

        await self.app(scope, replay, with_headers)

    def _shared_with(self, request: Request) -> dict[str, str]:
        """Return headers that let a page of an allowed origin read the reply; none for other
        origins.
        """
        origin, path = request.headers.get("origin"), request.scope["path"]
        is_shared = path in _SHARED or path.startswith(_EDITOR)
        is_open = origin is not None and path in self.open_to_pages
        if not is_open and not (origin in self.origins and is_shared):
            return {}
        return {
            "access-control-allow-origin": str(origin),
            "access-control-allow-headers": "content-type, authorization",
            "access-control-allow-private-network": "true",
            "access-control-max-age": "600",
            "vary": "origin",
        }

    def _check(self, request: Request, is_shared: bool) -> None:
        """Raise `HTTPException` for a request that can be refused before its body is read."""
        headers, path = request.headers, request.scope["path"]
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if "*" not in self.hosts and name.lower() not in self.hosts:
            raise HTTPException(
                421,
                f"this server does not answer to the name {name[:100]!r}; use one of "
                f"{', '.join(self.hosts)}, or start it with --name",
            )
        origin = headers.get("origin")
        is_own = origin is None or origin.partition("://")[2] == host
        if not is_own and not is_shared:
            raise HTTPException(403, "pages of other sites may not call this server")
        if self.token and path not in OPEN_PATHS and not path.startswith(_EDITOR):
            bearer = headers.get("authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(bearer.encode(), self.token.encode()):
                wanted = "the token is missing or wrong; send 'Authorization: Bearer TOKEN'"
                raise HTTPException(401, wanted, {"www-authenticate": "Bearer"})
        if request.method == "POST" and path.startswith(("/v1/", *self.open_to_pages)):
            media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
            wanted = "application/octet-stream" if path == "/v1/text" else "application/json"
            if media_type != wanted:
                stated = media_type[:100] or "of no stated type"
                raise HTTPException(415, f"the body must be {wanted}, not {stated}")

    async def _body(self, request: Request) -> bytes:
        """Return the whole body, decoded; raise `HTTPException` if it is too long or too slow."""
        most = int(self.limits.megabytes * 1e6)
        sentence = f"the body is longer than {self.limits.megabytes:g} MB; send less at once"
        too_long = HTTPException(413, sentence)
        coding = request.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("identity", "gzip"):
            refusal = f"the body may be plain or gzip, not {coding[:100]!r}"
            raise HTTPException(415, refusal, {"accept-encoding": "gzip"})
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > most:
            await _discard(request, _DISCARDED * most)
            raise too_long
        body = bytearray()
        try:
            async with asyncio.timeout(self.limits.seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > most:
                        raise too_long
        except ClientDisconnect:
            gone = "the connection was closed before the body was whole"
            raise HTTPException(400, gone) from None
        except TimeoutError:
            raise HTTPException(
                408, f"the body did not come within {self.limits.seconds:g} seconds"
            ) from None
        if coding == "identity":
            return bytes(body)
        content = _unzipped(bytes(body), most)
        if len(content) > most:
            raise too_long
        return content


async def _discard(request: Request, most: int) -> None:
    """Read and discard a refused body, so that the client receives the reason instead of a reset.

    Reading stops after `most` bytes. It is skipped if the client waits for permission to send the
    body.
    """
    if "expect" in request.headers:
        return
    with suppress(ClientDisconnect, TimeoutError):
        async with asyncio.timeout(_DISCARDING):
            size = 0
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    return


def _unzipped(body: bytes, most: int) -> bytes:
    """Return the content of a gzip body, or its first `most` + 1 bytes."""
    content = b""
    try:
        while body and len(content) <= most:
            decoder = zlib.decompressobj(31)
            content += decoder.decompress(body, most + 1 - len(content))
            if not decoder.eof and len(content) <= most:
                raise HTTPException(400, "the gzip body ends too early")
            body = decoder.unused_data  # another member
    except zlib.error as error:
        raise HTTPException(400, f"the body is not gzip: {error}") from None
    return content
