"""`understand resources`: the vocabularies that a user installs."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    help="List, install and check the vocabularies that some features need.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("list")
def list_() -> None:
    """Show what can be installed, where to get it, and what is installed.

    Example: understand resources list
    """
    from understandability.study.vocabularies.install import INSTALLABLE
    from understandability.study.vocabularies.installed import installed, installed_folder

    typer.echo(f"Folder: {installed_folder()}")
    for name, resource in INSTALLABLE.items():
        manifest = installed(name)
        state = f"{manifest.entries:,} entries" if manifest else "not installed"
        typer.echo(f"{name:22} {state:>16}  {resource.title}\n{'':39}  from {resource.origin}")


@app.command()
def install(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `list` shows.")],
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="PATH_OR_URL",
            help="A file, a folder or an archive as distributed, or a URL. May be repeated.",
        ),
    ] = None,
) -> None:
    """Read a vocabulary and keep it for the features that need it.

    Nothing is downloaded unless a URL is given. A folder or an archive may hold other files.

    Example: understand resources install mesh --from d2024.bin
    """
    from understandability.study.vocabularies.install import install as install_resource
    from understandability.study.vocabularies.installed import installed_folder

    manifest = install_resource(name, source or [])
    typer.echo(f"{name}: {manifest.entries:,} entries in {installed_folder() / name}")


@app.command()
def verify() -> None:
    """Check every installed file against its SHA-256; ends with status 1 if one has changed.

    Example: understand resources verify
    """
    from understandability.study.vocabularies.install import INSTALLABLE
    from understandability.study.vocabularies.install import verify as verify_resource
    from understandability.study.vocabularies.installed import installed

    names = [name for name in INSTALLABLE if installed(name)]
    problems = {name: problem for name in names if (problem := verify_resource(name))}
    for name in names:
        typer.echo(f"{name} {problems.get(name, 'is unchanged')}")
    if not names:
        typer.echo("nothing is installed")
    if problems:
        raise typer.Exit(1)
