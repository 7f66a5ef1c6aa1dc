"""Re-ranking the first documents of a run by how easy they are."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.direction import Direction
from understandability.errors import InputError, OptionError
from understandability.evaluation.criteria import Criterion, criterion, is_criterion, mixed_models
from understandability.evaluation.rerank import rerank
from understandability.inputs.run import Labels, Run
from understandability.inputs.tables import write_table

RUN = Run.of("mine", {"q": [(docno, 10.0 - place) for place, docno in enumerate("abcdef")]})


def difficulty(**values: float) -> Criterion:
    return Criterion(Labels.of_documents("difficulty", values), Direction.HARDER)


def order(run: Run, query: str = "q") -> str:
    return "".join(docno for docno, _ in run.by_query()[query])


ALL = difficulty(a=50, b=40, c=30, d=20, e=10, f=0)
FOUR = difficulty(a=4, b=3, c=2, d=1)
RISING, FALLING = difficulty(a=1, b=2, c=3), difficulty(a=3, b=2, c=1)


@pytest.mark.parametrize(
    ("scores", "top", "weights", "expected"),
    [
        # w = 1, as in the study: the easiest of the first k first; nothing below moves.
        ([ALL], 3, None, "cbadef"),
        ([ALL], 6, None, "fedcba"),
        ([ALL], 100, None, "fedcba"),
        ([ALL], 1, None, "abcdef"),
        # P(U|d): the higher, the easier.
        ([Criterion(Labels.of_documents("p", {"a": 0.1, "b": 0.9}), Direction.EASIER)], 3, None,
         "bacdef"),
        # Documents with a score are ranked among themselves, in the places they had.
        ([difficulty(a=50, c=30, d=10)], 4, None, "dbcaef"),
        # Equal scores keep the order of the run.
        ([difficulty(a=5, b=5, c=5, d=1)], 4, None, "dabcef"),
        # Reciprocal ranks of the run and the score: a: .4 / 1 + .6 / 4 = .55,
        # b: .4 / 2 + .6 / 3 = .4, c: .4 / 3 + .6 / 2 = .433, d: .4 / 4 + .6 / 1 = .7.
        ([FOUR], 4, [0.6], "dacbef"),
        ([FOUR], 4, [0.0], "abcdef"),
        # b is second in the run though a has no score: .5 / 2 + .5 / 2; c: .5 / 3 + .5 / 1.
        ([difficulty(b=2, c=1)], 3, [0.5], "acbdef"),
        # Two scores share the weight: a and c have .667, b .5, and a stands first in the run.
        ([RISING, FALLING], 3, None, "acbdef"),
        ([RISING, FALLING], 3, [0.4, 0.6], "cabdef"),
        # .3 is left for the run, which decides: a: .3 + .35 + .117, c: .1 + .117 + .35.
        ([RISING, FALLING], 3, [0.35, 0.35], "acbdef"),
    ],
)  # fmt: skip
def test_orders_worked_by_hand(
    scores: list[Criterion], top: int, weights: list[float] | None, expected: str
) -> None:
    assert order(rerank(RUN, scores, top=top, weights=weights)) == expected


def test_the_new_scores_tell_the_new_order() -> None:
    """Tools that order by score see what the ranks say."""
    new = rerank(RUN, [difficulty(a=2, b=1)], top=2)
    assert new.ranks.tolist() == [1, 2, 3, 4, 5, 6]
    assert new.by_query("score") == new.by_query("rank")


def test_each_query_is_ranked_by_itself() -> None:
    """Labels of pairs hold for their query; k counts within a query."""
    run = Run.of("two", {"q1": [("a", 2.0), ("b", 1.0)], "q2": [("a", 2.0), ("b", 1.0)]})
    labels = Labels.of("u", {"q1": {"a": 1, "b": 2}, "q2": {"a": 2, "b": 1}})
    new = rerank(run, [Criterion(labels, Direction.HARDER)])
    assert (order(new, "q1"), order(new, "q2")) == ("ab", "ba")


def test_a_duplicate_counts_where_it_stands_first() -> None:
    """A document listed again takes no place among the first k."""
    run = Run.of("again", {"q": [("a", 4.0), ("a", 3.0), ("b", 2.0), ("c", 1.0)]})
    assert order(rerank(run, [difficulty(a=3, b=2, c=1)], top=2)) == "bac"


def test_the_order_of_the_run_may_be_that_of_its_scores() -> None:
    """A run whose scores do not follow its ranks: which to believe is the user's choice."""
    run = Run.of("odd", {"q": [("a", 1.0), ("b", 2.0), ("c", 3.0)]})
    scores = difficulty(a=1, b=2, c=3)
    assert order(rerank(run, [scores], top=2, order="rank")) == "abc"
    assert order(rerank(run, [scores], top=2, order="score")) == "bca"


@given(
    values=st.lists(st.floats(0, 100), min_size=1, max_size=40),
    top=st.integers(1, 45),
    weight=st.floats(0, 1),
)
def test_nothing_is_lost_and_nothing_below_moves(
    values: list[float], top: int, weight: float
) -> None:
    """Whatever the scores: the same documents, and the same from k on."""
    docnos = [f"d{place}" for place in range(len(values))]
    run = Run.of("r", {"q": [(docno, -float(place)) for place, docno in enumerate(docnos)]})
    scores = difficulty(**dict(zip(docnos, values, strict=True)))
    new = [docno for docno, _ in rerank(run, scores, top=top, weights=[weight]).by_query()["q"]]
    assert sorted(new) == sorted(docnos)
    assert new[top:] == docnos[top:]
    if weight == 0:
        assert new == docnos


@pytest.mark.parametrize(
    ("score", "choice", "message"),
    [
        ("a", {"weights": [0.5, 0.5]}, "2 weights for 1 scores"),
        ("a", {"weights": [1.1]}, "between 0 and 1"),
        ("a", {"weights": [-0.1]}, "between 0 and 1"),
        ("a", {"weights": [math.nan]}, "between 0 and 1"),
        ("a", {"top": 0}, "must be 1 or more, not 0"),
        ("zzz", {}, r"the run mine \(document a, ...\) and the scores difficulty \(document zzz, "),
    ],
)
def test_what_cannot_be_is_refused(score: str, choice: dict[str, Any], message: str) -> None:
    """Weights that are no shares, the first 0, scores of another collection."""
    with pytest.raises((InputError, OptionError), match=message):
        rerank(RUN, [difficulty(**{score: 1})], **choice)


@pytest.mark.parametrize(
    ("column", "harder"),
    [
        ("difficulty", True),
        ("p_understandable", False),
        ("dale_chall", True),
        ("flesch_reading_ease", False),
        ("syllables_per_word", True),
        ("mine:higher-harder", True),
        ("mine:lower-harder", False),
        ("mine:lower-easier", True),
        ("mine:higher-easier", False),
        ("difficulty:lower-harder", False),
    ],
)
def test_the_direction_is_known_or_said(tmp_path: Path, column: str, harder: bool) -> None:
    """Of our own columns the direction is known, of features the catalogue says it."""
    path = tmp_path / "scores.csv"
    path.write_text(f"docno,{column.partition(':')[0]}\na,1\nb,2\n")
    easy = criterion(f"{path}:{column}")
    assert (easy.direction is Direction.HARDER) is harder
    assert easy.labels.values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("column", ["mine", "html_p"])
def test_a_direction_is_never_guessed(tmp_path: Path, column: str) -> None:
    """An unknown column, and a feature that means neither, have to say."""
    path = tmp_path / "scores.csv"
    path.write_text(f"docno,{column}\na,1\n")
    for text in (f"{path}:{column}", str(path)):
        with pytest.raises(OptionError, match="does not say whether higher or lower values"):
            criterion(text)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("docno,dale_chall\na,1\n")
    with pytest.raises(OptionError, match=r"did you mean dale_chall.*; it has docno, dale_c"):
        criterion(f"{path}:dale_chal")


def test_label_files_are_scores_too(tmp_path: Path) -> None:
    """Human labels of a TREC file as an oracle, by query and document."""
    path = tmp_path / "qunder"
    path.write_text("q 0 a 70\nq 0 b 10\n")
    easy = criterion(f"{path}:higher-harder")
    assert order(rerank(RUN, easy, top=2)) == "bacdef"


def test_scores_are_told_from_runs() -> None:
    """What `understand fuse` takes for scores, and what for a run."""
    assert is_criterion("scores.parquet:difficulty")
    assert is_criterion("scores.tsv.gz")
    assert is_criterion("qunder.txt:higher-harder")
    assert not is_criterion("runs/bm25.run.gz")
    assert not is_criterion("C:bm25")
    assert np.all([not is_criterion(name) for name in ("-", "run", "a.b.txt")])


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_estimates_of_two_models_are_not_mixed_in_silence(tmp_path: Path, suffix: str) -> None:
    """Difficulty 40 of one scale is not that of another; formulas are the same everywhere."""
    paths = []
    for name, model in (("a", "open@1"), ("b", "llr@2"), ("c", "open@1")):
        paths.append(f"{tmp_path}/{name}.{suffix}")
        table = pa.table({"docno": ["d"], "difficulty": [40.0], "ari": [7.0]})
        write_table(table, paths[-1], settings={"model": model, "scale": "labels.v1"})
    a, b, c = paths
    told = mixed_models([f"{a}:difficulty", f"{b}:difficulty"])
    assert f"{b} is by llr@2 on scale labels.v1" in told
    assert mixed_models([f"{a}:difficulty", f"{c}:difficulty:higher-harder"]) == ""
    assert mixed_models([f"{a}:difficulty", f"{b}:ari"]) == ""
    told = mixed_models([f"{a}:difficulty:harder"], "llr@2 on scale labels.v1")
    assert "the bundle is by llr@2 on scale labels.v1" in told
    assert mixed_models([f"{a}:difficulty"], "open@1 on scale labels.v1") == ""
