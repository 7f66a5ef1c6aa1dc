"""Compare the speed with other tools: pages per second on one core, from HTML or from text.

    python -m scripts.benchmark.tools [--data ../shared/data] [--pages 200] [--rounds 3]

All tools read the same saved health pages in one process and one thread. The time is processor
time, without imports and the first page, which loads models; a figure is the median of some rounds
in which the tools take turns. Tools that are not installed are left out.

From HTML:
- understandability: extraction, formulas, features, difficulty, P(U|d) (`score_table`)
- trafilatura + textstat: its text, and three formulas (Dale-Chall, Flesch-Kincaid, Gunning fog)
- resiliparse: main text only, no formula
From text (that of understandability):
- understandability: the same without extraction
- datatrove: its quality filters of Gopher, C4 and FineWeb
"""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path

from scripts.faults.crawls import health_pages
from scripts.shared import parser_of

import understandability as ud
from understandability.crawls.extract import extract as extract_texts

Run = Callable[[Sequence[str]], object]


def from_html(nltk_data: Path) -> Iterator[tuple[str, Run]]:
    """Yield the tools that read HTML, each with a function that handles a list of pages."""
    yield (
        f"understandability {ud.__version__}",
        lambda pages: ud.score_table({"html": list(pages)}, html="html"),
    )
    if has("nltk", "trafilatura", "textstat"):
        import nltk
        import textstat
        import trafilatura

        nltk.data.path.insert(0, str(nltk_data))  # textstat counts syllables with its cmudict

        def extract_and_count(pages: Sequence[str]) -> None:
            for page in pages:
                text = trafilatura.extract(page) or ""
                textstat.dale_chall_readability_score(text)
                textstat.flesch_kincaid_grade(text)
                textstat.gunning_fog(text)

        names = f"trafilatura {version('trafilatura')} + textstat {version('textstat')}"
        yield f"{names}, three formulas", extract_and_count
    if has("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        def extract(pages: Sequence[str]) -> None:
            for page in pages:
                extract_plain_text(page, main_content=True)

        yield f"resiliparse {version('resiliparse')}, text only", extract


def from_text() -> Iterator[tuple[str, Run]]:
    """Yield the tools that read text."""
    yield (
        f"understandability {ud.__version__}",
        lambda texts: ud.score_table({"text": list(texts)}, text="text"),
    )
    if has("datatrove"):
        from datatrove.data import Document
        from datatrove.pipeline import filters

        try:
            steps = [
                filters.GopherRepetitionFilter(),
                filters.GopherQualityFilter(),
                filters.C4QualityFilter(filter_no_terminal_punct=False),
                filters.FineWebQualityFilter(),
            ]
            steps[0].filter(Document("One sentence. Another one.", "first"))
        except (ImportError, ModuleNotFoundError) as error:
            print(f"datatrove's filters are left out: {error}")
            return

        def filter_all(texts: Sequence[str]) -> None:
            for number, text in enumerate(texts):
                document = Document(text, str(number))
                for step in steps:  # all of them, as for pages that pass
                    step.filter(document)

        yield f"datatrove {version('datatrove')}, four quality filters", filter_all


def has(*packages: str) -> bool:
    """Return True if all packages can be imported."""
    try:
        for package in packages:
            import_module(package)
    except ImportError:
        return False
    return True


def main() -> None:
    """Print a table for pages, and one for texts."""
    options = parser_of(__doc__, pages=200, rounds=3).parse_args()
    contents = islice(cycle(health_pages(options.data)), options.pages)
    pages = [content.decode("utf-8", "replace") for content in contents]
    named = {str(number): page for number, page in enumerate(pages)}
    texts = [str(row["text"]) for row in extract_texts(named)]
    for title, tools, inputs in (
        ("From HTML", [*from_html(options.data / "nltk_data")], pages),
        ("From text", [*from_text()], texts),
    ):
        print(f"{title}: {len(inputs)} documents\n| tool | pages per second and core | ratio |")
        print("|---|--:|--:|")
        print_rates(tools, inputs, options.rounds)
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")


def print_rates(tools: Sequence[tuple[str, Run]], inputs: Sequence[str], rounds: int) -> None:
    """Measure some rounds in which the tools take turns, and print a row for each tool."""
    rates: dict[str, list[float]] = defaultdict(list)
    for _, run in tools:
        run(inputs[:2])  # loads models
    for _ in range(rounds):
        for name, run in tools:
            started = time.process_time()
            run(inputs)
            rates[name].append(len(inputs) / (time.process_time() - started))
    first = statistics.median(next(iter(rates.values())))
    for name, values in rates.items():
        rate = statistics.median(values)
        print(f"| {name} | {rate:.0f} | {first / rate:.1f} |", flush=True)


if __name__ == "__main__":
    main()
