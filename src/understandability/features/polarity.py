"""Positive, negative and neutral words, after the lexicon of VADER."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from understandability.features.batch import Batch
from understandability.features.feature import DOCUMENT, SENTENCE, WORD, Feature
from understandability.features.types import FloatArray
from understandability.io.resources import package_text


@cache
def polarities() -> dict[str, float]:
    """VADER's valence of words in lower case, from -4 (negative) to 4 (positive)."""
    lines = package_text("vaderSentiment", "vader_lexicon.txt").splitlines()
    return {word: float(valence) for word, valence, *_ in (line.split("\t") for line in lines)}


def polarity(words: Sequence[str]) -> NDArray[np.int8]:
    """1 for positive words, -1 for negative ones, 0 for all others.

    >>> polarity(["Happy", "pain", "kidney"])
    array([ 1, -1,  0], dtype=int8)
    """
    known = polarities()
    valences = (known.get(word.lower().replace("’", "'"), 0.0) for word in words)
    return np.sign(np.fromiter(valences, np.float64, len(words))).astype(np.int8)


_KINDS = (
    ("positive", "as positive", 1),
    ("negative", "as negative", -1),
    ("neutral", "not, or as neither", 0),
)


def count_all(batch: Batch) -> FloatArray:
    """Words of each polarity, summed at once; (documents, kinds)."""
    signs = np.array([sign for _, _, sign in _KINDS])
    return batch.sum_words(batch.word_values(polarity)[:, None] == signs)


def count_polarity(batch: Batch, kind: int) -> FloatArray:
    """Words of one polarity."""
    return batch.once(count_all)[:, kind]


ROWS: tuple[Feature, ...] = tuple(
    Feature(
        f"{kind}_words",
        "natural language",
        "words",
        "",
        f"words that VADER's lexicon has {where}",
        "Hutto & Gilbert 2014 (VADER)",
        partial(count_polarity, kind=number),
        (DOCUMENT, WORD, SENTENCE),
    )
    for number, (kind, where, _) in enumerate(_KINDS)
)
