"""Find the changes of a text that would help most, each with its gain estimated by the model."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from understandability.feature.batch import Batch
from understandability.model.bundle import Estimate
from understandability.scoring import Scorer
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.wording import counted
from understandability.writers.hard_sentences import LONG_SENTENCE, Findings, Sentence, hardest
from understandability.writers.plain_terms.offers import Offer, covered
from understandability.writers.plain_terms.term_tables import word_list
from understandability.writers.sentence_edits import Sentences, rebuilt, replaced, spans

PLAIN, SPLIT, REWRITE = "plain terms", "shorter sentences", "hard sentences"
REPLACE, EXPLAIN, SPELLING = "replace", "explain", "spelling"
_MOST_STEPS = 4
_MOST_WORDS = 5
_REWRITTEN = 3
_LEAST_GAIN = 0.5  # points, which are shown whole
_MOST_PIECES = 50_000  # of a longer text every change would take seconds
_PIECES_TRIED = 20_000  # of all texts that `gains` estimates: some 60 ms
_LEAST_TRIED = 4
# End of a hard word -> an everyday word to put there, to measure the gain of replacing it.
_STAND_INS = {"ly": "this way", "ing": "doing", "ed": "done", "al": "usual", "ic": "usual",
              "ous": "usual", "ary": "usual", "s": "things", "": "thing"}  # fmt: skip
_MEANING = "(this is what it does here)"
_LEAST_PART = 5  # words of a part of a sentence


@dataclass(frozen=True, slots=True)
class Step:
    """A suggested change, how its gain was measured, the gain in points, and the new estimate."""

    kind: str
    action: str
    how: str
    points: float
    difficulty: float
    level: float
    p_understandable: float


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """The changes that gain most, the largest gain first, and what all of them gain together."""

    steps: tuple[Step, ...]
    together: Step | None


def said_plainly(offered: Iterable[Offer]) -> dict[str, list[Offer]]:
    """Return the offers that have a plain term, grouped by term."""
    by_term: dict[str, list[Offer]] = {}
    for offer in offered:
        if offer.plain and not offer.is_explained:
            by_term.setdefault(offer.term.lower(), []).append(offer)
    return by_term


def gains(
    document: Document,
    estimate: Estimate,
    every: Sequence[Sentence],
    issues: Findings,
    offered: Sequence[Offer],
    scorer: Scorer,
) -> tuple[dict[int, float], dict[str, float]]:
    """Compute the gain in P(U|d) from changing each sentence, and from replacing each term
    everywhere.

    A sentence is changed by using plain terms and everyday words, and by splitting it if it is
    long. In a long text, only the longest hard sentences and the most frequent terms are tried. The
    results are keyed by the index of the sentence, and by the term.
    """
    pieces = document.pieces
    most = max(_LEAST_TRIED, _PIECES_TRIED // (2 * max(len(pieces), 1)))
    by_term = {
        term: {offer.first: (offer.last, (offer.texts or offer.plain)[0]) for offer in offers}
        for term, offers in said_plainly(offered).items()
    }
    better = {n: (n + 1, _familiar(pieces[n])) for n in issues.hard}
    better |= {n: (n + 1, _instead(pieces[n], word)) for n, word in issues.misspelled.items()}
    for offers_there in by_term.values():
        better |= offers_there
    hard = [number for number, sentence in enumerate(every) if sentence.shade > 0]
    numbers = sorted(hard, key=lambda n: -every[n].words * every[n].shade)[:most]
    terms = sorted(by_term, key=lambda term: -len(by_term[term]))[:most]
    original = [[[*pieces[a:b]]] for a, b in spans(document)]

    def changed_document(
        instead: Mapping[int, tuple[int, str]], number: int | None = None
    ) -> Document:
        sentences = list(original)
        holding = {bisect_right(document.sentence_starts, first) - 1 for first in instead}
        for index in holding if number is None else {number}:
            first = document.sentence_starts[index]
            new = replaced(original[index][0], first, instead)
            sentences[index] = [new] if number is None else [*_cut(new)]
        return rebuilt(document, sentences)

    changed = [changed_document(better, number) for number in numbers]
    changed += [changed_document(by_term[term]) for term in terms]
    before = estimate.p_understandable
    rises = [estimate.p_understandable - before for estimate in scorer.estimates(Batch(changed))]
    return dict(zip(numbers, rises, strict=False)), dict(
        zip(terms, rises[len(numbers) :], strict=True)
    )


def first_steps(
    document: Document,
    estimate: Estimate,
    every: Sequence[Sentence],
    issues: Findings,
    offered: Sequence[Offer],
    scorer: Scorer,
) -> FirstSteps:
    """Find the changes that help most; empty if there is no estimate or nothing helps.

    Each change is tried on the text: using plain terms, correcting spelling, splitting long
    sentences near the middle, replacing or explaining hard words, and dropping the hardest
    sentences.
    """
    if math.isnan(estimate.difficulty) or len(document.pieces) > _MOST_PIECES:
        return FirstSteps((), None)
    changes = list(_changes(document, every, issues, offered))
    if len(changes) < 2:  # the last is all of them
        return FirstSteps((), None)
    estimates = scorer.estimates(Batch([rebuilt(document, change.sentences) for change in changes]))
    *steps, together = (
        Step(
            change.kind, change.action, change.how, estimate.difficulty - after.difficulty,
            after.difficulty, after.level, after.p_understandable,
        )
        for change, after in zip(changes, estimates, strict=True)
    )  # fmt: skip
    helping = [step for step in steps if step.points > _LEAST_GAIN]
    helping = sorted(helping, key=lambda step: -step.points)[:_MOST_STEPS]
    is_more = bool(helping) and together.points > helping[0].points + _LEAST_GAIN
    return FirstSteps(tuple(helping), together if is_more else None)


class _Change(NamedTuple):
    """A change to try, as the new sentences for each sentence of the document."""

    kind: str
    action: str
    how: str
    sentences: list[Sentences]


def _changes(
    document: Document, every: Sequence[Sentence], issues: Findings, offered: Sequence[Offer]
) -> Iterator[_Change]:
    """Yield each change alone, then all of them together."""
    pieces, bounds = document.pieces, spans(document)
    original = [list(pieces[a:b]) for a, b in bounds]
    terms = {o.first: (o.last, o.texts[0]) for o in offered if o.texts}
    of_terms = covered(offered)
    typos = {
        position: word for position, word in issues.misspelled.items() if position not in of_terms
    }
    hard = [
        position for position in issues.hard if position not in of_terms and position not in typos
    ]
    counts = Counter(word_of(pieces[position]).lower() for position in hard)
    words = [word for word, _ in counts.most_common(_MOST_WORDS)]
    positions = [n for n, piece in enumerate(pieces) if word_of(piece).lower() in words]
    familiar = {n: (n + 1, _familiar(pieces[n])) for n in positions}
    first_use = {word_of(pieces[n]).lower(): n for n in reversed(positions)}
    explained = {n: (n + 1, _explained(pieces[n])) for n in first_use.values()}
    corrected = {n: (n + 1, _instead(pieces[n], word)) for n, word in typos.items()}
    long = sum(sentence.words > LONG_SENTENCE for sentence in every)
    worst = hardest(every)[:_REWRITTEN]

    def put(instead: Mapping[int, tuple[int, str]]) -> Sentences:
        return [
            replaced(sentence, first, instead)
            for (first, _), sentence in zip(bounds, original, strict=True)
        ]

    def whole(sentences: Sentences) -> list[Sentences]:
        return [[sentence] for sentence in sentences]

    def cut(sentences: Sentences) -> list[Sentences]:
        return [list(_cut(sentence)) for sentence in sentences]

    if terms:
        said = _some(offer.term.lower() for offer in offered if offer.texts)
        method = "with the first plain term put in everywhere"
        yield _Change(PLAIN, f"Use plain terms for {said}", method, whole(put(terms)))
    if corrected:
        said = _some(word_of(pieces[n]) for n in corrected)
        method = "with the likely word in place of each"
        yield _Change(SPELLING, f"Correct the spelling of {said}", method, whole(put(corrected)))
    if long:
        action = (
            f"Cut {counted(long, 'sentence')} of more than {LONG_SENTENCE} words into shorter ones"
        )
        method = "with each cut near its middle, at a comma or conjunction if possible"
        yield _Change(SPLIT, action, method, cut(original))
    if words:
        method = "with an everyday word in place of each"
        yield _Change(REPLACE, f"Replace {_some(words)}", method, whole(put(familiar)))
        method = "with six everyday words in brackets after each"
        yield _Change(EXPLAIN, f"Explain {_some(words)}", method, whole(put(explained)))
    if len(every) > 2 * _REWRITTEN:
        action = f"Rewrite the {counted(len(worst), 'hardest sentence')} as plainly as the others"
        method = "with these sentences left out"
        rest = [[] if number in worst else [sentence] for number, sentence in enumerate(original)]
        yield _Change(REWRITE, action, method, rest)
    action = "Plain terms, shorter sentences and familiar words together"
    everything = cut(put({**familiar, **corrected, **terms}))
    yield _Change("together", action, "with all of these at once", everything)


def _some(words: Iterable[str]) -> str:
    """Format the three most frequent words in quotation marks, and the number of the others."""
    every = [word for word, _ in Counter(words).most_common()]
    first = ", ".join(f"“{word}”" for word in every[:_MOST_STEPS])
    more = len(every) - _MOST_STEPS
    return f"{first} and {more} more" if more > 0 else first


def _instead(piece: str, word: str) -> str:
    return piece.replace(word_of(piece), word)


def _familiar(piece: str) -> str:
    word = word_of(piece).lower()
    return _instead(piece, next(said for end, said in _STAND_INS.items() if word.endswith(end)))


def _explained(piece: str) -> str:
    bare = piece.rstrip(".,;:!?")
    return f"{bare} {_MEANING}{piece[len(bare) :]}"


def _cut(sentence: list[str]) -> Iterable[list[str]]:
    """Split a sentence into sentences of at most `LONG_SENTENCE` pieces each.

    >>> text = "Take all of the pills with a glass of water every day, and then call the doctor "
    >>> for part in _cut((text + "if one of these signs appears.").split()):
    ...     print(" ".join(part))
    Take all of the pills with a glass of water every day.
    And then call the doctor if one of these signs appears.
    """
    if len(sentence) <= LONG_SENTENCE:
        yield sentence
        return
    middle = len(sentence) / 2
    inside = range(_LEAST_PART, len(sentence) - _LEAST_PART + 1)
    before = word_list("joints")
    joints = [
        position
        for position in inside
        if sentence[position - 1][-1] in ",;:—–)" or sentence[position].lower() in before
    ]
    at = min(joints or inside, key=lambda position: abs(position - middle))
    first, second = sentence[:at], sentence[at:]
    first[-1] = first[-1].rstrip(",;:—–") + "."
    second[0] = second[0][:1].upper() + second[0][1:]
    yield from _cut(first)
    yield from _cut(second)
