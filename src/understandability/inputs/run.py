"""The rankings of one system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError
from understandability.inputs.joins import (
    Ids,
    Lines,
    coded,
    first_of_each,
    freeze,
    has_ties,
    indices,
    pairs_of,
    places_of,
    sorted_lines,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Oddity:
    """What is unusual in a file that was read all the same: what, how often, where first.

    >>> str(Oddity("documents listed again", 12, "query 7, document d3"))
    'documents listed again: 12 (first: query 7, document d3)'
    """

    what: str
    count: int
    example: str = ""

    def __str__(self) -> str:
        first = f" (first: {self.example})" if self.example else ""
        return f"{self.what}: {self.count:,}{first}"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The ranked documents of one system for each query, as columns of lines.

    Line ``i`` lists document ``docnos[docno_ids[i]]`` for query ``queries[query_ids[i]]`` with
    ``ranks[i]`` and ``scores[i]``, in the order of the file: nothing is sorted, left out or
    mended here, `line_order` does that. `queries` stand in the order in which they first
    appear; `docnos` is a pyarrow array of distinct names. The columns cannot be written to.
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
        freeze(self.query_ids, self.docno_ids, self.ranks, self.scores)

    def __len__(self) -> int:
        return len(self.query_ids)

    @classmethod
    def of(cls, name: str, rankings: Mapping[str, Iterable[tuple[str, float]]]) -> Run:
        """A run from the documents of each query with their scores; ranks count from 1.

        >>> run = Run.of("mine", {"q1": [("d7", 3.5), ("d2", 1.0)]})
        >>> run.by_query()
        {'q1': [('d7', 3.5), ('d2', 1.0)]}
        """
        listed = {query: list(documents) for query, documents in rankings.items()}
        lengths = [len(documents) for documents in listed.values()]
        docnos, docno_ids = coded([d for documents in listed.values() for d, _ in documents])
        scores = [score for documents in listed.values() for _, score in documents]
        ranks = [rank for length in lengths for rank in range(1, length + 1)]
        return cls(
            name,
            tuple(listed),
            docnos,
            np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
            docno_ids,
            np.array(ranks, dtype=np.int64),
            np.array(scores, dtype=np.float64),
        )

    @classmethod
    def of_columns(
        cls,
        name: str,
        queries: list[str],
        docnos: list[str],
        scores: Floats,
        ranks: Lines | None = None,
    ) -> Run:
        """A run from its columns, a value each line; without `ranks` lines rank as they stand.

        >>> Run.of_columns("mine", ["q1", "q1"], ["d7", "d2"], np.array([3.5, 1.0])).by_query()
        {'q1': [('d7', 3.5), ('d2', 1.0)]}
        """
        distinct, query_ids = coded(queries)
        distinct_docnos, docno_ids = coded(docnos)
        if ranks is None:
            ranks = np.arange(1, len(docnos) + 1)
        names = tuple(distinct.to_pylist())
        return cls(name, names, distinct_docnos, query_ids, docno_ids, ranks, scores)

    def line_order(self, order: str = "rank") -> Lines:
        """The lines query by query (as in `queries`), best document first.

        ``rank`` sorts by the rank column, equal ranks in the order of the file (a run whose
        ranks are all 0 keeps the order of its lines). ``score`` sorts as trec_eval does: the
        highest score first, compared in single precision, equal scores by document name, the
        last in the order of bytes first. A document that a query lists again counts where it
        stands first in this order; its other lines are left out.

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
        lines = sorted_lines(self.query_ids, key)
        if order == "score" and has_ties(self.query_ids[lines], key[lines]):
            backwards = -places_of(self.docnos)[self.docno_ids]
            lines = np.lexsort((backwards, key, self.query_ids))
        return first_of_each(lines, pairs_of(self.query_ids, self.docno_ids, len(self.docnos)))

    def by_query(self, order: str = "rank") -> dict[str, list[tuple[str, float]]]:
        """The documents of each query with their scores, in `line_order`: what `of` takes."""
        lines = self.line_order(order)
        docnos = self.docnos.take(indices(self.docno_ids[lines])).to_pylist()
        ranked: dict[str, list[tuple[str, float]]] = {query: [] for query in self.queries}
        queries = [ranked[query] for query in self.queries]
        for query, docno, score in zip(
            self.query_ids[lines].tolist(), docnos, self.scores[lines].tolist(), strict=True
        ):
            queries[query].append((docno, score))
        return ranked

    def to_pandas(self, order: str = "rank") -> pd.DataFrame:
        """The lines in `line_order` as a frame, its columns called as ir_measures calls them.

        ``query_id``, ``doc_id``, ``rank`` (from 1), ``score``.
        """
        import pandas

        rows = [
            (query, docno, rank, score)
            for query, documents in self.by_query(order).items()
            for rank, (docno, score) in enumerate(documents, 1)
        ]
        return pandas.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])
