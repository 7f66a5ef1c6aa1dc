"""Re-ranking and fusion in one call each, from paths, dictionaries and frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from understandability.api.evaluation import evaluate
from understandability.direction import Direction
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import conventions
from understandability.evaluation.criteria import (
    Criterion,
    column_direction,
    is_criterion,
    read_criterion,
)
from understandability.evaluation.fuse import K
from understandability.evaluation.fuse import fuse as fuse_sources
from understandability.evaluation.rerank import rerank as rerank_run
from understandability.evaluation.tradeoff import MEASURES, Tradeoff, reranked, settings_of
from understandability.evaluation.tradeoff import tradeoff as tradeoff_of
from understandability.inputs.given import labels_of, run_of
from understandability.inputs.run import Run

TOPS, WEIGHTS = (5, 10, 15, 20, 50), (0.25, 0.5, 0.75, 1.0)


def criterion(scores: Any, direction: str | None = None, *, column: str | None = None) -> Criterion:
    """Scores to rank by, with the direction in which documents get harder.

    `scores` are ``FILE:COLUMN[:DIRECTION]``, a dictionary of documents, a frame (with its
    `column`), or labels. The direction of ``difficulty``, ``p_understandable`` and the features of
    the catalogue is known; for other scores `direction` gives it, as in ``higher-harder``.

    >>> criterion({"flu": 20.0, "cold": 45.0}, "higher-harder").direction
    <Direction.HARDER: 'higher-harder'>
    """
    if isinstance(scores, Criterion):
        return scores
    if isinstance(scores, str | Path):
        column = f":{column}" if column else ""
        return read_criterion(f"{scores}{column}{f':{direction}' if direction else ''}")
    if direction is None and column is None:
        raise OptionError(
            "the scores do not say whether higher or lower values are harder to understand; give "
            "direction='higher-harder' or 'higher-easier'"
        )
    known = Direction.of(direction) if direction else column_direction(str(column))[1]
    return Criterion(labels_of(scores, column or "score", column), known)


def rerank(
    run: Any,
    scores: Any,
    direction: str | None = None,
    *,
    column: str | None = None,
    top: int = 15,
    weights: Sequence[float] | None = None,
    order: str = "rank",
    name: str | None = None,
) -> Run:
    """Order the first `top` documents of each query of a run by how easy they are.

    `run` is a path, a dictionary, a frame or a `Run`; `scores`, `direction` and `column` are as in
    `criterion`, or `scores` is a list of criteria with a weight for each. The order is by
    ``(1 - w) / (rank in the run) + w / (rank by the score)``, ``w`` 1 without weights.

    >>> run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0}}
    >>> easy = rerank(run, {"a": 70, "b": 40, "c": 20}, "higher-harder")
    >>> [docno for docno, _ in easy.by_query()["q"]]
    ['c', 'b', 'a']
    """
    several = isinstance(scores, list | tuple)
    criteria = (
        [criterion(each, direction, column=column) for each in scores]
        if several
        else [criterion(scores, direction, column=column)]
    )
    return rerank_run(run_of(run), criteria, top, weights, order, name)


def fuse(
    sources: Iterable[Any],
    method: str = "rrf",
    *,
    k: float = K,
    weights: Sequence[float] | None = None,
    top: int | None = None,
    order: str = "rank",
    name: str | None = None,
) -> Run:
    """Fuse several runs, and scores that rank their documents, into one run.

    Each source is a run in any form, ``FILE:COLUMN[:DIRECTION]`` for scores, or a `criterion`.
    `method` is rrf (reciprocal ranks, with its constant `k`), isr, combsum, combmnz or borda; with
    `top` only the first documents of each are fused, and the rest of the first run follows.

    >>> first, second = {"q": {"a": 9.0, "b": 5.0}}, {"q": {"b": 3.0, "c": 2.0}}
    >>> [docno for docno, _ in fuse([first, second]).by_query()["q"]]
    ['b', 'a', 'c']
    """
    if isinstance(sources, str | Path | dict | Run):
        raise InputError("fusion takes a list of two or more runs and scores, not one of them")
    return fuse_sources(
        [_source(each, place) for place, each in enumerate(sources, 1)],
        method,
        k=k,
        weights=weights,
        top=top,
        order=order,
        name=name,
    )


def _source(given: Any, place: int) -> Run | Criterion:
    if isinstance(given, Criterion):
        return given
    if isinstance(given, str | Path) and is_criterion(str(given)):
        return read_criterion(str(given))
    return run_of(given, f"run{place}")


def tradeoff(
    run: Any,
    scores: Any,
    qrels: Any,
    understandability: Any = None,
    *,
    direction: str | None = None,
    score_column: str | None = None,
    tops: Sequence[int] = TOPS,
    weights: Sequence[float] = WEIGHTS,
    measures: Iterable[object] = MEASURES,
    preset: str | None = None,
    order: str | None = None,
    **how: Any,
) -> Tradeoff:
    """Measure what re-ranking a run by scores gains and costs, over depths (`tops`) and weights.

    `scores`, `direction` and `score_column` are as in `criterion`; the rest is as in `evaluate`.

    >>> queries = [f"q{i}" for i in range(3)]
    >>> run = {q: {"hard": 2.0, "easy": 1.0} for q in queries}
    >>> qrels, labels = {q: {"hard": 1} for q in queries}, {"hard": 90, "easy": 5}
    >>> found = tradeoff(
    ...     run, labels, qrels, labels, direction="higher-harder", scale="lower-easier:40",
    ...     tops=[2], weights=[1.0], measures=["RBP(p=0.8)@1", "RBPu(p=0.8)@1"],
    ... )
    >>> [(p.setting.name, [round(v, 2) for v in p.means.values()]) for p in found.points]
    [('as it is', [0.2, 0.0]), ('top=2 w=1', [0.0, 0.2])]
    """
    settings = settings_of(tops, weights)
    by = criterion(scores, direction, column=score_column)
    chosen = conventions(preset, order=order).order
    result = evaluate(
        reranked(run_of(run), by, settings, chosen),
        qrels,
        understandability,
        measures=measures,
        preset=preset,
        order=order,
        **how,
    )
    return tradeoff_of(result, settings)
