"""Inputs become chunks and parts at the same places every time."""

import json
from collections import Counter
from pathlib import Path

import pytest

from understandability.crawls import plan as planning
from understandability.crawls import reading
from understandability.crawls.plan import Input, make_plan
from understandability.crawls.reading import Chunk, InputChunks, OpenPart, SeenDocnos
from understandability.crawls.score import crawl
from understandability.errors import OptionError
from understandability.inputs.sources import File, Sources
from understandability.scoring import Scorer
from understandability.text.page import SEEN_BEFORE


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of five documents, chunks of two."""
    monkeypatch.setattr(reading, "PART_RECORDS", 5)
    monkeypatch.setattr(reading, "CHUNK_PAGES", 2)


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
    return Input(0, tuple(files))


def read(source: Input, *finished: int) -> tuple[list[list[str]], list[OpenPart]]:
    """The docnos of the chunks, and the parts."""
    items = list(InputChunks(source, Sources([]), dict.fromkeys(finished, False), SeenDocnos()))
    chunks = [[page.docno for page in item.pages] for item in items if isinstance(item, Chunk)]
    return chunks, [item for item in items if isinstance(item, OpenPart)]


@pytest.mark.usefixtures("small")
def test_parts_and_chunks(tmp_path: Path) -> None:
    """A part ends after so many documents, and a chunk never reaches into the next part."""
    source = jsonl(tmp_path / "d.jsonl", [*"abcdefghijkl"])
    chunks, parts = read(source)
    assert chunks == [["a", "b"], ["c", "d"], ["e"], ["f", "g"], ["h", "i"], ["j"], ["k", "l"]]
    assert [(part.part.name, part.pages_out) for part in parts] == [
        ("0000000-00000.parquet", 5),
        ("0000000-00001.parquet", 5),
        ("0000000-00002-end.parquet", 2),
    ]


@pytest.mark.usefixtures("small")
def test_finished_parts_are_read_past(tmp_path: Path) -> None:
    """What is left is cut at the same places, and names that came before still count."""
    source = jsonl(tmp_path / "d.jsonl", [*"abcdefgh", "a", "k"])
    chunks, parts = read(source, 0)
    assert chunks == [["f", "g"], ["h", "k"]]
    assert [(part.number, part.part.last) for part in parts] == [(1, True)]
    assert [(place, f.docno, f.error) for place, f in parts[0].unread] == [(3, "a", SEEN_BEFORE)]


@pytest.mark.usefixtures("small")
def test_what_is_read_past_is_known_in_bytes(tmp_path: Path) -> None:
    """The time that is left is told by what has been scored alone."""
    names = [f"d{i:04}" for i in range(2000)]
    source = jsonl(tmp_path / "d.jsonl", [*names])
    for finished, share in (((), 0), (range(200), 0.5), (range(100, 400), 0.75)):
        reader = InputChunks(source, Sources([]), dict.fromkeys(finished, False), SeenDocnos())
        for _ in reader:
            pass
        assert reader.bytes_passed / source.bytes == pytest.approx(share, abs=0.1)


@pytest.mark.usefixtures("small")
def test_what_cannot_be_read_has_its_place(tmp_path: Path) -> None:
    """Bad lines and repeated names are documents of their part; places have gaps there."""
    source = jsonl(tmp_path / "d.jsonl", ["a", None, "a", "b"])
    items = list(InputChunks(source, Sources([]), {}, SeenDocnos()))
    (chunk,) = [item for item in items if isinstance(item, Chunk)]
    (part,) = [item for item in items if isinstance(item, OpenPart)]
    assert chunk.places == (0, 3)
    assert [(place, failure.stage) for place, failure in part.unread] == [(1, "read"), (2, "read")]
    assert part.records == 4


@pytest.mark.usefixtures("small")
def test_a_full_last_part_is_the_last(tmp_path: Path) -> None:
    """There is no empty part behind it; an input without a document has one."""
    _, parts = read(jsonl(tmp_path / "d.jsonl", [*"abcde"]))
    assert [part.part.last for part in parts] == [True]
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    _, parts = read(input_of(empty))
    assert [(part.part.last, part.records) for part in parts] == [(True, 1)]


@pytest.mark.usefixtures("small")
def test_what_is_passed_over_is_counted_once(tmp_path: Path) -> None:
    """Whether the parts are read in one go or in two."""
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
    """An exception that nobody foresaw becomes an error row, and the next file is read."""
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
    ((_, failure),) = parts[0].unread
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
