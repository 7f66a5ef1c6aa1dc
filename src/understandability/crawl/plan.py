"""What a run does: its inputs, cut into pieces of work, and the settings that give its rows."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from understandability.errors import OptionError
from understandability.formats.sources import Sources, holds_many, size_of
from understandability.scoring import Scorer, Settings

FILES_TOGETHER = 512


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was found: its name as a document, its path, its size as stored."""

    docno: str
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Input:
    """What one process reads from beginning to end: a WARC file, or files of one page each."""

    number: int
    files: tuple[File, ...]

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def name(self) -> str:
        """What it is called in messages."""
        more = f" and {len(self.files) - 1} more files" if len(self.files) > 1 else ""
        return self.files[0].path + more


@dataclass(frozen=True)
class Plan:
    """The inputs of a run, and all that its rows depend on.

    `described` are the settings with the versions and checksums of what they name; `docnos`
    the documents asked for (None: all), `limit` the longest document in bytes; `skipped`
    counts the files that are no inputs.
    """

    inputs: tuple[Input, ...]
    settings: Settings
    described: Mapping[str, Any]
    docnos: Collection[str] | None
    limit: int
    skipped: Counter[str]

    @property
    def description(self) -> dict[str, Any]:
        """The plan as ``run.json`` holds it; two runs with equal ones have equal rows."""
        return {
            "settings": dict(self.described),
            "limit_mb": self.limit / 1e6,
            "docnos": _checksum(self.docnos),
            "inputs": [[astuple(file) for file in each.files] for each in self.inputs],
        }


def make_plan(sources: Sources, scorer: Scorer) -> Plan:
    """The plan for scoring all that `sources` name.

    Raises `OptionError` where standard input is among it, which cannot be read again.
    """
    if any(path == "-" for _, path in sources.files):
        raise OptionError(
            "a run folder takes files, which can be read again, and not standard input; save it "
            "to a file, or write the scores to a file"
        )
    files = [File(docno, path, size_of(path)) for docno, path in sources.files]
    inputs = tuple(Input(number, each) for number, each in enumerate(_together(files)))
    return Plan(
        inputs,
        scorer.settings,
        scorer.described,
        sources.docnos,
        sources.limit,
        Counter(sources.skipped),
    )


def shard_of(inputs: Sequence[Input], shard: str | None) -> list[Input]:
    """Every n-th input, from the i-th, for the shard ``i/n``.

    >>> inputs = [Input(number, ()) for number in range(5)]
    >>> [each.number for each in shard_of(inputs, "2/3")]
    [1, 4]
    """
    if shard is None:
        return list(inputs)
    numbers = re.fullmatch(r"(\d+)/(\d+)", shard)
    if numbers is None or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise OptionError(f"a shard is i/n with i from 1 to n, such as 2/8, not {shard!r}")
    return list(inputs[int(numbers[1]) - 1 :: int(numbers[2])])


def _together(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """Containers one by one; single pages that follow each other together."""
    waiting: list[File] = []
    for file in files:
        many = holds_many(file.path)
        if waiting and (many or len(waiting) == FILES_TOGETHER):
            yield tuple(waiting)
            waiting = []
        if many:
            yield (file,)
        else:
            waiting.append(file)
    if waiting:
        yield tuple(waiting)


def _checksum(docnos: Collection[str] | None) -> str | None:
    """What tells one list of documents from another."""
    if docnos is None:
        return None
    return hashlib.sha256("\n".join(sorted(docnos)).encode()).hexdigest()
