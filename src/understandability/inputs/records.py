"""Read records that state their own length from a stream, even if some of them are damaged."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from understandability.inputs.http import parse_headers
from understandability.inputs.streams import DamagedStreamError, Window

_READ = 1 << 16
_LINE = 1 << 16
_NOT_SPACE = re.compile(rb"\S")
_AHEAD = 1 << 24  # the distance at which the end of a content is still checked
_HEADER_LINES = 1000


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """How the records of a format begin.

    `start` matches the first line of a record, and `prefix` is the common beginning of all first
    lines. `inside` matches a line break followed by the beginning of a record, to find a record
    within the content of another. A match of `inside` has at most `border` bytes.
    """

    start: re.Pattern[bytes]
    prefix: bytes
    inside: re.Pattern[bytes]
    border: int


class BrokenRecordError(Exception):
    """A record cannot be read; reading continues with the next one."""

    def __init__(self, message: str, docno: str = "") -> None:
        super().__init__(message)
        self.docno = docno


class Records:
    """A reader of the records in a stream: call `next_line`, `headers` and `content` for each.

    A buffer holds bytes that were read ahead: at most 16 MB, or the content of one record. With a
    `window` (a range of bytes), only the records that begin in it are read.
    """

    def __init__(
        self, stream: io.BufferedReader, form: RecordFormat, window: Window | None = None
    ) -> None:
        self._stream = stream
        self._form = form
        self._window = window
        self._buffer = bytearray()
        self._at = 0
        self._dropped = 0  # bytes before the buffer
        self._number = 0
        self.label = "#0"  # of the current record in its file: its number, or its offset
        self._damage: DamagedStreamError | None = None  # that follows the buffer
        self._broken: BrokenRecordError | None = None  # the fault of the last content

    @property
    def position(self) -> int:
        """The number of decoded bytes that were consumed so far."""
        return self._dropped + self._at

    def next_line(self) -> bytes | None:
        """Return the stripped first line of the next record; None at the end of the stream."""
        if self._broken:
            broken, self._broken = self._broken, None
            raise broken
        while not (text := _NOT_SPACE.search(self._buffer, self._at)):
            self._at = len(self._buffer)
            if self._is_past_window() or not self._fill(1):
                return None
        self._at = text.start()
        if self._is_past_window():
            return None
        self._number += 1
        window = self._window
        self.label = window.label(self.position) if window else f"#{self._number}"
        return self._readline().strip()

    def headers(self) -> dict[str, str]:
        """Return the headers of the record, by lower-case name, up to an empty line."""
        lines: list[bytes] = []
        while True:
            line = self._readline()
            if not line:
                raise BrokenRecordError("the file ends within its headers")
            if not line.strip():
                return parse_headers(lines)
            if len(line) >= _LINE or len(lines) == _HEADER_LINES:
                raise BrokenRecordError("its headers do not end")
            lines.append(line)

    def content(self, length: int, most: int, docno: str) -> bytes:
        """Return the content of a record with the stated `length`; at most its first `most` bytes.

        If the content contains text that looks like a record, the stated length is believed only if
        the next record or the end of the file follows the content. If that is too far ahead to
        check, the length is not believed. In that case the content ends before the apparent record,
        and `next_line` raises an error.
        """
        content: bytes | None = None
        remaining = length
        while content is None or remaining:
            size = min(remaining, most if content is None else _READ)
            available = self._look(size + self._form.border)
            end = self._at + size
            first = max(self._at - 1, 0)
            record = self._form.inside.search(self._buffer, first, end + self._form.border)
            ahead = record.start() + 1 - self._at if record else size + 1
            if ahead <= size and not self._ends_after(remaining):
                self._broken = BrokenRecordError("its Content-Length reaches into other records")
                part = self._take(ahead)
                return part.removesuffix(b"\r\n\r\n") if content is None else content
            if available < size:
                self._at = len(self._buffer)
                self._fill(1)  # raises the damage, if there is any
                raise BrokenRecordError("the file ends within its content", docno)
            part = self._take(size)
            content = part if content is None else content
            remaining -= size
        return content

    def find_next(self) -> None:
        """Skip damaged bytes up to the next line that begins a record."""
        border = self._form.border
        at_line_start = True
        while True:
            try:
                if not self._fill(border):
                    return
            except DamagedStreamError:
                at_line_start = True
                continue
            if at_line_start and self._form.start.match(self._buffer, self._at):
                return
            if line := self._next_start():
                self._at = line
                return
            # No record begins here. Keep the end of the buffer, where the first line of one may
            # begin.
            seen = len(self._buffer) - self._at
            more = self._look(seen + 1) > seen
            self._at += max(seen - border, 0) if more else seen
            at_line_start = at_line_start and more and seen <= border

    def _next_start(self) -> int | None:
        """Return the index in the buffer of the next line that begins a record, or None."""
        line_break = self._buffer.find(b"\n" + self._form.prefix, self._at)
        while line_break >= 0:
            if self._form.start.match(self._buffer, line_break + 1):
                return line_break + 1
            line_break = self._buffer.find(b"\n" + self._form.prefix, line_break + 1)
        return None

    def _is_past_window(self) -> bool:
        return self._window is not None and self._window.is_past(self.position)

    def _ends_after(self, count: int) -> bool:
        """Return True if a record or the end of the file follows after `count` more bytes."""
        if count > _AHEAD or self._look(count + self._form.border) < count:
            return False
        end = self._at + count
        following = bytes(self._buffer[end : end + self._form.border]).lstrip()
        prefix = self._form.prefix
        if not following or prefix:
            return following.startswith(prefix[: len(following)])
        return self._form.start.match(following) is not None

    def _readline(self) -> bytes:
        """Return the next line, truncated if it is very long; empty at the end."""
        end = self._buffer.find(b"\n", self._at, self._at + _LINE) + 1
        if not end:
            self._fill(_LINE)
            end = self._buffer.find(b"\n", self._at, self._at + _LINE) + 1 or self._at + _LINE
        return self._take(end - self._at)

    def _take(self, count: int) -> bytes:
        data = bytes(memoryview(self._buffer)[self._at : self._at + count])
        self._at += len(data)
        return data

    def _fill(self, count: int) -> int:
        """Read ahead so that the buffer has `count` bytes; return how many it has.

        If the stream is damaged, the error is raised only once all bytes before the damage were
        consumed.
        """
        available = self._look(count)
        if not available and self._damage:
            damage, self._damage = self._damage, None
            raise damage
        return available

    def _look(self, count: int) -> int:
        """Fill the buffer with `count` bytes, or fewer at the end; return the number available."""
        if len(self._buffer) - self._at < count:
            passed = max(self._at - 1, 0)  # the byte before shows if a line begins here
            del self._buffer[:passed]
            self._at -= passed
            self._dropped += passed
        while len(self._buffer) - self._at < count and not self._damage:
            try:
                # Unlike read, read1 keeps what was decoded before the damage.
                data = self._stream.read1(_READ)
            except DamagedStreamError as error:
                self._damage = error
                break
            if not data:
                break
            self._buffer += data
        return len(self._buffer) - self._at
