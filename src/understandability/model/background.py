"""Background models: they map the words of a text to a vector of topics, and the vector to a label.

They are trained on corpora of different difficulty, by `training.train_background` (Palotti, Zuccon
& Hanbury 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch, starts_of, sum_segments
from understandability.feature.language_model import statistics_key
from understandability.model.model import Reading, check_estimator
from understandability.model.predictors import (
    MOST,
    Network,
    Predictor,
    array_bytes,
    arrays_of,
    predictor_files,
    predictor_of,
)


@dataclass(frozen=True, slots=True)
class Bags:
    """Documents as bags of words; the entries of document ``i`` are at ``starts[i]:starts[i + 1]``.

    `words` holds the ids of its distinct words, ascending. `counts` holds how often each occurs.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]


def bags_of(numbers: NDArray[np.int32], token_starts: NDArray[np.int64]) -> Bags:
    """Count the word ids of each document; negative ids are skipped.

    >>> bags = bags_of(np.array([7, 2, 7, -1]), np.array([0, 3, 4]))
    >>> bags.starts.tolist(), bags.words.tolist(), bags.counts.tolist()
    ([0, 2, 2], [2, 7], [1, 2])
    """
    sizes = np.diff(token_starts)
    document = np.repeat(np.arange(len(sizes)), sizes)
    in_vocabulary = numbers >= 0
    width = int(numbers.max(initial=0)) + 1
    keys, counts = np.unique(
        document[in_vocabulary] * width + numbers[in_vocabulary], return_counts=True
    )
    starts = starts_of(np.bincount(keys // width, minlength=len(sizes)))
    return Bags(starts, keys % width, counts)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words that a model distinguishes, normalised by `statistics_key`, and their ids.

    Vocabularies are compared by identity, because they are keys of a cache, and comparing the words
    themselves would take longer than the look-up.
    """

    words: tuple[str, ...]

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """Return the id of each token; -1 outside the vocabulary. Used as a cached column of word
        types.
        """
        number, keys = self._numbers.get, map(statistics_key, tokens)
        return np.fromiter((number(key, -1) for key in keys), np.int32, len(tokens))

    def bags(self, batch: Batch) -> Bags:
        """Return the documents of a batch as bags of the words of this vocabulary."""
        return bags_of(batch.token_values(self.numbers), batch.token_starts)

    def to_array(self) -> NDArray[np.uint8]:
        """Return the words as one array of bytes."""
        return np.frombuffer("\n".join(self.words).encode(), np.uint8)

    @classmethod
    def from_array(cls, array: NDArray[Any] | None) -> Vocabulary:
        """Read the vocabulary that `to_array` wrote."""
        if array is None or array.dtype != np.uint8 or array.ndim != 1:
            raise InputError("it has no vocabulary")
        try:
            return cls(tuple(array.tobytes().decode().split("\n")))
        except UnicodeDecodeError as error:
            raise InputError("its vocabulary is damaged") from error


@dataclass(frozen=True, slots=True)
class LsaSpace:
    """Latent semantic analysis (Deerwester et al. 1990) over TF-IDF.

    `weights` are the inverse document frequencies, log2(documents / documents with the word);
    `projection` is (words, dimensions).
    """

    weights: Floats
    projection: Floats

    def __post_init__(self) -> None:
        if self.weights.ndim != 1 or self.projection.ndim != 2:
            raise InputError("its LSA space has the wrong shape")
        if self.projection.shape[0] != len(self.weights) or 0 in self.projection.shape:
            raise InputError("its LSA space does not fit its vocabulary")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.projection).all()):
            raise InputError("its LSA space has numbers that are not finite")

    def vectors(self, bags: Bags) -> Floats:
        """Project each document to a vector; (documents, dimensions). Input vectors have length
        1.
        """
        worth = bags.counts * self.weights[bags.words]
        lengths = np.sqrt(sum_segments(worth**2, bags.starts))
        sums = sum_segments(worth[:, None] * self.projection[bags.words], bags.starts)
        return sums / np.where(lengths > 0, lengths, 1)[:, None]


@dataclass(frozen=True)
class BackgroundModel:
    """A trained background model: a vocabulary, an LSA space, and an estimator of the labels.

    Models of term counts have no LSA space. `labels` are the labels of the training corpora,
    ascending. The estimator returns a probability per label (classifier) or one value (regressor).
    """

    estimator: str
    vocabulary: Vocabulary
    space: LsaSpace | None
    predictor: Predictor
    labels: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs: one per dimension of the LSA space, or per label for term
        counts.
        """
        return tuple(f"topic_{number}" for number in range(len(self.typical)))

    @property
    def typical(self) -> Floats:
        """The inputs of a text without informative words: zeros."""
        dimensions = len(self.labels) if self.space is None else self.space.projection.shape[1]
        return np.zeros(dimensions)

    def inputs(self, batch: Batch) -> Floats:
        """Return the LSA vector of each document; for models of term counts, their weighted sums.

        A document without a word of the vocabulary has NaN in every column.
        """
        bags = self.vocabulary.bags(batch)
        if self.space is not None:
            vectors = self.space.vectors(bags)
        else:  # the rows of the single layer for the words that occur
            assert isinstance(self.predictor, Network)
            rows = self.predictor.weights[0][bags.words]
            vectors = sum_segments(bags.counts[:, None] * rows, bags.starts)
        vectors[np.diff(bags.starts) == 0] = np.nan
        return vectors

    def predict(self, inputs: Floats) -> Floats:
        """Return the unclipped value of a regressor, or the expected label of a classifier."""
        has_inputs = np.isfinite(inputs).all(axis=1)
        raw = np.full(len(inputs), np.nan)
        predictor = self.predictor
        if self.space is None:  # the inputs are weighted sums already; only bias and link remain
            assert isinstance(predictor, Network)
            identity = np.eye(inputs.shape[1])
            predictor = Network((identity,), predictor.biases, predictor.link)
        raw[has_inputs] = expected_label(predictor(inputs[has_inputs]), self.labels)
        return raw

    def raw(self, batch: Batch) -> Floats:
        """Return the raw output for each document; NaN if none of its words is in the
        vocabulary.
        """
        return self.predict(self.inputs(batch))

    def read(self, batch: Batch) -> Reading:
        """Return the raw output for each document, as a `Reading`."""
        return Reading.of(self.raw(batch), batch.words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: its entry in ``bundle.json``, and the contents of weight files by
        name.

        ``words.npz`` holds the vocabulary and the space; the estimator has its own file.
        """
        arrays = {"words": self.vocabulary.to_array()}
        if self.space is not None:
            arrays["weights"] = self.space.weights.astype(np.float32)
            arrays["projection"] = self.space.projection.astype(np.float32)
        model = {"kind": "background", "estimator": self.estimator, "labels": list(self.labels)}
        return model, {"words.npz": array_bytes(arrays), **predictor_files(self.predictor)}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> BackgroundModel:
        """Restore a model from the result of `to_parts`."""
        row = check_estimator(model.get("estimator"))
        labels = _labels(model.get("labels"))
        arrays = arrays_of(weights, "words.npz")
        vocabulary = Vocabulary.from_array(arrays.get("words"))
        predictor = predictor_of(weights)
        space = None
        if not row.on_counts:
            numbers = [arrays.get(name) for name in ("weights", "projection")]
            arrays_found = [a for a in numbers if a is not None and a.dtype.kind == "f"]
            if len(arrays_found) != 2:
                raise InputError("it has no LSA space")
            space = LsaSpace(*(array.astype(np.float64) for array in arrays_found))
        inputs = len(vocabulary.words) if space is None else space.projection.shape[1]
        outputs = len(labels) if row.classifies else 1
        words = inputs if space is None else len(space.weights)
        fits = predictor.inputs == inputs and words == len(vocabulary.words)
        if not fits or predictor(np.zeros((1, predictor.inputs))).shape != (1, outputs):
            raise InputError("its vocabulary, its LSA space and its estimator do not fit together")
        return cls(row.name, vocabulary, space, predictor, labels)


def expected_label(outputs: Floats, labels: tuple[float, ...]) -> Floats:
    """Reduce outputs to one number per document: a regressor's value, or the mean label of a
    classifier.

    >>> expected_label(np.array([[0.5, 0.0, 0.5]]), (1, 2, 3))
    array([2.])
    """
    if outputs.shape[1] == 1:
        return outputs[:, 0]
    return np.asarray((outputs * np.asarray(labels)).sum(axis=1), np.float64)


def _labels(stated: Any) -> tuple[float, ...]:
    try:
        labels = tuple(map(float, stated))
    except (TypeError, ValueError) as error:
        raise InputError("it states no labels") from error
    if len(labels) < 2 or not all(-MOST <= a < b <= MOST for a, b in pairwise(labels)):
        raise InputError("its labels do not ascend")
    return labels
