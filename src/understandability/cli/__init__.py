"""The command `understand`, whose subcommands call public functions of the package.

`COMMANDS` names the function of each command, and `commands` derives the options from its signature
and docstring. A view, the second half of each command, prints or writes the result.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability._version import __version__
from understandability.cli.commands import DEFAULTS, Command, is_list
from understandability.errors import OptionError, UnderstandabilityError, check_choice

if TYPE_CHECKING:
    from cyclopts import CycloptsError

# Task -> its commands: name, public function, and the view that shows its result.
_COMMANDS = {
    "Score pages": (
        ("score", "crawls.score:score", "pages:rows"),
        ("explain", "writers.explain:reported", "writers:report_written"),
        ("rewrite", "writers.llm_rewrite:rewrite", "writers:rewritten"),
        ("serve", "writers.serve.server:serve", "writers:served"),
        ("check", "writers.check:check", "writers:text_checked"),
        ("ask", "writers.ask:ask", "writers:asked"),
        ("mcp", "integrations.mcp:serve", "writers:served"),
        ("crawl status", "crawls.status:status", "pages:status_shown"),
        ("crawl merge", "crawls.merge:merge", "pages:merged"),
        ("crawl lookup", "crawls.status:look_up", "pages:looked_up"),
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
        ("rerank", "evaluation.rerank:rerank", "evaluation:reranked"),
        ("fuse", "evaluation.fuse:fuse", "evaluation:fused"),
        ("tradeoff", "evaluation.tradeoff:tradeoff", "evaluation:swept"),
        ("index build", "study.index:index_pages", "study:indexed"),
        ("index search", "study.retrieval:run_of_index", "study:study_run"),
        ("rank learn", "study.learn:learn_ranker", "study:learned"),
        ("rank apply", "study.learn:apply_ranker", "study:applied"),
    ),
}
_FORMATS = ("latex", "markdown", "csv", "tsv", "jsonl", "parquet")
# These commands never read pandas objects, and start sooner if Arrow does not import pandas.
_ROWS = (["score"], ["features"], ["extract"])
# Parameters of functions that are for Python only.
_HIDDEN = {"crawl merge": ("output",), "train background": ("corpora",)}
COMMANDS = tuple(
    Command(name, call, task, f"cli.{view}", _HIDDEN.get(name, ()))
    for task, commands in _COMMANDS.items()
    for name, call, view in commands
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
    """Build the command line with the command that the first of `words` names.

    Only that command gets its options; the others have a name and a first sentence, which is
    faster. With `complete`, all commands get their options.
    """
    from cyclopts import App, Group

    app = App(
        name="understand",
        help="How likely is a reader to understand a web page? From bytes to P(U|d).",
        help_epilogue=_EPILOG,
        help_format="markdown",
        version=f"understandability {__version__}",
        default_parameter=DEFAULTS,
        result_action="return_value",
    )
    app["--help"].group = app["--version"].group = Group("Help", sort_key=9)
    groups = {task: Group(task, sort_key=index) for index, task in enumerate(_COMMANDS)}
    parents: dict[str, Any] = {}
    for index, command in enumerate(COMMANDS):
        head, _, sub = command.name.partition(" ")
        whole = complete or words[:1] == [head]
        if words and not whole:
            continue
        subcommand = App(
            name=sub or head,
            help=command.help if whole else command.summary,
            group=groups[command.task] if not sub else None,
            sort_key=index,
        )
        if whole:
            subcommand.default(command.function)
        if sub and head not in parents:
            parents[head] = App(
                name=head, help=GROUPS[head], group=groups[command.task], sort_key=index
            )
            app.command(parents[head])
        (parents[head] if sub else app).command(subcommand)
    return app


def run(words: Sequence[str]) -> None:
    """Run one command line; raise `OptionError` if it cannot be parsed."""
    from cyclopts import CycloptsError

    names = {command.name.partition(" ")[0] for command in COMMANDS}
    first = words[0] if words else ""
    if first == "__complete":  # a completion script asks for the names of readers
        build_app(words[1:])(list(words), exit_on_error=False, print_error=False)
        return
    whole = [command.name for command in COMMANDS if command.words[1:] == [first]]
    if first not in names and whole:
        raise OptionError(
            f"Unknown command {first!r}; write: understand {whole[0]}; see understand --help"
        )
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
        if command := _command_of(words):
            if "--help" in words or "-h" in words:
                app.help_print(command.words)  # a fifth faster than to parse the line first
                return
            _check_options(command, words)
            words = _with_repeated_options(command, words)
        app(list(words), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        name = " ".join(["understand", *(word for word in words[:1] if word in names)])
        raise OptionError(f"{_sentence(error)}{_example(words)}; see {name} --help") from None


def _command_of(words: Sequence[str]) -> Command | None:
    """Return the command that a command line names, or None."""
    return next((row for row in COMMANDS if list(words[: len(row.words)]) == row.words), None)


def _with_repeated_options(command: Command, words: Sequence[str]) -> list[str]:
    """Repeat an option in front of each of its values, because cyclopts reads one value per option.

    ``install chv --from a b`` becomes ``install chv --from a --from b``. If a command accepts a
    list of arguments, such as runs, this is done only for options that follow the list, as in
    ``evaluate a.run -m RBP uRBP``; elsewhere the next word could be another run.
    """
    options = {name: option for option in command.arguments for name in option.names}
    takes_list = any(is_list(argument) for argument in command.positional)
    surplus = 0 if takes_list else -len(command.positional)
    awaits_value = had_arguments = False
    option = ""  # the option of several values whose values are being read
    followers: dict[int, str] = {}  # index of a word -> the option that it could be a value of
    for index, word in enumerate(words[len(command.words) :], len(command.words)):
        name, equals, _ = word.partition("=")
        if awaits_value:
            awaits_value = False
        elif name in options or name in ("--help", "-h"):
            is_switch = name not in options or options[name].hint is bool
            awaits_value = not is_switch and not equals
            option = name if not is_switch and is_list(options[name]) else ""
        elif takes_list:
            if not option:
                had_arguments = True
            elif had_arguments:
                followers[index] = option
                surplus += 1
        else:
            surplus += 1
            if option:
                followers[index] = option
    repeated = [*followers][: max(surplus, 0)]
    return [
        part
        for index, word in enumerate(words)
        for part in ((followers[index], word) if index in repeated else (word,))
    ]


def _check_options(command: Command, words: Sequence[str]) -> None:
    """Raise `OptionError` for an unknown option.

    cyclopts would read it as a value, because options accept ``-`` (standard input or output).
    """
    options = {"--help", "-h", *(name for option in command.arguments for name in option.names)}
    typed = {argument.name.lower().rstrip("s"): argument.name for argument in command.positional}
    for word in takewhile(lambda word: word != "--", words):
        name = word.partition("=")[0]
        if re.fullmatch(r"-[a-z]|--[a-z].*", name) and name not in options:
            near = get_close_matches(name, options, 1, 0.7)
            advice = f" (did you mean {near[0]}?)" if near else ""
            if argument := typed.get(name[2:].rstrip("s")):
                advice = f" (type {argument} without it)"
            elif "--format" in options and name[2:] in _FORMATS:
                advice = f" (did you mean --format {name[2:]}?)"
            raise OptionError(
                f"Unknown option {name}{advice}; see understand {command.name} --help"
            )


def _example(words: Sequence[str]) -> str:
    """Return an example of the command, or of the first command that begins with the same word."""
    matches = [row for row in COMMANDS if words[: len(row.words)] == row.words]
    matches = matches or [row for row in COMMANDS if words[:1] == row.words[:1]]
    help_text = matches[0].help if matches else ""
    example = re.search(r"Example: (.+?)(\n\n|\Z)", help_text, re.DOTALL)
    return f"; for example: {' '.join(example[1].split())}" if example else ""


def _sentence(error: CycloptsError) -> str:
    """Describe an error of cyclopts in one sentence."""
    from cyclopts import CoercionError, MissingArgumentError

    if isinstance(error, CoercionError) and error.argument is not None and error.token is not None:
        name = error.argument.name.lstrip("-").replace("-", " ")
        if choices := error.argument.get_choices(force=True):
            check_choice(name, error.token.value, choices)
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return f"Missing argument {error.argument.name.lstrip('*')}"
    sentence = re.sub(r" Available commands:.*", "", " ".join(str(error).split()))
    return re.sub(r"\. Did you mean (.+)\?", r" (did you mean \1?)", sentence).rstrip(".")


def main() -> None:
    """Run the command line; an error that the user can fix is printed as one sentence, with status
    2.
    """
    _open_closed_streams()
    if sys.argv[1:2] in _ROWS:
        from understandability.crawls.processes import ONE_THREAD, arrow_without_pandas

        os.environ.update(ONE_THREAD)  # before numpy is imported
        arrow_without_pandas()
    for stream in (sys.stdout, sys.stderr):
        # File names need not be text; in some locales they would go out as stray bytes.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text file, as the standard has it
    sys.exit(status_of(sys.argv[1:]))


def status_of(words: Sequence[str]) -> int:
    """Run one command line, report errors on standard error, and return the exit status."""
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
    """Discard output that is still buffered, because Python would report the same error again at
    exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Reopen standard streams that the caller closed (``>&-``), so that writing to them fails.

    Otherwise the next file that is opened gets the number of the stream, and messages are written
    into it.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
