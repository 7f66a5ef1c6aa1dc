"""A background model, trained: words to a place in a space of topics, and on to a label.

How it is learned says `training.background` (Palotti, Zuccon & Hanbury 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch, sum_segments
from understandability.model.arrays import MOST
from understandability.model.bags import Bags, LsaSpace, Vocabulary
from understandability.model.model import Reading, check_estimator
from understandability.model.predictors import Network, Predictor
from understandability.model.weights import array_bytes, arrays_of, predictor_files, predictor_of


@dataclass(frozen=True)
class BackgroundModel:
    """A vocabulary, an LSA space (none for term counts), and an estimator of the labels.

    `labels` are those of the corpora, ascending; `classes` tells whether the estimator gives a
    probability for each of them, rather than a value.
    """

    estimator: str
    vocabulary: Vocabulary
    space: LsaSpace | None
    predictor: Predictor
    labels: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each dimension, or for each label where words are counted."""
        return tuple(f"topic_{number}" for number in range(len(self.typical)))

    @property
    def typical(self) -> Floats:
        """0: where a text without a telling word would stand."""
        dimensions = len(self.labels) if self.space is None else self.space.projection.shape[1]
        return np.zeros(dimensions)

    def inputs(self, batch: Batch) -> Floats:
        """The place of each document in the LSA space, or, of counts, their weighted sums.

        NaN for a document without a word of the vocabulary.
        """
        bags = self.vocabulary.bags(batch)
        places = _places(self.predictor, self.space, bags)
        places[np.diff(bags.starts) == 0] = np.nan
        return places

    def predict(self, inputs: Floats) -> Floats:
        """The value of a regressor, not clipped; of a classifier, the expected label."""
        known = np.isfinite(inputs).all(axis=1)
        raw = np.full(len(inputs), np.nan)
        outputs = _outputs(self.predictor, self.space, inputs[known])
        raw[known] = expected_label(outputs, self.labels)
        return raw

    def raw(self, batch: Batch) -> Floats:
        """The raw output for each document; NaN where no word of it is known."""
        return self.predict(self.inputs(batch))

    def read(self, batch: Batch) -> Reading:
        """The same, as a reading."""
        return Reading.of(self.raw(batch), batch.words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Vocabulary and space in ``words.npz``, the estimator in a file of its own."""
        arrays = {"words": self.vocabulary.to_array()}
        if self.space is not None:
            arrays["weights"] = self.space.weights.astype(np.float32)
            arrays["projection"] = self.space.projection.astype(np.float32)
        model = {"kind": "background", "estimator": self.estimator, "labels": list(self.labels)}
        return model, {"words.npz": array_bytes(arrays), **predictor_files(self.predictor)}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> BackgroundModel:
        """The model that `to_parts` gave."""
        row = check_estimator(model.get("estimator"))
        labels = _labels(model.get("labels"))
        arrays = arrays_of(weights, "words.npz")
        vocabulary = Vocabulary.from_array(arrays.get("words"))
        predictor = predictor_of(weights)
        space = None
        if not row.on_counts:
            numbers = [arrays.get(name) for name in ("weights", "projection")]
            parts = [each.astype(np.float64) for each in numbers if _are_real(each)]
            if len(parts) != 2:
                raise InputError("it has no LSA space")
            space = LsaSpace(*parts)
        inputs = len(vocabulary.words) if space is None else space.projection.shape[1]
        outputs = len(labels) if row.classifies else 1
        words = inputs if space is None else len(space.weights)
        fits = predictor.inputs == inputs and words == len(vocabulary.words)
        if not fits or predictor(np.zeros((1, predictor.inputs))).shape != (1, outputs):
            raise InputError("its vocabulary, its LSA space and its estimator do not fit together")
        return cls(row.name, vocabulary, space, predictor, labels)


def expected_label(outputs: Floats, labels: tuple[float, ...]) -> Floats:
    """One number a document: the value itself, or the mean of the labels under their chances.

    >>> expected_label(np.array([[0.5, 0.0, 0.5]]), (1, 2, 3))
    array([2.])
    """
    if outputs.shape[1] == 1:
        return outputs[:, 0]
    return np.asarray((outputs * np.asarray(labels)).sum(axis=1), np.float64)


def _are_real(array: NDArray[Any] | None) -> TypeGuard[NDArray[np.floating[Any]]]:
    return array is not None and array.dtype.kind == "f"


def _labels(stated: Any) -> tuple[float, ...]:
    try:
        labels = tuple(map(float, stated))
    except (TypeError, ValueError) as error:
        raise InputError("it states no labels") from error
    if len(labels) < 2 or not all(-MOST <= a < b <= MOST for a, b in pairwise(labels)):
        raise InputError("its labels do not ascend")
    return labels


def _places(predictor: Predictor, space: LsaSpace | None, bags: Bags) -> Floats:
    if space is not None:
        return space.vectors(bags)
    # Term counts: of the one layer, the rows of the words that are there.
    assert isinstance(predictor, Network)
    return sum_segments(bags.counts[:, None] * predictor.weights[0][bags.words], bags.starts)


def _outputs(predictor: Predictor, space: LsaSpace | None, places: Floats) -> Floats:
    if space is not None:
        return predictor(places)
    assert isinstance(predictor, Network)
    return Network((np.eye(places.shape[1]),), predictor.biases, predictor.link)(places)
