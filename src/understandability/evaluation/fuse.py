"""Fusion: one run out of several, and of scores, by rank or by score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError, check_known, check_range
from understandability.evaluation.criteria import Criterion, criterion, is_criterion, mixed_models
from understandability.evaluation.rerank import chosen
from understandability.inputs.given import run_of
from understandability.inputs.run import Lines, Run, strictly_falling
from understandability.prompt import AtPrompt

_FAR = 1e300  # infinite scores are there, and differences have to be finite


@dataclass(frozen=True, slots=True)
class Lists:
    """The lines of all lists, as columns."""

    rank: Lines  # of a document in its list, from 1
    score: Floats  # there, from 0 for the lowest of the list to 1 for the highest
    weight: Floats  # of the list
    size: Lines  # how many documents the list has
    pool: Lines  # how many all lists of the query have together
    k: float  # the constant of reciprocal rank fusion


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


_SUMS = "Fox & Shaw 1994; Lee 1997"
# fmt: off
FUSIONS: Mapping[str, Fusion] = {
    "rrf": Fusion("Cormack, Clarke & Büttcher 2009",
        lambda each: each.weight / (each.k + each.rank)),
    "isr": Fusion("Mourão, Martins & Magalhães 2014",
        lambda each: each.weight / each.rank**2, times_lists=True),
    "combsum": Fusion(_SUMS, lambda each: each.weight * each.score),
    "combmnz": Fusion(_SUMS, lambda each: each.weight * each.score, times_lists=True),
    # As many points as the pool has documents for the first, one less for the next; the points
    # that a list leaves are shared by the documents that it lacks.
    "borda": Fusion("Aslam & Montague 2001",
        lambda each: each.weight * (each.pool - each.rank + 1),
        unlisted=lambda each: each.weight * (each.pool - each.size + 1) / 2),
}
# fmt: on


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
    check_known("fusion", method, FUSIONS)
    check_range(1, top=1 if top is None else top)
    check_range(0, k=k)
    sources = list(sources)
    given = [_source(each, place) for place, each in enumerate(sources, 1)]
    mixed_models([each for each in sources if isinstance(each, str) and is_criterion(each)])
    runs = [source for source in given if isinstance(source, Run)]
    if not runs or len(given) < 2:
        raise OptionError("fusion needs a run, and a second run or a score to fuse it with")
    shares = _checked(weights, len(given))
    listed = _lists(runs, order)
    everything = _union(listed)
    for source in given:
        if isinstance(source, Criterion):
            source.hardness(everything)  # refuses scores of other documents
    cut = [_first(each, top) for each in listed]
    pool = _union(cut)
    lists_of_runs = iter(cut)
    lists = [
        next(lists_of_runs) if isinstance(source, Run) else _first(_ranked_by(pool, source), top)
        for source in given
    ]
    fused = _fused(lists, pool, FUSIONS[method], shares, k)
    if top is not None:
        # An infinite score becomes one just below that of the line before.
        rest = chosen(listed[0], np.flatnonzero(~np.isin(_pairs(listed[0]), _pairs(pool))))
        rest = replace(rest, scores=np.full(len(rest), np.inf))
        both = _joined([fused, rest])
        fused = chosen(both, np.arange(len(both)))
    falling = strictly_falling(fused.query_ids, fused.scores)
    return replace(fused, name=name or method, scores=falling)


def _source(given: Any, place: int) -> Run | Criterion:
    is_score = isinstance(given, str | Path) and is_criterion(str(given))
    if is_score or isinstance(given, Criterion):
        return criterion(given)
    return run_of(given, f"run{place}")


def _lists(runs: Sequence[Run], order: str) -> list[Run]:
    """The runs in order, with the queries and the documents of all."""
    import pyarrow as pa

    queries = tuple(dict.fromkeys(query for run in runs for query in run.queries))
    numbers = {query: number for number, query in enumerate(queries)}
    docnos = pa.concat_arrays([run.docnos for run in runs]).dictionary_encode()
    documents = np.split(
        np.asarray(docnos.indices, dtype=np.int32), np.cumsum([len(run.docnos) for run in runs])
    )
    lists = []
    for run, own in zip(runs, documents, strict=False):
        query = np.array([numbers[name] for name in run.queries], dtype=np.int32)
        ids = (query[run.query_ids], own[run.docno_ids])
        whole = Run(run.name, queries, docnos.dictionary, *ids, run.ranks, run.scores)
        lists.append(chosen(whole, run.line_order(order)))
    return lists


def _pairs(run: Run) -> Lines:
    """One number for each pair of a query and a document."""
    return (run.query_ids.astype(np.int64) << 32) + run.docno_ids


def _first(run: Run, top: int | None) -> Run:
    return run if top is None else chosen(run, np.flatnonzero(run.ranks <= top))


def _ranked_by(pool: Run, scores: Criterion) -> Run:
    """The documents of the pool that have a score; the easiest first."""
    ease = -scores.labels.of_lines(pool) * scores.direction.sign
    scored = np.flatnonzero(~np.isnan(ease))
    best = scored[np.lexsort((-ease[scored], pool.query_ids[scored]))]
    return replace(chosen(pool, best), scores=ease[best])


def _joined(lists: Sequence[Run]) -> Run:
    """The lines of all lists, one after another, with their ranks."""
    names = ("query_ids", "docno_ids", "ranks", "scores")
    columns: Any = {name: np.concatenate([getattr(each, name) for each in lists]) for name in names}
    return replace(lists[0], **columns)


def _union(lists: Sequence[Run]) -> Run:
    """Each document of each query once, in the order in which the lists have them."""
    joined = _joined(lists)
    return chosen(joined, np.sort(np.unique(_pairs(joined), return_index=True)[1]))


def _fused(
    lists: Sequence[Run], pool: Run, fusion: Fusion, weights: Sequence[float], k: float
) -> Run:
    """The pool with the points of its documents, the most points first."""
    joined = _joined(lists)
    queries = joined.query_ids
    columns = Lists(
        rank=joined.ranks,
        score=np.concatenate([_normalised(each) for each in lists]),
        weight=np.repeat(np.asarray(weights, np.float64), [len(each) for each in lists]),
        size=np.concatenate([np.bincount(each.query_ids)[each.query_ids] for each in lists]),
        pool=np.bincount(pool.query_ids)[queries],
        k=k,
    )
    pairs = _pairs(pool)
    sorter = np.argsort(pairs)
    rows = sorter[np.searchsorted(pairs, _pairs(joined), sorter=sorter)]
    count = len(pool)
    points = np.zeros(count) + np.bincount(rows, fusion.points(columns), minlength=count)
    if fusion.unlisted is not None:
        rest = fusion.unlisted(columns)
        of_query = np.bincount(queries, np.where(columns.rank == 1, rest, 0))
        points += of_query[pool.query_ids] - np.bincount(rows, rest, minlength=count)
    if fusion.times_lists:
        points *= np.bincount(rows, minlength=count)
    # In single precision, so that sums that differ by their order only are equal.
    best = np.lexsort((-points.astype(np.float32), pool.query_ids))
    return replace(chosen(pool, best), scores=points[best])


def _normalised(run: Run) -> Floats:
    """The scores of each query from 0 to 1; 1 where all are equal."""
    starts = np.flatnonzero(run.ranks == 1)
    if not len(starts):
        return run.scores
    sizes = np.diff(starts, append=len(run))
    scores = np.clip(run.scores, -_FAR, _FAR)
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
