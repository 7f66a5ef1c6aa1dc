"""Figures: they are drawn, the same twice, and what cannot be drawn is told."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from understandability.errors import InputError, OptionError
from understandability.inputs.run import Labels, Run
from understandability.study.plots import (
    plot_cumulative,
    plot_systems,
    plot_users,
    rendered,
    top_scores,
)

matplotlib = pytest.importorskip("matplotlib", reason="needs the extra plots (matplotlib)")


def test_systems_are_points_and_movers_have_names() -> None:
    """One point for each system and measure."""
    scores = {"RBP": [0.3, 0.2, 0.1], "uRBP": [0.1, 0.2, 0.3], "HRBP": [0.1, 0.1, 0.1]}
    axes = plot_systems(["a", "b", "c"], scores, named=2).axes[0]
    assert [len(points.get_offsets()) for points in axes.collections] == [3, 3]
    assert {text.get_text() for text in axes.texts} == {"a", "c"}
    assert axes.get_xlabel() == "RBP"
    with pytest.raises(OptionError, match="at least two measures"):
        plot_systems(["a"], {"RBP": [0.3]})


def test_user_curves_run_over_the_distribution() -> None:
    """P₁ steps from 1 to 0 at the threshold, P₂ passes one half there."""
    scores = np.random.default_rng(0).normal(12, 3, 1000)
    _, curves = plot_users(scores, [12.0], name="FOG").axes
    step, arctan = ((line.get_xdata(), line.get_ydata()) for line in curves.lines)
    assert set(step[1]) == {0.0, 1.0}
    assert np.interp(12.0, *arctan) == pytest.approx(0.5, abs=0.01)
    assert arctan[1][0] > 0.5 > arctan[1][-1]
    with pytest.raises(OptionError, match="does not say whether higher or lower"):
        plot_users(scores, [12.0], direction="up")
    with pytest.raises(InputError, match="no numbers to plot"):
        plot_users([np.nan], [12.0])


def test_cumulative_curves_end_at_one() -> None:
    """One curve for each run, in rising order."""
    lines = plot_cumulative({"a": [3.0, 1.0, 2.0], "b": [5.0]}, "FOG").axes[0].lines
    assert [list(line.get_ydata()) for line in lines] == [[1 / 3, 2 / 3, 1.0], [1.0]]
    assert list(lines[0].get_xdata()) == [1.0, 2.0, 3.0]
    with pytest.raises(InputError, match="no document of a has a FOG"):
        plot_cumulative({"a": []}, "FOG")


def test_top_scores_are_of_the_first_documents_in_either_order() -> None:
    """Documents without a score are left out."""
    run = Run.of("r", {"q": [("a", 1.0), ("b", 2.0)], "s": [("c", 1.0), ("x", 2.0)]})
    scores = Labels.of_documents("fog", {"a": 1.0, "b": 2.0, "c": 3.0})
    assert top_scores(run, scores, 1).tolist() == [1.0, 3.0]
    assert top_scores(run, scores, 1, "score").tolist() == [2.0]
    assert top_scores(run, scores).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_figure_has_the_same_bytes(kind: str) -> None:
    """No date, no random names."""
    figures = [rendered(plot_cumulative({"a": [1.0, 2.0]}), kind) for _ in range(2)]
    assert figures[0] == figures[1]
    with pytest.raises(OptionError, match=r"\.png, \.svg, \.pdf, not as \.gif"):
        rendered(plot_cumulative({"a": [1.0]}), "gif")


def test_without_matplotlib_the_extra_is_named() -> None:
    """In a process where it cannot be imported."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from understandability.errors import MissingExtraError\n"
        "from understandability.study.plots import plot_cumulative\n"
        "try:\n    plot_cumulative({'a': [1.0]})\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b".[plots]" in process.stdout
