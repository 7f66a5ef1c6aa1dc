"""Transformers for PyTerrier, with the package itself; no Java is started."""

from pathlib import Path

import numpy as np
import pytest

from understandability.direction import Direction
from understandability.errors import InputError, OptionError
from understandability.evaluation.criteria import Criterion
from understandability.inputs.run import Labels
from understandability.resources import resource

pt = pytest.importorskip("pyterrier", reason="needs the extra pyterrier")
pd = pytest.importorskip("pandas")

from understandability.integrations.pyterrier import Rerank, Understandability  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def results():
    """What a retriever of PyTerrier gives: ranks from 0, the highest score first."""
    return pd.DataFrame(
        {
            "qid": ["q1", "q1", "q1", "q2", "q2"],
            "query": ["flu", "flu", "flu", "cold", "cold"],
            "docno": ["a", "b", "c", "b", "a"],
            "score": [9.0, 7.0, 5.0, 4.0, 2.0],
            "rank": [0, 1, 2, 0, 1],
            "difficulty": [70.0, 30.0, 10.0, 30.0, 70.0],
        }
    )


def docnos(frame, qid: str) -> list[str]:
    return frame[frame["qid"] == qid].sort_values("rank")["docno"].tolist()


def test_results_are_reranked_by_a_column(results) -> None:
    """The easiest of the first two come first; other columns stay; ranks count from 0."""
    new = Rerank("difficulty", top=2).transform(results)
    assert docnos(new, "q1") == ["b", "a", "c"]
    assert docnos(new, "q2") == ["b", "a"]
    assert new["rank"].tolist() == [0, 1, 2, 0, 1]
    assert new["score"].tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1, 1 / 2])
    assert new["query"].tolist() == ["flu"] * 3 + ["cold"] * 2
    assert results["score"].tolist() == [9.0, 7.0, 5.0, 4.0, 2.0]


def test_results_are_reranked_by_a_score_table(results, tmp_path: Path) -> None:
    """As on the command line: FILE:COLUMN."""
    path = tmp_path / "scores.tsv"
    path.write_text("docno\tp_understandable\na\t.1\nb\t.2\nc\t.9\n")
    new = Rerank(f"{path}:p_understandable").transform(results)
    assert docnos(new, "q1") == ["c", "b", "a"]


def test_results_are_reranked_by_labels(results) -> None:
    """Whatever is a criterion serves; a weight of 0 changes nothing."""
    criterion = Criterion(Labels.of_documents("mine", {"a": 3, "b": 2, "c": 1}), Direction.HARDER)
    assert docnos(Rerank(criterion).transform(results), "q1") == ["c", "b", "a"]
    assert docnos(Rerank(criterion, weight=0.0).transform(results), "q1") == ["a", "b", "c"]


def test_it_composes_and_runs_in_an_experiment(results) -> None:
    """In a pipeline, and in `pt.Experiment` with a measure of ours."""
    from understandability.evaluation.options import Dimension
    from understandability.evaluation.scales import parse_scale
    from understandability.integrations.ir_measures import measures

    qrels = pd.DataFrame({"qid": ["q1"] * 3, "docno": ["a", "b", "c"], "label": [1, 1, 0]})
    labels = Labels.of("qunder", {"q1": {"a": 70, "b": 30, "c": 10}})
    ours = measures(
        ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"],
        {"u": Dimension(labels, parse_scale("lower-easier:40"))},
    )
    retriever, same = pt.Transformer.from_df(results), pt.Transformer.from_df(results.copy())
    table = pt.Experiment(
        [retriever, same >> Rerank("difficulty")],
        results[["qid", "query"]].drop_duplicates().iloc[:1],
        qrels,
        list(ours),
        names=["as it is", "easier first"],
    )
    assert table["name"].tolist() == ["as it is", "easier first"]
    assert table["RBP(p=0.8)@10"].tolist() == pytest.approx([0.36, 0.288])
    assert table["uRBP(p=0.8)@10"].tolist() == pytest.approx([0.16, 0.16])


def test_texts_become_difficulty() -> None:
    """Pages that PyTerrier brings along are scored, once each, as `understand score` does."""
    pages = {name: (resource("samples") / f"{name}.html").read_text() for name in ("easy", "hard")}
    frame = pd.DataFrame(
        {
            "qid": ["1", "1", "2"],
            "docno": ["hard", "easy", "hard"],
            "text": [pages["hard"], pages["easy"], pages["hard"]],
            "score": [3.0, 2.0, 1.0],
        }
    )
    scored = Understandability(html=True).transform(frame)
    assert scored["difficulty"][0] > scored["difficulty"][1]
    assert scored["difficulty"][0] == scored["difficulty"][2]
    assert scored["p_understandable"].between(0, 1).all()
    pipeline = Understandability(html=True) >> Rerank(top=2)
    assert docnos(pipeline(frame), "1") == ["easy", "hard"]


def test_a_text_without_words_has_no_difficulty() -> None:
    """NaN, and its place in the ranking is kept."""
    frame = pd.DataFrame(
        {"qid": ["1", "1"], "docno": ["x", "y"], "text": ["...", "Rest."], "score": [2.0, 1.0]}
    )
    scored = Understandability().transform(frame)
    assert np.isnan(scored["difficulty"][0])
    assert docnos(Rerank().transform(scored), "1") == ["x", "y"]


def test_empty_results_stay_empty(results) -> None:
    """PyTerrier asks transformers for their columns with empty frames."""
    new = Rerank().transform(results.iloc[:0])
    assert len(new) == 0
    assert "rank" in new.columns


def test_missing_columns_are_named(results) -> None:
    """One sentence with the columns that there are."""
    with pytest.raises(InputError, match="Understandability needs the column 'text'; the results"):
        Understandability().transform(results)
    with pytest.raises(InputError, match="Rerank needs the column 'spread'"):
        Rerank("spread:higher-harder").transform(results)


def test_a_direction_is_never_guessed(results) -> None:
    """A column of one's own needs its direction."""
    with pytest.raises(OptionError, match="does not say whether higher or lower"):
        Rerank("mine").transform(results.assign(mine=1.0))
    assert not pt.java.started()
