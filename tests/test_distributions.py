"""Distributions, ranks and correlations are SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from understandability import distributions
from understandability.evaluation import correlation

COLUMNS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=30)


@given(COLUMNS)
def test_ranks_and_correlations(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, float).T
    assert distributions.ranks(x).tolist() == stats.rankdata(x).tolist()
    for ours, name in (
        (correlation.pearson, "pearsonr"),
        (correlation.kendall_tau_b, "kendalltau"),
    ):
        if np.ptp(x) and np.ptp(y):
            assert ours(x, y) == pytest.approx(
                getattr(stats, name)(x, y).statistic, rel=1e-6, abs=1e-6
            )
        else:
            assert math.isnan(ours(x, y))


def test_a_correlation_of_very_small_and_very_large_values() -> None:
    x = np.array([1.0, 2.0, 4.0])
    for scale in (1e-200, 1e200):
        assert correlation.pearson(x * scale, x) == pytest.approx(1)


@pytest.mark.parametrize("freedom", [1, 2, 5, 49, 1000, 99_999])
def test_students_t(freedom: int) -> None:
    for t in (-40.0, -6.0, -1.0, 0.0, 0.3, 2.0, 12.0):
        expected = special.stdtr(freedom, t)
        assert distributions.student_cdf(t, freedom) == pytest.approx(expected, rel=1e-6, abs=0)
    for p in (0.001, 0.3, 0.5, 0.975):
        expected = special.stdtrit(freedom, p)
        assert distributions.student_quantile(p, freedom) == pytest.approx(
            expected, rel=1e-6, abs=1e-6
        )


@pytest.mark.parametrize("freedom", [1, 3, 19, 299, 20_000])
@pytest.mark.parametrize("shift", [-3.0, 0.0, 0.5, 4.0, 20.0])
def test_the_noncentral_t(freedom: int, shift: float) -> None:
    for t in (-2.0, 0.0, 1.0, 5.0, 25.0):
        ours = distributions.noncentral_student_cdf(t, freedom, shift)
        expected = np.nan_to_num(stats.nct.cdf(t, freedom, shift))  # NaN for a tail near 0
        assert ours == pytest.approx(expected, rel=1e-6, abs=1e-6)
    for t in (1.0, 5.0, 25.0):
        ours = distributions.noncentral_student_shift(t, freedom, 0.975)
        assert ours == pytest.approx(special.nctdtrinc(freedom, 0.975, t), rel=1e-6)


@pytest.mark.parametrize("groups", [2, 3, 10, 60])
@pytest.mark.parametrize("freedom", [2, 10, 98, 5000])
def test_the_studentised_range(groups: int, freedom: int) -> None:
    for q in (0.1, 1.0, 3.5, 6.0):
        expected = stats.studentized_range.sf(q, groups, freedom)
        ours = distributions.studentized_range_tail(q, groups, freedom)
        assert ours == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(st.lists(st.integers(1, 9) | st.integers(-9, -1), min_size=1, max_size=60))
def test_the_signed_rank_test(differences: list[int]) -> None:
    if 7 <= len(differences) <= 13:
        differences = differences[:6]  # SciPy counts every order of signs: seconds
    expected = stats.wilcoxon(differences).pvalue
    assert distributions.signed_rank_probability(differences) == pytest.approx(expected)


@pytest.mark.parametrize("count", [1, 2, 12, 13, 14, 50, 51])
def test_the_signed_rank_test_without_ties(count: int) -> None:
    d = np.random.default_rng(count).normal(0.3, 1, count)
    assert distributions.signed_rank_probability(d) == pytest.approx(stats.wilcoxon(d).pvalue)


def test_log_factorials() -> None:
    assert distributions.log_factorial([0, 1, 5, 10**6]) == pytest.approx(
        special.gammaln([1, 2, 6, 10**6 + 1])
    )


def test_trigamma_and_the_normal_distribution() -> None:
    for x in (0.1, 1.0, 7.5, 19.99, 20.0, 1e6):
        assert distributions.trigamma(x) == pytest.approx(special.zeta(2, x))
    x = np.array([[-37.0, -1.0], [0.0, 9.0]])
    assert distributions.normal_cdf(x) == pytest.approx(stats.norm.cdf(x), rel=1e-6, abs=0)
