"""The command line explains and completes itself."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.conftest import Python, Run

from understandability.cli import COMMANDS, build_app
from understandability.cli.commands import Command


def test_commands_are_grouped_by_task(understand: Run) -> None:
    """Each task is a heading, above its commands."""
    shown = understand("--help").stdout
    tasks = list(dict.fromkeys(each.task for each in COMMANDS))
    positions = [shown.index(f" {task} ") for task in tasks]
    assert positions == sorted(positions)
    for task in tasks:
        panel = shown[shown.index(f" {task} ") :].split("╰")[0]
        for each in COMMANDS:
            if each.task == task:
                assert re.search(rf"^│ {each.words[0]} ", panel, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
def test_help_shows_every_option_with_its_meaning(command: Command, understand: Run) -> None:
    """Made of the signature and the docstring; nothing is cut off at 80 columns."""
    done = understand(*command.words, "--help", env={"COLUMNS": "80"}, status=0)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "…" not in done.stdout
    for option in command.arguments.filter_by(show=True):
        assert option.parameter.help, f"{option.name} has no line under Args: in a docstring"
        assert option.name in done.stdout


def test_the_shell_completes_commands_options_and_values() -> None:
    """The script of `understand --install-completion` knows them."""
    script = build_app(complete=True).generate_completion(shell="bash")
    for word in ("extract", "--sentence-ends", "boilerpipe", "force-period-always", "arctan"):
        assert word in script


def test_help_loads_none_of_the_heavy_packages(python: Python) -> None:
    """The help appears at once."""
    program = (
        "import sys; from understandability.cli import build_app; build_app(); "
        "print([name for name in ('numpy', 'pyarrow', 'lxml', 'sklearn') if name in sys.modules])"
    )
    assert python(program) == "[]\n"


def test_examples_can_be_copied_from_the_help() -> None:
    """A word between colons may be the name of an emoji, which a terminal would show."""
    from rich.emoji import Emoji

    for command in COMMANDS:
        assert Emoji.replace(command.help) == command.help, command.name


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_leaves_out_what_is_for_python(command: Command) -> None:
    """It ends at the first section of the docstring: arguments, errors, examples in Python."""
    for text in (">>> ", "In Python", "Raises", "Args:"):
        assert text not in command.help


CLOSED = "printf 'You rest.' | \"$0\" -m understandability score - {} 1>&-"


@pytest.mark.slow
@pytest.mark.parametrize(("output", "status"), [("-o scores.jsonl", 0), ("", 2), ("-o -", 2)])
def test_a_closed_output_is_reported(tmp_path: Path, output: str, status: int) -> None:
    """One sentence reports it, without a traceback; a file is still written."""
    done = subprocess.run(
        ["/bin/sh", "-c", CLOSED.format(output), sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert ("understand: standard output is closed" in done.stderr) == (status == 2)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".jsonl"] == (
        [] if status else ["scores.jsonl"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.15, 0.2, 0.3, 0.45])
def test_an_interruption_while_it_loads_ends_it_without_a_traceback(seconds: float) -> None:
    """This holds once the command runs; the start of Python itself is not ours."""
    program = "from understandability.__main__ import main; print(flush=True); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "score", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert "Traceback" not in told
    assert process.returncode in (1, 130)


CALLBACK = """
import signal, sys, time, types, weakref
from understandability.__main__ import main

# A shell may have told its background jobs to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def run():
    def interrupted(reference):
        raise KeyboardInterrupt
    thing = type("Thing", (), {})()
    reference = weakref.ref(thing, interrupted)
    del thing
    for _ in range(500):
        time.sleep(0.01)

sys.modules["understandability.cli"] = types.SimpleNamespace(main=run)
main()
"""


def test_an_interruption_in_a_callback_of_python_is_not_lost() -> None:
    """The import system has such callbacks; Python prints what they raise and goes on."""
    done = subprocess.run(
        [sys.executable, "-c", CALLBACK], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_quiet(command: Command) -> None:
    """In the same words, and it is not handed to the function."""
    [quiet] = [option for option in command.arguments if "--quiet" in option.names]
    assert set(quiet.names) == {"--quiet", "-q"}
    assert quiet.hint is bool


def test_quiet_hides_the_remarks_of_one_command(understand: Run, tmp_path: Path) -> None:
    """It works if the view has no such option; the next command shows remarks again."""
    (tmp_path / "scores.csv").write_text("docno,difficulty\nd1,20\nd2,30\n")
    command = (
        "export",
        tmp_path / "scores.csv",
        "--to",
        "solr",
        "--column",
        "difficulty",
        "-o",
        tmp_path / "solr",
    )
    assert "Next:" in understand(*command).stderr
    assert not understand(*command[:-1], tmp_path / "again", "--quiet").stderr
    assert "Next:" in understand(*command[:-1], tmp_path / "third").stderr
