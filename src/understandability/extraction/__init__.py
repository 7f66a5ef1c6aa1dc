"""Where the text of a page is, and where its sentences end.

In: a `ParsedPage`. Out: its `Block`s of text, each kept or dropped with the reason.

    blocks = extract(parse_page(page), "main")
    texts = fields(blocks, "force-period")

`extractors` is the table; `main` (the default), `naive`, `boilerpipe`, `justext` and `plain_text`
walk the one tape of a page, `reference` and `trafilatura` call the libraries; `columns` makes the
blocks.
"""

from __future__ import annotations

from understandability.extraction.extractors import (
    ENGINES,
    EXTRACTORS,
    Extractor,
    extract,
    installed_extractors,
    parse_for,
    require_extractor,
)
from understandability.extraction.sentence_ends import SENTENCE_ENDS, fields, open_fields

__all__ = [
    "ENGINES",
    "EXTRACTORS",
    "SENTENCE_ENDS",
    "Extractor",
    "extract",
    "fields",
    "installed_extractors",
    "open_fields",
    "parse_for",
    "require_extractor",
]
