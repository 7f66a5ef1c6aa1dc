"""One function from passages to levels, learned from all sets of a recipe at once.

By least squares and Newton's method on a convex loss, in the space of a Nyström kernel:

- labels: squared error, on the scale of CEFR-SP. Every other set has a scale of its own,
  ``label = start + step * level``, fitted in turns with the model;
- pairs by origin (English over Simple English Wikipedia, pages for professionals over pages for
  patients): the logistic loss of their difference, which teaches order and no level.

Sets contradict each other: OneStop calls an article easy because it was simplified, whatever it is
about. So the sets of `Recipe.kinds` have a function of their own beside what all share, which is 0
on the average of their own passages. It counts as far as a passage is like theirs: the chance that
a logistic regression in the same space gives it to be of that set, and not of another or of the
other kinds of texts in `OTHERS`.

People who gave levels do not agree on how high they are: those of CEFR-SP lie four tenths above
those that others gave to sentences of MedReadMe and ReadMe++ that are as hard to the model. So a
recipe without health labels may know the mean label of one set, `Recipe.level_from`, and no more of
it: all levels are moved so that they are right on average there.

A text is the mean of its passages, weighted by words. Weights and settings were chosen on the five
folds of seed 0 and, for `research`, on sets left out whole; the orders of pages that
``scripts.evaluate.pages`` shows, and the correlation with the panel, were seen while choosing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scripts.train.page_texts import OTHERS, SETS, TEACHER, Ints, Mask, Table, folds_of
from sklearn.linear_model import LogisticRegression

from understandability.arrays import Floats
from understandability.model.pages import shares
from understandability.model.predictors import Kernel, Prepared, standardised

CUT = 4.0
FOLDS = 5
# A kind's own function moves in so many directions of the space, those in which passages differ
# most.
_DIRECTIONS = 200
# Of the logistic regression that tells kinds apart.
_KIND_C, _KIND_TURNS = 6.4, 300
# Their labels are CEFR levels, 1 to 6.
LEVELLED = ("cefr_sp_wiki", "medreadme", "medreadme_docs", "readmepp_en")
# Differences of levels are to be as far from 0 as this.
MARGIN = 0.5
_TURNS, _STEPS = 3, 4
# Of a pair of long pages this many pairs of passages are learned from too.
_PASSAGE_PAIRS = {"pdq_pages": 8}


@dataclass(frozen=True)
class Recipe:
    """What is learned from: the weight of each set's labels and of its pairs.

    `kinds` are the sets with a function of their own, and how freely that moves: at 1 as freely as
    the one that all share. Sets that share texts are one kind, that of `LabelledSet.family`. A
    passage is of a kind as far as its chance of that kind exceeds `least`. Of the set `level_from`
    only the mean label is used.
    """

    labels: Mapping[str, float]
    pairs: Mapping[str, float]
    kinds: Mapping[str, float]
    least: float
    licence: str
    use: str
    landmarks: int
    reach: float
    ridge: float
    level_from: str = ""

    @property
    def sets(self) -> list[str]:
        """The names of all sets."""
        return [*self.labels, *self.pairs]


_USE = (
    "English pages and passages of ten words or more, health above all: to rank pages, to compare "
    "collections, to simulate readers. Not to judge a person or what a person wrote, not to say "
    "that a patient was informed or has consented, not to grade a child's reading, and not as the "
    "only reason to hide a page"
)
RECIPES = {
    "open": Recipe(
        labels={"cefr_sp_wiki": 1.0, "onestop": 8.5, TEACHER: 1.8},
        pairs={"med_wiki_pairs": 0.6, "pdq_pages": 3.6},
        kinds={"cefr_sp_wiki": 0.6, "onestop": 1.3},
        least=0.0,
        licence="CC BY-SA 4.0 (weights learned from data under CC BY-SA 4.0, CC BY-SA 3.0, which "
        "allows its later versions, CC BY 4.0 and MIT, and from the public domain)",
        use=f"{_USE}. Commercial use is allowed",
        landmarks=400,
        reach=0.05,
        ridge=3.0,
        level_from="medreadme",
    ),
    "research": Recipe(
        labels={
            "cefr_sp_wiki": 1.0,
            "medreadme": 6.0,
            "medreadme_docs": 24.0,
            "readmepp_en": 6.0,
            "clear": 5.0,
            "onestop": 10.0,
        },
        pairs={"med_wiki_pairs": 0.3, "cochrane_pls": 4.0, "pdq_pages": 4.0},
        kinds={"clear": 2.0, "onestop": 1.5},
        least=0.4,
        licence="research and non-commercial use (some training labels allow no other)",
        use=f"{_USE}. Research and non-commercial use only",
        landmarks=700,
        reach=0.15,
        ridge=2.0,
    ),
}


def pairs_of(table: Table, name: str, used: Mask) -> tuple[Ints, Ints]:
    """The harder and the easier texts of one set that are of one group, each with each."""
    members: dict[str, list[int]] = {}
    for text in np.flatnonzero((table.sets == name) & used).tolist():
        members.setdefault(table.keys[text], []).append(text)
    labels = table.labels
    found = [(a, b) for of in members.values() for a in of for b in of if labels[a] > labels[b]]
    return np.array([a for a, _ in found], int), np.array([b for _, b in found], int)


class Fit:
    """The kernel's space over a table, and the regression of a recipe in it.

    `used` says which texts are learned from. `seed` chooses landmarks and pairs of passages.
    """

    def __init__(self, table: Table, recipe: Recipe, used: Mask, seed: int = 0) -> None:
        self.table, self.recipe = table, recipe
        passages = table.passages
        self.used = used & np.isin(table.sets, recipe.sets) & (np.diff(passages.starts) > 0)
        rng = np.random.default_rng(seed)
        text = np.repeat(np.arange(len(table)), np.diff(passages.starts))
        own = np.flatnonzero(self.used[text])
        rows = passages.columns[own].astype(np.float64)
        self.center, scale = rows.mean(axis=0), rows.std(axis=0)
        self.scale = np.where(scale > 1e-9, scale, 1.0)
        self._learn_space(table.sets[text[own]], self._standard(rows), rng)
        rows = self.space(passages.columns)
        self._learn_kinds(rows, text)
        self.directions = np.linalg.eigh(rows[own].T @ rows[own])[1][:, -_DIRECTIONS:]
        self.of_rows = np.hstack([rows, *self._own_rows(rows @ self.directions, text)])
        self.of_texts = passages.means(self.of_rows)
        self.differences = self._differences(rng)
        self.theta, self.scales = self._solve()
        self._move(recipe.level_from)

    def _learn_space(self, sets: NDArray[np.str_], rows: Floats, rng: np.random.Generator) -> None:
        """What `space` needs, from passages to learn from: their sets, and their columns."""
        # A set gives landmarks by the square root of its size.
        _, number, counts = np.unique(sets, return_inverse=True, return_counts=True)
        chance = 1 / np.sqrt(counts[number])
        landmarks = min(self.recipe.landmarks, len(rows))
        chosen = np.sort(rng.choice(len(rows), landmarks, replace=False, p=chance / chance.sum()))
        # What goes into the bundle as float16 is used as such here.
        self.vectors = rows[chosen].astype(np.float16).astype(np.float64)
        self.gamma = self.recipe.reach / rows.shape[1]
        values, directions = np.linalg.eigh(_bells(self.vectors, self.vectors, self.gamma))
        self.root = (directions / np.sqrt(np.maximum(values, 1e-9))) @ directions.T

    def _learn_kinds(self, rows: Floats, text: Ints) -> None:
        """The kinds, how to know them, and how far each passage is of each of them.

        `rows` are all passages in the space, `text` the text of each.
        """
        families = self._families
        known = frozenset(families[self.used].tolist())
        self.kinds = {name: free for name, free in self.recipe.kinds.items() if name in known}
        self.odds = np.zeros((rows.shape[1], 0)), np.zeros(0)
        if self.kinds:
            read = np.flatnonzero((self.used | (self.table.sets == OTHERS))[text])
            kind = np.zeros(len(read), int)
            for number, name in enumerate(self.kinds, 1):
                kind[families[text[read]] == name] = number
            weights = np.sqrt(len(read) / np.bincount(kind))[kind]
            found = LogisticRegression(C=_KIND_C, max_iter=_KIND_TURNS).fit(
                rows[read], kind, weights
            )
            slopes, starts = found.coef_.T, found.intercept_
            if len(starts) > 1:  # of two classes it has one function, that of the second
                slopes, starts = slopes[:, 1:] - slopes[:, :1], starts[1:] - starts[0]
            self.odds = slopes, starts
        self.shares = shares(rows @ self.odds[0] + self.odds[1], self.recipe.least)

    @cached_property
    def _families(self) -> NDArray[np.str_]:
        """The kind that each text would be of."""
        names = self.table.sets.tolist()
        return np.array([SETS[name].family or name if name in SETS else name for name in names])

    def _own_rows(self, rows: Floats, text: Ints) -> list[Floats]:
        """What the function of each kind reads of all passages; 0 on the average of its own."""
        families = self._families[text]
        self.centers = [
            np.average(rows, axis=0, weights=of * (self.used[text] & (families == name)))
            for name, of in zip(self.kinds, self.shares.T, strict=True)
        ]
        return [
            (rows - center) * (free * of)[:, None]
            for free, center, of in zip(
                self.kinds.values(), self.centers, self.shares.T, strict=True
            )
        ]

    @property
    def functions(self) -> tuple[Floats, Floats]:
        """The shared function, then that of each kind: slopes in the space, and constants."""
        shared, own = np.split(self.theta[:-1], [len(self.directions)])
        slopes, starts = [shared], [self.theta[-1]]
        of_kinds = own.reshape(-1, self.directions.shape[1])
        for free, of, center in zip(self.kinds.values(), of_kinds, self.centers, strict=True):
            slopes.append(free * self.directions @ of)
            starts.append(-free * center @ of)
        return np.column_stack(slopes), np.array(starts)

    def _standard(self, rows: Floats) -> Floats:
        return standardised(rows, self.center, self.center, self.scale, CUT)

    def space(self, rows: Floats) -> Floats:
        """Passages in the space of the kernel."""
        return _bells(self._standard(rows.astype(np.float64)), self.vectors, self.gamma) @ self.root

    def _differences(self, rng: np.random.Generator) -> list[tuple[Floats, float]]:
        """Harder less easier of each pair, and what it weighs."""
        found = []
        starts = self.table.passages.starts
        for name, weight in self.recipe.pairs.items():
            a, b = pairs_of(self.table, name, self.used)
            found.append((self.of_texts[a] - self.of_texts[b], weight))
            if times := _PASSAGE_PAIRS.get(name):
                a, b = (
                    rng.integers(np.repeat(starts[of], times), np.repeat(starts[of + 1], times))
                    for of in (a, b)
                )
                found.append((self.of_rows[a] - self.of_rows[b], weight))
        return found

    def _solve(self) -> tuple[Floats, dict[str, tuple[float, float]]]:
        recipe, table = self.recipe, self.table
        anchor = next(iter(recipe.labels))
        scales = {
            name: (0.0, 1.0) for name in recipe.labels if name in (anchor, TEACHER, *LEVELLED)
        }
        own = {name: self.used & (table.sets == name) for name in recipe.labels}
        products = {}
        for name, here in own.items():
            columns = np.column_stack([self.of_texts[here], np.ones(int(here.sum()))])
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

    def _move(self, name: str) -> None:
        """Make the mean of all levels of a set that of its labels; of no set, nothing."""
        of_set = self.table.sets == name
        if of_set.any():
            moved = float(np.nanmean((self.table.labels - self.levels)[of_set]))
            self.theta[-1] += moved
            self.scales = {of: (a - b * moved, b) for of, (a, b) in self.scales.items()}

    @property
    def levels(self) -> Floats:
        """The level of each text of the table; NaN without words."""
        return self.of_texts @ self.theta[:-1] + self.theta[-1]

    @property
    def kernel(self) -> Prepared:
        """What goes into a bundle."""
        slopes, starts = (np.hstack(both) for both in zip(self.functions, self.odds, strict=True))
        kernel = Kernel(self.vectors, self.root @ slopes, starts, self.gamma)
        return Prepared(self.center, self.center, self.scale, kernel, CUT)

    def squares(self) -> Floats:
        """The mean square of the standardised columns of each text."""
        means = self.table.passages.means(self.table.passages.columns)
        return np.asarray((self._standard(means) ** 2).mean(axis=1))


def _bells(rows: Floats, vectors: Floats, gamma: float) -> Floats:
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2 * rows @ vectors.T, 0)))


class HasLevels(Protocol):
    """A regression that says what level each text of its table has."""

    @property
    def levels(self) -> Floats:
        """NaN where it cannot tell."""
        ...


def unseen_by(table: Table, recipe: Recipe) -> Mask:
    """The texts of a recipe's sets of which no set outside it has a copy."""
    own = np.isin(table.sets, recipe.sets)
    return own & ~np.isin(table.groups, table.groups[~own])


def out_of_fold(
    table: Table,
    recipe: Recipe,
    seed: int = 0,
    regression: Callable[[Table, Recipe, Mask, int], HasLevels] = Fit,
) -> Floats:
    """The level of every text, from a model that saw nothing of its group nor of a copy of it.

    Sets that the recipe leaves out are held out whole: texts of which they have a copy are not
    learned from either, and their level is the mean of the models.
    """
    own, usable = np.isin(table.sets, recipe.sets), unseen_by(table, recipe)
    fold = folds_of(table.groups, FOLDS, seed)
    levels = np.zeros(len(table))
    for number in range(FOLDS):
        found = regression(table, recipe, usable & (fold != number), seed).levels
        here = own & (fold == number)
        levels[here] = found[here]
        levels[~own] += found[~own] / FOLDS
    return levels
