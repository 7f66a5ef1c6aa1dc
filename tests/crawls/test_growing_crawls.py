"""Crawls that live: inputs are added, errors are tried again, folders are merged."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.conftest import Run
from tests.crawls.conftest import errors_of

import understandability as ud
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.merge import Merged, merge
from understandability.crawls.page_process import Limits
from understandability.crawls.score import crawl
from understandability.crawls.status import status
from understandability.errors import InputError

pytestmark = pytest.mark.slow
TEXT = "You have flu. Rest and drink water. See a doctor if you do not get better."
QUICK = {"workers": 1, "extractor": "naive"}


def write(path: Path, *docnos: str, text: str = TEXT) -> Path:
    """Write a table of texts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"id": docno, "text": f"{text} {docno}"}) for docno in docnos]
    path.write_text("\n".join(lines) + "\n")
    return path


def docnos(folder: Path) -> list[str]:
    """The docnos of the merged rows."""
    return [str(row["docno"]) for row in merge(folder)]  # type: ignore[union-attr]


def test_new_inputs_are_added(tmp_path: Path, understand: Run) -> None:
    """New inputs may be named alone, or be in a folder that was named before."""
    run, pages = tmp_path / "run", tmp_path / "pages"
    write(pages / "b.jsonl", "b1", "b2")
    (pages / "one.txt").write_text(TEXT)
    options = ("--workers", "1", "--extractor", "naive")
    understand("score", pages, "-o", f"{run}/", *options, status=0)
    before = {path.name: path.read_bytes() for path in (run / "scores").iterdir()}
    write(pages / "a.jsonl", "a1", "b1")
    (pages / "two.txt").write_text(TEXT)
    messages = understand("score", pages, "-o", f"{run}/", *options, status=0).stderr
    assert f"added to {run}: 2 new files, such as {pages}/a.jsonl" in messages
    assert "3 documents now" in messages
    other = write(tmp_path / "c.jsonl", "c1", "a1")
    messages = understand("score", other, "-o", f"{run}/", *options, status=0).stderr
    assert "2 documents now" in messages
    assert docnos(run) == ["b1", "b2", "one.txt", "a1", "two.txt", "c1", f"{other}/a1"]
    for name, content in before.items():
        assert (run / "scores" / name).read_bytes() == content
    shown = understand("crawl", "status", run, status=0).stdout
    assert f"{run}: 8 documents of 5 of 5 inputs" in shown


def test_the_rows_do_not_depend_on_when_an_input_came(tmp_path: Path) -> None:
    """A crawl that grew has the rows of one that had all inputs at once, in the order of coming."""
    inputs = [write(tmp_path / f"{name}.jsonl", f"{name}1", "same") for name in "abc"]
    for path in inputs:
        crawl(path, tmp_path / "grown", **QUICK)
    crawl(inputs, tmp_path / "whole", **QUICK)
    whole, grown = merge(tmp_path / "whole"), merge(tmp_path / "grown")
    assert isinstance(whole, ud.Scores)
    assert isinstance(grown, ud.Scores)
    assert grown.table.equals(whole.table)


def test_shards_that_start_at_once_add_the_same_inputs(tmp_path: Path) -> None:
    """The first one adds them; the second one finds them there."""
    first = write(tmp_path / "a.jsonl", "a")
    crawl(first, tmp_path / "run", **QUICK)
    more = [write(tmp_path / f"{name}.jsonl", name) for name in "bcd"]
    for shard in ("1/2", "2/2"):
        crawl([first, *more], tmp_path / "run", shard=shard, **QUICK)
    assert docnos(tmp_path / "run") == [*"abcd"]
    assert [path.name for path in (tmp_path / "run" / "added").iterdir()] == ["0000001.json"]


def test_a_changed_or_vanished_input_is_refused(tmp_path: Path) -> None:
    """A finished input may disappear; an unfinished one may not."""
    pages, run = tmp_path / "pages", tmp_path / "run"
    paths = [write(pages / f"{name}.jsonl", name) for name in "abc"]
    crawl(pages, run, **QUICK)
    paths[0].unlink()
    write(pages / "d.jsonl", "d")
    crawl(pages, run, **QUICK)
    assert docnos(run) == [*"abcd"]
    (run / "scores" / "0000001-00000-end.parquet").unlink()
    paths[1].unlink()
    with pytest.raises(InputError, match=r"b.jsonl of the crawl in .*/run is no longer there; res"):
        crawl(pages, run, **QUICK)
    write(paths[1], "b", "more")
    with pytest.raises(InputError, match=r"b.jsonl .* had \d+ bytes and now has \d+ bytes; rest"):
        crawl(pages, run, **QUICK)


def test_a_crawl_of_the_first_format_goes_on(tmp_path: Path) -> None:
    """Version 0.2 wrote crawl.json without ranges and without the files that are passed over."""
    path = write(tmp_path / "a.jsonl", "a", "b")
    crawl(path, tmp_path / "run", **QUICK)
    file = tmp_path / "run" / "crawl.json"
    description = json.loads(file.read_text())
    assert description.pop("skipped") == {}
    file.write_text(json.dumps({**description, "format": 1}))
    crawl([path, write(tmp_path / "c.jsonl", "c")], tmp_path / "run", **QUICK)
    assert docnos(tmp_path / "run") == [*"abc"]


@pytest.mark.usefixtures("hazards")
def test_a_higher_limit_tries_pages_again(tmp_path: Path) -> None:
    """Errors of time and memory go when their limit grows; other errors and all rows stay."""
    texts = {"a": TEXT, "slow": "SLOW:1.5:", "b": TEXT, "raise": "RAISE", "c": TEXT}
    lines = [json.dumps({"id": name, "text": f"{text} {name}"}) for name, text in texts.items()]
    path, run = tmp_path / "a.jsonl", tmp_path / "run"
    path.write_text("\n".join(lines))
    part = run / "scores" / "0000000-00000-end.parquet"

    def scored(seconds: float, megabytes: float = 2000) -> Counter[str]:
        return crawl(path, run, limits=Limits(seconds, megabytes), **QUICK).facts.failed

    assert scored(0.7) == {"time": 1, "score": 1}
    before = {row["docno"]: row for row in merge(run)}  # type: ignore[union-attr]
    modified = part.stat().st_mtime_ns
    assert scored(0.5) == {"time": 1, "score": 1}
    assert scored(0.7, 3000) == {"time": 1, "score": 1}
    assert part.stat().st_mtime_ns == modified
    assert scored(30) == {"score": 1}
    after = merge(run)
    assert isinstance(after, ud.Scores)
    assert after.table["docno"].to_pylist() == ["a", "slow", "b", "c"]
    assert {row["docno"]: row for row in after if row["docno"] != "slow"} == before


@pytest.mark.usefixtures("hazards")
def test_what_the_machine_lacked_is_tried_in_every_run(tmp_path: Path) -> None:
    """The rows of pages that lacked memory come as soon as there is enough."""
    flag, run = tmp_path / "starve", tmp_path / "run"
    path = write(tmp_path / "a.jsonl", "a", "b", "c", text=f"{TEXT} STARVE-IF:{flag}:")
    flag.touch()
    assert crawl(path, run, **QUICK).facts.failed == {"environment": 3}
    flag.unlink()
    result = crawl(path, run, **QUICK).facts
    assert (result.scored, result.failed.total()) == (3, 0)
    assert list((run / "errors").iterdir()) == []


@pytest.mark.usefixtures("hazards")
def test_an_input_that_cannot_be_reached_is_read_in_the_next_run(
    tmp_path: Path, understand: Run
) -> None:
    """The run goes on, fails in the end, and the next run repairs it."""
    run = tmp_path / "run"
    inputs = [write(tmp_path / f"{name}.jsonl", name, f"{name}2") for name in "abc"]
    mark = tmp_path / "b.jsonl.unreachable"
    mark.touch()
    command = ("score", *inputs, "-o", f"{run}/", "--workers", "1", "--extractor", "naive")
    stopped = understand(*command, status=1).stderr
    assert "the machine or the network failed for 1 document" in stopped
    assert status(run).facts.failed == {"environment": 1}
    table = understand(*command[:4], "-o", tmp_path / "s.parquet", status=0)
    assert "6 documents, 0 errors" in table.stderr  # the command itself has no hazards
    mark.unlink()
    understand(*command, status=0)
    assert docnos(run) == ["a", "a2", "b", "b2", "c", "c2"]
    assert status(run).facts.failed == {}


@pytest.mark.usefixtures("hazards")
def test_errors_of_a_stage_are_tried_again_on_demand(tmp_path: Path, understand: Run) -> None:
    """Only errors of the given stage; `all` means every stage."""
    flag, run = tmp_path / "raise", tmp_path / "run"
    path = write(tmp_path / "a.jsonl", "a", "b", text=f"{TEXT} RAISE-IF:{flag}:")
    with path.open("a") as file:
        file.write('{"id": "pdf", "html": "%PDF-1.7 \\u0000"}\nno JSON\n')
    flag.touch()
    command = ("score", path, "-o", f"{run}/", "--workers", "1", "--extractor", "naive")
    understand(*command)
    assert status(run).facts.failed == {"score": 2, "decode": 1, "read": 1}
    flag.unlink()
    understand(*command, "--retry-errors", "decode", status=1)
    assert status(run).facts.failed == {"score": 2, "decode": 1, "read": 1}
    understand(*command, "--retry-errors", "score", status=0)
    assert status(run).facts.failed == {"decode": 1, "read": 1}
    for part in (run / "scores").iterdir():
        part.unlink()
    flag.touch()
    understand(*command)
    flag.unlink()
    understand(*command, "--retry-errors", "all", status=0)
    assert status(run).facts.failed == {"decode": 1, "read": 1}
    assert docnos(run) == ["a", "b"]
    wrong = understand(*command, "--retry-errors", "reading", status=2)
    assert "stage 'reading' does not exist; choose one of read" in wrong.stderr
    table = understand("score", path, "-o", "s.parquet", "--retry-errors", "read", status=2)
    assert "--retry-errors belongs to a crawl folder" in table.stderr


def test_a_file_that_can_be_read_again_yields_its_documents(tmp_path: Path) -> None:
    """The part with the error and the parts after it are made again, as after a network failure."""
    path, run = write(tmp_path / "a.jsonl", *[f"d{i}" for i in range(2500)]), tmp_path / "run"
    crawl(path, run, **QUICK, bundle="llr")
    expected = merge(run)
    folder = CrawlFolder(str(run), CrawlFolder(str(run)).description()["settings"])
    first, second, last = folder.parts()
    (run / "scores" / last.name).unlink()
    from understandability.crawls.folder import Part
    from understandability.inputs.limits import unread

    rows = folder.scores(second).slice(0, 300)
    folder.discard(second)
    cut = Part(0, 1, last=True)
    folder.commit(cut, rows, [unread(f"{path}#1301", "the connection was lost", "")], Counter())
    assert crawl(path, run, **QUICK, bundle="llr").facts.failed == {"read": 1}
    result = crawl(path, run, **QUICK, bundle="llr", retry_errors="read")
    assert (result.facts.scored, result.facts.failed.total()) == (2500, 0)
    again = merge(run)
    assert isinstance(expected, ud.Scores)
    assert isinstance(again, ud.Scores)
    assert again.table.equals(expected.table)
    assert (run / "scores" / first.name).exists()


def test_several_folders_are_merged(tmp_path: Path, understand: Run) -> None:
    """The first folder with a docno counts; within a folder, docnos get the name of their input."""
    for folder, tables in {"A": {"x": "12", "y": "1"}, "B": {"y": "13", "z": "34"}}.items():
        paths = [
            write(tmp_path / folder / f"{name}.jsonl", *ids, text=f"{TEXT} {folder}")
            for name, ids in tables.items()
        ]
        crawl(paths, tmp_path / f"run-{folder}", **QUICK)
    output = tmp_path / "m.parquet"
    folders = [tmp_path / "run-A", tmp_path / "run-B"]
    process = understand("crawl", "merge", *folders, "-o", output, status=0)
    rows: list[dict[str, Any]] = pq.read_table(output).to_pylist()
    x, y, z = tmp_path / "A" / "x.jsonl", tmp_path / "A" / "y.jsonl", tmp_path / "B" / "z.jsonl"
    assert [row["docno"] for row in rows] == ["1", "2", f"{y}/1", "3", f"{z}/3", "4"]
    assert [row["path"] for row in rows[:2]] == [f"{x}#1", f"{x}#2"]
    assert "1 document came a second time" in process.stderr
    assert [error["path"] for error in errors_of(output)] == [f"{tmp_path}/B/y.jsonl#1"]
    assert merge([*folders], tmp_path / "again.csv") == Merged(6, 1, 1)
    crawl(paths, tmp_path / "run-C", **QUICK, threshold=30)
    refused = understand("crawl", "merge", folders[0], tmp_path / "run-C", "-o", output, status=2)
    assert "have different settings (threshold, reader_description); merge" in refused.stderr
