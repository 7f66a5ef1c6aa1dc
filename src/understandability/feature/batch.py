"""Many documents as arrays of numbers: distinct words numbered, and sums over them.

Whatever depends on a string alone is computed once for each distinct string, and kept as a column
of its `TypeTable`; a `Batch` indexes it, so that a feature is a sum over a batch. A process has one
table of pieces, with one of the types of words and one of those of tokens. They are bounded: before
a batch finds them too large they are replaced by empty ones; no value depends on the others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from threading import RLock
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from understandability import _core
from understandability.feature.tagger import default_tagger, entity_starts
from understandability.text.document import Document, Uncut
from understandability.text.tokens import tokenize, word_of

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
Column = Callable[[Sequence[str]], Array]

MAX_TYPES = 1 << 18
MAX_CHARACTERS = 1 << 25
_MOST_REMEMBERED = 1 << 16
# Strings that a column is computed of at once: a page may have a million.
_AT_ONCE = 1 << 14
_ROOM = 1 << 25  # bytes that a column is given when it first grows

_LOCK = RLock()


class _Growing:
    """Rows of an array that grows at its end, at least by doubling."""

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
            # Much at once: a wide table takes long to copy, and no memory where nothing is written.
            room = min(MAX_TYPES, _ROOM // max(1, self._rows[:1].nbytes))
            rows = max(needed, 2 * len(self._rows), room)
            grown = np.empty((rows, *new.shape[1:]), new.dtype)
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
        self._forget()

    def _forget(self) -> None:
        self._numbers = _core.Numbers()
        self._columns: dict[Column, _Growing] = {}

    def __len__(self) -> int:
        return len(self._numbers.strings)

    @property
    def strings(self) -> Sequence[str]:
        """The string of each number."""
        return self._numbers.strings

    def number(self, strings: Iterable[str]) -> NDArray[np.int32]:
        """The number of each string; new ones get the next."""
        given = strings if isinstance(strings, list) else list(strings)
        numbers = np.empty(len(given), np.int32)
        with _LOCK:  # not while the strings are made
            self._numbers.number(given, numbers)
        return numbers

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

    def remembered(self, compute: Column, strings: Iterable[str]) -> Array:
        """`compute` of each string; all are forgotten once they are too many."""
        given = list(strings)
        with _LOCK:
            if len(self) > _MOST_REMEMBERED or self._numbers.characters > MAX_CHARACTERS:
                self._forget()
            numbers = self.number(given)
            return self.column(compute).take(numbers, axis=0)


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

    def cut_up(self, texts: Uncut, pieces: array[int], *sentences: list[int]) -> None:
        """Number the pieces of texts; see `Uncut`."""
        with _LOCK:
            texts.add_to(self._numbers, pieces, *sentences)

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

    def _tokens_of_each(self, pieces: Sequence[str]) -> NDArray[np.int32]:
        tokens = list(map(tokenize, pieces))
        sizes = np.fromiter(map(len, tokens), np.int64)
        starts = self._tokens.size + np.cumsum(sizes) - sizes
        self._tokens.extend(self.token_types.number(chain.from_iterable(tokens)))
        return np.stack([starts, sizes], axis=1).astype(np.int32)


_pieces = PieceTable()


def pieces() -> PieceTable:
    """The process's table of pieces; an empty one where it had grown too large."""
    global _pieces
    with _LOCK:
        if _pieces.is_full:
            _pieces = PieceTable()
        return _pieces


Value = TypeVar("Value")


class OtherTagger(Protocol):
    """A tagger in place of ours, such as NLTK's."""

    def tag(self, tokens: Sequence[str], sentence_starts: NDArray[Any]) -> NDArray[np.uint8]:
        """The tag of each token, an index into `UNIVERSAL`."""

    def entity_starts(
        self, tokens: Sequence[str], sentence_starts: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Which tokens begin a named entity."""


class Batch:
    """Documents, their pieces, words, tokens and sentences as arrays.

    An array of `..._starts` has one entry more than there are documents: what belongs to
    document ``i`` is ``starts[i]:starts[i + 1]``.

    `piece_ids`, `piece_starts`
        Numbers of the pieces in the table `pieces`; a sentence set in capitals is in small letters.
    `word_ids`, `word_starts`
        Types of the words, in the table `word_types`.
    `sentence_starts`
        Where in `word_ids` each sentence begins that has a word.
    `words`, `sentences`
        How many each document has (float64); sentences without a word do not count.
    `token_ids`, `token_starts`, `token_sentence_starts`
        Types of the tokens, in the table `token_types`, and where sentences begin (all of them).
    `tags`, `entity_starts`
        Their parts of speech, and which of them begin a named entity; by `tagger`, if one
        is given.

    >>> from understandability.text.document import Document
    >>> batch = Batch([Document("d", "", ("Flu", "is", "a", "virus.", "Rest!"), (0, 4))])
    >>> batch.words, batch.sentences, batch.word_sums(letters)
    (array([5.]), array([2.]), array([15.]))
    """

    def __init__(self, documents: Sequence[Document], tagger: OtherTagger | None = None) -> None:
        self.documents = tuple(documents)
        self._tagger = tagger
        self.pieces = pieces()
        self.word_types, self.token_types = self.pieces.word_types, self.pieces.token_types
        self._cut()
        self._lower_capitals()
        words = self.pieces.words(self.piece_ids)
        is_word = words >= 0
        self.word_ids = words[is_word]
        self._words_before = starts_of(is_word)
        self.word_starts = self._words_before[self.piece_starts]
        self.words: FloatArray = sizes_between(self.word_starts).astype(np.float64)
        self._gathered: dict[tuple[Column, TypeTable], Array] = {}
        self._once: dict[Callable[[Batch], Any], Any] = {}

    def __len__(self) -> int:
        return len(self.documents)

    def _cut(self) -> None:
        """Number the pieces, and find the sentences."""
        ids, starts, open_ends, ends = array("i"), list[int](), list[int](), [(0, 0)]
        for document in self.documents:
            if document.uncut:
                self.pieces.cut_up(document.uncut, ids, starts, open_ends)
            else:
                open_ends.extend(len(starts) + number for number in document.open_ends)
                starts.extend(len(ids) + place for place in document.sentence_starts)
                ids.extend(self.pieces.number(document.pieces))
            ends.append((len(ids), len(starts)))
        self.piece_ids = np.array(ids, np.int32)
        # Where each document's sentences begin among all, those without a word too.
        self.piece_starts: Array
        self.first_sentences: Array
        self.piece_starts, self.first_sentences = np.array(ends).T.copy()
        self._sentence_piece_starts = np.array(starts, np.int64)
        self.is_open = np.zeros(len(starts), bool)  # which sentences only their field ends
        self.is_open[np.array(open_ends, np.int64)] = True

    def _lower_capitals(self) -> None:
        """Put small letters for sentences set in capitals, which would pass for names."""
        votes = self.pieces.column(capitals).take(self.piece_ids)
        if not (votes > 0).any():
            return
        starts, before = np.append(self._sentence_piece_starts, len(votes)), starts_of(votes)
        is_set = sizes_between(before[starts]) > 0
        places = np.flatnonzero(np.repeat(is_set, sizes_between(starts)))
        strings = self.pieces.strings
        self.piece_ids[places] = self.pieces.number(
            strings[number].lower() for number in self.piece_ids[places].tolist()
        )

    @cached_property
    def word_bounds(self) -> Array:
        """Where the words of each sentence begin, and where those of the last end."""
        return np.append(self._words_before[self._sentence_piece_starts], len(self.word_ids))

    @cached_property
    def has_word(self) -> NDArray[np.bool_]:
        """Which sentences have a word; as many as `token_sentence_starts`."""
        return np.asarray(sizes_between(self.word_bounds) > 0)

    @cached_property
    def sentence_starts(self) -> Array:
        return self.word_bounds[:-1][self.has_word]

    @cached_property
    def sentences(self) -> FloatArray:
        before = np.searchsorted(self.sentence_starts, self.word_starts)
        return sizes_between(before).astype(np.float64)

    @cached_property
    def is_name(self) -> NDArray[np.bool_]:
        """Which words are names, without a tagger.

        A capitalised word that does not begin a sentence, or that appears so elsewhere in its
        document. Capitals of a sentence set in capitals do not count.
        """
        capitalised = np.flatnonzero(self.word_values(starts_with_capital))
        within = np.ones(len(self.word_ids), bool)
        within[self.sentence_starts] = False
        document = np.searchsorted(self.word_starts, capitalised, side="right") - 1
        keys = document * len(self.word_types) + self.word_ids[capitalised]
        found = np.append(np.sort(keys[within[capitalised]]), -1)  # `np.isin` takes 7 times as long
        names = np.zeros(len(self.word_ids), bool)
        names[capitalised] = found[np.searchsorted(found[:-1], keys)] == keys
        return names

    @cached_property
    def _tokens(self) -> tuple[NDArray[np.int32], Array]:
        ids, sizes = self.pieces.tokens(self.piece_ids)
        return ids, starts_of(sizes)

    @cached_property
    def token_ids(self) -> NDArray[np.int32]:
        return self._tokens[0]

    @cached_property
    def token_starts(self) -> Array:
        return self._tokens[1][self.piece_starts]

    @cached_property
    def token_sentence_starts(self) -> Array:
        return self._tokens[1][self._sentence_piece_starts]

    @cached_property
    def token_bounds(self) -> Array:
        """Where the tokens of each sentence begin, and where those of the last end."""
        return np.append(self.token_sentence_starts, len(self.token_ids))

    @cached_property
    def tags(self) -> NDArray[np.uint8]:
        """The part of speech of each token; indexes into `language.tags.UNIVERSAL`."""
        if self._tagger is not None:
            return self._tagger.tag(self._token_strings, self.token_sentence_starts)
        tagger = default_tagger()
        ids = self.token_ids  # before the column: this may add types
        contributions = self.token_types.column(tagger.contributions)
        return tagger.tag_ids(ids, self.token_sentence_starts, contributions)

    @cached_property
    def entity_starts(self) -> NDArray[np.bool_]:
        """Which tokens begin a named entity."""
        if self._tagger is not None:
            return self._tagger.entity_starts(self._token_strings, self.token_sentence_starts)
        return entity_starts(self.tags, self.token_sentence_starts)

    @property
    def _token_strings(self) -> list[str]:
        return [self.token_types.strings[number] for number in self.token_ids.tolist()]

    def word_values(self, column: Column) -> Array:
        """A column of types for each word."""
        return self._values(column, self.word_types, self.word_ids)

    def token_values(self, column: Column) -> Array:
        """A column of types for each token."""
        return self._values(column, self.token_types, self.token_ids)

    def word_sums(self, column: Column) -> FloatArray:
        """The sum of a column of types over each document's words; (documents,) or (…, k)."""
        return self.sum_words(self.word_values(column))

    def sum_words(self, values: Array) -> FloatArray:
        """The sum over each document of what its words are worth."""
        return sum_segments(values, self.word_starts)

    def sum_tokens(self, values: Array) -> FloatArray:
        """The sum over each document of what its tokens are worth."""
        return sum_segments(values, self.token_starts)

    def _values(self, column: Column, table: TypeTable, ids: Array) -> Array:
        key = (column, table)
        if key not in self._gathered:
            # `take` gathers rows five times as fast as an index.
            self._gathered[key] = table.column(column).take(ids, axis=0)
        return self._gathered[key]

    def once(self, function: Callable[[Batch], Value]) -> Value:
        """`function` of this batch, computed the first time only."""
        if function not in self._once:
            self._once[function] = function(self)
        value: Value = self._once[function]
        return value


def sum_segments(values: Array, starts: Array) -> FloatArray:
    """The sum of ``values[starts[i]:starts[i + 1]]`` for each ``i``; 0 where that is empty.

    A segment's sum does not depend on the others.

    >>> sum_segments(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    exact = np.int64 if values.dtype.kind in "bui" else np.float64
    full = starts[1:] > starts[:-1]
    if full.all() and len(full):
        return np.add.reduceat(values, starts[:-1], axis=0, dtype=exact).astype(np.float64)
    sums = np.zeros((len(full), *values.shape[1:]), np.float64)
    if full.any():
        sums[full] = np.add.reduceat(values, starts[:-1][full], axis=0, dtype=exact)
    return sums


def sum_rows(table: Array, ids: Array, starts: Array) -> FloatArray:
    """The sum of the rows ``ids[starts[i]:starts[i + 1]]`` of a table of int32 for each ``i``.

    >>> sum_rows(np.array([[1, 2], [5, 6]], np.int32), np.array([1, 0, 1], np.int32),
    ...          np.array([0, 1, 3]))
    array([[5., 6.],
           [6., 8.]])
    """
    sums = np.empty((len(starts) - 1, table.shape[1]))
    _core.sum_rows(table, ids, starts, sums)
    return sums


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """The quotient; NaN, without a warning, where the denominator is 0.

    >>> ratio([3, 0], [2, 0])
    array([1.5, nan])
    """
    quotient: FloatArray = np.true_divide(numerator, nan_for_0(denominator))
    return quotient


def nan_for_0(values: ArrayLike) -> FloatArray:
    """The values, NaN in place of 0, to divide by."""
    values = np.asarray(values, np.float64)
    return np.where(values == 0, np.nan, values)


def letters(words: Sequence[str]) -> NDArray[np.int32]:
    """The letters and digits of each word.

    >>> letters(["well-being", "3.5"])
    array([9, 2], dtype=int32)
    """
    return np.fromiter(
        (len(word) if word.isalnum() else sum(map(str.isalnum, word)) for word in words), np.int32
    )


def capitals(pieces: Sequence[str]) -> NDArray[np.int8]:
    """1 for a long word in capitals, -1 for another long word, 0 for what is short.

    Of fewer than five letters it may be an acronym, which says nothing of the words around it.

    >>> capitals(["TABLETS", "tablets.", "COVID-19", "(MRI)"])
    array([ 1, -1,  1,  0], dtype=int8)
    """
    return np.fromiter(
        (
            (1 if piece.isupper() else -1)
            if len(piece) > 4 and (piece.isalpha() or sum(map(str.isalpha, piece)) > 4)
            else 0
            for piece in pieces
        ),
        np.int8,
    )


def starts_with_capital(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words start with a capital letter."""
    return np.fromiter((word[:1].isupper() for word in words), bool)


def starts_of(sizes: ArrayLike) -> NDArray[np.int64]:
    """Where segments of these sizes start in a row of them, and where the last ends."""
    sizes = np.asarray(sizes)
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def sizes_between(starts: Array) -> Array:
    """How large the segments are between one start and the next."""
    return starts[1:] - starts[:-1]


def sizes_of(starts: Array, end: int) -> Array:
    """How large the segments are that start there, the last of which goes on to the end."""
    return np.append(starts[1:], end) - starts
