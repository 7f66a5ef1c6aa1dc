"""Measures of coherence: nonsense, shuffled words and lists differ from prose.

Both measures are independent of the difficulty of the words:

- *order*: the share of neighbouring words that follow each other in the open corpora, minus the
  share that do in the reverse direction. It is about .35 in prose of any difficulty, about 0 where
  words are shuffled, and negative where they are reversed. It compares a text with itself, so rare
  words do not lower it.
- *fit*: the similarity of content words to their neighbours. For each content word, the highest
  cosine with one of the three content words on either side; then the mean over all content words.
  It is low if content words were exchanged ("my shoe drinks a letter"). It is low in hard texts,
  too, so it is a sign of nonsense only if the words are easy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch, ratio, sum_segments
from understandability.feature.language_model import statistics_numbers, word_statistics
from understandability.model.word_columns import known_of, words_and_vectors
from understandability.resources import resource_arrays

# Only the first tokens of a document are measured. More would add time, but little information.
_MOST_TOKENS = 400
# Words beyond this rank are content words, and content words within the window are compared.
_FUNCTION_WORDS, _WINDOW = 250, 3

# A text of n pairs of known words is disordered below ``_ORDER - _ORDER_NOISE / sqrt(n)``, and
# clearly reversed or shuffled below ``_REVERSED``.
_ORDER, _ORDER_NOISE, _REVERSED = 0.15, 0.55, -0.05
_LEAST_PAIRS = 8
# The same limits for the fit of n content words.
_FIT, _FIT_NOISE, _LEAST_CONTENT = 0.44, 0.42, 8


class Sense(NamedTuple):
    """Order and fit of some documents, with their numbers of pairs and of content words."""

    order: Floats
    pairs: Floats
    fit: Floats
    content: Floats

    @property
    def is_disordered(self) -> NDArray[np.bool_]:
        """A mask of the documents whose order of words is unlike prose."""
        limit = _ORDER - _ORDER_NOISE / np.sqrt(np.maximum(self.pairs, 1))
        return np.asarray((self.pairs >= _LEAST_PAIRS) & (self.order < limit))

    @property
    def is_reversed(self) -> NDArray[np.bool_]:
        """A mask of the documents whose words are more often in reversed order."""
        return np.asarray((self.pairs >= _LEAST_PAIRS) & (self.order < _REVERSED))

    @property
    def is_salad(self) -> NDArray[np.bool_]:
        """A mask of the documents whose content words do not fit their neighbours."""
        limit = _FIT - _FIT_NOISE / np.sqrt(np.maximum(self.content, 1))
        return np.asarray((self.content >= _LEAST_CONTENT) & (self.fit < limit))


def neighbours(batch: Batch) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.intp]]:
    """Return the pairs of neighbouring known words, the reversed pairs, and their indices.

    The pair of the words with the ids a and b is ``a * words + b``, where `words` is the number of
    words in `word_statistics`. The index of a pair is the index of its first token. No pair spans
    two documents.
    """
    signed = batch.token_values(statistics_numbers)
    numbers, is_known = signed.astype(np.uint32), signed >= 0
    is_last = np.zeros(len(numbers), np.bool_)
    is_last[np.asarray(batch.token_bounds[1:]) - 1] = len(numbers) > 0
    index = np.flatnonzero(is_known[:-1] & is_known[1:] & ~is_last[:-1])
    size = np.uint32(len(word_statistics().words))
    first, second = numbers[index], numbers[index + 1]
    return first * size + second, second * size + first, index


@cache
def _attested() -> NDArray[np.uint32]:
    return np.cumsum(resource_arrays("word_pairs.npz")["steps"], dtype=np.uint32)


def _are_attested(pairs: NDArray[np.uint32]) -> NDArray[np.bool_]:
    attested = _attested()
    index = np.minimum(np.searchsorted(attested, pairs), len(attested) - 1)
    return np.asarray(attested[index] == pairs)


@cache
def _unit_vectors() -> NDArray[np.float32]:
    _, vectors, scale = words_and_vectors()
    rows = vectors.astype(np.float32) * scale
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9))


def sense(batch: Batch) -> Sense:
    """Measure order and fit of each document; NaN without known words. Call it by `Batch.once`.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "You should drink a lot of water, and stay in bed until you feel better."
    >>> backwards = " ".join(text.split()[::-1])
    >>> measured = sense(Batch([document_of_text(text), document_of_text(backwards)]))
    >>> measured.is_reversed.tolist()
    [False, True]
    """
    starts = np.asarray(batch.token_starts)
    is_read = np.arange(starts[-1]) < np.repeat(starts[:-1] + _MOST_TOKENS, np.diff(starts))
    forwards, backwards, index = neighbours(batch)
    chosen = is_read[index]
    forwards, backwards, index = forwards[chosen], backwards[chosen], index[chosen]
    gains = _are_attested(forwards).astype(np.int64) - _are_attested(backwards)
    pair_starts = np.searchsorted(index, starts)
    pairs = np.diff(pair_starts).astype(np.float64)
    order = ratio(sum_segments(gains, pair_starts), pairs)

    ranks = batch.token_values(_vector_ranks)
    tokens = np.flatnonzero((ranks >= _FUNCTION_WORDS) & is_read)
    content_starts = np.searchsorted(tokens, starts)
    content = np.diff(content_starts).astype(np.float64)
    document = np.repeat(np.arange(len(batch)), np.diff(content_starts))
    best = _best_cosines(ranks[tokens], document)
    fit = ratio(sum_segments(best, content_starts), content)
    return Sense(order, pairs, fit, content)


def _vector_ranks(tokens: Sequence[str]) -> NDArray[np.int32]:
    """The rank of each word that has a vector; -1 for other tokens."""
    ranks = known_of(tokens).ranks
    return np.where([token.isalpha() for token in tokens], ranks, -1).astype(np.int32)


def _best_cosines(ranks: NDArray[np.int32], document: NDArray[np.intp]) -> NDArray[np.float64]:
    """The highest cosine of each content word with a content word near it; 0 without one."""
    vectors = _unit_vectors()[ranks]
    best = np.zeros(len(ranks))
    for distance in range(1, min(_WINDOW, len(ranks) - 1) + 1):
        cosines = np.einsum("ij,ij->i", vectors[distance:], vectors[:-distance], dtype=np.float64)
        same = (ranks[distance:] == ranks[:-distance]) | (
            document[distance:] != document[:-distance]
        )
        cosines[same] = 0.0
        np.maximum(best[distance:], cosines, out=best[distance:])
        np.maximum(best[:-distance], cosines, out=best[:-distance])
    return best
