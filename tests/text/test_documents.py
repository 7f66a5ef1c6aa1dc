"""Blocks become a document: pieces and sentences under each policy of sentence ends."""

import copy
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.feature.batch import Batch
from understandability.text.analysis import MOST_CHARACTERS, document_of_page, document_of_text
from understandability.text.document import Document
from understandability.text.page import TEXT, Page
from understandability.text.sentences import ended_fields

PAGE = Page(
    "p",
    "pages/p.html",
    b"<html lang='en'><title>Flu</title><body><ul><li>Wash your hands</li><li>Rest!</li></ul>"
    b"<p>Flu is a virus. Dr. Lee said so.</p></body></html>",
    url="http://a/",
)


def sentences(page: Page, sentence_ends: str) -> list[str]:
    """The sentences of a page's naive text."""
    document = document_of_page(page, extractor="naive", sentence_ends=sentence_ends)
    return [" ".join(sentence) for sentence in document.sentences]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("none", ["Flu Wash your hands Rest!", "Flu is a virus.", "Dr. Lee said so."]),
        ("force-period", ["Wash your hands.", "Rest!", "Flu is a virus.", "Dr. Lee said so."]),
        (
            "force-period-always",
            ["Wash your hands.", "Rest!.", "Flu is a virus.", "Dr. Lee said so.."],
        ),
    ],
)
def test_policies_of_sentence_ends(policy: str, expected: list[str]) -> None:
    """A field boundary ends a sentence under the two force-period policies only."""
    assert sentences(PAGE, policy)[-len(expected) :] == expected


def test_the_document_carries_what_its_page_told() -> None:
    """Names, address, title, language, encoding, the choices made, the tag counts."""
    document = document_of_page(PAGE)
    assert (document.docno, document.path, document.url) == ("p", "pages/p.html", "http://a/")
    assert (document.title, document.language) == ("Flu", "en")
    assert document.encoding in ("utf-8", "windows-1252")
    assert (document.extractor, document.sentence_ends) == ("main", "force-period")
    assert (document.tag_counts["li"], document.tag_counts["p"]) == (2, 1)


def test_headings_of_a_text_end_their_sentence() -> None:
    """A line of its own is a field; a hard-wrapped line goes on."""
    text = "What is flu\n\nFlu is a virus that many\npeople get in winter. It passes."
    document = document_of_text(text)
    assert [" ".join(sentence) for sentence in document.sentences] == [
        "What is flu.",
        "Flu is a virus that many people get in winter.",
        "It passes.",
    ]
    assert not document.tag_counts


@pytest.mark.parametrize("content", [b"", b" \n\t ", b"..."])
def test_a_text_without_words_is_a_document_without_words(content: bytes) -> None:
    """Its row has NaN and a flag; it is no error."""
    assert len(document_of_page(Page("p", "", content, TEXT)).sentences) <= 1


def test_of_an_endless_text_the_beginning_is_analysed() -> None:
    """Up to the end of a piece, with a flag; shorter texts are analysed whole."""
    sentence = "Rest, and drink water. "
    whole = document_of_text(sentence * 6_000)
    assert (len(whole.pieces), whole.flags) == (24_000, ())
    long = document_of_text(sentence * 400_000)
    assert long.flags == ("long_text",)
    assert long.pieces == whole.pieces + long.pieces[24_000:]
    assert sum(len(piece) + 1 for piece in long.pieces) in range(
        MOST_CHARACTERS - 10, MOST_CHARACTERS + 2
    )


def test_what_is_longer_than_any_word_hides_no_text() -> None:
    """Code or an image as text; of it, too, the beginning is analysed."""
    document = document_of_text("Rest. " + "?!" * 400_000 + " Drink water.")
    assert [len(piece) for piece in document.pieces] == [5, 1000, 5, 6]
    assert document.flags == ("long_text",)


@pytest.mark.parametrize(
    ("links", "flags"), [(1, ()), (2, ("list_of_links",)), (4, ("little_kept", "list_of_links"))]
)
def test_a_page_of_which_little_was_kept(links: int, flags: tuple[str, ...]) -> None:
    """Less than a quarter of the words that are shown, or than there are in links, has a flag."""
    text = (
        "The flu is an illness that is caused by a virus, and most of the people who have it are "
        "well again after a week in bed or so."
    )
    menu = f"<p><a href=x>{text.rstrip('.')}</a></p>" * links  # no sentence, or it would be kept
    document = document_of_page(Page("d", "", f"<p>{text} {text}</p>{menu * 2}".encode()))
    assert document.flags == flags


@given(st.text("flu?.!…\"'”)]DPp ", max_size=30))
def test_fields_that_end(text: str) -> None:
    """In sentence punctuation and then any closing marks, within the last eight characters."""
    end = re.compile("[.!?…。！？।॥][\"'”’»)\\]]*\\Z")
    is_open = end.search(text, max(0, len(text) - 8)) is None
    assert ended_fields([text], "force-period") == ([text + "." * is_open], [is_open])


def test_a_document_is_cut_up_when_it_is_asked() -> None:
    """It is as one that was given all: equal, copied, pickled, counted."""
    page = Page("d", "p", "<h1>Flu</h1><p>Rest—now. Dr. Lee said so.")
    later, copied, pickled, counted = (document_of_page(page) for _ in range(4))
    given = Document(
        *("d", "p", ("Flu.", "Rest", "—", "now.", "Dr.", "Lee", "said", "so."), (0, 1, 4)),
        blocks=later.blocks,
        open_ends=(0,),
        tag_counts=later.tag_counts,
        **{name: getattr(later, name) for name in ("language", "encoding", "extractor", "flags")},
        sentence_ends="force-period",
    )
    assert later == given
    assert copied.replace(docno="e") == given.replace(docno="e")
    assert pickle.loads(pickle.dumps(pickled)) == copy.deepcopy(copied) == given
    assert len({later, copied, pickled, given}) == 1
    assert [block.text for block in later.blocks] == ["Flu", "Rest—now. Dr. Lee said so."]
    ours, theirs = Batch([counted, later]), Batch([given, given])
    for name in ("piece_ids", "piece_starts", "first_sentences", "word_bounds", "is_open"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert later.replace(pieces=("Rest.",), sentence_starts=(0,)).sentences == (("Rest.",),)
    with pytest.raises(AttributeError, match="use replace"):
        later.docno = "e"
    with pytest.raises(AttributeError, match="use replace"):
        del later.docno
    with pytest.raises(AttributeError):
        later.peices  # type: ignore[attr-defined]  # noqa: B018
