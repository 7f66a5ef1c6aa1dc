"""`ParsedPage`: a page that was decoded and parsed once, for all later steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from understandability import _core
from understandability._core import Tape
from understandability.flags import FlagName
from understandability.text.decoding import decode
from understandability.text.language import (
    SAMPLE,
    UNDETERMINED,
    contradicting_language,
    detect_language,
    is_in_other_script,
    language_subtag,
)
from understandability.text.page import HTML, MARKDOWN, Page
from understandability.text.tape import MAIN_PARTS, RAW, Markup, read_markup, read_source
from understandability.text.tokens import in_usual_form

# Shorter texts are labels of menus and tables, which say little about the language.
_SENTENCE = 30
_RAW = frozenset(RAW)
# Main parts beyond this number are not searched for a language.
_MOST_CLAIMS = 50
_LANGUAGE = re.compile(rb"""(?<=[\s:"'])lang\s?=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)
_MAIN_ROLE = b'role="main"'
_MATTER_LINES = 500
_MATTER_NAME = re.compile(rb"[ \t]*[\w\"'-]+[ \t]*:")
# Fewer characters of sentences than this do not represent a page.
_SOME = 60
# Characters that are compared with the language that a page claims.
_ENOUGH = 4_000
_LINE_BREAK = re.compile(rb"<br ?(/?)>")


@dataclass(frozen=True)
class ParsedPage:
    """A page that was decoded and parsed once. All attributes come from this one parse.

    Attributes:
        page: the page.
        source: the page in UTF-8.
        encoding: the encoding that it was decoded from.
        tape: its markup as a flat list, see `understandability.text.tape`; empty for plain text.
        declared_language: the language that the page claims, in its markup or else in a header.
        flags: what was unusual about the page.
        hints: the labels of sections (such as ``footer``) by the index of their tag, see
            `read_source`.
        is_source: True if the tape was made by `parse_source`, without building a tree.
    """

    page: Page
    source: bytes = field(repr=False)
    encoding: str
    tape: Tape = field(default_factory=Tape, repr=False)
    declared_language: str | None = None
    flags: tuple[FlagName, ...] = ()
    hints: Mapping[int, str] = field(default_factory=dict, repr=False)
    is_source: bool = False

    @property
    def is_html(self) -> bool:
        return self.page.media_type == HTML

    @cached_property
    def tags(self) -> Counter[str]:
        """How often each tag occurs on the tape."""
        return self.tape.counts()

    @cached_property
    def text(self) -> str:
        """The text of a page that is not HTML; for Markdown the prose alone, without code."""
        text = self.source.decode()
        if self.page.media_type == MARKDOWN:
            from understandability.text.prose import prose_of_markdown

            return prose_of_markdown(text)
        return text

    @cached_property
    def closes_void_elements(self) -> bool:
        """True if the page mostly writes ``<br/>`` rather than ``<br>``."""
        slashes = _LINE_BREAK.findall(self.source)
        return 2 * slashes.count(b"/") > len(slashes)

    @cached_property
    def tag_counts(self) -> Mapping[str, int]:
        """The number of elements of each name in the page's tree."""
        if self.is_source:
            return _LaterCounts(self.page)
        counts: Counter[str] = Counter()
        for tag, number in self.tags.items():
            if not tag.startswith("/"):
                counts[tag.rstrip("/")] += number
        return MappingProxyType(counts)

    @cached_property
    def title_index(self) -> int | None:
        """The index of the tag that precedes the text of the page's title; None without a title."""
        index, picture = self.tape.place_of("title"), self.tape.place_of("svg")
        return None if index < 0 or 0 <= picture < index else index

    @cached_property
    def title(self) -> str:
        """The page's title, white space collapsed; '' without one."""
        if self.title_index is None:
            return ""
        return " ".join(self.tape.text_behind(self.title_index).split())

    @cached_property
    def language(self) -> str | None:
        """The page's language, a lower-case primary subtag such as ``en``.

        A stated language (`Page.language`) is accepted unless the script contradicts it. The
        language that the markup or a header claims is accepted unless the text plainly contradicts
        it. Without either, the language is detected. It is `UNDETERMINED` if the text could be in
        several languages, and None without letters.
        """
        stated = language_subtag(self.page.language or "")
        if stated and not is_in_other_script(self._sample(_ENOUGH), stated):
            return stated
        if claimed := self.declared_language:
            return contradicting_language(self._sample(_ENOUGH)[:_ENOUGH], claimed) or claimed
        return detect_language(self._sample(SAMPLE))

    def _sample(self, size: int) -> str:
        """Return about the first `size` characters of the page's longer texts; of all texts if few
        are long.
        """
        if not self.is_html:
            return in_usual_form(self.text[:size])
        texts = self.tape.long_texts(_SENTENCE, size, _RAW)
        if len(texts) <= _SOME:
            texts = self.tape.long_texts(1, size, _RAW)
        return in_usual_form(texts)

    @property
    def claims_another_language(self) -> bool:
        """True if the page claims or states a language in which its text is not written."""
        claim = language_subtag(self.page.language or "") or self.declared_language
        return claim not in (None, self.language) and self.language is not None

    @property
    def is_language_uncertain(self) -> bool:
        """True if no language was stated or claimed, and none could be detected."""
        return self.language == UNDETERMINED


def parse_page(page: Page) -> ParsedPage:
    """Decode and parse a page.

    Raises `PageError` of stage ``decode`` for content that is neither HTML nor text, or too large.

    >>> parsed = parse_page(Page("d", "", b"<html lang=en-GB><title>Flu</title><p>A virus.<p>Two."))
    >>> parsed.title, parsed.language, parsed.tag_counts["p"], parsed.encoding
    ('Flu', 'en', 2, 'utf-8')
    """
    return _read(page, read_markup)


def parse_source(page: Page) -> ParsedPage:
    """Decode and parse a page without building its tree, in half the time. See `read_source`.

    >>> parsed = parse_source(Page("d", "", b"<html lang=en-GB><title>Flu</title><p>A virus."))
    >>> parsed.tape.pieces()[-5:], parsed.title, parsed.language, parsed.tag_counts["body"]
    (['Flu', '/title', '', 'p', 'A virus.'], 'Flu', 'en', 1)
    """
    return _read(page, read_source, is_source=True)


def _read(page: Page, read: Callable[[bytes], Markup], is_source: bool = False) -> ParsedPage:
    encoding, source = decode(page.content, page.charset)
    claimed = language_subtag(page.claimed_language or "")
    if page.media_type != HTML:
        return ParsedPage(page, source, encoding, declared_language=claimed)
    if source.startswith(b"---"):
        source = source[_end_of_front_matter(source) :]
    markup = read(source)
    declared = language_of_main_part(source, markup) or language_subtag(markup.language) or claimed
    return ParsedPage(
        page, source, encoding, markup.tape, declared, markup.flags, markup.hints, is_source
    )


def language_of_main_part(source: bytes, markup: Markup) -> str | None:
    """Return the language that the main part of a page claims, or None.

    The main part is an element ``main`` or one with that role. Without one, it is the ``article``
    elements, if they all claim the same language.

    >>> page = b"<html lang=en><nav>Home</nav><main class=a lang=es-MX><p>Descanse."
    >>> language_of_main_part(page, read_source(page))
    'es'
    >>> page = b"<article lang=es>Hola</article><article lang=fr>Salut"
    >>> language_of_main_part(page, read_markup(page)) is None
    True
    """
    claims, names = list(markup.claims or ()), markup.tape.names
    if markup.claims is None and any(part in names for part in MAIN_PARTS):
        claims = _core.start_tags(source, tuple(map(str.encode, MAIN_PARTS)))
    if "main" not in names and (role := source.find(_MAIN_ROLE)) >= 0:
        start = source.rfind(b"<", 0, role)
        claims.append(("main", source[start + 1 : source.find(b">", role)]))
    for part in MAIN_PARTS:
        languages = {
            language
            for tag, attributes in claims[:_MOST_CLAIMS]
            if tag == part
            for claim in _LANGUAGE.findall(attributes)
            if (language := language_subtag(claim.decode("ascii", "replace"))) is not None
        }
        if languages:
            return languages.pop() if len(languages) == 1 else None
    return None


def _end_of_front_matter(source: bytes) -> int:
    r"""Return the offset after the front matter (for Jekyll and similar tools); 0 without any.

    >>> _end_of_front_matter(b"---\nlayout: post\n---\n<p>Flu"), _end_of_front_matter(b"---<p>")
    (21, 0)
    """
    has_name, offset = False, 0
    for number, line in enumerate(source.split(b"\n", _MATTER_LINES)[:_MATTER_LINES]):
        offset += len(line) + 1
        bare = line.strip()
        if number == 0:
            if bare != b"---":
                return 0
        elif bare in (b"---", b"..."):
            return min(offset, len(source)) if has_name or number == 1 else 0
        elif bare.startswith(b"<"):
            return 0
        has_name = has_name or _MATTER_NAME.match(line) is not None
    return 0


class _LaterCounts(Mapping[str, int]):
    """Counts of the elements in a page's tree, which is built only when they are requested."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def counts(self) -> Mapping[str, int]:
        return dict(parse_page(self.page).tag_counts)

    def __getitem__(self, name: str) -> int:
        return self.counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)
