"""Convert a page to a `Document`: extract its blocks of text, and split them into sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import compress
from typing import Final

from understandability import _core
from understandability.errors import (
    MissingExtraError,
    PageError,
    UnderstandabilityError,
    check_choice,
)
from understandability.flags import FlagName
from understandability.hooks import load
from understandability.text.document import MOSTLY_LINKS, Block, Blocks, Document
from understandability.text.extract.plain_text import plain_paragraphs
from understandability.text.page import TEXT, Page
from understandability.text.parsed import ParsedPage, parse_page, parse_source
from understandability.text.sentences import ended_fields, uncut

DEFAULT_EXTRACTOR = "main"
DEFAULT_SENTENCE_ENDS = "force-period"
Engine = Callable[[ParsedPage], Iterable[Block]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """A method of text extraction.

    Attributes:
        fast: The name of our function (``module:function``), imported for the first page.
        citation: The publication, or a description.
        reference: The name of the function that calls the library which ours reproduces; empty if
            there is no such library.
        library: The distribution of that library, which the extra ``reference`` installs.
        reads_source: True if the method does not need the tree of the page.
        extra: The name of the extra that the method itself requires; empty if it needs none.
    """

    fast: str
    citation: str
    reference: str = ""
    library: str = ""
    reads_source: bool = False
    extra: str = ""


_OURS, _LIBRARIES = "text.extract", "text.extract.libraries"
EXTRACTORS = {
    "main": Extractor(f"{_OURS}.main:main", "our own method", reads_source=True),
    "naive": Extractor(
        f"{_OURS}.naive:naive",
        "all text, tags removed",
        f"{_LIBRARIES}:naive_by_library",
        "BeautifulSoup",
    ),
    "boilerpipe": Extractor(
        f"{_OURS}.boilerpipe:boilerpipe",
        "Kohlschütter, Fankhauser & Nejdl 2010, ArticleExtractor",
        f"{_LIBRARIES}:boilerpipe_by_library",
        "boilerpy3",
    ),
    "justext": Extractor(
        f"{_OURS}.justext:justext", "Pomikálek 2011", f"{_LIBRARIES}:justext_by_library", "jusText"
    ),
    "trafilatura": Extractor(
        f"{_OURS}.trafilatura:trafilatura", "Barbaresi 2021", extra="trafilatura"
    ),
}
BUILT_IN_EXTRACTORS = tuple(name for name, row in EXTRACTORS.items() if not row.extra)
ENGINES = ("fast", "reference")
# Modules that are named otherwise than their distribution.
_MODULES = {"BeautifulSoup": "bs4"}

# The beginning of a longer text is analysed: about 25,000 words, eighty printed pages.
MOST_CHARACTERS = 150_000
LONG_TEXT: Final = "long_text"
_LONG_PIECE = re.compile(r"(?<!\S)(\S{1000})\S+")

# The flag of a page if less than this share of its words was kept: its text may have been missed.
LITTLE_KEPT: Final = "little_kept"
LITTLE_SHARE = 0.25
# The flag of a page if more words were dropped as lists of links than were kept.
LIST_OF_LINKS: Final = "list_of_links"
# The flag of a page whose text is in another language than it claims.
WRONG_LANG: Final = "wrong_lang"
# The flag of a text whose language could not be detected; it has no estimate.
LANGUAGE_UNCERTAIN: Final = "language_uncertain"


def require_extractor(extractor: str, engine: str = "fast") -> None:
    """Raise `MissingExtraError` if an extractor or its engine needs a package that is not
    installed.

    >>> require_extractor("naive")
    """
    row = EXTRACTORS.get(extractor)
    library = row.library if row and engine == "reference" else ""
    if library and not find_spec(_MODULES.get(library, library.lower())):
        raise MissingExtraError(
            f"the reference engine of {extractor} needs {library}; "
            "pip install '.[reference]' in the source folder"
        )
    if row and row.extra and not find_spec(row.extra):
        raise MissingExtraError(
            f"extractor {extractor} is an extra; pip install '.[{row.extra}]' in the source folder"
        )


def parse_for(page: Page, extractor: str) -> ParsedPage:
    """Parse a page as an extractor needs it: as a tree, or for `main` without one.

    >>> page = Page("flu", "", b"<p>A virus.")
    >>> parse_for(page, "main").tape.pieces()
    ['', 'p', 'A virus.']
    >>> parse_for(page, "naive").tape.pieces()[2:6]
    ['', 'body', '', 'p']
    """
    row = EXTRACTORS.get(extractor)
    return parse_source(page) if row and row.reads_source else parse_page(page)


def extract(parsed: ParsedPage, extractor: str = "main", engine: str = "fast") -> tuple[Block, ...]:
    """Split a page into blocks of text with an extractor, which keeps or drops each for a reason.

    For plain text, every extractor returns one kept block per paragraph. Raises `PageError` of
    stage ``extract`` if the extractor fails on the page, and `MissingExtraError` for an extra that
    is not installed.

    >>> from understandability.text.parsed import parse_page
    >>> from understandability.text.page import Page
    >>> page = parse_page(Page("d", "", "<title>Flu</title><p>A <b>virus</b>.<p>It spreads."))
    >>> [block.text for block in extract(page, "naive")]
    ['Flu', 'A virus.', 'It spreads.']
    """
    return tuple(_extract(parsed, extractor, engine))


def _extract(parsed: ParsedPage, extractor: str, engine: str) -> Iterable[Block]:
    row, hook = _row(extractor, engine)
    if not parsed.is_html:
        return plain_paragraphs(parsed.text)
    require_extractor(extractor)
    if parsed.is_source != row.reads_source:
        parsed = parse_for(parsed.page, extractor)
    function: Engine = load(hook)
    try:
        return function(parsed)
    except UnderstandabilityError:
        raise
    except Exception as error:  # a library may fail in any way, and the run goes on
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise PageError("extract", f"{extractor} failed on the page ({what})") from error


@cache
def _row(extractor: str, engine: str) -> tuple[Extractor, str]:
    """Return the extractor with this name, and the name of the function for the engine.

    Names are checked once, not per page.
    """
    check_choice("extractor", extractor, EXTRACTORS)
    check_choice("engine", engine, ENGINES)
    row = EXTRACTORS[extractor]
    return row, (row.reference if engine == "reference" else "") or row.fast


def document_of(
    parsed: ParsedPage, blocks: Iterable[Block], *, extractor: str, sentence_ends: str
) -> Document:
    """Make a document from the blocks of a page.

    `sentence_ends` decides whether the end of a block ends a sentence. Flags: `LONG_TEXT` if only
    the first `MOST_CHARACTERS` are analysed, `LITTLE_KEPT` if less than a quarter of the words in
    the blocks was kept, `LIST_OF_LINKS` if lists of links have more words than the kept text.

    Args:
        parsed: The page.
        blocks: Its blocks.
        extractor: The name of the extractor, for the row.
        sentence_ends: One of `SENTENCE_ENDS`.

    >>> from understandability.text.parsed import parse_page
    >>> from understandability.text.page import Page
    >>> parsed = parse_page(Page("flu", "", b"<h1>Flu</h1><p>Rest. Drink water.</p>"))
    >>> blocks = extract(parsed, "naive")
    >>> document_of(parsed, blocks, extractor="naive", sentence_ends="force-period").sentences
    (('Flu.',), ('Rest.',), ('Drink', 'water.'))
    """
    columns = blocks if isinstance(blocks, Blocks) else Blocks(*zip(*blocks, strict=True))
    words = _core.words_of_each(columns.texts)
    n_words, n_kept = sum(words), sum(compress(words, columns.are_kept))
    are_links = map(MOSTLY_LINKS.__eq__, columns.reasons)
    n_links = sum(compress(words, are_links)) if 2 * n_kept < n_words else 0  # they are dropped
    texts, are_open = ended_fields(list(compress(columns.texts, columns.are_kept)), sentence_ends)
    analysed = _beginning(texts)
    is_raised: dict[FlagName, bool] = {
        WRONG_LANG: parsed.claims_another_language,
        LANGUAGE_UNCERTAIN: parsed.is_language_uncertain,
        LONG_TEXT: analysed is not texts,
        LITTLE_KEPT: n_kept < LITTLE_SHARE * n_words,
        LIST_OF_LINKS: n_kept < n_links,
    }
    return Document(
        docno=parsed.page.docno,
        path=parsed.page.path,
        tag_counts=parsed.tag_counts,
        title=parsed.title,
        url=parsed.page.url,
        language=parsed.language,
        encoding=parsed.encoding,
        extractor=extractor,
        sentence_ends=sentence_ends,
        flags=(
            *parsed.page.flags,
            *parsed.flags,
            *(flag for flag in is_raised if is_raised[flag]),
        ),
        uncut=uncut(analysed, are_open, parsed.language, columns),
    )


def _beginning(texts: list[str]) -> list[str]:
    """Return the first `MOST_CHARACTERS` characters of some texts, cut at white space.

    Runs without white space that are longer than any word (code, an encoded image) are shortened.

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
    """Decode, parse and extract one page; raise `PageError` if that is impossible.

    >>> page = Page("p", "", b"<title>Flu</title><p>You have flu. Rest!</p>")
    >>> document_of_page(page, extractor="naive").sentences[-2:]
    (('You', 'have', 'flu.'), ('Rest!',))
    """
    parsed = parse_for(page, extractor)
    blocks = _extract(parsed, extractor, engine)
    return document_of(parsed, blocks, extractor=extractor, sentence_ends=sentence_ends)


def document_of_text(text: str, docno: str = "text") -> Document:
    """Make a document from plain text, as if read from a file that ends in ``.txt``.

    >>> document_of_text("Dr. Lee came. She sat.").sentences
    (('Dr.', 'Lee', 'came.'), ('She', 'sat.'))
    """
    return document_of_page(Page(docno, "", text, TEXT))
