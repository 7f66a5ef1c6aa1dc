"""Features from the tags of tokens (parts of speech, entities, chunks) and from the polarity of
words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from understandability.feature.batch import Batch, FloatArray, sum_segments
from understandability.feature.phrases import chunk_heights
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.feature.word_counts import count


def count_tags(batch: Batch) -> FloatArray:
    """Count the tokens of each part of speech; (documents, 12), with columns in the order of
    `TWELVE`.
    """
    document = np.repeat(np.arange(len(batch)), np.diff(batch.token_starts))
    cells = document * len(TWELVE) + TO_TWELVE[batch.tags]
    counts = np.bincount(cells, minlength=len(batch) * len(TWELVE))
    return counts.reshape(len(batch), len(TWELVE)).astype(np.float64)


def count_tag(batch: Batch, tag: str) -> FloatArray:
    """Count the tokens of one part of speech in each document."""
    return batch.once(count_tags)[:, TWELVE.index(tag)]


def count_entities(batch: Batch) -> FloatArray:
    """Count the named entities of each document: maximal runs of proper nouns within a sentence."""
    return batch.sum_tokens(batch.entity_starts)


def sum_heights(batch: Batch) -> FloatArray:
    """Sum the heights of the chunk trees of each document's sentences that contain a word."""
    heights = chunk_heights(batch.tags, batch.token_sentence_starts)
    return sum_segments(heights * batch.has_word, batch.first_sentences)


_GROUP, _STUDY = "natural language", "Palotti, Zuccon & Hanbury 2019"

# Column name, tag in `TWELVE`, and the parts of speech that the tag covers.
_PARTS_OF_SPEECH = (
    ("verbs", "VERB", "verbs and auxiliaries"),
    ("nouns", "NOUN", "nouns and proper nouns"),
    ("pronouns", "PRON", "pronouns"),
    ("adjectives", "ADJ", "adjectives"),
    ("adverbs", "ADV", "adverbs"),
    ("adpositions", "ADP", "adpositions"),
    ("conjunctions", "CONJ", "coordinating and subordinating conjunctions"),
    ("determiners", "DET", "determiners"),
    ("cardinals", "NUM", "numbers"),
    ("particles", "PRT", "particles (to, not, 's)"),
    ("other_tokens", "X", "interjections, symbols and words that are not English"),
    ("punctuation", "PUNCT", "punctuation marks"),
)


def _row(
    name: str,
    unit: str,
    meaning: str,
    compute: Callable[[Batch], FloatArray],
    source: str = _STUDY,
) -> Feature:
    per = (DOCUMENT, WORD, SENTENCE)
    return Feature(name, _GROUP, unit, None, meaning, source, compute, per)


ROWS: tuple[Feature, ...] = (
    *(
        _row(name, "tokens", f"tokens tagged as {meaning}", partial(count_tag, tag=tag))
        for name, tag, meaning in _PARTS_OF_SPEECH
    ),
    _row("entities", "entities", "runs of proper nouns", count_entities),
    _row(
        "chunk_height",
        "levels",
        "sum of the heights of the sentences' chunk trees (not full parses)",
        sum_heights,
        "Abney 1996",
    ),
    *(
        _row(
            f"{polarity}_words",
            "words",
            f"words that VADER's lexicon {description}",
            partial(count, category=f"{polarity}_words"),
            "Hutto & Gilbert 2014 (VADER)",
        )
        for polarity, description in (
            ("positive", "lists as positive"),
            ("negative", "lists as negative"),
            ("neutral", "lacks, or lists as neither"),
        )
    ),
)
