"""Find the facts of a passage, and those that a rewrite loses, changes or adds.

A rewrite may say the same in other words: "pyrexia" is a fever, "twice daily" is "two times a day",
and "You should take" is "Take". If a number, a dose, a symptom, a time, a condition, a list item, a
"not" or a "must" is missing, it is reported, so that a person can decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from understandability.resources import resource_lines
from understandability.writers.inflection import one_spelling
from understandability.writers.plain_terms.term_tables import (
    MEDICAL,
    abbreviations,
    index,
    is_medicine,
    word_list,
)

NUMBER, DOSE, TIME, MEDICINE, SYMPTOM = "number", "dose", "time", "medicine", "symptom"
BODY_PART, PERSON, THING, DOSE_FORM = "body part", "person", "thing", "dose form"
NAME, CONDITION, NEGATION, OBLIGATION = "name", "condition", "negation", "obligation"
URGENCY, LIMIT, ITEM, RISK = "urgency", "limit", "list item", "direction"

_SMALL_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS = {
    **{word: str(value) for value, word in enumerate(_SMALL_NUMBERS)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, 2)},
    "half": "0.5", "hundred": "100", "thousand": "1000", "dozen": "12",
}  # fmt: skip
# Spellings that are normalised before anything is compared.
_SAME = (
    (re.compile(r"[‘’´`]"), "'"),
    (re.compile(r"(?<=\d)[ ,](?=\d{3}\b)"), ""),
    (re.compile(r"\b(\w+)n't\b"), r"\1 not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\bfortnight\b"), "2 weeks"),
    (re.compile(r"\b(?:twice|two times)\b"), "2 times"),
    (re.compile(r"\b(?:thrice|three times)\b"), "3 times"),
    (re.compile(r"\bonce(?= (?:a|an|per|every|each|daily|only|weekly)\b)"), "1 times"),
    (re.compile(r"\b(?:daily|(?:a|per|each|every) day)\b"), "every day"),
    (re.compile(r"\b(?:weekly|(?:a|per|each|every) week)\b"), "every week"),
    (re.compile(r"\b(?:monthly|(?:a|per|each|every) month)\b"), "every month"),
    (re.compile(r"\b(?:hourly|(?:a|an|per|each|every) hour)\b"), "every hour"),
    (re.compile(r"\b(?:yearly|annually|(?:a|per|each|every) year)\b"), "every year"),
    (re.compile(r"\bevery other\b"), "every 2"),
    (re.compile(r"\b(?:overnight|at night|during the night|nightly)\b"), "in the night"),
    (re.compile(r"\bper ?cent\b"), "%"),
    (re.compile(r"\b(?:milligrams?|milligrammes?)\b"), "mg"),
    (re.compile(r"\b(?:micrograms?|mcg|µg)\b"), "microgram"),
    (re.compile(r"\b(?:millilit(?:re|er)s?)\b"), "ml"),
)  # fmt: skip
_TOKEN = re.compile(r"\d+(?:[.:/]\d+)*%?|[^\W\d_]+(?:['-][^\W\d_]+)*|&|[%°]")
_UNITS = frozenset(
    ("mg", "microgram", "g", "kg", "ml", "l", "iu", "unit", "mmol", "%", "litre", "cm", "mm",
     "km", "metre", "mile", "°", "degree", "puff", "tablet", "capsule", "drop", "teaspoon", "spoon")
)  # fmt: skip
_TIME_UNITS = frozenset(
    ("second", "minute", "hour", "day", "week", "month", "year", "night", "morning", "times")
)
_DAY_TIMES = frozenset(
    ("morning", "evening", "afternoon", "night", "midnight", "noon", "midday", "bedtime", "today",
     "tonight", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
     "sunday", "weekend", "breakfast", "lunch", "dinner")
)  # fmt: skip
_NEGATIONS = frozenset(
    ("not", "no", "never", "none", "nor", "neither", "without", "avoid", "stop", "nobody",
     "nothing", "contraindicated", "refrain", "abstain", "prohibited", "forbidden", "omit",
     "discontinue", "exclude", "prevent", "absence", "cease", "instead", "free")
)  # fmt: skip
_STRONG = frozenset(
    ("must", "should", "required", "require", "requires", "essential", "important", "vital",
     "necessary", "mandatory", "compulsory", "always", "only", "ensure", "need", "needs",
     "has to", "have to", "imperative", "obliged", "crucial", "advised", "make sure")
)  # fmt: skip
_WEAK = frozenset(
    ("may", "might", "could", "can", "consider", "optional", "optionally", "perhaps", "maybe",
     "wish", "want", "like", "choose", "prefer")
)  # fmt: skip
_URGENT = re.compile(
    r"\b(?:immediate(?:ly)?|at once|(?:straight|right) away|urgent(?:ly)?|emergency|999|911|112|"
    r"a ?& ?e|accident and emergency|ambulance|without delay|as soon as|promptly|same day|now|"
    r"do not (?:wait|delay)|without waiting)\b"
)
_CONDITIONS = frozenset(("if", "unless", "when", "whenever", "until", "except", "provided"))
_ASKS_WHEN = re.compile(r"\b(?:if|when|whenever|should you|in case|in the event|for|with|once)\b")
_LIMITS = (
    ("at most", re.compile(
        r"\b(?:up to|at most|no more than|maximum(?: of| dose of)?|max|not? (?:\w+ ){0,4}more than|"
        r"never (?:\w+ ){0,3}more than|not exceed|never exceed|no longer than|within)"
        r" (?:\w+ ){0,2}?(?P<n>\d[\d.]*)|(?P<m>\d[\d.]*) (?:\w+ ){0,2}(?:or less|or fewer|at most)"
    )),
    ("at least", re.compile(
        r"\b(?:at least|no less than|not less than|no fewer than|minimum(?: of)?|or more than)"
        r" (?:\w+ ){0,2}?(?P<n>\d[\d.]*)|(?P<m>\d[\d.]*) (?:\w+ ){0,2}(?:or more|or longer|or older"
        r"|or over|or above|or higher)"
    )),
    ("above", re.compile(
        r"(?<!no )(?<!not )\b(?:more than|over|above|exceed(?:s|ing)?|higher than|longer than|"
        r"greater than|older than) (?P<n>\d[\d.]*)"
    )),
    ("below", re.compile(
        r"(?<!no )(?<!not )\b(?:less than|fewer than|under|below|lower than|younger than)"
        r" (?P<n>\d[\d.]*)"
    )),
)  # fmt: skip
_UP = frozenset(("increase", "raise", "rise", "higher", "more", "worse", "worsen", "grow"))
_DOWN = frozenset(("decrease", "reduce", "lower", "fall", "less", "better", "improve", "shrink"))
_NAME = re.compile(r"(?<![.!?:\n•*-] )(?<!^)\b[A-Z][\w’'-]*[a-z\dA-Z]\b", re.MULTILINE)
_NO_NAMES = frozenset(
    ("you", "your", "the", "if", "this", "it", "we", "do", "take", "patients", "call", "a", "i")
)
_ITEM = re.compile(r"^\s*(?:[-*+•–·]|\d{1,2}[.)]|\(?[a-z][.)])\s+(?P<text>\S.*)$", re.MULTILINE)
_EMPTY = frozenset(
    ("a", "an", "the", "of", "or", "and", "in", "on", "at", "to", "for", "from", "with", "by",
     "any", "your", "you", "that", "which", "is", "are", "be", "as", "it", "this", "these", "have",
     "has", "if", "when", "such", "such as", "new", "severe", "feel", "feeling", "other", "there",
     "sign", "symptom", "may", "can", "will", "do", "does", "not", "no", "some", "more", "very",
     "than", "who", "was", "were", "been", "get", "getting", "problem", "their", "our", "we", "us")
)  # fmt: skip
_CLAUSE_START = re.compile(
    r"(?:^|[.!?:;,]\s+|^\s*[-*•]\s+|\b(?:and|then|please|not)\s+)([a-z]+)", re.MULTILINE
)
# Verbs of orders that the list "verbs" lacks.
_ORDERS = frozenset(
    ("call", "phone", "go", "do", "stop", "talk", "come", "let", "wait", "sit", "rest", "start",
     "get", "seek", "speak", "never", "visit")
)  # fmt: skip
_HELP = (PERSON, "medical help")  # which anybody of these gives
_HELPERS = frozenset((PERSON, name) for name in ("doctor", "nurse", "emergency service", "ward"))
_NEAR = 6  # words around a verb in which its "not" is looked for
_SAID_ENOUGH = 0.5  # share of the content words of a list item


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a passage states: its category, and its text in the words of the passage.

    If a rewrite changes the fact, `note` says how, such as "weaker: may"; otherwise it is ''.
    """

    category: str
    text: str
    note: str = ""

    def __str__(self) -> str:
        said = f"the {self.category} “{self.text}”"
        return f"{said} ({self.note})" if self.note else said


@dataclass(frozen=True, slots=True)
class FactCheck:
    """The result of comparing a passage with a rewrite: all facts, lost or changed ones, and added
    ones.
    """

    facts: tuple[Fact, ...]
    lost: tuple[Fact, ...]
    new: tuple[Fact, ...]

    @property
    def is_faithful(self) -> bool:
        """True if no fact is lost, changed or added."""
        return not self.lost and not self.new


@lru_cache(1 << 14)
def _stem(word: str) -> str:
    """Return a rough stem that is common to forms of a word ("wheezing", "wheeze"), for
    comparisons.
    """
    word = one_spelling(word.removesuffix("'s"))
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for end in ("ing", "ed", "ly"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[: -len(end)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_IRREGULAR = {
    "taken": "tak", "took": "tak", "given": "giv", "gave": "giv", "eaten": "eat", "ate": "eat",
    "drunk": "drink", "drank": "drink", "driven": "driv", "drove": "driv", "felt": "feel",
    "feet": "foot", "teeth": "tooth", "children": "child", "women": "woman", "men": "man",
    "bled": "bleed", "swollen": "swell", "kept": "keep", "told": "tell", "worn": "wear",
    "used": "us", "uses": "us", "using": "us", "times": "times", "has": "hav", "had": "hav",
    "tablets": "tablet", "pills": "tablet", "pill": "tablet", "capsules": "tablet", "hrs": "hour",
    "capsule": "tablet", "hr": "hour", "mins": "minut", "red": "red", "bed": "bed", "this": "this",
}  # fmt: skip


def _phrase(text: str) -> tuple[str, ...]:
    return tuple(_stem(token) for token in _TOKEN.findall(_normalised(text)))


def _normalised(text: str) -> str:
    small = text.lower()
    for pattern, replacement in _SAME:
        small = pattern.sub(replacement, small)
    return small


@cache
def _concepts() -> Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, str]], ...]]:
    """Load ``concepts.tsv``: phrases by their first stem, the longest first, each with its
    concept.
    """
    phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, str]]]] = {}
    for line in resource_lines("plain_terms/concepts.tsv")[1:]:
        category, name, words = line.split("\t")
        for phrase in map(_phrase, words.split(", ")):
            phrases.setdefault(phrase[0], []).append((phrase, (category, name)))
    return {
        first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in phrases.items()
    }


_STEMS_OF_TIMES = {_stem(unit): unit for unit in sorted(_TIME_UNITS)}
_STEMS_OF_DAY_TIMES = frozenset(map(_stem, _DAY_TIMES))
_STEMS_OF_UNITS = {_stem(unit): unit for unit in sorted(_UNITS)}
_MEASURES = frozenset(_STEMS_OF_TIMES) | frozenset(_STEMS_OF_UNITS)
_EMPTY_STEMS = frozenset(map(_stem, _EMPTY))


class _Passage:
    """A passage, prepared for comparison: lower-case tokens, stems, concepts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.small = small = _normalised(text)
        tokens = _TOKEN.findall(re.sub(r"(\d)([a-z%°])", r"\1 \2", small))
        self.tokens = [_NUMBER_WORDS.get(token, token) for token in _joined_tens(tokens)]
        self.stems = [_stem(token) for token in self.tokens]
        self.stem_set = frozenset(self.stems)

    @cached_property
    def concepts(self) -> dict[tuple[str, str], str]:
        """The concepts of the passage, each with the words that name it there."""
        concepts: dict[tuple[str, str], str] = {}
        for position, stem in enumerate(self.stems):
            for phrase, concept in _concepts().get(stem, ()):
                end = position + len(phrase)
                if tuple(self.stems[position:end]) == phrase:
                    concepts.setdefault(concept, " ".join(self.tokens[position:end]))
        return concepts

    @cached_property
    def medicines(self) -> dict[str, str]:
        return {_stem(token): token for token in self.tokens if is_medicine(token)}

    def _stem_at(self, position: int) -> str:
        return self.stems[position] if position < len(self.stems) else ""

    def _is_number(self, position: int) -> bool:
        token = self.tokens[position]
        if not token[0].isdigit():
            return False
        # "a new one", "one of them", "this one" count nothing
        before = self.tokens[position - 1] if position else ""
        after = self.tokens[position + 1] if position + 1 < len(self.tokens) else ""
        return token != "1" or not (
            before in ("a", "new", "this", "that", "another", "the", "no", "any", "each", "which")
            or after in ("of", "to", "is", "should", "must", "", "and", "or", "another")
        )

    @cached_property
    def numbers(self) -> list[tuple[str, str]]:
        """Each number with the stem of the following word; '' at the end."""
        return [
            (token.rstrip("."), self._stem_at(n + 1))
            for n, token in enumerate(self.tokens)
            if self._is_number(n)
        ]

    @cached_property
    def times(self) -> dict[str, str]:
        """The times of the day, dates and intervals that the passage mentions."""
        times = {stem: token for stem, token in zip(self.stems, self.tokens, strict=True)
                 if stem in _STEMS_OF_DAY_TIMES}  # fmt: skip
        for n, token in enumerate(self.tokens):
            if token in ("every", "each"):
                end = n + 2 if self._stem_at(n + 1) in _STEMS_OF_TIMES else n + 3
                if self._stem_at(end - 1) in _STEMS_OF_TIMES:
                    key = " ".join(("every", *self.stems[n + 1 : end]))
                    times[key] = " ".join(self.tokens[n:end])
        return times

    @cached_property
    def limits(self) -> dict[str, str]:
        """A mapping from each limited number to "at most", "at least", "above" or "below"."""
        small = " ".join(self.tokens)
        limits: dict[str, str] = {}
        for limit, pattern in _LIMITS:
            for match in pattern.finditer(small):
                limits.setdefault(
                    (match["n"] or match.groupdict().get("m") or "").rstrip("."), limit
                )
        return limits

    def _content(self, start: int, end: int) -> Iterator[str]:
        for position in range(max(start, 0), min(end, len(self.stems))):
            if self.tokens[position] not in _EMPTY and self.tokens[position][0].isalpha():
                yield self.stems[position]

    @cached_property
    def negations(self) -> list[tuple[str, str]]:
        """For each negation, the stem of the denied word, and the words of the passage."""
        negations = []
        for n, token in enumerate(self.tokens):
            if token in _NEGATIONS:
                denied = next(self._content(n + 1, n + _NEAR), "")
                negations.append((denied, " ".join(self.tokens[n : n + 4])))
        return negations

    @cached_property
    def obligations(self) -> list[tuple[str, str]]:
        """For each obligation, the stem of the required action, and the words of the passage."""
        return [
            (next(self._content(n + 1, n + _NEAR), ""), " ".join(self.tokens[n : n + 4]))
            for n, token in enumerate(self.tokens)
            if token in _STRONG
            or (token in ("have", "has") and self.tokens[n + 1 : n + 2] == ["to"])
        ]

    @cached_property
    def conditions(self) -> list[tuple[str, frozenset[str], str]]:
        """For each condition: conjunction, content stems, and the words of the passage."""
        return [
            (token, frozenset(self._content(n + 1, n + 8)), " ".join(self.tokens[n : n + 5]))
            for n, token in enumerate(self.tokens)
            if token in _CONDITIONS
        ]

    @cached_property
    def items(self) -> list[str]:
        """The items of lists: lines with a mark, and parts of a series of three or more."""
        items = [match["text"] for match in _ITEM.finditer(self.text)]
        if items:
            return items
        for sentence in re.split(r"(?<=[.!?;:])\s+", self.text):
            parts = re.split(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+", sentence)
            if sentence.count(",") >= 2 and len(parts) >= 3:
                items += [part for part in parts[1:] if 0 < len(part.split()) <= 6]
        return items

    def denies(self, stem: str) -> bool | None:
        """Return True if a word occurs near a negation, False if it occurs without one, None if
        absent.
        """
        positions = [n for n, own in enumerate(self.stems) if own == stem]
        if not positions:
            return None
        return any(
            not _NEGATIONS.isdisjoint(
                (*self.tokens[max(n - _NEAR, 0) : n], *self.tokens[n + 1 : n + 2])
            )
            for n in positions
        )


def _joined_tens(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the tokens, with "twenty-one" replaced by "21"."""
    for token in tokens:
        tens, _, ones = token.partition("-")
        if ones and tens in _TENS and ones in _NUMBER_WORDS:
            yield str(int(_NUMBER_WORDS[tens]) + int(_NUMBER_WORDS[ones]))
        elif token.count("-") == 2 and token.split("-")[0] in _NUMBER_WORDS:
            yield from token.split("-")  # "three-year-old"
        elif ones and tens in _NUMBER_WORDS:
            yield from (tens, ones)  # "two-week"
        else:
            yield token


@lru_cache(1 << 10)
def _said_plainly(text: str) -> str:
    """Return all plain terms, notes and full forms of the medical terms and abbreviations in a
    text.
    """
    passage = _Passage(text)
    forms, longest = index()
    words = [one_spelling(token) for token in passage.tokens]
    said: list[str] = []
    for position, word in enumerate(words):
        for size in range(min(longest.get(word, 0), len(words) - position), 0, -1):
            for form in forms.get(tuple(words[position : position + size]), ()):
                if form.row.vocabulary == MEDICAL:
                    said += [*form.row.plain, form.row.note]
    for token in re.findall(r"\b[A-Z][A-Z&0-9]+\b", text):
        said += abbreviations().get(token, ())
    return ". ".join(filter(None, said))


def facts_of(text: str) -> tuple[Fact, ...]:
    """Return the facts of a passage, by category.

    >>> for fact in facts_of("Do not take more than 2 tablets every 8 hours if you have a fever."):
    ...     print(fact)
    the dose “2 tablet”
    the time “8 hour”
    the symptom “fever”
    the time “every 8 hours”
    the limit “at most 2”
    the condition “if you have a fever”
    the negation “not take more than”
    the dose form “tablets”
    """
    passage = _Passage(text)
    facts = [Fact(*_of_number(number, following)) for number, following in passage.numbers]
    concepts = passage.concepts.items()
    facts += [Fact(category, said) for (category, _), said in concepts if category != DOSE_FORM]
    facts += [Fact(MEDICINE, name) for name in passage.medicines.values()]
    facts += [Fact(TIME, said) for said in passage.times.values()]
    facts += [Fact(LIMIT, f"{limit} {number}") for number, limit in passage.limits.items()]
    facts += [Fact(CONDITION, said) for *_, said in passage.conditions]
    facts += [Fact(NEGATION, said) for _, said in passage.negations]
    facts += [Fact(OBLIGATION, said) for _, said in passage.obligations]
    facts += [Fact(URGENCY, match[0]) for match in _URGENT.finditer(passage.small)]
    facts += [Fact(DOSE_FORM, said) for (category, _), said in concepts if category == DOSE_FORM]
    facts += [Fact(NAME, name) for name in _names(text)]
    facts += [Fact(ITEM, item) for item in passage.items]
    return tuple(dict.fromkeys(facts))


def _of_number(number: str, following: str) -> tuple[str, str]:
    if following in _STEMS_OF_TIMES:
        return TIME, f"{number} {_STEMS_OF_TIMES[following]}"
    if following in _STEMS_OF_UNITS:
        return DOSE, f"{number} {_STEMS_OF_UNITS[following]}"
    return NUMBER, number


def _names(text: str) -> list[str]:
    names = dict.fromkeys(_NAME.findall(text))
    return [name for name in names if name.lower() not in _NO_NAMES]


def check_facts(before: str, after: str) -> FactCheck:
    """Compare a passage with its rewrite, fact by fact.

    >>> check = check_facts(
    ...     "Call 999 if you have chest pain, a rash or trouble breathing.",
    ...     "Call 999 if you have a rash or cannot breathe.",
    ... )
    >>> [str(fact) for fact in check.lost if fact.category == SYMPTOM]
    ['the symptom “chest pain”']
    """
    old, new = _Passage(before), _Passage(after)
    lost = [*_lost_numbers(old, new), *_lost_concepts(old, new), *_lost_rules(old, new)]
    return FactCheck(facts_of(before), tuple(dict.fromkeys(lost)), tuple(_added(old, new)))


def _lost_numbers(old: _Passage, new: _Passage) -> Iterator[Fact]:
    """Yield numbers that are missing, that count something else, or whose limit changed."""
    numbers = {number for number, _ in new.numbers}
    for number, following in dict.fromkeys(old.numbers):
        if number not in numbers:
            yield Fact(*_of_number(number, following))
            continue
        of_same = {n for n, counted in new.numbers if counted == following}
        before = {n for n, counted in old.numbers if counted == following}
        if following and of_same and number not in of_same and not of_same <= before:
            yield Fact(*_of_number(number, following), "counts something else")
        elif following in _MEASURES and number not in of_same and of_same != before:
            yield Fact(*_of_number(number, following), "without its unit")
    for number, limit in old.limits.items():
        other = new.limits.get(number)
        if number in numbers and other != limit:
            yield Fact(LIMIT, f"{limit} {number}", f"now {other}" if other else "no limit now")
    for key, said in old.times.items():
        if key not in new.times:
            yield Fact(TIME, said)


def _lost_concepts(old: _Passage, new: _Passage) -> Iterator[Fact]:
    """Yield missing symptoms, parts of the body, people, medicines, names and list items."""
    plain = _Passage(_said_plainly(new.text))
    concepts = {*new.concepts, *plain.concepts}
    for concept, said in old.concepts.items():
        if concept == _HELP and (not _HELPERS.isdisjoint(concepts) or "help" in new.stem_set):
            continue
        if concept not in concepts and not _is_in_longer(concept, old):
            yield Fact(concept[0], said)
    for stem, name in old.medicines.items():
        if stem not in new.stem_set:
            yield Fact(MEDICINE, name)
    small = new.small
    yield from (Fact(NAME, name) for name in _names(old.text) if name.lower() not in small)
    for item in old.items:
        if not _is_said(item, old, new, concepts):
            yield Fact(ITEM, item.rstrip(".,;"))


def _is_in_longer(concept: tuple[str, str], old: _Passage) -> bool:
    """Return True for a concept within a longer one: the "chest" of "chest pain"."""
    said = _phrase(old.concepts[concept])
    return any(set(said) < set(_phrase(other)) for other in old.concepts.values())


def _is_said(item: str, old: _Passage, new: _Passage, concepts: Iterable[tuple[str, str]]) -> bool:
    """Return True if the rewrite mentions the concepts of a list item, or half of its words."""
    passage = _Passage(item)
    if passage.concepts and set(passage.concepts) <= set(concepts):
        return True
    content = [stem for stem in passage.stems if stem not in _EMPTY_STEMS]
    plain = _Passage(_said_plainly(item)).stem_set
    said = [stem for stem in content if stem in new.stem_set]
    if plain and len(plain & new.stem_set) >= max(1, _SAID_ENOUGH * len(plain)):
        return True
    return not content or len(said) >= _SAID_ENOUGH * len(content)


def _lost_rules(old: _Passage, new: _Passage) -> Iterator[Fact]:
    """Yield negations, obligations, conditions and expressions of urgency that are missing or
    weaker.
    """
    for stem, said in old.negations:
        denied = new.denies(stem) if stem else None
        # The word has lost its "not", or the rewrite has fewer negations.
        if denied is False or (denied is None and len(new.negations) < len(old.negations)):
            yield Fact(NEGATION, said)
    for stem, said in old.obligations:
        if note := _weakened(stem, said, old, new):
            yield Fact(OBLIGATION, said, "" if note == "gone" else note)
    urgent = _URGENT.search(old.small)
    if urgent and not _URGENT.search(new.small):
        yield Fact(URGENCY, urgent[0])
    for word, about, said in old.conditions:
        if not _has_condition(word, about, new):
            yield Fact(CONDITION, said)


def _weakened(stem: str, said: str, old: _Passage, new: _Passage) -> str:
    """Describe how a rewrite changes an obligation: "gone", "weaker: may"; '' if it does not."""
    positions = [n for n, own in enumerate(new.stems) if own == stem] if stem else []
    if not positions:
        orders = len(new.obligations) + _imperatives(new)
        return "gone" if orders < len(old.obligations) + _imperatives(old) else ""
    for n in positions:
        weak = _WEAK.intersection(new.tokens[max(n - 3, 0) : n])
        if not weak:
            return ""
    already = _WEAK.intersection(old.tokens)
    return "" if weak <= already and len(positions) > 1 else f"weaker: {min(weak)}"


def _imperatives(passage: _Passage) -> int:
    """Count the sentences and clauses that begin with a verb in the base form."""
    verbs = word_list("verbs") | _ORDERS
    return sum(word in verbs for word in _CLAUSE_START.findall(passage.small))


def _has_condition(word: str, about: frozenset[str], new: _Passage) -> bool:
    if word in ("unless", "except", "until"):
        same = {"unless": ("unless", "if", "except", "only"), "except": ("except", "unless", "but"),
                "until": ("until", "till", "before", "after", "first")}[word]  # fmt: skip
        if not set(same) & set(new.tokens):
            return False
    elif not _ASKS_WHEN.search(new.small):
        return False
    stems = new.stem_set | _Passage(_said_plainly(new.text)).stem_set
    concepts = _Passage(" ".join(about)).concepts
    is_known = bool(concepts) and set(concepts) <= set(new.concepts)
    return not about or is_known or bool(about & stems) or bool(_ASKS_WHEN.search(new.small))


def _added(old: _Passage, new: _Passage) -> Iterator[Fact]:
    """Yield numbers, medicines, symptoms and negations that only the rewrite has."""
    plain = _Passage(f"{old.text}. {_said_plainly(old.text)}")
    numbers = {number for number, _ in (*old.numbers, *plain.numbers)}
    for number, following in dict.fromkeys(new.numbers):
        if number not in numbers:
            yield Fact(*_of_number(number, following))
    for stem, name in new.medicines.items():
        if stem not in plain.stem_set:
            yield Fact(MEDICINE, name)
    for concept, said in new.concepts.items():
        if concept[0] == SYMPTOM and concept not in plain.concepts:
            yield Fact(concept[0], said)
    for stem, said in new.negations:
        if stem and old.denies(stem) is False:
            yield Fact(NEGATION, said)
