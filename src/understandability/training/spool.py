"""Arrays put by on disk while they are read for the first time, to be gone through again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray


class Spool:
    """Rows of whole numbers in a temporary file that vanishes at the end; a context manager.

    >>> with Spool() as spool:
    ...     spool.append(np.array([[3, 1], [4, 1]]))
    ...     spool.append(np.empty((0, 2)))
    ...     [rows.tolist() for rows in spool]
    [[[3, 1], [4, 1]], []]
    """

    def __init__(self, columns: int = 2) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._columns = columns
        self._sizes: list[int] = []

    def __len__(self) -> int:
        return len(self._sizes)

    def append(self, rows: NDArray[np.integer]) -> None:
        """Put one array of (rows, columns) at the end."""
        self._file.write(rows.astype(np.int32).tobytes())
        self._sizes.append(len(rows))

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        """All arrays from the first on; only one of them is in memory at a time."""
        self._file.seek(0)
        for size in self._sizes:
            content = self._file.read(4 * self._columns * size)
            yield np.frombuffer(content, np.int32).reshape(size, self._columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
