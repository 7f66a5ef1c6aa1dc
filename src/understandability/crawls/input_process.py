"""The program of a worker process: it reads inputs, has their pages scored, and writes the results.

A worker consists of two processes that take turns: this one reads, and one of `page_process`
scores. If a page crashes the second process, this one starts another. If reading an input crashes
this process (Arrow does so on damaged files), the parent starts another worker. The parent hands
out inputs and publishes the finished parts.
"""

from __future__ import annotations

import mmap
import os
import pickle
import struct
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from understandability.crawls.folder import CrawlFolder, Part, StagedPart
from understandability.crawls.page_process import IsolatedScorer, Limits
from understandability.crawls.parts import InputRun, Retry, Stop
from understandability.crawls.plan import Input, InputSettings
from understandability.crawls.processes import connected_to_parent
from understandability.errors import InputError, OptionError
from understandability.text.page import Failure

if TYPE_CHECKING:
    from understandability.crawls.parts import FinishedPart

PROGRAM = "from understandability.crawls.input_process import main; main()"
_UPDATE = 0.2  # seconds between two reports of the progress
_STATE = struct.Struct("qqq")


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: a pickled `RowMaker`, and the folder for the results."""

    settings: InputSettings
    maker: bytes
    limits: Limits
    folder: str
    described: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A message to a worker: the input to read and score.

    `finished` has an entry for each part that already exists: its number, and whether it is the
    last part of the input. `retried` has an entry for each finished part with failures to try
    again: the stages of these failures.
    """

    input: Input
    finished: Mapping[int, bool]
    retried: Mapping[Part, frozenset[str]]
    stops: tuple[Stop, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """A message of a worker about its progress; `part` is set when a part is written.

    The counts are of this input since it was assigned. `remarks` are new messages to the user.
    """

    documents: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    first_failure: Failure | None = None
    bytes_read: int = 0
    bytes_passed: int = 0
    remarks: Sequence[str] = ()
    part: StagedPart | None = None
    part_documents: int = 0
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """A message of a worker about an error that ends the whole run, such as a full disk."""

    message: str
    is_option: bool = False


class ReadingState:
    """The worker's position in its input, in shared memory that remains if the worker dies.

    The parent learns from it at which document the worker died.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _STATE.size)

    def set(self, file_index: int, documents: int, is_reading: bool) -> None:
        """Store the index of the current file, the number of documents read, and whether it is
        reading now.
        """
        _STATE.pack_into(self._memory, 0, file_index, documents, is_reading)

    def get(self) -> tuple[int, int, bool]:
        """Return the values that were stored last."""
        file_index, documents, is_reading = _STATE.unpack_from(self._memory)
        return file_index, documents, bool(is_reading)

    @staticmethod
    def allocate(descriptor: int) -> None:
        """Make an open file as large as the record of a worker's progress."""
        os.ftruncate(descriptor, _STATE.size)


def main() -> None:
    """Read and score inputs, as the parent sends them, until the socket closes."""
    with connected_to_parent() as connection:
        setup: Setup = pickle.loads(connection.recv_bytes())
        state = ReadingState(int(sys.argv[2]))

        def watch() -> None:
            if connection.poll():  # the parent sends nothing while an input is worked on
                raise EOFError

        with IsolatedScorer(setup.maker, setup.limits, watch) as score:
            worker = _Worker(connection, setup, state, score)
            connection.send_bytes(pickle.dumps(Update()))  # ready
            while True:
                worker.work_on(pickle.loads(connection.recv_bytes()))


class _Worker:
    def __init__(
        self, connection: Connection, setup: Setup, state: ReadingState, score: IsolatedScorer
    ) -> None:
        self._connection, self._setup, self._state, self._score = connection, setup, state, score
        limits = {"seconds": setup.limits.seconds, "megabytes": setup.limits.megabytes}
        self._folder = CrawlFolder(setup.folder, setup.described, limits)
        self._remarks = setup.settings.source.remarks
        self._reported = 0
        self._next_update = 0.0

    def work_on(self, assignment: Assignment) -> None:
        """Read and score one input, write its parts, and report the progress."""
        try:
            run = self._run_of(assignment)
            self._state.set(0, 0, is_reading=True)
            for part in run:
                if part is not None:
                    self._state.set(run.file_index, run.documents, is_reading=False)
                    self._report(run, part)
                elif time.monotonic() >= self._next_update:
                    self._report(run)
                self._state.set(run.file_index, run.documents, is_reading=True)
            self._report(run, is_done=True)
        except (InputError, OptionError) as error:
            trouble = Trouble(str(error), isinstance(error, OptionError))
            self._connection.send_bytes(pickle.dumps(trouble))

    def _run_of(self, assignment: Assignment) -> InputRun:
        retries = {
            part.number: Retry(self._folder.scores(part), self._folder.failures(part), stages)
            for part, stages in assignment.retried.items()
        }

        def score(chunk: Any) -> Any:
            self._state.set(run.file_index, run.documents, is_reading=False)
            return self._score(chunk)

        run = InputRun(
            self._setup.settings,
            assignment.input,
            score,
            finished=assignment.finished,
            retries=retries,
            stops=assignment.stops,
        )
        return run

    def _report(
        self, run: InputRun, part: FinishedPart | None = None, *, is_done: bool = False
    ) -> None:
        staged = None
        if part is not None:
            staged = self._folder.stage(part.part, part.rows, part.failures, part.skipped)
        remarks = self._remarks[self._reported :]
        self._reported = len(self._remarks)
        update = Update(
            run.scored_documents,
            run.failed,
            run.first_failure,
            run.bytes_read,
            run.bytes_passed,
            remarks,
            staged,
            part.documents if part is not None else 0,
            is_done,
        )
        self._connection.send_bytes(pickle.dumps(update))
        self._next_update = time.monotonic() + _UPDATE
