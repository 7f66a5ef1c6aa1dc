"""Blocks of text become a `Document`: pieces between white space, cut into sentences."""

from __future__ import annotations

from collections.abc import Sequence

from understandability.extraction import extract, fields, open_fields
from understandability.language.sentences import sentence_starts
from understandability.language.tokens import split_pieces
from understandability.pages import ParsedPage, parse_page
from understandability.records import TEXT, Block, Document, Page

DEFAULT_EXTRACTOR = "main"
DEFAULT_SENTENCE_ENDS = "force-period"

# The flag of a page of whose words less than this share was taken: its text may have been missed.
LITTLE_KEPT = "little_kept"
LITTLE_SHARE = 0.25


def document_of(
    parsed: ParsedPage, blocks: Sequence[Block], *, extractor: str, sentence_ends: str
) -> Document:
    """The document that a page's blocks make under one policy of sentence ends.

    `extractor` is the name to stand on the row; the texts of the kept blocks are cut into
    fields by the policy, and no sentence runs across the end of a field. A document of less than
    a quarter of the words in the blocks has the flag `LITTLE_KEPT`.

    >>> from understandability.extraction import extract
    >>> from understandability.pages import parse_page
    >>> from understandability.records import Page
    >>> parsed = parse_page(Page("flu", "", b"<h1>Flu</h1><p>Rest. Drink water.</p>"))
    >>> blocks = extract(parsed, "naive")
    >>> document_of(parsed, blocks, extractor="naive", sentence_ends="force-period").sentences
    (('Flu.',), ('Rest.',), ('Drink', 'water.'))
    """
    pieces: list[str] = []
    starts: list[int] = []
    open_ends: list[int] = []
    texts = fields(blocks, sentence_ends)
    for text, is_open in zip(texts, open_fields(blocks, sentence_ends), strict=True):
        more = split_pieces(text)
        starts += [len(pieces) + start for start in sentence_starts(more)]
        pieces += more
        if more and is_open:
            open_ends.append(len(starts) - 1)
    return Document(
        docno=parsed.page.docno,
        source=parsed.page.source,
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
        flags=(*parsed.page.flags, *parsed.flags, *[LITTLE_KEPT] * _is_little_kept(blocks)),
        open_ends=tuple(open_ends),
    )


def _is_little_kept(blocks: Sequence[Block]) -> bool:
    words = dict.fromkeys((True, False), 0)
    for block in blocks:
        words[block.kept] += block.text.count(" ") + 1
    return words[True] < LITTLE_SHARE * sum(words.values())


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
    parsed = parse_page(page)
    blocks = extract(parsed, extractor, engine)
    return document_of(parsed, blocks, extractor=extractor, sentence_ends=sentence_ends)


def document_of_text(text: str, docno: str = "text") -> Document:
    """The document of plain text, as from a file that ends in ``.txt``.

    >>> document_of_text("Dr. Lee came. She sat.").sentences
    (('Dr.', 'Lee', 'came.'), ('She', 'sat.'))
    """
    return document_of_page(Page(docno, "", text, TEXT))
