"""Unigram language models of three background corpora, and the likelihood of a text under each.

The corpora are medical Reddit, medical Wikipedia and PubMed, from the easiest to the hardest. Words
are tokens in the form of `statistics_key`; the vocabulary has the words that occur in at least
three documents of all corpora together. The package contains the counts; this module computes ranks
and smoothed log-probabilities (`log_probabilities`) from them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers
from understandability.arrays import ids_of, numbered
from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import Feature
from understandability.resources import resource_arrays

CORPORA = ("reddit", "wikipedia", "pubmed")

# The weight of the mean of the three corpora in the model of each. The held-out likelihood of
# documents is best at .1. Separating posts from articles in unseen sources, the purpose of the
# model, is best at .01 to .02, where likelihood is lower by .03 nats per word.
# scripts/train/word_statistics.py --tune
MERGED_WEIGHT = 0.02

_DIGIT = re.compile(r"\d")
_HAS_WORD = re.compile(r"[^\W_]")


@lru_cache(1 << 14)
def statistics_key(token: str) -> str:
    """Normalise a token for counting: lower case, straight apostrophes, 0 for each digit.

    Punctuation has no key (``''``) and is not counted.

    >>> [statistics_key(token) for token in ("Heart", "n’t", "2.5", "B12", "(")]
    ['heart', "n't", '0.0', 'b00', '']
    """
    if token.isalpha():
        return token.lower()
    if not _HAS_WORD.search(token):
        return ""
    return _DIGIT.sub("0", token.lower().replace("’", "'"))


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """Counts of the words of the vocabulary in each corpus; `counts` has the shape (words,
    corpora).

    `dropped_tokens` is the number of tokens outside the vocabulary, per corpus, and `dropped_types`
    the number of distinct words among them. They determine the probability of unknown words.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    dropped_tokens: NDArray[np.int64]
    dropped_types: int


def normalised_ranks(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scale frequency ranks to 100 for the most frequent word and 0 for the rarest.

    The value is 100·(V − rank)/(V − 1), where V is the number of words that occur. Words with equal
    counts share their mean rank. A word with a count of 0 has NaN.

    >>> normalised_ranks(np.array([7, 0, 1, 3, 3, 1])).tolist()
    [100.0, nan, 12.5, 62.5, 62.5, 12.5]
    """
    occurring = np.flatnonzero(counts)
    _, inverse, ties = np.unique(counts[occurring], return_inverse=True, return_counts=True)
    # V minus the mean rank: the number of rarer words, plus half of the other words of this count.
    below = np.cumsum(ties) - ties + (ties - 1) / 2
    ranks = np.full(len(counts), np.nan)
    ranks[occurring] = 100 * below[inverse] / (len(occurring) - 1)
    return ranks


def log_probabilities(
    statistics: WordStatistics, merged_weight: float = MERGED_WEIGHT
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the natural logarithms of P(word) of every word, and of P(unknown word).

    The shapes are (words, corpora + 1) and (corpora + 1,). The last column is the merged model: the
    mean of the three corpora, with equal weights. In it, all unknown words together have the share
    of the dropped tokens, divided evenly among the dropped types.

    The model of a corpus is its relative frequencies, interpolated with the merged model by the
    fixed `merged_weight` (Jelinek & Mercer 1980). So an unknown word has the same probability in
    every corpus, whatever the size of the corpus, and does not favour any.
    """
    totals = statistics.counts.sum(axis=0)
    frequencies = statistics.counts / totals
    unknown_share = np.mean(statistics.dropped_tokens / (totals + statistics.dropped_tokens))
    merged = (1 - unknown_share) * frequencies.mean(axis=1)
    unknown = unknown_share / statistics.dropped_types
    known_probabilities = np.column_stack(
        [(1 - merged_weight) * frequencies + merged_weight * merged[:, None], merged]
    )
    unknown_probabilities = np.array([merged_weight * unknown] * len(CORPORA) + [unknown])
    return np.log(known_probabilities), np.log(unknown_probabilities)


@cache
def word_statistics() -> WordStatistics:
    """Load the word counts that the package contains."""
    arrays = resource_arrays("word_statistics.npz")
    return WordStatistics(
        words=tuple(arrays["words"].tobytes().decode().split("\n")),
        counts=arrays["counts"].astype(np.int64),
        dropped_tokens=arrays["dropped_tokens"],
        dropped_types=int(arrays["dropped_types"]),
    )


@cache
def word_numbers() -> Numbers:
    """Return the ids of the words of `word_statistics`, as a mapping."""
    return numbered(word_statistics().words)


# Ids of tokens that are not in the vocabulary. As indexes they select the last rows of a table.
UNKNOWN, NO_WORD = -2, -1


def statistics_numbers(tokens: Sequence[str]) -> NDArray[np.int32]:
    """Return the id of each token in the vocabulary; `UNKNOWN`, or `NO_WORD` for punctuation."""
    return numbers_of_keys(list(map(statistics_key, tokens)))


def numbers_of_keys(keys: Sequence[str]) -> NDArray[np.int32]:
    """Return the values of `statistics_numbers`, given the `statistics_key` of each token."""
    numbers = ids_of(keys, word_numbers())
    missing = np.flatnonzero(numbers < 0)
    numbers[missing] = [UNKNOWN if keys[index] else NO_WORD for index in missing.tolist()]
    return numbers


MODELS = (*CORPORA, "merged")


@cache
def _log_probabilities() -> FloatArray:
    listed, unknown = log_probabilities(word_statistics())
    # The last two rows belong to `UNKNOWN` and `NO_WORD`.
    return np.concatenate([listed, [unknown], np.zeros((1, len(MODELS)))])


def log_probabilities_at(numbers: NDArray[np.int32]) -> FloatArray:
    """Return the log-probability of each word id under each model; 0 for punctuation."""
    return _log_probabilities().take(numbers, axis=0)


def mean_log_likelihoods(batch: Batch) -> FloatArray:
    """Return the mean log-probability of a document's words under each model, in nats.

    The shape is (documents, models).
    """
    numbers = batch.token_values(statistics_numbers)
    totals = batch.sum_tokens(log_probabilities_at(numbers))
    return ratio(totals, batch.sum_tokens(numbers != NO_WORD)[:, None])


def log_likelihood(batch: Batch, model: str) -> FloatArray:
    """Return the mean log-probability of each document's words under one model, in nats."""
    return batch.once(mean_log_likelihoods)[:, MODELS.index(model)]


def log_likelihood_ratio(batch: Batch, harder: str, easier: str) -> FloatArray:
    """Return the mean over each document's words of ln(P(word | harder) / P(word | easier)).

    `harder` and `easier` are names of corpora.
    """
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
