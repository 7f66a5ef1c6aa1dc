"""Time evaluation from Python against pytrec_eval: 68 runs of 100 documents, and 18 of 1,000.

    python -m scripts.benchmark.shallow_runs [--rounds 5]

Both read the same files and compute nDCG@10 and nDCG for 66 queries: pytrec_eval with its own
`parse_run`, this package with `evaluate`. The files are the 68 runs of CLEF eHealth 2015, three
copies of its six runs of 1,000 documents, and synthetic runs of the same sizes. The two alternate
within each round, in one process; the table shows the median processor time, and the ratio of the
medians, which is above 1 if this package is faster. The values are compared.
"""

import gzip
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pytrec_eval
from scripts.shared import parser_of

import understandability as ud

QUERIES, COLLECTION, JUDGED = 66, 100_000, 132
SIZES = ((68, 100), (18, 1_000))
MEASURES = {"nDCG@10": "ndcg_cut_10", "nDCG": "ndcg"}


def write_runs(folder: Path, count: int, depth: int) -> tuple[Path, list[Path]]:
    """Write qrels and runs in which judged documents are mixed with others."""
    generator = np.random.default_rng(7)
    names = [f"clueweb12-{i // 100:04d}wb-{i % 100:02d}-{i:05d}" for i in range(COLLECTION)]
    judged = [generator.choice(COLLECTION, JUDGED, replace=False) for _ in range(QUERIES)]
    qrels = folder / "qrels.txt"
    qrels.write_text(
        "".join(
            f"{query} 0 {names[document]} {generator.integers(3)}\n"
            for query in range(QUERIES)
            for document in judged[query]
        )
    )
    paths = []
    for number in range(count):
        lines = []
        for query in range(QUERIES):
            others = generator.choice(COLLECTION, depth, replace=False)
            documents = generator.permutation(np.unique([*judged[query], *others]))[:depth]
            scores = np.sort(generator.random(depth) * 30)[::-1]
            lines += [
                f"{query} Q0 {names[document]} {rank} {score:.6f} system{number}\n"
                for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
            ]
        paths.append(folder / f"system{number}.run")
        paths[-1].write_text("".join(lines))
    return qrels, paths


def plain(source: Path, target: Path) -> Path:
    """Decompress a file."""
    target.write_bytes(gzip.decompress(source.read_bytes()))
    return target


def unpack_runs(data: Path, folder: Path, depth: int) -> tuple[Path, list[Path]]:
    """Decompress the qrels and runs of CLEF eHealth 2015; of deep runs, three copies of each."""
    clef = data / "clef" / "clef2015"
    runs = sorted((clef / ("runs" if depth == 100 else "runs_full")).iterdir())
    copies = 1 if depth == 100 else 3
    paths = [
        plain(run, folder / f"system{number}-{copy}.run")
        for copy in range(copies)
        for number, run in enumerate(runs)
    ]
    return plain(clef / "qrels.txt.gz", folder / "qrels.txt"), paths


def by_pytrec_eval(qrels: Path, runs: list[Path]) -> dict[str, float]:
    """The mean nDCG@10 of each run, by pytrec_eval."""
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(file), {*MEASURES.values()}
        )
    means = {}
    for path in runs:
        with path.open() as file:
            values = evaluator.evaluate(pytrec_eval.parse_run(file))
        means[path.stem] = sum(query["ndcg_cut_10"] for query in values.values()) / len(values)
    return means


def by_us(qrels: Path, runs: list[Path]) -> dict[str, float]:
    """The mean nDCG@10 of each run, by this package."""
    result = ud.evaluate(runs, qrels, measures=list(MEASURES), preset="trec_eval")
    return {run: float(values[0]) for run, values in result.means.items()}


def timed(name: str, qrels: Path, runs: list[Path], depth: int, rounds: int) -> str:
    """Time both in alternation, compare their values, and return a row of the table."""
    seconds: dict[str, list[float]] = {"theirs": [], "ours": []}
    for _ in range(rounds):
        start = time.process_time()
        theirs = by_pytrec_eval(qrels, runs)
        middle = time.process_time()
        ours = by_us(qrels, runs)
        seconds["theirs"].append(middle - start)
        seconds["ours"].append(time.process_time() - middle)
    assert all(abs(theirs[run] - ours[run]) < 1e-6 for run in theirs)
    first, second = (statistics.median(seconds[who]) for who in ("theirs", "ours"))
    ratio = first / second
    return f"{name:9}  {len(runs):4}  {depth:9,}  {first:9.2f} s  {second:.2f} s  {ratio:.2f}"


def main() -> None:
    """Print a row for each collection and size."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("source     runs  documents  pytrec_eval  ours   ratio")
    for count, depth in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("CLEF 2015", "synthetic"):
                own = Path(folder, name)
                own.mkdir()
                if name == "synthetic":
                    files = write_runs(own, count, depth)
                else:
                    files = unpack_runs(options.data, own, depth)
                print(timed(name, *files, depth, options.rounds), flush=True)


if __name__ == "__main__":
    main()
