"""Simulated understandability-biased evaluation, as in the uRBP papers; constructed collection.

The collection is that of `collection.py` (relevance by heading). Systems are the runs of
the eight weighting models over the page, and each of them re-ranked by FOG (plain) and by
Dale-Chall at 10 and 20: 40 systems. P(U|d) is simulated from either formula, with the step and the
arctan (s = pi) user, thresholds 10, 15 and 20, and persistence .8 and .95.

The experiment is that of `understand simulate users`: for each user tau-b and tau_AP (RBP is the
reference) between the systems by RBP and by uRBP, and the share of relevant documents that are
readable. RBP against uRBP is plotted, one figure for each formula.

    python -m scripts.reproduce.ranking_simulation [--data ../shared/data] [--plots FOLDER]
"""

from __future__ import annotations

import argparse
import math
from itertools import product
from pathlib import Path

from scripts.reproduce.collection import Collection, read_collection

import understandability as ud
from understandability.direction import Direction
from understandability.documents import document_of_page
from understandability.evaluation.plots import plot_systems, rendered
from understandability.features import compute_features
from understandability.ranking.criteria import Criterion
from understandability.ranking.rerank import rerank
from understandability.ranking.search.index import build_index
from understandability.ranking.search.matching import search
from understandability.ranking.search.weighting import MODELS
from understandability.records import Labels, Run

FORMULAS = ("gunning_fog_plain", "dale_chall")
THRESHOLDS = (10, 15, 20)
PERSISTENCE = (0.8, 0.95)
TOPS = (10, 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--plots", type=Path, help="folder for the figures")
    arguments = parser.parse_args()
    collection = read_collection(arguments.data)
    print(collection.describe())
    index, _ = build_index(collection.pages)
    runs = [search(index, collection.queries, model) for model in MODELS]
    formulas = readability(runs, collection)
    systems = list(runs)
    for run, top in product(runs, TOPS):
        for name, labels in formulas.items():
            criterion = Criterion(labels, Direction.HARDER)
            systems.append(rerank(run, [criterion], top, name=f"{run.name}.{name}{top}"))
    print(f"{len(systems)} systems\n")
    for name, labels in formulas.items():
        simulate(name, labels, systems, collection, arguments.plots)


def readability(runs: list[Run], collection: Collection) -> dict[str, Labels]:
    """The formulas of every document that a run ranks."""
    wanted = set().union(*(run.docnos.to_pylist() for run in runs))
    documents = (
        document_of_page(page, extractor="naive")
        for page in collection.pages
        if page.docno in wanted
    )
    table = compute_features(documents, FORMULAS)
    return {
        name: Labels.of_documents(
            name,
            {
                docno: value
                for docno, value in zip(table.docnos, table.column(name).tolist(), strict=True)
                if math.isfinite(value)
            },
        )
        for name in FORMULAS
    }


def simulate(
    name: str, labels: Labels, systems: list[Run], collection: Collection, plots: Path | None
) -> None:
    """The tables of one formula, and its figure."""
    for p in PERSISTENCE:
        found = ud.simulate_users(
            systems, collection.qrels, labels, formula=name, thresholds=THRESHOLDS, p=p
        )
        print(f"\n## {name}, p = {p}\n\n{found.distribution().to_markdown()}\n")
        print(found.to_markdown(digits=3))
        if plots is not None and p == PERSISTENCE[0]:
            result = found.evaluation
            columns = {measure: result.column(measure) for measure in result.measures}
            figure = plot_systems(result.runs, columns)
            (plots / f"rbp_urbp_{name}.png").write_bytes(rendered(figure, "png"))


if __name__ == "__main__":
    main()
