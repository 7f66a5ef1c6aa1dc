"""Our measures as measures of ir_measures, with the package itself."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.evaluation.test_agreement import as_ir_measures, collection

ir_measures = pytest.importorskip("ir_measures", reason="needs the extra ir")
pandas = pytest.importorskip("pandas", reason="ir_measures defines measures over pandas frames")

from understandability.errors import OptionError  # noqa: E402
from understandability.evaluation.conventions import conventions  # noqa: E402
from understandability.evaluation.evaluate import evaluate  # noqa: E402
from understandability.evaluation.measures.names import parse_measure  # noqa: E402
from understandability.evaluation.options import Dimension  # noqa: E402
from understandability.evaluation.scales import parse_scale  # noqa: E402
from understandability.inputs.run import Labels  # noqa: E402
from understandability.integrations.ir_measures import measures, use  # noqa: E402

NAMES = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10", "nDCG@10")


def test_values_are_those_of_evaluate() -> None:
    """Through us, ir_measures returns the means that `evaluate` returns."""
    run, qrels = collection(1)
    generator = np.random.default_rng(2)
    ease = {
        query: {docno: float(generator.integers(0, 100)) for docno in of}
        for query, of in qrels.by_query().items()
    }
    dimensions = {"u": Dimension(Labels.of("u", ease), parse_scale("lower-easier:40"))}
    expected = evaluate(run, qrels, measures=NAMES, dimensions=dimensions, order="score")
    found = ir_measures.calc_aggregate(measures(NAMES, dimensions), *as_ir_measures(run, qrels))
    assert {str(measure): value for measure, value in found.items()} == pytest.approx(
        dict(zip(expected.measures, expected.means[run.name].tolist(), strict=True)), abs=1e-6
    )
    assert all(0 < value < 1 for value in found.values())


RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}}
QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1, "d2": 0}}
EASE = {"q1": {"d1": 90, "d2": 10}, "q2": {"d1": 10, "d2": 10}}


@pytest.fixture
def easy() -> Iterator[None]:
    """Measures by name take understandability from `EASE`."""
    use(EASE, scale="lower-easier:40")
    yield
    use(scale="lower-easier:40")


def test_names_of_ir_measures_mean_there_what_they_mean_here() -> None:
    """What ir_measures prints, `parse_measure` reads as the same; ours print as they were named."""
    for name in ("RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=2)", "nDCG@10", "nDCG(dcg='exp-log2')@10"):
        assert parse_measure(str(ir_measures.parse_measure(name))) == parse_measure(name)
    [ours] = measures(["uRBP(p=0.8)@10"])
    assert str(ours) == "uRBP(p=0.8)@10"


@pytest.mark.usefixtures("easy")
def test_our_names_are_names_of_ir_measures() -> None:
    """Read by its parser, printed back, computed beside its own; by hand at p = .8."""
    names = ["uRBP(p=0.8)@10", "RBPu(p=0.8)@1", "unDCG@10", "nDCG@10", "P@1"]
    parsed = [ir_measures.parse_measure(name) for name in names]
    assert list(map(str, parsed)) == names
    found = {str(m): v for m, v in ir_measures.calc_aggregate(parsed, QRELS, RUN).items()}
    assert found["uRBP(p=0.8)@10"] == pytest.approx(0.2 * 0.8 / 2)
    assert found["RBPu(p=0.8)@1"] == pytest.approx(0.2 / 2)
    assert found["P@1"] == 0.5
    assert found["nDCG@10"] == pytest.approx(ir_measures.nDCG(cutoff=10).calc_aggregate(QRELS, RUN))
    assert ir_measures.parse_measure("HRBP(p=0.8)@5") == ir_measures.parse_measure("HRBP@5")(p=0.8)


def test_measures_of_other_values_are_never_equal() -> None:
    """Neither to those of ir_measures of the same name nor to ours under other conventions."""
    [exponential] = measures(["nDCG@10"], conventions=conventions(dcg="exp-log2"))
    [linear] = measures(["nDCG@10"])
    theirs = ir_measures.parse_measure("nDCG@10")
    assert str(exponential) == str(linear) == str(theirs) == "nDCG@10"
    assert exponential != theirs
    assert theirs != exponential
    assert exponential != linear
    found = ir_measures.calc_aggregate([exponential, linear, theirs], QRELS, RUN)
    assert len(found) == 3
    assert found[linear] == pytest.approx(found[theirs])
    assert found[exponential] != pytest.approx(found[theirs])


def test_labels_may_stand_in_the_qrels(easy: None) -> None:
    """A column `understandability`, as in the qrels of ir_datasets; `use` gives the scale."""
    rows = [
        (query, docno, label, EASE[query][docno])
        for query, documents in QRELS.items()
        for docno, label in documents.items()
    ]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "understandability"])
    measure = ir_measures.parse_measure("uRBP(p=0.8)@10")
    expected = measure.calc_aggregate(QRELS, RUN)
    use(scale="lower-easier:40")
    assert measure.calc_aggregate(frame, RUN) == expected
    with pytest.raises(OptionError, match="needs labels of understandability"):
        measure.calc_aggregate(QRELS, RUN)


def test_a_bad_parameter_is_told_in_one_sentence() -> None:
    with pytest.raises(OptionError, match="p must be a number between 0 and 1"):
        ir_measures.parse_measure("uRBP(p=2)@10").calc_aggregate(QRELS, RUN)


@pytest.mark.slow
def test_its_command_line_takes_our_names(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 d2 1 1.0 t\n")
    for name, labels in (("qrels", QRELS), ("qunder", EASE)):
        lines = [f"{q} 0 {d} {v}\n" for q, of in labels.items() for d, v in of.items()]
        (tmp_path / name).write_text("".join(lines))
    done = subprocess.run(
        [
            sys.executable, "-m", "understandability.integrations.ir_measures",
            "--understandability", tmp_path / "qunder", "--scale", "lower-easier:40",
            tmp_path / "qrels", tmp_path / "run", "uRBP(p=0.8)@10", "P@1",
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["uRBP(p=0.8)@10\t0.0800", "P@1\t0.5000"]


def experiment(names: list[object], **options: object) -> pandas.DataFrame:
    """What an experiment of PyTerrier says of `RUN`; no Java is started."""
    pyterrier = pytest.importorskip("pyterrier", reason="needs the extra pyterrier")
    run = pandas.DataFrame(
        [(q, d, s) for q, of in RUN.items() for d, s in of.items()],
        columns=["qid", "docno", "score"],
    )
    qrels = pandas.DataFrame(
        [(q, d, v) for q, of in QRELS.items() for d, v in of.items()],
        columns=["qid", "docno", "label"],
    )
    topics = pandas.DataFrame([(q, q) for q in QRELS], columns=["qid", "query"])
    system = pyterrier.Transformer.from_df(run)
    return pyterrier.Experiment([system], topics, qrels, names, **options)


@pytest.mark.usefixtures("easy")
def test_experiments_of_pyterrier_take_our_names() -> None:
    """As text, beside names of trec_eval and objects; columns are called as was asked for."""
    both = "H(RBP(p=0.8)@10, RBPu(p=0.8)@10)"
    other = ir_measures.parse_measure("RBPu(p=0.8)@1")
    [row] = experiment(["uRBP(p=.8)@10", "P_1", both, other, ir_measures.AP]).to_dict("records")
    assert row["uRBP(p=.8)@10"] == pytest.approx(0.2 * 0.8 / 2)
    assert row["RBPu(p=0.8)@1"] == pytest.approx(0.2 / 2)
    assert (row["P_1"], row["AP"]) == (0.5, 0.5)
    assert row[both] == pytest.approx(
        evaluate(RUN, QRELS, EASE, scale="lower-easier:40", measures=both, order="score").column(
            both
        )[0]
    )
    rows = experiment(["uRBP(p=.8)@10"], perquery=True).to_dict("records")
    assert {row["qid"]: row["value"] for row in rows} == pytest.approx({"q1": 0.16, "q2": 0})


def test_names_of_trec_eval_stay_what_they_are() -> None:
    """And what neither knows is refused as it was."""
    assert ir_measures.parse_trec_measure("map") == [ir_measures.AP]
    assert ir_measures.parse_trec_measure("P_5,10") == [ir_measures.P @ 5, ir_measures.P @ 10]
    for unknown in ("beauty", "RBP(p=0.8)", ""):
        with pytest.raises(ValueError, match="unkonwn measure"):
            ir_measures.parse_trec_measure(unknown)
    with pytest.raises(OptionError, match="p must be a number between 0 and 1"):
        ir_measures.parse_trec_measure("uRBP(p=2)@10")
