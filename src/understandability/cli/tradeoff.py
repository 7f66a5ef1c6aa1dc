"""`understand tradeoff`: what re-ranking gains in understandability and costs in relevance."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from understandability.cli.evaluating import EvaluationOptions, takes_evaluation_options
from understandability.cli.outputs import ResultFile, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

_TOPS = [5, 10, 15, 20, 50]
_WEIGHTS = [0.25, 0.5, 0.75, 1.0]


@takes_evaluation_options
def tradeoff(
    options: EvaluationOptions,
    scores: Annotated[
        str,
        typer.Option(
            metavar="FILE:COLUMN[:DIRECTION]",
            help="The score to re-rank by; DIRECTION is higher-harder or lower-harder.",
            show_default=False,
        ),
    ],
    top: Annotated[
        list[int] | None,
        typer.Option(help="How many documents to re-rank; may be repeated [5, 10, 15, 20, 50]."),
    ] = None,
    weight: Annotated[
        list[float] | None,
        typer.Option(help="A weight of the score; may be repeated [0.25, 0.5, 0.75, 1]."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw it as .png, .svg or .pdf (needs the extra plots)."),
    ] = None,
    output: ResultFile = None,
) -> None:
    """Re-rank a run by a score to several depths and weights, and evaluate each.

    One row a setting; † marks a difference from the run as it is, ⋄ one from the best setting
    (paired t-test, two-tailed, p < .05). Without -m: RBP, RBPu and HRBP at 10, p = .8.

    Example: understand tradeoff bm25.run --scores scores.parquet:difficulty --qrels qrels.txt
    --understandability qunder.txt --scale lower-easier:40 --plot tradeoff.svg
    """
    from understandability.cli.plot import write_figure
    from understandability.evaluation.conventions import settings as chosen
    from understandability.ranking.criteria import read_criterion
    from understandability.ranking.tradeoff import (
        MEASURES,
        plot_tradeoff,
        reranked,
        settings_of,
    )
    from understandability.ranking.tradeoff import tradeoff as points_of

    if len(options.runs) != 1:
        raise OptionError(f"a trade-off is that of one run, not of {len(options.runs)}")
    settings = settings_of(top or _TOPS, weight or _WEIGHTS)
    criterion = read_criterion(scores)
    options = replace(options, measures=options.measures or list(MEASURES))
    order = chosen(options.preset, order=options.order).order
    result = options.evaluate(lambda run: reranked(run, criterion, settings, order))
    points = points_of(result, settings)
    rows = [
        {"setting": point.setting.name, "top": point.setting.top, "weight": point.setting.weight}
        | {"measure": measure, "value": value, "marks": point.marks[measure]}
        for point in points
        for measure, value in point.means.items()
    ]
    if output != "-":
        print_table(
            ("setting", *result.measures),
            [
                (
                    point.setting.name,
                    *(f"{value:.4f}{point.marks[m]:<2}" for m, value in point.means.items()),
                )
                for point in points
            ],
        )
    if output is not None:
        document = {"settings": dict(result.settings) | {"scores": scores}, "points": rows}
        write_result(output, document, lambda: rows)
    if plot is not None:
        write_figure(plot_tradeoff(points), plot)
