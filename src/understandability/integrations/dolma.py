"""A tagger for dolma: P(U|d) and the difficulty of each document. Requires dolma.

    dolma tag --documents "documents/*" --tagger_modules understandability.integrations.dolma \
        --taggers understandability
"""

from __future__ import annotations

import math

from understandability.errors import PageError, needing
from understandability.scoring import score_text

with needing("the tagger needs dolma", "dolma"):
    from dolma import add_tagger
    from dolma.core.data_types import DocResult, Document, Span
    from dolma.core.taggers import BaseTagger

_COLUMNS = ("p_understandable", "difficulty")


@add_tagger("understandability")
class UnderstandabilityTagger(BaseTagger):  # type: ignore[misc, unused-ignore]  # it has no types
    """Adds the scores of each document as spans from its first character to its last.

    The attributes ``p_understandable`` and ``difficulty`` are empty lists if a document cannot be
    scored, or if its language has no model.
    """

    @property
    def defaults(self) -> list[str]:
        """The names of the attributes that every document gets."""
        return list(_COLUMNS)

    def predict(self, doc: Document) -> DocResult:
        """Return the scores of one document."""
        try:
            row = score_text(doc.text)
        except PageError:
            return DocResult(doc=doc, spans=[])
        spans = [
            Span(start=0, end=len(doc.text), type=name, score=row[name])
            for name in _COLUMNS
            if not math.isnan(row[name])
        ]
        return DocResult(doc=doc, spans=spans)
