"""Measure what a crawl costs: speed by the number of workers, and the share of each process.

    python -m scripts.benchmark.crawl --workers 1 2
    python -m scripts.benchmark.crawl --workers 1 4 16 --shards 16 --pages 17280 --files 16

Builds a crawl of real health pages, scores it into a crawl folder and into a table with each number
of workers, and prints for each run

- pages per second by the clock, start included,
- milliseconds of processor time per page, of all processes together,
- the share of the parent, of the processes that read, and of those that score, in per cent,
- the largest memory of a process of each sort, in MB.

`--shards N` also starts N commands `--shard I/N --workers 1` at the same time, as by hand.
`--alone N` also starts N commands at the same time that share nothing: each scores its own files
with one worker. Their rate is the most that N workers can reach on this machine, whose cores share
caches, memory and power. On a machine that does other work, compare processor time, not the clock:
`load` shows how busy it was.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from scripts.faults.crawls import build_crawl, health_pages
from scripts.shared import UNDERSTAND, parser_of

from understandability.crawls.processes import physical_cores

PARENT, READ, SCORE = "parent", "read", "score"
_PROGRAMS = {b"input_process": READ, b"page_process": SCORE}
_POLL = 0.2  # seconds
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """The cost of a run; seconds of processor time and megabytes by sort of process."""

    clock: float = 0.0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    megabytes: dict[str, float] = field(default_factory=lambda: defaultdict(float))


class Watcher(threading.Thread):
    """Watches the processes of sessions, until `stop`."""

    def __init__(self, sessions: list[int]) -> None:
        super().__init__(daemon=True)
        self._sessions = sessions
        self._stopped = threading.Event()
        self.processes: dict[str, tuple[str, float, float]] = {}

    def run(self) -> None:
        while not self._stopped.wait(_POLL):
            self.look()

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) not in self._sessions:
                    continue
                command = (folder / "cmdline").read_bytes()
                peak = (folder / "status").read_text().partition("VmHWM:")[2].split()[0]
            except (OSError, IndexError):  # it has ended
                continue
            sort = next((name for key, name in _PROGRAMS.items() if key in command), PARENT)
            seconds = (int(fields[11]) + int(fields[12])) / _TICKS
            self.processes[folder.name] = (sort, seconds, int(peak) / 1024)

    def stop(self) -> None:
        self._stopped.set()
        self.join()


def measure(commands: list[list[str]]) -> Cost:
    """Run commands at the same time and return their cost together."""
    cost = Cost()
    started = time.perf_counter()
    processes = [subprocess.Popen(command, start_new_session=True) for command in commands]
    watcher = Watcher([process.pid for process in processes])
    watcher.start()
    for process in processes:
        if process.wait():
            sys.exit(f"{commands[0]} ended with status {process.returncode}")
    cost.clock = time.perf_counter() - started
    watcher.stop()
    for sort, seconds, megabytes in watcher.processes.values():
        cost.seconds[sort] += seconds
        cost.megabytes[sort] = max(cost.megabytes[sort], megabytes)
    return cost


def main() -> None:
    """Build the crawl, run all commands, and print a table."""
    parser = parser_of(__doc__, pages=1200, files=0, shards=0, alone=0, rounds=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, physical_cores()])
    parser.add_argument("--options", nargs="*", default=[], help="more options of the command")
    options = parser.parse_args()
    files = options.files or max(*options.workers, options.alone)
    print(f"{options.pages} pages in {files} files; {physical_cores()} physical cores")
    print("| run | pages/s | ms of processor time per page | share, % of: parent | read | score |"
          " MB of: parent | read | score |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        crawl = work / "crawl"
        contents = health_pages(options.data)
        build_crawl(crawl, contents, options.pages, files=files, hostile=0, repeated=0, broken=0)
        base = [*UNDERSTAND, "score", str(crawl), "--quiet", *options.options]
        folder, table = f"{work}/run/", f"{work}/scores.parquet"
        runs = {
            f"{destination}, {count} workers": [[*base, "-o", output, "--workers", str(count)]]
            for destination, output in (("folder", folder), ("table", table))
            for count in options.workers
        }
        if options.shards:
            runs[f"folder, {options.shards} shards by hand"] = [
                [*base, "-o", folder, "--workers", "1", "--shard", f"{i + 1}/{options.shards}"]
                for i in range(options.shards)
            ]
        if options.alone:
            paths = sorted(crawl.iterdir())
            runs[f"folder, {options.alone} commands that share nothing"] = [
                [*UNDERSTAND, "score", *map(str, paths[i :: options.alone]), "--quiet",
                 *options.options, "-o", f"{work}/run{i}/", "--workers", "1"]
                for i in range(options.alone)
            ]  # fmt: skip
        for _ in range(options.rounds):
            for label, commands in runs.items():
                for run in work.glob("run*"):
                    shutil.rmtree(run)
                print_row(label, measure(commands), options.pages)
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")


def print_row(label: str, cost: Cost, pages: int) -> None:
    """Print a row of the table."""
    total = sum(cost.seconds.values())
    shares = " | ".join(f"{100 * cost.seconds[sort] / total:.1f}" for sort in (PARENT, READ, SCORE))
    memory = " | ".join(f"{cost.megabytes[sort]:.0f}" for sort in (PARENT, READ, SCORE))
    rate, milliseconds = pages / cost.clock, 1000 * total / pages
    print(f"| {label} | {rate:.0f} | {milliseconds:.2f} | {shares} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
