"""The tables of plain terms: their rows, and the forms that their terms take in a text.

``medical.tsv`` and ``general.tsv`` have a row for each term, part of speech and rule.
``irregular.tsv`` has irregular forms. ``judged.tsv`` counts the judged sentences in which a plain
term was right, and ``offered.tsv`` those in which an offer for a term was right. ``sure.tsv`` has
terms with one plain term that is right in nearly every context. ``words.tsv`` has lists of words. A
rule restricts a row to a context:

    near:heart,valve      one of these words within ten words of the term, in its sentence
    before:test,result    the next word is one of these
    after:vaginal,nasal   the word before is one of these
    not-near: not-before: not-after:   none of these occurs

Words in rules also match their plurals and verb forms. Words in capitals are universal parts of
speech; `PUNCT` also matches the end of the sentence, and `START` its start. ``be`` matches is, was,
been and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from understandability.resources import resource_lines
from understandability.text.tokens import split_pieces, tokenize
from understandability.writers.inflection import BASE, forms_of, one_spelling, plural

MEDICAL, GENERAL = "medical", "general"
LISTS = (MEDICAL, GENERAL)
_RULED = "ruled"  # flag of a sure term that is sure only where a rule of its row holds
_LEAST_RIGHT = 5  # sentences, and none wrong
_LEAST_EARNED = 3  # offers, and none wrong
_LEAST_MEDICINE = 7  # letters of a name that is known by its end
HYPHENS = frozenset("-‐‑–")


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of ``words.tsv``, in which comments describe each list."""
    lines = resource_lines("plain_terms/words.tsv")[1:]
    rows = (line.split("\t") for line in lines)
    return next(frozenset(words.split()) for list_, _, words in rows if list_ == name)


def is_medicine(word: str) -> bool:
    """Return True for the name of a medicine, which a writer cannot replace.

    >>> [is_medicine(word) for word in ("clarithromycin", "Warfarin", "April", "medicine")]
    [True, True, False, False]
    """
    small = word.lower()
    if small in word_list("medicines"):
        return True
    ends = tuple(word_list("medicine ends"))
    return len(small) >= _LEAST_MEDICINE and small.endswith(ends)


class Rule(NamedTuple):
    where: str
    negative: bool
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlainTerm:
    """A row of the tables: a term with its plain terms, or, if `plain` is empty, with a `note`.

    `part` is noun, verb, adjective, adverb or phrase; `plurals` go with `plain`. A plain adjective
    with `follows_noun` comes after its noun: "intracranial pressure", "pressure inside the skull".
    `vocabulary` is `MEDICAL` or `GENERAL`.
    """

    term: str
    plain: tuple[str, ...]
    plurals: tuple[str, ...]
    part: str
    rules: tuple[Rule, ...]
    note: str
    source: str
    follows_noun: bool
    vocabulary: str
    is_sure: bool = False
    flags: frozenset[str] = frozenset()


class _Sure(NamedTuple):
    """A row of ``sure.tsv``: a term whose plain term is right in nearly every context."""

    term: str
    part: str
    plain: str
    flags: frozenset[str]


@cache
def _sure_terms() -> Mapping[tuple[tuple[str, ...], str], _Sure]:
    """Return the rows of ``sure.tsv``, keyed by the words of the term (in one spelling) and part of
    speech.
    """
    rows = (line.split("\t") for line in resource_lines("plain_terms/sure.tsv")[1:])
    return {
        (_words_of(term), part): _Sure(term, part, plain, frozenset(flags.split()))
        for term, part, plain, flags in rows
    }


@cache
def recommended_words() -> frozenset[str]:
    """Return the words that plain terms use, unless they have a plain term themselves.

    >>> {"bowel", "painkiller", "vein"} <= recommended_words(), "pyrexia" in recommended_words()
    (True, False)
    """
    rows = [row for row in plain_terms() if row.is_sure]
    terms = {term for term, _ in trusted_terms()} | {row.term for row in rows}
    trusted = [plain for plains in trusted_terms().values() for plain in plains]
    texts = (*trusted, *(text for row in rows for text in (*row.plain, *row.plurals)))
    words = {word.strip(",").lower() for text in texts for word in text.split()}
    plurals = {plural(word) for word in words}
    return frozenset((words | plurals) - terms)


@cache
def trusted_terms() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the plain terms that may replace a term by one click, keyed by term and part of
    speech.

    Judges found them right in every one of at least five sentences.

    >>> sorted(trusted_terms()["medication", "noun"])
    ['medicine']
    """
    trusted: dict[tuple[str, str], set[str]] = {}
    for line in resource_lines("plain_terms/judged.tsv")[1:]:
        term, part, plain, right, judged = line.split("\t")
        if int(right) >= _LEAST_RIGHT and right == judged:
            trusted.setdefault((term, part), set()).add(plain)
    return {key: frozenset(plain) for key, plain in trusted.items()}


@cache
def earned_terms() -> frozenset[str]:
    """Return the terms for which judges accepted every offer, of at least three."""
    rows = (line.split("\t") for line in resource_lines("plain_terms/offered.tsv")[1:])
    return frozenset(
        term for term, right, judged in rows if _LEAST_EARNED <= int(right) == int(judged)
    )


@cache
def abbreviations() -> Mapping[str, tuple[str, str]]:
    """Return the full form and the meaning of each abbreviation.

    >>> abbreviations()["BMI"][0]
    'body mass index'
    """
    lines = resource_lines("plain_terms/abbreviations.tsv")[1:]
    return {name: (full, note) for name, full, note in (line.split("\t") for line in lines)}


def _rules(text: str) -> Iterator[Rule]:
    for rule in text.split():
        position, words = rule.split(":")
        where, is_negative = position.removeprefix("not-"), position.startswith("not-")
        yield Rule(where, is_negative, frozenset(words.split(",")))


def plural_of(plain: str) -> str:
    """Return the plural of a plain noun, whose head may be followed by words such as "of ...".

    >>> [plural_of(plain) for plain in ("germ test", "bulge in a blood vessel", "calories eaten")]
    ['germ tests', 'bulges in a blood vessel', 'calories eaten']
    >>> plural_of("doctor or nurse"), plural_of("medicine that stops clots")
    ('doctors or nurses', 'medicines that stop clots')
    """
    words = plain.split()
    if len(words) == 3 and words[1] == "or":
        return f"{plural(words[0])} or {plural(words[2])}"
    head = head_of(words)
    end = words.index(head) + 1
    is_plural = end < len(words) and head.endswith("s") and not head.endswith("ss")
    tail = _of_several(words[end:])
    return " ".join((*words[: end - 1], head if is_plural else plural(head), *tail))


_BE_AND_HAVE = {"is": "are", "has": "have", "does": "do", "was": "were"}


def _of_several(tail: Sequence[str]) -> list[str]:
    """Convert a relative clause to the plural: "that stops clots", "that stop clots"."""
    words = list(tail)
    if len(words) > 1 and words[0] in ("that", "which", "who"):
        verb = words[1]
        if verb in _BE_AND_HAVE:
            words[1] = _BE_AND_HAVE[verb]
        elif verb.endswith("ies"):
            words[1] = f"{verb[:-3]}y"
        elif verb.endswith("sses") or verb.endswith("ches") or verb.endswith("shes"):
            words[1] = verb[:-2]
        elif verb.endswith("s") and not verb.endswith("ss"):
            words[1] = verb[:-1]
    return words


def head_of(words: Sequence[str]) -> str:
    """Return the main word of a plain noun: the last one, or the one before a word such as "of"."""
    after = word_list("after head")
    return words[next((n for n, word in enumerate(words) if n and word in after), 0) - 1]


@cache
def plain_terms() -> tuple[PlainTerm, ...]:
    """Return all rows of the tables of medical and general terms.

    >>> next(row.plain for row in plain_terms() if row.term == "myocardial infarction")
    ('heart attack',)
    """
    rows = []
    unused, refusals = dict(_sure_terms()), _refusals()
    for list_name in LISTS:
        for line in resource_lines(f"plain_terms/{list_name}.tsv")[1:]:
            term, plains, part, when, note, source, position, irregular = line.split("\t")
            plain = tuple(plains.split(" | ")) if plains else ()
            special = irregular.split(" | ") if irregular else ["-"] * len(plain)
            both = zip(plain, special, strict=False) if part == "noun" else ()
            plurals = tuple(plural_of(one) if form == "-" else form for one, form in both)
            rules, follows_noun = tuple(_rules(when)), position == "after"
            key = (_words_of(term), part)
            sure = _sure_terms().get(key)
            if sure and rules and sure.plain in plain:
                rows.append(replace(_sure_row(sure, term, note, list_name), rules=rules))
                if rules == refusals.get(key):
                    unused.pop(key, None)
                continue
            if sure and not rules and _RULED not in sure.flags:
                refused = refusals.get(key, ())
                if unused.pop(key, None):
                    rows.append(replace(_sure_row(sure, term, note, list_name), rules=refused))
                if not refused:
                    continue
            rows.append(
                PlainTerm(term, plain, plurals, part, rules, note, source, follows_noun, list_name)
            )
    rows += [
        replace(_sure_row(sure, sure.term, "", MEDICAL), rules=refusals.get(key, ()))
        for key, sure in unused.items()
        if _RULED not in sure.flags
    ]
    each_once = {(row.term, row.part, row.rules, row.vocabulary): row for row in reversed(rows)}
    return tuple(reversed(each_once.values()))


def _refusals() -> Mapping[tuple[tuple[str, ...], str], tuple[Rule, ...]]:
    """Return the negative rules of sure terms: "malignant" is not "cancerous" before
    "hyperthermia".

    They are taken from the only row of the tables with that plain term.
    """
    found: dict[tuple[tuple[str, ...], str], list[tuple[Rule, ...]]] = {}
    for list_name in LISTS:
        for line in resource_lines(f"plain_terms/{list_name}.tsv")[1:]:
            term, plains, part, when, *_ = line.split("\t")
            key = (_words_of(term), part)
            sure = _sure_terms().get(key)
            if sure and sure.plain in plains.split(" | "):
                found.setdefault(key, []).append(
                    tuple(rule for rule in _rules(when) if rule.negative)
                )
    return {key: _common(several) for key, several in found.items()}


def _common(several: Sequence[tuple[Rule, ...]]) -> tuple[Rule, ...]:
    """Return the rules that all rows share, with the words that every row refuses in that
    position.
    """
    first, *others = several
    rules = []
    for rule in first:
        words = [
            frozenset().union(*(one.words for one in other if one.where == rule.where))
            for other in others
        ]
        common = rule.words.intersection(*words)
        if common:
            rules.append(rule._replace(words=common))
    return tuple(rules)


def _sure_row(sure: _Sure, term: str, note: str, vocabulary: str) -> PlainTerm:
    plurals = (plural_of(sure.plain),) if sure.part == "noun" else ()
    follows_noun = "after" in sure.flags
    return PlainTerm(
        term,
        (sure.plain,),
        plurals,
        sure.part,
        (),
        note,
        "own",
        follows_noun,
        vocabulary,
        True,
        sure.flags,
    )


class TermForm(NamedTuple):
    """An inflected form of a term: the name of the form, and the row of the term."""

    row: PlainTerm
    name: str


class TermIndex(NamedTuple):
    """The forms of all terms, for looking them up in a text.

    One mapping is keyed by the words of a form, in one spelling. The other has, for each first
    word, the largest number of words of a form.
    """

    forms: Mapping[tuple[str, ...], tuple[TermForm, ...]]
    longest: Mapping[str, int]


def _words_of(form: str) -> tuple[str, ...]:
    if form.isalpha():
        return (one_spelling(form),)
    tokens = (token for piece in split_pieces(form) for token in tokenize(piece))
    return tuple(one_spelling(token) for token in tokens if token not in HYPHENS)


@cache
def index() -> TermIndex:
    forms: dict[tuple[str, ...], list[TermForm]] = {}
    for row in sorted(plain_terms(), key=lambda row: not row.rules):
        for form, name in forms_of(row.term, row.part):
            forms.setdefault(_words_of(form), []).append(TermForm(row, name))
    longest: dict[str, int] = {}
    for words, candidates in forms.items():
        candidates.sort(key=lambda form: (not form.row.rules, form.name != BASE))
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return TermIndex({words: tuple(candidates) for words, candidates in forms.items()}, longest)
