"""Re-ranking: the first documents of a run, the easier first; the rest untouched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.places import places_of, reordered
from understandability.inputs.run import Run

Ints = NDArray[np.int64]


def rerank(
    run: Run,
    criteria: Sequence[Criterion],
    top: int = 15,
    weights: Sequence[float] | None = None,
    order: str = "rank",
    name: str | None = None,
) -> Run:
    """Order the first `top` documents of each query of a run by how easy they are.

    The final order is by ``(1 - w) / (rank in the run) + w / (rank by the score)``, where
    equal ones keep the order of the run; ``w = 1``, as in Palotti, Zuccon & Hanbury (2019),
    orders by the score alone. With several criteria each adds its ``w / rank``, and the run has
    what is left of 1; without `weights` they share 1 alike. A document that lacks a score keeps
    its place, and the others are ranked among themselves. Nothing below `top` moves.

    `order` is that of `Run.line_order`. Raises `InputError` where a criterion has no document
    of the run.

    >>> from understandability.inputs.run import Labels
    >>> from understandability.direction import Direction
    >>> run = Run.of("mine", {"q": [("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0)]})
    >>> difficulty = Labels.of_documents("difficulty", {"a": 70, "c": 20, "d": 10})
    >>> rerank(run, [Criterion(difficulty, Direction.HARDER)], top=3).by_query()["q"]
    [('c', 1.0), ('b', 0.5), ('a', 0.3333333333333333), ('d', 0.25)]
    """
    weights = _checked(weights, len(criteria))
    if top < 1:
        raise OptionError(f"the number of documents to re-rank must be 1 or more, not {top}")
    lines = run.line_order(order)
    places = places_of(run.query_ids[lines])
    keys = [_key(criterion, run)[lines] for criterion in criteria]
    slots = np.flatnonzero((places <= top) & ~np.any(np.isnan(keys), axis=0))
    queries, places = run.query_ids[lines][slots], places[slots]
    merit = (1 - sum(weights)) / places
    for weight, key in zip(weights, keys, strict=True):
        merit += weight / _ranks(queries, key[slots])
    # Twelve decimals: what differs only by rounding is equal, and keeps the order of the run.
    best = np.lexsort((places, -np.round(merit, 12), queries))
    new = lines.copy()
    new[slots] = lines[slots[best]]
    return reordered(run, name or f"{run.name}.top{top}", new)


def _checked(weights: Sequence[float] | None, criteria: int) -> tuple[float, ...]:
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
    return tuple(weights)


def _key(criterion: Criterion, run: Run) -> Floats:
    """A number for each line, lower is easier; NaN without a score."""
    criterion.check(run)
    values = criterion.labels.of_lines(run)
    return values * criterion.direction.sign


def _ranks(queries: NDArray[np.int32], keys: Floats) -> Ints:
    """The rank of each line by its key within its query, equal ones in their order."""
    order = np.lexsort((keys, queries))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = places_of(queries[order])
    return ranks
