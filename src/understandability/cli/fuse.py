"""`understand fuse`: one run out of several, and of scores."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import Quiet, names_of
from understandability.cli.ranking import Order, RunOutput, StrictRuns, Tag, read_runs


def fuse(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|FILE:COLUMN...",
            help="TREC runs, and scores that rank the runs' documents: FILE:COLUMN[:DIRECTION], "
            "with DIRECTION higher-harder or lower-harder where it is not known.",
            show_default=False,
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            autocompletion=names_of("evaluation.fuse", "FUSIONS"),
            help="rrf, isr, combsum, combmnz, borda.",
        ),
    ] = "rrf",
    k: Annotated[float, typer.Option(help="The constant of rrf: 1 / (k + rank).")] = 60.0,
    weight: Annotated[
        list[float] | None,
        typer.Option(
            help="The weight of each run and score, in the same order. Default: 1 each.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            help="Fuse only the first documents of each; the rest of the first run follows.",
            show_default=False,
        ),
    ] = None,
    order: Order = "rank",
    tag: Tag = None,
    output: RunOutput = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Fuse runs, and scores of how easy documents are, into one run.

    Example: understand fuse bm25.run scores.parquet:difficulty --method rrf --top 15 -o fused.run
    """
    from understandability.evaluation.criteria import criterion, is_criterion, mixed_models
    from understandability.evaluation.fuse import fuse
    from understandability.inputs.runs import write_run
    from understandability.inputs.writing import check_is_no_input

    check_is_no_input(output, [part for text in sources for part in (text, text.partition(":")[0])])
    criteria = {text: criterion(text) for text in sources if is_criterion(text)}
    if not quiet and (mix := mixed_models(list(criteria))):
        typer.echo(f"understand: {mix}", err=True)
    paths = [text for text in sources if text not in criteria]
    runs = iter(read_runs(paths, order, strict, quiet))
    inputs = [criteria[text] if text in criteria else next(runs) for text in sources]
    fused = fuse(inputs, method, k=k, weights=weight, top=top, order=order, name=tag)
    write_run(fused, output)
