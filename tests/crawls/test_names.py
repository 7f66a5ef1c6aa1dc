"""Names of documents: paths below what was given, and one rule for those that come again."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from understandability.crawls.local import fill_table
from understandability.crawls.outputs import InMemory
from understandability.crawls.plan import make_plan
from understandability.inputs.sources import Sources
from understandability.rows import FeatureRows
from understandability.scoring import Settings
from understandability.text.page import SEEN_BEFORE

MAKER = FeatureRows(Settings(extractor="naive"), ("words",))


def made(*paths: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Docno and path of the rows, docno and error of the failures."""
    plan = make_plan(Sources(paths), MAKER)
    output = InMemory()
    for _ in fill_table(plan, output):
        pass
    rows = [row for table in output.tables for row in table.to_pylist()]
    failures = [(failure.docno, failure.error) for failure in output.failures]
    return [(row["docno"], row["path"]) for row in rows], failures


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folders with pages of the same names, records of the same names, an archive."""
    monkeypatch.chdir(tmp_path)
    for name in ("a/x/index.html", "b/x/index.html", "b/other.html"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("<p>Some words.")
    for name in ("one.jsonl", "two.jsonl"):
        ids = ["d1", "d2", "d1"]
        lines = [json.dumps({"id": each, "text": "Some words."}) for each in ids]
        Path(name).write_text("\n".join(lines))
    Path("tars").mkdir()
    for name in ("tars/p.tar", "tars/q.tar"):
        with tarfile.open(name, "w") as archive:
            member = tarfile.TarInfo("pages/index.html")
            member.size = 9
            archive.addfile(member, io.BytesIO(b"<p>Words."))


def test_a_docno_is_the_path_below_what_was_given() -> None:
    """A file has its name; a member of a named archive has its path in the archive."""
    assert made("a") == ([("x/index.html", "a/x/index.html")], [])
    assert made("./a/x/") == ([("index.html", "a/x/index.html")], [])
    assert made("b/other.html") == ([("other.html", "b/other.html")], [])
    assert made("tars/p.tar") == ([("pages/index.html", "tars/p.tar!pages/index.html")], [])
    assert made("tars") == (
        [
            ("p.tar!pages/index.html", "tars/p.tar!pages/index.html"),
            ("q.tar!pages/index.html", "tars/q.tar!pages/index.html"),
        ],
        [],
    )


def test_files_of_two_inputs_are_two_documents() -> None:
    rows, failures = made("a", "b")
    assert [docno for docno, _ in rows] == ["a/x/index.html", "other.html", "b/x/index.html"]
    rows, _ = made("a/x/index.html", "b/x/index.html")
    assert [docno for docno, _ in rows] == ["a/x/index.html", "b/x/index.html"]
    assert failures == []


def test_records_of_two_inputs_are_two_documents() -> None:
    """The later has the input's name before it; within one input it is an error, as ever."""
    rows, failures = made("one.jsonl", "two.jsonl")
    assert rows == [
        ("d1", "one.jsonl#1"),
        ("d2", "one.jsonl#2"),
        ("two.jsonl/d1", "two.jsonl#1"),
        ("two.jsonl/d2", "two.jsonl#2"),
    ]
    assert failures == [("d1", SEEN_BEFORE), ("d1", SEEN_BEFORE)]
    rows, failures = made(".")
    assert [docno for docno, _ in rows if docno.startswith("d")] == ["d1", "d2"]
    assert [docno for docno, error in failures if error == SEEN_BEFORE] == ["d1", "d1", "d1", "d2"]


def test_a_file_that_is_named_twice_is_read_once() -> None:
    """Also if the archive is in a named folder."""
    sources = Sources(["b", "b/other.html", "./b"])
    assert [file.docno for file in sources.files] == ["other.html", "x/index.html"]
    assert sources.skipped == {"files that were named twice": 3}
