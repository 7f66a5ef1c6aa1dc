"""Crawl folders: the settings, the inputs, and a Parquet file for each finished part of an input.

    crawl.json                    the settings, and the inputs that the crawl began with
    added/0000017.json            inputs that were added later, from number 17 on
    scores/0000003-00012.parquet  part 12 of input 3: a row for each document with a score
    errors/0000003-00012.parquet  the documents of that part that have no score, if any
    without/0000017.json          the path of file 17 of the inputs, if the user gave it up

A part is finished when its file is in ``scores/``. This file is written last and may have no rows:
one rename publishes the rows and the completion together. The last part of an input ends in
``-end``. The folder ``scores/`` is a Parquet data set that other programs can read.

A large file is several inputs, each a range of it. A docno that occurs twice within an input has
one row; across inputs, `merge` decides which row counts.
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from understandability.errors import InputError
from understandability.inputs.sources import File
from understandability.inputs.tables import SETTINGS_KEY
from understandability.inputs.writing import LocalFolder, open_folder
from understandability.text.page import Failure

FORMAT = 2  # 1 had neither ranges of files nor ``added/``
SCORES, ERRORS, WITHOUT, ADDED = "scores", "errors", "without", "added"
_DESCRIPTION = "crawl.json"
_FACTS_KEY = b"understandability.part"
_LIMITS_KEY = b"understandability.limits"
_AGAIN = "remove {}, then run the same 'understand score' command again to make it again"
_NAME = re.compile(r"(\d{7,})-(\d{5,})(-end)?\.parquet")
# Errors of file systems without locks, such as Lustre mounted without them.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_SLOT = 64  # bytes of the lock file that are locked for each input, and hold its owner's name
# Entries of a description that may differ between two runs of a crawl.
_NOT_COMPARED = {"inputs", "skipped", "format", "reader_description"}


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """The identity of a part: part `number` of input `input`; `last` is true for the input's last
    part.

    >>> Part(3, 12, last=True).name
    '0000003-00012-end.parquet'
    """

    input: int
    number: int
    last: bool = False

    @property
    def name(self) -> str:
        return f"{self.input:07}-{self.number:05}{'-end' * self.last}.parquet"


@dataclass(frozen=True)
class Facts:
    """Counts of the documents in one part of a crawl, or in several parts together.

    `records` counts the documents, and `failed` those without a score, by stage. `skipped` counts
    records that are not documents, by type. `difficulties` counts the documents with a difficulty
    from 0 to 10, from 10 to 20, ... from 90 to 100.
    """

    records: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    difficulties: tuple[int, ...] = (0,) * 10

    @property
    def scored(self) -> int:
        return self.records - self.failed.total()

    def __add__(self, other: Facts) -> Facts:
        return Facts(
            self.records + other.records,
            self.failed + other.failed,
            self.skipped + other.skipped,
            tuple(a + b for a, b in zip(self.difficulties, other.difficulties, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class StagedPart:
    """A part of a crawl whose files are written under temporary names, ready to be published.

    `files` pairs the temporary name of each file with its final one, in the order of publication.
    """

    part: Part
    facts: Facts
    files: tuple[tuple[str, str], ...]


class CrawlFolder:
    """A folder that holds a crawl, on a disk or behind a URL; it need not exist yet.

    `settings` (of the rows) and `limits` (of time and memory) are written into the metadata of each
    part.
    """

    def __init__(
        self,
        path: str,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, float] | None = None,
    ) -> None:
        self._folder = open_folder(path)
        self._settings = settings or {}
        self._limits = limits
        self.path = self._folder.url

    def exists(self) -> bool:
        """Return True if the folder holds a crawl; raise `InputError` if it holds other files."""
        names = self._folder.names("")
        if names and _DESCRIPTION not in names:
            raise InputError(
                f"{self.path} is not a crawl folder, and holds other files ({names[0]}); name a "
                "new one"
            )
        return bool(names)

    def description(self) -> dict[str, Any]:
        """Return the settings and all inputs, including those that were added later.

        Raises `InputError` if the folder is not a crawl folder.
        """
        try:
            description = self._object(_DESCRIPTION)
            if description["format"] > FORMAT:
                raise InputError(
                    f"{self.path} has a newer format than this version reads; update "
                    "understandability"
                )
            _check(description)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"{self.path} is not a crawl folder: there is no {_DESCRIPTION} in it; name the "
                "folder that 'understand score -o' wrote"
            ) from None
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InputError(
                f"{self.path}/{_DESCRIPTION} is damaged: {_reason(error)}; restore it, or name a "
                "new folder"
            ) from error
        skipped = Counter(description.get("skipped", {}))
        for name in self._folder.names(ADDED):
            try:
                added = self._object(f"{ADDED}/{name}")
                _check(added)
                if int(name.removesuffix(".json")) != len(description["inputs"]):
                    raise ValueError("inputs before its own are missing")
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise InputError(
                    f"{self.path}/{ADDED}/{name} is damaged: {_reason(error)}; restore it, or name "
                    "a new folder"
                ) from error
            description["inputs"] += added["inputs"]
            # Files of a folder that are not inputs are found again each time it is read.
            skipped |= Counter(added.get("skipped", {}))
        return {**description, "skipped": dict(skipped)}

    def begin(self, description: Mapping[str, Any]) -> None:
        """Write the settings to ``crawl.json``; raise `InputError` if the folder is not empty."""
        description = {"format": FORMAT, **description}
        self.exists()
        text = json.dumps(description, indent=1) + "\n"
        if not self._folder.create(_DESCRIPTION, text.encode()):
            self.check_settings(json.loads(text))

    def check_settings(self, description: Mapping[str, Any]) -> None:
        """Raise `InputError` if the crawl in the folder was begun with settings other than
        `description`.
        """
        differences = list(_differences(self.description(), json.loads(json.dumps(description))))
        if differences:
            raise InputError(
                f"{self.path} holds another crawl: {'; '.join(differences)}; run the same "
                "command as before, or name another folder"
            )

    def add_inputs(
        self, number: int, inputs: Sequence[Mapping[str, Any]], skipped: Mapping[str, int]
    ) -> bool:
        """Append inputs to the crawl; the first one gets the given `number`.

        Returns False if another process has appended inputs at the same time; then read the
        description again.
        """
        added = {"settings": {}, "inputs": list(inputs), "skipped": dict(skipped)}
        text = json.dumps(added, indent=1) + "\n"
        return self._folder.create(f"{ADDED}/{number:07}.json", text.encode())

    def files(self) -> list[File]:
        """The distinct files of all inputs, with the sizes that they had when they were added."""
        files = {
            path: File(docno, path, input_["given"] or path, size)
            for input_ in self.description()["inputs"]
            for docno, path, size in input_["files"]
        }
        return list(files.values())

    def given_up(self) -> list[str]:
        """The paths of the files that the user gave up with ``--without``; they are no longer
        read.
        """
        names = [name for name in self._folder.names(WITHOUT) if name.endswith(".json")]
        paths = []
        for name in names:
            try:
                paths.append(str(self._object(f"{WITHOUT}/{name}")["path"]))
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise InputError(
                    f"{self.path}/{WITHOUT}/{name} is damaged; remove it, and name its input by "
                    "--without again"
                ) from error
        return paths

    def give_up(self, path: str) -> None:
        """Record that a file of the inputs will no longer be read."""
        number = [file.path for file in self.files()].index(path)
        content = json.dumps({"path": path}) + "\n"
        self._folder.create(f"{WITHOUT}/{number:07}.json", content.encode())

    def lock(self, inputs: Sequence[int]) -> AbstractContextManager[object]:
        """Lock inputs, so that no other process works on them; in object stores this does
        nothing.
        """
        if isinstance(self._folder, LocalFolder):
            return _locked(self._folder.path / ".lock", inputs)
        return nullcontext()

    def discard_unfinished(self, inputs: Collection[int]) -> None:
        """Remove the temporary files that killed processes left for these inputs. Lock the inputs
        first.
        """
        prefixes = tuple(f"{number:07}-" for number in inputs)
        for under in (SCORES, ERRORS):
            self._folder.discard_unfinished(under, prefixes)

    def discard_unusable(self, inputs: Collection[int]) -> list[str]:
        """Remove temporary files and damaged parts of these inputs, and return a remark on each.

        Lock the inputs first.
        """
        self.discard_unfinished(inputs)
        remarks, own = [], set(inputs)
        for part in self.parts():
            try:
                if part.input in own:
                    self.scores(part)
                    self.failures(part)
            except InputError as damage:
                try:
                    self.discard(part)
                except OSError:
                    raise damage from None
                remarks.append(f"{self.path}/{SCORES}/{part.name} was damaged and is made again")
        return remarks

    def discard(self, part: Part) -> None:
        """Remove a part, so that its documents are scored again."""
        self._folder.remove(f"{SCORES}/{part.name}")

    def parts(self) -> list[Part]:
        """List the finished parts in the order of the inputs; raise `InputError` if two
        contradict.
        """
        matches = map(_NAME.fullmatch, self._folder.names(SCORES))
        parts = sorted(Part(int(m[1]), int(m[2]), bool(m[3])) for m in matches if m)
        for part, following in pairwise(parts):
            if part.input == following.input and (part.last or part.number == following.number):
                raise InputError(
                    f"{self.path}/{SCORES} holds {following.name} and {part.name}, which are "
                    f"not of one crawl; {_AGAIN.format(f'{self.path}/{SCORES}/{following.name}')}"
                )
        return parts

    def description_and_parts(self) -> tuple[dict[str, Any], list[Part]]:
        """Return the description and the finished parts.

        Raises `InputError` if a part belongs to none of the inputs.
        """
        description, parts = self.description(), self.parts()
        inputs = len(description["inputs"])
        if parts and parts[-1].input >= inputs:
            raise InputError(
                f"{self.path}/{SCORES}/{parts[-1].name} does not belong to this crawl, which has "
                f"{inputs} inputs; remove it"
            )
        return description, parts

    def commit(
        self, part: Part, rows: pa.Table, failures: Sequence[Failure], skipped: Counter[str]
    ) -> Facts:
        """Write a finished part and publish it; return its counts."""
        staged = self.stage(part, rows, failures, skipped)
        self.publish(staged)
        return staged.facts

    def stage(
        self, part: Part, rows: pa.Table, failures: Sequence[Failure], skipped: Counter[str]
    ) -> StagedPart:
        """Write the files of a part under temporary names; `publish` renames them."""
        stages = Counter(failure.stage for failure in failures)
        facts = Facts(rows.num_rows + len(failures), stages, skipped, _histogram(rows))
        metadata = {SETTINGS_KEY: json.dumps(self._settings), _FACTS_KEY: json.dumps(vars(facts))}
        if self._limits:
            metadata[_LIMITS_KEY] = json.dumps(dict(self._limits))
        contents = {SCORES: _parquet(rows, metadata)}
        if failures:
            # Published before the scores, which complete the part.
            contents = {ERRORS: _parquet(failure_table(failures), {}), **contents}
        names = {f"{under}/{part.name}": content for under, content in contents.items()}
        files = [(self._folder.stage(name, [content]), name) for name, content in names.items()]
        return StagedPart(part, facts, tuple(files))

    def publish(self, staged: StagedPart) -> None:
        """Rename the files of a staged part: its errors first, then its scores, which mark it as
        finished.
        """
        if not staged.facts.failed:
            self._folder.remove(f"{ERRORS}/{staged.part.name}")  # of an earlier attempt
        for temporary, name in staged.files:
            self._folder.publish(temporary, name)

    def facts(self, part: Part) -> Facts:
        """Read the counts of a finished part."""
        with self._opened(SCORES, part) as file:
            return _facts_in(_schema(file))

    def limits(self, part: Part) -> dict[str, float]:
        """Read the limits of time and memory under which a part was scored; empty if there were
        none.
        """
        with self._opened(SCORES, part) as file:
            metadata = _schema(file).metadata or {}
            return {k: float(v) for k, v in json.loads(metadata.get(_LIMITS_KEY, "{}")).items()}

    def scores(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """Read the rows of a part; the metadata of the table holds the settings."""
        with self._opened(SCORES, part) as file:
            table = _read_parquet(file, columns)
            _check_rows(table, _facts_in(table.schema).scored)
            # Both fail if the footer is damaged.
            json.loads(table.schema.metadata[SETTINGS_KEY])
            table.select(columns or ["docno", "path"])
        return table

    def failures(self, part: Part) -> list[Failure]:
        """Read the failures of a part: its documents without a score."""
        expected = self.facts(part).failed.total()
        if not expected:
            return []
        with self._opened(ERRORS, part) as file:
            table = _read_parquet(file, None)
            _check_rows(table, expected)
            return [Failure(**row) for row in table.to_pylist()]

    def rows(self, part: Part, docnos: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows of some documents of a part: first scores, then errors, last unreadable
        documents.
        """
        names = self.scores(part, ["docno"])["docno"].to_pylist()
        matches = [index for index, docno in enumerate(names) if docno in docnos]
        if matches:
            yield from self.scores(part).take(matches).to_pylist()
        failed = [asdict(failure) for failure in self.failures(part) if failure.docno in docnos]
        yield from sorted(failed, key=lambda row: row["stage"] == "read")

    def remove_files(self, part: Part) -> None:
        """Remove the files of a part: scores and errors."""
        self._folder.remove(f"{ERRORS}/{part.name}")
        self._folder.remove(f"{SCORES}/{part.name}")

    def _object(self, name: str) -> dict[str, Any]:
        with self._folder.open(name) as file:
            value = json.load(file)
        if not isinstance(value, dict):
            raise TypeError("it is not a JSON object")
        return value

    @contextmanager
    def _opened(self, under: str, part: Part) -> Iterator[IO[bytes]]:
        """Open a file of a part, in the subfolder `under`; report damage in one sentence."""
        try:
            with self._folder.open(f"{under}/{part.name}") as file:
                yield file
        except (OSError, ValueError, KeyError, TypeError, NotImplementedError) as error:
            # Arrow raises errors of these classes.
            again = _AGAIN.format(f"{self.path}/{SCORES}/{part.name}")
            raise InputError(
                f"{self.path}/{under}/{part.name} is damaged: "
                f"{getattr(error, 'strerror', None) or error}; {again}"
            ) from error


def complete_inputs(parts: Iterable[Part]) -> set[int]:
    """Return the numbers of the inputs whose parts are all finished.

    >>> sorted(complete_inputs([Part(0, 0), Part(0, 1, True), Part(1, 1, True)]))
    [0]
    """
    parts = list(parts)
    counts = Counter(part.input for part in parts)
    return {part.input for part in parts if part.last and counts[part.input] == part.number + 1}


def failure_table(failures: Iterable[Failure]) -> pa.Table:
    """Return failures as a table with the columns docno, path, stage and error."""
    schema = pa.schema([(name, pa.string()) for name in ("docno", "path", "stage", "error")])
    return pa.Table.from_pylist([asdict(failure) for failure in failures], schema)


def _schema(file: IO[bytes]) -> pa.Schema:
    import pyarrow.parquet as pq  # not at the top: commands that only score start sooner

    return pq.read_schema(file)


def _read_parquet(file: IO[bytes], columns: Sequence[str] | None) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.ParquetFile(file, page_checksum_verification=True).read(columns)


def _parquet(table: pa.Table, metadata: Mapping[bytes, str]) -> bytes:
    import pyarrow.parquet as pq

    content = pa.BufferOutputStream()
    table = table.replace_schema_metadata(metadata)
    pq.write_table(table, content, compression="zstd", write_page_checksum=True)
    return bytes(content.getvalue().to_pybytes())


def _facts_in(schema: pa.Schema) -> Facts:
    """Read the counts of a part from the metadata of its schema."""
    metadata = schema.metadata or {}
    if _FACTS_KEY not in metadata:
        raise ValueError("it was not written by 'understand score'")
    facts = json.loads(metadata[_FACTS_KEY])
    return Facts(
        facts["records"],
        Counter(facts["failed"]),
        Counter(facts["skipped"]),
        tuple(facts["difficulties"]),
    )


def _check_rows(table: pa.Table, expected: int) -> None:
    table.validate(full=True)  # Arrow does not check offsets when it reads
    if table.num_rows != expected:
        raise ValueError(f"it has {table.num_rows} rows and should have {expected}")


def _check(description: Mapping[str, Any]) -> None:
    """Raise `ValueError`, `KeyError` or `TypeError` if the content of a ``crawl.json`` is
    malformed.
    """
    if not isinstance(description["settings"], dict):
        raise ValueError("its settings are not an object")
    inputs = description["inputs"]
    files = [file for input_ in inputs for file in input_["files"]]
    names = [name for input_ in inputs for name in (input_["given"], *input_["files"][0][:2])]
    if not all(isinstance(file, list) and len(file) == 3 for file in files) or not all(
        isinstance(name, str) for name in names
    ):
        raise ValueError("its inputs have no files with docno, path and size")


def _histogram(rows: pa.Table) -> tuple[int, ...]:
    if "difficulty" not in rows.column_names:  # of features
        return (0,) * 10
    difficulties = rows["difficulty"].drop_null().to_numpy()
    counts, _ = np.histogram(difficulties, bins=10, range=(0, 100))
    return tuple(counts.tolist())


def _reason(error: Exception) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield, in words, each setting that differs between two descriptions."""
    for key in sorted({*before, *now} - _NOT_COMPARED):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new)
        elif old != new:
            yield f"{key.replace('_', ' ')} was {old!r} and is now {new!r}"


@contextmanager
def _locked(path: Path, numbers: Sequence[int]) -> Iterator[None]:
    """Lock inputs by their numbers; the system releases the locks of a process that dies.

    This works across machines if the file system supports locks. A file system without locks
    excludes no other process.
    """
    try:
        import fcntl  # Windows has none
    except ImportError as error:
        raise InputError(
            f"{path.parent} is a crawl folder, which requires the file locks of Linux or "
            "macOS; score into one table instead: -o scores.parquet"
        ) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        try:
            for number in numbers:
                # Record locks belong to the process; its children do not inherit them.
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SLOT, number * _SLOT)
            owner = f"process {os.getpid()} on {socket.gethostname()}".encode()[:_SLOT]
            for number in numbers:
                os.pwrite(file, owner.ljust(_SLOT), number * _SLOT)
        except (BlockingIOError, PermissionError) as error:
            by = os.pread(file, _SLOT, number * _SLOT).decode("utf-8", "replace").strip()
            raise InputError(
                f"{path.parent} is being worked on by {by or 'another process'}; wait "
                "for it, or stop it, then run the same command again"
            ) from error
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise InputError(f"{path} cannot be locked: {error.strerror}") from error
        yield
    finally:
        os.close(file)
