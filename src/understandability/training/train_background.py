"""Train background models, which recognise the corpus that a text resembles.

The method is from Palotti, Zuccon & Hanbury (2019). The corpora are labelled by difficulty, such as
1 for medical Reddit, 2 for medical Wikipedia and 3 for PubMed. Texts become vectors by TF-IDF and
latent semantic analysis (gensim), and an estimator predicts the label; naive Bayes reads word
counts instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.errors import InputError, check_range, needing
from understandability.evaluation.correlation import spearman
from understandability.feature.language_model import statistics_key
from understandability.feature.table import batches
from understandability.model.background import (
    BackgroundModel,
    Bags,
    LsaSpace,
    Vocabulary,
    expected_label,
)
from understandability.model.bundle import Bundle
from understandability.model.calibration import calibrate_by_corpora
from understandability.model.estimators import ESTIMATORS, estimator_row
from understandability.text.document import Document
from understandability.training.portable import portable
from understandability.wording import counted

LEAST_DOCUMENTS = 30
_LEAST_DOCUMENTS_OF_WORD = 3
_HELD_OUT = 0.2
_AT_ONCE = 10_000  # documents


def train_background(
    corpora: Mapping[float, Iterable[Document]],
    estimator: Annotated[str, Parameter(choices=ESTIMATORS)] = "mlp-regressor",
    *,
    dimensions: int = 10,
    vocabulary_size: Annotated[int, Parameter("--vocabulary")] = 30_000,
    random_state: int = 0,
    name: Annotated[str, Parameter(parse=False)] = "background",
    licence: str = "that of its training corpora",
) -> Bundle:
    """Train a model that recognises which of several labelled corpora a text resembles.

    Example: understand train background --corpus 1=reddit.jsonl.gz --corpus 2=wiki.jsonl.gz
    --corpus 3=pubmed.jsonl.gz --estimator mlp-regressor --dimensions 10 -o my-bundle

    Args:
        estimator: linear-regressor, gradient-boosting-regressor, xgboost-regressor, mlp-regressor,
            random-forest-regressor, svm-regressor, logistic-classifier,
            gradient-boosting-classifier, mlp-classifier, random-forest-classifier, svm-classifier
            or naive-bayes-classifier.
        dimensions: Dimensions of the LSA space.
        vocabulary_size: Number of words in the vocabulary.
        licence: Licence of the model.
        random_state: Seed; the same number gives the same bundle.

    In Python:
        `corpora` maps labels (higher is harder) to documents. These are read once and stored on
        disk as bags of words, so only the list of distinct words grows in memory. The vocabulary
        consists of the words that occur in the most documents (at least three); very frequent words
        are kept, because their weight is small. The map to difficulty (`calibrate_by_corpora`) and
        the figures of the card come from a held-out fifth of the documents. The final estimator is
        trained on all of them.

        Raises `InputError` for fewer than two labels, or a label with fewer than 30 documents.
    """
    check_range(1, dimensions=dimensions)
    check_range(100, vocabulary=vocabulary_size)
    check_range(0, random_state=random_state)
    row = estimator_row(estimator)
    if len(corpora) < 2:
        raise InputError("background models separate corpora; give at least two, each with a label")
    with needing(
        "training a background model needs gensim, which has no wheels yet for some versions of "
        "Python (it has them for 3.13); scoring works without it",
        ".[train]",
    ):
        from gensim.corpora import Dictionary, MmCorpus
        from gensim.models import VocabTransform
    words, sizes = Dictionary(), Counter[float]()
    with TemporaryDirectory() as folder:
        MmCorpus.serialize(f"{folder}/bags", _read(corpora, words, sizes))
        every = dict(words)
        words.filter_extremes(_LEAST_DOCUMENTS_OF_WORD, 1.0, vocabulary_size)
        if len(words) <= dimensions:
            raise InputError(
                f"the corpora share too few words for {dimensions} dimensions; give more documents"
            )
        numbers = {
            old: words.token2id[word] for old, word in every.items() if word in words.token2id
        }
        bags = VocabTransform(numbers)[MmCorpus(f"{folder}/bags")]
        space = None if row.on_counts else _space(bags, words, dimensions, random_state, folder)
        matrix = _matrix(bags, space, len(words))
    labels = np.repeat(sorted(corpora), [sizes[label] for label in sorted(corpora)])
    vocabulary = Vocabulary(tuple(words[number] for number in range(len(words))))
    rng = np.random.default_rng(random_state)
    held_out = rng.random(len(labels)) < _HELD_OUT
    trial = portable(row.make(random_state).fit(matrix[~held_out], labels[~held_out]))
    unseen = matrix[held_out].toarray() if row.on_counts else matrix[held_out]
    tested = expected_label(trial(unseen), tuple(np.unique(labels)))
    final = portable(row.make(random_state).fit(matrix, labels))
    model = BackgroundModel(row.name, vocabulary, space, final, tuple(np.unique(labels).tolist()))
    space_name = f"LSA with {dimensions} dimensions over TF-IDF" if space else "term counts"
    card = {
        "summary": f"Which background corpus a text is like: {row.name} over {space_name}.",
        "training": [
            {"name": f"corpus {label:g}", "label": label, "records": sizes[label]}
            for label in sorted(corpora)
        ],
        "figures": [
            {
                "set": "a fifth of the corpora, held out from the estimator",
                "measure": "Spearman of the output with the corpus label",
                "value": round(spearman(tested, labels[held_out]), 4),
                "n": int(held_out.sum()),
            }
        ],
    }
    calibration = calibrate_by_corpora(tested, labels[held_out]).on_own_scale()
    return Bundle(name, licence, model, calibration, card)


def _read(
    corpora: Mapping[float, Iterable[Document]], words: Any, sizes: Counter[float]
) -> Iterator[list[tuple[int, int]]]:
    """Yield the bag of words of each document that has words, in the order of the labels.

    Updates `words` (a gensim dictionary with document frequencies) and `sizes` (the number of
    documents per label).
    """
    for label in sorted(corpora):
        for batch in batches(corpora[label]):
            types = {
                number: statistics_key(batch.token_types.strings[number])
                for number in np.unique(batch.token_ids).tolist()
            }
            keys = [types[number] for number in batch.token_ids.tolist()]
            for start, end in pairwise(batch.token_starts.tolist()):
                if document := list(filter(None, keys[start:end])):
                    sizes[label] += 1
                    yield words.doc2bow(document, allow_update=True)
        if sizes[label] < LEAST_DOCUMENTS:
            raise InputError(
                f"corpus {label:g} has {counted(sizes[label], 'document')} with words; "
                f"at least {LEAST_DOCUMENTS} are needed"
            )


def _space(bags: Any, words: Any, dimensions: int, random_state: int, folder: str) -> LsaSpace:
    """Compute the LSA of TF-IDF vectors that are normalised to length 1.

    Each iteration reads the documents from disk. The numbers of iterations and samples are large
    enough to reproduce the dimensions of the exact solution.
    """
    from gensim.corpora import MmCorpus
    from gensim.models import LsiModel, TfidfModel

    weighted = TfidfModel(dictionary=words)
    MmCorpus.serialize(f"{folder}/weighted", weighted[bags])
    model = LsiModel(
        MmCorpus(f"{folder}/weighted"),
        dimensions,
        words,
        onepass=False,
        power_iters=10,
        extra_samples=300,
        random_seed=random_state,
    )
    projection = np.zeros((len(words), dimensions))
    projection[:, : model.projection.u.shape[1]] = model.projection.u
    # The sign of a dimension is arbitrary. Make its largest entry positive, for reproducibility.
    largest = np.abs(projection).argmax(axis=0)
    signs = np.sign(projection[largest, np.arange(dimensions)])
    projection *= np.where(signs == 0, 1, signs)
    weights = np.array([weighted.idfs[number] for number in range(len(words))])
    return LsaSpace(weights, projection.astype(np.float32).astype(np.float64))


def _matrix(bags: Any, space: LsaSpace | None, words: int) -> Any:
    """Return the inputs of the estimator: LSA vectors, or sparse counts of words."""
    from gensim.matutils import corpus2csc
    from gensim.utils import grouper
    from scipy.sparse import vstack

    parts = (corpus2csc(some, words).T.tocsr() for some in grouper(bags, _AT_ONCE))
    if space is None:
        return vstack(list(parts), "csr")
    bags_of_parts = (Bags(part.indptr, part.indices, part.data) for part in parts)
    return np.concatenate([space.vectors(part) for part in bags_of_parts])
