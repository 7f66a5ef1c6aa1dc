"""The command `understand`: parse, call one public function, print.

A command is a function in a module of its own, named in `COMMANDS`; a module imports what it
works with inside the function, so that ``--help`` answers at once.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Annotated, Any

import typer

from understandability._version import __version__
from understandability.cli.suggestions import Commands
from understandability.errors import UnderstandabilityError

SCORING = "Score pages"
MODELS = "Train and judge models"
EVALUATION = "Evaluate runs"
RETRIEVAL = "Rank pages"

# Name of the command, its module in this package, the task it belongs to. A module holds a
# function of the command's name, or a typer app called `app` for a command with subcommands.
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("score", "score", SCORING),
    ("crawl", "crawl", SCORING),
    ("features", "features", SCORING),
    ("extract", "extract", SCORING),
    ("explain", "explain", SCORING),
    ("serve", "serve", SCORING),
    ("resources", "resources", SCORING),
    ("probability", "probability", SCORING),
    ("export", "export", SCORING),
    ("corpus", "corpus", MODELS),
    ("bundle", "bundle", MODELS),
    ("train", "train", MODELS),
    ("validate", "validate", MODELS),
    ("calibrate", "calibrate", MODELS),
    ("evaluate", "evaluate", EVALUATION),
    ("correlate", "correlate", EVALUATION),
    ("compare", "compare", EVALUATION),
    ("simulate", "simulate", EVALUATION),
    ("plot", "plot", EVALUATION),
    ("rerank", "rerank", RETRIEVAL),
    ("fuse", "fuse", RETRIEVAL),
    ("index", "index", RETRIEVAL),
    ("rank", "rank", RETRIEVAL),
    ("tradeoff", "tradeoff", RETRIEVAL),
)


class _OrderedCommands(Commands):
    def list_commands(self, ctx: Any) -> list[str]:
        """In the order of the table; typer puts those with subcommands last."""
        return [name for name, _, _ in COMMANDS]


def build_app() -> typer.Typer:
    """The whole command line, one command for each row of `COMMANDS`."""
    app = typer.Typer(
        name="understand",
        cls=_OrderedCommands,
        help="How likely is a reader to understand a web page? From bytes to P(U|d).",
        epilog=(
            "Start: understand score PAGE.html. Help on a command: understand COMMAND --help. "
            "Lists: understand features --list, understand bundle list, understand resources "
            "list. In Python: import understandability as ud; help(ud). Guides, tutorials and "
            "the reference: docs/index.md in the source, or the Documentation link of "
            "pip show --verbose understandability."
        ),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, module_name, task in COMMANDS:
        module = importlib.import_module(f"understandability.cli.{module_name}")
        if isinstance(getattr(module, "app", None), typer.Typer):
            app.add_typer(module.app, name=name, rich_help_panel=task)
        else:
            app.command(name, rich_help_panel=task)(getattr(module, name))
    return app


def summary(name: str, module_name: str) -> str:
    """The first sentence of a command's help."""
    module = importlib.import_module(f"understandability.cli.{module_name}")
    app = getattr(module, "app", None)
    text = app.info.help if isinstance(app, typer.Typer) else getattr(module, name).__doc__
    return " ".join(str(text).split()).partition(". ")[0].rstrip(".") + "."


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"understandability {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; an error that the user can fix ends it with one sentence and status 2."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # File names need not be text; in some locales they would go out as stray bytes.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text file, as the standard has it
    try:
        try:
            build_app()()
        finally:
            sys.stdout.flush()
    except UnderstandabilityError as error:
        typer.echo(f"understand: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        if error.errno == errno.EBADF:
            sys.stdout = None  # else Python would try once more at exit
            error = OSError("standard output is closed")
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"understand: {where}{error.strerror or error}", err=True)
        sys.exit(2)


def _open_closed_streams() -> None:
    """Standard streams that the caller closed (``>&-``): what is written to the output fails.

    Files opened later must not get their numbers, or a message would be written into them.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
