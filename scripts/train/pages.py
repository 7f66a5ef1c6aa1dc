"""Train the page models ``resources/bundles/open`` and ``resources/bundles/research``.

    python -m scripts.train.teacher teacher.npz
    python -m scripts.train.pages --teacher teacher.npz [--output resources/bundles]

One function from passages to levels is learned from all sets of a recipe at once, by least squares
and Newton's method on a convex loss, in the space of a Nyström kernel:

- labels: squared error, on the scale of CEFR-SP. Every other set has a scale of its own,
  ``label = start + step * level``, fitted in turns with the model;
- pairs by origin (English over Simple English Wikipedia, pages for professionals over pages for
  patients): the logistic loss of their difference, which teaches order and no level.

Sets contradict each other: OneStop calls an article easy because it was simplified, whatever it is
about. So the sets of `Recipe.kinds` have a function of their own beside what all share, as far as a
passage is like theirs: the chance that a logistic regression gives it to be of that set, and not of
another or of the other kinds of texts in `OTHERS`.

A text is the mean of its passages, weighted by words. Weights and settings were chosen on the five
folds of seed 0, with an eye on the orders of pages that ``scripts.evaluate.pages`` shows; the panel
of texts was looked at once, to choose the freedom of OneStop's function. With one thread the texts
take two minutes to read and the models four to learn, in 3 GB. Two runs on one machine give the
same bytes.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import Measured, auc, measured, pearson
from scripts.train.page_texts import (
    OTHERS,
    REFERENCE,
    SETS,
    TEACHER,
    Ints,
    Mask,
    Table,
    cached,
    folds_of,
    path_of,
    sha256,
    training_table,
    web_pages,
)
from sklearn.linear_model import LogisticRegression

from understandability.arrays import Floats
from understandability.models.bundle import Bundle
from understandability.models.runtime.pages import Error, PageModel, PageScale
from understandability.models.runtime.predictors import Kernel, Network, Prepared, standardised

CUT = 4.0
FOLDS = 5
# A kind's own function moves in so many directions of the space, those in which passages differ
# most.
_DIRECTIONS = 150
_KIND_C, _KIND_TURNS = 0.1, 300
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
    the one that all share. Sets that share texts are one kind, that of `LabelledSet.family`.
    """

    labels: Mapping[str, float]
    pairs: Mapping[str, float]
    kinds: Mapping[str, float]
    licence: str
    use: str
    landmarks: int
    reach: float
    ridge: float

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
        labels={"cefr_sp_wiki": 1.0, "onestop": 5.0, TEACHER: 1.5},
        pairs={"med_wiki_pairs": 0.6, "pdq_pages": 3.5},
        kinds={"cefr_sp_wiki": 0.4, "onestop": 0.5},
        licence="CC BY-SA 4.0 (weights learned from data under CC BY-SA 4.0, CC BY-SA 3.0, which "
        "allows its later versions, CC BY 4.0 and MIT, and from the public domain)",
        use=f"{_USE}. Commercial use is allowed",
        landmarks=700,
        reach=0.05,
        ridge=3.0,
    ),
    "research": Recipe(
        labels={
            "cefr_sp_wiki": 1.0,
            "medreadme": 4.0,
            "medreadme_docs": 16.0,
            "readmepp_en": 4.0,
            "clear": 4.0,
            "onestop": 10.0,
        },
        pairs={"med_wiki_pairs": 0.3, "cochrane_pls": 0.5, "pdq_pages": 4.0},
        kinds={
            "cefr_sp_wiki": 1.0,
            "medreadme": 1.0,
            "readmepp_en": 1.0,
            "clear": 1.0,
            "onestop": 3.0,
            "cochrane_pls": 1.0,
        },
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
        self._learn_kinds(text)
        rows = self.space(passages.columns)
        self.directions = np.linalg.eigh(rows[own].T @ rows[own])[1][:, -_DIRECTIONS:]
        self.sizes = [rows.shape[1], *(self.directions.shape[1] + 1 for _ in self.kinds)]
        self.of_rows = self._with_kinds(rows)
        self.of_texts = passages.means(self.of_rows)
        self.differences = self._differences(rng)
        self.theta, self.scales = self._solve()

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

    def _learn_kinds(self, text: Ints) -> None:
        """The kinds, how to know them, and the chance of each passage to be of each of them.

        `text` is the text of each passage.
        """
        columns, names = self.table.passages.columns, self.table.sets.tolist()
        families = np.array([SETS[name].family or name if name in SETS else name for name in names])
        known = frozenset(families[self.used].tolist())
        self.kinds = {name: free for name, free in self.recipe.kinds.items() if name in known}
        read = np.flatnonzero((self.used | (self.table.sets == OTHERS))[text])
        kind = np.zeros(len(read), int)
        for number, name in enumerate(self.kinds, 1):
            kind[families[text[read]] == name] = number
        weights = np.sqrt(len(read) / np.bincount(kind))[kind]
        rows = self._standard(columns[read].astype(np.float64))
        found = LogisticRegression(C=_KIND_C, max_iter=_KIND_TURNS).fit(rows, kind, weights)
        # Of two classes it has one function, that of the second.
        first = np.zeros((1 if len(self.kinds) == 1 else 0, rows.shape[1]))
        slopes = np.ascontiguousarray(np.vstack([first, found.coef_]).T)
        starts = np.append(first[:, 0], found.intercept_)
        self.network = Network((slopes,), (starts,), "softmax")
        self.chances = self.network(self._standard(columns.astype(np.float64)))[:, 1:]

    def _with_kinds(self, rows: Floats) -> Floats:
        """Rows of the space for all passages, then those of the function of each kind."""
        own = np.column_stack([rows @ self.directions, np.ones(len(rows))])
        free = self.chances * list(self.kinds.values())
        return np.hstack([rows, *(own * each[:, None] for each in free.T)])

    @property
    def functions(self) -> tuple[Floats, Floats]:
        """The shared function, then that of each kind: slopes in the space, and constants."""
        shared, *own = np.split(self.theta[:-1], np.cumsum(self.sizes)[:-1])
        free = list(self.kinds.values())
        slopes = [
            shared,
            *(x * self.directions @ each[:-1] for x, each in zip(free, own, strict=True)),
        ]
        starts = [self.theta[-1], *(x * each[-1] for x, each in zip(free, own, strict=True))]
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

    @property
    def levels(self) -> Floats:
        """The level of each text of the table; NaN without words."""
        return self.of_texts @ self.theta[:-1] + self.theta[-1]

    @property
    def kernel(self) -> Prepared:
        """What goes into a bundle."""
        slopes, starts = self.functions
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


def error_of(table: Table, levels: Floats, fit: Fit) -> Error:
    """From out-of-fold levels of the sets with CEFR labels; see `Error`."""
    words = np.maximum(table.passages.totals, 1)
    judged = fit.used & np.isin(table.sets, LEVELLED) & np.isfinite(levels)
    start, step = np.zeros(len(table)), np.ones(len(table))
    for name, (begin, by) in fit.scales.items():
        start[table.sets == name], step[table.sets == name] = begin, by
    squared = (((table.labels - start) / step - levels) ** 2)[judged]
    floor, per_word = _line(1 / words[judged], squared)
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


# How assessors' labels and levels correlate: the best estimators in print reach .46 with the
# labels of 2016 and .60 with those of 2015.
CORRELATION = 0.5
REACH = 3.0
_LABELS_2016 = "clef/clef2016/task2.qunder.gz"


def labels_2016(data: Path, *, unmoved: bool = False) -> tuple[float, float]:
    """Mean and standard deviation of the labels of CLEF eHealth 2016.

    A quarter is exactly 50, where the assessors' slider stood; these are left out, unless asked
    for with `unmoved`.
    """
    with gzip.open(data / _LABELS_2016, "rt") as lines:
        labels = np.array([float(line.split()[3]) for line in lines])
    used = labels if unmoved else labels[labels != 50]
    return float(used.mean()), float(used.std())


def scale_of(data: Path, levels: Floats) -> PageScale:
    """The scale of the assessors, from levels of pages of the kind and years they judged."""
    mean, deviation = labels_2016(data)
    known = levels[np.isfinite(levels)]
    return PageScale(
        round(mean, 2),
        round(deviation, 2),
        CORRELATION,
        level=round(float(known.mean()), 4),
        level_deviation=round(float(known.std()), 4),
        reach=REACH,
    )


# What else the estimates stand on: file, use, licence, source.
_OTHER = (
    (
        "lexicons/complex_words_in_context.tsv.gz",
        "complexity of words",
        "CC BY 4.0",
        "MMU-TDMLab/CompLex, in word_complexity.npz",
    ),
    (
        "lexicons/word_complexity_lexicon.tsv.gz",
        "complexity of words",
        "MIT",
        "mounicam/lexical_simplification, in word_complexity.npz",
    ),
    ("corpora/reddit_like.jsonl.gz", "counts of words only", "none stated", "medical Reddit"),
    ("corpora/wikipedia_med.jsonl.gz", "counts of words only", "CC BY-SA", "medical Wikipedia"),
    ("corpora/pubmed.jsonl.gz", "counts of words only", "MIT, GPL-3, none stated", "PubMed"),
    (
        _LABELS_2016,
        "mean and deviation only",
        "none stated",
        "CLEFeHealth/CLEFeHealth2016Task3, labels of assessors",
    ),
    (
        "html/health_pages/health_pages.tar.gz",
        "mean and deviation of levels only",
        "pages belong to their sites",
        "pages of Sondhi 2012 and Schwarz & Morris 2011",
    ),
)


def origin(data: Path, name: str) -> dict[str, str]:
    """Licence, source and checksum of a set."""
    if name == TEACHER:
        return {
            "licence": "texts in the public domain and under CC BY-SA 3.0; the encoder is "
            "Apache-2.0 according to its card",
            "source": "what the encoder all-MiniLM-L6-v2, with a line learned from the other open "
            "sets, says of passages from pages of NIH and PDQ and of Wikipedia",
        }
    return {
        "licence": SETS[name].licence,
        "source": SETS[name].source,
        "sha256": sha256(path_of(data, name)),
    }


def training(data: Path, table: Table, fit: Fit) -> Iterator[dict[str, object]]:
    """The rows of a card that say what was learned from."""
    for use, of in (("labels", fit.recipe.labels), ("pairs, order only", fit.recipe.pairs)):
        for name, weight in of.items():
            yield {
                "name": name,
                "use": use,
                "records": int((fit.used & (table.sets == name)).sum()),
                "weight": weight,
                **origin(data, name),
            }
    for file, use, licence, source in _OTHER:
        yield {
            "name": Path(file).name.partition(".")[0],
            "use": use,
            "licence": licence,
            "source": source,
            "sha256": sha256(data / file),
        }


def agreement(table: Table, name: str, values: Floats) -> tuple[str, Measured]:
    """How a score agrees with the labels of a set: the measure's name, and the measure."""
    here = table.sets == name
    measure, of = ("ROC AUC", auc) if SETS[name].by_origin else ("Pearson", pearson)
    return measure, measured(of, values[here], table.labels[here], table.groups[here])


def figures(table: Table, recipe: Recipe, levels: Floats) -> Iterator[dict[str, object]]:
    """The rows of a card that say how good it is."""
    for name in SETS:
        measure, found = agreement(table, name, levels)
        yield {
            "set": name,
            "seen": "other groups of it" if name in recipe.sets else "nothing of it",
            "measure": measure,
            "value": round(found.value, 3),
            "low": round(found.low, 3),
            "high": round(found.high, 3),
            "n": found.n,
        }


def train(data: Path, name: str, table: Table, reference: Table) -> Bundle:
    """The bundle of a recipe."""
    recipe = RECIPES[name]
    levels = out_of_fold(table, recipe)
    fit = Fit(table, recipe, np.ones(len(table), bool))
    model = PageModel(fit.kernel, error_of(table, levels, fit), fit.network)
    columns = reference.passages.columns.astype(np.float64)
    of_pages = reference.passages.means(model.predict(columns))
    card: dict[str, Any] = {
        "summary": "How hard whole pages are, from their passages: level 1 to 6 as in the CEFR, "
        "difficulty 0 to 100 as the assessors of CLEF eHealth 2016 used that scale.",
        "intended_use": recipe.use,
        "cannot_know": "whether a text is true, how a page is laid out, what pictures say, what a "
        "reader knows beforehand; no page in training was judged as a whole by people, and no "
        "label is of the scale of difficulty",
        "training": list(training(data, table, fit)),
        "scales": {each: [round(x, 3) for x in found] for each, found in fit.scales.items()},
        "figures": list(figures(table, recipe, levels)),
        "figures_note": "Of the level, with 95 % intervals that resample groups. Five folds by "
        "joined groups (near-duplicates in one fold); of sets that it saw nothing of, texts and "
        "their copies are left out whole. Scales: label = first + second x level.",
    }
    return Bundle(name, recipe.licence, model, scale_of(data, of_pages), MappingProxyType(card))


def options(description: str | None) -> argparse.Namespace:
    """The options of training these models and the neural ones; `names` are what to train."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    parser.add_argument(
        "--teacher", type=Path, required=True, help="what scripts.train.teacher made"
    )
    parser.add_argument(
        "--only",
        dest="names",
        nargs=1,
        choices=list(RECIPES),
        default=list(RECIPES),
        help="train one of the two",
    )
    return parser.parse_args()


def main() -> None:
    arguments = options(__doc__)
    table = training_table(arguments.data, arguments.teacher, arguments.cache)
    reference = cached(
        arguments.cache, "reference", lambda: Table.of(web_pages(arguments.data, REFERENCE))
    )
    for name in arguments.names:
        bundle = train(arguments.data, name, table, reference)
        bundle.save(arguments.output / name)
        print(name, bundle.calibration, *bundle.card["figures"], sep="\n")


if __name__ == "__main__":
    main()
