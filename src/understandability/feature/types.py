"""Distinct strings, numbered; whatever depends on a string alone is computed once for each.

A process has one table of pieces, with one of the types of words and one of those of tokens; see
`pieces`. They are bounded: before a batch finds them too large they are replaced by empty ones. No
value depends on what else they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.text.tokens import tokenize, word_of

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
Column = Callable[[Sequence[str]], Array]

MAX_TYPES = 1 << 18
MAX_CHARACTERS = 1 << 25
# Strings that a column is computed of at once: a page may have a million.
_AT_ONCE = 1 << 14

_LOCK = RLock()


class _Numbers(dict[str, int]):
    """Gives every new string the next number."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []
        self.characters = 0

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self.strings)
        self.strings.append(string)
        self.characters += len(string)
        return number


class _Growing:
    """Rows of an array that grows at its end, by doubling."""

    def __init__(self) -> None:
        self._rows: Array | None = None
        self.size = 0

    @property
    def is_new(self) -> bool:
        return self._rows is None

    @property
    def rows(self) -> Array:
        return np.empty(0, np.int32) if self._rows is None else self._rows[: self.size]

    def extend(self, new: Array) -> None:
        if self._rows is None:
            self._rows = new.copy()
        needed = self.size + len(new)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), *new.shape[1:]), new.dtype)
            grown[: self.size] = self._rows[: self.size]
            self._rows = grown
        self._rows[self.size : needed] = new
        self.size = needed


class TypeTable:
    """Distinct strings in order of arrival, and columns with one row for each.

    >>> table = TypeTable()
    >>> table.number(["flu", "or", "flu"])
    array([0, 1, 0], dtype=int32)
    >>> def lengths(strings):
    ...     return np.array([len(string) for string in strings])
    >>> table.column(lengths)
    array([3, 2])
    """

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._columns: dict[Column, _Growing] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def strings(self) -> Sequence[str]:
        """The string of each number."""
        return self._numbers.strings

    def number(self, strings: Iterable[str]) -> NDArray[np.int32]:
        """The number of each string; new ones get the next."""
        with _LOCK:
            return np.fromiter(map(self._numbers.__getitem__, strings), np.int32)

    def column(self, compute: Column) -> Array:
        """`compute` of all strings, one row each; it sees every string once.

        `compute` must be a function of each string alone, and the same object every time
        (a function of a module, a method of an object that stays).
        """
        with _LOCK:
            column = self._columns.get(compute)
            if column is None:
                column = self._columns[compute] = _Growing()
            new = self.strings[column.size :]
            # Even an empty column has the shape of its rows.
            for start in range(0, max(len(new), column.is_new), _AT_ONCE):
                column.extend(compute(new[start : start + _AT_ONCE]))
            return column.rows


class PieceTable(TypeTable):
    """Distinct pieces, and for each the types of its word and of its tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.word_types = TypeTable()
        self.token_types = TypeTable()
        self._tokens = _Growing()

    @property
    def is_full(self) -> bool:
        """Whether it should make room for an empty one."""
        large = max(len(self), len(self.word_types), len(self.token_types)) > MAX_TYPES
        return large or self._numbers.characters > MAX_CHARACTERS

    def words(self, pieces: Array) -> NDArray[np.int32]:
        """The type of each piece's word; -1 where it has none."""
        return self.column(self._word_of_each).take(pieces)

    def tokens(self, pieces: Array) -> tuple[NDArray[np.int32], Array]:
        """The types of the pieces' tokens, in order, and how many each piece has."""
        spans = self.column(self._tokens_of_each).take(pieces, axis=0)
        sizes = spans[:, 1]
        ends = np.cumsum(sizes)
        inside = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            spans[:, 0] - ends + sizes, sizes
        )
        return self._tokens.rows.take(inside), sizes

    def _word_of_each(self, pieces: Sequence[str]) -> NDArray[np.int32]:
        words = list(map(word_of, pieces))
        numbers = np.full(len(words), -1, np.int32)
        numbers[np.fromiter(map(bool, words), bool)] = self.word_types.number(filter(None, words))
        return numbers

    def _tokens_of_each(self, pieces: Sequence[str]) -> NDArray[np.int64]:
        tokens = list(map(tokenize, pieces))
        sizes = np.fromiter(map(len, tokens), np.int64)
        starts = self._tokens.size + np.cumsum(sizes) - sizes
        self._tokens.extend(self.token_types.number(chain.from_iterable(tokens)))
        return np.stack([starts, sizes], axis=1)


_pieces = PieceTable()


def pieces() -> PieceTable:
    """The process's table of pieces; an empty one where it had grown too large."""
    global _pieces
    with _LOCK:
        if _pieces.is_full:
            _pieces = PieceTable()
        return _pieces
