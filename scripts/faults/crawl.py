"""Disturb crawls in every way, and check that they end with the same rows once resumed.

    python -m scripts.faults.crawl                      # all quick cases, about 20 minutes
    python -m scripts.faults.crawl --only moved_clock   # one case
    python -m scripts.faults.crawl --only large_file    # 2 GB; 10 minutes

The crawl consists of real pages with hostile ones among them, duplicates and broken records. Each
case disturbs a run, resumes it, and compares its rows with those of an undisturbed run: equal to
six significant digits, the same errors, no process and no temporary file left. A case that the
machine cannot run (root for a small disk, libfaketime) says so and is skipped.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scripts.faults.crawls import build_crawl, health_pages, warc_head
from scripts.shared import UNDERSTAND, megabytes_of, parser_of

from understandability.crawls.folder import CrawlFolder
from understandability.crawls.merge import merge

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class NotHereError(Exception):
    """A case cannot be tried on this machine, for the reason in the message."""


# Runs and their rows


@dataclass
class Bench:
    """Runs of one crawl, and the rows that they must end with."""

    work: Path
    crawl: Path
    seed: int = 1
    kills: int = 20
    options: tuple[str, ...] = ("--workers", "2")
    expected: Rows | None = None

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.temporary = self.work / "tmp"
        self.temporary.mkdir(parents=True)
        started = time.monotonic()
        self.run = self.new_run()
        self.finish()
        self.seconds = time.monotonic() - started
        self.expected = rows_of(self.run)

    def new_run(self) -> Path:
        """Return a folder for another run; the previous one is removed."""
        if hasattr(self, "run"):
            shutil.rmtree(self.run, ignore_errors=True)
        self.run = self.work / f"run-{self.rng.randrange(10**9)}"
        return self.run

    def start(
        self, *prefix: str, output: str = "", options: Sequence[str] = (), **environment: str
    ) -> subprocess.Popen[str]:
        """Begin the run, or continue it, in a process group of its own."""
        destination = ["-o", output or f"{self.run}/", *(options or self.options)]
        return subprocess.Popen(
            [*prefix, *UNDERSTAND, "score", str(self.crawl), *destination],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(self.temporary), **environment},
        )

    def finish(self, *prefix: str, **environment: str) -> None:
        """Run to the end, with exit status 0."""
        process = self.start(*prefix, **environment)
        ended(process)
        self.check_nothing_left(process)

    def check(self) -> None:
        """Check that the rows equal those of the undisturbed run."""
        assert self.expected is not None
        compare(self.expected, rows_of(self.run))

    def check_nothing_left(self, process: subprocess.Popen[str]) -> None:
        """Check that no process of the run is alive, and no temporary file is left."""
        assert not group_of(process), "processes are left"
        left = [str(path) for path in self.run.rglob("*.part")]
        left += [str(path) for path in self.temporary.iterdir()]
        assert not left, f"files are left: {left}"

    def moment(self) -> float:
        """Draw a number of seconds within the time of a whole run."""
        return self.rng.uniform(0.1, self.seconds)


@dataclass(frozen=True)
class Rows:
    """The merged rows of a run: scores in order, errors sorted."""

    scores: pa.Table
    errors: list[tuple[str, str, str, str]]


def rows_of(run: Path) -> Rows:
    """Merge a run and read its rows and errors."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "scores.parquet")
        merge(CrawlFolder(str(run)), str(output))
        return rows_of_table(output)


def rows_of_table(output: Path) -> Rows:
    """Read the rows of a table, and the errors next to it."""
    scores = pq.read_table(output)
    errors = Path(f"{output}.errors.jsonl")
    lines = errors.read_text().splitlines() if errors.exists() else []
    rows = [tuple(json.loads(line).values()) for line in lines]
    docnos = [*scores["docno"].to_pylist(), *(row[0] for row in rows if row[2] != "read")]
    assert len(docnos) == len(set(docnos)), "a document is there twice"
    return Rows(scores, sorted(rows))


def compare(expected: Rows, result: Rows) -> None:
    """Equal rows: numbers to six significant digits, all else exactly."""
    differing = sorted(set(result.errors) ^ set(expected.errors))
    assert result.errors == expected.errors, f"other errors: {differing[:4]}"
    assert result.scores.schema.equals(expected.scores.schema)
    for name in expected.scores.column_names:
        a, b = expected.scores[name], result.scores[name]
        if pa.types.is_floating(a.type):
            numbers_a, numbers_b = a.to_numpy(), b.to_numpy()
            assert np.allclose(numbers_a, numbers_b, rtol=5e-7, atol=0, equal_nan=True), name
        else:
            assert a.equals(b), name


def group_of(process: subprocess.Popen[str]) -> list[int]:
    """The living processes of the group that a process leads."""
    result = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True)
    lines = (line.split() for line in result.stdout.splitlines())
    return [
        int(pid) for pid, group, state in lines if int(group) == process.pid and state[0] != "Z"
    ]


def ended(process: subprocess.Popen[str], status: int = 0) -> str:
    """Wait until a run ends with this status; return the last line of its messages."""
    _, messages = process.communicate()
    assert process.returncode == status, messages
    return messages.strip().rpartition("\n")[2]


def kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


# The cases


def killed_as_a_whole(bench: Bench) -> str:
    """SIGKILL for all processes at random moments, each run resumed until it ends."""
    struck = runs = 0
    while struck < bench.kills:
        bench.new_run()
        runs += 1
        while True:
            process = bench.start()
            try:
                _, output = process.communicate(timeout=bench.moment())
            except subprocess.TimeoutExpired:
                kill_group(process)
                struck += 1
                if struck < bench.kills:
                    continue
                bench.finish()
            else:
                assert process.returncode == 0, output
            break
        bench.check()
        bench.check_nothing_left(process)
    return f"{struck} kills, {runs} runs resumed to their end"


def killed_parent(bench: Bench) -> str:
    """SIGKILL for the main process alone: its workers end by themselves."""
    slowest = 0.0
    for _ in range(1 + bench.kills // 5):
        bench.new_run()
        process = bench.start()
        time.sleep(bench.moment())
        process.kill()
        process.communicate()
        struck = time.monotonic()
        while group_of(process):
            assert time.monotonic() - struck < 15, "workers outlive their parent"
            time.sleep(0.1)
        slowest = max(slowest, time.monotonic() - struck)
        bench.finish()
        bench.check()
    return f"workers gone within {slowest:.1f} s"


def killed_workers(bench: Bench) -> str:
    """SIGKILL for one worker after another while the run goes on."""
    bench.new_run()
    process = bench.start()
    struck = 0
    while process.poll() is None:
        time.sleep(bench.rng.uniform(0.5, 1.5))
        workers = [pid for pid in group_of(process) if pid != process.pid]
        if workers and struck < bench.kills:
            with contextlib.suppress(ProcessLookupError):
                os.kill(bench.rng.choice(workers), signal.SIGKILL)
                struck += 1
    ended(process)
    bench.check()
    bench.check_nothing_left(process)
    return f"{struck} workers killed in one run"


def full_disk(bench: Bench) -> str:
    """The disk is full midway; then there is room again."""
    if os.geteuid() != 0:
        raise NotHereError("mounting a small disk needs root")
    needed = sum(path.stat().st_size for path in bench.run.rglob("*") if path.is_file())
    disk = bench.new_run()
    disk.mkdir()
    size = max(needed * 6 // 10, 8192)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        raise NotHereError("this machine lets nobody mount a disk")
    try:
        message = ended(bench.start(), 2)
        assert "No space left on device" in message, message
        grown = ["mount", "-o", f"remount,size={needed * 3 + 65536}", str(disk)]
        subprocess.run(grown, check=True)
        bench.finish()
        bench.check()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    return f"ended with status 2 and: {message}"


def read_only(bench: Bench) -> str:
    """The folder may not be written any more, midway; then it may again."""
    prefix: list[str] = []
    if os.geteuid() == 0:  # who may write everywhere, unless this right is taken away
        if shutil.which("setpriv") is None:
            raise NotHereError("root writes everywhere, and setpriv is not there")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    bench.new_run()
    process = bench.start(*prefix)
    scores = bench.run / "scores"
    while process.poll() is None and not (scores.is_dir() and any(scores.iterdir())):
        time.sleep(0.05)
    scores.chmod(0o555)
    try:
        message = ended(process, 2)
    finally:
        scores.chmod(0o755)
    assert "Permission denied" in message, message
    bench.finish(*prefix)
    bench.check()
    return f"ended with status 2 and: {message}"


def truncated_input(bench: Bench) -> str:
    """An input loses its end midway: going on is refused until it is whole again."""
    bench.new_run()
    process = bench.start()
    while process.poll() is None and not (bench.run / "crawl.json").exists():
        time.sleep(0.02)  # before that there is no run to go on with
    time.sleep(min(bench.moment(), bench.seconds / 2))
    kill_group(process)
    victim = max(bench.crawl.iterdir())
    content = victim.read_bytes()
    victim.write_bytes(content[: len(content) * 2 // 3])
    try:
        message = ended(bench.start(), 2)
        assert victim.name in message, message
    finally:
        victim.write_bytes(content)
    bench.finish()
    bench.check()
    # Truncated from the beginning, it is read as far as it goes, twice the same.
    cut = bench.work / "cut"
    cut.mkdir()
    (cut / "crawl.warc.gz").write_bytes(content[: len(content) * 2 // 3])
    whole, bench.crawl = bench.crawl, cut
    bench.new_run()
    bench.finish()
    rows = rows_of(bench.run)
    bench.new_run()
    process = bench.start()
    time.sleep(bench.moment() / 4)
    kill_group(process)
    bench.finish()
    compare(rows, rows_of(bench.run))
    bench.crawl = whole
    return f"refused: {message[:150]}"


def moved_clock(bench: Bench) -> str:
    """The clock jumps forwards by an hour and back by a day while pages are scored."""
    if not FAKETIME.exists():
        raise NotHereError("libfaketime is not installed (apt install faketime)")
    clock = bench.work / "clock"
    clock.write_text("+0")
    bench.new_run()
    process = bench.start(
        LD_PRELOAD=str(FAKETIME), FAKETIME_TIMESTAMP_FILE=str(clock), FAKETIME_NO_CACHE="1"
    )
    jumps = 0
    while process.poll() is None:
        time.sleep(0.7)
        jumps += 1
        clock.write_text(("+1h", "-1d", "+3s")[jumps % 3])
    ended(process)
    bench.check()
    return f"{jumps} jumps"


def two_copies(bench: Bench) -> str:
    """A second copy on the same folder, or on a shard of it, is refused."""
    bench.new_run()
    first = bench.start()
    while not (bench.run / ".lock").exists() or (bench.run / ".lock").stat().st_size == 0:
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGSTOP)  # or it could be done before the others have started
    for more in ((), ("--shard", "2/2")):
        options, bench.options = bench.options, (*bench.options, *more)
        second = bench.start()
        bench.options = options
        message = ended(second, 2)
        assert f"process {first.pid}" in message, message
    os.kill(first.pid, signal.SIGCONT)
    ended(first)
    bench.check()
    return f"refused: {message}"


def array_job(bench: Bench) -> str:
    """Shards 1/3, 2/3 and 3/3 at the same time, as a job array runs them; one is killed."""
    bench.new_run()
    options = bench.options
    jobs = []
    for i in (1, 2, 3):
        bench.options = (*options, "--workers", "1", "--shard", f"{i}/3")
        jobs.append(bench.start())
    time.sleep(bench.moment())
    kill_group(jobs[1])
    for job in (jobs[0], jobs[2]):
        ended(job)
    bench.options = (*options, "--workers", "1", "--shard", "2/3")
    bench.finish()
    bench.options = options
    bench.check()
    return "three shards, the second killed and started again"


def terminated(bench: Bench) -> str:
    """SIGTERM, as schedulers send it: a folder is resumed later, and a table leaves no files."""
    bench.new_run()
    process = bench.start()
    scores = bench.run / "scores"
    while process.poll() is None and not (scores.is_dir() and any(scores.iterdir())):
        time.sleep(0.05)
    process.terminate()
    message = ended(process, 143)
    bench.check_nothing_left(process)
    bench.finish()
    bench.check()
    table = bench.work / "table.parquet"
    process = bench.start(output=str(table))
    while process.poll() is None and not list(bench.work.glob("*table*")):
        time.sleep(0.02)
    process.terminate()
    ended(process, 143)
    bench.check_nothing_left(process)
    assert not list(bench.work.glob("*table*")), "the table of a stopped run exists"
    return f"ended with status 143 and: {message}"


def tables(bench: Bench) -> str:
    """One table by one worker and by two, while workers are killed: the rows of the folder."""
    assert bench.expected is not None
    killed = 0
    for options in (("--workers", "1"), ("--workers", "2")):
        output = bench.work / "table.parquet"
        process = bench.start(output=str(output), options=(*bench.options, *options))
        while process.poll() is None:
            time.sleep(bench.rng.uniform(0.5, 1.5))
            workers = [pid for pid in group_of(process) if pid != process.pid]
            if workers and killed < bench.kills:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(bench.rng.choice(workers), signal.SIGKILL)
                    killed += 1
        ended(process)
        compare(bench.expected, rows_of_table(output))
        bench.check_nothing_left(process)
        output.unlink()
        Path(f"{output}.errors.jsonl").unlink(missing_ok=True)
    return f"two tables, {killed} workers killed"


def killed_in_ranges(bench: Bench) -> str:
    """One large WARC file is cut into ranges; workers are killed while they hold one."""
    whole = bench.crawl
    bench.crawl = bench.work / "large"
    copies = 1 + 100_000_000 // sum(path.stat().st_size for path in whole.iterdir())
    bench.crawl.mkdir(exist_ok=True)
    with (bench.crawl / "large.warc.gz").open("wb") as large:
        for _ in range(copies):
            for path in sorted(whole.iterdir()):
                large.write(path.read_bytes())
    of_whole = bench.expected
    try:
        bench.new_run()
        bench.finish()
        bench.expected = rows_of(bench.run)
        ranges = json.loads((bench.run / "crawl.json").read_text())["inputs"]
        assert len(ranges) > 3, "the file was not cut"
        message = killed_workers(bench)
    finally:
        shutil.rmtree(bench.crawl)
        bench.crawl, bench.expected = whole, of_whole
    return f"{len(ranges)} ranges, {message}"


def many_files(bench: Bench) -> str:
    """A folder of 10,000 single pages, killed and resumed."""
    whole = bench.crawl
    bench.crawl = bench.work / "pages"
    for number in range(10_000):
        page = bench.crawl / f"{number // 100:03}" / f"{number:05}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<html lang=en><p>You have flu. Rest, and drink water. Page {number}.")
    try:
        bench.new_run()
        bench.finish()
        expected = rows_of(bench.run)
        assert expected.scores.num_rows == 10_000
        bench.new_run()
        process = bench.start()
        time.sleep(bench.moment())
        kill_group(process)
        bench.finish()
        compare(expected, rows_of(bench.run))
    finally:
        shutil.rmtree(bench.crawl)
        bench.crawl = whole
    return "10,000 rows"


def large_file(bench: Bench) -> str:
    """One WARC file of 2 GB is read by two workers in bounded memory."""
    whole = bench.crawl
    bench.crawl = bench.work / "large"
    bench.crawl.mkdir(exist_ok=True)
    size = 0
    with (bench.crawl / "large.warc").open("wb") as large:
        page = b"<html lang=en><p>You have flu. Rest, and drink water.<!-- " + b"x" * 400_000
        for number in range(5_000):
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
            head = warc_head(len(body), WARC_TREC_ID=f"doc-{number}")
            size += large.write(head + body + b"\r\n\r\n")
    try:
        bench.new_run()
        process = bench.start()
        largest = 0.0
        while process.poll() is None:
            for pid in group_of(process):
                with contextlib.suppress(OSError, IndexError):  # it has ended
                    largest = max(largest, megabytes_of(pid, "VmHWM"))
            time.sleep(0.2)
        ended(process)
        rows = rows_of(bench.run).scores.num_rows
        assert rows == 5_000, rows
        assert largest < 600, f"a process had {largest:.0f} MB"
    finally:
        shutil.rmtree(bench.crawl)
        bench.crawl = whole
    return f"{size / 1e9:.1f} GB, at most {largest:.0f} MB in a process"


CASES: dict[str, Callable[[Bench], str]] = {
    case.__name__: case
    for case in (
        killed_as_a_whole,
        killed_parent,
        killed_workers,
        full_disk,
        read_only,
        truncated_input,
        moved_clock,
        two_copies,
        array_job,
        terminated,
        tables,
        many_files,
    )
}
# These take minutes, or more disk than tests should.
LARGE_CASES: dict[str, Callable[[Bench], str]] = {
    case.__name__: case for case in (killed_in_ranges, large_file)
}


def main() -> None:
    parser = parser_of(__doc__, documents=6000)
    cases = {**CASES, **LARGE_CASES}
    parser.add_argument("--only", choices=cases, action="append")
    parser.add_argument(
        "--score", type=shlex.split, default=[], metavar="OPTIONS", help="more options of the runs"
    )
    parser.add_argument("--work", type=Path, help="folder for crawls and runs")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="crawl-faults-", dir=options.work))
    try:
        build_crawl(work / "crawl", health_pages(options.data), options.documents)
        bench = Bench(work / "bench", work / "crawl", options=("--workers", "2", *options.score))
        assert bench.expected is not None
        print(
            f"undisturbed: {bench.expected.scores.num_rows} scores, "
            f"{len(bench.expected.errors)} errors, {bench.seconds:.0f} s",
            flush=True,
        )
        failed = False
        for name in options.only or CASES:
            started = time.monotonic()
            try:
                outcome = "same rows: " + cases[name](bench)
            except NotHereError as reason:
                outcome = f"not tried: {reason}"
            except AssertionError as error:
                outcome, failed = f"FAILED: {error}", True
            print(f"{name:20} {time.monotonic() - started:5.0f} s  {outcome}", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
