"""Compute all readability formulas of one text, in English or another language.

Formulas designed for English are meaningless for other languages. A text in one of `LANGUAGES` gets
the formulas designed for its language, with the syllables and sentences of that language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

from understandability.direction import Direction
from understandability.feature import formulas
from understandability.feature.batch import Batch, letters
from understandability.feature.formulas import EASIER, HARDER
from understandability.feature.table import features_of
from understandability.inputs.frames import wrong_type
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.text.other_languages import (
    LANGUAGES,
    OtherLanguage,
    other_language,
    syllables_of,
)
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import word_of


class Counts(NamedTuple):
    """The counts that formulas for other languages need. `over_3_syllables` is a number of
    words.
    """

    letters: int
    words: int
    sentences: int
    syllables: int
    monosyllables: int
    polysyllables: int
    over_3_syllables: int
    words_longer_6: int


class LanguageFormula(NamedTuple):
    """A formula designed for one language; `direction` says what a higher value means."""

    name: str
    unit: str
    direction: Direction
    meaning: str
    source: str
    compute: Callable[[Counts], float]


def _like_flesch(
    name: str, source: str, base: float, sentence: float, word: float
) -> LanguageFormula:
    """Return a formula with the terms of Flesch Reading Ease, but with other constants."""

    def compute(counts: Counts) -> float:
        sentence_length = counts.words / counts.sentences
        word_length = counts.syllables / counts.words
        return base - sentence * sentence_length - word * word_length

    factor = "" if sentence == 1 else f"{sentence:g} "
    meaning = f"{base:g} - {factor}words/sentences - {word:g} syllables/words"
    return LanguageFormula(name, "score", EASIER, meaning, source, compute)


def _wiener(number: int, meaning: str, *constants: float) -> LanguageFormula:
    """Return one of the Wiener Sachtextformeln. The constants are in the order of `values`
    below.
    """

    def compute(counts: Counts) -> float:
        values = (
            100 * counts.polysyllables / counts.words,
            counts.words / counts.sentences,
            100 * counts.words_longer_6 / counts.words,
            100 * counts.monosyllables / counts.words,
            1.0,
        )
        return math.fsum(map(mul, constants, values))

    name, source = f"wiener_sachtextformel_{number}", "Bamberger & Vanecek 1984"
    return LanguageFormula(name, "grade", HARDER, meaning, source, compute)


def al_heeti(counts: Counts) -> float:
    """Al-Heeti (1984): years of school, from the mean length of words alone."""
    return 4.414 * counts.letters / counts.words - 13.468


def gutierrez_polini(counts: Counts) -> float:
    """Gutiérrez de Polini (1972), the first formula designed for Spanish; fitted to sixth grade."""
    return 95.2 - 9.7 * counts.letters / counts.words - 0.35 * counts.words / counts.sentences


def crawford(counts: Counts) -> float:
    """Crawford (1989): years of school, designed for primary school."""
    per_100 = 100 / counts.words
    return -0.205 * per_100 * counts.sentences + 0.049 * per_100 * counts.syllables - 3.407


def gulpease(counts: Counts) -> float:
    """Gulpease (Lucisano & Piemontese 1988), which uses letters instead of syllables.

    >>> gulpease(Counts(500, 100, 10, 0, 0, 0, 0, 0))
    69.0
    """
    return 89 + (300 * counts.sentences - 10 * counts.letters) / counts.words


def _on_counts(formula: Callable[..., Any], *names: str) -> Callable[[Counts], float]:
    """Convert a formula of the English catalogue to a function of `Counts`; `names` are its
    arguments.
    """
    return lambda counts: float(formula(*(getattr(counts, name) for name in names)))


# LIX was designed for Swedish and is used for many languages, Rix for western European languages.
_ALL_LANGUAGES = (
    LanguageFormula("lix", "score", HARDER,
                    "words/sentences + percent words of more than 6 letters",
                    "Björnsson 1968",
                    _on_counts(formulas.lix, "words_longer_6", "words", "sentences")),
    LanguageFormula("rix", "score", HARDER, "words of more than 6 letters/sentences",
                    "Anderson 1983", _on_counts(formulas.rix, "words_longer_6", "sentences")),
)  # fmt: skip

# The formulas designed for each language, in addition to `_ALL_LANGUAGES`.
_OWN: dict[str, tuple[LanguageFormula, ...]] = {
    # OSMAN (El-Haj & Rayson 2016) counts short vowels, which texts seldom write.
    "ar": (
        LanguageFormula("al_heeti", "grade", HARDER, "4.414 letters/words - 13.468",
                        "Al-Heeti 1984", al_heeti),
    ),
    "de": (
        _like_flesch("amstad", "Amstad 1978", 180, 1, 58.5),
        _wiener(1, "0.1935 percent polysyllables + 0.1672 words/sentences + 0.1297 percent words "
                "of more than 6 letters - 0.0327 percent words of one syllable - 0.875",
                0.1935, 0.1672, 0.1297, -0.0327, -0.875),
        _wiener(2, "0.2007 percent polysyllables + 0.1682 words/sentences + 0.1373 percent words "
                "of more than 6 letters - 2.779", 0.2007, 0.1682, 0.1373, 0.0, -2.779),
        _wiener(3, "0.2963 percent polysyllables + 0.1905 words/sentences - 1.1144",
                0.2963, 0.1905, 0.0, 0.0, -1.1144),
        _wiener(4, "0.2744 percent polysyllables + 0.2656 words/sentences - 1.693",
                0.2744, 0.2656, 0.0, 0.0, -1.693),
    ),
    "es": (
        # F is the mean length of sentences; "sentences in 100 words" in the paper is a misprint.
        _like_flesch("fernandez_huerta", "Fernández Huerta 1959, Law 2011", 206.84, 1.02, 60),
        # INFLESZ (Barrio-Cantalejo 2008) is a scale of verbal labels for the values.
        _like_flesch("szigriszt_pazos", "Szigriszt-Pazos 1993", 206.835, 1, 62.3),
        LanguageFormula("gutierrez_polini", "score", EASIER,
                        "95.2 - 9.7 letters/words - 0.35 words/sentences",
                        "Gutiérrez de Polini 1972", gutierrez_polini),
        LanguageFormula("crawford", "years of school", HARDER,
                        "0.049 syllables - 0.205 sentences per 100 words - 3.407",
                        "Crawford 1989", crawford),
    ),
    "fr": (_like_flesch("kandel_moles", "Kandel & Moles 1958", 207, 1.015, 73.6),),
    "it": (
        LanguageFormula("gulpease", "score", EASIER,
                        "89 + 300 sentences/words - 10 letters/words",
                        "Lucisano & Piemontese 1988", gulpease),
        _like_flesch("flesch_vacca", "Franchina & Vacca 1986", 217, 1.3, 60),
    ),
    "nl": (
        _like_flesch("flesch_douma", "Douma 1960", 206.84, 0.93, 77),
        _like_flesch("brouwer", "Brouwer 1963", 195, 2, 200 / 3),
    ),
    "pl": (
        LanguageFormula("fog_pl", "grade", HARDER,
                        "0.4 (words/sentences + percent words of more than three syllables)",
                        "Gunning 1952, in the form of FOG-PL",
                        _on_counts(formulas.fog, "over_3_syllables", "words", "sentences")),
    ),
    "pt": (_like_flesch("flesch_martins", "Martins et al. 1996", 248.835, 1.015, 84.6),),
    "ru": (_like_flesch("flesch_oborneva", "Oborneva 2006", 206.835, 1.3, 60.1),),
    "tr": (_like_flesch("atesman", "Ateşman 1997", 198.825, 2.61, 40.175),),
}  # fmt: skip
# The key is the primary subtag of the language, such as ``de``.
LANGUAGE_FORMULAS = {tag: (*_OWN.get(tag, ()), *_ALL_LANGUAGES) for tag in LANGUAGES}

_ENGLISH = tuple(row.name for row in (*formulas.ROWS, *formulas.OTHER_ROWS))


def readability(text: str | Document, language: str = "en") -> dict[str, float]:
    """Compute every readability formula of a plain text, keyed by name; NaN without words.

    English texts get the groups ``readability`` and ``other formulas`` of the catalogue, except the
    variants of the study of 2019. Texts in another `language` (``ar``, ``de``, ``el``, ``es``,
    ``fr``, ``hi``, ``it``, ``nl``, ``pl``, ``pt``, ``ru``, ``sv``, ``tr``) get the formulas
    designed for it, with its syllables and sentences. ``docs/readability_formulas.md`` explains the
    formulas and their directions. Raises `OptionError` for a language without formulas.

    >>> round(readability("The cat sat on the mat.")["flesch_reading_ease"], 1)
    116.1
    >>> values = readability("Ruhen Sie sich aus. Trinken Sie viel Wasser.", language="de")
    >>> round(values["amstad"], 1), round(values["lix"], 1)
    (95.6, 16.5)
    """
    if not isinstance(text, str | Document):
        raise wrong_type("readability takes a text (str)", text)
    document = document_of_text(text) if isinstance(text, str) else text
    if str(language).partition("-")[0].lower() != "en":
        own = other_language(str(language))
        counts = counts_in_language(document.pieces, own)
        return {
            formula.name: formula.compute(counts) if counts.words else math.nan
            for formula in LANGUAGE_FORMULAS[own.tag]
        }
    table = features_of(Batch([document]), _ENGLISH)
    return dict(zip(table.names, table.values[0].tolist(), strict=True))


def language_formula(document: Document) -> tuple[str, float | None]:
    """Return the best-known formula designed for the document's language, and its value.

    This is LIX if no formula was designed for the language, and ('', None) if the language is not
    in `LANGUAGES`.

    >>> german = "Ruhen Sie sich aus. Trinken Sie viel Wasser, und bleiben Sie heute im Bett."
    >>> language_formula(document_of_text(german))[0]
    'amstad'
    """
    tag = str(document.language).partition("-")[0].lower()
    if tag not in LANGUAGES:
        return "", None
    formula = LANGUAGE_FORMULAS[tag][0]
    counts = counts_in_language(document.pieces, LANGUAGES[tag])
    return formula.name, formula.compute(counts) if counts.words else None


def counts_in_language(pieces: Sequence[str], language: OtherLanguage) -> Counts:
    """Count the letters, words, sentences and syllables of a text, which is passed as pieces.

    >>> counts_in_language("Ruhen Sie sich aus. Trinken Sie Wasser.".split(), LANGUAGES["de"])[:4]
    (31, 7, 2, 10)
    """
    words = [word_of(piece) for piece in pieces]
    starts = sentence_starts(pieces, language.tag)
    spans = pairwise((*starts, len(pieces)))
    sentences = sum(any(words[start:end]) for start, end in spans)
    words = list(filter(None, words))
    syllables, sizes = syllables_of(words, language), letters(words)
    return Counts(
        int(sizes.sum()),
        len(words),
        sentences,
        int(syllables.sum()),
        int((syllables == 1).sum()),
        int((syllables >= 3).sum()),
        int((syllables > 3).sum()),
        int((sizes > 6).sum()),
    )
