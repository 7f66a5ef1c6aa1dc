"""Damaged and crafted bundles are refused in one sentence, or estimate: see the script."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from scripts.faults import fuzz_bundles as fuzz

pytestmark = pytest.mark.slow


def test_random_alterations(tmp_path: Path) -> None:
    """Some of the hundred thousand that the script tries, bombs left to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ends = set()
        for seed in range(200):
            chance = random.Random(seed)
            _, sample = chance.choice(fuzz.samples())
            parts = fuzz.copied(sample)
            alter = chance.choice([fuzz.alter_value, fuzz.alter_bytes, fuzz.alter_arrays])
            (alter if parts.weights else fuzz.alter_value)(parts, chance)
            ends.add(fuzz.outcome(parts, tmp_path))
    assert ends == {"refused", "estimates"}


def test_every_member_that_asks_for_more_than_it_holds(tmp_path: Path) -> None:
    """Shapes of terabytes, objects, pickles, code, headers without end, names that climb."""
    name, sample = next(each for each in fuzz.samples() if "linear" in each[0])
    for members in fuzz.hostile_members():
        if sum(map(len, members.values())) < 1_000_000:
            parts = fuzz.copied(sample)
            parts.weights["estimator.npz"] = fuzz.zipped(members, 8)
            assert fuzz.outcome(parts, tmp_path) == "refused", name


@pytest.mark.parametrize("nest", [b"[", b'{"a":', b'"\\ud800'])
def test_an_endless_description_is_refused(tmp_path: Path, nest: bytes) -> None:
    _, sample = fuzz.samples()[0]
    parts = fuzz.copied(sample)
    parts.text = nest * 200_000
    assert fuzz.outcome(parts, tmp_path) == "refused"
