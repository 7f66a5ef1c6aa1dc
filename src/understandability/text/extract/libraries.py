"""Call the libraries that our extractors reproduce, with the same interface (``--engine
reference``).

The libraries parse the decoded text of the page themselves. Their time is neither linear nor
bounded: a hostile page may take minutes, or fail with an error.

jusText 3.0.2 has the same paragraphs and classes as ours on all of 946 health and 109 gold pages.
boilerpy3 1.0.7 keeps the same tokens on 871 and 97 of them
(scripts/evaluate/extraction_agreement.py). On the other 87, the difference disappears once the
following is fixed in boilerpy3:

| pages | what boilerpy3 does |
|---|---|
| 36 | it ignores ``<br/>`` and similar tags, and joins the words on either side |
| 22 | it miscounts open links (a link in a link, a stray end tag): all that follows is linked |
| 12 | it treats ``<br>`` and ``<br/>`` differently, on pages that use both |
| 7 | it miscounts ignored elements (an option or embed that is never closed) |
| 5 | it does not repair broken markup, as a tree does |
| 5 | several of these, or white space hides that a heading repeats the title |
"""

from __future__ import annotations

import logging
import re
import warnings

from understandability.errors import needing
from understandability.text.document import Block
from understandability.text.extract.naive import DROPPED, INLINE, SPACED
from understandability.text.extract.naive import naive as all_text
from understandability.text.parsed import ParsedPage
from understandability.text.stop_words import stop_words_of

_FIELD_END = "\0"  # no text of a page has it
# With a declaration, jusText passes the text on as bytes, and libxml2 then believes the
# declaration.
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


def naive_by_library(parsed: ParsedPage) -> tuple[Block, ...]:
    """Extract all text by BeautifulSoup (with lxml as its parser)."""
    with needing("this reference engine needs BeautifulSoup", ".[reference]"):
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


def boilerpipe_by_library(parsed: ParsedPage) -> tuple[Block, ...]:
    """Extract blocks by boilerpy3's ArticleExtractor. It fails if no tag precedes the text or the
    body.
    """
    with needing("this reference engine needs boilerpy3", ".[reference]"):
        from boilerpy3.extractors import ArticleExtractor
        from boilerpy3.parser import BoilerpipeHTMLParser

    # It logs nested links and pages without tags.
    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL + 1)

    # Its blocks keep the line breaks of the source, and it joins blocks by line breaks.
    source = " ".join(parsed.text.splitlines())
    # It ignores unmatched end tags. For any other failure it returns no blocks.
    document = ArticleExtractor(raise_on_failure=False).get_doc(source)
    if not document.text_blocks and all_text(parsed):
        BoilerpipeHTMLParser(raise_on_failure=False).feed(source)
    return tuple(
        Block(" ".join(line.split()), "body", block.is_content, "")
        for block in document.text_blocks
        for line in block.text.split("\n")
        if line.strip()
    )


def justext_by_library(parsed: ParsedPage) -> tuple[Block, ...]:
    """Extract paragraphs by jusText, which raises an error for a page without elements."""
    with needing("this reference engine needs jusText", ".[reference]"):
        import justext
        from lxml.etree import ParserError

    stop_list = stop_words_of(parsed.language or "en")
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
