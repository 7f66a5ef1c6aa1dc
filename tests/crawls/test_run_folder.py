"""Crawl folders: parts that are whole or not there, descriptions that must be the same, locks."""

import errno
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from tests.crawls.conftest import commit, described

from understandability.crawls.folder import CrawlFolder, Facts, Part, complete_inputs
from understandability.errors import InputError
from understandability.inputs.writing import LocalFolder, open_folder


@pytest.fixture(params=["disk", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> CrawlFolder:
    """A crawl folder that is not there yet, on a disk and in an object store."""
    if request.param == "disk":
        return CrawlFolder(str(tmp_path / "run"))
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").store.clear()
    return CrawlFolder("memory://bucket/run")


def test_a_part_is_read_as_it_was_written(folder: CrawlFolder) -> None:
    """Rows, failures and what was counted; null where there is no number."""
    facts = commit(folder, Part(0, 1, last=True), ["a", "b", "c"], [("x", "decode"), ("y", "read")])
    assert facts == Facts(
        5, Counter(decode=1, read=1), Counter(pictures=1), (1, 1, 1, 0, 0, 0, 0, 0, 0, 0)
    )
    (part,) = folder.parts()
    assert part == Part(0, 1, last=True)
    assert folder.facts(part) == facts
    assert folder.facts(part).scored == 3
    assert folder.scores(part)["difficulty"].to_pylist() == [0.0, 10.0, 20.0]
    assert [(f.docno, f.stage) for f in folder.failures(part)] == [("x", "decode"), ("y", "read")]
    assert [row["docno"] for row in folder.rows(part, "ycx")] == ["c", "x", "y"]


def test_parts_have_the_order_of_the_inputs(folder: CrawlFolder) -> None:
    """Whatever the order in which they were finished; an input is complete with all its parts."""
    for part in (Part(10, 0, True), Part(2, 1, True), Part(2, 0), Part(3, 1, True)):
        commit(folder, part, [])
    assert folder.parts() == [Part(2, 0), Part(2, 1, True), Part(3, 1, True), Part(10, 0, True)]
    assert complete_inputs(folder.parts()) == {2, 10}


def test_the_same_description_may_come_again(folder: CrawlFolder) -> None:
    """The same description resumes the crawl; another one is refused, and the difference named."""
    folder.begin(described(3))
    folder.begin(described(3))
    assert folder.description()["settings"] == {"threshold": 40.0}
    with pytest.raises(InputError, match=r"threshold was 40.0 and is now 30.0; run the same"):
        folder.begin(described(3, threshold=30.0))


def test_inputs_are_added(folder: CrawlFolder) -> None:
    """Each addition continues the numbers; of two at the same time, one comes first."""
    folder.begin(described(2))
    more = described(4)["inputs"][2:]
    assert folder.add_inputs(2, more, {"pictures": 3})
    assert not folder.add_inputs(2, more, {})
    assert folder.add_inputs(4, described(5)["inputs"][4:], {"pictures": 4})
    description = folder.description()
    assert description["inputs"] == described(5)["inputs"]
    assert description["skipped"] == {"pictures": 4}
    assert [file.path for file in folder.files()] == [f"in{i}" for i in range(5)]


def test_a_damaged_addition_is_one_sentence(tmp_path: Path) -> None:
    """Numbers of inputs would shift if one of the additions were missing."""
    folder = CrawlFolder(str(tmp_path / "run"))
    folder.begin(described(2))
    for number in (2, 3):
        folder.add_inputs(number, described(number + 1)["inputs"][number:], {})
    (tmp_path / "run" / "added" / "0000002.json").unlink()
    with pytest.raises(InputError, match=r"added/0000003.json is damaged: inputs before its own"):
        folder.description()
    (tmp_path / "run" / "added" / "0000002.json").write_text("[]")
    with pytest.raises(InputError, match=r"added/0000002.json is damaged: it is not a JSON obj"):
        folder.description()


def test_folders_of_other_things_are_left_alone(tmp_path: Path) -> None:
    """A run does not begin among other files, and a folder of another type is not read."""
    (tmp_path / "thesis.tex").write_text("Chapter 1")
    run = CrawlFolder(str(tmp_path))
    with pytest.raises(InputError, match=r"holds other files \(thesis.tex\); name a new one"):
        run.begin(described(1))
    with pytest.raises(InputError, match=r"is not a crawl folder: there is no crawl.json in it"):
        run.description()
    (tmp_path / "crawl.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(InputError, match="has a newer format"):
        run.description()


def test_the_scores_of_a_part_appear_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between its two files, a part is not there; done again, it replaces both."""
    run = CrawlFolder(str(tmp_path / "run"))
    publish = LocalFolder.publish

    def interrupted(self: LocalFolder, temporary: str, name: str) -> None:
        if name.startswith("scores/"):
            raise KeyboardInterrupt
        publish(self, temporary, name)

    monkeypatch.setattr(LocalFolder, "publish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        commit(run, Part(0, 0), ["a"], [("slow", "extract")])
    assert run.parts() == []
    monkeypatch.undo()
    commit(run, Part(0, 0), ["a", "slow"])
    assert run.scores(Part(0, 0))["docno"].to_pylist() == ["a", "slow"]
    assert run.failures(Part(0, 0)) == []


def test_any_reader_of_parquet_reads_the_folder(tmp_path: Path) -> None:
    """Scores and errors are data sets as they are, also for DuckDB and for a part of no rows."""
    run = CrawlFolder(str(tmp_path / "run"))
    commit(run, Part(0, 0), ["a", "b"], [("x", "decode")])
    commit(run, Part(0, 1, True), [])
    commit(run, Part(1, 0, True), ["c"])
    scores = pyarrow.dataset.dataset(tmp_path / "run" / "scores").to_table()
    assert scores["docno"].to_pylist() == ["a", "b", "c"]
    errors = pq.read_table(tmp_path / "run" / "errors")
    assert errors.to_pylist() == [
        {"docno": "x", "path": "input0", "stage": "decode", "error": "told"}
    ]
    duckdb = pytest.importorskip("duckdb")
    count = duckdb.sql(f"select count(*) from '{tmp_path}/run/scores/*.parquet'").fetchall()
    assert count == [(3,)]


def test_unfinished_files_are_removed_for_ones_own_inputs(tmp_path: Path) -> None:
    """Files that another shard is writing stay."""
    run = CrawlFolder(str(tmp_path))
    commit(run, Part(0, 0), ["a"])
    mine = tmp_path / "scores" / ".0000000-00001.parquet.host-1.part"
    other = tmp_path / "scores" / ".0000001-00000.parquet.host-2.part"
    for path in (mine, other):
        path.write_bytes(b"half")
    run.discard_unusable([0])
    assert not mine.exists()
    assert other.exists()
    assert run.parts() == [Part(0, 0)]


def test_a_full_disk_or_a_forbidden_folder_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's reason and what to do; nothing unfinished stays."""
    run = CrawlFolder(str(tmp_path))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written to: No space left on device; fix"):
        commit(run, Part(0, 0), ["a"])
    assert list((tmp_path / "scores").iterdir()) == []


@pytest.mark.parametrize("links", [True, False])
def test_two_that_begin_at_once_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """The first file of a name stays, whole; also on network file systems without links."""

    def no_links(self: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    folder = open_folder(str(tmp_path))
    assert folder.create("crawl.json", b"first")
    assert not folder.create("crawl.json", b"second")
    assert (tmp_path / "crawl.json").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.json"]


def test_a_run_killed_at_its_beginning_leaves_nothing(tmp_path: Path) -> None:
    """Temporary files of its description, or of a file given up, go when it begins."""
    run = CrawlFolder(str(tmp_path))
    (tmp_path / ".crawl.json.host-1.part").write_bytes(b"half")
    run.begin(described(2))
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.json"]
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / ".0000001.json.host-1.part").write_bytes(b"half")
    run.give_up("in1")
    assert [path.name for path in (tmp_path / "without").iterdir()] == ["0000001.json"]
    assert run.given_up() == ["in1"]


def test_one_that_is_still_writing_finds_what_another_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one removed its unfinished file meanwhile."""
    link = Path.hardlink_to

    def late(self: Path, target: Path) -> None:
        monkeypatch.setattr(Path, "hardlink_to", link)
        assert open_folder(str(tmp_path)).create("crawl.json", b"first")
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", late)
    assert not open_folder(str(tmp_path)).create("crawl.json", b"second")
    assert (tmp_path / "crawl.json").read_bytes() == b"first"


def test_a_run_goes_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as Lustre mounted without locks; any other fault of the lock is reported."""

    def refuse(number: int) -> Callable[..., None]:
        def lockf(*arguments: object) -> None:
            raise OSError(number, os.strerror(number))

        return lockf

    monkeypatch.setattr("fcntl.lockf", refuse(errno.ENOSYS))
    with CrawlFolder(str(tmp_path)).lock([0]):
        pass
    monkeypatch.setattr("fcntl.lockf", refuse(errno.EIO))
    with pytest.raises(InputError, match="cannot be locked: Input/output error"):
        CrawlFolder(str(tmp_path)).lock([0]).__enter__()


HOLD = """
import sys
from understandability.crawls.folder import CrawlFolder
with CrawlFolder(sys.argv[1]).lock([0, 2]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_names_its_holder_and_dies_with_it(tmp_path: Path) -> None:
    """Two processes share a folder, but no input; a killed one never blocks."""
    run = CrawlFolder(str(tmp_path / "run"))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, run.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with run.lock([1, 3]):
            pass
        with (
            pytest.raises(InputError, match=f"worked on by process {holder.pid} on .*; wait"),
            run.lock([1, 2]),
        ):
            pass
        holder.kill()
    with run.lock([0, 1, 2, 3]):
        pass
