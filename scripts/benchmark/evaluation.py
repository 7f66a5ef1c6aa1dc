"""Time the evaluation of 68 large runs against trectools and ir_measures.

    python -m scripts.benchmark.evaluation [--runs 68]

Each tool reads the same synthetic files and computes five measures that it knows, in turn.
ir_measures runs twice: with the measures nearest to ours (cwl-eval must be installed), and with its
best case, compiled trec_eval. Wanted: 3 times as fast as trectools, 5 times as ir_measures, below 2
GB.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scripts.shared import parser_of

QUERIES, DEPTH, COLLECTION, JUDGED = 66, 1_000, 100_000, 132
OURS = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10", "nDCG@10")
NEAREST = ("RBP(rel=1,p=0.8)", "RBP(rel=1,p=0.95)", "nDCG@10", "nDCG", "Judged@10")
COMPILED = ("nDCG@10", "nDCG@100", "P@10", "AP", "RR")
TURN = 8
WANTED = {"trectools": 3.0, "ir_measures": 5.0, "ir_measures, compiled": 5.0}


def write_collection(folder: Path, runs: int) -> list[Path]:
    """Runs whose best documents are often judged ones, and labels of relevance and ease."""
    generator = np.random.default_rng(7)
    names = np.array(
        [f"clueweb12-{i // 100:04d}wb-{i % 100:02d}-{i:05d}" for i in range(COLLECTION)]
    )
    judged = [generator.choice(COLLECTION, JUDGED, replace=False) for _ in range(QUERIES)]
    for name, top in (("qrels", 3), ("qunder", 101)):
        lines = [
            f"{101 + query} 0 {names[document]} {generator.integers(top)}"
            for query in range(QUERIES)
            for document in judged[query]
        ]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    paths = []
    for run in range(runs):
        lines = []
        for query in range(QUERIES):
            documents = generator.permutation(
                np.unique(np.concatenate([judged[query], generator.integers(0, COLLECTION, DEPTH)]))
            )[:DEPTH]
            scores = np.sort(generator.random(len(documents)) * 30)[::-1]
            lines += [
                f"{101 + query} Q0 {names[document]} {rank} {score:.6f} system{run}"
                for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
            ]
        paths.append(folder / f"system{run}.run")
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths


def ours(folder: Path, paths: list[Path]) -> None:
    """Reading and five measures, of understandability too."""
    from understandability.evaluation.evaluate import evaluate
    from understandability.inputs.runs import read_labels

    qrels = read_labels(folder / "qrels.txt")
    under = read_labels(folder / "qunder.txt", "u")
    evaluate(paths, qrels, under, scale="lower-easier:40", measures=OURS)


def with_trectools(folder: Path, paths: list[Path]) -> None:
    """Its own RBP, uRBP, nDCG, P and MAP."""
    from trectools import TrecEval, TrecQrel, TrecRun

    qrels = TrecQrel(str(folder / "qrels.txt"))
    under = TrecQrel(str(folder / "qunder.txt"))
    for path in paths:
        evaluator = TrecEval(TrecRun(str(path)), qrels)
        evaluator.get_rbp(p=0.8, depth=10)
        evaluator.get_urbp(under, p=0.8, depth=10)
        evaluator.get_ndcg(depth=10)
        evaluator.get_precision(depth=10)
        evaluator.get_map()


def with_ir_measures(folder: Path, paths: list[Path], names: tuple[str, ...] = NEAREST) -> None:
    """Five measures by name."""
    import ir_measures

    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    measures = [ir_measures.parse_measure(name) for name in names]
    evaluator = ir_measures.evaluator(measures, qrels)
    for path in paths:
        run = ir_measures.read_trec_run(str(path))
        # Several providers read a list, compiled trec_eval alone a stream.
        evaluator.calc_aggregate(run if names == COMPILED else list(run))


# The packages that each tool requires.
TOOLS: dict[str, tuple[Callable[[Path, list[Path]], None], tuple[str, ...]]] = {
    "understandability": (ours, ()),
    "trectools": (with_trectools, ("trectools",)),
    "ir_measures": (with_ir_measures, ("ir_measures", "cwl")),
    "ir_measures, compiled": (partial(with_ir_measures, names=COMPILED), ("ir_measures",)),
}


def race(folder: Path, paths: list[Path]) -> dict[str, tuple[float, float]]:
    """Wall-clock and CPU seconds of each tool for all runs, taking turns."""
    tools = {name: work for name, (work, needed) in TOOLS.items() if all(map(find_spec, needed))}
    spent = dict.fromkeys(tools, (0.0, 0.0))
    for work in tools.values():
        work(folder, paths[:1])  # imports and caches
    for start in range(0, len(paths), TURN):
        for name, work in tools.items():
            wall, cpu = time.perf_counter(), time.process_time()
            work(folder, paths[start : start + TURN])
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            spent[name] = spent[name][0] + wall, spent[name][1] + cpu
    return spent


def main() -> None:
    parser = parser_of(__doc__, data=False, runs=68)
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        begin = time.perf_counter()
        ours(arguments.alone, sorted(arguments.alone.glob("*.run")))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"alone, from files to means: {time.perf_counter() - begin:.1f} s, {peak:,.0f} MB")
        return
    warnings.simplefilter("ignore")  # trectools draws many from pandas
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_collection(folder, arguments.runs)
        size = sum(path.stat().st_size for path in paths) / 1e6
        print(
            f"{len(paths)} runs, {QUERIES} queries, {DEPTH} documents, {size:,.0f} MB", flush=True
        )
        subprocess.run(
            [sys.executable, "-m", "scripts.benchmark.evaluation", "--alone", name], check=True
        )
        spent = race(folder, paths)
        own_wall, own_cpu = spent["understandability"]
        for tool, (wall, cpu) in spent.items():
            wanted = f"  wanted {WANTED[tool]:.0f} x" if tool in WANTED else ""
            ratios = f"{wall / own_wall:5.1f} x  CPU {cpu:6.1f} s {cpu / own_cpu:5.1f} x"
            print(f"{tool:<22} {wall:6.1f} s {ratios}{wanted}")


if __name__ == "__main__":
    main()
