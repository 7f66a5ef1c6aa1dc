"""Measure the time per page relative to a bare lxml parse of the same bytes, ours and other tools'.

    python -m scripts.benchmark.speed [--pages 150] [--rounds 5] [--before ../first/src]

Each side is a process of its own, because a process that also runs other tools has a larger heap
and colder caches: this version, another version by its source folder, the installed Python tools,
and Java's boilerpipe. They take turns on the same eight pages. Each figure is a ratio of processor
times, the median over the rounds. Words cost more the first time a process sees them, so pages that
are new to it are measured separately, in batches and one by one.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
JARS = Path("/usr/share/java")
JAVA_PARTS = ("boilerpipe", "nekohtml", "nekohtmlXni", "xercesImpl", "xml-apis")
CHUNK = 8
BARE, DEFAULT = "bare lxml parse", "default, to P(U|d)"
OURS, BEFORE = "", "before: "  # sides of ours, by their prefixes
EXTRACTORS = ("main", "naive", "boilerpipe", "justext")
FORMULAS = ("ari", "coleman_liau", "dale_chall", "flesch_kincaid", "gunning_fog", "lix", "smog")
# The targets.
BARS = {
    "document by main": 0.65,
    **{f"document by {name}": 1.5 for name in EXTRACTORS[1:]},
    "formulas alone": 1.0,
    DEFAULT: 1.35,
}

Arm = Callable[[bytes], object]
Reply = dict[str, list[float]]


def tools() -> dict[str, Arm]:
    """Return the bare parse, and the installed Python tools."""
    from lxml import etree

    def selectolax() -> Arm:
        parser = importlib.import_module("selectolax.lexbor")
        return lambda content: parser.LexborHTMLParser(content)

    def resiliparse() -> Arm:
        plain = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
        decode = importlib.import_module("resiliparse.parse.encoding")
        return lambda content: plain(
            decode.bytes_to_str(content, decode.detect_encoding(content)), main_content=True
        )

    def trafilatura() -> Arm:
        extract = importlib.import_module("trafilatura").extract
        return lambda content: extract(content)

    def beautifulsoup() -> Arm:
        soup = importlib.import_module("bs4").BeautifulSoup
        return lambda content: soup(content, "lxml").get_text(" ")

    arms: dict[str, Arm] = {BARE: lambda content: etree.fromstring(content, etree.HTMLParser())}
    for name, arm in (
        ("lexbor's parse (selectolax)", selectolax),
        ("resiliparse, main text", resiliparse),
        ("trafilatura", trafilatura),
        ("BeautifulSoup, all text", beautifulsoup),
    ):
        try:
            arms[name] = arm()
        except ImportError:
            print(f"{name} is left out: not installed", file=sys.stderr)
    return arms


def worker(with_tools: bool) -> None:
    """Read tasks, a list of files and a name per line, and print the seconds of each arm."""
    from understandability.feature.table import compute_features
    from understandability.scoring import Scorer
    from understandability.text.analysis import document_of_page
    from understandability.text.document import Document
    from understandability.text.page import Page

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    scorer: Any = Scorer()
    rows = getattr(scorer, "rows", None) or scorer.score  # as it was called
    arms = {name: arm for name, arm in tools().items() if (name == BARE) != with_tools}

    def documents(contents: Sequence[bytes], **options: str) -> list[Document]:
        return [document_of_page(Page("d", "", content), **options) for content in contents]

    def score_page(content: bytes) -> object:
        return scorer.score_page(Page("d", "", content))

    def extractor(name: str) -> Callable[[Sequence[bytes]], object]:
        return lambda contents: documents(contents, extractor=name)

    ours: dict[str, Callable[[Sequence[bytes]], object]] = {
        **{f"document by {name}": extractor(name) for name in EXTRACTORS},
        "formulas alone": lambda contents: compute_features(documents(contents), FORMULAS),
        DEFAULT: lambda contents: rows(documents(contents)),
    }
    for name in list(ours):
        try:
            ours[name]([b"<p>You have flu."])
        except Exception:  # another version does not have it
            del ours[name]
    if with_tools:
        ours.clear()
    gc.collect()
    gc.freeze()  # as the server does
    for number, line in enumerate(sys.stdin):
        files, task = json.loads(line)
        contents = [Path(file).read_bytes() for file in files]
        reply: Reply = defaultdict(list)
        if task == "one by one":
            for content in contents:
                for name, run in ((BARE, arms[BARE]), ("one page", score_page)):
                    clock, processor = time.perf_counter(), time.process_time()
                    run(content)
                    reply[f"{name}, clock"].append(time.perf_counter() - clock)
                    reply[f"{name}, processor"].append(time.process_time() - processor)
        else:
            order = [*arms, *ours] if task == "all" else [BARE, DEFAULT]
            turn = number % len(order)  # whatever comes first finds nothing in the cache
            for name in [*order[turn:], *order[:turn]]:
                gc.collect()  # or this one would clear away what the last one left
                started = time.process_time()
                if name in ours:
                    ours[name](contents)
                else:
                    for content in contents:
                        arms[name](content)
                reply[name].append(time.process_time() - started)
        print(json.dumps(reply), flush=True)


class Side:
    """A process that measures files and returns the seconds of each arm."""

    def __init__(
        self, command: Sequence[str], source: Path | None = None, is_ours: bool = False
    ) -> None:
        self.is_ours = is_ours
        path = os.pathsep.join(map(str, filter(None, (source, SOURCE.parent))))
        path = os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __call__(self, files: Sequence[str], task: str = "all") -> Reply:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([files, task]) + "\n")
        self.process.stdin.flush()
        reply: Reply = json.loads(self.process.stdout.readline())
        return reply


def sides(before: Path | None) -> Iterator[tuple[str, Side]]:
    """Yield the available processes."""
    python = [sys.executable, "-m", "scripts.benchmark.speed", "--worker"]
    yield OURS, Side(python, SOURCE, is_ours=True)
    yield OURS, Side([*python, "--tools"], SOURCE)
    if before:
        yield BEFORE, Side(python, before.resolve(), is_ours=True)
    jars = [JARS / f"{part}.jar" for part in JAVA_PARTS]
    if shutil.which("java") and jars[0].exists():
        program = str(Path(__file__).with_name("Boilerpipe.java"))
        yield "", Side(["java", "-cp", ":".join(map(str, jars)), program])
    else:
        print("Java's boilerpipe is left out: not installed", file=sys.stderr)


def health_pages(number: int, folder: Path) -> tuple[list[str], list[str]]:
    """Write evenly spread health pages to files: half to warm up, half to measure."""
    from scripts.faults.crawls import health_pages
    from scripts.shared import DATA  # not above: another version may have none of what it needs

    contents = [content for content in health_pages(DATA) if content.strip()]
    files: tuple[list[str], list[str]] = ([], [])
    for index in range(2 * number):
        file = folder / f"{index}.html"
        file.write_bytes(contents[index * len(contents) // (2 * number)])
        files[index % 2].append(str(file))
    return files


def measure(warming: Sequence[str], files: Sequence[str], rounds: int, before: Path | None) -> None:
    """Print both tables."""
    running = list(sides(before))
    for _, side in running:
        side(warming)
    chunks = [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
    some, others = chunks[0::2], chunks[1::2]  # each is new to a process only once
    new: dict[str, list[float]] = defaultdict(list)
    alone: dict[str, list[float]] = defaultdict(list)
    seconds: list[dict[str, float]] = []
    for task, where, times in (("one by one", some, alone), ("new", others, new)):
        for chunk in where:
            for prefix, side in running:
                if side.is_ours:
                    for name, durations in side(chunk, task).items():
                        times[prefix + name] += durations
    for number in range(rounds):
        spent: dict[str, float] = defaultdict(float)
        for chunk in chunks:
            for prefix, side in running:
                for name, durations in side(chunk).items():
                    spent[prefix + name] += sum(durations)
        seconds.append(spent)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    size = statistics.mean(Path(file).stat().st_size for file in files) / 1000
    print(f"{len(files)} pages of {size:.0f} kB, {rounds} rounds\n")
    print("| what | of a bare parse | from | to | ms a page | bar |")
    print("|---|--:|--:|--:|--:|--:|")
    prefixes = (BEFORE, OURS)  # the last is that of all others
    prefix_of = {name: next(filter(name.startswith, prefixes)) for name in seconds[0]}
    for name in sorted(
        seconds[0], key=lambda name: (-prefixes.index(prefix_of[name]), BARE not in name, name)
    ):
        bare = prefix_of[name] + BARE
        ratios = [round_[name] / round_[bare] for round_ in seconds]
        cost = statistics.median(round_[name] for round_ in seconds) * 1000 / len(files)
        print(
            f"| {name} | {statistics.median(ratios):.2f} | {min(ratios):.2f} "
            f"| {max(ratios):.2f} | {cost:.2f} "
            f"| {BARS.get(name.removeprefix(prefix_of[name]), '')} |"
        )
    for prefix in reversed(prefixes):
        if prefix + DEFAULT in new:
            ratio = sum(new[prefix + DEFAULT]) / sum(new[prefix + BARE])
            print(f"| {prefix}{DEFAULT}, pages not seen before | {ratio:.2f} | | | | |")
    print("\n| one by one, pages not seen before, ms | p50 | p99 | longest |\n|---|--:|--:|--:|")
    for name, durations in alone.items():
        durations.sort()
        indexes = (len(durations) // 2, len(durations) * 99 // 100, -1)
        p50, p99, longest = (1000 * durations[index] for index in indexes)
        print(f"| {name} | {p50:.1f} | {p99:.1f} | {longest:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=150, help="to measure; as many warm")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", type=Path, metavar="SOURCE", help="of another version")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--tools", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.tools)
        return
    with tempfile.TemporaryDirectory() as folder:
        warming, files = health_pages(options.pages, Path(folder))
        measure(warming, files, options.rounds, options.before)


if __name__ == "__main__":
    main()
