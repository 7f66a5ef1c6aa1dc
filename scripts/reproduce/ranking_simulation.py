"""Simulated understandability-biased evaluation, as in the uRBP papers; constructed collection.

The collection is that of `retrieval_collection.py` (relevance by heading). Systems are the runs of
the eight weighting models over the page, and each of them re-ranked by FOG (plain) and by
Dale-Chall at 10 and 20: 40 systems. P(U|d) is simulated from either formula, with the step and the
arctan (s = pi) user, thresholds 10, 15 and 20, and persistence .8 and .95.

For each simulation: tau-b and tau_AP (RBP is the reference) between the systems by RBP and by
uRBP, tau-b of the eight models alone, and the share of relevant documents that are readable (below
the threshold, among those shown in the first 10 by any system). RBP against uRBP is plotted, one
figure for each formula.

    python -m scripts.reproduce.ranking_simulation [--data ../shared/data] [--plots FOLDER]
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from scripts.reproduce.collection import Collection, read_collection

from understandability.direction import Direction
from understandability.documents import document_of_page
from understandability.evaluation.evaluate import evaluate_runs
from understandability.evaluation.labels import Dimension
from understandability.evaluation.plots import plot_systems, rendered
from understandability.evaluation.scales import parse_scale
from understandability.evaluation.statistics.correlation import kendall_tau_b, tau_ap
from understandability.features import compute_features
from understandability.ranking.criteria import Criterion
from understandability.ranking.places import places_of
from understandability.ranking.rerank import rerank
from understandability.ranking.search.index import build_index
from understandability.ranking.search.matching import search
from understandability.ranking.search.weighting import MODELS
from understandability.records import Labels, Run

FORMULAS = ("gunning_fog_plain", "dale_chall")
USERS = {"step": "user=step", "arctan": "user=arctan,s=pi"}
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
    print(
        "| formula | user | th | p | tau-b | tau_AP | tau-b of 8 | RBP | uRBP | relevant readable |"
    )
    print("|---" * 10 + "|")
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
            name, dict(zip(table.docnos, table.column(name).tolist(), strict=True))
        )
        for name in FORMULAS
    }


def simulate(
    name: str, labels: Labels, systems: list[Run], collection: Collection, plots: Path | None
) -> None:
    """The rows of one formula, and its figure."""
    biased = {
        (user, th, p): f"uRBP(p={p},{parameters},th={th})"
        for (user, parameters), th, p in product(USERS.items(), THRESHOLDS, PERSISTENCE)
    }
    plain = {p: f"RBP(p={p})" for p in PERSISTENCE}
    evaluation = evaluate_runs(
        systems,
        collection.qrels,
        [*plain.values(), *biased.values()],
        {"u": Dimension(labels, parse_scale("lower-easier"))},
    )
    names = dict(zip([*plain, *biased], evaluation.measures, strict=True))
    scores = {key: evaluation.column(measure) for key, measure in names.items()}
    models = len(MODELS)
    values = shown_and_relevant(labels, systems, collection)
    for user, th, p in biased:
        rbp, urbp = scores[p], scores[user, th, p]
        alone = kendall_tau_b(rbp[:models], urbp[:models])
        numbers = (kendall_tau_b(rbp, urbp), tau_ap(rbp, urbp), alone, rbp.mean(), urbp.mean())
        cells = " | ".join(f"{number:.3f}" for number in numbers)
        readable = f"{(values < th).mean():.0%}"
        print(f"| {name} | {user} | {th} | {p} | {cells} | {readable} |")
    if plots is not None:
        columns = {names[0.8]: scores[0.8]} | {
            names[user, th, 0.8]: scores[user, th, 0.8] for user, th in product(USERS, THRESHOLDS)
        }
        figure = plot_systems([run.name for run in systems], columns)
        (plots / f"rbp_urbp_{name}.png").write_bytes(rendered(figure, "png"))


def shown_and_relevant(labels: Labels, systems: list[Run], collection: Collection) -> np.ndarray:
    """The formula of each pair of a query and a relevant document that a system shows in its 10."""
    shown: dict[str, dict[str, float]] = {}
    for run in systems:
        values, relevant = labels.of_lines(run), collection.qrels.of_lines(run)
        lines = run.line_order()
        lines = lines[places_of(run.query_ids[lines]) <= 10]
        for line in lines[relevant[lines] > 0].tolist():
            query, document = run.queries[run.query_ids[line]], run.docno_ids[line]
            shown.setdefault(query, {})[run.docnos[int(document)].as_py()] = values[line]
    return np.array([value for documents in shown.values() for value in documents.values()])


if __name__ == "__main__":
    main()
