"""The inverted index: what it counts, that it is saved whole, and what a bad folder gets."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from understandability.errors import InputError, OptionError
from understandability.study.index import (
    FIELDS,
    Analyzer,
    Index,
    build_index,
    load_index,
    save_index,
)
from understandability.text.page import TEXT, Failure, Page

FLU = Page("flu", "", "<title>The flu</title><body><h1>Flu</h1><p>Viruses cause the flu.")
COLD = Page("cold", "", "<title>Colds</title><body><p>A cold is caused by viruses.")
NOTE = Page("note", "", "Colds pass.", TEXT)


@pytest.fixture
def index() -> Index:
    return build_index([FLU, COLD, NOTE])[0]


def craft(folder: Path, change: Callable[[dict[str, NDArray[Any]]], object]) -> None:
    """Change the arrays of a saved index, under a checksum that fits."""
    header, postings = folder / "index.json", folder / "postings.npz"
    with np.load(postings) as loaded:
        arrays = dict(loaded)
    change(arrays)
    np.savez(postings, **arrays)
    checksum = sha256(postings.read_bytes()).hexdigest()
    header.write_text(json.dumps(json.loads(header.read_text()) | {"sha256": checksum}))


def counts(index: Index, field: str, docno: str) -> dict[str, int]:
    """How often a document has each term that it has."""
    column = index.field(field).postings[:, index.document_numbers[docno]].toarray().ravel()
    return {term: int(count) for term, count in zip(index.terms, column, strict=True) if count}


def test_terms_are_counted_by_field(index: Index) -> None:
    """The title is no part of the body; the page is both; a text has a body alone."""
    assert counts(index, "title", "flu") == {"flu": 1}
    assert counts(index, "body", "flu") == {"flu": 2, "virus": 1, "caus": 1}
    assert counts(index, "page", "flu") == {"flu": 3, "virus": 1, "caus": 1}
    assert counts(index, "title", "note") == {}
    assert counts(index, "body", "note") == {"cold": 1, "pass": 1}


def test_the_statistics_are_those_of_the_counts(index: Index) -> None:
    for name in FIELDS:
        field = index.field(name)
        dense = field.postings.toarray()
        assert field.lengths.tolist() == dense.sum(axis=0).tolist()
        assert field.occurrences.tolist() == dense.sum(axis=1).tolist()
        assert field.documents_with.tolist() == (dense > 0).sum(axis=1).tolist()
        assert field.tokens == dense.sum()


def test_the_terms_of_a_query_are_those_of_the_pages(index: Index) -> None:
    """Queries are analysed as pages are; what no page has is left out, what is twice counts."""
    assert index.query_terms("the COLD, colds & viruses, zebras") == {
        index.term_numbers["cold"]: 2,
        index.term_numbers["virus"]: 1,
    }


def test_what_cannot_be_indexed_is_a_failure() -> None:
    """A second page of a docno, one whose docno no run can hold, and one that is no text."""
    failed = Failure("lost", "lost.html", "read", "it is not there")
    pages = [FLU, FLU, Page("a b", "", "x", TEXT), Page("pdf", "", b"%PDF-1.4 x"), failed, NOTE]
    index, failures = build_index(pages)
    assert index.docnos == ("flu", "note")
    assert [(failure.docno, failure.stage) for failure in failures] == [
        ("flu", "read"),
        ("a b", "read"),
        ("pdf", "decode"),
        ("lost", "read"),
    ]


def test_what_a_parser_fails_on_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """One page that nobody foresaw does not end an index."""

    def fails(page: Page) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("understandability.study.index.parse_page", fails)
    with pytest.raises(InputError, match="RecursionError: too deep"):
        build_index([FLU])


def test_no_page_at_all_is_refused() -> None:
    """An index of nothing is a mistake, and the first failure says which."""
    with pytest.raises(InputError, match=r"no page to index.*it is not there"):
        build_index([Failure("lost", "lost.html", "read", "it is not there")])


def test_an_index_is_saved_whole(index: Index, tmp_path: Path) -> None:
    """What is loaded is what was saved; the same index gives the same bytes, over an older one."""
    for folder in ("one", "two", "one"):
        save_index(index, tmp_path / folder)
    loaded = load_index(tmp_path / "one")
    assert (loaded.docnos, loaded.terms) == (index.docnos, index.terms)
    assert (loaded.analyzer, loaded.extractor) == (index.analyzer, index.extractor)
    for name in FIELDS:
        assert (loaded.field(name).postings != index.field(name).postings).nnz == 0
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_pages_without_a_term_are_documents(tmp_path: Path) -> None:
    """Stop words alone leave documents and no terms, not one empty term, also when saved."""
    index, _ = build_index([Page("d", "", "the and of", TEXT)])
    save_index(index, tmp_path / "index")
    for each in (index, load_index(tmp_path / "index")):
        assert each.terms == ()
        assert each.page.lengths.tolist() == [0.0]


def test_a_folder_of_other_things_is_left_alone(index: Index, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="holds other files and no index"):
        save_index(index, tmp_path)
    assert (tmp_path / "thesis.tex").exists()


@pytest.fixture
def saved(index: Index, tmp_path: Path) -> Path:
    """The folder of a saved index."""
    save_index(index, tmp_path / "index")
    return tmp_path / "index"


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    """A missing folder, and one without a header, say how to make an index."""
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match=r"is not an index: .* `understand index build`"):
            load_index(folder)


def test_an_index_of_another_version_or_altered_is_refused(saved: Path) -> None:
    """A truncated file and one with a bit turned fail their checksum."""
    postings, header = saved / "postings.npz", saved / "index.json"
    content = postings.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (content[:-20], bytes(flipped)):
        postings.write_bytes(damaged)
        with pytest.raises(InputError, match="truncated or was altered"):
            load_index(saved)
    header.write_text(header.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InputError, match=r"is of format 2, this version reads format 1"):
        load_index(saved)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("body_documents", lambda a: a + 7, r"damaged \(indices must be"),
        ("body_documents", lambda a: a - 5, r"damaged \(indices must be"),
        ("body_documents", lambda a: a[::-1].copy(), "in the order of documents"),
        ("body_starts", lambda a: a[::-1].copy(), r"damaged \(index pointer"),
        ("body_starts", lambda a: np.where(np.arange(len(a)) == 2, 99, a), r"damaged \(ind"),
        ("body_starts", lambda a: a[:-1], r"damaged \(index pointer"),
        ("body_counts", lambda a: a * 0, "are not counts"),
        ("body_counts", lambda a: a.astype(float), "are not counts"),
        ("title_counts", lambda a: a[:-1], r"damaged \(indices and data"),
        ("terms", lambda a: a.astype(np.int32), "names are not text"),
        ("docnos", lambda a: np.frombuffer(b"x\nx\nx", np.uint8), "holds a name twice"),
        ("docnos", lambda a: np.array([{"a": 1}], dtype=object), "damaged"),  # never unpickled
    ],
)
def test_crafted_postings_are_refused(
    saved: Path, name: str, change: Callable[..., Any], message: str
) -> None:
    """Arrays that would lead scipy out of bounds never reach it, whatever the checksum says."""
    craft(saved, lambda arrays: arrays.update({name: change(arrays[name])}))
    with pytest.raises(InputError, match=message):
        load_index(saved)


def test_any_damage_is_refused_or_harmless(saved: Path) -> None:
    """Bytes turned at random, under a checksum that fits: an error in a sentence, or an index."""
    header, postings = saved / "index.json", saved / "postings.npz"
    described, content = json.loads(header.read_text()), postings.read_bytes()
    rng = np.random.default_rng(3)
    for _ in range(50):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), 3):
            damaged[place] = rng.integers(256)
        postings.write_bytes(damaged)
        header.write_text(json.dumps(described | {"sha256": sha256(damaged).hexdigest()}))
        try:
            loaded = load_index(saved)
        except InputError:
            continue
        assert loaded.page.postings.shape == (len(loaded.terms), len(loaded.docnos))


def test_the_header_tells_how_it_was_made(saved: Path) -> None:
    """What was chosen stands in ``index.json``, in the clear."""
    header = json.loads((saved / "index.json").read_text())
    assert header["documents"] == 3
    assert header["analyzer"] == {"stop_words": "english", "stemmer": "porter"}


def test_the_stemmer_is_porters() -> None:
    """Words of Porter's paper (1980) and their stems there."""
    analyzer = Analyzer(stop_words="none")
    words = "caresses ponies agreed plastered motoring relational hopefulness adjustment effective"
    stems = "caress poni agre plaster motor relat hope adjust effect"
    assert analyzer.terms(words) == stems.split()


def test_very_long_words_are_no_terms() -> None:
    """A crawl's base64 does not become a term."""
    assert Analyzer().terms("flu " + "x" * 65) == ["flu"]


@pytest.mark.parametrize(
    ("choice", "there"),
    [({"stop_words": "german"}, "english, none"), ({"stemmer": "lovins"}, "porter, none")],
)
def test_unknown_choices_are_named(choice: dict[str, str], there: str) -> None:
    with pytest.raises(OptionError, match=f"choose one of {there}"):
        Analyzer(**choice)
