"""A mistake in a command is answered with what would have worked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Run

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"


def test_a_page_in_the_place_of_a_command(understand: Run, tmp_path: Path) -> None:
    """The command to score it is written out, with the options that were given."""
    page = tmp_path / "a page.html"
    page.write_text("<p>You have flu.")
    done = understand(page, "--threshold", "30")
    assert done.returncode == 2
    assert f"write: understand score '{page}' --threshold 30" in done.stderr
    assert understand("-").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["scoer", "x.html"], '"score"'),
        (["score", "x.html", "--treshold", "30"], "--threshold"),
        (["features", "--only", "smug", str(SAMPLES)], "did you mean smog?"),
        (["score", str(SAMPLES), "--user", "nobody"], "step, arctan, calibrated"),
    ],
)
def test_near_misses(understand: Run, arguments: list[str], suggestion: str) -> None:
    """The name that was meant stands in the answer."""
    done = understand(*arguments)
    assert done.returncode == 2
    assert suggestion in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_report_does_not_fill_a_terminal() -> None:
    """It is a page for a browser, and ``-o`` names its file."""
    import pty

    ours, terminal = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(terminal, "wb") as screen:
        done = subprocess.run(
            [sys.executable, "-m", "understandability", "explain", SAMPLES / "easy.html"],
            stdout=screen,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.decode().strip().endswith("name a file, such as -o report.html")
