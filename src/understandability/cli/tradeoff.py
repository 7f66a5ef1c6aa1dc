"""`understand tradeoff`: what re-ranking gains in understandability and costs in relevance."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions
from understandability.cli.groups import with_groups
from understandability.cli.outputs import ResultFile, ResultFormat, show_table, write_result
from understandability.errors import OptionError


@with_groups
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
        typer.Option(
            metavar="FILE", help="Draw the trade-off as .png, .svg or .pdf (needs the extra plots)."
        ),
    ] = None,
    output: ResultFile = None,
    form: ResultFormat = None,
) -> None:
    """Re-rank a run by a score to several depths and weights, and evaluate each.

    One row for each setting; † marks a difference from the original run, ⋄ from the best setting
    (paired t-test, two-tailed, p < .05). Without -m: RBP, RBPu and HRBP at 10, p = .8.

    Example: understand tradeoff bm25.run --scores scores.parquet:difficulty --qrels qrels.txt
    --understandability qunder.txt --scale lower-easier:40 --plot tradeoff.svg
    """
    from understandability.evaluation.tradeoff import MEASURES
    from understandability.evaluation.tradeoff import tradeoff as tradeoff_of

    if len(options.runs) != 1:
        raise OptionError(f"a trade-off takes one run, not {len(options.runs)}")
    options = replace(options, measures=options.measures or list(MEASURES))
    sweep: dict[str, Any] = {"tops": top, "weights": weight}
    chosen = {name: values for name, values in sweep.items() if values}
    found = tradeoff_of(options.runs[0], scores, **chosen, **options.arguments())
    options.remark(found.evaluation)
    if output != "-" and form is None:
        show_table(found.table())
    if output is not None or form is not None:
        document = {"conventions": dict(found.evaluation.conventions) | {"scores": scores}}
        write_result(
            output or "-",
            document | {"points": found.rows()},
            found.rows,
            table=found.table,
            stated=form,
            header="conventions",
        )
    if plot is not None:
        from understandability.study.plots import plot_tradeoff, write_figure

        write_figure(plot_tradeoff(found.points), plot)
