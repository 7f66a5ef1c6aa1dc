"""The server that collects answers of a study: it stores them, and does nothing else."""

from __future__ import annotations

import secrets
import time
from collections import deque

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from understandability.errors import InputError
from understandability.inputs.study_answers import MOST_BYTES, parse_answers
from understandability.inputs.writing import open_folder
from understandability.writers.serve import LOCAL_HOSTS, RequestLimits
from understandability.writers.serve.guard import Guard

ANSWERS = "/answers"
MOST_FILES = 10_000
_MOST_A_MINUTE = 120


def collector(
    folder: str,
    token: str,
    *,
    hosts: tuple[str, ...] = LOCAL_HOSTS,
    seconds: float = 20.0,
    most_files: int = MOST_FILES,
    most_a_minute: int = _MOST_A_MINUTE,
) -> Guard:
    """Return the application that stores answers in a folder.

    ``POST /answers`` with the token accepts answers of the schema, from a page on any site or disk,
    and writes each into a new file. Nothing can be read back, so the token, which every participant
    has, opens nothing else. The folder holds `most_files` at most.
    """
    store = _Store(folder, most_files, most_a_minute)
    app = Starlette(
        routes=[
            Route(ANSWERS, store.accept, methods=["POST"]),
            Route("/healthz", _healthy, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _error_reply, Exception: _error_reply},
    )
    limits = RequestLimits(megabytes=MOST_BYTES / 1e6, seconds=seconds)
    return Guard(app=app, hosts=hosts, token=token, limits=limits, open_to_pages=(ANSWERS,))


class _Store:
    """Writes answers into a folder, within limits of number and rate."""

    def __init__(self, folder: str, most_files: int, most_a_minute: int) -> None:
        self._folder = open_folder(folder)
        self._most_files = most_files
        self._times: deque[float] = deque(maxlen=most_a_minute)

    async def accept(self, request: Request) -> Response:
        """Store the answers of a request."""
        now = time.monotonic()
        if len(self._times) == self._times.maxlen and now - self._times[0] < 60:
            raise HTTPException(
                429, "many participants send answers just now; try again in a minute"
            )
        self._times.append(now)
        try:
            answers = parse_answers(await request.body())
        except InputError as error:
            raise HTTPException(422, str(error)) from None
        # The name is ours, and says when: nothing of it comes from the participant.
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        name = f"{stamp}-{secrets.token_hex(8)}.json"
        try:
            is_full = len(self._folder.names("")) >= self._most_files
            if not is_full:
                self._folder.create(name, answers.to_text().encode())
        except (InputError, OSError) as error:
            raise HTTPException(507, "the answers could not be stored; try again later") from error
        if is_full:
            raise HTTPException(507, "the folder of answers is full; tell the person who asked you")
        return JSONResponse({"stored": len(answers.answers)}, 201)


async def _healthy(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _error_reply(request: Request, error: Exception) -> Response:
    """Answer a failed request with one sentence."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)
    sentence = f"the server met an error of its own ({type(error).__name__})"
    return JSONResponse({"error": sentence}, 500)
