"""Runs and qrels as people have them in Python: empty queries, numbers as ids, missing numbers."""

import math
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.conftest import Run

import understandability as ud
from understandability.errors import InputError

QRELS = {"q0": {"d0": 1}, "q1": {"d1": 1}}
Scored = namedtuple("Scored", "query_id doc_id score")  # as ir_measures has it
Judged = namedtuple("Judged", "query_id doc_id relevance")


def values(runs: Any, qrels: Any = QRELS, measure: str = "RBP(p=0.5)@1") -> list[list[float]]:
    result = ud.evaluate(runs, qrels, measures=[measure])
    return [of_run[0].tolist() for of_run in result.values.values()]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"q0": {"d0": 1.0}, "q1": {}}, [[0.5, 0.0]]),
        ({"q0": {}, "q1": {"d1": 1.0}}, [[0.0, 0.5]]),
        ({"q0": {"d0": 1.0}, "q1": {}, "q2": {}, "q3": {}}, [[0.5, 0.0]]),
        ({"a": {"q0": {"d0": 1.0}, "q1": {}}, "b": {"q0": {}, "q1": {"d1": 1.0}}},
         [[0.5, 0.0], [0.0, 0.5]]),
        ({"a": {"q0": {}, "q1": {}}, "b": {"q1": {"d1": 1.0}}}, [[0.0, 0.0], [0.0, 0.5]]),
    ],
)  # fmt: skip
def test_a_query_without_documents_counts_as_zero(run: Any, expected: list[list[float]]) -> None:
    assert values(run) == expected


def test_empty_queries_are_named() -> None:
    notes = ud.evaluate({"q0": {"d0": 1.0}, "q1": {}}, QRELS).notes
    assert "labelled queries without documents: 1 in 1 of 1 runs (first: run, q1)" in notes


def test_empty_queries_can_be_compared_fused_and_reranked() -> None:
    runs = {"a": {"q0": {"d0": 1.0}, "q1": {}}, "b": {"q0": {}, "q1": {"d1": 1.0}}}
    assert {row.difference for row in ud.compare(runs, QRELS).rows} == {0.0}
    assert ud.fuse([runs["a"], runs["b"]]).by_query().keys() == {"q0", "q1"}
    easy = ud.rerank(runs["a"], {"d0": 3.0}, "higher-harder")
    assert easy.by_query() == {"q0": [("d0", 1.0)], "q1": []}


@pytest.mark.parametrize("query", [7, np.int64(7), "7", pytest.param(7.0, id="whole float")])
@pytest.mark.parametrize("document", [12, np.int32(12), "12"])
def test_ids_become_text(query: Any, document: Any) -> None:
    for run in (
        {query: {document: 1.0}},
        [Scored(query, document, 1.0)],
        pd.DataFrame({"qid": [query], "docno": [document], "score": [1.0]}),
    ):
        for qrels in (
            {query: {document: 1}},
            {"7": {"12": 1}},
            [Judged(query, document, 1)],
            pd.DataFrame({"qid": [query], "docno": [document], "relevance": [1]}),
        ):
            assert values(run, qrels) == [[0.5]]


MISSING = [None, math.nan, np.nan, pd.NA]


@pytest.mark.parametrize("missing", MISSING)
def test_a_score_that_is_missing_is_refused_with_its_place(missing: Any) -> None:
    """In the same words as in a file, whatever the form."""
    frame = pd.DataFrame({"qid": ["q0", "q0"], "docno": ["d0", "d1"], "score": [1.0, missing]})
    for run in (
        {"q0": {"d0": 1.0, "d1": missing}},
        {"mine": {"q0": {"d0": 1.0, "d1": missing}}},
        [Scored("q0", "d0", 1.0), Scored("q0", "d1", missing)],
        frame,
    ):
        with pytest.raises(InputError) as error:
            ud.evaluate(run, QRELS)
        assert "score must be a number" in str(error.value)
        assert "query q0, document d1" in str(error.value)


@pytest.mark.parametrize("missing", MISSING)
def test_a_grade_that_is_missing_is_refused_with_its_place(missing: Any) -> None:
    """A document that was not judged is left out of qrels, not given an empty grade."""
    frame = pd.DataFrame({"qid": ["q0", "q0"], "docno": ["d0", "d1"], "relevance": [1.0, missing]})
    for qrels in (
        {"q0": {"d0": 1, "d1": missing}},
        {"q0": {"d1": missing}},
        [Judged("q0", "d0", 1), Judged("q0", "d1", missing)],
        frame,
    ):
        with pytest.raises(InputError) as error:
            ud.evaluate({"q0": {"d0": 1.0}}, qrels)
        assert "label must be a number" in str(error.value)
        assert "query q0, document d1" in str(error.value)


def test_labels_that_are_all_missing_are_refused() -> None:
    """Of understandability single ones may be missing, as estimates of unreadable pages are."""
    with pytest.raises(InputError, match="no label of u"):
        ud.evaluate(
            {"q0": {"d0": 1.0}}, QRELS, {"d0": None}, scale="lower-easier:4", measures="uRBP"
        )


@pytest.mark.parametrize("rank", ["0", "1", "7"])
@pytest.mark.parametrize("other_queries", ["", "q1 Q0 d1 1 1 t\n"])
def test_equal_ranks_are_told_with_the_way_out(
    tmp_path: Path, rank: str, other_queries: str
) -> None:
    """The best document stands last in the file: its order is not the one that was meant."""
    path = tmp_path / "a.run"
    lines = [f"q0 Q0 d{2 - i} {rank} {i} t\n" for i in range(3)]
    path.write_text("".join(lines) + other_queries)
    result = ud.evaluate(path, QRELS, measures=["RBP(p=0.5)@3"])
    [note] = [note for note in result.notes if "ranks are all the same" in note]
    assert "--order score" in note
    by_score = ud.evaluate(path, QRELS, measures=["RBP(p=0.5)@3"], order="score")
    assert by_score.values["a"][0, 0] == 0.5
    assert "--order score" not in " ".join(by_score.notes)
    with pytest.raises(InputError, match="--order score"):
        ud.evaluate(path, QRELS, strict=True)


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        ({"q": ["d", "e"]}, {"q": {"d": 1}}, "'q' has a list; give each document a score"),
        ({"q": [("d", 2.0)]}, {"q": {"d": 1}}, "'q' has a list; give each document a score"),
        ({"q": {"d": 1}}, {"q": {"d": "good"}}, "query q, document d: .* not 'good'"),
        ({"q": {"d": 1}}, {7: {8: "good"}}, "query 7, document 8: .* not 'good'"),
        (
            {"q": {"d": 1}},
            pd.DataFrame({"qid": ["q"], "docno": ["d"], "label": ["1"]}),
            r"column label .* must hold numbers; convert it",
        ),
    ],
)
def test_what_is_no_number_is_named(run: Any, qrels: Any, message: str) -> None:
    """Documents in a list, labels that are words, labels of frames that are texts."""
    with pytest.raises(InputError, match=message):
        ud.evaluate(run, qrels, measures="RBP")


def test_every_command_warns_of_ranks_that_are_all_the_same(
    understand: Run, tmp_path: Path
) -> None:
    """Where the order of the file decides, the remark names the other order."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text("1 Q0 a 0 1 t\n1 Q0 b 0 2 t\n2 Q0 a 0 1 t\n")
    (tmp_path / "qrels").write_text("1 0 b 1\n2 0 a 1\n")
    (tmp_path / "s.csv").write_text("docno,difficulty\na,5\nb,20\n")
    common = "--qrels qrels"
    for command in (
        f"evaluate one.run two.run {common} -m RBP",
        f"compare one.run two.run {common} -m RBP",
        f"correlate one.run two.run {common} -m RBP -m nDCG",
        f"bounds one.run two.run {common} -m RBP",
        f"tradeoff one.run --scores s.csv:difficulty {common} -m RBP --top 2 --weight 1",
        f"simulate users one.run two.run {common} --scores s.csv --column difficulty --threshold 9",
        "rerank one.run --scores s.csv:difficulty",
        "fuse one.run two.run",
    ):
        done = understand(*command.split(), cwd=tmp_path, status=0)
        assert "ranks are all the same" in done.stderr, command
        assert "--order score" in done.stderr, command
