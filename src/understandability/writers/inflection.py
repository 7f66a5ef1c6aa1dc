"""Inflect English nouns and verbs, regular and irregular; unify British and American spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from understandability.resources import resource_lines

BASE, PLURAL, THIRD, PAST, PARTICIPLE, ING = "base", "plural", "s", "past", "participle", "ing"
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_SHORT_VERB = re.compile(r"[aeiou][bdgklmnprt]$")
_SPLIT = re.compile(r"([ -])")
_HEAD_FIRST = frozenset(("of", "to", "in", "for"))


@dataclass(frozen=True, slots=True)
class _Irregular:
    """A noun's irregular plural, or a verb's past, participle and -ing form ('' for a regular
    form).
    """

    form: str
    participle: str
    ing: str


@cache
def _irregular(part: str) -> Mapping[str, _Irregular]:
    rows = (line.split("\t") for line in resource_lines("plain_terms/irregular.tsv")[1:])
    return {word: _Irregular(*forms) for word, word_class, *forms in rows if word_class == part}


def plural(noun: str) -> str:
    """Return the plural of a noun.

    >>> [plural(noun) for noun in ("biopsy", "crutch", "vertebra")]
    ['biopsies', 'crutches', 'vertebrae']
    """
    irregular = _irregular("noun").get(noun)
    return irregular.form if irregular else _with_s(noun)


@cache
def _irregular_plurals() -> frozenset[str]:
    return frozenset(forms.form for forms in _irregular("noun").values())


def is_irregular_plural(word: str) -> bool:
    """Return True for an irregular plural, such as "criteria".

    >>> [is_irregular_plural(word) for word in ("criteria", "criterion", "biopsies")]
    [True, False, False]
    """
    return word in _irregular_plurals()


_VERBS_IN_LY = frozenset(("apply", "fly", "rely", "reply", "supply", "multiply", "comply"))


def verb_form(verb: str, form: str) -> str:
    """Return a form of a verb, or of a phrase that begins with a verb, perhaps after an adverb.

    >>> [verb_form("take out", form) for form in (THIRD, PAST, PARTICIPLE, ING)]
    ['takes out', 'took out', 'taken out', 'taking out']
    >>> [verb_form(verb, ING) for verb in ("stop", "die", "see", "ease")]
    ['stopping', 'dying', 'seeing', 'easing']
    >>> verb_form("gently push", PAST)
    'gently pushed'
    """
    first, space, rest = verb.partition(" ")
    if rest and first.endswith("ly") and first not in _VERBS_IN_LY:
        return first + space + verb_form(rest, form)
    inflect = {THIRD: _third, PAST: _past, PARTICIPLE: _participle, ING: _ing}.get(form)
    return (inflect(first) if inflect else first) + space + rest


def _with_s(word: str) -> str:
    if _SIBILANT.search(word):
        return word + "es"
    return word[:-1] + "ies" if _CONSONANT_Y.search(word) else word + "s"


def _third(verb: str) -> str:
    special = {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(verb)
    return special or (verb + "es" if verb.endswith("o") else _with_s(verb))


def _past(verb: str) -> str:
    irregular = _irregular("verb").get(verb)
    if irregular:
        return irregular.form
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if _CONSONANT_Y.search(verb) else verb + "ed"


def _participle(verb: str) -> str:
    irregular = _irregular("verb").get(verb)
    return (irregular.participle if irregular else "") or _past(verb)


def _ing(verb: str) -> str:
    irregular = _irregular("verb").get(verb)
    if irregular and irregular.ing:
        return irregular.ing
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    silent = verb.endswith("e") and not verb.endswith(("ee", "oe", "ye"))
    return (verb[:-1] if silent else verb) + "ing"


def forms_of(term: str, part: str) -> Iterator[tuple[str, str]]:
    """Yield the inflected forms of a term, each with its name; a phrase has one form.

    >>> dict(forms_of("metastasis", "noun"))
    {'metastasis': 'base', 'metastases': 'plural'}
    >>> [form for form, _ in forms_of("undergo", "verb")]
    ['undergo', 'underwent', 'undergone', 'undergoing', 'undergoes']
    """
    yield term, BASE
    if part == "noun":
        words = _SPLIT.split(term)
        # "causes of death": the head is the first word
        at = 0 if len(words) > 3 and words[2] in _HEAD_FIRST else len(words) - 1
        for form in sorted(_plurals(words[at])):
            yield "".join([*words[:at], form, *words[at + 1 :]]), PLURAL
    elif part == "verb":
        first, *others = _SPLIT.split(term)
        rest = "".join(others)
        yield _past(first) + rest, PAST
        if _participle(first) != _past(first):
            yield _participle(first) + rest, PARTICIPLE
        if first not in _irregular("verb") and _SHORT_VERB.search(first):
            yield first + first[-1] + "ed" + rest, PAST  # "biopsied", "labelled"
        yield _ing(first) + rest, ING
        yield _third(first) + rest, THIRD


def _plurals(noun: str) -> set[str]:
    """Return the plurals of a noun, including Greek and Latin ones."""
    if noun.endswith("sis"):
        return {noun[:-2] + "es"}
    plurals = {plural(noun), _with_s(noun)}
    for end, others in (("oma", ("omata",)), ("um", ("a",)), ("us", ("i",)), ("a", ("ae",))):
        if noun.endswith(end):
            plurals.update(noun[: -len(end)] + other for other in others)
    return plurals


_SPELLINGS = (
    (re.compile(r"ae"), "e"),
    (re.compile(r"oe"), "e"),
    (re.compile(r"’"), "'"),
    (re.compile(r"our(?=$|s$|ed$|ing$|al$|ally$)"), "or"),
    (re.compile(r"is(?=(?:e|ed|es|er|ing|ation|ations)$)"), "iz"),
    (re.compile(r"ys(?=(?:e|ed|es|ing)$)"), "yz"),
    (re.compile(r"tre(s?)$"), r"ter\1"),
)


@lru_cache(1 << 16)
def one_spelling(word: str) -> str:
    """Return a form that is common to the British and American spellings of a word.

    >>> one_spelling("Haemorrhage") == one_spelling("hemorrhage")
    True
    """
    word = word.lower()
    for pattern, new in _SPELLINGS:
        word = pattern.sub(new, word)
    return word


@cache
def _participles() -> frozenset[str]:
    return frozenset(forms.participle or forms.form for forms in _irregular("verb").values())


_OTHER_PARTICIPLES = frozenset(
    """beaten bitten forbidden forgotten forgiven gotten hidden proven rewritten ridden shaken
    stricken struck stung sworn torn trodden woken worn woven wound overtaken undergone withdrawn
    withheld""".split()  # noqa: SIM905
)


def is_participle(word: str) -> bool:
    """Return True if a verb form may be a past participle; often it is also the past tense.

    >>> [is_participle(word) for word in ("treated", "given", "gave", "give")]
    [True, True, False, False]
    """
    return word.endswith("ed") or word in _participles() or word in _OTHER_PARTICIPLES
