"""The interface of all models of bundles; and the simplest model, a column of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import features_of
from understandability.model.estimators import ESTIMATORS, EstimatorRow


@dataclass(frozen=True, slots=True)
class Reading:
    """The output of a model for some documents, before any scale; arrays are (documents,).

    `raw` is its own output (higher is harder), `error` its standard error, NaN where the model
    knows none; `words` is the number of words it read. `level` is the CEFR level, 1 (A1) to 6 (C2),
    with its error; NaN for models without levels. `message` is the difficulty of getting the
    message, on the scale of `raw`; models without it repeat `raw`.
    """

    raw: Floats
    error: Floats
    words: Floats
    flags: tuple[tuple[str, ...], ...]
    level: Floats
    level_error: Floats
    message: Floats

    @classmethod
    def of(cls, raw: Floats, words: Floats) -> Reading:
        """The reading of a model that has an output only; NaN for documents without words."""
        none = np.full(len(raw), np.nan)
        raw = np.where(words > 0, raw, np.nan)
        return cls(raw, none, words, ((),) * len(raw), none, none, raw)


class Model(Protocol):
    """Documents in, a reading out.

    A number depends on its own document only, to the last digit, so that scores do not change
    with the batches of a run.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its inputs: columns of the catalogue, or its own."""

    @property
    def typical(self) -> Floats:
        """The inputs of a typical text, with which contributions compare a document's own."""

    def inputs(self, batch: Batch) -> Floats:
        """The inputs for each document; (documents, names)."""

    def predict(self, inputs: Floats) -> Floats:
        """The raw output for each row of inputs; NaN where there is none."""

    def read(self, batch: Batch) -> Reading:
        """The raw output for each document, with errors, level and flags if it has them."""

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The entry ``model`` of ``bundle.json``, and weights by file name."""


@dataclass(frozen=True, slots=True)
class ColumnModel:
    """One column of the feature catalogue, as it is, such as a likelihood ratio."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of the catalogue that it reads."""
        return (self.column,)

    names = columns

    @property
    def typical(self) -> Floats:
        """0: as likely in one corpus as in the other, for a likelihood ratio."""
        return np.zeros(1)

    def inputs(self, batch: Batch) -> Floats:
        """The values of the column; (documents, 1)."""
        return features_of(batch, [self.column]).values

    def predict(self, inputs: Floats) -> Floats:
        """The values as they are."""
        return inputs[:, 0]

    def read(self, batch: Batch) -> Reading:
        """The values of the column."""
        return Reading.of(self.predict(self.inputs(batch)), batch.words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The name of the column; no weights."""
        return {"kind": "column", "column": self.column}, {}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> ColumnModel:
        """Read the model that `to_parts` wrote."""
        return cls(*check_features([model.get("column")]))


def check_estimator(name: object) -> EstimatorRow:
    """The row of the estimator that a bundle states, if this version knows it."""
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise InputError(f"this version knows no estimator {str(name)[:40]!r}; upgrade it")
    return ESTIMATORS[name]


def check_features(names: object) -> tuple[str, ...]:
    """The names of features that a bundle states, if this version knows all of them."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("its features are not a list of names")
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise InputError(
            f"this version knows no feature {', '.join(repr(name[:40]) for name in unknown[:5])}"
            f"{' and others' if len(unknown) > 5 else ''}; upgrade it, or train the model again"
        )
    return tuple(names)
