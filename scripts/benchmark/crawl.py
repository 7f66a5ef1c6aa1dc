"""What a crawl costs: milliseconds of processor time a page, pages a second, memory of a process.

    python -m scripts.benchmark.crawl [--data ../shared/data] [--rounds 2]

Runs with one worker and with two take turns, on few and on many health pages: what they differ in
is divided by the pages they differ in. `scripts.benchmark.speed` has what a page costs in each
step.
"""

import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from scripts.faults.crawls import build_crawl, health_pages
from scripts.shared import UNDERSTAND, parser_of

FEW, MANY = 200, 900
# A folder has one process that reads, and workers beside it, so one worker has more than one core
# if it may; a table by one worker has one process.
ON_ONE_CORE = "1 worker, on one core"
RUNS = {
    "1 worker": ["run/", "--workers", "1"],
    ON_ONE_CORE: ["run/", "--workers", "1"],
    "2 workers": ["run/", "--workers", "2"],
    "into a table, 1 worker": ["scores.parquet", "--workers", "1"],
    "into a table, 2 workers": ["scores.parquet", "--workers", "2"],
    "1 worker, all features": ["run/", "--workers", "1", "--features"],
}


class Cost(NamedTuple):
    """Seconds of processor time of all processes, by the clock; MB of the largest process."""

    processor: float
    clock: float
    memory: float


def run(crawl: Path, work: Path, kind: str) -> Cost:
    """What a whole run costs."""
    shutil.rmtree(work / "run", ignore_errors=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    output, *options = RUNS[kind]
    command = [*UNDERSTAND, "score", str(crawl), "--quiet", "-o", f"{work}/{output}", *options]
    cores = os.sched_getaffinity(0)
    chosen = {min(cores)} if kind == ON_ONE_CORE else cores
    process = subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, chosen))
    _, process.returncode, used = os.wait4(process.pid, 0)
    assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(processor, time.perf_counter() - started, used.ru_maxrss / 1024)


def main() -> None:
    options = parser_of(__doc__, rounds=2).parse_args()
    contents = health_pages(options.data)
    found: dict[str, list[Cost]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        few, many = work / "few", work / "many"
        for folder, documents in ((few, FEW), (many, MANY)):
            build_crawl(folder, contents, documents, files=2, hostile=0, repeated=0, broken=0)
        for _ in range(options.rounds):
            for kind in RUNS:
                small, large = (run(crawl, work, kind) for crawl in (few, many))
                found[kind].append(
                    Cost(
                        1000 * (large.processor - small.processor) / (MANY - FEW),
                        (MANY - FEW) / (large.clock - small.clock),
                        large.memory,
                    )
                )
    for kind, costs in found.items():
        processor, rate, memory = map(statistics.median, zip(*costs, strict=True))
        print(
            f"{kind}: {processor:.2f} ms of processor time a page, {rate:.0f} pages a second by "
            f"the clock, {memory:.0f} MB of the largest process"
        )
    print(f"load while measuring {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
