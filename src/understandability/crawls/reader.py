"""A process that reads inputs by native code that may crash: that costs one input."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, Self

from understandability.crawls.child import Child, parent
from understandability.errors import InputError
from understandability.inputs.limits import unread
from understandability.inputs.sources import File, Sources, is_read_by_arrow, typed_columns
from understandability.text.page import Failure, Page

_PROGRAM = "from understandability.crawls.reader import main; main()"
_STILLBORN = 20  # readers in a row that may be killed at their start
SILENT = 120.0  # seconds without a document after which a reader hangs


class ReadApart(Sources):
    """Sources of which the files that Arrow reads are read in a process of their own."""

    def __init__(self, source: Sources) -> None:
        vars(self).update(vars(source))
        self._reader: Child | None = None
        self._position = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    @property
    def position(self) -> int:
        return self._position or super().position

    def read(self, file: File) -> Iterator[Page | Failure]:
        """The pages of a file; one that ends its reader twice at one place ends in a failure."""
        if not is_read_by_arrow(file.path) or file.path in self.without:
            yield from super().read(file)
            return
        given, died_at = 0, -1
        # Of a list of documents none may come for long, though the file is read.
        seconds = SILENT if self.docnos is None else None
        while True:
            reader = self._reader = self._reader or self._started()
            reader.send(file)
            number = 0
            while message := reader.receive(seconds):
                record, self._position, remarks = pickle.loads(message)
                if record is None:
                    self.remarks[:] = remarks
                    self._position = 0
                    return
                number += 1
                if number > given:
                    given = number
                    yield record
            hangs = not reader.has_ended
            how = "" if hangs else reader.cause_of_death()
            self._stop()
            if hangs or given == died_at:
                break
            died_at = given  # it may have been killed from outside
        self._position = 0
        what = (
            f"no document came for {seconds:g} s"
            if hangs
            else f"the file ended its reader twice, the second time by {how}"
        )
        why = f"reading stopped after {given:,} documents: {what}; "
        yield unread(file.path, f"{why}it is damaged, or Arrow cannot read it", file.docno)

    def columns_of(self, path: str) -> Any:
        """The Arrow schema that a file states; None where it states none or cannot be read."""
        reader = self._reader = self._reader or self._started()
        reader.send(path)
        message = reader.receive(SILENT)
        if message is None:
            self._stop()
        return message and pickle.loads(message)

    def _started(self) -> Child:
        for _ in range(_STILLBORN):
            reader = Child(_PROGRAM)
            source = self.without_files()
            source.remarks.extend(self.remarks)
            reader.send(source)
            if reader.receive() is not None:
                return reader
            how = reader.cause_of_death()
            reader.stop()
            if how.startswith("exit"):
                break
        raise InputError(f"reader processes end at their start, by {how}; see what they print")

    def _stop(self) -> None:
        if self._reader is not None:
            self._reader.stop()
            self._reader = None


def main() -> None:
    """Read until the socket closes."""
    with parent() as connection:
        source: Sources = pickle.loads(connection.recv_bytes())
        connection.send_bytes(b"")
        while True:
            asked: File | str = pickle.loads(connection.recv_bytes())
            if isinstance(asked, str):
                connection.send_bytes(pickle.dumps(_columns_of(asked)))
                continue
            for record in source.read(asked):
                connection.send_bytes(pickle.dumps((record, source.position, [])))
            connection.send_bytes(pickle.dumps((None, 0, source.remarks)))


def _columns_of(path: str) -> Any:
    try:
        return typed_columns(path)
    except InputError:  # which reading it will tell
        return None
