"""The libraries that the methods come from, behind the same interface (``--engine reference``)."""

from __future__ import annotations

import re
from functools import cache

from understandability.pages import ParsedPage
from understandability.records import Block

_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


@cache
def _stop_words(name: str) -> frozenset[str]:
    import justext

    return justext.get_stoplist(name)


def naive(parsed: ParsedPage) -> tuple[Block, ...]:
    """BeautifulSoup."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(parsed.text, "lxml")
    for element in soup(["script", "style", "template", "noscript"]):
        element.decompose()
    return tuple(
        Block(" ".join(text.split()), "body", True, "all text")
        for text in soup.stripped_strings
    )


def boilerpipe(parsed: ParsedPage) -> tuple[Block, ...]:
    """boilerpy3's ArticleExtractor."""
    from boilerpy3 import extractors

    document = extractors.ArticleExtractor().get_doc(parsed.text)
    return tuple(
        Block(" ".join(line.split()), "div", block.is_content, "")
        for block in document.text_blocks
        for line in block.text.split("\n")
        if line.strip()
    )


def justext(parsed: ParsedPage) -> tuple[Block, ...]:
    """jusText."""
    import justext

    text = _XML_DECLARATION.sub("", parsed.text)
    return tuple(
        Block(
            " ".join(paragraph.text.split()),
            paragraph.dom_path.rpartition(".")[2],
            not paragraph.is_boilerplate,
            paragraph.cf_class,
        )
        for paragraph in justext.justext(text, _stop_words("English"))
    )
