"""Fit the level of passages to human labels, and their difficulty to readings.

*Level* is the output of a small network. It learns the labels of CEFR-SP, and estimates by
`teacher` for unlabelled sentences. Sentences of CEFR-SP are also joined to longer texts, with the
mean of their levels as the label, so that the network does not learn from single sentences only.
Joined sentences are ten points more difficult than single ones; the part of the level that comes
from this is subtracted.

Some sets contradict the others: OneStop labels an article as easy because it was simplified. The
network does not learn from such a set (`Recipe.kinds`). Instead, a ridge regression in the space of
a Nyström kernel learns the difference between the set's labels and the network, on a scale ``label
= start + step * level``. It is weighted by the probability that a passage is like those of the set,
which a logistic regression in the same space estimates.

*Difficulty* is the output of a larger network. It learns readings (0 to 100), and estimates by
`teacher` for passages without a reading. A small multiple of the difficulty is added to the level.

Annotators use different scales: levels of CEFR-SP are 0.4 higher than those of MedReadMe and
ReadMe++. So a recipe may name sets (`Recipe.level_from`) on which the mean level must be right: a
constant is added to all levels, and each set has the same weight in it.

The value of a text is the mean over its passages, weighted by words. Weights and settings were
chosen on the five folds of seed 0, with knowledge of the pages with readings, the held-out sets,
and the rankings of pages by ``scripts.evaluate.pages``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scripts.train.networks import Shape, learn_apart, learn_together
from scripts.train.page_texts import (
    FOLDS,
    JOINED,
    OWN,
    READ_KINDS,
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
from understandability.model.passage_model import (
    MUST_BE_UNDERSTOOD,
    apart,
    brevity,
    shares,
)
from understandability.model.passages import Passages, passage_columns
from understandability.model.predictors import Kernel, Prepared, standardised

CUT = 4.0
# The function of a set uses this many principal directions of the space.
_DIRECTIONS = 200
# The inverse penalty, the iterations and the rows of the logistic regression that recognises kinds.
_KIND_C, _KIND_TURNS, _KIND_ROWS = 6.4, 100, 12_000
# The ensembles, chosen on the folds of seed 0. Members with all columns are better on awkward
# texts, which differ in few columns; members with fewer columns are better on unseen kinds of text.
DIFFICULTY = Shape((0.6,) * 6 + (1.0,) * 6, 48, 60, 0.002)
_LEVEL = Shape((0.25,) * 12, 48, 60, 0.3)
# Weights of readings: of texts written for an awkward kind (read twice, read once), and of
# documentation (read once). Readings of other passages weigh 1.
_AWKWARD, _AWKWARD_ONCE, _DOCUMENTATION = 4.0, 2.0, 1.5
_ESTIMATED = 0.4  # the weight of an estimate by the teacher
_KIND = 2.0  # the weight of a reading of a passage of a further kind
_SENTENCE = 0.3  # the weight of a reading of a sentence
_PAGE = 4.0  # the weight of a reading of the beginning of a page
# The sets that train the difficulty.
OF_DIFFICULTY = (READINGS, READ_ONCE, READ_KINDS, READ_SENTENCES, READ_PAGES, UNREAD)
# Sets whose labels are CEFR levels, 1 to 6.
LEVELLED = ("cefr_sp_wiki", "medreadme", "medreadme_docs", "readmepp_en")


@dataclass(frozen=True)
class Recipe:
    """The training data and the settings of a bundle.

    `labels` maps the sets for the level to the weights of their labels. `kinds` maps the sets with
    a function of their own to weights; a passage gets this function in so far as its probability of
    the kind exceeds `least`. Of the sets in `level_from`, only the mean labels are used. A point of
    difficulty adds `difficulty_in_level` to the level.
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
    # Subtracted from the level of a text without words; it falls to 0 at eight words.
    off_if_brief: float = 0.8
    # The weights of sentences with a level by the teacher, and of joined sentences.
    sentences: float = 6.0
    joined: float = 3.0
    # The number of columns that the level reads: all before the vectors of rare words.
    level_columns: int = passage_columns().index("rare_word_vector_0")

    @property
    def sets(self) -> list[str]:
        """The names of all sets."""
        return [*self.labels, *self.kinds, SENTENCES, JOINED, *OF_DIFFICULTY]

    def moved(self, table: Table, levels: Floats) -> float:
        """Return the constant to add to all levels, so that they are right on average."""
        errors = [(table.labels - levels)[table.sets == name] for name in self.level_from]
        return float(np.mean([np.nanmean(of_set) for of_set in errors]))


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
    """The Nyström space of a Gaussian kernel, with some passages of the table as landmarks.

    `used` is a mask of the training texts; `seed` draws the landmarks. `rows` holds the coordinates
    of all passages in the space.
    """

    def __init__(self, table: Table, recipe: Recipe, used: Mask, seed: int = 0) -> None:
        columns = table.passages.columns[:, : recipe.level_columns]
        text = table.text
        has_level = used & np.isin(table.sets, [*recipe.labels, *recipe.kinds, SENTENCES])
        own = np.flatnonzero(has_level[text])
        rows, sets = columns[own].astype(np.float64), table.sets[text[own]]
        self.center, scale = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        self.scale = np.where(scale > 1e-9, scale, 1.0)
        # The number of landmarks from a set is proportional to the square root of its size.
        _, number, counts = np.unique(sets, return_inverse=True, return_counts=True)
        chance = 1 / np.sqrt(counts[number])
        chosen = np.random.default_rng(seed).choice(
            len(rows), min(recipe.landmarks, len(rows)), replace=False, p=chance / chance.sum()
        )
        # The bundle stores float16, so round before fitting.
        vectors = self.standard(rows[np.sort(chosen)])
        self.vectors = vectors.astype(np.float16).astype(np.float64)
        self.gamma = recipe.reach / rows.shape[1]
        values, directions = np.linalg.eigh(bells(self.vectors, self.vectors, self.gamma))
        self.root = (directions / np.sqrt(np.maximum(values, 1e-9))) @ directions.T
        self.rows = bells(self.standard(columns), self.vectors, self.gamma) @ self.root

    def standard(self, rows: Floats) -> Floats:
        """Standardise columns for the kernel."""
        return standardised(rows, self.center, self.center, self.scale, CUT)


class LevelFit:
    """The functions of a recipe for the level, and the estimated level of every text of a table.

    Args:
        table: All texts.
        recipe: The settings.
        used: A mask of the training texts.
        taught: The label of each text, including the teacher's labels of sentences. Without it,
            only human labels are used.
        from_difficulty: The part of each text's level that comes from its difficulty.
        seed: Seed of landmarks and networks.
    """

    def __init__(
        self,
        table: Table,
        recipe: Recipe,
        used: Mask,
        taught: Floats | None = None,
        from_difficulty: Floats | float = 0.0,
        seed: int = 0,
    ) -> None:
        self._table, self._recipe, passages = table, recipe, table.passages
        self.space = space = Space(table, recipe, used, seed)
        self._labels = table.labels
        if taught is not None:
            self._labels = taught - added_by_joining(table, from_difficulty)
        self._used = used & (np.diff(passages.starts) > 0)
        weights = dict(recipe.labels)
        if taught is not None:
            weights[SENTENCES] = recipe.sentences
            weights[JOINED] = recipe.joined
        text = table.text
        has_level = self._used & np.isin(table.sets, [*weights]) & np.isfinite(self._labels)
        own = np.flatnonzero(has_level[text])
        rows = space.standard(passages.columns[:, : recipe.level_columns])
        weight = np.array([weights[name] for name in table.sets[text[own]].tolist()])
        weight *= passages.words[own] / passages.totals[text[own]]
        self.network = learn_apart(rows[own], self._labels[text[own]], weight, _LEVEL, seed)
        outputs = passages.means(self.network(rows))
        self.levels, self.apart = outputs[:, 0] + from_difficulty, apart(outputs[:, 1:])
        self.levels -= recipe.off_if_brief * passages.means(brevity(passages.columns))
        self.own: list[tuple[Floats, float]] = []
        odds = [self._learn_kind(name, space.rows, text) for name in recipe.kinds]
        self.odds = [np.stack(part, axis=-1) for part in zip(*odds, strict=True)]

    def _learn_kind(self, name: str, rows: Floats, text: Ints) -> tuple[Floats, float]:
        """Fit the function of a set to the residuals of the network, and add it to the levels.

        `rows` are the coordinates of all passages in the space, `text` is the text of each passage.
        Returns the logistic regression that recognises the kind: slopes and intercept.
        """
        is_kind = self._used & (self._table.sets == name)
        others = np.flatnonzero((self._used & ~is_kind)[text])
        read = np.sort(
            np.append(np.flatnonzero(is_kind[text]), others[:: 1 + len(others) // _KIND_ROWS])
        )
        labels = is_kind[text[read]]
        weights = np.sqrt(len(read) / np.bincount(labels))[labels.astype(int)]
        classifier = LogisticRegression(C=_KIND_C, max_iter=_KIND_TURNS)
        classifier.fit(rows[read], labels, weights)
        slopes, start = classifier.coef_[0], float(classifier.intercept_[0])
        share = shares((rows @ slopes + start)[:, None], self._recipe.least)[:, 0]
        own = np.flatnonzero(is_kind[text])
        directions = np.linalg.eigh(rows[own].T @ rows[own])[1][:, -_DIRECTIONS:]
        center = np.average(rows[own], axis=0, weights=share[own])
        texts = self._table.passages.means((rows - center) @ directions * share[:, None])
        # The set's labels have a scale of their own: convert them to levels by a line first.
        level, label = self.levels[is_kind], self._labels[is_kind]
        step = float(np.cov(level, label)[0, 1] / level.var(ddof=1))
        residuals = (self._labels - label.mean()) / step - (self.levels - level.mean())
        weights = is_kind * self._recipe.kinds[name]
        kind_slopes, _ = _ridge(texts, residuals, weights, self._recipe.ridge, constant=False)
        self.levels = self.levels + texts @ kind_slopes
        self.own.append((directions @ kind_slopes, float(-center @ directions @ kind_slopes)))
        return slopes, start

    @property
    def kernel(self) -> Prepared:
        """The part for a bundle: the functions of kinds, and the odds of kinds."""
        space = self.space
        slopes = np.column_stack([*(slopes for slopes, _ in self.own), *self.odds[:1]])
        starts = np.array([*(start for _, start in self.own), *self.odds[1]])
        kernel = Kernel(space.vectors, space.root @ slopes, starts, space.gamma)
        return Prepared(space.center, space.center, space.scale, kernel, CUT)


def added_by_joining(table: Table, from_difficulty: Floats | float) -> Floats:
    """Return the excess of a joined text over the mean of its sentences; 0 for other texts.

    The compared values are the parts of the level that come from difficulty.
    """
    values = np.broadcast_to(from_difficulty, len(table))
    row_of = {name: row for row, name in enumerate(table.ids.tolist())}
    added = np.zeros(len(table))
    for row in np.flatnonzero(table.sets == JOINED):
        added[row] = values[row] - values[[row_of[name] for name in table.ids[row].split()]].mean()
    return added


def _ridge(
    rows: Floats, targets: Floats, weights: Floats, ridge: float, *, constant: bool = True
) -> tuple[Floats, float]:
    """Fit weighted ridge regression; returns slopes and intercept (0 if not `constant`)."""
    used = weights > 0
    rows, targets, weights = rows[used], targets[used], weights[used]
    center = np.average(rows, axis=0, weights=weights) if constant else np.zeros(rows.shape[1])
    mean = float(np.average(targets, weights=weights)) if constant else 0.0
    centred = rows - center
    gram = (centred * weights[:, None]).T @ centred + ridge * np.eye(rows.shape[1])
    slopes = np.linalg.solve(gram, centred.T @ (weights * (targets - mean)))
    return slopes, mean - float(center @ slopes)


class DifficultyFit:
    """The network from a passage to its difficulty and to the difficulty of its message.

    `used` is a mask of the training texts, `taught` has their labels. `passages` are the passages
    of the table, with the column ``difficulty_by_words`` filled.
    """

    def __init__(self, table: Table, used: Mask, taught: Taught, seed: int = 0) -> None:
        passages = table.passages
        text = table.text
        used = used & np.isin(table.sets, OF_DIFFICULTY)
        used &= np.isfinite(taught.labels) & np.isfinite(taught.messages)
        awkward, once = np.char.startswith(table.kinds, OWN), table.sets == READ_ONCE
        estimated = used & ~np.isfinite(table.labels)
        text_weights = np.select(
            [
                table.sets == READ_SENTENCES,
                table.sets == READ_PAGES,
                table.sets == READ_KINDS,
                awkward & once,
                awkward,
                once,
                estimated,
            ],
            [_SENTENCE, _PAGE, _KIND, _AWKWARD_ONCE, _AWKWARD, _DOCUMENTATION, _ESTIMATED],
            1.0,
        )
        self.by_words = ByWords(table, taught.labels, np.where(used, text_weights, 0))
        self.passages = passages = _with_words(passages, self.by_words.column)
        own, columns = np.flatnonzero(used[text]), passages.columns.astype(np.float64)
        rows = columns[own]
        center, scale = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        scale = np.where(scale > 1e-9, scale, 1.0)
        weights = text_weights[text[own]] * passages.words[own] / passages.totals[text[own]]
        rows, targets = standardised(rows, center, center, scale, CUT), np.column_stack(taught)
        network = learn_together(rows, targets[text[own]], weights, DIFFICULTY, seed)
        self.network = Prepared(center, center, scale, network, CUT)
        passage_outputs = self.network(columns)
        outputs = passages.means(passage_outputs)
        self.difficulties = outputs[:, 0]
        self.messages = passages.hardest(passage_outputs[:, 1], MUST_BE_UNDERSTOOD)
        self.apart = apart(outputs[:, 2:])
        self.squares = (passages.means(self.network.prepared(columns)) ** 2).mean(axis=1)

    def read(self, table: Table) -> Passages:
        """Return the passages of other texts, with the column ``difficulty_by_words`` filled."""
        return _with_words(table.passages, self.by_words.of(table))


def _with_words(passages: Passages, by_words: Floats) -> Passages:
    columns = passages.columns.copy()
    columns[:, passage_columns().index("difficulty_by_words")] = by_words
    return replace(passages, columns=columns)


@dataclass(frozen=True)
class Fitted:
    """The fitted level and difficulty of a recipe, with estimates for every text of the table.

    `levels` include the constant `moved`.
    """

    level: LevelFit
    difficulty: DifficultyFit
    levels: Floats
    moved: float

    @classmethod
    def of(
        cls, table: Table, recipe: Recipe, used: Mask, teacher: Teacher, seed: int = 0
    ) -> Fitted:
        """Fit both functions to the texts in the mask `used`."""
        taught = teacher.taught(used)
        difficulty = DifficultyFit(table, used, taught, seed)
        from_difficulty = recipe.difficulty_in_level * difficulty.difficulties
        level = LevelFit(table, recipe, used, taught.labels, from_difficulty, seed)
        levels = level.levels
        moved = recipe.moved(table, levels)
        return cls(level, difficulty, levels + moved, moved)


@dataclass(frozen=True)
class OutOfFold:
    """Out-of-fold estimates for every text, by models that did not learn from its group.

    `levels_apart` and `difficulties_apart` are the spreads of the ensembles.
    """

    levels: Floats
    difficulties: Floats
    messages: Floats
    levels_apart: Floats
    difficulties_apart: Floats


def folds_of_texts(table: Table, seed: int = 0) -> Ints:
    """Return the fold of each text; it depends on the group, or on the index of a page without."""
    fold = folds_of(table.groups, FOLDS, seed)
    pages = (table.sets == READ_PAGES) & (table.groups < 0)
    fold[pages] = folds_of(np.arange(pages.sum()), FOLDS, seed)
    return fold


def unseen_by(table: Table, recipe: Recipe) -> Mask:
    """A mask of the recipe's texts that have no copy in a set outside the recipe."""
    own = np.isin(table.sets, recipe.sets)
    return own & ~np.isin(table.groups, table.groups[~own])


def out_of_fold(table: Table, recipe: Recipe, teacher: Teacher, seed: int = 0) -> OutOfFold:
    """Estimate each text by models that learned neither from its group nor from a copy of it.

    Sets outside the recipe are held out completely, as are copies of their texts; the estimate of
    such a text is the mean of the models of all folds.
    """
    own, usable = np.isin(table.sets, recipe.sets), unseen_by(table, recipe)
    fold = folds_of_texts(table, seed)
    estimates = np.zeros((5, len(table)))
    for number in range(FOLDS):
        fit = Fitted.of(table, recipe, usable & (fold != number), teacher, seed)
        hard = fit.difficulty
        values = np.stack(
            [fit.levels, hard.difficulties, hard.messages, fit.level.apart, hard.apart]
        )
        held_out = own & (fold == number)
        estimates[:, held_out] = values[:, held_out]
        estimates[:, ~own] += values[:, ~own] / FOLDS
    return OutOfFold(*estimates)


@dataclass(frozen=True)
class KindsLeftOut:
    """Estimates of texts by models that saw no text of their kind; NaN for other texts."""

    difficulties: Floats
    messages: Floats
    apart: Floats
    squares: Floats


class Teaches(Protocol):
    """A source of target difficulties for training: a `Teacher`, or the readings alone."""

    def taught(self, learned_from: Mask) -> Taught:
        """Return the targets of all texts, learned from the texts of a mask."""


def kinds_left_out(
    table: Table, recipe: Recipe, teacher: Teaches, folds: int = 5, seed: int = 0
) -> KindsLeftOut:
    """Estimate each text with a reading by a model that saw no text of its kind or its group.

    The texts are passages, passages of further kinds, and pages.
    """
    judged = np.isin(table.sets, [READINGS, READ_KINDS, READ_PAGES])
    judged_kinds = np.unique(table.kinds[judged])
    fold = np.random.default_rng(seed).permutation(np.arange(len(judged_kinds)) % folds)
    usable = unseen_by(table, recipe)
    estimates = np.full((4, len(table)), np.nan)
    for number in range(folds):
        here = judged & np.isin(table.kinds, judged_kinds[fold == number])
        copies = np.isin(table.groups, table.groups[here & (table.groups >= 0)])
        used = usable & ~left_out_with(table.kinds, judged_kinds[fold == number].tolist()) & ~copies
        fit = DifficultyFit(table, used, teacher.taught(used), seed)
        values = np.stack([fit.difficulties, fit.messages, fit.apart, fit.squares])
        estimates[:, here] = values[:, here]
    return KindsLeftOut(*estimates)
