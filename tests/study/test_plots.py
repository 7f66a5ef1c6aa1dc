"""Figures: they are drawn, the same twice, and what cannot be drawn is told."""

from pathlib import Path

import pytest
from tests.conftest import Python, Run

from understandability.errors import OptionError
from understandability.evaluation.criteria import criterion
from understandability.study.plots import (
    plot_distribution,
    plot_systems,
    rendered,
    score_distribution,
)

matplotlib = pytest.importorskip("matplotlib", reason="needs the extra plots (matplotlib)")

SCORES = {"RBP": [0.3], "uRBP": [0.1]}


def test_systems_are_points_and_movers_have_names() -> None:
    scores = {"RBP": [0.3, 0.2, 0.1], "uRBP": [0.1, 0.2, 0.3], "HRBP": [0.1, 0.1, 0.1]}
    axes = plot_systems(["a", "b", "c"], scores, named=2).axes[0]
    assert [len(points.get_offsets()) for points in axes.collections] == [3, 3]
    assert {text.get_text() for text in axes.texts} == {"a", "c"}
    assert axes.get_xlabel() == "RBP"
    with pytest.raises(OptionError, match="at least two measures"):
        plot_systems(["a"], {"RBP": [0.3]})


def test_a_distribution_has_a_box_per_run_and_two_lines() -> None:
    """The oracle returns the easiest relevant documents, whatever their rank."""
    runs = {
        "hard": {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}, "r": {"d1": 2.0, "d9": 1.0}},
        "easy": {"q": {"d4": 4.0, "d3": 3.0, "d2": 2.0, "d1": 1.0}},
    }
    scores = criterion({"d1": 14.0, "d2": 12.0, "d3": 9.0, "d4": 6.0}, "higher-harder")
    qrels = {"q": {"d1": 1, "d2": 2, "d3": 0, "d4": 0}, "r": {"d4": 1}}
    found = score_distribution(runs, scores, qrels, top=2)
    assert {name: values.tolist() for name, values in found.runs.items()} == {
        "hard": [14.0, 12.0, 14.0],  # d9 has no score
        "easy": [6.0, 9.0],
    }
    assert found.oracle is not None
    assert found.oracle.tolist() == [12.0, 14.0, 6.0]
    assert found.random is not None
    assert len(found.random) == 3
    axes = plot_distribution(found, line=8).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["easy", "hard"]
    assert len(axes.get_legend_handles_labels()[1]) == 3
    turned = criterion({"d1": 14.0, "d2": 12.0, "d4": 6.0}, "higher-easier")
    oracle = score_distribution(runs, turned, qrels, top=1).oracle
    assert oracle is not None
    assert oracle.tolist() == [14.0, 6.0]
    plain = score_distribution(runs, scores)
    assert plain.oracle is None
    plot_distribution(plain)


def test_a_distribution_is_one_command(understand: Run, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 d1 1 2 a\nq Q0 d2 2 1 a\n")
    (tmp_path / "scores.csv").write_text("docno,fog\nd1,9\nd2,12\n")
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d2 0\n")
    understand(
        "plot", "distribution", tmp_path / "a.run", "--scores", f"{tmp_path}/scores.csv:fog:harder",
        "--qrels", tmp_path / "qrels", "--top", "1", "--line", "8", "-o", tmp_path / "a.svg",
        status=0,
    )  # fmt: skip
    assert "<svg" in (tmp_path / "a.svg").read_text()
    done = understand(
        "plot", "distribution", tmp_path / "a.run", "--scores", f"{tmp_path}/scores.csv:fig:harder",
        "-o", tmp_path / "a.svg", status=2,
    )  # fmt: skip
    assert "fig" in done.stderr


@pytest.mark.parametrize(
    ("kind", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_same_figure_has_the_same_bytes(kind: str, magic: bytes) -> None:
    """No date, no random names."""
    figures = [rendered(plot_systems(["a"], SCORES), kind) for _ in range(2)]
    assert figures[0] == figures[1]
    assert figures[0].startswith(magic)
    with pytest.raises(OptionError, match=r"\.png, \.svg, \.pdf, not as \.gif"):
        rendered(plot_systems(["a"], SCORES), "gif")


def test_without_matplotlib_the_extra_is_named(python: Python) -> None:
    """In a process where it cannot be imported."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from understandability.errors import MissingExtraError\n"
        "from understandability.study.plots import plot_systems\n"
        "try:\n    plot_systems(['a'], {'x': [1], 'y': [2]})\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    assert ".[plots]" in python(code)
