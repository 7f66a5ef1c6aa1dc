"""The README: short, with links and figures that hold."""

from __future__ import annotations

import re
from pathlib import Path

import understandability

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short() -> None:
    """At most 150 lines and 9 kB."""
    assert len(README.splitlines()) <= 150
    assert len(README.encode()) <= 9_000


def test_its_links_are_relative_to_this_folder() -> None:
    """So that they hold in a checkout; a package index gets absolute ones (pyproject.toml)."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(links) >= 15
    for link in links:
        assert (ROOT / link).stat().st_size < 250_000, link


def test_it_has_a_start_for_each_reader() -> None:
    """A snippet and a link."""
    for page in ("search", "research", "models", "writing"):
        assert f"(docs/start/{page}.md)" in README


def test_the_citation_is_of_this_version() -> None:
    """And has the papers that the measures come from."""
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {understandability.__version__}\n" in text
    for title in ("Understandability Biased Evaluation", "Consumer Health Search on the Web"):
        assert title in text
