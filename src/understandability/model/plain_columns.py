"""Columns of a passage in any language: lengths, punctuation, words, English equivalents.

A text is read in passages of about a hundred words, as people judged sentences and passages; all
columns are means over words or over sentences, or quantiles, so that none grows with the text.
Names have no complexity: they are not hard.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate

import numpy as np

from understandability._core.layout import VECTOR_SIZE
from understandability.arrays import Floats
from understandability.feature.frequency import places_in
from understandability.model.translations import UNLISTED, translations
from understandability.text.cache import BoundedCache

COLUMNS: tuple[str, ...] = (
    "log_words_of_sentence", "letters_of_word", "spread_of_letters", "long_words",
    "very_long_words", "commas", "marks", "numbers", "zipf", "zipf_05", "zipf_10", "zipf_25",
    "zipf_50", "rare_words", "unlisted_words", "rarity_of_sentence", "log_letters_of_sentence",
    "root_letters_of_sentence", "long_words_of_sentence", "very_long_words_of_sentence",
    "root_rarity_of_sentence", "questions", "frequent_words", "short_words", "letters_90",
    "zipf_75", *(COMPLEXITY := (
        "complexity_75", "hardest_words_of_sentence", "excess_of_sentence",
    )), *(MEANING := tuple(f"meaning_{number}" for number in range(VECTOR_SIZE))),
)  # fmt: skip
WORDS = 100  # of a passage
_SHORT, _LONG, _VERY_LONG = 3, 6, 10  # letters
_RARE, _USUAL, _FREQUENT = 3.0, 4.0, 6.0  # Zipf frequencies
_EASY = 0.3  # the complexity up to which a word costs nothing
_HARDEST = 3  # words of a sentence
_OUTER = "\"'“”‘’‚„«»‹›()[]{}<>*.,;:!?…¿¡।॥–—-_/|•·"
_CAPITAL_NOUNS = ("de",)
_PARTS = re.compile("['`/‑·*-]")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f"))
_LONGEST = 200  # letters of a piece that are read: a crawl has some of a megabyte
_LONG_NAME = 12  # letters; so long an unknown word is a term, as in a list of illnesses
_MARKS = frozenset(';:()–—"“”„«»')


def _of_piece(piece: str, language: str, frequencies: str) -> tuple[float, ...]:
    """Compute the nine numbers of a piece.

    Is it a word, letters, Zipf frequency (NaN of numbers), comma, mark, digit, question, complexity
    (NaN of names and numbers), number of its equivalent.
    """
    shown = piece[:_LONGEST].translate(_INVISIBLE)
    written = unicodedata.normalize("NFKC", shown).strip(_OUTER).replace("’", "'")
    word = written.lower()
    number, is_word = any(map(str.isdigit, word)), any(map(str.isalnum, word))
    listed, known = places_in(frequencies), translations(language, frequencies)
    place = listed.get(word, -1)
    meant = word
    if place < 0:  # l'homme, dell'arte, and/or: the frequency of the rarest part
        parts = [part for part in _PARTS.split(word) if len(part) > 1] or [word[-1:]]
        place = min(listed.get(part, UNLISTED) for part in parts)
        meant = parts[-1]
    complexity, equivalent = known.complexity_of(meant, place)
    if written.istitle() and language not in _CAPITAL_NOUNS:
        place = max(place, 100 * int(_USUAL))  # a name is rare, and not hard
        if equivalent < 0 and len(word) < _LONG_NAME:
            complexity = np.nan
    return (
        float(is_word),
        len(word),
        np.nan if number else place / 100,
        piece.endswith((",", "،")),
        not _MARKS.isdisjoint(piece),
        number,
        "?" in piece or "!" in piece,
        complexity if is_word and not number else np.nan,
        equivalent,
    )


@cache
def _pieces(language: str, frequencies: str) -> BoundedCache[tuple[float, ...]]:
    return BoundedCache(partial(_of_piece, language=language, frequencies=frequencies))


def plain_columns(
    pieces: Sequence[str], sentence_starts: Sequence[int], language: str, frequencies: str
) -> tuple[Floats, Floats]:
    """The `COLUMNS` of each passage of a text, (passages, columns), and the words of each.

    `frequencies` names the list of its language. A text without words has no passages.

    >>> text = "Flu is a virus. Rest and drink.".split()
    >>> columns, words = plain_columns(text, [0, 4], "en", "large_en")
    >>> words.tolist(), bool(columns[0, 0] == np.log(3.5))
    ([7.0], True)
    """
    known = _pieces(language, frequencies)
    vectors = translations(language, frequencies).vectors
    rows = np.array([known[piece] for piece in pieces]).reshape(len(pieces), 9)
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
            sentences = [
                rows[start:end, 7]
                for start, end in zip(
                    sentence_starts[first : last + 1], ends[first : last + 1], strict=True
                )
            ]
            columns.append(
                [
                    *_of_passage(part, float((lengths[first : last + 1] > 0).sum())),
                    *_of_complexity(sentences),
                    *_of_meaning(part[:, 8], vectors),
                ]
            )
            words.append(count)
    return np.array(columns).reshape(len(columns), len(COLUMNS)), np.array(words)


def _of_complexity(sentences: Sequence[Floats]) -> list[float]:
    """The `COMPLEXITY` of a passage, from the complexities of each sentence's words."""
    # Lists: for the few words of a sentence they take a third of NumPy's time.
    parts = [sorted(value for value in each.tolist() if value == value) for each in sentences]
    parts = [each for each in parts if each] or [[_EASY]]
    every = [value for each in parts for value in each]
    hardest = [sum(each[-_HARDEST:]) / min(len(each), _HARDEST) for each in parts]
    excess = sum(value - _EASY for value in every if value > _EASY)
    return [
        *_quantiles(np.array(every), (0.75,)),
        sum(hardest) / len(parts),
        (excess / len(parts)) ** 0.5,
    ]


def _of_meaning(equivalents: Floats, vectors: Floats) -> Floats:
    """The `MEANING` of a passage: the mean vector of its words' equivalents, rare words first."""
    found = vectors[equivalents[equivalents >= 0].astype(np.intp)].sum(axis=0)
    return np.asarray(found[:-1] / found[-1] if found[-1] > 0 else found[:-1] * 0)


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
        float((zipf <= UNLISTED / 100).mean()),
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
