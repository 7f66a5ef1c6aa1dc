"""Whether words follow each other as in text: how much likelier than by chance each pair is.

A word is one of the most frequent ones, or its part of speech. Words without order, and sentences
that are cut where none can end, are noticed by it; ``scripts/train/word_order.py`` counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.resources import resource_arrays

STEP = 0.05  # of the whole numbers that are kept
# Ordinary text has a mean of .5 to 1.1 a pair, its words in any order -.6 to -.1.
_LEAST = 0.15
_LEAST_PAIRS = 30
# A sentence ends with a word that so seldom does; ordinary text has less than one in ten of those.
_NO_END, _MOST_CUT, _LEAST_SENTENCES = -1.8, 0.15, 4


@cache
def _table() -> tuple[dict[str, int], Floats]:
    arrays = resource_arrays("word_order.npz")
    words = bytes(arrays["words"]).decode().split()
    return dict(zip(words, range(len(words)), strict=True)), arrays["scores"] * STEP


def _frequent(tokens: Sequence[str]) -> NDArray[np.int16]:
    """The number of each frequent word, -1 of others."""
    numbers = _table()[0]
    return np.fromiter((numbers.get(token.lower(), -1) for token in tokens), np.int16, len(tokens))


def classes_of(frequent: NDArray[Any], tags: NDArray[Any], words: int) -> NDArray[np.int64]:
    """The class of each token: its word, or its part of speech; the last class is a boundary."""
    return np.where(frequent >= 0, frequent, words + TO_TWELVE[tags]).astype(np.int64)


def order_of(batch: Batch, read: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each document's sentences are cut, and whether its words have no order.

    `read` says which sentences are looked at.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "She went to the door. The cat was cold and it wanted milk from the kitchen. " * 3
    >>> shuffled = " ".join(sorted(text.replace(".", "").split())) + "."
    >>> batch = Batch([document_of_text(text), document_of_text(shuffled)])
    >>> [each.tolist() for each in order_of(batch, np.ones(len(batch.token_sentence_starts), bool))]
    [[False, False], [False, True]]
    """
    numbers, scores = _table()
    classes = classes_of(batch.token_values(_frequent), batch.tags, len(numbers))
    is_word = classes != len(numbers) + TWELVE.index("PUNCT")
    starts = np.append(batch.token_sentence_starts, len(classes))
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    kept = np.flatnonzero(is_word & read[sentence])
    sentence, classes = sentence[kept], classes[kept]
    document = np.repeat(
        np.arange(len(batch)), [len(each.sentence_starts) for each in batch.documents]
    )[sentence]
    within = sentence[1:] == sentence[:-1]
    pairs = scores[classes[:-1], classes[1:]] * within
    counts = np.bincount(document[1:], within, len(batch))
    means = np.bincount(document[1:], pairs, len(batch)) / np.maximum(counts, 1)
    is_last = np.append(~within, True) if len(sentence) else np.zeros(0, bool)
    is_open = np.zeros(len(starts) - 1, bool)
    first = np.append(0, np.cumsum([len(each.sentence_starts) for each in batch.documents]))
    for number, each in enumerate(batch.documents):
        if each.open_ends:
            is_open[first[number] + np.array(each.open_ends)] = True
    is_last &= ~is_open[sentence]
    ends = np.bincount(document[is_last], minlength=len(batch))
    cut = np.bincount(
        document[is_last], scores[classes[is_last], -1] < _NO_END, minlength=len(batch)
    )
    return (
        (ends >= _LEAST_SENTENCES) & (cut > _MOST_CUT * ends),
        (counts >= _LEAST_PAIRS) & (means < _LEAST),
    )
