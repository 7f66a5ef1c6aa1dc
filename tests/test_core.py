"""The compiled core does what its reference in Python does, on pages of all kinds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.faults import fuzz_core, hostile_pages

from understandability import _core
from understandability.text.page import Page

if TYPE_CHECKING:
    from tests.conftest import Run

SAMPLES = Path(__file__).parents[1] / "resources" / "samples"
SMALL = [name for name, make in hostile_pages.PAGES.items() if len(make()) < 20_000]


def assert_same(content: bytes | str) -> None:
    page = Page("d", "-", content)
    assert fuzz_core.outcome(page) == fuzz_core.by_reference(page)


def test_the_reference_has_the_whole_core() -> None:
    """So that nothing of it goes without a check."""
    assert set(fuzz_core.COMPILED) <= set(fuzz_core.REFERENCE)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.html")), ids=lambda path: path.name)
def test_sample_pages(path: Path) -> None:
    assert_same(path.read_bytes())


@pytest.mark.parametrize("name", SMALL)
def test_hostile_pages(name: str) -> None:
    assert_same(hostile_pages.PAGES[name]())


@given(st.lists(st.sampled_from(fuzz_core.PARTS) | st.text(max_size=8), max_size=60))
def test_generated_markup(parts: list[str]) -> None:
    """Full of what loops over bytes get wrong, and shrunk to the shortest that fails."""
    assert_same("".join(parts).encode("utf-8", "replace"))


@given(st.randoms(use_true_random=False))
def test_pieces_of_pages(chance: random.Random) -> None:
    page = (SAMPLES / "hard.html").read_bytes()
    assert_same(fuzz_core.spoiled(chance, [page]))


@given(st.text("flu?.!…\"'”)]DPp ", max_size=30))
def test_texts_that_end(text: str) -> None:
    arguments = [text], ".!?…。！？", "\"'”’»)]", 8
    assert _core.ended(*arguments) == fuzz_core.REFERENCE["ended"](*arguments)


def test_real_pages(script: Run, shared_data: Path) -> None:
    for name in ("health_pages/health_pages.tar.gz", "extraction_gold/pages.tar.gz"):
        process = script("faults.fuzz_core", "--inputs", "0", shared_data / "html" / name)
        assert process.returncode == 0, process.stdout


def test_under_sanitizers(script: Run) -> None:
    """Skipped where gcc has none."""
    process = script("faults.fuzz_core", "--sanitize", "--inputs", "300")
    if "cannot find" in process.stderr or "libasan" in process.stderr:
        pytest.skip("no sanitizers here")
    assert process.returncode == 0, process.stdout + process.stderr
