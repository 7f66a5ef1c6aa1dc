"""Judged models: an estimator on columns of the feature catalogue, trained on human labels."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.feature.catalogue import CATALOGUE, COLUMNS, GROUPS, check_columns
from understandability.feature.needs import missing
from understandability.feature.row import DOCUMENT
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.bundle import Bundle
from understandability.model.calibration import calibrate_by_line
from understandability.model.estimators import EstimatorRow, estimator_row
from understandability.model.judged import JudgedModel, check_backgrounds
from understandability.model.predictors import Predictor
from understandability.training.portable import portable

_MOST_CLASSES = 20


# Groups of the catalogue that describe a text of any length, whatever page it stood on.
_GROUPS = (
    "readability",
    "components",
    "medical vocabulary",
    "natural language",
    "word frequency",
    "language model",
)


def text_columns() -> tuple[str, ...]:
    """The columns of the catalogue that a judged model reads by default.

    They are ratios, so that the length of a text does not matter, and need nothing installed.
    """
    return tuple(
        row.column(per)
        for row in CATALOGUE
        if row.group in _GROUPS
        if not row.needs and not row.name.endswith("_readcalc")
        for per in row.per
        if (per != DOCUMENT or len(row.per) == 1) and row.name != "sentences"
    )


# What rows of the study's groups have at the end of their names, or are called, that its Table 2
# does not list: other forms of a formula, other lists, another matcher of concepts.
_NOT_IN_STUDY = (
    "_above_5", "_cloze", "_plain", "_readcalc", "_metamap", "_indri", "_terrier",
    "words_over_3_syllables", "adam_abbreviations",
)  # fmt: skip
_STUDY_GROUPS = (
    "readability",
    "components",
    "medical vocabulary",
    "consumer vocabulary",
    "expert vocabulary",
    "natural language",
    "html",
    "word frequency",
)


def study_columns() -> tuple[str, ...]:
    """The features of Table 2 of Palotti, Zuccon & Hanbury (2019), in all their forms.

    Raw, per word and per sentence; the outputs of background models, which Table 2 has too, come
    with the bundles of these models. Where the study had a list of its own, ours stands beside it.
    """
    return tuple(
        column
        for row in CATALOGUE
        if row.group in _STUDY_GROUPS
        if not row.name.endswith(_NOT_IN_STUDY) and not row.name.startswith("zipf_")
        for column in row.columns
    )


# Sets of features by name, besides the groups and the columns of the catalogue.
FEATURE_SETS = MappingProxyType({"text": text_columns, "study2018": study_columns})


def columns_named(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of sets (`FEATURE_SETS`), groups, features and columns; each once.

    A group or a feature has all its forms: raw, per word, per sentence.

    >>> columns_named(["smog", "syllables"])
    ('smog', 'syllables', 'syllables_per_word', 'syllables_per_sentence')
    """
    chosen: list[str] = []
    for name in names:
        group = name.replace("-", " ").replace("_", " ").lower()
        if name in FEATURE_SETS:
            chosen += FEATURE_SETS[name]()
        elif group in GROUPS:
            chosen += [each for row in CATALOGUE if row.group == group for each in row.columns]
        else:
            try:
                [column] = check_columns([name])
            except OptionError as error:
                raise OptionError(
                    f"{error}; sets and groups are {', '.join((*FEATURE_SETS, *GROUPS))}"
                ) from error
            row, form = COLUMNS[column]
            chosen += row.columns if form == DOCUMENT else [column]
    return tuple(dict.fromkeys(chosen))


def without_empty(inputs: Floats, columns: Sequence[str]) -> tuple[Floats, tuple[str, ...], str]:
    """The columns that have a value in any row, and a sentence on those that have none.

    >>> without_empty(np.array([[1.0, np.nan]]), ["smog", "chv_concepts"])[1:]  # doctest: +ELLIPSIS
    (('smog',), 'left out, because no text has a value: 1 feature (chv_concepts); ...')
    """
    full = np.asarray(np.isfinite(inputs).any(axis=0))
    empty = [name for name, has in zip(columns, full, strict=True) if not has]
    if not empty:
        return inputs, tuple(columns), ""
    if not full.any():
        raise InputError(f"none of the features {', '.join(empty[:5])} has a value for any text")
    needs = [need for name in empty for need in COLUMNS[name][0].needs]
    lacking = ", ".join(dict.fromkeys(missing(needs)))
    some = f"{', '.join(empty[:3])}{', ...' if len(empty) > 3 else ''}"
    count = f"{len(empty)} feature{'s' if len(empty) > 1 else ''}"
    remark = f"left out, because no text has a value: {count} ({some})"
    if lacking:
        remark += f"; not installed: {lacking} (see `understand resources list`)"
    kept = tuple(name for name, has in zip(columns, full, strict=True) if has)
    return inputs[:, full], kept, remark


def judged_estimator(name: str) -> EstimatorRow:
    """The row of an estimator that takes features; `OptionError` for any other."""
    row = estimator_row(name)
    if row.on_counts:
        raise OptionError(f"{name} takes counts of words, not features; choose another")
    return row


@dataclass(frozen=True)
class FoldedLabels:
    """What judged models are fitted to, and how; `rows` and `labels` of judged texts only."""

    row: EstimatorRow
    rows: Floats
    labels: Floats
    fold: NDArray[np.int64]
    groups: NDArray[Any]
    random_state: int
    parameters: Mapping[str, Any]

    @property
    def classes(self) -> tuple[float, ...]:
        """The difficulties of a classifier's classes; none for a regressor."""
        return tuple(np.unique(self.labels).tolist()) if self.row.classifies else ()

    def fit(self, where: NDArray[np.bool_]) -> Predictor:
        """A model of some of the texts; raises `InputError` where they lack a class."""
        targets: NDArray[Any] = self.labels[where]
        if self.row.classifies:
            targets = np.searchsorted(self.classes, targets)
            if len(np.unique(targets)) < len(self.classes):
                raise InputError(
                    f"a label occurs in too few groups for {self.fold.max() + 1} folds"
                )
        made = self.row.made(self.random_state, self.parameters)
        return portable(made.fit(self.rows[where], targets))

    def out_of_fold(self, share: float = 1.0) -> Floats:
        """The raw output for each text by a model of the other folds, or of a share of them.

        A share is one of groups; a smaller share is part of a larger one.
        """
        raw = np.empty(len(self.labels))
        distinct, number = np.unique(self.groups, return_inverse=True)
        place = np.random.default_rng(self.random_state).permutation(len(distinct))[number]
        for each in range(self.fold.max() + 1):
            others, own = self.fold != each, self.fold == each
            last = np.quantile(np.unique(place[others]), share, method="inverted_cdf")
            fitted = self.fit(others & (place <= last))
            raw[own] = expected_label(fitted(self.rows[own]), self.classes)
        return raw


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Estimates of judged texts by models that did not see their group.

    `difficulty` is NaN for texts without a label; `fold` is -1 there. `task` is what was dealt out
    to folds, and `raw` the output for each text of it.
    """

    difficulty: Floats
    fold: NDArray[np.int64]
    task: FoldedLabels
    raw: Floats


def folded_labels(
    inputs: Floats,
    difficulties: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str,
    *,
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> FoldedLabels:
    """The judged texts among all, dealt out to folds by group; raises as `train_judged`."""
    row = judged_estimator(estimator)
    judged = np.isfinite(difficulties)
    numbers = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    check_groups(int(numbers.max()) + 1, folds)
    labels = difficulties[judged]
    if row.classifies and (found := len(np.unique(labels))) > _MOST_CLASSES:
        raise OptionError(
            f"{row.name} needs at most {_MOST_CLASSES} different labels, but there are "
            f"{found}; choose a regressor"
        )
    fold = folds_of(numbers, folds, random_state)
    return FoldedLabels(row, inputs[judged], labels, fold, numbers, random_state, parameters)


def check_groups(groups: int, folds: int, joined: str = "") -> None:
    """Raise `InputError` for fewer groups than folds; `joined` says why they are so few."""
    if groups < folds:
        fewer = f", or --folds {groups} (folds={groups})" if groups > 1 else ""
        raise InputError(
            f"the labels have {groups} group{'s' if groups > 1 else ''}{joined}, too few for "
            f"{folds} folds; give more groups{fewer}"
        )


def train_judged(
    inputs: Floats,
    columns: Sequence[str],
    difficulties: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str = "xgboost-regressor",
    *,
    backgrounds: Sequence[BackgroundModel] = (),
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    name: str = "judged",
    licence: str = "that of its labels",
    card: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Bundle, OutOfFold]:
    """Train an estimator on (documents, columns) and difficulties of 0 to 100.

    Documents whose difficulty is NaN are left out of training. Out-of-fold estimates over
    `folds` folds by group give the map from the estimator's output to difficulty
    (`calibrate_by_line`). `backgrounds` are the models whose outputs are among the columns; the
    bundle holds them. `parameters` are those of the estimator (`EstimatorRow.parameters`).

    Raises `InputError` where there are too few groups for the folds, or where the estimates say
    nothing about the difficulties; `OptionError` for an estimator that takes no columns.
    """
    check_backgrounds(columns, backgrounds)
    task = folded_labels(
        inputs,
        difficulties,
        groups,
        estimator,
        folds=folds,
        random_state=random_state,
        parameters=parameters,
    )
    raw = task.out_of_fold()
    calibration = calibrate_by_line(raw, task.labels).on_own_scale()
    known = np.isfinite(task.rows)
    center = np.where(known, task.rows, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    model = JudgedModel(
        task.row.name,
        tuple(columns),
        task.fit(np.full(len(raw), True)),
        tuple(center.tolist()),
        task.classes,
        tuple(backgrounds),
    )
    judged = np.isfinite(difficulties)
    estimated, where = np.full(len(inputs), np.nan), np.full(len(inputs), -1, np.int64)
    estimated[judged], where[judged] = calibration.of(raw)[0], task.fold
    bundle = Bundle(name, licence, model, calibration, MappingProxyType(dict(card)))
    return bundle, OutOfFold(estimated, where, task, raw)


SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)
_FEWEST_TEXTS = 20


def learning_curve(found: OutOfFold) -> dict[float, Floats]:
    """Raw outputs out of fold of models that saw a share (`SHARES`) of the groups.

    Shares of too few texts to learn from are left out.
    """
    task = found.task
    kept = 1 - 1 / (task.fold.max() + 1)
    curve = {}
    for share in SHARES:
        if share * kept * len(task.labels) >= _FEWEST_TEXTS:
            with contextlib.suppress(InputError):  # a class that so few texts lack
                curve[share] = found.raw if share == 1 else task.out_of_fold(share)
    return curve


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """The fold of each row; rows of one group are in one fold, groups are dealt out evenly.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)
