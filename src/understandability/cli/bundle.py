"""`understand bundle`: what a bundle is."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="Show what a bundle is.", no_args_is_help=True)


@app.command("list")
def list_bundles() -> None:
    """List the bundles that come with the package, with licence and summary.

    Example: understand bundle list
    """
    from understandability.models import load_bundle
    from understandability.storage.bundle_files import embedded_bundles

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
    from understandability.models import load_bundle
    from understandability.models.card import card_lines, card_markdown

    found = load_bundle(bundle)
    if markdown:
        typer.echo(card_markdown(found), nl=False)
        return
    for line in card_lines(found):
        typer.echo(line)
