"""`understand lookup`: the rows of single documents, from a run folder."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from understandability.cli.run import Folder


def lookup(
    folder: Folder,
    docnos: Annotated[list[str], typer.Argument(metavar="DOCNO...", help="Documents.")],
) -> None:
    """Print the row of each document as a line of JSON; of one without a score, its error.

    Ends with status 1 where a document is not in the run.

    Example: understand lookup run/ clueweb12-0000tw-00-00001
    """
    from understandability.crawl.folder import RunFolder
    from understandability.crawl.lookup import look_up

    run = RunFolder(folder)
    run.description()  # tells where this is no run folder
    missing = False
    # Names that are no UTF-8 stand in a run as they are escaped here.
    names = [docno.encode("utf-8", "backslashreplace").decode() for docno in docnos]
    for docno, row in look_up(run, names).items():
        if row is None:
            typer.echo(f"{docno} is not in {run.path}", err=True)
            missing = True
        else:
            typer.echo(json.dumps(row, ensure_ascii=False))
    if missing:
        raise typer.Exit(1)
