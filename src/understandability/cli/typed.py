"""The commands that typer still makes, until each is made of its public function."""

from __future__ import annotations

import importlib
from typing import Any

import typer

from understandability.cli.commands import MODELS, SCORING
from understandability.cli.suggestions import Commands

# Name of the command, its module in this package, the task it belongs to. A module holds a
# function of the command's name, or a typer app called `app` for a command with subcommands.
TYPED: tuple[tuple[str, str, str], ...] = (
    ("explain", "explain", SCORING),
    ("serve", "serve", SCORING),
    ("probability", "probability", SCORING),
    ("bundle", "bundle", MODELS),
    ("train", "train", MODELS),
    ("validate", "validate", MODELS),
    ("calibrate", "calibrate", MODELS),
)


def build_typed() -> typer.Typer:
    """The old command line, one command for each row of `TYPED`."""
    app = typer.Typer(
        name="understand",
        cls=Commands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, module_name, task in TYPED:
        module = importlib.import_module(f"understandability.cli.{module_name}")
        if isinstance(getattr(module, "app", None), typer.Typer):
            app.add_typer(module.app, name=name, rich_help_panel=task)
        else:
            app.command(name, rich_help_panel=task)(getattr(module, name))
    return app


def summary(name: str, module_name: str) -> str:
    """The first sentence of a command's help."""
    module: Any = importlib.import_module(f"understandability.cli.{module_name}")
    app = getattr(module, "app", None)
    text = app.info.help if isinstance(app, typer.Typer) else getattr(module, name).__doc__
    return " ".join(str(text).split()).partition(". ")[0].rstrip(".") + "."
