"""How frequent a text's words are, in the background corpora and in general English.

Over tokens, as in the study: words outside a vocabulary are left out of the percentiles and the
mean, and count as 0 in the second mean. Punctuation is no token here; see `statistics_key`.
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

# wordfreq keeps "don't" whole; a token that is a clitic counts as the word that it stands for.
CLITICS = {
    "n't": "not",
    "'s": "is",
    "'m": "am",
    "'d": "would",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
}


def summaries(values: FloatArray, places: Array, starts: Array) -> FloatArray:
    """25th, 50th, 75th percentile, mean, and mean with unknown words as 0, of each scale.

    A scale gives words their places: `values` of the places ascend within a scale. `places` holds
    the place of each token on each scale (`UNKNOWN` and `NO_WORD` included), `starts` where
    documents begin. Percentiles are interpolated linearly. (documents, scales, 5)
    """
    known = places >= 0
    sizes = sum_segments(known.T, starts)
    words = sum_segments((places != NO_WORD).T, starts)
    totals = sum_segments(np.where(known, values.take(places, mode="clip"), 0.0).T, starts)
    figures = np.empty((*sizes.shape, 5))
    figures[..., :3] = _quartiles(values, places, sizes, starts)
    figures[..., 3] = ratio(totals, sizes)
    figures[..., 4] = totals / nan_for_0(np.where(sizes > 0, words, 0))
    return figures


def _quartiles(values: FloatArray, places: Array, sizes: FloatArray, starts: Array) -> FloatArray:
    if not sizes.any():
        return np.full((*sizes.shape, 3), np.nan)
    # One sort for all documents: the document first, then the place, as one whole number; what
    # has no place comes last.
    nowhere = len(values)
    first = np.arange(len(sizes)) * (nowhere + 1)
    ordered = np.where(places >= 0, places, nowhere) + np.repeat(first, np.diff(starts))
    ordered.sort(axis=1)
    position = np.maximum(sizes[..., None] - 1, 0) * np.array([0.25, 0.5, 0.75])
    lower = position.astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(sizes[..., None].astype(np.int64) - 1, 0))
    scale = np.arange(len(places))[:, None] * places.shape[1]
    low, high = (
        values.take(
            ordered.take(scale + starts[:-1, None, None] + at, mode="clip") - first[:, None, None],
            mode="clip",
        )
        for at in (lower, upper)
    )
    quartiles: FloatArray = low + (high - low) * (position - lower)
    quartiles[sizes == 0] = np.nan
    return quartiles


@cache
def places_in(name: str) -> Places:
    """Return the words of one of wordfreq's lists, such as ``large_de``, with their Zipf places.

    Place ``p`` is the Zipf frequency ``p / 100``: the common logarithm of occurrences per 10^9
    words. `scripts/train/word_lists.py` makes the files.

    >>> english = places_in("large_en")
    >>> english.get("heart", -1), english.get("xqzzzy", -1)
    (531, -1)
    """
    arrays = resource_arrays(f"words/frequencies/{name}.npz")
    return Places(arrays["words"], arrays["numbers"])


def zipf_places(tokens: Sequence[str]) -> NDArray[np.int32]:
    """The place of each token on the Zipf scale of general English."""
    return places_of_keys(list(map(statistics_key, tokens)))


def places_of_keys(keys: Sequence[str]) -> NDArray[np.int32]:
    """`zipf_places` of tokens by what `statistics_key` says of them."""
    place = places_in(GENERAL_LIST).get
    return np.fromiter(
        (place(CLITICS.get(key, key), UNKNOWN) if key else NO_WORD for key in keys),
        np.int32,
        len(keys),
    )


_SCALES = (GENERAL, *CORPORA, MERGED)
_ZIPF = np.arange(901) / 100


@cache
def _ranks() -> tuple[FloatArray, NDArray[np.int32]]:
    """The values of all `_SCALES`, and the places of the words of the vocabulary on those of ranks.

    The last two words are what `UNKNOWN` and `NO_WORD` index.
    """
    counts = word_statistics().counts
    values = [_ZIPF]
    places = []
    for chosen in (*counts.T, counts.sum(axis=1)):
        ranks = normalised_ranks(chosen)
        distinct = np.unique(ranks[~np.isnan(ranks)])
        place = sum(map(len, values)) + np.searchsorted(distinct, ranks)
        places.append([*np.where(np.isnan(ranks), UNKNOWN, place), UNKNOWN, NO_WORD])
        values.append(distinct)
    return np.concatenate(values), np.array(places, np.int32).T.copy()


def frequencies(batch: Batch) -> FloatArray:
    """The five figures of a batch's tokens on each of `_SCALES`; see `summaries`."""
    values, ranks = _ranks()
    zipf = batch.token_values(zipf_places)
    ranked = ranks.take(batch.token_values(statistics_numbers), axis=0)
    return summaries(values, np.vstack([zipf, ranked.T]), batch.token_starts)


def frequency_figure(batch: Batch, corpus: str, index: int) -> FloatArray:
    """One of the five figures for one corpus, or for general English."""
    return batch.once(frequencies)[:, _SCALES.index(corpus), index]


_FIGURES = (
    ("p25", "25th percentile of the {scale} of words {where}; unknown words left out"),
    ("p50", "median of the {scale} of words {where}; unknown words left out"),
    ("p75", "75th percentile of the {scale} of words {where}; unknown words left out"),
    ("mean", "mean of the {scale} of words {where}; unknown words left out"),
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
