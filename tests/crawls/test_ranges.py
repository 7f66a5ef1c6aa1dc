"""Large files are read in ranges by several workers; the rows equal those of one process."""

import gzip
import json
import os
import random
import signal
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scripts.faults.crawls import warc_head

import understandability as ud
from understandability.crawls import plan as planning
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.merge import merge
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import make_plan
from understandability.crawls.score import crawl, score
from understandability.inputs.sources import Sources
from understandability.scoring import Scorer, Settings

pytestmark = pytest.mark.slow
TEXT = "You have flu. Rest and drink water. See a doctor if you do not get better."
QUICK = {"extractor": "naive", "bundle": "llr"}
COUNT = 300


def pages() -> list[tuple[str, bytes]]:
    """Names and pages of different lengths that do not compress well; some names come twice."""
    noise = random.Random(3)
    names = [f"d{number % (COUNT - 20)}" for number in range(COUNT)]
    return [
        (name, f"<p>{TEXT} {number}<!-- {noise.randbytes(noise.randrange(2000)).hex()}".encode())
        for number, name in enumerate(names)
    ]


def warc(path: Path) -> Path:
    """A WARC file of gzip members, one for each record."""
    path = path / "large.warc.gz"
    with path.open("wb") as file:
        for name, page in pages():
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
            head = warc_head(len(body), WARC_TREC_ID=name)
            file.write(gzip.compress(head + body + b"\r\n\r\n"))
    return path


def jsonl(path: Path) -> Path:
    path = path / "large.jsonl"
    lines = [json.dumps({"id": name, "html": page.decode()}) for name, page in pages()]
    path.write_text("\n".join(lines) + "\n")
    return path


def parquet(path: Path) -> Path:
    path = path / "large.parquet"
    names, contents = zip(*pages(), strict=True)
    pq.write_table(pa.table({"id": names, "html": contents}), path, row_group_size=40)
    return path


def archive(path: Path) -> Path:
    path = path / "large.zip"
    with zipfile.ZipFile(path, "w") as file:
        for number, (_, page) in enumerate(pages()):
            file.writestr(f"pages/{number}.html", page)
    return path


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of about 40 documents."""
    monkeypatch.setattr(planning, "PART_BYTES", 60_000)
    monkeypatch.setattr(planning, "SPLIT_BYTES", 60_000)


def same(result: object, expected: object) -> bool:
    """Compare rows and errors."""
    assert isinstance(result, ud.Scores)
    assert isinstance(expected, ud.Scores)
    assert result.failures == expected.failures
    return bool(result.table.equals(expected.table))


@pytest.mark.parametrize("write", [warc, jsonl, parquet, archive])
def test_ranges_have_the_rows_of_one_process(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    """In a table and in a folder; documents that span two ranges, and repeated ones, count once."""
    path = write(tmp_path)
    plan = make_plan(Sources([path]), Scorer(Settings()))
    assert len(plan.inputs) > 3
    assert sum(input_.bytes for input_ in plan.inputs) == pytest.approx(
        path.stat().st_size, rel=0.1
    )
    expected = score(path, workers=1, **QUICK)
    repeated = 0 if write is archive else 20
    assert (len(expected), len(expected.failures)) == (COUNT - repeated, repeated)
    assert same(score(path, workers=2, **QUICK), expected)
    status = crawl(path, tmp_path / "run", workers=2, **QUICK)
    assert [input_.name for input_ in status.inputs] == [str(path)]
    assert status.complete == 1
    assert same(merge(tmp_path / "run"), expected)


def test_the_rows_do_not_depend_on_the_size_of_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member of gzip that spans a cut belongs to the range in which it begins."""
    path = warc(tmp_path)
    expected = None
    for size in (20_001, 60_000, 77_777, 10_000_000):
        monkeypatch.setattr(planning, "PART_BYTES", size)
        result = score(path, workers=1, **QUICK)
        columns = result.table.drop_columns(["path"])
        assert expected is None or columns.equals(expected)
        expected = columns


def test_a_crawl_goes_on_in_the_ranges_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranges are recorded, so another version may cut files elsewhere."""
    path = warc(tmp_path)
    crawl(path, tmp_path / "run", workers=2, **QUICK)
    expected = merge(tmp_path / "run")
    parts = sorted((tmp_path / "run" / "scores").iterdir())
    for part in parts[1::2]:
        part.unlink()
    monkeypatch.setattr(planning, "PART_BYTES", 30_000)
    crawl(path, tmp_path / "run", workers=2, **QUICK)
    assert sorted((tmp_path / "run" / "scores").iterdir()) == parts
    assert same(merge(tmp_path / "run"), expected)


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have started."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    children: dict[int, list[int]] = {}
    for line in lines.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    result: set[int] = set()
    waiting = [pid]
    while waiting:
        new = set(children.get(waiting.pop(), [])) - result
        result |= new
        waiting += new
    return result


def test_a_worker_that_is_killed_in_a_range_loses_nothing(tmp_path: Path) -> None:
    """Whichever of its two processes is killed, another worker reads the range again."""
    path = warc(tmp_path)
    expected = score(path, workers=1, **QUICK)
    before = descendants(os.getpid())
    done = threading.Event()
    killed = 0

    def kill() -> None:
        nonlocal killed
        chosen = random.Random(5)
        while not done.wait(chosen.uniform(0.4, 1.2)) and killed < 8:
            workers = descendants(os.getpid()) - before
            for pid in chosen.sample(sorted(workers), min(1, len(workers))):
                command = Path(f"/proc/{pid}/cmdline")
                if command.exists() and b"process import main" in command.read_bytes():
                    os.kill(pid, signal.SIGKILL)
                    killed += 1

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for number in range(3):
            crawl(path, tmp_path / f"run{number}", workers=2, limits=Limits(), **QUICK)
            assert same(merge(tmp_path / f"run{number}"), expected)
    finally:
        done.set()
        killer.join()
    assert killed
    time.sleep(0.5)
    assert not CrawlFolder(str(tmp_path / "run0")).given_up()
    assert not [*tmp_path.rglob("*.part")]


@pytest.mark.usefixtures("hazards")
def test_a_page_that_kills_its_process_costs_itself_in_a_range(tmp_path: Path) -> None:
    """Its neighbours in the range are scored."""
    path = tmp_path / "large.jsonl"
    lines = [json.dumps({"id": name, "html": page.decode()}) for name, page in pages()]
    lines[150] = json.dumps({"id": "bad", "html": "<p>CRASH"})
    path.write_text("\n".join(lines) + "\n")
    status = crawl(path, tmp_path / "run", workers=2, **QUICK)
    assert status.facts.failed["extract"] == 1
    failures = [f for f in merge(tmp_path / "run").failures if f.stage == "extract"]  # type: ignore[union-attr]
    assert [failure.docno for failure in failures] == ["bad"]
