"""How frequent a text's words are, in the background corpora and in general English.

Over tokens, as in the study: words outside a vocabulary are left out of the percentiles and the
mean, and count as 0 in the second mean. Punctuation is no token here; see `statistics_key`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.features.batch import Batch, ratio, sum_segments
from understandability.features.feature import Feature
from understandability.features.types import Array, FloatArray
from understandability.features.word_statistics import (
    CORPORA,
    NO_WORD,
    UNKNOWN,
    normalised_ranks,
    statistics_key,
    statistics_numbers,
    word_statistics,
)
from understandability.io.resources import package_bytes

MERGED = "merged"
GENERAL = "general"

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


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which words have places: `values` ascend, one for each place."""

    values: FloatArray

    def summaries(self, places: Array, starts: Array) -> FloatArray:
        """25th, 50th, 75th percentile, mean, and mean with unknown words as 0; (documents, 5).

        `places` holds the place of each token (`UNKNOWN` and `NO_WORD` included), `starts` where
        documents begin. Percentiles are interpolated linearly.
        """
        known = places >= 0
        known_before = np.concatenate([[0], np.cumsum(known)])
        unknown_before = np.concatenate([[0], np.cumsum(places == UNKNOWN)])
        begins = known_before[starts[:-1]]
        sizes = known_before[starts[1:]] - begins
        totals = sum_segments(self.values[places[known]], known_before[starts])
        return np.column_stack(
            [
                self._quartiles(places[known], begins, sizes),
                ratio(totals, sizes),
                ratio(totals, sizes + unknown_before[starts[1:]] - unknown_before[starts[:-1]]),
            ]
        )

    def _quartiles(self, places: Array, begins: Array, sizes: Array) -> FloatArray:
        # One sort for all documents: the document first, then the place, as one whole number.
        width = len(self.values)
        document = np.repeat(np.arange(len(sizes)), sizes)
        ordered = np.sort(document * width + places) - document * width
        quartiles = np.full((len(sizes), 3), np.nan)
        full = sizes > 0
        position = (sizes[full, None] - 1) * np.array([0.25, 0.5, 0.75])
        lower = position.astype(np.int64)
        upper = np.minimum(lower + 1, sizes[full, None] - 1)
        low, high = (self.values[ordered[begins[full, None] + at]] for at in (lower, upper))
        quartiles[full] = low + (high - low) * (position - lower)
        return quartiles


@cache
def _rank_scale(corpus: str) -> tuple[Scale, NDArray[np.int64]]:
    """The distinct ranks of a corpus, and the place of each word of the vocabulary on it."""
    counts = word_statistics().counts
    chosen = counts.sum(axis=1) if corpus == MERGED else counts[:, CORPORA.index(corpus)]
    ranks = normalised_ranks(chosen)
    values = np.unique(ranks[~np.isnan(ranks)])
    places = np.where(np.isnan(ranks), UNKNOWN, np.searchsorted(values, ranks))
    return Scale(values), np.append(places, [UNKNOWN, NO_WORD])


def rank_summaries(batch: Batch, corpus: str) -> FloatArray:
    """The five figures of the ranks of a batch's tokens in one corpus; see `Scale.summaries`."""
    scale, places = _rank_scale(corpus)
    return scale.summaries(places[batch.token_values(statistics_numbers)], batch.token_starts)


@cache
def general_places() -> dict[str, int]:
    """The English words of wordfreq's large list, each with its place on the Zipf scale.

    Place ``p`` is the Zipf frequency ``p / 100``: the common logarithm of occurrences per 10^9
    words. The list is read from wordfreq's own file, which takes a third of the time that its
    functions need.
    """
    import msgpack

    packed = gzip.decompress(package_bytes("wordfreq", "data/large_en.msgpack.gz"))
    header, *lists = msgpack.unpackb(packed)
    if header != {"format": "cB", "version": 1}:
        raise InputError(f"wordfreq's list has the form {header}; install wordfreq 3.1 instead")
    # List i holds the words of frequency 10^(-i / 100).
    return {word: 900 - index for index, words in enumerate(lists) for word in words}


def zipf_places(tokens: Sequence[str]) -> NDArray[np.int32]:
    """The place of each token on the Zipf scale of general English."""
    places = general_places()
    keys = (statistics_key(token) for token in tokens)
    return np.fromiter(
        (places.get(CLITICS.get(key, key), UNKNOWN) if key else NO_WORD for key in keys),
        np.int32,
        len(tokens),
    )


_ZIPF = Scale(np.arange(901) / 100)


def zipf_summaries(batch: Batch) -> FloatArray:
    """The five figures of the Zipf frequencies of a batch's tokens; see `Scale.summaries`."""
    return _ZIPF.summaries(batch.token_values(zipf_places), batch.token_starts)


_SUMMARIES: dict[str, Callable[[Batch], FloatArray]] = {
    **{corpus: partial(rank_summaries, corpus=corpus) for corpus in (*CORPORA, MERGED)},
    GENERAL: zipf_summaries,
}


def frequency_figure(batch: Batch, corpus: str, index: int) -> FloatArray:
    """One of the five figures for one corpus, or for general English."""
    return batch.once(_SUMMARIES[corpus])[:, index]


_FIGURES = (
    ("p25", "25th percentile of the {scale} of words {where}; words outside left out"),
    ("p50", "median of the {scale} of words {where}; words outside left out"),
    ("p75", "75th percentile of the {scale} of words {where}; words outside left out"),
    ("mean", "mean of the {scale} of words {where}; words outside left out"),
    ("mean_all", "mean of the {scale} of words {where}; words outside count as 0"),
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
            harder="lower",
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
