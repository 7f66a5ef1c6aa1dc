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
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.bundle import Bundle
from understandability.model.calibration import calibrate_by_line
from understandability.model.estimators import EstimatorRow, estimator_row
from understandability.model.judged import JudgedModel, check_backgrounds
from understandability.model.predictors import Predictor
from understandability.training.portable import means, portable
from understandability.wording import counted

_MOST_CLASSES = 20
_SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)  # of the labels, for a learning curve
_FEWEST_TEXTS = 20


def judged_estimator(name: str) -> EstimatorRow:
    """The row of an estimator that takes features; `OptionError` for any other."""
    row = estimator_row(name)
    if row.on_counts:
        raise OptionError(f"{name} takes counts of words, not features; choose another")
    return row


@dataclass(frozen=True)
class FoldedLabels:
    """What judged models are fitted to, and how; `rows` and `labels` of judged texts only.

    Labels stand on 0 to 100, higher = harder.
    """

    row: EstimatorRow
    rows: Floats
    labels: Floats
    fold: NDArray[np.int64]
    groups: NDArray[Any]
    random_state: int
    parameters: Mapping[str, Any]

    @property
    def classes(self) -> tuple[float, ...]:
        """The labels of a classifier's classes; none for a regressor."""
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
    targets: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str,
    *,
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> FoldedLabels:
    """The judged texts among all, dealt out to folds by group; raises as `train_judged`."""
    row = judged_estimator(estimator)
    judged = np.isfinite(targets)
    numbers = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    check_groups(int(numbers.max()) + 1, folds)
    labels = targets[judged]
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
            f"the labels have {counted(groups, 'group')}{joined}, too few for "
            f"{folds} folds; give more groups{fewer}"
        )


def train_judged(
    inputs: Floats,
    columns: Sequence[str],
    targets: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str = "xgboost-regressor",
    *,
    backgrounds: Sequence[BackgroundModel] = (),
    name: str = "judged",
    licence: str = "that of its labels",
    **dealt: Any,
) -> tuple[Bundle, OutOfFold]:
    """Train an estimator on (documents, columns) and `targets`, labels on 0 to 100.

    Documents whose target is NaN are left out of training. Out-of-fold estimates by group give
    the map from the estimator's output to difficulty (`calibrate_by_line`). `backgrounds` are the
    models whose outputs are among the columns; the bundle holds them. `dealt` are folds, random
    state and parameters of the estimator, as `folded_labels` has them.

    Raises `InputError` where there are too few groups for the folds, or where the estimates say
    nothing about the targets; `OptionError` for an estimator that takes no columns.
    """
    check_backgrounds(columns, backgrounds)
    task = folded_labels(inputs, targets, groups, estimator, **dealt)
    raw = task.out_of_fold()
    calibration = calibrate_by_line(raw, task.labels).on_own_scale()
    whole = task.fit(np.full(len(raw), True))
    model = JudgedModel(
        task.row.name, tuple(columns), whole, means(task.rows), task.classes, tuple(backgrounds)
    )
    judged = np.isfinite(targets)
    estimated, where = np.full(len(inputs), np.nan), np.full(len(inputs), -1, np.int64)
    estimated[judged], where[judged] = calibration.of(raw)[0], task.fold
    bundle = Bundle(name, licence, model, calibration, MappingProxyType({}))
    return bundle, OutOfFold(estimated, where, task, raw)


def learning_curve(found: OutOfFold) -> dict[float, Floats]:
    """Raw outputs out of fold of models that saw a share of the groups, from an eighth to all.

    Shares of too few texts to learn from are left out.
    """
    task = found.task
    kept = 1 - 1 / (task.fold.max() + 1)
    curve = {}
    for share in _SHARES:
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
