"""Re-rank the first documents of a run, easiest first, and keep the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.errors import OptionError, check_range
from understandability.evaluation.criteria import criterion, mixed_models
from understandability.inputs.run import Lines, Run, ranks_of
from understandability.inputs.runs_and_labels import run_of


def rerank(
    run: Any,
    scores: Annotated[
        Sequence[str] | Any, Parameter("--scores", metavar="FILE:COLUMN[:DIRECTION]")
    ],
    direction: Annotated[str | None, Parameter(parse=False)] = None,
    *,
    column: Annotated[str | None, Parameter(parse=False)] = None,
    top: int = 15,
    weights: Annotated[Sequence[float] | None, Parameter("--weight")] = None,
    order: str = "rank",
    name: Annotated[str | None, Parameter("--tag", metavar="NAME")] = None,
) -> Run:
    """Re-rank the first documents of a run by how easy they are to understand.

    The order is by (1 - w) / (rank in the run) + w / (rank by the score); ties keep the order of
    the run. w = 1, as in Palotti, Zuccon & Hanbury (2019), orders by the score alone.
    With several scores, each adds its w / rank, and the run the remainder of 1. A document without
    a score keeps its position, and the others are ranked among themselves. Documents after the
    first `top` stay. Scores of the new run are the reciprocals of the new ranks, so that tools
    that order by score agree.

    Example: understand rerank bm25.run --scores scores.parquet:difficulty --top 15 -o easy.run

    Args:
        run: A TREC run (query Q0 document rank score tag), plain, .gz or .zst.
        scores: A score of documents; may be repeated. DIRECTION, higher-harder or higher-easier,
            may be omitted for difficulty, p_understandable and features.
        top: The number of documents of each query to re-rank.
        weights: The weight of each score, in the same order; the run gets the remainder of 1.
            Default: equal weights that add up to 1.
        order: Order the run by its rank column, or by score as in trec_eval.
        name: The name of the new run.

    In Python:
        `run` is a path, a dictionary, a frame or a `Run`; `scores`, `direction` and `column` are as
        in `criterion`, or `scores` is a list of criteria.

        Raises `InputError` if a criterion has no score for any document of the run.

    >>> run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    >>> rerank(run, {"a": 70, "c": 20, "d": 10}, "higher-harder", top=3).by_query()["q"]
    [('c', 1.0), ('b', 0.5), ('a', 0.3333333333333333), ('d', 0.25)]
    """
    check_range(1, top=top)
    listed = scores if isinstance(scores, list | tuple) else [scores]
    criteria = [criterion(score, direction, column=column) for score in listed]
    mixed_models(listed, column=column)  # raises `InputError` for two scales
    shares = _shares(weights, len(criteria))
    original = run_of(run)
    lines = original.line_order(order)
    ranks = ranks_of(original.query_ids[lines])
    hardness = [criterion_.hardness(original)[lines] for criterion_ in criteria]
    slots = np.flatnonzero((ranks <= top) & ~np.any(np.isnan(hardness), axis=0))
    queries, own = original.query_ids[lines][slots], ranks[slots]
    merit = (1 - sum(shares)) / own
    for share, values in zip(shares, hardness, strict=True):
        best_first = np.lexsort((values[slots], queries))
        by_score = np.empty_like(own)
        by_score[best_first] = ranks_of(queries[best_first])
        merit += share / by_score
    # Round to twelve decimals, so that documents whose merit differs only by rounding keep the
    # order of the run.
    new_lines = lines.copy()
    new_lines[slots] = lines[slots[np.lexsort((own, -np.round(merit, 12), queries))]]
    reranked = chosen(original, new_lines)
    return replace(reranked, name=name or f"{original.name}.top{top}", scores=1 / reranked.ranks)


def chosen(run: Run, lines: Lines) -> Run:
    """Return the selected lines of a run, in this order within each query, with new ranks."""
    lines = lines[np.argsort(run.query_ids[lines], kind="stable")]
    query_ids, docno_ids = run.query_ids[lines], run.docno_ids[lines]
    return Run(
        run.name,
        run.queries,
        run.docnos,
        query_ids,
        docno_ids,
        ranks_of(query_ids),
        run.scores[lines],
    )


def _shares(weights: Sequence[float] | None, criteria: int) -> Sequence[float]:
    if criteria < 1:
        raise OptionError("re-ranking needs a score to rank by")
    if weights is None:
        return (1 / criteria,) * criteria
    if len(weights) != criteria:
        raise OptionError(
            f"there are {len(weights)} weights for {criteria} scores; give one for each"
        )
    if not all(0 <= weight <= 1 for weight in weights) or sum(weights) > 1 + 1e-9:
        raise OptionError(
            f"the weights of scores must lie between 0 and 1 and add up to no more than 1, not "
            f"{', '.join(f'{weight:g}' for weight in weights)}"
        )
    return weights


def mixed_scores(
    scores: Sequence[float], probabilities: Sequence[float | None], weight: float
) -> list[float]:
    """Mix the scores of search results with P(U|d).

    Scores are scaled from 0 (the lowest) to 1 (the highest), or to 1 if all are equal. The mixed
    score is ``(1 - weight) * scaled + weight * P(U|d)``; without a probability it is the scaled
    score.

    >>> mixed_scores([3.0, 1.0, 2.0], [0.2, 1.0, None], weight=0.5)
    [0.6, 0.5, 0.5]
    """
    exact = [Fraction(score) for score in scores]  # the difference of floats may overflow
    low, high = min(exact), max(exact)
    mixed = []
    for score, probability in zip(exact, probabilities, strict=True):
        scaled = float((score - low) / (high - low)) if high > low else 1.0
        mixed.append(
            scaled if probability is None else (1 - weight) * scaled + weight * probability
        )
    return mixed
