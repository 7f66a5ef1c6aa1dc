"""Which plain terms fit in the place of a term.

The rules here are of grammar and of fixed phrases: by them "bulges through a muscle wall" cannot
stand for "hernias" in "incisional hernias", although that is what it says. Whether the words have
that sense at all is settled before, by `offers`.

Each rule for a part of speech says what keeps a plain term out of its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from understandability.feature.inflection import (
    BASE,
    ING,
    PARTICIPLE,
    PAST,
    PLURAL,
    is_irregular_plural,
    verb_form,
)
from understandability.feature.tagger import UNIVERSAL, default_tagger
from understandability.feature.terms import singular
from understandability.text.tokens import tokenize
from understandability.writers.plain_terms.matches import OBJECT, SUBJECT, Match
from understandability.writers.plain_terms.placing import common_form
from understandability.writers.plain_terms.term_tables import AFTER_HEAD, head_of

_ARTICLES = ("a", "an")
_NAMES = frozenset(("NOUN", "ADJ", "PROPN"))
_NOUNS = frozenset(("NOUN", "PROPN"))
_WITHOUT_OBJECT = frozenset(("PUNCT", "ADP", "AUX"))
_WANTS_OBJECT = frozenset(("of", "to", "into", "in", "from", "with", "for", "as"))
_AFTER_PREDICATE = frozenset(("PUNCT", "ADP", "SCONJ", "PART", "AUX", "VERB"))
_OF_NOUN = frozenset(("ADP", "NUM", "CCONJ", "NOUN", "ADJ", "PROPN", "PART"))
_BEFORE_NOUN = frozenset(("DET", "ADJ", "NUM", "ADP", "CCONJ"))
_DEGREES = frozenset(("more", "most", "less", "least", "very", "so", "too", "quite", "rather"))
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
# Ends of terms that may do without an article.
_UNCOUNTED = (
    "age", "ia", "ing", "ion", "is", "ism", "ity", "ma", "ment", "nce", "placebo", "sound", "ure",
    "y",
)  # fmt: skip
_CLAUSE = frozenset(("how", "what", "when", "whether", "too", "with", "not", "no", "out"))
# Ends of adjectives that say of which kind a thing is ("incisional"), and some that do not.
_OF_A_KIND = ("al", "ar", "ary", "ic", "ine", "ive", "ous")
_OF_ANY_KIND = frozenset(
    ("additional", "chronic", "extensive", "final", "initial", "massive", "normal", "particular",
     "previous", "primary", "progressive", "secondary", "serious", "several", "similar", "specific",
     "total", "typical", "usual", "various")
)  # fmt: skip
# Plain verbs that make no sense without an object, and words of time that are none.
_TRANSITIVE = frozenset(
    (
        "bring",
        "cause",
        "find",
        "get",
        "give",
        "have",
        "lower",
        "make",
        "need",
        "put",
        "raise",
        "show",
        "take",
        "use",
    )
)
_TIMES = frozenset(("hours", "days", "weeks", "months", "years", "decades"))
_BEFORE_NUMBER = ("at least", "at most", "up to")
_SPLIT = re.compile("[ -]")
_NO_PASSIVE = frozenset(("become", "come", "fall", "get", "go", "grow", "happen", "rise"))


@dataclass(frozen=True, slots=True)
class _Plain:
    """A plain term in words; what follows its `head` is its tail: "bulge" and "in a vessel"."""

    text: str
    words: tuple[str, ...]
    head: str
    is_doing: bool
    is_clause: bool
    has_tail: bool


@lru_cache(None)
def _tags(text: str) -> tuple[str, ...]:
    """The tags of a plain noun or adjective, "yellow skin" or "long-term"."""
    tokens = ["of", *tokenize(text)]
    return tuple(UNIVERSAL[tag] for tag in default_tagger().tag(tokens, np.array([0]))[1:])


def _is_doing(words: Sequence[str]) -> bool:
    """Whether a plain noun says what somebody does: "taking out", not "lining of the womb"."""
    first, *others = words
    if not others or not first.endswith("ing") or "-" in first or first.endswith("thing"):
        return False
    one, two, *_ = _tags(" ".join(words))
    return others[0] != "of" and (one not in ("NOUN", "ADJ") or two not in ("NOUN", "ADP", "CCONJ"))


@lru_cache(None)
def _plain(text: str) -> _Plain:
    words = tuple(text.split())
    is_doing = _is_doing(words)
    is_clause = len(words) > 1 and (is_doing or words[0] in _CLAUSE or "it" in words)
    return _Plain(
        text,
        words,
        head_of(words),
        is_doing,
        is_clause,
        is_clause or any(word.strip(",") in AFTER_HEAD for word in words[1:]),
    )


def fits(match: Match, plain: str) -> bool:
    """Whether a plain term can stand in the place of the term."""
    if _is_abbreviated(match):
        return False
    known = _plain(plain)
    return not any(rule(match, known) for rule in _AGAINST.get(match.form.row.part, ()))


def _is_abbreviated(match: Match) -> bool:
    """ "confidence interval (CI)": the letters would stand for nothing."""
    tokens, end = match.sentence.tokens, match.end
    if match.sentence.word(end) not in ("(", "[") or end + 1 >= len(tokens):
        return False
    short = tokens[end + 1].rstrip("s")
    return len(short) > 1 and short.isupper() and short[0] == tokens[match.start][0].upper()


# Nouns


def _shares_its_head(match: Match, _: _Plain) -> bool:
    """ "systolic and diastolic blood pressure" """
    sentence, start = match.sentence, match.start
    first = start - 3 if sentence.word(start - 2) == "," else start - 2
    return match.end - start > 1 and match.before == "CCONJ" and sentence.tag(first) == "ADJ"


def _changes_number(match: Match, plain: _Plain) -> bool:
    """A verb or a missing article shows it: "advice have", "signs of open sore"."""
    sentence, row = match.sentence, match.form.row
    several = match.form.name == PLURAL or _is_plural(row.term)
    if plain.head in _SPLIT.split(row.term):
        return False  # "control group", "comparison group"
    one_form = row.plurals[row.plain.index(plain.text)] == plain.text
    if one_form and several != _ends_as_several(plain.head):
        return not _is_object(match)
    if several or plain.head not in _COUNTED or not row.term.endswith(_UNCOUNTED):
        return False
    if match.behind in _NOUNS:
        return False
    before = match.start - 1
    while before >= 0 and sentence.tag(before) in ("ADJ", "NOUN", "PROPN", "ADV"):
        before -= 1
    has_article = sentence.word(before + 1) in _ARTICLES
    return not has_article and sentence.tag(before) not in ("DET", "PRON", "NUM")


def _is_plural(noun: str) -> bool:
    """Whether a term is one of several things by itself: "guidelines", "criteria"."""
    return singular(noun) != noun or is_irregular_plural(_SPLIT.split(noun)[-1])


def _ends_as_several(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith("ss")


def _is_object(match: Match) -> bool:
    """Whether a verb or preposition stands within three words before, so that no verb follows."""
    tags = [match.sentence.tag(place) for place in range(match.start - 1, match.start - 4, -1)]
    until = tags.index("PUNCT") if "PUNCT" in tags else len(tags)
    return not {"VERB", "ADP"}.isdisjoint(tags[:until])


def _parts_an_adjective(match: Match, plain: _Plain) -> bool:
    """ "the adaptive body's defence system" """
    return plain.words[0].endswith("'s") and match.before == "ADJ"


def _is_long_before_a_noun(match: Match, plain: _Plain) -> bool:
    """ "look into the bowel with a camera screening" """
    return match.behind in (*_NOUNS, "NUM") and (plain.has_tail or len(plain.words) > 2)


def _is_clause_after_a_modifier(match: Match, plain: _Plain) -> bool:
    """ "the highest how common it is" """
    return plain.is_clause and match.before in ("ADJ", "DET", "NOUN", "NUM", "PROPN", "VERB")


def _has_two_tails(match: Match, plain: _Plain) -> bool:
    """ "start of pregnancy of a baby", not "going away of symptoms", "fingers or toes of both" """
    return (
        match.sentence.word(match.end) in ("of", "to")
        and plain.has_tail
        and not (plain.is_doing and len(plain.words) == 2)
        and "or" not in plain.words
    )


def _has_tail_after_a_noun(match: Match, plain: _Plain) -> bool:
    """ "skeletal cancer spread to bone" """
    return plain.has_tail and match.before in _NOUNS


def _is_of_a_kind(match: Match) -> bool:
    """Whether an adjective that no other may part from its noun stands before: "incisional"."""
    word = match.sentence.word(match.start - 1)
    return match.before == "ADJ" and word.endswith(_OF_A_KIND) and word not in _OF_ANY_KIND


def _has_tail_after_an_adjective(match: Match, plain: _Plain) -> bool:
    """ "incisional bulge through a muscle wall", "young person who prepares medicines" """
    has_clause = match.before == "ADJ" and not {"who", "that"}.isdisjoint(plain.words)
    is_less = match.sentence.word(match.start - 1) == "less"  # "less strength of pain"
    return has_clause or (plain.has_tail and (is_less or _is_of_a_kind(match)))


def _begins_as_an_adjective(match: Match, plain: _Plain) -> bool:
    """ "anticoagulation further problem", "condylar broken bone" """
    if len(plain.words) == 1 or not match.is_one_word:
        return False
    is_modified = match.before in _NOUNS or _is_of_a_kind(match)
    return is_modified and _tags(plain.text)[0] in ("ADJ", "VERB")


def _is_doing_of_a_kind(match: Match, plain: _Plain) -> bool:
    """ "oral drinking", but "significant blocking of the repair" """
    is_doing = len(plain.words) == 1 and plain.text.endswith("ing")
    return is_doing and _is_of_a_kind(match) and match.sentence.word(match.end) != "of"


def _is_within_a_compound(match: Match, plain: _Plain) -> bool:
    """ "cancer tendency syndromes" """
    return match.is_one_word and match.before in _NOUNS and match.behind in _NOUNS


# Verbs


def _is_being(match: Match, plain: _Plain) -> bool:
    """ "mechanisms being the cause of it" for "mechanisms underlying it" """
    name = match.form.name
    free = name == BASE and match.sentence.tag(match.start - 1) not in ("AUX", "PART", "VERB")
    return plain.words[0] == "be" and (name == ING or free)


def _has_no_passive(match: Match, plain: _Plain) -> bool:
    """ "was got worse" for "was deteriorated" """
    return plain.words[0] in _NO_PASSIVE and match.is_passive


def _is_past_or_participle(match: Match, plain: _Plain) -> bool:
    """ "rates declined by half", "rates taken by nurses": which it is nobody knows."""
    unknown = match.is_past and not match.past_or_participle()
    return unknown and common_form(plain.text) == BASE


def _has_no_object(match: Match, plain: _Plain) -> bool:
    """ "effects may get months after it" for "effects may develop months after it" """
    return plain.text in _TRANSITIVE and not match.is_past and _lacks_object(match)


def _lacks_object(match: Match) -> bool:
    one, two = match.sentence.word(match.end), match.sentence.word(match.end + 1)
    if f"{one} {two}" in _BEFORE_NUMBER:
        return False
    return match.behind in _WITHOUT_OBJECT or one in _TIMES


def changes_sense(match: Match, plain: str) -> bool:
    """Whether a term would get another sense there, and not only another place.

    "to develop cancer" is "to get cancer"; "cancer develops" and "tests are developed" are not.
    """
    if match.form.row.part != "verb" or plain not in ("get", "have"):
        return False
    return match.is_passive or (not match.is_past and _lacks_object(match))


def _is_irregular_before_a_noun(match: Match, plain: _Plain) -> bool:
    """ "thought risk factors" for "hypothesised risk factors" """
    return (
        match.is_past
        and match.behind in _NAMES
        and match.before in ("", "DET", "ADJ", "ADP")
        and not verb_form(plain.words[0], PARTICIPLE).endswith("ed")
    )


def _wants_an_object(match: Match, plain: _Plain) -> bool:
    """ "was put a tube into" for "was intubated" """
    last = plain.words[-1]
    return (
        len(plain.words) > 1
        and last in _WANTS_OBJECT
        and (match.is_passive or match.behind not in OBJECT)
        and not match.form.row.term.endswith(last)
    )


def _is_long_participle_before_a_noun(match: Match, plain: _Plain) -> bool:
    """ "an assigned by chance trial": only one word may stand before its noun."""
    if len(plain.words) == 1 or not match.is_one_word or match.before in ("AUX", "PART"):
        return False
    if match.form.name in (PAST, PARTICIPLE, ING) and match.before in ("DET", "ADJ", "NUM"):
        return True
    return (
        match.is_past
        and match.behind in _NAMES
        and match.sentence.tag(match.start) != "AUX"
        and not (match.form.name == PAST and match.before in SUBJECT)
    )


# Adjectives


def _is_not_before_a_noun(match: Match, plain: _Plain) -> bool:
    """ "a not normal result" """
    return plain.words[0] == "not" and match.behind in _NAMES


def _has_tail_before_a_noun(match: Match, plain: _Plain) -> bool:
    """ "three active in the body compounds", but "nerve and brain problems" """
    has_tail = any(word in AFTER_HEAD and word not in ("and", "or") for word in plain.words[1:-1])
    return has_tail and not match.form.row.behind and match.behind in _NAMES


def _is_compared(match: Match, plain: _Plain) -> bool:
    """ "more large surgery" """
    return (
        not match.form.row.behind
        and len(plain.words) == 1
        and match.sentence.word(match.start - 1) in _DEGREES
        and len(plain.text) <= _SHORT
    )


def _is_greatest_without_the(match: Match, plain: _Plain) -> bool:
    """ "30% of greatest workload" """
    first = plain.words[0]
    is_greatest = first in ("worst", "most") or (
        first.endswith("est") and "-" not in first and _tags(first) == ("ADJ",)
    )
    return is_greatest and match.before not in ("DET", "PRON", "PART", "AUX")


def _is_long_after_a_degree(match: Match, plain: _Plain) -> bool:
    """ "moderately vomiting-causing" """
    is_long = len(plain.words) > 1 or "-" in plain.text
    degree = match.sentence.word(match.start - 1)
    is_after = match.before == "ADV" and (degree.endswith("ly") or degree in _DEGREES)
    return is_long and is_after and not match.form.row.behind


def _is_noun_before_an_of(match: Match, plain: _Plain) -> bool:
    """ "parent difficulty of access", "children's outcomes of 129 children" """
    return (
        not match.form.row.behind
        and match.behind in _NOUNS
        and match.sentence.word(match.end + 1) == "of"
        and _tags(f"{plain.text} results")[-2] == "NOUN"
        and "-" not in plain.text
    )


def _follows_a_verb(match: Match, plain: _Plain) -> bool:
    """ "becoming with a negative blood test" """
    return not match.form.row.behind and plain.words[0] in _WANTS_OBJECT and match.before == "VERB"


def _finds_no_place_behind(match: Match, plain: _Plain) -> bool:
    """Of an adjective that goes behind its noun: "growth before and after birth"."""
    if not match.form.row.behind:
        return False
    sentence, end = match.sentence, match.end
    until = match.end_of_nouns()
    if until == end:  # "was unresectable", not "localized or regional disease"
        return (
            plain.words[0] == "that"  # "it was that has spread"
            or match.behind not in _AFTER_PREDICATE
            or sentence.tag(match.start - 1) in _BEFORE_NOUN
        )
    if match.before == "CCONJ" or sentence.is_in_compound(end, until):
        return True  # "prenatal and postnatal growth", "intravenous contrast-enhanced"
    # "excess risk of cancer", "grade 3 pain", "readiness to change": behind all of it
    return sentence.tag(until) in _OF_NOUN and sentence.word(until) not in ("between", "among")


# Adverbs


def _is_long_before_a_verb(match: Match, plain: _Plain) -> bool:
    """ "by surgery removed" """
    return len(plain.words) > 1 and match.behind in ("VERB", "ADJ", "ADV", "AUX", "NOUN")


_Rule = Callable[[Match, _Plain], bool]
_AGAINST: Mapping[str, tuple[_Rule, ...]] = {
    "noun": (
        _shares_its_head,
        _changes_number,
        _parts_an_adjective,
        _is_long_before_a_noun,
        _is_clause_after_a_modifier,
        _has_two_tails,
        _has_tail_after_a_noun,
        _has_tail_after_an_adjective,
        _begins_as_an_adjective,
        _is_doing_of_a_kind,
        _is_within_a_compound,
    ),
    "verb": (
        _is_being,
        _has_no_passive,
        _is_past_or_participle,
        _has_no_object,
        _is_irregular_before_a_noun,
        _wants_an_object,
        _is_long_participle_before_a_noun,
    ),
    "adjective": (
        _is_not_before_a_noun,
        _has_tail_before_a_noun,
        _is_compared,
        _is_greatest_without_the,
        _is_long_after_a_degree,
        _is_noun_before_an_of,
        _follows_a_verb,
        _finds_no_place_behind,
    ),
    "adverb": (_is_long_before_a_verb,),
}
