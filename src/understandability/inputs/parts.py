"""Inputs, and the parts of large ones that several processes read at the same time."""

from __future__ import annotations

from dataclasses import dataclass

# A part of a container that holds many pages: some seconds of scoring.
PART_BYTES = 16_000_000
WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `input` is the path that the user named; `bytes` is 0 if unknown."""

    docno: str
    path: str
    input: str
    bytes: int

    @property
    def is_input(self) -> bool:
        """True if the user named this file itself, not a folder that contains it."""
        return self.path == self.input


@dataclass(frozen=True, slots=True)
class InputPart:
    """A range of a file that is read on its own, by `Sources.read_part`.

    `unit` says what `start` and `end` count: bytes, row groups, members, or nothing for the whole
    file. A record belongs to the part in which it begins, even if it ends in the next one.

    >>> part = InputPart(File("a.warc.gz", "a.warc.gz", "a.warc.gz", 100))
    >>> part.is_whole, part.source
    (True, 'a.warc.gz')
    """

    file: File
    unit: str = WHOLE
    start: int = 0
    end: int = 0

    @property
    def is_whole(self) -> bool:
        """True if the part is the whole file."""
        return self.unit == WHOLE

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.file.path

    @property
    def source(self) -> str:
        """The name of the part in the paths of its records, such as ``a.warc.gz@16000000``."""
        return self.path if self.start == 0 else f"{self.path}@{self.start}"


def plan_parts(file: File, size: int = PART_BYTES) -> list[InputPart]:
    """Split a file into parts of about `size` bytes; a file that cannot be split is one part.

    Reading the parts in order yields the same records as reading the file. Planning reads at most
    a few kilobytes per part, so it may happen in a process that only hands out work.
    """
    return [InputPart(file)]
