"""Simulated understandability-biased evaluation, as in the uRBP papers; constructed collection.

    python -m scripts.reproduce.ranking_simulation [--data ../shared/data] [--plots FOLDER]

The collection is that of `collection.py`. Systems are the runs of the nine weighting models over
the page, and each of them re-ranked by FOG (plain) and by Dale-Chall at 10 and 20. P(U|d) is
simulated from either formula as by `understand simulate users`; thresholds are those of the papers
for FOG, and the quartiles for Dale-Chall, for which no paper gives any. Last comes what the papers
say of their systems, and whether it holds here. Takes 72 s of one core.
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
# Each with its thresholds; none are the quartiles.
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
    found = {
        name: simulate(name, labels, systems, collection, arguments.plots)
        for name, labels in formulas.items()
    }
    print(f"\n## What the papers say of FOG, and here\n\n{claims(found[FOG]).to_markdown()}")


def readability(runs: list[Run], collection: Collection) -> dict[str, Labels]:
    """The formulas of every document that a run ranks."""
    table = compute_features(collection.documents(runs), list(FORMULAS))
    found = {}
    for name in FORMULAS:
        values = zip(table.docnos, table.column(name).tolist(), strict=True)
        known = {docno: value for docno, value in values if math.isfinite(value)}
        found[name] = Labels.of_documents(name, known)
    return found


def simulate(
    name: str, labels: Labels, systems: list[Run], collection: Collection, plots: Path | None
) -> dict[float, SimulatedUsers]:
    """The tables of one formula for each persistence, and its figure."""
    results = {}
    for p in PERSISTENCE:
        results[p] = found = ud.simulate_users(
            systems, collection.qrels, labels, formula=name, thresholds=FORMULAS[name], p=p
        )
        print(f"\n## {name}, p = {p}\n\n{found.distribution().to_markdown()}\n")
        print(found.to_markdown(digits=3))
        if plots is not None and p == PERSISTENCE[0]:
            result = found.evaluation
            columns = {measure: result.column(measure) for measure in result.measures}
            figure = plot_systems(result.runs, columns)
            (plots / f"rbp_urbp_{name}.png").write_bytes(rendered(figure, "png"))
    return results


Taus = dict[str, list[float]]
# What is printed, and by the taus of each kind of user whether it holds here, with the numbers.
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
        lambda taus, _: at_least(0.9, [each[-1] for each in taus.values()]),
    ),
    (
        "at 10 and 15 the best system by RBP is not the best by uRBP (its rank by RBP)",
        lambda _, found: at_least(
            2.0, [each.first_by_rbp for each in found.users if each.threshold < FOG_THRESHOLDS[-1]]
        ),
    ),
)


def at_least(least: float, numbers: list[float]) -> tuple[bool, list[float]]:
    return min(numbers) >= least, numbers


def claims(found: dict[float, SimulatedUsers]) -> ResultTable:
    """What ECIR 2016 and MedIR 2014 print of CLEF eHealth 2013, and whether it holds here."""
    rows = []
    for what, claim in CLAIMS:
        cells = []
        for users in found.values():
            taus: Taus = defaultdict(list)  # of each kind of user, by rising threshold
            for user in users.users:
                taus[user.user].append(user.tau)
            holds, numbers = claim(taus, users)
            shown = ", ".join(f"{round(number, 2):g}" for number in numbers)
            cells.append(f"{'holds' if holds else 'does not hold'} ({shown})")
        rows.append((what, *cells))
    return ResultTable(("print", *(f"here, p = {p}" for p in found)), tuple(rows))


if __name__ == "__main__":
    main()
