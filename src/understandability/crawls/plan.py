"""The plan of a crawl: inputs, cut into pieces of work, and the maker of their rows."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import pyarrow as pa

from understandability.crawls.reader import ReadApart
from understandability.errors import OptionError
from understandability.inputs.page_tables import kept_names
from understandability.inputs.sources import File, Sources, holds_many, is_read_by_arrow
from understandability.scoring import RowMaker
from understandability.text.page import Failure, Page

FILES_TOGETHER = 512


class GivenPages(Sources):
    """Pages of any iterable, which are read once."""

    def __init__(self, pages: Iterable[Page | Failure]) -> None:
        super().__init__([])
        self._pages = pages
        self.files = [File("pages", "pages", "pages", 0)]

    def without_files(self) -> GivenPages:
        """These themselves."""
        return self

    def read(self, file: File) -> Iterator[Page | Failure]:
        """All of them."""
        yield from self._pages


@dataclass(frozen=True, slots=True)
class Input:
    """The files that one process reads to their end: a WARC file, or files of one page each.

    The files are of one path that was given, or they are pages that were given one by one.
    """

    number: int
    files: tuple[File, ...]

    @property
    def given(self) -> str:
        """The path that was given; nothing for pages that were given one by one."""
        first = self.files[0]
        return "" if first.is_input and not holds_many(first.path) else first.input

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def name(self) -> str:
        """Its name in messages."""
        more = f" and {len(self.files) - 1} more files" if len(self.files) > 1 else ""
        return self.files[0].path + more


@dataclass(frozen=True)
class Plan:
    """The inputs, and all that their rows depend on.

    `described` are the settings with the versions and checksums of what they name; `kept` are
    the columns of tables that stand beside the rows; `skipped` counts the files that are no
    inputs.
    """

    inputs: tuple[Input, ...]
    source: Sources
    maker: RowMaker
    described: Mapping[str, Any]
    kept: pa.Schema
    skipped: Counter[str]

    @property
    def description(self) -> dict[str, Any]:
        """The plan as ``crawl.json`` holds it; two crawls with equal ones have equal rows."""
        docnos = self.source.docnos
        named = None if docnos is None else "\n".join(sorted(docnos)).encode()
        return {
            "settings": dict(self.described),
            "limit_mb": self.source.limit / 1e6,
            "docnos": None if named is None else hashlib.sha256(named).hexdigest(),
            "columns": asdict(self.source.columns) if self.source.columns else None,
            "inputs": [
                {
                    "given": each.given,
                    "files": [[file.docno, file.path, file.bytes] for file in each.files],
                }
                for each in self.inputs
            ],
        }

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return pa.schema([*self.maker.schema, *self.kept])


def make_plan(sources: Sources, maker: RowMaker) -> Plan:
    """The plan for making rows of all that `sources` name."""
    inputs = tuple(Input(number, each) for number, each in enumerate(_together(sources.files)))
    skipped = Counter(sources.skipped)
    names, remarks = kept_names(sources.columns.keep, maker.schema.names)
    kept = pa.schema([column.with_name(names[column.name]) for column in _kept(sources)])
    source = sources.without_files()
    source.remarks.extend(remarks)
    return Plan(inputs, source, maker, maker.described, kept, skipped)


def _kept(sources: Sources) -> pa.Schema:
    """The columns to keep: of the type that all files agree on which state one, else text."""
    found: dict[str, set[pa.DataType]] = {name: set() for name in sources.columns.keep}
    paths = [file.path for file in sources.files if found and is_read_by_arrow(file.path)]
    with ReadApart(Sources([])) as reader:
        for path in paths:
            schema = () if path in sources.without else reader.columns_of(path) or ()
            for column in schema:
                if column.name in found:
                    found[column.name].add(column.type)
    types = {name: list(each) for name, each in found.items()}
    return pa.schema(
        {name: each[0] if len(each) == 1 else pa.string() for name, each in types.items()}
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
        raise OptionError(f"--shard takes I/N with I from 1 to N, such as 2/8, not {shard!r}")
    return list(inputs[int(numbers[1]) - 1 :: int(numbers[2])])


def _together(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """Containers one by one; single pages of a folder, or given themselves, together."""

    def kind(file: File) -> tuple[bool, str | None]:
        return holds_many(file.path), None if file.is_input else file.input

    for (many, _), group in groupby(files, kind):
        alike, size = tuple(group), 1 if many else FILES_TOGETHER
        for start in range(0, len(alike), size):
            yield alike[start : start + size]
