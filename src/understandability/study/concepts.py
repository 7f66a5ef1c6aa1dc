"""Concepts of medical vocabularies: how many a text names, and how familiar or deep they are.

The terms of the Consumer Health Vocabulary, MeSH, ICD-10-CM and DrugBank are found by longest
match (see `terms`). What MetaMap found instead is in the rows of `metamap`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.direction import Direction
from understandability.feature.batch import Batch, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.terms import ConceptMatches
from understandability.feature.types import Array, FloatArray
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


def pair(
    names: tuple[str, str],
    group: str,
    what: str,
    value: tuple[str, Direction, str],
    source: str,
    computes: tuple[Callable[[Batch], FloatArray], Callable[[Batch], FloatArray]],
    needs: tuple[str, ...],
) -> tuple[Feature, Feature]:
    """The row that counts concepts, and the row of their mean value (unit, direction, meaning)."""
    per = (DOCUMENT, WORD, SENTENCE)
    unit, direction, meaning = value
    count, mean = computes
    return (
        Feature(names[0], group, "concepts", None, what, source, count, per, needs),
        Feature(names[1], group, unit, direction, f"{meaning} of {what}", source, mean, per, needs),
    )


CONSUMER, EXPERT, MEDICAL = "consumer vocabulary", "expert vocabulary", "medical vocabulary"
SCORE = ("score, 0 to 1", Direction.EASIER, "mean familiarity (combo score)")
DEPTH = (
    "levels",
    Direction.HARDER,
    "mean depth in MeSH's trees (the mean over a concept's places)",
)
_CHV_SOURCE = "Zeng & Tse 2006 (CHV)"
_MESH_SOURCE = "National Library of Medicine (MeSH)"


def _rows_of_group(group: str, plural: str) -> tuple[Feature, ...]:
    """The rows of the CHV and of MeSH for all their concepts, their symptoms or their diseases."""
    kind = f"_{group}" if group else ""
    chv: Get = grouped_chv if group else partial(lexicon, "chv")
    mesh: Get = partial(lexicon, "mesh")
    return (
        *pair(
            (f"chv_{plural}", f"chv{kind}_score"),
            CONSUMER,
            f"{plural} of the Consumer Health Vocabulary",
            SCORE,
            _CHV_SOURCE,
            (
                partial(count_concepts, get=chv, group=group),
                partial(mean_value, get=chv, group=group),
            ),
            CHV_GROUPS if group else ("chv",),
        ),
        *pair(
            (f"mesh_{plural}", f"mesh{kind}_depth"),
            EXPERT,
            f"{plural} of the Medical Subject Headings",
            DEPTH,
            _MESH_SOURCE,
            (
                partial(count_concepts, get=mesh, group=group),
                partial(mean_value, get=mesh, group=group),
            ),
            ("mesh",),
        ),
    )


def _medical_row(name: str, what: str, resource: str, source: str) -> Feature:
    compute = partial(count_concepts, get=partial(lexicon, resource))
    per = (DOCUMENT, WORD, SENTENCE)
    return Feature(
        name, MEDICAL, "concepts", Direction.HARDER, what, source, compute, per, (resource,)
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
    *_rows_of_group("", "concepts"),
    *_rows_of_group(SYMPTOM, "symptoms"),
    *_rows_of_group(DISEASE, "diseases"),
)
