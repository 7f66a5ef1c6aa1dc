"""Compare our measures with ir_measures and trec_eval, by query, over all CLEF runs.

    python -m scripts.evaluate.measures [--data ../shared/data] [--runs 5]

Runs are ordered by score, as by those tools. RBP is compared with cwl-eval through ir_measures, ERR
and exponential nDCG with gdeval.pl, and the other measures with compiled trec_eval, which reads the
run itself.
"""

import time
from collections.abc import Iterator

import ir_measures
import numpy as np
import pytrec_eval
from scripts.reproduce.clef import for_variations
from scripts.shared import markdown, parser_of

from understandability.evaluation.evaluate import evaluate
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_labels, read_runs

# Our name -> the name in ir_measures, and the largest difference that its rounding can cause.
BY_IR_MEASURES = {
    "nDCG@10": ("nDCG@10", 1e-12),
    "nDCG": ("nDCG", 1e-12),
    "Judged@10": ("Judged@10", 1e-12),
    "RBP(p=0.8,rel=1)": ("RBP(p=0.8,rel=1)", 1e-9),
    "RBP(p=0.95,rel=1)": ("RBP(p=0.95,rel=1)", 1e-9),
    "ERR@20": ("ERR@20", 5.1e-6),
    "nDCG(dcg='exp-log2')@20": ("nDCG(dcg='exp-log2')@20", 5.1e-6),
}
# Our name -> the name in trec_eval.
BY_TREC_EVAL = {
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "AP": "map",
    "RR": "recip_rank",
    "Bpref": "bpref",
}
SETS = {
    "2015": ("clef2015", "runs", "qrels.txt.gz", False),
    "2016 task 1": ("clef2016", "runs_t1", "task2.qrels.gz", True),
    "2016 task 2": ("clef2016", "runs_t2", "task2.qrels.gz", False),
    "2018": ("clef2018", "runs", "qrels.txt.gz", False),
    "2021": ("clef2021", "runs", "qrels.txt.gz", False),
}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, help="only the first runs of each set")
    arguments = parser.parse_args()
    limits = {f"{ours}, ir_measures": most for ours, (_, most) in BY_IR_MEASURES.items()}
    limits |= {f"{ours}, trec_eval {theirs}": 1e-9 for ours, theirs in BY_TREC_EVAL.items()}
    largest, count, examples = dict.fromkeys(limits, 0.0), dict.fromkeys(limits, 0), {}
    runs_seen, begin = 0, time.perf_counter()
    for year, (folder, runs, labels, variations) in SETS.items():
        home = arguments.data / "clef" / folder
        qrels = read_labels(home / labels)
        if variations:
            qrels = for_variations(qrels)
        paths = sorted((home / runs).glob("*.gz"))[: arguments.runs]
        for run in read_runs(paths):
            runs_seen += 1
            for name, query, difference in differences(run, qrels):
                count[name] += 1
                if difference > largest[name]:
                    largest[name], examples[name] = difference, f"{year}, {run.name}, {query}"
    print(f"{runs_seen} runs, {time.perf_counter() - begin:.0f} s\n")
    rows = [
        (name, f"{count[name]:,}", f"{largest[name]:.1e}", examples.get(name, ""))
        for name in limits
    ]
    print(markdown(["measure, tool", "values by query", "largest difference", "where"], rows))
    raise SystemExit(any(largest[name] > most for name, most in limits.items()))


def differences(run: Run, qrels: Labels) -> Iterator[tuple[str, str, float]]:
    """Yield the measure and tool, the query, and the absolute difference."""
    ours = [*BY_IR_MEASURES, *(name for name in BY_TREC_EVAL if name not in BY_IR_MEASURES)]
    result = evaluate(run, qrels, measures=ours, order="score")
    values = {
        name: dict(zip(result.queries, row.tolist(), strict=True))
        for name, row in zip(ours, result.values[run.name], strict=True)
    }
    labels = {
        query: {docno: int(label) for docno, label in documents.items()}
        for query, documents in qrels.by_query().items()
    }
    # Each document once, at its highest score, with the score as written in the file.
    scores = {query: dict(documents) for query, documents in run.by_query("score").items()}
    shared = [query for query in result.queries if query in scores]
    # gdeval.pl accepts only numbers as query ids.
    number = {query: str(index) for index, query in enumerate(result.queries)}
    numbered = {number[query]: documents for query, documents in labels.items()}
    for name, (theirs, _) in BY_IR_MEASURES.items():
        # cwl-eval, Judged and gdeval break ties differently from trec_eval, so replace scores by
        # ranks in trec_eval's order.
        ranked = {number[q]: {d: -float(n) for n, d in enumerate(scores[q])} for q in shared}
        metrics = ir_measures.iter_calc([ir_measures.parse_measure(theirs)], numbered, ranked)
        for metric in metrics:
            query = result.queries[int(metric.query_id)]
            if query in scores:
                difference = abs(metric.value - values[name][query])
                yield f"{name}, ir_measures", query, difference
    evaluator = pytrec_eval.RelevanceEvaluator(labels, {*BY_TREC_EVAL.values()})
    for query, their_values in evaluator.evaluate({q: scores[q] for q in shared}).items():
        for name, theirs in BY_TREC_EVAL.items():
            difference = abs(their_values[theirs] - values[name][query])
            if not np.isnan(difference):
                yield f"{name}, trec_eval {theirs}", query, difference


if __name__ == "__main__":
    main()
