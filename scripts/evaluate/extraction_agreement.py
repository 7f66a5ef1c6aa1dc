"""Count the pages on which our extraction is identical with jusText and boilerpy3, and say why not.

    python -m scripts.evaluate.extraction_agreement [ARCHIVE ...] [--every 1]

For jusText the texts and classes of all paragraphs must be the same, for boilerpy3 the tokens of
the kept text. Why a page differs from boilerpy3 is found by putting one fault of its reading right
at a time. The status is 1 if a page differs from jusText, too few are as boilerpy3's, or without a
cause.
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
_BEHIND = "behind"  # how the reason of a block begins that jusText does not read

# What is put right, by what boilerpy3 does; the first that gives our tokens is the cause.
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
    """boilerpy3's parser without some of its faults."""

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
    """What boilerpy3 keeps of a page without some of its faults."""
    parser = RepairedParser(repairs, parsed.closes_void_elements)
    parser.feed(_markup(parsed) if MARKUP in repairs else parsed.text)
    document = parser.to_text_document()
    if HEADINGS in repairs:
        for block in document.text_blocks:
            block.text = " ".join(block.text.split())
    ArticleExtractor().filter.process(document)
    return document.content.split()


def _markup(parsed: ParsedPage) -> str:
    """The page as its tape has it, every element closed."""
    parts = [html.escape(parsed.tape.pieces()[0], quote=False)]
    for tag, text in zip(parsed.tape.pieces()[1::2], parsed.tape.pieces()[2::2], strict=True):
        name = tag.strip("/")
        void = tag.endswith("/") and name not in _VOID
        parts.append(f"<{name}></{name}>" if void else f"<{tag.removesuffix('/')}>")
        parts.append(text if tag in ("script", "style") else html.escape(text, quote=False))
    return "".join(parts)


def cause(parsed: ParsedPage, ours: list[str]) -> str:
    """Why boilerpy3 keeps other tokens of the page than we do."""
    for name, repairs in REPAIRS.items():
        if repaired_tokens(parsed, repairs) == ours:
            return name
    return UNKNOWN


def same_paragraphs(parsed: ParsedPage) -> bool:
    """Whether jusText itself finds the same paragraphs, and the same classes of them."""

    def last_class(block: Block) -> str:
        return block.reason.rpartition(", ")[2].split()[0]

    ours = extract(parsed, "justext")
    theirs = extract(parsed, "justext", "reference")
    return [
        (block.text, block.kept, last_class(block))
        for block in ours
        if not block.reason.startswith(_BEHIND)
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
        found: Counter[str] = Counter()
        for parsed in pages(archive, options.every):
            found["pages"] += 1
            found["jusText"] += same_paragraphs(parsed)
            ours = tokens(extract(parsed, "boilerpipe"))
            try:
                same = ours == tokens(extract(parsed, "boilerpipe", "reference"))
            except PageError:
                causes[FAILED] += 1
                continue
            found["boilerpy3"] += same
            if not same:
                why = cause(parsed, ours)
                causes[why] += 1
                if why == UNKNOWN:
                    print(f"{parsed.page.docno}: no cause found", file=sys.stderr)
        print(
            f"{archive.rpartition('/')[2]}: {found['pages']} pages; jusText's paragraphs and "
            f"classes on {found['jusText']}, boilerpy3's tokens on {found['boilerpy3']} "
            f"({found['boilerpy3'] / max(1, found['pages']):.1%})"
        )
        total += found
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
