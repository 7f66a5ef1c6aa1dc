"""Rows on the disk, to be gone through one bucket at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


class Buckets:
    """Tables cut up by the bucket of each row, in temporary files that vanish with the process.

    >>> import pyarrow as pa
    >>> words = pa.table({"word": ["a", "bb", "c"]})
    >>> with Buckets(2, words.schema) as buckets:
    ...     buckets.add(words, np.array([1, 0, 1]))
    ...     [bucket["word"].to_pylist() for bucket in buckets]
    [['bb'], ['a', 'c']]
    """

    def __init__(self, count: int, schema: pa.Schema) -> None:
        self._count, self._schema = count, schema

    def __enter__(self) -> Self:
        import pyarrow as pa

        with ExitStack() as stack:
            self._files = [
                stack.enter_context(tempfile.TemporaryFile()) for _ in range(self._count)
            ]
            self._writers: list[Any] = [
                stack.enter_context(pa.ipc.new_stream(file, self._schema)) for file in self._files
            ]
            self._closing = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.close()

    def add(self, table: pa.Table, buckets: NDArray[np.int64]) -> None:
        """Put each row into its bucket."""
        for number in np.unique(buckets).tolist():
            self._writers[number].write_table(table.take(np.flatnonzero(buckets == number)))

    def __iter__(self) -> Iterator[pa.Table]:
        """The rows of each bucket, in the order in which they came; nothing can be added now."""
        import pyarrow as pa

        for file, writer in zip(self._files, self._writers, strict=True):
            writer.close()
            file.seek(0)
            with pa.ipc.open_stream(file) as stream:
                yield stream.read_all()
