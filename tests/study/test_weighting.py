"""The eight weighting models: worked by hand, and BM25 against an independent implementation."""

import math
from math import e, log2, pi

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from understandability.study.index import Analyzer, Index, build_index
from understandability.study.retrieval import MODELS, TermMatches, search
from understandability.text.page import Page

# One match: the term is twice among the 8 terms of a document, in 4 of 16 documents, 6 times in
# all; the documents have 64 terms, 4 in the mean, so that this one is 2 mean lengths long.
MATCH = TermMatches(
    tf=np.array([2.0]),
    length=np.array([8.0]),
    documents_with=np.array([4.0]),
    occurrences=np.array([6.0]),
    in_query=np.array([1.0]),
    documents=16.0,
    tokens=64.0,
)
K = 1.2 * (0.25 + 0.75 * 2)
TF = 2 * log2(1 + 1 / 2)  # the second normalisation
MEAN = 6 / 16
WORKED = {
    "tf_idf": 1.2 * 2 / (2 + K) * log2(16 / 4 + 1),
    "bm25": math.log(1 + 12.5 / 4.5) * 2 / (2 + K),
    "bm25_terrier": log2(12.5 / 4.5) * (2.2 * 2 / (2 + K)) * (9 * 1 / (8 + 1)),
    "pl2": (TF * log2(TF / MEAN) + (MEAN - TF) * log2(e) + log2(2 * pi * TF) / 2) / (TF + 1),
    "dph": (3 / 4) ** 2 / 3 * (2 * log2(2 * 4 / 8 * 16 / 6) + log2(2 * pi * 2 * 3 / 4) / 2),
    "inl2": TF / (TF + 1) * log2(17 / 4.5),
    "dirichlet_lm": log2(1 + 2 / (2500 * 6 / 64)) + log2(2500 / 2508),
    "jelinek_mercer_lm": log2(1 + 0.9 * (2 / 8) / (0.1 * 6 / 64)),
    "hiemstra_lm": log2(1 + 0.15 * (2 / 8) / (0.85 * 6 / 64)),
}
# The same, to three decimals, with a pocket calculator.
ROUNDED = {
    "tf_idf": 1.359,
    "bm25": 0.648,
    "bm25_terrier": 1.582,
    "pl2": 1.020,
    "dph": 0.834,
    "inl2": 1.034,
    "dirichlet_lm": 0.008,
    "jelinek_mercer_lm": 4.644,
    "hiemstra_lm": 0.556,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_weight_is_the_one_worked_by_hand(name: str) -> None:
    """Each formula gives, for one match, what its publication says."""
    weight = MODELS[name](MATCH)[0]
    assert weight == pytest.approx(WORKED[name], rel=1e-6)
    assert weight == pytest.approx(ROUNDED[name], abs=5e-4)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "dph"])
def test_more_occurrences_weigh_more(name: str) -> None:
    """Other things equal, a document that has the term more often scores higher.

    But for DPH, whose normalisation distrusts a term that makes up much of a document.
    """
    tf = np.array([1.0, 2.0, 3.0])
    same = {
        column: np.full(3, getattr(MATCH, column)[0])
        for column in ("length", "documents_with", "occurrences", "in_query")
    }
    weights = MODELS[name](TermMatches(tf=tf, documents=16.0, tokens=64.0, **same))
    assert (np.diff(weights) > 0).all()


@pytest.mark.parametrize("name", MODELS)
def test_a_document_of_nothing_but_the_term_has_a_finite_weight(name: str) -> None:
    """Titles of one word are common; a share of 1 must not give infinity or NaN."""
    one = np.array([1.0])
    weights = MODELS[name](TermMatches(one, one, one, one, one, documents=3.0, tokens=3.0))
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("name", MODELS)
def test_no_match_has_no_weight(name: str) -> None:
    """An index in which no page has a title weighs nothing, without a warning."""
    none = np.empty(0)
    matches = TermMatches(none, none, none, none, none, documents=3.0, tokens=0.0)
    assert MODELS[name](matches).size == 0


TEXTS = [
    " ".join(text)
    for rng in [np.random.default_rng(7)]
    for text in [
        rng.choice([f"w{n}" for n in range(60)], size=rng.integers(3, 25)).tolist()
        for _ in range(80)
    ]
]


def index_of(texts: list[str]) -> Index:
    analyzer = Analyzer(stop_words="none", stemmer="none")
    pages = [Page(f"d{number}", "", text, "text/plain") for number, text in enumerate(texts)]
    return build_index(pages, analyzer)[0]


def test_terriers_bm25_is_that_of_rank_bm25() -> None:
    """The same scores as an independent implementation of the same variant.

    `BM25Okapi` of rank_bm25 0.2.2 (k1 and b set) has the idf of Robertson & Spärck Jones with
    natural logarithms; it differs where half of the documents have a term (a floor), and knows
    no k3, which does nothing for a term that the query has once.
    """
    independent = BM25Okapi([text.split() for text in TEXTS], k1=1.2, b=0.75)
    run = search(index_of(TEXTS), {"q": "w1 w7 w30 w59"}, "bm25_terrier", "page")
    expected = independent.get_scores(["w1", "w7", "w30", "w59"]) / math.log(2)
    assert len(run) == np.count_nonzero(expected) > 30
    for docno, score in run.by_query()["q"]:
        assert score == pytest.approx(expected[int(docno[1:])], rel=1e-6)


@pytest.mark.parametrize("query", ["w1 w7", "w30 w59 w2", "w5", "w1 w1 w9"])
def test_bm25_has_the_top_ten_and_scores_of_bm25s(query: str) -> None:
    """bm25s (Lù 2024), its method "lucene": the same ten documents, in the same order."""
    bm25s = pytest.importorskip("bm25s")
    # A word that most texts have: common words are what the variants differ in.
    texts = [f"{text} w2" if number % 3 else text for number, text in enumerate(TEXTS)]
    independent = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    independent.index([text.split() for text in texts], show_progress=False)
    expected = independent.get_scores(query.split())
    ranking = search(index_of(texts), {"q": query}, depth=10).by_query()["q"]
    found = [expected[int(docno[1:])] for docno, _ in ranking]
    assert [score for _, score in ranking] == pytest.approx(found, rel=1e-5)
    assert found == pytest.approx(np.sort(expected)[::-1][: len(found)], rel=1e-5)


def test_a_word_of_most_pages_does_not_punish() -> None:
    """Two words of the query are better than one, however common one of them is."""
    pages = ["asthma symptoms", "flu symptoms", "cold symptoms", "back symptoms", "flu", "leg"]
    index = index_of(pages)
    best, *rest = search(index, {"q": "flu symptoms"}).by_query()["q"]
    assert best[0] == "d1"
    assert all(score > 0 for _, score in rest)
    assert search(index, {"q": "flu symptoms"}, "bm25_terrier").by_query()["q"][0][0] == "d4"
