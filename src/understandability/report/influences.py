"""What moved an estimate, in words: how far it changes if a property of the text is taken away.

This asks the bundle itself, whatever model it holds, about texts that a writer could make of the
page; contributions of features would need a model that has them, and tell of numbers that nobody
can edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from understandability.features import Batch
from understandability.records import Document
from understandability.report.marks import DIFFICULT, MEDICAL, MarkedPiece
from understandability.scoring import Scorer

SHORT_SENTENCE = 15  # pieces, to which long sentences are cut
_LEAST_POINTS = 0.5


@dataclass(frozen=True, slots=True)
class Influence:
    """By how many points of difficulty something made the page harder (above 0) or easier."""

    group: str
    points: float
    wording: str


def influences(
    document: Document, pieces: Sequence[MarkedPiece], scorer: Scorer
) -> tuple[Influence, ...]:
    """What moves the estimate by half a point or more, the most first.

    >>> from understandability.documents import document_of_text
    >>> from understandability.report.marks import marked_pieces
    >>> document = document_of_text("She had nephropathy and cardiomyopathy for a week. " * 9)
    >>> influences(document, marked_pieces(document), Scorer())[0].group
    'medical words'
    """
    is_medical = [MEDICAL in piece.kinds for piece in pieces]
    is_other = [
        DIFFICULT in piece.kinds and not medical
        for piece, medical in zip(pieces, is_medical, strict=True)
    ]
    variants = {
        "long sentences": _with_short_sentences(document),
        "medical words": _without(document, is_medical),
        "difficult words that are not medical": _without(document, is_other),
        "links, lists and other markup": replace(document, tag_counts=MappingProxyType({})),
    }
    batch = Batch([document, *variants.values()])
    estimates = scorer.bundle.estimate(batch, threshold=0.0, user="step")
    here, *there = (estimate.difficulty for estimate in estimates)
    found = [
        Influence(group, here - without, _wording(group, here - without))
        for group, without in zip(variants, there, strict=True)
        if abs(here - without) >= _LEAST_POINTS
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.points)))


def _wording(group: str, points: float) -> str:
    return f"{group}: {'harder' if points > 0 else 'easier'} by {abs(points):.0f}"


def _with_short_sentences(document: Document) -> Document:
    """The document with its long sentences cut into equal parts."""
    starts: list[int] = []
    for start, end in pairwise((*document.sentence_starts, len(document.pieces))):
        parts = -(-(end - start) // SHORT_SENTENCE)
        starts += [start + (end - start) * part // parts for part in range(parts)]
    return replace(document, sentence_starts=tuple(starts))


def _without(document: Document, left_out: Sequence[bool]) -> Document:
    """The document without some of its pieces, and without sentences of which nothing is left."""
    kept = ~np.array(left_out, bool)
    before = np.concatenate([[0], np.cumsum(kept)])
    starts = np.unique(before[list(document.sentence_starts)]) if len(kept) else np.empty(0, int)
    return replace(
        document,
        pieces=tuple(piece for piece, stays in zip(document.pieces, kept, strict=True) if stays),
        sentence_starts=tuple(starts[starts < before[-1]].tolist()),
    )
