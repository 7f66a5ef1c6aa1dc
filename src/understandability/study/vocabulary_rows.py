"""Catalogue rows that use installed vocabularies: words on lists, and medical concepts.

For concepts, one row counts them, and another has the mean of their familiarity or depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Array, Batch, Column, FloatArray, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.word_counts import count
from understandability.feature.word_lists import WordList
from understandability.study.installed import (
    CHV_GROUPS,
    Lexicon,
    grouped_chv,
    installed_mappings,
    installed_terms,
    lexicon,
    loaded,
    study_list,
    word_list,
)
from understandability.study.study_lists import StudyList
from understandability.study.vocabulary_files import DISEASE, STOP, SYMPTOM

CONSUMER, EXPERT, MEDICAL = "consumer vocabulary", "expert vocabulary", "medical vocabulary"
_LANGUAGE = "natural language"
_PER = (DOCUMENT, WORD, SENTENCE)

Test = Callable[[WordList], Column]

LISTED: Test = attrgetter("contains")
ACRONYM: Test = attrgetter("contains_acronym")

StudyTest = Callable[[StudyList], Column]

STUDY_PREFIXES: StudyTest = attrgetter("prefixes")
STUDY_SUFFIXES: StudyTest = attrgetter("suffixes")
STUDY_LONG_WORDS: StudyTest = attrgetter("long_words")
STUDY_ACRONYMS: StudyTest = attrgetter("exact")


def count_installed(batch: Batch, name: str, test: Test) -> FloatArray:
    """Count the words of each document that are on an installed list; NaN if it is not installed.

    `test` is the rule by which a word matches the list.
    """
    words = word_list(name)
    return np.full(len(batch), np.nan) if words is None else batch.word_sums(test(words))


def count_as_in_study(batch: Batch, name: str, test: StudyTest) -> FloatArray:
    """Count words on an installed list, by the study's rule `test`; NaN if it is not installed."""
    entries = study_list(name)
    return np.full(len(batch), np.nan) if entries is None else batch.word_sums(test(entries))


def count_outside_aspell(batch: Batch) -> FloatArray:
    """Count the words of letters that are not on the installed list, even without their
    inflection.
    """
    words = word_list("aspell")
    if words is None:
        return np.full(len(batch), np.nan)
    is_listed = batch.word_values(words.contains_base)
    return batch.sum_words(~is_listed & batch.word_values(is_alphabetic))


def is_alphabetic(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the words that consist of letters and apostrophes."""
    return np.fromiter(
        (word.replace("’", "").replace("'", "").isalpha() for word in words), bool, len(words)
    )


_STUDY = "Palotti, Zuccon & Hanbury 2019"
_OURS = "list compiled for the project"


def _listed(
    name: str, group: str, meaning: str, source: str, needs: str = "", test: Test = LISTED
) -> Feature:
    """Return a row that counts words of a category, or words on an installed list."""
    compute: Callable[[Batch], FloatArray] = partial(count, category=name)
    if needs:
        compute = partial(count_installed, name=needs, test=test)
    if needs == "aspell":
        compute = count_outside_aspell
    direction = Direction.EASIER if name.startswith("stop_words") else Direction.HARDER
    installed = (needs,) if needs else ()
    return Feature(name, group, "words", direction, meaning, source, compute, _PER, installed)


def _of_study(name: str, group: str, meaning: str, needs: str, test: StudyTest) -> Feature:
    """Return a row that counts words on a list of the study by its own rule."""
    compute = partial(count_as_in_study, name=needs, test=test)
    return Feature(name, group, "words", Direction.HARDER, meaning, _STUDY, compute, _PER, (needs,))


Find = Callable[[Batch], FloatArray]


def count_concepts(batch: Batch, find: Find) -> FloatArray:
    """Count the concepts of each document; NaN if their vocabulary is not installed."""
    return find(batch)[:, 0]


def mean_value(batch: Batch, find: Find) -> FloatArray:
    """Return the mean score or depth of each document's concepts; NaN if none has one."""
    sums = find(batch)
    return ratio(sums[:, 2], sums[:, 1])


def sums_of_terms(batch: Batch, get: Callable[[], Lexicon | None], group: str = "") -> FloatArray:
    """Find the terms of a vocabulary, or only its diseases or symptoms, in each document;
    (documents, 3).

    The columns are the number of terms, the number with a value, and the sum of the values.
    """
    vocabulary = get()
    if vocabulary is None:
        return np.full((len(batch), 3), np.nan)
    matches = batch.once(vocabulary.finder.find)
    values, chosen = vocabulary.values[matches.entries], np.ones(len(matches.entries), bool)
    if group:
        marks = vocabulary.diseases if group == DISEASE else vocabulary.symptoms
        chosen = marks[matches.entries]
    return _sums(matches.documents, chosen, values, len(batch))


def _sums(row: Array, times: Array, values: FloatArray, rows: int) -> FloatArray:
    """Return, per row, the number of occurrences, the number with a value, and the sum of the
    values.
    """
    valued = times * ~np.isnan(values)
    columns = (times, valued, valued * np.nan_to_num(values))
    sums = [np.bincount(row, column, rows) for column in columns]
    return np.column_stack(sums).astype(np.float64)


_METAMAP_NEEDS = {CONSUMER: ("metamap", "chv"), EXPERT: ("metamap",)}


def _totals(vocabulary: str) -> tuple[dict[str, int], dict[str, FloatArray]]:
    """Return the sums of a vocabulary's concepts in the documents that MetaMap has processed.

    The first result maps each docno to its row; the second maps each group to an array. A row holds
    the number of occurrences, the number with a value, and the sum of the values.
    """
    mapped = installed_mappings()
    rows: dict[str, int] = {}
    row = np.array([rows.setdefault(docno, len(rows)) for docno in mapped.docnos], np.int64)
    is_known, values = ~np.isnan(mapped.depths), mapped.depths
    if vocabulary == CONSUMER:
        scores = _chv_scores()
        is_known = np.array([concept in scores for concept in mapped.concepts], bool)
        values = np.array([scores.get(concept, np.nan) for concept in mapped.concepts])
    totals = {}
    for group in ("", SYMPTOM, DISEASE):
        times = mapped.occurrences * (is_known & ((mapped.groups == group) | (group == "")))
        totals[group] = _sums(row, times, values, len(rows))
    return rows, totals


def _chv_scores() -> dict[str, float]:
    """Return the score of each concept of the CHV: that of its most familiar name."""
    terms = installed_terms("chv")
    scores: dict[str, float] = {}
    for concept, value in zip(terms.concepts, terms.values.tolist(), strict=True):
        scores[concept] = float(np.fmax(scores.get(concept, np.nan), value))
    for index in np.flatnonzero(terms.groups == STOP):
        scores.pop(terms.concepts[index], None)
    return scores


def sums_of_mapped(batch: Batch, vocabulary: str, group: str) -> FloatArray:
    """Return the sums described in `sums_of_terms`, for concepts that MetaMap found."""
    sums = np.full((len(batch), 3), np.nan)
    cached = loaded(_totals, (vocabulary,), _METAMAP_NEEDS[vocabulary])
    if cached is not None:
        rows, totals = cached
        for index, document in enumerate(batch.documents):
            if document.docno in rows:
                sums[index] = totals[group][rows[document.docno]]
    return sums


def _medical_row(name: str, what: str, resource: str, source: str) -> Feature:
    find = partial(sums_of_terms, get=partial(lexicon, resource))
    compute = partial(count_concepts, find=find)
    return Feature(
        name, MEDICAL, "concepts", Direction.HARDER, what, source, compute, _PER, (resource,)
    )


def _rows(counted: str, valued: str, group: str, part: str = "") -> tuple[Feature, Feature]:
    """Return two catalogue rows: the count of concepts (or diseases, symptoms), and their mean
    value.
    """
    plural = {"": "concepts", SYMPTOM: "symptoms", DISEASE: "diseases"}[part]
    needs: tuple[str, ...] = ("mesh",)
    if group == CONSUMER:
        what, unit = f"{plural} of the Consumer Health Vocabulary", "score, 0 to 1"
        direction, value = Direction.EASIER, "mean familiarity (combo score)"
        needs, source = CHV_GROUPS if part else ("chv",), "Zeng & Tse 2006 (CHV)"
        get = grouped_chv if part else partial(lexicon, "chv")
    else:
        what, unit = f"{plural} of the Medical Subject Headings", "levels"
        direction = Direction.HARDER
        value = "mean depth in MeSH's trees (the mean over a concept's positions)"
        source, get = "National Library of Medicine (MeSH)", partial(lexicon, "mesh")
    find: Find = partial(sums_of_terms, get=get, group=part)
    if counted.endswith("_metamap"):
        what = f"{what} that MetaMap found"
        needs, source = _METAMAP_NEEDS[group], "Aronson 2001 (MetaMap)"
        find = partial(sums_of_mapped, vocabulary=group, group=part)
    compute = partial(count_concepts, find=find), partial(mean_value, find=find)
    return (
        Feature(counted, group, "concepts", None, what, source, compute[0], _PER, needs),
        Feature(
            valued, group, unit, direction, f"{value} of {what}", source, compute[1], _PER, needs
        ),
    )


# fmt: off
ROWS: tuple[Feature, ...] = (
    _listed("medical_prefixes", MEDICAL, "words with a medical prefix", _OURS),
    _listed("medical_suffixes", MEDICAL, "words with a medical suffix", _OURS),
    _listed("medical_acronyms", MEDICAL, "common medical acronyms", _OURS),
    _of_study("medical_prefixes_study", MEDICAL,
        "prefixes of the study's list, of four letters or more; a word with two counts twice",
        "prefixes-study", STUDY_PREFIXES),
    _of_study("medical_suffixes_study", MEDICAL,
        "suffixes of the study's list, of four letters or more; a word with two counts twice",
        "suffixes-study", STUDY_SUFFIXES),
    _of_study("medical_acronyms_study", MEDICAL,
        "acronyms on the study's list, exactly as they are written there",
        "acronyms-study", STUDY_ACRONYMS),
    _listed("adam_abbreviations", MEDICAL, "abbreviations of MEDLINE, as written",
        "Zhou, Torvik & Smalheiser 2006", "adam", ACRONYM),
    _listed("openmedspel_words", MEDICAL, "words of the medical spelling checker OpenMedSpel",
        _STUDY, "openmedspel"),
    _of_study("icd_words_study", MEDICAL, "words of more than three letters that occur in ICD",
        "icd-words-study", STUDY_LONG_WORDS),
    _of_study("drugbank_words_study", MEDICAL,
        "words of more than three letters that occur in DrugBank",
        "drugbank-words-study", STUDY_LONG_WORDS),
    _of_study("mesh_words_study", EXPERT, "words of more than three letters that occur in MeSH",
        "mesh-words-study", STUDY_LONG_WORDS),
    _listed("stop_words", _LANGUAGE, "stop words of scikit-learn's English list", "scikit-learn"),
    _listed("stop_words_study", _LANGUAGE, "stop words on the study's list", _STUDY,
        "stopwords-study"),
    _listed("stop_words_indri", _LANGUAGE, "stop words on Indri's list", "Indri",
        "stopwords-indri"),
    _listed("stop_words_terrier", _LANGUAGE, "stop words on Terrier's list", "Terrier",
        "stopwords-terrier"),
    _listed("oov", _LANGUAGE, "words with a part that wordfreq's large English list lacks",
        "Speer 2022 (wordfreq)"),
    _listed("oov_aspell", _LANGUAGE,
        "words of letters that Aspell's list lacks, both as they are and uninflected", "Aspell",
        "aspell"),
    _medical_row("icd_concepts", "descriptions and inclusion terms of ICD-10-CM", "icd10cm",
        "World Health Organization; National Center for Health Statistics"),
    _medical_row("drugbank_concepts",
        "names of drugs in DrugBank; words of the Dale-Chall list do not count", "drugbank",
        "Wishart et al. 2006 (DrugBank)"),
    *_rows("chv_concepts", "chv_score", CONSUMER),
    *_rows("mesh_concepts", "mesh_depth", EXPERT),
    *_rows("chv_symptoms", "chv_symptom_score", CONSUMER, SYMPTOM),
    *_rows("mesh_symptoms", "mesh_symptom_depth", EXPERT, SYMPTOM),
    *_rows("chv_diseases", "chv_disease_score", CONSUMER, DISEASE),
    *_rows("mesh_diseases", "mesh_disease_depth", EXPERT, DISEASE),
    *_rows("chv_concepts_metamap", "chv_score_metamap", CONSUMER),
    *_rows("chv_symptoms_metamap", "chv_symptom_score_metamap", CONSUMER, SYMPTOM),
    *_rows("chv_diseases_metamap", "chv_disease_score_metamap", CONSUMER, DISEASE),
    *_rows("mesh_concepts_metamap", "mesh_depth_metamap", EXPERT),
    *_rows("mesh_symptoms_metamap", "mesh_symptom_depth_metamap", EXPERT, SYMPTOM),
    *_rows("mesh_diseases_metamap", "mesh_disease_depth_metamap", EXPERT, DISEASE),
)
# fmt: on
