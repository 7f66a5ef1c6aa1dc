"""A term found in a sentence, and what its place there is like."""

from __future__ import annotations

from dataclasses import dataclass

from understandability.feature.inflection import PARTICIPLE, PAST, verb_form
from understandability.writers.plain_terms.tagged_sentences import BE, TaggedSentence
from understandability.writers.plain_terms.term_tables import TermForm

_HAVE = frozenset(("has", "have", "had"))
OBJECT = frozenset(("DET", "NOUN", "PRON", "ADJ", "NUM", "PROPN"))
SUBJECT = frozenset(("NOUN", "PRON", "PROPN", "ADV", "CCONJ"))
_OPENING, _CLOSING = (
    frozenset(("(", "[", "“", '"', "‘", "``")),
    frozenset((")", "]", "”", '"', "’", "''")),
)
_SMALL = frozenset(("a", "an", "the"))
_NAMING = frozenset(("called", "named", "termed", "means", "term", "word"))
_KNOWN_AS = ("known", "as")
_GENERAL = frozenset(
    ("a", "an", "the", "when", "where", "how", "one", "any", "what", "also", "anything",
     "something")
)  # fmt: skip
_TELLING = frozenset(("is", "are", "means", "mean", "refers", "describes"))
_SAYING = frozenset(
    (("which", "means"), ("which", "is"), ("that", "is"), ("meaning", "that"), ("or", "the"),
     *((article, kind) for article in ("a", "the")
       for kind in ("condition", "disease", "disorder", "state", "type", "kind", "form")))
)  # fmt: skip
_OBJECT_OF_PAST = OBJECT | {"SCONJ", "ADV", "PART"}


@dataclass(frozen=True, slots=True)
class Match:
    """A form of a term at ``sentence.tokens[start:end]``; `plain` are the plain terms that say it.

    `before` and `behind` are the tags around it, '' before the sentence.
    """

    form: TermForm
    plain: tuple[str, ...]
    sentence: TaggedSentence
    start: int
    end: int

    @property
    def before(self) -> str:
        return self.sentence.tag(self.start - 1) if self.start else ""

    @property
    def behind(self) -> str:
        return self.sentence.tag(self.end)

    @property
    def is_one_word(self) -> bool:
        return self.end - self.start == 1

    @property
    def last_word(self) -> str:
        """The word before the term, in small letters."""
        return self.sentence.word(self.start - 1)

    @property
    def next_word(self) -> str:
        """The word behind the term, in small letters."""
        return self.sentence.word(self.end)

    @property
    def is_defined(self) -> bool:
        """Whether the sentence tells what the term means, or brings it in as a name to learn."""
        sentence, start, end = self.sentence, self.start, self.end
        if self.last_word in _OPENING and self.next_word in _CLOSING:
            return True  # "high blood pressure (hypertension)", "the word “infarction”"
        at = start - 2 if self.last_word in _SMALL else start - 1
        if sentence.word(at) in _NAMING or (sentence.word(at - 1), sentence.word(at)) == _KNOWN_AS:
            return True  # "called an infarction"
        inside = sentence.word(end + 1)
        if self.next_word == "," and (inside, sentence.word(end + 2)) in _SAYING:
            return True  # "insulin resistance, a condition where", "screening, which means"
        if self.next_word in ("(", "–", "—") and inside.isalpha() and inside not in _GENERAL:
            return not sentence.tokens[end + 1].isupper()
        before = start - 1 if self.last_word in _SMALL else start
        is_first = before <= 0 or sentence.word(before - 1) in (":", "–", "—", "•")
        if not is_first or self.next_word not in _TELLING:
            return False
        is_being = self.next_word in ("is", "are")
        return not is_being or inside in _GENERAL

    def words_before(self, number: int) -> list[str]:
        """So many words before the term, the nearest first."""
        return [self.sentence.word(self.start - 1 - place) for place in range(number)]

    @property
    def is_past(self) -> bool:
        """Whether it is a verb's past or its participle."""
        return self.form.name in (PAST, PARTICIPLE)

    @property
    def is_passive(self) -> bool:
        is_participle = self.is_past and self.past_or_participle() == PARTICIPLE
        return is_participle and not BE.isdisjoint(self.words_before(3))

    def past_or_participle(self) -> str:
        """Which of them a verb is there; '' where it may be both."""
        term, before, behind = self.form.row.term, self.before, self.behind
        if verb_form(term, PAST) != verb_form(term, PARTICIPLE):
            return self.form.name
        if not (BE | _HAVE).isdisjoint(self.words_before(3)):
            return PARTICIPLE
        if before in SUBJECT:
            is_past = behind in _OBJECT_OF_PAST and before not in ("ADV", "CCONJ")
            return PAST if is_past else ""
        if before in ("PUNCT", "NUM"):
            if behind in ("DET", "PRON", "PROPN", "NUM"):
                return PAST
            return "" if behind in _OBJECT_OF_PAST else PARTICIPLE
        return PARTICIPLE

    def end_of_nouns(self) -> int:
        """Where the noun phrase behind an adjective ends; right behind it where there is none.

        Only what stands piece by piece can be moved.
        """
        sentence, start = self.sentence, self.end
        until = start
        while (
            sentence.tag(until) in ("NOUN", "ADJ")
            and sentence.pieces[until] == sentence.pieces[start - 1] + 1 + until - start
        ):
            until += 1
        return until if until > start and sentence.tag(until - 1) == "NOUN" else start
