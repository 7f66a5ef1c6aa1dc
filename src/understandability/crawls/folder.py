"""Crawl folders: what was chosen, and Parquet parts, one for each finished stretch of an input.

    crawl.json                    the settings and the inputs
    scores/0000003-00012.parquet  part 12 of input 3: a row for each document scored
    errors/0000003-00012.parquet  and for each that could not be, where there was one
    without/0000017.json          the path of file 17 of the inputs, which was given up

A part is finished when its file stands in ``scores/``, which may have no rows and is written
last: one rename makes rows and completion known together. The last part of an input ends in
``-end``. Every other name may be read as the Parquet data set that it is.
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
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understandability.errors import InputError
from understandability.inputs.sources import File
from understandability.inputs.tables import SETTINGS_KEY
from understandability.inputs.writing import LocalFolder, open_folder
from understandability.text.page import Failure

FORMAT = 1
SCORES, ERRORS, WITHOUT = "scores", "errors", "without"
_DESCRIPTION = "crawl.json"
_FACTS_KEY = b"understandability.part"
_AGAIN = "remove {}, then run the same 'understand score' command again to make it again"
_NAME = re.compile(r"(\d{7,})-(\d{5,})(-end)?\.parquet")
# What file systems say that have no locks, such as Lustre where it is mounted without.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_SLOT = 64  # bytes of the lock file that are locked for each input, and hold its owner's name


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Part `number` of input `input`; `last` if the input ends with it.

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
    """Counts of a part, or of many together.

    `records` are the documents, `failed` how many of them are errors, by stage; `skipped` is
    what is no document, by kind; `difficulties` how many documents have a difficulty from
    0 to 10, from 10 to 20, ... from 90 to 100.
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


class CrawlFolder:
    """The folder of a crawl, on a disk or behind a URL; it need not be there yet."""

    def __init__(self, path: str, settings: Mapping[str, Any] | None = None) -> None:
        self._folder = open_folder(path)
        self._settings = settings or {}  # that stand in the parts
        self.path = self._folder.url

    def description(self) -> dict[str, Any]:
        """The object of ``crawl.json``; raises `InputError` where this is no crawl folder."""
        try:
            with self._folder.open(_DESCRIPTION) as file:
                description = json.load(file)
            if description["format"] > FORMAT:
                raise InputError(
                    f"{self.path} is of a newer format than this version reads; update "
                    "understandability"
                )
            _check(description)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"{self.path} is not a crawl folder: there is no {_DESCRIPTION} in it; name the "
                "folder that 'understand score -o' wrote"
            ) from None
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            reason = f"there is no {error}" if isinstance(error, KeyError) else error
            raise InputError(
                f"{self.path}/{_DESCRIPTION} is damaged: {reason}; restore it, or name a new folder"
            ) from error
        assert isinstance(description, dict)
        return description

    def begin(self, description: Mapping[str, Any]) -> None:
        """Write ``crawl.json``; raises `InputError` where there is another one, or other files."""
        description = {"format": FORMAT, **description}
        names = self._folder.names("")
        if names and _DESCRIPTION not in names:
            raise InputError(
                f"{self.path} is not a crawl folder, and holds other files ({names[0]}); name a "
                "new one"
            )
        text = json.dumps(description, indent=1) + "\n"
        if not self._folder.create(_DESCRIPTION, text.encode()):
            differences = list(_differences(self.description(), json.loads(text)))
            if differences:
                raise InputError(
                    f"{self.path} holds another crawl: {'; '.join(differences)}; run the same "
                    "command as before, or name another folder"
                )

    def files(self) -> list[File]:
        """The files of the inputs, as they were when the crawl was begun."""
        return [
            File(docno, path, each["given"] or path, size)
            for each in self.description()["inputs"]
            for docno, path, size in each["files"]
        ]

    def given_up(self) -> list[str]:
        """The paths of the files that are read no more, by ``--without``."""
        names = [name for name in self._folder.names(WITHOUT) if name.endswith(".json")]
        paths = []
        for name in names:
            try:
                with self._folder.open(f"{WITHOUT}/{name}") as file:
                    paths.append(str(json.load(file)["path"]))
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise InputError(
                    f"{self.path}/{WITHOUT}/{name} is damaged; remove it, and name its input by "
                    "--without again"
                ) from error
        return paths

    def give_up(self, path: str) -> None:
        """Record that a file of the inputs is read no more."""
        place = [file.path for file in self.files()].index(path)
        content = json.dumps({"path": path}) + "\n"
        self._folder.create(f"{WITHOUT}/{place:07}.json", content.encode())

    def lock(self, inputs: Sequence[int]) -> AbstractContextManager[object]:
        """Keep other processes from the inputs; object stores have no locks for that."""
        if isinstance(self._folder, LocalFolder):
            return _locked(self._folder.path / ".lock", inputs)
        return nullcontext()

    def discard_unusable(self, inputs: Collection[int]) -> list[str]:
        """Remove what was left of unfinished parts, and damaged ones; returns a remark on these."""
        beginnings = tuple(f"{number:07}-" for number in inputs)
        for under in (SCORES, ERRORS):
            self._folder.discard_unfinished(under, beginnings)
        remarks, ours = [], set(inputs)
        for part in self.parts():
            try:
                if part.input in ours:
                    self.scores(part)
                    self.failures(part)
            except InputError as damage:
                try:
                    self._folder.remove(f"{SCORES}/{part.name}")
                except OSError:
                    raise damage from None
                remarks.append(f"{self.path}/{SCORES}/{part.name} was damaged and is made again")
        return remarks

    def parts(self) -> list[Part]:
        """The finished parts in the order of the inputs; `InputError` where two do not agree."""
        found = map(_NAME.fullmatch, self._folder.names(SCORES))
        parts = sorted(Part(int(m[1]), int(m[2]), bool(m[3])) for m in found if m)
        for part, following in pairwise(parts):
            if part.input == following.input and (part.last or part.number == following.number):
                raise InputError(
                    f"{self.path}/{SCORES} holds {following.name} and {part.name}, which are "
                    f"not of one crawl; {_AGAIN.format(f'{self.path}/{SCORES}/{following.name}')}"
                )
        return parts

    def description_and_parts(self) -> tuple[dict[str, Any], list[Part]]:
        """Both; raises `InputError` where a part is of none of the inputs, too."""
        description, parts = self.description(), self.parts()
        inputs = len(description["inputs"])
        if parts and parts[-1].input >= inputs:
            raise InputError(
                f"{self.path}/{SCORES}/{parts[-1].name} is not of this crawl, which has {inputs} "
                "inputs; remove it"
            )
        return description, parts

    def commit(
        self, part: Part, rows: pa.Table, failures: Sequence[Failure], skipped: Counter[str]
    ) -> Facts:
        """Write a finished part: its rows, its failures and what is counted of it."""
        stages = Counter(failure.stage for failure in failures)
        records = rows.num_rows + len(failures)
        facts = Facts(records, stages, skipped, _histogram(rows))
        if failures:
            self._write(f"{ERRORS}/{part.name}", failure_table(failures), {})
        else:
            self._folder.remove(f"{ERRORS}/{part.name}")  # of an attempt that was killed
        metadata = {SETTINGS_KEY: json.dumps(self._settings), _FACTS_KEY: json.dumps(vars(facts))}
        self._write(f"{SCORES}/{part.name}", rows, metadata)
        return facts

    def facts(self, part: Part) -> Facts:
        """The counts of a finished part."""
        with self._opened(SCORES, part) as file:
            return _facts_in(pq.read_schema(file))

    def scores(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of the documents scored in a part; their metadata hold the settings."""
        with self._opened(SCORES, part) as file:
            table = _read_parquet(file, columns)
            _check_rows(table, _facts_in(table.schema).scored)
            # These fail where the footer is damaged.
            json.loads(table.schema.metadata[SETTINGS_KEY])
            table.select(columns or ["docno", "path"])
        return table

    def failures(self, part: Part) -> list[Failure]:
        """The documents of a part that could not be scored."""
        expected = self.facts(part).failed.total()
        if not expected:
            return []
        with self._opened(ERRORS, part) as file:
            table = _read_parquet(file, None)
            _check_rows(table, expected)
            return [Failure(**row) for row in table.to_pylist()]

    def rows(self, part: Part, docnos: Collection[str]) -> Iterator[dict[str, Any]]:
        """The rows of some documents of a part, first the scores, and last of what was not read."""
        names = self.scores(part, ["docno"])["docno"].to_pylist()
        found = [place for place, docno in enumerate(names) if docno in docnos]
        if found:
            yield from self.scores(part).take(found).to_pylist()
        failed = [asdict(each) for each in self.failures(part) if each.docno in docnos]
        yield from sorted(failed, key=lambda row: row["stage"] == "read")

    def _write(self, name: str, table: pa.Table, metadata: Mapping[bytes, str]) -> None:
        content = pa.BufferOutputStream()
        table = table.replace_schema_metadata(metadata)
        pq.write_table(table, content, compression="zstd", write_page_checksum=True)
        self._folder.write(name, [content.getvalue().to_pybytes()])

    @contextmanager
    def _opened(self, under: str, part: Part) -> Iterator[IO[bytes]]:
        """One of the two files of a part; what is wrong with it is told in a sentence."""
        try:
            with self._folder.open(f"{under}/{part.name}") as file:
                yield file
        except (OSError, ValueError, KeyError, TypeError, NotImplementedError) as error:
            # Arrow's own errors are of these classes.
            again = _AGAIN.format(f"{self.path}/{SCORES}/{part.name}")
            raise InputError(
                f"{self.path}/{under}/{part.name} is damaged: "
                f"{getattr(error, 'strerror', None) or error}; {again}"
            ) from error


def complete_inputs(parts: Iterable[Part]) -> set[int]:
    """The inputs of which all parts are there.

    >>> sorted(complete_inputs([Part(0, 0), Part(0, 1, True), Part(1, 1, True)]))
    [0]
    """
    parts = list(parts)
    counts = Counter(part.input for part in parts)
    return {part.input for part in parts if part.last and counts[part.input] == part.number + 1}


def failure_table(failures: Iterable[Failure]) -> pa.Table:
    """Failures as a table: docno, path, stage, error."""
    schema = pa.schema([(name, pa.string()) for name in ("docno", "path", "stage", "error")])
    return pa.Table.from_pylist([asdict(failure) for failure in failures], schema)


def _read_parquet(file: IO[bytes], columns: Sequence[str] | None) -> pa.Table:
    return pq.ParquetFile(file, page_checksum_verification=True).read(columns)


def _facts_in(schema: pa.Schema) -> Facts:
    """Read the counts in the metadata of a part."""
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
    table.validate(full=True)  # for Arrow reads texts without looking
    if table.num_rows != expected:
        raise ValueError(f"it has {table.num_rows} rows and should have {expected}")


def _check(description: Mapping[str, Any]) -> None:
    """Raise `ValueError` or `KeyError` where a description is none of a crawl."""
    if not isinstance(description["settings"], dict):
        raise ValueError("its settings are not an object")
    inputs = description["inputs"]
    files = [file for each in inputs for file in each["files"]]
    names = [name for each in inputs for name in (each["given"], *each["files"][0][:2])]
    if not all(isinstance(f, list) and len(f) == 3 for f in files) or not all(
        isinstance(name, str) for name in names
    ):
        raise ValueError("its inputs have no files with docno, path and size")


def _histogram(rows: pa.Table) -> tuple[int, ...]:
    if "difficulty" not in rows.column_names:  # of features
        return (0,) * 10
    difficulties = rows["difficulty"].drop_null().to_numpy()
    counts, _ = np.histogram(difficulties, bins=10, range=(0, 100))
    return tuple(counts.tolist())


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Name in words how two descriptions differ."""
    # What follows from other settings is not told once more.
    for key in sorted({*before, *now} - {"inputs", "reader_description"}):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new)
        elif old != new:
            yield f"{key.replace('_', ' ')} was {old!r} and is now {new!r}"
    files_before = [file for each in before.get("inputs", ()) for file in each["files"]]
    files_now = [file for each in now.get("inputs", ()) for file in each["files"]]
    for old, new in zip_longest(files_before, files_now):
        if old != new:
            yield f"where {_file_in_words(old)} was, now {_file_in_words(new)} is"
            break


def _file_in_words(file: Sequence[Any] | None) -> str:
    return "no input" if file is None else f"{file[1]} ({file[2]:,} bytes)"


@contextmanager
def _locked(path: Path, numbers: Sequence[int]) -> Iterator[None]:
    """Hold the inputs of these numbers against other processes: who dies lets go.

    Works across machines where the file system's locks do; where it has none, all are let in.
    """
    try:
        import fcntl  # Windows has none
    except ImportError as error:
        raise InputError(
            f"{path.parent} is a crawl folder, which needs the file locks of Linux or "
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
                # Record locks, which belong to the process: none of its children inherits them.
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
