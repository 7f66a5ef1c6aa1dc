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
from understandability.study.lexicons import word_list

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
Count = Callable[[Batch], FloatArray]


def _counted(kind: str) -> Count:
    return partial(count, kind=kind)


def _listed(name: str, test: Test = LISTED) -> Count:
    return partial(count_installed, name=name, test=test)


# fmt: off
# Name, group, meaning, source, what counts, the list that must be installed.
_TABLE: tuple[tuple[str, str, str, str, Count, str], ...] = (
    ("medical_prefixes", _MEDICAL, "words with a medical prefix", _OURS,
        _counted("medical_prefixes"), ""),
    ("medical_suffixes", _MEDICAL, "words with a medical suffix", _OURS,
        _counted("medical_suffixes"), ""),
    ("medical_acronyms", _MEDICAL, "common medical acronyms", _OURS,
        _counted("medical_acronyms"), ""),
    ("medical_prefixes_study", _MEDICAL, "words with a prefix of the study's", _STUDY,
        _listed("prefixes-study", BEGINS), "prefixes-study"),
    ("medical_suffixes_study", _MEDICAL, "words with a suffix of the study's", _STUDY,
        _listed("suffixes-study", ENDS), "suffixes-study"),
    ("medical_acronyms_study", _MEDICAL, "acronyms on the study's list", _STUDY,
        _listed("acronyms-study", ACRONYM), "acronyms-study"),
    ("adam_abbreviations", _MEDICAL, "abbreviations of MEDLINE, as written",
        "Zhou, Torvik & Smalheiser 2006", _listed("adam", ACRONYM), "adam"),
    ("openmedspel_words", _MEDICAL, "words of the medical spelling checker OpenMedSpel", _STUDY,
        _listed("openmedspel"), "openmedspel"),
    ("icd_words_study", _MEDICAL, "words that occur in ICD", _STUDY,
        _listed("icd-words-study"), "icd-words-study"),
    ("drugbank_words_study", _MEDICAL, "words that occur in DrugBank", _STUDY,
        _listed("drugbank-words-study"), "drugbank-words-study"),
    ("mesh_words_study", _EXPERT, "words that occur in MeSH", _STUDY,
        _listed("mesh-words-study"), "mesh-words-study"),
    ("stop_words", _LANGUAGE, "stop words of scikit-learn's English list", "scikit-learn",
        _counted("stop_words"), ""),
    ("stop_words_study", _LANGUAGE, "stop words on the study's list", _STUDY,
        _listed("stopwords-study"), "stopwords-study"),
    ("stop_words_indri", _LANGUAGE, "stop words on Indri's list", "Indri",
        _listed("stopwords-indri"), "stopwords-indri"),
    ("stop_words_terrier", _LANGUAGE, "stop words on Terrier's list", "Terrier",
        _listed("stopwords-terrier"), "stopwords-terrier"),
    ("oov", _LANGUAGE, "words with a part that wordfreq's large English list lacks",
        "Speer 2022 (wordfreq)", _counted("oov"), ""),
    ("oov_aspell", _LANGUAGE,
        "words of letters that Aspell's list lacks, both as they are and uninflected", "Aspell",
        count_outside_aspell, "aspell"),
)
# fmt: on
ROWS = tuple(
    Feature(
        name,
        group,
        "words",
        Direction.EASIER if name.startswith("stop_words") else Direction.HARDER,
        meaning,
        source,
        compute,
        (DOCUMENT, WORD, SENTENCE),
        (needed,) if needed else (),
    )
    for name, group, meaning, source, compute, needed in _TABLE
)
