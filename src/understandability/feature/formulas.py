"""Readability formulas for English with their published constants.

Each formula is a plain function of counts (numbers or arrays). A row of the catalogue applies it to
the counts of a batch (`counts_of`). Counts of zero words or sentences are replaced by NaN, so every
formula of an empty text is NaN.

The group ``readability`` has the formulas of the study of 2019. The group ``other formulas`` has
further formulas of textstat, py-readability-metrics and textdescriptives.
``docs/readability_formulas.md`` lists how these packages compute the same formulas differently.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray
from understandability.feature.row import Feature, Flag
from understandability.feature.word_counts import KINDS, counts_of, kinds_of_word

GROUP, OTHER_GROUP = "readability", "other formulas"
WORDS_A_MINUTE = 238.0
_SAMPLE_OF_FORCAST = 150
HARDER, EASIER = Direction.HARDER, Direction.EASIER

# An array with one number per document. Plain numbers work too.
Counts = FloatArray


def per_hundred(part: Counts, whole: Counts) -> FloatArray:
    """Return `part` as a percentage of `whole`, such as letters per 100 words."""
    return 100.0 * part / whole


def ari(characters: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Automated Readability Index (Smith & Senter 1967); a US grade, higher = harder."""
    return 4.71 * characters / words + 0.5 * words / sentences - 21.43


def coleman_liau(characters: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Coleman-Liau index (1975), from letters and sentences per 100 words; a US grade.

    >>> round(coleman_liau(639, 119, 5), 2)  # the abstract of the paper
    14.53
    """
    return 0.0588 * per_hundred(characters, words) - 0.296 * per_hundred(sentences, words) - 15.8


def dale_chall(difficult: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Dale & Chall (1948), always adding 3.6365. A score up to 4.9 is US grade 4, and 10 is
    college.
    """
    return 0.1579 * per_hundred(difficult, words) + 0.0496 * words / sentences + 3.6365


def dale_chall_above_5(difficult: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Dale & Chall (1948), adding 3.6365 only if more than 5 % of the words are difficult."""
    few = per_hundred(difficult, words) <= 5.0
    return dale_chall(difficult, words, sentences) - np.where(few, 3.6365, 0.0)


def dale_chall_cloze(difficult: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Chall & Dale (1995), the expected cloze score; lower = harder."""
    return 64.0 - 0.95 * per_hundred(difficult, words) - 0.69 * words / sentences


def flesch_kincaid(syllables: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Flesch-Kincaid grade (Kincaid et al. 1975); higher = harder."""
    return 0.39 * words / sentences + 11.8 * syllables / words - 15.59


def flesch(syllables: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Flesch Reading Ease (1948), around 0 to 100; lower = harder."""
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words


def fog(hard: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """Gunning's Fog index (1952); years of schooling, higher = harder."""
    return 0.4 * (words / sentences + per_hundred(hard, words))


def lix(long_words: Counts, words: Counts, sentences: Counts) -> FloatArray:
    """LIX (Björnsson 1968), from words of more than six letters; 20 easy, 60 very hard."""
    return words / sentences + per_hundred(long_words, words)


def smog(polysyllables: Counts, sentences: Counts) -> FloatArray:
    """SMOG (McLaughlin 1969); a US grade, higher = harder."""
    return 1.043 * np.sqrt(30.0 * polysyllables / sentences) + 3.1291


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


Count = str | Callable[[Batch], FloatArray]  # a key of `counts_of`, or a function that counts
Formula = Callable[..., FloatArray]


def evaluate_formula(batch: Batch, formula: Formula, counts: tuple[Count, ...]) -> FloatArray:
    """Apply a formula to the named counts of each document."""
    named = batch.once(counts_of)
    return formula(*[named[count] if isinstance(count, str) else count(batch) for count in counts])


def has_few_sentences(batch: Batch) -> NDArray[np.bool_]:
    """Return a mask of the texts with fewer than the 30 sentences that SMOG was fitted on."""
    return (batch.sentences > 0) & (batch.sentences < 30)


SMOG_EXTRAPOLATED = Flag(
    "smog_extrapolated",
    "SMOG is extrapolated: the text has fewer than 30 sentences",
    has_few_sentences,
)

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
    """Return the whole grade that gets most votes from the formulas of each document.

    `values` has the shape (documents, formulas), and the result (documents,). Each formula votes
    for the whole grades below, above and nearest to its value; Flesch Reading Ease votes for one or
    two grades. If several grades have the most votes, the first one named wins.

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
    """Convert Flesch Reading Ease to one or two US grades by Flesch's table; the second may be
    NaN.
    """
    grades = np.select([ease >= least for least in (90, 80, 70, 60, 50, 40, 30)],
                       [5.0, 6.0, 7.0, 8.0, 10.0, 11.0, 12.0], 13.0)  # fmt: skip
    return np.where(np.isnan(ease), np.nan, grades), np.where(grades == 8.0, 9.0, np.nan)


def text_standard(batch: Batch) -> FloatArray:
    """Return the consensus of the grade formulas for each document."""
    compute = {row.name: row.compute for row in (*ROWS, *OTHER_ROWS)}
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


def formula_row(
    name: str,
    unit: str,
    direction: Direction | None,
    meaning: str,
    source: str,
    formula: Formula,
    counts: tuple[Count, ...],
    flag: Flag | None = None,
    *,
    group: str = GROUP,
) -> Feature:
    """Return a row of the catalogue for a formula that is computed from counts."""
    compute = partial(evaluate_formula, formula=formula, counts=counts)
    return Feature(name, group, unit, direction, meaning, source, compute, flag=flag)


_ROWS: tuple[tuple[Any, ...], ...] = (
    ("ari", "grade", HARDER, "4.71 characters/words + 0.5 words/sentences - 21.43",
     "Smith & Senter 1967", ari, ("characters", *_PER)),
    ("coleman_liau", "grade", HARDER, "0.0588 characters - 0.296 sentences per 100 words - 15.8",
     "Coleman & Liau 1975", coleman_liau, ("characters", *_PER)),
    ("dale_chall", "score", HARDER,
     "0.1579 percent difficult words + 0.0496 words/sentences + 3.6365",
     "Dale & Chall 1948", dale_chall, ("difficult_words", *_PER)),
    ("dale_chall_above_5", "score", HARDER,
     "dale_chall, adding 3.6365 only if more than 5 percent of the words are difficult",
     "common variant of Dale & Chall 1948", dale_chall_above_5, ("difficult_words", *_PER)),
    ("dale_chall_cloze", "cloze score", EASIER,
     "64 - 0.95 percent difficult words - 0.69 words/sentences",
     "Chall & Dale 1995", dale_chall_cloze, ("difficult_words", *_PER)),
    ("flesch_kincaid", "grade", HARDER, "0.39 words/sentences + 11.8 syllables/words - 15.59",
     "Kincaid et al. 1975", flesch_kincaid, ("syllables", *_PER)),
    ("flesch_reading_ease", "score", EASIER,
     "206.835 - 1.015 words/sentences - 84.6 syllables/words",
     "Flesch 1948", flesch, ("syllables", *_PER)),
    ("gunning_fog", "grade", HARDER,
     "0.4 (words/sentences + percent polysyllables), without names, hyphenated compounds and "
     "words of three syllables only by -es, -ed, -ing",
     "Gunning 1952", fog, ("hard_for_fog", *_PER)),
    ("gunning_fog_plain", "grade", HARDER,
     "0.4 (words/sentences + percent polysyllables), every polysyllable counted",
     "Zuccon & Koopman 2014", fog, ("polysyllables", *_PER)),
    ("lix", "score", HARDER, "words/sentences + percent words of more than 6 letters and digits",
     "Björnsson 1968", lix, ("words_longer_6", *_PER)),
    ("smog", "grade", HARDER, "1.043 sqrt(30 polysyllables/sentences) + 3.1291",
     "McLaughlin 1969", smog, ("polysyllables", "sentences"), SMOG_EXTRAPOLATED),
)  # fmt: skip
_OTHER_FORMULAS: tuple[tuple[Any, ...], ...] = (
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
_others = [formula_row(*row, group=OTHER_GROUP) for row in _OTHER_FORMULAS]
_meaning = "the grade named most often by " + ", ".join(_GRADES)
_standard = Feature(
    "text_standard", OTHER_GROUP, "grade", HARDER, _meaning, "textstat", text_standard
)
ROWS: tuple[Feature, ...] = tuple(formula_row(*row) for row in _ROWS)
OTHER_ROWS: tuple[Feature, ...] = (*_others[:-1], _standard, _others[-1])
