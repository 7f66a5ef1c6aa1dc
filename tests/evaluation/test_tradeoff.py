"""The sweep of depths and weights."""

import pytest

import understandability as ud
from understandability.errors import OptionError
from understandability.evaluation.tradeoff import Point
from understandability.study.plots import plot_tradeoff

# In every query the relevant document is hard and stands first, the easy one is not relevant.
QUERIES = [f"q{number}" for number in range(8)]
RUN = {query: {"hard": 3.0, "easy": 2.0, "mean": 1.0} for query in QUERIES}
QRELS = {query: {"hard": 1} for query in QUERIES}
EASE = {"hard": 90, "easy": 5, "mean": 50}


def sweep(tops: list[int], weights: list[float]) -> tuple[Point, ...]:
    found = ud.tradeoff(
        RUN, EASE, QRELS, EASE, direction="harder", scale="lower-easier:40", tops=tops,
        weights=weights,
    )  # fmt: skip
    return found.points


@pytest.fixture
def points() -> tuple[Point, ...]:
    return sweep([2, 3], [0.4, 1.0])


def test_a_sweep_has_the_run_and_every_setting() -> None:
    """Depths and weights in order, each once, the run as it is first."""
    names = [point.setting.name for point in sweep([20, 5, 5], [1.0, 0.5])]
    assert names == ["as it is", "top=5 w=0.5", "top=5 w=1", "top=20 w=0.5", "top=20 w=1"]


def test_what_is_gained_and_lost_is_told(points: tuple[Point, ...]) -> None:
    """By hand, p = .8: the relevant document falls from rank 1 to 2 or 3, the easy one rises."""
    rbp = {point.setting.name: point.means["RBP(p=0.8)@10"] for point in points}
    assert rbp == pytest.approx(
        {
            "as it is": 0.2,
            "top=2 w=0.4": 0.2,
            "top=2 w=1": 0.16,
            "top=3 w=0.4": 0.2,
            "top=3 w=1": 0.128,
        }
    )
    easy = {point.setting.name: point.means["RBPu(p=0.8)@10"] for point in points}
    assert easy["as it is"] == pytest.approx(0.16)
    assert easy["top=2 w=1"] == pytest.approx(0.2)


def test_marks_say_what_differs(points: tuple[Point, ...]) -> None:
    """† from the run as it is, ⋄ from the best; where nothing changes there is no mark."""
    marks = {point.setting.name: point.marks["RBP(p=0.8)@10"] for point in points}
    assert marks["as it is"] == ""
    assert marks["top=2 w=0.4"] == ""
    assert marks["top=2 w=1"] == "†⋄"


def test_a_plot_has_a_line_for_each_weight(points: tuple[Point, ...]) -> None:
    pytest.importorskip("matplotlib")
    figure = plot_tradeoff(points)
    assert [axes.get_xlabel() for axes in figure.axes] == ["RBP(p=0.8)@10"] * 2
    assert [axes.get_ylabel() for axes in figure.axes] == ["RBPu(p=0.8)@10", "HRBP(p=0.8)@10"]
    for axes in figure.axes:
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        assert labels == ["w = 0.4", "w = 1"]


def test_a_plot_needs_two_measures(points: tuple[Point, ...]) -> None:
    """There is no trade-off of one measure."""
    pytest.importorskip("matplotlib")
    one = [Point(point.setting, {"RBP": 0.1}, {"RBP": ""}) for point in points]
    with pytest.raises(OptionError, match="needs at least two measures"):
        plot_tradeoff(one)


def test_a_sweep_of_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="at least one depth and one weight"):
        sweep([], [1.0])
