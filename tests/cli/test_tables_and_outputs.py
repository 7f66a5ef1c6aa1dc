"""Tables in and outputs anywhere, as a user of `score`, `features` and `extract` has them."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import Run

TEXT = "You have flu. Rest, and drink water."


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A table as a crawl gives it."""
    rows = {
        "url": [f"http://a/{number}" for number in range(40)],
        "content": [f"<p>{TEXT} {'Again. ' * number}" for number in range(40)],
        "lang": ["en"] * 40,
        "depth": list(range(40)),
    }
    rows["content"][7] = "%PDF-1.7 \x00"
    pq.write_table(pa.table(rows), tmp_path / "pages.parquet")
    return tmp_path


def test_a_table_of_a_crawl_is_scored(pages: Path, understand: Run) -> None:
    """Columns of pages are guessed and reported; other columns are copied with their types."""
    done = understand(
        *("score", "pages.parquet", "-o", "s.parquet", "--keep", "lang,depth"),
        *("--extractor", "naive"),
        cwd=pages,
        status=0,
    )
    told = "pages.parquet: columns guessed: id = url, content = content"
    assert done.stderr.count(told) == 1
    table = pq.read_table(pages / "s.parquet")
    assert table.column_names[:3] == ["docno", "path", "url"]
    assert table.column_names[-2:] == ["lang", "depth"]
    assert table.schema.field("depth").type == pa.int64()
    assert table["depth"].to_pylist() == [number for number in range(40) if number != 7]
    assert table["docno"].to_pylist() == table["url"].to_pylist()
    (error,) = map(json.loads, (pages / "s.parquet.errors.jsonl").read_text().splitlines())
    assert (error["docno"], error["path"]) == ("http://a/7", "pages.parquet#8")


@pytest.mark.slow
def test_workers_serve_a_single_file(pages: Path, understand: Run) -> None:
    """The same rows in the same order, whatever their number; features and texts, too."""
    for command, options in (
        ("score", ("--bundle", "llr")),
        ("features", ("--only", "words,smog")),
        ("extract", ()),
    ):
        for workers in (1, 2):
            output = f"{command}{workers}.parquet"
            done = understand(
                *(command, "pages.parquet", "-o", output, "--workers", workers, *options),
                *("--html-column", "content", "--id-column", "url", "--keep", "lang", "-q"),
                *("--extractor", "naive"),
                cwd=pages,
            )
            assert (done.returncode, done.stderr) == (0, "")
        one, two = (pq.read_table(pages / f"{command}{workers}.parquet") for workers in (1, 2))
        assert one.equals(two)
        assert one.num_rows == 39


@pytest.mark.usefixtures("one_core")
def test_nothing_scored_is_status_1(tmp_path: Path, understand: Run) -> None:
    """This holds for each type of output; a table without documents is not an output."""
    (tmp_path / "a.html").write_bytes(b"%PDF-1.7 \x00")
    for output in ("s.jsonl", "scores/", "-"):
        understand("score", "a.html", "-o", output, "--bundle", "llr", cwd=tmp_path, status=1)
    assert understand("features", "a.html", "--only", "words", cwd=tmp_path).returncode == 1
    assert understand("extract", "a.html", cwd=tmp_path).returncode == 1


def test_an_output_behind_a_url(pages: Path, understand: Run) -> None:
    pytest.importorskip("fsspec")
    understand(
        *("features", "pages.parquet", "--only", "words", "--extractor", "naive"),
        *("-o", f"file://{pages}/deep/er/f.csv"),
        cwd=pages,
        status=0,
    )
    assert len((pages / "deep/er/f.csv").read_text().splitlines()) == 40
    assert (pages / "deep/er/f.csv.errors.jsonl").exists()
    assert (pages / "deep/er/f.csv.settings.json").exists()


@pytest.mark.slow
def test_features_fill_a_crawl_folder(pages: Path, understand: Run) -> None:
    common = ("features", "pages.parquet", "--only", "words,smog", "-q", "--extractor", "naive")
    assert understand(*common, "-o", "folder/", "--workers", 1, cwd=pages).returncode == 0
    assert understand(*common, "-o", "alone.parquet", cwd=pages).returncode == 0
    understand("crawl", "merge", "folder/", "-o", "merged.parquet", cwd=pages, status=0)
    merged_table = pq.read_table(pages / "merged.parquet")
    assert merged_table.equals(pq.read_table(pages / "alone.parquet"))
    assert "difficulty" not in understand("crawl", "status", "folder/", cwd=pages).stdout


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("score", ["l.jsonl"]),
        ("features", ["l.jsonl", "--only", "words"]),
        ("extract", ["l.jsonl"]),
        ("explain", ["l.jsonl"]),
        ("probability", ["l.jsonl", "--threshold", "3", "--column", "x"]),
        ("fuse", ["l.jsonl:x:higher-harder", "r.run"]),
    ],
)
def test_an_output_that_is_an_input_is_refused(
    tmp_path: Path, understand: Run, command: str, options: list[str]
) -> None:
    """Whatever the path is called: nothing is written."""
    content = json.dumps({"id": "d", "docno": "d", "text": TEXT, "x": 1}) + "\n"
    (tmp_path / "l.jsonl").write_text(content)
    (tmp_path / "r.run").write_text("1 Q0 d 1 1.0 tag\n")
    (tmp_path / "link.jsonl").symlink_to("l.jsonl")
    os.link(tmp_path / "l.jsonl", tmp_path / "hard.jsonl")
    outputs = ["./l.jsonl"] if command == "fuse" else ["l.jsonl", "link.jsonl", "hard.jsonl"]
    for output in outputs:
        done = understand(command, *options, "-o", output, cwd=tmp_path, status=2)
        assert f"{output} is one of the inputs (" in done.stderr
        assert (tmp_path / "l.jsonl").read_text() == content


def test_errors_beside_the_output_are_no_input_either(tmp_path: Path, understand: Run) -> None:
    """`s.errors.jsonl` is what `-o s` would write over."""
    (tmp_path / "s.jsonl.errors.jsonl").write_text(json.dumps({"id": "d", "text": TEXT}))
    done = understand("score", "s.jsonl.errors.jsonl", "-o", "s.jsonl", cwd=tmp_path, status=2)
    assert "s.jsonl.errors.jsonl is one of the inputs" in done.stderr
