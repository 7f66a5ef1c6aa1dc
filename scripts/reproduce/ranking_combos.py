"""Learning to rank with relevance and understandability: Combos 1 to 5 on a constructed collection.

    python -m scripts.reproduce.ranking_combos [--data ../shared/data] [--depth 200]

The collection is that of `collection.py`; candidates are the first 200 of BM25. Features are the 24
of retrieval and some groups of the catalogue: not word frequencies and language models, which were
counted in these very texts, and not markup, which is constructed. Queries are in five folds. †
differs from BM25, ⋄ from the best of the column (paired t-test over queries, two-tailed, p < .05).
"""

from __future__ import annotations

import time

import numpy as np
from scripts.reproduce.collection import Collection, read_collection
from scripts.shared import markdown, parser_of

from understandability.arrays import Floats
from understandability.evaluation.comparison import paired_t
from understandability.evaluation.evaluate import evaluate
from understandability.feature.catalogue import select_columns
from understandability.feature.table import compute_features
from understandability.inputs.run import Run, ranks_of
from understandability.study.candidates import Candidates, candidates_of
from understandability.study.gains import COMBOS
from understandability.study.index import build_index
from understandability.study.learn import OBJECTIVES, Recipe, examples, out_of_fold
from understandability.study.retrieval import search

GROUPS = ("readability", "components", "medical vocabulary", "natural language")
MEASURES = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10")
TOP = 10
OWN = "max(R * (60 - U) / 50, 0)"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--depth", type=int, default=200)
    arguments = parser.parse_args()
    collection = read_collection(arguments.data)
    print(collection.describe())
    start = time.perf_counter()
    index, failures = build_index(collection.pages)
    print(f"indexed in {time.perf_counter() - start:.0f} s, {len(failures)} failures")
    baseline = search(index, collection.queries, depth=arguments.depth)
    candidates = candidates_of(baseline).with_index(index, collection.queries)
    candidates = with_catalogue(candidates, collection)
    print(f"{len(baseline):,} candidates, {len(candidates.names)} features")
    runs = {"BM25": baseline}
    for labels in (*COMBOS, OWN):
        for objective in OBJECTIVES:
            recipe = Recipe(labels, objective)
            learned_from = examples(candidates, recipe, collection.qrels, collection.difficulty)
            runs[f"{labels} {objective}"] = out_of_fold(learned_from, recipe)
    show(runs, collection)


def with_catalogue(candidates: Candidates, collection: Collection) -> Candidates:
    """The candidates with features of their text, where these have a value."""
    columns = select_columns(groups=GROUPS, per=["word", "sentence"])
    table = compute_features(collection.documents([candidates.run]), columns)
    # What needs a resource that is not installed is NaN throughout.
    there = [
        name
        for name, values in zip(table.names, table.values.T, strict=True)
        if not np.isnan(values).all()
    ]
    return candidates.with_table(table.to_arrow().select(["docno", *there]), "the catalogue")


def show(runs: dict[str, Run], collection: Collection) -> None:
    """The table: means, and the marks of significance."""
    evaluation = evaluate(
        runs, collection.qrels, collection.difficulty, scale="lower-easier:<=40:0..100",
        measures=MEASURES,
    )  # fmt: skip
    values = {name: dict(zip(MEASURES, evaluation.values[name], strict=True)) for name in runs}
    for name, run in runs.items():
        difficulty = collection.difficulty.of_lines(run)
        relevant = np.nan_to_num(collection.qrels.of_lines(run))
        of_queries = [
            np.flatnonzero((run.query_ids == query) & (ranks_of(run.query_ids) <= TOP))
            for query in range(len(run.queries))
        ]
        values[name] |= {
            f"P@{TOP}": np.array([relevant[lines].sum() / TOP for lines in of_queries]),
            f"difficulty@{TOP}": np.array([difficulty[lines].mean() for lines in of_queries]),
            "of relevant": np.array([mean_of(difficulty[n][relevant[n] > 0]) for n in of_queries]),
        }
    headings = list(values["BM25"])
    rows = ([name, *(cell(values, name, heading) for heading in headings)] for name in runs)
    print("\n" + markdown(["labels, objective", *headings], rows))


def mean_of(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan


def cell(values: dict[str, dict[str, np.ndarray]], name: str, heading: str) -> str:
    """A mean with its marks."""
    own = values[name][heading]
    means = {run: np.nanmean(columns[heading]) for run, columns in values.items()}
    lower = heading.startswith(("difficulty", "of relevant"))
    best = (min if lower else max)(means, key=means.__getitem__)
    marks = ""
    for sign, other in (("†", "BM25"), ("⋄", best)):
        differences = own - values[other][heading]
        differences = differences[~np.isnan(differences)]
        if other != name and paired_t(differences)[1] < 0.05:
            marks += sign
    return f"{means[name]:.1f}{marks}" if lower else f"{means[name]:.4f}{marks}"


if __name__ == "__main__":
    main()
