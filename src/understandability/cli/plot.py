"""`understand plot`: the figures of the papers, from runs and scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understandability.cli.evaluating import EvaluationOptions
from understandability.cli.groups import with_groups
from understandability.cli.options import number
from understandability.errors import OptionError

app = typer.Typer(
    help="Draw figures of runs, users and scores (needs the extra plots).", no_args_is_help=True
)

FigureFile = Annotated[
    str,
    typer.Option("-o", "--output", metavar="FILE", help="Write .png, .svg or .pdf."),
]
Column = Annotated[
    str | None,
    typer.Option(help="The column of the score table, if it has several.", show_default=False),
]


@app.command("systems")
@with_groups
def systems(
    options: EvaluationOptions,
    output: FigureFile,
    named: Annotated[int, typer.Option(help="How many of the runs that move most to list.")] = 5,
) -> None:
    """Plot runs by a first measure against others, as RBP against uRBP in ECIR 2016, Figure 1.

    Example: understand plot systems runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)' -o systems.svg
    """
    from understandability.study.plots import plot_systems, write_figure

    if len(options.measures or ()) < 2:
        raise OptionError("a plot of systems needs at least two measures; give -m twice")
    result = options.evaluate()
    scores = {measure: result.column(measure) for measure in result.measures}
    write_figure(plot_systems(result.runs, scores, named), output)


@app.command("users")
def users(
    scores: Annotated[str, typer.Argument(metavar="SCORES", help="A score table, or labels.")],
    output: FigureFile,
    direction: Annotated[
        str, typer.Option(help="What a higher score means: harder or easier.", show_default=False)
    ],
    threshold: Annotated[
        list[float], typer.Option(help="A user's threshold; may be repeated.", show_default=False)
    ],
    column: Column = None,
    noise_scale: Annotated[
        str, typer.Option(help="Scale of the arctan user's noise; pi is a number.")
    ] = "pi",
) -> None:
    """Plot the user models P₁ and P₂ over the distribution of a score, as MedIR 2014, Figure 1.

    Example: understand plot users fog.parquet --direction harder --threshold 10 --threshold 15
    -o users.svg
    """
    from understandability.inputs.runs import read_labels
    from understandability.study.plots import plot_users, write_figure

    labels = read_labels(scores, column=column)
    figure = plot_users(
        labels.values,
        threshold,
        noise_scale=number(noise_scale, "--noise-scale"),
        direction=direction,
        name=column or Path(scores).name,
    )
    write_figure(figure, output)


@app.command("scores")
def scores(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="TREC runs.")],
    scores: Annotated[
        str, typer.Option(metavar="FILE", help="A score table, or labels.", show_default=False)
    ],
    output: FigureFile,
    column: Column = None,
    top: Annotated[int, typer.Option(help="How many documents of each query count.")] = 10,
    order: Annotated[str, typer.Option(help="Rankings by rank or by score.")] = "rank",
) -> None:
    """Plot how a score is distributed in the top documents of runs, as the study's Figure 1.

    Example: understand plot scores a.run b.run --scores fog.parquet -o scores.svg
    """
    from understandability.inputs.runs import read_labels, read_run
    from understandability.study.plots import plot_cumulative, top_scores, write_figure

    labels = read_labels(scores, column=column)
    read = [read_run(path) for path in runs]
    series = {run.name: top_scores(run, labels, top, order) for run in read}
    write_figure(plot_cumulative(series, column or Path(scores).name), output)
