"""Concepts of medical vocabularies: how many a text names, how familiar or deep they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.study.installed import installed_mappings, installed_terms
from understandability.study.lexicons import CHV_GROUPS, Lexicon, grouped_chv, lexicon, loaded
from understandability.study.vocabulary_files import DISEASE, STOP, SYMPTOM

Find = Callable[[Batch], FloatArray]


def count_concepts(batch: Batch, find: Find) -> FloatArray:
    """Concepts of each document; NaN where what finds them is not installed, or did not see it."""
    return find(batch)[:, 0]


def mean_value(batch: Batch, find: Find) -> FloatArray:
    """The mean score or depth of the concepts that have one; NaN where none has."""
    sums = find(batch)
    return ratio(sums[:, 2], sums[:, 1])


def sums_of_terms(batch: Batch, get: Callable[[], Lexicon | None], group: str = "") -> FloatArray:
    """Terms found of a vocabulary, or of its diseases or symptoms; (documents, 3).

    How many they are, how many have a value, and the sum of these values.
    """
    vocabulary = get()
    if vocabulary is None:
        return np.full((len(batch), 3), np.nan)
    found = batch.once(vocabulary.finder.find)
    values, chosen = vocabulary.values[found.entries], np.ones(len(found.entries), bool)
    if group:
        marks = vocabulary.diseases if group == DISEASE else vocabulary.symptoms
        chosen = marks[found.entries]
    valued = chosen & ~np.isnan(values)
    columns = (chosen, valued, np.where(valued, values, 0.0))
    sums = [np.bincount(found.documents, column, len(batch)) for column in columns]
    return np.column_stack(sums).astype(np.float64)


CONSUMER, EXPERT, MEDICAL = "consumer vocabulary", "expert vocabulary", "medical vocabulary"
# Group of rows -> its vocabulary in names of rows, and in words; of the value of a concept its
# name, unit, direction and meaning.
# fmt: off
_VOCABULARIES = {
    CONSUMER: ("chv", "the Consumer Health Vocabulary", "score", "score, 0 to 1",
        Direction.EASIER, "mean familiarity (combo score)"),
    EXPERT: ("mesh", "the Medical Subject Headings", "depth", "levels",
        Direction.HARDER, "mean depth in MeSH's trees (the mean over a concept's places)"),
}
# fmt: on
_METAMAP_NEEDS = {CONSUMER: ("metamap", "chv"), EXPERT: ("metamap",)}
# The groups of concepts, as they are marked and as rows are named.
KINDS = (("", "concepts"), (SYMPTOM, "symptoms"), (DISEASE, "diseases"))
_PER = (DOCUMENT, WORD, SENTENCE)


def _totals(vocabulary: str) -> tuple[dict[str, int], dict[str, FloatArray]]:
    """The row of each document, and by group the rows of concepts that are in a vocabulary.

    A row has their occurrences, those of concepts with a value, and the sum of these values.
    """
    found = installed_mappings()
    rows: dict[str, int] = {}
    row = np.array([rows.setdefault(docno, len(rows)) for docno in found.docnos], np.int64)
    known, values = ~np.isnan(found.depths), found.depths
    if vocabulary == CONSUMER:
        scores = _chv_scores()
        known = np.array([concept in scores for concept in found.concepts], bool)
        values = np.array([scores.get(concept, np.nan) for concept in found.concepts])
    totals = {}
    for group, _ in KINDS:
        counted = found.occurrences * (known & ((found.groups == group) | (group == "")))
        valued = counted * ~np.isnan(values)
        columns = (counted, valued, valued * np.nan_to_num(values))
        sums = [np.bincount(row, column).astype(np.float64) for column in columns]
        totals[group] = np.column_stack(sums)
    return rows, totals


def _chv_scores() -> dict[str, float]:
    """The concepts of the CHV with the score of their most familiar name."""
    terms = installed_terms("chv")
    scores: dict[str, float] = {}
    for concept, value in zip(terms.concepts, terms.values.tolist(), strict=True):
        scores[concept] = float(np.fmax(scores.get(concept, np.nan), value))
    for index in np.flatnonzero(terms.groups == STOP):
        scores.pop(terms.concepts[index], None)
    return scores


def sums_of_mapped(batch: Batch, vocabulary: str, group: str) -> FloatArray:
    """As `sums_of_terms`, of the occurrences of concepts that MetaMap found."""
    sums = np.full((len(batch), 3), np.nan)
    found = loaded(_totals, (vocabulary,), _METAMAP_NEEDS[vocabulary])
    if found is not None:
        rows, totals = found
        for index, document in enumerate(batch.documents):
            if document.docno in rows:
                sums[index] = totals[group][rows[document.docno]]
    return sums


def _pair(
    vocabulary: str,
    kind: tuple[str, str],
    find: Find,
    needs: tuple[str, ...],
    source: str,
    by: tuple[str, str] = ("", ""),
) -> tuple[Feature, Feature]:
    """The row that counts concepts of a kind, and that of their mean value.

    `by` says what found them: at the end of the rows' names, and in words.
    """
    name, title, value, unit, direction, meaning = _VOCABULARIES[vocabulary]
    group, plural = kind
    what = f"{plural} of {title}{by[1]}"
    names = f"{name}_{plural}{by[0]}", f"{name}{f'_{group}' if group else ''}_{value}{by[0]}"
    count, mean = partial(count_concepts, find=find), partial(mean_value, find=find)
    return (
        Feature(names[0], vocabulary, "concepts", None, what, source, count, _PER, needs),
        Feature(
            names[1], vocabulary, unit, direction, f"{meaning} of {what}", source, mean, _PER, needs
        ),
    )


def _found(vocabulary: str, kind: tuple[str, str]) -> tuple[Feature, Feature]:
    """The two rows of a kind of concepts that the terms of a vocabulary find."""
    group, _ = kind
    get: Callable[[], Lexicon | None] = partial(lexicon, _VOCABULARIES[vocabulary][0])
    needs: tuple[str, ...] = ("mesh",)
    source = "National Library of Medicine (MeSH)"
    if vocabulary == CONSUMER:
        get = grouped_chv if group else get
        needs, source = CHV_GROUPS if group else ("chv",), "Zeng & Tse 2006 (CHV)"
    return _pair(vocabulary, kind, partial(sums_of_terms, get=get, group=group), needs, source)


def _mapped(vocabulary: str, kind: tuple[str, str]) -> tuple[Feature, Feature]:
    """The two rows of a kind of concepts that MetaMap found."""
    find = partial(sums_of_mapped, vocabulary=vocabulary, group=kind[0])
    needs, source = _METAMAP_NEEDS[vocabulary], "Aronson 2001 (MetaMap)"
    return _pair(vocabulary, kind, find, needs, source, ("_metamap", " that MetaMap found"))


def _medical_row(name: str, what: str, resource: str, source: str) -> Feature:
    find = partial(sums_of_terms, get=partial(lexicon, resource))
    compute = partial(count_concepts, find=find)
    return Feature(
        name, MEDICAL, "concepts", Direction.HARDER, what, source, compute, _PER, (resource,)
    )


# fmt: off
ROWS: tuple[Feature, ...] = (
    _medical_row("icd_concepts", "descriptions and inclusion terms of ICD-10-CM", "icd10cm",
        "World Health Organization; National Center for Health Statistics"),
    _medical_row("drugbank_concepts",
        "names of drugs in DrugBank; words of the Dale-Chall list do not count", "drugbank",
        "Wishart et al. 2006 (DrugBank)"),
    *(row for kind in KINDS for group in (CONSUMER, EXPERT) for row in _found(group, kind)),
    *(row for group in (CONSUMER, EXPERT) for kind in KINDS for row in _mapped(group, kind)),
)
# fmt: on
