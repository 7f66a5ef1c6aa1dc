"""Inputs as chunks of pages for workers, cut into parts at the same places every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from understandability.crawls.folder import Part
from understandability.crawls.plan import Input
from understandability.inputs.sources import Sources
from understandability.text.page import SEEN_BEFORE, Failure, Page

# A part is a file, and what is lost when a crawl is killed: some ten seconds of one worker.
PART_RECORDS = 1000
PART_BYTES = 64_000_000
# A chunk is what one message carries to a worker: some tenths of a second.
CHUNK_PAGES = 32
CHUNK_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages that are scored together, and their places among the documents of their part."""

    part: OpenPart
    places: tuple[int, ...]
    pages: tuple[Page, ...]

    def singly(self) -> Iterator[Chunk]:
        """A chunk for each page."""
        for place, page in zip(self.places, self.pages, strict=True):
            yield Chunk(self.part, (place,), (page,))

    def failed(self, stage: str, error: str) -> Scored:
        """The result of a chunk whose only page ended with an error."""
        (page,), (place,) = self.pages, self.places
        return Scored(self, None, ((place, Failure(page.docno, page.path, stage, error)),))


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a chunk: a table of rows, and failures with their places in the part."""

    chunk: Chunk
    table: Any
    failures: tuple[tuple[int, Failure], ...]


@dataclass(eq=False)
class OpenPart:
    """A part while its documents are read and scored.

    `tables`, and the failures in reading (`unread`) and in scoring, stand beside the place of
    their (first) document, so that a part keeps the order of its input whatever the order in
    which chunks come back; `pages_out` are the pages of chunks that have not. Of a part that
    is not `wanted`, having been finished before, documents are counted only.
    """

    input: int
    number: int
    wanted: bool
    records: int = 0
    bytes: int = 0
    pages_out: int = 0
    is_last: bool = False
    tables: list[tuple[int, Any]] = field(default_factory=list)
    unread: list[tuple[int, Failure]] = field(default_factory=list)
    failures: list[tuple[int, Failure]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    _pages: dict[int, Page] = field(default_factory=dict)
    _page_bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.records >= PART_RECORDS or self.bytes >= PART_BYTES

    @property
    def part(self) -> Part:
        return Part(self.input, self.number, self.is_last)

    def add(self, record: Page | Failure) -> Chunk | None:
        """Take the next document; gives a chunk when there is enough for one."""
        size = 0 if isinstance(record, Failure) else len(record.content)
        place = self.records
        self.records += 1
        self.bytes += size
        if not self.wanted:
            return None
        if isinstance(record, Failure):
            self.unread.append((place, record))
            return None
        self._pages[place] = record
        self._page_bytes += size
        if len(self._pages) >= CHUNK_PAGES or self._page_bytes >= CHUNK_BYTES:
            return self.rest()
        return None

    def rest(self) -> Chunk | None:
        """The last chunk, of the pages that are left, if any."""
        if not self._pages:
            return None
        chunk = Chunk(self, tuple(self._pages), tuple(self._pages.values()))
        self._pages, self._page_bytes = {}, 0
        self.pages_out += len(chunk.pages)
        return chunk


class SeenDocnos:
    """The docnos of the documents so far (64 bits of each), by which repeated ones are found.

    Within a path that was given the first document of a docno counts; that of another path gets
    the name of its path before it.
    """

    def __init__(self) -> None:
        self._first: dict[int, int] = {}  # docno -> the input that had it first
        self._later: set[tuple[int, int]] = set()

    def resolve(self, record: Page | Failure, given: str) -> Page | Failure:
        """The record under a docno of its own, or a failure where its docno is repeated."""
        if isinstance(record, Failure):
            return record
        docno, own = hash(record.docno), hash(given or record.path)
        known = len(self._first)
        first = self._first.setdefault(docno, own)
        if len(self._first) > known:
            return record
        if first == own or (docno, own) in self._later:
            return Failure(record.docno, record.path, "read", SEEN_BEFORE)
        self._later.add((docno, own))
        return replace(record, docno=name_apart(record.docno, record.path, given))


def name_apart(docno: str, path: str, given: str) -> str:
    """Name a document apart from one of the same docno in another path that was given.

    >>> name_apart("d1", "b.jsonl#7", "b.jsonl"), name_apart("flu.html", "b/flu.html", "")
    ('b.jsonl/d1', 'b/flu.html')
    """
    return f"{given}/{docno}" if given else path


class InputChunks:
    """One input from its beginning, as chunks; parts that are `finished` are read past.

    `finished` says of the number of each such part whether the input ends with it.
    """

    def __init__(
        self, each: Input, source: Sources, finished: Mapping[int, bool], seen: SeenDocnos
    ) -> None:
        self.input = each
        self.bytes_passed = 0  # of finished parts, as far as they have been read past
        self._source, self._finished, self._seen = source, finished, seen
        self._bytes_before = self._part_began = 0

    @property
    def bytes_read(self) -> int:
        """About how many bytes of the input have been read."""
        return self._bytes_before + self._source.position

    def __iter__(self) -> Iterator[Chunk | OpenPart | None]:
        """Chunks, behind the last of a part the part itself, and None after other documents."""
        if len(self.input.files) == 1 and self.input.files[0].path in self._source.without:
            yield from self._given_up()
            return
        part = self._begin(0)
        skipped_before = Counter(self._source.skipped)
        for record in self._records():
            if part.is_full:
                yield from self._end(part, skipped_before)
                part = self._begin(part.number + 1)
                skipped_before = Counter(self._source.skipped)
            yield part.add(self._seen.resolve(record, self.input.given))
        part.is_last = True
        yield from self._end(part, skipped_before)

    def _given_up(self) -> Iterator[OpenPart]:
        """A part with one failure for each that is missing; the finished ones stay."""
        parts = max(self._finished, default=-1) + 1 + (not any(self._finished.values()))
        for number in sorted({*range(parts)} - self._finished.keys()):
            part = OpenPart(self.input.number, number, wanted=True, is_last=number + 1 == parts)
            for failure in self._source.read(self.input.files[0]):
                part.add(failure)
            yield part

    def _begin(self, number: int) -> OpenPart:
        self._part_began = self.bytes_read
        return OpenPart(self.input.number, number, wanted=number not in self._finished)

    def _end(self, part: OpenPart, skipped_before: Counter[str]) -> Iterator[Chunk | OpenPart]:
        if part.wanted:
            if chunk := part.rest():
                yield chunk
            part.skipped = self._source.skipped - skipped_before
            yield part
        else:
            self.bytes_passed += self.bytes_read - self._part_began

    def _records(self) -> Iterator[Page | Failure]:
        for file in self.input.files:
            yield from self._source.read(file)
            self._bytes_before += file.bytes
