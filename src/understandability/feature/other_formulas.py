"""More formulas for English: FORCAST, and formulas of other packages.

The group ``readability`` has the formulas of the study of 2019. The formulas here are those that
textstat, py-readability-metrics and textdescriptives have in addition.
``docs/readability_formulas.md`` lists how these packages compute the same formulas differently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import Batch, FloatArray
from understandability.feature.formulas import HARDER, Counts, formula_row, per_hundred
from understandability.feature.formulas import ROWS as READABILITY
from understandability.feature.row import Feature, Flag
from understandability.feature.word_counts import KINDS, kinds_of_word

GROUP = "other formulas"
WORDS_A_MINUTE = 238.0
_SAMPLE_OF_FORCAST = 150


def eflaw(miniwords: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """McAlpine's EFLAW, for non-native readers; 20 is very easy, 30 is very confusing.

    Miniwords have one to three letters. Idioms, which are hard for non-native readers, consist of
    them ("to put up with").

    >>> eflaw(11, 18, 1)  # a sentence of McAlpine's
    29.0
    """
    return (words + miniwords) / sentences


def forcast(monosyllables: Counts, words: Counts) -> FloatArray:
    """FORCAST (Caylor et al. 1973), designed for forms and manuals: a US grade from 5 to 12.

    The grade is 20 - N / 10, where N is the number of monosyllables in 150 words. For a text of
    another length, N is scaled to 150 words.

    >>> forcast(80, 150)
    12.0
    """
    return 20.0 - 0.1 * _SAMPLE_OF_FORCAST * monosyllables / words


def linsear_write(polysyllables: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Linsear Write, a US grade: a word is worth one point, a polysyllable three.

    The grade is half of the mean points per sentence; 1 is subtracted if the mean is 20 or less.
    The formula was designed for samples of 100 words; here it is applied to the whole text.

    >>> [float(linsear_write(12, 100, sentences)) for sentences in (5, 10)]
    [12.4, 5.2]
    """
    points = (words + 2.0 * polysyllables) / sentences
    return points / 2.0 - np.where(points > 20.0, 0.0, 1.0)


def rix(long_words: Counts, sentences: Counts) -> FloatArray:
    """Rix (Anderson 1983): words of more than six letters per sentence.

    A value of 1.8 is grade 6, 7.2 is college.

    >>> rix(36, 20)
    1.8
    """
    return long_words / sentences


def spache(unfamiliar: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Spache (1953), a US grade up to 4.

    >>> round(spache(10, 100, 10), 3)  # 1.41 + 0.86 + 0.839
    3.109
    """
    return 0.141 * words / sentences + 0.086 * per_hundred(unfamiliar, words) + 0.839


def reading_minutes(words: Counts) -> FloatArray:
    """The silent reading time of an adult, at 238 words of non-fiction per minute (Brysbaert 2019).

    >>> reading_minutes(476)
    2.0
    """
    return words / WORDS_A_MINUTE


# The formulas that vote in the consensus. Ties are broken by this order.
_GRADES = (
    "flesch_kincaid",
    "flesch_reading_ease",
    "smog",
    "coleman_liau",
    "ari",
    "dale_chall_above_5",
    "linsear_write",
    "gunning_fog",
)


def consensus(values: FloatArray) -> FloatArray:
    """Return the most frequent whole grade; (documents, grades) to (documents,).

    Each formula votes for the whole grades below, above and nearest to its value; Flesch Reading
    Ease votes for one or two grades. If several grades have the most votes, the first one named
    wins.

    >>> consensus(np.array([[4.9, 85.0, 6.0, 8.4, 5.2, 6.1, 6.0, 7.0]]))
    array([6.])
    """
    named_grades: list[FloatArray] = []
    for name, value in zip(_GRADES, values.T, strict=True):
        if name == "flesch_reading_ease":
            named_grades += _grades_of_ease(value)
        else:
            named_grades += [np.floor(value), np.ceil(value), np.rint(value)]
    grades = np.stack(named_grades, axis=1)
    votes = (grades[:, :, None] == grades[:, None, :]).sum(axis=2)
    return np.take_along_axis(grades, votes.argmax(axis=1)[:, None], axis=1)[:, 0]


def _grades_of_ease(ease: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Look up the one or two grades of a Flesch Reading Ease in Flesch's table; NaN if only one."""
    grades = np.select([ease >= least for least in (90, 80, 70, 60, 50, 40, 30)],
                       [5.0, 6.0, 7.0, 8.0, 10.0, 11.0, 12.0], 13.0)  # fmt: skip
    return np.where(np.isnan(ease), np.nan, grades), np.where(grades == 8.0, 9.0, np.nan)


def text_standard(batch: Batch) -> FloatArray:
    """Return the consensus of the grades of each document."""
    compute = {row.name: row.compute for row in (*READABILITY, *ROWS)}
    return consensus(np.stack([compute[name](batch) for name in _GRADES], axis=1))


def count_monosyllables(batch: Batch) -> FloatArray:
    """Return the number of words of one syllable per document."""
    syllables = batch.word_values(kinds_of_word)[:, KINDS.index("syllables")]
    return batch.sum_words(syllables == 1)


def count_miniwords(batch: Batch) -> FloatArray:
    """Return the number of words of one to three letters or digits per document."""
    return batch.sum_words(batch.word_values(kinds_of_word)[:, KINDS.index("characters")] <= 3)


def has_few_words(batch: Batch) -> NDArray[np.bool_]:
    """Return a mask of the texts with fewer than the 150 words that FORCAST requires."""
    return (batch.words > 0) & (batch.words < _SAMPLE_OF_FORCAST)


FORCAST_EXTRAPOLATED = Flag(
    "forcast_extrapolated",
    "FORCAST is extrapolated: the text has fewer than 150 words",
    has_few_words,
)

_PER = ("words", "sentences")
_ROWS: tuple[tuple[Any, ...], ...] = (
    ("eflaw", "score", HARDER, "(words + words of 1 to 3 letters and digits) / sentences",
     "McAlpine, From Plain English to Global English (after Nirmaldasan 2009)",
     eflaw, (count_miniwords, *_PER)),
    ("forcast", "grade", HARDER, "20 - 15 words of one syllable/words",
     "Caylor, Sticht, Fox & Ford 1973", forcast, (count_monosyllables, "words"),
     FORCAST_EXTRAPOLATED),
    ("linsear_write", "grade", HARDER,
     "half of (words + 2 polysyllables)/sentences, less 1 if the quotient is 20 or lower",
     "O'Hayre 1966, in the form of textstat and py-readability-metrics",
     linsear_write, ("polysyllables", *_PER)),
    ("rix", "score", HARDER, "words of more than 6 letters and digits/sentences",
     "Anderson 1983", rix, ("words_longer_6", "sentences")),
    ("spache_dale_chall", "grade", HARDER,
     "0.141 words/sentences + 0.086 percent difficult words + 0.839, with the words of Dale and "
     "Chall in place of Spache's own",
     "Spache 1953, in the form of textstat", spache, ("difficult_words", *_PER)),
    ("reading_minutes", "minutes", None, "words/238", "Brysbaert 2019",
     reading_minutes, ("words",)),
)  # fmt: skip
_formulas = [replace(formula_row(*row), group=GROUP) for row in _ROWS]
_meaning = "the grade named most often by " + ", ".join(_GRADES)
_standard = Feature("text_standard", GROUP, "grade", HARDER, _meaning, "textstat", text_standard)
ROWS: tuple[Feature, ...] = (*_formulas[:-1], _standard, _formulas[-1])
