"""The libraries that the methods come from, behind the same interface (``--engine reference``).

They get the page's decoded text and parse it themselves. They are neither linear nor bounded: a
hostile page may take them minutes, or fail with an error.

jusText 3.0.2 has the same paragraphs and classes as ours on all of 946 health and 109 gold
pages. boilerpy3 has the same kept tokens on 868 and 95; where not, it is for these reasons:

| pages | what boilerpy3 does |
|---|---|
| 28 | its count of open links goes wrong (a link in a link, a stray end tag), and all that |
|    | follows counts as linked; nothing is left of 20 of these |
| 26 | it glues the lines on both sides of ``<br/>``; all else is the same |
| 24 | it passes over self-closed elements, on pages that write both ``<br>`` and ``<br/>`` |
| 7 | its count of ignored elements goes wrong (an option, an embed that is never closed) |
| 5 | it fails: an end tag too many, or no tag at all |
| 2 | its count of bodies goes wrong |
"""

from __future__ import annotations

import logging
import re
import warnings

from understandability.extraction.naive import DROPPED, INLINE, SPACED
from understandability.pages import ParsedPage, stop_words
from understandability.records import Block

_FIELD_END = "\0"  # no text of a page has it
# jusText passes the text on as bytes where this is found, and libxml2 then believes it.
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


def naive(parsed: ParsedPage) -> tuple[Block, ...]:
    """All text, by BeautifulSoup (with lxml as its parser)."""
    import bs4

    with warnings.catch_warnings():
        # It warns of XML, and of text that might be meant as a file name.
        warnings.simplefilter("ignore", UserWarning)
        soup = bs4.BeautifulSoup(parsed.text, "lxml")
    for element in soup(list(DROPPED)):
        element.decompose()
    for element in soup(lambda element: element.name not in INLINE | SPACED):
        element.insert_before(_FIELD_END)
        element.append(_FIELD_END)
    return tuple(
        Block(text, "body", True, "all text")
        for text in (" ".join(text.split()) for text in soup.get_text().split(_FIELD_END))
        if text
    )


def boilerpipe(parsed: ParsedPage) -> tuple[Block, ...]:
    """boilerpy3's ArticleExtractor."""
    from boilerpy3.extractors import ArticleExtractor

    # It tells about nested links and about pages without tags, in passing.
    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL + 1)

    document = ArticleExtractor(raise_on_failure=False).get_doc(parsed.text)
    return tuple(
        Block(" ".join(line.split()), "body", block.is_content, "")
        for block in document.text_blocks
        for line in block.text.split("\n")
        if line.strip()
    )


def justext(parsed: ParsedPage) -> tuple[Block, ...]:
    """jusText; it calls a page without elements an error."""
    import justext
    from lxml.etree import ParserError

    stop_list = stop_words(parsed.language or "en")
    options = {} if stop_list else {"stopwords_low": 0, "stopwords_high": 0}
    text = _XML_DECLARATION.sub("", parsed.text)
    try:
        paragraphs = justext.justext(text, stop_list or frozenset(), **options)
    except ParserError:
        return ()
    return tuple(
        Block(
            " ".join(paragraph.text.split()),
            paragraph.dom_path.rpartition(".")[2],
            not paragraph.is_boilerplate,
            paragraph.class_type,
        )
        for paragraph in paragraphs
        if paragraph.text
    )
