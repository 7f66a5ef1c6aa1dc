"""The README tells the truth: its Python runs, its generated parts are those of today."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines give what stands below them."""
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4
    assert results.failed == 0


def test_the_generated_parts_are_not_stale() -> None:
    """`scripts/update_docs.py` would change nothing."""
    command = [sys.executable, str(ROOT / "scripts" / "update_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
