"""Damage files of all formats: the program must not crash, nor lose a row without an error.

    python -m scripts.faults.containers [--number 10000] [--seed 0] [--keep FOLDER]

Each mutant is a good file of forty pages in which bytes are changed, removed, inserted or zeroed,
or which is cut. It is read in another process, as a whole and in parts. A row is *lost* if a page
is missing and there is no error, or if it is missing only when the file is read in parts. The
status is 1 if a mutant crashed, hung or lost rows, except for the formats in `UNSEEN`.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
import random
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import zstandard
from scripts.faults.crawls import warc_head
from scripts.shared import damaged, parser_of

from understandability.crawls.processes import ChildProcess, connected_to_parent
from understandability.inputs.parts import plan_parts
from understandability.inputs.sources import Sources, read_pages
from understandability.text.page import Page

PAGES = {
    f"d{number:02}": f"Page {number} says: rest well, and drink {number} cups of water. " * 5
    for number in range(40)
}
# Formats in which damage may remove rows without a trace.
UNSEEN = ("jsonl", "csv", "csv.utf16", "tsv", "trec", "warc", "arc", "arrows")
_SECONDS = 60  # after which a mutant is taken to hang
_PART = 600  # bytes
_BATCH = 100


def _table() -> pa.Table:
    return pa.table({"id": list(PAGES), "text": list(PAGES.values())})


def _delimited(delimiter: str) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([("id", "text"), *PAGES.items()])
    return text.getvalue().encode()


def _warc() -> bytes:
    records = b""
    for name, text in PAGES.items():
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + text.encode()
        records += warc_head(len(body), WARC_Target_URI=f"http://a/{name}") + body + b"\r\n\r\n"
    return records


def _arc() -> bytes:
    records = b"filedesc://a.arc 0.0.0.0 20060101000000 text/plain 22\n1 0 InternetArchive\n\n\n\n"
    for name, text in PAGES.items():
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + text.encode()
        records += b"http://a/%s 1.2.3.4 20060101000000 text/html %d\n" % (name.encode(), len(body))
        records += body + b"\n"
    return records


def _wacz(records: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        for number in range(2):
            half = records[number::2]
            members = b"".join(gzip.compress(record, mtime=0) for record in half)
            archive.writestr(f"archive/{number}.warc.gz", members)
    return out.getvalue()


def _members(compress: Callable[[bytes], bytes], data: bytes) -> bytes:
    """Compress a file in several members."""
    return b"".join(compress(data[i : i + 3000]) for i in range(0, len(data), 3000))


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in PAGES.items():
            member = tarfile.TarInfo(f"{name}.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in PAGES.items():
            archive.writestr(f"{name}.txt", text)
    return out.getvalue()


def _arrow(stream: bool) -> bytes:
    out = io.BytesIO()
    table = _table()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(out, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=10):
            writer.write_batch(batch)
    return out.getvalue()


def _written(write: Callable[[pa.Table, Any], None]) -> bytes:
    out = io.BytesIO()
    write(_table(), out)
    return out.getvalue()


def _docx() -> bytes:
    from docx import Document

    document, out = Document(), io.BytesIO()
    for text in PAGES.values():
        document.add_paragraph(text)
    document.save(out)
    return out.getvalue()


def good_files() -> dict[str, tuple[str, bytes]]:
    """Return suffix and content of a good file in each format."""
    objects = [{"id": name, "text": text} for name, text in PAGES.items()]
    lines = "".join(json.dumps(line) + "\n" for line in objects).encode()
    trec = "".join(
        f"<DOC>\n<DOCNO>{name}</DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
        for name, text in PAGES.items()
    ).encode()
    records = [b"WARC/1.0" + record for record in _warc().split(b"WARC/1.0")[1:]]
    zstd = zstandard.ZstdCompressor(write_checksum=True).compress
    gzipped = partial(gzip.compress, mtime=0)
    return {
        "jsonl": (".jsonl", lines),
        "jsonl.gz": (".jsonl.gz", gzipped(lines)),
        "jsonl.gz, members": (".jsonl.gz", _members(gzipped, lines)),
        "jsonl.zst": (".jsonl.zst", zstd(lines)),
        "jsonl.zst, members": (".jsonl.zst", _members(zstd, lines)),
        "jsonl.bz2": (".jsonl.bz2", _members(bz2.compress, lines)),
        "jsonl.xz": (".jsonl.xz", _members(lzma.compress, lines)),
        "json": (".json", json.dumps(objects, indent=1).encode()),
        "json.gz": (".json.gz", gzipped(lines)),
        "csv": (".csv", _delimited(",")),
        "csv.utf16": (".csv", _delimited(";").decode().encode("utf-16")),
        "tsv": (".tsv", _delimited("\t")),
        "trec": (".trec", trec),
        "warc": (".warc", _warc()),
        "warc.gz": (".warc.gz", b"".join(map(gzipped, records))),
        "warc.zst": (".warc.zst", b"".join(map(zstd, records))),
        "wacz": (".wacz", _wacz(records)),
        "arc": (".arc", _arc()),
        "tar": (".tar", _tar()),
        "tar.gz": (".tar.gz", gzipped(_tar())),
        "tar.bz2": (".tar.bz2", bz2.compress(_tar())),
        "zip": (".zip", _zip()),
        "arrow": (".arrow", _arrow(stream=False)),
        "arrows": (".arrow", _arrow(stream=True)),
        "feather": (".feather", _written(lambda t, o: pa.feather.write_feather(t, o))),
        "parquet": (
            ".parquet",
            _written(
                lambda t, o: pq.write_table(t, o, write_page_checksum=True, row_group_size=10)
            ),
        ),
        "docx": (".docx", _docx()),
    }


class Outcome(NamedTuple):
    """The numbers of pages, of errors and skipped members, and of pages read in parts."""

    pages: int
    errors: int
    pages_in_parts: int


def read(path: Path) -> Outcome:
    """Read a file as a whole and in parts."""
    sources = read_pages(path)
    records = list(sources)
    pages = sum(isinstance(record, Page) for record in records)
    parts = plan_parts(sources.files[0], _PART, _PART)
    in_parts = sum(
        isinstance(record, Page) for part in parts for record in Sources([]).read_part(part)
    )
    return Outcome(pages, len(records) - pages + sources.skipped.total(), in_parts)


def serve_reads() -> None:
    """In another process: send the outcome of each file, or the error that a reader raises."""
    with connected_to_parent() as connection:
        for path in pickle.loads(connection.recv_bytes()):
            try:
                outcome: Outcome | str = read(path)
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
            connection.send_bytes(pickle.dumps(outcome))
        connection.recv_bytes()  # waits until the parent closes the socket


def outcomes(paths: Sequence[Path]) -> Iterator[tuple[Path, Outcome | str]]:
    """Yield the outcome of each file, or what happened to the process that read it."""
    remaining = list(paths)
    while remaining:
        child = ChildProcess("from scripts.faults.containers import serve_reads; serve_reads()")
        child.send(remaining)
        while remaining and (message := child.receive(_SECONDS)) is not None:
            yield remaining.pop(0), pickle.loads(message)
        if remaining:
            ended = f"ended the process ({child.cause_of_death()})" if child.has_ended else "hung"
            yield remaining.pop(0), ended
        child.stop()


def verdict(outcome: Outcome | str, expected: int) -> str:
    """Return what became of a mutant whose original has a number of pages."""
    if isinstance(outcome, str):
        return f"crashed: {outcome[:60]}"
    if outcome.pages_in_parts < outcome.pages:
        return "lost in parts"
    if outcome.pages < expected and not outcome.errors:
        return "lost"
    return "reported" if outcome.errors else "whole"


def main() -> None:
    """Print a line for each format."""
    parser = parser_of(__doc__, data=False, number=10_000, seed=0)
    parser.add_argument("--keep", type=Path, help="keep the mutants that fail in this folder")
    parser.add_argument("--only", nargs="*", help="only these formats")
    options = parser.parse_args()
    files = {
        name: file
        for name, file in good_files().items()
        if options.only is None or name in options.only
    }
    has_failed = False
    for index, (name, (suffix, data)) in enumerate(files.items()):
        generator = random.Random(f"{options.seed} {index}")
        counts: Counter[str] = Counter()
        mutants = options.number // len(files) + (index < options.number % len(files))
        for first in range(0, mutants, _BATCH):
            with tempfile.TemporaryDirectory() as folder:
                paths = [
                    Path(folder, f"m{number}{suffix}")
                    for number in range(first, min(first + _BATCH, mutants))
                ]
                for path in paths:
                    path.write_bytes(damaged(data, generator))
                for path, outcome in outcomes(paths):
                    result = verdict(outcome, 1 if name == "docx" else len(PAGES))
                    counts[result] += 1
                    is_silent = result.startswith("lost") and name not in UNSEEN
                    if result.startswith("crashed") or is_silent:
                        has_failed = True
                        if options.keep:
                            options.keep.mkdir(parents=True, exist_ok=True)
                            (options.keep / f"{name}-{path.name}").write_bytes(path.read_bytes())
        results = ", ".join(f"{count:,} {result}" for result, count in counts.most_common())
        unseen = " (no trace in the bytes)" if counts["lost"] and name in UNSEEN else ""
        print(f"{name:20} {mutants:,} mutants: {results}{unseen}", flush=True)
    sys.exit(has_failed)


if __name__ == "__main__":
    main()
