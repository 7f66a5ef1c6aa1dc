"""A small search index of pages: counts of terms in titles and bodies, stored as JSON and
arrays.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability._version import __version__
from understandability.arrays import Floats
from understandability.crawls.outputs import write_failures
from understandability.errors import InputError, OptionError, PageError, check_choice, needing
from understandability.feature.word_lists import stop_words as english_stop_words
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.runs import dataset_pages, is_dataset
from understandability.inputs.sources import Sources, with_progress
from understandability.inputs.trec import read_docnos
from understandability.keywords import read_by
from understandability.model.bundle_files import write_folder
from understandability.model.predictors import DAMAGED_ARRAYS, NO_PLAIN_ARRAYS
from understandability.text.analysis import EXTRACTORS, extract
from understandability.text.page import Failure, Page
from understandability.text.parsed import parse_page

with needing("an index needs SciPy", ".[train]"):
    from scipy.sparse import csr_matrix

# Longer runs of letters and digits in crawls are not words.
LONGEST = 64
_WORD = re.compile(r"[^\W_]+")


def _porter() -> Callable[[str], str]:
    """Return the stemmer of Porter (1980), as implemented in NLTK."""
    with needing("Porter's stemmer needs NLTK", ".[reference]"):
        from nltk.stem.porter import PorterStemmer

    stemmer = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)
    return lambda word: str(stemmer.stem(word, to_lowercase=False))


STOP_WORDS: Mapping[str, Callable[[], frozenset[str]]] = {
    "english": english_stop_words,
    "none": frozenset,
}
STEMMERS: Mapping[str, Callable[[], Callable[[str], str]]] = {
    "porter": _porter,
    "none": lambda: str,
}


def split_words(text: str) -> list[str]:
    """Split a text into runs of letters and digits, in lower case."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Analyzer:
    """Converts words to index terms: stop words are dropped, and other words are stemmed.

    `stop_words` is one of `STOP_WORDS`, `stemmer` one of `STEMMERS`.

    >>> Analyzer().terms("The heart's failing valves")
    ['heart', 'fail', 'valv']
    """

    stop_words: str = "english"
    stemmer: str = "porter"

    def __post_init__(self) -> None:
        check_choice("list of stop words", self.stop_words, STOP_WORDS)
        check_choice("stemmer", self.stemmer, STEMMERS)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        return [term for term in map(self.term, split_words(text)) if term]

    @cached_property
    def term(self) -> Callable[[str], str]:
        """Return a function that converts a lower-case word to its term; '' for a stop word."""
        dropped, stem = STOP_WORDS[self.stop_words](), STEMMERS[self.stemmer]()
        return cache(lambda word: "" if len(word) > LONGEST or word in dropped else stem(word))


TITLE, BODY, PAGE = "title", "body", "page"
FIELDS = (TITLE, BODY, PAGE)


@dataclass(frozen=True, eq=False)
class Field:
    """One field (title, body or both) of all documents, as counts of terms.

    `postings` is a sparse matrix with one row per term and one column per document. A cell is the
    number of occurrences of the term in the field of the document.
    """

    postings: csr_matrix

    @cached_property
    def lengths(self) -> Floats:
        """The number of terms in each document's field."""
        return np.asarray(self.postings.sum(axis=0), np.float64).ravel()

    @cached_property
    def occurrences(self) -> Floats:
        """The number of occurrences of each term in all documents."""
        return np.asarray(self.postings.sum(axis=1), np.float64).ravel()

    @cached_property
    def documents_with(self) -> Floats:
        """The number of documents that contain each term."""
        return np.asarray(np.diff(self.postings.indptr), dtype=np.float64)

    @cached_property
    def tokens(self) -> float:
        """The total number of terms in all documents."""
        return float(self.lengths.sum())


@dataclass(frozen=True, eq=False)
class Index:
    """The documents and terms of a collection, and its fields: `TITLE`, `BODY`, `PAGE` (both).

    ``docnos[i]`` is the name of document ``i``, and ``terms[i]`` is term ``i``. `extractor` is the
    method that extracted text from HTML.
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
        """The ids of the terms, as a mapping."""
        return {term: number for number, term in enumerate(self.terms)}

    @cached_property
    def document_numbers(self) -> Mapping[str, int]:
        """The ids of the documents, as a mapping."""
        return {docno: number for number, docno in enumerate(self.docnos)}

    def field(self, name: str) -> Field:
        """Return the field with a name from `FIELDS`."""
        return {TITLE: self.title, BODY: self.body, PAGE: self.page}[name]

    def query_terms(self, text: str) -> dict[int, int]:
        """Count the terms of a query, ignoring terms that occur in no document."""
        numbers = (self.term_numbers.get(term) for term in self.analyzer.terms(text))
        return Counter(number for number in numbers if number is not None)


def build_index(
    pages: Iterable[Page | Failure], analyzer: Analyzer | None = None, extractor: str = "naive"
) -> tuple[Index, tuple[Failure, ...]]:
    """Count the terms of pages; return the index and the pages that cannot be indexed.

    The title is the content of ``<title>``, the body the other text that `extractor` keeps. Of two
    pages with the same docno the first is indexed.

    >>> page = Page("d1", "", "<title>Flu</title><p>Influenza is a virus.")
    >>> index, failures = build_index([page])
    >>> index.terms, index.title.lengths, index.page.lengths
    (('flu', 'influenza', 'viru'), array([1.]), array([3.]))
    """
    analyzer = analyzer or Analyzer()
    numbers: dict[str, int] = {}
    # For titles and for bodies: the concatenated terms, and the end of each document.
    columns = [(array("i"), array("q", [0])) for _ in (TITLE, BODY)]
    docnos: dict[str, None] = {}
    failures: list[Failure] = []
    for page in pages:
        texts = _texts(page, docnos, extractor)
        if isinstance(texts, Failure):
            failures.append(texts)
            continue
        docnos[page.docno] = None
        for text, (terms, ends) in zip(texts, columns, strict=True):
            terms.extend(numbers.setdefault(term, len(numbers)) for term in analyzer.terms(text))
            ends.append(len(terms))
    if not docnos:
        first = f"{failures[0].path}: {failures[0].error}" if failures else "none was read"
        raise InputError(f"there is no page to index; the first failure: {first}")
    title, body = (_counts(terms, ends, len(numbers)) for terms, ends in columns)
    return Index(tuple(docnos), tuple(numbers), title, body, analyzer, extractor), tuple(failures)


def _counts(occurrences: Sequence[int], ends: Sequence[int], terms: int) -> Field:
    """Count the terms of each document; `occurrences` are the concatenated ids of all documents'
    terms.

    `ends` holds the end of each document in `occurrences`.
    """
    columns = np.ones(len(occurrences), np.int32), np.asarray(occurrences), np.asarray(ends)
    by_document = csr_matrix(columns, shape=(len(ends) - 1, terms))
    by_document.sum_duplicates()
    return Field(by_document.T.tocsr())


def _texts(
    page: Page | Failure, seen: Mapping[str, None], extractor: str
) -> tuple[str, str] | Failure:
    """Return the title and the body of a page, or a failure."""
    if isinstance(page, Failure):
        return page

    try:
        if page.docno in seen:
            raise PageError("read", "an earlier document has this docno; only the first is indexed")
        if len(page.docno.split()) != 1:
            raise PageError("read", "its docno is empty or has blanks, which a run cannot hold")
        parsed = parse_page(page)
        blocks = extract(parsed, extractor)
    except PageError as error:
        return Failure(page.docno, page.path, error.stage, str(error))
    except (ValueError, RecursionError, MemoryError, AssertionError) as error:
        # An unforeseen failure of a parser on one page must not end the indexing.
        return Failure(page.docno, page.path, "extract", f"{type(error).__name__}: {error}")
    return parsed.title, "\n".join(b.text for b in blocks if b.kept and b.tag != "title")


FORMAT = 1
HEADER = "index.json"
ARRAYS = "postings.npz"
_PARTS = ("counts", "documents", "starts")


def save_index(index: Index, folder: str | Path) -> None:
    """Write an index as a folder, completely or not at all; an older index is replaced.

    Equal indexes are written as equal bytes.
    """
    target = Path(folder)
    if target.exists() and not (target / HEADER).is_file():
        raise InputError(f"{folder} holds other files and no index; name a new folder")
    arrays: dict[str, Any] = {"docnos": _packed(index.docnos), "terms": _packed(index.terms)}
    for name in (TITLE, BODY):
        postings = index.field(name).postings
        columns = (postings.data, postings.indices, postings.indptr)
        for part, column in zip(_PARTS, columns, strict=True):
            arrays[f"{name}_{part}"] = column.astype(np.int64 if part == "starts" else np.int32)
    content = io.BytesIO()
    np.savez(content, **arrays)
    data = content.getbuffer()
    header = {
        "format": FORMAT,
        "toolkit": __version__,
        "documents": len(index.docnos),
        "terms": len(index.terms),
        "extractor": index.extractor,
        "analyzer": asdict(index.analyzer),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    write_folder(target, {ARRAYS: data, HEADER: (json.dumps(header, indent=1) + "\n").encode()})


def load_index(folder: str | Path) -> Index:
    """Read an index; raise `InputError` if it is damaged, of another version, or not an index."""
    path = Path(folder)
    try:
        header = json.loads((path / HEADER).read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not an index: it has no {HEADER}; make one with `understand index build`"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"the index {folder} is damaged: {HEADER} is not JSON") from error
    version = header.get("format") if isinstance(header, dict) else None
    if version != FORMAT:
        raise InputError(
            f"the index {folder} is of format {version}, this version reads format {FORMAT}; "
            "build it again with `understand index build`"
        )
    try:
        data = (path / ARRAYS).read_bytes()
    except OSError as error:
        raise InputError(f"the index {folder} has no {ARRAYS} to read; build it again") from error
    if hashlib.sha256(data).hexdigest() != header.get("sha256"):
        raise InputError(
            f"the index {folder} is truncated or was altered (the checksum of {ARRAYS} is not "
            f"the one in {HEADER}); build it again"
        )
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as loaded:
            arrays = dict(loaded)
        docnos, terms = _unpacked(arrays["docnos"]), _unpacked(arrays["terms"])
        title, body = (_field(arrays, name, len(terms), len(docnos)) for name in (TITLE, BODY))
        analyzer = Analyzer(**header["analyzer"])
        return Index(docnos, terms, title, body, analyzer, str(header["extractor"]))
    except (*NO_PLAIN_ARRAYS, *DAMAGED_ARRAYS, TypeError, OptionError) as error:
        raise InputError(f"the index {folder} is damaged ({error}); build it again") from error


def _field(arrays: Mapping[str, NDArray[Any]], name: str, terms: int, documents: int) -> Field:
    columns = tuple(arrays[f"{name}_{part}"] for part in _PARTS)
    whole = all(column.dtype.kind == "i" for column in columns)
    postings = csr_matrix(columns, shape=(terms, documents))
    postings.check_format(full_check=True)  # before anything looks where they point
    if not (whole and postings.has_canonical_format and (postings.data > 0).all()):
        raise ValueError(f"the postings of the {name} are not counts, in the order of documents")
    return Field(postings)


def _packed(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Encode names, which contain no line breaks, as an array of bytes."""
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def _unpacked(content: NDArray[Any]) -> tuple[str, ...]:
    if content.dtype != np.uint8:
        raise ValueError("its names are not text")
    names = tuple(content.tobytes().decode().split("\n")) if len(content) else ()
    if len(set(names)) != len(names):
        raise ValueError("it holds a name twice")
    return names


@dataclass(frozen=True, slots=True)
class Indexed:
    """The result of `index_pages`: the folder, the numbers of documents and terms, and the
    failures.
    """

    folder: str
    documents: int
    terms: int
    failures: tuple[Failure, ...]


def index_pages(
    inputs: Annotated[Sequence[str], Parameter(metavar="INPUT...")],
    *,
    output: Annotated[str, Parameter(("--output", "-o"), metavar="FOLDER")],
    extractor: Annotated[str, Parameter(choices=EXTRACTORS)] = "naive",
    stop_words: Annotated[str, Parameter(choices=STOP_WORDS)] = "english",
    stemmer: Annotated[str, Parameter(choices=STEMMERS)] = "porter",
    docnos: Annotated[Collection[str] | None, read_by(read_docnos, metavar="FILE")] = None,
    limit_mb: float = DEFAULT_LIMIT / 1e6,
    progress: Annotated[Callable[[int, int], None] | None, Parameter(parse=False)] = None,
) -> Indexed:
    """Index pages: count the terms in their titles and bodies.

    irds:NAME names the documents of a data set of ir_datasets (extra ir). Documents that cannot
    be indexed go to FOLDER.errors.jsonl.

    Example: understand index build crawl.warc.gz -o crawl-index/

    Args:
        inputs: Pages as `understand score` takes them, or irds:NAME.
        output: The new index.
        extractor: How to find the text of a page: main, naive, boilerpipe, justext.
        stop_words: Words to leave out: english (scikit-learn's list), none.
        stemmer: porter, none.
        docnos: Read only documents named in this list, qrels file or run.
        limit_mb: Longest document, in MB once decoded; longer ones become errors.
        progress: Called with the documents and the errors so far.
    """
    analyzer = Analyzer(stop_words, stemmer)
    folder = output.rstrip("/") or "/"
    files = [name for name in inputs if not is_dataset(name)]
    pages = chain(
        Sources(files, docnos=docnos, limit=int(limit_mb * 1e6)) if files else (),
        *(dataset_pages(name) for name in inputs if is_dataset(name)),
    )
    index, failures = build_index(with_progress(pages, progress), analyzer, extractor)
    save_index(index, folder)
    write_failures(failures, folder)
    return Indexed(folder, len(index), len(index.terms), failures)
