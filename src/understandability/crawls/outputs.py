"""Destinations of rows: memory, or one file with a second file for errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Protocol, Self

import pyarrow as pa

from understandability.crawls.folder import failure_table
from understandability.crawls.parts import FinishedPart, SeenDocnos
from understandability.inputs.tables import TableWriter
from understandability.inputs.writing import remove
from understandability.text.page import SEEN_BEFORE, Failure


class Output(Protocol):
    """A destination that receives tables of rows in the order of the inputs.

    `failures` lists the failures that were kept in memory rather than written.
    """

    failures: list[Failure]

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None: ...


class InMemory:
    """Collects rows and failures in lists. `most` limits the number of rows, but not of
    failures.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self.tables: list[pa.Table] = []
        self.failures: list[Failure] = []

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None:
        """Append rows and failures."""
        if self._most is not None:
            rows = rows.slice(0, self._most - sum(table.num_rows for table in self.tables))
        self.tables.append(rows)
        self.failures += failures


class TableFile:
    """Writes rows to one file and errors to ``<file>.errors.jsonl``; a context manager.

    The file appears when the context ends without an error, and not at all otherwise. If it is
    standard output (``-``), the errors are kept in `failures`.
    """

    def __init__(self, destination: str, settings: Mapping[str, Any]) -> None:
        self._destination = destination
        self._rows = TableWriter(destination, settings=settings)
        self._errors: TableWriter | None = None
        self._closing = ExitStack()
        self._closing.push(self._rows)
        self.failures: list[Failure] = []

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None:
        """Append rows and errors."""
        self._rows.write(rows)
        if self._destination == "-":
            self.failures += failures
        elif failures:
            if self._errors is None:
                self._errors = self._closing.enter_context(
                    TableWriter(errors_of(self._destination))
                )
            self._errors.write(failure_table(failures))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: Any) -> None:
        self._closing.__exit__(error, *rest)
        if error is None and self._errors is None and self._destination != "-":
            remove(errors_of(self._destination))  # of an earlier run


class DistinctDocnos:
    """Makes docnos unique across several inputs.

    Of equal docnos under one path that the user named, the first document keeps its row, and the
    others become errors. A document under another path gets the name of that path in front.
    """

    def __init__(self) -> None:
        self._seen = SeenDocnos()

    def of_part(self, part: FinishedPart, named_path: str) -> tuple[pa.Table, list[Failure]]:
        """Return the rows and failures of a part with unique docnos.

        The user named its input by `named_path`.
        """
        failures: list[Failure] = []
        for failure in part.failures:
            # A document that was not read has no content, so its docno remains free.
            name: str | None = failure.docno
            if failure.stage != "read":
                name = self._seen.name_of(failure.docno, failure.path, named_path)
            failures.append(
                replace(failure, stage="read", error=SEEN_BEFORE)
                if name is None
                else replace(failure, docno=name)
            )
        rows = part.rows
        if "docno" not in rows.column_names or not rows.num_rows:
            return rows, failures
        docnos = rows["docno"].to_pylist()
        paths = rows["path"].to_pylist() if "path" in rows.column_names else docnos
        # A document may have several rows, one after another: a row for each word.
        names = {
            docno: (self._seen.name_of(docno, path, named_path), path)
            for docno, path in dict(zip(docnos, paths, strict=True)).items()
        }
        repeated = {docno for docno, (name, _) in names.items() if name is None}
        if any(name != docno for docno, (name, _) in names.items()):
            column = pa.array([names[docno][0] for docno in docnos], pa.string())
            rows = rows.set_column(rows.column_names.index("docno"), "docno", column)
            rows = rows.filter(column.is_valid())
        failures += [
            Failure(docno, names[docno][1], "read", SEEN_BEFORE)
            for docno in names
            if docno in repeated
        ]
        return rows, failures


def errors_of(output: str) -> str:
    """Return the name of the file that holds the errors of a table."""
    return f"{output}.errors.jsonl"


def write_failures(failures: Sequence[Failure], output: str) -> None:
    """Write failures to the errors file of an output; without failures, remove an older errors
    file.
    """
    if failures:
        with TableWriter(errors_of(output)) as writer:
            writer.write(failure_table(failures))
    else:
        remove(errors_of(output))
