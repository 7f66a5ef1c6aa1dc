"""What the commands that make runs share: their options, reading, writing, remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from understandability.inputs.run import Run

RunFile = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A TREC run (query Q0 document rank score tag), plain, .gz or .zst.",
        show_default=False,
    ),
]
RunOutput = Annotated[
    str,
    typer.Option(
        "-o", "--output", metavar="FILE", help="The new TREC run, also .gz; - is standard output."
    ),
]
Order = Annotated[
    str, typer.Option(help="How a run is ordered: by its rank column, or by score as in trec_eval.")
]
Tag = Annotated[
    str | None, typer.Option(metavar="NAME", help="The name of the new run.", show_default=False)
]
QueryFile = Annotated[
    str,
    typer.Option(
        "--queries",
        metavar="FILE",
        help="Queries: TREC or CLEF topics in XML, lines of name TAB text, or JSON Lines with "
        "query_id and text.",
        show_default=False,
    ),
]
StrictRuns = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse a run with anything unusual, such as a document listed twice."
    ),
]


def read_runs(paths: Sequence[str], order: str, strict: bool, quiet: bool) -> list[Run]:
    """Read runs; what is unusual in them is told on standard error, or refused."""
    from understandability.evaluation.oddities import refuse_odd, run_oddities, told
    from understandability.inputs.runs import read_run

    runs = [read_run(path) for path in paths]
    oddities = {
        path: (*run.oddities, *run_oddities(run, order))
        for path, run in zip(paths, runs, strict=True)
    }
    if strict:
        refuse_odd(oddities)
    if not quiet:
        for line in told(oddities, "runs"):
            typer.echo(f"understand: {line}", err=True)
    return runs
