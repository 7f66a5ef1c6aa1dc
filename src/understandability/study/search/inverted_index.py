"""A compact inverted index of pages: how often each term occurs in their titles and bodies."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, vstack

from understandability.arrays import Floats
from understandability.errors import InputError, PageError
from understandability.study.search.index_terms import Analyzer, split_words
from understandability.text.extract.extractors import extract
from understandability.text.page import Failure, Page
from understandability.text.parsed import parse_page

TITLE, BODY, PAGE = "title", "body", "page"
FIELDS = (TITLE, BODY, PAGE)
_DROPPED = -1
_CHUNK = 4_000_000


@dataclass(frozen=True, eq=False)
class Field:
    """One field of all documents: `postings` has a row for each term, a column for each document.

    A cell is how often the document has the term, as a whole number.
    """

    postings: csr_matrix

    @cached_property
    def lengths(self) -> Floats:
        """How many terms the field of each document has."""
        return _sums(self.postings, axis=0)

    @cached_property
    def occurrences(self) -> Floats:
        """How often each term occurs in all documents."""
        return _sums(self.postings, axis=1)

    @cached_property
    def documents_with(self) -> Floats:
        """How many documents have each term."""
        return np.asarray(np.diff(self.postings.indptr), dtype=np.float64)

    @cached_property
    def tokens(self) -> float:
        """How many terms the fields of all documents have."""
        return float(self.lengths.sum())

    def documents_of(self, term: int) -> tuple[NDArray[np.int32], Floats]:
        """The documents that have a term, ascending, and how often each has it."""
        where = slice(self.postings.indptr[term], self.postings.indptr[term + 1])
        return self.postings.indices[where], self.postings.data[where].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Index:
    """The documents and terms of a collection, and its fields: `TITLE`, `BODY`, `PAGE` (both).

    Document ``i`` is ``docnos[i]``, term ``i`` is ``terms[i]``; `extractor` is how text was
    taken from HTML.
    """

    docnos: tuple[str, ...]
    terms: tuple[str, ...]
    title: Field
    body: Field
    analyzer: Analyzer
    extractor: str

    def __len__(self) -> int:
        return len(self.docnos)

    @cached_property
    def page(self) -> Field:
        return Field((self.title.postings + self.body.postings).tocsr())

    @cached_property
    def term_numbers(self) -> Mapping[str, int]:
        """The number of each term."""
        return {term: number for number, term in enumerate(self.terms)}

    @cached_property
    def document_numbers(self) -> Mapping[str, int]:
        """The number of each document."""
        return {docno: number for number, docno in enumerate(self.docnos)}

    def field(self, name: str) -> Field:
        """One of `FIELDS` by its name."""
        return {TITLE: self.title, BODY: self.body, PAGE: self.page}[name]

    def query_terms(self, text: str) -> dict[int, int]:
        """The terms of a query that any document has, and how often the query has each."""
        counts: dict[int, int] = {}
        for term in self.analyzer.terms(text):
            number = self.term_numbers.get(term)
            if number is not None:
                counts[number] = counts.get(number, 0) + 1
        return counts


def build_index(
    pages: Iterable[Page | Failure],
    analyzer: Analyzer | None = None,
    extractor: str = "naive",
) -> tuple[Index, tuple[Failure, ...]]:
    """Count the terms of pages; pages that cannot be indexed are the failures beside the index.

    The title is what the page's ``<title>`` says, the body the rest of what `extractor` keeps.
    Of two pages with one docno the first wins.

    >>> page = Page("d1", "", "<title>Flu</title><p>Influenza is a virus.")
    >>> index, failures = build_index([page])
    >>> index.terms, index.title.lengths, index.page.lengths
    (('flu', 'influenza', 'viru'), array([1.]), array([3.]))
    """
    analyzer = analyzer or Analyzer()
    numbers = _Numbers(analyzer)
    title, body = _Counter(), _Counter()
    docnos: dict[str, None] = {}
    failures: list[Failure] = []
    for page in pages:
        texts = _texts(page, docnos, extractor)
        if isinstance(texts, Failure):
            failures.append(texts)
            continue
        docnos[page.docno] = None
        title.add(map(numbers.__getitem__, split_words(texts[0])))
        body.add(map(numbers.__getitem__, split_words(texts[1])))
    if not docnos:
        raise InputError("there is no page to index; the first failure: " + _first(failures))
    terms = tuple(numbers.terms)
    index = Index(
        docnos=tuple(docnos),
        terms=terms,
        title=Field(title.postings(len(terms))),
        body=Field(body.postings(len(terms))),
        analyzer=analyzer,
        extractor=extractor,
    )
    return index, tuple(failures)


def _first(failures: list[Failure]) -> str:
    return f"{failures[0].path}: {failures[0].error}" if failures else "none was read"


def _texts(
    page: Page | Failure, seen: Mapping[str, None], extractor: str
) -> tuple[str, str] | Failure:
    """The title and the body of a page."""
    if isinstance(page, Failure):
        return page

    def failure(stage: str, message: str) -> Failure:
        return Failure(page.docno, page.path, stage, message)

    if page.docno in seen:
        return failure("read", "a document of this docno came before; only the first is indexed")
    if len(page.docno.split()) != 1:
        return failure("read", "its docno is empty or has blanks, which a run cannot hold")
    try:
        parsed = parse_page(page)
        blocks = extract(parsed, extractor)
    except PageError as error:
        return failure(error.stage, str(error))
    except (ValueError, RecursionError, MemoryError, AssertionError) as error:
        # What a parser does on a page that nobody foresaw must not end an index.
        return failure("extract", f"{type(error).__name__}: {error}")
    return parsed.title, "\n".join(b.text for b in blocks if b.kept and b.tag != "title")


class _Numbers(dict[str, int]):
    """Words to the numbers of their terms, given in the order in which terms appear."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.terms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        term = self._analyzer.term(word)
        number = self.terms.setdefault(term, len(self.terms)) if term else _DROPPED
        self[word] = number
        return number


class _Counter:
    """Counts terms document by document, in memory bounded by the postings."""

    def __init__(self) -> None:
        self._terms = array("i")
        self._ends = array("q")
        self._chunks: list[csr_matrix] = []

    def add(self, terms: Iterable[int]) -> None:
        """Count the terms of the next document."""
        self._terms.extend(terms)
        self._ends.append(len(self._terms))
        if len(self._terms) > _CHUNK:
            self._count()

    def _count(self) -> None:
        terms = np.array(self._terms, dtype=np.int32)
        documents = np.repeat(
            np.arange(len(self._ends), dtype=np.int32), np.diff(self._ends, prepend=0)
        )
        kept = terms != _DROPPED
        terms, documents = terms[kept], documents[kept]
        shape = (len(self._ends), int(terms.max(initial=0)) + 1)
        ones = np.ones(len(terms), dtype=np.int32)
        self._chunks.append(coo_matrix((ones, (documents, terms)), shape=shape).tocsr())
        self._terms, self._ends = array("i"), array("q")

    def postings(self, terms: int) -> csr_matrix:
        """What was counted, a row for each term."""
        self._count()
        for chunk in self._chunks:
            chunk.resize(chunk.shape[0], terms)
        postings = vstack(self._chunks, format="csr").T.tocsr()
        postings.sort_indices()
        return postings


def _sums(matrix: csr_matrix, axis: int) -> Floats:
    return np.asarray(matrix.sum(axis=axis), dtype=np.float64).ravel()
