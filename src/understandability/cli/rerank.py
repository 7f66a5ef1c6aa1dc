"""`understand rerank`: the first documents of a run, the easier first."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import Quiet
from understandability.cli.ranking import Order, RunFile, RunOutput, StrictRuns, Tag, read_runs


def rerank(
    run: RunFile,
    scores: Annotated[
        list[str],
        typer.Option(
            metavar="FILE:COLUMN[:DIRECTION]",
            help="A score of documents; may be repeated. DIRECTION, higher-harder or "
            "lower-harder, may be left out for difficulty, p_understandable and features.",
            show_default=False,
        ),
    ],
    top: Annotated[int, typer.Option(help="How many documents of each query to re-rank.")] = 15,
    weight: Annotated[
        list[float] | None,
        typer.Option(
            help="The weight of each score, in the same order; the run gets what is left of 1. "
            "Default: "
            "equal weights that add up to 1.",
            show_default=False,
        ),
    ] = None,
    order: Order = "rank",
    tag: Tag = None,
    output: RunOutput = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Re-rank the first documents of a run by how easy they are to understand.

    The order is by (1 - w) / (rank in the run) + w / (rank by the score). Documents without a
    score keep their place, and so do all below the first --top.

    Example: understand rerank bm25.run --scores scores.parquet:difficulty --top 15 -o easy.run
    """
    from understandability.evaluation.criteria import criterion, mixed_models
    from understandability.evaluation.rerank import rerank
    from understandability.inputs.runs import write_run

    criteria = [criterion(text) for text in scores]
    if not quiet and (mix := mixed_models(scores)):
        typer.echo(f"understand: {mix}", err=True)
    [read] = read_runs([run], order, strict, quiet)
    write_run(rerank(read, criteria, top=top, weights=weight, order=order, name=tag), output)
