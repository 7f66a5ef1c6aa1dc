"""`understand crawl`: what a crawl folder holds, and its rows as one table or one by one."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from understandability.cli.options import Quiet
from understandability.wording import counted

app = typer.Typer(
    help="Show the progress of a crawl folder, merge it into one table, or look up documents.",
    no_args_is_help=True,
)

_MOST_NAMED = 20

Folder = Annotated[
    str,
    typer.Argument(
        metavar="FOLDER", help="The crawl folder that understand score -o FOLDER/ filled."
    ),
]


@app.command()
def status(folder: Folder) -> None:
    """Show which inputs are complete, and count documents, errors by stage, and difficulties.

    Example: understand crawl status scores/
    """
    from understandability.cli.work import summary
    from understandability.crawls.folder import CrawlFolder
    from understandability.crawls.status import status_of

    crawl = CrawlFolder(folder)
    found = status_of(crawl)
    for line in summary(crawl.path, found, {}):
        typer.echo(line)
    unfinished = [each for each in found.inputs if not each.is_complete]
    for each in unfinished[:_MOST_NAMED]:
        typer.echo(f"not complete: {each.name} ({counted(each.facts.records, 'document')} so far)")
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
        bool, typer.Option("--partial", help="Merge what there is of an unfinished crawl.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write all rows as one table, errors to FILE.errors.jsonl; each document once.

    If several inputs have the same docno, the first keeps it, and the others get the name of their
    input in front. If one input has a docno twice, the first counts and the others are errors.

    Example: understand crawl merge scores/ -o scores.parquet
    """
    from understandability.crawls.folder import CrawlFolder
    from understandability.crawls.merge import merge as merge_folder
    from understandability.crawls.outputs import errors_of

    merged = merge_folder(CrawlFolder(folder), output, partial=partial)
    if not quiet:
        where = f" (in {errors_of(output)})" if merged.failed and output != "-" else ""
        told = f"{counted(merged.scored, 'document')}, {counted(merged.failed, 'error')}{where}"
        typer.echo(told, err=True)
        if merged.repeated:
            typer.echo(f"{counted(merged.repeated, 'document')} came a second time", err=True)


@app.command()
def lookup(
    folder: Folder,
    docnos: Annotated[list[str], typer.Argument(metavar="DOCNO...", help="Documents.")],
) -> None:
    """Print the row of each document as a line of JSON, or its error if it has no score.

    Ends with status 1 if a document is missing.

    Example: understand crawl lookup scores/ clueweb12-0000tw-00-00001
    """
    from understandability.crawls.folder import CrawlFolder
    from understandability.crawls.lookup import look_up

    crawl = CrawlFolder(folder)
    missing = False
    # Names that are no UTF-8 stand in a crawl folder as they are escaped here.
    names = [docno.encode("utf-8", "backslashreplace").decode() for docno in docnos]
    for docno, row in look_up(crawl, names).items():
        if row is None:
            typer.echo(f"{docno} is not in {crawl.path}", err=True)
            missing = True
        else:
            typer.echo(json.dumps(row, ensure_ascii=False, default=str))
    if missing:
        raise typer.Exit(1)
