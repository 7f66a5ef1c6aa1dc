"""Runs and labels in, measures out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.labels import Dimension, Judgements
from understandability.evaluation.measures.names import parse_measures
from understandability.evaluation.measures.scoring import harmonic, score
from understandability.evaluation.measures.table import Measure
from understandability.evaluation.oddities import label_oddities, run_oddities
from understandability.records import Labels, Oddity, Run


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The values of some measures for some runs.

    ``values[run][i, j]`` is the value of measure ``i`` for query ``j`` of the qrels, NaN for a
    query that the mean leaves out; ``means[run][i]`` is what is reported of the run.
    `oddities` says what was unusual in each run; `settings` is the header of an output.
    """

    measures: tuple[str, ...]
    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Floats]
    settings: Mapping[str, Any]
    oddities: Mapping[str, tuple[Oddity, ...]]

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.means)

    def column(self, measure: str) -> Floats:
        """What one measure says of every run.

        Raises ValueError where the measure was not asked for.
        """
        place = self.measures.index(measure)
        return np.array([means[place] for means in self.means.values()])

    def as_dict(self, per_query: bool = True) -> dict[str, Any]:
        """Conventions, means and values by query as plain dictionaries: the JSON output."""
        means = {
            run: dict(zip(self.measures, means.tolist(), strict=True))
            for run, means in self.means.items()
        }
        output: dict[str, Any] = {"settings": dict(self.settings), "runs": means}
        if per_query:
            output["per_query"] = {
                run: {
                    measure: {
                        query: value
                        for query, value in zip(self.queries, row.tolist(), strict=True)
                        if value == value
                    }
                    for measure, row in zip(self.measures, values, strict=True)
                }
                for run, values in self.values.items()
            }
        return output


def evaluate(
    runs: Iterable[Run],
    qrels: Labels,
    measures: Sequence[str | Measure],
    dimensions: Mapping[str, Dimension] | None = None,
    settings: Conventions | None = None,
    *,
    strict: bool = False,
) -> Evaluation:
    """Evaluate runs, one at a time; neither runs nor labels are altered.

    `dimensions` holds labels and scales beside relevance, understandability under ``u``. What
    is unusual in a run is told in the result; with `strict` it raises `InputError`.

    >>> from understandability.evaluation.scales import parse_scale
    >>> run = Run.of("mine", {"q": [("d1", 2.0), ("d2", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q": {"d1": 1, "d2": 1}})
    >>> qunder = Labels.of("qunder", {"q": {"d1": 90, "d2": 10}})
    >>> dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:40"))}
    >>> result = evaluate([run], qrels, ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"], dimensions)
    >>> result.means["mine"].round(3).tolist()
    [0.36, 0.16]
    """
    parsed = parse_measures(str(measure) for measure in measures)
    if not parsed:
        raise OptionError("there is no measure; name one, such as RBP(p=0.8)@10")
    judgements = Judgements(qrels, dimensions or {}, settings or Conventions())
    for measure in parsed:
        judgements.require(measure)
    values: dict[str, Floats] = {}
    means: dict[str, Floats] = {}
    oddities: dict[str, tuple[Oddity, ...]] = {}
    for run in runs:
        if run.name in means:
            raise InputError(f"two runs are called {run.name}; rename one of the files")
        order = judgements.settings.order
        lines = run.line_order(order)
        oddities[run.name] = (
            *run.oddities,
            *run_oddities(run, order, lines),
            *label_oddities(run, qrels),
        )
        if strict and oddities[run.name]:
            raise InputError(
                f"run {run.name} is refused under --strict: {oddities[run.name][0]}; mend the run, "
                "or leave --strict out"
            )
        values[run.name], means[run.name] = _evaluated(run, lines, judgements, parsed)
    if not means:
        raise InputError("there is no run to evaluate")
    return Evaluation(
        tuple(map(str, parsed)),
        judgements.queries,
        values,
        means,
        _header(parsed, judgements),
        oddities,
    )


def _evaluated(
    run: Run, lines: NDArray[np.int64], judgements: Judgements, measures: Sequence[Measure]
) -> tuple[Floats, Floats]:
    """Values by measure and query, and means by measure."""
    judged = judgements.judged(run, lines)
    counted = np.ones(len(judgements.queries), dtype=bool)
    if not judged.returned.any():
        raise InputError(
            f"run {run.name} and {judgements.qrels.name} have no query in common "
            f"({_first(run.queries)} against {_first(judgements.queries)}); "
            "give the qrels of this run"
        )
    if judgements.settings.mean_over == "run":
        counted = judged.returned > 0
    values = np.array([score(measure, judgements, judged) for measure in measures])
    values[:, ~counted] = np.nan
    means = values[:, counted].mean(axis=1)
    for place, measure in enumerate(measures):
        harmonic_of_means = (measure.form == "H" or measure.base == "H") and (
            measure.get("of", judgements.settings) == "means"
        )
        if harmonic_of_means:
            parts = [
                score(part, judgements, judged)[counted].mean() for part, _ in measure.components()
            ]
            weights = [weight for _, weight in measure.components()]
            means[place] = harmonic(np.array(parts), np.array(weights))
    return values, means


def _first(queries: Sequence[str]) -> str:
    return ", ".join(queries[:2]) + (", ..." if len(queries) > 2 else "")


def _header(measures: Sequence[Measure], judgements: Judgements) -> dict[str, Any]:
    """All that the numbers depend on."""
    return {
        **judgements.settings.as_dict(),
        "qrels": judgements.qrels.name,
        "queries": len(judgements.queries),
        "dimensions": {
            name: {"labels": dimension.labels.name, "scale": str(dimension.scale)}
            | ({"gains": dict(dimension.scale.gains)} if dimension.scale.gains else {})
            for name, dimension in judgements.dimensions.items()
        },
        "measures": {str(measure): measure.full(judgements.settings) for measure in measures},
    }
