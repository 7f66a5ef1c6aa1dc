"""How a text is written, in columns that only estimators read: a share of words each.

Punctuation, function words, endings, rare words, the spread of sentence lengths. They stand beside
the catalogue rather than in it, because none of them means anything to a reader on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.features import Batch, ratio
from understandability.features.batch import sum_segments
from understandability.features.rows.frequency import zipf_places
from understandability.features.words.word_statistics import UNKNOWN
from understandability.models.runtime.bags import token_bags

_MARKS = {
    "comma": ",",
    "colon": ";:",
    "bracket": "()[]",
    "quote": "\"“”‘’''``",
    "dash": "-–—--",
    "exclamation": "!?",
    "percent": "%",
    "symbol": "=<>±≥≤*/+~",
    "period": ".",
}
_FUNCTION_WORDS = {
    "first_person": "i me my we us our",
    "second_person": "you your",
    "third_person": "he she him her his",
    "it_they": "it its they them their",
    "past_be": "was were had did",
    "be": "is are be been being",
    "modal": "can could may might should would will must",
    "relative": "which that who whose whom",
    "connective": "however although thus therefore moreover whereas furthermore despite",
    "of": "of",
    "article": "the a an",
    "and": "and or",
    "cause": "but so because if when",
    "preposition": "in on at to for with by from",
    "negation": "n't not no never",
}
_ENDINGS = (
    ("tion", "tions"),
    ("ity", "ities"),
    ("ment", "ments"),
    ("ence", "ences"),
    ("ance", "ances"),
    ("ness",),
    ("ism",),
    ("ical",),
    ("ive",),
    ("ous",),
    ("ing",),
    ("ed",),
    ("ly",),
)
_LEAST_ENDING_WORD = 6
_ZIPF_LIMITS = (200, 300, 350, 400, 450, 500)
# Beyond this many words a longer text is no harder for being longer.
_MOST_WORDS = 1500

_MARK_OF = {mark: column for column, marks in enumerate(_MARKS.values()) for mark in marks}
_WORD_OF = {
    word: column for column, words in enumerate(_FUNCTION_WORDS.values()) for word in words.split()
}
_ENDING_OF = {ending: column for column, endings in enumerate(_ENDINGS) for ending in endings}
_ENDING_SIZES = sorted(set(map(len, _ENDING_OF)))
_SHARES = (
    *_MARKS,
    *_FUNCTION_WORDS,
    *(f"ending_{ending[0]}" for ending in _ENDINGS),
    "number",
    "capitals",
    "capitalised",
    "unknown",
    *(f"zipf_below_{limit / 100:g}" for limit in _ZIPF_LIMITS),
)
# The kinds of token before "unknown".
STYLE_KINDS = _SHARES[: _SHARES.index("unknown")]
STYLE_COLUMNS = (
    *_SHARES,
    "log_words",
    "variety",
    "sentence_weighted",
    "sentence_deviation",
    "sentence_longest",
)


def kinds_of_token(tokens: Sequence[str]) -> NDArray[np.uint8]:
    """Which of the kinds before ``unknown`` each token is, and last whether it has a letter.

    (tokens, kinds + 1). A column of types.
    """
    kinds = np.zeros((len(tokens), _SHARES.index("unknown") + 1), np.uint8)
    words = len(_MARKS)
    endings = words + len(_FUNCTION_WORDS)
    rest = endings + len(_ENDINGS)
    found: list[tuple[int, int]] = []
    for row, token in enumerate(tokens):
        if not (token.isalnum() or any(map(str.isalnum, token))):
            column = _MARK_OF.get(token[:1])
            if column is not None:
                found.append((row, column))
            continue
        lower = token.lower()
        column = _WORD_OF.get(lower.replace("’", "'"))
        if column is not None:
            found.append((row, words + column))
        if len(lower) >= _LEAST_ENDING_WORD:
            for size in _ENDING_SIZES:
                column = _ENDING_OF.get(lower[-size:])
                if column is not None:
                    found.append((row, endings + column))
        if token[0].isdigit():
            found.append((row, rest))
        if token[0].isupper():
            found.append((row, rest + 2))
        if len(token) > 1 and token.isupper():
            found.append((row, rest + 1))
    if found:
        kinds[tuple(np.array(found).T)] = 1
    kinds[:, -1] = np.fromiter(
        (token.isalpha() or any(map(str.isalpha, token)) for token in tokens), bool, len(tokens)
    )
    return kinds


def style(batch: Batch) -> Floats:
    """The columns `STYLE_COLUMNS` of each document; NaN without words. Use `Batch.once`."""
    bags = batch.once(token_bags)
    kinds = batch.token_types.column(kinds_of_token).take(bags.words, axis=0)
    places = batch.token_types.column(zipf_places).take(bags.words)
    below = (places[:, None] < np.array(_ZIPF_LIMITS)) & (places >= UNKNOWN)[:, None]
    rare = np.column_stack([places == UNKNOWN, below]) & (kinds[:, -1:] > 0)
    kinds = np.hstack([kinds[:, :-1], rare])
    counts = bags.counts.astype(np.float32)
    sums = np.zeros((len(batch), len(_SHARES)))
    # Counts of distinct tokens times their kinds: whole numbers, exact in any order.
    for row, (start, end) in zip(sums, pairwise(bags.starts.tolist()), strict=True):
        row[:] = counts[start:end] @ kinds[start:end].astype(np.float32)
    shares = ratio(sums, batch.words[:, None])
    words = np.minimum(batch.words, _MOST_WORDS)
    log_words = np.log(np.where(words > 0, words, np.nan))
    variety = ratio(np.diff(bags.starts), np.sqrt(np.diff(batch.token_starts)))
    lengths = batch.sentence_lengths.astype(np.float64)
    sentence_starts = np.searchsorted(batch.sentence_starts, batch.word_starts)
    squares = sum_segments(lengths**2, sentence_starts)
    mean = ratio(batch.words, batch.sentences)
    deviation = np.sqrt(np.maximum(ratio(squares, batch.sentences) - mean**2, 0))
    longest = np.full(len(batch), np.nan)
    full = np.diff(sentence_starts) > 0
    if full.any():
        longest[full] = np.maximum.reduceat(lengths, sentence_starts[:-1][full])
    return np.column_stack(
        [shares, log_words, variety, ratio(squares, batch.words), deviation, longest]
    )
