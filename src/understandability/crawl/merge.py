"""All rows of a run in one table, each document once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from understandability.crawl.folder import Part, RunFolder, complete_inputs, failure_table
from understandability.errors import InputError
from understandability.records import SEEN_BEFORE, Failure
from understandability.storage.buckets import Buckets
from understandability.storage.tables import SETTINGS_KEY, TableWriter

if TYPE_CHECKING:
    import pyarrow as pa

_BUCKET_ROWS = 1_000_000  # documents whose names are held at once
_MOST_BUCKETS = 512  # each is an open file
_CHUNK_ROWS = 20_000  # documents whose rows are
_PARTS_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class Merged:
    """How many documents have scores, how many errors, and how many of these were repeated."""

    scored: int
    failed: int
    repeated: int


def merge(folder: RunFolder, output: str, *, partial: bool = False) -> Merged:
    """Write the scores of a run as one table, and its errors to ``<output>.errors.jsonl``.

    Of equal docnos in different inputs the first that was read keeps its row, the others become
    errors; within an input the run itself has seen to that. Memory does not grow with the run,
    but for a byte a document. Raises `InputError` where the run is not finished, unless a
    `partial` table is wanted.
    """
    description, parts = folder.description_and_parts()
    complete, all_inputs = len(complete_inputs(parts)), len(description["inputs"])
    if complete < all_inputs and not (partial and parts):
        raise InputError(
            f"{folder.path} is not finished: {complete} of {all_inputs} inputs are complete; give "
            "the same 'understand score' command again to go on, or merge with --partial"
        )
    repeated = _repeated(folder, parts)
    scored = failed = 0
    with ExitStack() as stack:
        scores = stack.enter_context(TableWriter(output, settings=description["settings"]))
        errors = None
        for table, failures in _chunks(folder, parts, description["settings"], repeated):
            scores.write(table)
            scored += table.num_rows
            failed += len(failures)
            if failures and output != "-":
                errors = errors or stack.enter_context(TableWriter(errors_of(output)))
                errors.write(failure_table(failures))
    if not failed and output != "-":
        Path(errors_of(output)).unlink(missing_ok=True)  # of an earlier merge
    return Merged(scored, failed, int(repeated.sum()))


def errors_of(output: str) -> str:
    """The file of the errors beside a table of scores."""
    return f"{output}.errors.jsonl"


def _chunks(
    folder: RunFolder,
    parts: Sequence[Part],
    settings: Mapping[str, Any],
    repeated: NDArray[np.bool_],
) -> Iterator[tuple[pa.Table, list[Failure]]]:
    """Some thousand rows at a time, in the order of the inputs, and the failures beside them."""
    import pyarrow as pa

    tables: list[pa.Table] = []
    failures: list[Failure] = []
    rows = before = 0
    schema = None
    for part in parts:
        table, failed = folder.scores(part), folder.failures(part)
        schema = schema or table.schema
        if json.loads(table.schema.metadata[SETTINGS_KEY]) != settings or table.schema != schema:
            raise InputError(
                f"part {part.name} of {folder.path} was made with other settings than the run, or "
                "is damaged; remove it, then give the same 'understand score' command again to "
                "make it anew"
            )
        middle, end = before + table.num_rows, before + table.num_rows + len(failed)
        again = repeated[before:middle]
        failures += [
            replace(each, stage="read", error=SEEN_BEFORE) if is_again else each
            for each, is_again in zip(failed, repeated[middle:end], strict=True)
        ]
        failures += [
            Failure(row["docno"], row["source"], "read", SEEN_BEFORE)
            for row in table.select(["docno", "source"]).filter(pa.array(again)).to_pylist()
        ]
        tables.append(table.filter(pa.array(~again)))
        rows += end - before
        before = end
        if rows >= _CHUNK_ROWS or part is parts[-1]:
            yield pa.concat_tables(tables), failures
            tables, failures, rows = [], [], 0


def _repeated(folder: RunFolder, parts: Sequence[Part]) -> NDArray[np.bool_]:
    """Which documents have a docno that came before; of each part first the scores, then errors.

    The docnos of unreadable documents, of which there was nothing to score, do not count.
    """
    import pyarrow as pa

    documents = sum(folder.facts(part).records for part in parts)
    repeated = np.zeros(documents, bool)
    buckets = min(1 + documents // _BUCKET_ROWS, _MOST_BUCKETS)
    schema = pa.schema([("docno", pa.string()), ("place", pa.int64())])
    with Buckets(buckets, schema) as on_disk:
        before = 0
        for start in range(0, len(parts), _PARTS_TOGETHER):
            docnos: list[str] = []
            places: list[int] = []
            for part in parts[start : start + _PARTS_TOGETHER]:
                scored = folder.scores(part, ["docno"])["docno"].to_pylist()
                failed = folder.failures(part)
                read = [i for i, each in enumerate(failed) if each.stage != "read"]
                docnos += scored + [failed[i].docno for i in read]
                places += range(before, before + len(scored))
                places += [before + len(scored) + i for i in read]
                before += len(scored) + len(failed)
            keys = np.array([crc32(docno.encode()) % buckets for docno in docnos], np.int64)
            on_disk.add(pa.table([docnos, places], schema=schema), keys)
        for bucket in on_disk:
            codes = bucket["docno"].combine_chunks().dictionary_encode().indices.to_numpy()
            later = np.ones(len(codes), bool)
            later[np.unique(codes, return_index=True)[1]] = False
            repeated[bucket["place"].to_numpy()[later]] = True
    return repeated
