"""What to do first: changes of a text, each with what it gains by the model itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from understandability.feature.batch import Batch
from understandability.model.estimate import Estimate
from understandability.scoring import Scorer
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.wording import counted
from understandability.writers.hard_sentences import (
    LONG_SENTENCE,
    Findings,
    Sentence,
    hardest,
    spans,
)
from understandability.writers.plain_terms.offers import Offer

PLAIN, SPLIT, WORDS, REWRITE = "plain terms", "shorter sentences", "hard words", "hard sentences"
_MOST_STEPS = 3
_MOST_WORDS = 5
_REWRITTEN = 3
_LEAST_GAIN = 0.05  # points
_MOST_PIECES = 50_000  # of a longer text every change would take seconds
_STAND_IN = "it"  # short and familiar to everyone
_LEAST_PART = 5  # words of a part of a sentence
_JOINTS = frozenset(
    (
        "and", "but", "or", "so", "because", "which", "while", "although", "whereas", "who",
        "that", "when", "if", "as",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A change, and the estimate of the text with it.

    `points` is by how much the difficulty falls, `action` what to do, `how` how the gain was
    found.
    """

    kind: str
    action: str
    how: str
    points: float
    difficulty: float
    level: float
    p_understandable: float


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """The three changes that gain most, the largest gain first, and what all of them gain."""

    steps: tuple[Step, ...]
    together: Step | None


_Sentences = list[list[str]]


def first_steps(
    document: Document,
    estimate: Estimate,
    every: Sequence[Sentence],
    found: Findings,
    offered: Sequence[Offer],
    scorer: Scorer,
) -> FirstSteps:
    """The changes that would help most; none where nothing is estimated or helps.

    Each is tried on the text: plain terms put in, long sentences cut near their middle, a short
    familiar word in the place of hard ones, the hardest sentences left out.
    """
    if estimate.difficulty != estimate.difficulty or len(document.pieces) > _MOST_PIECES:
        return FirstSteps((), None)
    original = [list(document.pieces[a:b]) for a, b in spans(document)]
    terms = [offer for offer in offered if offer.texts]
    covered = {place for offer in terms for place in range(offer.first, offer.last)}
    words = _most_frequent(document, [place for place in found.hard if place not in covered])
    long = sum(each.words > LONG_SENTENCE for each in every)
    worst = hardest(every)[:_REWRITTEN]

    def put_plain(sentences: _Sentences) -> _Sentences:
        return _replaced(document, sentences, {o.first: (o.last, o.texts[0]) for o in terms})

    def put_familiar(sentences: _Sentences) -> _Sentences:
        wanted = set(words)
        return [
            [p.replace(w, _STAND_IN) if (w := word_of(p)).lower() in wanted else p for p in each]
            for each in sentences
        ]

    def cut(sentences: _Sentences) -> list[_Sentences]:
        return [list(_cut(each)) for each in sentences]

    def whole(sentences: Iterable[list[str]]) -> list[_Sentences]:
        return [[each] for each in sentences]

    tried: list[tuple[str, str, str, Document]] = []
    if terms:
        action = f"Use plain terms for {_some(offer.term.lower() for offer in terms)}"
        how = "with the first plain term put in everywhere"
        tried.append((PLAIN, action, how, _rebuilt(document, whole(put_plain(original)))))
    if long:
        action = (
            f"Cut {counted(long, 'sentence')} of more than {LONG_SENTENCE} words into shorter ones"
        )
        how = "with each cut near its middle, at a comma or conjunction where there is one"
        tried.append((SPLIT, action, how, _rebuilt(document, cut(original))))
    if words:
        action = f"Explain or replace {_some(words)}"
        how = "with a short familiar word in the place of each"
        tried.append((WORDS, action, how, _rebuilt(document, whole(put_familiar(original)))))
    if len(every) > 2 * _REWRITTEN:
        action = f"Rewrite the {counted(len(worst), 'hardest sentence')} as plainly as the others"
        how = "with these sentences left out"
        rest = [[] if number in worst else [each] for number, each in enumerate(original)]
        tried.append((REWRITE, action, how, _rebuilt(document, rest)))
    if not tried:
        return FirstSteps((), None)
    everything = _rebuilt(document, cut(put_familiar(put_plain(original))))
    estimates = scorer.estimates(Batch([*(each[-1] for each in tried), everything]))
    made = [
        _step(kind, action, how, estimate, after)
        for (kind, action, how, _), after in zip(tried, estimates[:-1], strict=True)
    ]
    helping = sorted(
        (each for each in made if each.points > _LEAST_GAIN), key=lambda each: -each.points
    )[:_MOST_STEPS]
    if len(helping) < 2:
        return FirstSteps(tuple(helping), None)
    together = _step(
        "together",
        "Plain terms, shorter sentences and familiar words together",
        "with all of these at once",
        estimate,
        estimates[-1],
    )
    return FirstSteps(tuple(helping), together if together.points > helping[0].points else None)


def _step(kind: str, action: str, how: str, before: Estimate, after: Estimate) -> Step:
    return Step(
        kind,
        action,
        how,
        before.difficulty - after.difficulty,
        after.difficulty,
        after.level,
        after.p_understandable,
    )


def _some(words: Iterable[str]) -> str:
    """The most frequent three in quotation marks, and how many more there are."""
    every = [word for word, _ in Counter(words).most_common()]
    shown = ", ".join(f"“{word}”" for word in every[:_MOST_STEPS])
    more = len(every) - _MOST_STEPS
    return f"{shown} and {more} more" if more > 0 else shown


def _most_frequent(document: Document, places: Sequence[int]) -> list[str]:
    counts = Counter(word_of(document.pieces[place]).lower() for place in places)
    return [word for word, _ in counts.most_common(_MOST_WORDS)]


def _replaced(
    document: Document, sentences: _Sentences, instead: dict[int, tuple[int, str]]
) -> _Sentences:
    """The sentences with other texts in the place of some pieces: first -> (last, text)."""
    made = []
    place = 0
    for sentence in sentences:
        end = place + len(sentence)
        new: list[str] = []
        while place < end:
            last, text = instead.get(place, (place + 1, document.pieces[place]))
            new += text.split()
            place = last
        made.append(new)
    return made


def _rebuilt(document: Document, sentences: Sequence[_Sentences]) -> Document:
    """The document with each sentence replaced by some, or by none."""
    pieces: list[str] = []
    starts: list[int] = []
    open_ends: list[int] = []
    was_open = set(document.open_ends)
    for number, parts in enumerate(sentences):
        for part in parts:
            starts.append(len(pieces))
            pieces += part
        if number in was_open and parts:
            open_ends.append(len(starts) - 1)
    return replace(
        document,
        pieces=tuple(pieces),
        sentence_starts=tuple(starts),
        open_ends=tuple(open_ends),
        blocks=(),
    )


def _cut(sentence: list[str]) -> Iterable[list[str]]:
    """The sentence in parts of at most `LONG_SENTENCE` pieces, each a sentence of its own.

    >>> text = "Take all of the pills with a glass of water every day, and then call the doctor "
    >>> for part in _cut((text + "if one of these signs is there.").split()):
    ...     print(" ".join(part))
    Take all of the pills with a glass of water every day.
    And then call the doctor if one of these signs is there.
    """
    if len(sentence) <= LONG_SENTENCE:
        yield sentence
        return
    middle = len(sentence) / 2
    inside = range(_LEAST_PART, len(sentence) - _LEAST_PART + 1)
    joints = [
        place
        for place in inside
        if sentence[place - 1][-1] in ",;:—–)" or sentence[place].lower() in _JOINTS
    ]
    at = min(joints or inside, key=lambda place: abs(place - middle))
    first, second = sentence[:at], sentence[at:]
    first[-1] = first[-1].rstrip(",;:—–") + "."
    second[0] = second[0][:1].upper() + second[0][1:]
    yield from _cut(first)
    yield from _cut(second)
