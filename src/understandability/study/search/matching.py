"""Queries against an index: runs of a weighting model, and the 24 features of learning to rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.inputs.run import Run
from understandability.study.search.inverted_index import FIELDS, PAGE, Field, Index
from understandability.study.search.weighting import MODELS, TERRIER_MODELS, TermMatches

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
    >>> from understandability.study.search.inverted_index import build_index
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
    >>> from understandability.study.search.inverted_index import build_index
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
