"""Every figure that `open` has to reach, beside formulas, with intervals by group.

    python -m scripts.evaluate.must_hold --states states.npz [--cache FOLDER] [--kinds]

Readings are out of fold (groups whole), with ``--kinds`` kinds are left out whole too (ten more
fits); the whole pages that were read are estimated by the bundle that ships, which learned from
none of them; sets of people by models that saw nothing of them, but for CEFR-SP and OneStop, which
are out of fold. A text without an estimate counts as difficulty 50 and P .5.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import auc, markdown, measured, pearson, short
from scripts.train.page_fit import RECIPES, kinds_left_out, out_of_fold
from scripts.train.page_texts import (
    READINGS,
    SETS,
    Mask,
    Table,
    cached,
    readings,
    training_table,
)
from scripts.train.teacher import Teacher

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.feature.catalogue import COLUMNS
from understandability.model.bundle import load_bundle
from understandability.model.passage_model import PassageModel
from understandability.model.readers import READERS
from understandability.training.validation import BASELINES

# Of each set of people, which number is judged and what it has to reach.
PEOPLE = {
    "medreadme": ("level", 0.79),
    "medreadme_docs": ("level", 0.86),
    "readmepp_en": ("level", 0.81),
    "clear": ("difficulty", 0.74),
    "cochrane_pls": ("difficulty", 0.89),
    "cefr_sp_wiki": ("level", 0.81),
    "onestop": ("level", 0.76),
}
_MOST_BIAS, _LEAST_OF_KIND = 0.12, 15


def awkward(kinds: NDArray[np.str_]) -> Mask:
    """Which texts are of the kinds that were written for the set."""
    return np.char.startswith(kinds, "own:")


def chances(difficulty: Floats, spread: Floats) -> Floats:
    """P(U|d) for an adult of the public; .5 without an estimate."""
    known = np.isfinite(difficulty)
    found = READERS["public"].understands(
        np.clip(np.where(known, difficulty, 50), 0, 100), np.where(known, spread, 10)
    )
    return np.where(known, found, 0.5)


def harder(table: Table) -> Mapping[str, Floats]:
    """Formulas, turned so that higher is harder."""
    return {
        name: column * (COLUMNS[name][0].direction or Direction.HARDER).sign
        for name, column in zip(BASELINES, table.formulas.T, strict=True)
    }


def of_readings(table: Table, where: Mask, values: Mapping[str, Floats]) -> Iterator[list[str]]:
    """The correlation of each number with readings."""
    for name, of in values.items():
        filled = np.where(np.isfinite(of), of, 50.0)[where]
        found = measured(pearson, filled, table.labels[where], table.groups[where])
        yield [name, str(found), str(found.n)]


def of_shares(table: Table, where: Mask, chance: Floats) -> str:
    """How far P(U|d) is from the share that readings give."""
    away = (chance - table.understand)[where]
    share, own = table.understand[where], chance[where]
    kinds = table.kinds[where]
    biases = {kind: away[kinds == kind].mean() for kind in np.unique(kinds).tolist()}
    sizes = {kind: int((kinds == kind).sum()) for kind in biases}
    far = [
        f"{kind} ({sizes[kind]}) {bias:+.2f}"
        for kind, bias in biases.items()
        if abs(bias) > _MOST_BIAS
    ]
    ends = [
        f"median P of texts with a share {text}: {short(float(np.median(own[of])), 2)}"
        for text, of in (("of 98 and more", share >= 0.98), ("of 5 and less", share <= 0.05))
        if of.any()
    ]
    return (
        f"Mean |P - share| {short(float(abs(away).mean()))}. {'; '.join(ends)}. Bias beyond "
        f"{_MOST_BIAS}: {', '.join(far) or 'none'}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--states", type=Path, required=True)
    parser.add_argument("--kinds", action="store_true", help="leave kinds out whole too")
    arguments = parser.parse_args()
    table = training_table(arguments.data, arguments.cache)
    teacher, recipe = Teacher(table, arguments.states), RECIPES["open"]
    said = out_of_fold(table, recipe, teacher)
    model = load_bundle("open").model
    assert isinstance(model, PassageModel)
    read = table.sets == READINGS
    formulas = harder(table)
    values = {"open, groups left out": said.difficulties}
    if arguments.kinds:
        values["open, kinds left out"] = kinds_left_out(table, recipe, teacher)
    own = model.read_passages(table.passages)
    for name, where in (
        ("sources", read & ~awkward(table.kinds)),
        ("awkward kinds", read & awkward(table.kinds)),
    ):
        print(f"\n## Readings: {name}\n")
        print(
            markdown(["", "Pearson", "texts"], list(of_readings(table, where, values | formulas)))
        )
        print(of_shares(table, where, chances(said.difficulties, own.error)))
        away = abs(said.difficulties - table.labels)[where]
        print(f"Within one spread: {np.mean(away < own.error[where]):.1%}")
    pages = cached(
        arguments.cache, "pages_read", lambda: Table.of(readings(arguments.data, "pages"))
    )
    found = model.read_passages(pages.passages)
    web = np.char.startswith(pages.kinds, "web")
    for name, where in (("health", ~web), ("modern web", web)):
        print(f"\n## Whole pages that were read: {name}\n")
        rows = of_readings(pages, where, {"open": found.raw} | harder(pages))
        print(markdown(["", "Pearson", "pages"], list(rows)))
        print(of_shares(pages, where, chances(found.raw, found.error)))
    print("\n## People\n")
    rows = []
    for name, (of, least) in PEOPLE.items():
        where = table.sets == name
        judged = said.levels if of == "level" else said.difficulties
        measure = auc if SETS[name].by_origin else pearson
        rows.append(
            [name, of, short(least, 2)]
            + [
                str(measured(measure, each[where], table.labels[where], table.groups[where]))
                for each in (judged, formulas["dale_chall"], formulas["flesch_reading_ease"])
            ]
        )
    print(markdown(["set", "by", "at least", "open", "Dale-Chall", "Flesch Reading Ease"], rows))


if __name__ == "__main__":
    main()
