"""Worker processes that may hang, crash or eat memory: that costs one page each time.

Each has a socket of its own: workers of a pool (Pebble, `concurrent.futures`) share a lock, and one
that is killed while it holds the lock takes the pool with it.
"""

from __future__ import annotations

import os
import pickle
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Annotated, Self

import pyarrow as pa

from understandability.crawls.child import Child
from understandability.crawls.reading import Chunk, Scored
from understandability.crawls.worker import EXTRACTED, OUT_OF_TIME, Answer
from understandability.errors import InputError, OptionError, check_range
from understandability.prompt import AtPrompt
from understandability.scoring import RowMaker

_PROGRAM = "from understandability.crawls.worker import main; main()"
_TICK = 0.05  # seconds between two looks at the memory of workers
_READING = 0.005  # seconds for which documents are read between two looks at their answers
_STILLBORN = 20  # workers in a row that may be killed at their start
_WORN = 0.75  # of the memory it may have: a worker with more makes room for a new one
_TOO_LONG, _TOO_LARGE = "its time limit", "its memory limit"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a page may take, and how much memory a worker.

    Memory is what is resident, looked at twenty times a second from outside. The kernel's
    limits on address space (RLIMIT_AS, RLIMIT_DATA) count what libraries only reserve, and let
    allocations fail within libxml2, which then tells of a page that cannot be parsed.

    Args:
        seconds: Processor seconds allowed for a page; one that needs more becomes an error. Ten
            times as many may pass by the clock.
        megabytes: Memory allowed for a worker process, in MB.
    """

    seconds: Annotated[float, AtPrompt(float, "--limit-seconds")] = 10.0
    megabytes: Annotated[float, AtPrompt(float, "--worker-mb")] = 2000.0

    def __post_init__(self) -> None:
        check_range(0.001, 1_000_000, limit_seconds=self.seconds)
        check_range(1, worker_mb=self.megabytes)


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """A number of processes that score chunks; a context manager that leaves none behind."""

    def __init__(self, maker: RowMaker, count: int, limits: Limits) -> None:
        self._maker, self._limits = maker, limits
        self._ahead: deque[Chunk] = deque()  # read, and not given out yet
        self._stillborn = 0
        self._next_look = 0.0
        self._workers = [_Worker(maker) for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.stop()

    def run(self, chunks: Iterator[Chunk | None]) -> Iterator[Scored | None]:
        """Make the rows of chunks, in the order in which they are done.

        `chunks` are read when workers need them; they and this give None to let others work.
        """
        reading = True
        while reading or self._ahead or any(worker.chunk for worker in self._workers):
            looked = time.monotonic()
            while reading and self._needs_more() and time.monotonic() < looked + _READING:
                try:
                    chunk = next(chunks)
                except StopIteration:
                    reading = False
                else:
                    if chunk is None:
                        yield None
                    else:
                        self._ahead.append(chunk)
            for worker in self._workers:
                if worker.is_idle and self._ahead:
                    worker.give(self._ahead.popleft(), self._limits.seconds)
            seconds = 0 if reading and self._needs_more() else _TICK
            ready = wait([worker.connection for worker in self._workers], seconds)
            for worker in [each for each in self._workers if each.connection in ready]:
                scored = self._attend(worker)
                if scored is not None:
                    yield scored
            self._watch_memory()
            yield None

    def _needs_more(self) -> bool:
        idle = any(worker.is_idle for worker in self._workers)
        return not self._ahead if idle else len(self._ahead) < len(self._workers)

    def _attend(self, worker: _Worker) -> Scored | None:
        """Take what a worker says, or bury it."""
        message = worker.receive()
        if message is None:
            return self._bury(worker)
        if not worker.is_ready:
            worker.is_ready = True
            self._stillborn = 0
            if worker.chunk is not None:
                worker.give(worker.chunk, self._limits.seconds)
            return None
        if message == EXTRACTED:
            worker.stage = "score"
            return None
        answer: Answer = pickle.loads(message)
        chunk, worker.chunk = worker.chunk, None
        assert chunk is not None
        if worker.megabytes > self._limits.megabytes * _WORN:
            self._replace(worker)
        if answer.error:
            return self._split_or_fail(chunk, "score", answer.error)
        with pa.ipc.open_stream(answer.rows) as stream:
            table = stream.read_all()
        return Scored(chunk, table, tuple((chunk.places[i], each) for i, each in answer.failures))

    def _bury(self, worker: _Worker) -> Scored | None:
        """Replace a worker that has died, and see what is to be done with its chunk."""
        how = worker.cause_of_death()
        if not worker.is_ready:
            self._check_start(worker, how)
            self._replace(worker, worker.chunk)
            return None
        chunk = worker.chunk
        alone = chunk is not None and len(chunk.pages) == 1
        if chunk is None or not alone:
            self._replace(worker)
            return None if chunk is None else self._split_or_fail(chunk, worker.stage, how)
        if how == _TOO_LONG:
            error = (
                f"the page took longer than {self._limits.seconds:g} s and was stopped; raise "
                "--limit-seconds to wait for it"
            )
        elif not worker.is_second_try:
            # It may have been killed from outside, or have grown large on pages before.
            self._replace(worker, chunk)
            return None
        elif how == _TOO_LARGE:
            error = (
                f"the page needed more than {self._limits.megabytes:g} MB and was stopped; raise "
                "--worker-mb to allow it"
            )
        else:
            error = f"the page ended its process twice, the second time by {how}"
        self._replace(worker)
        return self._split_or_fail(chunk, worker.stage, error)

    def _split_or_fail(self, chunk: Chunk, stage: str, error: str) -> Scored | None:
        """Pages of a chunk that failed are tried one by one; one that fails alone is an error."""
        if len(chunk.pages) > 1:
            self._ahead.extendleft(reversed(list(chunk.singly())))
            return None
        return chunk.failed(stage, error)

    def _replace(self, worker: _Worker, chunk: Chunk | None = None) -> None:
        """Start another worker in the place of one, perhaps with a chunk to begin with."""
        worker.stop()
        self._workers[self._workers.index(worker)] = _Worker(self._maker, chunk)

    def _check_start(self, worker: _Worker, how: str) -> None:
        if how == _TOO_LARGE:
            raise OptionError(
                f"--worker-mb {self._limits.megabytes:g} is too little: a worker needs more "
                "before its first page"
            )
        self._stillborn += 1
        if how.startswith("exit") or self._stillborn > _STILLBORN:
            raise InputError(f"worker processes end at their start, by {how}; see what they print")

    def _watch_memory(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _TICK
        for worker in self._workers:
            if worker.megabytes > self._limits.megabytes:
                worker.kill_for_memory()


class _Worker(Child):
    """A process that makes rows, and what it is working on."""

    def __init__(self, maker: RowMaker, chunk: Chunk | None = None) -> None:
        super().__init__(_PROGRAM)
        self.chunk = chunk
        self.is_second_try = chunk is not None
        self.is_ready = False
        self.stage = "extract"
        self._is_too_large = False
        self.send(maker)

    @property
    def is_idle(self) -> bool:
        return self.is_ready and self.chunk is None

    def give(self, chunk: Chunk, seconds: float) -> None:
        """Have a chunk scored."""
        self.is_second_try = self.is_second_try and chunk is self.chunk
        self.chunk, self.stage = chunk, "extract"
        self.send((chunk.pages, seconds))

    @property
    def megabytes(self) -> float:
        """The memory that it has in use; 0 where the system does not tell (all but Linux)."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0.0
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def kill_for_memory(self) -> None:
        """Kill it; its socket will tell."""
        self._is_too_large = True
        self._process.kill()

    def cause_of_death(self) -> str:
        """How the process ended; of limits, which one."""
        how = super().cause_of_death()
        if self._is_too_large:
            return _TOO_LARGE
        return _TOO_LONG if -self.exit_status() in OUT_OF_TIME else how
