"""What can be read of a passage in any language: lengths, marks, how frequent its words are.

A text is read in passages of about a hundred words, as people judged sentences and passages; all
columns are means over words or over sentences, or quantiles, so that none grows with the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate

import numpy as np

from understandability.arrays import Floats
from understandability.feature.frequency import places_in
from understandability.text.cache import BoundedCache

COLUMNS = (
    "log_words_of_sentence", "letters_of_word", "spread_of_letters", "long_words",
    "very_long_words", "commas", "marks", "numbers", "zipf", "zipf_05", "zipf_10", "zipf_25",
    "zipf_50", "rare_words", "unlisted_words", "rarity_of_sentence", "log_letters_of_sentence",
    "root_letters_of_sentence", "long_words_of_sentence", "very_long_words_of_sentence",
    "root_rarity_of_sentence", "questions", "frequent_words", "short_words", "letters_90",
    "zipf_75",
)  # fmt: skip
WORDS = 100  # of a passage
_SHORT, _LONG, _VERY_LONG = 3, 6, 10  # letters
_RARE, _USUAL, _FREQUENT = 3.0, 4.0, 6.0  # Zipf frequencies
_UNLISTED = 100  # the Zipf place of a word that its list lacks
_OUTER = "\"'“”‘’‚„«»‹›()[]{}<>*.,;:!?…¿¡।॥–—-_/|•·"
_CAPITAL_NOUNS = ("large_de",)
_PARTS = re.compile("['/-]")
_MARKS = frozenset(';:()–—"“”„«»')


def _of_piece(piece: str, frequencies: str) -> tuple[float, ...]:
    """Is it a word, letters, Zipf frequency (NaN of numbers), comma, mark, digit, question."""
    written = unicodedata.normalize("NFKC", piece).strip(_OUTER).replace("’", "'")
    word = written.lower()
    number = any(map(str.isdigit, word))
    listed = places_in(frequencies)
    place = listed.get(word, -1)
    if place < 0:  # l'homme, dell'arte, and/or: the frequency of the rarest part
        parts = [part for part in _PARTS.split(word) if len(part) > 1] or word[-1:]
        place = min((listed.get(part, _UNLISTED) for part in parts), default=_UNLISTED)
    if written.istitle() and frequencies not in _CAPITAL_NOUNS:
        place = max(place, 100 * int(_USUAL))  # a name is rare, and not hard
    return (
        float(any(map(str.isalnum, word))),
        len(word),
        np.nan if number else place / 100,
        piece.endswith((",", "،")),
        not _MARKS.isdisjoint(piece),
        number,
        "?" in piece or "!" in piece,
    )


@cache
def _pieces(frequencies: str) -> BoundedCache[tuple[float, ...]]:
    return BoundedCache(partial(_of_piece, frequencies=frequencies))


def plain_columns(
    pieces: Sequence[str], sentence_starts: Sequence[int], frequencies: str
) -> tuple[Floats, Floats]:
    """The `COLUMNS` of each passage of a text, (passages, columns), and the words of each.

    `frequencies` names the list of its language. A text without words has no passages.

    >>> text = "Flu is a virus. Rest and drink.".split()
    >>> columns, words = plain_columns(text, [0, 4], "large_en")
    >>> words.tolist(), bool(columns[0, 0] == np.log(3.5))
    ([7.0], True)
    """
    known = _pieces(frequencies)
    rows = np.array([known[piece] for piece in pieces]).reshape(len(pieces), 7)
    lengths = np.add.reduceat(rows[:, 0], sentence_starts) if len(pieces) else np.empty(0)
    number, total = 0, lengths.sum()
    passage = []
    for before in accumulate(lengths[:-1], initial=0.0) if len(lengths) else ():
        # The rest of a text that is no passage of its own belongs to the last one.
        if before >= WORDS * (number + 1) and total - before >= WORDS / 2:
            number = int(before // WORDS)
        passage.append(number)
    ends = [*sentence_starts[1:], len(pieces)]
    columns, words = [], []
    for each in dict.fromkeys(passage):
        first, last = passage.index(each), len(passage) - 1 - passage[::-1].index(each)
        part = rows[sentence_starts[first] : ends[last]]
        if count := part[:, 0].sum():
            columns.append(_of_passage(part, float((lengths[first : last + 1] > 0).sum())))
            words.append(count)
    return np.array(columns).reshape(len(columns), len(COLUMNS)), np.array(words)


def _quantiles(values: Floats, shares: Sequence[float]) -> list[float]:
    """Quantiles with straight lines between values; in a fifth of NumPy's time for few values."""
    places = np.array(shares) * (len(values) - 1)
    return list(map(float, np.interp(places, np.arange(len(values)), np.sort(values))))


def _of_passage(rows: Floats, sentences: float) -> list[float]:
    words = rows[rows[:, 0] > 0]
    letters, zipf = words[:, 1], words[:, 2]
    zipf = zipf[np.isfinite(zipf)]
    if not len(zipf):
        zipf = np.array([_USUAL])
    rarity = np.maximum(_USUAL - zipf, 0).sum() / sentences
    return [
        float(np.log(len(words) / sentences)),
        float(letters.mean()),
        float(letters.std()),
        float((letters > _LONG).mean()),
        float((letters > _VERY_LONG).mean()),
        float(np.log1p(rows[:, 3].sum() / sentences)),
        float(rows[:, 4].sum() / len(words)),
        float(words[:, 5].mean()),
        float(zipf.mean()),
        *_quantiles(zipf, (0.05, 0.1, 0.25, 0.5)),
        float((zipf < _RARE).mean()),
        float((zipf <= _UNLISTED / 100).mean()),
        float(np.log1p(rarity)),
        float(np.log(letters.sum() / sentences)),
        float(np.sqrt(letters.sum() / sentences)),
        float(np.sqrt((letters > _LONG).sum() / sentences)),
        float(np.sqrt((letters > _VERY_LONG).sum() / sentences)),
        float(np.sqrt(rarity)),
        float(np.minimum(rows[:, 6].sum() / sentences, 1)),
        float((zipf > _FREQUENT).mean()),
        float((letters <= _SHORT).mean()),
        *_quantiles(letters, (0.9,)),
        *_quantiles(zipf, (0.75,)),
    ]
