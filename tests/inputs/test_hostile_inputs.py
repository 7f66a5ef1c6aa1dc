"""Quick versions of ``scripts/faults/hostile_inputs.py``: files that exhaust, escape or mislead."""

import pytest

pytest.importorskip("brotli", reason="needs the package brotli")

from scripts.faults.hostile_inputs import CASES, outcome_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_file_costs_no_more_than_itself(name: str) -> None:
    """The good page is read, what is bad is an error or skipped, and memory stays bounded."""
    outcome = outcome_of(name, 100)
    assert not isinstance(outcome, str), outcome
    assert outcome.fault(name) == "", outcome
