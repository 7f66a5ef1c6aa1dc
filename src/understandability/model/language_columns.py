"""Describe passages in any language by numbers: lengths, punctuation, words, English equivalents.

A text is split into passages of about a hundred words, because human labels are available for
sentences and passages. All columns are means over words or sentences, or quantiles, so no column
grows with the text. Names have no complexity, because they are not hard to understand.
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
from understandability.text.other_languages import LANGUAGES

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
_EASY = 0.3  # words up to this complexity add nothing
_HARDEST = 3  # the number of hardest words per sentence
_OUTER = "\"'“”‘’‚„«»‹›()[]{}<>*.,;:!?…¿¡।॥–—-_/|•·،؛؟\u037e―"
_CAPITAL_NOUNS = ("de",)
_PARTS = re.compile("['`/‑·*-]")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f"))
_LONGEST = 200  # letters read of a piece; a crawl contains pieces of a megabyte
# An unknown capitalised word of 12 letters or more is a term, as in a list of illnesses.
_LONG_NAME = 12
_MARKS = frozenset(';:()–—"“”„«»؛')


# The numbers of a piece, in the order of `_piece_numbers`.
_PIECE_NUMBERS = (
    _IS_WORD,
    _LETTERS,
    _ZIPF,
    _HAS_COMMA,
    _HAS_MARK,
    _HAS_DIGIT,
    _IS_QUESTION,
    _COMPLEXITY,
    _EQUIVALENT,
) = range(9)


def _piece_numbers(piece: str, language: str, frequencies: str) -> tuple[float, ...]:
    """Compute the numbers of a piece, in the order of `_PIECE_NUMBERS`.

    The Zipf frequency is NaN for a number, the complexity NaN for names and numbers, and the id of
    the English equivalent -1 without one. A comma counts at the end of the piece, another mark
    inside it.
    """
    start = piece[:_LONGEST].translate(_INVISIBLE)
    written = unicodedata.normalize("NFKC", start).strip(_OUTER).replace("’", "'")
    other = LANGUAGES.get(language)
    word = other.key(written) if other else written.lower()
    questions = other.questions if other else "?"
    number, is_word = any(map(str.isdigit, word)), any(map(str.isalnum, word))
    frequency = places_in(frequencies).get
    zipf = frequency(word, -1)  # in hundredths
    meant = word
    if zipf < 0:  # l'homme, dell'arte, and/or: the frequency of the rarest part
        parts = [part for part in _PARTS.split(word) if len(part) > 1] or [word[-1:]]
        zipf = min(frequency(part, UNLISTED) for part in parts)
        meant = parts[-1]
    complexity, equivalent = translations(language, frequencies).complexity_of(meant, zipf)
    if written.istitle() and language not in _CAPITAL_NOUNS:
        zipf = max(zipf, 100 * int(_USUAL))  # a name is rare, but not hard
        if equivalent < 0 and len(word) < _LONG_NAME:
            complexity = np.nan
    return (
        float(is_word),
        len(written),
        np.nan if number else zipf / 100,
        piece.endswith((",", "،")),
        not _MARKS.isdisjoint(piece.rstrip(questions)),
        number,
        "!" in piece or any(mark in piece for mark in questions),
        complexity if is_word and not number else np.nan,
        equivalent,
    )


@cache
def _pieces(language: str, frequencies: str) -> BoundedCache[tuple[float, ...]]:
    return BoundedCache(partial(_piece_numbers, language=language, frequencies=frequencies))


def language_columns(
    pieces: Sequence[str], sentence_starts: Sequence[int], language: str, frequencies: str
) -> tuple[Floats, Floats]:
    """Return the `COLUMNS` of each passage, shape (passages, columns), and its number of words.

    `frequencies` names the frequency list of the language. A text without words has no passages.

    >>> text = "Flu is a virus. Rest and drink.".split()
    >>> columns, words = language_columns(text, [0, 4], "en", "large_en")
    >>> words.tolist(), bool(columns[0, 0] == np.log(3.5))
    ([7.0], True)
    """
    numbers = _pieces(language, frequencies)
    vectors = translations(language, frequencies).vectors
    rows = np.array([numbers[piece] for piece in pieces]).reshape(len(pieces), len(_PIECE_NUMBERS))
    lengths = np.add.reduceat(rows[:, _IS_WORD], sentence_starts) if len(pieces) else np.empty(0)
    number, total = 0, lengths.sum()
    passage = []
    for before in accumulate(lengths[:-1], initial=0.0) if len(lengths) else ():
        # A rest of fewer than half a passage belongs to the last passage.
        if before >= WORDS * (number + 1) and total - before >= WORDS / 2:
            number = int(before // WORDS)
        passage.append(number)
    ends = [*sentence_starts[1:], len(pieces)]
    columns, words = [], []
    for id_ in dict.fromkeys(passage):
        first, last = passage.index(id_), len(passage) - 1 - passage[::-1].index(id_)
        part = rows[sentence_starts[first] : ends[last]]
        if count := part[:, _IS_WORD].sum():
            sentences = [
                rows[start:end, _COMPLEXITY]
                for start, end in zip(
                    sentence_starts[first : last + 1], ends[first : last + 1], strict=True
                )
            ]
            columns.append(
                [
                    *_passage_columns(part, float((lengths[first : last + 1] > 0).sum())),
                    *_complexity_columns(sentences),
                    *_meaning_columns(part[:, _EQUIVALENT], vectors),
                ]
            )
            words.append(count)
    return np.array(columns).reshape(len(columns), len(COLUMNS)), np.array(words)


def _complexity_columns(sentences: Sequence[Floats]) -> list[float]:
    """Compute the columns `COMPLEXITY` of a passage, from the complexities of each sentence's
    words.
    """
    # For the few words of a sentence, lists take a third of NumPy's time.
    rated = [sorted(value for value in words.tolist() if value == value) for words in sentences]
    rated = [values for values in rated if values] or [[_EASY]]
    every = [value for values in rated for value in values]
    hardest = [sum(values[-_HARDEST:]) / min(len(values), _HARDEST) for values in rated]
    excess = sum(value - _EASY for value in every if value > _EASY)
    return [
        *_quantiles(np.array(every), (0.75,)),
        sum(hardest) / len(rated),
        (excess / len(rated)) ** 0.5,
    ]


def _meaning_columns(equivalents: Floats, vectors: Floats) -> Floats:
    """Compute the columns `MEANING` of a passage: a mean of the vectors of its words' equivalents.

    The last column of `vectors` is the weight of a word, which is higher for rare words.
    """
    sums = vectors[equivalents[equivalents >= 0].astype(np.intp)].sum(axis=0)
    total, weight = sums[:-1], sums[-1]
    return np.asarray(total / weight if weight > 0 else total * 0)


def _quantiles(values: Floats, shares: Sequence[float]) -> list[float]:
    """Return quantiles with linear interpolation. For few values this is five times as fast as
    NumPy.
    """
    positions = np.array(shares) * (len(values) - 1)
    return list(map(float, np.interp(positions, np.arange(len(values)), np.sort(values))))


def _passage_columns(rows: Floats, sentences: float) -> list[float]:
    """Compute the `COLUMNS` of a passage that precede `COMPLEXITY`, from the numbers of its
    pieces.
    """
    words = rows[rows[:, _IS_WORD] > 0]
    letters, zipf = words[:, _LETTERS], words[:, _ZIPF]
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
        float(np.log1p(rows[:, _HAS_COMMA].sum() / sentences)),
        float(rows[:, _HAS_MARK].sum() / len(words)),
        float(words[:, _HAS_DIGIT].mean()),
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
        float(np.minimum(rows[:, _IS_QUESTION].sum() / sentences, 1)),
        float((zipf > _FREQUENT).mean()),
        float((letters <= _SHORT).mean()),
        *_quantiles(letters, (0.9,)),
        *_quantiles(zipf, (0.75,)),
    ]
