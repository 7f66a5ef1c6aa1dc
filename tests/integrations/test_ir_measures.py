"""Our measures as measures of ir_measures, with the package itself."""

from __future__ import annotations

from pathlib import Path

import pytest

ir_measures = pytest.importorskip("ir_measures", reason="needs the extra ir")
pytest.importorskip("pandas", reason="ir_measures defines measures over pandas frames")

from understandability.evaluation.conventions import settings  # noqa: E402
from understandability.evaluation.evaluate import evaluate  # noqa: E402
from understandability.evaluation.labels import Dimension  # noqa: E402
from understandability.evaluation.scales import parse_scale  # noqa: E402
from understandability.formats.runs import read_labels, read_run  # noqa: E402
from understandability.integrations.ir_measures import measures  # noqa: E402

NAMES = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10", "nDCG@10")


def test_values_are_those_of_evaluate(shared_data: Path) -> None:
    """On a real run, by query: ir_measures says through us what `evaluate` says."""
    folder = shared_data / "clef" / "clef2016"
    path = folder / "runs_t2" / "terrier.BM25.concat_EN_Run1.run.gz"
    run, qrels = read_run(path), read_labels(folder / "task2.qrels.gz")
    labels = read_labels(folder / "task2.qunder.gz", "u")
    dimensions = {"u": Dimension(labels, parse_scale("lower-easier:40"))}
    expected = evaluate([run], qrels, NAMES, dimensions, settings(order="score"))
    lines = [
        ir_measures.ScoredDoc(query, docno, score)
        for query, documents in run.by_query().items()
        for docno, score in documents
    ]
    judged = [
        ir_measures.Qrel(qrels.queries[query], qrels.docnos[int(docno)].as_py(), int(value))
        for query, docno, value in zip(
            qrels.query_ids.tolist(), qrels.docno_ids.tolist(), qrels.values.tolist(), strict=True
        )
    ]
    found = ir_measures.calc_aggregate(measures(NAMES, dimensions), judged, lines)
    assert {str(measure): value for measure, value in found.items()} == pytest.approx(
        dict(zip(expected.measures, expected.means[run.name].tolist(), strict=True)), abs=1e-6
    )


def test_names_of_ir_measures_are_names_of_ours() -> None:
    """What ir_measures prints, `parse_measure` reads as the same; ours print as they were named."""
    from understandability.evaluation.measures.names import parse_measure

    for name in ("RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=2)", "nDCG@10", "nDCG(dcg='exp-log2')@10"):
        assert parse_measure(str(ir_measures.parse_measure(name))) == parse_measure(name)
    [ours] = measures(["uRBP(p=0.8)@10"])
    assert str(ours) == "uRBP(p=0.8)@10"
