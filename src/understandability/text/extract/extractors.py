"""The table of extractors, and the one function that runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from understandability.errors import (
    MissingExtraError,
    PageError,
    UnderstandabilityError,
    check_choice,
)
from understandability.hooks import load
from understandability.text.document import Block
from understandability.text.extract.plain_text import plain_paragraphs
from understandability.text.page import Page
from understandability.text.parsed import ParsedPage, parse_page, parse_source

Engine = Callable[[ParsedPage], tuple[Block, ...]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """A method: our implementation, the library that it follows, and who published it.

    Both are hooks, loaded for the first page. `reads_source` says that it needs no tree of the
    page.
    """

    fast: str
    reference: str
    citation: str
    reads_source: bool = False


_OURS, _LIBRARIES = "text.extract", "text.extract.libraries"
EXTRACTORS = {
    "naive": Extractor(
        f"{_OURS}.naive:naive", f"{_LIBRARIES}:naive_by_library", "all text, tags removed"
    ),
    "boilerpipe": Extractor(
        f"{_OURS}.boilerpipe:boilerpipe",
        f"{_LIBRARIES}:boilerpipe_by_library",
        "Kohlschütter, Fankhauser & Nejdl 2010, ArticleExtractor",
    ),
    "justext": Extractor(
        f"{_OURS}.justext:justext", f"{_LIBRARIES}:justext_by_library", "Pomikálek 2011"
    ),
    "main": Extractor(
        f"{_OURS}.main:main", f"{_OURS}.main:main", "extraction.main; no library has it", True
    ),
    "trafilatura": Extractor(
        f"{_OURS}.trafilatura:trafilatura", f"{_OURS}.trafilatura:trafilatura", "Barbaresi 2021"
    ),
}
ENGINES = ("fast", "reference")
_EXTRAS = frozenset({"trafilatura"})


def installed_extractors() -> list[str]:
    """The names of the extractors that can run here.

    >>> installed_extractors()[:3]
    ['naive', 'boilerpipe', 'justext']
    """
    return [name for name in EXTRACTORS if name not in _EXTRAS or find_spec(name)]


def require_extractor(extractor: str) -> None:
    """Raise `MissingExtraError` where an extractor is an extra that is not installed.

    >>> require_extractor("naive")
    """
    if extractor in _EXTRAS and not find_spec(extractor):
        raise MissingExtraError(
            f"extractor {extractor} is an extra; pip install '.[{extractor}]' in the source folder"
        )


def parse_for(page: Page, extractor: str) -> ParsedPage:
    """A page parsed as an extractor reads it: as a tree, or for `main` as its source alone.

    >>> page = Page("flu", "", b"<p>A virus.")
    >>> parse_for(page, "main").tape.pieces()
    ['', 'p', 'A virus.']
    >>> parse_for(page, "naive").tape.pieces()[2:6]
    ['', 'body', '', 'p']
    """
    row = EXTRACTORS.get(extractor)
    return parse_source(page) if row and row.reads_source else parse_page(page)


def extract(parsed: ParsedPage, extractor: str = "main", engine: str = "fast") -> tuple[Block, ...]:
    """The blocks of a page as one extractor sees them, kept or dropped, with the reason.

    Plain text gives one kept block for each paragraph, whatever the extractor.
    Raises `PageError` of stage ``extract`` when a page defeats the extractor, and
    `MissingExtraError` for an extra that is not installed.

    >>> from understandability.text.parsed import parse_page
    >>> from understandability.text.page import Page
    >>> page = parse_page(Page("d", "", "<title>Flu</title><p>A <b>virus</b>.<p>It spreads."))
    >>> [block.text for block in extract(page, "naive")]
    ['Flu', 'A virus.', 'It spreads.']
    """
    check_choice("extractor", extractor, EXTRACTORS)
    check_choice("engine", engine, ENGINES)
    if not parsed.is_html:
        return plain_paragraphs(parsed.text)
    require_extractor(extractor)
    row = EXTRACTORS[extractor]
    if parsed.is_source != row.reads_source:
        parsed = parse_for(parsed.page, extractor)
    function: Engine = load(row.fast if engine == "fast" else row.reference)
    try:
        return function(parsed)
    except UnderstandabilityError:
        raise
    except Exception as error:  # a library may fail in any way; the run goes on
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise PageError("extract", f"{extractor} failed on the page ({what})") from error
