"""A text compared with its rewrite: estimates, readings, and the changes in each sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from understandability.model.bundle import Estimate
from understandability.text.tokens import word_of
from understandability.wording import counted, plain_data
from understandability.writers.explanation import Explanation
from understandability.writers.marks import MOST_PIECES

_FEW = 2  # unchanged sentences that are shown; longer runs are folded
_LEAST_MOVE = 0.02  # of the larger of the two values
EASIER, HARDER = "easier", "harder"


@dataclass(frozen=True, slots=True)
class Change:
    """A reading before and after; `now` says ``easier``, ``harder`` or '' for neither."""

    name: str
    before: float
    after: float
    now: str


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of a text, and whether the other text lacks it."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class PageComparison:
    """The differences between two versions of a text."""

    before: Estimate
    after: Estimate
    changes: tuple[Change, ...]
    old_text: tuple[tuple[TextRun, ...], ...]
    new_text: tuple[tuple[TextRun, ...], ...]
    hard_words_gone: tuple[str, ...]
    hard_words_new: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The difference in difficulty, in words."""
        change = self.after.difficulty - self.before.difficulty
        if math.isnan(change):
            return "not known"
        points = round(abs(change))
        now = HARDER if change > 0 else EASIER
        return f"{counted(points, 'point')} {now}" if points else "as hard as before"

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data; NaN is None."""
        result: dict[str, Any] = plain_data(self)
        return result


def compare(before: Explanation, after: Explanation) -> PageComparison:
    """Compare two explained texts, sentence by sentence.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.explanation import explain
    >>> from understandability.scoring import Scorer
    >>> texts = ("He had an infarction of the heart.", "He had a heart attack.")
    >>> found = compare(*(explain(document_of_text(text), Scorer()) for text in texts))
    >>> found.hard_words_gone, [run.text for run in found.new_text[0] if run.is_changed]
    (('infarction',), ['a heart attack.'])
    """
    old_words, new_words = _hard_words(before), _hard_words(after)
    readings = zip(_readings(before), _readings(after), strict=True)
    changes = [
        Change(name, old, new, _now(old, new, sign))
        for (name, old, sign), (_, new, _) in readings
        if not math.isnan(old + new)
    ]
    old, new = before.document.pieces[:MOST_PIECES], after.document.pieces[:MOST_PIECES]
    kept_old, kept_new = [False] * len(old), [False] * len(new)
    for a, b, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        kept_old[a : a + size] = kept_new[b : b + size] = [True] * size
    return PageComparison(
        before.estimate,
        after.estimate,
        tuple(changes),
        tuple(_text(before, kept_old)),
        tuple(_text(after, kept_new)),
        tuple(sorted(old_words - new_words)),
        tuple(sorted(new_words - old_words)),
    )


def _readings(explained: Explanation) -> Iterator[tuple[str, float, int]]:
    """Yield name, value and direction of each reading: 1 if higher is harder, -1 if easier."""
    every = explained.sentences
    yield "Difficulty, 0 to 100", explained.estimate.difficulty, 1
    yield "Words", explained.words, 0
    yield "Sentences", len(every), 0
    yield "Words per sentence", explained.words / len(every) if every else math.nan, 1
    yield "Sentences of more than 20 words", explained.long_sentences, 1
    yield "Terms with a plainer one", sum(term.count for term in explained.terms if term.plain), 1
    yield "Other hard words", sum(word.count for word in explained.hard_words), 1
    yield "Words off the Dale-Chall list, %", 100 * explained.hard_share, 1
    yield "Abbreviations never explained", len(explained.abbreviations), 1
    yield "Passives", len(explained.findings.passives), 1
    yield "Longest paragraph, words", explained.structure.longest_paragraph, 1
    for formula in explained.formulas:
        if formula.name in ("flesch_kincaid", "smog", "flesch_reading_ease"):
            sign = formula.direction.sign if formula.direction else 0
            yield formula.title, formula.value, sign


def _now(before: float, after: float, sign: int) -> str:
    if not sign or abs(after - before) <= _LEAST_MOVE * max(abs(before), abs(after)):
        return ""
    return HARDER if (after - before) * sign > 0 else EASIER


def _text(explained: Explanation, is_kept_mask: Sequence[bool]) -> Iterator[tuple[TextRun, ...]]:
    """The sentences of a text, in runs that the other text has or lacks."""
    pieces = explained.document.pieces
    for sentence in explained.sentences:
        positions = range(sentence.first, min(sentence.last, len(is_kept_mask)))
        yield tuple(
            TextRun(" ".join(pieces[position] for position in run), not is_kept)
            for is_kept, run in groupby(positions, key=lambda position: is_kept_mask[position])
        )


def _hard_words(explained: Explanation) -> set[str]:
    """The words that people find hard, whether there is a plain term for them or not."""
    pieces = explained.document.pieces
    return {word_of(pieces[position]).lower() for position in explained.findings.hard}


def folded(
    sentences: Sequence[tuple[TextRun, ...]],
) -> Iterator[tuple[bool, list[tuple[TextRun, ...]]]]:
    """Sentences in groups: whether a group is unchanged and long enough to be folded, and it."""
    for same, group in groupby(sentences, lambda runs: not any(run.is_changed for run in runs)):
        runs = list(group)
        yield same and len(runs) > _FEW, runs
