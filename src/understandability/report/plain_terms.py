"""What readers say for an expert's or an official's term: "heart attack" for "infarction".

The tables ``medical.tsv`` and ``general.tsv`` of ``resources/plain_terms`` hold a row for each
term, part of speech and rule; ``irregular.tsv`` the forms that no rule gives. A rule says where a
row holds:

    near:heart,valve      one of these words within ten words of the term, in its sentence
    before:test,result    the next word is one of these
    after:vaginal,nasal   the word before is one of these
    not-near: not-before: not-after:   none of these is there

Words of rules match their plurals and verb forms; words in capitals are universal parts of speech,
`PUNCT` also an end of the sentence, `START` its start, and ``be`` stands for is, was, been and the
like. At each word the longest term wins, and of its rows the first whose rules hold, rows with
rules first. Of its plain terms those are offered that fit there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from understandability.features import Batch
from understandability.features.words.terms import singular
from understandability.language.inflection import (
    BASE,
    ING,
    PARTICIPLE,
    PAST,
    PLURAL,
    forms_of,
    one_spelling,
    plural,
    verb_form,
)
from understandability.language.tags import UNIVERSAL
from understandability.language.tokens import split_pieces, tokenize
from understandability.report.memory import Memory
from understandability.storage.resources import resource_lines

MEDICAL, GENERAL = "medical", "general"
LISTS = (MEDICAL, GENERAL)
_NEAR = 10  # words on each side
_HYPHENS = frozenset("-‐‑–")
_BE = frozenset(("be", "is", "are", "was", "were", "been", "being", "am"))
_HAVE = frozenset(("has", "have", "had"))
_ARTICLES = ("a", "an")
# Tags that a term of each kind may have; taggers err on words that they have not seen.
_TAGS: Mapping[str, frozenset[str]] = {
    "noun": frozenset(("NOUN", "PROPN", "X")),
    "verb": frozenset(("VERB", "AUX")),
    "adjective": frozenset(("ADJ", "NOUN", "VERB", "PROPN", "ADV", "X")),
    "adverb": frozenset(("ADV", "ADJ", "SCONJ", "CCONJ", "NOUN", "ADP")),
}
_NAMES = frozenset(("NOUN", "ADJ", "PROPN"))
_OPENS = frozenset((".", ":", ";", "?", "!", "(", "[", "“", "•", "‘", "-", "–", "—"))
_OBJECT = frozenset(("DET", "NOUN", "PRON", "ADJ", "NUM", "PROPN"))
_OBJECT_OF_PAST = _OBJECT | {"SCONJ", "ADV", "PART"}
_WANTS_OBJECT = frozenset(("of", "to", "into", "in", "from", "with", "for", "as"))
_AFTER_PREDICATE = frozenset(("PUNCT", "ADP", "SCONJ", "PART", "AUX", "VERB"))
_OF_NOUN = frozenset(("ADP", "NUM", "CCONJ", "NOUN", "ADJ", "PROPN", "PART"))
_BEFORE_NOUN = frozenset(("DET", "ADJ", "NUM", "ADP", "CCONJ"))
_DEGREES = frozenset(("more", "most", "less", "least"))
_SHORT = 6  # letters of an adjective that takes "-er" rather than "more"
# Heads of plain nouns that want an article, though their terms may do without.
_COUNTED = frozenset(
    (
        "area", "baby", "bone", "bulge", "cell", "chamber", "clot", "cut", "doctor", "exam", "germ",
        "gland", "group", "hole", "idea", "job", "join", "list", "lump", "meeting", "mole", "nurse",
        "opening", "organ", "part", "passage", "patch", "person", "pill", "place", "plan", "rule",
        "sac", "sample", "scan", "scar", "score", "shot", "sign", "sore", "spot", "step", "stitch",
        "study", "tear", "test", "thing", "tooth", "tube", "vessel", "way",
    )
)  # fmt: skip
_CLAUSE = frozenset(("how", "what", "when", "whether", "too", "with", "not", "no", "out"))
_NO_PASSIVE = frozenset(("become", "come", "fall", "get", "go", "grow", "happen", "rise"))
# The head of a plain noun stands before the first of these: "bulges in a blood vessel".
_AFTER_HEAD = frozenset(
    (
        "of", "in", "on", "to", "that", "who", "whose", "which", "where", "when", "for",
        "from", "with", "without", "between", "at", "under", "by", "around", "outside",
        "over", "against", "near", "not", "about", "through", "inside", "into", "behind",
        "before", "after", "below", "above", "along", "during", "since", "than", "alive",
        "affected", "studied", "measured", "used", "compared", "told", "needed", "apart",
        "away", "out", "off", "taken", "given", "caused", "left", "going", "getting", "being",
        "taking", "doing", "making", "leading", "helping", "put", "made", "or", "and", "up",
        "living", "wanting", "relying", "accused", "sued", "across", "back", "down", "also",
        "aimed", "eaten", "pumped", "ordered", "sold", "caught", "controlled", "burned", "promised",
        "signed", "owned", "allowed", "covered", "tested", "considered", "harmed", "borrowed",
        "produced", "chosen", "trusted", "comparing", "grown", "because",
        "it", "they", "how", "no", "so", "why", "only", "both",
    )
)  # fmt: skip


class _Rule(NamedTuple):
    place: str
    negative: bool
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlainTerm:
    """A row of the tables; without a `plain` term `note` explains.

    `part` is noun, verb, adjective, adverb or phrase; `plurals` are those of `plain`. An adjective
    that stands `behind` goes after its noun ("intracranial pressure", "pressure inside the skull").
    """

    term: str
    plain: tuple[str, ...]
    plurals: tuple[str, ...]
    part: str
    rules: tuple[_Rule, ...]
    note: str
    source: str
    behind: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A term in a text, ``pieces[first:last]``, and what to say instead, the best first.

    `texts` are what stands in place of those pieces with each of `plain`: articles, capitals and
    punctuation are put right. Both are empty where only `note` explains the term.
    """

    first: int
    last: int
    term: str
    plain: tuple[str, ...]
    texts: tuple[str, ...]
    note: str
    kind: str


def _rules(text: str) -> Iterator[_Rule]:
    for rule in text.split():
        place, words = rule.split(":")
        yield _Rule(
            place.removeprefix("not-"), place.startswith("not-"), frozenset(words.split(","))
        )


def _plural(plain: str) -> str:
    """The plural of a plain noun, whose head stands before the first word such as "of".

    >>> [_plural(plain) for plain in ("germ test", "bulge in a blood vessel", "calories eaten")]
    ['germ tests', 'bulges in a blood vessel', 'calories eaten']
    """
    words = plain.split()
    head = _head(words)
    end = words.index(head) + 1
    is_plural = end < len(words) and head.endswith("s") and not head.endswith("ss")
    return " ".join((*words[: end - 1], head if is_plural else plural(head), *words[end:]))


def _head(words: Sequence[str]) -> str:
    """The word that a plain noun is about: the last, or that before the first such as "of"."""
    return words[next((n for n, word in enumerate(words) if n and word in _AFTER_HEAD), 0) - 1]


@cache
def plain_terms() -> tuple[PlainTerm, ...]:
    """All rows of both tables.

    >>> next(row.plain for row in plain_terms() if row.term == "myocardial infarction")
    ('heart attack',)
    """
    rows = []
    for kind in LISTS:
        for line in resource_lines(f"plain_terms/{kind}.tsv")[1:]:
            term, plains, part, when, note, source, place, plurals = line.split("\t")
            plain = tuple(plains.split(" | ")) if plains else ()
            special = plurals.split(" | ") if plurals else ["-"] * len(plain)
            rows.append(
                PlainTerm(
                    term,
                    plain,
                    tuple(
                        _plural(each) if form == "-" else form
                        for each, form in zip(plain, special, strict=False)
                    )
                    if part == "noun"
                    else (),
                    part,
                    tuple(_rules(when)),
                    note,
                    source,
                    place == "after",
                    kind,
                )
            )
    return tuple(rows)


class _Form(NamedTuple):
    """A form of a term, by name."""

    row: PlainTerm
    name: str


@dataclass(frozen=True, slots=True)
class _Index:
    """Forms of terms by their words in one spelling; the most words of those that begin so."""

    forms: Mapping[tuple[str, ...], tuple[_Form, ...]]
    longest: Mapping[str, int]


def _words_of(form: str) -> tuple[str, ...]:
    if form.isalpha():
        return (one_spelling(form),)
    tokens = (token for piece in split_pieces(form) for token in tokenize(piece))
    return tuple(one_spelling(token) for token in tokens if token not in _HYPHENS)


@cache
def _index() -> _Index:
    forms: dict[tuple[str, ...], list[_Form]] = {}
    for row in sorted(plain_terms(), key=lambda row: not row.rules):
        for form, name in forms_of(row.term, row.part):
            forms.setdefault(_words_of(form), []).append(_Form(row, name))
    longest: dict[str, int] = {}
    for words, found in forms.items():
        found.sort(key=lambda form: (not form.row.rules, form.name != BASE))
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return _Index({words: tuple(found) for words, found in forms.items()}, longest)


# The offers of sentences that were looked through before, counted from their first piece.
_OFFERED: Memory[tuple[str, ...], tuple[Offer, ...]] = Memory()

_ENDINGS = (
    ("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"),
    ("'s", ""), ("ses", "sis"),
)  # fmt: skip


@lru_cache(1 << 16)
def _stems(word: str) -> frozenset[str]:
    """The forms that a word of a rule may take: rough, for comparing only."""
    word = word.lower()
    found = {word}
    for end, new in _ENDINGS:
        if word.endswith(end) and len(word) > len(end) + 2:
            found.add(word[: -len(end)] + new)
    if word in _BE:
        found.add("be")
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Tokens without hyphens, their tags, the piece of each; hyphens and genitives are passed over.

    `begins` and `ends` are where a token stands in its piece.
    """

    tokens: list[str]
    tags: list[str]
    pieces: list[int]
    begins: list[int]
    ends: list[int]

    def tag(self, place: int) -> str:
        """The tag there; the end of the sentence counts as punctuation."""
        return self.tags[place] if 0 <= place < len(self.tags) else "PUNCT"

    def word(self, place: int) -> str:
        """The word there in small letters, '' outside."""
        return self.tokens[place].lower() if 0 <= place < len(self.tokens) else ""

    def is_in_compound(self, start: int, end: int) -> bool:
        """Whether a hyphen ties the words at ``start:end`` to another: "anti-proliferative"."""
        return self._are_tied(start - 1) or self._are_tied(end - 1)

    def _are_tied(self, place: int) -> bool:
        """Whether one hyphen is all that stands between the tokens at a place and behind it."""
        return (
            0 <= place < len(self.tokens) - 1
            and self.pieces[place] == self.pieces[place + 1]
            and self.begins[place + 1] == self.ends[place] + 1
            and self.tags[place] != "PUNCT" != self.tags[place + 1]
        )

    def holds(self, rule: _Rule, start: int, end: int) -> bool:
        """Whether a rule holds for the term at ``start:end``."""
        if rule.place == "near":
            low, high = max(0, start - _NEAR), min(len(self.tokens), end + _NEAR)
            places = [*range(low, start), *range(end, high)]
            return any(_stems(self.tokens[i]) & rule.words for i in places) != rule.negative
        place = end if rule.place == "before" else start - 1
        if not 0 <= place < len(self.tokens):
            edge = "PUNCT" in rule.words or (place < 0 and "START" in rule.words)
            return edge != rule.negative
        found = self.tags[place] in rule.words or bool(_stems(self.tokens[place]) & rule.words)
        return found != rule.negative


def offers(batch: Batch) -> tuple[tuple[Offer, ...], ...]:
    """The terms of each document that have a plain one, in order.

    >>> from understandability.documents import document_of_text
    >>> document = document_of_text("She had a myocardial infarction. Both biopsies were clear.")
    >>> [(each.term, each.plain[0]) for each in offers(Batch([document]))[0]]
    [('myocardial infarction', 'heart attack'), ('biopsies', 'tissue samples')]
    """
    bounds = [
        (number, start, end)
        for number, document in enumerate(batch.documents)
        for start, end in pairwise((*document.sentence_starts, len(document.pieces)))
    ]
    parts = [batch.documents[number].pieces[start:end] for number, start, end in bounds]

    def made(places: Sequence[int]) -> list[tuple[Offer, ...]]:
        return [
            tuple(_offer(sentence, parts[place], *each) for each in _found(sentence))
            for place, sentence in zip(places, _sentences(batch, places, parts), strict=True)
        ]

    found: list[list[Offer]] = [[] for _ in batch.documents]
    for (number, start, _), each in zip(bounds, _OFFERED.of(parts, made), strict=True):
        found[number] += (
            replace(offer, first=offer.first + start, last=offer.last + start) for offer in each
        )
    return tuple(map(tuple, found))


def _sentences(
    batch: Batch, places: Sequence[int], parts: Sequence[tuple[str, ...]]
) -> Iterator[_Sentence]:
    """The sentences of a batch with these numbers, whose pieces are `parts`."""
    _, sizes = batch.pieces.tokens(batch.piece_ids)
    ends = np.cumsum([0, *map(len, parts)])
    starts = batch.token_sentence_starts
    strings = batch.token_types.strings
    for number in places:
        sentence = _Sentence([], [], [], [], [])
        token = int(starts[number])
        for place, piece in enumerate(parts[number]):
            small, at = piece.lower(), 0
            for _ in range(int(sizes[ends[number] + place])):
                text = strings[batch.token_ids[token]]
                at = max(small.find(text.lower(), at), at) + len(text)
                if text not in _HYPHENS:
                    sentence.tokens.append(text)
                    sentence.tags.append(UNIVERSAL[batch.tags[token]])
                    sentence.pieces.append(place)
                    sentence.begins.append(at - len(text))
                    sentence.ends.append(at)
                token += 1
        yield sentence


def _found(sentence: _Sentence) -> Iterator[tuple[_Form, int, int]]:
    """The terms of a sentence, the longest that begins at each word, none overlapping."""
    index = _index()
    words = [one_spelling(token) for token in sentence.tokens]
    at = 0
    while at < len(words):
        for size in range(min(index.longest.get(words[at], 0), len(words) - at), 0, -1):
            forms = index.forms.get(tuple(words[at : at + size]))
            form = _chosen(forms, sentence, at, at + size) if forms else None
            if form:
                yield form, at, at + size
                at += size - 1
                break
        at += 1


def _chosen(forms: Sequence[_Form], sentence: _Sentence, start: int, end: int) -> _Form | None:
    word = sentence.tokens[start]
    if end - start == 1 and word.isupper() and len(word) > 1:
        return None  # an abbreviation, a gene or a heading
    if sentence.is_in_compound(start, end) or _is_name(sentence, start, end):
        return None
    if "/" in (sentence.word(start - 1), sentence.word(end)):
        return None  # "cancer/tumor progression"
    in_name = _is_in_abbreviated(sentence, start, end)
    parts = {form.row.part for form in forms}
    for form in forms:
        if in_name and form.row.plain:
            continue
        if _has_part(form.row.part, parts, sentence, start, end) and all(
            sentence.holds(rule, start, end) for rule in form.row.rules
        ):
            fitting = _fitting(form, sentence, start, end)
            if fitting is not None:
                return fitting
    return None


def _fitting(form: _Form, sentence: _Sentence, start: int, end: int) -> _Form | None:
    """The form with those of its plain terms that fit there; None where none of them does."""
    row = form.row
    fits = _FITS.get(row.part)
    places = [
        place
        for place, plain in enumerate(row.plain)
        if not _repeats(plain, sentence, start, end)
        and (fits is None or fits(form, plain, sentence, start, end))
    ]
    if len(places) == len(row.plain):
        return form
    if not places:
        return None
    plurals = tuple(row.plurals[place] for place in places) if row.plurals else ()
    plain = tuple(row.plain[place] for place in places)
    return form._replace(row=replace(row, plain=plain, plurals=plurals))


def _is_name(sentence: _Sentence, start: int, end: int) -> bool:
    """Whether the words stand in a name: "the American Academy of Pediatrics"."""
    if not sentence.tokens[start][0].isupper():
        return False
    if (
        end < len(sentence.tokens)
        and sentence.tokens[end].istitle()
        and sentence.tag(end) in _NAMES
    ):
        return True  # "Endometrial Cancer Prevention"
    if not start:
        return False
    return sentence.word(start - 1) not in _OPENS or sentence.word(end) == ","


def _is_in_abbreviated(sentence: _Sentence, start: int, end: int) -> bool:
    """Whether the words are only a part of what an abbreviation behind them stands for.

    "Familial medullary thyroid cancer (FMTC)" is a name, of which no word can be replaced.
    """
    for place in range(end, min(end + 6, len(sentence.tokens) - 1)):
        if sentence.tokens[place] == "(":
            short = sentence.tokens[place + 1].rstrip("s")
            first = place - len(short)
            return (
                len(short) > 1
                and short.isupper()
                and 0 <= first <= start
                and sentence.tokens[first][0].upper() == short[0]
                and (first, place) != (start, end)
            )
    return False


def _has_part(part: str, parts: set[str], sentence: _Sentence, start: int, end: int) -> bool:
    """Whether a word there can be of that part of speech; `parts` are all that terms have there."""
    if part == "phrase" or end - start > 1:
        return True
    tag, following = sentence.tag(start), sentence.tag(end)
    as_noun = (
        part == "noun" and tag == "ADJ" and ("adjective" not in parts or following not in _NAMES)
    )
    return tag in _TAGS[part] or as_noun


def _repeats(plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    """Whether a word of the plain term stands beside it already: "supporting tissue tissue"."""
    beside = [*range(max(0, start - 2), start), *range(end, min(end + 2, len(sentence.tokens)))]
    own = {stem for word in re.split("[ -]", plain) if len(word) > 3 for stem in _stems(word)}
    return any(own & _stems(sentence.tokens[place]) for place in beside)


def _fits_as_noun(form: _Form, plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    """Not where the frame asks for one word: "colonoscopy screening", "oxygen uptake"."""
    words = plain.split()
    before, following = sentence.tag(start - 1) if start else "", sentence.tag(end)
    if following in ("NOUN", "PROPN") and sentence.word(end) in ("syndrome", "disease"):
        return False  # a part of its name
    shares = sentence.tag(start - 3 if sentence.word(start - 2) == "," else start - 2) == "ADJ"
    if end - start > 1 and before == "CCONJ" and shares:
        return False  # "systolic and diastolic blood pressure"
    if _breaks_number(form, plain, sentence, start, end):
        return False
    if words[0].endswith("'s") and before == "ADJ":
        return False  # "the adaptive body's defence system"
    if len(words) == 1:
        return True
    is_doing = words[0].endswith("ing")
    is_clause = is_doing or words[0] in _CLAUSE or "it" in words
    has_tail = is_clause or any(word.strip(",") in _AFTER_HEAD for word in words[1:])
    if following in ("NOUN", "NUM", "PROPN") and (has_tail or len(words) > 2):
        return False
    if is_clause and before in ("ADJ", "DET", "NOUN", "NUM", "PROPN", "VERB"):
        return False  # "the highest how common it is"
    if sentence.word(end) in ("of", "to"):
        # "going away of symptoms", "fingers or toes of both", not "start of pregnancy of a baby"
        return not has_tail or (is_doing and len(words) == 2) or "or" in words
    if before == "ADJ" and not {"who", "that"}.isdisjoint(words):
        return False  # "clinical person who prepares medicines"
    return not (has_tail and before in ("NOUN", "PROPN"))


def _breaks_number(form: _Form, plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    """Whether a verb or a missing article would show that the plain noun has another number.

    "Guidelines have", not "advice have"; "signs of ulceration", not "signs of open sore".
    """
    row = form.row
    several = form.name == PLURAL or singular(row.term) != row.term
    head = _head(plain.split())
    if row.plurals[row.plain.index(plain)] == plain and several != head.endswith("s"):
        return not _is_object(sentence, start)
    if several or head not in _COUNTED or sentence.tag(end) in ("NOUN", "PROPN"):
        return False
    before = start - 1
    while before >= 0 and sentence.tag(before) in ("ADJ", "NOUN", "PROPN", "ADV"):
        before -= 1
    has_article = sentence.word(before + 1) in _ARTICLES
    return not has_article and sentence.tag(before) not in ("DET", "PRON", "NUM")


def _is_object(sentence: _Sentence, start: int) -> bool:
    """Whether a verb or preposition stands within three words before, so that no verb follows."""
    tags = [sentence.tag(place) for place in range(start - 1, start - 4, -1)]
    until = tags.index("PUNCT") if "PUNCT" in tags else len(tags)
    return not {"VERB", "ADP"}.isdisjoint(tags[:until])


def _fits_as_verb(form: _Form, plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    first, *others = plain.split()
    following, before = sentence.tag(end), sentence.tag(start - 1) if start else ""
    after_subject = before in ("NOUN", "PRON", "PROPN", "ADV", "CCONJ")
    in_past = form.name in (PAST, PARTICIPLE)
    passive = in_past and any(sentence.word(place) in _BE for place in range(start - 3, start))
    if form.name == BASE and sentence.word(start - 1) in _BE:
        return False
    if first == "be" and (
        form.name == ING
        or (form.name == BASE and sentence.tag(start - 1) not in ("AUX", "PART", "VERB"))
    ):
        return False  # "mechanisms underlying it" are not "mechanisms being the cause of it"
    if passive and first in _NO_PASSIVE:
        return False  # "was deteriorated" is no "was got worse"
    if (
        in_past
        and not passive
        and after_subject
        and (following not in _OBJECT_OF_PAST or before in ("ADV", "CCONJ"))
        and not any(sentence.word(place) in _HAVE for place in range(start - 3, start))
        and verb_form(first, PAST) != verb_form(first, PARTICIPLE)
    ):
        return False  # "rates declined by half", "rates taken by nurses": which it is nobody knows
    if not others:
        return True
    if (
        others[-1] in _WANTS_OBJECT
        and (passive or following not in _OBJECT)
        and not form.row.term.endswith(others[-1])
    ):
        return False  # "was intubated" is no "was put a tube into"
    if form.name in (PAST, PARTICIPLE, ING) and before in ("DET", "ADJ", "NUM"):
        return False  # "a randomized controlled trial", "an activating mutation"
    # "elevated levels": only one word may stand before its noun.
    return not (
        in_past
        and following in _NAMES
        and sentence.tag(start) != "AUX"
        and not (form.name == PAST and after_subject)
    )


def _fits_as_adjective(form: _Form, plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    words = plain.split()
    if words[0] == "not" and sentence.tag(end) in _NAMES:
        return False  # "a not normal result"
    if not form.row.behind:
        if len(words) == 1 and sentence.word(start - 1) in _DEGREES:
            return len(plain) > _SHORT  # not "more large surgery"
        return not (words[0] in _WANTS_OBJECT and sentence.tag(start - 1) == "VERB")
    until = _end_of_nouns(sentence, end)
    if until == end:  # "was unresectable", not "localized or regional disease"
        return (
            words[0] != "that"  # "it was that has spread"
            and sentence.tag(end) in _AFTER_PREDICATE
            and sentence.tag(start - 1) not in _BEFORE_NOUN
        )
    if sentence.tag(start - 1) == "CCONJ" or sentence.is_in_compound(end, until):
        return False  # "prenatal and postnatal growth", "intravenous contrast-enhanced"
    # "excess risk of cancer", "grade 3 pain", "readiness to change": behind all of it
    return sentence.word(until) in ("between", "among") or sentence.tag(until) not in _OF_NOUN


def _fits_as_adverb(form: _Form, plain: str, sentence: _Sentence, start: int, end: int) -> bool:
    """Several words go behind a verb, not before it: "removed by surgery"."""
    return " " not in plain or sentence.tag(end) not in ("VERB", "ADJ", "ADV", "AUX", "NOUN")


def _end_of_nouns(sentence: _Sentence, start: int) -> int:
    """Where the noun phrase that begins at a place ends; there where none does.

    Only what stands piece by piece can be moved.
    """
    until = start
    while (
        sentence.tag(until) in ("NOUN", "ADJ")
        and sentence.pieces[until] == sentence.pieces[start - 1] + 1 + until - start
    ):
        until += 1
    return until if until > start and sentence.tag(until - 1) == "NOUN" else start


_FITS: Mapping[str, Callable[[_Form, str, _Sentence, int, int], bool]] = {
    "noun": _fits_as_noun,
    "verb": _fits_as_verb,
    "adjective": _fits_as_adjective,
    "adverb": _fits_as_adverb,
}


def _inflected(form: _Form, sentence: _Sentence, start: int) -> tuple[str, ...]:
    """The plain terms in the form of the term."""
    row, name = form
    if row.part == "noun" and name == PLURAL:
        return row.plurals
    if row.part != "verb":
        return row.plain
    if name == PAST:
        before = (sentence.word(place) for place in (start - 1, start - 2, start - 3))
        after_subject = start > 0 and sentence.tag(start - 1) in ("NOUN", "PRON", "PROPN", "ADV")
        has_object = (
            start > 0
            and sentence.tag(start - 1) == "PUNCT"
            and (sentence.tag(start + 1) in ("DET", "PRON", "PROPN", "NUM"))
        )
        if any(word in _BE | _HAVE for word in before) or not (after_subject or has_object):
            name = PARTICIPLE
    return tuple(verb_form(plain, name) for plain in row.plain)


def _offer(sentence: _Sentence, pieces: Sequence[str], form: _Form, start: int, end: int) -> Offer:
    plain = _inflected(form, sentence, start)
    first, last = sentence.pieces[start], sentence.pieces[end - 1]
    before = pieces[first][: sentence.begins[start]]
    term = " ".join(pieces[first : last + 1])
    term = term[len(before) : len(term) - len(pieces[last]) + sentence.ends[end - 1]]
    moved = ""
    if form.row.behind:
        until = _end_of_nouns(sentence, end)
        if until > end:
            nouns = pieces[last + 1 : sentence.pieces[until - 1] + 1]
            last, end = sentence.pieces[until - 1], until
            moved = " ".join(nouns)
            moved = moved[: len(moved) - len(nouns[-1]) + sentence.ends[end - 1]] + " "
            if singular(sentence.word(end - 1)) != sentence.word(end - 1):
                plain = tuple(_for_several(each) for each in plain)
    behind = pieces[last][sentence.ends[end - 1] :]
    article = ""
    if first and not before and pieces[first - 1].lower() in _ARTICLES:
        first -= 1
        article = pieces[first]
    capital = term[:1].isupper() and not term.isupper()
    texts = []
    for each in plain:
        text = moved + each
        text = text[:1].upper() + text[1:] if capital else text
        if article:
            text = f"{_article(article, text)} {text}"
        texts.append(before + text + behind)
    return Offer(first, last + 1, term, plain, tuple(texts), form.row.note, form.row.kind)


def _for_several(plain: str) -> str:
    """What is said of one, said of several: "that has spread", "that have spread"."""
    for one, several in (("that has ", "that have "), ("that is ", "that are ")):
        plain = plain.replace(one, several)
    return plain


_SPOKEN_VOWEL = re.compile(
    r"(?!eu|uni|us[eu]|one|ur[aei]|ut[ei])[aeiou]|hour|honest|x-ray|(?-i:[FHLMNRSX][A-Z])",
    re.IGNORECASE,
)


def _article(article: str, text: str) -> str:
    """The article before a text: "a" or "an", as it is spoken.

    >>> [_article("a", noun) for noun in ("heart attack", "infection", "urine test", "MRI scan")]
    ['a', 'an', 'a', 'an']
    """
    right = "an" if _SPOKEN_VOWEL.match(text) else "a"
    return right.capitalize() if article[0].isupper() else right
