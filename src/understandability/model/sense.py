"""Detect nonsense, shuffled words and lists by two measures of coherence.

Both measures are independent of the difficulty of the words:

- *order*: the share of neighbouring words that follow each other in the open corpora, minus the
  share that do in the reverse direction. It is about .35 in prose of any difficulty, about 0 where
  words are shuffled, and negative where they are reversed. It compares a text with itself, so rare
  words do not lower it.
- *fit*: the similarity of content words to their neighbours. For each content word, the highest
  cosine with one of the three content words on either side; then the mean over all content words.
  It is low if content words were exchanged ("my shoe drinks a letter"). It is low in hard texts,
  too, so it is a sign of nonsense only if the words are easy.

Only the first 400 tokens of a document are measured. More would add time, but little information.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core.layout import COHERENCE
from understandability.arrays import Floats
from understandability.feature.batch import Batch, ratio
from understandability.feature.language_model import statistics_numbers, word_statistics
from understandability.model.word_columns import known_of, words_and_vectors
from understandability.resources import resource_arrays

# Words beyond this rank are content words.
_FUNCTION_WORDS = 250

# A text of n pairs of known words is disordered below ``_ORDER - _ORDER_NOISE / sqrt(n)``, and
# clearly reversed or shuffled below ``_REVERSED``.
_ORDER, _ORDER_NOISE, _REVERSED = 0.15, 0.55, -0.05
_LEAST_PAIRS = 8
# The same limits for the fit of n content words.
_FIT, _FIT_NOISE, _LEAST_CONTENT = 0.44, 0.42, 8
# A text repeats itself if less than this share of its pairs of neighbouring tokens is distinct.
_LEAST_DISTINCT, _LEAST_TOKENS = 0.35, 12


class Sense(NamedTuple):
    """The measures `order` and `fit` of some documents, and the counts that they are based on.

    All are measured on the first tokens of each document. `pairs` are pairs of neighbouring tokens.
    """

    order: Floats
    pairs: Floats
    fit: Floats
    content: Floats
    distinct_pairs: Floats
    token_pairs: Floats

    @property
    def is_disordered(self) -> NDArray[np.bool_]:
        """A mask of the documents whose words are in an order unlike prose."""
        limit = _ORDER - _ORDER_NOISE / np.sqrt(np.maximum(self.pairs, 1))
        return np.asarray((self.pairs >= _LEAST_PAIRS) & (self.order < limit))

    @property
    def is_reversed(self) -> NDArray[np.bool_]:
        """A mask of the documents whose words seem to be in reverse order."""
        return np.asarray((self.pairs >= _LEAST_PAIRS) & (self.order < _REVERSED))

    @property
    def is_repeated(self) -> NDArray[np.bool_]:
        """A mask of the documents that mostly repeat the same pairs of neighbouring tokens."""
        is_long = self.token_pairs >= _LEAST_TOKENS
        return np.asarray(is_long & (self.distinct_pairs < _LEAST_DISTINCT * self.token_pairs))

    @property
    def is_salad(self) -> NDArray[np.bool_]:
        """A mask of the documents whose content words do not fit their neighbours."""
        limit = _FIT - _FIT_NOISE / np.sqrt(np.maximum(self.content, 1))
        return np.asarray((self.content >= _LEAST_CONTENT) & (self.fit < limit))


@cache
def _attested() -> tuple[NDArray[np.uint32], int]:
    """Return a hash table of the pairs of words that follow each other, and the vocabulary's size.

    The pair of the words with the ids a and b is ``a * words + b``, where `words` is the number of
    words in `word_statistics`.
    """
    pairs = np.cumsum(resource_arrays("word_pairs.npz")["steps"], dtype=np.uint32)
    slots = np.zeros(1 << (4 * len(pairs)).bit_length() - 1, np.uint32)
    _core.hash_pairs(pairs, slots)
    return slots, len(word_statistics().words)


def sense(batch: Batch, wants_fit: NDArray[np.bool_] | None = None) -> Sense:
    """Measure order and fit of each document; NaN without known words.

    Args:
        batch: The documents.
        wants_fit: A mask of the documents whose fit is measured. Default: all.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "You should drink a lot of water, and stay in bed until you feel better."
    >>> backwards = " ".join(text.split()[::-1])
    >>> measured = sense(Batch([document_of_text(text), document_of_text(backwards)]))
    >>> measured.is_reversed.tolist()
    [False, True]
    """
    ids, types = batch.token_ids, batch.token_types  # before the columns: this may add types
    sums = np.empty((len(batch), len(COHERENCE)))
    _core.read_coherence(
        ids,
        batch.token_starts,
        batch.token_bounds,
        types.column(statistics_numbers),
        types.column(_vector_ranks),
        *_attested(),
        *words_and_vectors()[1:],
        _FUNCTION_WORDS,
        np.ones(len(batch), np.uint8) if wants_fit is None else wants_fit.view(np.uint8),
        sums,
    )
    gains, pairs, fit, content, distinct_pairs, token_pairs = sums.T
    return Sense(
        ratio(gains, pairs), pairs, ratio(fit, content), content, distinct_pairs, token_pairs
    )


def _vector_ranks(tokens: Sequence[str]) -> NDArray[np.int32]:
    """Return the rank of each word that has a vector; -1 for other tokens."""
    ranks = known_of(tokens).ranks
    return np.where([token.isalpha() for token in tokens], ranks, -1).astype(np.int32)
