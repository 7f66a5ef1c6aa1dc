"""Correlations of system rankings: against scipy, by hand, and by brute force over ties."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from understandability.errors import InputError, OptionError
from understandability.evaluation.correlation import (
    COEFFICIENTS,
    correlation_matrix,
    kendall_tau_b,
    movers,
    pearson,
    rank_biased_overlap,
    spearman,
    tau_ap,
    ubire_overlap,
)

columns = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=20).filter(
    lambda rows: all(len(set(column)) > 1 for column in zip(*rows, strict=True))
)
scores = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5)


@given(columns)
def test_the_usual_coefficients_are_those_of_scipy(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    assert kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)


def test_tau_ap_by_hand() -> None:
    """Yilmaz, Aslam & Robertson 2008: pairs below the first, by what the reference says."""
    # Reference a b c d, ranking b a d c: at 2, a: 0 of 1; at 3, d: 2 of 2; at 4, c: 2 of 3.
    reference, other = [4, 3, 2, 1], [3, 4, 1, 2]
    assert tau_ap(reference, other) == pytest.approx(2 / 3 * (0 + 1 + 2 / 3) - 1)
    # An error at the top costs more than one at the end.
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) < tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    assert tau_ap([1, 2, 3], [1, 2, 3]) == 1.0
    assert tau_ap([1, 2, 3], [3, 2, 1]) == -1.0


def test_tau_ap_has_a_reference() -> None:
    """It is not symmetric; the symmetric form is the mean of both directions."""
    x, y = [5, 4, 3, 2, 1], [1, 5, 4, 3, 2]
    assert tau_ap(x, y) != tau_ap(y, x)
    assert tau_ap(x, y, symmetric=True) == pytest.approx((tau_ap(x, y) + tau_ap(y, x)) / 2)
    assert tau_ap(x, y, symmetric=True) == tau_ap(y, x, symmetric=True)
    # The row of a matrix is the reference, so that the printed matrix can be read.
    assert correlation_matrix([np.array(x), np.array(y)], "tau_ap")[0, 1] == tau_ap(x, y)


@given(scores)
def test_tied_systems_take_every_order(rows: list[tuple[int, int]]) -> None:
    """tau_ap is the mean over all orders that break the ties of both rankings alike."""
    reference, other = np.array(rows, dtype=float).T
    n = len(rows)
    values = []
    for order in itertools.permutations(range(n)):
        truth = sorted(range(n), key=lambda i: (-reference[i], order[i]))
        ranking = sorted(range(n), key=lambda i: (-other[i], order[i]))
        right = [
            sum(truth.index(ranking[j]) < truth.index(ranking[i]) for j in range(i)) / i
            for i in range(1, n)
        ]
        values.append(2 * sum(right) / (n - 1) - 1)
    assert tau_ap(reference, other) == pytest.approx(np.mean(values))


def test_ubire_overlap_by_hand() -> None:
    """Overlaps 0, 1, 2/3 of the first 1, 2, 3 of a b c d against b a d c."""
    assert ubire_overlap([4, 3, 2, 1], [3, 4, 1, 2]) == pytest.approx(2 * (0 + 1 + 2 / 3) / 3 - 1)


def test_rank_biased_overlap_by_hand() -> None:
    """Webber, Moffat & Zobel 2010, the extrapolated form."""
    # a b c against a c b: overlaps 1, 1/2, 1.
    p = 0.8
    expected = (1 - p) * (1 + p / 2 + p * p) + p**3
    assert rank_biased_overlap([3, 2, 1], [3, 1, 2], p) == pytest.approx(expected)
    with pytest.raises(OptionError, match="between 0 and 1"):
        rank_biased_overlap([1, 2], [1, 2], 1.0)


@given(columns)
def test_every_coefficient_of_a_column_with_itself_is_one(rows: list[tuple[int, int]]) -> None:
    """With ties too; and none leaves [-1, 1]."""
    x, y = np.array(rows, dtype=float).T
    for name in COEFFICIENTS:
        matrix = correlation_matrix([x, y], name)
        assert np.diag(matrix) == pytest.approx([1.0, 1.0])
        assert (np.abs(matrix) <= 1 + 1e-12).all()
        if name != "tau_ap":
            assert matrix[0, 1] == pytest.approx(matrix[1, 0])
    symmetric = correlation_matrix([x, y], "tau_ap", symmetric=True)
    assert symmetric[0, 1] == symmetric[1, 0]


def test_bad_input_is_told() -> None:
    with pytest.raises(OptionError, match="coefficient 'tau' does not exist; choose one of tau_b"):
        correlation_matrix([np.array([1.0, 2.0])] * 2, "tau")
    with pytest.raises(InputError, match="same systems, at least two"):
        tau_ap([1], [1])


def test_movers_are_those_whose_rank_changes_most() -> None:
    """Ranks count from 1, ties share the mean; who stays is no mover."""
    moved = movers("abcd", [4, 3, 2, 1], [1, 3, 2, 4], count=9)
    assert moved == [("a", 1.0, 4.0), ("d", 4.0, 1.0)]
    assert movers("ab", [1, 1], [2, 1]) == [("a", 1.5, 1.0), ("b", 1.5, 2.0)]


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_measure_that_is_the_same_everywhere_correlates_with_nothing(coefficient: str) -> None:
    """Whatever the coefficient makes of ties: an order that is none agrees with no other."""
    matrix = correlation_matrix([np.array([3.0, 2, 1]), np.zeros(3)], coefficient)
    assert matrix[0, 0] == pytest.approx(1)
    assert np.isnan(matrix[0, 1])
    assert np.isnan(matrix[1]).all()
