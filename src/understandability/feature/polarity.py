"""Positive, negative and neutral words, after the lexicon of VADER."""

from __future__ import annotations

from functools import partial

from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.word_counts import count

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
