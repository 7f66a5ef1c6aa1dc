"""Background models: the published recipe, learned from labelled corpora alone.

TF-IDF over the words of the corpora, latent semantic analysis with 10 dimensions, and an estimator
of the corpus a document is from: 1 medical Reddit, 2 medical Wikipedia, 3 PubMed (Palotti, Zuccon &
Hanbury 2019). Any corpora and labels do; multinomial naive Bayes takes the counts of words instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import starts_of
from understandability.feature.table import batches
from understandability.feature.word_statistics import statistics_key
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.bags import Bags, LsaSpace, Vocabulary, bags_of
from understandability.model.bundle import Bundle
from understandability.model.calibration import calibrate_by_corpora
from understandability.model.estimators import EstimatorRow, estimator_row
from understandability.model.predictors import Predictor
from understandability.text.document import Document
from understandability.training.portable import portable
from understandability.training.spool import Spool
from understandability.wording import counted

LEAST_DOCUMENTS = 30
_LEAST_DOCUMENTS_OF_WORD = 3
_HELD_OUT = 0.2


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
    calibration = calibrate_by_corpora(tested, labels[held_out]).on_own_scale()
    return Bundle(name, licence, model, calibration, card)


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
                f"corpus {label:g} has {counted(sizes[label], 'document')} with words; "
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


def _project(bags: _Renumbered, weights: Floats, dimensions: int, random_state: int) -> Floats:
    """The projection of words to LSA dimensions: singular vectors of TF-IDF, rows of length 1."""
    from sklearn.preprocessing import normalize
    from sklearn.utils.extmath import randomized_svd

    worth = normalize(_counts(bags, len(weights)).multiply(weights).tocsr())
    found = min(dimensions, *worth.shape)
    _, _, vectors = randomized_svd(worth, found, random_state=random_state)
    projection = np.zeros((len(weights), dimensions))
    projection[:, :found] = vectors.T
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
    return _counts(bags, words)


def _counts(bags: _Renumbered, words: int) -> Any:
    """How often each document has each word; sparse, (documents, words)."""
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
