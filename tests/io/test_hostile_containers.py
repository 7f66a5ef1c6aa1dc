"""Files made to take without end or to end the run: each is read in linear time, or told."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from understandability.io.sources import read_pages
from understandability.records import HTML, TEXT, Failure, Page

MANY = 200_000


def found_in(path: Path, content: bytes) -> list[Page | Failure]:
    """What reading a file of this content gives."""
    path.write_bytes(content)
    return list(read_pages(path))


@pytest.mark.parametrize(
    "record",
    [b"<DOCNO>" * MANY, b"<DOCNO>" + b" " * MANY, b"<DOCNO></DOCNO><DOCNO>1</DOCNO>"],
)
def test_a_docno_without_end_is_none(tmp_path: Path, record: bytes) -> None:
    """However often it begins, and however long the space after it is."""
    (failure,) = found_in(tmp_path / "a.trec", b"<DOC>\n" + record + b"\n</DOC>\n")
    assert isinstance(failure, Failure)
    assert failure.error == "the record has no <DOCNO>"


@pytest.mark.parametrize("body", [b"<TEXT>" * MANY, b"<DOCHDR>" * MANY, b"<DOCHDR>" + b"a" * MANY])
def test_trec_elements_without_end_are_read_once(tmp_path: Path, body: bytes) -> None:
    """A record with such tags is the page that it is."""
    record = b"<DOC>\n<DOCNO> 1 </DOCNO>\n" + body + b"\n</DOC>\n"
    (page,) = found_in(tmp_path / "a.trec", record)
    assert isinstance(page, Page)
    assert (page.docno, page.content, page.media_type) == ("1", b"\n" + body + b"\n", HTML)


def test_trec_texts_up_to_one_without_end(tmp_path: Path) -> None:
    """Any of the closing tags ends a text; what is never closed is none."""
    record = b"<DOC><DOCNO>1</DOCNO><title>Flu</TEXT>.<Text><TITLE>is</TITLE><TEXT>bad\n</DOC>\n"
    (page,) = found_in(tmp_path / "a.trec", record)
    assert isinstance(page, Page)
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
    (page,) = found_in(tmp_path / "a.trec", record)
    assert isinstance(page, Page)
    assert (page.url, page.content) == (url, b"<p>Flu")


def parquet_file(data: bytes, footer: bytes) -> bytes:
    """A file of the format with this data and this footer."""
    return b"PAR1" + data + footer + struct.pack("<I", len(footer)) + b"PAR1"


def test_a_parquet_footer_of_lists_in_lists_is_told(tmp_path: Path) -> None:
    """The depth of lists is bounded as that of structs is."""
    (failure,) = found_in(tmp_path / "a.parquet", parquet_file(b"", b"\x19" * 2000 + b"\0"))
    assert isinstance(failure, Failure)
    assert "a header is nested too deeply" in failure.error
