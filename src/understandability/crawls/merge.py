"""All rows of a crawl folder in one table, each document once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from understandability.crawls.folder import CrawlFolder, Part, complete_inputs
from understandability.crawls.outputs import TableFile
from understandability.crawls.reading import name_apart
from understandability.crawls.score import Scores
from understandability.errors import InputError
from understandability.inputs.tables import SETTINGS_KEY
from understandability.text.page import SEEN_BEFORE, Failure

_BUCKET_ROWS = 1_000_000  # documents whose names are held at once
_MOST_BUCKETS = 512  # each is an open file
_CHUNK_ROWS = 20_000  # documents whose rows are
_PARTS_TOGETHER = 64
# What becomes of a document: it stays, it is repeated within what was given, or it is of another
# path that was given than one of the same docno, and gets a name of its own.
_STAYS, _REPEATED, _APART = range(3)


@dataclass(frozen=True, slots=True)
class Merged:
    """How many documents have rows, how many errors, and how many of these were repeated.

    `without` are the files that were given up.
    """

    scored: int
    failed: int
    repeated: int
    without: tuple[str, ...] = ()


def merge(
    folder: str | Path | CrawlFolder, output: str | Path | None = None, *, partial: bool = False
) -> Scores | Merged:
    """Write all rows as one table, errors to FILE.errors.jsonl; each document once.

    If several inputs have the same docno, the first keeps it, and the others get the name of their
    input in front. If one input has a docno twice, the first counts and the others are errors.

    Example: understand crawl merge scores/ -o scores.parquet

    In Python, without an `output`, the rows come in memory; with one, `Merged` counts them.

    Raises `InputError` if the crawl is not finished, unless `partial` is true.

    Args:
        folder: The crawl folder that understand score -o FOLDER/ filled.
        output: Write .parquet, .jsonl, .csv or .tsv.
        partial: Merge what there is of an unfinished crawl.

    >>> import tempfile
    >>> from understandability.crawls.score import crawl
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    ...     merge(f"{folder}/scores").table["docno"].to_pylist()
    ['easy.html', 'hard.html', 'medium.html']
    """
    there = folder if isinstance(folder, CrawlFolder) else CrawlFolder(str(folder))
    settings, without = there.description()["settings"], tuple(there.given_up())
    if without:
        settings = {**settings, "without": without}
    if output is None:
        tables, failed, _ = zip(*merged_rows(there, partial=partial), strict=True)
        table = pa.concat_tables(tables)
        table = table.replace_schema_metadata({SETTINGS_KEY: json.dumps(settings)})
        return Scores(table, tuple(chain.from_iterable(failed)))
    scored = errors = repeated = 0
    with TableFile(str(output), settings) as file:
        for table, failures, again in merged_rows(there, partial=partial):
            file.write(table, failures)
            scored += table.num_rows
            errors += len(failures)
            repeated += again
    return Merged(scored, errors, repeated, without)


def merged_rows(
    folder: CrawlFolder, *, partial: bool = False
) -> Iterator[tuple[pa.Table, list[Failure], int]]:
    """Tables of rows, the failures beside them, and how many of these are of repeated documents.

    All together are what one process would have made at once: of equal docnos under one path that
    was given, the first that was read keeps its row and the others become errors; under another
    path they have its name before theirs. Memory does not grow with the crawl, but for a byte a
    document. Raises `InputError` where it is not finished, unless a `partial` table is wanted.
    """
    description, parts = folder.description_and_parts()
    complete, all_inputs = len(complete_inputs(parts)), len(description["inputs"])
    if complete < all_inputs and not (partial and parts):
        merge_some = ", or merge with --partial" if parts else "; no part of it is there to merge"
        raise InputError(
            f"{folder.path} is not finished: {complete} of {all_inputs} inputs are complete; run "
            f"the same 'understand score' command again to continue{merge_some}"
        )
    given = [each["given"] for each in description["inputs"]]
    fates = _fates(folder, parts, given)
    yield from _chunks(folder, parts, given, description["settings"], fates)


def _chunks(
    folder: CrawlFolder,
    parts: Sequence[Part],
    given: Sequence[str],
    settings: Mapping[str, Any],
    fates: NDArray[np.int8],
) -> Iterator[tuple[pa.Table, list[Failure], int]]:
    """Some thousand rows at a time, in the order of the inputs, as `merged_rows` gives them."""
    tables: list[pa.Table] = []
    failures: list[Failure] = []
    began = before = 0
    schema = None
    for part in parts:
        table, failed = folder.scores(part), folder.failures(part)
        schema = schema or table.schema
        if json.loads(table.schema.metadata[SETTINGS_KEY]) != settings or table.schema != schema:
            raise InputError(
                f"part {part.name} of {folder.path} was made with other settings than the crawl, "
                "or is damaged; remove it, then run the same 'understand score' command again "
                "to make it again"
            )
        middle, end = before + table.num_rows, before + table.num_rows + len(failed)
        own, others = fates[before:middle], fates[middle:end]
        for each, fate in zip(failed, others, strict=True):
            if fate == _REPEATED:
                each = replace(each, stage="read", error=SEEN_BEFORE)
            elif fate == _APART:
                each = replace(each, docno=name_apart(each.docno, each.path, given[part.input]))
            failures.append(each)
        names = table.select(["docno", "path"])
        failures += [
            Failure(row["docno"], row["path"], "read", SEEN_BEFORE)
            for row in names.filter(pa.array(own == _REPEATED)).to_pylist()
        ]
        if (own == _APART).any():
            docnos = [
                name_apart(row["docno"], row["path"], given[part.input])
                if fate == _APART
                else row["docno"]
                for row, fate in zip(names.to_pylist(), own, strict=True)
            ]
            table = table.set_column(
                table.column_names.index("docno"), "docno", pa.array(docnos, pa.string())
            )
        # A part's counts of itself are not those of the whole.
        table = table.replace_schema_metadata({SETTINGS_KEY: table.schema.metadata[SETTINGS_KEY]})
        tables.append(table.filter(pa.array(own != _REPEATED)))
        before = end
        if end - began >= _CHUNK_ROWS or part is parts[-1]:
            repeated = int((fates[began:end] == _REPEATED).sum())
            yield pa.concat_tables(tables), failures, repeated
            tables, failures, began = [], [], end


def _fates(folder: CrawlFolder, parts: Sequence[Part], given: Sequence[str]) -> NDArray[np.int8]:
    """Decide for each document whether it stays, by buckets of docnos in temporary files."""
    documents = sum(folder.facts(part).records for part in parts)
    fates = np.zeros(documents, np.int8)
    count = min(1 + documents // _BUCKET_ROWS, _MOST_BUCKETS)
    schema = pa.schema([("docno", pa.string()), ("place", pa.int64()), ("given", pa.int64())])
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(count)]
        buckets = [stack.enter_context(pa.ipc.new_stream(file, schema)) for file in files]
        for columns in _named(folder, parts, given):
            table = pa.table(columns, schema=schema)
            keys = np.array([crc32(docno.encode()) % count for docno in columns[0]], np.int64)
            for number in np.unique(keys).tolist():
                buckets[number].write_table(table.take(np.flatnonzero(keys == number)))
        for file, bucket in zip(files, buckets, strict=True):
            bucket.close()
            file.seek(0)
            with pa.ipc.open_stream(file) as stream:
                rows = stream.read_all()
            fates[rows["place"].to_numpy()] = _fates_in(rows)
    return fates


def _named(
    folder: CrawlFolder, parts: Sequence[Part], given: Sequence[str]
) -> Iterator[tuple[list[str], list[int], list[int]]]:
    """Docnos, places and paths of the documents of some parts; of each first scores, then errors.

    The docnos of unreadable documents, of which there was nothing to score, do not count.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(given)) if name}
    before = 0
    for start in range(0, len(parts), _PARTS_TOGETHER):
        docnos: list[str] = []
        places: list[int] = []
        owners: list[int] = []
        for part in parts[start : start + _PARTS_TOGETHER]:
            scored = folder.scores(part, ["docno"])["docno"].to_pylist()
            failed = folder.failures(part)
            read = [i for i, each in enumerate(failed) if each.stage != "read"]
            docnos += scored + [failed[i].docno for i in read]
            places += range(before, before + len(scored))
            places += [before + len(scored) + i for i in read]
            # Pages that were given one by one are each a path of their own.
            owner = numbers.get(given[part.input])
            owners += [-1 - place if owner is None else owner for place in places[len(owners) :]]
            before += len(scored) + len(failed)
        yield docnos, places, owners


def _fates_in(bucket: pa.Table) -> NDArray[np.int8]:
    """Decide for all documents of some docnos, which are in the order they were read."""
    codes = bucket["docno"].combine_chunks().dictionary_encode().indices.to_numpy()
    owners = bucket["given"].to_numpy()
    fates = np.full(len(codes), _REPEATED, np.int8)
    first = np.unique(codes, return_index=True)[1]
    pairs = np.column_stack([codes, owners])
    first_of_owner = np.unique(pairs, axis=0, return_index=True)[1]
    fates[first_of_owner] = _APART
    fates[first] = _STAYS
    return fates
