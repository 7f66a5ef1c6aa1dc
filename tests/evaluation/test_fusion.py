"""Fusion of runs and scores: every method by hand, and what holds for all of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understandability.direction import Direction
from understandability.errors import InputError, OptionError
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.fuse import FUSIONS, fuse
from understandability.inputs.run import Labels, Run

FIRST = Run.of("first", {"q": [("a", 10.0), ("b", 6.0), ("c", 2.0)]})
SECOND = Run.of("second", {"q": [("c", 3.0), ("d", 2.0), ("b", 1.0)]})
# Scores from 0 to 1: a 1, b .5, c 0; c 1, d .5, b 0.
WORKED = {
    "rrf": {"a": 1 / 61, "b": 1 / 62 + 1 / 63, "c": 1 / 63 + 1 / 61, "d": 1 / 62},
    "isr": {"a": 1, "b": 2 * (1 / 4 + 1 / 9), "c": 2 * (1 / 9 + 1), "d": 1 / 4},
    "combsum": {"a": 1, "b": 0.5, "c": 1, "d": 0.5},
    "combmnz": {"a": 1, "b": 1, "c": 2, "d": 0.5},
    # A pool of 4: 4, 3, 2 points for the places; 1 is left for the one not listed.
    "borda": {"a": 4 + 1, "b": 3 + 2, "c": 2 + 4, "d": 1 + 3},
}
ORDER = {"rrf": "cbad", "isr": "cabd", "combsum": "acbd", "combmnz": "cabd", "borda": "cabd"}


def order(run: Run, query: str = "q") -> str:
    return "".join(docno for docno, _ in run.by_query()[query])


@pytest.mark.parametrize("method", FUSIONS)
def test_a_method_is_the_one_worked_by_hand(method: str) -> None:
    """The points of four documents of two lists; equal ones stand as in the first run."""
    fused = fuse([FIRST, SECOND], method)
    assert order(fused) == ORDER[method]
    assert dict(fused.by_query()["q"]) == pytest.approx(WORKED[method], rel=1e-6)


def test_borda_shares_what_is_left() -> None:
    """A list of one in a pool of three leaves 2 + 1 points, 1.5 for each of the others."""
    short = Run.of("short", {"q": [("b", 1.0)]})
    fused = dict(fuse([FIRST, short], "borda").by_query()["q"])
    assert fused == pytest.approx({"a": 3 + 1.5, "b": 2 + 3, "c": 1 + 1.5})


@pytest.mark.parametrize(
    ("method", "choice", "expected"),
    [
        # A small k trusts first places: 1 / 1 + 1 / 3 for c, 1 / 2 + 1 / 3 for b, 1 for a.
        ("rrf", {"k": 0}, "cabd"),
        # A run of weight 0 says nothing, though its documents are ranked, last.
        ("rrf", {"weights": [1, 0]}, "abcd"),
        ("combsum", {"weights": [1, 3]}, "cdab"),
        # The first 2 of each: a 1/61, c 1/61, and a stands in the first run; b and d 1/62.
        ("rrf", {"top": 2}, "acbd"),
    ],
)
def test_choices_worked_by_hand(method: str, choice: dict[str, Any], expected: str) -> None:
    assert order(fuse([FIRST, SECOND], method, **choice)) == expected


HARD = Criterion(Labels.of_documents("d", {"a": 90, "b": 30, "c": 10}), Direction.HARDER)
EASY = Criterion(Labels.of_documents("p", {"a": 0.9, "b": 0.3, "c": 0.1}), Direction.EASIER)
FLAT = Run.of("flat", {"q": [("b", 7.0), ("c", 7.0)]})
INFINITE = Run.of("odd", {"q": [("c", float("inf")), ("b", 2.0), ("a", float("-inf"))]})


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        # A list that does not tell its documents apart still retrieved them.
        (FLAT, {"a": 1.0, "b": 1.5, "c": 1.0}),
        # Some systems write infinite scores; a range stays a range.
        (INFINITE, {"a": 1.0, "b": 1.0, "c": 1.0}),
        # A score has a scale of its own, turned where higher is harder.
        (HARD, {"a": 1.0, "b": 0.5 + 0.75, "c": 1.0}),
        (EASY, {"a": 2.0, "b": 0.75, "c": 0.0}),
    ],
)
def test_values_are_summed_on_a_scale_from_0_to_1(
    other: Run | Criterion, expected: dict[str, float]
) -> None:
    assert dict(fuse([FIRST, other], "combsum").by_query()["q"]) == pytest.approx(expected)


def test_a_score_ranks_the_documents_of_the_runs() -> None:
    """Per query, the easiest first; a document without a score is not in its list."""
    easy = Criterion(
        Labels.of_documents("difficulty", {"d": 10, "c": 20, "b": 30, "z": 0}), Direction.HARDER
    )
    fused = fuse([FIRST, SECOND, easy], "rrf")
    points = dict(fused.by_query()["q"])
    assert set(points) == {"a", "b", "c", "d"}
    assert points["d"] == pytest.approx(1 / 62 + 1 / 61)
    assert points["a"] == pytest.approx(1 / 61)


def test_with_a_depth_the_rest_of_the_first_run_follows() -> None:
    """The first 2 of each are fused; what is left of the first run stands behind, in its order."""
    longer = Run.of("first", {"q": [(docno, 9.0 - n) for n, docno in enumerate("abcxyz")]})
    assert order(fuse([longer, SECOND], "rrf", top=2)) == "acbdxyz"
    fused = fuse([longer, SECOND], "combsum", top=2)
    assert order(fused)[-3:] == "xyz"
    assert fused.by_query("score") == fused.by_query("rank")


def test_a_score_of_documents_further_down_only_says_nothing() -> None:
    """What it knows is in the run, though not among the first: no mistake, no change."""
    deep = Criterion(Labels.of_documents("difficulty", {"c": 1}), Direction.HARDER)
    assert order(fuse([FIRST, deep], top=1)) == "abc"


def test_queries_of_any_run_are_fused() -> None:
    """A query that one run lacks is ranked by the others; the first run's queries come first."""
    other = Run.of("other", {"p": [("x", 1.0)], "q": [("c", 1.0)]})
    fused = fuse([FIRST, other])
    assert fused.queries == ("q", "p")
    assert (order(fused), order(fused, "p")) == ("cab", "x")


def test_a_duplicate_counts_once() -> None:
    """A document that a run lists again has its first place only."""
    again = Run.of("again", {"q": [("a", 3.0), ("b", 2.0), ("a", 1.0)]})
    once = Run.of("once", {"q": [("a", 3.0), ("b", 2.0)]})
    assert fuse([again, SECOND]).by_query() == fuse([once, SECOND]).by_query()


EACH = settings(max_examples=15)  # of five methods
RUNS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True)


def as_run(name: str, docnos: list[str]) -> Run:
    return Run.of(name, {"q": [(d, float(len(docnos) - n)) for n, d in enumerate(docnos)]})


@pytest.mark.parametrize("method", FUSIONS)
@EACH
@given(docnos=RUNS, copies=st.integers(2, 4), top=st.one_of(st.none(), st.integers(1, 12)))
def test_fusing_equal_runs_keeps_their_order(
    method: str, docnos: list[str], copies: int, top: int | None
) -> None:
    """Unanimous voters get what they voted for."""
    runs = [as_run(f"r{n}", docnos) for n in range(copies)]
    assert order(fuse(runs, method, top=top)) == "".join(docnos)


@pytest.mark.parametrize("method", FUSIONS)
@EACH
@given(lists=st.lists(RUNS, min_size=2, max_size=4), top=st.one_of(st.none(), st.integers(1, 12)))
def test_ranks_and_scores_tell_the_same_order(
    method: str, lists: list[list[str]], top: int | None
) -> None:
    """By rank and by trec_eval's order of scores; each document once; nothing lost."""
    runs = [as_run(f"r{n}", docnos) for n, docnos in enumerate(lists)]
    fused = fuse(runs, method, top=top)
    assert fused.by_query("score") == fused.by_query("rank")
    expected = set(lists[0]).union(*(docnos[:top] for docnos in lists))
    assert sorted(order(fused)) == sorted(expected)


@pytest.mark.parametrize("method", FUSIONS)
@EACH
@given(lists=st.lists(RUNS, min_size=2, max_size=4), seed=st.randoms())
def test_the_points_do_not_depend_on_the_order_of_the_runs(
    method: str, lists: list[list[str]], seed: object
) -> None:
    """Only ties look at which run comes first."""
    runs = [as_run(f"r{n}", docnos) for n, docnos in enumerate(lists)]
    points = dict(fuse(runs, method).by_query()["q"])
    seed.shuffle(runs)  # type: ignore[attr-defined]
    assert dict(fuse(runs, method).by_query()["q"]) == pytest.approx(points, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "max"}, "choose one of rrf, isr, combsum, combmnz, borda"),
        ({"weights": [1.0]}, "1 weights for 2 sources"),
        ({"weights": [1.0, -1.0]}, "numbers of 0 or more"),
        ({"top": 0}, "must be 1 or more, not 0"),
        ({"k": -1}, r"k \(--k\) must be 0 or more"),
    ],
)
def test_impossible_choices_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fuse([FIRST, SECOND], **arguments)  # type: ignore[arg-type]


OTHER = Criterion(Labels.of_documents("difficulty", {"zzz": 10}), Direction.HARDER)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        # There must be something to fuse a run with, and a run among it.
        ([], "fusion needs a run"),
        ([FIRST], "fusion needs a run"),
        ([EASY, EASY], "fusion needs a run"),
        # No document in common is a mistake, not an empty vote.
        ([FIRST, OTHER], "have no document in common"),
    ],
)
def test_what_is_no_fusion_is_refused(sources: list[Run | Criterion], message: str) -> None:
    with pytest.raises((InputError, OptionError), match=message):
        fuse(sources)
