"""`understand bundle`: what a bundle is, and on which scale."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.groups import with_groups
from understandability.cli.labels import LabelOptions
from understandability.cli.options import Quiet

app = typer.Typer(
    help="Show what a bundle is, or give it the scale of your labels.", no_args_is_help=True
)


@app.command("list")
def list_bundles() -> None:
    """List the bundles that come with the package, with licence and summary.

    Example: understand bundle list
    """
    from understandability.model.bundle import load_bundle
    from understandability.model.bundle_files import embedded_bundles

    for name in embedded_bundles():
        bundle = load_bundle(name)
        typer.echo(f"{name}\n    {bundle.licence}\n    {bundle.card.get('summary', '')}")


@app.command("show")
def show(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="Name or folder of a bundle.")],
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As Markdown, for a paper or a release.")
    ] = False,
) -> None:
    """Show a bundle's model card: data, figures, intended use, what it cannot know, licences.

    Example: understand bundle show default
    """
    from understandability.model.bundle import load_bundle
    from understandability.model.card import card_lines, card_markdown

    found = load_bundle(bundle)
    if markdown:
        typer.echo(card_markdown(found), nl=False)
        return
    for line in card_lines(found):
        typer.echo(line)


@app.command("rescale")
@with_groups
def rescale(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="Name or folder of a bundle.")],
    labels: Annotated[
        list[str],
        typer.Argument(
            metavar="LABELS...",
            help="Texts with a label: FILE[:COLUMN][:harder|easier], with the scales of the "
            "--labels of `understand train judged`. By range, the default, the lowest label is 0 "
            "and the highest 100.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write the bundle.")
    ],
    *,
    columns: LabelOptions,
    licence: Annotated[str, typer.Option(help="Licence of the labels.")] = "that of its labels",
    quiet: Quiet = False,
) -> None:
    """Give a bundle the scale of your labels: difficulties from 0 to 100 as your judges use them.

    What the bundle reads, and how it orders texts, stays. Shows how far its difficulties are from
    the labels before and after (out of fold, by group).

    Example: understand bundle rescale open ratings.csv:rating:harder -o my-bundle
    """
    from pathlib import Path

    from understandability.api.calibration import rescale as rescaled
    from understandability.cli.outputs import show_table
    from understandability.model.bundle_files import check_place

    check_place(output)
    found = rescaled(
        bundle,
        labels,
        **columns.chosen,
        name=Path(output).name,
        licence=licence,
    )
    found.save(output)
    if quiet:
        return
    show_table(found.table())
    typer.echo(
        f"{output} is written. Thresholds belong to a scale: choose one on yours "
        f"(understand score PAGES --bundle {output} --threshold T), or find it from answers "
        "(understand calibrate).",
        err=True,
    )
