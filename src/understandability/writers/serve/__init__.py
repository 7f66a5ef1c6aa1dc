"""A local page for writers, and the same as an HTTP API.

In: texts, pages and files in requests. Out: rows, explanations, rankings as JSON; the editor.

`app` has the calls, `guard` decides who may make them and how large they may be, `messages` says
what they look like, `files` reads documents, `server` and `connections` start it all.
"""

from __future__ import annotations

from dataclasses import dataclass

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of a request, and of the queue.

    `megabytes` is the longest body, `seconds` the longest time to send it and to answer it,
    `waiting` the length of the queue, `documents` the number of texts in one request.
    """

    megabytes: float = 10.0
    seconds: float = 20.0
    waiting: int = 100
    documents: int = 1000
