"""Inputs as batches of pages for workers, cut into parts at the same places every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from understandability.crawl.folder import Part
from understandability.crawl.plan import Input
from understandability.formats.sources import Sources
from understandability.records import SEEN_BEFORE, Failure, Page

# A part is a file, and what is lost when a run is killed: some ten seconds of one worker.
PART_RECORDS = 1000
PART_BYTES = 64_000_000
# A batch is what one message carries to a worker: some tenths of a second.
BATCH_PAGES = 32
BATCH_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages that are scored together, and their places among the documents of their part."""

    part: OpenPart
    places: tuple[int, ...]
    pages: tuple[Page, ...]

    def singly(self) -> Iterator[Chunk]:
        """A batch for each page."""
        for place, page in zip(self.places, self.pages, strict=True):
            yield Chunk(self.part, (place,), (page,))


@dataclass(eq=False)
class OpenPart:
    """A part while its documents are read and scored.

    `tables`, and the failures in reading (`unread`) and in scoring, stand beside the place of
    their (first) document, so that a part keeps the order of its input whatever the order in
    which batches come back; `pages_out` are the pages of batches that have not. Of a part that
    is not `wanted`, having been finished before, documents are counted only.
    """

    input: int
    number: int
    wanted: bool
    records: int = 0
    bytes: int = 0
    pages_out: int = 0
    is_read: bool = False
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
        """Take the next document; gives a batch when there is enough for one."""
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
        if len(self._pages) >= BATCH_PAGES or self._page_bytes >= BATCH_BYTES:
            return self.rest()
        return None

    def rest(self) -> Chunk | None:
        """What is left for a last batch."""
        if not self._pages:
            return None
        batch = Chunk(self, tuple(self._pages), tuple(self._pages.values()))
        self._pages, self._page_bytes = {}, 0
        self.pages_out += len(batch.pages)
        return batch


class InputReader:
    """One input from its beginning, as batches; parts that are `finished` are read past."""

    def __init__(self, source: Input, sources: Sources, finished: Collection[int]) -> None:
        self.input = source
        self.bytes_passed = 0  # of finished parts, as far as they have been read past
        self._sources, self._finished = sources, finished
        self._bytes_before = self._part_began = 0
        # 64 bits of each docno stand for it: a container may hold millions.
        self._seen: set[int] = set()

    @property
    def bytes_read(self) -> int:
        """About how many bytes of the input have been read."""
        return self._bytes_before + self._sources.position

    def __iter__(self) -> Iterator[Chunk | OpenPart | None]:
        """Batches, and behind the last batch of a part the part itself.

        Gives None after documents that complete neither, so that who reads can look after
        other things in between.
        """
        part = self._begin(0)
        skipped_before = Counter(self._sources.skipped)
        for record in self._records():
            if part.is_full:
                yield from self._end(part, skipped_before)
                part = self._begin(part.number + 1)
                skipped_before = Counter(self._sources.skipped)
            yield part.add(self._if_first(record))
        part.is_last = True
        yield from self._end(part, skipped_before)

    def _begin(self, number: int) -> OpenPart:
        self._part_began = self.bytes_read
        return OpenPart(self.input.number, number, wanted=number not in self._finished)

    def _end(self, part: OpenPart, skipped_before: Counter[str]) -> Iterator[Chunk | OpenPart]:
        if part.wanted:
            if batch := part.rest():
                yield batch
            part.skipped = self._sources.skipped - skipped_before
            part.is_read = True
            yield part
        else:
            self.bytes_passed += self.bytes_read - self._part_began

    def _records(self) -> Iterator[Page | Failure]:
        for file in self.input.files:
            yield from self._sources.read(file.docno, file.path)
            self._bytes_before += file.bytes

    def _if_first(self, record: Page | Failure) -> Page | Failure:
        if isinstance(record, Failure):
            return record
        key = hash(record.docno)
        if key in self._seen:
            return Failure(record.docno, record.source, "read", SEEN_BEFORE)
        self._seen.add(key)
        return record
