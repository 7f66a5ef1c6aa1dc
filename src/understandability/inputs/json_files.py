"""Read JSON objects: one per line (JSON Lines), or in a JSON array."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from understandability.errors import InputError, in_one_line
from understandability.inputs.streams import DamagedStreamError, Window, open_stream

# The number of a record in its file, or its label in a window, such as ``@4711``.
NumberedRecords = Iterator[tuple[int | str, "dict[str, Any] | LineError"]]

_READ = 1 << 16
# An empty list is two bytes of JSON but an object of 56 bytes or more in memory.
_MOST_BRACKETS = 1_000_000
# A value that was cut inside a literal, a number or an escape fails this close to the cut.
_CUT = 16
_SPACE = re.compile(r"[ \t\r\n]*")


class LineError(InputError):
    """One record of a text file cannot be read; the message names its line or number."""


def read_jsonl(
    stream: io.BufferedReader, limit: int = 100_000_000, window: Window | None = None
) -> NumberedRecords:
    r"""Yield pairs of line number and object; for a line that cannot be parsed, a `LineError`
    instead.

    Blank lines are ignored. A line of more than `limit` bytes is skipped and yields a `LineError`
    too. With a `window` (a range of bytes), only the lines that begin in it are read. They are then
    labelled by their offset instead of a number.

    >>> list(read_jsonl(io.BufferedReader(io.BytesIO(b'{"id": 1}\n[2]\n'))))
    [(1, {'id': 1}), (2, LineError('line 2 is a JSON list; each line must be an object'))]
    """
    position = 0
    if window is not None and window.has_partial_line:
        position = _skip_line(stream)
    number: int | str
    for index in count(1):
        number, name = index, f"line {index}"
        try:
            if window is not None:
                if window.is_line_past(position):
                    return
                if not stream.peek(1):
                    return
                number, name = window.label(position), "the line"
            line = stream.readline(limit + 1)
            position += len(line)
            if not line:
                return
            if len(line) > limit and not line.endswith(b"\n"):
                position += _skip_line(stream)
                raise LineError(f"{name} is longer than {limit / 1e6:g} MB")
            if line.strip():
                yield number, _object_of_line(line, name)
        except DamagedStreamError as error:
            yield number, LineError(f"{name} is lost: {error}")
        except LineError as error:
            yield number, error


def _skip_line(stream: io.BufferedReader) -> int:
    """Skip the rest of a line, and return its size in bytes."""
    size = 0
    while rest := stream.readline(_READ):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    return size


def is_json_lines(stream: io.BufferedReader) -> bool:
    """Return True if the first line of a file is a complete JSON value, as in JSON Lines."""
    start = _first_line(stream)
    return not start.startswith(b"[") and not start.rstrip().endswith((b"{", b"[", b","))


def read_json(stream: io.BufferedReader, limit: int = 100_000_000) -> NumberedRecords:
    r"""Yield pairs of number and object from a file of JSON or JSON Lines; the first line decides
    which.

    A JSON file holds an array of objects, or objects one after another over several lines. An array
    is read object by object, so its size does not matter. If an object of such a file cannot be
    parsed, the rest is not read, and a `LineError` says so.

    >>> list(read_json(io.BufferedReader(io.BytesIO(b'[{"id": 1},\n {"id": 2}]'))))
    [(1, {'id': 1}), (2, {'id': 2})]
    """
    if is_json_lines(stream):
        yield from read_jsonl(stream, limit)
    else:
        yield from _Values(stream, limit).read()


def read_objects(path: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file; raise `InputError` at the first bad line."""
    with open_stream(path) as stream:
        for _, record in read_jsonl(stream):
            if isinstance(record, LineError):
                raise InputError(f"{path}: {record}")
            yield record


def _first_line(stream: io.BufferedReader) -> bytes:
    """Return the first line of a stream, or as much of it as can be peeked without reading."""
    try:
        start = stream.peek(_READ).removeprefix(b"\xef\xbb\xbf").lstrip()
    except DamagedStreamError:  # raised again when it is read
        return b""
    line, newline, _ = start.partition(b"\n")
    return line if newline or len(start) < 100 else line + b"..."


def _object_of_line(line: bytes, name: str) -> dict[str, Any]:
    if line.count(b"[") + line.count(b"{") > _MOST_BRACKETS:
        raise LineError(f"{name} has more than {_MOST_BRACKETS} lists and objects")
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        raise LineError(f"{name} is not JSON: {in_one_line(error)}") from error
    if not isinstance(value, dict):
        raise LineError(f"{name} is a JSON {type(value).__name__}; each line must be an object")
    return value


def _not_an_object(number: int, value: Any) -> str:
    return f"item {number} is a JSON {type(value).__name__}; each item must be an object"


class _Values:
    """An iterator over the objects in a JSON file, parsed from a buffer that grows as needed."""

    def __init__(self, stream: io.BufferedReader, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._parser = json.JSONDecoder()
        self._text = ""
        self._position = 0
        self._at_end = False

    def read(self) -> NumberedRecords:
        number = 0
        is_array = self._next_character() == "["
        try:
            if self._text[:1] == "\ufeff":
                self._position = 1
                is_array = self._next_character() == "["
            self._position += is_array
            while character := self._next_character():
                if is_array and character == "]":
                    self._position += 1
                    break
                number += 1
                value = self._value(number)
                is_object = isinstance(value, dict)
                yield number, value if is_object else LineError(_not_an_object(number, value))
                separator = self._next_character()
                if is_array and separator == ",":
                    self._position += 1
                elif is_array and separator not in ("]", ""):
                    raise LineError(f"after item {number} there is neither a comma nor a bracket")
            else:
                if is_array:
                    raise LineError("the file ends within the JSON array")
            if self._next_character():
                raise LineError("there is more after the end of the JSON array")
        except (DamagedStreamError, UnicodeDecodeError, LineError) as error:
            reason = in_one_line(error)
            yield number + 1, LineError(f"{reason}; the file is not read after item {number}")

    def _next_character(self) -> str:
        """Skip white space and return the next character, or '' at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._grow(_READ):
                return ""

    def _value(self, number: int) -> Any:
        while True:
            if self._text.count("[") + self._text.count("{") > _MOST_BRACKETS:
                raise LineError(f"item {number} has more than {_MOST_BRACKETS} lists and objects")
            try:
                value, end = self._parser.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos >= (
                    len(self._text) - _CUT
                )
                size = len(self._text) - self._position
                if is_cut and size > self._limit:
                    raise LineError(
                        f"item {number} is longer than {self._limit / 1e6:g} MB"
                    ) from error
                if not is_cut or not self._grow(max(_READ, size)):
                    raise LineError(f"item {number} is not JSON: {in_one_line(error)}") from error
            except RecursionError as error:
                raise LineError(f"item {number} is nested too deeply") from error
            else:
                self._position = end
                return value

    def _grow(self, size: int) -> bool:
        """Drop the parsed part of the buffer and read `size` more bytes; return False at the
        end.
        """
        if self._at_end:
            return False
        data = self._stream.read(size)
        self._at_end = not data
        self._text = self._text[self._position :] + self._decoder.decode(data, self._at_end)
        self._position = 0
        return bool(data)
