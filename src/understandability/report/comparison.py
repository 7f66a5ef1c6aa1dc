"""What a rewrite changed: two estimates, the features that moved, hard words gone and new."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from understandability.direction import Direction
from understandability.language.tokens import word_of
from understandability.records import Estimate
from understandability.report.explanation import Explanation, without_nan
from understandability.report.marks import DIFFICULT, is_plain_word, marked_pieces

_LEAST_MOVE = 0.02  # of the larger of the two values


@dataclass(frozen=True, slots=True)
class Move:
    """A feature that differs; `now` says ``harder``, ``easier`` or '' where that is not known."""

    name: str
    before: float
    after: float
    now: str
    meaning: str


@dataclass(frozen=True, slots=True)
class PageComparison:
    """From one version of a page to another."""

    before: Estimate
    after: Estimate
    moved: tuple[Move, ...]
    hard_words_gone: tuple[str, ...]
    hard_words_new: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data; NaN is None."""
        result: dict[str, Any] = without_nan(asdict(self))
        return result


def compare(before: Explanation, after: Explanation) -> PageComparison:
    """What changed; features in the order of how much, relative to their size.

    >>> from understandability.documents import document_of_text
    >>> from understandability.report import explain
    >>> from understandability.scoring import Scorer
    >>> texts = ("He had an infarction of the heart.", "He had a heart attack.")
    >>> before, after = (explain(document_of_text(text), Scorer()) for text in texts)
    >>> compare(before, after).hard_words_gone
    ('infarction',)
    """
    hard_before, hard_after = _hard_words(before), _hard_words(after)
    moves = []
    old = {feature.name: feature.value for feature in before.features}
    for feature in after.features:
        first, second = old[feature.name], feature.value
        size = max(abs(first), abs(second))
        if math.isnan(size) or abs(second - first) <= _LEAST_MOVE * size:
            continue
        now = _now(feature.direction, second - first)
        move = Move(feature.name, first, second, now, feature.meaning)
        moves.append((-abs(second - first) / size, move))
    moves.sort(key=lambda move: (not move[1].now, move[0], move[1].name))
    return PageComparison(
        before.estimate,
        after.estimate,
        tuple(move for _, move in moves),
        tuple(sorted(hard_before - hard_after)),
        tuple(sorted(hard_after - hard_before)),
    )


def _now(direction: Direction | None, change: float) -> str:
    if direction is None:
        return ""
    return "harder" if change * direction.sign > 0 else "easier"


def _hard_words(explanation: Explanation) -> set[str]:
    return {
        word
        for piece in marked_pieces(explanation.document)
        if DIFFICULT in piece.kinds and is_plain_word(word := word_of(piece.text).lower())
    }
