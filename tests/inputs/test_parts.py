"""Parts of inputs: whatever the cuts, each record is in exactly one part, in their order."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import random
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.faults.crawls import warc_head
from tests.inputs.test_streams import zstd_with_dictionary
from tests.inputs.test_warc import record, response

from understandability.inputs import parts as parts_module
from understandability.inputs.parts import BYTES, InputPart, plan_parts
from understandability.inputs.sources import File, Sources
from understandability.text.page import Failure, Page

Records = list[tuple[str, str, object]]


def pages_of_warc(count: int = 12, size: int = 60) -> list[bytes]:
    """Records of pages, one of another type, and one with a record in its content."""
    noise = random.Random(7)
    records = [record(b"software: x", "warcinfo")]
    for number in range(count):
        body = b"<p>Flu " + bytes(noise.choices(range(32, 127), k=size * (number % 4)))
        if number == 5:
            body += b"\n" + record(b"within", "response")
        records.append(record(response(body), WARC_Target_URI=f"http://a/{number}"))
    records.insert(4, record(b"", "revisit"))
    return records


def lines_of_json(count: int = 30) -> list[bytes]:
    lines = [json.dumps({"id": n, "text": "é" * n}, ensure_ascii=False) for n in range(count)]
    lines[7] = "no json"
    lines[9] = ""
    return [line.encode() + b"\n" for line in lines]


def zipped(count: int = 30) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}.{'css' if number == 4 else 'html'}", f"<p>{'x' * number}")
    return out.getvalue()


def parquet(count: int = 60) -> bytes:
    out = io.BytesIO()
    rows = {"id": [str(n) for n in range(count)], "text": ["x" * n for n in range(count)]}
    pq.write_table(pa.table(rows), out, row_group_size=7)
    return out.getvalue()


def tarred(count: int = 30, form: int = tarfile.GNU_FORMAT) -> bytes:
    """Members with long names, links and folders among them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for number in range(count):
            long = "x" * 150 * (number % 3 == 0)
            member = tarfile.TarInfo(f"pages/{long}{number}.{'css' if number == 4 else 'html'}")
            content = b"<p>" + b"x" * (37 * number)
            member.size = len(content)
            if number in (7, 8):
                member.type = tarfile.DIRTYPE if number == 7 else tarfile.SYMTYPE
                member.linkname, member.size = "a" * 140, 0
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def arrow(count: int = 60, **options: object) -> bytes:
    """An Arrow file in batches of seven rows, with a dictionary."""
    out = io.BytesIO()
    table = pa.table({
        "id": [str(n) for n in range(count)],
        "text": ["x" * n for n in range(count)],
        "lang": pa.array(["en", "de"] * (count // 2)).dictionary_encode(),
    })  # fmt: skip
    with pa.ipc.new_file(out, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=7)
    return out.getvalue()


def wacz() -> bytes:
    """Two WARC files, and what is not one, stored in a ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        members = [gzip.compress(data) for data in pages_of_warc()]
        archive.writestr("archive/a.warc.gz", b"".join(members))
        archive.writestr("pages/pages.jsonl", "{}" * 99)
        archive.writestr("archive/b.warc.gz", b"".join(members[:5]))
    return out.getvalue()


def in_members(compress: Callable[[bytes], bytes], size: int = 47) -> bytes:
    """Lines of JSON in members that begin within lines, and some at their start."""
    data = b"".join(lines_of_json(60))
    cuts = [*range(0, len(data) // 2, size), data.index(b"\n", len(data) // 2) + 1, len(data)]
    return b"".join(compress(data[a:b]) for a, b in pairwise(cuts))


MAKERS: dict[str, Callable[[], bytes]] = {
    "t.warc": lambda: b"".join(pages_of_warc()),
    "t.warc.gz": lambda: b"".join(map(gzip.compress, pages_of_warc())),
    "t.warc.zst": lambda: b"".join(map(zstandard.compress, pages_of_warc())),
    "dictionary.warc.zst": lambda: zstd_with_dictionary(pages_of_warc()),
    "t.jsonl": lambda: b"".join(lines_of_json()),
    "t.zip": zipped,
    "t.parquet": parquet,
    "t.tar": tarred,
    "pax.tar": lambda: tarred(form=tarfile.PAX_FORMAT),
    "t.arrow": arrow,
    "lz4.feather": lambda: arrow(compression="lz4"),
    "t.wacz": wacz,
    "t.jsonl.gz": lambda: in_members(gzip.compress),
    "t.json.zst": lambda: in_members(zstandard.compress),
    "t.jsonl.bz2": lambda: in_members(bz2.compress, 200),
    "t.ndjson.xz": lambda: in_members(lzma.compress, 200),
}
BY_INDEX = ("zip", "parquet", "arrow", "feather", "tar")
BY_BYTES = [name for name in MAKERS if not name.endswith(BY_INDEX)]


def file_of(folder: Path, name: str, data: bytes) -> File:
    path = folder / name
    path.write_bytes(data)
    return File(name, str(path), str(path), len(data))


def read_parts(parts: list[InputPart]) -> tuple[Records, dict[str, int]]:
    """The records of some parts, each read by sources of its own, and what they skipped."""
    records: Records = []
    skipped: dict[str, int] = {}
    for part in parts:
        sources = Sources([])
        for page in sources.read_part(pickle.loads(pickle.dumps(part))):
            content = page.content if isinstance(page, Page) else page.error
            records.append((page.docno, page.path, content))
        for label, count in sources.skipped.items():
            skipped[label] = skipped.get(label, 0) + count
    return records, skipped


@pytest.mark.parametrize("name", MAKERS)
def test_the_parts_together_are_the_file(tmp_path: Path, name: str) -> None:
    """For any size of the parts; a small file is one part, and its records have numbers."""
    file = file_of(tmp_path, name, MAKERS[name]())
    (whole,) = plan_parts(file)
    assert whole.is_whole
    records, skipped = read_parts([whole])
    assert len(records) > 10
    names: set[tuple[str, ...]] = set()
    for size in (1, 50, 200, 333, 1_000, 3_000):
        parts = plan_parts(file, size, size)
        if parts == [whole]:
            assert size >= min(file.bytes, 1_000)
            continue
        result, found_skipped = read_parts(parts)
        # The names of records without one, and of lines in messages, come from their path.
        known = [(docno, text) for docno, _, text in records if "#" not in docno]
        assert [(docno, text) for docno, _, text in result if "@" not in docno] == known
        assert len(result) == len(records)
        assert found_skipped == skipped
        names.add(tuple(path for _, path, _ in result))
    assert len(names) == 1, "a record has the same path whatever the parts"


@pytest.mark.parametrize("name", BY_BYTES)
def test_any_cut_leaves_each_record_in_one_part(tmp_path: Path, name: str) -> None:
    """Within a record, a header, a member, and at each border."""
    file = file_of(tmp_path, name, MAKERS[name]())
    expected = read_parts([InputPart(file, BYTES, 0, file.bytes)])
    assert len(expected[0]) > 10
    cuts = range(1, file.bytes) if file.bytes < 3_000 else range(1, file.bytes, 7)
    for cut in cuts:
        parts = [InputPart(file, BYTES, 0, cut), InputPart(file, BYTES, cut, file.bytes)]
        assert read_parts(parts) == expected, f"cut at {cut}"


@pytest.mark.parametrize("name", ["t.warc", "t.warc.gz", "t.jsonl"])
@settings(max_examples=150, deadline=None)
@given(
    positions=st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=3),
    noise=st.binary(min_size=1, max_size=40),
    cut=st.floats(0, 1, exclude_max=True),
)
def test_damage_does_not_lose_records_between_parts(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    positions: list[float],
    noise: bytes,
    cut: float,
) -> None:
    """The parts together have the pages of the file."""
    data = MAKERS[name]()
    for place in positions:
        start = int(place * len(data))
        data = data[:start] + noise + data[start + len(noise) :]
    file = file_of(tmp_path_factory.mktemp("damage"), name, data)
    expected, _ = read_parts([InputPart(file, BYTES, 0, file.bytes)])
    middle = int(cut * file.bytes)
    parts = [InputPart(file, BYTES, 0, middle), InputPart(file, BYTES, middle, file.bytes)]
    result, _ = read_parts(parts)
    assert {record[1] for record in result} >= {record[1] for record in expected}


def test_names_are_offsets_that_other_tools_know(tmp_path: Path) -> None:
    """The path of a record has the offset of its gzip member, as a CDX index has it."""
    members = [gzip.compress(data) for data in pages_of_warc()]
    file = file_of(tmp_path, "t.warc.gz", b"".join(members))
    result, _ = read_parts(plan_parts(file, 200, 200))
    for docno, path, _ in result:
        name, _, offset = path.rpartition("@")
        assert name == file.path
        start = gzip.decompress(file_bytes(file)[int(offset) :])
        assert start.startswith(b"WARC/1.0\r\n")
        assert f"Target-URI: {docno}\r\n".encode() in start[:400]


def file_bytes(file: File) -> bytes:
    return Path(file.path).read_bytes()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.warc.gz", gzip.compress(b"".join(pages_of_warc()))),  # one member
        ("t.warc.bz2", b"BZh9"),
        ("t.jsonl.gz", gzip.compress(b"".join(lines_of_json()))),
        ("t.json", json.dumps([{"id": 1, "text": "x"}, {"id": 2, "text": "y"}]).encode()),
        ("t.tar.gz", gzip.compress(tarred())),
        ("t.arrow.zst", zstandard.compress(arrow())),
        ("t.arrow", b"ARROW1 damaged" * 9),
        ("t.jsonl", b"".join(lines_of_json()).decode().encode("utf-16")),
        ("t.csv", b'id,text\na,"x\n"\n' * 9),
        ("t.html", b"<p>x" * 99),
        ("t.parquet", b"PAR1 damaged" * 9),
        ("t.zip", b"PK damaged" * 9),
        ("t.warc.zst", b"\x5d\x2a\x4d\x18\xff\xff\xff\xff" + b"x" * 99),
    ],
)
def test_what_cannot_be_split_is_one_part(tmp_path: Path, name: str, data: bytes) -> None:
    """Damage is reported by the reader, not by the plan."""
    file = file_of(tmp_path, name, data)
    assert plan_parts(file, 20, 20) == [InputPart(file)]
    assert read_parts(plan_parts(file, 20, 20))[0]


def test_planning_a_large_file_reads_little(tmp_path: Path) -> None:
    """And its parts are read in bounded memory."""
    path = tmp_path / "t.warc.gz"
    body = b"<p>" + random.Random(1).randbytes(10_000).hex().encode()
    member = gzip.compress(record(response(body), WARC_Target_URI="http://a/"))
    count = 40_000_000 // len(member)
    with path.open("wb") as out:
        for _ in range(count):
            out.write(member)
    file = File("t.warc.gz", str(path), str(path), path.stat().st_size)
    tracemalloc.start()
    parts = plan_parts(file)
    assert len(parts) == 3
    sources = Sources([])
    sources.limit = 100_000
    number = sum(isinstance(page, Page) for page in sources.read_part(parts[1]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    share = (parts[1].end - parts[1].start) / file.bytes
    assert abs(number - count * share) <= 1
    assert peak < 12_000_000
    assert not any(isinstance(page, Failure) for page in Sources([]).read_part(parts[2]))


@pytest.mark.parametrize("size", [3_000, 40_000, 400_000])
@pytest.mark.parametrize("form", ["gzip", "zstd"])
def test_a_crawl_within_a_crawl_is_not_cut(tmp_path: Path, form: str, size: int) -> None:
    """Compressed data are stored as they are, with the first bytes of each inner member visible."""
    compress: Callable[[bytes], bytes] = gzip.compress
    if form == "zstd":
        compress = zstandard.ZstdCompressor(level=1, write_checksum=True).compress
    noise = random.Random(5)

    def page(number: int) -> bytes:
        body = b"<p>" + noise.randbytes(size // 20).hex().encode()
        return record(response(body), WARC_Target_URI=f"http://a/{number}")

    inner = b"".join(gzip.compress(page(number)) for number in range(10, 50))
    if form == "zstd":
        inner = b"".join(zstandard.compress(page(number)) for number in range(10, 50))
    outer = [compress(page(number)) for number in range(4)]
    outer.insert(2, compress(record(inner, "resource", Content_Type="application/gzip")))
    start = len(outer[0]) + len(outer[1])
    file = file_of(tmp_path, f"t.warc.{'gz' if form == 'gzip' else 'zst'}", b"".join(outer))
    for cut in range(start + 1, start + len(outer[2]), len(outer[2]) // 7):
        parts = [InputPart(file, BYTES, 0, cut), InputPart(file, BYTES, cut, file.bytes)]
        records, _ = read_parts(parts)
        assert [docno for docno, *_ in records] == [f"http://a/{number}" for number in range(4)]


@pytest.mark.parametrize("name", ["t.jsonl", "t.warc"])
def test_a_record_of_very_many_bytes_costs_itself(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts that begin in it do not search it repeatedly to its end."""
    monkeypatch.setattr(parts_module, "_LOOK_AHEAD", 50_000_000)
    path = tmp_path / name
    with path.open("wb") as file:  # with holes, which need no disk
        file.write(b'{"id": "' if name == "t.jsonl" else warc_head(400_000_000, "resource"))
        file.truncate(400_000_000 + file.tell())
        file.seek(0, io.SEEK_END)
        page = record(response(b"<p>t"), WARC_Target_URI="b")
        is_lines = name == "t.jsonl"
        file.write(b'"}\n{"id": "b", "text": "t"}\n' if is_lines else b"\r\n\r\n" + page)
    lines = []
    find_line = parts_module._find_line
    monkeypatch.setattr(
        parts_module, "_find_line", lambda *args: lines.append(args) or find_line(*args)
    )
    records = [record for record in Sources([path]) if not isinstance(record, Page)]
    pages = [record for record in Sources([path]) if isinstance(record, Page)]
    assert [page.docno for page in pages] == ["b"]
    assert len(lines) <= 2
    assert len(records) < 30
