"""The table of extractors, and the one function that runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from understandability.errors import OptionError, PageError
from understandability.extraction import boilerpipe, naive, paragraphs, reference
from understandability.extraction.plain import plain_paragraphs
from understandability.pages import ParsedPage
from understandability.records import Block


@dataclass(frozen=True, slots=True)
class Extractor:
    """A method: our implementation, the library that it follows, and who published it."""

    fast: Callable[[ParsedPage], tuple[Block, ...]]
    reference: Callable[[ParsedPage], tuple[Block, ...]]
    citation: str


EXTRACTORS = {
    "naive": Extractor(naive.naive, reference.naive, "all text, tags removed"),
    "boilerpipe": Extractor(
        boilerpipe.boilerpipe,
        reference.boilerpipe,
        "Kohlschütter, Fankhauser & Nejdl 2010 (ArticleExtractor)",
    ),
    "justext": Extractor(paragraphs.justext, reference.justext, "Pomikálek 2011"),
}
ENGINES = ("fast", "reference")


def extract(
    parsed: ParsedPage, extractor: str = "boilerpipe", engine: str = "fast"
) -> tuple[Block, ...]:
    """The blocks of a page as one extractor sees them, kept or dropped, with the reason.

    Plain text gives one kept block for each paragraph, whatever the extractor.
    Raises `PageError` of stage ``extract`` when the page defeats the extractor.

    >>> from understandability.pages import parse_page
    >>> from understandability.records import Page
    >>> page = parse_page(Page("d", "", "<title>Flu</title><p>A <b>virus</b>.<p>It spreads."))
    >>> [block.text for block in extract(page, "naive")]
    ['Flu', 'A virus.', 'It spreads.']
    """
    if extractor not in EXTRACTORS:
        raise OptionError(
            f"There is no extractor {extractor!r}; choose one of {', '.join(EXTRACTORS)}."
        )
    if engine not in ENGINES:
        raise OptionError(f"There is no engine {engine!r}; choose one of {', '.join(ENGINES)}.")
    if not parsed.is_html:
        return plain_paragraphs(parsed.text)
    row = EXTRACTORS[extractor]
    function = row.fast if engine == "fast" else row.reference
    try:
        return function(parsed)
    except PageError:
        raise
    except Exception as error:  # a library may fail in any way; the run goes on
        raise PageError(
            "extract", f"{extractor} failed on the page ({type(error).__name__}: {error})"
        ) from error
