"""`understand validate`: how well a bundle agrees with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from understandability.estimation.validation import Validation


def validate(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="Name or folder of a bundle.")],
    labelled: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[:FIELD][:harder|easier][:rank|cefr|difficulty]",
            help="Labelled texts, as for `understand train judged`.",
        ),
    ],
    threshold: Annotated[
        float, typer.Option(help="The difficulty below which the reader understands.")
    ] = 40.0,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write all as JSON.")
    ] = None,
) -> None:
    """Compare a bundle, the eight formulas and the corpus ratio with labels of texts.

    Correlations come with 95 % intervals; where labels are difficulties (cefr, difficulty), P(U|d)
    is judged at the threshold by Brier score, calibration error and ROC AUC. Use texts that the
    bundle was not trained on.

    Example: understand validate default judged.jsonl.gz:label:harder:cefr
    """
    import json

    from understandability.estimation import load_bundle
    from understandability.estimation.labelled import LabelSource, read_labelled
    from understandability.estimation.validation import report
    from understandability.estimation.validation import validate as compare
    from understandability.io.tables import write_text

    sources = [LabelSource.parse(each) for each in labelled]
    model = load_bundle(bundle)
    results = [compare(model, read_labelled(source), threshold=threshold) for source in sources]
    for result in results:
        _show(result, threshold)
    if output is not None:
        content = {"bundle": model.name, "checksum": model.checksum, "threshold": threshold}
        write_text(
            output,
            json.dumps({**content, "sets": report(results)}, indent=1).replace("NaN", "null"),
        )


def _show(result: Validation, threshold: float) -> None:
    from rich.console import Console
    from rich.table import Table

    left_out = ", ".join(f"{count} {reason}" for reason, count in result.left_out.items())
    typer.echo(
        f"\n{result.set}: {result.records} records"
        + (f"; left out: {left_out}" if left_out else "")
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("score")
    table.add_column("n", justify="right")
    for measure in ("Pearson", "Spearman", "Kendall"):
        table.add_column(measure, justify="right")
    for row in result.agreements:
        cells = [
            f"{row.correlations[name]:.3f} [{low:.3f}, {high:.3f}]"
            for name, (low, high) in row.intervals.items()
        ]
        table.add_row(row.name, str(row.scored), *cells)
    Console(markup=False, highlight=False, width=120).print(table)
    if result.chances:
        typer.echo(
            f"P(U|d) at {threshold:g}: "
            + ", ".join(f"{name} {value:.3f}" for name, value in result.chances.items())
        )
