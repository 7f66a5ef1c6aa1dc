"""Read files that were made to exhaust, escape or mislead a reader.

    python -m scripts.faults.hostile_inputs [NAME ...] [--megabytes 2000]

Each file is read in another process. Prints the pages, the first error, the seconds of processor
time and the peak of memory. Each file holds a good page that must be read, unless the container
itself is refused. The status is 1 if a process died or took more than `MOST_MEGABYTES`, or if the
good page, or the error for what is bad, is missing. `--megabytes` is the size that bombs and long
lines expand to.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import resource
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import brotli
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from scripts.faults.crawls import warc_head
from scripts.shared import megabytes_of, parser_of

from understandability.crawls.processes import ChildProcess, connected_to_parent
from understandability.inputs.sources import read_pages
from understandability.text.page import Failure

MOST_MEGABYTES = 700
_SECONDS = 600  # after which a reader is taken to hang
GOOD = "good"
TEXT = "You have flu. Rest and drink water."
_LINE = json.dumps({"id": GOOD, "text": TEXT}).encode() + b"\n"
_MB = 1_000_000
_BLOCK = 10 * _MB  # bytes in a member of a bomb
_CODECS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
Writer = Callable[[Path, int], Path]


def _write(path: Path, *contents: bytes) -> Path:
    path.write_bytes(b"".join(contents))
    return path


def _line_bomb(codec: str) -> Writer:
    """Return a writer of a line that expands to many megabytes, after a good one."""
    compress = _CODECS[codec]

    def write(folder: Path, megabytes: int) -> Path:
        members = compress(b" " * _BLOCK) * (megabytes * _MB // _BLOCK)
        return _write(folder / f"bomb.jsonl.{codec}", compress(_LINE), members)

    return write


def _page_bomb(codec: str) -> Writer:
    """Return a writer of a page that expands to many megabytes, next to a good one."""
    compress = _CODECS[codec]

    def write(folder: Path, megabytes: int) -> Path:
        (folder / GOOD).with_suffix(".html").write_text(TEXT)
        members = compress(b" " * _BLOCK) * (megabytes * _MB // _BLOCK)
        _write(folder / f"bomb.html.{codec}", members)
        return folder

    return write


def _tar_bomb(codec: str) -> Writer:
    compress = _CODECS[codec]

    def write(folder: Path, megabytes: int) -> Path:
        good = _tar_member(f"{GOOD}.html", TEXT.encode())
        size = megabytes * _MB // _BLOCK * _BLOCK
        header = tarfile.TarInfo("bomb.css")
        header.size = size
        members = compress(bytes(_BLOCK)) * (size // _BLOCK)
        return _write(
            folder / f"bomb.tar.{codec}", compress(good), compress(header.tobuf()), members
        )

    return write


def _tar_member(name: str, content: bytes, type_: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = len(content), type_, link
    return member.tobuf() + content + bytes(-len(content) % tarfile.BLOCKSIZE)


def _zip(path: Path, members: dict[str, bytes], links: tuple[str, ...] = ()) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            if name in links:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, content)
    return path


def _warc_response(body: bytes, name: str, *headers: str) -> bytes:
    head = "".join(f"{header}\r\n" for header in ("Content-Type: text/html", *headers))
    content = f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + body
    return warc_head(len(content), WARC_Target_URI=f"http://a/{name}") + content + b"\r\n\r\n"


def _http_bomb(coding: str, compress: Callable[[bytes], bytes]) -> Writer:
    def write(folder: Path, megabytes: int) -> Path:
        bomb = compress(bytes(min(megabytes, 500) * _MB))
        records = (
            _warc_response(bomb, "bomb", f"Content-Encoding: {coding}"),
            _warc_response(TEXT.encode(), GOOD),
        )
        return _write(folder / "bomb.warc.gz", *map(gzip.compress, records))

    return write


def _long_line(folder: Path, megabytes: int) -> Path:
    path = folder / "long.jsonl"
    with path.open("wb") as file:  # with a hole, which needs no disk
        file.write(b'{"id": "')
        file.seek(megabytes * _MB)
        file.write(b'"}\n' + _LINE)
    return path


def _long_item(folder: Path, megabytes: int) -> Path:
    path = folder / "long.json"
    with path.open("wb") as file:
        file.write(b"[\n" + _LINE.strip() + b',\n{"id": "')
        file.seek(megabytes * _MB)
        file.write(b'"}]')
    return path


def _long_cell(folder: Path, megabytes: int) -> Path:
    path = folder / "long.tsv"
    with path.open("wb") as file:
        file.write(b"id\ttext\n" + f"{GOOD}\t{TEXT}\nlong\t".encode())
        file.seek(megabytes * _MB)
        file.write(b"\n")
    return path


def _escaping_zip(folder: Path, _: int) -> Path:
    members = {
        f"{GOOD}.html": TEXT.encode(),
        "../../escaped.html": TEXT.encode(),
        "/etc/escaped.html": TEXT.encode(),
        "link.html": b"/etc/passwd",
    }
    return _zip(folder / "escaping.zip", members, links=("link.html",))


def _escaping_tar(folder: Path, _: int) -> Path:
    return _write(
        folder / "escaping.tar",
        _tar_member(f"{GOOD}.html", TEXT.encode()),
        _tar_member("../../escaped.html", TEXT.encode()),
        _tar_member("link.html", b"", tarfile.SYMTYPE, "/etc/passwd"),
        _tar_member("hard.html", b"", tarfile.LNKTYPE, "/etc/passwd"),
        _tar_member("device.html", b"", tarfile.CHRTYPE),
        bytes(2 * tarfile.BLOCKSIZE),
    )


def _escaping_wacz(folder: Path, _: int) -> Path:
    good, bad = (gzip.compress(_warc_response(TEXT.encode(), name)) for name in (GOOD, "bad"))
    members = {
        "archive/a.warc.gz": good,
        "archive/../../b.warc.gz": bad,
        "archive/link.warc.gz": b"/etc/passwd",
    }
    return _zip(folder / "escaping.wacz", members, links=("archive/link.warc.gz",))


def _links(folder: Path, _: int) -> Path:
    """A folder with links to itself, to a device and to a file outside."""
    (folder / f"{GOOD}.html").write_text(TEXT)
    (folder / "loop").symlink_to(folder)
    (folder / "zero.html").symlink_to("/dev/zero")
    (folder / "gone.html").symlink_to(folder / "missing")
    return folder


def _deep_json(folder: Path, _: int) -> Path:
    deep = b'{"id": "deep", "text": ' + b"[" * 500_000 + b"]" * 500_000 + b"}\n"
    wide = b'{"id": "wide", "text": [' + b"[]," * 2_000_000 + b"[]]}\n"
    return _write(folder / "deep.jsonl", deep, wide, _LINE)


def _nul_csv(folder: Path, _: int) -> Path:
    rows = f"id,text\nnul,a\0b\n\0\0\0,x\n{GOOD},{TEXT}\n".encode()
    return _write(folder / "nul.csv", rows, b"\0" * 5_000_000 + b"\nend,x\n")


def _parquet_bomb(folder: Path, megabytes: int) -> Path:
    path = folder / "bomb.parquet"
    with pq.ParquetWriter(path, pa.schema([("id", pa.string()), ("text", pa.string())])) as out:
        out.write_table(pa.table({"id": [GOOD], "text": [TEXT]}))
        long = "x" * (min(megabytes, 500) * _MB)
        out.write_table(pa.table({"id": ["bomb"], "text": [long]}))
    return path


def _arrow_bomb(folder: Path, megabytes: int) -> Path:
    path = folder / "bomb.arrow"
    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(path, schema, options=options) as out:
        out.write_table(pa.table({"id": [GOOD], "text": [TEXT]}))
        long = "x" * (min(megabytes, 300) * _MB)
        out.write_table(pa.table({"id": ["bomb"], "text": [long]}))
    return path


def _many_empty_members(folder: Path, _: int) -> Path:
    members = gzip.compress(b"") * 500_000
    return _write(folder / "empty.jsonl.gz", gzip.compress(_LINE), members)


def _zip_of_one_body(folder: Path, megabytes: int) -> Path:
    """Members whose entries in the directory name the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{GOOD}.html", TEXT)
        archive.writestr("b.html", b" " * (9 * _MB))
        first = archive.infolist()[1]
        for number in range(megabytes // 9):
            copy = zipfile.ZipInfo(f"{number}.html")
            for name in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(copy, name, getattr(first, name))
            archive.filelist.append(copy)
    return _write(folder / "overlapping.zip", out.getvalue())


CASES: dict[str, Writer] = {
    **{f"line bomb in {codec}": _line_bomb(codec) for codec in _CODECS},
    **{f"page bomb in {codec}": _page_bomb(codec) for codec in _CODECS},
    **{f"tar bomb in {codec}": _tar_bomb(codec) for codec in _CODECS},
    "response bomb in br": _http_bomb("br", brotli.compress),
    "response bomb in zstd": _http_bomb("zstd", zstandard.compress),
    "line that does not end": _long_line,
    "JSON item that does not end": _long_item,
    "cell that does not end": _long_cell,
    "Parquet bomb": _parquet_bomb,
    "Arrow bomb": _arrow_bomb,
    "ZIP that leaves its folder": _escaping_zip,
    "tar that leaves its folder": _escaping_tar,
    "WACZ that leaves its folder": _escaping_wacz,
    "ZIP of overlapping members": _zip_of_one_body,
    "links in a folder": _links,
    "deep and wide JSON": _deep_json,
    "CSV with NULs": _nul_csv,
    "many empty members": _many_empty_members,
}
# Files in which nothing is bad that would be an error: what is bad is skipped, or harmless.
HARMLESS = {
    "many empty members",
    "links in a folder",
    "ZIP that leaves its folder",
    "tar that leaves its folder",
    "WACZ that leaves its folder",
    *(f"tar bomb in {codec}" for codec in _CODECS),
    *(f"line bomb in {codec}" for codec in _CODECS),
}


class Outcome(NamedTuple):
    """The docnos of a file's pages, its errors, and the cost of reading it."""

    docnos: list[str]
    errors: list[str]
    skipped: int
    seconds: float
    megabytes: float

    def fault(self, name: str) -> str:
        """Return why the outcome of a case is wrong; '' if it is right."""
        if not any(GOOD in docno for docno in self.docnos):
            return "the good page is missing"
        if not self.errors and name not in HARMLESS:
            return "there is no error"
        if self.megabytes > MOST_MEGABYTES:
            return "it took too much memory"
        return ""


def serve_read() -> None:
    """In another process: read a file, and send the outcome."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with connected_to_parent() as connection:
        path = pickle.loads(connection.recv_bytes())
        start = time.process_time()
        docnos: list[str] = []
        errors: list[str] = []
        sources = read_pages(path)
        for record in sources:
            if isinstance(record, Failure):
                errors.append(f"{record.stage}: {record.error}")
            else:
                docnos.append(record.docno)
        seconds = time.process_time() - start
        outcome = Outcome(
            docnos, errors, sources.skipped.total(), seconds, megabytes_of("self", "VmHWM")
        )
        connection.send_bytes(pickle.dumps(outcome))
        connection.recv_bytes()  # waits until the parent closes the socket


def outcome_of(name: str, megabytes: int) -> Outcome | str:
    """Write and read the file of a case; return the outcome, or what happened to the process."""
    with tempfile.TemporaryDirectory() as folder:
        path = CASES[name](Path(folder), megabytes)
        child = ChildProcess("from scripts.faults.hostile_inputs import serve_read; serve_read()")
        try:
            child.send(path)
            message = child.receive(_SECONDS)
            if message is None:
                return f"died ({child.cause_of_death()})" if child.has_ended else "hung"
            outcome: Outcome = pickle.loads(message)
            return outcome
        finally:
            child.stop()


def main() -> None:
    """Print a line for each case."""
    parser = parser_of(__doc__, data=False, megabytes=2000)
    parser.add_argument("names", nargs="*", help="only these cases")
    options = parser.parse_args()
    has_failed = False
    for name in options.names or CASES:
        outcome = outcome_of(name, options.megabytes)
        if isinstance(outcome, str):
            print(f"{name:30} {outcome}")
            has_failed = True
            continue
        fault = outcome.fault(name)
        has_failed |= bool(fault)
        error = outcome.errors[0][:70] if outcome.errors else "none"
        print(
            f"{name:30} {len(outcome.docnos)} pages, {len(outcome.errors)} errors ({error}), "
            f"{outcome.skipped} skipped; {outcome.seconds:.1f} s, {outcome.megabytes:.0f} MB"
            f"{' WRONG: ' + fault if fault else ''}",
            flush=True,
        )
    sys.exit(has_failed)


if __name__ == "__main__":
    main()
