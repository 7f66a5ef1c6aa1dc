"""The commands of the page "Ask your own readers" run in order, on the example that it names."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.conftest import ROOT, Run

HOWTO = ROOT / "docs" / "howto"
PAGE = (HOWTO / "ask.md").read_text("utf-8")
COMMANDS = [
    shlex.split(line)[1:] for line in re.findall(r"^    (understand .*)$", PAGE, re.MULTILINE)
]


@pytest.mark.slow
@pytest.mark.usefixtures("one_core")
def test_its_commands_run_in_order(understand: Run, tmp_path: Path) -> None:
    """But for the server, which tests/writers/serve starts."""
    folder = tmp_path / "ask"
    shutil.copytree(HOWTO / "ask", folder)
    (folder / "pages").mkdir()
    (folder / "pages" / "flu.txt").write_text("You have flu. Rest.", "utf-8")
    for command in COMMANDS:
        if command[0] != "serve":
            understand(*command, cwd=folder, status=0)
    assert {"study.html", "ours.json", "plot.svg", "scores.csv", "marks.csv"} <= {
        path.name for path in folder.iterdir()
    }


def test_the_answers_are_called_invented() -> None:
    assert "**invented**" in PAGE
    assert "INVENTED" in (HOWTO / "ask" / "README.txt").read_text("utf-8")
