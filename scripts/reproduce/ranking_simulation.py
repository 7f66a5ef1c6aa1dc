"""Simulate understandability-biased evaluation as in the uRBP papers, on a constructed collection.

    python -m scripts.reproduce.ranking_simulation [--data ../shared/data] [--plots FOLDER]

The collection is built by `collection.py`. The systems are the runs of nine weighting models, and
each of these re-ranked by FOG (plain) and by Dale-Chall at 10 and 20. P(U|d) is simulated from
either formula, as by `understand simulate users`. The thresholds for FOG are those of the papers;
for Dale-Chall, which no paper has, they are the quartiles. The last table checks statements of the
papers. This takes 72 s on one core.
"""

import math
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scripts.reproduce.collection import Collection, read_collection
from scripts.shared import parser_of

import understandability as ud
from understandability.direction import Direction
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.rerank import rerank
from understandability.evaluation.result_table import ResultTable
from understandability.feature.table import compute_features
from understandability.inputs.run import Labels, Run
from understandability.study.index import build_index
from understandability.study.plots import plot_systems, rendered
from understandability.study.retrieval import MODELS, search
from understandability.study.simulate_users import FOG_THRESHOLDS, SimulatedUsers

FOG = "gunning_fog_plain"
# Formula -> thresholds; an empty tuple stands for the quartiles.
FORMULAS = {FOG: FOG_THRESHOLDS, "dale_chall": ()}
PERSISTENCE = (0.8, 0.95)
TOPS = (10, 20)


def main() -> None:
    parser = parser_of(__doc__)
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
            systems.append(rerank(run, criterion, top=top, name=f"{run.name}.{name}{top}"))
    print(f"{len(systems)} systems\n")
    results = {
        name: simulate(name, labels, systems, collection, arguments.plots)
        for name, labels in formulas.items()
    }
    print(f"\n## What the papers say of FOG, and here\n\n{claims(results[FOG]).to_markdown()}")


def readability(runs: list[Run], collection: Collection) -> dict[str, Labels]:
    """Compute the formulas of every document in the runs, as labels."""
    table = compute_features(collection.documents(runs), list(FORMULAS))
    formulas = {}
    for name in FORMULAS:
        pairs = zip(table.docnos, table.column(name).tolist(), strict=True)
        values = {docno: value for docno, value in pairs if math.isfinite(value)}
        formulas[name] = Labels.of_documents(name, values)
    return formulas


def simulate(
    name: str, labels: Labels, systems: list[Run], collection: Collection, plots: Path | None
) -> dict[float, SimulatedUsers]:
    """Print the tables of one formula for each persistence, and plot its figure."""
    results = {}
    for p in PERSISTENCE:
        results[p] = users = ud.simulate_users(
            systems, collection.qrels, labels, formula=name, thresholds=FORMULAS[name], p=p
        )
        print(f"\n## {name}, p = {p}\n\n{users.distribution().to_markdown()}\n")
        print(users.to_markdown(digits=3))
        if plots is not None and p == PERSISTENCE[0]:
            evaluation = users.evaluation
            columns = {measure: evaluation.column(measure) for measure in evaluation.measures}
            figure = plot_systems(evaluation.runs, columns)
            (plots / f"rbp_urbp_{name}.png").write_bytes(rendered(figure, "png"))
    return results


Taus = dict[str, list[float]]
# A statement of the papers, and a test of it. The test takes the taus by user model and returns
# whether the statement holds here, with the numbers.
CLAIMS: tuple[tuple[str, Callable[[Taus, SimulatedUsers], tuple[bool, list[float]]]], ...] = (
    (
        "the step user: τ with RBP rises with the threshold (.13, .56, .96)",
        lambda taus, _: (taus["step"] == sorted(taus["step"]), taus["step"]),
    ),
    (
        "the arctan user: so it does (.59, .68, .96)",
        lambda taus, _: (taus["arctan"] == sorted(taus["arctan"]), taus["arctan"]),
    ),
    (
        "the arctan user never moves systems more than the step user",
        lambda taus, _: at_least(0.0, np.subtract(taus["arctan"], taus["step"]).tolist()),
    ),
    (
        "at 20 the order is nearly that of RBP (τ .96)",
        lambda taus, _: at_least(0.9, [of_model[-1] for of_model in taus.values()]),
    ),
    (
        "at 10 and 15 the best system by RBP is not the best by uRBP (its rank by RBP)",
        lambda _, result: at_least(
            2.0,
            [user.first_by_rbp for user in result.users if user.threshold < FOG_THRESHOLDS[-1]],
        ),
    ),
)


def at_least(least: float, numbers: list[float]) -> tuple[bool, list[float]]:
    return min(numbers) >= least, numbers


def claims(by_persistence: dict[float, SimulatedUsers]) -> ResultTable:
    """Check statements of ECIR 2016 and MedIR 2014 about CLEF eHealth 2013 on this collection."""
    rows = []
    for statement, claim in CLAIMS:
        cells = []
        for users in by_persistence.values():
            taus: Taus = defaultdict(list)  # of each user model, by ascending threshold
            for user in users.users:
                taus[user.user].append(user.tau)
            holds, numbers = claim(taus, users)
            listed = ", ".join(f"{round(number, 2):g}" for number in numbers)
            cells.append(f"{'holds' if holds else 'does not hold'} ({listed})")
        rows.append((statement, *cells))
    return ResultTable(("print", *(f"here, p = {p}" for p in by_persistence)), tuple(rows))


if __name__ == "__main__":
    main()
