"""A process that reads inputs by native code that may crash: that costs one input.

`main` is its program. It gets `Sources` without files, then file after file; of each it sends
every document as it comes, and behind the last one the remarks.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Self

from understandability.crawls.workers import Child
from understandability.errors import InputError
from understandability.inputs.sources import File, Sources, is_read_by_arrow
from understandability.text.page import Failure, Page

_PROGRAM = "from understandability.crawls.reader import main; main()"
_STILLBORN = 20  # readers in a row that may be killed at their start


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
        while True:
            reader = self._reader = self._reader or self._started()
            reader.send(file)
            number = 0
            while message := reader.receive():
                record, self._position, remarks = pickle.loads(message)
                if record is None:
                    self.remarks[:] = remarks
                    self._position = 0
                    return
                number += 1
                if number > given:
                    given = number
                    yield record
            how = reader.cause_of_death()
            self._stop()
            if given == died_at:
                break
            died_at = given  # it may have been killed from outside
        self._position = 0
        error = (
            f"reading stopped after {given:,} documents: the file ended its reader twice, the "
            f"second time by {how}; it is damaged, or Arrow cannot read it"
        )
        yield Failure(file.docno, file.path, "read", error)

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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which closes
    connection: Connection = Connection(int(sys.argv[1]))
    try:
        source: Sources = pickle.loads(connection.recv_bytes())
        connection.send_bytes(b"")
        while True:
            for record in source.read(pickle.loads(connection.recv_bytes())):
                connection.send_bytes(pickle.dumps((record, source.position, [])))
            connection.send_bytes(pickle.dumps((None, 0, source.remarks)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has gone
