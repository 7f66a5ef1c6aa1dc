"""Time indexing, the features of learning to rank, re-ranking and fusion, in one process.

Wanted: 22,000 documents indexed in 90 s; 100 queries with 1,000 candidates and 24 features each in
20 s; 46 runs read, re-ranked, fused and written in 5 s; below 2 GB. Wall-clock and CPU seconds are
shown: on a busy machine the second tell more.

    python -m scripts.benchmark.search [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scripts.reproduce.collection import read_collection

from understandability.direction import Direction
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.fuse import FUSIONS, fuse
from understandability.evaluation.rerank import rerank
from understandability.inputs.run import Run
from understandability.inputs.runs import read_labels, read_run, write_run
from understandability.study.index import Index, build_index, load_index, save_index
from understandability.study.retrieval import IR_FEATURES, ir_features, search

QUERIES, CANDIDATES = 100, 1_000
GIGABYTES = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args().data
    collection = read_collection(data)
    queries = dict(list(collection.queries.items())[:QUERIES])
    slow = []

    def timed(what: str, limit: float | None, work: Callable[[], object]) -> object:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        wanted = "" if limit is None else f", wanted {limit:g} s"
        print(f"{what}: {wall:.1f} s ({cpu:.1f} s of CPU{wanted})", flush=True)
        if limit is not None and cpu > limit:
            slow.append(what)
        return result

    index, _ = timed(
        f"index {len(collection.pages):,} documents", 90, lambda: build_index(collection.pages)
    )
    with tempfile.TemporaryDirectory() as folder:
        timed("save the index", None, lambda: save_index(index, f"{folder}/index"))
        index = timed("load the index", None, lambda: load_index(f"{folder}/index"))
    bm25 = timed(f"search {len(queries)} queries by BM25", None, lambda: search(index, queries))
    run = filled(bm25, index)
    timed(
        f"{len(queries)} queries x {len(run) // len(queries):,} candidates x "
        f"{len(IR_FEATURES)} features",
        20,
        lambda: ir_features(index, queries, run),
    )
    folder = data / "clef" / "clef2016"
    paths = sorted((folder / "runs_t2").glob("*.run.gz"))
    criterion = Criterion(
        read_labels(folder / "task2.qunder.gz", "understandability"), Direction.HARDER
    )
    timed(
        f"read, re-rank and write {len(paths)} runs; fuse them, {len(FUSIONS)} methods",
        5,
        lambda: rerank_and_fuse(paths, criterion),
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.2f} GB (wanted {GIGABYTES:g})")
    if slow or peak > GIGABYTES:
        sys.exit(f"too slow or too large: {', '.join(slow) or 'memory'}")


def filled(run: Run, index: Index) -> Run:
    """The run with as many documents as candidates are wanted, drawn where it has fewer."""
    rng = np.random.default_rng(0)
    rankings = run.by_query()
    for documents in rankings.values():
        have = {docno for docno, _ in documents}
        for number in rng.permutation(len(index)).tolist():
            if len(documents) >= CANDIDATES:
                break
            if index.docnos[number] not in have:
                documents.append((index.docnos[number], 0.0))
    return Run.of("candidates", rankings)


def rerank_and_fuse(paths: list[Path], criterion: Criterion) -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs = [read_run(path) for path in paths]
        for run in runs:
            write_run(rerank(run, criterion, top=15), f"{folder}/{run.name}.run")
            write_run(fuse([run, criterion], top=15), f"{folder}/{run.name}.fused.run")
        for method in FUSIONS:
            write_run(fuse(runs, method), f"{folder}/{method}.run")


if __name__ == "__main__":
    main()
