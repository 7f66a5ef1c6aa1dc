"""One run of very many documents: exact rows, the curve of memory, nothing left behind.

    python -m scripts.faults.large_crawl    # 200,000 documents
    python -m scripts.faults.large_crawl --largest-page 40000 --score '--bundle llr'

The documents are real pages repeated under new names, with hostile ones among them and duplicates.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from scripts.faults.crawl import UNDERSTAND, Rows, group_of, rows_of
from scripts.faults.crawls import DATA, build_crawl, health_pages

from understandability.text.page import SEEN_BEFORE


def large_run(work: Path, pages: Sequence[bytes], documents: int, options: Sequence[str]) -> None:
    """One run of very many documents: exact rows, the curve of memory, nothing left."""
    crawl, run, temporary = work / "crawl", work / "run", work / "tmp"
    temporary.mkdir()
    first = build_crawl(crawl, pages, documents, files=20, broken=0)
    print(f"{documents:,} documents, scored with: {' '.join(options)}")
    started = time.monotonic()
    process = subprocess.Popen(
        [*UNDERSTAND, "score", str(crawl), "-o", f"{run}/", *options],
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    print("minutes  documents  parent MB  largest worker MB  open files of the parent", flush=True)
    peak: list[tuple[int, float, float]] = []
    last = 0.0
    while process.poll() is None:
        time.sleep(1)
        group = [pid for pid in group_of(process) if pid != process.pid]
        parent = megabytes(process.pid)
        largest = max(map(megabytes, group), default=0.0)
        done = len(list((run / "scores").glob("*.parquet"))) if (run / "scores").exists() else 0
        peak.append((done, parent, largest))
        if time.monotonic() - last >= 60:
            last = time.monotonic()
            files = len(list(Path(f"/proc/{process.pid}/fd").glob("*")))
            minutes = (last - started) / 60
            print(
                f"{minutes:7.1f} {done:10}k {parent:10.0f} {largest:18.0f} {files:12}", flush=True
            )
    seconds = time.monotonic() - started
    assert process.returncode == 0
    assert not group_of(process), "processes are left"
    assert not [*run.rglob("*.part"), *temporary.iterdir()], "files are left"
    total = peak[-1][0]
    print("peak memory by tenth of the run (parent MB, largest worker MB):")
    for tenth in range(10):
        within = [p for p in peak if tenth * total <= p[0] * 10 <= (tenth + 1) * total]
        tops = max((p[1] for p in within), default=0), max((p[2] for p in within), default=0)
        print(f"  {tenth + 1:2}: {tops[0]:6.0f} {tops[1]:6.0f}")
    rows = rows_of(run)
    print(f"{documents} documents in {seconds / 60:.1f} min, {documents / seconds:.0f}/s")
    print(f"merged: {rows.scores.num_rows} scores, {len(rows.errors)} errors")
    check_pages(rows, first)
    docnos = random.Random(1).sample(sorted(first), 3)
    started = time.monotonic()
    subprocess.run(
        [*UNDERSTAND, "crawl", "lookup", str(run), *docnos], check=True, capture_output=True
    )
    print(f"three documents looked up in {time.monotonic() - started:.2f} s")


def check_pages(rows: Rows, first: dict[str, int]) -> None:
    """Every document is there once, and a page has the same numbers wherever it is repeated."""
    failed = {row[0] for row in rows.errors if row[3] != SEEN_BEFORE}
    docnos = rows.scores["docno"].to_pylist()
    assert sorted([*docnos, *failed]) == sorted(first), "not every document is there once"
    pages = np.array([first[docno] for docno in docnos])
    _, one, inverse = np.unique(pages, return_index=True, return_inverse=True)
    for name in rows.scores.column_names:
        if pa.types.is_floating(rows.scores[name].type):
            values = rows.scores[name].to_numpy()
            same = np.isclose(values, values[one][inverse], rtol=5e-7, atol=0, equal_nan=True)
            assert same.all(), f"{name} differs between copies of a page"
    print(f"every document once; {len(one)} pages with the same numbers in all their copies")


def megabytes(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except (OSError, IndexError):
        return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument(
        "--score", type=shlex.split, default=[], metavar="OPTIONS", help="more options of the run"
    )
    parser.add_argument("--largest-page", type=int, metavar="BYTES", help="leave larger ones out")
    options = parser.parse_args()
    pages = health_pages(options.data)
    if options.largest_page:
        pages = [page for page in pages if len(page) <= options.largest_page]
        print(f"{len(pages)} pages of up to {options.largest_page:,} bytes")
    work = Path(tempfile.mkdtemp(prefix="crawl-large-"))
    try:
        large_run(work, pages, options.documents, ("--workers", "2", *options.score))
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
