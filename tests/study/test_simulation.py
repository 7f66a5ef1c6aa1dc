"""Synthetic systems: what theory says of their means, the same numbers for a seed, and speed."""

import time

import pytest
from scipy.stats import norm

from understandability.errors import OptionError
from understandability.evaluation.scales import parse_scale
from understandability.study.simulate_systems import simulate


def test_means_are_those_that_theory_gives() -> None:
    """E RBP = T (1 - p^n); a label is easy if the normal one is below 41, as it is rounded down."""
    cells = simulate(runs=4_000).cells
    assert len(cells) == 5 * 3 * 4  # the grid of the paper
    assert {cell.topicality for cell in cells} == {0.3, 0.4, 0.5, 0.6, 0.7}
    assert {cell.mean_label for cell in cells} == {50.0, 40.0, 30.0}
    for cell in cells:
        mass = 1 - 0.8**10
        easy = norm.cdf((41 - cell.mean_label) / cell.deviation)
        expected = {
            "RBP(p=0.8)@10": cell.topicality * mass,
            "RBPu(p=0.8)@10": easy * mass,
            "uRBP(p=0.8)@10": cell.topicality * easy * mass,
        }
        if cell.measure in expected:
            assert cell.mean == pytest.approx(expected[cell.measure], abs=0.012)
            assert 0.05 < cell.standard_deviation < 0.25


def test_easier_systems_score_higher_where_understandability_counts() -> None:
    """And HRBP lies between, RBP does not move."""
    found = simulate([0.5], [60.0, 10.0])
    hard, easy = (
        {cell.measure: cell.mean for cell in found.cells if cell.mean_label == mean}
        for mean in (60.0, 10.0)
    )
    for measure in hard:
        if measure != "RBP(p=0.8)@10":
            assert easy[measure] > hard[measure] + 0.05
    assert easy["RBP(p=0.8)@10"] == pytest.approx(hard["RBP(p=0.8)@10"], abs=0.03)


def test_a_seed_gives_the_same_table() -> None:
    assert simulate(runs=20, seed=5) == simulate(runs=20, seed=5)
    assert simulate(runs=20, seed=5) != simulate(runs=20, seed=6)


def test_any_measure_and_any_scale() -> None:
    """A perfect system under another scale and other measures."""
    cells = simulate(
        [1.0], [10.0], [0.0], documents=5, runs=3, scale="higher-easier:2:0..3",
        measures=["unDCG@5", "uERR(max=1)@5", "nDCGu@5"],
    ).cells  # fmt: skip
    assert [(cell.mean, cell.standard_deviation) for cell in cells][::2] == [(1, 0), (1, 0)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topicality": (1.5,)}, "topicality is a probability"),
        ({"deviation": (-1.0,)}, "cannot be negative"),
        ({"runs": 1}, "2 or more runs"),
        ({"documents": 0}, "1 or more documents"),
        ({"scale": parse_scale("lower-easier:40")}, "the ends of their scale"),
    ],
)
def test_a_grid_that_makes_no_sense_is_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        simulate(**options)  # type: ignore[arg-type]


def test_the_whole_table_takes_less_than_two_seconds_of_work() -> None:
    """60,000 numbers out of 150,000 simulated documents."""
    simulate(runs=2)
    begin = time.process_time()
    simulate()
    assert time.process_time() - begin < 2


def test_settings_of_a_result_give_it_again() -> None:
    result = simulate([0.4], [50.0, 30.0], runs=20, seed=7, documents=5)
    settings = dict(result.settings)
    again = simulate(
        settings["topicality"],
        settings["mean"],
        settings["deviation"],
        documents=settings["documents"],
        runs=settings["runs"],
        scale=settings["scale"],
        seed=settings["seed"],
    )
    assert again == result
