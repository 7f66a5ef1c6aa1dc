"""The command line explains and completes itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from understandability.cli import COMMANDS

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
    ("line", "completed"),
    [("understand expl", "explain"), ("understand explain --comp", "--compare")],
)
def test_the_shell_completes_commands_and_options(line: str, completed: str) -> None:
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
