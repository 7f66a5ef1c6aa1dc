"""Tests of more than two runs together, and how deep the labels of a ranking go."""

from __future__ import annotations

import numpy as np
import pytest

import understandability as ud
from understandability.evaluation.comparison import compare_runs, paired_t, randomised_tukey, tukey


def test_tukey_of_two_runs_is_the_paired_t() -> None:
    """And of three the studentised range of a two-way analysis of variance, without replication.

    Its mean square is that of statsmodels (`anova_lm` of value ~ run + query).
    """
    values = np.random.default_rng(1).normal(size=(3, 12)) + np.array([[0.0], [0.5], [1.5]])
    d = values[0] - values[2]
    assert tukey(values[[0, 2]])(float(d.mean())) == pytest.approx(paired_t(d)[1], rel=1e-9)
    stats = pytest.importorskip("scipy.stats")
    table = values - values.mean(axis=0)
    within = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum() / (2 * 11)
    p = stats.studentized_range.sf(abs(d.mean()) / np.sqrt(within / 12), 3, 22)
    assert tukey(values)(float(d.mean())) == pytest.approx(p, rel=1e-9)
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


def test_how_deep_the_labels_go() -> None:
    """To the first document without one; the share of labelled ones is `Judged`."""
    run = {"r": {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}}
    qrels = {"q": {"d1": 0, "d2": 1, "d4": 1}}
    found = ud.evaluate(run, qrels, measures=["PoolDepth", "PoolDepth@1", "Judged@4"])
    assert found.means["r"].tolist() == [2.0, 1.0, 0.75]
