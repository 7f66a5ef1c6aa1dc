"""Figures: they are drawn, the same twice, and what cannot be drawn is told."""

import pytest
from tests.conftest import Python

from understandability.errors import OptionError
from understandability.study.plots import plot_systems, rendered

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
