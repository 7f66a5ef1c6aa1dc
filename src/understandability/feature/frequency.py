"""The frequency of a text's words in the background corpora and in general English.

All statistics are over tokens, as in the study of 2019. For words outside a vocabulary there are
two means: one ignores them, and in the other they count as 0. The percentiles ignore them.
Punctuation does not count; see `statistics_key`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from understandability._core import Places
from understandability.direction import Direction
from understandability.feature.batch import Array, Batch, FloatArray, nan_for_0, ratio, sum_segments
from understandability.feature.language_model import (
    CORPORA,
    NO_WORD,
    UNKNOWN,
    normalised_ranks,
    statistics_key,
    statistics_numbers,
    word_statistics,
)
from understandability.feature.row import Feature
from understandability.resources import resource_arrays

MERGED = "merged"
GENERAL = "general"
GENERAL_LIST = "large_en"

# wordfreq does not split "don't". A token that is a clitic counts as its full word.
CLITICS = {
    "n't": "not",
    "'s": "is",
    "'m": "am",
    "'d": "would",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
}


def summaries(values: FloatArray, indexes: Array, starts: Array) -> FloatArray:
    """Summarise the word frequencies of each document on each scale; (documents, scales, 5).

    The five figures are the 25th, 50th and 75th percentile (linear interpolation), the mean, and
    the mean with unknown words as 0.

    Args:
        values: The values of all scales, concatenated; they ascend within a scale.
        indexes: The index in `values` of each token on each scale, or `UNKNOWN` or `NO_WORD`;
            (scales, tokens).
        starts: The index of the first token of each document, and the number of tokens.
    """
    has_value = indexes >= 0
    sizes = sum_segments(has_value.T, starts)
    words = sum_segments((indexes != NO_WORD).T, starts)
    totals = sum_segments(np.where(has_value, values.take(indexes, mode="clip"), 0.0).T, starts)
    figures = np.empty((*sizes.shape, 5))
    figures[..., :3] = _quartiles(values, indexes, sizes, starts)
    figures[..., 3] = ratio(totals, sizes)
    figures[..., 4] = totals / nan_for_0(np.where(sizes > 0, words, 0))
    return figures


def _quartiles(values: FloatArray, indexes: Array, sizes: FloatArray, starts: Array) -> FloatArray:
    if not sizes.any():
        return np.full((*sizes.shape, 3), np.nan)
    # Sort all documents at once: the key of a token is its document times (n + 1), plus its index
    # in the n values, or plus n if it has no value, so that it comes last in its document.
    no_index = len(values)
    first_keys = np.arange(len(sizes)) * (no_index + 1)
    ordered = np.where(indexes >= 0, indexes, no_index) + np.repeat(first_keys, np.diff(starts))
    ordered.sort(axis=1)
    position = np.maximum(sizes[..., None] - 1, 0) * np.array([0.25, 0.5, 0.75])
    lower = position.astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(sizes[..., None].astype(np.int64) - 1, 0))
    scale_starts = np.arange(len(indexes))[:, None] * indexes.shape[1]
    low, high = (
        values.take(
            ordered.take(scale_starts + starts[:-1, None, None] + offset, mode="clip")
            - first_keys[:, None, None],
            mode="clip",
        )
        for offset in (lower, upper)
    )
    quartiles: FloatArray = low + (high - low) * (position - lower)
    quartiles[sizes == 0] = np.nan
    return quartiles


@cache
def places_in(name: str) -> Places:
    """Return the words of a wordfreq list, such as ``large_de``, with their Zipf frequency times
    100.

    The Zipf frequency is the decimal logarithm of the occurrences per 10^9 words. Times 100 and
    rounded to an integer, it is called a *Zipf place*. The files are written by
    `scripts/train/word_lists.py`.

    >>> english = places_in("large_en")
    >>> english.get("heart", -1), english.get("xqzzzy", -1)
    (531, -1)
    """
    arrays = resource_arrays(f"words/frequencies/{name}.npz")
    return Places(arrays["words"], arrays["numbers"])


def zipf_places(tokens: Sequence[str]) -> NDArray[np.int32]:
    """Return the Zipf frequency times 100 of each token in general English; `UNKNOWN` or
    `NO_WORD`.
    """
    return places_of_keys(list(map(statistics_key, tokens)))


def places_of_keys(keys: Sequence[str]) -> NDArray[np.int32]:
    """Return the values of `zipf_places`, given the `statistics_key` of each token."""
    place_of = places_in(GENERAL_LIST).get
    return np.fromiter(
        (place_of(CLITICS.get(key, key), UNKNOWN) if key else NO_WORD for key in keys),
        np.int32,
        len(keys),
    )


_SCALES = (GENERAL, *CORPORA, MERGED)
_ZIPF = np.arange(901) / 100


@cache
def _ranks() -> tuple[FloatArray, NDArray[np.int32]]:
    """Return the values of all `_SCALES`, and for each word the index of its value on each scale.

    The values are concatenated: first the Zipf frequencies, then the distinct ranks of each corpus.
    The indexes have the shape (words + 2, corpora + 1). The last two rows belong to `UNKNOWN` and
    `NO_WORD`.
    """
    counts = word_statistics().counts
    values = [_ZIPF]
    columns = []
    for corpus_counts in (*counts.T, counts.sum(axis=1)):
        ranks = normalised_ranks(corpus_counts)
        distinct = np.unique(ranks[~np.isnan(ranks)])
        indexes = sum(map(len, values)) + np.searchsorted(distinct, ranks)
        columns.append([*np.where(np.isnan(ranks), UNKNOWN, indexes), UNKNOWN, NO_WORD])
        values.append(distinct)
    return np.concatenate(values), np.array(columns, np.int32).T.copy()


def frequencies(batch: Batch) -> FloatArray:
    """Summarise the word frequencies of each document on all `_SCALES`; (documents, scales, 5)."""
    values, ranks = _ranks()
    zipf = batch.token_values(zipf_places)
    ranked = ranks.take(batch.token_values(statistics_numbers), axis=0)
    return summaries(values, np.vstack([zipf, ranked.T]), batch.token_starts)


def frequency_figure(batch: Batch, corpus: str, index: int) -> FloatArray:
    """Return a statistic of the frequencies of each document's words in a corpus.

    `index` is the statistic, in the order of `_FIGURES`.
    """
    return batch.once(frequencies)[:, _SCALES.index(corpus), index]


_FIGURES = (
    ("p25", "25th percentile of the {scale} of words {where}; unknown words ignored"),
    ("p50", "median of the {scale} of words {where}; unknown words ignored"),
    ("p75", "75th percentile of the {scale} of words {where}; unknown words ignored"),
    ("mean", "mean of the {scale} of words {where}; unknown words ignored"),
    ("mean_all", "mean of the {scale} of words {where}; unknown words count as 0"),
)
_WHERE = {
    "reddit": "in medical Reddit",
    "wikipedia": "in medical Wikipedia",
    "pubmed": "in PubMed",
    MERGED: "in the three corpora merged",
    GENERAL: "in general English",
}


def _rows(corpus: str) -> tuple[Feature, ...]:
    general = corpus == GENERAL
    return tuple(
        Feature(
            name=f"zipf_{figure}" if general else f"rank_{corpus}_{figure}",
            group="word frequency",
            unit="log10 per 10^9 words" if general else "rank, 0 to 100",
            direction=Direction.EASIER,
            meaning=meaning.format(
                scale="Zipf frequency" if general else "normalised rank", where=_WHERE[corpus]
            ),
            source="Speer 2022 (wordfreq)" if general else "Palotti, Zuccon & Hanbury 2019",
            compute=partial(frequency_figure, corpus=corpus, index=index),
        )
        for index, (figure, meaning) in enumerate(_FIGURES)
    )


ROWS: tuple[Feature, ...] = tuple(
    row for corpus in (*CORPORA, MERGED, GENERAL) for row in _rows(corpus)
)
