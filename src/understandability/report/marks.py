"""What makes a text hard, word by word: which pieces to mark, and what to say instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understandability.extraction import fields
from understandability.features import Batch
from understandability.features.words.kinds import is_of_kind
from understandability.language.tokens import split_pieces, word_of
from understandability.records import Document
from understandability.report.lay_terms import lay_terms

MOST_BLOCKS, MOST_PIECES, MOST_LETTERS = 2000, 20_000, 300
LONG_SENTENCE = 25  # words; plain-language guides ask for 15 to 20 on average
DIFFICULT, POLYSYLLABLE, MEDICAL, LONG = "difficult", "polysyllable", "medical", "long"

# Kind of mark -> what its legend says.
KINDS: Mapping[str, str] = {
    DIFFICULT: "words not on the Dale-Chall list of familiar words",
    POLYSYLLABLE: "words of three syllables or more",
    MEDICAL: "medical words, by affix, acronym or list",
    LONG: f"sentences of more than {LONG_SENTENCE} words",
}


_PLAIN_WORD = re.compile(r"(?=.{3,60}$)[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def is_plain_word(word: str) -> bool:
    """Whether a writer could put another in its place: no letter, number, address or endless one.

    >>> [is_plain_word(word) for word in ("anti-inflammatory", "b", "10.1001/jama", "b12")]
    [True, False, False, False]
    """
    return _PLAIN_WORD.fullmatch(word) is not None


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A piece of text, the kinds of its marks, and what readers say for the term that begins here.

    `term` and `lay_term` are '' where no expert's term begins, or none is known.
    """

    text: str
    kinds: tuple[str, ...] = ()
    term: str = ""
    lay_term: str = ""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """The pieces of a sentence and how many of them are words."""

    pieces: tuple[MarkedPiece, ...]
    words: int

    @property
    def is_long(self) -> bool:
        """Whether it has more than `LONG_SENTENCE` words."""
        return self.words > LONG_SENTENCE


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A block of a page: its marked sentences where it was kept, its text where it was not."""

    tag: str
    kept: bool
    reason: str
    text: str
    sentences: tuple[MarkedSentence, ...] = ()


def marked_blocks(document: Document, pieces: Sequence[MarkedPiece]) -> tuple[MarkedBlock, ...]:
    """The blocks of a document in order, the kept ones as its marked pieces.

    Of an endless page only the beginning: `MOST_BLOCKS` blocks, `MOST_PIECES` pieces, and the
    first `MOST_LETTERS` of a piece or of a dropped block.
    """
    is_start = np.zeros(len(pieces) + 1, bool)
    is_start[list(document.sentence_starts)] = True
    blocks = []
    first = 0
    for block in document.blocks[:MOST_BLOCKS]:
        sentences: list[MarkedSentence] = []
        if first >= MOST_PIECES:
            break
        if block.kept:
            texts = fields([block], document.sentence_ends)
            end = first + sum(len(split_pieces(text)) for text in texts)
            shown = min(end, MOST_PIECES, len(pieces))
            starts = [first, *(np.flatnonzero(is_start[first + 1 : shown]) + first + 1), shown]
            sentences = [
                _sentence(pieces[start:stop]) for start, stop in pairwise(starts) if start < stop
            ]
            first = end
        text = "" if block.kept else beginning(block.text)
        blocks.append(MarkedBlock(block.tag, block.kept, block.reason, text, tuple(sentences)))
    return tuple(blocks)


def _sentence(pieces: Sequence[MarkedPiece]) -> MarkedSentence:
    return MarkedSentence(
        tuple(replace(piece, text=beginning(piece.text)) for piece in pieces),
        sum(word_of(piece.text) != "" for piece in pieces),
    )


def beginning(text: str) -> str:
    """The text, or its first `MOST_LETTERS` where it is longer.

    >>> len(beginning("word " * 100_000))
    302
    """
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"


def marked_pieces(document: Document) -> tuple[MarkedPiece, ...]:
    """The pieces of a document with their marks.

    >>> from understandability.documents import document_of_text
    >>> pieces = marked_pieces(document_of_text("He had a myocardial infarction."))
    >>> pieces[3].kinds, pieces[3].term, pieces[3].lay_term
    (('difficult', 'polysyllable', 'medical'), 'myocardial infarction', 'heart attack')
    >>> pieces[2].kinds
    ()
    """
    batch = Batch([document])
    word_places = np.flatnonzero(batch.pieces.words(batch.piece_ids) >= 0)
    marks = {
        DIFFICULT: _at(batch, word_places, is_of_kind(batch, "difficult_words")),
        POLYSYLLABLE: _at(batch, word_places, is_of_kind(batch, "polysyllables")),
        MEDICAL: _at(batch, word_places, _has_medical_form(batch)),
    }
    lay = lay_terms()
    found = lay.finder.find(batch)
    _, sizes = batch.pieces.tokens(batch.piece_ids)
    piece_of_token = np.repeat(np.arange(len(document.pieces)), sizes)
    instead: dict[int, tuple[str, str]] = {}
    for entry, start, end in zip(found.entries, found.starts, found.ends, strict=True):
        first, last = int(piece_of_token[start]), int(piece_of_token[end - 1])
        marks[MEDICAL][first : last + 1] = True
        instead[first] = lay.pairs[int(entry)]
    return tuple(
        MarkedPiece(
            piece,
            tuple(kind for kind in marks if marks[kind][index]),
            *instead.get(index, ("", "")),
        )
        for index, piece in enumerate(document.pieces)
    )


def _has_medical_form(batch: Batch) -> NDArray[np.bool_]:
    """Which words have a medical affix or are a medical acronym."""
    medical: NDArray[np.bool_] = (
        is_of_kind(batch, "medical_prefixes")
        | is_of_kind(batch, "medical_suffixes")
        | is_of_kind(batch, "medical_acronyms")
    )
    return medical


def _at(
    batch: Batch, word_places: NDArray[np.int64], of_words: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """What is given for words, for the pieces that hold them."""
    of_pieces = np.zeros(len(batch.piece_ids), bool)
    of_pieces[word_places] = of_words
    return of_pieces
