"""Concepts of medical vocabularies: how many a text names, and how familiar or deep they are.

The terms of the Consumer Health Vocabulary, MeSH, ICD-10-CM and DrugBank are found by longest
match (`feature.terms`). What MetaMap found in the user's documents (`understand resources install
metamap --from output.mmi`) has rows of its own; a document that it lacks has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.direction import Direction
from understandability.feature.batch import Array, Batch, FloatArray, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.terms import ConceptMatches
from understandability.study.installed import installed_mappings, installed_terms
from understandability.study.lexicons import CHV_GROUPS, Lexicon, grouped_chv, lexicon, loaded
from understandability.study.vocabulary_files import DISEASE, STOP, SYMPTOM

Get = Callable[[], Lexicon | None]


def count_concepts(batch: Batch, get: Get, group: str = "") -> FloatArray:
    """Terms of a vocabulary, or of its diseases or symptoms; NaN where it is not installed."""
    vocabulary = get()
    if vocabulary is None:
        return np.full(len(batch), np.nan)
    found = batch.once(vocabulary.finder.find)
    return _counts(batch, found.documents[_in_group(vocabulary, found, group)])


def mean_value(batch: Batch, get: Get, group: str = "") -> FloatArray:
    """The mean score or depth of the terms found that have one; NaN where none has."""
    vocabulary = get()
    if vocabulary is None:
        return np.full(len(batch), np.nan)
    found = batch.once(vocabulary.finder.find)
    values = vocabulary.values[found.entries]
    chosen = _in_group(vocabulary, found, group) & ~np.isnan(values)
    documents = found.documents[chosen]
    totals = np.bincount(documents, values[chosen], minlength=len(batch))
    return ratio(totals, _counts(batch, documents))


def _in_group(vocabulary: Lexicon, found: ConceptMatches, group: str) -> Array:
    if group == DISEASE:
        return vocabulary.diseases[found.entries]
    if group == SYMPTOM:
        return vocabulary.symptoms[found.entries]
    return np.ones(len(found.entries), bool)


def _counts(batch: Batch, documents: Array) -> FloatArray:
    return np.bincount(documents, minlength=len(batch)).astype(np.float64)


CONSUMER, EXPERT, MEDICAL = "consumer vocabulary", "expert vocabulary", "medical vocabulary"
# Group of rows -> its vocabulary in names of rows, and in words; of the value of a concept its
# name, unit, direction and meaning.
_VOCABULARIES = {
    CONSUMER: (
        "chv",
        "the Consumer Health Vocabulary",
        "score",
        "score, 0 to 1",
        Direction.EASIER,
        "mean familiarity (combo score)",
    ),
    EXPERT: (
        "mesh",
        "the Medical Subject Headings",
        "depth",
        "levels",
        Direction.HARDER,
        "mean depth in MeSH's trees (the mean over a concept's places)",
    ),
}
_METAMAP_NEEDS = {CONSUMER: ("metamap", "chv"), EXPERT: ("metamap",)}
# The groups of concepts, as they are marked and as rows are named.
KINDS = (("", "concepts"), (SYMPTOM, "symptoms"), (DISEASE, "diseases"))
_PER = (DOCUMENT, WORD, SENTENCE)
Compute = Callable[[Batch], FloatArray]


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


def count_mapped(batch: Batch, vocabulary: str, group: str = "") -> FloatArray:
    """Occurrences of concepts that MetaMap found; NaN for a document that it did not see."""
    return _sums(batch, vocabulary, group)[:, 0]


def mean_of_mapped(batch: Batch, vocabulary: str, group: str = "") -> FloatArray:
    """The mean score or depth over the occurrences of concepts that have one."""
    sums = _sums(batch, vocabulary, group)
    return ratio(sums[:, 2], sums[:, 1])


def _sums(batch: Batch, vocabulary: str, group: str) -> FloatArray:
    """Occurrences, those with a value, and the sum of their values; (documents, 3)."""
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
    computes: tuple[Compute, Compute],
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
    count, mean = computes
    return (
        Feature(names[0], vocabulary, "concepts", None, what, source, count, _PER, needs),
        Feature(
            names[1], vocabulary, unit, direction, f"{meaning} of {what}", source, mean, _PER, needs
        ),
    )


def _found(vocabulary: str, kind: tuple[str, str]) -> tuple[Feature, Feature]:
    """The two rows of a kind of concepts that the terms of a vocabulary find."""
    group, _ = kind
    get: Get = partial(lexicon, _VOCABULARIES[vocabulary][0])
    needs: tuple[str, ...] = ("mesh",)
    source = "National Library of Medicine (MeSH)"
    if vocabulary == CONSUMER:
        get = grouped_chv if group else get
        needs, source = CHV_GROUPS if group else ("chv",), "Zeng & Tse 2006 (CHV)"
    computes = (
        partial(count_concepts, get=get, group=group),
        partial(mean_value, get=get, group=group),
    )
    return _pair(vocabulary, kind, computes, needs, source)


def _mapped(vocabulary: str, kind: tuple[str, str]) -> tuple[Feature, Feature]:
    """The two rows of a kind of concepts that MetaMap found."""
    computes = (
        partial(count_mapped, vocabulary=vocabulary, group=kind[0]),
        partial(mean_of_mapped, vocabulary=vocabulary, group=kind[0]),
    )
    by = ("_metamap", " that MetaMap found")
    source = "Aronson 2001 (MetaMap)"
    return _pair(vocabulary, kind, computes, _METAMAP_NEEDS[vocabulary], source, by)


def _medical_row(name: str, what: str, resource: str, source: str) -> Feature:
    compute = partial(count_concepts, get=partial(lexicon, resource))
    return Feature(
        name, MEDICAL, "concepts", Direction.HARDER, what, source, compute, _PER, (resource,)
    )


ROWS: tuple[Feature, ...] = (
    _medical_row(
        "icd_concepts",
        "descriptions and inclusion terms of ICD-10-CM",
        "icd10cm",
        "World Health Organization; National Center for Health Statistics",
    ),
    _medical_row(
        "drugbank_concepts",
        "names of drugs in DrugBank; words of the Dale-Chall list do not count",
        "drugbank",
        "Wishart et al. 2006 (DrugBank)",
    ),
    *(row for kind in KINDS for group in (CONSUMER, EXPERT) for row in _found(group, kind)),
    *(row for group in (CONSUMER, EXPERT) for kind in KINDS for row in _mapped(group, kind)),
)
