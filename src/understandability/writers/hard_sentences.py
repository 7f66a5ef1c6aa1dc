"""Estimate how hard each sentence of a text is, and find what makes it hard."""

from __future__ import annotations

import math
import re
import string
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from understandability.feature.batch import Batch
from understandability.feature.frequency import GENERAL_LIST, places_in
from understandability.feature.tagger import UNIVERSAL
from understandability.model.word_columns import complexities
from understandability.scoring import Scorer
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.writers.inflection import is_participle, one_spelling
from understandability.writers.levels import shade_of
from understandability.writers.plain_terms.term_tables import (
    index,
    is_medicine,
    recommended_words,
    word_list,
)
from understandability.writers.sentence_edits import remembered, spans

LONG_SENTENCE = 20  # words; what plain-language guides ask for at most, on average
HARD_WORD = 0.45  # complexity; "hypertension" is above, "injection" below
_LEAST_WORDS = 5  # in a shorter sentence the level is a guess
_MANY_VERBS = 4
_MOST_NAMED = 4  # words that a reason names
_MOST_SENTENCES = 3000  # of an endless page the first
_HARDEST = 5
# Of mistakes of spelling: places of words, once in 50 million and in 125,000, and letters.
_RARE, _COMMON = 130, 391
_LEAST_LETTERS = 5
_LONG = 7  # letters; a shorter word with one letter changed is often another word

# Level and difficulty of sentences that were estimated before.
_ESTIMATED: dict[Hashable, tuple[float, float]] = {}
_BE = frozenset(("be", "is", "are", "was", "were", "been", "being", "am", "'s", "'re"))
_GET = frozenset(("get", "gets", "got", "gotten", "getting"))
_MADE_OF = frozenset(("of", "up", "from"))
_NAMES = frozenset(("NOUN", "PROPN", "DET", "ADJ"))
# Participles that say how something is if one of these words follows.
_STATE_BEFORE = {
    "filled": ("with",),
    "covered": ("in", "with"),
    "lined": ("with",),
    "packed": ("with",),
    "loaded": ("with",),
    "surrounded": ("by",),
    "concentrated": ("in", "on"),
    "known": ("for", "as", "to"),
    "committed": ("to",),
    "devoted": ("to",),
    "addicted": ("to",),
    "trained": ("in", "to", "as"),
    "allowed": ("to",),
    "equipped": ("with", "for"),
    "blessed": ("with",),
    "dressed": ("in", "for"),
    "attached": ("to",),
}
_BETWEEN = frozenset(("ADV", "PART"))  # "was not fully treated"
_DEGREES = frozenset(("very", "too", "so", "more", "most", "less", "quite", "rather"))
# Words before a form of "be" that opens a question, and the tags of the subject after it.
_ASKING = frozenset(("when", "where", "why", "how"))
_SUBJECT = frozenset(("DET", "PRON", "ADJ", "NUM", "NOUN", "PROPN"))
_RELATIVE = frozenset(("who", "which", "that", "whose"))
_MOST_SUBJECT = 6  # tokens
_ABBREVIATION = re.compile(r"(?=(?:.*[A-Z]){2})[A-Z][A-Za-z]?[A-Z0-9]{1,5}s?")
_ROMAN = re.compile(r"[IVX]+[A-E]?")  # "stage IIIB"
_PLAIN_WORD = re.compile(r"(?=.{3,60}$)[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def is_plain_word(word: str) -> bool:
    """Return True for an ordinary word, as opposed to a single letter, a number, a URL or a long
    chain.

    >>> [is_plain_word(word) for word in ("anti-inflammatory", "b", "10.1001/jama", "b12")]
    [True, False, False, False]
    """
    return _PLAIN_WORD.fullmatch(word) is not None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, ``pieces[first:last]``, with its estimated level and difficulty, and the reasons.

    `shade` is a step of the colour scale, 0 (easy) to 4; `reasons` say what a writer can change.
    Level and difficulty are NaN for sentences of fewer than five words, and if the model has no
    estimate.
    """

    first: int
    last: int
    words: int
    level: float
    difficulty: float
    shade: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """Positions of possible problems in a document, as indices of pieces.

    `hard` holds the hard words that the text does not explain, `passives` the start and end of each
    passive, `abbreviations` the positions of each abbreviation that is never explained, and
    `misspelled` the likely spelling mistakes, each with the likely word.
    """

    hard: tuple[int, ...]
    passives: tuple[tuple[int, int], ...]
    abbreviations: dict[str, tuple[int, ...]]
    misspelled: dict[int, str]


def findings(batch: Batch) -> Findings:
    """Find possible problems in a batch that has a single document.

    >>> from understandability.text.analysis import document_of_text
    >>> result = findings(Batch([document_of_text("The MRI was not done. Call the GP.")]))
    >>> result.passives, result.abbreviations
    (((2, 5),), {'MRI': (1,)})
    """
    (document,) = batch.documents
    hard = _hard_words(batch)
    wrong = {
        position: likely
        for position in np.flatnonzero(~batch.is_name).tolist()
        if (likely := likely_word(word_of(document.pieces[position])))
    }
    abbreviations = _unexplained(batch, document)
    return Findings(hard, tuple(_passives(batch)), abbreviations, wrong)


@cache
def _terms() -> frozenset[str]:
    return frozenset(word for words in index().forms for word in words)


@lru_cache(1 << 14)
def likely_word(word: str) -> str:
    """Return the word that was probably meant; '' for a word that is correct, rare or a name.

    >>> likely_word("medicne"), likely_word("enoxaparin"), likely_word("tablet")
    ('medicine', '', '')
    """
    small = word.lower()
    if len(small) < _LEAST_LETTERS or not small.isascii() or not small.isalpha():
        return ""
    if not (word.islower() or word.istitle()) or one_spelling(small) in _terms():
        return ""
    ranks = places_in(GENERAL_LIST)
    if ranks.get(small, 0) > _RARE:
        return ""
    best = max(_one_away(small), key=lambda candidate: ranks.get(candidate, 0), default="")
    if ranks.get(best, 0) < _COMMON:
        return ""
    return best.capitalize() if word.istitle() else best


def _one_away(word: str) -> Iterator[str]:
    """Yield all words that differ by one letter: inserted, deleted, replaced, or two swapped."""
    for cut in range(1, len(word) + 1):
        head, tail = word[:cut], word[cut:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        if tail and len(word) >= _LONG:
            yield head + tail[1:]
        for letter in string.ascii_lowercase if len(word) >= _LONG else ():
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]


def _hard_words(batch: Batch) -> tuple[int, ...]:
    """Return the positions of words that people find hard, without names, which a writer cannot
    change.
    """
    positions = np.flatnonzero(batch.pieces.words(batch.piece_ids) >= 0)
    hard = (batch.word_values(complexities) > HARD_WORD) & ~batch.is_name
    (document,) = batch.documents
    pieces = document.pieces
    hard_positions = [
        position for position in positions[hard].tolist() if _is_hard(word_of(pieces[position]))
    ]
    explained = {
        word_of(pieces[position]).lower()
        for position in hard_positions
        if _is_explained(pieces, position)
    }
    return tuple(
        position
        for position in hard_positions
        if word_of(pieces[position]).lower() not in explained
    )


@lru_cache(1 << 12)
def _is_hard(word: str) -> bool:
    """Return True for a hard word. A compound such as "step-by-step" is hard only if one of its
    parts is.
    """
    parts = re.split("[-‐‑]", word.lower())
    is_hard = len(parts) == 1 or bool((complexities(parts) > HARD_WORD).any())
    is_kept = is_medicine(word) or word.lower() in recommended_words()
    return is_hard and is_plain_word(word) and not is_kept


def _is_explained(pieces: Sequence[str], position: int) -> bool:
    """Return True if brackets or a dash explain the word: "dialysis (cleaning the blood)"."""
    word, behind = pieces[position], pieces[position + 1 : position + 3]
    if not behind or word[-1] in ".,;:!?" or word[0] == "(":
        return position > 0 and re.fullmatch(r"\(.+\)[.,;:]?", word) is not None
    is_dash = behind[0] in ("–", "—") and len(behind) > 1
    return is_dash or re.match(r"\([a-z]{2,}", behind[0]) is not None


def _passives(batch: Batch) -> list[tuple[int, int]]:
    """Return start and end of each form of "be" with a participle: "was sent", "Was the form
    sent?".
    """
    _, sizes = batch.pieces.tokens(batch.piece_ids)
    piece = np.repeat(np.arange(len(sizes)), sizes).tolist()
    strings = batch.token_types.strings
    ids, numbers = batch.token_ids.tolist(), batch.tags.tolist()

    starts = frozenset(batch.token_sentence_starts.tolist())

    def tag(token: int) -> str:
        return UNIVERSAL[numbers[token]] if token < len(numbers) else ""

    def word(token: int) -> str:
        return strings[ids[token]].lower() if token < len(ids) else ""

    def is_passive_verb(token: int) -> bool:
        if tag(token) != "VERB" or not is_participle(word(token)):
            return False
        following = word(token + 1)
        if word(token) == "made":
            return following not in _MADE_OF
        if word(token) in word_list("states"):  # "is located nearby", but "is located by a scan"
            return following == "by"
        if following in _STATE_BEFORE.get(word(token), ()):  # "is filled with water"
            return False
        if word(token) == "called" and tag(token + 1) in _NAMES:  # "it is called asthma"
            return False
        is_habit = word(token) == "used" and following == "to"
        # "he is used to it", but "it is used to treat pain"
        return not is_habit or (tag(token + 2) == "VERB" and not word(token + 2).endswith("ing"))

    def is_in_subject(token: int) -> bool:
        return tag(token) in _SUBJECT and word(token) not in _RELATIVE

    passives = []
    is_verb = (batch.tags == UNIVERSAL.index("AUX")) | (batch.tags == UNIVERSAL.index("VERB"))
    for token in np.flatnonzero(is_verb).tolist():
        if word(token) in _GET:  # "gets removed", but "get dressed"
            if is_passive_verb(token + 1) and word(token + 1) not in word_list("states after get"):
                passives.append((piece[token], piece[token + 1] + 1))
            continue
        if word(token) not in _BE or tag(token) != "AUX":
            continue
        verb = token + 1
        while verb < token + 3 and tag(verb) in _BETWEEN and word(verb) not in _DEGREES:
            verb += 1
        if verb == token + 1 and (token in starts or word(token - 1) in _ASKING):
            while verb <= token + _MOST_SUBJECT and is_in_subject(verb):
                verb += 1
        if is_passive_verb(verb):
            passives.append((piece[token], piece[verb] + 1))
    return passives


def _unexplained(batch: Batch, document: Document) -> dict[str, tuple[int, ...]]:
    """Return the positions of abbreviations that are neither in brackets nor followed by brackets.

    A sentence in capitals has none, because a batch converts it to lower case.
    """
    pieces = document.pieces
    positions: dict[str, list[int]] = {}
    explained = set()
    for position, number in enumerate(batch.piece_ids.tolist()):
        piece = pieces[position]
        if piece.islower() or piece != batch.pieces.strings[number]:
            continue
        name = word_of(piece)
        if not _ABBREVIATION.fullmatch(name) or _ROMAN.fullmatch(name):
            continue
        name = name.removesuffix("s")
        if name in word_list("everyday"):
            continue
        positions.setdefault(name, []).append(position)
        following = pieces[position + 1] if position + 1 < len(pieces) else ""
        if piece[0] in "([" or (following[:1] == "(" and not following.endswith(")")):
            explained.add(name)
    return {name: tuple(where) for name, where in positions.items() if name not in explained}


def sentences(
    document: Document, batch: Batch, issues: Findings, scorer: Scorer
) -> tuple[Sentence, ...]:
    """Describe the sentences of a document in order; `batch` contains this document alone."""
    bounds = spans(document)[:_MOST_SENTENCES]
    before = np.cumsum([0, *(batch.pieces.words(batch.piece_ids) >= 0)])
    words = [int(before[b] - before[a]) for a, b in bounds]
    parts = [document.pieces[a:b] for a, b in bounds]
    context = scorer.bundle.checksum, document.language, scorer.settings.any_language

    def estimated(indices: Sequence[int]) -> list[tuple[float, float]]:
        alone = [
            document.replace(pieces=parts[index_], sentence_starts=(0,), open_ends=())
            for index_ in indices
        ]
        return [
            (estimate.level, estimate.difficulty) for estimate in scorer.estimates(Batch(alone))
        ]

    estimates = remembered(_ESTIMATED, [(*context, part) for part in parts], estimated)
    reasons = _reasons(document, batch, issues, bounds, words)
    sentences_ = []
    for (a, b), count, estimate, why in zip(bounds, words, estimates, reasons, strict=True):
        level, difficulty = estimate if count >= _LEAST_WORDS else (math.nan, math.nan)
        sentences_.append(
            Sentence(a, b, count, level, difficulty, shade_of(level, difficulty), why)
        )
    return tuple(sentences_)


def hardest(every: Sequence[Sentence]) -> tuple[int, ...]:
    """Return the indexes of the five hardest sentences, the hardest first, without easy ones."""
    hard = [number for number, sentence in enumerate(every) if sentence.shade > 0]
    rank = {n: sentence.level if sentence.level == sentence.level else sentence.difficulty
            for n, sentence in enumerate(every)}  # fmt: skip
    return tuple(sorted(hard, key=lambda number: -rank[number])[:_HARDEST])


def _reasons(
    document: Document,
    batch: Batch,
    issues: Findings,
    bounds: Sequence[tuple[int, int]],
    words: Sequence[int],
) -> list[tuple[str, ...]]:
    pieces = document.pieces
    starts = batch.token_sentence_starts.tolist()
    is_verb = np.append(batch.tags == UNIVERSAL.index("VERB"), False)
    verbs = np.add.reduceat(is_verb, starts).tolist() if starts else []
    first_use = sorted((positions[0], name) for name, positions in issues.abbreviations.items())
    misspelled = sorted(issues.misspelled)

    def within(ordered: Sequence[Any], first: int, last: int, key: Any = None) -> Sequence[Any]:
        return ordered[bisect_left(ordered, first, key=key) : bisect_left(ordered, last, key=key)]

    start_of = itemgetter(0)
    reasons = []
    for number, (a, b) in enumerate(bounds):
        why = []
        if words[number] > LONG_SENTENCE:
            why.append(f"{words[number]} words long")
        wrong = [word_of(pieces[position]) for position in within(misspelled, a, b)]
        hard = [word_of(pieces[n]) for n in within(issues.hard, a, b) if n not in issues.misspelled]
        if wrong:
            why.append(f"likely misspelled: {', '.join(wrong[:_MOST_NAMED])}")
        if hard:
            named = list(dict.fromkeys(hard))
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            why.append(f"hard word{'s' * (len(named) > 1)}: {', '.join(named[:_MOST_NAMED])}{more}")
        for first, last in within(issues.passives, a, b, start_of):
            why.append(f"passive: “{' '.join(pieces[first:last]).rstrip('.,;:')}”")
        why += [f"{name} is never explained" for _, name in within(first_use, a, b, start_of)]
        if verbs[number] >= _MANY_VERBS and words[number] > LONG_SENTENCE:
            why.append(f"says several things at once: {verbs[number]} verbs")
        reasons.append(tuple(why))
    return reasons
