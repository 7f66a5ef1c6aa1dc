"""Probability distributions and ranks with numpy alone, so that significance tests need no SciPy.

`tests/test_distributions.py` compares each function with SciPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats

_SMALLEST = 1e-300  # replaces a zero denominator in a continued fraction
_EPSILON = 1e-16
_MOST_TERMS = 100_000
# Numerical integration: Gauss-Legendre with this many points on each of equal panels.
_POINTS = 16
_PANELS, _FEW_PANELS = 64, 12
# Deviations from the mean beyond which a normal distribution has no mass in double precision.
_REACH = 9.0


def ranks(values: ArrayLike) -> Floats:
    """Return the rank of each value, from 1 for the smallest; tied values share their mean rank.

    >>> ranks([3, 1, 3]).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    # Groups of sizes 1, 2 have the ranks 1 and 2, 3: means 1 and 2.5.
    mean: Floats = last - (sizes - 1) / 2
    return mean[group.reshape(-1)]


def normal_cdf(x: ArrayLike) -> Floats:
    """Return the probability that a standard normal variable is at most `x`."""
    x = np.asarray(x, np.float64)
    flat = [math.erfc(value) for value in (x.ravel() / -math.sqrt(2)).tolist()]
    return 0.5 * np.array(flat).reshape(x.shape)


def student_cdf(t: float, freedom: float) -> float:
    """Return the probability that Student's t is at most `t`."""
    if t * t < 1:  # the other form is exact in the tails, and loses digits near 0
        tail = (1 - incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t))) / 2
    else:
        tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return tail if t < 0 else 1 - tail


def student_quantile(probability: float, freedom: float) -> float:
    """Return the `t` for which `student_cdf` equals the probability."""
    return solve(lambda t: student_cdf(t, freedom) - probability)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, 0 to 1 for `x` from 0 to 1.

    It is computed by its continued fraction, which converges fast below the mean (Lentz 1976; Press
    et al. 2007, 6.4).

    >>> round(incomplete_beta(2, 3, 0.5), 4)
    0.6875
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    upper, lower = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            lower = 1 / _away_from_zero(1 + term * lower)
            upper = _away_from_zero(1 + term / upper)
            value *= lower * upper
        if abs(lower * upper - 1) < _EPSILON * 4:
            break
    return math.exp(log_front) * value / a


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _SMALLEST else _SMALLEST


def noncentral_student_cdf(t: float, freedom: float, shift: float) -> float:
    """Return the probability that a noncentral Student's t is at most `t`.

    A noncentral t is (Z + `shift`) / S, with a standard normal Z and the standard deviation S of a
    sample.
    """
    scales, weights = scale_nodes(freedom, _PANELS)
    return float(weights @ normal_cdf(t * scales - shift))


def noncentral_student_shift(t: float, freedom: float, probability: float) -> float:
    """Return the `shift` for which `noncentral_student_cdf` equals the probability."""
    # The probability falls as the shift grows.
    return t + solve(lambda offset: probability - noncentral_student_cdf(t, freedom, t + offset))


def studentized_range_tail(q: float, groups: int, freedom: float) -> float:
    """Return the probability that the studentised range of some group means exceeds `q`.

    `groups` is the number of means, and `freedom` the degrees of freedom of the standard deviation.
    The distribution is integrated numerically over the standard deviation and the smallest mean
    (Tukey 1949; Lund & Lund 1983).
    """
    scales, weights = scale_nodes(freedom, _FEW_PANELS)
    widths = q * scales
    lowest, mass = gauss_legendre(-_REACH, _REACH, _FEW_PANELS)
    density = np.exp(-(lowest**2) / 2) / math.sqrt(2 * math.pi)
    # All groups lie within a width of the one that is the lowest.
    within = normal_cdf(lowest[None, :] + widths[:, None]) - normal_cdf(lowest)
    inside = groups * (within ** (groups - 1)) @ (density * mass)
    return float(np.clip(weights @ (1 - inside), 0, 1))


@lru_cache(maxsize=64)
def scale_nodes(freedom: float, panels: int) -> tuple[Floats, Floats]:
    """Return nodes and weights for integrating over the standard deviation of a sample.

    The population has a standard deviation of 1, so `freedom` times the variance of a sample has a
    chi-squared distribution. The integral of f is then about the sum of ``weights * f(nodes)``.
    """
    reach = _REACH / math.sqrt(freedom)
    scales, weights = gauss_legendre(max(0.0, 1 - reach), 1 + reach, panels)
    half = freedom / 2
    log_density = (
        math.log(2)
        + half * math.log(half)
        - math.lgamma(half)
        + (freedom - 1) * np.log(scales)
        - half * scales**2
    )
    probabilities = weights * np.exp(log_density)
    return scales, probabilities / probabilities.sum()


@lru_cache(maxsize=64)
def gauss_legendre(low: float, high: float, panels: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature from `low` to `high`, in `panels`
    intervals.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    edges = np.linspace(low, high, panels + 1)
    half = (high - low) / panels / 2
    middles = edges[:-1, None] + half
    return (middles + half * nodes).ravel(), np.tile(half * weights, panels)


def signed_rank_probability(differences: ArrayLike) -> float:
    """Return the two-tailed p-value of Wilcoxon's signed-rank test; no difference may be 0.

    The p-value is exact for up to 50 differences without ties and up to 13 with ties. Otherwise it
    comes from the normal approximation.
    """
    d = np.asarray(differences, np.float64)
    doubled = np.rint(2 * ranks(np.abs(d))).astype(np.int64)  # ties have halves of ranks
    positive, total = int(doubled[d > 0].sum()), int(doubled.sum())
    sizes = np.unique(doubled, return_counts=True)[1]
    n = len(d)
    if n <= (50 if sizes.max() == 1 else 13):
        # chances[s]: the probability that the ranks with a random plus sum to s.
        chances = np.zeros(total + 1)
        chances[0] = 1
        for rank in doubled.tolist():
            shifted = np.concatenate([np.zeros(rank), chances[: total + 1 - rank]])
            chances = (chances + shifted) / 2
        tail = min(chances[: positive + 1].sum(), chances[positive:].sum())
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((sizes**3 - sizes).sum()) / 48
        z = (positive - total / 2) / 2 / math.sqrt(variance)
        tail = float(normal_cdf(-abs(z)))
    return min(1.0, float(2 * tail))


def log_factorial(counts: ArrayLike) -> Floats:
    """Return the natural logarithm of the factorial of each count."""
    return np.array([math.lgamma(count + 1) for count in np.asarray(counts).tolist()])


def trigamma(x: float) -> float:
    """Return the sum of 1 / (x + k)^2 for k = 0, 1, ..., for a positive `x`.

    >>> round(trigamma(1), 6)  # pi^2 / 6
    1.644934
    """
    total = 0.0
    while x < 20:
        total += 1 / (x * x)
        x += 1
    y = 1 / (x * x)  # the asymptotic series (Abramowitz & Stegun 1964, 6.4.12)
    return total + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def solve(function: Callable[[float], float]) -> float:
    """Return the zero of a rising function, by bisection in an interval around 0 that is doubled
    first.
    """
    high = 1.0
    while function(high) < 0 and high < 1e300:
        high *= 2
    low = -1.0
    while function(low) > 0 and low > -1e300:
        low *= 2
    while low < (middle := (low + high) / 2) < high and high - low > 1e-14 * max(1, abs(middle)):
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2
