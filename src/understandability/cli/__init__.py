"""The command `understand`: each command is a public function, called from the prompt.

`COMMANDS` names the function of each command; `commands` makes its options of the signature and of
the docstring; a door prints the result or writes it, and tells how it goes.
"""

from __future__ import annotations

import errno
import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from understandability._version import __version__
from understandability.cli.commands import Command, completed
from understandability.errors import OptionError, UnderstandabilityError

if TYPE_CHECKING:
    from cyclopts import CycloptsError

# Task -> its commands: name, public function, and the door by which its result leaves.
_COMMANDS = {
    "Score pages": (
        ("score", "crawls.score:score", "pages:rows"),
        ("explain", "writers.explain:reported", "writers:report_written"),
        ("rewrite", "writers.rewriting:rewrite", "writers:rewritten"),
        ("serve", "writers.serve.server:serve", "writers:served"),
        ("check", "writers.check:check", "writers:text_checked"),
        ("mcp", "integrations.mcp:serve", "writers:served"),
        ("crawl status", "crawls.status:status", "pages:status_shown"),
        ("crawl merge", "crawls.merge:merge", "pages:merged"),
        ("crawl lookup", "crawls.lookup:look_up", "pages:looked_up"),
        ("features", "crawls.features:features", "pages:features_written"),
        ("extract", "crawls.extract:extract", "pages:text_extracted"),
        ("resources list", "study.install:listed", "study:resources"),
        ("resources install", "study.install:install", "study:vocabulary_installed"),
        ("resources verify", "study.install:verify_all", "study:verified"),
        ("probability", "model.probabilities:probabilities", "training:probabilities_written"),
        ("export", "integrations.export:export_scores", "study:exported"),
    ),
    "Train and judge models": (
        ("corpus", "study.corpus:corpus_sizes", "study:corpora"),
        ("bundle list", "model.card:bundles", "training:bundles_shown"),
        ("bundle show", "model.card:card", "training:card_shown"),
        ("bundle rescale", "training.rescale:rescale", "training:rescaled"),
        ("train judged", "training.train:train", "training:trained"),
        (
            "train background",
            "training.train_background:train_background",
            "training:background",
        ),
        ("validate", "training.validation:validate", "training:validated"),
        ("grid", "study.grid:grid", "study:study_grid"),
        ("calibrate", "training.calibrate:calibrate", "training:calibrated"),
    ),
    "Evaluate runs": (
        ("evaluate", "evaluation.evaluate:evaluate", "evaluation:evaluated"),
        ("correlate", "evaluation.evaluate:correlate", "evaluation:correlated"),
        ("compare", "evaluation.evaluate:compare", "evaluation:runs_compared"),
        ("bounds", "evaluation.bounds:bounds", "evaluation:result"),
        ("simulate users", "study.simulate_users:simulate_users", "study:simulated_users"),
        ("simulate grid", "study.simulate_grid:simulate_grid", "study:user_grid"),
        ("simulate systems", "study.simulate_systems:simulate", "study:simulated"),
        ("plot systems", "study.plots:figure_of_systems", "evaluation:drawn"),
        ("plot distribution", "study.plots:figure_of_distribution", "evaluation:drawn"),
    ),
    "Rank pages": (
        ("rerank", "evaluation.rerank:rerank", "evaluation:made"),
        ("fuse", "evaluation.fuse:fuse", "evaluation:made"),
        ("tradeoff", "evaluation.tradeoff:tradeoff", "evaluation:swept"),
        ("index build", "study.index:index_pages", "study:indexed"),
        ("index search", "study.retrieval:run_of_index", "study:study_run"),
        ("rank learn", "study.learn:learn_ranker", "study:learned"),
        ("rank apply", "study.learn:apply_ranker", "study:applied"),
    ),
}
# They are given no value of pandas, and start sooner where Arrow does not import it.
_ROWS = (["score"], ["features"], ["extract"])
# Of what the functions of a few commands take, this is for Python alone.
_HIDDEN = {"corpus": ("url", "keep"), "train background": ("corpora",)}
COMMANDS = tuple(
    Command(name, call, task, f"cli.{door}", _HIDDEN.get(name, ()))
    for task, commands in _COMMANDS.items()
    for name, call, door in commands
)
# The first sentence on commands that have commands of their own.
GROUPS = {
    "crawl": "Show the progress of a crawl folder, merge it into one table, or look up documents.",
    "bundle": "Show what a bundle is, or give it the scale of your labels.",
    "train": "Train a model, and write it as a bundle.",
    "resources": "List, install and check the vocabularies that some features need.",
    "simulate": "Simulate the users of the uRBP papers over real runs, or whole systems.",
    "plot": "Draw figures of runs (needs the extra plots).",
    "index": "Index pages, and search them.",
    "rank": "Learn to rank by relevance and understandability, and apply what was learned.",
}
_EPILOG = (
    "Start: understand score PAGE.html. Help on a command: understand COMMAND --help. Lists: "
    "understand features --list, understand bundle list, understand resources list. In Python: "
    "import understandability as ud; help(ud)."
)


def build_app(words: Sequence[str] = (), complete: bool = False) -> Any:
    """The command line: of the commands those that the first of `words` names.

    Without words, all have names and first sentences only. With `complete`, all are whole.
    """
    from cyclopts import App, Group, Parameter

    app = App(
        name="understand",
        help="How likely is a reader to understand a web page? From bytes to P(U|d).",
        help_epilogue=_EPILOG,
        help_format="markdown",
        version=f"understandability {__version__}",
        default_parameter=Parameter(negative=(), show_env_var=False),
        result_action="return_value",
    )
    app["--help"].group = app["--version"].group = Group("Help", sort_key=9)
    groups = {task: Group(task, sort_key=place) for place, task in enumerate(_COMMANDS)}
    parents: dict[str, Any] = {}
    for place, each in enumerate(COMMANDS):
        head, _, sub = each.name.partition(" ")
        whole = complete or words[:1] == [head]
        if words and not whole:
            continue
        shown = App(
            name=sub or head,
            help=each.help if whole else each.summary,
            group=groups[each.task] if not sub else None,
            sort_key=place,
        )
        if whole:
            shown.default(_as_function(each, complete))
        if sub and head not in parents:
            parents[head] = App(
                name=head, help=GROUPS[head], group=groups[each.task], sort_key=place
            )
            app.command(parents[head])
        (parents[head] if sub else app).command(shown)
    return app


def _as_function(command: Command, complete: bool) -> Callable[..., None]:
    """A function with the options of a command in its signature, as cyclopts reads it."""
    from cyclopts import Parameter

    parameters = []
    for each in command.options:
        default = each.default
        if each.about.convert or not isinstance(default, str | int | float | type):
            default = None  # the function's own
        about = Parameter(
            name=None if each.is_argument else each.names,
            help=each.help,
            show_default=default not in (None, False, ""),
            allow_leading_hyphen=each.type is not bool,
            allow_repeating=True,  # the last counts
            metavar=each.about.value or None,
        )
        kind = completed(each) if complete else each.type
        parameters.append(
            inspect.Parameter(
                each.parameter,
                inspect.Parameter.POSITIONAL_ONLY
                if each.is_argument
                else inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind | None if default is None else kind, about],
            )
        )

    def run(*positional: Any, **given: Any) -> None:
        names = [each.parameter for each in command.options]
        command.run(**dict(zip(names, positional, strict=False)), **given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what cyclopts reads
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def run(words: Sequence[str]) -> None:
    """Run one command line; raises `OptionError` where it cannot be read."""
    from cyclopts import CycloptsError

    names = {each.name.partition(" ")[0] for each in COMMANDS}
    first = words[0] if words else ""
    if first == "--install-completion":
        app = build_app(complete=True)
        typed = words[1] if len(words) > 1 else None
        print(f"written to {app.install_completion(shell=typed)}; open a new shell")
        return
    if first not in names and (first == "-" or "://" in first or Path(first).exists()) and first:
        raise OptionError(
            f"{first!r} is not a command; to score it, write: understand score {shlex.join(words)}"
        )
    try:
        app = build_app(words if first in names else ())
        _check_options(words)
        app(list(words), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        command = " ".join(["understand", *(each for each in words[:1] if each in names)])
        raise OptionError(f"{_told(error)}{_example(words)}; see {command} --help") from None


def _check_options(words: Sequence[str]) -> None:
    """Raise `OptionError` for an option that a command lacks; cyclopts takes it for an argument."""
    command = next((each for each in COMMANDS if words[: len(each.words)] == each.words), None)
    if command is None:
        return
    known = {"--help", "-h", *(name for each in command.options for name in each.names)}
    for word in words:
        name = word.partition("=")[0]
        if re.fullmatch(r"-[a-z]|--[a-z].*", name) and name not in known:
            near = get_close_matches(name, known, 1)
            advice = f" (did you mean {near[0]}?)" if near else ""
            raise OptionError(
                f"Unknown option {name}{advice}; see understand {command.name} --help"
            )


def _example(words: Sequence[str]) -> str:
    """How the command that was meant is written: of several with one first word, the first."""
    meant = [each for each in COMMANDS if words[: len(each.words)] == each.words]
    meant = meant or [each for each in COMMANDS if words[:1] == each.words[:1]]
    found = re.search(r"Example: (.+?)(\n\n|\Z)", meant[0].help if meant else "", re.DOTALL)
    return f"; for example: {' '.join(found[1].split())}" if found else ""


def _told(error: CycloptsError) -> str:
    """What is wrong with a command line, in one sentence."""
    from cyclopts import MissingArgumentError

    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return f"Missing argument {error.argument.name.lstrip('*')}"
    told = re.sub(r" Available commands:.*", "", " ".join(str(error).split()))
    return re.sub(r"\. Did you mean (.+)\?", r" (did you mean \1?)", told).rstrip(".")


def main() -> None:
    """Run the command; an error that the user can fix ends it with one sentence and status 2."""
    _open_closed_streams()
    if sys.argv[1:2] in _ROWS:
        from understandability.crawls.processes import arrow_without_pandas

        arrow_without_pandas()
    for stream in (sys.stdout, sys.stderr):
        # File names need not be text; in some locales they would go out as stray bytes.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text file, as the standard has it
    sys.exit(status_of(sys.argv[1:]))


def status_of(words: Sequence[str]) -> int:
    """Run one command line, tell what is wrong on standard error, and return the exit status."""
    try:
        try:
            run(words)
        finally:
            sys.stdout.flush()
    except UnderstandabilityError as error:
        print(f"understand: {error}", file=sys.stderr)
        return 2
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except BrokenPipeError:  # the reader of our output has gone
        _drop_output()
        return 141
    except OSError as error:
        if error.errno == errno.EBADF:
            _drop_output()
            error = OSError("standard output is closed")
        where = f"{error.filename}: " if error.filename else ""
        print(f"understand: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _drop_output() -> None:
    """Have what is still to be printed go nowhere: Python would complain once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Standard streams that the caller closed (``>&-``): what is written to the output fails.

    Files opened later must not get their numbers, or a message would be written into them.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
