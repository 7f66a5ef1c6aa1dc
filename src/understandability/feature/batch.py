"""Documents as arrays of ids of distinct words, and sums over them.

A value that depends on a string alone is computed once per distinct string and stored in a column
of a `TypeTable`. A `Batch` looks values up by id; most features are sums of such values. A process
has one table of pieces, with a table of word types and one of token types. Tables are bounded: if
they are full, the next batch starts with empty tables. No value depends on the other strings in a
table.
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
_MAX_CACHED = 1 << 16
# Columns are computed for this many strings at a time, because a page may have a million.
_CHUNK = 1 << 14
_FIRST_BYTES = 1 << 25  # the size of a column when it first grows

_LOCK = RLock()


class _Growing:
    """An array to which values can be appended; its capacity at least doubles when it is full."""

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
            # Reserve much at once: copying a wide table is slow, and memory that is not written is
            # not used.
            room = min(MAX_TYPES, _FIRST_BYTES // max(1, self._rows[:1].nbytes))
            rows = max(needed, 2 * len(self._rows), room)
            grown = np.empty((rows, *new.shape[1:]), new.dtype)
            grown[: self.size] = self._rows[: self.size]
            self._rows = grown
        self._rows[self.size : needed] = new
        self.size = needed


class TypeTable:
    """A table of distinct strings, with ids in order of first appearance and cached columns.

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
        """The string of each id."""
        return self._numbers.strings

    def number(self, strings: Iterable[str]) -> NDArray[np.int32]:
        """Return the id of each string; strings that are not in the table are added."""
        listed = strings if isinstance(strings, list) else list(strings)
        ids = np.empty(len(listed), np.int32)
        with _LOCK:  # after the strings are computed, which may take a while
            self._numbers.number(listed, ids)
        return ids

    def column(self, compute: Column) -> Array:
        """Return the results of `compute` for all strings of the table, one row per string.

        `compute` is called only with strings that were added since the last call. Its result must
        depend on each string alone. It must be the same object in every call: a function of a
        module, or a method of an object that is kept.
        """
        with _LOCK:
            column = self._columns.get(compute)
            if column is None:
                column = self._columns[compute] = _Growing()
            new = self.strings[column.size :]
            # An empty column is computed too, because it has a shape and a type.
            for start in range(0, max(len(new), column.is_new), _CHUNK):
                column.extend(compute(new[start : start + _CHUNK]))
            return column.rows

    def remembered(self, compute: Column, strings: Iterable[str]) -> Array:
        """Return the results of `compute` for some strings, from a cache that is emptied when it is
        full.
        """
        listed = list(strings)
        with _LOCK:
            if len(self) > _MAX_CACHED or self._numbers.characters > MAX_CHARACTERS:
                self._forget()
            ids = self.number(listed)
            return self.column(compute).take(ids, axis=0)


class PieceTable(TypeTable):
    """A table of distinct pieces, with the word types and token types of each piece."""

    def __init__(self) -> None:
        super().__init__()
        self.word_types = TypeTable()
        self.token_types = TypeTable()
        self._tokens = _Growing()

    @property
    def is_full(self) -> bool:
        """True if the table is so large that it should be replaced by an empty one."""
        large = max(len(self), len(self.word_types), len(self.token_types)) > MAX_TYPES
        return large or self._numbers.characters > MAX_CHARACTERS

    def cut_up(self, texts: Uncut, pieces: array[int], *sentences: list[int]) -> None:
        """Split texts into pieces, and append the ids of the pieces to `pieces`.

        `sentences` are lists to which the starts of sentences and related offsets are appended; see
        `Uncut`.
        """
        with _LOCK:
            texts.add_to(self._numbers, pieces, *sentences)

    def words(self, pieces: Array) -> NDArray[np.int32]:
        """Return the id of each piece's word in the table of word types; -1 for a piece without a
        word.
        """
        return self.column(self._word_types).take(pieces)

    def tokens(self, pieces: Array) -> tuple[NDArray[np.int32], Array]:
        """Return the ids of the pieces' tokens, in order, and the number of tokens per piece."""
        starts, sizes = self.column(self._token_spans).take(pieces, axis=0).T
        return self._tokens.rows.take(ranges(starts, sizes)), sizes

    def _word_types(self, pieces: Sequence[str]) -> NDArray[np.int32]:
        """Return the id of each piece's word, or -1. It is called through `column`, which caches
        it.
        """
        words = list(map(word_of, pieces))
        ids = np.full(len(words), -1, np.int32)
        ids[np.fromiter(map(bool, words), bool)] = self.word_types.number(filter(None, words))
        return ids

    def _token_spans(self, pieces: Sequence[str]) -> NDArray[np.int32]:
        """Return where each piece's tokens start in `_tokens`, and how many there are.

        It is called through `column`, which caches it.
        """
        tokens = list(map(tokenize, pieces))
        sizes = np.fromiter(map(len, tokens), np.int64)
        starts = self._tokens.size + np.cumsum(sizes) - sizes
        self._tokens.extend(self.token_types.number(chain.from_iterable(tokens)))
        return np.stack([starts, sizes], axis=1).astype(np.int32)


_pieces = PieceTable()


def pieces() -> PieceTable:
    """Return the table of pieces that this process uses; a full table is replaced by a new one."""
    global _pieces
    with _LOCK:
        if _pieces.is_full:
            _pieces = PieceTable()
        return _pieces


Value = TypeVar("Value")


class OtherTagger(Protocol):
    """The interface of a tagger that can replace the built-in one, such as NLTK's."""

    def tag(self, tokens: Sequence[str], sentence_starts: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the tag of each token, an index into `UNIVERSAL`."""

    def entity_starts(
        self, tokens: Sequence[str], sentence_starts: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Return a mask of the tokens that begin a named entity."""


class Batch:
    """Several documents as arrays: their pieces, words, tokens and sentences.

    `piece_starts`, `word_starts` and `token_starts` have one entry per document, and one more: the
    items of document ``i`` are ``starts[i]:starts[i + 1]``.

    `piece_ids`, `piece_starts`
        Ids of the pieces in the table `pieces`. A sentence set in capitals is in lower case.
    `word_ids`, `word_starts`
        Types of the words, in the table `word_types`.
    `sentence_starts`
        The index in `word_ids` at which each sentence begins, if it has a word.
    `words`, `sentences`
        The number of words and sentences per document (float64). Sentences without a word do not
        count.
    `token_ids`, `token_starts`, `token_sentence_starts`
        Types of the tokens, in the table `token_types`, and the index of the first token of every
        sentence.
    `tags`, `entity_starts`
        The parts of speech of the tokens, and a mask of the tokens that begin a named entity;
        assigned by `tagger`, or by the built-in tagger if it is None.

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
        """Split the documents into pieces, look up the ids of the pieces, and find the
        sentences.
        """
        ids, starts, open_ends, ends = array("i"), list[int](), list[int](), [(0, 0)]
        for document in self.documents:
            if document.uncut:
                self.pieces.cut_up(document.uncut, ids, starts, open_ends)
            else:
                open_ends.extend(len(starts) + number for number in document.open_ends)
                starts.extend(len(ids) + start for start in document.sentence_starts)
                ids.extend(self.pieces.number(document.pieces))
            ends.append((len(ids), len(starts)))
        self.piece_ids = np.array(ids, np.int32)
        # The first sentence of each document; sentences without a word count here.
        self.piece_starts: Array
        self.first_sentences: Array
        self.piece_starts, self.first_sentences = np.array(ends).T.copy()
        self._sentence_piece_starts = np.array(starts, np.int64)
        # A mask of the sentences that end with their block of text, not with punctuation.
        self.is_open = np.zeros(len(starts), bool)
        self.is_open[np.array(open_ends, np.int64)] = True

    def _lower_capitals(self) -> None:
        """Lower the case of sentences set in capitals, because their words look like names."""
        votes = self.pieces.column(capitals).take(self.piece_ids)
        if not (votes > 0).any():
            return
        starts, before = np.append(self._sentence_piece_starts, len(votes)), starts_of(votes)
        is_set = sizes_between(before[starts]) > 0
        indexes = np.flatnonzero(np.repeat(is_set, sizes_between(starts)))
        strings = self.pieces.strings
        self.piece_ids[indexes] = self.pieces.number(
            strings[id_].lower() for id_ in self.piece_ids[indexes].tolist()
        )

    @cached_property
    def word_bounds(self) -> Array:
        """For each sentence, the index of its first word and its number of words."""
        return np.append(self._words_before[self._sentence_piece_starts], len(self.word_ids))

    @cached_property
    def has_word(self) -> NDArray[np.bool_]:
        """A mask of the sentences that have a word."""
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
        """A mask of the words that are names, recognised by capitals alone.

        A capitalised word is a name if the document has it capitalised inside a sentence, that is,
        after the first word. Capitals of a sentence set in capitals do not count.
        """
        capitalised = np.flatnonzero(self.word_values(starts_with_capital))
        within = np.ones(len(self.word_ids), bool)
        within[self.sentence_starts] = False
        document = np.searchsorted(self.word_starts, capitalised, side="right") - 1
        keys = document * len(self.word_types) + self.word_ids[capitalised]
        # A sorted search, because `np.isin` takes 7 times as long.
        name_keys = np.append(np.sort(keys[within[capitalised]]), -1)
        names = np.zeros(len(self.word_ids), bool)
        names[capitalised] = name_keys[np.searchsorted(name_keys[:-1], keys)] == keys
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
        """For each sentence, the index of its first token and its number of tokens."""
        return np.append(self.token_sentence_starts, len(self.token_ids))

    @cached_property
    def tags(self) -> NDArray[np.uint8]:
        """The part of speech of each token, an index into `feature.tagger.UNIVERSAL`."""
        if self._tagger is not None:
            return self._tagger.tag(self._token_strings, self.token_sentence_starts)
        tagger = default_tagger()
        ids = self.token_ids  # before the column, because this may add types
        contributions = self.token_types.column(tagger.contributions)
        return tagger.tag_ids(ids, self.token_sentence_starts, contributions)

    @cached_property
    def entity_starts(self) -> NDArray[np.bool_]:
        """A mask of the tokens that begin a named entity."""
        if self._tagger is not None:
            return self._tagger.entity_starts(self._token_strings, self.token_sentence_starts)
        return entity_starts(self.tags, self.token_sentence_starts)

    @property
    def _token_strings(self) -> list[str]:
        return [self.token_types.strings[id_] for id_ in self.token_ids.tolist()]

    def word_values(self, column: Column) -> Array:
        """Return the value of each word, computed by `column` once per distinct word."""
        return self._values(column, self.word_types, self.word_ids)

    def token_values(self, column: Column) -> Array:
        """Return the value of each token, computed by `column` once per distinct token."""
        return self._values(column, self.token_types, self.token_ids)

    def word_sums(self, column: Column) -> FloatArray:
        """Return the sum over each document's words of a `column`; shape (documents,) or
        (documents, k).
        """
        return self.sum_words(self.word_values(column))

    def sum_words(self, values: Array) -> FloatArray:
        """Return the sum over each document's words of `values`, which has one row per word."""
        return sum_segments(values, self.word_starts)

    def sum_tokens(self, values: Array) -> FloatArray:
        """Return the sum over each document's tokens of `values`, which has one row per token."""
        return sum_segments(values, self.token_starts)

    def _values(self, column: Column, table: TypeTable, ids: Array) -> Array:
        key = (column, table)
        if key not in self._gathered:
            # `take` gathers rows five times as fast as an index.
            self._gathered[key] = table.column(column).take(ids, axis=0)
        return self._gathered[key]

    def once(self, function: Callable[[Batch], Value]) -> Value:
        """Return ``function(batch)``; the function is called only the first time."""
        if function not in self._once:
            self._once[function] = function(self)
        value: Value = self._once[function]
        return value


def sum_segments(values: Array, starts: Array) -> FloatArray:
    """Return the sum of ``values[starts[i]:starts[i + 1]]`` for each ``i``; 0 for an empty segment.

    The sum of a segment does not depend on the other segments.

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
    """Sum the rows ``ids[starts[i]:starts[i + 1]]`` of a table of int32 for each ``i``.

    >>> sum_rows(np.array([[1, 2], [5, 6]], np.int32), np.array([1, 0, 1], np.int32),
    ...          np.array([0, 1, 3]))
    array([[5., 6.],
           [6., 8.]])
    """
    sums = np.empty((len(starts) - 1, table.shape[1]))
    _core.sum_rows(table, ids, starts, sums)
    return sums


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide arrays; the result is NaN, without a warning, where the denominator is 0.

    >>> ratio([3, 0], [2, 0])
    array([1.5, nan])
    """
    quotient: FloatArray = np.true_divide(numerator, nan_for_0(denominator))
    return quotient


def nan_for_0(values: ArrayLike) -> FloatArray:
    """Replace 0 by NaN in values to divide by."""
    values = np.asarray(values, np.float64)
    return np.where(values == 0, np.nan, values)


def letters(words: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of letters and digits of each word. Call it through `TypeTable.column`, a
    cache.

    >>> letters(["well-being", "3.5"])
    array([9, 2], dtype=int32)
    """
    return np.fromiter(
        (len(word) if word.isalnum() else sum(map(str.isalnum, word)) for word in words), np.int32
    )


def capitals(pieces: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for a long word in capitals, -1 for another long word, 0 for a short word.

    A word of fewer than five letters may be an acronym, so it gives no hint whether its sentence is
    set in capitals.

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
    """Return a mask of the words that start with a capital. Call it through `TypeTable.column`, a
    cache.
    """
    return np.fromiter((word[:1].isupper() for word in words), bool)


def starts_of(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return the starts of adjacent segments with these sizes, followed by the end of the last one.

    >>> starts_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    sizes = np.asarray(sizes)
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def ranges(starts: Array, sizes: Array) -> NDArray[np.int64]:
    """Return ``start, start + 1, ..., start + size - 1`` for each start and size, concatenated.

    An index counts up from 0 through all ranges; it is corrected by the start of its range minus
    the number of indexes before that range:

        starts       10       40    7
        sizes         3        0    2
        index         0  1  2       3  4
        correction   10 10 10       4  4
        sum          10 11 12       7  8

    >>> ranges(np.array([10, 40, 7]), np.array([3, 0, 2]))
    array([10, 11, 12,  7,  8])
    """
    before = np.cumsum(sizes) - sizes
    indexes: NDArray[np.int64] = np.arange(sizes.sum()) + np.repeat(starts - before, sizes)
    return indexes


def sizes_between(starts: Array) -> Array:
    """Return the sizes of adjacent segments, given their starts followed by the end of the last
    one.
    """
    return starts[1:] - starts[:-1]


def sizes_of(starts: Array, end: int) -> Array:
    """Return the sizes of adjacent segments, given their starts and the end of the last one."""
    return np.append(starts[1:], end) - starts
