"""Files made to hang or end the run: each is read in linear time, or reported."""

import io
import struct
import tarfile
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understandability.errors import InputError, PageError
from understandability.inputs.archives import members, tar_members
from understandability.inputs.http import HttpResponse, decoded_body, header_charset
from understandability.inputs.parquet import largest_pages
from understandability.inputs.sources import read_pages
from understandability.text.page import HTML, TEXT, Failure, Page

pytestmark = pytest.mark.slow

MANY = 200_000


def found_in(path: Path, content: bytes) -> list[Page | Failure]:
    """The records of a file with this content."""
    path.write_bytes(content)
    return list(read_pages(path))


def errors_in(path: Path, content: bytes) -> list[str]:
    """The errors of a file without a page."""
    result = found_in(path, content)
    assert all(isinstance(each, Failure) for each in result)
    return [each.error for each in result if isinstance(each, Failure)]


def page_in(path: Path, content: bytes) -> Page:
    """The one page of a file."""
    (page,) = found_in(path, content)
    assert isinstance(page, Page)
    return page


@pytest.mark.parametrize(
    "record", [b"<DOCNO>" * MANY, b"<DOCNO>" + b" " * MANY, b"<DOCNO></DOCNO><DOCNO>1</DOCNO>"]
)
def test_a_docno_without_end_is_none(tmp_path: Path, record: bytes) -> None:
    """However often it begins, and however long the space after it is."""
    errors = errors_in(tmp_path / "a.trec", b"<DOC>\n" + record + b"\n</DOC>\n")
    assert errors == ["the record has no <DOCNO>"]


@pytest.mark.parametrize("body", [b"<TEXT>" * MANY, b"<DOCHDR>" * MANY, b"<DOCHDR>" + b"a" * MANY])
def test_trec_elements_without_end_are_read_once(tmp_path: Path, body: bytes) -> None:
    """A record with such tags is the page that it is."""
    record = b"<DOC>\n<DOCNO> 1 </DOCNO>\n" + body + b"\n</DOC>\n"
    page = page_in(tmp_path / "a.trec", record)
    assert (page.docno, page.content, page.media_type) == ("1", b"\n" + body + b"\n", HTML)


def test_trec_texts_up_to_one_without_end(tmp_path: Path) -> None:
    """Any of the closing tags ends a text; a text that is never closed is none."""
    record = b"<DOC><DOCNO>1</DOCNO><title>Flu</TEXT>.<Text><TITLE>is</TITLE><TEXT>bad\n</DOC>\n"
    page = page_in(tmp_path / "a.trec", record)
    assert (page.content, page.media_type) == (b"Flu\n\n<TITLE>is", TEXT)


@pytest.mark.parametrize(
    ("header", "url"),
    [
        (b"", None),
        (b" \n", None),
        (b"http://a/", "http://a/"),
        (b"\n http://a/ 1 2\nx", "http://a/"),
    ],
)
def test_the_url_of_a_trec_header(tmp_path: Path, header: bytes, url: str | None) -> None:
    """Its first word, if it has one; the page begins after it."""
    record = b"<DOC><DOCNO>1</DOCNO><DOCHDR>" + header + b"</DocHdr><p>Flu</DOC>\n"
    page = page_in(tmp_path / "a.trec", record)
    assert (page.url, page.content) == (url, b"<p>Flu")


def parquet_file(data: bytes, footer: bytes) -> bytes:
    """A file of the format with this data and this footer."""
    return b"PAR1" + data + footer + struct.pack("<I", len(footer)) + b"PAR1"


def test_a_parquet_footer_of_lists_in_lists_is_told(tmp_path: Path) -> None:
    """The depth of lists is bounded, like the depth of structs."""
    [error] = errors_in(tmp_path / "a.parquet", parquet_file(b"", b"\x19" * 2000 + b"\0"))
    assert "a header is nested too deeply" in error


def chunk_of(data: bytes, *, groups: int) -> bytes:
    """A Parquet file whose row groups all have one column `id`, in the same place."""
    size, start = varint(2 * len(data)), varint(2 * len(b"PAR1"))
    column = b"\x39\x18\x02id" + b"\x46" + size + b"\x26" + start + b"\0"
    group = b"\x19\x1c" + b"\x3c" + column + b"\0" + b"\0"
    return parquet_file(data, b"\x49\xfc" + varint(groups) + group * groups + b"\0")


def varint(value: int) -> bytes:
    """A number of Thrift's compact protocol."""
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


EMPTY_PAGE = b"\x25\x00\x15\x00\x00"  # its header: both of its sizes are 0


@pytest.mark.parametrize(
    "header",
    [
        EMPTY_PAGE,
        # Fields that are not read, between those that are.
        b"\x25\x00\x15\x00\x18" + varint(5000) + b"x" * 5000 + b"\0",
        b"\x25\x00\x15\x00\x18" + varint(900_000) + b"x" * 900_000 + b"\0",
    ],
)
def test_page_headers_of_any_length_are_read(header: bytes) -> None:
    """Also if they are longer than the first read."""
    file = io.BytesIO(chunk_of(header + b"\x25\x54\x15\x00\x00" + header, groups=1))
    assert largest_pages(file, ["id"]) == [{"id": 42}]


def test_a_page_header_without_end_is_told() -> None:
    """A header of more than a megabyte is refused."""
    header = b"\x25\x00\x15\x00\x18" + varint(3_000_000) + b"x" * 3_000_000 + b"\0"
    with pytest.raises(ValueError, match="a header ends too early"):
        largest_pages(io.BytesIO(chunk_of(header, groups=1)), ["id"])


def test_few_bytes_are_read_for_each_page_header() -> None:
    """Many headers of five bytes do not cost a megabyte each."""
    file = Counting(chunk_of(EMPTY_PAGE * 10_000, groups=1))
    assert largest_pages(file, ["id"]) == [{"id": 0}]
    assert file.count < 100_000_000


class Counting(io.BytesIO):
    """A file that counts the bytes read from it."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def test_row_groups_in_the_same_place_are_refused() -> None:
    """Their pages would be gone through once for each of them."""
    file = io.BytesIO(chunk_of(EMPTY_PAGE * 20_000, groups=10_000))
    with pytest.raises(ValueError, match="its columns claim to be longer than the file"):
        largest_pages(file, ["id"])


@pytest.mark.parametrize("dictionary", [False, True])
def test_rows_of_very_large_parquet_pages_are_read_few_at_a_time(
    tmp_path: Path, dictionary: bool
) -> None:
    """A page for each row, or one value for all: 64 of them would be gigabytes."""
    file = tmp_path / "a.parquet"
    text = "<p>" + "x" * 10_000_000
    ids = pa.array([str(number) for number in range(64)])
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 64, pa.int32()), pa.array([text]))
    if not dictionary:
        texts = pa.chunked_array([pa.array([text])] * 64)
    table = pa.table({"id": ids, "html": texts})
    pq.write_table(
        table, file, compression="zstd", use_dictionary=dictionary, write_batch_size=1,
        dictionary_pagesize_limit=1 << 30, data_page_size=1000, write_statistics=False,
        store_schema=False,
    )  # fmt: skip
    before = pa.total_allocated_bytes()
    most = 0
    for result in read_pages(file, limit=1000):
        assert isinstance(result, Failure)
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < 450_000_000


def test_content_encodings_are_counted() -> None:
    """Each encoding is a copy of the body; encodings that change nothing are free."""
    free = {"content-encoding": "identity, " * 1000 + "gzip," * 5}
    assert decoded_body(HttpResponse(200, free, b"<p>"), 1000).content == b"<p>"
    many = {"content-encoding": "gzip," * 6}
    with pytest.raises(PageError, match="the content has 6 encodings; at most 5 are undone"):
        decoded_body(HttpResponse(200, many, b"<p>"), 1000)


def test_a_content_type_without_end_is_cut() -> None:
    """Its parameters are read in a time that grows with its square."""
    endless = 'text/html; charset=latin-1; a="' + '\\";' * 1_000_000
    assert header_charset(endless) == "latin-1"


def tar_header(name: str, kind: bytes, size: int = 0) -> bytes:
    """The header of a member, or of one of tar's headers that have a content."""
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


def tar_block(content: bytes) -> bytes:
    """A content filled up to whole blocks."""
    return content + b"\0" * (-len(content) % 512)


def pax_record(key: str, value: str) -> bytes:
    """A record of a header after POSIX, which begins with its own length."""
    rest = f" {key}={value}\n".encode()
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


GOOD = tar_header("good.txt", tarfile.REGTYPE, 4) + tar_block(b"Flu.")
SPARSE = bytearray(tar_header("a.txt", tarfile.GNUTYPE_SPARSE))
SPARSE[482] = 1  # its map goes on in a block that is not there
SPARSE[148:156] = b" " * 8
SPARSE[148:156] = b"%06o\0 " % sum(SPARSE)
DIGITS = tar_header("x", tarfile.XHDTYPE, 900_000) + tar_block(b"1" * 900_000)
NO_NUMBER = tar_header("x", tarfile.XHDTYPE, 21) + tar_block(pax_record("GNU.sparse.size", "x"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (tar_header("x", tarfile.GNUTYPE_LONGNAME) * 3000, "too many headers for one member"),
        (bytes(SPARSE) + b"1", "a header ends too early"),
        (DIGITS, "a header has a number of more than 300 digits"),
        (NO_NUMBER + GOOD, "invalid literal for int"),
    ],
)
@pytest.mark.parametrize("before", [b"", GOOD])
def test_hostile_headers_of_an_archive_are_damage(
    tmp_path: Path, before: bytes, damage: bytes, message: str
) -> None:
    """Earlier members are read, and so are the files next to the archive."""
    (tmp_path / "b.txt").write_bytes(b"Flu.")
    (tmp_path / "a.tar").write_bytes(before + damage)
    *pages, failure, beside = list(read_pages(tmp_path))
    assert [page.docno for page in pages] == (["a.tar!good.txt"] if before else [])
    assert failure.error.startswith(f"damaged archive: {message}")
    assert isinstance(beside, Page)
    with pytest.raises(InputError, match=f"a.tar is a damaged tar archive: {message}"):
        list(members(tmp_path / "a.tar"))


def test_numbers_in_the_members_of_an_archive_are_free(tmp_path: Path) -> None:
    """The bound on digits is for headers."""
    digits = tar_header("a.txt", tarfile.REGTYPE, 5000) + tar_block(b"1" * 5000)
    first, second = found_in(tmp_path / "a.tar", digits + GOOD + b"\0" * 1024)
    assert isinstance(first, Page)
    assert (first.content, second.docno) == (b"1" * 5000, "good.txt")
    read = [(each.name, each.stream.read()) for each in members(tmp_path / "a.tar")]
    assert read == [("a.txt", b"1" * 5000), ("good.txt", b"Flu.")]


def test_a_global_header_of_very_many_keys_is_read_once(tmp_path: Path) -> None:
    """It is not read again for each member, although it applies to all of them."""
    keys = b"".join(pax_record(f"x{number}", "") for number in range(60_000))
    keys += pax_record("mtime", "7")
    header = tar_header("g", tarfile.XGLTYPE, len(keys)) + tar_block(keys)
    archive = header + GOOD * 20_000 + b"\0" * 1024
    result = list(tar_members(io.BytesIO(archive), 1 << 20))
    assert len(result) == 20_000
    assert {member.mtime for _, member in result} == {7}
    (tmp_path / "a.tar").write_bytes(archive)
    assert sum(1 for _ in members(tmp_path / "a.tar")) == 20_000


def test_a_trec_record_of_empty_lines_is_held_once(tmp_path: Path) -> None:
    """It does not cost an object for each line."""
    file = tmp_path / "a.trec"
    file.write_bytes(b"<DOC>\n<DOCNO>1</DOCNO>\n" + b"\n" * 500_000 + b"</DOC>\n")
    tracemalloc.start()
    (page,) = read_pages(file)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(page, Page)
    assert page.content == b"\n" * 500_001
    assert most < 4_000_000


def test_a_json_line_of_very_many_lists_is_refused(tmp_path: Path) -> None:
    """In memory they would be many times as large as the line; the next line is read."""
    many = b'{"id": 1, "text": "a", "x": [' + b"[[]]," * 500_000 + b"1]}\n"
    file = tmp_path / "a.jsonl"
    failure, page = found_in(file, many + b'{"id": 2, "text": "[{"}\n')
    assert failure.error == "line 1 has more than 1000000 lists and objects"
    assert page.docno == "2"


def test_what_a_parquet_footer_has_besides_is_not_kept() -> None:
    """A list of structs that are not read, as long as the footer."""
    structs = b"\x19\xfc" + varint(300_000) + b"\x11\x00" * 300_000
    file = io.BytesIO(parquet_file(b"", structs + b"\x39\x0c" + b"\0"))
    tracemalloc.start()
    assert largest_pages(file, ["id"]) == []
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4_000_000


def test_a_parquet_footer_of_very_many_row_groups_is_told(tmp_path: Path) -> None:
    """Row groups are kept in memory, so their number is bounded."""
    groups = b"\x49\xfc" + varint(1_000_001) + b"\0" * 1_000_001
    [error] = errors_in(tmp_path / "a.parquet", parquet_file(b"", groups + b"\0"))
    assert "its lists have more than 1000000 elements" in error
