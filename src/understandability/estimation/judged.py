"""Judged models: an estimator on columns of the feature catalogue, trained on human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError, OptionError
from understandability.estimation.arrays import MOST
from understandability.estimation.background import BackgroundModel, expected_label
from understandability.estimation.bundles import Bundle
from understandability.estimation.calibration import EASIEST, HARDEST, Calibration
from understandability.estimation.estimators import EstimatorRow, estimator_row
from understandability.estimation.models import check_estimator, check_features
from understandability.estimation.portable import portable
from understandability.estimation.predictors import Predictor
from understandability.estimation.users import Floats
from understandability.estimation.weights import predictor_files, predictor_of
from understandability.features import COLUMNS, Batch, features_of
from understandability.features.background import GROUP, by_row

_MOST_CLASSES = 20


@dataclass(frozen=True)
class JudgedModel:
    """Columns of the catalogue, and an estimator over them.

    `center` is the mean of each column over the training texts, 0 where none has a value;
    `labels` are the difficulties of a classifier's classes, none for a regressor. `backgrounds`
    are the models whose outputs are among the columns.
    """

    estimator: str
    columns: tuple[str, ...]
    predictor: Predictor
    center: tuple[float, ...]
    labels: tuple[float, ...] = ()
    backgrounds: tuple[BackgroundModel, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the catalogue that it reads."""
        return self.columns

    @property
    def typical(self) -> Floats:
        """The mean of the texts it learned from."""
        return np.array(self.center)

    def inputs(self, batch: Batch) -> Floats:
        """The values of its columns; (documents, columns)."""
        return features_of(batch, self.columns, self.backgrounds).values

    def predict(self, inputs: Floats) -> Floats:
        """The raw output for rows of the columns: a value, or the expected difficulty."""
        return expected_label(self.predictor(inputs), self.labels)

    def raw(self, batch: Batch) -> Floats:
        """The raw output for each document."""
        return self.predict(self.inputs(batch))

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The names of the columns, and the estimator in a file of its own.

        Names of background models' files begin with that of their estimator.
        """
        files, backgrounds = predictor_files(self.predictor), []
        for background in self.backgrounds:
            entry, more = background.to_parts()
            backgrounds.append(entry)
            files |= {f"{background.estimator}-{name}": each for name, each in more.items()}
        model = {
            "kind": "judged",
            "estimator": self.estimator,
            "features": list(self.columns),
            "center": list(self.center),
            "labels": list(self.labels),
            "backgrounds": backgrounds,
        }
        return model, files

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> JudgedModel:
        """The model that `to_parts` gave."""
        row = check_estimator(model.get("estimator"))
        columns = check_features(model.get("features"))
        predictor = predictor_of(weights)
        labels, center = model.get("labels"), model.get("center")
        if not (_are_numbers(labels) and _are_numbers(center)):
            raise InputError("it states no labels and no center of its features")
        outputs = len(labels) if row.classifies else 1
        if not predictor.inputs == len(columns) == len(center):
            raise InputError("its features and its estimator do not fit together")
        if predictor(np.zeros((1, len(columns)))).shape != (1, outputs):
            raise InputError("its labels and its estimator do not fit together")
        backgrounds = _backgrounds(model.get("backgrounds", []), weights)
        _check_backgrounds(columns, backgrounds)
        means, classes = (tuple(map(float, each)) for each in (center, labels))
        return cls(row.name, columns, predictor, means, classes, backgrounds)


def _backgrounds(entries: object, weights: Mapping[str, bytes]) -> tuple[BackgroundModel, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("its background models are no list of them")
    models = []
    for entry in entries:
        prefix = f"{entry.get('estimator')}-"
        own = {
            name.removeprefix(prefix): content
            for name, content in weights.items()
            if name.startswith(prefix)
        }
        models.append(BackgroundModel.from_parts(entry, own))
    return tuple(models)


def _check_backgrounds(columns: Sequence[str], models: Sequence[BackgroundModel]) -> None:
    given = by_row(models)
    for name in columns:
        if COLUMNS[name][0].group == GROUP and name not in given:
            raise InputError(
                f"the feature {name!r} is the output of a background model, which is missing; "
                "name its bundle by --bundle"
            )


def _are_numbers(value: object) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(
        isinstance(each, int | float) and abs(each) <= MOST for each in value
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
    _check_backgrounds(columns, backgrounds)
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

    fold = _folds(numbers, folds, random_state)
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


def _folds(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    from understandability.estimation.mixture_training import folds_of

    return folds_of(groups, folds, random_state)


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
