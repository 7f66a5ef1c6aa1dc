"""Search an index: rank documents by a weighting model, or compute 24 features for learning to
rank.

A weighting model is a function from a matching term to a weight. The score of a document is the sum
of the weights of the query terms that it contains. BM25 is as in Lucene, the others as in Terrier,
with logarithms to base 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, check_choice, check_range
from understandability.evaluation.rerank import chosen
from understandability.inputs.run import Run
from understandability.study.index import FIELDS, PAGE, Field, Index, load_index
from understandability.study.queries import read_queries

Ints = NDArray[np.int64]
K1, B, K3 = 1.2, 0.75, 8.0
MU = 2500.0
COLLECTION_WEIGHT = 0.1
HIEMSTRA_LAMBDA = 0.15


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Pairs of a document and a query term that occurs in it, as arrays; and the collection's size.

    The term occurs `tf` times among the `length` terms of the document, and `in_query` times in the
    query. It occurs in `documents_with` documents, `occurrences` times in total. The collection has
    `documents` documents with `tokens` terms.
    """

    tf: Floats
    length: Floats
    documents_with: Floats
    occurrences: Floats
    in_query: Floats
    documents: float
    tokens: float

    @property
    def relative_length(self) -> Floats:
        """The length of each document, divided by the average length."""
        return self.length * self.documents / self.tokens


def tf_idf(match: TermMatches) -> Floats:
    """TF-IDF: Robertson's tf times the idf of Spärck Jones (1972).

    The weight is ``k1 tf / (tf + K) * log(N / n + 1)``, where K is k1 (1 - b + b l / mean l), with
    k1 = 1.2 and b = 0.75.
    """
    saturated = K1 * match.tf / (match.tf + _length_factor(match))
    return match.in_query * saturated * np.log2(match.documents / match.documents_with + 1)


def bm25(match: TermMatches) -> Floats:
    """BM25 as in Lucene since version 8: ``qtf * ln(1 + (N - n + .5) / (n + .5)) * tf / (tf + K)``.

    See Robertson et al. 1994 (TREC-3), and Kamphuis et al. 2020 on Lucene. Lucene rounds the
    lengths of documents to one byte; here they are exact. The idf is above 0 for every term.
    """
    absent = match.documents - match.documents_with
    idf = np.log1p((absent + 0.5) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * idf * match.tf / (match.tf + _length_factor(match))
    return weight


def bm25_terrier(match: TermMatches) -> Floats:
    """BM25 as in Terrier (Robertson et al. 1994), with k3 = 8.

    The weight is ``log((N - n + .5) / (n + .5)) * (k1 + 1) tf / (tf + K) * (k3 + 1) qtf / (k3 +
    qtf)``. A term in more than half of the documents has a negative weight, so in a collection on
    health a page is penalised for the word "symptoms".
    """
    absent = match.documents - match.documents_with
    idf = np.log2((absent + 0.5) / (match.documents_with + 0.5))
    saturated = (K1 + 1) * match.tf / (match.tf + _length_factor(match))
    return idf * saturated * ((K3 + 1) * match.in_query / (K3 + match.in_query))


def pl2(match: TermMatches) -> Floats:
    """PL2: Poisson, Laplace after-effect, second normalisation, c = 1 (Amati & van Rijsbergen
    2002).
    """
    tf = _second_normalisation(match)
    mean = match.occurrences / match.documents
    surprise = (
        tf * np.log2(tf / mean) + (mean - tf) * math.log2(math.e) + 0.5 * np.log2(2 * math.pi * tf)
    )
    weight: Floats = match.in_query * surprise / (tf + 1)
    return weight


def dph(match: TermMatches) -> Floats:
    """DPH: hypergeometric, Popper's normalisation, without parameters (Amati et al. 2008)."""
    # A share of 1 (a title of one word) has no finite weight.
    share = np.where(match.tf < match.length, match.tf / match.length, 0.99999)
    ratio = match.tf / match.relative_length * (match.documents / match.occurrences)
    surprise = match.tf * np.log2(ratio) + 0.5 * np.log2(2 * math.pi * match.tf * (1 - share))
    weight: Floats = match.in_query * (1 - share) ** 2 / (match.tf + 1) * surprise
    return weight


def inl2(match: TermMatches) -> Floats:
    """InL2: idf, Laplace after-effect, second normalisation, c = 1 (Amati & van Rijsbergen
    2002).
    """
    tf = _second_normalisation(match)
    idf = np.log2((match.documents + 1) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * tf / (tf + 1) * idf
    return weight


def dirichlet_lm(match: TermMatches) -> Floats:
    """A language model with Dirichlet smoothing by mu = 2500 terms of the collection (Zhai &
    Lafferty 2004).

    The weight is ``log(1 + tf / (mu F / T)) + log(mu / (l + mu))``, for terms of the document only.
    """
    expected = MU * match.occurrences / match.tokens
    surprise = np.log2(1 + match.tf / expected) + np.log2(MU / (match.length + MU))
    weight: Floats = match.in_query * surprise
    return weight


def jelinek_mercer_lm(match: TermMatches) -> Floats:
    """A language model mixed with the collection's model in the proportion w = 0.1.

    The weight is ``log(1 + (1 - w) tf T / (w l F))`` (Zhai & Lafferty 2004).
    """
    return _mixture(match, 1 - COLLECTION_WEIGHT)


def hiemstra_lm(match: TermMatches) -> Floats:
    """Hiemstra's language model (2001): `jelinek_mercer_lm` with w = 0.85.

    The document's own model then has little weight.
    """
    return _mixture(match, HIEMSTRA_LAMBDA)


def _length_factor(match: TermMatches) -> Floats:
    return K1 * (1 - B + B * match.relative_length)


def _second_normalisation(match: TermMatches) -> Floats:
    return match.tf * np.log2(1 + 1 / match.relative_length)


def _mixture(match: TermMatches, document_weight: float) -> Floats:
    odds = document_weight / (1 - document_weight)
    in_document, in_collection = match.tf / match.length, match.occurrences / match.tokens
    return match.in_query * np.log2(1 + odds * in_document / in_collection)


# fmt: off
MODELS: Mapping[str, Callable[[TermMatches], Floats]] = {
    model.__name__: model
    for model in (tf_idf, bm25, bm25_terrier, pl2, dph, inl2,
        dirichlet_lm, jelinek_mercer_lm, hiemstra_lm)
}
# fmt: on
# The study's 24 features, Terrier's models over every field: `title_tf_idf`, ...
TERRIER_MODELS = tuple(name for name in MODELS if name != "bm25")
IR_FEATURES = tuple(f"{field}_{model}" for field in FIELDS for model in TERRIER_MODELS)


def search(
    index: Index,
    queries: Mapping[str, str],
    model: str = "bm25",
    field: str = PAGE,
    depth: int = 1000,
) -> Run:
    """Rank the documents of an index for each query by a weighting model.

    At most `depth` documents that share a term with the query are ranked; ties are ordered as in
    trec_eval. A query of unknown words has no documents. The run is named after field and model.

    >>> from understandability.text.page import Page
    >>> from understandability.study.index import build_index
    >>> index, _ = build_index([Page("flu", "", "<p>You have flu."), Page("cold", "", "<p>A cold")])
    >>> [docno for docno, _ in search(index, {"q1": "flu"}).by_query()["q1"]]
    ['flu']
    """
    check_choice("weighting model", model, MODELS)
    check_choice("field", field, FIELDS)
    check_range(1, depth=depth)
    searched = index.field(field)
    rankings: dict[str, list[tuple[str, float]]] = {}
    for query, text in queries.items():
        documents, matches = _matches(searched, index.query_terms(text))
        weights = MODELS[model](matches)
        scores = np.bincount(documents, weights, minlength=len(index)).astype(np.float64)
        matching = np.unique(documents)
        if len(matching) > depth:
            single = scores[matching].astype(np.float32)
            matching = matching[single >= np.partition(single, -depth)[-depth]]
        rankings[query] = [(index.docnos[id_], float(scores[id_])) for id_ in matching.tolist()]
    run = Run.of(f"{field}_{model}", rankings)
    best_first = chosen(run, run.line_order("score"))
    return chosen(best_first, np.flatnonzero(best_first.ranks <= depth))


def ir_features(index: Index, queries: Mapping[str, str], run: Run) -> Floats:
    """Compute the `IR_FEATURES` of each line of a run; (lines, 24).

    A document without any term of the query has zeros. Raises `InputError` if the run has a query
    without a text, or a document that is not in the index.

    >>> from understandability.text.page import Page
    >>> from understandability.study.index import build_index
    >>> index, _ = build_index([Page("a", "", "<p>Flu"), Page("b", "", "<p>A cold")])
    >>> values = ir_features(index, {"q": "flu"}, Run.of("mine", {"q": [("b", 2), ("a", 1)]}))
    >>> values[:, IR_FEATURES.index("page_tf_idf")].round(3).tolist()
    [0.0, 0.865]
    """
    if missing := [query for query in run.queries if query not in queries]:
        raise InputError(
            f"the run {run.name} has a query {missing[0]!r} for which there is no text"
        )
    docnos = run.docnos.to_pylist()
    numbers = np.array([index.document_numbers.get(docno, -1) for docno in docnos], dtype=np.int64)
    unknown = numbers < 0
    if unknown.any():
        raise InputError(
            f"{int(unknown.sum())} of the {len(docnos)} documents of the run {run.name} are not in "
            f"the index (first: {docnos[int(np.argmax(unknown))]}); build it with them, or leave "
            "them out"
        )
    documents = numbers[run.docno_ids]
    values = np.zeros((len(run), len(IR_FEATURES)))
    for query_id, query in enumerate(run.queries):
        lines = np.flatnonzero(run.query_ids == query_id)
        terms = index.query_terms(queries[query])
        for field in FIELDS:
            rows, matches = _matches(index.field(field), terms, documents[lines])
            for model in TERRIER_MODELS:
                weights = np.bincount(rows, MODELS[model](matches), minlength=len(lines))
                values[lines, IR_FEATURES.index(f"{field}_{model}")] = weights
    return values


def _matches(
    field: Field, terms: Mapping[int, int], documents: Ints | None = None
) -> tuple[Ints, TermMatches]:
    """Find the documents that contain some terms; return the index of each match's document, and
    the matches.
    """
    numbers = np.array(list(terms), dtype=np.int64)
    postings = field.postings[numbers]
    if documents is not None:
        postings = postings[:, documents]
    cells = postings.tocoo()
    term, rows = numbers[cells.row], cells.col.astype(np.int64)
    return rows, TermMatches(
        tf=cells.data.astype(np.float64),
        length=field.lengths[rows if documents is None else documents[rows]],
        documents_with=field.documents_with[term],
        occurrences=field.occurrences[term],
        in_query=np.array(list(terms.values()), dtype=np.float64)[cells.row],
        documents=float(field.postings.shape[1]),
        tokens=field.tokens,
    )


QueryFile = Annotated[str, Parameter("--queries", metavar="FILE")]


def run_of_index(
    index: str,
    queries: QueryFile,
    *,
    model: Annotated[str, Parameter(choices=MODELS)] = "bm25",
    field: Annotated[str, Parameter(choices=FIELDS)] = PAGE,
    depth: int = 1000,
    tag: Annotated[str | None, Parameter(metavar="NAME")] = None,
) -> Run:
    """Rank the documents of an index for each query, by BM25 (k1 = 1.2, b = 0.75) or another model.

    Example: understand index search crawl-index/ --queries topics.xml -o bm25.run.gz

    Args:
        index: The folder of an index.
        queries: Queries: TREC or CLEF topics in XML, lines of id TAB text, or CSV or JSON with
            query_id and text.
        model: bm25 (Lucene's), or as Terrier: bm25_terrier, tf_idf, pl2, dph, inl2, dirichlet_lm,
            jelinek_mercer_lm, hiemstra_lm.
        field: title, body, or page (both).
        depth: The number of documents to return for a query.
        tag: The name of the new run.
    """
    texts = read_queries(queries)
    run = search(load_index(index), texts, model, field, depth)
    return replace(run, name=tag or run.name)
