"""Damaged files of sixteen kinds: no crash of the program, and no row lost without an error.

    python -m scripts.faults.containers [--number 10000] [--seed 0] [--keep FOLDER]

Each mutant is a good file of forty pages with bytes changed, removed, put in or zeroed, or cut,
read in a process of its own. A row is *lost* where a page is not there and no error tells of the
file. The status is 1 where a mutant crashed, hung or lost rows, but for the kinds of `UNSEEN`.
"""

import csv
import gzip
import io
import json
import pickle
import random
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import zstandard
from scripts.faults.crawls import warc_head
from scripts.shared import damaged, parser_of

from understandability.crawls.processes import ChildProcess, connected_to_parent
from understandability.inputs.sources import read_pages
from understandability.text.page import Failure

PAGES = {
    f"d{number:02}": f"Page {number} says: rest well, and drink {number} cups of water. " * 5
    for number in range(40)
}
# Kinds whose bytes do not tell how many records there are: rows may go without a trace.
UNSEEN = ("jsonl", "csv", "tsv", "trec", "warc", "arrows")
_SECONDS = 60  # of a mutant, before it hangs
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


def kinds() -> dict[str, tuple[str, bytes]]:
    """A good file of each kind: its suffix and its bytes."""
    lines = "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in PAGES.items()).encode()
    trec = "".join(
        f"<DOC>\n<DOCNO>{name}</DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
        for name, text in PAGES.items()
    ).encode()
    records = [b"WARC/1.0" + each for each in _warc().split(b"WARC/1.0")[1:]]
    return {
        "jsonl": (".jsonl", lines),
        "jsonl.gz": (".jsonl.gz", gzip.compress(lines, mtime=0)),
        "jsonl.zst": (".jsonl.zst", zstandard.ZstdCompressor(write_checksum=True).compress(lines)),
        "csv": (".csv", _delimited(",")),
        "tsv": (".tsv", _delimited("\t")),
        "trec": (".trec", trec),
        "warc": (".warc", _warc()),
        "warc.gz": (".warc.gz", b"".join(gzip.compress(each, mtime=0) for each in records)),
        "tar": (".tar", _tar()),
        "tar.gz": (".tar.gz", gzip.compress(_tar(), mtime=0)),
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


def found(path: Path) -> tuple[int, int]:
    """How many pages there are, and how many errors and members that are told to be none."""
    pages = errors = 0
    read = read_pages(path)
    for each in read:
        pages, errors = pages + (not isinstance(each, Failure)), errors + isinstance(each, Failure)
    return pages, errors + read.skipped.total()


def answer() -> None:
    """In a process of its own: what each file gives, or the error that a reader lets through."""
    with connected_to_parent() as connection:
        for path in pickle.loads(connection.recv_bytes()):
            try:
                outcome: Any = found(path)
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
            connection.send_bytes(pickle.dumps(outcome))
        connection.recv_bytes()  # until the other end goes


def outcomes(paths: list[Path]) -> Iterator[tuple[Path, Any]]:
    """What each file gives: counts, or what happened to the process."""
    left = list(paths)
    while left:
        child = ChildProcess("from scripts.faults.containers import answer; answer()")
        child.send(left)
        while left and (message := child.receive(_SECONDS)) is not None:
            yield left.pop(0), pickle.loads(message)
        if left:
            ended = f"ended the process ({child.cause_of_death()})" if child.has_ended else "hung"
            yield left.pop(0), ended
        child.stop()


def main() -> None:
    """Print a line for each kind."""
    parser = parser_of(__doc__, data=False, number=10_000, seed=0)
    parser.add_argument("--keep", type=Path, help="keep what fails in this folder")
    chosen = parser.parse_args()
    every = kinds()
    failed = False
    for place, (kind, (suffix, data)) in enumerate(every.items()):
        chance = random.Random(f"{chosen.seed} {place}")
        counts: Counter[str] = Counter()
        many = chosen.number // len(every) + (place < chosen.number % len(every))
        for first in range(0, many, _BATCH):
            with tempfile.TemporaryDirectory() as folder:
                paths = [
                    Path(folder, f"m{number}{suffix}")
                    for number in range(first, min(first + _BATCH, many))
                ]
                for path in paths:
                    path.write_bytes(damaged(data, chance))
                wanted = 1 if kind == "docx" else len(PAGES)
                for path, outcome in outcomes(paths):
                    if isinstance(outcome, str):
                        what = "crashed: " + outcome[:60]
                    else:
                        lost = outcome[0] < wanted and not outcome[1]
                        what = "lost" if lost else "told" if outcome[1] else "whole"
                    counts[what] += 1
                    bad = what.startswith("crashed") or (what == "lost" and kind not in UNSEEN)
                    failed |= bad
                    if chosen.keep and bad:
                        chosen.keep.mkdir(parents=True, exist_ok=True)
                        (chosen.keep / f"{kind}-{path.name}").write_bytes(path.read_bytes())
        told = ", ".join(f"{count:,} {what}" for what, count in counts.most_common())
        unseen = " (of bytes that cannot tell)" if counts["lost"] and kind in UNSEEN else ""
        print(f"{kind:10} {many:,} mutants: {told}{unseen}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
