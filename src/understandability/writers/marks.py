"""The text of a page with its marks: sentences by difficulty, and the words to look at."""

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
    """Pieces that share a mark ('': none), and what is to say of it."""

    text: str
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence in runs, its step on the colour scale, and its level where that is hard."""

    runs: tuple[Stretch, ...]
    shade: int
    level: str


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A block of a page: its marked sentences where it was kept, its text where it was not."""

    tag: str
    kept: bool
    reason: str
    text: str
    sentences: tuple[MarkedSentence, ...] = ()


def marked_blocks(explanation: Explanation) -> tuple[MarkedBlock, ...]:
    """The blocks of an explained document in order.

    Of an endless page only the beginning: `MOST_BLOCKS` blocks, `MOST_PIECES` pieces, and the
    first `MOST_LETTERS` of a piece or of a dropped block.
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
    """The mark and the note of each piece that has one; terms come before hard words."""
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
        Stretch(" ".join(beginning(document.pieces[position]) for position in group), kind, note)
        for (kind, note), group in groupby(
            positions, key=lambda position: marks.get(position, ("", ""))
        )
    )
    level = level_of(sentence.level)
    name = level.name if level and sentence.shade >= _NAMED_SHADE else ""
    return MarkedSentence(runs, sentence.shade, name)


def beginning(text: str) -> str:
    """The text, or its first `MOST_LETTERS` where it is longer.

    >>> len(beginning("word " * 100_000))
    302
    """
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"
