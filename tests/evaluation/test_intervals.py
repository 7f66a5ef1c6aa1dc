"""Confidence intervals of means, baselines, effect sizes and letters, in every form of output."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.conftest import Run

import understandability as ud
from understandability.errors import OptionError

QUERIES = [f"q{number}" for number in range(30)]
QRELS = {query: {f"d{n}": int((n + number) % 3 == 0) for n in range(8)}
         for number, query in enumerate(QUERIES)}  # fmt: skip
MEASURES = ["RBP(p=0.8)@5", "nDCG@5"]


def random_run(seed: int, skill: float) -> dict[str, dict[str, float]]:
    """A run that puts relevant documents first the more often the higher its skill."""
    generator = np.random.default_rng(seed)
    return {
        query: {d: float(generator.random() + skill * grade) for d, grade in labels.items()}
        for query, labels in QRELS.items()
    }


RUNS = {"weak": random_run(1, 0.0), "middle": random_run(2, 0.5), "strong": random_run(3, 2.0)}


def test_intervals_are_those_of_scipy() -> None:
    """Student's t from another implementation, the bootstrap to within its own noise."""
    result = ud.evaluate(RUNS, QRELS, measures=MEASURES, ci=True)
    for run, values in result.values.items():
        for index, measure in enumerate(MEASURES):
            of_queries = values[index]
            interval = result.intervals[run][measure]
            if not of_queries.std():  # scipy warns
                assert interval == {"t": (1.0, 1.0), "bootstrap": (1.0, 1.0)}
                continue
            expected = stats.t.interval(
                0.95, len(of_queries) - 1, of_queries.mean(), stats.sem(of_queries)
            )
            assert interval["t"] == pytest.approx(expected)
            theirs = stats.bootstrap(
                (of_queries,), np.mean, method="percentile", rng=np.random.default_rng(7)
            ).confidence_interval
            assert interval["bootstrap"] == pytest.approx(tuple(theirs), abs=0.01)


def test_an_interval_needs_two_queries_and_a_mean_over_queries() -> None:
    one = ud.evaluate({"a": {"q": {"d": 1.0}}}, {"q": {"d": 1}}, ci=True)
    assert np.isnan(one.intervals["a"]["RBP(p=0.8)@10"]["t"]).all()
    assert "| - |" in one.to_markdown()
    labels = {f"d{n}": 10.0 * n for n in range(8)}
    of_means = ud.evaluate(
        RUNS, QRELS, labels, scale="lower-easier:40", measures="HRBP(of=means)", ci=True
    )
    assert np.isnan(of_means.intervals["weak"]["HRBP(of=means)"]["t"]).all()


def test_effect_sizes_against_a_baseline_are_cohens_d() -> None:
    result = ud.evaluate(RUNS, QRELS, measures=MEASURES, baseline="middle")
    frame = result.to_pandas().set_index("run")
    for index, measure in enumerate(MEASURES):
        differences = result.values["strong"][index] - result.values["middle"][index]
        d = differences.mean() / differences.std(ddof=1)
        assert frame.loc["strong", f"{measure} d"] == pytest.approx(d)
        assert frame.loc["strong", f"{measure} difference"] == pytest.approx(differences.mean())
        p = stats.ttest_rel(result.values["strong"][index], result.values["middle"][index]).pvalue
        assert frame.loc["strong", f"{measure} p_t"] == pytest.approx(p)
        assert np.isnan(frame.loc["middle", f"{measure} d"])
    assert "† differs from middle" in result.to_markdown()


def test_every_output_has_the_same_numbers(understand: Run, tmp_path: Path) -> None:
    """Markdown, LaTeX, JSON, CSV and pandas."""
    for name, run in RUNS.items():
        lines = [
            f"{q} Q0 {d} 0 {score} {name}"
            for q, ranked in run.items()
            for d, score in ranked.items()
        ]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    (tmp_path / "qrels").write_text(
        "\n".join(f"{q} 0 {d} {grade}" for q, of in QRELS.items() for d, grade in of.items())
    )
    result = ud.evaluate(RUNS, QRELS, measures=MEASURES, baseline="weak", ci=True)
    command = [
        "evaluate", *(str(tmp_path / f"{name}.run") for name in RUNS), "--qrels",
        str(tmp_path / "qrels"), "-m", MEASURES[0], "-m", MEASURES[1], "--order", "score",
        "--baseline", "weak", "--ci",
    ]  # fmt: skip
    outputs = {suffix: tmp_path / f"out.{suffix}" for suffix in ("json", "csv", "tex", "md")}
    for path in outputs.values():
        understand(*command, "-o", str(path))
    document = json.loads(outputs["json"].read_text())
    effect = next(
        row for row in document["effects"]
        if (row["run"], row["measure"]) == ("strong", MEASURES[0])
    )  # fmt: skip
    interval = document["intervals"]["strong"][MEASURES[0]]
    row = result.to_pandas().set_index("run").loc["strong"]
    table = pd.read_csv(outputs["csv"]).set_index(["run", "measure"])
    numbers = {
        "low": interval["t"][0], "high": interval["t"][1], "d": effect["effect_size"],
        "bootstrap_low": interval["bootstrap"][0], "d_low": effect["effect_low"],
    }  # fmt: skip
    for name, number in numbers.items():
        assert row[f"{MEASURES[0]} {name}"] == pytest.approx(number, rel=1e-6)
        for suffix in ("tex", "md"):
            assert f"{number:.4f}" in outputs[suffix].read_text()
        assert table.loc[("strong", MEASURES[0]), name] == pytest.approx(number, rel=1e-6)
    latex = outputs["tex"].read_text()
    for measure in MEASURES:  # a block of rows each, so that the table fits a page
        assert f"{measure} & strong & " in latex
    one = ud.evaluate(RUNS, QRELS, measures=MEASURES[:1], ci=True).to_latex()
    assert r"\multicolumn{5}{c}{RBP(p=0.8)@5}" in one


def test_letters_mark_the_runs_that_are_beaten() -> None:
    """Each run has a letter in the order of the table, also in LaTeX."""
    result = ud.evaluate(RUNS, QRELS, measures=MEASURES[:1])
    table = result.marked_table(letters=True, correction="holm")
    assert [row[0] for row in table.rows] == ["a strong", "b middle", "c weak"]
    pairs = {
        (row.run, row.reference): row.corrected["holm"]["t"]
        for row in result.compare(tests=["t"], pairs=True).rows
    }
    beaten = table.marks[0, MEASURES[0]]
    for letter, name in (("b", "middle"), ("c", "weak")):
        p = pairs.get(("strong", name), pairs.get((name, "strong")))
        assert (letter in beaten) == (p is not None and p < 0.05)
    assert (2, MEASURES[0]) not in table.marks  # the last run beats none
    assert f"$^{{{beaten}}}$" in table.to_latex()
    assert "Letters mark the runs" in table.to_markdown()


def test_letters_of_a_residual_mark_the_higher_runs() -> None:
    """The lower residual is the better one."""
    judged = {q: {d: g for d, g in of.items() if d != "d0"} for q, of in QRELS.items()}
    first = {q: {"d0": 2.0, "d1": 1.0} for q in QUERIES}
    runs = {"unjudged first": first, "judged first": {q: {"d1": 2.0, "d0": 1.0} for q in QUERIES}}
    runs["judged first"]["q0"] = {"d0": 2.0, "d1": 1.0}  # a difference that varies
    result = ud.evaluate(runs, judged, measures="residual(RBP(p=0.5))")
    table = result.marked_table(letters=True)
    names = {row[0][2:]: row[0][0] for row in table.rows}
    row = [of[0][2:] for of in table.rows].index("judged first")
    assert table.marks == {(row, "residual(RBP(p=0.5))"): names["unjudged first"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "stong"}, "the baseline 'stong' is not a run here; choose weak, middle"),
        ({"baseline": "weak", "runs": {"weak": RUNS["weak"]}}, "at least two runs"),
    ],
)
def test_a_baseline_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ud.evaluate(**{"runs": RUNS, "qrels": QRELS} | options)


def test_compare_takes_a_baseline() -> None:
    compared = ud.compare(RUNS, QRELS, tests=["t"], baseline="middle")
    assert {row.reference for row in compared if row.against == "baseline"} == {"middle"}
    assert compared.settings["tests"] == ("t",)
