"""Figures of the uRBP papers and of the study. They require matplotlib (extra ``plots``)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
from cyclopts import Parameter
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.errors import OptionError, check_range, needing
from understandability.evaluation.conventions import Choices
from understandability.evaluation.correlation import movers
from understandability.evaluation.criteria import criterion
from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.options import (
    EvaluationOptions,
    LabelFile,
    Labelling,
    Measures,
    Qrels,
    Runs,
)
from understandability.evaluation.tradeoff import Point
from understandability.inputs.run import Run, ranks_of
from understandability.inputs.runs_and_labels import labels_of, runs_of
from understandability.inputs.writing import check_folder, write_bytes
from understandability.keywords import keywords_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from understandability.study.simulate_grid import UserGrid

FORMATS = ("png", "svg", "pdf")


def check_figure(destination: str) -> None:
    """Raise an error before a long computation if `write_figure` could not write to this path."""
    check_format(Path(destination).suffix[1:].lower())
    check_folder(destination)
    new_figure()


def write_figure(figure: Figure, destination: str) -> None:
    """Write a figure in the format that the suffix names."""
    write_bytes(destination, rendered(figure, Path(destination).suffix[1:].lower()))


def plot_systems(systems: Sequence[str], scores: Mapping[str, ArrayLike], named: int = 5) -> Figure:
    """Plot systems by one measure (x) against other measures (y), as in ECIR 2016, Figures 1 and 2.

    Systems on the diagonal lose nothing to understandability. The `named` systems that move most
    between the first two measures are labelled.
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
    for row, system in enumerate(sorted(moved, key=lambda system: first[system])):
        # The labels form a column, because the systems that move most are often close together.
        axes.annotate(
            systems[system],
            (x[system], first[system]),
            (0.7, 0.05 + 0.05 * row),
            textcoords="axes fraction",
            fontsize=7,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": "grey", "relpos": (0, 0.5)},
        )
    axes.set(xlabel=across, ylabel=", ".join(name for name, _ in others))
    axes.legend(loc="upper left", fontsize=8)
    return figure


def plot_user_grid(grid: UserGrid) -> Figure:
    """Plot, for each way of reading pages, Kendall's tau between the rankings for each user and for
    the reference.
    """
    figure, axes = new_figure()
    lines: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for row in grid.rows:
        # Thresholds that are shares of the documents differ between pipelines, so lines connect
        # the first, second, ... threshold of each.
        user = (row.reference, row.score, row.user)
        index = 0
        while row.pipeline in lines.setdefault((*user, index), {}):
            index += 1
        lines[*user, index][row.pipeline] = row.tau
    for (reference, score, name, index), taus in lines.items():
        style = "-" if name == "arctan" else "--"
        label = f"{reference}, {score}, {name}, threshold {index + 1}"
        axes.plot(list(taus), list(taus.values()), style, marker="o", markersize=3, label=label)
    axes.set(ylabel="Kendall's τ with the reference")
    axes.set_ylim(top=1.02)
    axes.tick_params(axis="x", rotation=90, labelsize=7)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5), handlelength=4)
    return figure


def plot_tradeoff(points: Sequence[Point]) -> Figure:
    """Plot the first measure (x) against each other measure (y), with one line for each weight."""
    first, *others = points[0].means
    if not others:
        raise OptionError("a plot of a trade-off needs at least two measures")
    figure, _ = new_figure()
    figure.clear()
    figure.set_size_inches(4.8 * len(others), 4.2)
    start, *sweep = points
    panels = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, measure in zip(panels, others, strict=True):
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


@keywords_of(Labelling, Choices)
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
        named: The number of runs to label: those that move most.
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **options)
    columns = {measure: result.column(measure) for measure in result.measures}
    return plot_systems(result.runs, columns, named)


@dataclass(frozen=True, slots=True)
class Distribution:
    """The scores of the top documents of each run, compared with an oracle and with random runs.

    `runs` holds the scores by run; `oracle` and `random` are None without qrels. `column` names the
    score, and `top` is the number of documents per query.
    """

    column: str
    top: int
    runs: Mapping[str, Floats]
    oracle: Floats | None = None
    random: Floats | None = None


def score_distribution(
    runs: Any, scores: Any, qrels: Any = None, *, top: int = 10, order: str = "rank"
) -> Distribution:
    """Collect the scores of the first `top` documents of each query, by run.

    `scores` accepts the same values as `criterion`. With `qrels`, the oracle returns for each query
    the easiest `top` relevant documents (grade 1 or more), and the random run draws `top` of its
    judged documents with a fixed seed. Documents without a score are ignored. Raises `InputError`
    if a run has no score.

    >>> runs = {"a": {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}}
    >>> easy = criterion({"d1": 12.0, "d2": 9.0, "d3": 7.0}, "higher-harder")
    >>> result = score_distribution(runs, easy, {"q": {"d1": 1, "d3": 1}}, top=2)
    >>> result.runs["a"].tolist(), result.oracle.tolist()
    ([12.0, 9.0], [7.0, 12.0])
    """
    by = criterion(scores)
    by_run = {}
    for run in runs_of(runs):
        by.hardness(run)  # raises `InputError` if no document of the run has a score
        lines = run.line_order(order)
        first = lines[ranks_of(run.query_ids[lines]) <= top]
        of_run = by.labels.of_lines(run)[first]
        by_run[run.name] = of_run[np.isfinite(of_run)]
    if qrels is None:
        return Distribution(by.labels.name, top, by_run)
    judged = labels_of(qrels).by_query()
    pool = Run.of("pool", {query: [(d, 0.0) for d in labels] for query, labels in judged.items()})
    values = by.labels.of_lines(pool)
    grades = np.array([grade for labels in judged.values() for grade in labels.values()])
    generator = np.random.default_rng(0)
    oracle: list[float] = []
    drawn: list[float] = []
    for query in range(len(pool.queries)):
        scored = np.flatnonzero((pool.query_ids == query) & np.isfinite(values))
        relevant = values[scored[grades[scored] >= 1]]
        oracle += sorted(relevant.tolist(), key=lambda value: value * by.direction.sign)[:top]
        drawn += generator.permutation(values[scored])[:top].tolist()
    return Distribution(by.labels.name, top, by_run, np.array(oracle), np.array(drawn))


def plot_distribution(distribution: Distribution, line: float | None = None) -> Figure:
    """Draw a box per run, and lines at the medians of the oracle and of random documents.

    This is Figure 1 of Palotti, Zuccon & Hanbury (2018), which also has a `line` at grade 8. Boxes
    are sorted by their medians, and whiskers extend from the 5th to the 95th percentile.
    """
    figure, axes = new_figure()
    runs = {name: values for name, values in distribution.runs.items() if len(values)}
    names = sorted(runs, key=lambda name: float(np.median(runs[name])))
    figure.set_size_inches(max(6.4, 0.28 * len(names)), 4.8)
    axes.boxplot([runs[name] for name in names], whis=(5, 95), showfliers=False)
    axes.set_xticks(range(1, len(names) + 1), names, rotation=90, fontsize=7)
    for label, values, style in (
        ("oracle: easiest relevant documents", distribution.oracle, "--"),
        ("random judged documents", distribution.random, ":"),
    ):
        if values is not None and len(values):
            axes.axhline(float(np.median(values)), linestyle=style, color="grey", label=label)
    if line is not None:
        axes.axhline(line, color="black", linewidth=0.8, label=f"{line:g}")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
    axes.set(ylabel=f"{distribution.column}, first {distribution.top} documents of each query")
    return figure


def figure_of_distribution(
    runs: Runs,
    scores: Annotated[Any, Parameter("--scores", metavar="FILE:COLUMN[:DIRECTION]")],
    qrels: Annotated[Any, Parameter("--qrels", metavar="FILE")] = None,
    *,
    top: int = 10,
    line: float | None = None,
    order: str = "rank",
) -> Any:
    """Plot the scores of the first documents of each run, as Figure 1 of the study of 2018.

    The figure has a box per run. With qrels, lines show the medians of an oracle, which returns the
    easiest relevant documents, and of judged documents drawn at random.

    Example: understand plot distribution runs/*.gz --scores features.parquet:dale_chall
    --qrels qrels.txt --line 8 -o distribution.svg

    Args:
        scores: A score of documents; DIRECTION is higher-harder or higher-easier.
        qrels: Relevance labels: TREC qrels, or irds:NAME.
        top: The number of documents of each query.
        line: A value to mark with a line, such as a school grade.
        order: Order the runs by rank column, or by score as in trec_eval.
    """
    check_range(1, top=top)
    return plot_distribution(score_distribution(runs, scores, qrels, top=top, order=order), line)


def rendered(figure: Figure, suffix: str) -> bytes:
    """Return a figure as ``png``, ``svg`` or ``pdf``; equal figures have equal bytes."""
    check_format(suffix)
    import matplotlib as mpl

    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    target = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "understandability"}):
        figure.savefig(target, format=suffix, dpi=200, metadata=undated[suffix])
    return target.getvalue()


def check_format(suffix: str) -> None:
    """Raise `OptionError` if figures cannot be written in this format."""
    if suffix not in FORMATS:
        raise OptionError(f"figures are written as .{', .'.join(FORMATS)}, not as .{suffix}")


def new_figure() -> tuple[Figure, Axes]:
    """Return an empty figure and its axes. Requires the extra ``plots``."""
    with needing("figures need an optional package", ".[plots]"):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    return figure, figure.subplots()
