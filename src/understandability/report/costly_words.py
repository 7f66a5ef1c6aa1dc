"""The words of a page that cost most, each by what the bundle itself says without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from understandability.features.table import batches, weight
from understandability.language.tokens import word_of
from understandability.records import Document
from understandability.report.marks import DIFFICULT, KINDS, MarkedPiece, is_plain_word
from understandability.scoring import Scorer

_MOST_COSTLY = 20
_CANDIDATES = 200
_MOST_PIECES = 1_000_000  # of all texts that are estimated for it
_STAND_IN = "it"  # short and familiar to everyone


@dataclass(frozen=True, slots=True)
class CostlyWord:
    """A word and by how much the page's difficulty falls if it gives way to a familiar one.

    `lay_term` is what readers say for `term`, an expert's term that begins with the word.
    """

    word: str
    count: int
    points: float
    kinds: tuple[str, ...]
    term: str
    lay_term: str


def costly_words(
    document: Document, pieces: Sequence[MarkedPiece], difficulty: float, scorer: Scorer
) -> tuple[CostlyWord, ...]:
    """The words that cost most: for each, the fall in difficulty if "it" stood in its place.

    Asked of marked words, the most frequent `_CANDIDATES` of them; in order of cost.
    """
    places: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        word = word_of(piece.text).lower()
        if (DIFFICULT in piece.kinds or piece.term) and is_plain_word(word):
            places.setdefault(word, []).append(index)
    most = min(_CANDIDATES, _MOST_PIECES // max(weight(document), 1))
    candidates = sorted(places, key=lambda word: (-len(places[word]), word))[:most]
    without = (_without(document, word, places[word]) for word in candidates)
    estimates = chain.from_iterable(
        scorer.bundle.estimate(batch, threshold=0.0, user="step") for batch in batches(without)
    )
    costly = []
    for word, estimate in zip(candidates, estimates, strict=True):
        kinds = {kind for index in places[word] for kind in pieces[index].kinds}
        term, lay = next(
            ((pieces[i].term, pieces[i].lay_term) for i in places[word] if pieces[i].term),
            ("", ""),
        )
        costly.append(
            CostlyWord(
                word,
                len(places[word]),
                difficulty - estimate.difficulty,
                tuple(kind for kind in KINDS if kind in kinds),
                term,
                lay,
            )
        )
    costly.sort(key=lambda each: (-each.points, -each.count, each.word))
    return tuple(each for each in costly if each.points > 0)[:_MOST_COSTLY]


def _without(document: Document, word: str, places: Sequence[int]) -> Document:
    """The document with a familiar word in the places of another."""
    changed = list(document.pieces)
    for place in places:
        changed[place] = changed[place].replace(word_of(changed[place]), _STAND_IN)
    return replace(document, pieces=tuple(changed))
