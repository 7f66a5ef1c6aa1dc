"""Whether two runs differ beyond chance, query by query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.evaluate import Evaluation

BASELINE_MARK, BEST_MARK = "†", "⋄"
_BLOCK = 1 << 22  # numbers in memory at once


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run against a reference (the first run, or the best) under one measure.

    `difference` is the mean over queries of run less reference, `low` and `high` its bootstrap
    interval of 95 %, `effect_size` Cohen's d of the paired differences. Probabilities are
    two-tailed; those ending in ``_holm`` are corrected for the runs compared under the measure.
    """

    measure: str
    run: str
    reference: str
    against: str  # "first" or "best"
    mean: float
    difference: float
    effect_size: float
    t: float
    p_t: float
    p_t_holm: float
    p_randomisation: float
    p_randomisation_holm: float
    p_bootstrap: float
    p_bootstrap_holm: float
    low: float
    high: float


def compare(
    evaluation: Evaluation, *, samples: int = 10_000, seed: int = 0
) -> tuple[RunComparison, ...]:
    """Every run against the first run, and against the best one of each measure.

    Over the queries that both runs count. Randomisation and bootstrap draw `samples` times
    from a generator with `seed`.
    """
    if samples < 100:
        raise OptionError(f"randomisation and bootstrap need 100 samples or more, not {samples}")
    rows: list[RunComparison] = []
    for place, measure in enumerate(evaluation.measures):
        means = {run: float(values[place]) for run, values in evaluation.means.items()}
        references = {"first": evaluation.runs[0], "best": max(means, key=lambda run: means[run])}
        for against, reference in references.items():
            rows += _against(evaluation, place, measure, reference, against, samples, seed)
    return tuple(rows)


def marks(
    comparisons: Sequence[RunComparison], alpha: float = 0.05, *, corrected: bool = False
) -> dict[tuple[str, str], str]:
    """The marks of each measure and run, as in the tables of the study.

    † differs from the first run, ⋄ from the best, by the paired t-test at `alpha`; `corrected`
    goes by the probabilities after Holm's correction.
    """
    marked: dict[tuple[str, str], str] = {}
    for row in comparisons:
        sign = BASELINE_MARK if row.against == "first" else BEST_MARK
        if (row.p_t_holm if corrected else row.p_t) < alpha:
            key = (row.measure, row.run)
            marked[key] = marked.get(key, "") + sign
    return marked


def _against(
    evaluation: Evaluation,
    place: int,
    measure: str,
    reference: str,
    against: str,
    samples: int,
    seed: int,
) -> list[RunComparison]:
    others = [run for run in evaluation.runs if run != reference]
    base = evaluation.values[reference][place]
    results: list[tuple[float, ...]] = []
    for run in others:
        differences = evaluation.values[run][place] - base
        differences = differences[~np.isnan(differences)]
        if len(differences) < 2:
            raise InputError(f"runs {run} and {reference} have no two queries in common to compare")
        t, p_t = paired_t(differences)
        p_bootstrap, low, high = bootstrap(differences, samples, seed)
        p_randomisation = randomisation(differences, samples, seed)
        effect = effect_size(differences)
        results.append(
            (differences.mean(), effect, t, p_t, p_randomisation, p_bootstrap, low, high)
        )
    if not results:
        return []
    table = np.array(results)
    corrected = [holm(table[:, column]) for column in (3, 4, 5)]
    return [
        RunComparison(
            measure=measure,
            run=run,
            reference=reference,
            against=against,
            mean=float(evaluation.means[run][place]),
            difference=row[0],
            effect_size=row[1],
            t=row[2],
            p_t=row[3],
            p_t_holm=float(corrected[0][i]),
            p_randomisation=row[4],
            p_randomisation_holm=float(corrected[1][i]),
            p_bootstrap=row[5],
            p_bootstrap_holm=float(corrected[2][i]),
            low=row[6],
            high=row[7],
        )
        for i, (run, row) in enumerate(zip(others, table.tolist(), strict=True))
    ]


def paired_t(differences: ArrayLike) -> tuple[float, float]:
    """Student's paired t and its two-tailed probability.

    Equal runs give (0, 1); runs that differ by the same everywhere give an infinite t.

    >>> t, p = paired_t([1.0, 2.0, 3.0])
    >>> round(t, 3), round(p, 3)
    (3.464, 0.074)
    """
    from scipy.special import stdtr

    d = np.asarray(differences, dtype=np.float64)
    mean, error = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(len(d))
    if error == 0:
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    t = mean / error
    return t, float(2 * stdtr(len(d) - 1, -abs(t)))


def randomisation(differences: ArrayLike, samples: int = 10_000, seed: int = 0) -> float:
    """Fisher's randomisation test: how often random signs give as large a mean difference.

    Two-tailed; the observed signs count as one of the samples (Smucker, Allan & Carterette 2007).

    >>> randomisation([0.0, 0.0]), randomisation([1.0] * 20) < 0.001
    (1.0, True)
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
    """Two-tailed probability of the mean difference, and its interval of 95 %.

    The probability is that of a mean as large when queries are drawn from differences shifted
    to mean 0 (Sakai 2006, without studentising); the interval is that of percentiles.

    >>> p, low, high = bootstrap([1.0, 2.0, 3.0, 4.0])
    >>> p < 0.05, 1 < low < high < 4
    (True, True)
    """
    d = np.asarray(differences, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [
            d[generator.integers(0, len(d), size=(size, len(d)))].mean(axis=1)
            for size in _blocks(samples, len(d))
        ]
    )
    mean = d.mean()
    reached = int((np.abs(means - mean) >= abs(mean) * (1 - 1e-12)).sum())
    low, high = np.quantile(means, [0.025, 0.975])
    return (1 + reached) / (1 + samples), float(low), float(high)


def effect_size(differences: ArrayLike) -> float:
    """Cohen's d of paired differences: their mean in standard deviations.

    >>> effect_size([1.0, 2.0, 3.0])
    2.0
    """
    d = np.asarray(differences, dtype=np.float64)
    mean, deviation = float(d.mean()), float(d.std(ddof=1))
    if deviation == 0:
        return 0.0 if mean == 0 else math.copysign(math.inf, mean)
    return mean / deviation


def holm(probabilities: ArrayLike) -> Floats:
    """Probabilities corrected for their number, step by step from the smallest (Holm 1979).

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    corrected = np.empty(len(p))
    corrected[order] = stepped
    return corrected


def _blocks(samples: int, width: int) -> list[int]:
    """Sizes that add up to `samples` and keep a block of that width within memory."""
    size = max(1, _BLOCK // width)
    return [min(size, samples - start) for start in range(0, samples, size)]
