"""How well `open` and the formulas agree with people, on sets that `open` saw nothing of.

    python -m scripts.evaluate.estimators [--cache FOLDER]

Fills in ``docs/estimators.md``. Figures of `open` are those of its card (``scripts.train.pages``);
those of the formulas and of the corpus ratio are computed on the same texts. Some minutes with one
thread; the folder of ``--cache`` keeps the passages of all texts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.evaluate.intervals import fill, markdown, short
from scripts.train.page_texts import training_table
from scripts.train.pages import agreement

from understandability.direction import Direction
from understandability.feature.catalogue import COLUMNS
from understandability.model.bundle import load_bundle
from understandability.training.validation import BASELINES

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "estimators.md")
    arguments = parser.parse_args()
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    table = training_table(arguments.data, arguments.cache)
    formulas = {
        name: column * (COLUMNS[name][0].direction or Direction.HARDER).sign
        for name, column in zip(BASELINES, table.formulas.T, strict=True)
    }
    rows: dict[str, list[str]] = {}
    for figure in bundle.card["figures"]:
        if figure["seen"] != "nothing of it":
            continue
        name, measure = figure["set"], figure["measure"]
        row = rows.setdefault(name, [f"{name} ({figure['n']:,}, {measure})"])
        low, high = (short(figure[end]) for end in ("low", "high"))
        row.append(f"{short(figure['value'])} [{low}, {high}]")
    for name, row in rows.items():
        row += [str(agreement(table, name, values)[1]) for values in formulas.values()]
    head = ["set", "level", "difficulty", *formulas]
    made = {
        "bundles": f"Checksum: `open` {bundle.checksum[:16]}.",
        "left-out": markdown(head, list(rows.values())),
    }
    fill(arguments.output, made)


if __name__ == "__main__":
    main()
