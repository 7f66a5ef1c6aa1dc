"""Concepts of medical vocabularies: how many a text names, how familiar or deep they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.study.installed import (
    CHV_GROUPS,
    Lexicon,
    grouped_chv,
    installed_mappings,
    installed_terms,
    lexicon,
    loaded,
)
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
_METAMAP_NEEDS = {CONSUMER: ("metamap", "chv"), EXPERT: ("metamap",)}
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
        scores = chv_scores()
        known = np.array([concept in scores for concept in found.concepts], bool)
        values = np.array([scores.get(concept, np.nan) for concept in found.concepts])
    totals = {}
    for group in ("", SYMPTOM, DISEASE):
        counted = found.occurrences * (known & ((found.groups == group) | (group == "")))
        valued = counted * ~np.isnan(values)
        columns = (counted, valued, valued * np.nan_to_num(values))
        sums = [np.bincount(row, column).astype(np.float64) for column in columns]
        totals[group] = np.column_stack(sums)
    return rows, totals


def chv_scores() -> dict[str, float]:
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


def _medical_row(name: str, what: str, resource: str, source: str) -> Feature:
    find = partial(sums_of_terms, get=partial(lexicon, resource))
    compute = partial(count_concepts, find=find)
    return Feature(
        name, MEDICAL, "concepts", Direction.HARDER, what, source, compute, _PER, (resource,)
    )


def _rows(count: str, mean: str, group: str, kind: str = "") -> tuple[Feature, Feature]:
    """The row that counts concepts of a kind, and that of their mean score or depth."""
    plural = {"": "concepts", SYMPTOM: "symptoms", DISEASE: "diseases"}[kind]
    needs: tuple[str, ...] = ("mesh",)
    if group == CONSUMER:
        what, unit = f"{plural} of the Consumer Health Vocabulary", "score, 0 to 1"
        direction, value = Direction.EASIER, "mean familiarity (combo score)"
        needs, source = CHV_GROUPS if kind else ("chv",), "Zeng & Tse 2006 (CHV)"
        get = grouped_chv if kind else partial(lexicon, "chv")
    else:
        what, unit = f"{plural} of the Medical Subject Headings", "levels"
        direction = Direction.HARDER
        value = "mean depth in MeSH's trees (the mean over a concept's places)"
        source, get = "National Library of Medicine (MeSH)", partial(lexicon, "mesh")
    find: Find = partial(sums_of_terms, get=get, group=kind)
    if count.endswith("_metamap"):
        what = f"{what} that MetaMap found"
        needs, source = _METAMAP_NEEDS[group], "Aronson 2001 (MetaMap)"
        find = partial(sums_of_mapped, vocabulary=group, group=kind)
    compute = partial(count_concepts, find=find), partial(mean_value, find=find)
    return (
        Feature(count, group, "concepts", None, what, source, compute[0], _PER, needs),
        Feature(
            mean, group, unit, direction, f"{value} of {what}", source, compute[1], _PER, needs
        ),
    )


# fmt: off
ROWS: tuple[Feature, ...] = (
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
