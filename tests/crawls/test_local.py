"""A run on this machine from Python: URLs, and the progress that it reports."""

import json
import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understandability.cli.progress import ProgressLine
from understandability.crawls.folder import CrawlFolder, StagedPart
from understandability.crawls.local import fill_folder
from understandability.crawls.merge import merge
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import Plan, Progress, make_plan
from understandability.crawls.status import status_of
from understandability.errors import InputError
from understandability.inputs.sources import Sources, read_pages
from understandability.scoring import Scorer, Settings

pytestmark = pytest.mark.slow

SETTINGS = Settings(extractor="naive")


def lines(*docnos: str) -> bytes:
    return b"\n".join(
        json.dumps({"id": docno, "text": "Some words stand here."}).encode() for docno in docnos
    )


def run(plan: Plan, folder: CrawlFolder) -> Progress:
    folder.begin(plan.description)
    *_, progress = fill_folder(folder, plan, plan.inputs, workers=1, limits=Limits())
    return progress


def test_inputs_and_run_folder_behind_urls(tmp_path: Path) -> None:
    """Workers open URLs on their own; ``local://`` is the file system of fsspec for a disk."""
    pytest.importorskip("fsspec")
    bucket = tmp_path / "bucket"
    (bucket / "crawl" / "deep").mkdir(parents=True)
    (bucket / "crawl" / "a.jsonl").write_bytes(lines("a", "b"))
    (bucket / "crawl" / "deep" / "b.jsonl").write_bytes(lines("c", "a"))
    (bucket / "crawl" / "deep" / "p.html").write_bytes(b"<p>A page by itself.")
    (bucket / "crawl" / "picture.png").write_bytes(b"PNG")
    sources = Sources([f"local://{bucket}/crawl"])
    assert list(sources.skipped.values()) == [1]
    assert next(iter(sources.skipped)).startswith("files with the suffix .png, such as local://")
    plan = make_plan(sources, Scorer(SETTINGS))
    folder = CrawlFolder(f"local://{bucket}/run", plan.described)
    progress = run(plan, folder)
    assert (progress.documents, progress.inputs_done) == (5, 3)
    assert progress.bytes_done == progress.bytes
    assert run(plan, folder).documents == 0
    merged = merge(folder, str(tmp_path / "scores.jsonl"))
    assert (merged.scored, merged.repeated) == (4, 1)
    merged_lines = (tmp_path / "scores.jsonl").read_text().splitlines()
    assert [json.loads(line)["docno"] for line in merged_lines] == ["a", "b", "c", "deep/p.html"]
    with pytest.raises(InputError, match=f"local://{bucket}/none does not exist"):
        read_pages(f"local://{bucket}/none")


def test_parquet_behind_a_url(tmp_path: Path) -> None:
    """The folder is read at any offset, not only from its start."""
    fsspec = pytest.importorskip("fsspec")
    pq.write_table(pa.table({"id": ["x"], "text": ["Words."]}), tmp_path / "d.parquet")
    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/d.parquet", (tmp_path / "d.parquet").read_bytes())
    assert [page.docno for page in read_pages("memory://bucket/d.parquet")] == ["x"]


def test_a_run_of_errors_alone_has_a_table(tmp_path: Path) -> None:
    """It has the same columns as any other run."""
    (tmp_path / "a.html").write_bytes(b"%PDF-1.7 \x00\x01")
    plan = make_plan(Sources([tmp_path / "a.html"]), Scorer(SETTINGS))
    folder = CrawlFolder(str(tmp_path / "run"), plan.described)
    assert run(plan, folder).failed == {"decode": 1}
    assert (merge(folder, str(tmp_path / "s.parquet")).scored) == 0
    assert pq.read_schema(tmp_path / "s.parquet").names == Scorer(SETTINGS).schema.names


def test_a_run_that_failed_to_write_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Committed parts stay, and the status names the unfinished inputs."""
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_bytes(lines(f"{name}1", f"{name}2"))
    plan = make_plan(Sources([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]), Scorer(SETTINGS))
    folder = CrawlFolder(str(tmp_path / "run"), plan.described)
    publish = CrawlFolder.publish

    def failing(self: CrawlFolder, staged: StagedPart) -> None:
        if staged.part.input == 1:
            raise InputError("the disk is full")
        publish(self, staged)

    monkeypatch.setattr(CrawlFolder, "publish", failing)
    with pytest.raises(InputError, match="the disk is full"):
        run(plan, folder)
    status = status_of(folder)
    assert (status.complete, status.facts.records) == (1, 2)
    assert [each.name for each in status.inputs if not each.is_complete] == [plan.inputs[1].name]
    monkeypatch.undo()
    assert run(plan, folder).documents == 2
    assert status_of(folder).complete == 2


def test_progress_is_told_once_a_minute_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents, rate, errors by stage, the input, and how long it will take; not where quiet."""
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    display, quiet = ProgressLine(quiet=False), ProgressLine(quiet=True)
    progress = Progress(inputs=4, bytes=1000, bytes_done=200, bytes_passed=200)
    for second in range(1, 130):
        now = float(second)
        progress.documents, progress.bytes_done = 100 * second, 200 + 2 * second
        progress.failed = Counter(decode=second // 2, extract=second // 10)
        progress.inputs_done, progress.input = second // 50, "crawl/b.warc.gz"
        display.show_progress(progress)
        quiet.show_progress(progress)
    display.clear()
    first, second_line = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d 6,000 documents, 100/s, 36 errors \(decode 30, extract 6\), "
        r"input 2 of 4: crawl/b.warc.gz, about 6 min left",
        first,
    )
    assert "12,000 documents" in second_line
