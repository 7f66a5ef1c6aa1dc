"""Crawls to try the crawler on: real pages, hostile ones, duplicates and broken records."""

import gzip
import random
from collections.abc import Sequence
from pathlib import Path

from scripts.shared import members

HOSTILE: tuple[bytes, ...] = (
    b"",
    b"\x00" * 5000,
    b"%PDF-1.7\n" + b"\xff\xfe\x00" * 3000,
    gzip.compress(b"<p>compressed twice"),
    b"<div>" * 20_000 + b"The bottom of it.",
    b"<p>" + b"a" * 1_000_000,
    b"<p>Word. " * 30_000,
    b"<table><tr><td>" * 3000 + b"cell",
    "<p>\u05e9\u05dc\u05d5\u05dd \u202e world. ".encode() * 200,
    b"<html><head><meta charset=utf-99></head><p>A wrong charset \xe9\xff.",
    b"<script>" + b"if (a < b) { c = '</p>'; }" * 5000,
    b"<p " + b"x=1 " * 20_000 + b">Many attributes.",
    b"<!--" * 10_000 + b"<p>Comments that do not end.",
    b"<a>" * 3000 + b"Links in links.",
    b"<p>Characters that are none: &#xD800; &#0; &#x110000;",
)


def health_pages(data: Path) -> list[bytes]:
    """The real pages, as saved."""
    pages = members(data / "html" / "health_pages" / "health_pages.tar.gz")
    return [content for name, content in pages if ".htm" in name]


def build_crawl(
    folder: Path,
    pages: Sequence[bytes],
    documents: int,
    files: int = 3,
    *,
    hostile: float = 0.02,
    repeated: float = 0.02,
    broken: float = 0.01,
) -> dict[str, int]:
    """Write WARC files of that many documents, with such shares of them that are difficult.

    Gives the page of each name where it comes first, by number; hostile ones come after `pages`.
    """
    chosen = random.Random(7)
    pages = [*pages, *HOSTILE]
    first: dict[str, int] = {}
    folder.mkdir(parents=True, exist_ok=True)
    # A body is a gzip member of its own, compressed once, however often its page is repeated.
    bodies: dict[int, tuple[int, bytes]] = {}
    for file in range(files):
        with (folder / f"crawl-{file:03}.warc.gz").open("wb") as out:
            out.write(gzip.compress(warc_head(0, "warcinfo") + b"\r\n\r\n"))
            for i in range(file, documents, files):
                number = i % (len(pages) - len(HOSTILE))
                if chosen.random() < hostile:
                    number = len(pages) - 1 - chosen.randrange(len(HOSTILE))
                if number not in bodies:
                    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + pages[number]
                    bodies[number] = len(page), gzip.compress(page + b"\r\n\r\n", 1)
                length, body = bodies[number]
                name = f"doc-{chosen.randrange(i + 1) if chosen.random() < repeated else i:07}"
                first.setdefault(name, number)
                if chosen.random() < broken:
                    if chosen.random() < 0.5:
                        length += chosen.choice((-7, 300))
                    else:
                        body = body[: len(body) // 2] + bytes(40) + body[len(body) // 2 + 40 :]
                address = f"http://{name}.example/"
                head = warc_head(length, WARC_TREC_ID=name, WARC_Target_URI=address)
                out.write(gzip.compress(head, 1) + body)
    return first


def warc_head(length: int, record_type: str = "response", **headers: str) -> bytes:
    """The head of a WARC record; in the names of headers ``_`` stands for ``-``."""
    named = {
        "WARC-Type": record_type,
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in headers.items()},
        "Content-Length": str(length),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"WARC/1.0\r\n{lines}\r\n".encode()
