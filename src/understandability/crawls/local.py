"""Score the inputs of a plan on this machine, in this process or with worker processes.

The parent process plans, watches the workers and publishes the parts that they finish. The workers
read the pages themselves; only pages that exist in no file are sent to them.
"""

from __future__ import annotations

import pickle
import tempfile
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from queue import SimpleQueue
from typing import Self

from understandability.crawls.folder import (
    SCORES,
    CrawlFolder,
    Part,
    StagedPart,
    complete_inputs,
)
from understandability.crawls.input_process import (
    PROGRAM,
    Assignment,
    ReadingState,
    Setup,
    Trouble,
    Update,
)
from understandability.crawls.outputs import DistinctDocnos, Output
from understandability.crawls.page_process import IsolatedScorer, Limits
from understandability.crawls.parts import (
    CHUNK_PAGES,
    MEMORY,
    TIME,
    FinishedPart,
    InputRun,
    SeenDocnos,
    Stop,
    score_here,
)
from understandability.crawls.plan import GivenPages, Input, Plan, Progress
from understandability.crawls.processes import MAX_FAILED_STARTS, ChildProcess
from understandability.errors import InputError, OptionError
from understandability.inputs.limits import ENVIRONMENT, has_stopped
from understandability.inputs.sources import is_read_by_arrow
from understandability.text.page import SEEN_BEFORE, Failure, Page

_TICK = 0.2  # seconds between two looks at the workers
# Seconds without a document after which a worker that reads a file by Arrow is taken to hang.
SILENT = 120.0
# Workers in a row that may end by an exception of their own at one document.
_MAX_EXITS = 2
# Pages that exist in no file are scored in batches.
_BATCH_PAGES = 2 * CHUNK_PAGES
_BATCH_BYTES = 4_000_000


def fill_table(
    plan: Plan, output: Output, *, workers: int = 1, limits: Limits | None = None
) -> Iterator[Progress]:
    """Score all inputs of a plan into one table or into memory, and yield the progress.

    With one worker and no limits, this process scores the pages itself. The rows are in the order
    of the inputs, and each docno occurs once, whatever the number of workers.
    """
    distinct = DistinctDocnos()
    progress = Progress.before(plan, plan.inputs, plan.inputs)
    yield progress

    def write(part: FinishedPart, named_path: str) -> None:
        rows, failures = distinct.of_part(part, named_path)
        # Documents that turn out to be repeated have been counted as scored.
        repeated = len(failures) - len(part.failures)
        progress.failed += Counter(read=repeated)
        output.write(rows, failures)

    if workers == 1 and limits is None:
        for part, input_ in _score_in_process(plan, progress):
            if part is not None:
                write(part, input_.named_path)
            yield progress
        return
    limits = limits or Limits()
    if _exists_only_here(plan):
        for part in _score_given_pages(plan, workers, limits):
            _count(progress, part)
            write(part, "")
            yield progress
        progress.inputs_done = progress.inputs
        return
    with tempfile.TemporaryDirectory(prefix="understandability-") as path:
        folder = CrawlFolder(path, plan.described)
        in_order = _PartsInOrder(folder, plan.inputs)
        assignments = [Assignment(input_, {}, {}) for input_ in plan.inputs]
        with _Workers(plan, folder, limits, min(workers, len(assignments))) as pool:
            for _ in pool.run(assignments, progress, in_order.add):
                for part, input_ in in_order:
                    write(part, input_.named_path)
                yield progress
            for part, input_ in in_order:
                write(part, input_.named_path)
    yield progress


def fill_folder(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    *,
    workers: int,
    limits: Limits,
    retried_stages: Collection[str] = (),
) -> Iterator[Progress]:
    """Lock some inputs of a crawl folder, score what is missing, and yield the progress.

    Failures whose stage is in `retried_stages` are tried again. So are pages that failed under a
    lower limit than now, and failures for lack of memory, disk or files.
    """
    with folder.lock([input_.number for input_ in inputs]):
        prepare(folder, plan, inputs)
        yield from continue_folder(
            folder, plan, inputs, workers=workers, limits=limits, retried_stages=retried_stages
        )


def continue_folder(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    *,
    workers: int,
    limits: Limits,
    retried_stages: Collection[str] = (),
) -> Iterator[Progress]:
    """Score what is missing of inputs that are locked already, and yield the progress.

    The arguments are explained at `fill_folder`.
    """
    assignments = assignments_for(folder, plan, inputs, limits, retried_stages)
    remaining = [assignment.input for assignment in assignments]
    progress = Progress.before(plan, inputs, remaining)
    yield progress
    if not assignments:
        return
    if _exists_only_here(plan):
        finished = assignments[0].finished
        for part in _score_given_pages(plan, workers, limits, finished):
            _count(progress, part)
            folder.commit(part.part, part.rows, part.failures, part.skipped)
            yield progress
        return
    with _Workers(plan, folder, limits, min(workers, len(assignments))) as pool:
        for _ in pool.run(assignments, progress, folder.publish):
            yield progress
    yield progress


def assignments_for(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    limits: Limits,
    retried_stages: Collection[str] = (),
) -> list[Assignment]:
    """Return the remaining work for some inputs; parts with failures to retry are discarded."""
    numbers = {input_.number for input_ in inputs}
    retried: dict[int, dict[Part, frozenset[str]]] = defaultdict(dict)
    unread_from: dict[int, int] = {}
    for part in folder.parts():
        stages = _stages_to_retry(folder, part, limits, retried_stages)
        if part.input not in numbers or not stages:
            continue
        if stages == {"read"} or _exists_only_here(plan):
            # Reading may yield other documents now, so this part and those after it are made again.
            unread_from.setdefault(part.input, part.number)
        else:
            retried[part.input][part] = stages
    parts = []
    for part in folder.parts():
        if part.number >= unread_from.get(part.input, part.number + 1):
            folder.discard(part)
            retried[part.input].pop(part, None)
        else:
            parts.append(part)
    finished: dict[int, dict[int, bool]] = defaultdict(dict)
    for part in parts:
        finished[part.input][part.number] = part.last
    complete = complete_inputs(parts)
    return [
        Assignment(input_, finished[input_.number], retried[input_.number])
        for input_ in inputs
        if input_.number not in complete or retried[input_.number]
    ]


def _stages_to_retry(
    folder: CrawlFolder, part: Part, limits: Limits, requested: Collection[str]
) -> frozenset[str]:
    """Return the stages of failures in a part that must be tried again.

    If reading is among them, only ``read`` is returned, because the whole part is read again.
    """
    failed = folder.facts(part).failed
    stages = {stage for stage in requested if failed[stage]}
    if "read" in stages:
        unread = [failure for failure in folder.failures(part) if failure.stage == "read"]
        if any(failure.error != SEEN_BEFORE for failure in unread):
            return frozenset({"read"})
        stages.remove("read")
    if failed[TIME] or failed[MEMORY]:
        before = folder.limits(part)
        if failed[TIME] and limits.seconds > before.get("seconds", limits.seconds):
            stages.add(TIME)
        if failed[MEMORY] and limits.megabytes > before.get("megabytes", limits.megabytes):
            stages.add(MEMORY)
    if failed[ENVIRONMENT]:
        if any(map(has_stopped, folder.failures(part))):
            return frozenset({"read"})
        stages.add(ENVIRONMENT)
    return frozenset(stages)


def prepare(folder: CrawlFolder, plan: Plan, inputs: Sequence[Input]) -> None:
    """Remove unusable parts of locked inputs, and record the files that ``--without`` gives up."""
    plan.source.remarks.extend(folder.discard_unusable([input_.number for input_ in inputs]))
    if not plan.source.without:
        return
    parts, already_given_up = folder.parts(), set(folder.given_up())
    started = {part.input for part in parts} - complete_inputs(parts)
    for input_ in inputs:
        for file in input_.files:
            if file.path not in plan.source.without or file.path in already_given_up:
                continue
            if input_.number in started and len(input_.files) > 1:
                # Parts are cut by size: without this file, the boundaries after it would move
                # and no longer match the parts already written.
                raise InputError(
                    f"--without {file.path}: it is read together with {len(input_.files) - 1} more "
                    f"files, some of which already have rows; remove {folder.path}/{SCORES}/"
                    f"{input_.number:07}-*, then run the same command again"
                )
            folder.give_up(file.path)
            already_given_up.add(file.path)


def _score_in_process(
    plan: Plan, progress: Progress
) -> Iterator[tuple[FinishedPart | None, Input]]:
    """Score inputs one after another in this process.

    Yields each finished part with its input, and None in its place after other documents.
    """
    score = score_here(plan.maker)
    for input_ in plan.inputs:
        run = InputRun(plan.input_settings, input_, score)
        documents, failed = progress.documents, Counter(progress.failed)
        bytes_done = progress.bytes_done
        progress.input = input_.name
        for part in run:
            progress.documents = documents + run.scored_documents
            progress.first_failure = progress.first_failure or run.first_failure
            progress.bytes_done = bytes_done + run.bytes_read
            if part is not None:
                progress.failed = failed + run.failed
                progress.skipped += part.skipped
                yield part, input_
                failed = progress.failed - run.failed  # `fill_table` may have added some
            yield None, input_
        progress.bytes_done = bytes_done + input_.bytes
        progress.inputs_done += 1


def _count(progress: Progress, part: FinishedPart) -> None:
    progress.documents += part.documents
    progress.failed += Counter(failure.stage for failure in part.failures)
    progress.skipped += part.skipped
    if part.failures:
        progress.first_failure = progress.first_failure or part.failures[0]


# Pages that exist in no file


def _exists_only_here(plan: Plan) -> bool:
    """Return True if the pages are objects in this process, so that workers cannot read them from
    files.
    """
    return isinstance(plan.source, GivenPages) or any(
        file.path == "-" for input_ in plan.inputs for file in input_.files
    )


def _score_given_pages(
    plan: Plan, workers: int, limits: Limits, finished: Mapping[int, bool] | None = None
) -> Iterator[FinishedPart]:
    """Score batches of pages in parallel and yield the results in order.

    Each thread controls one child process. Batches whose number is in `finished` are skipped.
    """
    maker = pickle.dumps(plan.maker)
    has_stopped = threading.Event()

    def watch() -> None:
        if has_stopped.is_set():
            raise InterruptedError

    free: SimpleQueue[IsolatedScorer] = SimpleQueue()

    def score_batch(batch: _Batch) -> FinishedPart:
        score = free.get()
        try:
            settings = replace(plan.input_settings, source=GivenPages(batch.records))
            run = InputRun(settings, replace(plan.inputs[0], number=0), score)
            (part,) = [part for part in run if part is not None]
            return replace(part, part=Part(0, batch.number, batch.is_last))
        finally:
            free.put(score)

    with ExitStack() as stack:
        for _ in range(workers):
            free.put(stack.enter_context(IsolatedScorer(maker, limits, watch)))
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(has_stopped.set)
        waiting: deque[Future[FinishedPart]] = deque()
        for batch in _batches(plan):
            if finished is None or batch.number not in finished:
                waiting.append(pool.submit(score_batch, batch))
            while len(waiting) > workers + 1 or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@dataclass(frozen=True)
class _Batch:
    number: int
    records: Sequence[Page | Failure]
    is_last: bool


def _batches(plan: Plan) -> Iterator[_Batch]:
    """Yield batches of pages; a repeated docno is renamed or becomes a failure."""
    seen = SeenDocnos()
    number = size = 0
    records: list[Page | Failure] = []
    for input_ in plan.inputs:
        for source in input_.parts:
            for record in plan.source.read_part(source):
                if len(records) >= _BATCH_PAGES or size >= _BATCH_BYTES:
                    yield _Batch(number, records, is_last=False)
                    number, size, records = number + 1, 0, []
                records.append(_named(record, seen, input_.named_path))
                size += len(record.content) if isinstance(record, Page) else 0
    yield _Batch(number, records, is_last=True)


def _named(record: Page | Failure, seen: SeenDocnos, named_path: str) -> Page | Failure:
    if isinstance(record, Failure):
        return record
    name = seen.name_of(record.docno, record.path, named_path)
    if name is None:
        return Failure(record.docno, record.path, "read", SEEN_BEFORE)
    return replace(record, docno=name)


# Worker processes


class _PartsInOrder:
    """Collects parts in a temporary folder, and yields and removes them in the order of the
    inputs.
    """

    def __init__(self, folder: CrawlFolder, inputs: Iterable[Input]) -> None:
        self._folder = folder
        self._inputs = deque(inputs)
        self._next_number = 0
        self._available: dict[tuple[int, int], StagedPart] = {}

    def add(self, staged: StagedPart) -> None:
        """Store a finished part in the temporary folder."""
        self._folder.publish(staged)
        self._available[staged.part.input, staged.part.number] = staged

    def __iter__(self) -> Iterator[tuple[FinishedPart, Input]]:
        """Yield the parts that come next, until one is missing."""
        while self._inputs:
            input_ = self._inputs[0]
            staged = self._available.pop((input_.number, self._next_number), None)
            if staged is None:
                return
            part, facts = staged.part, staged.facts
            rows, failures = self._folder.scores(part), self._folder.failures(part)
            rows = rows.replace_schema_metadata(None)
            yield FinishedPart(part, rows, failures, facts.skipped, facts.records), input_
            self._folder.remove_files(part)
            self._next_number += 1
            if part.last:
                self._inputs.popleft()
                self._next_number = 0


class _Workers:
    """A pool of worker processes, each reading one input at a time; a context manager."""

    def __init__(self, plan: Plan, folder: CrawlFolder, limits: Limits, count: int) -> None:
        self._plan, self._folder = plan, folder
        setup = Setup(
            plan.input_settings, pickle.dumps(plan.maker), limits, folder.path, plan.described
        )
        self._setup = pickle.dumps(setup)
        self._failed_starts = 0
        self._deaths: dict[int, _Deaths] = defaultdict(_Deaths)
        self._last_look = time.monotonic()
        self._workers = [_Worker(self._setup) for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.stop()

    def run(
        self,
        assignments: Iterable[Assignment],
        progress: Progress,
        publish: Callable[[StagedPart], object],
    ) -> Iterator[None]:
        """Hand out the inputs, publish the parts that workers finish, and update the progress.

        Yields after each message, so that the caller can show the progress.
        """
        self._waiting = deque(assignments)
        self._publish = publish
        totals = _Totals(progress)
        while self._waiting or any(worker.assignment for worker in self._workers):
            for worker in self._workers:
                if worker.is_ready and worker.assignment is None and self._waiting:
                    worker.give(self._waiting.popleft())
            for connection in wait([worker.connection for worker in self._workers], _TICK):
                (worker,) = [w for w in self._workers if w.connection is connection]
                self._attend(worker, totals)
            self._stop_silent_workers()
            totals.update(self._workers)
            yield

    def _attend(self, worker: _Worker, totals: _Totals) -> None:
        """Handle one message of a worker; if the worker has died, replace it."""
        message = worker.receive()
        if message is None:
            self._replace(worker, totals)
            return
        update: Update | Trouble = pickle.loads(message)
        if isinstance(update, Trouble):
            raise (OptionError if update.is_option else InputError)(update.message)
        if not worker.is_ready:
            worker.is_ready = True
            self._failed_starts = 0
            return
        remarks = self._plan.source.remarks
        remarks.extend(remark for remark in update.remarks if remark not in remarks)
        worker.update = update
        if update.part is not None:
            self._publish(update.part)
            totals.progress.skipped += update.part.facts.skipped
            worker.published = update
            assert worker.assignment is not None
            part = update.part.part
            finished = {**worker.assignment.finished, part.number: part.last}
            retried = {p: stages for p, stages in worker.assignment.retried.items() if p != part}
            worker.assignment = replace(worker.assignment, finished=finished, retried=retried)
        if update.is_done:
            assert worker.assignment is not None
            totals.finish(worker.assignment.input, update)
            worker.assignment = None

    def _replace(self, worker: _Worker, totals: _Totals) -> None:
        """Start a new worker in place of a dead one, and hand out its input again."""
        cause = worker.cause_of_death()
        state = worker.state.get()
        worker.stop()
        self._workers[self._workers.index(worker)] = _Worker(self._setup)
        if not worker.is_ready:
            self._failed_starts += 1
            if cause.startswith("exit") or self._failed_starts > MAX_FAILED_STARTS:
                raise InputError(
                    f"worker processes end at their start, by {cause}; see what they print"
                )
            return
        if worker.assignment is None:
            return
        input_ = worker.assignment.input
        self._folder.discard_unfinished([input_.number])
        totals.keep(worker.published)
        stop = self._deaths[input_.number].add(state, cause, worker.is_silent)
        stops = worker.assignment.stops
        if stop is not None:
            stops = (*stops, stop)
        self._waiting.appendleft(replace(worker.assignment, stops=stops))

    def _stop_silent_workers(self) -> None:
        """Kill workers that hang inside Arrow, where they can neither report nor stop."""
        now = time.monotonic()
        # Time that this process did not run, such as stopped by Ctrl-Z, does not count.
        seconds = min(now - self._last_look, 5 * _TICK)
        self._last_look = now
        if self._plan.source.docnos is not None:
            return  # few documents of a list may come, though the file is read
        for worker in self._workers:
            if worker.assignment is None or not worker.is_ready:
                continue
            state = worker.state.get()
            file_index, _, is_reading = state
            path = worker.assignment.input.parts[file_index].path
            if not is_reading or state != worker.last_state or not is_read_by_arrow(path):
                worker.silent_seconds = 0.0
            worker.last_state = state
            worker.silent_seconds += seconds
            if worker.silent_seconds > SILENT:
                worker.is_silent = True
                worker.kill()


@dataclass
class _Deaths:
    """Counts how often workers died while they read a certain input."""

    last: tuple[int, int, bool] | None = None
    at_last: int = 0

    def add(self, state: tuple[int, int, bool], cause: str, is_silent: bool) -> Stop | None:
        """Record that a worker died; return where to stop reading if the file seems to be the
        cause.

        A single death is no evidence, because something else may have killed the worker.
        """
        self.at_last = self.at_last + 1 if state == self.last else 1
        self.last = state
        file_index, documents, is_reading = state
        if is_silent:
            return Stop(file_index, documents, f"no document came for {SILENT:g} s")
        if is_reading and self.at_last > 1:
            reason = f"the file ended its reader twice, the second time by {cause}"
            return Stop(file_index, documents, reason)
        if self.at_last > (_MAX_EXITS if cause.startswith("exit") else MAX_FAILED_STARTS):
            raise InputError(
                f"workers die repeatedly, by {cause}; see what they print, then run the same "
                "command again to continue"
            )
        return None


class _Worker(ChildProcess):
    """A worker process and the input that it reads."""

    def __init__(self, setup: bytes) -> None:
        with tempfile.TemporaryFile() as file:
            ReadingState.allocate(file.fileno())
            self.state = ReadingState(file.fileno())
            super().__init__(PROGRAM, [file.fileno()])
        self.is_ready = self.is_silent = False
        self.assignment: Assignment | None = None
        self.update = self.published = Update()
        self.last_state: tuple[int, int, bool] | None = None
        self.silent_seconds = 0.0
        self.send_pickled(setup)

    def give(self, assignment: Assignment) -> None:
        """Send the worker an input to read and score."""
        self.assignment = assignment
        self.update = self.published = Update()
        self.state.set(0, 0, is_reading=True)
        self.silent_seconds = 0.0
        self.send(assignment)


class _Totals:
    """Sums the counts that the workers report into the progress of the run."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._bytes_done, self._bytes_passed = progress.bytes_done, progress.bytes_passed
        self._documents = progress.documents
        self._failed = Counter(progress.failed)
        self._extra = Counter[str]()
        self._reported = Counter(progress.failed)

    def keep(self, published: Update) -> None:
        """Add the counts of the parts that a worker published before it died."""
        self._documents += published.documents
        self._failed += published.failed

    def finish(self, input_: Input, update: Update) -> None:
        """Add the counts of an input that is finished."""
        self.keep(update)
        self._bytes_done += input_.bytes
        self._bytes_passed += update.bytes_passed
        self.progress.first_failure = self.progress.first_failure or update.first_failure
        self.progress.inputs_done += 1

    def update(self, workers: Sequence[_Worker]) -> None:
        """Set the progress to the sum of finished inputs and the latest reports of all workers."""
        progress = self.progress
        # `fill_table` counts repeated documents on its own.
        self._extra += progress.failed - self._reported
        active = [worker for worker in workers if worker.assignment is not None]
        progress.documents = self._documents + sum(worker.update.documents for worker in active)
        failed = sum((worker.update.failed for worker in active), Counter(self._failed))
        progress.failed = failed + self._extra
        self._reported = Counter(progress.failed)
        progress.bytes_done = self._bytes_done + sum(worker.update.bytes_read for worker in active)
        progress.bytes_passed = self._bytes_passed + sum(
            worker.update.bytes_passed for worker in active
        )
        for worker in active:
            assert worker.assignment is not None
            progress.input = worker.assignment.input.name
            progress.first_failure = progress.first_failure or worker.update.first_failure
