"""`TaggedSentence`: a sentence in which terms are looked up. `Match`: a term that was found in
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, repeat

import numpy as np

from understandability.feature.batch import Batch
from understandability.feature.tagger import UNIVERSAL
from understandability.writers.inflection import PARTICIPLE, PAST, verb_form
from understandability.writers.plain_terms.term_tables import (
    HYPHENS,
    Rule,
    TermForm,
    word_list,
)

NOUNS = frozenset(("NOUN", "PROPN"))
NAMES = NOUNS | {"ADJ"}
BE = frozenset(("be", "is", "are", "was", "were", "been", "being", "am"))
_NEAR = 10  # words on each side
_ENDINGS = (
    ("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"),
    ("'s", ""), ("ses", "sis"),
)  # fmt: skip
_HAVE = frozenset(("has", "have", "had"))
OBJECT = frozenset(("DET", "NOUN", "PRON", "ADJ", "NUM", "PROPN"))
SUBJECT = frozenset(("NOUN", "PRON", "PROPN", "ADV", "CCONJ"))
_OPENING = frozenset(("(", "[", "“", '"', "‘", "``"))
_CLOSING = frozenset((")", "]", "”", '"', "’", "''"))
_SMALL = frozenset(("a", "an", "the"))
_STRAIGHT, _CURLY = frozenset(('"', "``", "''")), {"“": 1, "”": -1}
_NAMING = frozenset(("called", "named", "termed", "means", "term", "word"))
_KNOWN_AS = ("known", "as")
_GENERAL = frozenset(
    ("a", "an", "the", "when", "where", "how", "one", "any", "what", "also", "anything",
     "something")
)  # fmt: skip
_TELLING = frozenset(("is", "are", "means", "mean", "refers", "describes"))
_SAYING = frozenset(
    (("which", "means"), ("which", "is"), ("that", "is"), ("meaning", "that"), ("or", "the"),
     *((article, noun) for article in ("a", "the")
       for noun in ("condition", "disease", "disorder", "state", "type", "kind", "form")))
)  # fmt: skip
# Verbs that taggers take for nouns or prepositions after "to".
_INFINITIVES = frozenset(
    ("be", "have", "go", "get", "see", "take", "come", "start", "begin", "end", "finish", "arrive")
)
_OBJECT_OF_PAST = OBJECT | {"SCONJ", "ADV", "PART"}


@lru_cache(1 << 16)
def stems(word: str) -> frozenset[str]:
    """Return possible base forms of a word; they are rough, and only for comparisons."""
    word = word.lower()
    forms = {word}
    for end, new in _ENDINGS:
        if word.endswith(end) and len(word) > len(end) + 2:
            forms.add(word[: -len(end)] + new)
    if word in BE:
        forms.add("be")
    return frozenset(forms)


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence as tokens (split at hyphens), each with its tag and the index of its piece.

    `begins` and `ends` are offsets of a token in its piece.
    """

    tokens: list[str]
    tags: list[str]
    pieces: list[int]
    begins: list[int]
    ends: list[int]

    def tag(self, position: int) -> str:
        """Return the tag at a position; the end of the sentence counts as punctuation."""
        return self.tags[position] if 0 <= position < len(self.tags) else "PUNCT"

    def word(self, position: int) -> str:
        """Return the word at a position in lower case; '' outside the sentence."""
        return self.tokens[position].lower() if 0 <= position < len(self.tokens) else ""

    def stems(self, position: int) -> frozenset[str]:
        """Return possible base forms of the word at a position."""
        return stems(self.tokens[position]) if 0 <= position < len(self.tokens) else frozenset()

    def is_infinitive(self, index: int) -> bool:
        """Return True if "to" at a position precedes a verb: "due to have a scan", not "due to a
        scan".
        """
        if self.word(index) != "to":
            return False
        following = self.word(index + 1)
        is_verb = self.tag(index + 1) in ("VERB", "AUX") and not following.endswith("ing")
        return is_verb or following in _INFINITIVES or following in word_list("verbs")

    @cached_property
    def is_quoted(self) -> list[bool]:
        """For each position, and for the end: True if it is inside quotation marks."""
        straight = accumulate((token in _STRAIGHT for token in self.tokens), initial=0)
        curly = accumulate(map(_CURLY.get, self.tokens, repeat(0)), initial=0)
        return [odd % 2 == 1 or open_ > 0 for odd, open_ in zip(straight, curly, strict=True)]

    def is_in_compound(self, start: int, end: int) -> bool:
        """Return True if a hyphen joins the words to another word: "anti-proliferative"."""
        return self._are_tied(start - 1) or self._are_tied(end - 1)

    def _are_tied(self, position: int) -> bool:
        """Return True if a hyphen is all that separates a token from the next one."""
        return (
            0 <= position < len(self.tokens) - 1
            and self.pieces[position] == self.pieces[position + 1]
            and self.begins[position + 1] == self.ends[position] + 1
            and self.tags[position] != "PUNCT" != self.tags[position + 1]
        )

    def said_beside(self, words: frozenset[str], start: int, end: int, most: int) -> frozenset[str]:
        """Return those of `words` that occur, in any form, within `most` words of the term at
        ``start:end``.
        """
        positions = (*range(start - most, start), *range(end, end + most))
        return words & frozenset().union(*map(self.stems, positions))

    def holds(self, rule: Rule, start: int, end: int) -> bool:
        """Return True if a rule of the tables matches the context of the term at ``start:end``."""
        if rule.where == "near":
            return bool(self.said_beside(rule.words, start, end, _NEAR)) != rule.negative
        position = end if rule.where == "before" else start - 1
        if not 0 <= position < len(self.tokens):
            is_edge = "PUNCT" in rule.words or (position < 0 and "START" in rule.words)
            return is_edge != rule.negative
        is_there = self.tags[position] in rule.words or bool(self.stems(position) & rule.words)
        return is_there != rule.negative

    def abbreviated(self, end: int) -> int | None:
        """Return the start of the words whose abbreviation follows in brackets at `end`; None
        without one.

        >>> words = "a false discovery rate ( FDR )".split()
        >>> TaggedSentence(words, ["X"] * 7, list(range(7)), [0] * 7, [0] * 7).abbreviated(4)
        1
        """
        short = self.abbreviation(end)
        first = end - len(short)
        fits = short and first >= 0 and self.tokens[first][0].upper() == short[0]
        return first if fits else None

    def abbreviation(self, end: int) -> str:
        """Return the abbreviation in brackets at `end`, without a plural s; '' for none."""
        inside = self.tokens[end + 1 : end + 2] if self.word(end) in ("(", "[") else []
        short = "".join(inside).rstrip("s")
        return short if len(short) > 1 and short.isupper() else ""


def tagged_sentences(
    batch: Batch, numbers: Sequence[int], parts: Sequence[tuple[str, ...]]
) -> Iterator[TaggedSentence]:
    """Yield the sentences of a batch with the indexes `numbers`.

    `parts` holds the pieces of every sentence of the batch.
    """
    _, sizes = batch.pieces.tokens(batch.piece_ids)
    ends = np.cumsum([0, *map(len, parts)])
    starts = batch.token_sentence_starts
    strings = batch.token_types.strings
    for number in numbers:
        sentence = TaggedSentence([], [], [], [], [])
        token = int(starts[number])
        for position, piece in enumerate(parts[number]):
            small, at = piece.lower(), 0
            for _ in range(int(sizes[ends[number] + position])):
                text = strings[batch.token_ids[token]]
                at = max(small.find(text.lower(), at), at) + len(text)
                if text not in HYPHENS:
                    sentence.tokens.append(text)
                    sentence.tags.append(UNIVERSAL[batch.tags[token]])
                    sentence.pieces.append(position)
                    sentence.begins.append(at - len(text))
                    sentence.ends.append(at)
                token += 1
        yield sentence


@dataclass(frozen=True, slots=True)
class Match:
    """A term found at ``sentence.tokens[start:end]``, with its candidate plain terms.

    `tag_before` and `tag_after` are the tags of the neighbouring tokens, '' at the start. If
    `stays` is True, the term is in a title, a name or a quotation: it can get a note, but is not
    replaced.
    """

    form: TermForm
    plain: tuple[str, ...]
    sentence: TaggedSentence
    start: int
    end: int
    stays: bool = False

    @property
    def tag_before(self) -> str:
        return self.sentence.tag(self.start - 1) if self.start else ""

    @property
    def tag_after(self) -> str:
        return self.sentence.tag(self.end)

    @property
    def is_one_word(self) -> bool:
        return self.end - self.start == 1

    @property
    def last_word(self) -> str:
        """The word before the term, in lower case."""
        return self.sentence.word(self.start - 1)

    @property
    def next_word(self) -> str:
        """The word after the term, in lower case."""
        return self.sentence.word(self.end)

    @property
    def is_defined(self) -> bool:
        """True if the sentence defines the term, or introduces it as a name to learn."""
        sentence, start, end = self.sentence, self.start, self.end
        if self.last_word in _OPENING and self.next_word in _CLOSING:
            return True  # "high blood pressure (hypertension)", "the word “infarction”"
        at = start - 2 if self.last_word in _SMALL else start - 1
        if sentence.word(at) in _NAMING or (sentence.word(at - 1), sentence.word(at)) == _KNOWN_AS:
            return True  # "called an infarction"
        if sentence.word(start - 2) in ("call", "calls") and self.last_word in ("this", "it"):
            return True  # "we call this an infarction"
        inside = sentence.word(end + 1)
        if self.next_word == "," and (inside, sentence.word(end + 2)) in _SAYING:
            return True  # "insulin resistance, a condition where", "screening, which means"
        if self.next_word in ("(", "–", "—") and inside.isalpha() and inside not in _GENERAL:
            return not sentence.tokens[end + 1].isupper()
        before = start - 1 if self.last_word in _SMALL else start
        is_first = before <= 0 or sentence.word(before - 1) in (":", "–", "—", "•")
        if is_first and self.next_word == ":":
            return True  # "Dysthymia: a long, mild depression"
        if not is_first or self.next_word not in _TELLING:
            return False
        is_being = self.next_word in ("is", "are")
        return not is_being or inside in _GENERAL

    def is_after(self, words: frozenset[str]) -> bool:
        """Return True if one of these words is among the three words before the term."""
        before = (self.sentence.word(self.start - offset) for offset in (1, 2, 3))
        return not words.isdisjoint(before)

    @property
    def is_past(self) -> bool:
        """True if the term is a past tense or a participle."""
        return self.form.name in (PAST, PARTICIPLE)

    @property
    def is_after_auxiliary(self) -> bool:
        """Return True after "is", "was", "has", "have" and the like."""
        return self.is_after(BE | _HAVE)

    @property
    def is_passive(self) -> bool:
        is_participle = self.is_past and self.past_or_participle() == PARTICIPLE
        return is_participle and self.is_after(BE)

    def past_or_participle(self) -> str:
        """`PAST` or `PARTICIPLE`, if the context decides which of them the verb is; otherwise
        ''.
        """
        term, before, after = self.form.row.term, self.tag_before, self.tag_after
        if verb_form(term, PAST) != verb_form(term, PARTICIPLE):
            return self.form.name
        if self.is_after(BE | _HAVE):
            return PARTICIPLE
        if before in SUBJECT:
            is_past = after in _OBJECT_OF_PAST and before not in ("ADV", "CCONJ")
            return PAST if is_past else ""
        if before in ("PUNCT", "NUM"):
            if after in ("DET", "PRON", "PROPN", "NUM"):
                return PAST
            return "" if after in _OBJECT_OF_PAST else PARTICIPLE
        return PARTICIPLE

    def end_of_nouns(self) -> int:
        """The end of the noun phrase that follows an adjective; without one, the end of the
        adjective.

        A phrase can be moved only if its tokens are whole pieces.
        """
        sentence, start = self.sentence, self.end
        until = start
        while (
            sentence.tag(until) in ("NOUN", "ADJ")
            and sentence.pieces[until] == sentence.pieces[start - 1] + 1 + until - start
        ):
            until += 1
        return until if until > start and sentence.tag(until - 1) == "NOUN" else start
