"""Fusion: combine several runs, and document scores, into one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError, check_choice, check_range
from understandability.evaluation.criteria import Criterion, criterion, is_criterion, mixed_models
from understandability.evaluation.rerank import chosen
from understandability.inputs.run import Lines, Run, strictly_falling
from understandability.inputs.runs_and_labels import run_of

_MAX_SCORE = 1e300  # infinite scores are clipped to it, so that their differences are finite


@dataclass(frozen=True, slots=True)
class Lists:
    """The lines of all ranked lists to fuse, concatenated; one array per column."""

    rank: Lines  # the document's rank in its list, from 1
    score: Floats  # the document's score in its list, scaled to 0 (lowest) to 1 (highest)
    weight: Floats  # the weight of the list
    size: Lines  # the number of documents of the query in the list
    pool: Lines  # the number of distinct documents of the query in all lists
    k: float  # the constant of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Fusion:
    """A fusion method: the score of a document is the sum of its `points` over all lists.

    `points` computes the points of each line. `unlisted` computes the points that a list adds to
    each document that is missing from it. With `times_lists`, the sum is multiplied by the number
    of lists that contain the document.
    """

    source: str
    points: Callable[[Lists], Floats]
    unlisted: Callable[[Lists], Floats] | None = None
    times_lists: bool = False


_SUMS = "Fox & Shaw 1994; Lee 1997"
# fmt: off
FUSIONS: Mapping[str, Fusion] = {
    "rrf": Fusion("Cormack, Clarke & Büttcher 2009",
        lambda lines: lines.weight / (lines.k + lines.rank)),
    "isr": Fusion("Mourão, Martins & Magalhães 2014",
        lambda lines: lines.weight / lines.rank**2, times_lists=True),
    "combsum": Fusion(_SUMS, lambda lines: lines.weight * lines.score),
    "combmnz": Fusion(_SUMS, lambda lines: lines.weight * lines.score, times_lists=True),
    # In a pool of 5, the ranks of a list earn 5, 4, 3, 2, 1 points. A list of 3 leaves 2 + 1
    # points, which the two documents that it lacks share: (5 - 3 + 1) / 2 = 1.5 each.
    "borda": Fusion("Aslam & Montague 2001",
        lambda lines: lines.weight * (lines.pool - lines.rank + 1),
        unlisted=lambda lines: lines.weight * (lines.pool - lines.size + 1) / 2),
}
# fmt: on


def fuse(
    sources: Sequence[str] | Iterable[Any],
    method: Annotated[str, Parameter(choices=FUSIONS)] = "rrf",
    *,
    k: float = 60.0,
    weights: Annotated[Sequence[float] | None, Parameter("--weight")] = None,
    top: int | None = None,
    order: str = "rank",
    name: Annotated[str | None, Parameter("--tag", metavar="NAME")] = None,
) -> Run:
    """Fuse runs, and scores of how easy documents are, into one run.

    A column of scores counts as a run: it ranks the documents of the runs, easiest first, without
    those that have no score. Documents with the same fused score keep the order of the first run
    that lists them.

    Example: understand fuse bm25.run scores.parquet:difficulty --method rrf --top 15 -o fused.run

    Args:
        sources: TREC runs, and scores that rank the runs' documents, as FILE:COLUMN[:DIRECTION].
            DIRECTION is higher-harder or higher-easier; omit it if the column has a known one.
        method: rrf (reciprocal ranks), isr, combsum, combmnz, borda.
        k: The constant of rrf: 1 / (k + rank).
        weights: The weight of each run and score, in the same order. Default: 1 each.
        top: Fuse only the first TOP documents of each source; the rest of the first run follows.
        order: How a run is ordered: by its rank column, or by score as in trec_eval.
        name: The name of the new run.

    In Python:
        A source is a run in any form, ``FILE:COLUMN[:DIRECTION]`` for scores, or a `criterion`.

    >>> first, second = {"q": {"a": 9.0, "b": 5.0}}, {"q": {"b": 3.0, "c": 2.0}}
    >>> [docno for docno, _ in fuse([first, second]).by_query()["q"]]
    ['b', 'a', 'c']
    """
    if isinstance(sources, str | Path | dict | Run):
        raise InputError("fusion takes a list of two or more runs and scores, not one of them")
    check_choice("fusion", method, FUSIONS)
    check_range(1, top=1 if top is None else top)
    check_range(0, k=k)
    sources = list(sources)
    parsed = [_run_or_criterion(source, number) for number, source in enumerate(sources, 1)]
    mixed_models([source for source in sources if isinstance(source, str) and is_criterion(source)])
    runs = [source for source in parsed if isinstance(source, Run)]
    if not runs or len(parsed) < 2:
        raise OptionError("fusion needs a run, and a second run or a score to fuse it with")
    list_weights = _checked_weights(weights, len(parsed))
    sorted_runs = _with_shared_ids(runs, order)
    all_documents = _union(sorted_runs)
    for source in parsed:
        if isinstance(source, Criterion):
            source.hardness(all_documents)  # raises `InputError` if it scores none of them
    truncated_runs = [_first(run, top) for run in sorted_runs]
    pool = _union(truncated_runs)
    remaining_runs = iter(truncated_runs)
    lists = [
        next(remaining_runs) if isinstance(source, Run) else _first(_ranked_by(pool, source), top)
        for source in parsed
    ]
    fused = _fuse_lists(lists, pool, FUSIONS[method], list_weights, k)
    if top is not None:
        # Append the documents of the first run that were not fused. Their infinite scores make
        # `strictly_falling` put each just below the preceding line.
        first_run = sorted_runs[0]
        rest = chosen(first_run, np.flatnonzero(~np.isin(_pair_keys(first_run), _pair_keys(pool))))
        rest = replace(rest, scores=np.full(len(rest), np.inf))
        fused_and_rest = _concatenated([fused, rest])
        fused = chosen(fused_and_rest, np.arange(len(fused_and_rest)))  # group by query again
    falling = strictly_falling(fused.query_ids, fused.scores)
    return replace(fused, name=name or method, scores=falling)


def _run_or_criterion(source: Any, number: int) -> Run | Criterion:
    is_score = isinstance(source, str | Path) and is_criterion(str(source))
    if is_score or isinstance(source, Criterion):
        return criterion(source)
    return run_of(source, f"run{number}")


def _with_shared_ids(runs: Sequence[Run], order: str) -> list[Run]:
    """Sort the lines of each run, and give queries and documents the same ids in all runs."""
    import pyarrow as pa

    queries = tuple(dict.fromkeys(query for run in runs for query in run.queries))
    query_numbers = {query: number for number, query in enumerate(queries)}
    docnos = pa.concat_arrays([run.docnos for run in runs]).dictionary_encode()
    # Split after the last run as well, which adds an empty array that `zip` ignores.
    shared_docno_ids = np.split(
        np.asarray(docnos.indices, dtype=np.int32), np.cumsum([len(run.docnos) for run in runs])
    )
    sorted_runs = []
    for run, docno_ids in zip(runs, shared_docno_ids, strict=False):
        query_ids = np.array([query_numbers[query] for query in run.queries], dtype=np.int32)
        ids = query_ids[run.query_ids], docno_ids[run.docno_ids]
        renumbered = Run(run.name, queries, docnos.dictionary, *ids, run.ranks, run.scores)
        sorted_runs.append(chosen(renumbered, run.line_order(order)))
    return sorted_runs


def _pair_keys(run: Run) -> Lines:
    """Return one integer per line that identifies query and document: 2 * 2**32 + 5 for ids 2 and
    5.
    """
    return (run.query_ids.astype(np.int64) << 32) + run.docno_ids


def _first(run: Run, top: int | None) -> Run:
    return run if top is None else chosen(run, np.flatnonzero(run.ranks <= top))


def _ranked_by(pool: Run, scores: Criterion) -> Run:
    """Return the documents of the run `pool` that have a score, easiest first."""
    ease = -scores.labels.of_lines(pool) * scores.direction.sign
    scored = np.flatnonzero(~np.isnan(ease))
    easiest_first = scored[np.lexsort((-ease[scored], pool.query_ids[scored]))]
    return replace(chosen(pool, easiest_first), scores=ease[easiest_first])


def _concatenated(lists: Sequence[Run]) -> Run:
    """Concatenate the lines of all lists; each line keeps its rank within its own list."""
    names = ("query_ids", "docno_ids", "ranks", "scores")
    columns: Any = {name: np.concatenate([getattr(run, name) for run in lists]) for name in names}
    return replace(lists[0], **columns)


def _union(lists: Sequence[Run]) -> Run:
    """Return the distinct documents of each query, in order of first appearance in the lists."""
    lines = _concatenated(lists)
    return chosen(lines, np.sort(np.unique(_pair_keys(lines), return_index=True)[1]))


def _fuse_lists(
    lists: Sequence[Run], pool: Run, fusion: Fusion, weights: Sequence[float], k: float
) -> Run:
    """Return the documents of `pool` with their total points as scores, highest first."""
    lines = _concatenated(lists)
    columns = Lists(
        rank=lines.ranks,
        score=np.concatenate([_normalised(run) for run in lists]),
        weight=np.repeat(np.asarray(weights, np.float64), [len(run) for run in lists]),
        size=np.concatenate([np.bincount(run.query_ids)[run.query_ids] for run in lists]),
        pool=np.bincount(pool.query_ids)[lines.query_ids],
        k=k,
    )
    # The row of the pool for each line: a pool with keys 7, 3, 5 and lines with keys 5, 7, 5
    # give sorter = 1, 2, 0 and rows = 2, 0, 2.
    pool_keys = _pair_keys(pool)
    sorter = np.argsort(pool_keys)
    rows = sorter[np.searchsorted(pool_keys, _pair_keys(lines), sorter=sorter)]
    count = len(pool)
    points = np.zeros(count) + np.bincount(rows, fusion.points(columns), minlength=count)
    if fusion.unlisted is not None:
        # The sum over the lists that lack a document is the sum over all lists of the query, minus
        # the sum over the lists that contain it. Three lists that add 1.5, 1 and 0.5 to documents
        # they lack add 1.5 + 1 + 0.5 - 1 = 2 to a document of the second list alone.
        unlisted = fusion.unlisted(columns)
        once_per_list = np.where(columns.rank == 1, unlisted, 0)
        query_totals = np.bincount(lines.query_ids, once_per_list)
        points += query_totals[pool.query_ids] - np.bincount(rows, unlisted, minlength=count)
    if fusion.times_lists:
        points *= np.bincount(rows, minlength=count)
    # Compare in single precision, so that equal sums stay equal whatever the order of addition.
    highest_first = np.lexsort((-points.astype(np.float32), pool.query_ids))
    return replace(chosen(pool, highest_first), scores=points[highest_first])


def _normalised(run: Run) -> Floats:
    """Scale the scores of each query to 0 (lowest) to 1 (highest); 1 if all are equal."""
    starts = np.flatnonzero(run.ranks == 1)  # of queries: ranks 1 2 3 1 2 start at 0 and 3
    if not len(starts):
        return run.scores
    sizes = np.diff(starts, append=len(run))
    scores = np.clip(run.scores, -_MAX_SCORE, _MAX_SCORE)
    lowest = np.repeat(np.minimum.reduceat(scores, starts), sizes)
    spread = np.repeat(np.maximum.reduceat(scores, starts), sizes) - lowest
    normalised: Floats = np.ones(len(spread))
    np.divide(scores - lowest, spread, out=normalised, where=spread > 0)
    return normalised


def _checked_weights(weights: Sequence[float] | None, sources: int) -> Sequence[float]:
    """Return the weights, by default 1 each; raise `OptionError` if they are invalid."""
    if weights is None:
        return (1.0,) * sources
    if len(weights) != sources:
        raise OptionError(f"there are {len(weights)} weights for {sources} sources; give each one")
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise OptionError("the weights of a fusion must be numbers of 0 or more")
    return weights
