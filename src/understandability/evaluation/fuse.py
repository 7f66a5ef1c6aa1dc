"""Fusion: one run out of several, and of scores, by rank or by score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.criteria import Criterion, criterion, is_criterion, mixed_models
from understandability.evaluation.ranks import Ints, ranks_of, strictly_falling
from understandability.inputs.given import run_of
from understandability.inputs.run import Run
from understandability.prompt import AtPrompt

_FAR = 1e300  # infinite scores are there, and differences have to be finite


@dataclass(frozen=True, slots=True)
class Lists:
    """The lines of all lists, as columns.

    `rank` is that of a document in its list, from 1; `score` its score there, from 0 for
    the lowest of the list to 1 for the highest; `weight` that of the list; `size` how many
    documents the list has, `pool` how many all lists of the query have together; `k` the
    constant of reciprocal rank fusion.
    """

    rank: Ints
    score: Floats
    weight: Floats
    size: Ints
    pool: Ints
    k: float


@dataclass(frozen=True, slots=True)
class Fusion:
    """A method: the points that a line gives to its document, which adds them up.

    `unlisted` are the points for each document of the pool that the list of a line lacks; with
    `times_lists` the sum is multiplied by the number of lists that have the document.
    """

    source: str
    points: Callable[[Lists], Floats]
    unlisted: Callable[[Lists], Floats] | None = None
    times_lists: bool = False


FUSIONS: Mapping[str, Fusion] = MappingProxyType(
    {
        "rrf": Fusion(
            "Cormack, Clarke & Büttcher 2009", lambda each: each.weight / (each.k + each.rank)
        ),
        "isr": Fusion(
            "Mourão, Martins & Magalhães 2014",
            lambda each: each.weight / each.rank**2,
            times_lists=True,
        ),
        "combsum": Fusion("Fox & Shaw 1994; Lee 1997", lambda each: each.weight * each.score),
        "combmnz": Fusion(
            "Fox & Shaw 1994; Lee 1997", lambda each: each.weight * each.score, times_lists=True
        ),
        # As many points as the pool has documents for the first, one less for the next; the points
        # that a list leaves are shared by the documents that it lacks.
        "borda": Fusion(
            "Aslam & Montague 2001",
            lambda each: each.weight * (each.pool - each.rank + 1),
            unlisted=lambda each: each.weight * (each.pool - each.size + 1) / 2,
        ),
    }
)


def fuse(
    sources: Annotated[Iterable[Any], AtPrompt(list[str])],
    method: Annotated[str, AtPrompt(choices="evaluation.fuse:FUSIONS")] = "rrf",
    *,
    k: float = 60.0,
    weights: Annotated[Sequence[float] | None, AtPrompt(list[float], "--weight")] = None,
    top: int | None = None,
    order: str = "rank",
    name: Annotated[str | None, AtPrompt(str, "--tag", value="NAME")] = None,
) -> Run:
    """Fuse runs, and scores of how easy documents are, into one run.

    Scores rank those documents of the given runs that have a score, the easiest first. Documents
    with equal points keep the order of the first source that has them.

    In Python, each source is a run in any form, ``FILE:COLUMN[:DIRECTION]`` for scores, or a
    `criterion`.

    >>> first, second = {"q": {"a": 9.0, "b": 5.0}}, {"q": {"b": 3.0, "c": 2.0}}
    >>> [docno for docno, _ in fuse([first, second]).by_query()["q"]]
    ['b', 'a', 'c']

    Example: understand fuse bm25.run scores.parquet:difficulty --method rrf --top 15 -o fused.run

    Args:
        sources: TREC runs, and scores that rank the runs' documents: FILE:COLUMN[:DIRECTION], with
            DIRECTION higher-harder or higher-easier where it is not known.
        method: rrf (reciprocal ranks), isr, combsum, combmnz, borda.
        k: The constant of rrf: 1 / (k + rank).
        weights: The weight of each run and score, in the same order. Default: 1 each.
        top: Fuse only the first documents of each; the rest of the first run follows.
        order: How a run is ordered: by its rank column, or by score as in trec_eval.
        name: The name of the new run.
    """
    if isinstance(sources, str | Path | dict | Run):
        raise InputError("fusion takes a list of two or more runs and scores, not one of them")
    if method not in FUSIONS:
        raise OptionError(f"there is no fusion {method!r}; choose one of {', '.join(FUSIONS)}")
    if top is not None and top < 1:
        raise OptionError(f"the number of documents to fuse must be 1 or more, not {top}")
    if k < 0:
        raise OptionError(f"k must be 0 or more, not {k:g}")
    sources = list(sources)
    given = [_source(each, place) for place, each in enumerate(sources, 1)]
    mixed_models([each for each in sources if isinstance(each, str) and is_criterion(each)])
    runs = [source for source in given if isinstance(source, Run)]
    if not runs or len(given) < 2:
        raise OptionError("fusion needs a run, and a second run or a score to fuse it with")
    shares = _checked(weights, len(given))
    queries, docnos, listed = _lists(runs, order)
    everything = _union(listed).as_run(queries, docnos, runs[0].name)
    for source in given:
        if isinstance(source, Criterion):
            source.hardness(everything)  # refuses scores of other documents
    cut = [lines.first(top) for lines in listed]
    pool = _union(cut)
    pooled = pool.as_run(queries, docnos)
    lists_of_runs = iter(cut)
    lists = [
        next(lists_of_runs)
        if isinstance(source, Run)
        else pool.ranked_by(source, pooled).first(top)
        for source in given
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


def _source(given: Any, place: int) -> Run | Criterion:
    is_score = isinstance(given, str | Path) and is_criterion(str(given))
    if is_score or isinstance(given, Criterion):
        return criterion(given)
    return run_of(given, f"run{place}")


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
        return self if top is None else self.only(ranks_of(self.queries) <= top)

    def as_run(self, queries: tuple[str, ...], docnos: Any, name: str = "pool") -> Run:
        """A run of these lines in their order."""
        query_ids, docno_ids = self.queries.astype(np.int32), self.documents.astype(np.int32)
        return Run(name, queries, docnos, query_ids, docno_ids, ranks_of(query_ids), self.scores)

    def ranked_by(self, scores: Criterion, run: Run) -> _Lines:
        """Those of the lines, which are those of `run`, that have a score; the easiest first."""
        ease = -scores.labels.of_lines(run) * scores.direction.sign
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
        query = np.array([numbers[name] for name in run.queries], dtype=np.int64)
        listed = _Lines(query[run.query_ids], own[run.docno_ids], run.scores)
        lists.append(listed.only(run.line_order(order)).in_order())
    return queries, docnos.dictionary, lists


def _joined(lists: Sequence[_Lines]) -> _Lines:
    """The lines of all lists, one after another."""
    columns = [(lines.queries, lines.documents, lines.scores) for lines in lists]
    return _Lines(*map(np.concatenate, zip(*columns, strict=True)))


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
    columns = Lists(
        rank=np.concatenate([ranks_of(lines.queries) for lines in lists]),
        score=np.concatenate([_normalised(lines) for lines in lists]),
        weight=np.repeat(np.asarray(weights, np.float64), [len(lines.queries) for lines in lists]),
        size=np.concatenate([np.bincount(lines.queries)[lines.queries] for lines in lists]),
        pool=np.bincount(pool.queries)[queries],
        k=k,
    )
    sorter = np.argsort(pool.pairs)
    rows = sorter[np.searchsorted(pool.pairs, joined.pairs, sorter=sorter)]
    count = len(pool.queries)
    points = np.zeros(count) + np.bincount(rows, fusion.points(columns), minlength=count)
    if fusion.unlisted is not None:
        rest = fusion.unlisted(columns)
        of_query = np.bincount(queries, np.where(columns.rank == 1, rest, 0))
        points += of_query[pool.queries] - np.bincount(rows, rest, minlength=count)
    if fusion.times_lists:
        points *= np.bincount(rows, minlength=count)
    # In single precision, so that sums that differ by their order only are equal.
    best = np.lexsort((-points.astype(np.float32), pool.queries))
    return replace(pool.only(best), scores=points[best])


def _normalised(lines: _Lines) -> Floats:
    """The scores of each query from 0 to 1; 1 where all are equal."""
    starts = np.flatnonzero(ranks_of(lines.queries) == 1)
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
