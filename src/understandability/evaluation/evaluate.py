"""The commands `evaluate`, `compare` and `correlate`, and the class `Evaluation` with their
results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.comparison import (
    ALL_TESTS,
    TESTS,
    RunComparison,
    RunComparisons,
    best_of,
    compare_runs,
    mean_bootstrap,
    mean_interval,
)
from understandability.evaluation.conventions import Choices, caption_of
from understandability.evaluation.correlation import (
    COEFFICIENTS,
    DEFAULT_COEFFICIENTS,
    Correlations,
    correlate_measures,
)
from understandability.evaluation.judgements import Judgements, Ranked
from understandability.evaluation.measures.foreign import ForeignMeasure, ForeignValues
from understandability.evaluation.measures.names import AnyMeasure, parse_measures
from understandability.evaluation.measures.values import harmonic_mean, values_of
from understandability.evaluation.options import (
    DEFAULT_MEASURES,
    EvaluationOptions,
    LabelFile,
    Labelling,
    Measures,
    Qrels,
    Runs,
)
from understandability.evaluation.result_table import ResultTable, TableOptions, Tabular
from understandability.evaluation.unusual_input import (
    label_oddities,
    refuse_oddities,
    run_oddities,
    summarise_oddities,
)
from understandability.inputs.run import Oddity, Run
from understandability.inputs.runs_and_labels import runs_of
from understandability.keywords import keywords_of

if TYPE_CHECKING:
    import pandas as pd

_UNLABELLED = "runs without a document that has a label of {}, so that all gains are 0"
_TESTS = Parameter("--test", choices=ALL_TESTS)
_COEFFICIENTS = Parameter("--coefficient", choices=COEFFICIENTS)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class EvaluationTableOptions(TableOptions, total=False):
    """The options of `Evaluation.table`, as keywords."""

    wide: bool
    per_query: bool


class MarkedTableOptions(TableOptions, total=False):
    """The options of `Evaluation.shown`, as keywords."""

    per_query: bool
    test: str
    alpha: float
    correction: str | None
    letters: bool


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Tabular):
    """The result of `evaluate`: the values of some measures for some runs.

    Args:
        measures: The names of the measures.
        queries: The queries of the qrels.
        values: For each run, an array of measures by queries; NaN for queries outside the mean.
        means: For each run, the mean of each measure.
        conventions: Everything that the numbers depend on, for the header of an output.
        oddities: What is unusual in each run.
        label_oddities: What is unusual in each file of labels.
        notes: Remarks to the user about unusual runs and labels.
        baseline: The run that the others are compared with; None for the first.
        ci: True if tables show confidence intervals of the means.
    """

    measures: tuple[str, ...]
    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Floats]
    conventions: Mapping[str, Any]
    oddities: Mapping[str, tuple[Oddity, ...]]
    label_oddities: Mapping[str, tuple[Oddity, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    baseline: str | None = None
    ci: bool = False

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
        """Return the mean of every run by one measure; raise `OptionError` for a measure not
        evaluated.
        """
        if measure not in self.measures:
            raise OptionError(
                f"{measure!r} was not evaluated; the table has {', '.join(self.measures)}"
            )
        index = self.measures.index(measure)
        return np.array([means[index] for means in self.means.values()])

    @cached_property
    def intervals(self) -> dict[str, dict[str, dict[str, tuple[float, float]]]]:
        """The 95 % confidence intervals of the means over queries, as ``[run][measure][method]``.

        The method ``t`` is Student's; ``bootstrap`` uses the percentiles of 10,000 resampled means.
        An interval is (nan, nan) if fewer than two queries count, or if the reported mean is not a
        mean over queries (as for H of means).
        """
        intervals: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
        for run, values in self.values.items():
            intervals[run] = {}
            for index, measure in enumerate(self.measures):
                counted = values[index][~np.isnan(values[index])]
                is_mean = len(counted) > 1 and np.isclose(counted.mean(), self.means[run][index])
                nothing = (np.nan, np.nan)
                intervals[run][measure] = {
                    "t": mean_interval(counted) if is_mean else nothing,
                    "bootstrap": mean_bootstrap(counted) if is_mean else nothing,
                }
        return intervals

    @cached_property
    def effects(self) -> dict[tuple[str, str], RunComparison]:
        """The comparison of each run with the baseline by a paired t-test, by run and measure."""
        if self.baseline is None:
            return {}
        rows = self.compare(tests=("t",), baseline=self.baseline).rows
        return {(row.run, row.measure): row for row in rows if row.against == "baseline"}

    def table(self, *, wide: bool = True, per_query: bool = False, digits: int = 4) -> ResultTable:
        """Return the means of the runs, or with `per_query` the values of queries.

        With `wide`, each measure is a column, otherwise a row. A wide table of means is sorted by
        the first measure. The best value of each column is bold (the lowest of a residual). With
        `ci` or a `baseline`, columns follow each mean: the ends of its intervals, and the effect
        size (Cohen's d, with its interval) and p-value of the difference from the baseline.
        """
        if not wide:
            columns = ("run", "query", "measure", "value", *self._extra_names())
            return ResultTable(columns, tuple(self._long(per_query)), digits=digits)
        if per_query:
            rows = tuple(
                (run, query, *values[:, index].tolist())
                for run, values in self.values.items()
                for index, query in enumerate(self.queries)
                if not np.isnan(values[:, index]).all()
            )
            return ResultTable(("run", "query", *self.measures), rows, digits=digits)
        runs = sorted(self.runs, key=lambda run: -self.means[run][0])
        best: set[tuple[int, str]] = set()
        for measure in self.measures:
            by_run = dict(zip(self.runs, self.column(measure).tolist(), strict=True))
            top = by_run[best_of(measure, by_run)]
            best |= {(row, measure) for row, run in enumerate(runs) if by_run[run] == top}
        names = self._extra_names()
        names_of_columns = ["run"]
        heads: dict[str, tuple[str, str]] = {}
        for measure in self.measures:
            names_of_columns.append(measure)
            for name in names:
                names_of_columns.append(f"{measure} {name}")
                heads[names_of_columns[-1]] = (measure, name.replace("_", " "))
            if names:
                heads[measure] = (measure, "mean")
        rows = tuple(
            (
                run,
                *(
                    number
                    for index, measure in enumerate(self.measures)
                    for number in (float(self.means[run][index]), *self._extras(run, measure))
                ),
            )
            for run in runs
        )
        return ResultTable(
            tuple(names_of_columns), rows, best=frozenset(best), digits=digits, heads=heads
        )

    def _extra_names(self) -> tuple[str, ...]:
        """The names of the numbers that follow a mean in a table: interval, effect size,
        p-value.
        """
        intervals = ("low", "high", "bootstrap_low", "bootstrap_high") if self.ci else ()
        effects = ("difference", "d", "d_low", "d_high", "p_t") if self.baseline else ()
        return (*intervals, *effects)

    def _extras(self, run: str, measure: str) -> tuple[float, ...]:
        """Return the numbers that follow a mean in a table; a missing number is NaN."""
        intervals: tuple[float, ...] = ()
        if self.ci:
            by_method = self.intervals[run][measure]
            intervals = (*by_method["t"], *by_method["bootstrap"])
        if self.baseline is None:
            return intervals
        row = self.effects.get((run, measure))
        if row is None:  # the baseline itself
            return (*intervals, *[float("nan")] * 5)
        effect = (row.effect_size, row.effect_low, row.effect_high)
        return (*intervals, row.difference, *effect, row.p["t"])

    def _long(self, per_query: bool) -> Iterator[tuple[Any, ...]]:
        missing = (float("nan"),) * len(self._extra_names())
        for run in self.runs:
            for index, measure in enumerate(self.measures):
                mean = float(self.means[run][index])
                yield run, "all", measure, mean, *self._extras(run, measure)
                for query, value in zip(
                    self.queries, self.values[run][index].tolist(), strict=True
                ):
                    if per_query and value == value:
                        yield run, query, measure, value, *missing

    def _repr_markdown_(self) -> str:
        return self.table().to_markdown()

    def shown(
        self,
        *,
        per_query: bool = False,
        digits: int = 4,
        test: str = "t",
        alpha: float = 0.05,
        correction: str | None = None,
        letters: bool = False,
    ) -> ResultTable:
        """Return the table for Markdown and LaTeX, with marks of significance (see
        `marked_table`).
        """
        if per_query or len(self.runs) < 2 or len(self.queries) < 2:
            table = self.table(per_query=per_query, digits=digits)
            return replace(table, caption=self._caption())
        return self.marked_table(
            digits=digits, test=test, alpha=alpha, correction=correction, letters=letters
        )

    def to_pandas(self, **options: Unpack[EvaluationTableOptions]) -> pd.DataFrame:
        """Return the table as a pandas data frame; accepts the options of `table`."""
        return self.table(**options).to_pandas()

    def to_markdown(self, **options: Unpack[MarkedTableOptions]) -> str:
        """Return the table in Markdown; accepts the options of `shown`."""
        return self.shown(**options).to_markdown()

    def to_latex(self, *, split: bool = False, **options: Unpack[MarkedTableOptions]) -> str:
        """Return the table in LaTeX; accepts the options of `shown` and of
        `ResultTable.to_latex`.
        """
        return self.shown(**options).to_latex(split=split)

    def marked_table(
        self,
        *,
        digits: int = 4,
        test: str = "t",
        alpha: float = 0.05,
        correction: str | None = None,
        letters: bool = False,
    ) -> ResultTable:
        """Return a table of means, one column per measure, with a mark of significance after each
        mean.

        † means different from the baseline (by default the first run), ⋄ different from the best
        run of the column. With `letters`, all pairs of runs are compared instead: each run has a
        letter, and a mean is followed by the letters of the runs that it is significantly better
        than. `test`, `alpha` and `correction` choose the test.
        """
        table = self.table(digits=digits)
        order = {row[0]: number for number, row in enumerate(table.rows)}
        if letters:
            names = {run: _letter(number) for run, number in order.items()}
            marked = self._letters(names, test, alpha, correction)
            table = replace(
                table, rows=tuple((f"{names[row[0]]} {row[0]}", *row[1:]) for row in table.rows)
            )
            meaning = "Letters mark the runs that a mean is significantly better than"
        else:
            compared = self.compare(tests=(test,), baseline=self.baseline, alpha=alpha)
            marked = compared.marks(alpha, test=test, correction=correction)
            first = self.baseline or self.runs[0]
            meaning = f"† differs from {first}, ⋄ from the best of the column"
        marks = {
            (row, measure): marked[measure, run]
            for run, row in order.items()
            for measure in self.measures
            if (measure, run) in marked
        }
        corrected = f", {correction.capitalize()}'s correction" if correction else ""
        pairing = "" if test in ("tukey", "randomised-tukey") else "paired "
        note = f"{meaning} ({pairing}{test} test, two-tailed, p < {alpha:g}{corrected})."
        marked_table = replace(table, marks=marks, note=note, caption=self._caption())
        has_extras = bool(self._extra_names()) and len(self.measures) > 1
        return self._stacked(marked_table) if has_extras else marked_table

    def _stacked(self, table: ResultTable) -> ResultTable:
        """Turn a wide table into one row per measure and run, so that it fits a page."""
        names = self._extra_names()
        width = 1 + len(names)
        count = len(table.rows)
        rows: list[tuple[Any, ...]] = []
        marks: dict[tuple[int, str], str] = {}
        best: set[tuple[int, str]] = set()
        for index, measure in enumerate(self.measures):
            first = 1 + index * width
            for row, cells in enumerate(table.rows):
                rows.append((measure, cells[0], *cells[first : first + width]))
                if (row, measure) in table.marks:
                    marks[index * count + row, "mean"] = table.marks[row, measure]
                if (row, measure) in table.best:
                    best.add((index * count + row, "mean"))
        columns = ("measure", "run", "mean", *names)
        return replace(
            table,
            columns=columns,
            rows=tuple(rows),
            marks=marks,
            best=frozenset(best),
            texts=2,
            heads={name: ("", name.replace("_", " ")) for name in names},
        )

    def _letters(
        self, names: Mapping[str, str], test: str, alpha: float, correction: str | None
    ) -> dict[tuple[str, str], str]:
        """Return the letters of the runs that a run is significantly better than, by measure and
        run.
        """
        marked: dict[tuple[str, str], str] = {}
        for row in self.compare(tests=(test,), pairs=True, alpha=alpha).rows:
            p = (row.corrected[correction] if correction else row.p)[test]
            if p >= alpha or row.difference == 0:
                continue
            lower_is_better = row.measure.startswith("residual")
            is_better = (row.difference < 0) == lower_is_better
            better, worse = (row.run, row.reference) if is_better else (row.reference, row.run)
            marked[row.measure, better] = marked.get((row.measure, better), "") + names[worse]
        return {key: "".join(sorted(letters)) for key, letters in marked.items()}

    def _caption(self) -> str:
        """The caption of a table: the conventions that its reader needs."""
        return caption_of({"conventions": self.conventions})

    def compare(
        self,
        *,
        tests: Sequence[str] = tuple(TESTS),
        pairs: bool = False,
        baseline: str | None = None,
        samples: int = 10_000,
        seed: int = 0,
        alpha: float = 0.05,
    ) -> RunComparisons:
        """Compare the runs with the first and the best run, or in pairs (see `compare_runs`)."""
        compared = compare_runs(
            self.measures,
            self.values,
            self.means,
            tests=tests,
            pairs=pairs,
            baseline=baseline or self.baseline,
            samples=samples,
            seed=seed,
            alpha=alpha,
        )
        return replace(compared, evaluation=self.as_dict(per_query=False), notes=self.notes)

    def correlate(
        self,
        *coefficients: str,
        symmetric: bool = False,
        rbo_p: float = 0.9,
        count: int = 5,
    ) -> Correlations:
        """Correlate the orders of the runs by the measures (see `correlate_measures`)."""
        correlated = correlate_measures(
            self.measures,
            self.means,
            coefficients=coefficients or DEFAULT_COEFFICIENTS,
            symmetric=symmetric,
            rbo_p=rbo_p,
            count=count,
        )
        return replace(correlated, evaluation=self.as_dict(per_query=False), notes=self.notes)

    def as_dict(self, per_query: bool = True) -> dict[str, Any]:
        """Return conventions, means and values by query as plain dictionaries, for the JSON
        output.
        """
        means = {
            run: dict(zip(self.measures, means.tolist(), strict=True))
            for run, means in self.means.items()
        }
        output: dict[str, Any] = {"conventions": dict(self.conventions), "runs": means}
        if self.ci:
            output["intervals"] = {
                run: {
                    measure: {method: list(ends) for method, ends in by_method.items()}
                    for measure, by_method in by_measure.items()
                }
                for run, by_measure in self.intervals.items()
            }
        if self.baseline is not None:
            output["baseline"] = self.baseline
        if per_query:
            if self.baseline is not None:
                output["effects"] = [row.as_dict() for row in self.effects.values()]
            output["per_query"] = {
                run: {
                    measure: {q: v for q, v in zip(self.queries, row, strict=True) if v == v}
                    for measure, row in zip(self.measures, values.tolist(), strict=True)
                }
                for run, values in self.values.items()
            }
            output["oddities"] = {
                run: list(map(str, of_run)) for run, of_run in self.oddities.items() if of_run
            }
        return output


def _letter(number: int) -> str:
    """Return the letter of a run: a to z, then a1, b1, ..."""
    turn, letter = divmod(number, len(_LETTERS))
    return f"{_LETTERS[letter]}{turn or ''}"


@keywords_of(Labelling, Choices)
def evaluate(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures = DEFAULT_MEASURES,
    baseline: Annotated[str | None, Parameter(metavar="RUN")] = None,
    ci: bool = False,
    **options: Unpack[EvaluationOptions],
) -> Evaluation:
    r"""Evaluate runs by understandability-biased measures, and by the usual ones.

    Prints a table of means; * marks the best of each column. Measures: RBP, nDCG, ERR, their
    understandability-biased forms uRBP, uRBPgr, unDCG, uERR, single dimensions (RBPu, RBPtrust),
    harmonic means (HRBP, H(...), also called MM), residual(...), Judged; see
    docs/reference/measures.md. Measures of ir_measures (extra ir) are accepted by its names or by
    trec_eval's: P@10, AP, RR, Bpref, map.

    Example: understand evaluate a.run b.run --qrels qrels.txt --understandability qunder.txt
    --scale lower-easier:40 -m 'RBP(p=0.8)@10' -m 'uRBP(p=0.8)@10' -o out.json

    Example: understand evaluate a.run b.run --qrels qrels.txt -m nDCG@10 --baseline a --ci
    --format latex

    Args:
        runs: TREC runs (query Q0 document rank score tag), plain, .gz or .zst.
        qrels: Relevance labels: TREC qrels, or irds:NAME.
        understandability: Understandability labels like qrels, a score table, or irds:NAME.
        measures: A measure by name, such as 'uRBP(p=0.8)@10'; may be repeated.
        baseline: The run that † and effect sizes compare the others with, by its name. Default:
            the first run for †, and no effect sizes.
        ci: Add the confidence intervals of each mean over queries: Student's t and bootstrap, 95 %.

    In Python:
        `runs`, `qrels` and labels are paths, dictionaries, frames or records (`runs_of`,
        `labels_of`), measures are names or measures of ir_measures, and the keywords above are
        written as ``scale="lower-easier:40"``, ``order="score"``. The result reports what is
        unusual in runs and labels; with ``strict=True`` it raises `InputError`.

    >>> runs = {"mine": {"q1": {"d1": 2.0, "d2": 1.0}}}
    >>> qrels, ease = {"q1": {"d1": 1, "d2": 1}}, {"d1": 90, "d2": 10}
    >>> measures = ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"]
    >>> result = evaluate(runs, qrels, ease, scale="lower-easier:40", measures=measures)
    >>> print(result.to_markdown(digits=2).partition("\n\n")[0])
    | run | RBP(p=0.8)@10 | uRBP(p=0.8)@10 |
    |---|---:|---:|
    | mine | **0.36** | **0.16** |
    """
    if not (parsed := parse_measures(measures)):
        raise OptionError("no measure is named; add one, such as RBP(p=0.8)@10")
    judgements = Judgements.read(qrels, understandability, **options)
    is_strict = options.get("strict", False)
    for measure in parsed:
        judgements.require(measure)
    label_oddities_ = {labels.name: labels.oddities for labels in judgements.labels}
    if is_strict:
        refuse_oddities(label_oddities_)
    foreign = ForeignValues(
        [measure for measure in parsed if isinstance(measure, ForeignMeasure)],
        judgements.qrels,
        judged_only=judgements.conventions.no_label == "ignored",
    )
    any_labelled = False  # a document of a run in the qrels, or in other labels
    values: dict[str, Floats] = {}
    means: dict[str, Floats] = {}
    oddities: dict[str, tuple[Oddity, ...]] = {}
    order = judgements.conventions.order
    for run in runs_of(runs):
        if run.name in means:
            raise InputError(f"two runs are called {run.name}; rename one of the files")
        lines = run.line_order(order)
        ranked = judgements.ranked(run, lines)
        foreign_values = foreign.values_of(run, lines)
        values[run.name], means[run.name] = _compute(
            parsed, judgements, run, ranked, foreign_values
        )
        unlabelled = [name for name, at in ranked.lines.items() if not (at >= 0).any()]
        any_labelled |= len(unlabelled) < len(ranked.lines)
        oddities[run.name] = (
            *run.oddities,
            *run_oddities(run, order, lines),
            *label_oddities(run, judgements.qrels),
            *(Oddity(_UNLABELLED.format(name), 1, run.name) for name in unlabelled),
        )
        if is_strict:
            refuse_oddities({f"run {run.name}": oddities[run.name]})
    if not means:
        raise InputError("there is no run to evaluate")
    if not any_labelled:
        if not len(run):
            raise InputError(f"run {run.name} has no documents; give a run that ranks some")
        raise InputError(
            f"the runs and {judgements.qrels.name} have no document in common ({run.docnos[0]} "
            f"against {judgements.qrels.docnos[0]}, ...); give the qrels of these runs"
        )
    if baseline is not None:
        _check_baseline(baseline, tuple(means), len(judgements.queries))
    notes = (
        *judgements.notes,
        *summarise_oddities(label_oddities_, "labels"),
        *summarise_oddities(oddities, "runs"),
    )
    return Evaluation(
        tuple(map(str, parsed)),
        judgements.queries,
        values,
        means,
        _header(parsed, judgements),
        oddities,
        label_oddities_,
        notes,
        baseline,
        ci,
    )


def _check_baseline(baseline: str, runs: tuple[str, ...], queries: int) -> None:
    if baseline not in runs:
        raise OptionError(f"the baseline {baseline!r} is not a run here; choose {', '.join(runs)}")
    if len(runs) < 2 or queries < 2:
        raise OptionError("a baseline needs at least two runs and two queries to compare")


def _compute(
    measures: Sequence[AnyMeasure],
    judgements: Judgements,
    run: Run,
    ranked: Ranked,
    foreign_values: Iterator[tuple[Floats, Any]],
) -> tuple[Floats, Floats]:
    """Return the values of a run by measure and query, and the means by measure.

    `foreign_values` yields the values and the aggregator of each requested measure that
    ir_measures computes.
    """
    conventions = judgements.conventions
    if not set(run.queries) & set(judgements.queries):
        of_run, of_qrels = (
            ", ".join(queries[:2]) + (", ..." if len(queries) > 2 else "")
            for queries in (run.queries, judgements.queries)
        )
        raise InputError(
            f"run {run.name} and {judgements.qrels.name} have no query in common "
            f"({of_run} against {of_qrels}); give the qrels of this run"
        )
    counted = ranked.returned > 0 if conventions.mean_over == "run" else ranked.returned >= 0
    values, means = np.empty((len(measures), len(counted))), np.empty(len(measures))
    for index, measure in enumerate(measures):
        if isinstance(measure, ForeignMeasure):
            values[index], aggregator = next(foreign_values)
            aggregate = aggregator()  # a mean, or the sum of a count
            for value in values[index, counted].tolist():
                aggregate.add(value)
            means[index] = aggregate.result()
            continue
        values[index] = values_of(measure, judgements, ranked)
        means[index] = values[index, counted].mean()
        if "H" in (measure.form, measure.base) and measure.get("of", conventions) == "means":
            parts, weights = zip(*measure.components(), strict=True)
            rows = [values_of(part, judgements, ranked)[counted] for part in parts]
            means[index] = harmonic_mean(np.mean(rows, axis=1), np.array(weights))
    values[:, ~counted] = np.nan
    return values, means


def _header(measures: Sequence[AnyMeasure], judgements: Judgements) -> dict[str, Any]:
    """Return the settings that the results depend on, for the header of an output file."""
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


@keywords_of(Labelling, Choices)
def compare(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures = DEFAULT_MEASURES,
    tests: Annotated[Sequence[str], _TESTS] = tuple(TESTS),
    pairs: bool = False,
    baseline: Annotated[str | None, Parameter(metavar="RUN")] = None,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    **options: Unpack[EvaluationOptions],
) -> RunComparisons:
    """Compare runs with the first run and with the best one, query by query, or all pairs.

    Reports a two-tailed paired t-test, Wilcoxon's signed ranks, a randomisation test, a bootstrap
    with its interval, and the effect size (Cohen's d of the differences) with its interval. Also
    reports the number of queries that a t-test needs to find that effect with a power of .8. Each
    probability is corrected for the number of runs compared (Holm, Bonferroni). † marks a
    difference from the first run or the baseline, ⋄ a difference from the best.

    Example: understand compare baseline.run mine.run --qrels qrels.txt -m 'RBP(p=0.8)@10'

    Args:
        tests: t, wilcoxon, randomisation, bootstrap (these by default), and for more than two runs
            together tukey, randomised-tukey; may be repeated. The first sets the marks.
        pairs: Compare all pairs of runs, not only with the first and the best.
        baseline: The run to compare the others with instead of the first, by its name.
        samples: Samples of the randomisation test and of the bootstrap.
        seed: Seed of the randomisation test and of the bootstrap.
        alpha: The level of the marks † and ⋄, and of the power.

    >>> qrels = {f"q{i}": {"good": 1} for i in range(20)}
    >>> first = {q: {"bad": 2.0, "good": 1.0} for q in qrels}
    >>> best = {q: {"good": 1.0} for q in qrels} | {"q0": {"bad": 1.0}}
    >>> compared = compare({"first": first, "best": best}, qrels, tests=["t", "wilcoxon"])
    >>> compared.marks()
    {('RBP(p=0.8)@10', 'best'): '†', ('RBP(p=0.8)@10', 'first'): '⋄'}
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **options)
    if len(result.runs) < 2:
        raise OptionError("a comparison needs at least two runs; the first is the baseline")
    if baseline is not None:
        _check_baseline(baseline, result.runs, len(result.queries))
    return result.compare(
        tests=tests, pairs=pairs, baseline=baseline, samples=samples, seed=seed, alpha=alpha
    )


@keywords_of(Labelling, Choices)
def correlate(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures,
    coefficients: Annotated[Sequence[str], _COEFFICIENTS] = DEFAULT_COEFFICIENTS,
    symmetric: bool = False,
    rbo_p: float = 0.9,
    count: Annotated[int, Parameter("--movers")] = 5,
    **options: Unpack[EvaluationOptions],
) -> Correlations:
    """Correlate the rankings of runs by two or more measures.

    A matrix for each coefficient (Kendall's tau-b, the tau_ap of Yilmaz et al. with the row as
    the reference, the overlap that UBIRE prints as tau_ap, rank-biased overlap), and the runs
    whose ranks differ most between the first measure and each other one.

    Example: understand correlate runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)'

    Args:
        coefficients: tau_b, tau_ap, ubire-overlap, rbo (these four by default), pearson, spearman.
        symmetric: tau_ap as the mean of both directions.
        rbo_p: Persistence of RBO.
        count: The number of runs to list that move most.

    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d2": 2, "d1": 1}}}
    >>> result = correlate(
    ...     runs, {"q": {"d1": 1}}, {"d1": 10, "d2": 5}, scale="lower-easier:8",
    ...     measures=["RBP(p=0.8)@1", "RBPu(p=0.8)@1"], coefficients=["tau_b"],
    ... )
    >>> result.matrices["tau_b"].tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **options)
    return result.correlate(*coefficients, symmetric=symmetric, rbo_p=rbo_p, count=count)
