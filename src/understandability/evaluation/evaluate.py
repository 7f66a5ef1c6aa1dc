"""Runs and labels in, measures out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.compare import RunComparisons, compare
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.correlation import Correlations, correlate
from understandability.evaluation.joined import Dimension, Judgements
from understandability.evaluation.measures.bases import Measure
from understandability.evaluation.measures.foreign import ForeignMeasure, ForeignScores
from understandability.evaluation.measures.names import AnyMeasure, parse_measures
from understandability.evaluation.measures.values import harmonic, score
from understandability.evaluation.oddities import label_oddities, run_oddities, unlabelled
from understandability.evaluation.result_table import ResultTable
from understandability.inputs.run import Labels, Oddity, Run

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The values of some measures for some runs.

    ``values[run][i, j]`` is the value of measure ``i`` for query ``j`` of the qrels, NaN for a
    query that the mean leaves out; ``means[run][i]`` is what is reported of the run. `oddities`
    says what was unusual in each run, `label_oddities` in each file of labels; `conventions` is
    the header of an output. `measures` are the names as they were given.
    """

    measures: tuple[str, ...]
    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Floats]
    conventions: Mapping[str, Any]
    oddities: Mapping[str, tuple[Oddity, ...]]
    label_oddities: Mapping[str, tuple[Oddity, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Evaluation, runs: {len(self.runs)}, queries: {len(self.queries)}, measures: "
            f"{len(self.measures)}; .to_markdown() or .to_pandas() shows it, .compare() tests it>"
        )

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.means)

    def column(self, measure: str) -> Floats:
        """What one measure says of every run.

        Raises `OptionError` where the measure was not asked for.
        """
        if measure not in self.measures:
            raise OptionError(
                f"{measure!r} was not evaluated; the table has {', '.join(self.measures)}"
            )
        place = self.measures.index(measure)
        return np.array([means[place] for means in self.means.values()])

    def table(self, *, wide: bool = True, per_query: bool = False, digits: int = 4) -> ResultTable:
        """The means of runs, or the values of queries: a column for each measure, or a row.

        A wide table of means has the runs by the first measure, the best first, and the best of
        each column in bold (of a residual the lowest).
        """
        if not wide:
            return ResultTable(
                ("run", "query", "measure", "value"), tuple(self._long(per_query)), digits=digits
            )
        if per_query:
            rows = tuple(
                (run, query, *values[:, place].tolist())
                for run, values in self.values.items()
                for place, query in enumerate(self.queries)
                if not np.isnan(values[:, place]).all()
            )
            return ResultTable(("run", "query", *self.measures), rows, digits=digits)
        runs = sorted(self.runs, key=lambda run: -self.means[run][0])
        means = np.array([self.means[run] for run in runs])
        best = frozenset(
            (place, measure)
            for column, measure in enumerate(self.measures)
            for place in np.flatnonzero(
                means[:, column] == _top(measure, means[:, column])
            ).tolist()
        )
        rows = tuple((run, *row) for run, row in zip(runs, means.tolist(), strict=True))
        return ResultTable(("run", *self.measures), rows, best=best, digits=digits)

    def _long(self, per_query: bool) -> Iterable[tuple[str, str, str, float]]:
        for run in self.runs:
            for place, measure in enumerate(self.measures):
                yield run, "all", measure, float(self.means[run][place])
                if per_query:
                    row = self.values[run][place].tolist()
                    for query, value in zip(self.queries, row, strict=True):
                        if value == value:
                            yield run, query, measure, value

    def to_pandas(self, *, wide: bool = True, per_query: bool = False) -> pd.DataFrame:
        """The means, or the values of single queries, as a frame: wide, or a row for each value."""
        return self.table(wide=wide, per_query=per_query).to_pandas()

    def to_markdown(self, *, per_query: bool = False, digits: int = 4, **marks: Any) -> str:
        """The means as a Markdown table; with `marks` as `marked_table` has them."""
        return self._shown(per_query, digits, marks).to_markdown()

    def to_latex(self, *, per_query: bool = False, digits: int = 4, **marks: Any) -> str:
        """The means as a LaTeX table (booktabs); with `marks` as `marked_table` has them."""
        return self._shown(per_query, digits, marks).to_latex()

    def _shown(self, per_query: bool, digits: int, marks: Mapping[str, Any]) -> ResultTable:
        if per_query or len(self.runs) < 2:
            return self.table(per_query=per_query, digits=digits)
        return self.marked_table(digits=digits, **marks)

    def marked_table(
        self,
        *,
        digits: int = 4,
        test: str = "t",
        alpha: float = 0.05,
        correction: str | None = None,
    ) -> ResultTable:
        """The wide table of means with marks of significance behind the cells.

        † differs from the first run, ⋄ from the best of the column; `test` is one of t, wilcoxon,
        randomisation and bootstrap, `correction` holm, bonferroni or none.
        """
        table = self.table(digits=digits)
        marked = compare(self, tests=(test,)).marks(alpha, test=test, correction=correction)
        marks = {
            (place, measure): marked[measure, row[0]]
            for place, row in enumerate(table.rows)
            for measure in self.measures
            if (measure, row[0]) in marked
        }
        corrected = f", {correction.capitalize()}'s correction" if correction else ""
        note = (
            f"† differs from {self.runs[0]}, ⋄ from the best of the column "
            f"(paired {test} test, two-tailed, p < {alpha:g}{corrected})."
        )
        return ResultTable(table.columns, table.rows, marks, table.best, note, digits)

    def compare(self, **how: Any) -> RunComparisons:
        """The runs compared with the first and the best, or in pairs: see `comparison.compare`."""
        return compare(self, **how)

    def correlate(self, *coefficients: str, **how: Any) -> Correlations:
        """How alike the measures order the runs: see `correlation.correlate`."""
        return correlate(self, coefficients, **how) if coefficients else correlate(self, **how)

    def _repr_markdown_(self) -> str:
        return self.table().to_markdown()

    def as_dict(self, per_query: bool = True) -> dict[str, Any]:
        """Conventions, means and values by query as plain dictionaries: the JSON output."""
        means = {
            run: dict(zip(self.measures, means.tolist(), strict=True))
            for run, means in self.means.items()
        }
        output: dict[str, Any] = {"conventions": dict(self.conventions), "runs": means}
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


def _top(measure: str, column: Floats) -> float:
    """The best of a column: of what could not be judged less is better."""
    return float(column.min() if measure.startswith("residual") else column.max())


def evaluate_runs(
    runs: Iterable[Run],
    qrels: Labels,
    measures: Sequence[object],
    dimensions: Mapping[str, Dimension] | None = None,
    conventions: Conventions | None = None,
    *,
    strict: bool = False,
) -> Evaluation:
    """Evaluate runs, one at a time; neither runs nor labels are altered.

    `dimensions` holds labels and scales beside relevance, understandability under ``u``. What
    is unusual in a run or in labels is told in the result; with `strict` it raises `InputError`.

    >>> from understandability.evaluation.scales import parse_scale
    >>> run = Run.of("mine", {"q": [("d1", 2.0), ("d2", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q": {"d1": 1, "d2": 1}})
    >>> qunder = Labels.of("qunder", {"q": {"d1": 90, "d2": 10}})
    >>> dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:40"))}
    >>> result = evaluate_runs([run], qrels, ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"], dimensions)
    >>> result.means["mine"].round(3).tolist()
    [0.36, 0.16]
    """
    parsed = parse_measures(measures)
    if not parsed:
        raise OptionError("there is no measure; name one, such as RBP(p=0.8)@10")
    judgements = Judgements(qrels, dimensions or {}, conventions or Conventions())
    for measure in parsed:
        judgements.require(measure)
    odd_labels = {
        labels.name: labels.oddities
        for labels in (qrels, *(each.labels for each in (dimensions or {}).values()))
    }
    _refuse_odd(odd_labels, strict)
    scorer = _Scorer(parsed, judgements)
    values: dict[str, Floats] = {}
    means: dict[str, Floats] = {}
    oddities: dict[str, tuple[Oddity, ...]] = {}
    for run in runs:
        if run.name in means:
            raise InputError(f"two runs are called {run.name}; rename one of the files")
        order = judgements.conventions.order
        lines = run.line_order(order)
        oddities[run.name] = (
            *run.oddities,
            *run_oddities(run, order, lines),
            *label_oddities(run, qrels),
        )
        values[run.name], means[run.name], missing = scorer.of(run, lines)
        oddities[run.name] += unlabelled(run, missing)
        _refuse_odd({f"run {run.name}": oddities[run.name]}, strict)
    if not means:
        raise InputError("there is no run to evaluate")
    return Evaluation(
        tuple(map(str, parsed)),
        judgements.queries,
        values,
        means,
        _header(parsed, judgements),
        oddities,
        odd_labels,
    )


def _refuse_odd(oddities: Mapping[str, Sequence[Oddity]], strict: bool) -> None:
    for name, found in oddities.items():
        if strict and found:
            raise InputError(
                f"{name} is refused under --strict: {found[0]}; fix it, or leave out --strict"
            )


class _Scorer:
    """The measures of one evaluation: ours, and those of ir_measures."""

    def __init__(self, measures: Sequence[AnyMeasure], judgements: Judgements) -> None:
        self._judgements = judgements
        self._own = [(i, each) for i, each in enumerate(measures) if isinstance(each, Measure)]
        foreign = [(i, each) for i, each in enumerate(measures) if isinstance(each, ForeignMeasure)]
        self._size, self._foreign_places = len(measures), [place for place, _ in foreign]
        self._foreign = (
            ForeignScores(
                [each for _, each in foreign],
                judgements.qrels,
                judged_only=judgements.conventions.no_label == "ignored",
            )
            if foreign
            else None
        )

    def of(self, run: Run, lines: NDArray[np.int64]) -> tuple[Floats, Floats, list[str]]:
        """Values by measure and query, means by measure, and kinds of labels that are missing."""
        judgements = self._judgements
        judged = judgements.judged(run, lines)
        counted = np.ones(len(judgements.queries), dtype=bool)
        if not judged.returned.any():
            raise InputError(
                f"run {run.name} and {judgements.qrels.name} have no query in common "
                f"({_first(run.queries)} against {_first(judgements.queries)}); "
                "give the qrels of this run"
            )
        if judgements.conventions.mean_over == "run":
            counted = judged.returned > 0
        values = np.empty((self._size, len(counted)))
        for place, measure in self._own:
            values[place] = score(measure, judgements, judged)
        aggregators: Iterable[Any] = ()
        if self._foreign is not None:
            values[self._foreign_places], aggregators = self._foreign.of(run, lines)
        values[:, ~counted] = np.nan
        means = values[:, counted].mean(axis=1)
        for place, measure in self._own:
            harmonic_of_means = (measure.form == "H" or measure.base == "H") and (
                measure.get("of", judgements.conventions) == "means"
            )
            if harmonic_of_means:
                parts = [
                    score(part, judgements, judged)[counted].mean()
                    for part, _ in measure.components()
                ]
                weights = [weight for _, weight in measure.components()]
                means[place] = harmonic(np.array(parts), np.array(weights))
        for place, aggregator in zip(self._foreign_places, aggregators, strict=True):
            together = aggregator()  # a mean, or the sum of a count
            for value in values[place, counted].tolist():
                together.add(value)
            means[place] = together.result()
        missing = [name for name, found in judged.found.items() if not (found >= 0).any()]
        return values, means, missing


def _first(queries: Sequence[str]) -> str:
    return ", ".join(queries[:2]) + (", ..." if len(queries) > 2 else "")


def _header(measures: Sequence[AnyMeasure], judgements: Judgements) -> dict[str, Any]:
    """All that the numbers depend on."""
    return {
        **judgements.conventions.as_dict(),
        "qrels": judgements.qrels.name,
        "queries": len(judgements.queries),
        "dimensions": {
            name: {"labels": dimension.labels.name, "scale": str(dimension.scale)}
            | ({"gains": dict(dimension.scale.gains)} if dimension.scale.gains else {})
            for name, dimension in judgements.dimensions.items()
        },
        "measures": {str(measure): measure.full(judgements.conventions) for measure in measures},
    }
