"""Judged models: an estimator on columns of the feature catalogue, trained on human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.features import CATALOGUE
from understandability.features.feature import DOCUMENT
from understandability.models.bundle import Bundle
from understandability.models.calibration import EASIEST, HARDEST, Calibration
from understandability.models.estimators import EstimatorRow, estimator_row
from understandability.models.runtime.background import BackgroundModel, expected_label
from understandability.models.runtime.judged import JudgedModel, check_backgrounds
from understandability.models.runtime.predictors import Predictor
from understandability.models.training.portable import portable

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


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Estimates of judged texts by models that did not see their group.

    `difficulty` is NaN for texts without a label; `fold` is -1 there.
    """

    difficulty: Floats
    fold: NDArray[np.int64]


def judged_estimator(name: str) -> EstimatorRow:
    """The row of an estimator that takes features; `OptionError` for any other."""
    row = estimator_row(name)
    if row.on_counts:
        raise OptionError(f"{name} takes counts of words, not features; choose another")
    return row


def train_judged(
    inputs: Floats,
    columns: Sequence[str],
    difficulties: Floats,
    groups: Sequence[str],
    estimator: str = "xgboost-regressor",
    *,
    backgrounds: Sequence[BackgroundModel] = (),
    folds: int = 5,
    random_state: int = 0,
    name: str = "judged",
    licence: str = "that of its labels",
    card: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Bundle, OutOfFold]:
    """Train an estimator on (documents, columns) and difficulties of 0 to 100.

    Documents whose difficulty is NaN are left out of training. Out-of-fold estimates over
    `folds` folds by group give the map from the estimator's output to difficulty (the straight
    line that fits best), and the spread (the standard deviation around it). `backgrounds` are the
    models whose outputs are among the columns; the bundle holds them.

    Raises `InputError` where there are too few groups for the folds, or where the estimates say
    nothing about the difficulties; `OptionError` for an estimator that takes no columns.
    """
    row = judged_estimator(estimator)
    check_backgrounds(columns, backgrounds)
    judged = np.isfinite(difficulties)
    rows, labels = inputs[judged], difficulties[judged]
    numbers = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    if numbers.max() + 1 < folds:
        raise InputError(
            f"the labels have {numbers.max() + 1} groups, too few for {folds} folds; "
            "give more texts, or fewer folds"
        )
    classes = tuple(np.unique(labels).tolist()) if row.classifies else ()
    if len(classes) > _MOST_CLASSES:
        raise OptionError(
            f"{row.name} needs at most {_MOST_CLASSES} different labels, there are "
            f"{len(classes)}; choose a regressor"
        )

    def fit(where: NDArray[np.bool_]) -> Predictor:
        targets = np.searchsorted(classes, labels[where]) if row.classifies else labels[where]
        if row.classifies and len(np.unique(targets)) < len(classes):
            raise InputError(f"a label stands in too few groups for {folds} folds")
        return portable(row.make(random_state).fit(rows[where], targets))

    fold = folds_of(numbers, folds, random_state)
    raw = np.empty(len(labels))
    for each in range(folds):
        raw[fold == each] = expected_label(fit(fold != each)(rows[fold == each]), classes)
    calibration = _line(raw, labels)
    known = np.isfinite(rows)
    center = np.where(known, rows, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    model = JudgedModel(
        row.name,
        tuple(columns),
        fit(np.full(len(labels), True)),
        tuple(center.tolist()),
        classes,
        tuple(backgrounds),
    )
    estimated, where = np.full(len(inputs), np.nan), np.full(len(inputs), -1, np.int64)
    estimated[judged], where[judged] = calibration.apply(raw)[0], fold
    bundle = Bundle(name, licence, model, calibration, MappingProxyType(dict(card)))
    return bundle, OutOfFold(estimated, where)


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """The fold of each row; rows of one group are in one fold, groups are dealt out evenly.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)


def _line(raw: Floats, difficulties: Floats) -> Calibration:
    """The calibration along the straight line of difficulty over raw output."""
    slope, start = np.polyfit(raw, difficulties, 1) if np.ptp(raw) > 0 else (0.0, 0.0)
    if slope <= 0:
        raise InputError(
            "the estimates out of fold do not rise with the labels; check the labels' direction"
        )
    spread = max(float(np.std(difficulties - (slope * raw + start))), 0.5)
    ends = (float((EASIEST - start) / slope), float((HARDEST - start) / slope))
    return Calibration(ends, (EASIEST, HARDEST), (spread, spread))
