"""How well levels agree with people: sets left out whole, out of fold, calibrated.

    python -m scripts.evaluate.estimators --teacher teacher.npz [--cache FOLDER]

Fills in ``docs/estimators.md``. Recipes are those of ``scripts.train.page_fit``, learned again
without what they are judged on; ``--teacher`` is what ``scripts.train.teacher`` made. About half an
hour with one thread; the folder of ``--cache`` keeps the passages of all texts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scripts.evaluate.intervals import (
    Measure,
    Measured,
    auc,
    fill,
    markdown,
    measured,
    pearson,
    short,
    spearman,
)
from scripts.train.page_fit import LEVELLED, RECIPES, Fit, Recipe, out_of_fold
from scripts.train.page_texts import SETS, TEACHER, Mask, Table, training_table
from understandability.model.pages import PageModel, PageScale

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.feature.catalogue import COLUMNS
from understandability.model.bundle import load_bundle
from understandability.model.readers import READERS, probability
from understandability.training.validation import BASELINES, calibration_error

ROOT = Path(__file__).parents[2]
SEEDS = (0, 1, 2)
# A formula is said to be better where it is so by this.
NOTICED = 0.005


def parts(table: Table) -> Iterator[tuple[str, Mask, str, Measure]]:
    """Each set with its measure: Pearson's correlation, or ROC AUC where labels are by origin.

    And medreadme without sentences, mostly headings, that stand in it repeatedly.
    """
    for name, of in SETS.items():
        here = table.sets == name
        yield (name, here, "ROC AUC", auc) if of.by_origin else (name, here, "Pearson", pearson)
        if name == "medreadme":
            texts, counts = np.unique(table.plain[here], return_counts=True)
            once = here & np.isin(table.plain, texts[counts == 1])
            yield "medreadme, texts that stand once", once, "Pearson", pearson
        if name == "medreadme_docs":
            yield name, here, "Spearman", spearman


def agreement(table: Table, here: Mask, measure: Measure, values: Floats) -> Measured:
    """A measure of some texts, and its interval."""
    return measured(measure, values[here], table.labels[here], table.groups[here])


def left_out(table: Table, recipe: Recipe, seed: int) -> Floats:
    """The level of each text by a model that saw nothing of its set, and no copy of a text of it.

    Sets that the recipe never uses are left out together; of those it uses one after another, with
    sets that share their texts.
    """
    families = {name: of.family or name for name, of in SETS.items()}
    held = [[name for name in SETS if name not in recipe.sets]]
    for family in dict.fromkeys(families[name] for name in recipe.sets if name in SETS):
        # The teacher learned from the sets that are used.
        held.append([*(name for name in SETS if families[name] == family), TEACHER])
    levels = np.full(len(table), np.nan)
    for names in held:
        kept = replace(
            recipe,
            labels={name: w for name, w in recipe.labels.items() if name not in names},
            pairs={name: w for name, w in recipe.pairs.items() if name not in names},
        )
        here = np.isin(table.sets, [name for name in names if name != TEACHER])
        fit = Fit(table, kept, ~np.isin(table.groups, table.groups[here]), seed)
        levels[here] = fit.levels[here]
    return levels


def tables(table: Table, levels: Mapping[str, Floats], others: Mapping[str, Floats]) -> str:
    """Every score against every set, then where a formula beats a bundle."""
    rows, better = [], []
    for part, here, name, measure in parts(table):
        of = {score: agreement(table, here, measure, values) for score, values in levels.items()}
        plain = {score: agreement(table, here, measure, values) for score, values in others.items()}
        n = next(iter(of.values())).n
        rows.append([f"{part} ({n:,}, {name})", *map(str, of.values()), *map(str, plain.values())])
        better += [
            f"- {part}: {other} {value} beats {score} {found}"
            for score, found in of.items()
            for other, value in plain.items()
            if value.value > found.value + NOTICED
        ]
    said = "\n" + "\n".join(better or ["None."]) + "\n" if others else ""
    return f"{markdown(['set', *levels, *others], rows)}{said}"


def first_version() -> str:
    """What the first version's default said of itself, out of fold."""
    kept = json.loads(Path(__file__).with_name("first_version.json").read_text("utf-8"))
    rows = [
        [f"{row['set']} ({row['n']:,}, {row['measure']})", short(row["value"])]
        for row in kept["figures"]
        if row["measure"] in ("Pearson", "ROC AUC")
    ]
    return markdown(["set", f"first version's default, {kept['checksum'][:16]}"], rows)


def seeds(table: Table, levels: Mapping[str, Sequence[Floats]]) -> str:
    """The lowest and the highest figure of three seeds."""
    rows = []
    for part, here, name, measure in parts(table):
        cells = []
        for by_seed in levels.values():
            found = [agreement(table, here, measure, values).value for values in by_seed]
            cells.append(f"{short(min(found))} to {short(max(found))}")
        rows.append([f"{part} ({name})", *cells])
    return markdown(["set", *levels], rows)


def calibration(table: Table, levels: Mapping[str, Floats]) -> str:
    """Chances that a text lies below a reader's level, against the levels that people gave."""
    rows = []
    for name, values in levels.items():
        bundle = load_bundle(ROOT / "resources" / "bundles" / name)
        model, scale = bundle.model, bundle.calibration
        assert isinstance(model, PageModel)
        assert isinstance(scale, PageScale)
        columns = table.passages.columns
        error = model.levels_of(table.passages, model.predict(columns)).error
        difficulty, spread = scale.apply(values, error)
        for reader in READERS.values():
            # The level at which every second such reader understands.
            ladder = np.linspace(1, 6, 5001)
            of_ladder = scale.apply(ladder, np.zeros_like(ladder))[0]
            level = float(np.interp(reader.threshold, of_ladder, ladder))
            row = [f"{name}, {reader.name}", f"{level:.2f}"]
            for set_name in LEVELLED:
                here = (table.sets == set_name) & np.isfinite(values)
                start, step = bundle.card["scales"].get(set_name, (0.0, 1.0))
                truth = (table.labels[here] - start) / step < level
                chance = probability(values[here], level, "calibrated", noise_scale=error[here])
                shown = probability(
                    difficulty[here], reader.threshold, reader.user, noise_scale=spread[here]
                )
                row.append(
                    f"{short(calibration_error(chance, truth))} "
                    f"({short(float(shown.mean()), 2)} for {short(float(truth.mean()), 2)})"
                )
            rows.append(row)
    return markdown(["bundle, reader", "level", *LEVELLED], rows)


def student(table: Table, taught: Floats) -> str:
    """`open` as it is, and without a teacher."""
    recipe = RECIPES["open"]
    labels = {name: weight for name, weight in recipe.labels.items() if name != TEACHER}
    found = {"taught": taught, "not taught": out_of_fold(table, replace(recipe, labels=labels))}
    rows = [
        [
            f"{part} ({name})",
            *(str(agreement(table, here, measure, values)) for values in found.values()),
        ]
        for part, here, name, measure in parts(table)
    ]
    return markdown(["set", *found], rows)


def formulas(table: Table) -> Iterator[tuple[str, Floats]]:
    """The formulas and the corpus ratio, harder = higher."""
    for name, column in zip(BASELINES, table.formulas.T, strict=True):
        yield name, column * (COLUMNS[name][0].direction or Direction.HARDER).sign


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    parser.add_argument(
        "--teacher", type=Path, required=True, help="what scripts.train.teacher made"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "estimators.md")
    arguments = parser.parse_args()
    table = training_table(arguments.data, arguments.teacher, arguments.cache)
    others = dict(formulas(table))
    left, folds = (
        {name: [levels(table, recipe, seed) for seed in SEEDS] for name, recipe in RECIPES.items()}
        for levels in (left_out, out_of_fold)
    )
    without = {name: levels[0] for name, levels in left.items()}
    by_seed = {f"{name}, out of fold": levels for name, levels in folds.items()}
    by_seed |= {f"{name}, left out": levels for name, levels in left.items()}
    checksums = {
        name: load_bundle(ROOT / "resources" / "bundles" / name).checksum[:16] for name in RECIPES
    }
    made = {
        "bundles": ", ".join(f"`{name}` {checksum}" for name, checksum in checksums.items()),
        "left-out": tables(table, without, others),
        "out-of-fold": tables(table, {name: levels[0] for name, levels in folds.items()}, {}),
        "first-version": first_version(),
        "seeds": seeds(table, by_seed),
        "calibration": calibration(
            table, {"open": folds["open"][0], "research": without["research"]}
        ),
        "student": student(table, folds["open"][0]),
    }
    fill(arguments.output, made)


if __name__ == "__main__":
    main()
