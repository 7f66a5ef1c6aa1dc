"""Agreement with independent implementations: ir_measures, and what the organisers published."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts.reproduce import clef2016, ecir2016

from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.unusual_input import run_oddities
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_labels, read_run

# cwl-eval, which computes RBP for ir_measures, reads numbers by what Python 3.14 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:.* removed in Python 3.14:DeprecationWarning")


def collection(seed: int) -> tuple[Run, Labels]:
    """A run of distinct scores and graded labels, cut beforehand at 10 documents a query."""
    generator = np.random.default_rng(seed)
    rankings, labels = {}, {}
    for query in range(20):
        documents = [f"d{i}" for i in generator.permutation(40)]
        scores = -np.sort(-generator.random(10) * 30)
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


def test_real_runs_agree_with_ir_measures_ties_and_all(shared_data: Path) -> None:
    pytest.importorskip("ir_measures", reason="needs the extra ir (ir_measures)")
    folder = shared_data / "clef" / "clef2015"
    qrels = read_labels(folder / "qrels.txt.gz")
    same = {theirs: ours for theirs, ours in SAME.items() if "nDCG" in theirs}
    for name in ("KISTI_EN_RUN.1", "KUCS_EN_Run.3", "TeamHCMUS_EN_Run.3"):
        run = read_run(folder / "runs" / f"{name}.run.gz")
        check_agreement(same, run, qrels)


def test_the_organisers_means_come_out_again(shared_data: Path) -> None:
    """RBP, uRBP and uRBPgr of 2015, of trust too of 2016, to four digits.

    Of 2015 for all runs but the eight whose ranks are all 0, where UBIRE leaves rank 2 empty.
    """
    for tables in ([ecir2016.organisers(shared_data)], clef2016.tables(shared_data, Path())):
        (table,) = tables
        first = next(row for row in table.rows if "equal" in row.what)
        assert first.verdict == "equal"


def test_oddities_of_real_runs_are_told(shared_data: Path) -> None:
    """Those that the data's README lists."""
    folder = shared_data / "clef" / "clef2015"
    qrels = read_labels(folder / "qrels.txt.gz")

    def told(name: str, order: str = "rank") -> str:
        run = read_run(folder / "runs" / f"{name}.run.gz")
        result = evaluate(run, qrels, measures="RBP", order=order)
        return "; ".join(map(str, result.oddities[name]))

    assert "queries whose ranks are all the same: 66" in told("KISTI_EN_RUN.1")
    assert "queries whose ranks start at 0: 66" in told("ECNU_EN_Run.3")
    assert "queries without labels, left out: 1 (first: qtest.62)" in told("FDUSGInfo_EN_Run.3")
    assert "lines with the score of another document: " in told("KISTI_EN_RUN.1", "score")
    again = read_run(shared_data / "clef" / "clef2018" / "runs" / "CUNI_CUNI_en.run3.run.gz")
    assert ("documents listed again", 56) in [(o.what, o.count) for o in run_oddities(again)]
