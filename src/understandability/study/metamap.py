"""The concepts that MetaMap found in the user's documents, in rows of their own.

`understand resources install metamap --from output.mmi` reads MetaMap's fielded output; its
document identifiers must be those of the documents. A document that it lacks has no value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import Batch, FloatArray, ratio
from understandability.feature.row import Feature
from understandability.study.concepts import CONSUMER, EXPERT, KINDS, pair
from understandability.study.installed import installed_mappings, installed_terms
from understandability.study.lexicons import loaded
from understandability.study.vocabulary_files import STOP

NEEDS = {CONSUMER: ("metamap", "chv"), EXPERT: ("metamap",)}


@dataclass(frozen=True, slots=True, eq=False)
class MetaMapFindings:
    """The concepts of all documents that are in one vocabulary, document by document.

    Those of document ``rows[docno]`` are ``starts[row]:starts[row + 1]`` of the other arrays;
    `values` is NaN for a concept without a score.
    """

    rows: dict[str, int]
    starts: NDArray[np.int64]
    occurrences: FloatArray
    values: FloatArray
    groups: NDArray[np.str_]


def mapped_findings(vocabulary: str) -> MetaMapFindings | None:
    """What MetaMap found of one vocabulary; None where a resource is missing."""
    return loaded(_findings, (vocabulary,), NEEDS[vocabulary])


def _findings(vocabulary: str) -> MetaMapFindings:
    mappings = installed_mappings()
    rows: dict[str, int] = {}
    row = np.array([rows.setdefault(docno, len(rows)) for docno in mappings.docnos], np.int64)
    if vocabulary == CONSUMER:
        scores = _chv_scores()
        known = np.array([concept in scores for concept in mappings.concepts], bool)
        values = np.array([scores.get(concept, np.nan) for concept in mappings.concepts])
    else:
        known = ~np.isnan(mappings.depths)
        values = mappings.depths
    order = np.flatnonzero(known)
    order = order[np.argsort(row[order], kind="stable")]
    return MetaMapFindings(
        rows,
        np.searchsorted(row[order], np.arange(len(rows) + 1)),
        mappings.occurrences[order],
        values[order],
        mappings.groups[order],
    )


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
    found = mapped_findings(vocabulary)
    sums = np.full((len(batch), 3), np.nan)
    if found is None:
        return sums
    counted = found.occurrences * ((found.groups == group) if group else 1.0)
    valued = counted * ~np.isnan(found.values)
    totals = np.column_stack([counted, valued, valued * np.nan_to_num(found.values)])
    for index, document in enumerate(batch.documents):
        row = found.rows.get(document.docno)
        if row is not None:
            sums[index] = totals[found.starts[row] : found.starts[row + 1]].sum(axis=0)
    return sums


ROWS: tuple[Feature, ...] = tuple(
    row
    for vocabulary in (CONSUMER, EXPERT)
    for kind in KINDS
    for row in pair(
        vocabulary,
        kind,
        (
            partial(count_mapped, vocabulary=vocabulary, group=kind[0]),
            partial(mean_of_mapped, vocabulary=vocabulary, group=kind[0]),
        ),
        NEEDS[vocabulary],
        "Aronson 2001 (MetaMap)",
        ("_metamap", " that MetaMap found"),
    )
)
