"""Evaluation and ranking from the package's top: the same numbers from all that people have."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest

import understandability as ud
from understandability.cli import COMMANDS
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import CONVENTIONS, PRESETS, Conventions
from understandability.evaluation.result_table import ResultTable
from understandability.inputs.run import Labels, Run

RUNS = {
    "a": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}},
    "b": {"q1": {"d2": 3.0, "d3": 2.0}, "q2": {"d9": 1.0}},
}
QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 0, "d9": 1}}
EASE = {"q1": {"d1": 10, "d2": 90}, "q2": {"d1": 40, "d9": 39}}
MEASURES = ["RBP(p=0.5)@10", "uRBP(p=0.5)@10"]
# By hand: q1 of a gains at ranks 1 and 2, of b at 1; q2 of b at 1.
MEANS = {"a": [0.375, 0.25], "b": [0.5, 0.25]}


class Qrel(NamedTuple):
    """As ir_measures and ir_datasets have labels."""

    query_id: str
    doc_id: str
    relevance: int


def rows(nested: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float]]:
    return [(q, d, v) for q, of in nested.items() for d, v in of.items()]


def frame(nested: Mapping[str, Mapping[str, float]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows(nested), columns=list(columns))


def trec(folder: Path) -> list[Path]:
    paths = []
    for name, run in RUNS.items():
        lines = [
            f"{query} Q0 {docno} {rank} {score} t\n"
            for query, documents in run.items()
            for rank, (docno, score) in enumerate(documents.items(), 1)
        ]
        paths.append(folder / f"{name}.run")
        paths[-1].write_text("".join(lines))
    return paths


def all_runs() -> pd.DataFrame:
    frames = [frame(run, "qid", "docno", "score").assign(name=name) for name, run in RUNS.items()]
    return pd.concat(frames, ignore_index=True)


RUN_FORMS: dict[str, Any] = {
    "dictionaries": RUNS,
    "frames by name": {
        name: frame(run, "query_id", "doc_id", "score") for name, run in RUNS.items()
    },
    "one frame": all_runs(),
    "shuffled": all_runs().sample(frac=1, random_state=0),
    "arrow": pa.Table.from_pandas(all_runs(), preserve_index=False),
    "ranks alone": all_runs().assign(rank=[1, 2, 3, 1, 1, 2, 1]).drop(columns="score"),
    "records": [
        Run.of(name, {q: list(documents.items()) for q, documents in run.items()})
        for name, run in RUNS.items()
    ],
}
LABEL_FORMS: dict[str, Any] = {
    "dictionary": QRELS,
    "frame": frame(QRELS, "query_id", "doc_id", "relevance"),
    "trec frame": frame(QRELS, "qid", "docno", "label"),
    "arrow": pa.Table.from_pandas(frame(QRELS, "qid", "docno", "label"), preserve_index=False),
    "named tuples": [Qrel(*row) for row in rows(QRELS)],
    "a stream": iter([Qrel(*row) for row in rows(QRELS)]),
    "record": Labels.of("qrels", QRELS),
}


def means(result: Any) -> dict[str, list[float]]:
    return {run: result.means[run].tolist() for run in result.runs}


@pytest.mark.parametrize("form", RUN_FORMS)
def test_runs_may_be_given_in_any_form(form: str) -> None:
    result = ud.evaluate(RUN_FORMS[form], QRELS, EASE, scale="lower-easier:40", measures=MEASURES)
    assert means(result) == MEANS


def test_paths_are_read(tmp_path: Path) -> None:
    paths = trec(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {v}\n" for q, d, v in rows(QRELS)))
    result = ud.evaluate(paths, tmp_path / "qrels", measures="RBP(p=0.5)@10")
    assert means(result) == {"a": [0.375], "b": [0.5]}
    assert ud.evaluate(str(paths[0]), str(tmp_path / "qrels")).runs == ("a",)


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_labels_may_be_given_in_any_form(form: str) -> None:
    result = ud.evaluate(RUNS, LABEL_FORMS[form], measures="RBP(p=0.5)@10")
    assert means(result) == {"a": [0.375], "b": [0.5]}


def test_numbers_for_names_are_text() -> None:
    qrels = pd.DataFrame({"query_id": [101], "doc_id": ["d"], "relevance": [1]})
    assert ud.evaluate({"101": {"d": 1.0}}, qrels).column("RBP(p=0.8)@10").tolist() == [
        pytest.approx(0.2)
    ]


def test_scores_of_documents_serve_as_labels() -> None:
    """Whatever the query: a dictionary, or a frame without queries, by its column."""
    fog = pd.DataFrame({"docno": ["d1", "d2", "d9"], "fog": [9.0, 20.0, 12.0], "lix": [1.0, 2, 3]})
    for given, column in (({"d1": 9.0, "d2": 20.0, "d9": 12.0}, None), (fog, "fog")):
        result = ud.evaluate(
            RUNS, QRELS, given, scale="lower-easier:15", column=column, measures=MEASURES
        )
        assert means(result) == MEANS


def test_labels_that_are_missing_are_none() -> None:
    """None and NaN, as in a table; queries may be numbers."""
    labels = {"q1": {"d1": 10, "d2": None}, "q2": {"d1": float("nan"), "d9": 39}}
    result = ud.evaluate(RUNS, QRELS, labels, scale="lower-easier:40", measures=MEASURES)
    assert means(result) == MEANS


def test_further_dimensions() -> None:
    trust = {"q1": {"d1": 3, "d2": 1}, "q2": {"d9": 0}}
    made = ud.dimension(trust, "higher-better:2", not_a_label=9)
    for given in ((trust, "higher-better:2"), made):
        result = ud.evaluate(RUNS, QRELS, dimensions={"trust": given}, measures="RBPtrust(p=0.5)")
        assert means(result) == {"a": [0.25], "b": [0.0]}
    named = ud.evaluate(
        RUNS, QRELS, trust=trust, trust_scale="higher-better:2", measures="RBPtrust(p=0.5)"
    )
    assert means(named) == {"a": [0.25], "b": [0.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": 7}, "runs must be paths of TREC runs, .* not int"),
        ({"runs": []}, "there is no run"),
        ({"runs": {}}, "not an empty dict"),
        ({"runs": {"q": 1.0}}, "runs must be paths"),
        ({"runs": {"a": {"q": {"d": "high"}}}}, "the run a is not {query: {document: score}}"),
        ({"runs": pd.DataFrame({"qid": ["q"]})}, "it needs a query"),
        ({"runs": b"bytes"}, "not bytes"),
        ({"qrels": 7}, "labels of relevance must be a path, .* not int"),
        ({"qrels": pd.DataFrame({"docno": ["d"]})}, "columns of numbers none"),
        ({"understandability": EASE}, "nothing says whether lower or higher labels"),
        ({"scale": "lower-easier:40"}, "no labels of understandability; give both"),
        ({"measures": [7]}, "a measure is a name, such as 'uRBP"),
        ({"measures": "uRPB"}, "did you mean uRBP"),
        ({"oder": "score"}, "has no keyword 'oder'; did you mean 'order'"),
        ({"relevant": "two"}, "relevant must be a finite number, not 'two'"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(change: dict[str, Any], message: str) -> None:
    arguments = {"runs": RUNS, "qrels": QRELS} | change
    with pytest.raises((InputError, OptionError), match=message) as error:
        ud.evaluate(**arguments)
    assert "\n" not in str(error.value)


def test_results_are_frames_wide_and_long() -> None:
    result = ud.evaluate(RUNS, QRELS, EASE, scale="lower-easier:40", measures=MEASURES)
    wide = result.to_pandas()
    assert list(wide.columns) == ["run", *MEASURES]
    assert wide.set_index("run").loc["a"].tolist() == MEANS["a"]
    by_query = result.to_pandas(per_query=True).set_index(["run", "query"])
    assert by_query.loc[("a", "q1")].tolist() == [0.75, 0.5]
    long = result.to_pandas(wide=False, per_query=True)
    assert list(long.columns) == ["run", "query", "measure", "value"]
    assert len(long) == 2 * 2 * 3


def test_latex_and_markdown_carry_marks_and_the_best() -> None:
    """booktabs, escaped, † against the first, ⋄ against the best, what they mean below."""
    queries = [f"q{i}" for i in range(20)]
    qrels = {query: {"good": 1} for query in queries}
    runs = {
        "base_line": {key: {"bad": 1.0} for key in queries},
        "mine": {key: {"good": 1.0} for key in queries} | {"q0": {"bad": 1.0}},
    }
    result = ud.evaluate(runs, qrels)
    latex = result.to_latex(correction="holm")
    assert r"\begin{tabular}{lr}" in latex
    assert r"mine & \textbf{0.1900$^{\dagger}$} \\" in latex
    assert r"base\_line & 0.0000$^{\diamond}$ \\" in latex
    assert r"p \textless{} 0.05, Holm's correction" in latex
    markdown = result.to_markdown(test="wilcoxon", digits=2)
    assert "| mine | **0.19†** |" in markdown
    assert "paired wilcoxon test" in markdown


def test_a_result_is_one_table_of_latex_or_with_split_several_that_fit() -> None:
    """Each has the columns that name a row; the same text in all rows becomes a subheading."""
    columns = ("measure", "reference", "run", *(f"p_{n}_randomisation" for n in range(5)))
    same = ("uRBP(p=0.8)@10", "the longest name of a system")
    rows = ((*same, "a < b", *[0.5] * 5), (*same, "é|", *[0.5] * 5))
    table = ResultTable(columns, rows, note="a note", caption="About 5 %.")
    one = table.to_latex()
    assert one.count(r"\begin{tabular}") == 1
    assert one.startswith("\\begin{table*}\n\\centering\n" r"\caption{About 5 \%. a note}")
    assert one.endswith("\\end{table*}")
    first, second, note = table.to_latex(split=True).split("\n\n")
    assert note == r"About 5 \%. a note"
    for part in (first, second):
        assert part.startswith(
            "\\noindent\n" + r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
        )
        assert part.count(rf"\emph{{{', '.join(same)}}}") == 1
        assert r"a \textless{} b & 0.5000" in part
        assert r"é\textbar{} & 0.5000" in part
        assert part.endswith(r"\end{tabular}}")
    assert r"run & p\_0\_randomisation & p\_1\_randomisation & p\_2\_randomisation \\" in first
    assert r"run & p\_3\_randomisation & p\_4\_randomisation \\" in second


def test_correlate_compare_and_simulate_are_one_call_each() -> None:
    found = ud.correlate(RUNS, QRELS, EASE, scale="lower-easier:40", measures=MEASURES)
    assert found.to_pandas("tau_b").shape == (2, 3)
    # Both runs have the same uRBP: nothing to correlate, and a sentence says so.
    assert found.remarks[0] in repr(found)  # below the numbers that are missing
    assert found.remarks == (
        "All 2 runs have the same uRBP(p=0.5)@10 (0.25), so it orders nothing and "
        "correlates with nothing.",
    )
    assert found.remarks[0] in found.to_markdown()
    compared = ud.compare(RUNS, QRELS, tests=["t"])
    assert compared.to_pandas()["difference"].tolist() == [
        pytest.approx(0.02),
        pytest.approx(-0.02),
    ]
    assert r"\toprule" in compared.to_latex()
    simulated = ud.simulate([0.5], [30.0], runs=10, measures=["RBP(p=0.8)@10"])
    assert simulated.to_pandas()["measure"].tolist() == ["RBP(p=0.8)@10"]
    assert "±" in simulated.to_markdown()


def test_rerank_fuse_and_tradeoff_take_what_people_have(tmp_path: Path) -> None:
    """Paths, dictionaries and frames; a direction that is said or known, never guessed."""
    path = trec(tmp_path)[0]
    scores = pd.DataFrame({"docno": ["d1", "d2", "d3"], "difficulty": [70.0, 40.0, 20.0]})
    easy = ud.rerank(path, scores, column="difficulty")
    assert [d for d, _ in easy.by_query()["q1"]] == ["d3", "d2", "d1"]
    assert easy.to_pandas().columns.tolist() == ["query_id", "doc_id", "rank", "score"]
    ease = dict(zip(scores["docno"], scores["difficulty"], strict=True))
    with pytest.raises(OptionError, match="do not say whether higher or lower"):
        ud.rerank(path, ease)
    assert ud.rerank(RUNS["a"], ease, "higher-harder").by_query() == easy.by_query()
    fused = ud.fuse([path, ud.criterion(ease, "higher-harder")])
    assert {d for d, _ in fused.by_query()["q1"]} == {"d1", "d2", "d3"}
    with pytest.raises(InputError, match="a list of two or more"):
        ud.fuse(path)
    with pytest.raises(InputError, match="expected one run, found 2"):
        ud.rerank(RUNS, ease, "harder")
    found = ud.tradeoff(
        path, scores, QRELS, EASE, score_column="difficulty", scale="lower-easier:40",
        tops=[3], weights=[1.0],
    )  # fmt: skip
    assert found.to_pandas()["setting"].tolist() == ["as it is", "top=3 w=1"]


def test_measures_of_ir_measures_stand_beside_ours() -> None:
    """By its names and by trec_eval's, in the order of the run, under the same means."""
    pytest.importorskip("ir_measures", reason="needs the extra ir")
    names = ["P@1", "RR", "AP", "Bpref", "nDCG@10", "map", "P_1", "NumRet"]
    result = ud.evaluate(RUNS, QRELS, measures=names)
    assert result.measures == tuple(names)
    row = dict(zip(names, result.means["b"].tolist(), strict=True))
    # q1: d2 first, then one without label; q2: d9 first.
    assert (row["P@1"], row["RR"], row["NumRet"]) == (1.0, 1.0, 3.0)
    assert row["AP"] == row["map"] == pytest.approx((1 / 2 + 1) / 2)
    assert result.conventions["measures"]["map"] == "AP (ir_measures)"
    by_rank = pd.DataFrame(
        {"qid": ["q1"] * 2, "docno": ["d9", "d1"], "rank": [1, 2], "score": [1.0, 2.0]}
    )
    for order, expected in (("rank", 0.5), ("score", 1.0)):
        found = ud.evaluate(by_rank, {"q1": {"d1": 1}}, measures=["RR"], order=order)
        assert found.means["run"].tolist() == [expected]
    condensed = ud.evaluate(by_rank, {"q1": {"d1": 1}}, measures=["RR"], no_label="ignored")
    assert condensed.means["run"].tolist() == [1.0]


def test_measures_of_ir_measures_that_are_objects_mean_what_they_mean_there() -> None:
    """Whatever our name for it means."""
    ir_measures = pytest.importorskip("ir_measures", reason="needs the extra ir")
    objects = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 1]
    result = ud.evaluate(RUNS, QRELS, measures=objects, dcg="exp-log2")
    assert result.measures == ("nDCG@10", "P(rel=2)@1")
    for name, run in RUNS.items():
        found = ir_measures.calc_aggregate(objects, QRELS, run)
        assert result.means[name].tolist() == pytest.approx([found[each] for each in objects])


def test_every_convention_is_one_row_of_the_table() -> None:
    """Options, presets and the header of outputs follow from it."""
    assert set(Conventions().as_dict()) == {"preset", *CONVENTIONS}
    (command,) = (each for each in COMMANDS if each.name == "evaluate")
    options = {option.name for option in command.arguments}
    assert {f"--{name.replace('_', '-')}" for name in CONVENTIONS} <= options
    for name, row in CONVENTIONS.items():
        assert row.metadata["meaning"], name
        assert set(row.metadata["presets"]) == set(PRESETS), name
