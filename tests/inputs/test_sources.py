"""Inputs of all formats, in any mix: their documents, and the reports on everything else."""

import bz2
import gzip
import http.server
import io
import json
import lzma
import os
import socket
import tarfile
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inputs.test_hostile_containers import tar_block, tar_header

from understandability.errors import InputError, WrongTypeError
from understandability.inputs.limits import too_long
from understandability.inputs.sources import Sources, read_pages
from understandability.inputs.trec import read_docnos
from understandability.text.page import HTML, TEXT, Failure, Page

PAGE = b"<p>Flu is a virus."


def pages_of(*paths: Path | str, **options: object) -> tuple[list[Page], list[Failure]]:
    """The pages and the failures of some inputs."""
    result = list(read_pages(*paths, **options))  # type: ignore[arg-type]
    return (
        [each for each in result if isinstance(each, Page)],
        [each for each in result if isinstance(each, Failure)],
    )


def test_a_list_in_place_of_paths_is_explained() -> None:
    with pytest.raises(WrongTypeError, match=r"one by one, not a list: write \*paths"):
        read_pages(["a.html", "b.html"])  # type: ignore[arg-type]  # as somebody without mypy


def test_a_folder_gives_its_pages_by_their_path_below_it(tmp_path: Path) -> None:
    """Recursively, in the order of names; what is no page is counted by its suffix."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b/x.HTM").write_bytes(PAGE)
    (tmp_path / "a.txt").write_bytes(b"Flu.")
    (tmp_path / "b/style.css").write_bytes(b"p {}")
    (tmp_path / ".hidden.html").write_bytes(PAGE)
    sources = Sources([tmp_path])
    result = [(page.docno, page.media_type) for page in sources if isinstance(page, Page)]
    assert result == [("a.txt", TEXT), ("b/x.HTM", HTML)]
    assert sources.skipped == {
        f"files with the suffix .css, such as {tmp_path}/b/style.css": 1,
        "hidden and special files": 1,
    }


def test_a_named_file_is_called_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`a/index.html` and `b/index.html` are two documents."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "index.html").write_bytes(PAGE)
    pages, _ = pages_of("a/index.html", "./b/index.html")
    assert [page.docno for page in pages] == ["a/index.html", "b/index.html"]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress)]
)
def test_a_compressed_page_is_the_page(tmp_path: Path, suffix: str, compress) -> None:
    """`page.html.gz` reads as `page.html` does."""
    file = tmp_path / f"page.html{suffix}"
    file.write_bytes(compress(PAGE))
    (page,), _ = pages_of(file)
    assert (page.content, page.media_type) == (PAGE, HTML)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p / "none.html", "none.html does not exist; name a file, a folder"),
        (lambda p: (p / "x.rtf").write_bytes(b"x") and p / "x.rtf", "unsupported file type"),
        (lambda p: p, "has no pages in it"),
    ],
)
def test_unusable_inputs_are_told_before_any_work(tmp_path: Path, make, message: str) -> None:
    """One sentence with the path and with what is allowed."""
    with pytest.raises(InputError, match=message):
        read_pages(make(tmp_path))


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        ("_delta_log/00000000000000000000.json", "Delta"),
        ("metadata/00001-a.metadata.json", "Iceberg"),
    ],
)
def test_a_table_with_versions_is_refused(tmp_path: Path, log: str, kind: str) -> None:
    """Its folder also holds rows that were deleted or replaced, and they would be scored."""
    (tmp_path / "pages" / log).parent.mkdir(parents=True)
    (tmp_path / "pages" / log).write_text("{}")
    pq.write_table(pa.table({"id": ["a"], "html": ["<p>Rest."]}), tmp_path / "pages" / "0.parquet")
    with pytest.raises(InputError, match=f"holds a {kind} table .*ud.score_table"):
        pages_of(tmp_path)
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").put(str(tmp_path), f"/versions-{kind}", recursive=True)
    with pytest.raises(InputError, match=f"holds a {kind} table"):
        pages_of(f"memory://versions-{kind}")


def test_jsonl_records(tmp_path: Path) -> None:
    """Good records are read; each bad line is an error row with its number."""
    lines = [
        json.dumps({"id": "a", "html": "<p>Flu."}),
        json.dumps({"docno": 7, "text": "Flu.", "url": "http://a/"}),
        "not json",
        "[1]",
        json.dumps({"text": "no id"}),
        json.dumps({"id": "none", "title": "x"}),
        json.dumps({"id": "long", "text": "x" * 2000}),
        "",
        json.dumps({"id": True, "text": "x"}),
        json.dumps({"id": "z", "text": "end"}),
    ]
    file = tmp_path / "d.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    pages, failures = pages_of(file, limit=1000)
    assert [(page.docno, page.media_type) for page in pages] == [
        ("a", HTML),
        ("7", TEXT),
        ("z", TEXT),
    ]
    assert pages[1].url == "http://a/"
    messages = {failure.path.rpartition("#")[2]: failure.error for failure in failures}
    assert messages == {
        "3": "line 3 is not JSON: Expecting value: line 1 column 1 (char 0)",
        "4": "line 4 is a JSON list; each line must be an object",
        "5": "the record has no 'id' (text or a whole number)",
        "6": "the record has neither 'html' nor 'text'",
        "7": "the document is longer than 0.001 MB; raise --limit-mb to read it "
        "(HTML and text: to at most 12)",
        "9": "the record has no 'id' (text or a whole number)",
    }


def test_a_line_without_end_is_passed_over(tmp_path: Path) -> None:
    """A line of 3 MB is one error, and the next record is read."""
    file = tmp_path / "d.jsonl"
    with file.open("wb") as out:
        out.write(b'{"id": "' + b"x" * 3_000_000 + b'"}\n{"id": "b", "text": "t"}\n')
    pages, failures = pages_of(file, limit=100_000)
    assert [page.docno for page in pages] == ["b"]
    assert failures[0].error == "line 1 is longer than 0.61 MB"


def test_parquet_records(tmp_path: Path) -> None:
    """The columns `id` and `html` or `text` are read, nulls are errors."""
    file = tmp_path / "d.parquet"
    rows = {"id": ["a", None, "c"], "html": ["<p>Flu.", "<p>x", None], "other": [1, 2, 3]}
    pq.write_table(pa.table(rows), file)
    pages, failures = pages_of(file)
    assert [page.docno for page in pages] == ["a"]
    assert [failure.docno for failure in failures] == [f"{file}#2", "c"]


@pytest.mark.slow
def test_a_parquet_page_that_unfolds_too_far_is_named_row_by_row(tmp_path: Path) -> None:
    """Arrow would decode it whole; the rows keep their names, other row groups are read."""
    file = tmp_path / "bomb.parquet"
    with pq.ParquetWriter(file, pa.schema([("id", pa.string()), ("html", pa.string())])) as out:
        out.write_table(pa.table({"id": ["a", "b"], "html": ["<p>x", "y" * 200_000_000]}))
        out.write_table(pa.table({"id": ["c"], "html": ["<p>z"]}))
    pages, failures = pages_of(file)
    assert [page.docno for page in pages] == ["c"]
    assert [failure.docno for failure in failures] == ["a", "b"]
    assert "data page of more than 134 MB" in failures[0].error


def test_a_damaged_parquet_file_is_one_error(tmp_path: Path) -> None:
    """One sentence, and the other inputs are read."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "b.txt").write_bytes(b"Flu.")
    pages, (failure,) = pages_of(tmp_path)
    assert [page.docno for page in pages] == ["b.txt"]
    assert "a.parquet is not a Parquet file, or it is damaged" in failure.error


def small_parquet() -> bytes:
    """A table of two pages."""
    out = io.BytesIO()
    pq.write_table(pa.table({"id": ["a", "b"], "html": ["<p>x" * 50, "<p>y" * 90]}), out)
    return out.getvalue()


@settings(max_examples=60)
@given(place=st.floats(0, 1, exclude_max=True), noise=st.binary(min_size=1, max_size=8))
def test_damage_anywhere_in_a_parquet_file_ends_nothing(place: float, noise: bytes) -> None:
    """Rows or error rows come out; pyarrow's own metadata of a column would abort the process."""
    data = small_parquet()
    start = int(place * len(data))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(data[:start] + noise + data[start + len(noise) :])
        file.flush()
        records = list(read_pages(file.name))
        assert records
        errors = [record.error for record in records if isinstance(record, Failure)]
        assert not any("\n" in error for error in errors), "one sentence"


def test_trec_web_text(tmp_path: Path) -> None:
    """Web collections have HTML after <DOCHDR>, news collections <TEXT>."""
    file = tmp_path / "d.trecweb"
    file.write_bytes(
        b"<DOC>\n<DOCNO>WT-1</DOCNO>\n<DOCHDR>\nhttp://a/ 1.2.3.4\nServer: x\n</DOCHDR>\n"
        b"<html><p>Flu.\n</DOC>\n"
        b"<DOC><DOCNO> FT-2 </DOCNO><TEXT>\nFlu.\n</TEXT></DOC>\n"
        b"<DOC>\n<DOCNO></DOCNO>\n</DOC>\n"
        b"<DOC>\n<DOCNO>long</DOCNO>\n" + b"x" * 2000 + b"\n</DOC>\n"
        b"<DOC>\n<DOCNO>cut</DOCNO>\n"
    )
    pages, failures = pages_of(file, limit=1000)
    assert [(page.docno, page.media_type, page.url) for page in pages] == [
        ("WT-1", HTML, "http://a/"),
        ("FT-2", TEXT, None),
    ]
    assert [failure.error for failure in failures] == [
        "the record has no <DOCNO>",
        too_long(1000),
        "the file ends within the record",
    ]


def make_tar(members: dict[str, bytes]) -> bytes:
    """A gzip-compressed archive; a member without content is a link."""
    parts = [
        tar_header(name, tarfile.REGTYPE if content else tarfile.SYMTYPE, len(content))
        + tar_block(content)
        for name, content in members.items()
    ]
    return gzip.compress(b"".join(parts) + b"\0" * 1024)


def test_archives_give_their_plain_pages_only(tmp_path: Path) -> None:
    """Nothing is unpacked to disk; links, devices and other files are named."""
    file = tmp_path / "p.tar.gz"
    file.write_bytes(
        make_tar(
            {
                "../../evil.html": PAGE,
                "./a/b.html": PAGE,
                "link.html": b"",
                "x.css": b"p {}",
                "long.html": b"x" * 2000,
                "z.txt": b"Flu.",
            }
        )
    )
    sources = Sources([file], limit=1000)
    result = list(sources)
    assert [each.docno for each in result if isinstance(each, Page)] == [
        "../../evil.html",
        "a/b.html",
        "z.txt",
    ]
    assert [each.docno for each in result if isinstance(each, Failure)] == ["long.html"]
    assert sources.skipped == {
        "archive members that are not plain files": 1,
        "archive members with the suffix .css": 1,
    }
    assert list(tmp_path.iterdir()) == [file]


def test_an_archive_is_read_up_to_its_damage(tmp_path: Path) -> None:
    """A cut archive gives the members before the cut and one error."""
    data = make_tar({f"{number}.html": os.urandom(5000) for number in range(10)})
    (tmp_path / "p.tar.gz").write_bytes(data[: len(data) // 2])
    pages, failures = pages_of(tmp_path / "p.tar.gz")
    assert 1 <= len(pages) <= 5
    assert len(failures) == 1


def test_a_header_that_claims_gigabytes_is_not_believed(tmp_path: Path) -> None:
    """A long name of a gigabyte is refused before it is read."""
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    header = member.tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "p.tar").write_bytes(header + b"x" * 10240)
    pages, (failure,) = pages_of(tmp_path / "p.tar")
    assert not pages
    assert "damaged archive" in failure.error


def test_broken_inputs_do_not_keep_others_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(PAGE)[:8])
    (tmp_path / "b.warc.gz").write_bytes(b"")
    (tmp_path / "c.jsonl").write_bytes(b"\n\n")
    (tmp_path / "d.html").write_bytes(PAGE)
    (tmp_path / "e.html").write_bytes(b"")
    pages, failures = pages_of(tmp_path)
    assert [page.docno for page in pages] == ["d.html"]
    assert [(failure.docno, failure.error) for failure in failures] == [
        ("a.html.gz", "the compressed data end too early"),
        ("b.warc.gz", "there is no document in it"),
        ("c.jsonl", "there is no document in it"),
        ("e.html", "the file is empty"),
    ]


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.compress),
    ],
)
def test_a_compressed_page_that_is_cut_off_has_the_text_that_is_there(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    content = b"<p>" + os.urandom(1_500_000).hex(" ").encode()
    file = tmp_path / f"a.html{suffix}"
    file.write_bytes(compress(content)[:-1000])
    (page,), failures = pages_of(file)
    assert page.flags == ("truncated",)
    assert content.startswith(page.content)
    assert len(page.content) > 0.4 * len(content)
    assert not failures


@pytest.mark.parametrize(
    "lines", [["b", "c", "b"], ["1 0 b 1", "1 0 c 0"], ["1 Q0 b 1 9.5 tag", "1 Q0 c 2 9.1 tag"]]
)
def test_docnos_of_a_list_qrels_or_run(tmp_path: Path, lines: list[str]) -> None:
    """Any of the three chooses the same documents."""
    file = tmp_path / "wanted.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    records = "\n".join(json.dumps({"id": name, "text": "x"}) for name in "abc")
    (tmp_path / "d.jsonl").write_text(records)
    pages, _ = pages_of(tmp_path / "d.jsonl", docnos=read_docnos(str(file)))
    assert [page.docno for page in pages] == ["b", "c"]


def test_docnos_of_another_file_are_refused(tmp_path: Path) -> None:
    """The sentence names file, line and what is allowed."""
    (tmp_path / "x").write_text("a\nb c\n")
    with pytest.raises(InputError, match=r"x, line 2 has 2 columns; a list of docnos has 1"):
        read_docnos(str(tmp_path / "x"))


def test_a_server_that_does_not_answer_is_reported(tmp_path: Path) -> None:
    """The message differs from the one for a missing file."""
    pytest.importorskip("aiohttp", reason="needs the extra http")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/a.html"
        with pytest.raises(InputError, match=r"/a.html cannot be read: .*Connect call failed"):
            read_pages(url)
    with pytest.raises(InputError, match=r"missing\.html does not exist"):
        read_pages(tmp_path / "missing.html")


def test_many_addresses_are_looked_up_at_the_same_time() -> None:
    """A crawl has tens of thousands, and each answer takes a while."""
    pytest.importorskip("aiohttp", reason="needs the extra http")
    lock, four_at_once = threading.Lock(), threading.Event()
    here = 0

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            nonlocal here
            with lock:
                here += 1
                if here == 4:
                    four_at_once.set()
            four_at_once.wait(30)  # the first requests wait for each other
            with lock:
                here -= 1
            self.send_response(200)
            self.send_header("Content-Length", "7")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        sources = read_pages(*(f"{host}/{number}.html" for number in range(8)))
        server.shutdown()
    assert four_at_once.is_set()
    assert [file.docno for file in sources.files] == [f"{number}.html" for number in range(8)]
    assert {file.bytes for file in sources.files} == {7}
