"""The experiment of the uRBP papers, and that nothing in it is `nan` without a sentence."""

import math
from pathlib import Path

import pytest

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.feature.catalogue import select_columns

# d1 is easy, d2 hard, d3 hardest; a ranks by relevance, b the easy one first.
FOG = {"d1": 8.0, "d2": 14.0, "d3": 19.0}
QRELS = {"q": {"d1": 1, "d2": 1, "d3": 0}}
RUNS = {
    "a": {"q": {"d2": 3.0, "d3": 2.0, "d1": 1.0}},
    "b": {"q": {"d1": 3.0, "d3": 2.0, "d2": 1.0}},
    "c": {"q": {"d3": 3.0, "d2": 2.0}},
}


def test_users_of_the_papers_see_what_lies_below_their_threshold() -> None:
    """By hand, p = .5: at 10 only d1 counts, at 15 both relevant ones."""
    found = ud.simulate_users(RUNS, QRELS, FOG, users=["step"], p=0.5)
    at_10, at_15, at_20 = found.users
    column = found.evaluation.column(at_10.measure)
    assert column.tolist() == [1 / 8, 1 / 2, 0.0]
    assert (at_10.first, at_10.first_by_rbp) == ("b", 1.0)
    assert at_10.readable == 0.5
    assert at_15.readable == at_20.readable == 1.0
    assert at_15.tau == at_20.tau == pytest.approx(1.0)
    assert found.quantiles[0.5] == 14.0
    assert found.documents == 3


def test_thresholds_may_be_shares_of_the_documents() -> None:
    """So that scores other than FOG have some; the quartiles by default."""
    found = ud.simulate_users(RUNS, QRELS, FOG, thresholds=["50%", 15], users=["step"])
    assert [user.threshold for user in found.users] == [14.0, 15.0]
    quartiles = ud.simulate_users(RUNS, QRELS, FOG, formula="dci", users=["step"])
    assert [user.threshold for user in quartiles.users] == [11.0, 14.0, 16.5]
    for wrong in ("150%", "many", math.inf):
        with pytest.raises(OptionError, match="a threshold is a score, such as 15, or a share"):
            ud.simulate_users(RUNS, QRELS, FOG, thresholds=[wrong])


def test_the_quantiles_are_named_after_the_column(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("docno,dci,fog\nd1,5,8\nd2,7,14\nd3,9,19\n")
    found = ud.simulate_users(RUNS, QRELS, path, column="dci", formula="dci", users=["step"])
    assert found.distribution().rows[0][0] == "dci"


def test_nothing_is_nan_without_a_sentence() -> None:
    """All systems gain 0; labels of other documents; labels that are infinite."""
    none = ud.simulate_users(RUNS, QRELS, FOG, thresholds=[5.0], users=["step"])
    assert math.isnan(none.users[0].tau)
    assert math.isnan(none.users[0].first_by_rbp)  # and `first` is "-"
    assert none.remarks == (
        "All systems have 0 by uRBP(p=0.8,user=step,th=5): none ranks a relevant document with a "
        "score below 5 (scores run from 8 to 19); it orders nothing.",
    )
    assert none.remarks[0] in none.to_markdown()
    other = ud.simulate_users(RUNS, QRELS, {"zzz": 9.0}, users=["step"])
    assert "3 of 3 runs (a, b, c) rank no document that has a score" in other.remarks[0]
    assert any("No relevant document has a score" in remark for remark in other.remarks)
    with pytest.raises(InputError, match="label inf is not finite"):
        ud.evaluate(RUNS, QRELS, {"q": {"d1": math.inf}}, scale="lower-easier:40")
    told = ud.evaluate(RUNS, QRELS, {"zzz": 9.0}, scale="lower-easier:40", measures="uRBP")
    assert any("has a label of u" in str(oddity) for oddity in told.oddities["a"])


def test_scores_or_pages_and_a_direction_are_needed() -> None:
    """One of the two; what is no formula has to say which end is hard."""
    with pytest.raises(OptionError, match="give either scores of the documents"):
        ud.simulate_users(RUNS, QRELS)
    with pytest.raises(
        OptionError, match="simulated user 'nobody' does not exist; choose one of step, arctan"
    ):
        ud.simulate_users(RUNS, QRELS, FOG, users=["nobody"])
    turned = ud.simulate_users(
        RUNS, QRELS, FOG, direction="higher-easier", thresholds=[12], users=["step"]
    )
    assert turned.users[0].first == "a"


def test_papers_names_of_formulas_are_found_and_others_suggested() -> None:
    """FOG is the plain one of the uRBP papers, DCI the index of 1948."""
    assert select_columns(["fog", "DCI", "smog"]) == ("gunning_fog_plain", "dale_chall", "smog")
    with pytest.raises(OptionError, match=r"'gunnin' .did you mean gunning_fog"):
        select_columns(["gunnin"])
    with pytest.raises(OptionError, match=r"'the chall index' .did you mean dale_chall"):
        select_columns(["the chall index"])
