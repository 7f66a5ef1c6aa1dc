"""`JudgedModel`: an estimator over columns of the feature catalogue, trained on judged texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.background_rows import GROUP, by_row
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import features_of
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.model import Reading, check_estimator, check_features
from understandability.model.predictors import MOST, Predictor, predictor_files, predictor_of


@dataclass(frozen=True)
class JudgedModel:
    """A fitted estimator that reads columns of the feature catalogue.

    `center` is the mean of each column over the training texts, 0 if no text has a value. `labels`
    are the difficulties of a classifier's classes; empty for a regressor. `backgrounds` are the
    background models whose outputs are among the columns.
    """

    estimator: str
    columns: tuple[str, ...]
    predictor: Predictor
    center: tuple[float, ...]
    labels: tuple[float, ...] = ()
    backgrounds: tuple[BackgroundModel, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the catalogue that the model reads."""
        return self.columns

    @property
    def typical(self) -> Floats:
        """The mean of each column over the training texts."""
        return np.array(self.center)

    def inputs(self, batch: Batch) -> Floats:
        """Compute the model's columns; shape (documents, columns)."""
        return features_of(batch, self.columns, self.backgrounds).values

    def predict(self, inputs: Floats) -> Floats:
        """Return the raw output for rows of the columns: a value, or the expected difficulty."""
        return expected_label(self.predictor(inputs), self.labels)

    def read(self, batch: Batch) -> Reading:
        """Return the raw output for each document."""
        return Reading.of(self.predict(self.inputs(batch)), batch.words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: its entry in ``bundle.json``, and the contents of weight files by
        name.

        The names of a background model's files start with the name of its estimator.
        """
        files, backgrounds = predictor_files(self.predictor), []
        for background in self.backgrounds:
            entry, more = background.to_parts()
            backgrounds.append(entry)
            files |= {f"{background.estimator}-{name}": data for name, data in more.items()}
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
        """Restore a model from the result of `to_parts`."""
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
        check_backgrounds(columns, backgrounds)
        means, classes = tuple(map(float, center)), tuple(map(float, labels))
        return cls(row.name, columns, predictor, means, classes, backgrounds)


def _backgrounds(entries: object, weights: Mapping[str, bytes]) -> tuple[BackgroundModel, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("its background models are not a list")
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


def check_backgrounds(columns: Sequence[str], models: Sequence[BackgroundModel]) -> None:
    """Raise `InputError` if a column needs a background model that is missing from `models`."""
    available = by_row(models)
    for name in columns:
        if COLUMNS[name][0].group == GROUP and name not in available:
            raise InputError(
                f"the feature {name!r} is the output of a background model, which is missing; "
                "name its bundle with --bundle"
            )


def _are_numbers(value: object) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(
        isinstance(number, int | float) and abs(number) <= MOST for number in value
    )
