"""The socket on which the server listens, and a time limit for connections that send nothing."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_HEADERS_WITHIN = 6.0  # seconds from the first byte, or the last answer, to the end of the headers
_WAITING = 2048  # connections that the system keeps until they are taken


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that sends small replies immediately, without waiting for more data.

    asyncio does not set this option if several processes share the socket. Connections inherit it.
    Raises `OSError` if the port is in use.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listening.bind((host, port))
        listening.listen(_WAITING)
    except OSError:
        listening.close()
        raise
    with suppress(ImportError):  # where the system knows no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return listening


class Connection(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # chosen as the program runs
    """A connection that is closed if the headers of a request do not arrive in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def _waits(self) -> bool:
        """True if no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        if self._timer is None and self._waits():
            self._timer = self.loop.call_later(_HEADERS_WITHIN, self._let_go)
        elif self._timer is not None and not self._waits():
            self._timer.cancel()
            self._timer = None

    def _let_go(self) -> None:
        self._timer = None
        if self._waits():
            self.transport.abort()
