"""A tagger for dolma: P(U|d) and the difficulty of each document. Needs dolma.

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
    """Marks each document, from its first character to its last, with its scores.

    The attributes ``p_understandable`` and ``difficulty`` are empty lists where a document cannot
    be scored, or is not in English.
    """

    @property
    def defaults(self) -> list[str]:
        """The attributes that every document has."""
        return list(_COLUMNS)

    def predict(self, doc: Document) -> DocResult:
        """The scores of one document."""
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
