"""JSON Lines: one object a line, read under a bound, bad lines named and passed over."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from understandability.errors import InputError
from understandability.inputs.streams import DamagedStreamError, open_stream

_READ = 1 << 16
# A list of two bytes becomes an object of 56 and more.
_MOST_PARTS = 1_000_000


class LineError(InputError):
    """One line cannot be used; `line` is its number, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_jsonl(
    stream: io.BufferedReader, limit: int = 100_000_000
) -> Iterator[tuple[int, dict[str, Any] | LineError]]:
    """Each line's number and object; in the place of a bad line, a `LineError` saying why.

    Lines of more than `limit` bytes are passed over; blank lines are no records.

    >>> list(read_jsonl(io.BufferedReader(io.BytesIO(b'{"id": 1}\\n[2]\\n'))))
    [(1, {'id': 1}), (2, LineError('line 2 is a JSON list; each line must be an object'))]
    """
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(limit + 1)
            if not line:
                return
            if len(line) > limit and not line.endswith(b"\n"):
                _pass_line(stream)
                raise LineError(number, f"line {number} is longer than {limit / 1e6:g} MB")
            if line.strip():
                yield number, _object(line, number)
        except DamagedStreamError as error:
            yield number, LineError(number, f"line {number} is lost: {error}")
        except LineError as error:
            yield number, error


def read_objects(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file in which every line has to be good.

    Raises `InputError`, naming the file and the line, at the first that is not.
    """
    with open_stream(path) as stream:
        for _, record in read_jsonl(stream):
            if isinstance(record, LineError):
                raise InputError(f"{path}: {record}")
            yield record


def _pass_line(stream: io.BufferedReader) -> None:
    while (rest := stream.readline(_READ)) and not rest.endswith(b"\n"):
        pass


def _object(line: bytes, number: int) -> dict[str, Any]:
    if line.count(b"[") + line.count(b"{") > _MOST_PARTS:
        raise LineError(number, f"line {number} has more than {_MOST_PARTS} lists and objects")
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise LineError(number, f"line {number} is not JSON: {problem}") from error
    if not isinstance(value, dict):
        raise LineError(
            number, f"line {number} is a JSON {type(value).__name__}; each line must be an object"
        )
    return value
