"""Fusion: one run out of several, and of scores, by rank or by score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.places import places_of, strictly_falling
from understandability.inputs.run import Run

Ints = NDArray[np.int64]

K = 60.0
_FAR = 1e300  # infinite scores are there, and differences have to be finite


@dataclass(frozen=True, slots=True)
class Lists:
    """The lines of all lists, as columns.

    `place` is the place of a document in its list, from 1; `score` its score there, from 0 for
    the lowest of the list to 1 for the highest; `weight` that of the list; `size` how many
    documents the list has, `pool` how many all lists of the query have together; `k` the
    constant of reciprocal rank fusion.
    """

    place: Ints
    score: Floats
    weight: Floats
    size: Ints
    pool: Ints
    k: float


@dataclass(frozen=True, slots=True)
class Fusion:
    """A method: the points that a line gives to its document, which adds them up.

    `unlisted` are the points that each document gets which the list of a line lacks; with
    `times_lists` the sum is multiplied by the number of lists that have the document.
    """

    points: Callable[[Lists], Floats]
    source: str
    unlisted: Callable[[Lists], Floats] | None = None
    times_lists: bool = False


def reciprocal_rank(lists: Lists) -> Floats:
    """``w / (k + rank)``."""
    return lists.weight / (lists.k + lists.place)


def inverse_square_rank(lists: Lists) -> Floats:
    """``w / rank²``."""
    return lists.weight / lists.place**2


def normalised_score(lists: Lists) -> Floats:
    """``w (s - min) / (max - min)`` of the list; 1 where all its scores are equal."""
    return lists.weight * lists.score


def borda_points(lists: Lists) -> Floats:
    """``w`` times as many points as the pool has documents for the first, one less for the next."""
    return lists.weight * (lists.pool - lists.place + 1)


def borda_rest(lists: Lists) -> Floats:
    """The points that a list leaves, shared by the documents of the pool that it lacks."""
    return lists.weight * (lists.pool - lists.size + 1) / 2


FUSIONS: Mapping[str, Fusion] = MappingProxyType(
    {
        "rrf": Fusion(reciprocal_rank, "Cormack, Clarke & Büttcher 2009"),
        "isr": Fusion(inverse_square_rank, "Mourão, Martins & Magalhães 2014", times_lists=True),
        "combsum": Fusion(normalised_score, "Fox & Shaw 1994; Lee 1997"),
        "combmnz": Fusion(normalised_score, "Fox & Shaw 1994; Lee 1997", times_lists=True),
        "borda": Fusion(borda_points, "Aslam & Montague 2001", unlisted=borda_rest),
    }
)


def fuse(
    sources: Sequence[Run | Criterion],
    method: str = "rrf",
    *,
    k: float = K,
    weights: Sequence[float] | None = None,
    top: int | None = None,
    order: str = "rank",
    name: str | None = None,
) -> Run:
    """One run that ranks the documents of all `sources`, query by query.

    A `Criterion` ranks, for each query, the documents of the runs beside it that it has a
    score for, the easiest first. With `top`, only the first `top` documents of each source are
    fused, and the rest of the first run follows in its order. Documents with equal points stand
    as in the first source that has them.

    >>> first = Run.of("first", {"q": [("a", 9.0), ("b", 5.0), ("c", 1.0)]})
    >>> second = Run.of("second", {"q": [("c", 3.0), ("b", 2.0)]})
    >>> [docno for docno, _ in fuse([first, second]).by_query()["q"]]
    ['c', 'b', 'a']
    """
    if method not in FUSIONS:
        raise OptionError(f"there is no fusion {method!r}; choose one of {', '.join(FUSIONS)}")
    runs = [source for source in sources if isinstance(source, Run)]
    if not runs or len(sources) < 2:
        raise OptionError("fusion needs a run, and a second run or a score to fuse it with")
    if top is not None and top < 1:
        raise OptionError(f"the number of documents to fuse must be 1 or more, not {top}")
    if k < 0:
        raise OptionError(f"k must be 0 or more, not {k:g}")
    shares = _checked(weights, len(sources))
    queries, docnos, listed = _lists(runs, order)
    everything = _union(listed).as_run(queries, docnos, runs[0].name)
    for source in sources:
        if isinstance(source, Criterion):
            source.check(everything)
    cut = [lines.first(top) for lines in listed]
    pool = _union(cut)
    pooled = pool.as_run(queries, docnos)
    lists_of_runs = iter(cut)
    lists = [
        next(lists_of_runs)
        if isinstance(source, Run)
        else pool.ranked_by(source, pooled).first(top)
        for source in sources
    ]
    fused = _fused(lists, pool, FUSIONS[method], shares, k)
    if top is not None:
        # An infinite score becomes one just below that of the line before.
        rest = listed[0].only(~np.isin(listed[0].pairs, pool.pairs))
        rest = replace(rest, scores=np.full(len(rest.queries), np.inf))
        fused = _joined([fused, rest]).in_order()
    return replace(fused, scores=strictly_falling(fused.queries, fused.scores)).as_run(
        queries, docnos, name or method
    )


@dataclass(frozen=True, slots=True)
class _Lines:
    """Documents of queries, by number, and their scores."""

    queries: Ints
    documents: Ints
    scores: Floats

    @property
    def pairs(self) -> Ints:
        """One number for each pair of a query and a document."""
        return (self.queries << 32) + self.documents

    def only(self, kept: NDArray[Any]) -> _Lines:
        """Some of the lines."""
        return _Lines(self.queries[kept], self.documents[kept], self.scores[kept])

    def in_order(self) -> _Lines:
        """The lines query by query, otherwise in their order."""
        return self.only(np.argsort(self.queries, kind="stable"))

    def first(self, top: int | None) -> _Lines:
        """The first lines of each query."""
        return self if top is None else self.only(places_of(self.queries) <= top)

    def as_run(self, queries: tuple[str, ...], docnos: Any, name: str = "pool") -> Run:
        """A run of these lines in their order."""
        query_ids, docno_ids = self.queries.astype(np.int32), self.documents.astype(np.int32)
        return Run(name, queries, docnos, query_ids, docno_ids, places_of(query_ids), self.scores)

    def ranked_by(self, criterion: Criterion, run: Run) -> _Lines:
        """Those of the lines, which are those of `run`, that have a score; the easiest first."""
        values = criterion.labels.of_lines(run)
        ease = -values * criterion.direction.sign
        scored = np.flatnonzero(~np.isnan(ease))
        best = scored[np.lexsort((-ease[scored], self.queries[scored]))]
        return replace(self.only(best), scores=ease[best])


def _lists(runs: Sequence[Run], order: str) -> tuple[tuple[str, ...], Any, list[_Lines]]:
    """The queries and the documents of all runs, and the lines of each run in order."""
    import pyarrow as pa

    queries = tuple(dict.fromkeys(query for run in runs for query in run.queries))
    numbers = {query: number for number, query in enumerate(queries)}
    docnos = pa.concat_arrays([run.docnos for run in runs]).dictionary_encode()
    documents = np.split(
        np.asarray(docnos.indices, dtype=np.int64), np.cumsum([len(run.docnos) for run in runs])
    )
    lists = []
    for run, own in zip(runs, documents, strict=False):
        lines = run.line_order(order)
        query = np.array([numbers[name] for name in run.queries], dtype=np.int64)
        listed = _Lines(query[run.query_ids], own[run.docno_ids], run.scores)
        lists.append(listed.only(lines).in_order())
    return queries, docnos.dictionary, lists


def _joined(lists: Sequence[_Lines]) -> _Lines:
    """The lines of all lists, one after another."""
    return _Lines(
        np.concatenate([lines.queries for lines in lists]),
        np.concatenate([lines.documents for lines in lists]),
        np.concatenate([lines.scores for lines in lists]),
    )


def _union(lists: Sequence[_Lines]) -> _Lines:
    """Each document of each query once, in the order in which the lists have them."""
    joined = _joined(lists)
    return joined.only(np.sort(np.unique(joined.pairs, return_index=True)[1])).in_order()


def _fused(
    lists: Sequence[_Lines], pool: _Lines, fusion: Fusion, weights: Sequence[float], k: float
) -> _Lines:
    """The pool with the points of its documents, the most points first."""
    joined = _joined(lists)
    queries = joined.queries
    sizes = [np.bincount(lines.queries)[lines.queries] for lines in lists]
    columns = Lists(
        place=np.concatenate([places_of(lines.queries) for lines in lists]),
        score=np.concatenate([_normalised(lines) for lines in lists]),
        weight=np.repeat(np.asarray(weights, np.float64), [len(lines.queries) for lines in lists]),
        size=np.concatenate(sizes),
        pool=np.bincount(pool.queries)[queries],
        k=k,
    )
    sorter = np.argsort(pool.pairs)
    rows = sorter[np.searchsorted(pool.pairs, joined.pairs, sorter=sorter)]
    points = np.zeros(len(pool.queries))
    points += np.bincount(rows, fusion.points(columns), minlength=len(points))
    if fusion.unlisted is not None:
        rest = fusion.unlisted(columns)
        all_lists = np.bincount(queries, np.where(columns.place == 1, rest, 0))
        points += all_lists[pool.queries] - np.bincount(rows, rest, minlength=len(points))
    if fusion.times_lists:
        points *= np.bincount(rows, minlength=len(points))
    # In single precision, so that sums that differ by their order only are equal.
    best = np.lexsort((-points.astype(np.float32), pool.queries))
    return replace(pool.only(best), scores=points[best])


def _normalised(lines: _Lines) -> Floats:
    """The scores of each query from 0 to 1; 1 where all are equal."""
    starts = np.flatnonzero(places_of(lines.queries) == 1)
    if not len(starts):
        return lines.scores
    sizes = np.diff(starts, append=len(lines.scores))
    scores = np.clip(lines.scores, -_FAR, _FAR)
    lowest = np.repeat(np.minimum.reduceat(scores, starts), sizes)
    range_ = np.repeat(np.maximum.reduceat(scores, starts), sizes) - lowest
    shares: Floats = np.ones(len(range_))
    np.divide(scores - lowest, range_, out=shares, where=range_ > 0)
    return shares


def _checked(weights: Sequence[float] | None, sources: int) -> Sequence[float]:
    if weights is None:
        return (1.0,) * sources
    if len(weights) != sources:
        raise OptionError(f"there are {len(weights)} weights for {sources} sources; give each one")
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise OptionError("the weights of a fusion must be numbers of 0 or more")
    return weights
