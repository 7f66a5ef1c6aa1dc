"""Time extraction against the libraries that it follows, and against the bare lxml parse.

    python -m scripts.benchmark.extraction [PAGES] [--rounds 5] [--every 1]

PAGES is a folder or archive of pages (default: the health pages of ../shared/data). All arms
work on one page before the next page comes, in an order that turns, so that whatever else the
machine does falls on all of them alike. Ours start from bytes; the libraries get decoded text.
Prints pages a second (the median of the rounds and their spread) and ratios (medians of the
rounds). Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import bs4
import justext
from boilerpy3.extractors import ArticleExtractor
from lxml import etree

from understandability.errors import PageError
from understandability.inputs.sources import read_pages
from understandability.text.extract.extractors import extract
from understandability.text.page import Failure, Page
from understandability.text.parsed import ParsedPage, parse_page

HEALTH_PAGES = "../shared/data/html/health_pages/health_pages.tar.gz"
BARE, LIBRARIES, ALL = "bare lxml parse", "the three libraries", "all three and tag counts"
BOILERPIPE, JUSTEXT, NAIVE = "boilerpipe", "jusText", "naive"
BOILERPIPE_COUNTS = "boilerpipe and tag counts"
BEAUTIFULSOUP, LIBRARY_JUSTEXT, BOILERPY3 = "BeautifulSoup (lxml)", "jusText 3.0.2", "boilerpy3"

# Numerator, denominator, what is wanted of their ratio of speeds.
RATIOS = (
    (ALL, LIBRARIES, "at least 8"),
    (JUSTEXT, LIBRARY_JUSTEXT, "at least 3"),
    (BOILERPIPE, BOILERPY3, "at least 2.3"),
    (NAIVE, BEAUTIFULSOUP, ""),
    (BARE, BOILERPIPE_COUNTS, "at most 2.5 to 3"),
    (BARE, ALL, ""),
)


def arms() -> dict[str, Callable[[Page, str], object]]:
    """What is timed: functions of a page and its decoded text."""
    parser = etree.HTMLParser(encoding="utf-8")
    stop_list = justext.get_stoplist("English")
    boilerpy3 = ArticleExtractor(raise_on_failure=False)

    def ours(*extractors: str, counts: bool = False) -> Callable[[Page, str], object]:
        def run(page: Page, _: str) -> ParsedPage:
            parsed = parse_page(page)
            if counts:
                _ = parsed.tag_counts
            for extractor in extractors:
                extract(parsed, extractor)
            return parsed

        return run

    return {
        BARE: lambda page, text: etree.fromstring(text.encode(), parser),
        ALL: ours("naive", "boilerpipe", "justext", counts=True),
        BOILERPIPE_COUNTS: ours("boilerpipe", counts=True),
        BOILERPIPE: ours("boilerpipe"),
        JUSTEXT: ours("justext"),
        NAIVE: ours("naive"),
        BEAUTIFULSOUP: lambda page, text: bs4.BeautifulSoup(text, "lxml").get_text(),
        LIBRARY_JUSTEXT: lambda page, text: justext.justext(text, stop_list),
        BOILERPY3: lambda page, text: boilerpy3.get_content(text),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="?", default=HEALTH_PAGES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth page")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", UserWarning)
    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL + 1)
    work = [
        (page, text)
        for page in list(read_pages(options.pages))[:: options.every]
        if not isinstance(page, Failure)
        for text in _text(page)
    ]
    functions = arms()
    names = list(functions)
    seconds: dict[str, list[float]] = {name: [] for name in [*names, LIBRARIES]}
    for round_ in range(options.rounds):
        spent = dict.fromkeys(names, 0.0)
        for place, (page, text) in enumerate(work):
            turn = (round_ + place) % len(names)
            for name in [*names[turn:], *names[:turn]]:
                start = time.process_time()
                functions[name](page, text)
                spent[name] += time.process_time() - start
        for name in names:
            seconds[name].append(spent[name])
        seconds[LIBRARIES].append(
            sum(spent[name] for name in (BEAUTIFULSOUP, LIBRARY_JUSTEXT, BOILERPY3))
        )
        print(f"round {round_ + 1} of {options.rounds}", file=sys.stderr)
    mean_kb = sum(len(page.content) for page, _ in work) / len(work) / 1000
    print(f"{len(work)} pages of {mean_kb:.0f} kB, {options.rounds} rounds\n")
    print("| arm | pages/s | spread | ms a page |\n|---|---|---|---|")
    for name, spent_in in seconds.items():
        rates = [len(work) / spent for spent in spent_in]
        middle = statistics.median(rates)
        spread = f"{min(rates):.1f} to {max(rates):.1f}"
        print(f"| {name} | {middle:.1f} | {spread} | {1000 / middle:.2f} |")
    print("\n| faster | slower | ratio | wanted |\n|---|---|---|---|")
    for faster, slower, wanted in RATIOS:
        ratio = statistics.median(
            slow / fast for fast, slow in zip(seconds[faster], seconds[slower], strict=True)
        )
        print(f"| {faster} | {slower} | {ratio:.2f} | {wanted} |")
    return 0


def _text(page: Page) -> list[str]:
    """The decoded text of a page, without what jusText cannot read; nothing if it has none."""
    try:
        text = parse_page(page).text.lstrip()
    except PageError:
        return []
    if text.startswith("<?xml"):
        text = text.partition("?>")[2]
    return [text] if text.strip() else []


if __name__ == "__main__":
    sys.exit(main())
