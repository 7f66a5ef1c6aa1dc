"""Whether paired differences, one a query, are beyond chance, how large they are, and how sure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.errors import OptionError

_BLOCK = 1 << 22  # numbers in memory at once
_MOST_QUERIES = 100_000


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


def mean_interval(differences: ArrayLike) -> tuple[float, float]:
    """The interval of 95 % of the mean difference, by Student's t.

    >>> low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    from scipy.special import stdtrit

    d = np.asarray(differences, dtype=np.float64)
    reach = float(stdtrit(len(d) - 1, 0.975)) * float(d.std(ddof=1)) / math.sqrt(len(d))
    return float(d.mean()) - reach, float(d.mean()) + reach


def wilcoxon(differences: ArrayLike) -> float:
    """Two-tailed probability of Wilcoxon's signed-rank test (Wilcoxon 1945).

    Differences of 0 are left out, as he did; 1 where nothing is left. Exact for up to 50
    differences without ties, normal otherwise.

    >>> wilcoxon([0.0, 0.0]), round(wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0]), 4)
    (1.0, 0.0625)
    """
    from scipy.stats import wilcoxon as signed_rank

    d = np.asarray(differences, dtype=np.float64)
    # What differs by rounding only is tied.
    d = np.round(d[d != 0], 12)
    return float(signed_rank(d).pvalue) if (d != 0).any() else 1.0


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


def effect_interval(differences: ArrayLike) -> tuple[float, float]:
    """The interval of 95 % of `effect_size`, from the noncentral t (Cumming & Finch 2001).

    Both ends are the effect itself where the differences do not vary.

    >>> low, high = effect_interval([1.0, 2.0, 3.0, 2.0])
    >>> 0 < low < effect_size([1.0, 2.0, 3.0, 2.0]) < high
    True
    """
    from scipy.special import nctdtrinc

    d = np.asarray(differences, dtype=np.float64)
    effect, n = effect_size(d), len(d)
    if (effect == 0 and not d.std()) or math.isinf(effect):
        return effect, effect
    t = effect * math.sqrt(n)
    low, high = (float(nctdtrinc(n - 1, p, t)) / math.sqrt(n) for p in (0.975, 0.025))
    return low, high


def power(effect: float, queries: int, alpha: float = 0.05) -> float:
    """The chance that a two-tailed paired t-test finds an effect of a size (Cohen's d).

    >>> round(power(0.5, 34), 2)
    0.81
    """
    from scipy.special import nctdtr, stdtrit

    if queries < 2:
        raise OptionError(f"a test needs 2 queries or more, not {queries}")
    if math.isinf(effect):
        return 1.0
    shift, critical = abs(effect) * math.sqrt(queries), stdtrit(queries - 1, 1 - alpha / 2)
    # Where a tail is too small to be told, SciPy gives NaN.
    high, low = np.nan_to_num(nctdtr(queries - 1, shift, [critical, -critical]))
    return float(1 - (high - low))


def queries_needed(effect: float, alpha: float = 0.05, wanted: float = 0.8) -> int | None:
    """How many queries a paired t-test needs to find an effect with the power that is wanted.

    None where it takes more than 100,000. (Sakai 2016 on topic set sizes.)

    >>> queries_needed(0.5), queries_needed(0.0)
    (34, None)
    """
    high = 2
    while power(effect, high, alpha) < wanted:
        high *= 2
        if high > _MOST_QUERIES:
            return None
    return next(n for n in range(max(2, high // 2), high + 1) if power(effect, n, alpha) >= wanted)


def bonferroni(probabilities: ArrayLike) -> Floats:
    """Probabilities times their number, at most 1 (Bonferroni; Dunn 1961).

    >>> bonferroni([0.01, 0.04, 0.5]).round(3).tolist()
    [0.03, 0.12, 1.0]
    """
    p = np.asarray(probabilities, dtype=np.float64)
    return np.minimum(p * len(p), 1.0)


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


# The tests by name: differences, samples, seed -> probability.
TESTS: Mapping[str, Callable[[Floats, int, int], float]] = MappingProxyType(
    {
        "t": lambda d, samples, seed: paired_t(d)[1],
        "wilcoxon": lambda d, samples, seed: wilcoxon(d),
        "randomisation": randomisation,
        "bootstrap": lambda d, samples, seed: bootstrap(d, samples, seed)[0],
    }
)
CORRECTIONS: Mapping[str, Callable[[ArrayLike], Floats]] = MappingProxyType(
    {"holm": holm, "bonferroni": bonferroni}
)
