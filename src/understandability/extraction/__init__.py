"""Blocks of text from parsed pages, kept or dropped, and where their sentences end."""

from __future__ import annotations

from understandability.extraction.extractors import (
    ENGINES,
    EXTRACTORS,
    Extractor,
    extract,
    installed_extractors,
)
from understandability.extraction.sentence_ends import SENTENCE_ENDS, fields

__all__ = [
    "ENGINES",
    "EXTRACTORS",
    "SENTENCE_ENDS",
    "Extractor",
    "extract",
    "fields",
    "installed_extractors",
]
