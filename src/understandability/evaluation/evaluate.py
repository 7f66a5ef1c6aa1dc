"""Runs and labels in, values of measures out; runs compared, measures correlated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.comparison import TESTS, RunComparisons, best_of, compare_runs
from understandability.evaluation.correlation import (
    DEFAULT_COEFFICIENTS,
    Correlations,
    correlate_measures,
)
from understandability.evaluation.judgements import (
    DEFAULT_MEASURES,
    How,
    Judgements,
    LabelFile,
    Measures,
    Qrels,
    Ranked,
    Runs,
)
from understandability.evaluation.measures.names import AnyMeasure, parse_measures
from understandability.evaluation.measures.of_ir_measures import ForeignMeasure, ForeignValues
from understandability.evaluation.measures.values import harmonic_mean, values_of
from understandability.evaluation.oddities import (
    label_oddities,
    refuse_odd,
    run_oddities,
    told,
)
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.inputs.given import runs_of
from understandability.inputs.run import Oddity, Run
from understandability.prompt import AtPrompt

_UNLABELLED = "runs without a document that has a label of {}, so that all gains are 0"
_TESTS = AtPrompt(list[str], "--test", choices="evaluation.comparison:ALL_TESTS")
_COEFFICIENTS = AtPrompt(list[str], "--coefficient", choices="evaluation.correlation:COEFFICIENTS")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Tabular):
    """The values of some measures for some runs.

    ``values[run][i, j]`` is the value of measure ``i`` for query ``j`` of the qrels, NaN for a
    query that the mean leaves out; ``means[run][i]`` is the mean that is reported of the run.
    `oddities` says what was unusual in each run, `label_oddities` in each file of labels, `notes`
    both in sentences; `conventions` is the header of an output.
    """

    measures: tuple[str, ...]
    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Floats]
    conventions: Mapping[str, Any]
    oddities: Mapping[str, tuple[Oddity, ...]]
    label_oddities: Mapping[str, tuple[Oddity, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
        """The mean of every run by one measure; raises `OptionError` for one not asked for."""
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
            columns = ("run", "query", "measure", "value")
            return ResultTable(columns, tuple(self._long(per_query)), digits=digits)
        if per_query:
            rows = tuple(
                (run, query, *values[:, place].tolist())
                for run, values in self.values.items()
                for place, query in enumerate(self.queries)
                if not np.isnan(values[:, place]).all()
            )
            return ResultTable(("run", "query", *self.measures), rows, digits=digits)
        runs = sorted(self.runs, key=lambda run: -self.means[run][0])
        best: set[tuple[int, str]] = set()
        for measure in self.measures:
            column = dict(zip(self.runs, self.column(measure).tolist(), strict=True))
            top = column[best_of(measure, column)]
            best |= {(place, measure) for place, run in enumerate(runs) if column[run] == top}
        rows = tuple((run, *self.means[run].tolist()) for run in runs)
        return ResultTable(("run", *self.measures), rows, best=frozenset(best), digits=digits)

    def _long(self, per_query: bool) -> Iterator[tuple[str, str, str, float]]:
        for run in self.runs:
            for place, measure in enumerate(self.measures):
                yield run, "all", measure, float(self.means[run][place])
                for query, value in zip(
                    self.queries, self.values[run][place].tolist(), strict=True
                ):
                    if per_query and value == value:
                        yield run, query, measure, value

    def _repr_markdown_(self) -> str:
        return self.table().to_markdown()

    def shown(self, *, per_query: bool = False, digits: int = 4, **marks: Any) -> ResultTable:
        """The table as Markdown and LaTeX show it; with `marks` as `marked_table` has them."""
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

        † differs from the first run, ⋄ from the best of the column; `test` and `correction` are
        those of `compare_runs`.
        """
        table = self.table(digits=digits)
        marked = self.compare(tests=(test,)).marks(alpha, test=test, correction=correction)
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
        """The runs against the first and the best, or in pairs; options as in `compare_runs`."""
        found = compare_runs(self.measures, self.values, self.means, **how)
        return replace(found, evaluation=self.as_dict(per_query=False), notes=self.notes)

    def correlate(self, *coefficients: str, **how: Any) -> Correlations:
        """How alike the measures order the runs; options as in `correlate_measures`."""
        if coefficients:
            how["coefficients"] = coefficients
        found = correlate_measures(self.measures, self.means, **how)
        return replace(found, evaluation=self.as_dict(per_query=False), notes=self.notes)

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
                    measure: {q: v for q, v in zip(self.queries, row, strict=True) if v == v}
                    for measure, row in zip(self.measures, values.tolist(), strict=True)
                }
                for run, values in self.values.items()
            }
            output["oddities"] = {
                run: list(map(str, found)) for run, found in self.oddities.items() if found
            }
        return output


def evaluate(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures = DEFAULT_MEASURES,
    **how: How,
) -> Evaluation:
    """Evaluate runs by understandability-biased measures, and by the usual ones.

    A table of means; * marks the best of each column. Measures: RBP, nDCG, ERR, their
    understandability-biased forms uRBP, uRBPgr, unDCG, uERR, single dimensions (RBPu, RBPtrust),
    harmonic means (HRBP, H(...)), residual(...), Judged; see docs/reference/measures.md. All others
    are those of ir_measures (extra ir), by its names or trec_eval's: P@10, AP, RR, Bpref, map.

    In Python, `runs`, `qrels` and labels are paths, dictionaries, frames or records (`runs_of`,
    `labels_of`), measures are names or measures of ir_measures, and `how` are the fields of
    `Labelling` and of `Conventions`: ``scale="lower-easier:40"``, ``order="score"``. What is
    unusual in runs and labels is told in the result; with ``strict=True`` it raises `InputError`.

    >>> runs = {"mine": {"q1": {"d1": 2.0, "d2": 1.0}}}
    >>> qrels, ease = {"q1": {"d1": 1, "d2": 1}}, {"d1": 90, "d2": 10}
    >>> measures = ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"]
    >>> result = evaluate(runs, qrels, ease, scale="lower-easier:40", measures=measures)
    >>> print(result.to_markdown(digits=2))
    | run | RBP(p=0.8)@10 | uRBP(p=0.8)@10 |
    |---|---:|---:|
    | mine | **0.36** | **0.16** |

    Example: understand evaluate a.run b.run --qrels qrels.txt --understandability qunder.txt
    --scale lower-easier:40 -m 'RBP(p=0.8)@10' -m 'uRBP(p=0.8)@10' -o out.json

    Example: understand evaluate a.run b.run --qrels qrels.txt -m nDCG@10 -m P@10 --format latex
    """
    if not (parsed := parse_measures(measures)):
        raise OptionError("there is no measure; name one, such as RBP(p=0.8)@10")
    judgements = Judgements(qrels, understandability, **how)
    for measure in parsed:
        judgements.require(measure)
    odd_labels = {labels.name: labels.oddities for labels in judgements.labels}
    if judgements.strict:
        refuse_odd(odd_labels)
    foreign = ForeignValues(
        [measure for measure in parsed if isinstance(measure, ForeignMeasure)],
        judgements.qrels,
        judged_only=judgements.conventions.no_label == "ignored",
    )
    found_any = False  # a document of a run in the qrels, or in labels
    values: dict[str, Floats] = {}
    means: dict[str, Floats] = {}
    oddities: dict[str, tuple[Oddity, ...]] = {}
    order = judgements.conventions.order
    for run in runs_of(runs):
        if run.name in means:
            raise InputError(f"two runs are called {run.name}; rename one of the files")
        lines = run.line_order(order)
        ranked = judgements.ranked(run, lines)
        theirs = foreign.of(run, lines)
        values[run.name], means[run.name] = _computed(parsed, judgements, run, ranked, theirs)
        missing = [name for name, found in ranked.found.items() if not (found >= 0).any()]
        found_any |= len(missing) < len(ranked.found)
        oddities[run.name] = (
            *run.oddities,
            *run_oddities(run, order, lines),
            *label_oddities(run, judgements.qrels),
            *(Oddity(_UNLABELLED.format(name), 1, run.name) for name in missing),
        )
        if judgements.strict:
            refuse_odd({f"run {run.name}": oddities[run.name]})
    if not means:
        raise InputError("there is no run to evaluate")
    if not found_any:
        if not len(run):
            raise InputError(f"run {run.name} has no documents; give a run that ranks some")
        raise InputError(
            f"the runs and {judgements.qrels.name} have no document in common ({run.docnos[0]} "
            f"against {judgements.qrels.docnos[0]}, ...); give the qrels of these runs"
        )
    return Evaluation(
        tuple(map(str, parsed)),
        judgements.queries,
        values,
        means,
        _header(parsed, judgements),
        oddities,
        odd_labels,
        (*filter(None, [judgements.mixed]), *told(odd_labels, "labels"), *told(oddities, "runs")),
    )


def _computed(
    measures: Sequence[AnyMeasure],
    judgements: Judgements,
    run: Run,
    ranked: Ranked,
    theirs: Iterator[tuple[Floats, Any]],
) -> tuple[Floats, Floats]:
    """Values of a run by measure and query, and means by measure; `theirs` are of ir_measures."""
    conventions = judgements.conventions
    if not set(run.queries) & set(judgements.queries):
        ours, others = (
            ", ".join(queries[:2]) + (", ..." if len(queries) > 2 else "")
            for queries in (run.queries, judgements.queries)
        )
        raise InputError(
            f"run {run.name} and {judgements.qrels.name} have no query in common "
            f"({ours} against {others}); give the qrels of this run"
        )
    counted = ranked.returned > 0 if conventions.mean_over == "run" else ranked.returned >= 0
    values, means = np.empty((len(measures), len(counted))), np.empty(len(measures))
    for place, measure in enumerate(measures):
        if isinstance(measure, ForeignMeasure):
            values[place], aggregator = next(theirs)
            together = aggregator()  # a mean, or the sum of a count
            for value in values[place, counted].tolist():
                together.add(value)
            means[place] = together.result()
            continue
        values[place] = values_of(measure, judgements, ranked)
        means[place] = values[place, counted].mean()
        if "H" in (measure.form, measure.base) and measure.get("of", conventions) == "means":
            parts, weights = zip(*measure.components(), strict=True)
            rows = [values_of(part, judgements, ranked)[counted] for part in parts]
            means[place] = harmonic_mean(np.mean(rows, axis=1), np.array(weights))
    values[:, ~counted] = np.nan
    return values, means


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


def compare(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures = DEFAULT_MEASURES,
    tests: Annotated[Sequence[str], _TESTS] = tuple(TESTS),
    pairs: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    **how: How,
) -> RunComparisons:
    """Compare runs with the first run and with the best one, query by query, or all pairs.

    Gives a two-tailed paired t-test, Wilcoxon's signed ranks, a randomisation test, a bootstrap
    with its interval, and the effect size (Cohen's d of the differences) with its interval. Says
    how many queries a t-test needs to find that effect with a chance of .8. Each probability is
    also corrected for the runs compared (Holm, Bonferroni). † marks a difference from the first
    run, ⋄ a difference from the best.

    In Python, `how` is as in `evaluate`.

    >>> qrels = {f"q{i}": {"good": 1} for i in range(20)}
    >>> first = {q: {"bad": 2.0, "good": 1.0} for q in qrels}
    >>> best = {q: {"good": 1.0} for q in qrels} | {"q0": {"bad": 1.0}}
    >>> found = compare({"first": first, "best": best}, qrels, tests=["t", "wilcoxon"])
    >>> found.marks()
    {('RBP(p=0.8)@10', 'best'): '†', ('RBP(p=0.8)@10', 'first'): '⋄'}

    Example: understand compare baseline.run mine.run --qrels qrels.txt -m 'RBP(p=0.8)@10'

    Args:
        tests: t, wilcoxon, randomisation, bootstrap (these by default), and for more than two runs
            together tukey, randomised-tukey; may be repeated. The first sets the marks.
        pairs: Compare all pairs of runs, not only with the first and the best.
        samples: Samples of the randomisation test and of the bootstrap.
        seed: Seed of the randomisation test and of the bootstrap.
        alpha: The level of the marks † and ⋄, and of the power.
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **how)
    if len(result.runs) < 2:
        raise OptionError("a comparison needs at least two runs; the first is the baseline")
    return result.compare(tests=tests, pairs=pairs, samples=samples, seed=seed, alpha=alpha)


def correlate(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures,
    coefficients: Annotated[Sequence[str], _COEFFICIENTS] = DEFAULT_COEFFICIENTS,
    symmetric: bool = False,
    rbo_p: float = 0.9,
    count: Annotated[int, AtPrompt(int, "--movers")] = 5,
    **how: How,
) -> Correlations:
    """Correlate the rankings of runs that two or more measures give.

    A matrix for each coefficient (Kendall's tau-b, the tau_ap of Yilmaz et al. with the row as
    the reference, the overlap that UBIRE prints as tau_ap, rank-biased overlap), and the runs
    whose ranks differ most from the first measure to each other one.

    In Python, `how` is as in `evaluate`.

    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d2": 2, "d1": 1}}}
    >>> found = correlate(
    ...     runs, {"q": {"d1": 1}}, {"d1": 10, "d2": 5}, scale="lower-easier:8",
    ...     measures=["RBP(p=0.8)@1", "RBPu(p=0.8)@1"], coefficients=["tau_b"],
    ... )
    >>> found.matrices["tau_b"].tolist()
    [[1.0, -1.0], [-1.0, 1.0]]

    Example: understand correlate runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)'

    Args:
        coefficients: tau_b, tau_ap, ubire-overlap, rbo (these four by default), pearson, spearman.
        symmetric: tau_ap as the mean of both directions.
        rbo_p: Persistence of RBO.
        count: How many of the runs that move most to list.
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **how)
    return result.correlate(*coefficients, symmetric=symmetric, rbo_p=rbo_p, count=count)
