"""Readability formulas with their published constants.

Each formula is a plain function of counts (numbers or arrays). A row of the catalogue applies it to
the counts of a batch (`counts_of`). These have NaN for zero words or sentences, so every formula of
an empty text is NaN.
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
from understandability.feature.word_counts import counts_of

GROUP = "readability"
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
    """Dale & Chall (1948), always adding 3.6365; up to 4.9 is grade 4, 10 is college."""
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


Count = str | Callable[[Batch], FloatArray]  # a key of `counts_of`, or a function that counts
Formula = Callable[..., FloatArray]


def evaluate_formula(batch: Batch, formula: Formula, counts: tuple[Count, ...]) -> FloatArray:
    """Apply a formula to the counts of a batch."""
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
) -> Feature:
    """Return a row of the catalogue for a formula of counts."""
    compute = partial(evaluate_formula, formula=formula, counts=counts)
    return Feature(name, GROUP, unit, direction, meaning, source, compute, flag=flag)


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
ROWS: tuple[Feature, ...] = tuple(formula_row(*row) for row in _ROWS)
