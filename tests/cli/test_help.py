"""The command line explains and completes itself."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from understandability.cli import COMMANDS, build_app

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_commands_are_grouped_by_task(understand: Run) -> None:
    """Each task is a heading, above its commands."""
    done = understand("--help", env={**os.environ, "COLUMNS": "100"})
    assert done.returncode == 0, done.stderr
    tasks = list(dict.fromkeys(task for _, _, task in COMMANDS))
    places = [done.stdout.index(f" {task} ") for task in tasks]
    assert places == sorted(places)
    for task in tasks:
        panel = done.stdout[done.stdout.index(f" {task} ") :].split("╰")[0]
        named = [line.split()[1] for line in panel.splitlines() if re.match(r"│ [a-z]+ ", line)]
        assert named == [name for name, _, of in COMMANDS if of == task]


@pytest.mark.parametrize(
    "command", [*dict.fromkeys(each.words[0] for each in COMMANDS), *(name for name, _, _ in TYPED)]
)
def test_nothing_is_cut_off_at_80_columns(command: str) -> None:
    """Names of options and their values, of subcommands too; numbers as people write them."""
    app, runner, lines = build_app(), CliRunner(env={"COLUMNS": "80"}), [[command]]
    for words in lines:
        shown = runner.invoke(app, [*words, "--help"])
        assert shown.exit_code == 0
        assert max(map(len, shown.output.splitlines())) == 80
        assert "…" not in shown.output
        assert "1000000.0" not in shown.output
        if "╭─ Commands" in shown.output and len(words) == 1:
            panel = shown.output.split("╭─ Commands")[1]
            lines += [[command, each] for each in re.findall(r"^│ ([a-z]+) ", panel, re.MULTILINE)]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("understand expl", "explain"),
        ("understand explain --comp", "--compare"),
        ("understand score --extractor bo", "boilerpipe"),
        ("understand score --sentence-ends non", "none"),
        ("understand evaluate --preset u", "ubire"),
        ("understand evaluate --order sc", "score"),
        ("understand fuse --method ", "combsum"),
    ],
)
def test_the_shell_completes_commands_options_and_values(line: str, completed: str) -> None:
    """As bash asks, after `understand --install-completion bash`."""
    environment = {
        **os.environ,
        "_UNDERSTAND_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    program = (
        "import sys; from understandability.cli import main; sys.argv = ['understand']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed in done.stdout.split()


def test_help_loads_none_of_the_heavy_packages() -> None:
    """So that it answers at once."""
    program = (
        "import sys; from understandability.cli import build_app; build_app(); "
        "print([name for name in ('numpy', 'pyarrow', 'lxml', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_examples_can_be_copied_from_the_help() -> None:
    """What stands between colons may be the name of a picture, which a terminal then shows."""
    from rich.emoji import Emoji

    for name, module, _ in COMMANDS:
        help_text = import_module(f"understandability.cli.{module}").__doc__ or ""
        for text in (help_text, *docstrings(f"understandability.cli.{module}")):
            assert Emoji.replace(text) == text, name


def docstrings(module: str) -> list[str]:
    """The help of each command in a module."""
    return [each.__doc__ or "" for each in vars(import_module(module)).values() if callable(each)]


CLOSED = "printf 'You rest.' | \"$0\" -m understandability score - {} 1>&-"


@pytest.mark.slow
@pytest.mark.parametrize(("output", "status"), [("-o scores.jsonl", 0), ("", 2), ("-o -", 2)])
def test_a_closed_output_is_told(tmp_path: Path, output: str, status: int) -> None:
    """And no traceback; a file is written all the same."""
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
    """From the moment that the command itself runs; Python's own start comes before."""
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
