"""Rows, features and values of measures are those that were frozen: no move changes a number."""

import json

import pytest
from scripts.freeze import FROZEN, frozen

EXPECTED = json.loads(FROZEN.read_text("utf-8"))


def near(value: object) -> object:
    """The value with numbers as they may differ in their sixth digit."""
    if isinstance(value, dict):
        return {name: near(each) for name, each in value.items()}
    if isinstance(value, list):
        return [near(each) for each in value]
    return pytest.approx(value, rel=2e-5) if isinstance(value, float) else value


def test_nothing_changed_that_was_frozen() -> None:
    """To freeze new values, run `python -m scripts.freeze` in a commit that says why."""
    found = dict(frozen())
    assert list(found) == list(EXPECTED)
    for name, value in found.items():
        assert value == near(EXPECTED[name]), name
