"""Background models: the published recipe, learned from labelled corpora alone.

TF-IDF over the words of the corpora, latent semantic analysis with 10 dimensions, and an estimator
of the corpus a document is from: 1 medical Reddit, 2 medical Wikipedia, 3 PubMed (Palotti, Zuccon &
Hanbury 2019). Any corpora and labels do; multinomial naive Bayes takes the counts of words instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError, OptionError
from understandability.estimation.arrays import MOST
from understandability.estimation.bundles import Bundle, load_bundle
from understandability.estimation.calibration import calibrate_by_corpora
from understandability.estimation.estimators import EstimatorRow, estimator_row
from understandability.estimation.models import check_estimator
from understandability.estimation.portable import portable
from understandability.estimation.predictors import Network, Predictor
from understandability.estimation.users import Floats
from understandability.estimation.weights import (
    array_bytes,
    arrays_of,
    predictor_files,
    predictor_of,
)
from understandability.estimation.words import Bags, LsaSpace, Vocabulary, bags_of
from understandability.features import Batch, batches
from understandability.features.batch import starts_of, sum_segments
from understandability.features.word_statistics import statistics_key
from understandability.io.spool import Spool
from understandability.records import Document

LEAST_DOCUMENTS = 30
_LEAST_DOCUMENTS_OF_WORD = 3
_HELD_OUT = 0.2


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


def load_background_models(names: Iterable[str | Path]) -> tuple[BackgroundModel, ...]:
    """The models of background bundles, for the rows of the catalogue that give their outputs.

    Raises `OptionError` for a bundle of another kind.

    >>> [model.estimator for model in load_background_models(["background-mlp"])]
    ['mlp-regressor']
    """
    models = []
    for name in names:
        model = load_bundle(name).model
        if not isinstance(model, BackgroundModel):
            raise OptionError(
                f"bundle {name} is no background model, whose output could be a feature; "
                "name one that `understand train background` made"
            )
        models.append(model)
    return tuple(models)


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


def train_background(
    corpora: Mapping[float, Iterable[Document]],
    estimator: str = "mlp-regressor",
    *,
    dimensions: int = 10,
    vocabulary_size: int = 30_000,
    random_state: int = 0,
    name: str = "background",
    licence: str = "that of its training corpora",
) -> Bundle:
    """Train a background model on corpora, each with its label (a higher one is harder).

    Documents are read once, and put by on disk as bags of words; what grows with the corpora in
    memory is the list of distinct words. The vocabulary is the `vocabulary_size` words of the most
    documents (three at least); words in more than half of the documents stay, their weight is
    small. The map to difficulty (`calibrate_by_corpora`) and the figures of the card come from a
    fifth of the documents that the estimator has not seen; then it is trained on all of them.

    Raises `InputError` where there are less than two labels, or less than 30 documents of one.
    """
    row = estimator_row(estimator)
    if len(corpora) < 2:
        raise InputError("background models tell corpora apart; give at least two, each a label")
    with Spool() as spool:
        words, document_counts, sizes = _read(corpora, spool)
        labels = np.repeat(sorted(corpora), [sizes[label] for label in sorted(corpora)])
        chosen = np.argsort(-document_counts, kind="stable")[:vocabulary_size]
        chosen = np.sort(chosen[document_counts[chosen] >= _LEAST_DOCUMENTS_OF_WORD])
        if len(chosen) <= dimensions:
            raise InputError(
                f"the corpora share too few words for {dimensions} dimensions; give more documents"
            )
        vocabulary = Vocabulary(tuple(words[number] for number in chosen))
        renumbered = np.full(len(words), -1, np.int64)
        renumbered[chosen] = np.arange(len(chosen))
        bags = _Renumbered(spool, renumbered)
        space = None
        if not row.on_counts:
            weights = np.log2(len(spool) / document_counts[chosen])
            space = LsaSpace(weights, _project(bags, weights, dimensions, random_state))
        matrix = _matrix(bags, space, len(chosen))
    rng = np.random.default_rng(random_state)
    held_out = rng.random(len(labels)) < _HELD_OUT
    trial = portable(row.make(random_state).fit(matrix[~held_out], labels[~held_out]))
    tested = expected_label(_predict(trial, matrix[held_out]), tuple(np.unique(labels)))
    final = portable(row.make(random_state).fit(matrix, labels))
    model = BackgroundModel(row.name, vocabulary, space, final, tuple(np.unique(labels).tolist()))
    card = _card(row, corpora, sizes, tested, labels[held_out], dimensions)
    return Bundle(name, licence, model, calibrate_by_corpora(tested, labels[held_out]), card)


def _read(
    corpora: Mapping[float, Iterable[Document]], spool: Spool
) -> tuple[list[str], NDArray[np.int64], dict[float, int]]:
    """Put all documents by as bags of words, in the order of their labels.

    Returns the words, in how many documents each is, and the documents of each label.
    """
    numbers: dict[str, int] = {}
    document_counts = np.zeros(0, np.int64)
    sizes: dict[float, int] = {}
    for label in sorted(corpora):
        before = len(spool)
        for batch in batches(corpora[label]):
            types, inverse = np.unique(batch.token_ids, return_inverse=True)
            keys = (statistics_key(batch.token_types.strings[number]) for number in types)
            of_type = np.array(
                [numbers.setdefault(key, len(numbers)) if key else -1 for key in keys], np.int32
            )
            bags = bags_of(of_type[inverse], batch.token_starts)
            grown = np.bincount(bags.words, minlength=len(numbers))
            grown[: len(document_counts)] += document_counts
            document_counts = grown
            pairs = np.stack([bags.words, bags.counts], axis=1)
            for start, end in pairwise(bags.starts.tolist()):
                if end > start:
                    spool.append(pairs[start:end])
        sizes[label] = len(spool) - before
        if sizes[label] < LEAST_DOCUMENTS:
            raise InputError(
                f"corpus {label:g} has {sizes[label]} documents with words; "
                f"at least {LEAST_DOCUMENTS} are needed"
            )
    return list(numbers), document_counts, sizes


@dataclass(frozen=True)
class _Renumbered:
    """The bags of a spool with the numbers of the vocabulary, without other words."""

    spool: Spool
    numbers: NDArray[np.int64]

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        for pairs in self.spool:
            words = self.numbers[pairs[:, 0]]
            yield words[words >= 0], pairs[words >= 0, 1].astype(np.int64)


@dataclass(frozen=True)
class _Weighted:
    """Documents as gensim takes them: (word, weight) pairs, of length 1."""

    bags: _Renumbered
    weights: Floats

    def __iter__(self) -> Iterator[list[tuple[int, float]]]:
        for words, counts in self.bags:
            worth = counts * self.weights[words]
            length = float(np.sqrt((worth**2).sum()))
            if length > 0:
                yield list(zip(words.tolist(), (worth / length).tolist(), strict=True))


def _project(bags: _Renumbered, weights: Floats, dimensions: int, random_state: int) -> Floats:
    """The projection of words to LSA dimensions, learned in one pass over the documents."""
    from gensim.models import LsiModel

    words = {number: str(number) for number in range(len(weights))}
    model = LsiModel(
        _Weighted(bags, weights),
        num_topics=dimensions,
        id2word=words,
        chunksize=5000,
        random_seed=random_state,
    )
    projection = np.zeros((len(weights), dimensions))
    projection[:, : model.projection.u.shape[1]] = model.projection.u
    # A dimension's sign is arbitrary: the largest entry is made positive.
    largest = np.abs(projection).argmax(axis=0)
    signs = np.sign(projection[largest, np.arange(dimensions)])
    return np.asarray(projection * np.where(signs == 0, 1, signs), np.float32).astype(np.float64)


def _matrix(bags: _Renumbered, space: LsaSpace | None, words: int) -> Any:
    """What the estimator takes: LSA vectors, or the sparse counts of words."""
    if space is not None:
        rows = [
            space.vectors(Bags(np.array([0, len(each)]), each, counts)) for each, counts in bags
        ]
        return np.concatenate(rows)
    from scipy.sparse import csr_array

    parts = list(bags)
    starts = starts_of([len(each) for each, _ in parts])
    indices = np.fromiter(chain.from_iterable(each for each, _ in parts), np.int64)
    counts = np.fromiter(chain.from_iterable(count for _, count in parts), np.float64)
    return csr_array((counts, indices, starts), shape=(len(parts), words))


def _predict(predictor: Predictor, matrix: Any) -> Floats:
    return predictor(matrix if isinstance(matrix, np.ndarray) else matrix.toarray())


def _card(
    row: EstimatorRow,
    corpora: Mapping[float, Iterable[Document]],
    sizes: Mapping[float, int],
    tested: Floats,
    labels: NDArray[np.float64],
    dimensions: int,
) -> Mapping[str, Any]:
    from scipy.stats import spearmanr

    space = "term counts" if row.on_counts else f"LSA with {dimensions} dimensions over TF-IDF"
    return MappingProxyType(
        {
            "summary": f"Which background corpus a text is like: {row.name} over {space}.",
            "training": [
                {"name": f"corpus {label:g}", "label": label, "records": sizes[label]}
                for label in sorted(corpora)
            ],
            "figures": [
                {
                    "set": "a fifth of the corpora, held out from the estimator",
                    "measure": "Spearman of the output with the corpus label",
                    "value": round(float(spearmanr(tested, labels).statistic), 4),
                    "n": len(labels),
                }
            ],
        }
    )
