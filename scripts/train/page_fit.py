"""What is learned: levels of passages from people's labels, their difficulty from readings.

*Level* is what a small network says: it learns the labels of CEFR-SP, and what `teacher` says of
sentences that nobody judged. Sentences of CEFR-SP that are joined are a text whose level is the
mean of theirs, so that the network knows more than single sentences. Joined, they are ten points
more difficult than alone; what that adds to the level is taken off.

Sets contradict each other: OneStop calls an article easy because it was simplified. Such a set
(`Recipe.kinds`) teaches the network nothing. It has a function of its own, of what the network
leaves, by ridge regression in the space of a Nyström kernel, on a scale ``label = start + step *
level``. That counts as far as a passage is like the set's, by a logistic regression in that space.

*Difficulty* is what a larger network says: it learns readings (0 to 100), and of passages that
nobody read what `teacher` estimates of them. A little of it is part of the level.

People do not agree on how high levels are: those of CEFR-SP lie four tenths above those of
MedReadMe and ReadMe++. So a recipe may know the mean labels of sets, `Recipe.level_from`: all
levels are moved so that they are right on average there, each set counting the same.

A text is the mean of its passages, weighted by words. Weights and settings were chosen on the five
folds of seed 0, having seen the pages that were read, the sets that are left out, and the orders of
pages that ``scripts.evaluate.pages`` shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scripts.train.networks import Shape, learn_apart, learn_together
from scripts.train.page_texts import (
    FOLDS,
    JOINED,
    OWN,
    READ_ONCE,
    READ_PAGES,
    READ_SENTENCES,
    READINGS,
    SENTENCES,
    UNREAD,
    Ints,
    Mask,
    Table,
    folds_of,
    left_out_with,
)
from scripts.train.teacher import Taught, Teacher, bells
from scripts.train.word_difficulty import ByWords
from sklearn.linear_model import LogisticRegression

from understandability.arrays import Floats
from understandability.model.passage_model import apart, brevity, shares
from understandability.model.passages import Passages, passage_columns
from understandability.model.predictors import Kernel, Prepared, standardised

CUT = 4.0
# A kind's own function moves in so many directions of the space, those in which passages differ
# most.
_DIRECTIONS = 200
# Of the logistic regression that tells kinds apart.
_KIND_C, _KIND_TURNS, _KIND_ROWS = 6.4, 100, 12_000
# The networks, found on the folds of seed 0. Parts that see all columns know awkward texts, which
# show in few columns; those that see fewer know kinds of text that were left out.
_DIFFICULTY = Shape((0.6,) * 6 + (1.0,) * 6, 48, 60, 0.002)
_LEVEL = Shape((0.25,) * 12, 48, 60, 0.3)
# What a reading weighs of a text that was written for an awkward kind, twice or once, and of
# documentation, which was read once.
_AWKWARD, _AWKWARD_ONCE, _DOCUMENTATION = 4.0, 2.0, 1.5
_ESTIMATED = 0.4  # what an estimate of the teacher weighs
_SENTENCE = 0.3  # what a sentence weighs that was read
_PAGE = 4.0  # what the beginning of a whole page weighs
# Their labels are CEFR levels, 1 to 6.
LEVELLED = ("cefr_sp_wiki", "medreadme", "medreadme_docs", "readmepp_en")


@dataclass(frozen=True)
class Recipe:
    """What is learned from: the weight of each set's labels for the level.

    `kinds` are the sets with a function of their own, and what their labels weigh. A passage is of
    a kind as far as its chance of that kind exceeds `least`. Of the sets `level_from` only the mean
    labels are used. Difficulty is learned from readings, and a point of it adds
    `difficulty_in_level` to the level.
    """

    labels: Mapping[str, float]
    kinds: Mapping[str, float]
    least: float
    licence: str
    use: str
    landmarks: int
    reach: float
    ridge: float
    level_from: tuple[str, ...] = ()
    difficulty_in_level: float = 0.0125
    # What is taken off the level of a text of no words, and less up to eight.
    off_if_brief: float = 0.8
    # What the teacher's levels of sentences weigh, and those of joined sentences.
    sentences: float = 6.0
    joined: float = 3.0
    # The level is told without the last columns: from the vectors of rare words on.
    level_columns: int = passage_columns().index("rare_word_vector_0")

    @property
    def sets(self) -> list[str]:
        """The names of all sets."""
        of_level = [*self.labels, *self.kinds, SENTENCES, JOINED]
        return [*of_level, READINGS, READ_ONCE, READ_SENTENCES, READ_PAGES, UNREAD]

    def moved(self, table: Table, levels: Floats) -> float:
        """By how much all levels are moved, so that they are right on average."""
        away = [(table.labels - levels)[table.sets == name] for name in self.level_from]
        return float(np.mean([np.nanmean(each) for each in away]))


_USE = (
    "English pages and passages of ten words or more: to rank pages, to compare collections, to "
    "say how many adults of the public would get the message. Not to judge a person or what a "
    "person wrote, not to say that a patient was informed or has consented, not to grade a child's "
    "reading, and not as the only reason to hide a page"
)
RECIPES = {
    "open": Recipe(
        labels={"cefr_sp_wiki": 1.0},
        kinds={"onestop": 20.0},
        least=0.0,
        licence="CC BY-SA 4.0 (weights learned from data under CC BY-SA 4.0, CC BY-SA 3.0, which "
        "allows its later versions, CC BY 4.0 and MIT, and from the public domain)",
        use=f"{_USE}. Commercial use is allowed",
        landmarks=250,
        reach=0.05,
        ridge=1.0,
        level_from=("medreadme", "medreadme_docs"),
    ),
}


class Space:
    """The kernel's space over a table: bells around some of the passages with a level.

    `used` says which texts are learned from; `seed` chooses landmarks. `rows` are all passages in
    the space.
    """

    def __init__(self, table: Table, recipe: Recipe, used: Mask, seed: int = 0) -> None:
        columns = table.passages.columns[:, : recipe.level_columns]
        text = table.text
        of_level = used & np.isin(table.sets, [*recipe.labels, *recipe.kinds, SENTENCES])
        own = np.flatnonzero(of_level[text])
        rows, sets = columns[own].astype(np.float64), table.sets[text[own]]
        self.center, scale = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        self.scale = np.where(scale > 1e-9, scale, 1.0)
        # A set gives landmarks by the square root of its size.
        _, number, counts = np.unique(sets, return_inverse=True, return_counts=True)
        chance = 1 / np.sqrt(counts[number])
        chosen = np.random.default_rng(seed).choice(
            len(rows), min(recipe.landmarks, len(rows)), replace=False, p=chance / chance.sum()
        )
        # What goes into the bundle as float16 is used as such here.
        vectors = self.standard(rows[np.sort(chosen)])
        self.vectors = vectors.astype(np.float16).astype(np.float64)
        self.gamma = recipe.reach / rows.shape[1]
        values, directions = np.linalg.eigh(bells(self.vectors, self.vectors, self.gamma))
        self.root = (directions / np.sqrt(np.maximum(values, 1e-9))) @ directions.T
        self.rows = bells(self.standard(columns), self.vectors, self.gamma) @ self.root

    def standard(self, rows: Floats) -> Floats:
        """The columns as the kernel reads them."""
        return standardised(rows, self.center, self.center, self.scale, CUT)


class LevelFit:
    """The level of every text of a table, and the functions of a recipe that give it.

    `used` says which texts are learned from, `taught` the level of each, with what a teacher gives
    to sentences, `known` what difficulty adds; without these it learns from people's labels alone.
    """

    def __init__(
        self,
        table: Table,
        recipe: Recipe,
        used: Mask,
        taught: Floats | None = None,
        known: Floats | float = 0.0,
        seed: int = 0,
    ) -> None:
        self._table, self._recipe, passages = table, recipe, table.passages
        self.space = space = Space(table, recipe, used, seed)
        self._labels = table.labels if taught is None else taught - added_by_joining(table, known)
        self._used = used & (np.diff(passages.starts) > 0)
        weights = dict(recipe.labels)
        if taught is not None:
            weights[SENTENCES] = recipe.sentences
            weights[JOINED] = recipe.joined
        text = table.text
        known_level = self._used & np.isin(table.sets, [*weights]) & np.isfinite(self._labels)
        own = np.flatnonzero(known_level[text])
        rows = space.standard(passages.columns[:, : recipe.level_columns])
        weight = np.array([weights[each] for each in table.sets[text[own]].tolist()])
        weight *= passages.words[own] / passages.totals[text[own]]
        self.network = learn_apart(rows[own], self._labels[text[own]], weight, _LEVEL, seed)
        said = passages.means(self.network(rows))
        self.levels, self.apart = said[:, 0] + known, apart(said[:, 1:])
        self.levels -= recipe.off_if_brief * passages.means(brevity(passages.columns))
        self.own: list[tuple[Floats, float]] = []
        odds = [self._learn_kind(name, space.rows, text) for name in recipe.kinds]
        self.odds = [np.stack(each, axis=-1) for each in zip(*odds, strict=True)]

    def _learn_kind(self, name: str, rows: Floats, text: Ints) -> tuple[Floats, float]:
        """The own function of a set, of what the network leaves; returns the odds of the kind.

        `rows` are all passages in the space, `text` the text of each.
        """
        is_kind = self._used & (self._table.sets == name)
        others = np.flatnonzero((self._used & ~is_kind)[text])
        read = np.sort(
            np.append(np.flatnonzero(is_kind[text]), others[:: 1 + len(others) // _KIND_ROWS])
        )
        kind = is_kind[text[read]]
        weights = np.sqrt(len(read) / np.bincount(kind))[kind.astype(int)]
        found = LogisticRegression(C=_KIND_C, max_iter=_KIND_TURNS).fit(rows[read], kind, weights)
        slopes, start = found.coef_[0], float(found.intercept_[0])
        share = shares((rows @ slopes + start)[:, None], self._recipe.least)[:, 0]
        own = np.flatnonzero(is_kind[text])
        directions = np.linalg.eigh(rows[own].T @ rows[own])[1][:, -_DIRECTIONS:]
        center = np.average(rows[own], axis=0, weights=share[own])
        texts = self._table.passages.means((rows - center) @ directions * share[:, None])
        # On its own scale, fitted to what the network says.
        level, label = self.levels[is_kind], self._labels[is_kind]
        step = float(np.cov(level, label)[0, 1] / level.var(ddof=1))
        left = (self._labels - label.mean()) / step - (self.levels - level.mean())
        weights = is_kind * self._recipe.kinds[name]
        of_kind, _ = _ridge(texts, left, weights, self._recipe.ridge, constant=False)
        self.levels = self.levels + texts @ of_kind
        self.own.append((directions @ of_kind, float(-center @ directions @ of_kind)))
        return slopes, start

    @property
    def kernel(self) -> Prepared:
        """What goes into a bundle: the functions of kinds, and the odds of kinds."""
        space = self.space
        slopes = np.column_stack([*(slopes for slopes, _ in self.own), *self.odds[:1]])
        starts = np.array([*(start for _, start in self.own), *self.odds[1]])
        kernel = Kernel(space.vectors, space.root @ slopes, starts, space.gamma)
        return Prepared(space.center, space.center, space.scale, kernel, CUT)


def added_by_joining(table: Table, known: Floats | float) -> Floats:
    """How much more than the mean of its sentences is known of a joined text; 0 of any other."""
    values = np.broadcast_to(known, len(table))
    place = {name: row for row, name in enumerate(table.ids.tolist())}
    added = np.zeros(len(table))
    for row in np.flatnonzero(table.sets == JOINED):
        added[row] = values[row] - values[[place[name] for name in table.ids[row].split()]].mean()
    return added


def _ridge(
    rows: Floats, wanted: Floats, weights: Floats, ridge: float, *, constant: bool = True
) -> tuple[Floats, float]:
    """Slopes, and a constant unless it is to be 0, of weighted ridge regression."""
    here = weights > 0
    rows, wanted, weights = rows[here], wanted[here], weights[here]
    center = np.average(rows, axis=0, weights=weights) if constant else np.zeros(rows.shape[1])
    mean = float(np.average(wanted, weights=weights)) if constant else 0.0
    away = rows - center
    gram = (away * weights[:, None]).T @ away + ridge * np.eye(rows.shape[1])
    slopes = np.linalg.solve(gram, away.T @ (weights * (wanted - mean)))
    return slopes, mean - float(center @ slopes)


class DifficultyFit:
    """The network from a passage to its difficulty and to how hard it is to get its message.

    `used` says which texts are learned from, `taught` what of each. `passages` are those of the
    table with what was learned of words.
    """

    def __init__(self, table: Table, used: Mask, taught: Taught, seed: int = 0) -> None:
        passages = table.passages
        text = table.text
        used = used & np.isin(table.sets, [READINGS, READ_ONCE, READ_SENTENCES, READ_PAGES, UNREAD])
        used &= np.isfinite(taught.labels) & np.isfinite(taught.messages)
        awkward, once = np.char.startswith(table.kinds, OWN), table.sets == READ_ONCE
        estimated = used & ~np.isfinite(table.labels)
        of_texts = np.select(
            [
                table.sets == READ_SENTENCES,
                table.sets == READ_PAGES,
                awkward & once,
                awkward,
                once,
                estimated,
            ],
            [_SENTENCE, _PAGE, _AWKWARD_ONCE, _AWKWARD, _DOCUMENTATION, _ESTIMATED],
            1.0,
        )
        self.by_words = ByWords(table, taught.labels, np.where(used, of_texts, 0))
        self.passages = passages = _with_words(passages, self.by_words.column)
        own, columns = np.flatnonzero(used[text]), passages.columns.astype(np.float64)
        rows = columns[own]
        center, scale = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        scale = np.where(scale > 1e-9, scale, 1.0)
        weights = of_texts[text[own]] * passages.words[own] / passages.totals[text[own]]
        rows, wanted = standardised(rows, center, center, scale, CUT), np.column_stack(taught)
        network = learn_together(rows, wanted[text[own]], weights, _DIFFICULTY, seed)
        self.network = Prepared(center, center, scale, network, CUT)
        said = passages.means(self.network(columns))
        self.difficulties, self.messages = said[:, :2].T
        self.apart = apart(said[:, 2:])
        self.squares = (passages.means(self.network.prepared(columns)) ** 2).mean(axis=1)

    def read(self, table: Table) -> Passages:
        """The passages of texts that it did not learn from, with what it learned of words."""
        return _with_words(table.passages, self.by_words.of(table))


def _with_words(passages: Passages, by_words: Floats) -> Passages:
    columns = passages.columns.copy()
    columns[:, passage_columns().index("difficulty_by_words")] = by_words
    return replace(passages, columns=columns)


@dataclass(frozen=True)
class Fitted:
    """Both functions of a recipe, and what they say of every text of the table."""

    level: LevelFit
    difficulty: DifficultyFit
    levels: Floats
    moved: float

    @classmethod
    def of(
        cls, table: Table, recipe: Recipe, used: Mask, teacher: Teacher, seed: int = 0
    ) -> Fitted:
        """Learned from the texts that are `used`."""
        taught = teacher.taught(used)
        difficulty = DifficultyFit(table, used, taught, seed)
        known = recipe.difficulty_in_level * difficulty.difficulties
        level = LevelFit(table, recipe, used, taught.labels, known, seed)
        levels = level.levels
        moved = recipe.moved(table, levels)
        return cls(level, difficulty, levels + moved, moved)


@dataclass(frozen=True)
class OutOfFold:
    """What models say of every text that saw nothing of its group."""

    levels: Floats
    difficulties: Floats
    messages: Floats
    levels_apart: Floats
    difficulties_apart: Floats


def folds_of_texts(table: Table, seed: int = 0) -> Ints:
    """The fold of each text by its group, of a page that has none by its number."""
    fold = folds_of(table.groups, FOLDS, seed)
    pages = (table.sets == READ_PAGES) & (table.groups < 0)
    fold[pages] = folds_of(np.arange(pages.sum()), FOLDS, seed)
    return fold


def unseen_by(table: Table, recipe: Recipe) -> Mask:
    """The texts to learn from of which no set outside the recipe has a copy."""
    own = np.isin(table.sets, recipe.sets)
    return own & ~np.isin(table.groups, table.groups[~own])


def out_of_fold(table: Table, recipe: Recipe, teacher: Teacher, seed: int = 0) -> OutOfFold:
    """What models say that saw nothing of a text's group nor of a copy of it.

    Sets that the recipe leaves out are held out whole: texts of which they have a copy are not
    learned from either, and what is said of them is the mean of the models.
    """
    own, usable = np.isin(table.sets, recipe.sets), unseen_by(table, recipe)
    fold = folds_of_texts(table, seed)
    found = np.zeros((5, len(table)))
    for number in range(FOLDS):
        fit = Fitted.of(table, recipe, usable & (fold != number), teacher, seed)
        hard = fit.difficulty
        values = np.stack(
            [fit.levels, hard.difficulties, hard.messages, fit.level.apart, hard.apart]
        )
        here = own & (fold == number)
        found[:, here] = values[:, here]
        found[:, ~own] += values[:, ~own] / FOLDS
    return OutOfFold(*found)


def kinds_left_out(
    table: Table, recipe: Recipe, teacher: Teacher, folds: int = 10, seed: int = 0
) -> Floats:
    """The difficulty of each reading, from a model that saw no text of its kind."""
    read = table.sets == READINGS
    kinds = np.unique(table.kinds[read])
    fold = np.random.default_rng(seed).permutation(np.arange(len(kinds)) % folds)
    usable = unseen_by(table, recipe)
    found = np.full(len(table), np.nan)
    for number in range(folds):
        here = read & np.isin(table.kinds, kinds[fold == number])
        copies = np.isin(table.groups, table.groups[here])
        used = usable & ~left_out_with(table.kinds, kinds[fold == number].tolist()) & ~copies
        fit = DifficultyFit(table, used, teacher.taught(used), seed)
        found[here] = fit.difficulties[here]
    return found
