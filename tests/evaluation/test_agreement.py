"""Agreement with independent implementations: ir_measures, and what the organisers published."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.judgements import Dimension
from understandability.evaluation.oddities import run_oddities
from understandability.evaluation.scales import parse_gains, parse_scale
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_labels, read_run

# cwl-eval, which computes RBP for ir_measures, reads numbers by what Python 3.14 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:.* removed in Python 3.14:DeprecationWarning")
PUBLISHED = Path(__file__).parents[2] / "scripts" / "reproduce" / "published"


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


def by_ir_measures(measures: list[str], run: Run, qrels: Labels) -> dict[tuple[str, str], float]:
    """What ir_measures says of each measure and query."""
    import ir_measures

    docnos = qrels.docnos.to_pylist()
    assert qrels.query_ids is not None
    judged = [
        ir_measures.Qrel(qrels.queries[q], docnos[d], int(v))
        for q, d, v in zip(qrels.query_ids, qrels.docno_ids, qrels.values, strict=True)
    ]
    scored = [
        ir_measures.ScoredDoc(query, document, score)
        for query, documents in run.by_query().items()
        for document, score in documents
    ]
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


def published(name: str) -> tuple[list[str], dict[str, np.ndarray[Any, np.dtype[np.float64]]]]:
    with (PUBLISHED / name).open(newline="") as file:
        (_, *measures), *rows = csv.reader(file, delimiter="\t")
    return measures, {run: np.array(values, dtype=float) for run, *values in rows}


def test_the_organisers_means_of_2015_come_out_again(shared_data: Path) -> None:
    """RBP, uRBP, uRBPgr of UBIRE 0.1, four digits (CLEFeHealth2015Task2, evaluation/evals_html).

    Of 68 runs all but the eight whose ranks are all 0, where UBIRE leaves rank 2 empty.
    """
    folder = shared_data / "clef" / "clef2015"
    measures, means = published("clef2015_organisers.tsv")
    scale = replace(parse_scale("higher-easier:2"), gains=parse_gains("0:0,1:.4,2:.8,3:1"))
    under = Dimension(read_labels(folder / "qunder.txt.gz", "u"), scale)
    runs = [read_run(path) for path in sorted((folder / "runs").glob("*.gz"))[::4]]
    qrels = read_labels(folder / "qrels.txt.gz")
    result = evaluate(runs, qrels, measures=measures, dimensions={"u": under}, preset="ubire")
    equal = [r.name for r in runs if np.abs(result.means[r.name] - means[r.name]).max() < 1e-4]
    assert equal == [run.name for run in runs if run.ranks.any()]
    assert len(equal) >= 15


def test_the_organisers_means_of_2016_come_out_again(shared_data: Path) -> None:
    """RBP, and uRBP and uRBPgr of understandability and of trust (their results.t2.csv).

    They took the scale the other way round: understandable from 50 on.
    """
    folder = shared_data / "clef" / "clef2016"
    measures, means = published("clef2016_task2_organisers.tsv")
    scale = parse_scale("higher-easier:50:0..100")
    dimensions = {
        name: Dimension(read_labels(folder / f"task2.{kind}.gz", name), scale)
        for name, kind in (("u", "qunder"), ("trust", "qtrust"))
    }
    runs = [read_run(folder / "runs_t2" / f"{name}.run.gz") for name in sorted(means)[::6]]
    qrels = read_labels(folder / "task2.qrels.gz")
    result = evaluate(runs, qrels, measures=measures, dimensions=dimensions, preset="ubire")
    for run in runs:
        assert np.abs(result.means[run.name] - means[run.name]).max() < 5e-5, run.name


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
