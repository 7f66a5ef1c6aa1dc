"""Divide an input into parts, always at the same records, and score its pages part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from understandability.crawls.folder import Part
from understandability.crawls.plan import Input, InputSettings
from understandability.errors import InputError
from understandability.inputs.limits import ENVIRONMENT, is_environment_error, unread
from understandability.inputs.parts import InputPart
from understandability.inputs.tables import nan_to_null
from understandability.text.page import SEEN_BEFORE, Failure, Page

if TYPE_CHECKING:
    from understandability.scoring import RowMaker

# A part also ends after this number of bytes of documents.
PART_BYTES = 64_000_000
# A chunk is scored at once: some tenths of a second.
CHUNK_PAGES = 32
CHUNK_BYTES = 2_000_000
# Stages of failures that are no fault of the page. A later run with a higher limit of time or of
# memory tries these pages again. Any later run tries pages of the stage `ENVIRONMENT` again.
TIME, MEMORY = "time", "memory"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages that are scored in one call, with their positions among the documents of their part."""

    positions: tuple[int, ...]
    pages: tuple[Page, ...]

    def singly(self) -> Iterator[Chunk]:
        """Split the chunk into chunks of one page."""
        for position, page in zip(self.positions, self.pages, strict=True):
            yield Chunk((position,), (page,))

    def failed(self, stage: str, error: str) -> ScoredChunk:
        """Return the result of a chunk whose only page failed."""
        (page,), (position,) = self.pages, self.positions
        return ScoredChunk(self, None, ((position, Failure(page.docno, page.path, stage, error)),))


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """The result of a chunk: a table of rows, and failures by their positions in the part."""

    chunk: Chunk
    table: pa.Table | None
    failures: tuple[tuple[int, Failure], ...]


Scorer = Callable[[Chunk], Sequence[ScoredChunk]]


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """The rows and failures of one part of an input, in order.

    `documents` counts the documents with a row or a failure. `skipped` counts records that are not
    documents, by type.
    """

    part: Part
    rows: pa.Table
    failures: Sequence[Failure]
    skipped: Counter[str]
    documents: int


@dataclass(frozen=True, slots=True)
class Retry:
    """A finished part in which failures of some `stages` are tried again; its other `rows` stay."""

    rows: pa.Table
    failures: Sequence[Failure]
    stages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Stop:
    """An instruction to stop reading a file after `documents` of the input, and the `reason`."""

    file_index: int
    documents: int
    reason: str


class SeenDocnos:
    """Remembers docnos as 64-bit hashes, to detect repeated documents.

    Of equal docnos under one path that the user named, the first document counts. A document under
    another path gets the name of that path in front.
    """

    def __init__(self) -> None:
        self._first: dict[int, int] = {}  # docno -> the first path with this docno
        self._later: set[tuple[int, int]] = set()

    def name_of(self, docno: str, path: str, named_path: str) -> str | None:
        """Return the docno under which a document is counted, or None if it is a duplicate."""
        key, own = hash(docno), hash(named_path or path)
        count = len(self._first)
        first = self._first.setdefault(key, own)
        if len(self._first) > count:
            return docno
        if first == own or (key, own) in self._later:
            return None
        self._later.add((key, own))
        return qualified_docno(docno, path, named_path)


def qualified_docno(docno: str, path: str, named_path: str) -> str:
    """Make a docno unique, for when a document of another input has the same one.

    `named_path` is the file that the user named; it is put in front of the docno. It is '' if the
    user named a folder: then the docno is the `path` within that folder.

    >>> qualified_docno("d1", "b.jsonl#7", "b.jsonl"), qualified_docno("flu.html", "b/flu.html", "")
    ('b.jsonl/d1', 'b/flu.html')
    """
    return f"{named_path}/{docno}" if named_path else path


def score_here(maker: RowMaker) -> Scorer:
    """Return a function that scores chunks in this process, without limits of time or memory."""

    from understandability.scoring import document_or_failure
    from understandability.text.document import Document

    def score(chunk: Chunk) -> list[ScoredChunk]:
        try:
            results = [document_or_failure(page, maker.settings) for page in chunk.pages]
            failures = tuple(
                (position, result)
                for position, result in zip(chunk.positions, results, strict=True)
                if isinstance(result, Failure)
            )
            documents = [result for result in results if isinstance(result, Document)]
            return [ScoredChunk(chunk, maker.rows(documents), failures)]
        except Exception as error:  # an unforeseen fault of a page costs only that page
            if len(chunk.pages) > 1:
                return [scored for page in chunk.singly() for scored in score(page)]
            stage = ENVIRONMENT if is_environment_error(error) else "score"
            return [chunk.failed(stage, f"{type(error).__name__}: {error}")]

    return score


class InputRun:
    """Reads one input, scores its pages with the function `score`, and yields its parts.

    `finished` maps the number of each part that exists to True if it is the last one of the input.
    Such parts are read but not scored, unless `retries` lists them. `stops` say where to stop
    reading a file.

    `documents` counts the documents read so far, those of finished parts too, and `file_index` says
    which file of the input is being read. `failed` counts the new failures by stage. `bytes_read`
    is about the size of what was read, `bytes_passed` that of finished parts.
    """

    def __init__(
        self,
        settings: InputSettings,
        input_: Input,
        score: Scorer,
        *,
        finished: Mapping[int, bool] | None = None,
        retries: Mapping[int, Retry] | None = None,
        stops: Sequence[Stop] = (),
    ) -> None:
        self.input = input_
        self.documents = self.scored_documents = self.file_index = 0
        self.failed: Counter[str] = Counter()
        self.first_failure: Failure | None = None
        self.bytes_passed = 0
        self.is_reading = True
        self._settings, self._source, self._score = settings, settings.source, score
        self._finished, self._retries = finished or {}, retries or {}
        self._stops = {stop.file_index: stop for stop in stops}
        # If all parts exist, reading ends with the last one that is tried again.
        is_complete = any(self._finished.values()) and len(self._finished) > max(self._finished)
        self._last_wanted = max(self._retries, default=-1) if is_complete else None
        self._seen = SeenDocnos()
        self._bytes_before = self._part_start = 0

    @property
    def bytes_read(self) -> int:
        """The approximate number of bytes of the input, as stored, that have been read."""
        return min(self._bytes_before + self._position, self.input.bytes)

    @property
    def _position(self) -> int:
        first = self.input.parts[0]
        offset = first.start if first.unit == "bytes" else 0
        return max(self._source.position - offset, 0)

    def __iter__(self) -> Iterator[FinishedPart | None]:
        """Yield each part when it is finished, and None after every other document."""
        parts = self.input.parts
        if len(parts) == 1 and parts[0].path in self._source.without:
            yield from self._given_up()
            return
        part = self._begin(0)
        skipped_before = Counter(self._source.skipped)
        for record in self._records():
            if part.is_full(self._settings.part_records):
                yield self._end(part, skipped_before)
                if part.number == self._last_wanted:
                    return
                part = self._begin(part.number + 1)
                skipped_before = Counter(self._source.skipped)
            self.documents += 1
            if chunk := part.add(self._named(record)):
                self._score_chunk(part, chunk)
            yield None
        part.is_last = True
        yield self._end(part, skipped_before)

    def _given_up(self) -> Iterator[FinishedPart]:
        """For an input that was given up: yield the missing parts, with one failure for each
        file.
        """
        count = max(self._finished, default=-1) + 1 + (not any(self._finished.values()))
        for number in sorted({*range(count)} - self._finished.keys()):
            part = _OpenPart(self.input.number, number, is_wanted=True)
            part.is_last = number + 1 == count
            source = self.input.parts[0]
            part.add(unread(source.source, "given up (--without)", source.file.docno))
            finished = self._end(part, Counter(self._source.skipped))
            assert finished is not None
            yield finished

    def _begin(self, number: int) -> _OpenPart:
        self._part_start = self.bytes_read
        is_wanted = number not in self._finished
        part = _OpenPart(self.input.number, number, is_wanted, self._retries.get(number))
        part.is_last = self._finished.get(number, False)
        return part

    def _named(self, record: Page | Failure) -> Page | Failure:
        """Return the record under its unique docno, or a failure if it is a duplicate."""
        if isinstance(record, Failure):
            return record
        name = self._seen.name_of(record.docno, record.path, self.input.named_path)
        if name is None:
            return Failure(record.docno, record.path, "read", SEEN_BEFORE)
        return record if name == record.docno else replace(record, docno=name)

    def _score_chunk(self, part: _OpenPart, chunk: Chunk) -> None:
        self.is_reading = False
        for scored in self._score(chunk):
            part.add_scored(scored, self._settings.kept)
            self._count_failures(failure for _, failure in scored.failures)
        self.scored_documents += len(chunk.pages)
        self.is_reading = True

    def _count_failures(self, failures: Iterator[Failure]) -> None:
        for failure in failures:
            self.failed[failure.stage] += 1
            self.first_failure = self.first_failure or failure

    def _end(self, part: _OpenPart, skipped_before: Counter[str]) -> FinishedPart | None:
        if not part.is_wanted and part.retry is None:
            self.bytes_passed += self.bytes_read - self._part_start
            return None
        if chunk := part.last_chunk():
            self._score_chunk(part, chunk)
        self._count_failures(failure for _, failure in part.unread)
        self.scored_documents += len(part.unread)
        return part.finished(self._settings.schema, self._source.skipped - skipped_before)

    def _records(self) -> Iterator[Page | Failure]:
        """Yield the records of all files; after a stop, one failure instead of the remaining
        records.
        """
        count = 0
        for index, source in enumerate(self.input.parts):
            self.file_index = index
            for record in self._records_of(source, count):
                count += 1
                yield record
            self._bytes_before += source.file.bytes

    def _records_of(self, source: InputPart, count: int) -> Iterator[Page | Failure]:
        """Yield the records of a file; `count` records of earlier files precede them."""
        stop = self._stops.get(self.file_index)
        records = self._source.read_part(source)
        if stop is None:
            yield from records
            return
        yield from islice(records, stop.documents - count)
        reason = f"reading stopped after {stop.documents - count:,} documents: {stop.reason}"
        yield unread(source.source, f"{reason}; it is damaged", source.file.docno)


class _OpenPart:
    """A part that is being read and scored.

    If the part already exists, it is not wanted: its documents are counted, but not scored. With
    `retry`, only documents that failed in its stages are scored, and the other rows and failures
    stay.
    """

    def __init__(
        self, input_number: int, number: int, is_wanted: bool, retry: Retry | None = None
    ) -> None:
        self.number = number
        self.is_wanted = is_wanted
        self.retry = retry
        self.is_last = False
        self.unread: list[tuple[int, Failure]] = []
        self._input = input_number
        self._records = self._bytes = 0
        self._tables: list[pa.Table] = []
        self._failures: list[tuple[int, Failure]] = []
        self._pages: dict[int, Page] = {}
        self._page_bytes = 0
        # The positions of the rows in `_tables`, and of the rows that stay; only for a retry.
        self._new_positions: list[int] = []
        self._old_positions: list[int] = []
        self._old_failures = {
            (failure.docno, failure.path): failure for failure in (retry.failures if retry else ())
        }

    def is_full(self, part_records: int) -> bool:
        """Return True if the part has `part_records` documents, so that the next one begins a new
        part.
        """
        return self._records >= part_records or self._bytes >= PART_BYTES

    def add(self, record: Page | Failure) -> Chunk | None:
        """Add a document; return a chunk to score as soon as it has enough pages."""
        size = 0 if isinstance(record, Failure) else len(record.content)
        position = self._records
        self._records += 1
        self._bytes += size
        if not self.is_wanted and self.retry is None:
            return None
        if isinstance(record, Failure):
            self.unread.append((position, record))
            return None
        if self.retry is not None and not self._is_retried(position, record):
            return None
        self._pages[position] = record
        self._page_bytes += size
        if len(self._pages) >= CHUNK_PAGES or self._page_bytes >= CHUNK_BYTES:
            return self.last_chunk()
        return None

    def _is_retried(self, position: int, page: Page) -> bool:
        assert self.retry is not None
        failure = self._old_failures.get((page.docno, page.path))
        if failure is None:
            self._old_positions.append(position)
            return False
        if failure.stage in self.retry.stages:
            return True
        self._failures.append((position, failure))
        return False

    def last_chunk(self) -> Chunk | None:
        """Return the remaining pages as a chunk, or None if there are none."""
        if not self._pages:
            return None
        chunk = Chunk(tuple(self._pages), tuple(self._pages.values()))
        self._pages, self._page_bytes = {}, 0
        return chunk

    def add_scored(self, scored: ScoredChunk, kept_columns: pa.Schema) -> None:
        """Add the result of a chunk, with those columns of the input that the user keeps."""
        self._failures += scored.failures
        if scored.table is None:
            return
        failed = {position for position, _ in scored.failures}
        chunk = scored.chunk
        positions = [position for position in chunk.positions if position not in failed]
        self._tables.append(_with_kept_columns(scored.table, chunk, failed, kept_columns))
        self._new_positions += positions

    def finished(self, schema: pa.Schema, skipped: Counter[str]) -> FinishedPart:
        """Return the finished part: rows and failures in the order of the input."""
        # Chunks are scored one after another, so their tables are in order.
        rows = nan_to_null(pa.concat_tables([schema.empty_table(), *self._tables]))
        if self.retry is not None:
            rows = self._with_old_rows(rows)
        failures = sorted([*self.unread, *self._failures], key=lambda failed: failed[0])
        return FinishedPart(
            Part(self._input, self.number, self.is_last),
            rows,
            [failure for _, failure in failures],
            skipped,
            self._records,
        )

    def _with_old_rows(self, rows: pa.Table) -> pa.Table:
        """Merge the new rows with the old rows that stay, in the order of the input."""
        assert self.retry is not None
        old = self.retry.rows.replace_schema_metadata(rows.schema.metadata)
        if old.num_rows != len(self._old_positions):
            raise InputError(
                f"part {Part(self._input, self.number, self.is_last).name} has {old.num_rows} rows "
                f"where its input has {len(self._old_positions)}; remove it, then run the same "
                "command again to make it again"
            )
        positions = np.array([*self._old_positions, *self._new_positions], np.int64)
        return pa.concat_tables([old, rows]).take(np.argsort(positions))


def _with_kept_columns(
    table: pa.Table, chunk: Chunk, failed: set[int], columns: pa.Schema
) -> pa.Table:
    """Append the input columns that the user keeps to the rows of a chunk."""
    if not columns:
        return table
    kept_values = [
        page.kept or (None,) * len(columns)
        for position, page in zip(chunk.positions, chunk.pages, strict=True)
        if position not in failed
    ]
    for index, column in enumerate(columns):
        table = table.append_column(column, _array([row[index] for row in kept_values], column))
    return table


def _array(values: Sequence[Any], column: pa.Field) -> pa.Array:
    """Return values as an Arrow array of the column's type; a text column accepts any value."""
    if pa.types.is_string(column.type):
        values = [
            value if value is None or isinstance(value, str) else str(value) for value in values
        ]
    return pa.array(values, column.type)
