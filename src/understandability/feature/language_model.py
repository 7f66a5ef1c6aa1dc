"""How likely a text is under a unigram model of each background corpus.

What the models are, and how they are smoothed, is in `word_statistics.log_probabilities`.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import Feature
from understandability.feature.word_statistics import (
    CORPORA,
    NO_WORD,
    log_probabilities,
    statistics_numbers,
    word_statistics,
)

MODELS = (*CORPORA, "merged")


@cache
def _log_probabilities() -> FloatArray:
    known, unknown = log_probabilities(word_statistics())
    # The last two rows are those that `UNKNOWN` and `NO_WORD` index.
    return np.concatenate([known, [unknown], np.zeros((1, len(MODELS)))])


def log_probabilities_at(numbers: NDArray[np.int32]) -> FloatArray:
    """The log-probability under each model of `statistics_numbers`; 0 for punctuation."""
    return _log_probabilities().take(numbers, axis=0)


def mean_log_likelihoods(batch: Batch) -> FloatArray:
    """The mean log-probability of a word under each model; (documents, models), nats."""
    numbers = batch.token_values(statistics_numbers)
    totals = batch.sum_tokens(log_probabilities_at(numbers))
    return ratio(totals, batch.sum_tokens(numbers != NO_WORD)[:, None])


def log_likelihood(batch: Batch, model: str) -> FloatArray:
    """The mean log-probability of a word under one model."""
    return batch.once(mean_log_likelihoods)[:, MODELS.index(model)]


def log_likelihood_ratio(batch: Batch, harder: str, easier: str) -> FloatArray:
    """How much likelier a word is under the harder corpus than under the easier, on average."""
    return log_likelihood(batch, harder) - log_likelihood(batch, easier)


_TITLES = {
    "reddit": "medical Reddit",
    "wikipedia": "medical Wikipedia",
    "pubmed": "PubMed",
    "merged": "the three corpora, each weighing the same",
}


def _row(
    name: str, direction: Direction | None, meaning: str, compute: partial[FloatArray]
) -> Feature:
    source = "unigram model, interpolated (Jelinek & Mercer 1980)"
    return Feature(name, "language model", "nats per word", direction, meaning, source, compute)


ROWS: tuple[Feature, ...] = (
    *(
        _row(
            f"log_likelihood_{model}",
            None,
            f"mean log-probability of a word in {_TITLES[model]}",
            partial(log_likelihood, model=model),
        )
        for model in MODELS
    ),
    *(
        _row(
            f"log_likelihood_{harder}_{easier}",
            Direction.HARDER,
            f"mean log-probability of a word in {_TITLES[harder]}, less that in {_TITLES[easier]}",
            partial(log_likelihood_ratio, harder=harder, easier=easier),
        )
        for easier, harder in combinations(CORPORA, 2)  # easiest first
    ),
)
