"""Runs compared query by query: differences, whether beyond chance, how large, how sure."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

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
from understandability.errors import InputError, OptionError, check_known
from understandability.evaluation.result_table import ResultTable, Tabular

_BLOCK = 1 << 22  # numbers in memory at once
_MOST_QUERIES = 100_000


def paired_t(differences: ArrayLike) -> tuple[float, float]:
    """Student's paired t and its two-tailed probability.

    Equal runs give (0, 1); runs that differ by the same everywhere give an infinite t.
    """
    d = np.asarray(differences, dtype=np.float64)
    mean, error = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(len(d))
    if error == 0:
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    return mean / error, 2 * student_cdf(-abs(mean / error), len(d) - 1)


def mean_interval(differences: ArrayLike) -> tuple[float, float]:
    """The interval of 95 % of the mean difference, by Student's t."""
    d = np.asarray(differences, dtype=np.float64)
    reach = student_quantile(0.975, len(d) - 1) * float(d.std(ddof=1)) / math.sqrt(len(d))
    return float(d.mean()) - reach, float(d.mean()) + reach


def wilcoxon(differences: ArrayLike) -> float:
    """Two-tailed probability of Wilcoxon's signed-rank test (Wilcoxon 1945).

    Differences of 0 are left out, as he did; 1 where nothing is left. Exact for up to 50
    differences without ties, normal otherwise.
    """
    d = np.asarray(differences, dtype=np.float64)
    d = np.round(d[d != 0], 12)  # those that differ by rounding only are tied
    return signed_rank_probability(d) if len(d) else 1.0


def randomisation(differences: ArrayLike, samples: int = 10_000, seed: int = 0) -> float:
    """Fisher's randomisation test: how often random signs give as large a mean difference.

    Two-tailed; the observed signs count as one of the samples (Smucker, Allan & Carterette 2007).
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
    """Two-tailed probability of the mean difference, and its interval of 95 % (percentiles).

    The probability is that of a mean as large when queries are drawn from differences shifted
    to mean 0 (Sakai 2006, without studentising).
    """
    d = np.asarray(differences, dtype=np.float64)
    generator = np.random.default_rng(seed)
    draws = [
        d[generator.integers(0, len(d), size=(size, len(d)))].mean(axis=1)
        for size in _blocks(samples, len(d))
    ]
    means, mean = np.concatenate(draws), d.mean()
    reached = int((np.abs(means - mean) >= abs(mean) * (1 - 1e-12)).sum())
    low, high = np.quantile(means, [0.025, 0.975])
    return (1 + reached) / (1 + samples), float(low), float(high)


def _blocks(samples: int, width: int) -> list[int]:
    """Sizes that add up to `samples` and keep a block of that width within memory."""
    size = max(1, _BLOCK // width)
    return [min(size, samples - start) for start in range(0, samples, size)]


def effect_size(differences: ArrayLike) -> float:
    """Cohen's d of paired differences: their mean in standard deviations."""
    d = np.asarray(differences, dtype=np.float64)
    mean, deviation = float(d.mean()), float(d.std(ddof=1))
    if deviation == 0:
        return 0.0 if mean == 0 else math.copysign(math.inf, mean)
    return mean / deviation


def effect_interval(differences: ArrayLike) -> tuple[float, float]:
    """The interval of 95 % of `effect_size`, from the noncentral t (Cumming & Finch 2001).

    Both ends are the effect itself where the differences do not vary.
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
    """The chance that a two-tailed paired t-test finds an effect of a size (Cohen's d)."""
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


def queries_needed(effect: float, alpha: float = 0.05, wanted: float = 0.8) -> int | None:
    """How many queries a paired t-test needs to find an effect with the power that is wanted.

    None where it takes more than 100,000. (Sakai 2016 on topic set sizes.)
    """
    high = 2
    while power(effect, high, alpha) < wanted:
        high *= 2
        if high > _MOST_QUERIES:
            return None
    # The power grows with the number of queries.
    numbers = range(max(2, high // 2), high + 1)
    return numbers[bisect_left(numbers, wanted, key=lambda n: power(effect, n, alpha))]


def bonferroni(probabilities: ArrayLike) -> Floats:
    """Probabilities times their number, at most 1 (Bonferroni; Dunn 1961)."""
    p = np.asarray(probabilities, dtype=np.float64)
    return np.minimum(p * len(p), 1.0)


def holm(probabilities: ArrayLike) -> Floats:
    """Probabilities corrected for their number, step by step from the smallest (Holm 1979)."""
    p = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return stepped[np.argsort(order)]


def tukey(values: ArrayLike, samples: int = 0, seed: int = 0) -> Callable[[float], float]:
    """Tukey's honestly significant differences of more than two runs, each query a block.

    From values by run and query, a function from the difference of two means to its probability,
    which holds for all pairs together (Tukey 1949; two-way analysis of variance, as Sakai 2018).
    That of two runs is Student's paired t.
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
    """`tukey` without its normal distribution: the runs of each query are shuffled.

    The probability is how often the largest difference of shuffled means is as large (Carterette
    2012); the observed order counts as one of the samples.
    """
    v = np.asarray(values, dtype=np.float64).T
    generator = np.random.default_rng(seed)
    ranges = np.array([np.ptp(generator.permuted(v, axis=1).mean(axis=0)) for _ in range(samples)])
    return lambda d: float(1 + (ranges >= abs(d) * (1 - 1e-12)).sum()) / (1 + samples)


# Tests of all runs together, whose probabilities need no further correction.
FAMILIES: Mapping[str, Callable[[Floats, int, int], Callable[[float], float]]] = {
    "tukey": tukey,
    "randomised-tukey": randomised_tukey,
}
# The tests by name: differences, samples, seed -> probability.
TESTS: Mapping[str, Callable[[Floats, int, int], float]] = {
    "t": lambda d, samples, seed: paired_t(d)[1],
    "wilcoxon": lambda d, samples, seed: wilcoxon(d),
    "randomisation": randomisation,
    "bootstrap": lambda d, samples, seed: bootstrap(d, samples, seed)[0],
}
ALL_TESTS = (*TESTS, *FAMILIES)
CORRECTIONS: Mapping[str, Callable[[ArrayLike], Floats]] = {"holm": holm, "bonferroni": bonferroni}
_MARKS = {"first": "†", "best": "⋄"}


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run against a reference under one measure.

    `against` says which: the ``first`` run, the ``best`` of the measure, or ``pairs``. `difference`
    is the mean over `queries` of run less reference, `low` and `high` its interval of 95 %, by the
    bootstrap where that is one of the tests, else by Student's t. `effect_size` is Cohen's d, with
    its interval; `power` the chance that a t-test finds that effect with as many queries,
    `queries_needed` how many it takes for a chance of .8. `p` are two-tailed probabilities by test,
    `corrected` the same by correction and test, for the runs compared under the measure.
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
            row |= {f"p_{test}_{name}": of[test] for name, of in self.corrected.items()}
        return row


@dataclass(frozen=True, slots=True, repr=False)
class RunComparisons(Tabular, Sequence[RunComparison]):
    """All comparisons of an evaluation, in order: measure, reference, run.

    `evaluation` are its conventions and means, `notes` say what was unusual in its runs.
    """

    rows: tuple[RunComparison, ...]
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def marks(
        self, alpha: float = 0.05, *, test: str = "t", correction: str | None = None
    ) -> dict[tuple[str, str], str]:
        """The marks of each measure and run: † differs from the first run, ⋄ from the best.

        By the `test` at `alpha`; with a `correction` by the probabilities that it leaves.
        """
        if not 0 < alpha < 1:
            raise OptionError(f"alpha must lie between 0 and 1, not {alpha}")
        if correction is not None:
            check_known("correction", correction, CORRECTIONS)
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
        """A row for each comparison, a column for each of its numbers."""
        rows = [row.as_dict() for row in self.rows]
        columns = tuple(rows[0]) if rows else ("measure", "run", "reference")
        return ResultTable(columns, tuple(tuple(row.values()) for row in rows), digits=digits)


def compare_runs(
    measures: Sequence[str],
    values: Mapping[str, Floats],
    means: Mapping[str, Floats],
    *,
    tests: Sequence[str] = tuple(TESTS),
    pairs: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
) -> RunComparisons:
    """Every run against the first run and the best one of each measure, or all `pairs` of runs.

    `tests` are of `ALL_TESTS`; those of `FAMILIES` take the queries that all runs count, and no
    correction. `values` has for each run a row for each measure and a column for each query, NaN
    where none counts; only queries that both runs count are compared. Tests that draw do so
    `samples` times from a generator with `seed`; `alpha` is the level of the power.
    """
    if samples < 100:
        raise OptionError(f"randomisation and bootstrap need 100 samples or more, not {samples}")
    for test in tests:
        check_known("test", test, ALL_TESTS)
    together = [test for test in tests if test in FAMILIES]
    rows: list[RunComparison] = []
    for place, measure in enumerate(measures):
        every = np.array([of[place] for of in values.values()] if together else [[], []])
        every = every[:, np.isfinite(every).all(axis=0)]
        if together and every.shape[1] < 2:
            raise InputError(f"{measure}: all runs have fewer than two queries in common")
        families = {test: FAMILIES[test](every, samples, seed) for test in together}
        if pairs:
            compared = {"pairs": [(run, reference) for reference, run in combinations(values, 2)]}
        else:
            of_run = {run: float(of[place]) for run, of in means.items()}
            references = {"first": next(iter(values)), "best": best_of(measure, of_run)}
            compared = {
                against: [(run, reference) for run in values if run != reference]
                for against, reference in references.items()
            }
        for against, wanted in compared.items():
            differences = [
                _differences(values[run][place], values[reference][place], run, reference)
                for run, reference in wanted
            ]
            p = {
                test: [TESTS[test](d, samples, seed) for d in differences]
                if test in TESTS
                else [families[test](float(d.mean())) for d in differences]
                for test in tests
            }
            corrected = {
                name: {t: of if t in FAMILIES else correct(of).tolist() for t, of in p.items()}
                for name, correct in CORRECTIONS.items()
            }
            resampled = "bootstrap" in tests
            for row, ((run, reference), d) in enumerate(zip(wanted, differences, strict=True)):
                interval = bootstrap(d, samples, seed)[1:] if resampled else mean_interval(d)
                effect = effect_size(d)
                rows.append(
                    RunComparison(
                        measure,
                        run,
                        reference,
                        against,
                        len(d),
                        float(means[run][place]),
                        float(d.mean()),
                        *interval,
                        effect,
                        *effect_interval(d),
                        power(effect, len(d), alpha),
                        queries_needed(effect, alpha),
                        paired_t(d)[0],
                        {test: of[row] for test, of in p.items()},
                        {
                            name: {test: of[row] for test, of in tested.items()}
                            for name, tested in corrected.items()
                        },
                    )
                )
    return RunComparisons(tuple(rows))


def best_of(measure: str, values: Mapping[str, float]) -> str:
    """The best run by a measure: of residuals, which tell what was not judged, the least.

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
