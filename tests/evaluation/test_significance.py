"""Tests of significance: against scipy, seeded, with their marks and corrections."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from understandability.errors import InputError, OptionError
from understandability.evaluation.comparison import (
    TESTS,
    bonferroni,
    bootstrap,
    compare_runs,
    effect_interval,
    effect_size,
    holm,
    mean_interval,
    paired_t,
    power,
    queries_needed,
    randomisation,
    randomised_tukey,
    tukey,
    wilcoxon,
)
from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.inputs.run import Labels, Run

DIFFERENCES = np.random.default_rng(3).normal(0.05, 0.2, 50)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=30).filter(lambda d: len(set(d)) > 1))
def test_the_paired_t_is_that_of_scipy(differences: list[int]) -> None:
    expected = stats.ttest_1samp(differences, 0)
    t, p = paired_t(differences)
    assert (t, p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))


def test_runs_that_do_not_vary_are_no_warning() -> None:
    """Equal runs do not differ; a constant difference is sure."""
    assert paired_t([0.0, 0.0]) == (0.0, 1.0)
    assert paired_t([0.25, 0.25]) == (math.inf, 0.0)
    assert paired_t([-0.25, -0.25]) == (-math.inf, 0.0)
    assert effect_size([0.0, 0.0]) == 0.0
    assert effect_size([0.25, 0.25]) == math.inf


def test_randomisation_comes_near_the_exact_test() -> None:
    d = np.array([0.5, -0.1, 0.3, 0.2, 0.4, -0.2, 0.1, 0.6])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = float((np.abs((signs * d).sum(axis=1)) >= abs(d.sum()) - 1e-12).mean())
    assert randomisation(d, 20_000) == pytest.approx(exact, abs=0.01)


def test_randomisation_bootstrap_and_t_agree_on_ordinary_data() -> None:
    """50 queries, normal differences."""
    _, p = paired_t(DIFFERENCES)
    assert randomisation(DIFFERENCES) == pytest.approx(p, abs=0.01)
    boot, low, high = bootstrap(DIFFERENCES)
    assert boot == pytest.approx(p, abs=0.02)
    error = DIFFERENCES.std(ddof=1) / math.sqrt(50)
    assert (low, high) == pytest.approx(
        (DIFFERENCES.mean() - 1.96 * error, DIFFERENCES.mean() + 1.96 * error), abs=0.01
    )


def test_a_seed_gives_the_same_numbers() -> None:
    """And another seed others; sizes of blocks in memory do not matter."""
    assert randomisation(DIFFERENCES, seed=1) == randomisation(DIFFERENCES, seed=1)
    assert bootstrap(DIFFERENCES, seed=1) == bootstrap(DIFFERENCES, seed=1)
    assert bootstrap(DIFFERENCES, seed=1) != bootstrap(DIFFERENCES, seed=2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_and_keeps_the_order(p: list[float]) -> None:
    """The smallest is multiplied by the number of tests."""
    corrected = holm(p)
    assert (corrected >= np.array(p) - 1e-15).all()
    assert (corrected <= 1).all()
    assert corrected.min() == pytest.approx(min(min(p) * len(p), 1.0))
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


def evaluation() -> Evaluation:
    """Three runs over 20 queries: relevant document first; second; first but for one query."""
    queries = [f"q{i}" for i in range(20)]
    qrels = Labels.of("qrels", {query: {"good": 1, "bad": 0} for query in queries})
    good, bad = [("good", 2.0), ("bad", 1.0)], [("bad", 2.0), ("good", 1.0)]
    runs = [
        Run.of("base", dict.fromkeys(queries, bad)),
        Run.of("best", dict.fromkeys(queries, good)),
        Run.of("near", {query: bad if query == "q0" else good for query in queries}),
    ]
    return evaluate(runs, qrels, measures="RBP(p=0.5)")


def test_runs_are_compared_with_the_first_and_with_the_best() -> None:
    """Each other run once for each, with the difference and the mean."""
    rows = {(row.run, row.against): row for row in evaluation().compare()}
    assert set(rows) == {("best", "first"), ("near", "first"), ("base", "best"), ("near", "best")}
    row = rows["near", "best"]
    assert row.reference == "best"
    assert row.difference == pytest.approx(-0.25 / 20)
    assert row.mean == pytest.approx(0.5 - 0.25 / 20)
    assert row.p["t"] == pytest.approx(stats.ttest_1samp([-0.25, *[0.0] * 19], 0).pvalue)
    assert row.corrected["holm"]["t"] == pytest.approx(row.p["t"])  # the larger of two
    assert rows["best", "first"].p["t"] == 0.0
    assert rows["best", "first"].p["randomisation"] < 0.001
    assert -0.05 < row.low <= row.high <= 0


def test_marks_are_those_of_the_study() -> None:
    """† from the first run, ⋄ from the best; only what is significant."""
    comparisons = evaluation().compare()
    assert comparisons.marks() == {
        ("RBP(p=0.5)", "best"): "†",
        ("RBP(p=0.5)", "near"): "†",
        ("RBP(p=0.5)", "base"): "⋄",
    }
    near = next(r for r in comparisons if (r.run, r.against) == ("near", "best"))
    assert "⋄" in comparisons.marks(near.p["t"] + 0.01)["RBP(p=0.5)", "near"]
    assert comparisons.marks(correction="holm") == comparisons.marks()


def test_too_little_to_compare_is_told() -> None:
    qrels = Labels.of("qrels", {"q": {"d": 1}})
    runs = [Run.of(name, {"q": [("d", 1.0)]}) for name in "ab"]
    with pytest.raises(InputError, match="no two queries in common"):
        evaluate(runs, qrels).compare()
    with pytest.raises(OptionError, match="100 samples or more, not 9"):
        evaluation().compare(samples=9)


# Of 7 to 13 differences with ties, SciPy counts every order of signs: seconds each.
@settings(max_examples=15)
@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=6).filter(any)
    | st.lists(st.integers(1, 9) | st.integers(-9, -1), min_size=14, max_size=30)
    | st.lists(st.integers(-9, 9), min_size=30, max_size=30)
)
def test_wilcoxon_is_that_of_scipy_and_does_not_warn(differences: list[int]) -> None:
    """Two-tailed, differences of 0 left out; without any it is 1."""
    kept = [d for d in differences if d]
    assert wilcoxon(differences) == pytest.approx(stats.wilcoxon(kept).pvalue)
    assert wilcoxon([0] * len(differences)) == 1.0


def test_bonferroni_multiplies_by_the_number_of_tests() -> None:
    """And never exceeds 1; Holm is never larger."""
    p = [0.01, 0.02, 0.4]
    assert bonferroni(p) == pytest.approx([0.03, 0.06, 1.0])
    assert (holm(p) <= bonferroni(p) + 1e-15).all()


def test_the_interval_of_an_effect_holds_the_t_that_was_observed_at_both_ends() -> None:
    """At either end the observed t is a 2.5 % tail of the noncentral t; signs mirror."""
    low, high = effect_interval(DIFFERENCES)
    t, _ = paired_t(DIFFERENCES)
    n = len(DIFFERENCES)
    assert stats.nct.sf(t, n - 1, low * math.sqrt(n)) == pytest.approx(0.025, rel=1e-6, abs=1e-6)
    assert stats.nct.cdf(t, n - 1, high * math.sqrt(n)) == pytest.approx(0.025, rel=1e-6, abs=1e-6)
    assert effect_interval(-DIFFERENCES) == (pytest.approx(-high), pytest.approx(-low))
    assert effect_interval([0.0, 0.0]) == (0.0, 0.0)
    assert effect_interval([0.25, 0.25]) == (math.inf, math.inf)


def test_power_and_the_number_of_queries_agree_with_published_tables() -> None:
    """Cohen (1988), two-tailed, alpha .05, power .8: d = .5 takes 34, d = .2 takes 199 pairs."""
    assert [queries_needed(d) for d in (0.2, 0.5, 0.8)] == [199, 34, 15]
    assert power(0.5, 34) >= 0.8 > power(0.5, 33)
    assert power(-0.5, 34) == power(0.5, 34)
    assert (power(math.inf, 5), power(0.0, 50)) == (1.0, pytest.approx(0.05))
    assert queries_needed(1e-6) is None
    # SciPy's noncentral t has no value for tails so small; such tests find what there is.
    assert queries_needed(5.4006) == 3
    assert [power(d, 32) for d in (5.4006, 20.0, 1000.0)] == [1.0, 1.0, 1.0]


def test_the_interval_of_a_mean_is_students() -> None:
    expected = stats.t.interval(
        0.95, len(DIFFERENCES) - 1, DIFFERENCES.mean(), stats.sem(DIFFERENCES)
    )
    assert mean_interval(DIFFERENCES) == pytest.approx(expected)


def test_all_pairs_are_compared_and_corrected_together() -> None:
    """Three runs make three pairs; Bonferroni takes each three times."""
    found = evaluation().compare(pairs=True, tests=["t", "wilcoxon"])
    assert [(row.run, row.reference) for row in found] == [
        ("best", "base"),
        ("near", "base"),
        ("near", "best"),
    ]
    near = found[2]
    assert near.corrected["bonferroni"]["t"] == pytest.approx(min(1, 3 * near.p["t"]))
    assert list(near.p) == ["t", "wilcoxon"]
    assert {f"p_{test}" for test in near.p} < set(found.to_pandas().columns)
    assert set(TESTS) == {"t", "wilcoxon", "randomisation", "bootstrap"}


def test_tests_and_corrections_that_do_not_exist_are_refused() -> None:
    with pytest.raises(OptionError, match="test 'sign' does not exist; choose one of t, wilcoxon"):
        evaluation().compare(tests=["sign"])
    found = evaluation().compare(tests=["t"])
    with pytest.raises(
        OptionError, match="correction 'fdr' does not exist; choose one of holm, bonferroni"
    ):
        found.marks(correction="fdr")
    with pytest.raises(OptionError, match="'wilcoxon' was not run; the tests are t"):
        found.marks(test="wilcoxon")


def test_tukey_of_two_runs_is_the_paired_t() -> None:
    """And of three the studentised range of a two-way analysis of variance, without replication.

    Its mean square is that of statsmodels (`anova_lm` of value ~ run + query).
    """
    values = np.random.default_rng(1).normal(size=(3, 12)) + np.array([[0.0], [0.5], [1.5]])
    d = values[0] - values[2]
    assert tukey(values[[0, 2]])(float(d.mean())) == pytest.approx(paired_t(d)[1], rel=1e-6)
    table = values - values.mean(axis=0)
    within = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum() / (2 * 11)
    p = stats.studentized_range.sf(abs(d.mean()) / np.sqrt(within / 12), 3, 22)
    assert tukey(values)(float(d.mean())) == pytest.approx(p, rel=1e-6)
    assert randomised_tukey(values, 4000)(float(d.mean())) == pytest.approx(p, abs=0.02)


def test_families_stand_beside_other_tests() -> None:
    """Their probabilities get no correction more."""
    generator = np.random.default_rng(2)
    values = {name: generator.normal(size=(1, 10)) for name in "abc"}
    means = {name: rows.mean(axis=1) for name, rows in values.items()}
    rows = compare_runs(["m"], values, means, tests=["t", "tukey"], pairs=True)
    assert [row.corrected["holm"]["tukey"] for row in rows] == [row.p["tukey"] for row in rows]
    assert len(rows) == 3
    assert all(row.p["tukey"] >= row.p["t"] * 0.5 for row in rows)
