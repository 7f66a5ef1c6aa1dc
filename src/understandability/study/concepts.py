"""Concepts of medical vocabularies: how many a text names, and how familiar or deep they are.

The terms of the Consumer Health Vocabulary, MeSH, ICD-10-CM and DrugBank are found by longest
match (see `terms`). What MetaMap found instead is in the rows of `metamap`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.direction import Direction
from understandability.feature.batch import Array, Batch, FloatArray, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.terms import ConceptMatches
from understandability.study.lexicons import CHV_GROUPS, Lexicon, grouped_chv, lexicon
from understandability.study.vocabulary_files import DISEASE, SYMPTOM

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
# The groups of concepts, as they are marked and as rows are named.
KINDS = (("", "concepts"), (SYMPTOM, "symptoms"), (DISEASE, "diseases"))
_PER = (DOCUMENT, WORD, SENTENCE)
Compute = Callable[[Batch], FloatArray]


def pair(
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
    return pair(vocabulary, kind, computes, needs, source)


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
)
