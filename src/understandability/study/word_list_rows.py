"""Words on lists: medical affixes, acronyms and terms, stop words, words off an English list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Batch, Column, FloatArray
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.word_counts import count
from understandability.feature.word_lists import WordList
from understandability.study.installed import word_list

Test = Callable[[WordList], Column]

LISTED: Test = attrgetter("contains")
ACRONYM: Test = attrgetter("contains_acronym")
BEGINS: Test = attrgetter("begins")
ENDS: Test = attrgetter("ends")


def count_installed(batch: Batch, name: str, test: Test) -> FloatArray:
    """Words that an installed list tells by its test; NaN where it is not installed."""
    words = word_list(name)
    return np.full(len(batch), np.nan) if words is None else batch.word_sums(test(words))


def count_outside_aspell(batch: Batch) -> FloatArray:
    """Words of letters that the installed list has neither as they are nor uninflected."""
    words = word_list("aspell")
    if words is None:
        return np.full(len(batch), np.nan)
    known = batch.word_values(words.contains_base)
    return batch.sum_words(~known & batch.word_values(is_alphabetic))


def is_alphabetic(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words are of letters alone, but for apostrophes."""
    return np.fromiter(
        (word.replace("’", "").replace("'", "").isalpha() for word in words), bool, len(words)
    )


_MEDICAL, _EXPERT, _LANGUAGE = "medical vocabulary", "expert vocabulary", "natural language"
_STUDY = "Palotti, Zuccon & Hanbury 2019"
_OURS = "list compiled for the project"


def _row(
    name: str, group: str, meaning: str, source: str, needs: str = "", test: Test = LISTED
) -> Feature:
    """A row of words that have the name as their kind, or that an installed list tells."""
    compute: Callable[[Batch], FloatArray] = partial(count, kind=name)
    if needs:
        compute = partial(count_installed, name=needs, test=test)
    if needs == "aspell":
        compute = count_outside_aspell
    direction = Direction.EASIER if name.startswith("stop_words") else Direction.HARDER
    per, installed = (DOCUMENT, WORD, SENTENCE), (needs,) if needs else ()
    return Feature(name, group, "words", direction, meaning, source, compute, per, installed)


# fmt: off
ROWS = (
    _row("medical_prefixes", _MEDICAL, "words with a medical prefix", _OURS),
    _row("medical_suffixes", _MEDICAL, "words with a medical suffix", _OURS),
    _row("medical_acronyms", _MEDICAL, "common medical acronyms", _OURS),
    _row("medical_prefixes_study", _MEDICAL, "words with a prefix of the study's", _STUDY,
        "prefixes-study", BEGINS),
    _row("medical_suffixes_study", _MEDICAL, "words with a suffix of the study's", _STUDY,
        "suffixes-study", ENDS),
    _row("medical_acronyms_study", _MEDICAL, "acronyms on the study's list", _STUDY,
        "acronyms-study", ACRONYM),
    _row("adam_abbreviations", _MEDICAL, "abbreviations of MEDLINE, as written",
        "Zhou, Torvik & Smalheiser 2006", "adam", ACRONYM),
    _row("openmedspel_words", _MEDICAL, "words of the medical spelling checker OpenMedSpel",
        _STUDY, "openmedspel"),
    _row("icd_words_study", _MEDICAL, "words that occur in ICD", _STUDY, "icd-words-study"),
    _row("drugbank_words_study", _MEDICAL, "words that occur in DrugBank", _STUDY,
        "drugbank-words-study"),
    _row("mesh_words_study", _EXPERT, "words that occur in MeSH", _STUDY, "mesh-words-study"),
    _row("stop_words", _LANGUAGE, "stop words of scikit-learn's English list", "scikit-learn"),
    _row("stop_words_study", _LANGUAGE, "stop words on the study's list", _STUDY,
        "stopwords-study"),
    _row("stop_words_indri", _LANGUAGE, "stop words on Indri's list", "Indri", "stopwords-indri"),
    _row("stop_words_terrier", _LANGUAGE, "stop words on Terrier's list", "Terrier",
        "stopwords-terrier"),
    _row("oov", _LANGUAGE, "words with a part that wordfreq's large English list lacks",
        "Speer 2022 (wordfreq)"),
    _row("oov_aspell", _LANGUAGE,
        "words of letters that Aspell's list lacks, both as they are and uninflected", "Aspell",
        "aspell"),
)
# fmt: on
