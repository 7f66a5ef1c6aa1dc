"""Prove run folders by faults: whatever happens to a crawl, resumed it ends with the same rows.

    python scripts/crawl_faults.py                  # all cases, about 15 minutes
    python scripts/crawl_faults.py --only clock     # one of them
    python scripts/crawl_faults.py --large 200000   # one run of so many documents, and its memory
    python scripts/crawl_faults.py --large 200000 --largest-page 60000 --score '--bundle llr'

A crawl is built of real pages with hostile ones among them, duplicates and broken records; each
case disturbs a run of it, resumes it, and compares its rows with those of an undisturbed run:
equal to six significant digits, the same errors, no process and no temporary file left.
Cases that need what is not there (root for a small disk, libfaketime) say so and are passed over.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understandability.crawl.merge import merge
from understandability.io.run_folder import RunFolder
from understandability.records import SEEN_BEFORE

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
UNDERSTAND = [sys.executable, "-m", "understandability"]
HOSTILE: tuple[bytes, ...] = (
    b"",
    b"\x00" * 5000,
    b"%PDF-1.7\n" + b"\xff\xfe\x00" * 3000,
    gzip.compress(b"<p>compressed twice"),
    b"<div>" * 20_000 + b"The bottom of it.",
    b"<p>" + b"a" * 1_000_000,
    b"<p>Word. " * 30_000,
    b"<table><tr><td>" * 3000 + b"cell",
    "<p>\u05e9\u05dc\u05d5\u05dd \u202e world. ".encode() * 200,
    b"<html><head><meta charset=utf-99></head><p>A wrong charset \xe9\xff.",
    b"<script>" + b"if (a < b) { c = '</p>'; }" * 5000,
    b"<p " + b"x=1 " * 20_000 + b">Many attributes.",
    b"<!--" * 10_000 + b"<p>Comments that do not end.",
    b"<a>" * 3000 + b"Links in links.",
    b"<p>Characters that are none: &#xD800; &#0; &#x110000;",
)


class NotHereError(Exception):
    """A case cannot be tried on this machine; says why."""


# The crawl


def health_pages(data: Path) -> list[bytes]:
    """The real pages, as saved."""
    with tarfile.open(data / "html" / "health_pages" / "health_pages.tar.gz") as archive:
        members = [member for member in archive if member.isfile() and ".htm" in member.name]
        return [archive.extractfile(member).read() for member in members]  # type: ignore[union-attr]


def build_crawl(
    folder: Path,
    pages: Sequence[bytes],
    documents: int,
    files: int = 3,
    *,
    hostile: float = 0.02,
    repeated: float = 0.02,
    broken: float = 0.01,
) -> dict[str, int]:
    """Write WARC files of that many documents, with such shares of them that are difficult.

    Gives the page of each name where it comes first, by number; hostile ones come after `pages`.
    """
    chosen = random.Random(7)
    pages = [*pages, *HOSTILE]
    first: dict[str, int] = {}
    folder.mkdir(parents=True, exist_ok=True)
    # A body is a gzip member of its own, compressed once, however often its page is repeated.
    bodies: dict[int, tuple[int, bytes]] = {}
    for file in range(files):
        with (folder / f"crawl-{file:03}.warc.gz").open("wb") as out:
            out.write(gzip.compress(_record("warcinfo", "info", 0)))
            for i in range(file, documents, files):
                number = i % (len(pages) - len(HOSTILE))
                if chosen.random() < hostile:
                    number = len(pages) - 1 - chosen.randrange(len(HOSTILE))
                if number not in bodies:
                    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + pages[number]
                    bodies[number] = len(page), gzip.compress(page + b"\r\n\r\n", 1)
                length, body = bodies[number]
                name = f"doc-{chosen.randrange(i + 1) if chosen.random() < repeated else i:07}"
                first.setdefault(name, number)
                if chosen.random() < broken:
                    if chosen.random() < 0.5:
                        length += chosen.choice((-7, 300))
                    else:
                        body = body[: len(body) // 2] + bytes(40) + body[len(body) // 2 + 40 :]
                out.write(gzip.compress(_record("response", name, length), 1) + body)
    return first


def _record(kind: str, name: str, length: int) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-TREC-ID: {name}\r\n"
        f"WARC-Target-URI: http://{name}.example/\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    )
    return head.encode() + (b"\r\n\r\n" if kind == "warcinfo" else b"")


# Runs, and what they wrote


@dataclass
class Bench:
    """Where runs of one crawl are disturbed, and the rows that they must end with."""

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
        """A folder for another run; the one before goes."""
        if hasattr(self, "run"):
            shutil.rmtree(self.run, ignore_errors=True)
        self.run = self.work / f"run-{self.rng.randrange(10**9)}"
        return self.run

    def start(self, *prefix: str, **environment: str) -> subprocess.Popen[str]:
        """Begin the run, or go on with it, in a process group of its own."""
        return subprocess.Popen(
            [*prefix, *UNDERSTAND, "score", str(self.crawl), "-o", f"{self.run}/", *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(self.temporary), **environment},
        )

    def finish(self, *prefix: str, **environment: str) -> None:
        """Run to the end, which must be a good one."""
        process = self.start(*prefix, **environment)
        _, told = process.communicate()
        assert process.returncode == 0, told
        self.check_nothing_left(process)

    def check(self) -> None:
        """The rows are those of the undisturbed run."""
        assert self.expected is not None
        compare(self.expected, rows_of(self.run))

    def check_nothing_left(self, process: subprocess.Popen[str]) -> None:
        """No process of the run's group is alive, and nothing unfinished lies about."""
        assert not group_of(process), "processes are left"
        left = [str(path) for path in self.run.rglob("*.part")]
        left += [str(path) for path in self.temporary.iterdir()]
        assert not left, f"files are left: {left}"

    def moment(self) -> float:
        """Seconds after which to strike: within the time that a whole run takes."""
        return self.rng.uniform(0.1, self.seconds)


@dataclass(frozen=True)
class Rows:
    """The merged rows of a run: scores in order, errors sorted."""

    scores: pa.Table
    errors: list[tuple[str, str, str, str]]


def rows_of(run: Path) -> Rows:
    """Merge a run and read what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "scores.parquet")
        merge(RunFolder(str(run)), str(output))
        scores = pq.read_table(output)
        errors = Path(f"{output}.errors.jsonl")
        lines = errors.read_text().splitlines() if errors.exists() else []
        rows = [tuple(json.loads(line).values()) for line in lines]
    docnos = [*scores["docno"].to_pylist(), *(row[0] for row in rows if row[2] != "read")]
    assert len(docnos) == len(set(docnos)), "a document is there twice"
    return Rows(scores, sorted(rows))


def compare(expected: Rows, found: Rows) -> None:
    """Equal rows: numbers to six significant digits, all else exactly."""
    differing = sorted(set(found.errors) ^ set(expected.errors))
    assert found.errors == expected.errors, f"other errors: {differing[:4]}"
    assert found.scores.schema.equals(expected.scores.schema)
    for name in expected.scores.column_names:
        a, b = expected.scores[name], found.scores[name]
        if pa.types.is_floating(a.type):
            numbers_a, numbers_b = a.to_numpy(), b.to_numpy()
            assert np.allclose(numbers_a, numbers_b, rtol=5e-7, atol=0, equal_nan=True), name
        else:
            assert a.equals(b), name


def group_of(process: subprocess.Popen[str]) -> list[int]:
    """The living processes of the group that a process leads."""
    found = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True)
    lines = (line.split() for line in found.stdout.splitlines())
    return [
        int(pid) for pid, group, state in lines if int(group) == process.pid and state[0] != "Z"
    ]


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    return [pid for pid in group_of(process) if pid != process.pid]


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
                _, told = process.communicate(timeout=bench.moment())
            except subprocess.TimeoutExpired:
                kill_group(process)
                struck += 1
                if struck < bench.kills:
                    continue
                bench.finish()
            else:
                assert process.returncode == 0, told
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
        workers = workers_of(process)
        if workers and struck < bench.kills:
            with contextlib.suppress(ProcessLookupError):
                os.kill(bench.rng.choice(workers), signal.SIGKILL)
                struck += 1
    _, told = process.communicate()
    assert process.returncode == 0, told
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
        process = bench.start()
        _, told = process.communicate()
        assert process.returncode == 2, told
        assert "No space left on device" in told, told
        grown = ["mount", "-o", f"remount,size={needed * 3 + 65536}", str(disk)]
        subprocess.run(grown, check=True)
        bench.finish()
        bench.check()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    return f"ended with status 2 and: {told.strip().splitlines()[-1]}"


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
    _, told = process.communicate()
    scores.chmod(0o755)
    assert process.returncode == 2, told
    assert "Permission denied" in told, told
    bench.finish(*prefix)
    bench.check()
    return f"ended with status 2 and: {told.strip().splitlines()[-1]}"


def truncated_input(bench: Bench) -> str:
    """An input loses its end midway: going on is refused until it is whole again."""
    bench.new_run()
    process = bench.start()
    while process.poll() is None and not (bench.run / "run.json").exists():
        time.sleep(0.02)  # before that there is no run to go on with
    time.sleep(min(bench.moment(), bench.seconds / 2))
    kill_group(process)
    victim = max(bench.crawl.iterdir())
    content = victim.read_bytes()
    victim.write_bytes(content[: len(content) * 2 // 3])
    try:
        process = bench.start()
        _, told = process.communicate()
        assert process.returncode == 2, told
        assert victim.name in told, told
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
    return f"refused: {told.strip().splitlines()[-1][:150]}"


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
    _, told = process.communicate()
    assert process.returncode == 0, told
    bench.check()
    return f"{jumps} jumps"


def two_copies(bench: Bench) -> str:
    """A second copy on the same folder, or on a shard of it, is refused."""
    bench.new_run()
    first = bench.start()
    while not (bench.run / ".lock").exists() or (bench.run / ".lock").stat().st_size == 0:
        time.sleep(0.02)
    for more in ((), ("--shard", "2/2")):
        options, bench.options = bench.options, (*bench.options, *more)
        second = bench.start()
        bench.options = options
        _, told = second.communicate()
        assert first.poll() is None, "the first copy was done too soon"
        assert second.returncode == 2, told
        assert f"process {first.pid}" in told, told
    _, said = first.communicate()
    assert first.returncode == 0, said
    bench.check()
    return f"refused: {told.strip().splitlines()[-1]}"


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
        _, told = job.communicate()
        assert job.returncode == 0, told
    bench.options = (*options, "--workers", "1", "--shard", "2/3")
    bench.finish()
    bench.options = options
    bench.check()
    return "three shards, the second killed and started again"


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
    )
}


# The large run


def large_run(work: Path, pages: Sequence[bytes], documents: int, options: Sequence[str]) -> None:
    """One run of very many documents: exact rows, the curve of memory, nothing left."""
    crawl, run, temporary = work / "crawl", work / "run", work / "tmp"
    temporary.mkdir()
    first = build_crawl(crawl, pages, documents, files=20, broken=0)
    print(f"{documents:,} documents, scored with: {' '.join(options)}")
    started = time.monotonic()
    process = subprocess.Popen(
        [*UNDERSTAND, "score", str(crawl), "-o", f"{run}/", *options],
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    print("minutes  documents  parent MB  largest worker MB  open files of the parent", flush=True)
    peak: list[tuple[int, float, float]] = []
    last = 0.0
    while process.poll() is None:
        time.sleep(1)
        group = [pid for pid in group_of(process) if pid != process.pid]
        parent = megabytes(process.pid)
        largest = max(map(megabytes, group), default=0.0)
        done = len(list((run / "scores").glob("*.parquet"))) if (run / "scores").exists() else 0
        peak.append((done, parent, largest))
        if time.monotonic() - last >= 60:
            last = time.monotonic()
            files = len(list(Path(f"/proc/{process.pid}/fd").glob("*")))
            minutes = (last - started) / 60
            print(
                f"{minutes:7.1f} {done:10}k {parent:10.0f} {largest:18.0f} {files:12}", flush=True
            )
    seconds = time.monotonic() - started
    assert process.returncode == 0
    assert not group_of(process), "processes are left"
    assert not [*run.rglob("*.part"), *temporary.iterdir()], "files are left"
    total = peak[-1][0]
    print("peak memory by tenth of the run (parent MB, largest worker MB):")
    for tenth in range(10):
        within = [p for p in peak if tenth * total <= p[0] * 10 <= (tenth + 1) * total]
        tops = max((p[1] for p in within), default=0), max((p[2] for p in within), default=0)
        print(f"  {tenth + 1:2}: {tops[0]:6.0f} {tops[1]:6.0f}")
    rows = rows_of(run)
    print(f"{documents} documents in {seconds / 60:.1f} min, {documents / seconds:.0f}/s")
    print(f"merged: {rows.scores.num_rows} scores, {len(rows.errors)} errors")
    check_pages(rows, first)
    docnos = random.Random(1).sample(sorted(first), 3)
    started = time.monotonic()
    subprocess.run([*UNDERSTAND, "lookup", str(run), *docnos], check=True, capture_output=True)
    print(f"three documents looked up in {time.monotonic() - started:.2f} s")


def check_pages(rows: Rows, first: dict[str, int]) -> None:
    """Every document is there once, and a page has the same numbers wherever it is repeated."""
    failed = {row[0] for row in rows.errors if row[3] != SEEN_BEFORE}
    docnos = rows.scores["docno"].to_pylist()
    assert sorted([*docnos, *failed]) == sorted(first), "not every document is there once"
    pages = np.array([first[docno] for docno in docnos])
    _, one, inverse = np.unique(pages, return_index=True, return_inverse=True)
    for name in rows.scores.column_names:
        if pa.types.is_floating(rows.scores[name].type):
            values = rows.scores[name].to_numpy()
            same = np.isclose(values, values[one][inverse], rtol=5e-7, atol=0, equal_nan=True)
            assert same.all(), f"{name} differs between copies of a page"
    print(f"every document once; {len(one)} pages with the same numbers in all their copies")


def megabytes(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except (OSError, IndexError):
        return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--documents", type=int, default=6000)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--large", type=int, metavar="N", help="one run of N documents instead")
    parser.add_argument(
        "--score", type=shlex.split, default=[], metavar="OPTIONS", help="more options of the runs"
    )
    parser.add_argument("--largest-page", type=int, metavar="BYTES", help="leave larger ones out")
    parser.add_argument("--work", type=Path, help="folder for crawls and runs")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="crawl-faults-", dir=options.work))
    try:
        pages = health_pages(options.data)
        if options.largest_page:
            pages = [page for page in pages if len(page) <= options.largest_page]
            print(f"{len(pages)} pages of up to {options.largest_page:,} bytes")
        scoring = ("--workers", "2", *options.score)
        if options.large:
            large_run(work, pages, options.large, scoring)
            return
        build_crawl(work / "crawl", pages, options.documents)
        bench = Bench(work / "bench", work / "crawl", options=scoring)
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
                outcome = "same rows: " + CASES[name](bench)
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
