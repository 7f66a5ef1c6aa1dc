"""Merge crawl folders into one table with each document once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability.crawls.folder import CrawlFolder, Part, complete_inputs
from understandability.crawls.outputs import TableFile
from understandability.crawls.parts import qualified_docno
from understandability.crawls.score import Scores
from understandability.errors import InputError
from understandability.inputs.tables import SETTINGS_KEY
from understandability.text.page import SEEN_BEFORE, Failure

AnyFolder = str | Path | CrawlFolder
_BUCKET_ROWS = 1_000_000  # documents whose docnos are in memory at once
_MAX_BUCKETS = 512  # each is an open file
_CHUNK_ROWS = 20_000  # documents whose rows are in memory at once
_PARTS_TOGETHER = 64
# The fate of a document: it keeps its docno; it is repeated; or it gets a docno of its own, because
# a document under another path that the user named has the same one.
_STAYS, _REPEATED, _QUALIFIED = range(3)
_COLUMNS = pa.schema(
    [(name, pa.string() if name == "docno" else pa.int64()) for name in
     ("docno", "index", "given", "folder")]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of merging: the numbers of documents with rows, of errors, and of repeated
    documents.

    `without` lists the files that the user gave up.
    """

    scored: int
    failed: int
    repeated: int
    without: tuple[str, ...] = ()


def merge(
    folder: Annotated[
        Sequence[str] | AnyFolder | Sequence[AnyFolder], Parameter(metavar="FOLDER...")
    ],
    output: str | Path | None = None,
    *,
    partial: bool = False,
) -> Scores | Merged:
    """Write all rows as one table, errors to FILE.errors.jsonl; each document once.

    If several inputs have the same docno, the first keeps it, and the others get the name of their
    input in front. If one input has a docno twice, the first counts and the others are errors. Of
    several folders, the first that has a docno counts.

    Examples: understand crawl merge scores/ -o scores.parquet

    understand crawl merge first/ second/ -o scores.parquet

    Args:
        folder: Crawl folders that understand score -o FOLDER/ filled, with equal settings.
        output: Write .parquet, .jsonl, .csv or .tsv.
        partial: Merge the finished parts of an unfinished crawl.

    In Python:
        `folder` is one folder or a list. Without an `output`, the rows are returned; with one,
        `Merged` counts them.

        Raises `InputError` if a crawl is not finished, unless `partial` is true, and if the crawls
        have different settings.

    >>> import tempfile
    >>> from understandability.crawls.score import crawl
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    ...     merge(f"{folder}/scores").table["docno"].to_pylist()
    ['easy.html', 'hard.html', 'medium.html']
    """
    paths = [folder] if isinstance(folder, str | Path | CrawlFolder) else list(folder)
    folders = [path if isinstance(path, CrawlFolder) else CrawlFolder(str(path)) for path in paths]
    settings, without = _common_settings(folders), _given_up(folders)
    if without:
        settings = {**settings, "without": without}
    if output is None:
        tables, failed, _ = zip(*merged_rows(*folders, partial=partial), strict=True)
        table = pa.concat_tables(tables)
        table = table.replace_schema_metadata({SETTINGS_KEY: json.dumps(settings)})
        return Scores(table, tuple(chain.from_iterable(failed)))
    scored = errors = repeated = 0
    with TableFile(str(output), settings) as file:
        for table, failures, more_repeated in merged_rows(*folders, partial=partial):
            file.write(table, failures)
            scored += table.num_rows
            errors += len(failures)
            repeated += more_repeated
    return Merged(scored, errors, repeated, without)


def _common_settings(folders: Sequence[CrawlFolder]) -> Mapping[str, Any]:
    if not folders:
        raise InputError("no crawl folder is named; name the one that 'understand score -o' wrote")
    first, *later = folders
    settings: Mapping[str, Any] = first.description()["settings"]
    for folder in later:
        its_settings = folder.description()["settings"]
        names = [name for name in settings if settings[name] != its_settings.get(name)]
        if names or len(settings) != len(its_settings):
            raise InputError(
                f"{first.path} and {folder.path} have different settings ({', '.join(names)}); "
                "merge them into two tables"
            )
    return settings


def _given_up(folders: Sequence[CrawlFolder]) -> tuple[str, ...]:
    return tuple(path for folder in folders for path in folder.given_up())


class _FolderPart(NamedTuple):
    """One part of a crawl folder, and the path that the user named for its input."""

    folder: CrawlFolder
    folder_number: int
    part: Part
    named_path: str
    settings: Mapping[str, Any]


def merged_rows(
    *folders: CrawlFolder, partial: bool = False
) -> Iterator[tuple[pa.Table, list[Failure], int]]:
    """Yield tables of rows, the failures among them, and how many of these are repeated documents.

    All tables together equal those of a crawl by one process. Of equal docnos under one path that
    the user named, the first keeps its row and the others become errors; under another path they
    get its name in front. Memory does not grow with the crawl, except for a byte per document.
    Raises `InputError` if a crawl is not finished, unless `partial` is true.
    """
    parts = list(_parts_of(folders, partial))
    yield from _chunks(parts, _fates(parts))


def _parts_of(folders: Sequence[CrawlFolder], partial: bool) -> Iterator[_FolderPart]:
    for number, folder in enumerate(folders):
        description, parts = folder.description_and_parts()
        complete, all_inputs = len(complete_inputs(parts)), len(description["inputs"])
        if complete < all_inputs and not (partial and parts):
            remedy = ", or merge with --partial" if parts else "; it has no parts to merge"
            raise InputError(
                f"{folder.path} is not finished: {complete} of {all_inputs} inputs are complete; "
                f"run the same 'understand score' command again to continue{remedy}"
            )
        for part in parts:
            named_path = description["inputs"][part.input]["given"]
            yield _FolderPart(folder, number, part, named_path, description["settings"])


def _chunks(
    parts: Sequence[_FolderPart], fates: NDArray[np.int8]
) -> Iterator[tuple[pa.Table, list[Failure], int]]:
    """Yield tables of some thousand rows, in the order of the inputs.

    Each comes with its failures and the number of them that are repeated documents. `fates` says
    what happens to each document.
    """
    tables: list[pa.Table] = []
    failures: list[Failure] = []
    chunk_start = start = 0
    schema = None
    for folder_part in parts:
        folder, _, part, named_path, settings = folder_part
        table, failed = folder.scores(part), folder.failures(part)
        schema = schema or table.schema
        if json.loads(table.schema.metadata[SETTINGS_KEY]) != settings or table.schema != schema:
            raise InputError(
                f"part {part.name} of {folder.path} was made with other settings than the crawl, "
                "or is damaged; remove it, then run the same 'understand score' command again "
                "to make it again"
            )
        middle, end = start + table.num_rows, start + table.num_rows + len(failed)
        row_fates, failure_fates = fates[start:middle], fates[middle:end]
        for failure, fate in zip(failed, failure_fates, strict=True):
            if fate == _REPEATED:
                failure = replace(failure, stage="read", error=SEEN_BEFORE)
            elif fate == _QUALIFIED:
                name = qualified_docno(failure.docno, failure.path, named_path)
                failure = replace(failure, docno=name)
            failures.append(failure)
        names = table.select(["docno", "path"])
        failures += [
            Failure(row["docno"], row["path"], "read", SEEN_BEFORE)
            for row in names.filter(pa.array(row_fates == _REPEATED)).to_pylist()
        ]
        if (row_fates == _QUALIFIED).any():
            docnos = [
                qualified_docno(row["docno"], row["path"], named_path)
                if fate == _QUALIFIED
                else row["docno"]
                for row, fate in zip(names.to_pylist(), row_fates, strict=True)
            ]
            table = table.set_column(
                table.column_names.index("docno"), "docno", pa.array(docnos, pa.string())
            )
        # The table as a whole has other counts, and no limits.
        table = table.replace_schema_metadata({SETTINGS_KEY: table.schema.metadata[SETTINGS_KEY]})
        tables.append(table.filter(pa.array(row_fates != _REPEATED)))
        start = end
        if end - chunk_start >= _CHUNK_ROWS or folder_part is parts[-1]:
            repeated = int((fates[chunk_start:end] == _REPEATED).sum())
            yield pa.concat_tables(tables), failures, repeated
            tables, failures, chunk_start = [], [], end


def _fates(parts: Sequence[_FolderPart]) -> NDArray[np.int8]:
    """Decide for each document whether it keeps its docno, is renamed, or is an error as a
    duplicate.

    Docnos are distributed over temporary files (buckets) by hash, so that memory stays bounded.
    """
    documents = sum(part.folder.facts(part.part).records for part in parts)
    fates = np.zeros(documents, np.int8)
    count = min(1 + documents // _BUCKET_ROWS, _MAX_BUCKETS)
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(count)]
        buckets = [stack.enter_context(pa.ipc.new_stream(file, _COLUMNS)) for file in files]
        for table in _documents(parts):
            docnos = table["docno"].to_pylist()
            keys = np.array([crc32(docno.encode()) % count for docno in docnos], np.int64)
            for number in np.unique(keys).tolist():
                buckets[number].write_table(table.take(np.flatnonzero(keys == number)))
        for file, bucket in zip(files, buckets, strict=True):
            bucket.close()
            file.seek(0)
            with pa.ipc.open_stream(file) as stream:
                rows = stream.read_all()
            fates[rows["index"].to_numpy()] = _fates_in(rows)
    return fates


def _documents(parts: Sequence[_FolderPart]) -> Iterator[pa.Table]:
    """Yield tables with a row for each document of some parts of crawls.

    The columns are docno, index, the number of the input as the user named it, and the number of
    the folder. `index` numbers the documents of all parts; within a part, documents with a score
    come before those that failed. Unreadable documents have a number but no row, because another
    document may have their docno.
    """
    numbers = {
        named_path: number
        for number, named_path in enumerate(dict.fromkeys(p.named_path for p in parts))
    }
    start = 0
    for first in range(0, len(parts), _PARTS_TOGETHER):
        docnos: list[str] = []
        indices: list[int] = []
        owners: list[int] = []
        folders: list[int] = []
        for folder, folder_number, part, named_path, _ in parts[first : first + _PARTS_TOGETHER]:
            scored = folder.scores(part, ["docno"])["docno"].to_pylist()
            failed = folder.failures(part)
            read = [index for index, failure in enumerate(failed) if failure.stage != "read"]
            docnos += scored + [failed[index].docno for index in read]
            new = [*range(start, start + len(scored))]
            new += [start + len(scored) + index for index in read]
            indices += new
            # Pages that were named one by one are each a path of their own.
            owners += (
                [numbers[named_path]] * len(new) if named_path else [-1 - index for index in new]
            )
            folders += [folder_number] * len(new)
            start += len(scored) + len(failed)
        yield pa.table([docnos, indices, owners, folders], schema=_COLUMNS)


def _fates_in(bucket: pa.Table) -> NDArray[np.int8]:
    """Decide the fates of the documents in one bucket, which are in the order of the inputs."""
    codes = bucket["docno"].combine_chunks().dictionary_encode().indices.to_numpy()
    owners, folders = bucket["given"].to_numpy(), bucket["folder"].to_numpy()
    fates = np.full(len(codes), _REPEATED, np.int8)
    first, docno_of = np.unique(codes, return_index=True, return_inverse=True)[1:]
    first_of_owner = np.unique(np.column_stack([codes, owners]), axis=0, return_index=True)[1]
    fates[first_of_owner] = _QUALIFIED
    # Of several folders, the first that has a docno counts.
    fates[folders != folders[first][docno_of]] = _REPEATED
    fates[first] = _STAYS
    return fates
