"""How often words occur in the background corpora: ranks and log-probabilities.

The corpora are medical Reddit, medical Wikipedia and PubMed (easiest first). Counted are tokens
as `statistics_key` writes them; a word is in the vocabulary if at least three documents of the
three corpora have it. The counts are embedded; ranks and log-probabilities follow from them here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

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
    """The token as it is counted: lower case, straight apostrophe, every digit a 0.

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
    """100 for the most frequent word down to 0 for the rarest; NaN for words not counted.

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
    """Natural logarithms of P(word) in each corpus and in their mean, and of an unknown word.

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
    """The embedded counts."""
    arrays = resource_arrays("word_statistics.npz")
    return WordStatistics(
        words=tuple(arrays["words"].tobytes().decode().split("\n")),
        counts=arrays["counts"].astype(np.int64),
        dropped_tokens=arrays["dropped_tokens"],
        dropped_types=int(arrays["dropped_types"]),
    )


@cache
def _numbers() -> dict[str, int]:
    return {word: number for number, word in enumerate(word_statistics().words)}


# What a token without a number in the vocabulary has: as indexes, the last two of a table.
UNKNOWN, NO_WORD = -2, -1


def statistics_numbers(tokens: Sequence[str]) -> NDArray[np.int32]:
    """The number of each token in the vocabulary; `UNKNOWN`, or `NO_WORD` for punctuation."""
    return numbers_of_keys(list(map(statistics_key, tokens)))


def numbers_of_keys(keys: Sequence[str]) -> NDArray[np.int32]:
    """`statistics_numbers` of tokens by what `statistics_key` says of them."""
    numbers = _numbers()
    return np.fromiter(
        (numbers.get(key, UNKNOWN) if key else NO_WORD for key in keys), np.int32, len(keys)
    )
