"""Rows of the catalogue for the outputs of background models, one per estimator.

Judged models and learning to rank use them. The models themselves are not part of the package:
users train them on corpora of their choice and pass them to `features_of`. A row is NaN if no model
of its estimator is passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from understandability.direction import Direction
from understandability.errors import OptionError
from understandability.feature.batch import Batch, FloatArray
from understandability.feature.row import Feature

GROUP = "background models"
NEEDED = "a background bundle (--bundle)"
_PREFIX = "background_"


class BackgroundOutput(Protocol):
    """The interface of a trained background model: it computes one number per document."""

    @property
    def estimator(self) -> str:
        """The name of the type of model, such as ``mlp-regressor``."""

    def raw(self, batch: Batch) -> FloatArray:
        """Return for each document the value of a regressor, or the expected label of a
        classifier.
        """


def row_name(estimator: str) -> str:
    """Return the name of the catalogue row for a type of model.

    >>> row_name("mlp-regressor")
    'background_mlp_regressor'
    """
    return _PREFIX + estimator.replace("-", "_")


def by_row(models: Sequence[BackgroundOutput]) -> Mapping[str, BackgroundOutput]:
    """Return the models keyed by row name; raise `OptionError` if two have the same row."""
    rows = {row_name(model.estimator): model for model in models}
    if len(rows) < len(models):
        raise OptionError("two background models have the same estimator, but only one row; choose")
    return rows


def no_output(batch: Batch) -> FloatArray:
    """Return NaN for each document, as the value of the row if no model was passed."""
    return np.full(len(batch), np.nan)


def _row(estimator: str) -> Feature:
    output = "expected label" if estimator.endswith("classifier") else "output"
    return Feature(
        name=row_name(estimator),
        group=GROUP,
        unit="corpus label",
        direction=Direction.HARDER,
        meaning=f"{output} of a background model: {estimator}",
        source="Palotti, Zuccon & Hanbury 2019",
        compute=no_output,
        needs=(NEEDED,),
    )


_ESTIMATORS = (
    "linear-regressor", "gradient-boosting-regressor", "xgboost-regressor", "mlp-regressor",
    "random-forest-regressor", "svm-regressor", "logistic-classifier",
    "gradient-boosting-classifier", "mlp-classifier", "random-forest-classifier",
    "svm-classifier", "naive-bayes-classifier",
)  # fmt: skip
ROWS = tuple(map(_row, _ESTIMATORS))
