"""The plan of a crawl: its inputs, divided into units for one worker each, and how to score."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from understandability.crawls.folder import CrawlFolder, complete_inputs
from understandability.crawls.processes import IsolatedFunction
from understandability.errors import InputError, OptionError
from understandability.inputs.delimited import read_delimited
from understandability.inputs.json_files import read_jsonl
from understandability.inputs.page_tables import Tables, kept_names
from understandability.inputs.parts import (
    PART_BYTES,
    SPLIT_BYTES,
    InputPart,
    PartSize,
    plan_parts,
)
from understandability.inputs.sources import File, Sources, holds_many, is_read_by_arrow
from understandability.inputs.streams import open_stream
from understandability.text.page import Failure, Page

if TYPE_CHECKING:
    from understandability.scoring import RowMaker

FILES_TOGETHER = 512
# Documents of a part, which is a file, and what is lost when a crawl is killed: some ten seconds
# of one worker.
PART_RECORDS = 1000
# Files are split into ranges if there are fewer of them: more keep the cores of any machine busy.
MANY_FILES = 256
MAX_RANGES = 4096  # of all files together, about
# Towards the end, a part is this share of the remaining bytes: with small last parts, all workers
# finish at about the same time.
_SHARE_OF_REST = 1 / 32
_SMALLEST_PART = 1 / 16  # of the usual size
_SCHEMA_SECONDS = 120.0  # after which a file has no schema
ALL_COLUMNS = "*"
_FIRST_RECORDS = 100  # of a JSON file, whose fields are its columns


class GivenPages(Sources):
    """Page objects passed by a Python caller, as a source; they can be read only once."""

    def __init__(self, pages: Iterable[Page | Failure]) -> None:
        super().__init__([])
        self._pages = pages
        self.files = [File("pages", "pages", "pages", 0)]

    def without_files(self) -> GivenPages:
        """Return this source itself, because it has no files."""
        return self

    def read(self, file: File) -> Iterator[Page | Failure]:
        """Yield all pages."""
        yield from self._pages


@dataclass(frozen=True, slots=True)
class Input:
    """A unit of work for one worker: a file, a range of a file, or files of one page each.

    Several files of one page each belong to one path that the user named, or were named one by one.
    `bytes` is the stored size.
    """

    number: int
    parts: tuple[InputPart, ...]
    bytes: int = 0

    @property
    def files(self) -> tuple[File, ...]:
        """The files of this input; a range of a file counts as the whole file."""
        return tuple(part.file for part in self.parts)

    @property
    def named_path(self) -> str:
        """The path that the user named; '' for pages that were named one by one."""
        first = self.parts[0].file
        return "" if first.is_input and not holds_many(first.path) else first.input

    @property
    def name(self) -> str:
        """The name of the input in messages."""
        more = f" and {len(self.parts) - 1} more files" if len(self.parts) > 1 else ""
        return self.parts[0].source + more

    @property
    def description(self) -> dict[str, Any]:
        """The input as an object of ``crawl.json``."""
        files = [[file.docno, file.path, file.bytes] for file in self.files]
        first = self.parts[0]
        is_range = not first.is_whole
        range_ = {"range": [first.unit, first.start, first.end, self.bytes]} if is_range else {}
        return {"given": self.named_path, "files": files, **range_}

    @classmethod
    def of_description(cls, number: int, description: Mapping[str, Any]) -> Input:
        """Return the input that an object of ``crawl.json`` describes."""
        files = [
            File(docno, path, description["given"] or path, size)
            for docno, path, size in description["files"]
        ]
        if "range" in description:
            unit, start, end, size = description["range"]
            return cls(number, (InputPart(files[0], unit, start, end),), size)
        return cls(number, tuple(map(InputPart, files)), sum(file.bytes for file in files))


@dataclass(frozen=True)
class InputSettings:
    """The settings that a worker needs for reading inputs, and the columns of the rows.

    `kept` holds the last columns of `schema`, which are copied from the input. A part ends after
    `part_records` documents.
    """

    source: Sources
    schema: pa.Schema
    kept: pa.Schema
    part_records: int


@dataclass(frozen=True)
class Plan:
    """The plan of a crawl: its inputs, and everything that their rows depend on.

    `described` holds the settings with versions and with checksums of the files that they name.
    `kept` lists the columns of tables that are copied into the rows. `skipped` counts files that
    are not inputs.
    """

    inputs: tuple[Input, ...]
    source: Sources
    maker: RowMaker
    described: Mapping[str, Any]
    kept: pa.Schema
    skipped: Counter[str]

    @property
    def description(self) -> dict[str, Any]:
        """The plan as stored in ``crawl.json``; crawls with equal descriptions have equal rows."""
        docnos = self.source.docnos
        names = None if docnos is None else "\n".join(sorted(docnos)).encode()
        return {
            "settings": dict(self.described),
            "limit_mb": self.source.limit / 1e6,
            "docnos": None if names is None else hashlib.sha256(names).hexdigest(),
            "columns": asdict(self.source.columns) if self.source.columns else None,
            "skipped": dict(self.skipped),
            "inputs": [input_.description for input_ in self.inputs],
        }

    @property
    def input_settings(self) -> InputSettings:
        """The settings that workers need for reading the inputs."""
        return InputSettings(self.source, self.schema, self.kept, PART_RECORDS)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return pa.schema([*self.maker.schema, *self.kept])


@dataclass
class Progress:
    """The progress of a run since it was started or resumed.

    `documents` counts the documents processed, including failures. `failed` counts the failures by
    stage, and `first_failure` is an example. `bytes` is the total size of the inputs as stored.
    `bytes_done` is the part processed so far; it includes `bytes_passed`, the part finished before
    this run. `skipped` counts files and records that are not documents, by type (such as
    redirects). `remarks` are messages to the user about the inputs.
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
    def before(cls, plan: Plan, inputs: Sequence[Input], remaining: Sequence[Input]) -> Progress:
        """Return the initial progress, in which all inputs except `remaining` are finished."""
        total_bytes = sum(input_.bytes for input_ in inputs)
        finished_bytes = total_bytes - sum(input_.bytes for input_ in remaining)
        return cls(
            inputs=len(inputs),
            inputs_done=len(inputs) - len(remaining),
            bytes=total_bytes,
            bytes_done=finished_bytes,
            bytes_passed=finished_bytes,
            skipped=Counter(plan.skipped),
            remarks=plan.source.remarks,
        )

    @property
    def made(self) -> int:
        """The number of documents that have a row."""
        return self.documents - self.failed.total()


def make_plan(sources: Sources, maker: RowMaker) -> Plan:
    """Plan the scoring of all pages of `sources`."""
    if ALL_COLUMNS in sources.columns.keep:
        keep, remark = _all_columns(sources)
        sources.columns = replace(sources.columns, keep=keep)
        sources.remarks += remark
    inputs = tuple(_inputs_of(sources.files, 0))
    skipped = Counter(sources.skipped)
    names, remarks = kept_names(sources.columns.keep, maker.schema.names)
    kept_columns = pa.schema(
        [column.with_name(names[column.name]) for column in _kept_columns(sources)]
    )
    source = sources.without_files()
    if source is not sources:
        source.remarks.extend(sources.remarks)
    source.remarks.extend(remarks)
    return Plan(inputs, source, maker, maker.described, kept_columns, skipped)


def begin_in_folder(plan: Plan, folder: CrawlFolder) -> tuple[Plan, list[int]]:
    """Begin a crawl in a folder, or continue the crawl that it holds.

    Inputs that the folder does not have yet are added to it. Returns the plan for all inputs of the
    folder, and the numbers of the inputs of the given plan. Raises `InputError` if the folder holds
    a crawl with other settings, or if an input has changed or vanished since.
    """
    is_new = not folder.exists()
    if is_new:
        folder.begin(plan.description)
    else:
        folder.check_settings(plan.description)
    own = {file.path: file for input_ in plan.inputs for file in input_.files}
    while True:
        description = folder.description()
        inputs = [
            Input.of_description(number, input_)
            for number, input_ in enumerate(description["inputs"])
        ]
        recorded = {file.path: file for input_ in inputs for file in input_.files}
        for input_ in inputs:
            _check_unchanged(folder, input_, own, plan.source.without)
        new = [file for path, file in own.items() if path not in recorded]
        if not new:
            break
        added = list(_inputs_of(new, len(inputs)))
        descriptions = [input_.description for input_ in added]
        if folder.add_inputs(len(inputs), descriptions, plan.skipped) and not is_new:
            plan.source.remarks.append(
                f"added to {folder.path}: {len(new)} new files, such as {new[0].path}"
            )
    named = {*own, *plan.source.without}
    numbers = [input_.number for input_ in inputs if named & {file.path for file in input_.files}]
    return replace(plan, inputs=tuple(inputs)), numbers


def _check_unchanged(
    folder: CrawlFolder, input_: Input, files: Mapping[str, File], without: Container[str]
) -> None:
    """Raise `InputError` if a file of an input has changed in size, or vanished before it was
    finished.
    """
    folders = {file.input for file in files.values() if not file.is_input}
    for recorded in input_.files:
        now = files.get(recorded.path)
        if recorded.path in without or now == recorded:
            continue
        if now is not None and now.bytes != recorded.bytes:
            change = f"had {recorded.bytes:,} bytes and now has {now.bytes:,} bytes"
        elif (
            now is None
            and recorded.input in folders
            and input_.number not in complete_inputs(folder.parts())
        ):
            change = "is no longer there"
        else:
            continue
        raise InputError(
            f"{recorded.path} of the crawl in {folder.path} {change}; restore it, give it up with "
            f"--without {recorded.path}, or name another folder"
        )


def _inputs_of(files: Sequence[File], first_number: int) -> Iterator[Input]:
    """Convert files to numbered inputs: small files are grouped, large ones are split."""
    sizes = [file.bytes for file in files if holds_many(file.path)]
    is_split = len(sizes) < MANY_FILES
    largest = max(PART_BYTES, sum(sizes) // MAX_RANGES)
    remaining = sum(sizes)
    number = first_number
    for group in _groups(files):
        parts = [InputPart(file) for file in group]
        if len(group) == 1 and holds_many(group[0].path):
            if is_split:
                parts = plan_parts(group[0], _part_size(largest, remaining), SPLIT_BYTES)
            remaining -= group[0].bytes
        units = [tuple(parts)] if parts[0].is_whole else [(part,) for part in parts]
        total = sum(file.bytes for file in group)
        for unit in units:
            size = unit[0].end - unit[0].start if unit[0].unit == "bytes" else total // len(units)
            yield Input(number, unit, size)
            number += 1


def _part_size(largest: int, remaining: int) -> PartSize:
    """Return how large the parts of a file should be, if `remaining` bytes follow its start."""
    smallest = int(largest * _SMALLEST_PART)
    return lambda offset: min(largest, max(smallest, int((remaining - offset) * _SHARE_OF_REST)))


def _all_columns(sources: Sources) -> tuple[tuple[str, ...], list[str]]:
    """Return the columns that all tables have, except id, content and URL; and a remark.

    The remark names columns that only some tables have, and that can therefore not be kept.
    """
    tables = Tables(replace(sources.columns, keep=()))
    common: dict[str, None] | None = None
    all_unused: dict[str, None] = {}
    with IsolatedFunction("understandability.inputs.sources:typed_columns") as schema_of:
        for file in sources.files:
            try:
                names = _names_in(file.path, tables, sources.limit)
                if is_read_by_arrow(file.path):
                    schema = schema_of(file.path, seconds=_SCHEMA_SECONDS)
                    names = [] if schema is None else list(schema.names)
                if not names:
                    continue
                layout = tables.layout(file.path, names)
            except InputError:  # reading the file reports it
                continue
            used = {layout.id, layout.url, layout.title, *(name for name, _ in layout.contents)}
            unused = dict.fromkeys(name for name in names if name not in used)
            all_unused |= unused
            common = {name: None for name in common or unused if name in unused}
    partial = [name for name in all_unused if name not in (common or {})]
    remark = f"only some tables have the columns {', '.join(partial)}, so they are not kept"
    return tuple(common or ()), [remark] if partial else []


def _names_in(path: str, tables: Tables, limit: int) -> list[str]:
    """Return the column names of a delimited table, or the fields of the first objects of a JSON
    file.
    """
    suffixes = (".csv", ".tsv", ".json", ".ndjson")
    suffix = next((suffix for suffix in suffixes if suffix in path.lower()), "")
    if not suffix:
        return []
    with open_stream(path) as stream:
        if suffix in (".csv", ".tsv"):
            dialect = tables.dialect("\t" if suffix == ".tsv" else None)
            return list(read_delimited(stream, path, dialect, limit)[0])
        records = read_jsonl(stream, 6 * limit + 10_000)
        names: dict[str, None] = {}
        for _, record in islice(records, _FIRST_RECORDS):
            names |= dict.fromkeys(record) if isinstance(record, dict) else {}
        return list(names)


def _kept_columns(sources: Sources) -> pa.Schema:
    """Return the columns to copy from the inputs.

    A column has the type on which all files with a schema agree, otherwise text.
    """
    types: dict[str, set[pa.DataType]] = {name: set() for name in sources.columns.keep}
    paths = [file.path for file in sources.files if types and is_read_by_arrow(file.path)]
    with IsolatedFunction("understandability.inputs.sources:typed_columns") as schema_of:
        for path in paths:
            given_up = path in sources.without
            for column in () if given_up else schema_of(path, seconds=_SCHEMA_SECONDS) or ():
                if column.name in types:
                    types[column.name].add(column.type)
    return pa.schema(
        {name: seen.pop() if len(seen) == 1 else pa.string() for name, seen in types.items()}
    )


def shard_of(inputs: Sequence[Input], shard: str | None) -> list[Input]:
    """Return every n-th input, starting at the i-th, for the shard ``i/n``.

    >>> inputs = [Input(number, ()) for number in range(5)]
    >>> [input_.number for input_ in shard_of(inputs, "2/3")]
    [1, 4]
    """
    if shard is None:
        return list(inputs)
    numbers = re.fullmatch(r"(\d+)/(\d+)", shard)
    if numbers is None or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise OptionError(f"--shard takes I/N with I from 1 to N, such as 2/8, not {shard!r}")
    return list(inputs[int(numbers[1]) - 1 :: int(numbers[2])])


def _groups(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """Yield groups of files: a file of many pages alone, files of one page in a folder together."""

    def key(file: File) -> tuple[bool, str | None]:
        return holds_many(file.path), None if file.is_input else file.input

    for (is_container, _), group in groupby(files, key):
        alike, size = tuple(group), 1 if is_container else FILES_TOGETHER
        for start in range(0, len(alike), size):
            yield alike[start : start + size]
