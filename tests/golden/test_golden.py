"""Rows, features and values of measures equal the frozen ones, up to `scripts.shared.TOLERANCE`."""

import json

import pytest
from scripts.freeze import FROZEN, frozen
from scripts.shared import TOLERANCE

EXPECTED = json.loads(FROZEN.read_text("utf-8"))


def near(value: object) -> object:
    """Replace each float in a value by one that compares with the tolerance."""
    if isinstance(value, dict):
        return {name: near(item) for name, item in value.items()}
    if isinstance(value, list):
        return [near(item) for item in value]
    return pytest.approx(value, rel=TOLERANCE) if isinstance(value, float) else value


def test_nothing_changed_that_was_frozen() -> None:
    """To freeze new values, run `python -m scripts.freeze` in a commit that says why."""
    current = dict(frozen())
    missing = [name for name in current if name not in EXPECTED]
    assert not missing, f"freeze new rows with `python -m scripts.freeze`: {missing[:3]}"
    assert list(current) == list(EXPECTED)
    for name, value in current.items():
        assert value == near(EXPECTED[name]), name
