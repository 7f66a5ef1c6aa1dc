"""`Run`: the rankings of one system. `Labels`: numbers that people or programs assigned to
documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError, needing

if TYPE_CHECKING:
    import pandas as pd

Ids = NDArray[np.int32]
Lines = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something unusual in a file that was accepted: a description, the number of cases, the first
    case.

    `remedy` says what the user can do about it, if anything.

    >>> str(Oddity("documents listed again", 12, "query 7, document d3"))
    'documents listed again: 12 (first: query 7, document d3)'
    """

    what: str
    count: int
    example: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        first = f" (first: {self.example})" if self.example else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.what}: {self.count:,}{first}{remedy}"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The ranked documents of one system for each query, as arrays with one entry per line of a run
    file.

    Line ``i`` lists document ``docnos[docno_ids[i]]`` for query ``queries[query_ids[i]]`` with
    ``ranks[i]`` and ``scores[i]``. Lines are in the order of the file; `line_order` returns them
    sorted. `queries` are in order of first appearance, and `docnos` is a pyarrow array of distinct
    names. The arrays are read-only.
    """

    name: str
    queries: tuple[str, ...]
    docnos: Any
    query_ids: Ids
    docno_ids: Ids
    ranks: Lines
    scores: Floats
    oddities: tuple[Oddity, ...] = ()

    def __post_init__(self) -> None:
        _freeze(self.query_ids, self.docno_ids, self.ranks, self.scores)

    def __len__(self) -> int:
        return len(self.query_ids)

    @classmethod
    def of(cls, name: str, rankings: Mapping[str, Iterable[tuple[str, float]]]) -> Run:
        """Make a run from pairs of document and score for each query; ranks count from 1.

        >>> Run.of("mine", {"q1": [("d7", 3.5), ("d2", 1.0)]}).by_query()
        {'q1': [('d7', 3.5), ('d2', 1.0)]}
        """
        columns, scores = _columns(rankings)
        return cls(name, *columns, ranks_of(columns[2]), scores)

    @classmethod
    def of_columns(
        cls,
        name: str,
        queries: Any,
        docnos: Any,
        scores: Floats,
        ranks: Lines | None = None,
        oddities: tuple[Oddity, ...] = (),
    ) -> Run:
        """Make a run from columns with one value per line. Without `ranks`, the order of lines is
        the ranking.

        Names are lists or columns of pyarrow.
        """
        distinct, query_ids = _coded(queries)
        names, docno_ids = _coded(docnos)
        if ranks is None:
            ranks = np.arange(1, len(docno_ids) + 1)
        listed = tuple(distinct.to_pylist())
        return cls(name, listed, names, query_ids, docno_ids, ranks, scores, oddities)

    def line_order(self, order: str = "rank") -> Lines:
        """Return the indices of the lines, query by query (in the order of `queries`), best
        document first.

        ``rank`` sorts by the rank column; equal ranks keep the order of the file. ``score`` sorts
        as trec_eval does: highest score first, compared in single precision, and equal scores by
        document name in descending order of bytes. If a query lists a document more than once, only
        its first line in this order is included.

        >>> run = Run.of("tied", {"q": [("a", 1.0), ("c", 2.0), ("b", 1.0), ("c", 0.5)]})
        >>> run.line_order("rank").tolist(), run.line_order("score").tolist()
        ([0, 1, 2], [1, 2, 0])
        """
        key: NDArray[Any]
        if order == "rank":
            key = self.ranks
        elif order == "score":
            key = -self.scores.astype(np.float32)
        else:
            raise OptionError(f"runs are ordered by 'rank' or by 'score', not by {order!r}")
        lines = self._sorted(key)
        query_ids, sorted_key = self.query_ids[lines], key[lines]
        tied = (query_ids[1:] == query_ids[:-1]) & (sorted_key[1:] == sorted_key[:-1])
        if order == "score" and tied.any():
            # Only the names of tied documents are compared: sorting all names takes longer than
            # everything else.
            positions = np.flatnonzero(np.append(tied, False) | np.insert(tied, 0, False))
            group = lines[positions]
            ids, inverse = np.unique(self.docno_ids[group], return_inverse=True)
            names = self.docnos.take(pa.array(ids))
            backwards = np.empty(len(ids), dtype=np.int64)
            backwards[numpy_values(pc.array_sort_indices(names), np.uint64)] = -np.arange(len(ids))
            by_name = np.lexsort((backwards[inverse], key[group], self.query_ids[group]))
            lines[positions] = group[by_name]
        pairs = _pairs(self.query_ids, self.docno_ids, len(self.docnos))[lines]
        in_order = np.sort(pairs)
        if (in_order[1:] == in_order[:-1]).any():
            lines = lines[np.sort(np.unique(pairs, return_index=True)[1])]
        return lines

    def _sorted(self, key: NDArray[Any]) -> Lines:
        """Return the indices of the lines sorted by query, then by `key`; ties keep the order of
        the file.
        """
        ids = self.query_ids
        same, later = ids[1:] == ids[:-1], ids[1:] > ids[:-1]
        if (later | (same & (key[1:] >= key[:-1]))).all():
            return np.arange(len(key), dtype=np.int64)
        lines: Lines = np.lexsort((key, ids))
        return lines

    def docnos_of(self, lines: Lines) -> list[str]:
        """Return the document of each of these lines."""
        # As a buffer: pyarrow's own conversion imports pandas where that is installed.
        buffer = pa.py_buffer(np.ascontiguousarray(self.docno_ids[lines]))
        indices = pa.Array.from_buffers(pa.int32(), len(lines), [None, buffer])
        docnos: list[str] = self.docnos.take(indices).to_pylist()
        return docnos

    def by_query(self, order: str = "rank") -> dict[str, list[tuple[str, float]]]:
        """Return pairs of document and score for each query, in `line_order`: the argument of
        `of`.
        """
        lines = self.line_order(order)
        ranked: dict[str, list[tuple[str, float]]] = {query: [] for query in self.queries}
        columns = (
            self.query_ids[lines].tolist(),
            self.docnos_of(lines),
            self.scores[lines].tolist(),
        )
        for query, docno, score in zip(*columns, strict=True):
            ranked[self.queries[query]].append((docno, score))
        return ranked

    def to_pandas(self, order: str = "rank") -> pd.DataFrame:
        """Return the lines in `line_order` as a data frame: query_id, doc_id, rank (from 1),
        score.
        """
        with needing("frames need pandas", ".[pandas]"):
            import pandas

        rows = [
            (query, docno, rank, score)
            for query, documents in self.by_query(order).items()
            for rank, (docno, score) in enumerate(documents, 1)
        ]
        return pandas.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])


@dataclass(frozen=True, eq=False)
class Labels:
    """Numbers for documents in one dimension: relevance, understandability, trust, or a score.

    ``values[i]`` is the label of document ``docnos[docno_ids[i]]`` for query
    ``queries[query_ids[i]]``, in the order of the file. If several lines label the same pair, only
    the first is kept. If `query_ids` is None, a label applies to the document for every query.
    `docnos` is a pyarrow array of distinct names. `line_numbers` are the numbers of the lines in a
    text file.
    """

    name: str
    queries: tuple[str, ...]
    docnos: Any
    query_ids: Ids | None
    docno_ids: Ids
    values: Floats
    line_numbers: Lines | None = None
    oddities: tuple[Oddity, ...] = ()

    def __post_init__(self) -> None:
        _freeze(self.query_ids, self.docno_ids, self.values, self.line_numbers)

    def __len__(self) -> int:
        return len(self.docno_ids)

    @classmethod
    def of(cls, name: str, labels: Mapping[str, Mapping[str, float]]) -> Labels:
        """Make labels from ``{query: {document: label}}``.

        >>> labels = Labels.of("trust", {"q1": {"d7": 50, "d2": 90}})
        >>> labels.of_lines(Run.of("mine", {"q1": [("d1", 2.0), ("d2", 1.0)]})).tolist()
        [nan, 90.0]
        """
        columns, values = _columns({query: grades.items() for query, grades in labels.items()})
        return cls(name, *columns, values)

    @classmethod
    def of_documents(cls, name: str, values: Mapping[str, float]) -> Labels:
        """Make labels, such as scores, that apply to a document for every query.

        >>> fog = Labels.of_documents("fog", {"d1": 9.5})
        >>> fog.of_lines(Run.of("mine", {"q1": [("d1", 2.0)], "q2": [("d1", 1.0)]})).tolist()
        [9.5, 9.5]
        """
        docnos, docno_ids = _coded(list(values))
        return cls(name, (), docnos, None, docno_ids, np.array(list(values.values()), float))

    @classmethod
    def of_columns(
        cls,
        name: str,
        queries: Any,
        docnos: Any,
        values: Any,
        line_numbers: Lines | None = None,
        oddities: tuple[Oddity, ...] = (),
    ) -> Labels:
        """Make labels from pyarrow columns; for repeated pairs the first line counts.

        If `queries` is None, the labels apply to every query.
        """
        names, docno_ids = _coded(docnos)
        distinct, query_ids = ((), None) if queries is None else _coded(queries)
        pairs = docno_ids if query_ids is None else _pairs(query_ids, docno_ids, len(names))
        first = np.sort(np.unique(pairs, return_index=True)[1])
        if again := len(pairs) - len(first):
            line = int(np.setdiff1d(np.arange(len(pairs)), first)[0])
            example = f"document {names[int(docno_ids[line])]}"
            oddities += (Oddity("labels given again", again, example),)
        listed = tuple(query.as_py() for query in distinct)
        values = numpy_values(values, np.float64)
        labels = cls(name, listed, names, query_ids, docno_ids, values, line_numbers, oddities)
        return labels._select(first)

    def by_query(self) -> dict[str, dict[str, float]]:
        """Return the labels as ``{query: {document: label}}``, the argument of `of`."""
        docnos = self.docnos.to_pylist()
        labels: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        if self.query_ids is not None:
            columns = (self.query_ids, self.docno_ids, self.values)
            for query, document, value in zip(*(c.tolist() for c in columns), strict=True):
                labels[self.queries[query]][docnos[document]] = value
        return labels

    def by_document(self) -> Labels:
        """Return labels that apply to every query: for each document the one on its first line.

        >>> Labels.of("u", {"q1": {"d": 3}, "q2": {"d": 0}}).by_document().values.tolist()
        [3.0]
        """
        first = np.sort(np.unique(self.docno_ids, return_index=True)[1])
        return replace(self._select(first), queries=(), query_ids=None)

    def without(self, *no_labels: float) -> Labels:
        """Remove the labels with these values, which mean "could not judge"."""
        return self._select(np.flatnonzero(~np.isin(self.values, no_labels)))

    def _select(self, lines: Lines) -> Labels:
        return replace(
            self,
            query_ids=None if self.query_ids is None else self.query_ids[lines],
            docno_ids=self.docno_ids[lines],
            values=self.values[lines],
            line_numbers=None if self.line_numbers is None else self.line_numbers[lines],
        )

    def where(self, line: int) -> str:
        """Describe a line for a message: the file, its line number if known, the document."""
        number = "" if self.line_numbers is None else f", line {self.line_numbers[line]}"
        return f"{self.name}{number} (document {self.docnos[int(self.docno_ids[line])]})"

    def of_lines(self, run: Run) -> Floats:
        """Return the label of each line of a run, NaN for a line without one."""
        return np.append(self.values, np.nan)[self.lines_of(run)]  # -1 finds the last

    def lines_of(self, run: Run) -> Lines:
        """Return, for each line of a run, the index of the matching label; -1 without a match."""
        docno_ids = _matched(run.docnos, self.docnos)[run.docno_ids]
        # Most lines of a run are of documents without any label.
        candidates = np.flatnonzero(docno_ids >= 0)
        keys = docno_ids[candidates].astype(np.int64)
        if self.query_ids is not None:
            id_of = {query: i for i, query in enumerate(self.queries)}
            queries = np.array([id_of.get(query, -1) for query in run.queries], dtype=np.int64)
            query_ids = queries[run.query_ids[candidates]]
            keys = np.where(query_ids < 0, -1, _pairs(query_ids, keys, len(self.docnos)))
        matches = np.full(len(run), -1, dtype=np.int64)
        sorted_keys, lines = self._sorted_keys
        if len(lines):
            indices = np.minimum(np.searchsorted(sorted_keys, keys), len(lines) - 1)
            is_match = sorted_keys[indices] == keys
            matches[candidates] = np.where(is_match, lines[indices], -1)
        return matches

    @cached_property
    def _sorted_keys(self) -> tuple[Lines, Lines]:
        """Return the sorted keys of the labels (see `_pairs`), for binary search, and the line of
        each key.
        """
        keys: Lines = (
            self.docno_ids.astype(np.int64)
            if self.query_ids is None
            else _pairs(self.query_ids, self.docno_ids, len(self.docnos))
        )
        lines = np.argsort(keys, kind="stable")
        return keys[lines], lines


def ranks_of(query_ids: NDArray[np.integer]) -> Lines:
    """Return the rank, from 1, of each line within its query; lines of a query must be adjacent.

    >>> ranks_of(np.array([0, 0, 1, 1, 1])).tolist()
    [1, 2, 1, 2, 3]
    """
    lines = np.arange(len(query_ids))
    first = np.diff(query_ids, prepend=-1) != 0
    return lines - np.maximum.accumulate(np.where(first, lines, 0)) + 1


def strictly_falling(query_ids: NDArray[np.integer], scores: Floats) -> Floats:
    """Lower scores where necessary, so that they strictly fall within each query.

    A score that does not fall becomes the next smaller number in single precision. trec_eval, which
    compares scores in single precision, then orders the documents by their ranks.

    >>> strictly_falling(np.array([0, 0, 0, 1]), np.array([1.0, 0.5, 0.5, 0.5])).tolist()
    [1.0, 0.5, 0.4999999701976776, 0.5]
    """
    # Single-precision numbers in order are whole numbers in order, once those below 0 turn.
    bits = scores.astype(np.float32).view(np.int32).astype(np.int64)
    keys = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    lines = np.arange(len(keys))
    apart = query_ids.astype(np.int64) << 34
    lowest = np.minimum.accumulate(keys + lines - apart) - lines + apart
    below = np.where(lowest < 0, -lowest | -0x80000000, lowest).astype(np.int32).view(np.float32)
    return np.where(lowest == keys, scores, below.astype(np.float64))


def numpy_values(column: Any, dtype: Any) -> NDArray[Any]:
    """Return the numbers of a pyarrow column without copying; the values of nulls are arbitrary."""
    # pyarrow's own conversion imports pandas where that is installed, which takes a second.
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks or [pa.array([], column.type)])
    if not len(column):
        return np.empty(0, dtype=dtype)
    values = np.frombuffer(column.buffers()[1], dtype=dtype)
    return values[column.offset : column.offset + len(column)]


def _columns(
    rankings: Mapping[str, Iterable[tuple[str, float]]],
) -> tuple[tuple[tuple[str, ...], Any, Ids, Ids], Floats]:
    """Return queries, docnos and the ids of both for each line; and the score of each line."""
    lines = [(i, *pair) for i, documents in enumerate(rankings.values()) for pair in documents]
    ids, names, values = zip(*lines, strict=True) if lines else ((), (), ())
    docnos, docno_ids = _coded(list(names))
    query_ids = np.array(ids, dtype=np.int32)
    return (tuple(rankings), docnos, query_ids, docno_ids), np.array(values, dtype=np.float64)


def _coded(names: Any) -> tuple[Any, Ids]:
    """Return the distinct names in order of first appearance, and the index of each entry's
    name.
    """
    column = pa.array(names, pa.string()) if isinstance(names, list) else names
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of no chunks
        return pa.array([], pa.string()), np.empty(0, dtype=np.int32)
    return column.dictionary, numpy_values(column.indices, np.int32)


def _freeze(*columns: NDArray[Any] | None) -> None:
    for column in columns:
        if column is not None:
            column.flags.writeable = False


def _pairs(query_ids: NDArray[Any], docno_ids: NDArray[Any], documents: int) -> Lines:
    """Return one number for each line, which identifies its pair of query and document."""
    pairs: Lines = query_ids.astype(np.int64) * documents + docno_ids
    return pairs


def _matched(docnos: Any, others: Any) -> Ids:
    """Return the index of each of `docnos` in `others`; -1 if it is missing.

    The smaller side is hashed, because score tables can have millions of documents.
    """

    def index_in(names: Any, among: Any) -> Ids:
        indices = pc.index_in(names, among)
        is_valid = numpy_values(indices.is_valid().cast(pa.int8()), np.int8) == 1
        return np.where(is_valid, numpy_values(indices, np.int32), np.int32(-1))

    if len(others) <= len(docnos):
        return index_in(docnos, others)
    matched = np.full(len(docnos), -1, dtype=np.int32)
    indices = index_in(others, docnos)
    matched[indices[indices >= 0]] = np.flatnonzero(indices >= 0)
    return matched
