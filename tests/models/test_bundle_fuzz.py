"""Damaged and crafted bundles are refused in one sentence, or estimate: see the script."""

from __future__ import annotations

import importlib.util
import random
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "faults" / "fuzz_bundles.py"


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_bundles", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_bundles"] = module  # where its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


def test_random_alterations(fuzz: ModuleType, tmp_path: Path) -> None:
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


def test_every_member_that_asks_for_more_than_it_holds(fuzz: ModuleType, tmp_path: Path) -> None:
    """Shapes of terabytes, objects, pickles, code, headers without end, names that climb."""
    name, sample = next(each for each in fuzz.samples() if "linear" in each[0])
    for members in fuzz.hostile_members():
        if sum(map(len, members.values())) < 1_000_000:
            parts = fuzz.copied(sample)
            parts.weights["estimator.npz"] = fuzz.zipped(members, 8)
            assert fuzz.outcome(parts, tmp_path) == "refused", name


@pytest.mark.parametrize("nest", [b"[", b'{"a":', b'"\\ud800'])
def test_an_endless_description_is_refused(fuzz: ModuleType, tmp_path: Path, nest: bytes) -> None:
    _, sample = fuzz.samples()[0]
    parts = fuzz.copied(sample)
    parts.text = nest * 200_000
    assert fuzz.outcome(parts, tmp_path) == "refused"
