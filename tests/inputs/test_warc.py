"""WARC and WET: conventions of ClueWeb12 and Common Crawl, and what is broken."""

import gzip
import io
import zlib
from collections import Counter

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from scripts.faults.crawls import warc_head

from understandability.inputs.limits import too_long
from understandability.inputs.streams import decompressed
from understandability.inputs.warc import read_warc
from understandability.text.page import TEXT, Failure, Page

LIMIT = 100_000


def record(
    content: bytes, kind: str = "response", length: int | None = None, **headers: str
) -> bytes:
    """A WARC record with the given content."""
    messages = len(content) if length is None else length
    return warc_head(messages, kind, **headers) + content + b"\r\n\r\n"


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An HTTP response, HTML unless a header says otherwise."""
    lines = [f"HTTP/1.1 {status}", *(headers or ("Content-Type: text/html; charset=utf-8",))]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read(data: bytes, limit: int = LIMIT) -> tuple[list[Page], list[Failure], Counter[str]]:
    """The pages, failures and counts of WARC bytes."""
    skipped: Counter[str] = Counter()
    result = list(read_warc(decompressed(io.BytesIO(data)), "w.warc", limit, skipped))
    pages = [each for each in result if isinstance(each, Page)]
    return pages, [each for each in result if isinstance(each, Failure)], skipped


def test_docno_is_the_trec_id_else_the_target_uri() -> None:
    """ClueWeb12 numbers its records, Common Crawl names their address."""
    data = record(response(b"a"), WARC_TREC_ID="clueweb12-1", WARC_Target_URI="http://a/")
    data += record(response(b"b"), WARC_Target_URI="<http://b/>")
    pages, failures, skipped = read(data)
    assert [page.docno for page in pages] == ["clueweb12-1", "http://b/"]
    assert [page.url for page in pages] == ["http://a/", "http://b/"]
    assert [page.content for page in pages] == [b"a", b"b"]
    assert {page.charset for page in pages} == {"utf-8"}
    assert not failures
    assert not skipped


def test_other_records_are_counted_and_named() -> None:
    """Redirects, images, revisits and the like are no documents, and no errors."""
    data = b"".join(
        [
            record(b"software: x", "warcinfo"),
            record(b"GET / HTTP/1.1", "request"),
            record(b"", "revisit"),
            record(response(b"", status="301 Moved")),
            record(response(b"x", "Content-Type: image/png")),
            record(response(b"t", "Content-Type: text/plain"), WARC_TREC_ID="t"),
        ]
    )
    pages, failures, skipped = read(data)
    assert [(page.docno, page.media_type) for page in pages] == [("t", TEXT)]
    assert not failures
    assert skipped == {
        "WARC records of type revisit": 1,
        "WARC responses with status 301": 1,
        "WARC responses of media type image/png": 1,
    }


def test_conversions_of_wet_files_are_text() -> None:
    """A WET record holds UTF-8 text under its target URI."""
    data = record(
        "Grüße".encode(), "conversion", WARC_Target_URI="http://a/", Content_Type="text/plain"
    )
    (page,), _, _ = read(data)
    assert (page.docno, page.media_type, page.charset) == ("http://a/", TEXT, "utf-8")
    assert page.content == "Grüße".encode()


def test_truncated_records_are_scored_flagged_and_counted() -> None:
    """A page that the crawler cut has its text as far as it goes."""
    (page,), _, skipped = read(record(response(b"<p>Half"), WARC_Truncated="length"))
    assert page.flags == ("truncated",)
    assert sum(skipped.values()) == 1


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
    ],
)
def test_content_encodings_are_decoded_under_the_limit(coding: str, encode) -> None:
    """A body comes as the server meant it; a bomb becomes one error row."""
    headers = ("Content-Type: text/html", f"Content-Encoding: {coding}")
    body = b"<p>Flu is a virus." * 100
    (page,), _, _ = read(record(response(encode(body), *headers)))
    assert page.content == body
    bomb = record(response(encode(b"a" * 5_000_000), *headers), WARC_TREC_ID="bomb")
    pages, (failure,), _ = read(bomb + record(response(b"next")))
    assert failure.docno == "bomb"
    assert failure.error == too_long(100_000)
    assert [page.content for page in pages] == [b"next"]
    beginning = encode(body)[: {"gzip": 3, "zstd": 6}.get(coding, 1)]
    _, (failure,), _ = read(record(response(beginning, *headers)))
    assert f"the {coding} content is damaged" in failure.error
    (page,), _, _ = read(record(response(body, *headers)))  # stored decoded
    assert page.content == body


LONG_BODY = "".join(f"<p>{hash((n, n))} mg.</p>\n" for n in range(15_000)).encode()  # no text twice


def gzip_members(data: bytes) -> bytes:
    return gzip.compress(data[:30_000]) + gzip.compress(data[30_000:])


def zstd_frames(data: bytes) -> bytes:
    return zstandard.compress(data[:99_000]) + zstandard.compress(data[99_000:])


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip_members),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor(write_checksum=True).compress),
        ("zstd", zstd_frames),
    ],
)
@pytest.mark.parametrize("cut", [1, 2, 4, 8, 100, 0.5])
def test_bodies_that_are_cut_off_have_the_text_that_is_there(coding: str, encode, cut) -> None:
    """With or without ``WARC-Truncated``; a missing trailer alone loses nothing."""
    headers = ("Content-Type: text/html", f"Content-Encoding: {coding}")
    encoded = encode(LONG_BODY)
    body = encoded[: -cut if cut > 0.5 else len(encoded) // 2]
    for warc_headers in ({}, {"WARC_Truncated": "length"}):
        pages, failures, skipped = read(record(response(body, *headers), **warc_headers), 10**6)
        assert not failures
        (page,) = pages
        assert page.flags == ("truncated",)
        assert sum(skipped.values()) == 1
        assert 0.1 * len(LONG_BODY) < len(page.content)
        assert LONG_BODY.startswith(page.content)
        if coding == "gzip" and 1 < cut <= 8:  # nothing but the check sum and the length is missing
            assert page.content == LONG_BODY


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(LONG_BODY)[:-8] + bytes(8)),  # a wrong checksum
        ("x-gzip", gzip.compress(LONG_BODY)[:-4] + bytes(4)),  # a wrong length
        ("gzip", gzip.compress(b"<p>Flu.")[:-8] + bytes(8)),
        ("deflate", zlib.compress(LONG_BODY)[:-4] + bytes(4)),
        ("gzip", gzip_members(LONG_BODY)[:-8] + bytes(8)),
    ],
    ids=["checksum", "length", "short", "deflate", "members"],  # gzip holds the time of the run
)
def test_bodies_with_a_wrong_checksum_have_their_text(coding: str, body: bytes) -> None:
    headers = ("Content-Type: text/html", f"Content-Encoding: {coding}")
    (page,), failures, _ = read(record(response(body, *headers)), 10**6)
    assert page.content in (LONG_BODY, b"<p>Flu.")
    assert page.flags == ("truncated",)
    assert not failures


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor(write_checksum=True).compress),
    ],
)
def test_damaged_bodies_have_the_text_before_the_damage(coding: str, encode) -> None:
    headers = ("Content-Type: text/html", f"Content-Encoding: {coding}")
    encoded = encode(LONG_BODY)
    half = len(encoded) // 2
    body = encoded[:half] + b"\xff" * 300 + encoded[half + 300 :]
    (page,), failures, _ = read(record(response(body, *headers)), 10**6)
    assert page.content[: len(LONG_BODY) // 4] == LONG_BODY[: len(LONG_BODY) // 4]
    assert page.flags == ("truncated",)
    assert not failures
    # Some servers send more bytes than the body.
    (page,), _, _ = read(record(response(encoded + b"junk", *headers)), 10**6)
    assert page.content == LONG_BODY


@pytest.mark.parametrize("body", [b"4\r\n<p>F\r\n", b"4\r\n<p>F\r\n5\r\nlu", b"4\r\n<p>F\r\n1"])
def test_chunked_bodies_that_are_cut_off(body: bytes) -> None:
    headers = ("Content-Type: text/html", "Transfer-Encoding: chunked")
    (page,), failures, _ = read(record(response(body, *headers)))
    assert page.flags == ("truncated",)
    assert page.content.startswith(b"<p>F")
    assert not failures


def test_a_gzip_body_in_chunks_that_is_cut_off() -> None:
    """Both encodings end too early."""
    encoded = gzip.compress(LONG_BODY)
    headers = ("Content-Type: text/html", "Transfer-Encoding: chunked", "Content-Encoding: gzip")
    body = f"{len(encoded):x}\r\n".encode() + encoded[: len(encoded) // 2]
    (page,), _, _ = read(record(response(body, *headers)), 10**6)
    assert page.flags == ("truncated",)
    assert LONG_BODY.startswith(page.content)


def test_chunked_bodies_are_joined() -> None:
    """Chunk sizes are no text; a body stored without them stays as it is."""
    headers = ("Content-Type: text/html", "Transfer-Encoding: chunked")
    chunked = b"4\r\n<p>F\r\n3;x=1\r\nlu.\r\n0\r\n\r\n"
    pages, _, _ = read(record(response(chunked, *headers)) + record(response(b"<p>Flu.", *headers)))
    assert [page.content for page in pages] == [b"<p>Flu.", b"<p>Flu."]


@pytest.mark.parametrize("size", [b"8000000000000000", b"f" * 1000, b"x", b"-5", b"1_0", b""])
def test_a_chunk_without_a_size_costs_its_page_alone(size: bytes) -> None:
    """The file goes on, and no page is cut silently."""
    headers = ("Content-Type: text/html", "Transfer-Encoding: chunked")
    chunked = b"4\r\n<p>F\r\n" + size + b"\r\nlu.\r\n0\r\n\r\n"
    pages, (failure,), _ = read(record(response(chunked, *headers)) + record(response(b"<p>Flu.")))
    assert failure.error == "the chunked content is damaged: no size of a chunk at byte 9"
    assert [page.content for page in pages] == [b"<p>Flu."]


def three(middle: bytes) -> bytes:
    """A broken record between two good ones."""
    first = record(response(b"<p>one"), WARC_TREC_ID="1")
    return first + middle + record(response(b"<p>three"), WARC_TREC_ID="3")


@pytest.mark.parametrize(
    ("middle", "problem"),
    [
        (b"garbage without end\n" * 5, "begins with"),
        (record(response(b"two"), length=10**12, WARC_TREC_ID="2"), "reaches into other records"),
        (record(response(b"two"), length=-1, WARC_TREC_ID="2"), "no valid Content-Length"),
        (record(response(b"two" * 100), length=20, WARC_TREC_ID="2"), "begins with"),
        (b"WARC/1.0\r\n" + b"X: " + b"h" * 100_000 + b"\r\n\r\n", "headers do not end"),
        (record(b"no http at all", WARC_TREC_ID="2"), "HTTP/"),
        (record(response(b"x" * 200_000), WARC_TREC_ID="2"), "longer than 0.1 MB"),
    ],
)
def test_a_broken_record_costs_no_other(middle: bytes, problem: str) -> None:
    """The error names the broken record, and its neighbours are read."""
    pages, failures, _ = read(three(middle))
    assert {"1", "3"} <= {page.docno for page in pages}
    assert any(problem in failure.error for failure in failures)


@pytest.mark.parametrize("more", range(1, 400, 37))
def test_a_length_that_reaches_into_the_next_record_costs_one(more: int) -> None:
    """Wherever it ends in the next record, that record and the following ones are read."""
    body = response(b"<p>two is one long line" * 20)
    middle = record(body, length=len(body) + more, WARC_TREC_ID="2")
    pages, failures, _ = read(three(middle + record(body, WARC_TREC_ID="2b")))
    assert [page.docno for page in pages if page.docno != "2"] == ["1", "2b", "3"]
    assert len(failures) == (more > len(b"\r\n\r\n"))


def test_a_damaged_gzip_member_costs_no_other() -> None:
    """Reading finds its feet at the next member."""
    members = [
        gzip.compress(record(response(b"<p>" + name * 400), WARC_TREC_ID=name.decode()))
        for name in (b"1", b"2", b"3")
    ]
    members[1] = members[1][:40] + b"\xff" * 30 + members[1][70:]
    pages, failures, _ = read(b"".join(members))
    assert [page.docno for page in pages] == ["1", "3"]
    assert "damaged" in failures[0].error


@given(cut=st.integers(0, 2_000))
def test_every_cut_is_noticed(cut: int) -> None:
    """Wherever a file is cut, each record is a page, or there is a failure."""
    data = three(record(response(b"<p>two" * 200), WARC_TREC_ID="2"))
    cut = min(cut, len(data) - 5)
    pages, failures, _ = read(data[:cut])
    starts = data[:cut].count(b"WARC/1.0\r\n")
    assert len(pages) + len(failures) >= starts
    assert len(pages) <= 3


@given(noise=st.binary(max_size=200), position=st.integers(0, 3_000))
def test_noise_never_raises(noise: bytes, position: int) -> None:
    """Reading any bytes ends with pages and failures."""
    data = three(record(response(b"<p>two" * 200)))
    read(data[:position] + noise + data[position + len(noise) :])
    read(gzip.compress(data)[:position] + noise)


def test_a_long_length_in_a_record_of_an_old_version_costs_no_other() -> None:
    """ClueWeb09 has WARC/0.18; the page with the wrong length comes, cut at the next record."""
    data = record(response(b"<p>one"), length=5_000, WARC_TREC_ID="1")
    data += b"".join(record(response(b"<p>x"), WARC_TREC_ID=f"x{n}") for n in range(100))
    for version in (b"WARC/1.0", b"WARC/0.18"):
        pages, failures, _ = read(data.replace(b"WARC/1.0", version))
        assert [page.docno for page in pages] == ["1", *(f"x{n}" for n in range(100))]
        assert pages[0].content == b"<p>one"
        assert ["reaches into other records" in each.error for each in failures] == [True]


@pytest.mark.parametrize("kind", ["response", "metadata"])
@pytest.mark.parametrize("more", [1, 12, 10_000, 10**9])
def test_records_behind_a_long_one_with_a_longer_length_are_read(kind: str, more: int) -> None:
    """Content that is skipped because of its length is searched for other records."""
    size = 3_000_000
    data = record(b"x" * size, kind, length=size + 4 + more)
    data += b"".join(record(response(b"<p>x"), WARC_TREC_ID=f"x{n}") for n in range(200))
    pages, failures, _ = read(data)
    assert [page.docno for page in pages] == [f"x{n}" for n in range(200)]
    assert "reaches into other records" in failures[-1].error


@pytest.mark.parametrize("version", [b"WARC/1.0", b"WARC/0.18"])
@pytest.mark.parametrize("before", [10, 65_000, 1 << 20, 3_000_000])
def test_a_content_may_hold_records(before: int, version: bytes) -> None:
    """A right length is believed, be it kept or skipped, at the end of the file or before it."""
    inner = record(response(b"<p>inner"), WARC_TREC_ID="inner").replace(b"WARC/1.0", version)
    content = response(b"<p>" + b"x" * before + b"\n" + inner * 3 + b"y" * 70_000)
    outer = record(content, WARC_TREC_ID="outer")
    data = outer + record(content, "metadata") + record(response(b"<p>x"), WARC_TREC_ID="x")
    pages, failures, _ = read(data + outer, 10_000_000)
    assert [page.docno for page in pages] == ["outer", "x", "outer"]
    assert pages[0].content == pages[2].content == content.partition(b"\r\n\r\n")[2]
    assert not failures
    pages, failures, _ = read(data + outer, 100)  # too long by the limit, but not broken
    assert [page.docno for page in pages] == ["x"]
    assert [failure.docno for failure in failures] == ["outer", "outer"]


@pytest.mark.parametrize("border", range(-60, 10, 7))
def test_records_are_found_across_the_blocks_of_what_is_skipped(border: int) -> None:
    """At any position of the next record relative to the blocks."""
    size = (1 << 20) + (3 << 16) + border
    data = record(b"x" * size, "metadata", length=10**9)
    pages, _, _ = read(data + record(response(b"<p>x"), WARC_TREC_ID="x"))
    assert [page.docno for page in pages] == ["x"]


@pytest.mark.slow
@pytest.mark.parametrize("length", [1_000_000, 10**9])
def test_very_many_wrong_lengths_are_read_in_linear_time(length: int) -> None:
    """A record that swallows the others costs a change of position, no copy of them."""
    count = 30_000
    pages, failures, _ = read(record(response(b"<p>x"), length=length) * count)
    assert {page.content for page in pages} == {b"<p>x"}
    assert len(failures) == count


def test_a_length_that_reaches_over_a_damage_costs_one_record() -> None:
    """The records before and after the damage are read."""
    good = [record(response(b"<p>x"), WARC_TREC_ID=f"{n}") for n in range(4)]
    broken = gzip.compress(record(response(bytes(range(256)) * 9)))
    members = [gzip.compress(part) for part in (good[0], good[1], good[2], good[3])]
    members.insert(3, broken[:200] + b"\xff" * 40 + broken[240:])
    members.insert(1, gzip.compress(record(response(b"<p>y"), length=10**9, WARC_TREC_ID="y")))
    pages, failures, _ = read(b"".join(members))
    assert [page.docno for page in pages] == ["0", "y", "1", "2", "3"]
    assert "reaches into other records" in failures[0].error
    assert "damaged" in failures[1].error


@pytest.mark.slow
def test_blank_lines_without_end_are_passed_in_blocks() -> None:
    """Between records and after damage, with a number of calls independent of the lines."""
    data = zstandard.compress(b"\n" * 200_000_000)
    page = record(response(b"<p>x"), WARC_TREC_ID="x")
    pages, failures, _ = read(
        zstandard.compress(page)
        + data
        + b"".join([zstandard.compress(b"broken\n"), data, zstandard.compress(page)])
    )
    assert [page.docno for page in pages] == ["x", "x"]
    assert len(failures) == 1
