"""Inputs to finished parts, with the worker processes of this machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from understandability.crawl.folder import RunFolder, complete_inputs
from understandability.crawl.lookup import write_index
from understandability.crawl.plan import Input, Plan
from understandability.crawl.reading import Chunk, InputReader, OpenPart
from understandability.crawl.workers import Limits, Scored, Workers
from understandability.formats.sources import Sources
from understandability.records import Failure
from understandability.scoring import Scorer


@dataclass
class CrawlProgress:
    """How far a run is, since it was started or resumed.

    `documents` have been scored or, counted in `failed` by stage, could not be; `bytes` are
    those of the inputs as stored, and `bytes_passed` the ones that had been done before.
    """

    inputs: int = 0
    inputs_done: int = 0
    bytes: int = 0
    bytes_done: int = 0
    bytes_passed: int = 0
    input: str = ""
    documents: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    @classmethod
    def before(cls, inputs: Sequence[Input], left: Sequence[Input]) -> CrawlProgress:
        """That of a run of which some inputs are `left`."""
        everything = sum(each.bytes for each in inputs)
        passed = everything - sum(each.bytes for each in left)
        return cls(len(inputs), len(inputs) - len(left), everything, passed, passed)


def run_local(
    folder: RunFolder, plan: Plan, inputs: Sequence[Input], *, workers: int, limits: Limits
) -> Iterator[CrawlProgress]:
    """Do what is left to do of some inputs of a run; tells its progress again and again.

    Raises `InputError` where another process is at work on one of them.
    """
    numbers = [each.number for each in inputs]
    with folder.lock(numbers):
        folder.discard_unfinished(numbers)
        yield from score_inputs(folder, plan, inputs, workers, limits)
    finish(folder, plan)


def score_inputs(
    folder: RunFolder, plan: Plan, inputs: Sequence[Input], workers: int, limits: Limits
) -> Iterator[CrawlProgress]:
    """What `run_local` does, without keeping others away and without the index."""
    scoring = _Scoring(folder, plan, inputs)
    yield scoring.progress
    if scoring.left:
        with Workers(plan.settings, workers, limits) as pool:
            for scored in pool.run(scoring.batches()):
                if scored is not None:
                    scoring.take(scored)
                yield scoring.progress


def finish(folder: RunFolder, plan: Plan) -> None:
    """Write the index of a run if this was the last of it."""
    if len(complete_inputs(folder.parts())) == len(plan.inputs):
        write_index(folder)


class _Scoring:
    """What is done between the first document of a process and its last."""

    def __init__(self, folder: RunFolder, plan: Plan, inputs: Sequence[Input]) -> None:
        self._folder, self._plan = folder, plan
        self._schema = Scorer(plan.settings).schema
        self._finished: dict[int, set[int]] = defaultdict(set)
        parts = folder.parts()
        for part in parts:
            self._finished[part.input].add(part.number)
        complete = complete_inputs(parts)
        self.left = [each for each in inputs if each.number not in complete]
        self.progress = CrawlProgress.before(inputs, self.left)

    def batches(self) -> Iterator[Chunk | None]:
        """What there is to score, input by input."""
        sources = Sources([], docnos=self._plan.docnos, limit=self._plan.limit)
        progress = self.progress
        for each in self.left:
            reader = InputReader(each, sources, self._finished[each.number])
            done, passed = progress.bytes_done, progress.bytes_passed
            progress.input = each.name
            for item in reader:
                progress.bytes_done = done + reader.bytes_read
                progress.bytes_passed = passed + reader.bytes_passed
                if isinstance(item, OpenPart):
                    self._count(item.unread, len(item.unread))
                    self._commit_if_finished(item)
                else:
                    yield item
            progress.bytes_done = done + each.bytes
            progress.inputs_done += 1

    def take(self, scored: Scored) -> None:
        part = scored.batch.part
        if scored.table is not None:
            part.tables.append((scored.batch.places[0], scored.table))
        part.failures += scored.failures
        part.pages_out -= len(scored.batch.pages)
        self._count(scored.failures, len(scored.batch.pages))
        self._commit_if_finished(part)

    def _count(self, failures: Iterable[tuple[int, Failure]], documents: int) -> None:
        self.progress.documents += documents
        self.progress.failed.update(failure.stage for _, failure in failures)

    def _commit_if_finished(self, part: OpenPart) -> None:
        if not part.is_read or part.pages_out:
            return
        import pyarrow as pa

        tables = [table for _, table in sorted(part.tables, key=itemgetter(0))]
        failures = sorted(part.unread + part.failures, key=itemgetter(0))
        self._folder.commit(
            part.part,
            pa.concat_tables([self._schema.empty_table(), *tables]),
            [failure for _, failure in failures],
            part.skipped,
            self._plan.described,
        )
