"""Inputs become chunks and parts at the same records every time."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from understandability.crawls import parts as cutting
from understandability.crawls import plan as planning
from understandability.crawls.parts import Chunk, FinishedPart, InputRun, ScoredChunk
from understandability.crawls.plan import Input, InputSettings, make_plan
from understandability.crawls.score import crawl
from understandability.errors import OptionError
from understandability.inputs.parts import InputPart
from understandability.inputs.sources import File, Sources
from understandability.scoring import Scorer
from understandability.text.page import SEEN_BEFORE

SCHEMA = pa.schema([("docno", pa.string())])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of five documents, chunks of two."""
    monkeypatch.setattr(planning, "PART_RECORDS", 5)
    monkeypatch.setattr(cutting, "CHUNK_PAGES", 2)


def jsonl(path: Path, docnos: list[str | None]) -> Input:
    """An input with a document for each name; None is a line that is no JSON."""
    lines = [
        "no JSON" if docno is None else json.dumps({"id": docno, "text": "Some words."})
        for docno in docnos
    ]
    path.write_text("\n".join(lines) + "\n")
    return input_of(path)


def input_of(*paths: Path) -> Input:
    """An input of files in one folder."""
    files = [File(path.name, str(path), "folder", path.stat().st_size) for path in paths]
    return Input(0, tuple(map(InputPart, files)), sum(file.bytes for file in files))


def run_of(
    source: Input, *finished: int, chunks: list[Chunk] | None = None, last: int | None = None
) -> InputRun:
    """A run over an input whose pages get rows of their docnos; `chunks` are collected."""

    def score(chunk: Chunk) -> list[ScoredChunk]:
        if chunks is not None:
            chunks.append(chunk)
        table = pa.table({"docno": [page.docno for page in chunk.pages]}, SCHEMA)
        return [ScoredChunk(chunk, table, ())]

    settings = InputSettings(Sources([]), SCHEMA, pa.schema([]), planning.PART_RECORDS)
    numbers = {number: number == last for number in finished}
    return InputRun(settings, source, score, finished=numbers)


def read(source: Input, *finished: int) -> tuple[list[list[str]], list[FinishedPart]]:
    """Return the docnos of the chunks, and the parts."""
    chunks: list[Chunk] = []
    parts = [part for part in run_of(source, *finished, chunks=chunks) if part is not None]
    return [[page.docno for page in chunk.pages] for chunk in chunks], parts


@pytest.mark.usefixtures("small")
def test_parts_and_chunks(tmp_path: Path) -> None:
    """A part ends after a fixed number of documents, and no chunk reaches into the next part."""
    source = jsonl(tmp_path / "d.jsonl", [*"abcdefghijkl"])
    chunks, parts = read(source)
    assert chunks == [["a", "b"], ["c", "d"], ["e"], ["f", "g"], ["h", "i"], ["j"], ["k", "l"]]
    assert [(part.part.name, part.rows.num_rows) for part in parts] == [
        ("0000000-00000.parquet", 5),
        ("0000000-00001.parquet", 5),
        ("0000000-00002-end.parquet", 2),
    ]


@pytest.mark.usefixtures("small")
def test_finished_parts_are_read_past(tmp_path: Path) -> None:
    """The rest is cut at the same records, and docnos that came before still count."""
    source = jsonl(tmp_path / "d.jsonl", [*"abcdefgh", "a", "k"])
    chunks, parts = read(source, 0)
    assert chunks == [["f", "g"], ["h", "k"]]
    assert [(part.part.number, part.part.last) for part in parts] == [(1, True)]
    assert parts[0].rows["docno"].to_pylist() == ["f", "g", "h", "k"]
    assert [(failure.docno, failure.error) for failure in parts[0].failures] == [("a", SEEN_BEFORE)]


@pytest.mark.usefixtures("small")
def test_the_size_of_finished_parts_is_known(tmp_path: Path) -> None:
    """The remaining time is estimated from documents that are scored now."""
    names = [f"d{i:04}" for i in range(2000)]
    source = jsonl(tmp_path / "d.jsonl", [*names])
    for finished, share in (((), 0), (range(200), 0.5), (range(100, 400), 0.75)):
        run = run_of(source, *finished)
        for _ in run:
            pass
        assert run.bytes_passed / source.bytes == pytest.approx(share, abs=0.1)


@pytest.mark.usefixtures("small")
def test_failures_have_the_order_of_the_input(tmp_path: Path) -> None:
    """Bad lines and repeated names are documents of their part."""
    source = jsonl(tmp_path / "d.jsonl", ["a", None, "a", "b"])
    chunks: list[Chunk] = []
    (part,) = [part for part in run_of(source, chunks=chunks) if part is not None]
    assert [chunk.positions for chunk in chunks] == [(0, 3)]
    assert [failure.stage for failure in part.failures] == ["read", "read"]
    assert [failure.path for failure in part.failures] == [
        f"{tmp_path}/d.jsonl#{i}" for i in (2, 3)
    ]
    assert part.documents == 4


@pytest.mark.usefixtures("small")
def test_a_full_last_part_is_the_last(tmp_path: Path) -> None:
    """No empty part follows; an input without a document has one part."""
    _, parts = read(jsonl(tmp_path / "d.jsonl", [*"abcde"]))
    assert [part.part.last for part in parts] == [True]
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    _, parts = read(input_of(empty))
    assert [(part.part.last, part.documents) for part in parts] == [(True, 1)]


@pytest.mark.usefixtures("small")
def test_what_is_passed_over_is_counted_once(tmp_path: Path) -> None:
    """The parts are the same if they are read in two runs."""
    record = (
        "WARC/1.0\r\nWARC-Type: {}\r\nWARC-TREC-ID: {}\r\n"
        "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nWords\r\n\r\n"
    )
    kinds = ["conversion", "revisit"] * 8
    warc = tmp_path / "c.warc"
    warc.write_text("".join(record.format(kind, i) for i, kind in enumerate(kinds)), newline="")
    source = input_of(warc)
    _, parts = read(source)
    assert sum((part.skipped for part in parts), Counter()).total() == 8
    _, rest = read(source, 0)
    assert [part.skipped for part in rest] == [part.skipped for part in parts[1:]]


def test_a_reader_that_fails_ends_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unforeseen exception becomes an error row, and the next file is read."""
    files = []
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>Words.")
        files.append(tmp_path / name)
    whole_read = Sources._read_file

    def broken(self: Sources, file: File):
        if file.docno == "a.html":
            raise KeyError("unforeseen")
        return whole_read(self, file)

    monkeypatch.setattr(Sources, "_read_file", broken)
    chunks, parts = read(input_of(*files))
    assert chunks == [["b.html"]]
    (failure,) = parts[0].failures
    assert failure.error == "reading stopped here: KeyError: 'unforeseen'"


def test_single_pages_are_taken_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of a million pages is no million inputs; a container is one."""
    monkeypatch.setattr(planning, "FILES_TOGETHER", 3)
    for name in "abcdefg":
        (tmp_path / f"{name}.html").write_text("<p>Words.")
    (tmp_path / "d2.jsonl").write_text('{"id": 1, "text": "Words."}\n')
    plan = make_plan(Sources([tmp_path]), Scorer())
    together = [[file.docno for file in each.files] for each in plan.inputs]
    assert together == [
        ["a.html", "b.html", "c.html"],
        ["d.html"],
        ["d2.jsonl"],
        ["e.html", "f.html", "g.html"],
    ]
    assert plan.inputs[0].bytes == 3 * len("<p>Words.")


def test_standard_input_is_refused(tmp_path: Path) -> None:
    """A run that is to be resumed must be able to read its inputs again."""
    with pytest.raises(OptionError, match="a crawl folder takes files, which can be read again"):
        crawl("-", tmp_path / "run")
    assert not (tmp_path / "run").exists()
