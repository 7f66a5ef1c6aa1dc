"""How far unknown labels could move a difference: against every way of giving the labels."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import understandability as ud
from understandability.errors import InputError, OptionError

NAMES = ["a", "b", "c", "d"]
rankings = st.permutations(NAMES).flatmap(lambda names: st.integers(1, 4).map(lambda n: names[:n]))


def run_of(names: list[str]) -> dict[str, dict[str, float]]:
    return {"q": {name: float(-place) for place, name in enumerate(names)}}


@pytest.mark.slow
@given(rankings, rankings, st.dictionaries(st.sampled_from(NAMES[:3]), st.integers(0, 1)))
def test_the_bounds_are_the_extremes_over_all_labels(
    first: list[str], second: list[str], labels: dict[str, int]
) -> None:
    """Each document without a label gets either; the bounds are reached, never passed."""
    labels = {"z": 1} | labels
    runs = {"first": run_of(first), "second": run_of(second)}
    [row] = ud.bounds(runs, {"q": labels}, measures="RBP(p=0.5)@3").rows
    unknown = [name for name in NAMES if name not in labels]
    differences = []
    for given_labels in product((0, 1), repeat=len(unknown)):
        whole = labels | dict(zip(unknown, given_labels, strict=True))
        one, two = ud.evaluate(runs, {"q": whole}, measures="RBP(p=0.5)@3").column("RBP(p=0.5)@3")
        differences.append(float(two - one))
    assert (row.low, row.high) == (pytest.approx(min(differences)), pytest.approx(max(differences)))


def test_what_is_known_of_a_document_limits_what_it_may_gain() -> None:
    """One that is known to be hard gains nothing in uRBP, whatever its relevance."""
    runs = {"one": run_of(["a", "b"]), "two": run_of(["b", "a"])}
    ease = {"q": {"a": 90, "b": 10}}
    options = {"scale": "lower-easier:40", "measures": "uRBP(p=0.5)"}
    [row] = ud.bounds(runs, {"q": {"z": 1}}, ease, **options).rows
    # b may gain 1/2 in two and 1/4 in one; a, which is hard, nothing.
    assert (row.low, row.difference, row.high) == (0.0, 0.0, 0.25)
    assert not row.settled


def test_a_difference_that_no_label_can_turn_is_settled() -> None:
    runs = {"one": run_of(["b", "a"]), "two": run_of(["a", "b"])}
    found = ud.bounds(runs, {"q": {"a": 1, "b": 0}}, measures="RBP(p=0.5)")
    assert found.rows[0].settled
    assert found.to_pandas()["settled"].tolist() == ["yes"]


def test_measures_without_bounds_are_refused() -> None:
    """Only sums of gains that lie between 0 and 1 have them."""
    runs = {"one": run_of(["b", "a"]), "two": run_of(["a", "b"])}
    with pytest.raises(OptionError, match="has no bounds here: choose RBP, uRBP or RBPu"):
        ud.bounds(runs, {"q": {"a": 1}}, measures="nDCG@10")
    with pytest.raises(OptionError, match="nothing to bound"):
        ud.bounds(runs, {"q": {"a": 1}}, measures="RBP(judged_only=True)")
    with pytest.raises(InputError, match="at least two runs"):
        ud.bounds(runs["one"], {"q": {"a": 1}})
