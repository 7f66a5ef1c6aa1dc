"""Compare a text with its rewrite: estimates, formulas, and the changes in each sentence."""

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

_LEAST_MOVE = 0.02  # of the larger of the two values
_LEAST_SHARED = 0.3  # of the words of the shorter sentence, for two sentences to be a pair
_MOST_PAIRS = 100_000  # that are compared between two unchanged sentences
EASIER, HARDER = "easier", "harder"


@dataclass(frozen=True, slots=True)
class Change:
    """A value before and after; `now` is ``easier``, ``harder`` or '' for neither."""

    name: str
    before: float
    after: float
    now: str


@dataclass(frozen=True, slots=True)
class TextRun:
    """Consecutive words of a text; `is_changed` is True if the other text lacks them."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class PageComparison:
    """The differences between two versions of a text.

    `rows` aligns the sentences: each row has indexes into `old_text` and into `new_text`. Either
    may be empty.
    """

    before: Estimate
    after: Estimate
    changes: tuple[Change, ...]
    old_text: tuple[tuple[TextRun, ...], ...]
    new_text: tuple[tuple[TextRun, ...], ...]
    hard_words_gone: tuple[str, ...]
    hard_words_new: tuple[str, ...]
    rows: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()

    @property
    def verdict(self) -> str:
        """The difference in difficulty, in words."""
        change = self.after.difficulty - self.before.difficulty
        if math.isnan(change):
            return "not known"
        points = round(abs(change))
        now = HARDER if change > 0 else EASIER
        return f"{counted(points, 'point')} {now}" if points else "as hard as before"

    @property
    def changed_rows(self) -> Iterator[tuple[list[tuple[TextRun, ...]], list[tuple[TextRun, ...]]]]:
        """Yield the aligned sentences that changed, before and after."""
        for old_numbers, new_numbers in self.rows:
            old = [self.old_text[number] for number in old_numbers]
            new = [self.new_text[number] for number in new_numbers]
            if any(run.is_changed for runs in (*old, *new) for run in runs):
                yield old, new

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain data; NaN is None."""
        result: dict[str, Any] = plain_data(self)
        return result


def compare(before: Explanation, after: Explanation) -> PageComparison:
    """Compare two explained texts, sentence by sentence.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.explain import explain_document
    >>> from understandability.scoring import Scorer
    >>> texts = ("He had an infarction of the heart.", "He had a heart attack.")
    >>> result = compare(*(explain_document(document_of_text(text), Scorer()) for text in texts))
    >>> result.hard_words_gone, [run.text for run in result.new_text[0] if run.is_changed]
    (('infarction',), ['a heart attack.'])
    """
    old_words, new_words = _hard_words(before), _hard_words(after)
    readings = zip(_readings(before), _readings(after), strict=True)
    changes = [
        Change(name, old, new, _now(old, new, sign))
        for (name, old, sign), (_, new, _) in readings
        if not math.isnan(old + new)
    ]
    old_sentences, new_sentences = _sentences(before), _sentences(after)
    rows = tuple(_aligned(old_sentences, new_sentences))
    old_text: list[tuple[TextRun, ...]] = [()] * len(old_sentences)
    new_text: list[tuple[TextRun, ...]] = [()] * len(new_sentences)
    for old_numbers, new_numbers in rows:
        old_side = [old_sentences[number] for number in old_numbers]
        new_side = [new_sentences[number] for number in new_numbers]
        for number, runs in zip(old_numbers, _runs(old_side, new_side), strict=True):
            old_text[number] = runs
        for number, runs in zip(new_numbers, _runs(new_side, old_side), strict=True):
            new_text[number] = runs
    return PageComparison(
        before.estimate,
        after.estimate,
        tuple(changes),
        tuple(old_text),
        tuple(new_text),
        tuple(sorted(old_words - new_words)),
        tuple(sorted(new_words - old_words)),
        rows,
    )


def _sentences(explained: Explanation) -> list[tuple[str, ...]]:
    """Return the sentences as pieces, without the full stops that were added to headings and list
    items.
    """
    document = explained.document
    sentences = []
    for number, sentence in enumerate(explained.sentences):
        if sentence.last > MOST_PIECES:
            break
        pieces = list(document.pieces[sentence.first : sentence.last])
        if number in document.open_ends and pieces[-1].endswith("."):
            pieces[-1] = pieces[-1][:-1]
        sentences.append(tuple(filter(None, pieces)))
    return sentences


Row = tuple[tuple[int, ...], tuple[int, ...]]


def _aligned(old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]) -> Iterator[Row]:
    """Yield rows of corresponding sentences: unchanged ones are matched first, then the most
    similar.

    >>> old = [("Stay", "calm."), ("Take", "the", "red", "pills.")]
    >>> new = [("Take", "red", "pills."), ("Sleep.",)]
    >>> list(_aligned(old, new))
    [((0,), ()), ((1,), (0,)), ((), (1,))]
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            yield from (((a + n,), (c + n,)) for n in range(b - a))
        else:
            yield from _paired(old, new, range(a, b), range(c, d))


def _paired(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]], olds: range, news: range
) -> Iterator[Row]:
    """Yield rows for changed sentences; the pairing keeps their order and maximises shared words.

    `olds` and `news` are the ranges of sentences to pair.
    """
    words_old = [frozenset(map(_bare, old[n])) for n in olds]
    words_new = [frozenset(map(_bare, new[n])) for n in news]
    if len(olds) * len(news) > _MOST_PAIRS:
        words_old = words_new = []
    best = [[0.0] * (len(words_new) + 1) for _ in range(len(words_old) + 1)]
    for i in range(len(words_old) - 1, -1, -1):
        for j in range(len(words_new) - 1, -1, -1):
            shared = _shared(words_old[i], words_new[j])
            # A pair, or a sentence more that the same old sentence became.
            pair = shared + best[i + 1][j + 1] if shared else 0.0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    i = j = 0
    waiting: list[int] = []  # new sentences before the next pair
    while i < len(words_old) and j < len(words_new):
        shared = _shared(words_old[i], words_new[j])
        if shared and best[i][j] == shared + best[i + 1][j + 1]:
            first = j
            while waiting and _shared(words_old[i], words_new[first - 1]):
                first = waiting.pop()
            yield from (((), (news[number],)) for number in waiting)
            waiting = []
            numbers = [*news[first : j + 1]]
            j += 1
            following = words_old[i + 1] if i + 1 < len(words_old) else frozenset()
            while j < len(words_new) and _shared(words_old[i], words_new[j]) > _shared(
                following, words_new[j]
            ):  # one sentence was cut into several
                numbers.append(news[j])
                j += 1
            yield (olds[i],), tuple(numbers)
            i += 1
        elif best[i][j] == best[i + 1][j]:
            yield from (((), (news[number],)) for number in waiting)
            waiting = []
            yield (olds[i],), ()
            i += 1
        else:
            waiting.append(j)
            j += 1
    yield from (((), (news[number],)) for number in waiting)
    yield from (((number,), ()) for number in olds[i:])
    yield from (((), (number,)) for number in news[j:])


def _bare(piece: str) -> str:
    return word_of(piece).lower()


def _shared(old: frozenset[str], new: frozenset[str]) -> float:
    """Return the share of common words in the shorter of two sentences; 0 if it is too small."""
    share = len(old & new) / max(1, min(len(old), len(new)))
    return share if share >= _LEAST_SHARED else 0.0


def _runs(
    side: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]
) -> Iterator[tuple[TextRun, ...]]:
    """Split each sentence of one text into runs of words that the other text has, or lacks."""
    own = [piece for sentence in side for piece in sentence]
    others = [piece for sentence in other for piece in sentence]
    is_kept = [False] * len(own)
    for a, _, size in SequenceMatcher(None, own, others, autojunk=False).get_matching_blocks():
        is_kept[a : a + size] = [True] * size
    start = 0
    for sentence in side:
        positions = range(start, start + len(sentence))
        yield tuple(
            TextRun(" ".join(own[position] for position in run), not is_same)
            for is_same, run in groupby(positions, key=lambda position: is_kept[position])
        )
        start += len(sentence)


def _readings(explained: Explanation) -> Iterator[tuple[str, float, int]]:
    """Yield the name, value and direction of each number in a report: 1 if higher is harder, else
    -1.
    """
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


def _hard_words(explained: Explanation) -> set[str]:
    """Return the words that people find hard, whether or not a plain term exists for them."""
    pieces = explained.document.pieces
    return {word_of(pieces[position]).lower() for position in explained.findings.hard}
