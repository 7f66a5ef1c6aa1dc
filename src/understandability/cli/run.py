"""`understand run`: what a run folder holds, and its rows as one table."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import Quiet

app = typer.Typer(
    help="See how far a run folder is; merge it into one table.", no_args_is_help=True
)

_MOST_NAMED = 20

Folder = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder that understand score -o RUN/ wrote.")
]


@app.command()
def status(folder: Folder) -> None:
    """Inputs that are complete, documents, errors by stage, difficulties.

    Example: understand run status run/
    """
    from understandability.cli.crawling import summary
    from understandability.crawl.folder import RunFolder
    from understandability.crawl.status import status_of

    run = RunFolder(folder)
    found = status_of(run)
    for line in summary(run.path, found, {}):
        typer.echo(line)
    unfinished = [each for each in found.inputs if not each.is_complete]
    for each in unfinished[:_MOST_NAMED]:
        typer.echo(f"not complete: {each.name} ({each.facts.records:,} documents so far)")
    if len(unfinished) > _MOST_NAMED:
        typer.echo(f"and {len(unfinished) - _MOST_NAMED} more")


@app.command()
def merge(
    folder: Folder,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write .parquet, .jsonl, .csv or .tsv."
        ),
    ],
    partial: Annotated[
        bool, typer.Option("--partial", help="Of an unfinished run, what there is.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write all scores as one table, errors to FILE.errors.jsonl; each document once.

    Of documents with the same docno in different inputs, the first keeps its score.

    Example: understand run merge run/ -o scores.parquet
    """
    from understandability.crawl.folder import RunFolder
    from understandability.crawl.merge import errors_of
    from understandability.crawl.merge import merge as merge_run

    merged = merge_run(RunFolder(folder), output, partial=partial)
    if not quiet:
        where = f" (in {errors_of(output)})" if merged.failed and output != "-" else ""
        typer.echo(
            f"{merged.scored:,} documents, {merged.failed:,} errors{where}; "
            f"{merged.repeated:,} documents were in an earlier input already",
            err=True,
        )
