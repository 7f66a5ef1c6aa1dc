"""Our measures as measures of ir_measures, for its tools and PyTerrier's experiments.

Needs the extra ``ir``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import ir_measures
except ImportError as error:
    raise ImportError(
        "measures of ir_measures need an optional package: pip install 'understandability[ir]'"
    ) from error

from understandability.evaluation.conventions import Conventions
from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.labels import Dimension
from understandability.evaluation.measures.names import parse_measures
from understandability.records import Labels, Run

if TYPE_CHECKING:
    import pandas as pd


def measures(
    names: Sequence[str],
    dimensions: Mapping[str, Dimension] | None = None,
    settings: Conventions | None = None,
) -> tuple[Any, ...]:
    """Measures of ir_measures that compute ours, called by the same names.

    `dimensions` holds what ir_measures knows nothing of: the labels of understandability under
    ``u``, with their scale. Rankings are ordered by score, as ir_measures has them.

    >>> from ir_measures import Qrel, ScoredDoc, calc_aggregate
    >>> from understandability.evaluation.scales import parse_scale
    >>> qunder = Labels.of("qunder", {"q": {"d1": 90, "d2": 10}})
    >>> easy = Dimension(qunder, parse_scale("lower-easier:40"))
    >>> ours = measures(["uRBP(p=0.8)@10"], {"u": easy})
    >>> run = [ScoredDoc("q", "d1", 2.0), ScoredDoc("q", "d2", 1.0)]
    >>> qrels = [Qrel("q", "d1", 1), Qrel("q", "d2", 1)]
    >>> {str(name): round(value, 3) for name, value in calc_aggregate(ours, qrels, run).items()}
    {'uRBP(p=0.8)@10': 0.16}
    """
    by_score = replace(settings or Conventions(), order="score")
    return tuple(
        _measure(str(measure), dimensions or {}, by_score) for measure in parse_measures(names)
    )


def _measure(name: str, dimensions: Mapping[str, Dimension], settings: Conventions) -> Any:
    def values(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[str, float]]:
        rankings: dict[str, list[tuple[str, float]]] = {}
        for query, document, score in _rows(run, "score"):
            rankings.setdefault(query, []).append((document, score))
        labels: dict[str, dict[str, float]] = {}
        for query, document, relevance in _rows(qrels, "relevance"):
            labels.setdefault(query, {}).setdefault(document, relevance)
        result = evaluate(
            [Run.of("run", rankings)], Labels.of("qrels", labels), [name], dimensions, settings
        )
        for query, value in zip(result.queries, result.values["run"][0].tolist(), strict=True):
            if not np.isnan(value):
                yield query, value

    return ir_measures.define(values, name, support_cutoff=False)


def _rows(frame: pd.DataFrame, number: str) -> Iterator[tuple[str, str, float]]:
    columns = (frame[name] for name in ("query_id", "doc_id", number))
    for query, document, value in zip(*columns, strict=True):
        yield str(query), str(document), float(value)
