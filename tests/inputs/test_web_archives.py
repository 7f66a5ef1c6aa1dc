"""Web archives: records that are pages and others, ARC, WACZ, stated languages, URLs."""

import gzip
import io
import sys
import zipfile
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.inputs.test_warc import record, response

from understandability.errors import InputError, MissingExtraError
from understandability.inputs.sources import Sources
from understandability.text.page import HTML, TEXT, Failure, Page


def read(path: Path | str, content: bytes = b"") -> tuple[list[Page], list[str], Counter[str]]:
    """The pages, the errors and the counts of a file, after writing it."""
    if content:
        Path(path).write_bytes(content)
    sources = Sources([path])
    records = list(sources)
    return (
        [page for page in records if isinstance(page, Page)],
        [page.error for page in records if isinstance(page, Failure)],
        sources.skipped,
    )


def test_robots_and_programs_are_no_pages(tmp_path: Path) -> None:
    plain = "Content-Type: text/plain"
    urls = {
        "https://a.org/robots.txt": plain,
        "https://a.org/robots.txt?x": "Content-Type: text/html",
        "https://a.org/.well-known/security.txt": plain,
        "https://a.org/app.js": plain,
        "https://a.org/data.json": "Server: x",
        "https://a.org/app.js.html": plain,
        "https://a.org/robots.txt.html": plain,
        "https://a.org/notes.txt": plain,
        "https://a.org/why.json": "Content-Type: text/html",
    }
    data = b"".join(
        record(response(b"text", header), WARC_Target_URI=url) for url, header in urls.items()
    )
    pages, errors, skipped = read(tmp_path / "t.warc", data)
    assert errors == []
    assert [page.url for page in pages] == list(urls)[5:]
    assert skipped == {
        "WARC responses for robots.txt": 2,
        "WARC responses for .well-known": 1,
        "WARC responses with the suffix .js": 1,
        "WARC responses with the suffix .json": 1,
    }


def test_conversions_and_resources(tmp_path: Path) -> None:
    def of(kind: str, media_type: str, uri: str) -> bytes:
        headers = {"Content_Type": media_type, "WARC_Target_URI": uri}
        return record(b"text", kind, **headers)

    data = of("conversion", "text/plain", "http://a/1") + of(
        "conversion", "text/html", "http://a/2"
    )
    data += of("resource", "text/html; charset=utf-8", "file:///a/3")
    data += of("resource", "text/plain", "urn:text:http://a/4")
    data += of("resource", "image/png", "http://a/5")
    pages, errors, skipped = read(tmp_path / "t.warc", data)
    assert errors == []
    assert [(page.docno, page.media_type) for page in pages] == [
        ("http://a/1", TEXT),
        ("http://a/2", HTML),
        ("file:///a/3", HTML),
    ]
    assert skipped == {"WARC records of type resource": 2}


@pytest.mark.parametrize(
    ("headers", "identified", "language"),
    [
        (("Content-Language: de-AT",), "", "de-at"),
        (("Content-Language: de, fr",), "", None),
        (("Content-Language: de, fr",), "deu,fra", "deu"),
        (("Content-Language: *",), "", None),
        ((), "eng", "eng"),
        ((), "", None),
    ],
)
def test_the_language_that_a_response_claims(
    tmp_path: Path, headers: tuple[str, ...], identified: str, language: str | None
) -> None:
    own = {"WARC_Identified_Content_Language": identified} if identified else {}
    data = record(response(b"<p>x", "Content-Type: text/html", *headers), **own)
    ((page,), _, _) = read(tmp_path / "t.warc", data)
    assert (page.language, page.claimed_language) == (None, language)


def arc_record(url: str, content: bytes, length: int | None = None, more: str = "") -> bytes:
    size = len(content) if length is None else length
    return f"{url} 10.0.0.1 20050101120000 text/html {more}{size}\n".encode() + content + b"\n"


ARC_HEAD = arc_record("filedesc://t.arc", b"1 0 Internet Archive\nURL IP-address Archive-date\n")


@pytest.mark.parametrize(
    "packed", [lambda parts: b"".join(parts), lambda parts: b"".join(map(gzip.compress, parts))]
)
@pytest.mark.parametrize("more", ["", "200 checksum - 17 t.arc "])
def test_arc(tmp_path: Path, packed, more: str) -> None:
    """Both versions; a wrong length costs its record, and what is no response is counted."""
    good = response(b"<p>Flu.")
    parts = [
        ARC_HEAD,
        arc_record("http://a/1", good, more=more),
        arc_record("dns:a", b"20050101 a 10.0.0.1", more=more),
        arc_record("http://a/2", good, len(good) + 40, more=more),
        arc_record("http://a/3", response(b"x", status="404 No"), more=more),
        arc_record("http://a/4", good, more=more),
    ]
    pages, errors, skipped = read(tmp_path / "t.arc", packed(parts))
    assert [page.docno for page in pages] == ["http://a/1", "http://a/2", "http://a/4"]
    assert [page.url for page in pages][-1] == "http://a/4"
    assert [error for error in errors if "reaches into other records" in error] == errors
    assert len(errors) == 1
    assert skipped["WARC responses with status 404"] == 1


def test_a_damaged_arc_file_is_read_on(tmp_path: Path) -> None:
    good = [arc_record(f"http://a/{n}", response(b"<p>Flu.")) for n in range(3)]
    pages, errors, _ = read(
        tmp_path / "t.arc", ARC_HEAD + good[0] + b"\xff noise\n" + good[1] + good[2][:-9]
    )
    assert [page.docno for page in pages] == ["http://a/0", "http://a/1"]
    assert "instead of an address and a date" in errors[0]
    assert "the file ends within its content" in errors[1]


def wacz(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_wacz(tmp_path: Path) -> None:
    """The WARC files of the folder archive, and no others."""
    warc = gzip.compress(record(response(b"<p>Flu."), WARC_Target_URI="http://a/"))
    data = wacz(
        {
            "datapackage.json": b"{}",
            "pages/pages.jsonl": b"{}",
            "archive/data.warc.gz": warc,
            "archive/index.cdx": b"x",
            "../../evil.warc.gz": warc,
        }
    )
    ((page,), errors, _) = read(tmp_path / "t.wacz", data)
    assert errors == []
    assert page.docno == "http://a/"
    assert page.path == f"{tmp_path}/t.wacz!archive/data.warc.gz#1"
    assert [path.name for path in tmp_path.iterdir()] == ["t.wacz"]
    _, (error,), _ = read(tmp_path / "t.wacz", wacz({"a.warc.gz": warc}))
    assert "no WARC file in its folder archive/" in error
    _, (error,), _ = read(tmp_path / "t.wacz", data[:-30])
    assert "damaged archive" in error
    bomb = gzip.compress(b"WARC/1.0\r\n" + b"\n" * 30_000_000)
    pages, errors, _ = read(
        tmp_path / "t.wacz", wacz({"archive/a.warc.gz": bomb, "archive/b.warc.gz": warc})
    )
    assert [page.docno for page in pages] == ["http://a/"]
    assert errors


def test_globs_behind_urls() -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.pipe("/globs/a-1.html", b"<p>Flu.")
    memory.pipe("/globs/a-2.html", b"<p>Rest.")
    memory.pipe("/globs/b.html", b"<p>Drink.")
    sources = Sources(["memory://globs/a-*.html"])
    assert [page.docno for page in sources] == ["a-1.html", "a-2.html"]
    with pytest.raises(InputError, match="matches no file"):
        Sources(["memory://globs/c*.html"])


def test_inputs_on_the_web(tmp_path: Path) -> None:
    """A page, and a table whose address has parameters."""
    pytest.importorskip("aiohttp")
    (tmp_path / "a.html").write_bytes(b"<p>Flu.")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"id": "b", "text": "Rest."}'))
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        top = f"http://127.0.0.1:{server.server_port}"
        records = list(Sources([f"{top}/a.html", f"{top}/b.jsonl.gz?token=1"]))
        with pytest.raises(InputError, match="does not exist"):
            Sources([f"{top}/none.html"])
        server.shutdown()
    assert [page.content for page in records if isinstance(page, Page)] == [b"<p>Flu.", "Rest."]


@pytest.mark.parametrize(
    ("url", "extra", "module"),
    [
        ("https://a.org/x.warc.gz?sig=1", "http", "aiohttp"),
        ("s3://bucket/x*.warc.gz", "s3", "s3fs"),
        ("gs://bucket/x.warc.gz", "gcs", "gcsfs"),
    ],
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, url: str, extra: str, module: str
) -> None:
    pytest.importorskip("fsspec")
    for name in list(sys.modules):
        if name.startswith("fsspec.implementations.http"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError, match=rf"pip install '\.\[{extra}\]' in the source folder"
    ):
        Sources([url])
