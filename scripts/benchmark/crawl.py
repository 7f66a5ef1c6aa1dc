"""What a crawl costs: pages a second, its machinery, a page while serving, the same by hand.

    python -m scripts.benchmark.crawl [--data ../shared/data] [--rounds 2]

The health pages, as they were saved, go through `understand score -o run/` with one worker and
with two, and through each step alone in this process; in turns, so that noise falls on all alike.
Runs are made on few and on many pages, and what they differ in is divided by the pages they
differ in: starting processes is paid once, not for each page. Costs are processor time of all
processes together, so that they hold on a busy machine too; pages a second are by the clock.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from lxml import etree
from scripts.benchmark.features import TEXTSTAT
from scripts.faults.crawl import UNDERSTAND
from scripts.faults.crawls import DATA, build_crawl, health_pages

from understandability.crawls.folder import CrawlFolder, Part
from understandability.crawls.reading import CHUNK_PAGES, PART_RECORDS
from understandability.inputs.sources import read_pages
from understandability.scoring import Scorer, Settings, document_or_failure
from understandability.text.document import Document
from understandability.text.page import Page

FEW, MANY = 200, 900
BY_HAND_PAGES = 60

Times = dict[str, list[float]]
Result = TypeVar("Result")


def processor_seconds() -> float:
    """What this process and its children that have ended took."""
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def steps(crawl: Path, features: bool) -> dict[str, float]:
    """Milliseconds of processor time a page for each step of a run alone, in this process.

    The first few pages are not counted, as they are not of a run.
    """
    taken = {}

    @contextmanager
    def timed(name: str, pages: int = MANY - FEW) -> Iterator[None]:
        before = processor_seconds()
        yield
        taken[name] = 1000 * (processor_seconds() - before) / pages

    def rows(documents: Sequence[Document]) -> list[pa.Table]:
        starts = range(0, len(documents), CHUNK_PAGES)
        return [scorer.rows(documents[start : start + CHUNK_PAGES]) for start in starts]

    scorer = Scorer(Settings(features=features))
    with timed("read", MANY):
        pages = [page for page in read_pages(crawl) if isinstance(page, Page)]
    results = [document_or_failure(page, scorer.settings) for page in pages[:FEW]]
    rows([each for each in results if isinstance(each, Document)])
    contents = [page.content for page in pages[FEW:] if isinstance(page.content, bytes)]
    with timed("bare lxml parse"):
        for content in contents:
            etree.fromstring(content, etree.HTMLParser())
    with timed("page to document"):
        results = [document_or_failure(page, scorer.settings) for page in pages[FEW:]]
    with timed("document to row"):
        tables = rows([each for each in results if isinstance(each, Document)])
    table = pa.concat_tables(tables)
    with tempfile.TemporaryDirectory() as work, timed("write"):
        for number, start in enumerate(range(0, len(table), PART_RECORDS)):
            part = table.slice(start, PART_RECORDS)
            folder = CrawlFolder(work, scorer.described)
            folder.commit(Part(0, number), part, [], Counter())
    return taken


def measure_steps(times: Times, many: Path, features: bool) -> None:
    """The steps, in a process of their own."""
    for name, taken in apart(steps, many, features).items():
        times[f"{name}, all features" if features else name].append(taken)


def run(crawl: Path, work: Path, workers: int, features: bool) -> tuple[float, float, float]:
    """Seconds of processor time and by the clock of a whole run, and MB of its largest process."""
    folder = work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    command = [*UNDERSTAND, "score", str(crawl), "-o", f"{folder}/"]
    command += ["--workers", str(workers), "--quiet", *["--features"] * features]
    before, started = processor_seconds(), time.perf_counter()
    process = subprocess.Popen(command)
    _, process.returncode, used = os.wait4(process.pid, 0)
    assert process.returncode == 0
    return processor_seconds() - before, time.perf_counter() - started, used.ru_maxrss / 1024


def measure_run(
    times: Times, name: str, few: Path, many: Path, work: Path, workers: int, features: bool
) -> None:
    """A run for each page that it has more: milliseconds of processor time, and by the clock."""
    small, large = (run(crawl, work, workers, features) for crawl in (few, many))
    times[f"run, {name}"].append(1000 * (large[0] - small[0]) / (MANY - FEW))
    times[f"clock, {name}"].append(1000 * (large[1] - small[1]) / (MANY - FEW))
    times[f"memory, {name}"].append(large[2])


def by_hand(content: bytes) -> tuple[int, ...]:
    """What one writes without us: text twice, eight formulas, tags."""
    import justext
    import nltk
    import textstat
    from bs4 import BeautifulSoup

    title = BeautifulSoup(content, "lxml").get_text(" ")
    paragraphs = justext.justext(content, justext.get_stoplist("English"))
    text = " ".join(each.text for each in paragraphs if not each.is_boilerplate)
    formulas = [getattr(textstat, name)(text) for name in TEXTSTAT]
    return len(title), len(formulas), len(nltk.pos_tag(nltk.word_tokenize(text)))


def measure_by_hand(times: Times, contents: Sequence[bytes], nltk_data: Path) -> None:
    """The same in a pool of one process."""
    import nltk

    nltk.data.path.insert(0, str(nltk_data))
    by_hand(contents[0])  # loads what is loaded once
    before = processor_seconds()
    with get_context("fork").Pool(1) as pool:
        list(pool.imap_unordered(by_hand, contents, chunksize=4))
        pool.close()
        pool.join()
    times["by hand"].append(1000 * (processor_seconds() - before) / len(contents))


def serve(data: Path, features: bool) -> list[str]:
    """Half of the pages, one after another, each beside a bare parse of it.

    In a process that is warm from the other half: it has met their words.
    """
    contents = [content for content in health_pages(data) if len(content) <= 1_000_000]
    scorer = Scorer(Settings(features=features))
    for content in contents[::2]:
        scorer.score_page(Page("d", "", content))
    taken: Times = defaultdict(list)
    for content in contents[1::2]:
        started, before = time.perf_counter(), time.process_time()
        etree.fromstring(content, etree.HTMLParser())
        parsed = time.perf_counter()
        scorer.score_page(Page("d", "", content))
        taken["clock"].append(1000 * (time.perf_counter() - parsed))
        taken["processor, with the bare parse"].append(1000 * (time.process_time() - before))
        taken["clock, the bare parse alone"].append(1000 * (parsed - started))
    lines = [f"one page while serving, {'all features' if features else 'default'}:"]
    for kind, each in taken.items():
        each.sort()
        p50, p99 = each[len(each) // 2], each[len(each) * 99 // 100]
        lines.append(f"  {kind:32} p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {each[-1]:.0f} ms")
    return lines


def apart(function: Callable[..., Result], *arguments: object) -> Result:
    """What a function gives in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def report(times: Times) -> None:
    cost = {name: statistics.median(taken) for name, taken in times.items()}
    print("milliseconds of processor time for a page (median of the rounds):")
    for name, taken in cost.items():
        if not name.startswith(("clock", "memory")):
            print(f"  {name:32} {taken:8.2f}")
    for name in ("", ", all features"):
        scoring = cost[f"page to document{name}"] + cost[f"document to row{name}"]
        parts = scoring + cost[f"read{name}"] + cost[f"write{name}"]
        whole = cost[f"run, 1 worker{name}"]
        parse = statistics.median(times["bare lxml parse"] + times["bare lxml parse, all features"])
        print(f"one worker{name or ', default'}:")
        print(f"  {'sum of the steps':32} {parts:8.2f}")
        print(f"  {'machinery over the steps':32} {100 * (whole / parts - 1):7.1f} %")
        print(f"  {'all but scoring, over scoring':32} {100 * (whole / scoring - 1):7.1f} %")
        print(f"  {'scoring, of a bare parse':32} {scoring / parse:8.1f}")
        print(f"  {'whole run, of a bare parse':32} {whole / parse:8.1f}")
        print(f"  {'by hand, of the whole run':32} {cost['by hand'] / whole:8.1f}")
    one, two = cost["clock, 1 worker"], cost["clock, 2 workers"]
    print("by the clock:")
    print(f"  {'pages a second, 1 worker':32} {1000 / one:8.0f}")
    print(f"  {'pages a second, 2 workers':32} {1000 / two:8.0f}")
    print(f"  {'2 workers, of 1':32} {one / two:8.2f}")
    print(f"  {'MB of the largest process':32} {cost['memory, 1 worker']:8.0f}")
    print(f"  {'load while measuring':32} {os.getloadavg()[0]:8.1f} of {os.cpu_count()} cores")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--serving-only", action="store_true")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # as workers have it; for the processes that follow
    for features in (False, True):
        print("\n".join(apart(serve, options.data, features)), flush=True)
    if options.serving_only:
        return
    contents = health_pages(options.data)
    nltk_data = options.data / "nltk_data"
    work = Path(tempfile.mkdtemp(prefix="benchmark-crawl-"))
    try:
        few, many = work / "few", work / "many"
        clean = {"hostile": 0.0, "repeated": 0.0, "broken": 0.0}
        build_crawl(few, contents, FEW, files=2, **clean)
        build_crawl(many, contents, MANY, files=2, **clean)
        times: Times = defaultdict(list)
        for _ in range(options.rounds):
            for features in (False, True):
                measure_steps(times, many, features)
            measure_run(times, "1 worker", few, many, work, 1, features=False)
            measure_run(times, "2 workers", few, many, work, 2, features=False)
            measure_run(times, "1 worker, all features", few, many, work, 1, features=True)
            measure_by_hand(times, contents[:: len(contents) // BY_HAND_PAGES], nltk_data)
        report(times)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
