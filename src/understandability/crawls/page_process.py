"""Score pages in a child process, so that a page that hangs or crashes affects no other page.

`IsolatedScorer` sends chunks of pages to a child process and replaces it when it dies. Then it
tries the pages of the chunk one by one. `main` is the program of the child. Timers of the kernel
end it when a page takes too long: they need neither Python nor the parent. They count processor
time, so that a busy machine produces the same rows as an idle one. A second timer by the clock ends
pages that wait for ever.
"""

from __future__ import annotations

import logging
import pickle
import signal
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Annotated, Self

import pyarrow as pa
from cyclopts import Parameter

from understandability.crawls.parts import MEMORY, TIME, Chunk, ScoredChunk
from understandability.crawls.processes import (
    MAX_FAILED_STARTS,
    ChildProcess,
    connected_to_parent,
)
from understandability.errors import InputError, OptionError, check_range
from understandability.inputs.limits import ENVIRONMENT, is_environment_error
from understandability.text.page import Failure, Page

if TYPE_CHECKING:
    from understandability.scoring import RowMaker

_PROGRAM = "from understandability.crawls.page_process import main; main()"
READY = EXTRACTED = b""
_TICK = 0.05  # seconds between two looks at the memory of the process
# A process that uses more than this share of its memory limit is replaced before the next chunk.
_WORN = 0.75
# The signals of the timers; Windows has neither, and no crawl folders.
OUT_OF_TIME = tuple(
    getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name)
)
_CLOCK_RATIO = 10  # limit by the clock / limit of processor time


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for scoring a page: processor time, and memory of the process.

    Memory is resident memory, measured twenty times a second from another process. The kernel's
    limits on address space (RLIMIT_AS, RLIMIT_DATA) count what libraries only reserve. They also
    make allocations fail within libxml2, which then reports a page that cannot be parsed.

    Args:
        seconds: Processor seconds allowed for a page; one that needs more becomes an error. Ten
            times as many may pass by the clock. A later run with a higher limit tries it again.
        megabytes: Memory allowed for the process that scores pages, in MB. A later run with a
            higher limit tries the pages again that needed more.
    """

    seconds: Annotated[float, Parameter("--limit-seconds")] = 10.0
    megabytes: Annotated[float, Parameter("--worker-mb")] = 2000.0

    def __post_init__(self) -> None:
        check_range(0.001, 1_000_000, limit_seconds=self.seconds)
        check_range(1, worker_mb=self.megabytes)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The result of a chunk: an Arrow stream of rows, and failures with the indices of their pages.

    `error` is set instead if scoring raised an exception. Then `is_environment` is true if the
    machine lacked memory, disk or files, so that the pages are not to blame.
    """

    rows: bytes = b""
    failures: tuple[tuple[int, Failure], ...] = ()
    error: str = ""
    is_environment: bool = False


@dataclass(frozen=True, slots=True)
class _Setback:
    """A failed attempt to score a chunk: the `stage` at which it ended, and the `error`.

    `is_final` is true if a second attempt at the same page would fail in the same way.
    """

    stage: str
    error: str
    is_final: bool = False


class IsolatedScorer:
    """Scores chunks of pages in a child process; a context manager that ends the process.

    `maker` is a pickled `RowMaker`: only the child process loads its models. `watch` is called
    twenty times a second while a chunk is scored; it may raise an exception to stop.
    """

    def __init__(
        self, maker: bytes, limits: Limits, watch: Callable[[], None] = lambda: None
    ) -> None:
        self._maker, self._limits, self._watch = maker, limits, watch
        self._failed_starts = 0
        self._process: _PageProcess | None = _PageProcess(maker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def __call__(self, chunk: Chunk) -> list[ScoredChunk]:
        """Score a chunk; a page that cannot be scored becomes a failure."""
        scored: list[ScoredChunk] = []
        waiting = deque([chunk])
        while waiting:
            chunk = waiting.popleft()
            result = self._attempt(chunk)
            if isinstance(result, _Setback) and len(chunk.pages) > 1:
                waiting.extendleft(reversed(list(chunk.singly())))
                continue
            if isinstance(result, _Setback) and not result.is_final:
                # The process may have been killed for other reasons, or grown on earlier pages.
                result = self._attempt(chunk)
            if isinstance(result, _Setback):
                result = chunk.failed(result.stage, result.error)
            scored.append(result)
        return scored

    def _attempt(self, chunk: Chunk) -> ScoredChunk | _Setback:
        process = self._ready_process()
        process.send((chunk.pages, self._limits.seconds))
        stage = "extract"
        while (message := self._receive(process)) is not None:
            if message == EXTRACTED:
                stage = "score"
                continue
            answer: _Answer = pickle.loads(message)
            if answer.is_environment or process.megabytes > self._limits.megabytes * _WORN:
                self._stop()
            if answer.is_environment:
                return _Setback(ENVIRONMENT, answer.error)
            if answer.error:
                return _Setback(stage, answer.error, is_final=True)
            with pa.ipc.open_stream(answer.rows) as stream:
                table = stream.read_all()
            failures = tuple((chunk.positions[i], failure) for i, failure in answer.failures)
            return ScoredChunk(chunk, table, failures)
        return self._setback_of_death(process, stage)

    def _setback_of_death(self, process: _PageProcess, stage: str) -> _Setback:
        cause = process.cause_of_death()
        has_run_out = -process.exit_status() in OUT_OF_TIME
        self._stop()
        if process.is_too_large:
            return _Setback(
                MEMORY,
                f"the page needed more than {self._limits.megabytes:g} MB in stage {stage} and was "
                "stopped; raise --worker-mb to allow it",
            )
        if has_run_out:
            return _Setback(
                TIME,
                f"the page took longer than {self._limits.seconds:g} s in stage {stage} and was "
                "stopped; raise --limit-seconds to wait for it",
                is_final=True,
            )
        return _Setback(stage, f"the page ended its process twice, the second time by {cause}")

    def _receive(self, process: _PageProcess) -> bytes | None:
        """Return the next message, or None if the process has died; watch its memory meanwhile."""
        while not process.connection.poll(_TICK):
            self._watch()
            if process.megabytes > self._limits.megabytes:
                process.is_too_large = True
                process.kill()
        return process.receive()

    def _ready_process(self) -> _PageProcess:
        """Return a child process that waits for pages; start one if necessary."""
        while True:
            process = self._process = self._process or _PageProcess(self._maker)
            if process.is_ready or self._receive(process) is not None:
                process.is_ready = True
                self._failed_starts = 0
                return process
            cause = process.cause_of_death()
            self._stop()
            if process.is_too_large:
                raise OptionError(
                    f"--worker-mb {self._limits.megabytes:g} is too little: a worker needs more "
                    "before its first page"
                )
            self._failed_starts += 1
            if cause.startswith("exit") or self._failed_starts > MAX_FAILED_STARTS:
                raise InputError(
                    f"worker processes end at their start, by {cause}; see what they print"
                )

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


class _PageProcess(ChildProcess):
    """A child process that scores chunks of pages."""

    def __init__(self, maker: bytes) -> None:
        super().__init__(_PROGRAM)
        self.is_ready = self.is_too_large = False
        self.send_pickled(maker)


def main() -> None:
    """Score chunks until the socket closes."""
    for number in OUT_OF_TIME:
        signal.signal(number, signal.SIG_DFL)
    logging.disable(logging.WARNING)  # the parent has shown the warnings about the settings
    with connected_to_parent() as connection:
        from understandability.text.analysis import document_of_text

        maker: RowMaker = pickle.loads(connection.recv_bytes())
        maker.rows([document_of_text("A text.")])  # loads the models before the first page
        connection.send_bytes(READY)
        while True:
            pages, seconds = pickle.loads(connection.recv_bytes())
            answer = _answer(maker, pages, seconds, connection)
            _allow(0)
            connection.send_bytes(pickle.dumps(answer))


def _answer(
    maker: RowMaker, pages: Sequence[Page], seconds: float, connection: Connection
) -> _Answer:
    """Score pages; each may take `seconds` to become a document, and all together to become
    rows.
    """
    from understandability import scoring
    from understandability.text.document import Document

    try:
        results = []
        for page in pages:
            _allow(seconds)
            results.append(scoring.document_or_failure(page, maker.settings))
        if len(pages) > 1:
            _allow(seconds)
        failures = tuple(
            (index, result) for index, result in enumerate(results) if isinstance(result, Failure)
        )
        connection.send_bytes(EXTRACTED)
        table = maker.rows([result for result in results if isinstance(result, Document)])
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        return _Answer(stream.getvalue().to_pybytes(), failures)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # an unforeseen fault of a page costs only that page
        return _Answer(
            error=f"{type(error).__name__}: {error}", is_environment=is_environment_error(error)
        )


def _allow(seconds: float) -> None:
    """End this process after `seconds` more of processor time; 0 removes the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _CLOCK_RATIO * seconds)
