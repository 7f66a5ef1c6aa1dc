"""The one way from inputs to rows: in memory, to a file, to a crawl folder."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

import pyarrow as pa

from understandability.crawls.folder import SCORES, CrawlFolder, Part, complete_inputs
from understandability.crawls.outputs import Output
from understandability.crawls.plan import GivenPages, Input, Plan
from understandability.crawls.reader import ReadApart
from understandability.crawls.reading import Chunk, InputChunks, OpenPart, Scored, SeenDocnos
from understandability.crawls.workers import Limits, Workers
from understandability.errors import InputError
from understandability.inputs.sources import Sources
from understandability.inputs.tables import nan_to_null
from understandability.scoring import RowMaker, document_or_failure
from understandability.text.document import Document
from understandability.text.page import Failure


@dataclass
class Progress:
    """How far it is, since it was started or resumed.

    `documents` have rows or, counted in `failed` by stage, could not have one; `bytes` are
    those of the inputs as stored, and `bytes_passed` the ones that had been done before.
    `first_failure` is an example of these. `skipped` are what is no document, by kind; `remarks`
    what there is to say of the inputs.
    """

    inputs: int = 0
    inputs_done: int = 0
    bytes: int = 0
    bytes_done: int = 0
    bytes_passed: int = 0
    input: str = ""
    documents: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    first_failure: Failure | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    remarks: Sequence[str] = ()

    @classmethod
    def before(cls, inputs: Sequence[Input], left: Sequence[Input]) -> Progress:
        """The progress before the first document, where only some inputs are `left` to be read."""
        everything = sum(each.bytes for each in inputs)
        passed = everything - sum(each.bytes for each in left)
        return cls(len(inputs), len(inputs) - len(left), everything, passed, passed)

    @property
    def made(self) -> int:
        """The documents that have rows."""
        return self.documents - self.failed.total()


def made_here(maker: RowMaker, chunks: Iterator[Chunk | None]) -> Iterator[Scored | None]:
    """Make rows in this process, as `Workers.run` does in others: without their limits and start.

    Gives None where there is no chunk yet.
    """
    for chunk in chunks:
        if chunk is None:
            yield None
            continue
        results = [document_or_failure(page, maker.settings) for page in chunk.pages]
        failures = tuple(
            (place, each)
            for place, each in zip(chunk.places, results, strict=True)
            if isinstance(each, Failure)
        )
        documents = [each for each in results if isinstance(each, Document)]
        try:
            yield Scored(chunk, maker.rows(documents), failures)
        except Exception as error:  # a page that scoring did not foresee costs that page alone
            if len(chunk.pages) > 1:
                yield from made_here(maker, chunk.singly())
            else:
                yield chunk.failed("score", f"{type(error).__name__}: {error}")


def make_rows(
    plan: Plan,
    inputs: Sequence[Input],
    output: Output | CrawlFolder,
    *,
    workers: int = 1,
    limits: Limits | None = None,
    finished: Iterable[Part] | None = None,
) -> Iterator[Progress]:
    """Make the rows of some inputs of a plan; tells its progress again and again.

    One worker without limits is this process. `finished` are parts that an output has from before;
    without them it is one table, in which a docno is not repeated, whatever its input.
    """
    making = _Making(plan, inputs, output, finished)
    yield making.progress
    if making.left:
        with ExitStack() as stack:
            run: Callable[[Iterator[Chunk | None]], Iterator[Scored | None]]
            run, source = partial(made_here, plan.maker), plan.source
            if workers > 1 or limits is not None:
                run = stack.enter_context(Workers(plan.maker, workers, limits or Limits())).run
                if not isinstance(source, GivenPages):
                    source = stack.enter_context(ReadApart(source))
            for scored in run(making.chunks(source)):
                if scored is not None:
                    making.take(scored)
                yield making.progress


def fill_folder(
    folder: CrawlFolder, plan: Plan, inputs: Sequence[Input], *, workers: int, limits: Limits
) -> Iterator[Progress]:
    """Do what is left to do of some inputs in a crawl folder; tells its progress."""
    with folder.lock([each.number for each in inputs]):
        prepare(folder, plan, inputs)
        yield from make_rows(
            plan, inputs, folder, workers=workers, limits=limits, finished=folder.parts()
        )


def prepare(folder: CrawlFolder, plan: Plan, inputs: Sequence[Input]) -> None:
    """Remove what is unusable of locked inputs, and record which files of them are given up."""
    plan.source.remarks.extend(folder.discard_unusable([each.number for each in inputs]))
    if not plan.source.without:
        return
    parts, known = folder.parts(), folder.given_up()
    begun = {part.input for part in parts} - complete_inputs(parts)
    for each in inputs:
        for file in each.files:
            if file.path not in plan.source.without or file.path in known:
                continue
            if each.number in begun and len(each.files) > 1:
                # Parts end where so many bytes have been read: without this file, elsewhere.
                raise InputError(
                    f"--without {file.path}: it is read together with {len(each.files) - 1} more "
                    f"files, of which some have rows; remove {folder.path}/{SCORES}/"
                    f"{each.number:07}-*, then run the same command again"
                )
            folder.give_up(file.path)


class _Making:
    """The state of one process between its first document and its last."""

    def __init__(
        self,
        plan: Plan,
        inputs: Sequence[Input],
        output: Output | CrawlFolder,
        finished: Iterable[Part] | None,
    ) -> None:
        self._plan, self._output = plan, output
        self._seen = SeenDocnos() if finished is None else None
        parts = list(finished or ())
        self._finished: dict[int, dict[int, bool]] = defaultdict(dict)
        for part in parts:
            self._finished[part.input][part.number] = part.last
        complete = complete_inputs(parts)
        self.left = [each for each in inputs if each.number not in complete]
        self.progress = Progress.before(inputs, self.left)
        self.progress.skipped = Counter(plan.skipped)
        self.progress.remarks = plan.source.remarks
        self._waiting: deque[OpenPart] = deque()  # read, but for the last not committed yet

    def chunks(self, source: Sources) -> Iterator[Chunk | None]:
        """The chunks of all inputs that are left, input by input."""
        progress = self.progress
        for each in self.left:
            finished = self._finished[each.number]
            chunks = InputChunks(each, source, finished, self._seen or SeenDocnos())
            done, passed = progress.bytes_done, progress.bytes_passed
            progress.input = each.name
            for item in chunks:
                progress.bytes_done = done + chunks.bytes_read
                progress.bytes_passed = passed + chunks.bytes_passed
                if isinstance(item, OpenPart):
                    self._count(item.unread, len(item.unread))
                    progress.skipped += item.skipped
                    self._waiting.append(item)
                    self._commit_finished()
                else:
                    yield item
            progress.bytes_done = done + each.bytes
            progress.inputs_done += 1

    def take(self, scored: Scored) -> None:
        part = scored.chunk.part
        if scored.table is not None:
            part.tables.append((scored.chunk.places[0], self._with_kept(scored)))
        part.failures += scored.failures
        part.pages_out -= len(scored.chunk.pages)
        self._count(scored.failures, len(scored.chunk.pages))
        self._commit_finished()

    def _count(self, failures: Iterable[tuple[int, Failure]], documents: int) -> None:
        self.progress.documents += documents
        for _, failure in failures:
            self.progress.failed[failure.stage] += 1
            self.progress.first_failure = self.progress.first_failure or failure

    def _with_kept(self, scored: Scored) -> pa.Table:
        """The rows with the columns of their tables that are kept beside them."""
        kept = self._plan.kept
        if not kept:
            return scored.table
        failed = {place for place, _ in scored.failures}
        values = [
            page.kept or (None,) * len(kept)
            for place, page in zip(scored.chunk.places, scored.chunk.pages, strict=True)
            if place not in failed
        ]
        table = scored.table
        for number, column in enumerate(kept):
            table = table.append_column(column, _column([row[number] for row in values], column))
        return table

    def _commit_finished(self) -> None:
        """Write the parts that are complete, in order, up to the first that is not."""
        while self._waiting and not self._waiting[0].pages_out:
            self._commit(self._waiting.popleft())

    def _commit(self, part: OpenPart) -> None:
        tables = [table for _, table in sorted(part.tables, key=itemgetter(0))]
        rows = nan_to_null(pa.concat_tables([self._plan.schema.empty_table(), *tables]))
        failed = sorted(part.unread + part.failures, key=itemgetter(0))
        failures = [failure for _, failure in failed]
        if isinstance(self._output, CrawlFolder):
            self._output.commit(part.part, rows, failures, part.skipped)
        else:
            self._output.write(rows, failures)


def _column(values: Collection[Any], column: pa.Field) -> pa.Array:
    """Values of a kept column, as text where that is its type."""
    if pa.types.is_string(column.type):
        values = [
            value if value is None or isinstance(value, str) else str(value) for value in values
        ]
    return pa.array(values, column.type)
