"""Searching, and the 24 features of learning to rank."""

import numpy as np
import pytest

from understandability.errors import InputError, OptionError
from understandability.inputs.run import Run
from understandability.study.index import FIELDS, Index, build_index
from understandability.study.retrieval import IR_FEATURES, TERRIER_MODELS, ir_features, search
from understandability.text.page import TEXT, Page

QUERIES = {"q1": "flu virus", "q2": "cold cold", "q3": "zebra"}


@pytest.fixture(scope="module")
def index() -> Index:
    pages = [
        Page("a", "", "<title>Flu</title><p>The flu is a virus. Flu spreads."),
        Page("b", "", "<title>Cold</title><p>A cold is a virus, too."),
        Page("c", "", "<title>Legs</title><p>A broken leg, cold or warm."),
        Page("d", "", "<title>Arms</title><p>A broken arm."),
        Page("e", "", "Nothing of the sort.", TEXT),
    ]
    return build_index(pages)[0]


def test_there_are_24_features() -> None:
    """Eight models over title, body and page."""
    assert len(IR_FEATURES) == len(set(IR_FEATURES)) == 24
    assert IR_FEATURES[0] == "title_tf_idf"
    assert IR_FEATURES[-1] == "page_hiemstra_lm"


def test_the_best_match_comes_first(index: Index) -> None:
    """A page with both words of the query, one of them often, is the best; misses are left out."""
    ranked = search(index, QUERIES).by_query()
    assert [docno for docno, _ in ranked["q1"]] == ["a", "b"]
    assert {docno for docno, _ in ranked["q2"]} == {"b", "c"}
    assert ranked["q3"] == []


def test_the_depth_cuts_a_run(index: Index) -> None:
    """No query has more documents than asked for; the best remain."""
    assert search(index, {"q": "flu virus broken"}, depth=1).by_query()["q"][0][0] == "a"


def test_equal_scores_stand_as_trec_eval_has_them() -> None:
    """The rank column and trec_eval's order of the scores agree."""
    pages = [Page(docno, "", "flu here", TEXT) for docno in "bca"]
    pages += [Page(f"x{n}", "", "leg", TEXT) for n in range(9)]
    run = search(build_index(pages)[0], {"q": "flu"}, depth=2)
    assert [docno for docno, _ in run.by_query("rank")["q"]] == ["c", "b"]
    assert run.by_query("rank") == run.by_query("score")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("model", TERRIER_MODELS)
def test_features_are_the_scores_of_searching(index: Index, model: str, field: str) -> None:
    """A feature of a candidate is its score in the run of that model over that field."""
    run = search(index, QUERIES, model, field)
    candidates = {query: [(docno, 0.0) for docno in "edcba"] for query in reversed(run.queries)}
    lines = Run.of("all", candidates)
    values = ir_features(index, QUERIES, lines)[:, IR_FEATURES.index(f"{field}_{model}")]
    found = {(q, d): s for q, documents in run.by_query().items() for d, s in documents}
    expected = [found.get((q, d), 0.0) for q in candidates for d in "edcba"]
    assert values.tolist() == pytest.approx(expected)


def test_a_document_listed_twice_has_the_same_features(index: Index) -> None:
    """Each line of a run is a row, whatever else the run lists."""
    run = Run.of("twice", {"q1": [("a", 3.0), ("b", 2.0), ("a", 1.0)]})
    values = ir_features(index, QUERIES, run)
    assert (values[0] == values[2]).all()
    assert (values[0] != values[1]).any()


def test_features_do_not_depend_on_the_other_candidates(index: Index) -> None:
    together = ir_features(
        index, QUERIES, Run.of("r", {"q1": [("b", 2), ("a", 1)], "q2": [("b", 1)]})
    )
    alone = ir_features(index, QUERIES, Run.of("r", {"q1": [("a", 1)]}))
    assert (together[1] == alone[0]).all()


def test_an_index_without_titles_has_zeros_there() -> None:
    """Plain texts have no titles; the features of the title are 0, the others finite."""
    index, _ = build_index([Page("a", "", "flu", TEXT), Page("b", "", "cold", TEXT)])
    values = ir_features(index, {"q": "flu"}, Run.of("r", {"q": [("a", 1), ("b", 0)]}))
    assert (values[:, :8] == 0).all()
    assert np.isfinite(values).all()


def test_documents_that_are_not_indexed_are_named(index: Index) -> None:
    """A run over other documents than the index's is refused with the first of them."""
    run = Run.of("other", {"q1": [("a", 2.0), ("zzz", 1.0)]})
    with pytest.raises(InputError, match=r"1 of the 2 documents of the run other .*first: zzz"):
        ir_features(index, QUERIES, run)


def test_a_query_without_text_is_named(index: Index) -> None:
    """The run and the queries must be of one set."""
    with pytest.raises(InputError, match="has a query 'q9' for which there is no text"):
        ir_features(index, QUERIES, Run.of("other", {"q9": [("a", 2.0)]}))


def test_unknown_choices_are_named(index: Index) -> None:
    with pytest.raises(OptionError, match="choose one of tf_idf, bm25, bm25_terrier, pl2"):
        search(index, QUERIES, "bm26")
    with pytest.raises(OptionError, match="choose one of title, body, page"):
        search(index, QUERIES, field="abstract")
    with pytest.raises(OptionError, match="must be 1 or more, not 0"):
        search(index, QUERIES, depth=0)
