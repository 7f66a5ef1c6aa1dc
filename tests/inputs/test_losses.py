"""Damage costs what is damaged and no more, and nothing is lost in silence."""

import gzip
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.inputs.test_hostile_containers import GOOD, errors_in, found_in, tar_block, tar_header

from understandability.errors import InputError, OptionError
from understandability.inputs.archives import members
from understandability.inputs.runs import read_labels, read_run
from understandability.text.page import Failure, Page


def tar_page(name: str) -> bytes:
    return tar_header(name, tarfile.REGTYPE, 4) + tar_block(b"Flu.")


END = b"\0" * 1024
BAD = bytearray(tar_page("b.txt"))
BAD[0] ^= 1  # the checksum of the header no longer matches


def test_members_behind_a_damaged_header_of_an_archive_are_read(tmp_path: Path) -> None:
    """As by GNU tar; the member of the header is lost, with one error."""
    # Content after it may have letters where a header has the digits of its checksum.
    lost = bytes(BAD) + bytes(BAD) + tar_block(b"Flu. " * 100)
    archive = tar_page("a.txt") + lost + tar_page("c.txt") + END
    a, c, failure = found_in(tmp_path / "p.tar", archive)
    assert (a.docno, c.docno) == ("a.txt", "c.txt")
    assert "no member begins at byte 1024 (bad checksum)" in failure.error
    with pytest.raises(InputError, match="no member begins at byte 1024"):
        list(members(tmp_path / "p.tar"))


NAMED = tar_header("x", tarfile.GNUTYPE_LONGNAME, 6) + tar_block(b"b.txt\0") + tar_page("b.txt")


@pytest.mark.parametrize(
    ("between", "message"),
    [
        (b"\0" * 10_240, "members follow its end mark at byte 1024"),  # `cat a.tar c.tar`
        (b"\0" * 512, "members follow its end mark at byte 1024"),
        (END + tar_block(b"Flu. " * 300), "no member begins at byte 2048"),  # the first two of four
        (NAMED[:1024] + END, "no member begins at byte 1024"),
        (NAMED[:1024] + bytes(BAD), "no member begins at byte 1024"),
    ],
)
def test_members_behind_zeros_are_read(tmp_path: Path, between: bytes, message: str) -> None:
    """Zeros end an archive, and occur where archives are joined or blocks lost: one error.

    A long name belongs to the member that follows it, and to no other.
    """
    archive = tar_page("a.txt") + between + tar_page("c.txt") + END
    a, c, failure = found_in(tmp_path / "p.tar", archive)
    assert (a.docno, c.docno) == ("a.txt", "c.txt")
    assert message in failure.error


@pytest.mark.parametrize("end", [END, END + b"\0" * 9000, END + b"\0" * 100])
def test_zeros_to_the_end_of_an_archive_are_none(tmp_path: Path, end: bytes) -> None:
    """Also in an archive without a member."""
    assert [page.docno for page in found_in(tmp_path / "p.tar", GOOD + end)] == ["good.txt"]
    assert errors_in(tmp_path / "p.tar", end) == ["there is no document in it"]


@pytest.mark.parametrize(
    ("end", "message"), [(b"", "it ends without its end mark"), (GOOD[:100], "within a header")]
)
def test_an_archive_cut_between_members_is_told(tmp_path: Path, end: bytes, message: str) -> None:
    """Two blocks of zeros end an archive; most programs write more."""
    page, failure = found_in(tmp_path / "p.tar", tar_page("a.txt") + end)
    assert page.docno == "a.txt"
    assert message in failure.error


def test_a_parquet_text_that_is_not_utf8_costs_its_row_alone(tmp_path: Path) -> None:
    """Arrow does not look; Python does."""
    texts: list[bytes] = [b"Flu."] * 500
    texts[7] = b"Fl\xfc."
    ids = [str(number).encode() for number in range(500)]
    ids[9] = b"\xff"
    table = pa.table({"id": pa.array(ids), "text": pa.array(texts)})
    # A file that says its bytes are text, which Arrow's own cast would refuse.
    columns = [
        pa.Array.from_buffers(pa.string(), 500, column.combine_chunks().buffers())
        for column in table.columns
    ]
    file = tmp_path / "d.parquet"
    pq.write_table(pa.table(columns, names=table.column_names), file)
    result = found_in(file, file.read_bytes())
    failures = {each.docno: each.error for each in result if isinstance(each, Failure)}
    assert len(result) == 500
    assert list(failures) == [f"{file}#8", f"{file}#10"]
    assert "holds text that is not UTF-8" in failures[f"{file}#8"]


def test_rows_that_a_damaged_parquet_page_lacks_are_told(tmp_path: Path) -> None:
    """Arrow ends a row group in silence where the count of values in a page is too small."""
    file = tmp_path / "d.parquet"
    ids = [str(number) for number in range(100)]
    table = pa.table({"id": ids, "text": ids})
    pq.write_table(table, file, row_group_size=50, compression="none", use_dictionary=False)
    content = bytearray(file.read_bytes())
    content[content.index(b"\x15\x64\x15") + 1] = 0  # 50 values, as Thrift writes it, are now 0
    failure, *pages = found_in(file, bytes(content))
    assert [page.docno for page in pages] == ids[50:]
    assert "rows 1 to 50: " in failure.error


def test_the_checksums_of_a_parquet_file_are_looked_at(tmp_path: Path) -> None:
    """If the writer added checksums, a row with a changed letter is an error."""
    file = tmp_path / "d.parquet"
    table = pa.table({"id": ["1"], "text": ["You have flu."]})
    pq.write_table(table, file, compression="none", use_dictionary=False, write_page_checksum=True)
    damaged = file.read_bytes().replace(b"have", b"hate")  # also in its statistics
    [error] = errors_in(file, damaged)
    assert "could not verify page integrity" in error


def test_a_parquet_file_of_no_rows_is_no_damaged_one(tmp_path: Path) -> None:
    """Such a file has no document; that is its only error."""
    file = tmp_path / "d.parquet"
    pq.write_table(pa.schema({"id": pa.string(), "text": pa.string()}).empty_table(), file)
    assert errors_in(file, file.read_bytes()) == ["there is no document in it"]


@pytest.mark.parametrize("gap", [b"", b" ", b"\t" * 70_000, b"\r"])
@pytest.mark.parametrize("before", [0, 65_500, 65_505, 65_508])
def test_trec_records_on_one_line_are_records(tmp_path: Path, gap: bytes, before: int) -> None:
    """Also if a line is longer than one read."""
    first = b"<DOC><DOCNO>1</DOCNO>" + b"a" * before + b"</DOC>"
    archive = first + gap + b"<doc><DOCNO>2</DOCNO>Rest.</doc><DOC><DOCNO>3</DOCNO></DOC>\n"
    result = found_in(tmp_path / "a.trec", archive)
    assert [page.docno for page in result] == ["1", "2", "3"]
    assert [page.content for page in result if isinstance(page, Page)] == [
        b"a" * before,
        b"Rest.",
        b"",
    ]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_lines_may_end_as_on_any_system(tmp_path: Path, end: str) -> None:
    """CR alone, too, as old systems and some exports write it."""
    file = tmp_path / "a.run"
    file.write_bytes(f"q Q0 a 1 2.5 tag{end}q Q0 b 2 1.5 tag{end}".encode())
    run = read_run(file)
    assert run.by_query("rank") == {"q": [("a", 2.5), ("b", 1.5)]}
    file.write_bytes(f"q 0 a 1{end}q 0 b 0{end}".encode())
    assert read_labels(file).values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"docno\ts\na\t1\nb\t2\t3\n", "a.tsv, line 3 cannot be read as a table"),
        ("a.csv", b"docno,s\na,1\n\xff,2\n", "a.csv, line 3 cannot be read as a table"),
        ("a.jsonl", b'{"docno": "a", "s": 1}\n\n{"docno": "b", "s": \n', "a.jsonl, line 3 cannot"),
        ("a.jsonl", b'{"docno": "a", "s": 1}\n{"docno": "b", "s": "x"}', "a.jsonl, line 2 cannot"),
        ("a.tsv", b"docno\tdocno\ts\na\ta\t1\n", "a.tsv has 2 columns 'docno'; rename"),
        ("a.csv", b"docno,s,s\na,1,1\n", "a.csv has 2 columns 's'; rename"),
        ("a.csv", b"docno,s\na,1\nb,x\nc,2\n", "a.csv, row 2: the s of document 'b' must be a num"),
    ],
)
def test_a_damaged_table_of_labels_names_the_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    """The message names the line, or the row and the document if the lines are whole."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_labels(tmp_path / name)


@pytest.mark.parametrize("rows", [b"", b"a\tgood\nb\tbad\n"])
def test_a_table_without_numbers_says_what_it_has(tmp_path: Path, rows: bytes) -> None:
    (tmp_path / "s.tsv").write_bytes(b"docno\tquality\n" + rows)
    with pytest.raises(
        OptionError, match=r"s.tsv has no column of numbers; it has docno, quality$"
    ):
        read_labels(tmp_path / "s.tsv")
    with pytest.raises(OptionError, match="has no column of numbers 'quality'; it has docno"):
        read_labels(tmp_path / "s.tsv", column="quality")
    with pytest.raises(OptionError, match="has no column 'fog'; it has docno, quality"):
        read_labels(tmp_path / "s.tsv", column="fog")


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_member_whose_mark_is_damaged_is_told(tmp_path: Path, suffix: str) -> None:
    """It looked like padding; real padding and skippable frames of zstd are still ignored."""
    packed = gzip.compress if suffix == ".gz" else zstandard.compress
    lines = [f'{{"id": "d{n}", "text": "Rest."}}\n'.encode() for n in range(3)]
    a, b, c = map(packed, lines)
    damaged = b"\0" + bytes([b[1] ^ 1]) + b[2:]
    result = found_in(tmp_path / f"p.jsonl{suffix}", a + damaged + c)
    assert [each.docno for each in result if isinstance(each, Page)] == ["d0", "d2"]
    assert [each for each in result if isinstance(each, Failure)]
    between = b"\0" * 512 if suffix == ".gz" else b"\x50\x2a\x4d\x18\x05\0\0\0index"
    result = found_in(tmp_path / f"p.jsonl{suffix}", a + between + b + between + c + between)
    assert [each.docno for each in result] == ["d0", "d1", "d2"]
    assert all(isinstance(each, Page) for each in result)
