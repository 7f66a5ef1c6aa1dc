"""Raw bytes to a decoded page with one shared parse, and a guess of its language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from lxml import etree

from understandability.pages.decoding import decode
from understandability.pages.language import guess_language
from understandability.pages.tape import Tape, tape_of
from understandability.records import HTML, Page

__all__ = ["ParsedPage", "Tape", "parse_page"]


@dataclass(frozen=True)
class ParsedPage:
    """A page, decoded and parsed once; everything below is read from the one parse.

    `text` is the decoded source, `encoding` what it was decoded from, `tape` its markup (see
    `understandability.pages.tape`; empty for plain text), `declared_language` what the page says
    of itself.
    """

    page: Page
    encoding: str
    text: str
    tape: Tape = field(default_factory=list, repr=False)
    declared_language: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def is_html(self) -> bool:
        return self.page.media_type == HTML

    @cached_property
    def tag_counts(self) -> Mapping[str, int]:
        """How many elements of each name the page has."""
        counts: Counter[str] = Counter()
        for tag, number in Counter(self.tape[1::2]).items():
            if not tag.startswith("/"):
                counts[tag.rstrip("/")] += number
        return MappingProxyType(counts)

    @cached_property
    def title(self) -> str:
        """The text of the first ``<title>``, white space collapsed; '' without one."""
        for opening in ("title", "title/"):
            if opening in self.tape:
                return " ".join(self.tape[self.tape.index(opening) + 1].split())
        return ""

    @cached_property
    def language(self) -> str | None:
        """The page's language, a lower-case primary subtag like ``en``; None when unknown."""
        return self.declared_language or guess_language(self)


def parse_page(page: Page) -> ParsedPage:
    """Decode and parse a page.

    Raises `PageError` of stage ``decode`` for content that is neither HTML nor text.

    >>> parsed = parse_page(Page("d", "", b"<html lang=en-GB><title>Flu</title><p>A virus.<p>Two."))
    >>> parsed.title, parsed.language, parsed.tag_counts["p"], parsed.encoding
    ('Flu', 'en', 2, 'utf-8')
    """
    text, encoding = decode(page.content, page.charset)
    if page.media_type != HTML:
        return ParsedPage(page, encoding, text)
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=True)
    root = etree.fromstring(text.encode(), parser) if text.strip() else None
    if root is None:
        return ParsedPage(page, encoding, text, [""])
    declared = root.get("lang") or root.get("xml:lang") or ""
    return ParsedPage(
        page, encoding, text, tape_of(root), declared.split("-")[0].strip().lower() or None
    )
