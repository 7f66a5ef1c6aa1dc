"""Train the page models ``resources/bundles/open`` and ``resources/bundles/research``.

    python -m scripts.train.pages [--data ../shared/data] [--output resources/bundles]

One function from passages to levels is learned from all sets of a recipe at once, by least squares
and Newton's method on a convex loss, in the space of a Nyström kernel:

- labels: squared error, on the scale of CEFR-SP. Every other set has a scale of its own,
  ``label = start + step * level``, fitted in turns with the model;
- pairs by origin (English over Simple English Wikipedia, pages for professionals over pages for
  patients): the logistic loss of their difference, which teaches order and no level.

A text is the mean of its passages, weighted by words. All is deterministic: two runs give the same
bytes.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.train.page_texts import SETS, Text, folds_of, groups_of, labelled, pages

from understandability.arrays import Floats
from understandability.documents import document_of_text
from understandability.features import batches
from understandability.models.runtime.pages import Error, PageModel, PageScale
from understandability.models.runtime.passages import passages
from understandability.models.runtime.predictors import Kernel, Prepared, standardised

Mask = NDArray[np.bool_]
CUT = 4.0
FOLDS = 5
LEVELLED = ("cefr_sp_wiki", "medreadme", "medreadme_docs", "readmepp_en")
# Differences of levels are to be as far from 0 as this.
MARGIN = 0.5
_TURNS, _STEPS = 3, 4
_PASSAGE_PAIRS = 8


@dataclass(frozen=True)
class Recipe:
    """What is learned from: the weight of each set's labels and of its pairs."""

    labels: Mapping[str, float]
    pairs: Mapping[str, float]
    licence: str
    landmarks: int
    reach: float
    ridge: float

    @property
    def sets(self) -> tuple[str, ...]:
        return (*self.labels, *self.pairs)


RECIPES = {
    "open": Recipe(
        labels={"cefr_sp_wiki": 1.0, "onestop": 10.0},
        pairs={"med_wiki_pairs": 0.6, "pdq_pages": 3.0},
        licence="CC BY-SA 4.0 (weights learned from data under CC BY-SA 3.0, CC BY-SA 4.0, CC BY 4.0, MIT and in the public domain)",
        landmarks=500,
        reach=0.05,
        ridge=4.0,
    ),
    "research": Recipe(
        labels={
            "cefr_sp_wiki": 0.5,
            "medreadme": 2.0,
            "medreadme_docs": 6.0,
            "readmepp_en": 2.0,
            "clear": 2.0,
            "onestop": 10.0,
        },
        pairs={"med_wiki_pairs": 0.3, "cochrane_pls": 0.5, "pdq_pages": 4.0},
        licence="research and non-commercial use (some training labels allow no other)",
        landmarks=700,
        reach=0.15,
        ridge=0.7,
    ),
}


@dataclass(frozen=True)
class Table:
    """Texts as passages: `rows` (passages, columns), the `text` of each, its `words`."""

    sets: NDArray[Any]
    ids: NDArray[Any]
    keys: NDArray[Any]
    labels: Floats
    groups: NDArray[np.int64]
    rows: NDArray[np.float32]
    text: NDArray[np.int64]
    words: Floats

    def __len__(self) -> int:
        return len(self.sets)

    def means(self, values: Floats) -> Floats:
        """The mean over the passages of each text, weighted by words; NaN without any."""
        starts = np.flatnonzero(np.diff(self.text, prepend=-1))
        weights = self.words if values.ndim == 1 else self.words[:, None]
        sums = np.add.reduceat(values * weights, starts, axis=0)
        totals = np.add.reduceat(weights, starts, axis=0)
        means = np.full((len(self), *values.shape[1:]), np.nan)
        means[self.text[starts]] = sums / totals
        return means

    @property
    def sizes(self) -> Floats:
        """The words of each text."""
        return np.bincount(self.text, self.words, len(self))


def table_of(texts: Sequence[Text], groups: NDArray[np.int64]) -> Table:
    rows, words, owner, first = [], [], [], 0
    for batch in batches(document_of_text(text.text, text.id) for text in texts):
        found = passages(batch)
        rows.append(found.columns.astype(np.float32))
        words.append(found.words)
        owner.append(first + np.repeat(np.arange(len(batch)), np.diff(found.starts)))
        first += len(batch)
    return Table(
        np.array([text.set for text in texts]),
        np.array([text.id for text in texts]),
        np.array([text.group for text in texts]),
        np.array([text.label for text in texts]),
        groups,
        np.concatenate(rows),
        np.concatenate(owner),
        np.concatenate(words),
    )


def pairs_of(table: Table, name: str, used: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The harder and the easier texts of one set that are of one group, each with each."""
    harder: dict[str, list[int]] = {}
    easier: dict[str, list[int]] = {}
    for text in np.flatnonzero((table.sets == name) & used).tolist():
        (harder if table.labels[text] == 1 else easier).setdefault(table.keys[text], []).append(
            text
        )
    found = [(a, b) for key, of in harder.items() for a in of for b in easier.get(key, ())]
    return np.array([a for a, _ in found], int), np.array([b for _, b in found], int)


class Fit:
    """The kernel's space over a table, and the regression of a recipe in it.

    `used` says which texts are learned from. `seed` chooses landmarks and pairs of passages.
    """

    def __init__(self, table: Table, recipe: Recipe, used: Mask, seed: int = 0) -> None:
        self.table, self.recipe = table, recipe
        used = used & np.isin(table.sets, recipe.sets)
        with_rows = np.bincount(table.text, minlength=len(table)) > 0
        self.used = used & with_rows
        rng = np.random.default_rng(seed)
        own = np.flatnonzero(self.used[table.text])
        rows = table.rows[own].astype(np.float64)
        self.center, scale = rows.mean(axis=0), rows.std(axis=0)
        self.scale = np.where(scale > 1e-9, scale, 1.0)
        self._learn_space(own, self._standard(rows), rng)
        self.of_rows = self.space(table.rows)
        self.of_texts = table.means(self.of_rows)
        self.differences = self._differences(rng)
        self.theta, self.scales = self._solve()

    def _learn_space(self, own: NDArray[np.int64], rows: Floats, rng: np.random.Generator) -> None:
        """What `space` needs, from the passages to learn from: their numbers, and their columns."""
        table, recipe = self.table, self.recipe
        # A set gives landmarks by the square root of its size.
        _, number, counts = np.unique(
            table.sets[table.text[own]], return_inverse=True, return_counts=True
        )
        chance = 1 / np.sqrt(counts[number])
        landmarks = min(recipe.landmarks, len(own))
        chosen = np.sort(rng.choice(len(own), landmarks, replace=False, p=chance / chance.sum()))
        # What goes into the bundle as float16 is used as such here.
        self.vectors = rows[chosen].astype(np.float16).astype(np.float64)
        self.gamma = recipe.reach / rows.shape[1]
        values, directions = np.linalg.eigh(_bells(self.vectors, self.vectors, self.gamma))
        self.root = (directions / np.sqrt(np.maximum(values, 1e-9))) @ directions.T

    def _standard(self, rows: Floats) -> Floats:
        return standardised(rows, self.center, self.center, self.scale, CUT)

    def space(self, rows: NDArray[Any]) -> Floats:
        return _bells(self._standard(rows.astype(np.float64)), self.vectors, self.gamma) @ self.root

    def _differences(self, rng: np.random.Generator) -> list[tuple[Floats, float]]:
        """Harder less easier of each pair, and what it weighs."""
        found = []
        starts = np.searchsorted(self.table.text, np.arange(len(self.table) + 1))
        for name, weight in self.recipe.pairs.items():
            a, b = pairs_of(self.table, name, self.used)
            found.append((self.of_texts[a] - self.of_texts[b], weight))
            if name == "pdq_pages":  # pages: their passages too, or a mean of forty is all there is
                a, b = (
                    rng.integers(
                        np.repeat(starts[of], _PASSAGE_PAIRS),
                        np.repeat(starts[of + 1], _PASSAGE_PAIRS),
                    )
                    for of in (a, b)
                )
                found.append((self.of_rows[a] - self.of_rows[b], weight))
        return found

    def _solve(self) -> tuple[Floats, dict[str, tuple[float, float]]]:
        recipe, table = self.recipe, self.table
        anchor = next(iter(recipe.labels))
        scales = {name: (0.0, 1.0) for name in recipe.labels if name in LEVELLED}
        own = {name: self.used & (table.sets == name) for name in recipe.labels}
        products = {}
        for name, here in own.items():
            columns = _with_one(self.of_texts[here])
            products[name] = (columns, columns.T @ columns)
        theta = np.zeros(self.of_texts.shape[1] + 1)
        for _ in range(_TURNS):
            gram = recipe.ridge * np.eye(len(theta))
            gram[-1, -1] = 1e-6
            toward = np.zeros(len(theta))
            for name, (start, step) in scales.items():
                columns, product = products[name]
                gram += recipe.labels[name] * product
                toward += (
                    recipe.labels[name] * columns.T @ ((table.labels[own[name]] - start) / step)
                )
            theta = np.linalg.solve(gram, toward)
            for _ in range(_STEPS):
                theta = self._newton(theta, gram.copy(), toward.copy())
            for name in recipe.labels:
                if name != anchor:
                    level, label = products[name][0] @ theta, table.labels[own[name]]
                    step = float(np.cov(level, label)[0, 1] / level.var(ddof=1))
                    scales[name] = (float(label.mean() - step * level.mean()), step)
        return theta, scales

    def _newton(self, theta: Floats, gram: Floats, toward: Floats) -> Floats:
        """One step on the squared errors in `gram` and the logistic loss of all pairs."""
        for rows, weight in self.differences:
            margin = rows @ theta[:-1] / MARGIN
            chance = 1 / (1 + np.exp(-margin))
            bend = chance * (1 - chance) + 1e-3
            gram[:-1, :-1] += (rows * (weight * bend / MARGIN**2)[:, None]).T @ rows
            toward[:-1] += rows.T @ (weight * (bend * margin + 1 - chance) / MARGIN)
        return np.linalg.solve(gram, toward)

    def levels(self, of: Floats) -> Floats:
        return of @ self.theta[:-1] + self.theta[-1]

    @property
    def kernel(self) -> Prepared:
        weights = (self.root @ self.theta[:-1])[:, None]
        kernel = Kernel(self.vectors, weights, self.theta[-1:], self.gamma)
        return Prepared(self.center, self.center, self.scale, kernel, CUT)

    def squares(self) -> Floats:
        """The mean square of the standardised columns of each text."""
        means = self.table.means(self.table.rows.astype(np.float64))
        return np.asarray((self._standard(means) ** 2).mean(axis=1))


def _with_one(rows: Floats) -> Floats:
    return np.column_stack([rows, np.ones(len(rows))])


def _bells(rows: Floats, vectors: Floats, gamma: float) -> Floats:
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2 * rows @ vectors.T, 0)))


def out_of_fold(table: Table, recipe: Recipe, seed: int = 0, regression: type[Fit] = Fit) -> Floats:
    """The level of every text, from a model that saw nothing of its group nor of a copy of it.

    Sets that the recipe leaves out are held out whole: texts of which they have a copy are not
    learned from either, and their level is the mean of the models.
    """
    own = np.isin(table.sets, recipe.sets)
    transfer = ~own & ~np.isin(table.sets, ["wiki_simple_pairs"])
    usable = own & ~np.isin(table.groups, table.groups[transfer])
    fold = folds_of(table.groups, FOLDS, seed)
    levels = np.zeros(len(table))
    for number in range(FOLDS):
        fit = regression(table, recipe, usable & (fold != number), seed)
        found = fit.levels(fit.of_texts)
        here = own & (fold == number)
        levels[here] = found[here]
        levels[~own] += found[~own] / FOLDS
    return levels


def error_of(table: Table, levels: Floats, fit: Fit) -> Error:
    """From out-of-fold levels of the sets with CEFR labels; see `Error`."""
    words = np.maximum(table.sizes, 1)
    judged = fit.used & np.isin(table.sets, LEVELLED) & np.isfinite(levels)
    squared = []
    for name in LEVELLED:
        here = judged & (table.sets == name)
        start, step = fit.scales.get(name, (0.0, 1.0))
        squared.append(((table.labels[here] - start) / step - levels[here]) ** 2)
    order = np.concatenate([np.flatnonzero(judged & (table.sets == name)) for name in LEVELLED])
    floor, per_word = _line(1 / words[order], np.concatenate(squared))
    squares = fit.squares()
    known = fit.used & np.isfinite(squares)
    usual, usual_per_word = _line(1 / words[known], squares[known])
    ratio = squares[known] / (usual + usual_per_word / words[known])
    limit = float(np.quantile(ratio, 0.995))
    return Error(*(round(x, 4) for x in (max(floor, 0.02), per_word, usual, usual_per_word, limit)))


def _line(inverse: Floats, values: Floats) -> tuple[float, float]:
    """The line through values over 1 / words, each length class of texts counting the same."""
    classes = np.digitize(inverse, np.quantile(inverse, np.linspace(0, 1, 11)[1:-1]))
    points = [
        (inverse[classes == c].mean(), values[classes == c].mean()) for c in np.unique(classes)
    ]
    x, y = np.array(points).T
    slope = max(0.0, float(np.cov(x, y)[0, 1] / x.var(ddof=1)))
    return float(y.mean() - slope * x.mean()), slope


# The labels of CLEF eHealth 2016 without the quarter that is exactly 50, where the slider stood;
# the correlation between those of the best estimators in print, .46 in 2016 and .60 in 2015.
CORRELATION = 0.5
REACH = 3.0


def labels_2016(data: Path) -> tuple[float, float]:
    """Mean and standard deviation of the labels that an assessor moved."""
    with gzip.open(data / "clef/clef2016/task2.qunder.gz", "rt") as lines:
        labels = np.array([float(line.split()[3]) for line in lines])
    moved = labels[labels != 50]
    return float(moved.mean()), float(moved.std())


def scale_of(data: Path, levels: Floats) -> PageScale:
    """The scale of the assessors, from levels of pages of the kind and the years they judged."""
    mean, deviation = labels_2016(data)
    return PageScale(
        round(mean, 2),
        round(deviation, 2),
        CORRELATION,
        level=round(float(levels.mean()), 4),
        level_deviation=round(float(levels.std()), 4),
        reach=REACH,
    )


def reference_pages() -> list[Text]:
    """Pages of the kind and the years that the assessors of 2016 judged."""
    return [text for text in pages() if text.set in ("sondhi", "schwarz")]


def load(data: Path, cache: Path | None) -> tuple[Table, Table]:
    """The labelled texts, and the pages that the scale stands on."""
    if cache and cache.exists():
        with np.load(cache) as arrays:
            return tuple(
                Table(*(arrays[f"{kind}_{name}"] for name in Table.__dataclass_fields__))
                for kind in ("texts", "pages")
            )  # type: ignore[return-value]
    texts = [text for name in SETS for text in labelled(name)]
    table = table_of(texts, groups_of(texts))
    reference = reference_pages()
    other = table_of(reference, np.arange(len(reference)))
    if cache:
        arrays = {
            f"{kind}_{name}": getattr(of, name)
            for kind, of in (("texts", table), ("pages", other))
            for name in Table.__dataclass_fields__
        }
        np.savez(cache, **arrays)
    return table, other


def train(
    data: Path, name: str, table: Table, reference: Table, seed: int = 0
) -> tuple[PageModel, PageScale, Floats, Fit]:
    recipe = RECIPES[name]
    levels = out_of_fold(table, recipe, seed)
    everything = np.ones(len(table), bool)
    fit = Fit(table, recipe, everything, seed)
    model = PageModel(fit.kernel, error_of(table, levels, fit))
    of_pages = reference.means(model.predict(reference.rows.astype(np.float64)))
    return model, scale_of(data, of_pages), levels, fit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--only", choices=list(RECIPES))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this file")
    parser.add_argument("--estimates", type=Path, help="out-of-fold levels to this .npz")
    arguments = parser.parse_args()
    from understandability.models.bundle import Bundle

    table, reference = load(arguments.data, arguments.cache)
    kept = {}
    for name in [arguments.only] if arguments.only else RECIPES:
        model, scale, levels, fit = train(arguments.data, name, table, reference)
        card = {
            "summary": "Difficulty of whole pages, from their passages.",
            "training": [
                {"name": each, "weight": weight, "use": use}
                for use, of in (("labels", fit.recipe.labels), ("pairs", fit.recipe.pairs))
                for each, weight in of.items()
            ],
            "scales": {each: [round(x, 3) for x in found] for each, found in fit.scales.items()},
        }
        Bundle(name, fit.recipe.licence, model, scale, MappingProxyType(card)).save(
            arguments.output / name
        )
        kept[name] = levels
        print(name, model.error, scale, card["scales"])
    if arguments.estimates:
        np.savez(
            arguments.estimates,
            sets=table.sets,
            ids=table.ids,
            labels=table.labels,
            groups=table.groups,
            words=table.sizes,
            **kept,
        )


if __name__ == "__main__":
    main()
