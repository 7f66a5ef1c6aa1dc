"""Figures of the uRBP papers and of the study; they need matplotlib (extra ``plots``)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from understandability.errors import OptionError, needing
from understandability.evaluation.correlation import movers
from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.options import EvaluationOptions, LabelFile, Measures, Qrels, Runs
from understandability.evaluation.tradeoff import Point
from understandability.inputs.writing import check_folder, write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from understandability.study.simulate_grid import UserGrid

FORMATS = ("png", "svg", "pdf")


def check_figure(destination: str) -> None:
    """Raise what `write_figure` would, before there is a figure to write."""
    check_format(Path(destination).suffix[1:].lower())
    check_folder(destination)
    new_figure()


def write_figure(figure: Figure, destination: str) -> None:
    """Write a figure in the format that the suffix names."""
    write_bytes(destination, rendered(figure, Path(destination).suffix[1:].lower()))


def plot_systems(systems: Sequence[str], scores: Mapping[str, ArrayLike], named: int = 5) -> Figure:
    """Systems by a first measure (across) and by others (up), as ECIR 2016, Figures 1 and 2.

    On the diagonal nothing is lost to understandability. The `named` systems that move most
    between the first two measures carry their names.
    """
    if len(scores) < 2:
        raise OptionError("a plot of systems needs at least two measures")
    figure, axes = new_figure()
    (across, x), *others = scores.items()
    x = np.asarray(x, dtype=np.float64)
    for name, y in others:
        axes.scatter(x, np.asarray(y, dtype=np.float64), s=14, label=name)
    top = float(max(x.max(), *(np.max(y) for _, y in others))) * 1.05
    axes.plot([0, top], [0, top], color="grey", linewidth=0.8, linestyle=":")
    first = np.asarray(others[0][1], dtype=np.float64)
    moved = [list(systems).index(system) for system, _, _ in movers(systems, x, first, named)]
    for row, place in enumerate(sorted(moved, key=lambda place: first[place])):
        # Names stand in a column of their own: what moves most often lies close together.
        axes.annotate(
            systems[place],
            (x[place], first[place]),
            (0.7, 0.05 + 0.05 * row),
            textcoords="axes fraction",
            fontsize=7,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": "grey", "relpos": (0, 0.5)},
        )
    axes.set(xlabel=across, ylabel=", ".join(name for name, _ in others))
    axes.legend(loc="upper left", fontsize=8)
    return figure


def plot_user_grid(grid: UserGrid) -> Figure:
    """Kendall's tau of each user with the reference, over the ways of reading pages."""
    figure, axes = new_figure()
    lines: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for row in grid.rows:
        # Thresholds that are shares of the documents differ between the ways: their place counts.
        same = (row.reference, row.score, row.user)
        place = 0
        while row.pipeline in lines.setdefault((*same, place), {}):
            place += 1
        lines[*same, place][row.pipeline] = row.tau
    for (reference, score, user, place), taus in lines.items():
        style = "-" if user == "arctan" else "--"
        label = f"{reference}, {score}, {user}, threshold {place + 1}"
        axes.plot(list(taus), list(taus.values()), style, marker="o", markersize=3, label=label)
    axes.set(ylabel="Kendall's τ with the reference")
    axes.set_ylim(top=1.02)
    axes.tick_params(axis="x", rotation=90, labelsize=7)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5), handlelength=4)
    return figure


def plot_tradeoff(points: Sequence[Point]) -> Figure:
    """The first measure (across) against each other one (up); a line for each weight."""
    first, *others = points[0].means
    if not others:
        raise OptionError("a plot of a trade-off needs at least two measures")
    figure, _ = new_figure()
    figure.clear()
    figure.set_size_inches(4.8 * len(others), 4.2)
    start, *sweep = points
    places = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, measure in zip(places, others, strict=True):
        for weight in dict.fromkeys(point.setting.weight for point in sweep):
            line = [point for point in sweep if point.setting.weight == weight]
            x = [start.means[first], *(point.means[first] for point in line)]
            y = [start.means[measure], *(point.means[measure] for point in line)]
            axes.plot(x, y, marker="o", markersize=4, linewidth=1, label=f"w = {weight:g}")
            for point in line:
                at = point.means[first], point.means[measure]
                top = str(point.setting.top)
                axes.annotate(top, at, (3, 3), textcoords="offset points", fontsize=7)
        axes.plot(start.means[first], start.means[measure], marker="s", color="black")
        axes.set(xlabel=first, ylabel=measure)
        axes.legend(fontsize=8, title="top k at each point", title_fontsize=7)
    return figure


def figure_of_systems(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures,
    named: int = 5,
    **options: Unpack[EvaluationOptions],
) -> Any:
    """Plot runs by a first measure against others, as RBP against uRBP in ECIR 2016, Figure 1.

    Example: understand plot systems runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)' -o systems.svg

    Args:
        named: How many of the runs that move most to name.
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **options)
    columns = {measure: result.column(measure) for measure in result.measures}
    return plot_systems(result.runs, columns, named)


def rendered(figure: Figure, kind: str) -> bytes:
    """The bytes of a figure as ``png``, ``svg`` or ``pdf``; the same figure, the same bytes."""
    check_format(kind)
    import matplotlib as mpl

    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    target = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "understandability"}):
        figure.savefig(target, format=kind, dpi=200, metadata=undated[kind])
    return target.getvalue()


def check_format(kind: str) -> None:
    """Raise `OptionError` for a format that figures are not written in."""
    if kind not in FORMATS:
        raise OptionError(f"figures are written as .{', .'.join(FORMATS)}, not as .{kind}")


def new_figure() -> tuple[Figure, Axes]:
    """An empty figure and its axes; needs the extra ``plots``."""
    with needing("figures need an optional package", ".[plots]"):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    return figure, figure.subplots()
