"""The README tells the truth: its Python runs, its generated parts are those of today."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import understandability

Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[1]


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines give what stands below them."""
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4
    assert results.failed == 0


def test_the_generated_parts_are_not_stale(script: Run) -> None:
    """`scripts/docs/update.py` would change nothing."""
    done = script("docs.update", "--check")
    assert done.returncode == 0, done.stderr


def test_the_links_of_the_readme_lead_somewhere() -> None:
    """Pictures, notebooks and files that it names are there, and small enough to look at."""
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)", text)
    assert len(links) >= 27
    for link, heading in links:
        assert (ROOT / link).stat().st_size < 250_000, link
        if heading:
            lines = (ROOT / link).read_text("utf-8").splitlines()
            assert f"## {heading.replace('-', ' ')}" in lines, heading


def commands_in(text: str) -> list[list[str]]:
    """Every command line that stands as code in a document, its lines joined."""
    lines = re.findall(r"^    (understand (?:[^\\\n]|\\\n)*)", text, re.MULTILINE)
    return [shlex.split(line.replace("\\\n", " ")) for line in lines]


def test_the_commands_of_the_documents_exist() -> None:
    """With every option that is given to them, as their help has it."""
    reference = (ROOT / "docs" / "commands.md").read_text("utf-8")
    helps = {
        heading: set(re.findall(r"`(--?[a-z-]+)", section))
        for heading, section in re.findall(
            r"^##+ (understand .*)\n((?:(?!^##).*\n)*)", reference, re.MULTILINE
        )
    }
    used = commands_in((ROOT / "README.md").read_text("utf-8")) + commands_in(reference)
    assert len(used) > 40
    for words in used:
        heading = " ".join(words[:3]) if " ".join(words[:3]) in helps else " ".join(words[:2])
        options = {word for word in words if re.match("--?[a-z]", word)}
        assert options <= helps[heading], " ".join(words)


def test_the_citation_is_of_this_version() -> None:
    """And has the papers that the measures come from."""
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {understandability.__version__}\n" in text
    for title in ("Understandability Biased Evaluation", "Consumer Health Search on the Web"):
        assert title in text
