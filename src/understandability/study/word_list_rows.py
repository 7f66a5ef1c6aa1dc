"""Words on lists: medical affixes, acronyms and terms, stop words, words off an English list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Batch
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.types import Column, FloatArray
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


def _row(
    name: str,
    group: str,
    meaning: str,
    compute: Callable[[Batch], FloatArray],
    source: str,
    needs: tuple[str, ...] = (),
    direction: Direction | None = Direction.HARDER,
) -> Feature:
    per = (DOCUMENT, WORD, SENTENCE)
    return Feature(name, group, "words", direction, meaning, source, compute, per, needs)


def _embedded(name: str, meaning: str) -> Feature:
    return _row(name, _MEDICAL, meaning, partial(count, kind=name), "list compiled for the project")


def _installed(
    name: str,
    meaning: str,
    resource: str,
    test: Test = LISTED,
    source: str = _STUDY,
    group: str = _MEDICAL,
    direction: Direction | None = Direction.HARDER,
) -> Feature:
    compute = partial(count_installed, name=resource, test=test)
    return _row(name, group, meaning, compute, source, (resource,), direction)


ROWS: tuple[Feature, ...] = (
    _embedded("medical_prefixes", "words with a medical prefix"),
    _embedded("medical_suffixes", "words with a medical suffix"),
    _embedded("medical_acronyms", "common medical acronyms"),
    _installed(
        "medical_prefixes_study", "words with a prefix of the study's", "prefixes-study", BEGINS
    ),
    _installed(
        "medical_suffixes_study", "words with a suffix of the study's", "suffixes-study", ENDS
    ),
    _installed("medical_acronyms_study", "acronyms on the study's list", "acronyms-study", ACRONYM),
    _installed(
        "adam_abbreviations",
        "abbreviations of MEDLINE, as written",
        "adam",
        ACRONYM,
        "Zhou, Torvik & Smalheiser 2006",
    ),
    _installed(
        "openmedspel_words",
        "words of the medical spelling checker OpenMedSpel",
        "openmedspel",
    ),
    _installed("icd_words_study", "words that occur in ICD", "icd-words-study"),
    _installed("drugbank_words_study", "words that occur in DrugBank", "drugbank-words-study"),
    _installed("mesh_words_study", "words that occur in MeSH", "mesh-words-study", group=_EXPERT),
    _row(
        "stop_words",
        _LANGUAGE,
        "stop words of scikit-learn's English list",
        partial(count, kind="stop_words"),
        "scikit-learn",
        direction=Direction.EASIER,
    ),
    *(
        _installed(
            f"stop_words_{origin}",
            f"stop words on {title} list",
            f"stopwords-{origin}",
            source=source,
            group=_LANGUAGE,
            direction=Direction.EASIER,
        )
        for origin, title, source in (
            ("study", "the study's", _STUDY),
            ("indri", "Indri's", "Indri"),
            ("terrier", "Terrier's", "Terrier"),
        )
    ),
    _row(
        "oov",
        _LANGUAGE,
        "words with a part that wordfreq's large English list lacks",
        partial(count, kind="oov"),
        "Speer 2022 (wordfreq)",
    ),
    _row(
        "oov_aspell",
        _LANGUAGE,
        "words of letters that Aspell's list lacks, both as they are and uninflected",
        count_outside_aspell,
        "Aspell",
        ("aspell",),
    ),
)
