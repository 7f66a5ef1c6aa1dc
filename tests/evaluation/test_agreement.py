"""Agreement with an independent implementation: ir_measures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.unusual_input import run_oddities
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_run

# cwl-eval, which computes RBP for ir_measures, reads numbers by what Python 3.14 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:.* removed in Python 3.14:DeprecationWarning")


def collection(seed: int, ties: bool = False) -> tuple[Run, Labels]:
    """A run of 10 documents a query, and graded labels. With `ties`, it has four scores only."""
    generator = np.random.default_rng(seed)
    rankings, labels = {}, {}
    for query in range(20):
        documents = [f"d{i}" for i in generator.permutation(40)]
        scores = -np.sort(-generator.random(10) * 30)
        if ties:
            scores = np.floor(scores / 8)
        rankings[str(query)] = list(zip(documents[:10], scores.tolist(), strict=True))
        labels[str(query)] = {d: float(generator.integers(0, 3)) for d in documents[5:]}
    return Run.of("mine", rankings), Labels.of("qrels", labels)


def as_ir_measures(run: Run, qrels: Labels) -> tuple[dict[str, Any], dict[str, Any]]:
    """Labels and scores as ir_measures takes them."""
    labels = {q: {d: int(v) for d, v in of.items()} for q, of in qrels.by_query().items()}
    return labels, {query: dict(documents) for query, documents in run.by_query().items()}


def by_ir_measures(measures: list[str], run: Run, qrels: Labels) -> dict[tuple[str, str], float]:
    """What ir_measures says of each measure and query."""
    import ir_measures

    judged, scored = as_ir_measures(run, qrels)
    # One at a time: it takes measures that differ in their gains alone for the same.
    return {
        (measure, metric.query_id): metric.value
        for measure in measures
        for metric in ir_measures.iter_calc([ir_measures.parse_measure(measure)], judged, scored)
    }


# Theirs -> ours. Their nDCG with exponential gains is that of trec_eval with a table of gains.
SAME = {
    "nDCG(gains={0:0,1:1,2:3})": "nDCG(dcg='exp-log2')",
    "nDCG(gains={0:0,1:1,2:3})@5": "nDCG(dcg='exp-log2')@5",
    "nDCG": "nDCG",
    "nDCG@5": "nDCG@5",
    "ERR@5": "ERR@5",
    "Judged@5": "Judged@5",
}


def check_agreement(same: dict[str, str], run: Run, qrels: Labels, within: float = 1e-12) -> None:
    theirs = by_ir_measures(list(same), run, qrels)
    ours = evaluate(run, qrels, measures=same.values(), order="score")
    values = ours.as_dict()["per_query"][run.name]
    assert len(theirs) == len(same) * len([q for q in qrels.queries if q in run.queries])
    for (measure, query), value in theirs.items():
        # What gdeval prints has five digits.
        tolerance = 5.1e-6 if "ERR" in measure else within
        assert values[same[measure]][query] == pytest.approx(value, abs=tolerance), measure


@pytest.mark.parametrize("seed", range(3))
def test_measures_that_both_know_agree_with_ir_measures(seed: int) -> None:
    """Query by query, within 1e-12, ordered by score."""
    pytest.importorskip("ir_measures", reason="needs the extra ir (ir_measures)")
    check_agreement(SAME, *collection(seed))


def test_rbp_agrees_with_cwl_eval() -> None:
    """Query by query, within 1e-12; ir_measures leaves RBP to cwl-eval and knows no cut."""
    pytest.importorskip("ir_measures", reason="needs the extra ir (ir_measures)")
    pytest.importorskip("cwl", reason="needs cwl-eval, which the RBP of ir_measures is")
    same = {f"RBP(rel={rel},p={p})": f"RBP(p={p},rel={rel})" for rel in (1, 2) for p in (0.8, 0.95)}
    check_agreement(same, *collection(7))


@pytest.mark.parametrize("seed", range(3))
def test_ties_agree_with_ir_measures(seed: int) -> None:
    """Documents with one score are ordered as trec_eval orders them."""
    pytest.importorskip("ir_measures", reason="needs the extra ir (ir_measures)")
    run, qrels = collection(seed, ties=True)
    assert all(len({score for _, score in of}) <= 4 for of in run.by_query().values())
    check_agreement({theirs: our for theirs, our in SAME.items() if "nDCG" in theirs}, run, qrels)


def test_oddities_of_runs_are_told(tmp_path: Path) -> None:
    """Those that runs of CLEF eHealth have."""
    qrels = Labels.of("qrels", {f"q{number}": {"d1": 1.0} for number in range(3)})

    def told(*lines: str, order: str = "rank") -> str:
        path = tmp_path / "a.run"
        path.write_text("".join(f"{line} a\n" for line in lines))
        result = evaluate(read_run(path), qrels, measures="RBP", order=order)
        return "; ".join(map(str, result.oddities["a"]))

    all_zero = [f"q{query} Q0 d{n} 0 {9 - n}" for query in range(3) for n in range(2)]
    assert "queries whose ranks are all the same: 3" in told(*all_zero)
    from_zero = [f"q{query} Q0 d{n} {n} {9 - n}" for query in range(3) for n in range(2)]
    assert "queries whose ranks start at 0: 3" in told(*from_zero)
    unlabelled = told("q0 Q0 d1 1 9", "q1 Q0 d1 1 9", "q2 Q0 d1 1 9", "other Q0 d1 1 9")
    assert "queries without labels, left out: 1 (first: other)" in unlabelled
    tied = told("q0 Q0 d1 1 9", "q0 Q0 d2 2 9", order="score")
    assert "lines with the score of another document: " in tied
    path = tmp_path / "again.run"
    path.write_text("q0 Q0 d1 1 9 a\nq0 Q0 d1 2 8 a\nq0 Q0 d1 3 7 a\n")
    oddities = [(oddity.what, oddity.count) for oddity in run_oddities(read_run(path))]
    assert ("documents listed again", 2) in oddities
