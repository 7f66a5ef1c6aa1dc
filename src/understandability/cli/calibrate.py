"""`understand calibrate`: a reader of one's own from answers."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import IdColumn, Quiet
from understandability.errors import OptionError


def calibrate(
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="A table (CSV, TSV, JSON Lines, Parquet) with a document and a yes or no in "
            "each row.",
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.json", help="Where to write the reader.")
    ],
    scores: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="Scores of the documents, from `understand score`. Default: a column of the "
            "answers.",
            show_default=False,
        ),
    ] = None,
    id_column: IdColumn = None,
    understood: Annotated[str, typer.Option(help="Column of yes or no.")] = "understood",
    column: Annotated[str, typer.Option(help="Column with the difficulty.")] = "difficulty",
    quiet: Quiet = False,
) -> None:
    """Find the threshold and the noise of a reader, or a group, from about fifty answers.

    Fits P(U|d) to the answers (probit regression on difficulty), with 95 % intervals, and writes
    a reader that --reader takes. To give a bundle the scale of your labels, see
    `understand bundle rescale`.

    Example: understand calibrate answers.csv --scores scores.parquet -o me.json
    """
    import json
    from pathlib import Path

    from understandability.api.calibration import calibrate as fit
    from understandability.cli.outputs import check_destination
    from understandability.inputs.writing import write_text
    from understandability.model.bundle import DEFAULT_BUNDLE
    from understandability.model.bundle_files import embedded_bundles

    if not output.endswith(".json"):
        raise OptionError(f"a reader is written as .json, not as {output}; name a FILE.json")
    check_destination(output)
    found = fit(
        answers, scores, id=id_column, understood=understood, column=column, name=Path(output).stem
    )
    write_text(output, json.dumps(found.to_json(), indent=1, ensure_ascii=False) + "\n")
    if quiet:
        return
    who = found.reader
    for name, value, (low, high) in (
        ("threshold", who.threshold, found.threshold_interval),
        ("noise", who.noise_scale, found.noise_interval),
    ):
        typer.echo(f"{name} {value:g} [{low:g}, {high:g}], from {found.answers} answers")
    for remark in found.remarks:
        typer.echo(remark, err=True)
    bundle = ""
    if found.bundle not in ("", DEFAULT_BUNDLE):
        own = found.bundle not in embedded_bundles()
        bundle = f" --bundle {f'FOLDER, that of {found.bundle}' if own else found.bundle}"
    typer.echo(f"Next: understand score PAGES --reader {output}{bundle}", err=True)
