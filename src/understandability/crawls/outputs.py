"""Where rows go: into memory, or into one file with its errors beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Protocol, Self

import pyarrow as pa

from understandability.crawls.folder import failure_table
from understandability.inputs.tables import TableWriter
from understandability.inputs.writing import remove
from understandability.text.page import Failure


class Output(Protocol):
    """Where rows go, table by table in the order of the inputs; `failures` are those it keeps."""

    failures: list[Failure]

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None: ...


class InMemory:
    """Rows and failures as lists. Of the rows no more than `most` are kept."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self.tables: list[pa.Table] = []
        self.failures: list[Failure] = []

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None:
        """Keep them."""
        if self._most is not None:
            rows = rows.slice(0, self._most - sum(each.num_rows for each in self.tables))
        self.tables.append(rows)
        self.failures += failures


class TableFile:
    """Rows in one file, errors in ``<file>.errors.jsonl``; a context manager.

    The file appears when the context ends well, and not at all otherwise. Of what goes to
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
            remove(errors_of(self._destination))  # of an earlier time


def errors_of(output: str) -> str:
    """The file of the errors beside a table."""
    return f"{output}.errors.jsonl"


def write_failures(failures: Sequence[Failure], output: str) -> None:
    """Write failures beside an output; of none, those of an earlier time go."""
    if failures:
        with TableWriter(errors_of(output)) as writer:
            writer.write(failure_table(failures))
    else:
        remove(errors_of(output))
