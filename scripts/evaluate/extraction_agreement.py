"""Count the pages on which our extraction equals jusText's or boilerpy3's, and explain differences.

    python -m scripts.evaluate.extraction_agreement [ARCHIVE ...] [--every 1]

For jusText, the texts and the classes of all paragraphs must be equal; for boilerpy3, the tokens of
the extracted text. The cause of a difference from boilerpy3 is found by repairing one fault of its
parser at a time. The exit status is 1 if any page differs from jusText, if too few pages equal
boilerpy3's, or if a difference has no known cause.
"""

import html
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from boilerpy3.extractors import ArticleExtractor
from boilerpy3.parser import BoilerpipeHTMLParser, SpecialTokens
from scripts.shared import DATA, markdown, parser_of

from understandability.errors import PageError
from understandability.inputs.sources import read_pages
from understandability.text.analysis import extract
from understandability.text.document import Block
from understandability.text.page import Failure
from understandability.text.parsed import ParsedPage, parse_page
from understandability.text.tape import names

ARCHIVES = [
    str(DATA / "html" / name)
    for name in ("health_pages/health_pages.tar.gz", "extraction_gold/pages.tar.gz")
]
WANTED_SHARE = 0.89
FAILED = "it fails"
UNKNOWN = "unknown"

_VOID = names("area br embed hr img input link meta wbr")
# The reason of blocks that jusText does not read.
_AFTER_THE_PAGE = "after the end of the page"

# The faults of boilerpy3, and the repairs to try; the first repair that gives our tokens is the
# cause of the difference.
SELF_CLOSED = "passes over `<br/>` and the like, as if nothing stood there"
VOID = "reads `<br>` otherwise than `<br/>`, on pages that write both"
LINKS = "miscounts open links (a link in a link, a stray end tag)"
IGNORED = "miscounts ignored elements (an option or embed that is never closed)"
HEADINGS = "misses the heading that repeats the title, as white space differs"
MARKUP = "does not repair broken markup (the tree does)"
_ALL = {SELF_CLOSED, VOID, LINKS, IGNORED, HEADINGS, MARKUP}
REPAIRS = {
    SELF_CLOSED: {SELF_CLOSED},
    VOID: {SELF_CLOSED, VOID},
    LINKS: {LINKS},
    IGNORED: {IGNORED},
    HEADINGS: {HEADINGS},
    MARKUP: {MARKUP},
    "several of these": _ALL - {MARKUP},
    "several of these, and broken markup": _ALL,
}


class RepairedParser(BoilerpipeHTMLParser):  # type: ignore[misc]  # boilerpy3 has no types
    """boilerpy3's parser with some of its faults repaired."""

    def __init__(self, repairs: set[str], closes_void_elements: bool) -> None:
        super().__init__(raise_on_failure=False)
        self.repairs, self.closes_void_elements = repairs, closes_void_elements

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        if SELF_CLOSED in self.repairs:
            if tag in _VOID and self.closes_void_elements:
                self.add_whitespace_if_necessary()
            else:
                self.handle_starttag(tag, attrs)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if VOID in self.repairs and tag in _VOID and self.closes_void_elements:
            self.add_whitespace_if_necessary()
        elif tag == "a" and LINKS in self.repairs:
            self._link(SpecialTokens.ANCHOR_TEXT_START)
        elif not (tag == "embed" and IGNORED in self.repairs):
            super().handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and LINKS in self.repairs:
            self._link(SpecialTokens.ANCHOR_TEXT_END)
        elif not (tag == "embed" and IGNORED in self.repairs):
            super().handle_endtag(tag)
        if IGNORED in self.repairs:
            self.in_ignorable_element = max(0, self.in_ignorable_element)
            if tag == "select":
                self.in_ignorable_element = 0

    def _link(self, token: str) -> None:
        if not self.in_ignorable_element:
            self.add_token(token)


def tokens(blocks: Sequence[Block]) -> list[str]:
    return " ".join(block.text for block in blocks if block.kept).split()


def repaired_tokens(parsed: ParsedPage, repairs: set[str]) -> list[str]:
    """Return the tokens that boilerpy3 extracts after some of its faults are repaired."""
    parser = RepairedParser(repairs, parsed.closes_void_elements)
    parser.feed(_markup(parsed) if MARKUP in repairs else parsed.text)
    document = parser.to_text_document()
    if HEADINGS in repairs:
        for block in document.text_blocks:
            block.text = " ".join(block.text.split())
    ArticleExtractor().filter.process(document)
    return document.content.split()


def _markup(parsed: ParsedPage) -> str:
    """Serialise the tape of a page, with every element closed."""
    parts = [html.escape(parsed.tape.pieces()[0], quote=False)]
    for tag, text in zip(parsed.tape.pieces()[1::2], parsed.tape.pieces()[2::2], strict=True):
        name = tag.strip("/")
        void = tag.endswith("/") and name not in _VOID
        parts.append(f"<{name}></{name}>" if void else f"<{tag.removesuffix('/')}>")
        parts.append(text if tag in ("script", "style") else html.escape(text, quote=False))
    return "".join(parts)


def cause(parsed: ParsedPage, ours: list[str]) -> str:
    """Return the reason why boilerpy3 extracts other tokens from the page than we do."""
    for name, repairs in REPAIRS.items():
        if repaired_tokens(parsed, repairs) == ours:
            return name
    return UNKNOWN


def same_paragraphs(parsed: ParsedPage) -> bool:
    """Return True if jusText itself finds the same paragraphs with the same classes."""

    def last_class(block: Block) -> str:
        return block.reason.rpartition(", ")[2].split()[0]

    ours = extract(parsed, "justext")
    theirs = extract(parsed, "justext", "reference")
    return [
        (block.text, block.kept, last_class(block))
        for block in ours
        if block.reason != _AFTER_THE_PAGE
    ] == [(block.text, block.kept, block.reason) for block in theirs]


def pages(archive: str, every: int) -> Iterator[ParsedPage]:
    for page in list(read_pages(archive))[::every]:
        if not isinstance(page, Failure):
            yield parse_page(page)


def main() -> int:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("archives", nargs="*", default=ARCHIVES)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth page")
    options = parser.parse_args()
    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL + 1)
    causes: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for archive in options.archives:
        counts: Counter[str] = Counter()
        for parsed in pages(archive, options.every):
            counts["pages"] += 1
            counts["jusText"] += same_paragraphs(parsed)
            ours = tokens(extract(parsed, "boilerpipe"))
            try:
                same = ours == tokens(extract(parsed, "boilerpipe", "reference"))
            except PageError:
                causes[FAILED] += 1
                continue
            counts["boilerpy3"] += same
            if not same:
                why = cause(parsed, ours)
                causes[why] += 1
                if why == UNKNOWN:
                    print(f"{parsed.page.docno}: no cause found", file=sys.stderr)
        print(
            f"{archive.rpartition('/')[2]}: {counts['pages']} pages; jusText's paragraphs and "
            f"classes on {counts['jusText']}, boilerpy3's tokens on {counts['boilerpy3']} "
            f"({counts['boilerpy3'] / max(1, counts['pages']):.1%})"
        )
        total += counts
    rows = [(why, str(number)) for why, number in causes.most_common()]
    print("\n" + markdown(["what boilerpy3 does where it differs", "pages"], rows))
    good = (
        total["pages"] > 0
        and total["jusText"] == total["pages"]
        and total["boilerpy3"] >= WANTED_SHARE * total["pages"]
        and not causes[UNKNOWN]
    )
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
