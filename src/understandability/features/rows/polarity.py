"""Positive, negative and neutral words, after the lexicon of VADER."""

from __future__ import annotations

from functools import partial

from understandability.features.feature import DOCUMENT, SENTENCE, WORD, Feature
from understandability.features.words.kinds import count

ROWS: tuple[Feature, ...] = tuple(
    Feature(
        f"{kind}_words",
        "natural language",
        "words",
        None,
        f"words that VADER's lexicon {where}",
        "Hutto & Gilbert 2014 (VADER)",
        partial(count, kind=f"{kind}_words"),
        (DOCUMENT, WORD, SENTENCE),
    )
    for kind, where in (
        ("positive", "lists as positive"),
        ("negative", "lists as negative"),
        ("neutral", "lacks, or lists as neither"),
    )
)
