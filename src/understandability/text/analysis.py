"""Blocks of text become a `Document`: pieces between white space, cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from understandability import _core
from understandability.text.document import MOSTLY_LINKS, Block, Document
from understandability.text.extract.extractors import extract, parse_for
from understandability.text.page import TEXT, Page
from understandability.text.parsed import ParsedPage
from understandability.text.sentences import cut_up, ended_fields

DEFAULT_EXTRACTOR = "main"
DEFAULT_SENTENCE_ENDS = "force-period"
# Of a longer text the beginning is analysed: some 25,000 words, eighty printed pages.
MOST_CHARACTERS = 150_000
LONG_TEXT = "long_text"
_LONG_PIECE = re.compile(r"(?<!\S)(\S{1000})\S+")

# The flag of a page of whose words less than this share was taken: its text may have been missed.
LITTLE_KEPT = "little_kept"
LITTLE_SHARE = 0.25
# The flag of a page of which more words were left out as lists of links than were kept.
LIST_OF_LINKS = "list_of_links"
# The flag of a page whose text is in another language than it claims.
WRONG_LANG = "wrong_lang"


def document_of(
    parsed: ParsedPage, blocks: Sequence[Block], *, extractor: str, sentence_ends: str
) -> Document:
    """The document that a page's blocks make under one policy of sentence ends.

    `extractor` is the name to stand on the row; the texts of the kept blocks are cut into
    fields by the policy, and no sentence runs across the end of a field. Of a text longer than
    `MOST_CHARACTERS` only so much is cut up, and the document has the flag `LONG_TEXT`; one of
    less than a quarter of the words in the blocks has the flag `LITTLE_KEPT`, and one of fewer
    words than its lists of links have `LIST_OF_LINKS`.

    >>> from understandability.text.extract.extractors import extract
    >>> from understandability.text.parsed import parse_page
    >>> from understandability.text.page import Page
    >>> parsed = parse_page(Page("flu", "", b"<h1>Flu</h1><p>Rest. Drink water.</p>"))
    >>> blocks = extract(parsed, "naive")
    >>> document_of(parsed, blocks, extractor="naive", sentence_ends="force-period").sentences
    (('Flu.',), ('Rest.',), ('Drink', 'water.'))
    """
    taken, words, kept, links = _core.kept_texts(blocks, MOSTLY_LINKS)
    texts, are_open = ended_fields(taken, sentence_ends)
    analysed = _beginning(texts)
    pieces, starts, numbers = cut_up(analysed, parsed.language)
    open_ends = [
        end - 1
        for end, number, is_open in zip(accumulate(numbers), numbers, are_open, strict=False)
        if number and is_open
    ]
    return Document(
        docno=parsed.page.docno,
        path=parsed.page.path,
        pieces=tuple(pieces),
        sentence_starts=tuple(starts),
        tag_counts=parsed.tag_counts,
        blocks=tuple(blocks),
        title=parsed.title,
        url=parsed.page.url,
        language=parsed.language,
        encoding=parsed.encoding,
        extractor=extractor,
        sentence_ends=sentence_ends,
        flags=(
            *parsed.page.flags,
            *parsed.flags,
            *[WRONG_LANG] * parsed.claims_another_language,
            *[LONG_TEXT] * (analysed is not texts),
            *[LITTLE_KEPT] * (kept < LITTLE_SHARE * words),
            *[LIST_OF_LINKS] * (kept < links),
        ),
        open_ends=tuple(open_ends),
    )


def _beginning(texts: list[str]) -> list[str]:
    """The first `MOST_CHARACTERS` of some texts, up to the end of a piece; all if they are fewer.

    Of what is longer than any writing (code, an image as text) little is left in that case.

    >>> [len(text) for text in _beginning(["a" * 150_000, "word " * 50_000])]
    [1000, 148994]
    """
    if sum(map(len, texts)) <= MOST_CHARACTERS:
        return texts
    left = MOST_CHARACTERS
    analysed: list[str] = []
    for text in texts:
        end = left + 1  # look at no more of a huge line than we keep
        while len(some := _LONG_PIECE.sub(r"\1", text[:end])) <= left and end < len(text):
            end *= 2
        if len(some) > left:
            return analysed + some[:left].rsplit(None, 1)[:1]
        analysed.append(some)
        left -= len(some)
    return analysed


def document_of_page(
    page: Page,
    *,
    extractor: str = DEFAULT_EXTRACTOR,
    sentence_ends: str = DEFAULT_SENTENCE_ENDS,
    engine: str = "fast",
) -> Document:
    """Decode, parse and extract one page; raises `PageError` where that cannot be done.

    >>> page = Page("p", "", b"<title>Flu</title><p>You have flu. Rest!</p>")
    >>> document_of_page(page, extractor="naive").sentences[-2:]
    (('You', 'have', 'flu.'), ('Rest!',))
    """
    parsed = parse_for(page, extractor)
    blocks = extract(parsed, extractor, engine)
    return document_of(parsed, blocks, extractor=extractor, sentence_ends=sentence_ends)


def document_of_text(text: str, docno: str = "text") -> Document:
    """The document of plain text, as from a file that ends in ``.txt``.

    >>> document_of_text("Dr. Lee came. She sat.").sentences
    (('Dr.', 'Lee', 'came.'), ('She', 'sat.'))
    """
    return document_of_page(Page(docno, "", text, TEXT))
