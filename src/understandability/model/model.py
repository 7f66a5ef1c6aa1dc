"""The interface of all models in bundles, and the simplest model: a column of the catalogue."""

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
from understandability.flags import FlagName
from understandability.model.estimators import ESTIMATORS, EstimatorRow


@dataclass(frozen=True, slots=True)
class Reading:
    """The output of a model for some documents, before calibration; arrays are (documents,).

    `raw` is the model's own output (higher is harder), and `error` its standard error, NaN if
    unknown. `words` is the number of words read. `level` is the CEFR level, 1 (A1) to 6 (C2), with
    its standard error `level_error`; NaN for models without levels. `message` is the difficulty of
    getting the message, on the scale of `raw`; models that do not estimate it repeat `raw`.
    """

    raw: Floats
    error: Floats
    words: Floats
    flags: tuple[tuple[FlagName, ...], ...]
    level: Floats
    level_error: Floats
    message: Floats

    @classmethod
    def of(cls, raw: Floats, words: Floats) -> Reading:
        """Return the reading of a model that has only a raw output; NaN for documents without
        words.
        """
        unknown = np.full(len(raw), np.nan)
        raw = np.where(words > 0, raw, np.nan)
        return cls(raw, unknown, words, ((),) * len(raw), unknown, unknown, raw)


class Model(Protocol):
    """The interface of a model: it maps the documents of a batch to a `Reading`.

    The output for a document must be bit-identical whatever other documents are in the batch, so
    that scores do not depend on how a run is split into batches.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs: columns of the catalogue, or columns that the model computes
        itself.
        """

    @property
    def typical(self) -> Floats:
        """The inputs of a typical text, with which an explanation compares a text."""

    def inputs(self, batch: Batch) -> Floats:
        """Compute the inputs for each document; shape (documents, names)."""

    def predict(self, inputs: Floats) -> Floats:
        """Return the raw output for each row of inputs; NaN without an estimate."""

    def read(self, batch: Batch) -> Reading:
        """Return the raw output for each document, with its standard error, level and flags if the
        model estimates them.
        """

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: its entry ``model`` in ``bundle.json``, and weight files by name."""


@dataclass(frozen=True, slots=True)
class ColumnModel:
    """A model whose output is an unchanged column of the feature catalogue, such as a likelihood
    ratio.
    """

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of the catalogue that the model reads."""
        return (self.column,)

    names = columns

    @property
    def typical(self) -> Floats:
        """Zero, which for a likelihood ratio means that a text is equally likely in both
        corpora.
        """
        return np.zeros(1)

    def inputs(self, batch: Batch) -> Floats:
        """Compute the column; shape (documents, 1)."""
        return features_of(batch, [self.column]).values

    def predict(self, inputs: Floats) -> Floats:
        """Return the values of the column unchanged."""
        return inputs[:, 0]

    def read(self, batch: Batch) -> Reading:
        """Return the values of the column as the raw output."""
        return Reading.of(self.predict(self.inputs(batch)), batch.words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: the name of the column, and no weights."""
        return {"kind": "column", "column": self.column}, {}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> ColumnModel:
        """Restore a model from the result of `to_parts`."""
        return cls(*check_features([model.get("column")]))


def check_estimator(name: object) -> EstimatorRow:
    """Return the estimator that a bundle names; raise `InputError` if this version lacks it."""
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise InputError(f"this version knows no estimator {str(name)[:40]!r}; upgrade it")
    return ESTIMATORS[name]


def check_features(names: object) -> tuple[str, ...]:
    """Return the feature names of a bundle; raise `InputError` if this version lacks one."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("its features are not a list of names")
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise InputError(
            f"this version knows no feature {', '.join(repr(name[:40]) for name in unknown[:5])}"
            f"{' and others' if len(unknown) > 5 else ''}; upgrade it, or train the model again"
        )
    return tuple(names)
