"""How shared measures agree with other tools, query by query, over public runs of CLEF eHealth.

Each run of 2015 to 2021 is evaluated by our measures, ordered by score as trec_eval does, and by
the tool that ir_measures asks for the same measure: compiled trec_eval, cwl-eval, gdeval, or its
own code. trec_eval gets the scores of the run, and breaks ties itself; the others break them in
other ways, so they get scores that give the same order. Repeated documents are left out.
Prints the table of `docs/evaluation.md`.

    python -m scripts.evaluate.measures [--data ../shared/data]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import ir_measures
from scripts.reproduce.clef import for_variations, runs_of

from understandability.evaluation.conventions import conventions
from understandability.evaluation.evaluate import evaluate_runs
from understandability.formats.runs import read_labels
from understandability.records import Labels, Run

ROOT = Path(__file__).parents[2]
# Measures, whose names are the same here and in ir_measures, and who computes them there.
SAME = {
    "nDCG@10": "trec_eval ndcg_cut_10",
    "nDCG": "trec_eval ndcg",
    "nDCG(dcg='exp-log2')@20": "gdeval",
    "ERR@20": "gdeval",
    "RBP(p=0.8,rel=1)": "cwl-eval",
    "RBP(p=0.95,rel=1)": "cwl-eval",
    "Judged@10": "ir_measures",
    "P@10": "trec_eval P_10",
    "AP": "trec_eval map",
    "RR": "trec_eval recip_rank",
    "Bpref": "trec_eval bpref",
}


def collections(clef: Path) -> Iterator[tuple[Labels, list[Run]]]:
    """The relevance labels and the runs of each task."""
    for year, runs, qrels in (
        ("clef2015", "runs", "qrels.txt.gz"),
        ("clef2016", "runs_t1", "task2.qrels.gz"),
        ("clef2016", "runs_t2", "task2.qrels.gz"),
        ("clef2018", "runs", "qrels.txt.gz"),
        ("clef2021", "runs", "qrels.txt.gz"),
    ):
        labels = read_labels(clef / year / qrels)
        yield (
            for_variations(labels) if runs == "runs_t1" else labels,
            list(runs_of(clef / year / runs)),
        )


def theirs(run: Run, qrels: Labels) -> dict[tuple[str, str], float]:
    """What the other tools say of each measure and query; gdeval takes numbers for queries."""
    queries = sorted({*qrels.queries, *run.queries})
    number = {query: str(i) for i, query in enumerate(queries, 1)}
    judged = [
        ir_measures.Qrel(number[query], docno, int(value))
        for query, documents in qrels.by_query().items()
        for docno, value in documents.items()
    ]
    rankings = [(number[query], found) for query, found in run.by_query("score").items()]
    by_score = [
        ir_measures.ScoredDoc(query, docno, score)
        for query, documents in rankings
        for docno, score in documents
    ]
    by_rank = [
        ir_measures.ScoredDoc(query, docno, -rank)
        for query, documents in rankings
        for rank, (docno, _) in enumerate(documents)
    ]
    # One at a time: it takes measures that differ in their gains alone for the same.
    return {
        (name, queries[int(metric.query_id) - 1]): metric.value
        for name, tool in SAME.items()
        for metric in ir_measures.iter_calc(
            [ir_measures.parse_measure(name)],
            judged,
            by_score if tool.startswith("trec_eval") else by_rank,
        )
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    clef = parser.parse_args().data / "clef"
    names = list(SAME)
    largest, values, runs_seen = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0), 0
    for qrels, runs in collections(clef):
        for run in runs:
            found = evaluate_runs([run], qrels, names, conventions=conventions(order="score"))
            ours = found.as_dict()["per_query"][run.name]
            runs_seen += 1
            for (name, query), value in theirs(run, qrels).items():
                if query in run.queries:
                    values[name] += 1
                    largest[name] = max(largest[name], abs(ours[name][query] - value))
    print(f"{runs_seen} runs\n")
    print("| measure | of | values by query | largest difference |\n|---|---|---:|---:|")
    for name, tool in SAME.items():
        print(f"| {name} | {tool} | {values[name]:,} | {largest[name]:.1e} |")


if __name__ == "__main__":
    main()
