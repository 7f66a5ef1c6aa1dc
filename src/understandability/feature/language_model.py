"""Frequencies of words in the background corpora, and the likelihood of a text under each.

The corpora are medical Reddit, medical Wikipedia and PubMed (easiest first). Counted are tokens
as `statistics_key` writes them; a word is in the vocabulary if at least three documents of the
three corpora have it. The counts are embedded; ranks and log-probabilities follow from them here.
A language model is one of single words, smoothed as `log_probabilities` says.

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
from understandability.arrays import numbered, places_of
from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import Feature
from understandability.resources import resource_arrays

CORPORA = ("reddit", "wikipedia", "pubmed")

# How much each corpus leans on the mean of the three. The held-out likelihood of documents is
# best at .1, the distinction of posts from articles in unseen sources (what the model is for) at
# .01 to .02; there likelihood has lost .03 nats a word. scripts/train/word_statistics.py --tune
MERGED_WEIGHT = 0.02

_DIGIT = re.compile(r"\d")
_HAS_WORD = re.compile(r"[^\W_]")


@lru_cache(1 << 14)
def statistics_key(token: str) -> str:
    """Return a token as the corpora count it: lower case, straight apostrophe, 0 for each digit.

    Punctuation has no key (``''``) and is left out; numbers count by their shape.

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
    """Counts of the words of the vocabulary: `counts` is (words, corpora).

    `dropped_tokens` counts, per corpus, the tokens that the vocabulary lacks, `dropped_types`
    the distinct words among them; unknown words get their share of probability.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    dropped_tokens: NDArray[np.int64]
    dropped_types: int


def normalised_ranks(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the rank, from 100 for the most frequent word to 0 for the rarest; NaN for no count.

    100·(V − rank)/(V − 1), where V is the number of words that occur and words of equal counts
    share their mean rank.

    >>> normalised_ranks(np.array([7, 0, 1, 3, 3, 1])).tolist()
    [100.0, nan, 12.5, 62.5, 62.5, 12.5]
    """
    occurring = np.flatnonzero(counts)
    _, inverse, ties = np.unique(counts[occurring], return_inverse=True, return_counts=True)
    # Words rarer than the ones at hand, plus half of the ties with them: V minus the mean rank.
    below = np.cumsum(ties) - ties + (ties - 1) / 2
    ranks = np.full(len(counts), np.nan)
    ranks[occurring] = 100 * below[inverse] / (len(occurring) - 1)
    return ranks


def log_probabilities(
    statistics: WordStatistics, merged_weight: float = MERGED_WEIGHT
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return natural logarithms of P(word) per corpus and in their mean, and of an unknown word.

    Shapes (words, corpora + 1) and (corpora + 1,). The last column is the mean of the three
    corpora (each weighs the same, whatever its size); of it, unknown words have the share that
    the vocabulary dropped, divided by how many words were dropped. A corpus is interpolated with
    that mean by the fixed `merged_weight` (Jelinek & Mercer 1980), so that a word seen nowhere
    has the same probability in every corpus and tells nothing about them, however large they are.
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
    """Return the embedded counts."""
    arrays = resource_arrays("word_statistics.npz")
    return WordStatistics(
        words=tuple(arrays["words"].tobytes().decode().split("\n")),
        counts=arrays["counts"].astype(np.int64),
        dropped_tokens=arrays["dropped_tokens"],
        dropped_types=int(arrays["dropped_types"]),
    )


@cache
def word_numbers() -> Numbers:
    """Return the words of `word_statistics` with their ids."""
    return numbered(word_statistics().words)


# What a token without a number in the vocabulary has: as indexes, the last two of a table.
UNKNOWN, NO_WORD = -2, -1


def statistics_numbers(tokens: Sequence[str]) -> NDArray[np.int32]:
    """Return the id of each token in the vocabulary; `UNKNOWN`, or `NO_WORD` for punctuation."""
    return numbers_of_keys(list(map(statistics_key, tokens)))


def numbers_of_keys(keys: Sequence[str]) -> NDArray[np.int32]:
    """Return `statistics_numbers`, given the `statistics_key` of each token."""
    numbers = places_of(keys, word_numbers())
    missing = np.flatnonzero(numbers < 0)
    numbers[missing] = [UNKNOWN if keys[place] else NO_WORD for place in missing.tolist()]
    return numbers


MODELS = (*CORPORA, "merged")


@cache
def _log_probabilities() -> FloatArray:
    known, unknown = log_probabilities(word_statistics())
    # The last two rows are those that `UNKNOWN` and `NO_WORD` index.
    return np.concatenate([known, [unknown], np.zeros((1, len(MODELS)))])


def log_probabilities_at(numbers: NDArray[np.int32]) -> FloatArray:
    """Return the log-probability under each model, given ids; 0 for punctuation."""
    return _log_probabilities().take(numbers, axis=0)


def mean_log_likelihoods(batch: Batch) -> FloatArray:
    """Return the mean log-probability of a word under each model; (documents, models), nats."""
    numbers = batch.token_values(statistics_numbers)
    totals = batch.sum_tokens(log_probabilities_at(numbers))
    return ratio(totals, batch.sum_tokens(numbers != NO_WORD)[:, None])


def log_likelihood(batch: Batch, model: str) -> FloatArray:
    """Return the mean log-probability of a word under one model, in nats."""
    return batch.once(mean_log_likelihoods)[:, MODELS.index(model)]


def log_likelihood_ratio(batch: Batch, harder: str, easier: str) -> FloatArray:
    """Return the mean log-ratio of a word's probability in the harder and the easier corpus."""
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
