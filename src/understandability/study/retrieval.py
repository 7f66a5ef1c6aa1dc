"""Queries against an index: runs of a weighting model, and the 24 features of learning to rank.

BM25 is as Lucene has it, the eight other models as Terrier has them: those of the study's features
(logarithms to base 2), and of the systems of `scripts.reproduce.ranking_simulation`. A model says
what the occurrences of one query term are worth to one document. A document's score is the sum over
the query terms that it holds; terms that it lacks add nothing, in the language models too (there
what they would add depends on the length of the document alone).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.inputs.run import Run
from understandability.prompt import AtPrompt
from understandability.study.index import FIELDS, PAGE, Field, Index, load_index
from understandability.study.queries import read_queries

K1, B, K3 = 1.2, 0.75, 8.0
MU = 2500.0
COLLECTION_WEIGHT = 0.1
HIEMSTRA_LAMBDA = 0.15


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Pairs of a document and a query term that occurs in it, as columns, and the collection.

    `tf` is how often the document has the term, `length` how many terms it has in all,
    `documents_with` how many documents have the term, `occurrences` how often all documents
    have it, `in_query` how often the query has it. The collection has `documents` documents
    of `tokens` terms.
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
        """The length of each document in average lengths."""
        return self.length * self.documents / self.tokens


@dataclass(frozen=True, slots=True)
class WeightingModel:
    """A row of `MODELS`: the function, its parameters in words, who published it."""

    weigh: Callable[[TermMatches], Floats]
    parameters: str
    source: str


def tf_idf(match: TermMatches) -> Floats:
    """Robertson's tf times Spärck Jones' idf: ``k1 tf / (tf + K) * log(N / n + 1)``."""
    saturated = K1 * match.tf / (match.tf + _length_factor(match))
    return match.in_query * saturated * np.log2(match.documents / match.documents_with + 1)


def bm25(match: TermMatches) -> Floats:
    """``qtf * ln(1 + (N - n + .5) / (n + .5)) * tf / (tf + K)``, as Lucene since version 8.

    The idf is above 0 for every term, also for one that most documents have. Lucene rounds the
    lengths of documents to one byte; here they are exact.
    """
    absent = match.documents - match.documents_with
    idf = np.log1p((absent + 0.5) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * idf * match.tf / (match.tf + _length_factor(match))
    return weight


def bm25_terrier(match: TermMatches) -> Floats:
    """``log((N - n + .5) / (n + .5)) * (k1 + 1) tf / (tf + K) * (k3 + 1) qtf / (k3 + qtf)``.

    A term that more than half of the documents have weighs less than nothing: in a collection on
    health a page is punished for the word "symptoms". `bm25` has no such terms.
    """
    absent = match.documents - match.documents_with
    idf = np.log2((absent + 0.5) / (match.documents_with + 0.5))
    saturated = (K1 + 1) * match.tf / (match.tf + _length_factor(match))
    return idf * saturated * ((K3 + 1) * match.in_query / (K3 + match.in_query))


def pl2(match: TermMatches) -> Floats:
    """Divergence from randomness: Poisson, Laplace after-effect, second normalisation."""
    tf = _second_normalisation(match)
    mean = match.occurrences / match.documents
    surprise = (
        tf * np.log2(tf / mean) + (mean - tf) * math.log2(math.e) + 0.5 * np.log2(2 * math.pi * tf)
    )
    weight: Floats = match.in_query * surprise / (tf + 1)
    return weight


def dph(match: TermMatches) -> Floats:
    """Divergence from randomness: hypergeometric, Popper's normalisation; no parameter."""
    # A share of 1 (a title of one word) has no finite weight.
    share = np.where(match.tf < match.length, match.tf / match.length, 0.99999)
    ratio = match.tf / match.relative_length * (match.documents / match.occurrences)
    surprise = match.tf * np.log2(ratio) + 0.5 * np.log2(2 * math.pi * match.tf * (1 - share))
    weight: Floats = match.in_query * (1 - share) ** 2 / (match.tf + 1) * surprise
    return weight


def inl2(match: TermMatches) -> Floats:
    """Divergence from randomness: inverse document frequency, Laplace, second normalisation."""
    tf = _second_normalisation(match)
    idf = np.log2((match.documents + 1) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * tf / (tf + 1) * idf
    return weight


def dirichlet_lm(match: TermMatches) -> Floats:
    """A language model smoothed by mu terms drawn from the collection.

    ``log(1 + tf / (mu F / T)) + log(mu / (l + mu))``, for terms of the document only.
    """
    expected = MU * match.occurrences / match.tokens
    surprise = np.log2(1 + match.tf / expected) + np.log2(MU / (match.length + MU))
    weight: Floats = match.in_query * surprise
    return weight


def jelinek_mercer_lm(match: TermMatches) -> Floats:
    """A language model mixed with the collection's: ``log(1 + (1 - w) tf T / (w l F))``."""
    return _mixture(match, 1 - COLLECTION_WEIGHT)


def hiemstra_lm(match: TermMatches) -> Floats:
    """Hiemstra's mixture, in which the document's own model weighs little (lambda = .15)."""
    return _mixture(match, HIEMSTRA_LAMBDA)


def _length_factor(match: TermMatches) -> Floats:
    return K1 * (1 - B + B * match.relative_length)


def _second_normalisation(match: TermMatches) -> Floats:
    return match.tf * np.log2(1 + 1 / match.relative_length)


def _mixture(match: TermMatches, document_weight: float) -> Floats:
    odds = document_weight / (1 - document_weight)
    in_document, in_collection = match.tf / match.length, match.occurrences / match.tokens
    return match.in_query * np.log2(1 + odds * in_document / in_collection)


MODELS = MappingProxyType(
    {
        "tf_idf": WeightingModel(tf_idf, "k1=1.2 b=0.75", "Spärck Jones 1972; Robertson's tf"),
        "bm25": WeightingModel(
            bm25, "k1=1.2 b=0.75", "Robertson et al. 1994 (TREC-3); Kamphuis et al. 2020 on Lucene"
        ),
        "bm25_terrier": WeightingModel(
            bm25_terrier, "k1=1.2 b=0.75 k3=8", "Robertson et al. 1994 (TREC-3)"
        ),
        "pl2": WeightingModel(pl2, "c=1", "Amati & van Rijsbergen 2002"),
        "dph": WeightingModel(dph, "none", "Amati 2006; Amati et al. 2008 (TREC 2007)"),
        "inl2": WeightingModel(inl2, "c=1", "Amati & van Rijsbergen 2002"),
        "dirichlet_lm": WeightingModel(dirichlet_lm, "mu=2500", "Zhai & Lafferty 2004"),
        "jelinek_mercer_lm": WeightingModel(jelinek_mercer_lm, "w=0.1", "Zhai & Lafferty 2004"),
        "hiemstra_lm": WeightingModel(hiemstra_lm, "lambda=0.15", "Hiemstra 2001"),
    }
)
# The models of the study's 24 features.
TERRIER_MODELS = MappingProxyType({name: model for name, model in MODELS.items() if name != "bm25"})


Ints = NDArray[np.int64]

# Terrier's weighting models over every field: `title_tf_idf`, ..., `page_hiemstra_lm`.
IR_FEATURES = tuple(f"{field}_{model}" for field in FIELDS for model in TERRIER_MODELS)


def search(
    index: Index,
    queries: Mapping[str, str],
    model: str = "bm25",
    field: str = PAGE,
    depth: int = 1000,
) -> Run:
    """The best documents of each query by one weighting model; a run named after both.

    Documents that share a term with the query are ranked, at most `depth` of them; equal
    scores as trec_eval orders them. A query of unknown words has none.

    >>> from understandability.text.page import Page
    >>> from understandability.study.index import build_index
    >>> pages = [Page("flu", "", b"<p>You have flu."), Page("cold", "", b"<p>You have a cold.")]
    >>> index, _ = build_index(pages)
    >>> [docno for docno, _ in search(index, {"q1": "flu"}).by_query()["q1"]]
    ['flu']
    """
    if model not in MODELS:
        raise OptionError(
            f"there is no weighting model {model!r}; choose one of {', '.join(MODELS)}"
        )
    if field not in FIELDS:
        raise OptionError(f"there is no field {field!r}; choose one of {', '.join(FIELDS)}")
    if depth < 1:
        raise OptionError(f"the depth of a run must be 1 or more, not {depth}")
    weigh = MODELS[model].weigh
    searched = index.field(field)
    rankings: dict[str, list[tuple[str, float]]] = {}
    for query, text in queries.items():
        parts = []
        for term, count in index.query_terms(text).items():
            documents, tf = searched.documents_of(term)
            parts.append(_Part(term, count, documents, tf, documents))
        rows, matches = _joined(index, searched, parts)
        scores = np.zeros(len(index))
        scores += np.bincount(rows, weigh(matches), minlength=len(index))
        found = np.unique(rows)
        rankings[query] = [
            (index.docnos[document], float(scores[document]))
            for document in _best(index, found, scores[found], depth).tolist()
        ]
    return Run.of(f"{field}_{model}", rankings)


def _best(index: Index, documents: Ints, scores: Floats, depth: int) -> Ints:
    """The documents with the highest scores, in the order of `Run.line_order("score")`."""
    single = scores.astype(np.float32)
    if len(documents) > depth:
        lowest = np.partition(single, -depth)[-depth]
        documents, single = documents[single >= lowest], single[single >= lowest]
    names = [index.docnos[document].encode() for document in documents.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__, reverse=True)
    order.sort(key=lambda place: -single[place])
    return documents[order[:depth]]


def ir_features(index: Index, queries: Mapping[str, str], run: Run) -> Floats:
    """The `IR_FEATURES` of each line of a run, a column each; (lines, 24).

    A document that lacks all terms of the query has 0 throughout. Raises `InputError` where
    the run has a query without a text, or a document that is not in the index.

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
    documents = _documents(index, run)
    lines_of = np.split(
        np.argsort(run.query_ids, kind="stable"),
        np.cumsum(np.bincount(run.query_ids, minlength=len(run.queries)))[:-1],
    )
    terms_of = [index.query_terms(queries[query]) for query in run.queries]
    values = np.zeros((len(run), len(IR_FEATURES)))
    for place, name in enumerate(FIELDS):
        field = index.field(name)
        parts = [
            _among(field, term, count, documents, lines)
            for lines, terms in zip(lines_of, terms_of, strict=True)
            for term, count in terms.items()
        ]
        rows, matches = _joined(index, field, parts)
        for column, model in enumerate(TERRIER_MODELS.values(), start=place * len(TERRIER_MODELS)):
            values[:, column] = np.bincount(rows, model.weigh(matches), minlength=len(run))
    return values


def _documents(index: Index, run: Run) -> Ints:
    """The number of the document of each line of a run."""
    docnos = run.docnos.to_pylist()
    numbers = np.array([index.document_numbers.get(docno, -1) for docno in docnos], dtype=np.int64)
    unknown = numbers < 0
    if unknown.any():
        raise InputError(
            f"{int(unknown.sum())} of the {len(docnos)} documents of the run {run.name} are not in "
            f"the index (first: {docnos[int(np.argmax(unknown))]}); build it with them, or leave "
            "them out"
        )
    return numbers[run.docno_ids]


@dataclass(frozen=True, slots=True)
class _Part:
    """The documents that have one query term: the row of each, and how often it has the term."""

    term: int
    in_query: int
    documents: NDArray[Any]
    tf: Floats
    rows: NDArray[Any]


def _among(field: Field, term: int, in_query: int, documents: Ints, lines: Ints) -> _Part:
    """Those of some lines whose document has the term."""
    having, tf = field.documents_of(term)
    wanted = documents[lines]
    places = np.minimum(np.searchsorted(having, wanted), len(having) - 1)
    found = having[places] == wanted if len(having) else np.zeros(len(lines), dtype=bool)
    return _Part(term, in_query, wanted[found], tf[places[found]], lines[found])


def _joined(index: Index, field: Field, parts: Sequence[_Part]) -> tuple[Ints, TermMatches]:
    """The rows and the matches of all parts, one after another."""

    def joined(columns: Iterable[NDArray[Any]], kind: type) -> NDArray[Any]:
        return np.concatenate([np.empty(0, kind), *columns]).astype(kind)

    sizes = [len(part.rows) for part in parts]
    terms = np.repeat(np.array([part.term for part in parts], np.int64), sizes)
    return joined((part.rows for part in parts), np.int64), TermMatches(
        tf=joined((part.tf for part in parts), np.float64),
        length=field.lengths[joined((part.documents for part in parts), np.int64)],
        documents_with=field.documents_with[terms],
        occurrences=field.occurrences[terms],
        in_query=np.repeat(np.array([part.in_query for part in parts], np.float64), sizes),
        documents=float(len(index)),
        tokens=field.tokens,
    )


QueryFile = Annotated[str, AtPrompt(str, "--queries", value="FILE")]


def run_of_index(
    index: str,
    queries: QueryFile,
    *,
    model: Annotated[str, AtPrompt(choices="study.retrieval:MODELS")] = "bm25",
    field: Annotated[str, AtPrompt(choices="study.index:FIELDS")] = PAGE,
    depth: int = 1000,
    tag: Annotated[str | None, AtPrompt(str, value="NAME")] = None,
) -> Run:
    """Rank the documents of an index for each query, by BM25 (k1 = 1.2, b = 0.75) or another model.

    Example: understand index search crawl-index/ --queries topics.xml -o bm25.run.gz

    Args:
        index: The folder of an index.
        queries: Queries: TREC or CLEF topics in XML, lines of name TAB text, or JSON Lines with
            query_id and text.
        model: bm25 (Lucene's), or as Terrier: bm25_terrier, tf_idf, pl2, dph, inl2, dirichlet_lm,
            jelinek_mercer_lm, hiemstra_lm.
        field: title, body, or page (both).
        depth: How many documents to return for a query.
        tag: The name of the new run.
    """
    asked = read_queries(queries)
    run = search(load_index(index), asked, model, field, depth)
    return replace(run, name=tag or run.name)
