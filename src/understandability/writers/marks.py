"""Mark up the text of a page for display: sentences by difficulty, and words that need
attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from understandability.text.document import Document
from understandability.text.sentences import fields
from understandability.text.tokens import split_pieces
from understandability.writers.explanation import Explanation
from understandability.writers.hard_sentences import Sentence
from understandability.writers.levels import SHADES, level_of

MOST_BLOCKS, MOST_PIECES, MOST_LETTERS = 2000, 20_000, 300
TERM, HARD, ABBREVIATION, SPELLING = "term", "hard", "abbreviation", "spelling"

# Kind of mark -> what its legend says.
KINDS: Mapping[str, str] = {
    TERM: "terms with a plain one",
    HARD: "other hard words",
    ABBREVIATION: "abbreviations never explained",
    SPELLING: "likely spelling mistakes",
}
_NAMED_SHADE = SHADES - 2  # from which a sentence bears its level, for eyes that see no colour


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive pieces with the same mark ('' for none), and a note to show for them."""

    text: str
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence as a list of stretches, its step on the colour scale, and its level if it is
    hard.
    """

    runs: tuple[Stretch, ...]
    shade: int
    level: str


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A block of a page: if it was kept, its marked sentences; if it was dropped, its text."""

    tag: str
    kept: bool
    reason: str
    text: str
    sentences: tuple[MarkedSentence, ...] = ()


def marked_blocks(explanation: Explanation) -> tuple[MarkedBlock, ...]:
    """Return the blocks of an explained document, in order, with their marks.

    A very long page is truncated to `MOST_BLOCKS` blocks and `MOST_PIECES` pieces. A piece or a
    dropped block is truncated to `MOST_LETTERS` letters.
    """
    document = explanation.document
    marks = _marks(explanation)
    every = explanation.sentences
    blocks = []
    end = number = 0
    for block in document.blocks[:MOST_BLOCKS]:
        if end >= MOST_PIECES:
            break
        marked = []
        if block.kept:
            texts = fields([block], document.sentence_ends)
            end += sum(len(split_pieces(text)) for text in texts)
            while number < len(every) and every[number].first < end:
                marked.append(_marked(document, every[number], marks))
                number += 1
        text = "" if block.kept else beginning(block.text)
        blocks.append(MarkedBlock(block.tag, block.kept, block.reason, text, tuple(marked)))
    return tuple(blocks)


def _marks(explanation: Explanation) -> dict[int, tuple[str, str]]:
    """Return the mark and the note of each marked piece; terms take precedence over hard words."""
    issues = explanation.findings
    marks = dict.fromkeys(issues.hard, (HARD, ""))
    for positions in issues.abbreviations.values():
        marks |= dict.fromkeys(positions, (ABBREVIATION, ""))
    marks |= {
        position: (SPELLING, f"likely: {word}") for position, word in issues.misspelled.items()
    }
    for offer in explanation.offers:
        if offer.marked and not offer.is_explained:
            say = f"{offer.how}: {', or '.join(offer.plain)}" if offer.plain else offer.note
            marks |= dict.fromkeys(range(offer.first, offer.last), (TERM, say))
    return marks


def _marked(
    document: Document, sentence: Sentence, marks: Mapping[int, tuple[str, str]]
) -> MarkedSentence:
    positions = range(sentence.first, min(sentence.last, MOST_PIECES))
    runs = tuple(
        Stretch(" ".join(beginning(document.pieces[position]) for position in group), mark, note)
        for (mark, note), group in groupby(
            positions, key=lambda position: marks.get(position, ("", ""))
        )
    )
    level = level_of(sentence.level)
    name = level.name if level and sentence.shade >= _NAMED_SHADE else ""
    return MarkedSentence(runs, sentence.shade, name)


def beginning(text: str) -> str:
    """Truncate a text to `MOST_LETTERS` letters.

    >>> len(beginning("word " * 100_000))
    302
    """
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"
