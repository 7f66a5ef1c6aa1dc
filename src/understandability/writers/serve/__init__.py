"""The editor for writers, as a local web page, and an HTTP API.

The input is requests with texts, pages or files. The output is scores, explanations and rankings as
JSON, and the pages of the editor.

`app` answers the requests, `guard` restricts who may send them and how large they may be,
`messages` defines their fields, `files` reads documents, and `server` and `connections` start the
server.
"""

from __future__ import annotations

from dataclasses import dataclass

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of a request, and of the queue.

    `megabytes` limits the body, `seconds` the time to send and to answer it, `waiting` the length
    of the queue, and `documents` the number of texts in one request.
    """

    megabytes: float = 10.0
    seconds: float = 20.0
    waiting: int = 100
    documents: int = 1000
