"""Compare runs query by query: differences, significance tests, effect sizes and intervals."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.distributions import (
    noncentral_student_cdf,
    noncentral_student_shift,
    signed_rank_probability,
    student_cdf,
    student_quantile,
    studentized_range_tail,
)
from understandability.errors import InputError, OptionError, check_choice
from understandability.evaluation.conventions import caption_of
from understandability.evaluation.result_table import ResultTable, TableOptions, Tabular

_BLOCK = 1 << 22  # largest number of values in memory at once
_MOST_QUERIES = 100_000


def paired_t(differences: ArrayLike) -> tuple[float, float]:
    """Return Student's t of paired differences, and its two-tailed p-value.

    Equal runs have (0, 1). If all differences are equal but not 0, t is infinite.
    """
    d = np.asarray(differences, dtype=np.float64)
    mean, error = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(len(d))
    if error == 0:
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    return mean / error, 2 * student_cdf(-abs(mean / error), len(d) - 1)


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """The 95 % confidence interval of a mean, from Student's t."""
    v = np.asarray(values, dtype=np.float64)
    reach = student_quantile(0.975, len(v) - 1) * float(v.std(ddof=1)) / math.sqrt(len(v))
    return float(v.mean()) - reach, float(v.mean()) + reach


def mean_bootstrap(values: ArrayLike, samples: int = 10_000, seed: int = 0) -> tuple[float, float]:
    """The 95 % confidence interval of a mean, from the percentiles of resampled means (Efron
    1979).
    """
    means = _resampled_means(np.asarray(values, dtype=np.float64), samples, seed)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def wilcoxon(differences: ArrayLike) -> float:
    """The two-tailed p-value of Wilcoxon's signed-rank test (Wilcoxon 1945).

    Differences of 0 are dropped, as in the original; the p-value is 1 if none remain. It is exact
    for up to 50 differences without ties, otherwise a normal approximation.
    """
    d = np.asarray(differences, dtype=np.float64)
    d = np.round(d, 12)  # values that differ by rounding only are tied
    d = d[d != 0]
    return signed_rank_probability(d) if len(d) else 1.0


def randomisation(differences: ArrayLike, samples: int = 10_000, seed: int = 0) -> float:
    """The two-tailed p-value of Fisher's randomisation test.

    It is the share of random signs whose mean difference is at least as large as the observed one.
    The observed signs count as one of the samples (Smucker, Allan & Carterette 2007).
    """
    d = np.asarray(differences, dtype=np.float64)
    generator = np.random.default_rng(seed)
    # Sums of the same numbers in another order differ in the last digits.
    observed = abs(d.sum()) * (1 - 1e-12)
    reached = 0
    for size in _blocks(samples, len(d)):
        signs = generator.integers(0, 2, size=(size, len(d)), dtype=np.int8) * 2.0 - 1.0
        reached += int((np.abs((signs * d).sum(axis=1)) >= observed).sum())
    return (1 + reached) / (1 + samples)


def bootstrap(
    differences: ArrayLike, samples: int = 10_000, seed: int = 0
) -> tuple[float, float, float]:
    """The two-tailed p-value of the mean difference, and the two ends of its 95 % interval.

    The p-value is the share of resampled means that are at least as large as the observed mean,
    after the differences were shifted to mean 0 (Sakai 2006, without studentising). The interval
    consists of percentiles of the means.
    """
    d = np.asarray(differences, dtype=np.float64)
    means, mean = _resampled_means(d, samples, seed), d.mean()
    reached = int((np.abs(means - mean) >= abs(mean) * (1 - 1e-12)).sum())
    low, high = np.quantile(means, [0.025, 0.975])
    return (1 + reached) / (1 + samples), float(low), float(high)


def _resampled_means(values: Floats, samples: int, seed: int) -> Floats:
    """Return the means of `samples` samples, each as large as `values` and drawn with
    replacement.
    """
    generator = np.random.default_rng(seed)
    count = len(values)
    return np.concatenate(
        [
            values[generator.integers(0, count, size=(size, count))].mean(axis=1)
            for size in _blocks(samples, count)
        ]
    )


def _blocks(samples: int, width: int) -> list[int]:
    """Split `samples` rows of this width into blocks that fit in memory; return their sizes."""
    size = max(1, _BLOCK // width)
    return [min(size, samples - start) for start in range(0, samples, size)]


def effect_size(differences: ArrayLike) -> float:
    """Cohen's d of paired differences: the mean divided by the standard deviation."""
    d = np.asarray(differences, dtype=np.float64)
    mean, deviation = float(d.mean()), float(d.std(ddof=1))
    if deviation == 0:
        return 0.0 if mean == 0 else math.copysign(math.inf, mean)
    return mean / deviation


def effect_interval(differences: ArrayLike) -> tuple[float, float]:
    """The 95 % confidence interval of `effect_size`, from the noncentral t (Cumming & Finch 2001).

    If the differences are constant, both ends equal the effect.
    """
    d = np.asarray(differences, dtype=np.float64)
    effect, root = effect_size(d), math.sqrt(len(d))
    if (effect == 0 and not d.std()) or math.isinf(effect):
        return effect, effect
    low, high = (
        noncentral_student_shift(effect * root, len(d) - 1, p) / root for p in (0.975, 0.025)
    )
    return low, high


def power(effect: float, queries: int, alpha: float = 0.05) -> float:
    """The probability that a two-tailed paired t-test finds an effect of this size (Cohen's d)."""
    if queries < 2:
        raise OptionError(f"a test needs 2 queries or more, not {queries}")
    if math.isinf(effect):
        return 1.0
    shift = abs(effect) * math.sqrt(queries)
    critical = student_quantile(1 - alpha / 2, queries - 1)
    high, low = (
        noncentral_student_cdf(limit, queries - 1, shift) for limit in (critical, -critical)
    )
    return 1 - (high - low)


def queries_needed(effect: float, alpha: float = 0.05, target: float = 0.8) -> int | None:
    """The number of queries with which a paired t-test finds an effect with the power `target`.

    None if more than 100,000 are needed (see Sakai 2016 on topic set sizes).
    """
    high = 2
    while power(effect, high, alpha) < target:
        high *= 2
        if high > _MOST_QUERIES:
            return None
    # The power grows with the number of queries.
    numbers = range(max(2, high // 2), high + 1)
    return numbers[bisect_left(numbers, target, key=lambda n: power(effect, n, alpha))]


def bonferroni(probabilities: ArrayLike) -> Floats:
    """Correct p-values by multiplying each by their number, at most to 1 (Bonferroni; Dunn
    1961).
    """
    p = np.asarray(probabilities, dtype=np.float64)
    return np.minimum(p * len(p), 1.0)


def holm(probabilities: ArrayLike) -> Floats:
    """Correct p-values step by step from the smallest, each for the number that remain (Holm
    1979).
    """
    p = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return stepped[np.argsort(order)]


def tukey(values: ArrayLike, samples: int = 0, seed: int = 0) -> Callable[[float], float]:
    """Tukey's test of honestly significant differences between several runs, with queries as
    blocks.

    `values` has one row per run and one column per query. Returns a function from the difference of
    two means to its p-value, which is valid for all pairs together (Tukey 1949; two-way analysis of
    variance, as in Sakai 2018). For two runs it equals Student's paired t-test.
    """
    v = np.asarray(values, dtype=np.float64)
    runs, queries = v.shape
    residual = v - v.mean(axis=0) - v.mean(axis=1, keepdims=True) + v.mean()
    freedom = (runs - 1) * (queries - 1)
    error = math.sqrt(float((residual**2).sum()) / freedom / queries)

    def probability(difference: float) -> float:
        if error < 1e-15:
            return float(difference == 0)
        return studentized_range_tail(abs(difference) / error, runs, freedom)

    return probability


def randomised_tukey(
    values: ArrayLike, samples: int = 10_000, seed: int = 0
) -> Callable[[float], float]:
    """A test of differences between several runs, like `tukey`, that does not assume normality.

    The values of each query are shuffled among the runs. The p-value of a difference is the share
    of samples in which the largest difference between shuffled means is at least as large
    (Carterette 2012). The observed order counts as one of the samples.
    """
    v = np.asarray(values, dtype=np.float64).T
    generator = np.random.default_rng(seed)
    ranges = np.array([np.ptp(generator.permuted(v, axis=1).mean(axis=0)) for _ in range(samples)])
    return lambda d: float(1 + (ranges >= abs(d) * (1 - 1e-12)).sum()) / (1 + samples)


# Tests of all runs together; their probabilities need no further correction.
FAMILIES: Mapping[str, Callable[[Floats, int, int], Callable[[float], float]]] = {
    "tukey": tukey,
    "randomised-tukey": randomised_tukey,
}
# Tests by name: (differences, samples, seed) -> probability.
TESTS: Mapping[str, Callable[[Floats, int, int], float]] = {
    "t": lambda d, samples, seed: paired_t(d)[1],
    "wilcoxon": lambda d, samples, seed: wilcoxon(d),
    "randomisation": randomisation,
    "bootstrap": lambda d, samples, seed: bootstrap(d, samples, seed)[0],
}
ALL_TESTS = (*TESTS, *FAMILIES)
CORRECTIONS: Mapping[str, Callable[[ArrayLike], Floats]] = {"holm": holm, "bonferroni": bonferroni}
_MARKS = {"first": "†", "baseline": "†", "best": "⋄"}


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The comparison of a run with a reference under one measure.

    Args:
        measure: The name of the measure.
        run: The name of the run.
        reference: The name of the run that it is compared with.
        against: Why it is compared with this one, which is the ``first`` run, the ``baseline`` or
            the ``best``; or all ``pairs`` are compared.
        queries: The number of queries that are evaluated for both runs.
        mean: The mean of the run.
        difference: The mean difference, run minus reference.
        low: The lower end of its interval of 95 %: from the bootstrap if that is one of the tests,
            otherwise from Student's t.
        high: The upper end.
        effect_size: Cohen's d of the differences.
        effect_low: The lower end of its interval of 95 %.
        effect_high: The upper end.
        power: The probability that a t-test finds that effect with this number of queries.
        queries_needed: The number of queries for a power of .8; None above 100,000.
        t: Student's paired t.
        p: Two-tailed probabilities by test.
        corrected: The probabilities by correction and test, corrected for the number of runs
            compared under the measure.
    """

    measure: str
    run: str
    reference: str
    against: str
    queries: int
    mean: float
    difference: float
    low: float
    high: float
    effect_size: float
    effect_low: float
    effect_high: float
    power: float
    queries_needed: int | None
    t: float
    p: Mapping[str, float]
    corrected: Mapping[str, Mapping[str, float]]

    def as_dict(self) -> dict[str, Any]:
        """The comparison as a flat row: ``p_t``, ``p_t_holm``, ``p_t_bonferroni`` ..."""
        *names, _, _ = self.__dataclass_fields__
        row = {name: getattr(self, name) for name in names}
        for test, p in self.p.items():
            row[f"p_{test}"] = p
            row |= {f"p_{test}_{name}": by_test[test] for name, by_test in self.corrected.items()}
        return row


class ComparisonTableOptions(TableOptions, total=False):
    """The options of `RunComparisons.shown`, as keywords."""

    correction: str
    corrected: bool


@dataclass(frozen=True, slots=True, repr=False)
class RunComparisons(Tabular, Sequence[RunComparison]):
    """All comparisons of an evaluation, in order of measure, reference, run.

    `evaluation` holds the conventions and means. `settings` holds the tests, the level, the number
    of samples and the seed. `notes` reports what was unusual in the runs.
    """

    rows: tuple[RunComparison, ...]
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def marks(
        self, alpha: float = 0.05, *, test: str = "t", correction: str | None = None
    ) -> dict[tuple[str, str], str]:
        """Return the marks of significant differences, by measure and run.

        † means different from the first run or the baseline, ⋄ different from the best run. `test`
        is the test and `alpha` its level. With a `correction`, the corrected p-values are used.
        """
        if not 0 < alpha < 1:
            raise OptionError(f"alpha must lie between 0 and 1, not {alpha}")
        if correction is not None:
            check_choice("correction", correction, CORRECTIONS)
        marked: dict[tuple[str, str], str] = {}
        for row in self.rows:
            p = row.corrected[correction] if correction else row.p
            if test not in p:
                raise OptionError(f"{test!r} was not run; the tests are {', '.join(p)}")
            if row.against in _MARKS and p[test] < alpha:
                key = (row.measure, row.run)
                marked[key] = marked.get(key, "") + _MARKS[row.against]
        return marked

    def table(self, *, digits: int = 4) -> ResultTable:
        """Return a table with one row per comparison and one column per number."""
        rows = [row.as_dict() for row in self.rows]
        columns = tuple(rows[0]) if rows else ("measure", "run", "reference")
        return ResultTable(columns, tuple(tuple(row.values()) for row in rows), digits=digits)

    def groups(self) -> dict[str, list[RunComparison]]:
        """Return the comparisons by measure and reference, each with a heading.

        If the first run is also the best, there is one group for both. A group of comparisons with
        the best run is left out if its only row is also in the group of the first run.
        """
        by_reference: dict[tuple[str, str, str], list[RunComparison]] = {}
        for row in self.rows:
            by_reference.setdefault((row.measure, row.against, row.reference), []).append(row)
        groups: dict[str, list[RunComparison]] = {}
        for (measure, against, reference), rows in by_reference.items():
            roles = {role for of, role, run in by_reference if (of, run) == (measure, reference)}
            is_best_too = "best" in roles and len(roles) > 1
            if against == "best" and (is_best_too or len(rows) == 1):
                continue
            role = "the baseline, " if against == "baseline" else f"the {against} run, "
            role += "which is the best, " if is_best_too else ""
            mean = self.evaluation.get("runs", {}).get(reference, {}).get(measure)
            groups[
                f"{measure}: against {'' if against == 'pairs' else role}{reference}"
                f"{'' if mean is None else f' ({mean:.4f})'}"
            ] = rows
        return groups

    def shown(
        self, *, digits: int = 4, correction: str = "holm", corrected: bool = False
    ) -> ResultTable:
        """Return the table for Markdown and LaTeX: what a paper reports of each comparison.

        With `corrected`, the probabilities and the marks are those of the `correction`.
        """
        check_choice("correction", correction, CORRECTIONS)
        tests, alpha = tuple(self.settings["tests"]), self.settings["alpha"]
        applied = correction if corrected else None
        signs = self.marks(alpha, test=tests[0], correction=applied)
        rows: list[tuple[Any, ...]] = []
        marks: dict[tuple[int, str], str] = {}
        for heading, comparisons in self.groups().items():
            for row in comparisons:
                if sign := signs.get((row.measure, row.run)):
                    marks[len(rows), "mean"] = sign
                p = row.corrected[applied] if applied else row.p
                rows.append(
                    (
                        heading,
                        row.run,
                        row.mean,
                        f"{row.difference:+.{digits}f}",
                        f"{row.low:+.{digits}f} to {row.high:+.{digits}f}",
                        f"{row.effect_size:+.2f}",
                        *(p[test] for test in tests),
                    )
                )
        columns = ("comparison", "run", "mean", "difference", "95 % interval", "d")
        resampled = "bootstrap" in tests
        interval = f"bootstrap, {self.settings['samples']:,} samples" if resampled else "t"
        uncorrected = f"corrected by {correction.capitalize()}" if applied else "not corrected"
        caption = (
            f"Differences of means over queries; 95 % interval: {interval}; d: Cohen's d of the "
            f"differences; p: two-tailed, {uncorrected}. {caption_of(self.evaluation)}"
        )
        note = (
            f"† differs from the first run or the baseline, ⋄ from the best ({tests[0]} test, "
            f"p < {alpha:g})."
        )
        return ResultTable(
            (*columns, *(f"p ({test})" for test in tests)),
            tuple(rows),
            marks=marks,
            note=note if marks else "",
            digits=digits,
            texts=2,
            caption=caption.strip(),
            subheads=1,
        )

    def to_markdown(self, **options: Unpack[ComparisonTableOptions]) -> str:
        """Return the table in Markdown; accepts the options of `shown`."""
        return self.shown(**options).to_markdown()

    def to_latex(self, *, split: bool = False, **options: Unpack[ComparisonTableOptions]) -> str:
        """Return the table in LaTeX; accepts the options of `shown` and `ResultTable.to_latex`."""
        return self.shown(**options).to_latex(split=split)


def compare_runs(
    measures: Sequence[str],
    values: Mapping[str, Floats],
    means: Mapping[str, Floats],
    *,
    tests: Sequence[str] = tuple(TESTS),
    pairs: bool = False,
    baseline: str | None = None,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
) -> RunComparisons:
    """Compare every run with the first and the best run of each measure, or all `pairs` of runs.

    Args:
        measures: The names of the measures.
        values: For each run an array of measures by queries, NaN for queries outside the mean.
            Two runs are compared on the queries that both count.
        means: For each run the mean of each measure.
        tests: Names of `ALL_TESTS`. The tests of `FAMILIES` use only queries that all runs count,
            and need no correction.
        pairs: Compare all pairs instead.
        baseline: The run to compare with instead of the first.
        samples: The number of samples of tests that resample.
        seed: The seed of their generator.
        alpha: The significance level for which the power is computed.
    """
    if samples < 100:
        raise OptionError(f"randomisation and bootstrap need 100 samples or more, not {samples}")
    for test in tests:
        check_choice("test", test, ALL_TESTS)
    together = [test for test in tests if test in FAMILIES]
    rows: list[RunComparison] = []
    for index, measure in enumerate(measures):
        table = np.array([of_run[index] for of_run in values.values()] if together else [[], []])
        table = table[:, np.isfinite(table).all(axis=0)]
        if together and table.shape[1] < 2:
            raise InputError(f"{measure}: all runs have fewer than two queries in common")
        families = {test: FAMILIES[test](table, samples, seed) for test in together}
        if pairs:
            compared = {"pairs": [(run, reference) for reference, run in combinations(values, 2)]}
        else:
            of_run = {run: float(values_of_run[index]) for run, values_of_run in means.items()}
            first = {"baseline": baseline} if baseline else {"first": next(iter(values))}
            references = {**first, "best": best_of(measure, of_run)}
            compared = {
                against: [(run, reference) for run in values if run != reference]
                for against, reference in references.items()
            }
        for against, run_pairs in compared.items():
            differences = [
                _differences(values[run][index], values[reference][index], run, reference)
                for run, reference in run_pairs
            ]
            p = {
                test: [TESTS[test](d, samples, seed) for d in differences]
                if test in TESTS
                else [families[test](float(d.mean())) for d in differences]
                for test in tests
            }
            corrected = {
                name: {
                    test: ps if test in FAMILIES else correct(ps).tolist() for test, ps in p.items()
                }
                for name, correct in CORRECTIONS.items()
            }
            resampled = "bootstrap" in tests
            for row, ((run, reference), d) in enumerate(zip(run_pairs, differences, strict=True)):
                interval = bootstrap(d, samples, seed)[1:] if resampled else mean_interval(d)
                effect = effect_size(d)
                rows.append(
                    RunComparison(
                        measure,
                        run,
                        reference,
                        against,
                        len(d),
                        float(means[run][index]),
                        float(d.mean()),
                        *interval,
                        effect,
                        *effect_interval(d),
                        power(effect, len(d), alpha),
                        queries_needed(effect, alpha),
                        paired_t(d)[0],
                        {test: ps[row] for test, ps in p.items()},
                        {
                            name: {test: ps[row] for test, ps in by_test.items()}
                            for name, by_test in corrected.items()
                        },
                    )
                )
    settings = {"tests": tuple(tests), "alpha": alpha, "samples": samples, "seed": seed}
    return RunComparisons(tuple(rows), settings=settings)


def best_of(measure: str, values: Mapping[str, float]) -> str:
    """Return the best run by a measure: the one with the highest value, or with the lowest
    residual.

    >>> best_of("RBP", {"a": 0.1, "b": 0.2}), best_of("residual(RBP)", {"a": 0.1, "b": 0.2})
    ('b', 'a')
    """
    return (min if measure.startswith("residual") else max)(values, key=lambda run: values[run])


def _differences(values: Floats, others: Floats, run: str, reference: str) -> Floats:
    differences: Floats = values - others
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        raise InputError(f"runs {run} and {reference} have no two queries in common to compare")
    return differences
