"""What all tests share: where the real data is, and how the command is run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora, labels, pages and runs; tests that need it skip without it."""
    folder = Path(os.environ.get("UNDERSTANDABILITY_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the real data; {folder} is not there (set UNDERSTANDABILITY_DATA)")
    return folder


@pytest.fixture(scope="session")
def understand() -> Run:
    """Run the command as a user does, in a process of its own, with warnings as errors."""

    def run(
        *arguments: str | Path, stdin: bytes | None = None, **options: object
    ) -> subprocess.CompletedProcess[str]:
        process = subprocess.run(
            [sys.executable, "-W", "error", "-m", "understandability", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=300,
            check=False,
            **options,  # type: ignore[call-overload]
        )
        return subprocess.CompletedProcess(
            process.args, process.returncode, process.stdout.decode(), process.stderr.decode()
        )

    return run
