"""Which plain terms fit in the place of a term: a table of what keeps them out.

The rules are of grammar, of fixed phrases and of definitions: by them "bulge through a muscle wall"
cannot stand for "hernia" in "incisional hernia", although that is what it says. Whether the words
have that sense at all is settled before, by `offers`.

Each rule has a name and two examples, one that it refuses and one that it lets pass. In examples
the term is in brackets, with its base form behind ``<`` where it is inflected; the plain term comes
behind ``=``, or ``=>`` where it goes behind the noun; a word has its tag behind a slash, and is a
noun without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
from understandability.writers.plain_terms.term_tables import AFTER_HEAD, MEDICAL, head_of

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
    ("avoid", "bring", "cause", "find", "get", "give", "have", "lower", "make", "need", "put",
     "raise", "show", "take", "use")
)  # fmt: skip
_TIMES = frozenset(("hours", "days", "weeks", "months", "years", "decades"))
_BEFORE_NUMBER = ("at least", "at most", "up to")
_SPLIT = re.compile("[ -]")
_SMALL = 3  # letters of "the" and shorter, which say nothing of what a term means


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain term in words with their tags; behind its `head` stands its tail: "in a vein"."""

    words: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def head(self) -> str:
        return head_of(self.words)

    @property
    def is_doing(self) -> bool:
        """Whether a noun says what somebody does: "taking out", not "lining of the womb"."""
        first, *others = self.words
        if not others or not first.endswith("ing") or "-" in first or first.endswith("thing"):
            return False
        one, two = self.tags[:2]
        is_noun = one in ("NOUN", "ADJ") and two in ("NOUN", "ADP", "CCONJ")
        return others[0] != "of" and not is_noun

    @property
    def is_clause(self) -> bool:
        asks = self.words[0] in _CLAUSE or "it" in self.words
        return len(self.words) > 1 and (self.is_doing or asks)

    @property
    def has_tail(self) -> bool:
        return self.is_clause or any(word.strip(",") in AFTER_HEAD for word in self.words[1:])


@lru_cache(None)
def plain_of(text: str) -> Plain:
    """A plain term with the tags that its words have behind "of"; one word's before a noun."""
    words, tokens = tuple(text.split()), tokenize(text)
    behind = ["results"] * (len(words) == 1)
    tags = default_tagger().tag(["of", *tokens, *behind], np.array([0]))[1 : len(tokens) + 1]
    return Plain(words, tuple(UNIVERSAL[tag] for tag in tags))


@dataclass(frozen=True, slots=True)
class FitRule:
    """What keeps a plain term from the place of a term of that part of speech ('': of any).

    `against` says whether it does; `refused` and `allowed` are examples.
    """

    part: str
    name: str
    refused: str
    allowed: str
    against: Callable[[Match, Plain], bool]


def fits(match: Match, plain: str) -> bool:
    """Whether a plain term can stand in the place of the term."""
    known = plain_of(plain)
    part = match.form.row.part
    return not any(rule.part in ("", part) and rule.against(match, known) for rule in RULES)


def changes_sense(match: Match, plain: str) -> bool:
    """Whether a term would get another sense there, and not only another place.

    "to develop cancer" is "to get cancer"; "cancer develops" and "tests are developed" are not.
    """
    if match.form.row.part != "verb" or plain not in ("get", "have"):
        return False
    return match.is_passive or (not match.is_past and _lacks_object(match))


def _is_abbreviated(match: Match, _: Plain) -> bool:
    tokens, end = match.sentence.tokens, match.end
    if match.next_word not in ("(", "[") or end + 1 >= len(tokens):
        return False
    short = tokens[end + 1].rstrip("s")
    return len(short) > 1 and short.isupper() and short[0] == tokens[match.start][0].upper()


def _is_said_beside(match: Match, plain: Plain) -> bool:
    """Whether all that the plain term says stands near the term."""
    own = {word.lower() for word in plain.words if len(word) > _SMALL}
    near = range(max(0, match.start - 8), min(len(match.sentence.tokens), match.end + 8))
    places = [place for place in near if not match.start <= place < match.end]
    found = {word for word in own if any(word in match.sentence.stems(place) for place in places)}
    return len(own) > 1 and len(found) == len(own)


def _changes_number(match: Match, plain: Plain) -> bool:
    sentence, row = match.sentence, match.form.row
    several = match.form.name == PLURAL or _is_plural(row.term)
    if plain.head in _SPLIT.split(row.term):
        return False  # "control group", "comparison group"
    one_form = row.plurals[row.plain.index(plain.text)] == plain.text
    if one_form and several != (plain.head.endswith("s") and not plain.head.endswith("ss")):
        return not _is_object(match)
    if several or plain.head not in _COUNTED or not row.term.endswith(_UNCOUNTED):
        return False
    if match.behind in _NOUNS:
        return False
    before = match.start - 1
    while before >= 0 and sentence.tag(before) in ("ADJ", "NOUN", "PROPN", "ADV"):
        before -= 1
    has_article = sentence.word(before + 1) in ("a", "an")
    return not has_article and sentence.tag(before) not in ("DET", "PRON", "NUM")


def _is_plural(noun: str) -> bool:
    """Whether a term is one of several things by itself: "guidelines", "criteria"."""
    return singular(noun) != noun or is_irregular_plural(_SPLIT.split(noun)[-1])


def _is_object(match: Match) -> bool:
    """Whether a verb or preposition stands within three words before, so that no verb follows."""
    tags = [match.sentence.tag(place) for place in range(match.start - 1, match.start - 4, -1)]
    until = tags.index("PUNCT") if "PUNCT" in tags else len(tags)
    return not {"VERB", "ADP"}.isdisjoint(tags[:until])


def _has_two_tails(match: Match, plain: Plain) -> bool:
    is_short = plain.is_doing and len(plain.words) == 2  # "going away of symptoms"
    is_two = match.next_word in ("of", "to") and plain.has_tail and "or" not in plain.words
    return is_two and not is_short


def _is_of_a_kind(match: Match) -> bool:
    """Whether an adjective that no other may part from its noun stands before: "incisional"."""
    word = match.last_word
    return match.before == "ADJ" and word.endswith(_OF_A_KIND) and word not in _OF_ANY_KIND


def _is_in_a_phrase(match: Match, _: Plain) -> bool:
    """Whether a noun stands among nouns, is joined to another, or is of a kind: "muscular atrophy".

    What is said so is mostly a name or a list; judges found a tenth to a third of such terms wrong.
    """
    is_joined = "CCONJ" in (match.before, match.behind)
    is_among = match.before in _NOUNS or match.behind in (*_NOUNS, "NUM")
    return is_joined or is_among or _is_of_a_kind(match)


def _is_in_a_name(match: Match, _: Plain) -> bool:
    """Whether an adjective is joined to another or in a name: "hepatic artery ligation"."""
    if "CCONJ" in (match.before, match.behind) or "," in (match.last_word, match.next_word):
        return True
    is_noun = match.sentence.tag(match.start) in _NOUNS and match.behind not in _NAMES
    is_long = match.form.row.kind == MEDICAL and match.end_of_nouns() - match.end > 1
    return is_noun or match.before in _NAMES or (is_long and not match.form.row.behind)


def _is_being(match: Match, plain: Plain) -> bool:
    name = match.form.name
    is_free = name == BASE and match.before not in ("AUX", "PART", "VERB")
    return plain.words[0] == "be" and (name == ING or is_free)


def _is_past_or_participle(match: Match, plain: Plain) -> bool:
    unknown = match.is_past and not match.past_or_participle()
    return unknown and common_form(plain.text) == BASE


def _has_no_object(match: Match, plain: Plain) -> bool:
    return plain.text in _TRANSITIVE and not match.is_past and _lacks_object(match)


def _lacks_object(match: Match) -> bool:
    one, two = match.next_word, match.sentence.word(match.end + 1)
    if f"{one} {two}" in _BEFORE_NUMBER:
        return False
    return match.behind in _WITHOUT_OBJECT or one in _TIMES


def _is_irregular_before_a_noun(match: Match, plain: Plain) -> bool:
    is_regular = verb_form(plain.words[0], PARTICIPLE).endswith("ed")
    is_before = match.behind in _NAMES and match.before in ("", "DET", "ADJ", "ADP")
    return match.is_past and is_before and not is_regular


def _wants_an_object(match: Match, plain: Plain) -> bool:
    last = plain.words[-1]
    has_none = match.is_passive or match.behind not in OBJECT
    wants = len(plain.words) > 1 and last in _WANTS_OBJECT
    return wants and has_none and not match.form.row.term.endswith(last)


def _is_long_participle_before_a_noun(match: Match, plain: Plain) -> bool:
    if len(plain.words) == 1 or not match.is_one_word or match.before in ("AUX", "PART"):
        return False
    name = match.form.name
    if name in (PAST, PARTICIPLE, ING) and match.before in ("DET", "ADJ", "NUM"):
        return True
    is_verb = name == PAST and match.before in SUBJECT
    is_before = match.behind in _NAMES and match.sentence.tag(match.start) != "AUX"
    return match.is_past and is_before and not is_verb


def _has_tail_before_a_noun(match: Match, plain: Plain) -> bool:
    has_tail = any(word in AFTER_HEAD and word not in ("and", "or") for word in plain.words[1:-1])
    return has_tail and not match.form.row.behind and match.behind in _NAMES


def _is_compared(match: Match, plain: Plain) -> bool:
    is_short = len(plain.words) == 1 and len(plain.text) <= _SHORT
    return not match.form.row.behind and is_short and match.last_word in _DEGREES


def _is_long_after_a_degree(match: Match, plain: Plain) -> bool:
    is_long = len(plain.words) > 1 or "-" in plain.text
    is_degree = match.last_word.endswith("ly") or match.last_word in _DEGREES
    return is_long and match.before == "ADV" and is_degree and not match.form.row.behind


def _is_noun_before_an_of(match: Match, plain: Plain) -> bool:
    is_of = match.behind in _NOUNS and match.sentence.word(match.end + 1) == "of"
    is_noun = plain.tags[-1] == "NOUN" and "-" not in plain.text
    return not match.form.row.behind and is_of and is_noun


def _finds_no_place_behind(match: Match, plain: Plain) -> bool:
    if not match.form.row.behind:
        return False
    sentence, end = match.sentence, match.end
    until = match.end_of_nouns()
    if until == end:  # "was unresectable", not "localized or regional disease"
        is_clause = plain.words[0] == "that"  # "it was that has spread"
        is_after = match.behind in _AFTER_PREDICATE and match.before not in _BEFORE_NOUN
        return is_clause or not is_after
    if sentence.is_in_compound(end, until):
        return True  # "intravenous contrast-enhanced"
    # "excess risk of cancer", "grade 3 pain", "readiness to change": behind all of it
    return sentence.tag(until) in _OF_NOUN and sentence.word(until) not in ("between", "among")


RULES = (
    FitRule("", "is abbreviated behind", "a/DET [confidence interval] (/PUNCT CI )/PUNCT = range",
            "a/DET [confidence interval] (/PUNCT wide/ADJ )/PUNCT = range", _is_abbreviated),
    FitRule("", "is being defined", "[hypertension] is/AUX a/DET disease = high blood pressure",
            "his/PRON [hypertension] is/AUX bad/ADJ = high blood pressure",
            lambda match, _: match.is_defined),
    FitRule("", "is said beside it", "[hypertension] or/CCONJ high/ADJ blood pressure"
            " = high blood pressure", "[hypertension] and/CCONJ low/ADJ mood = high blood pressure",
            _is_said_beside),
    FitRule("noun", "changes number", "signs of/ADP [ulceration] = open/ADJ sore",
            "an/DET [ulceration] was/AUX seen/VERB = open/ADJ sore", _changes_number),
    FitRule("noun", "is a clause after a modifier",
            "the/DET highest/ADJ [prevalence] = how/SCONJ common/ADJ it/PRON is/AUX",
            "we/PRON ask/VERB ,/PUNCT [prevalence] = how/SCONJ common/ADJ it/PRON is/AUX",
            lambda match, plain: plain.is_clause
            and match.before in ("ADJ", "DET", "NOUN", "NUM", "PROPN", "VERB")),
    FitRule("noun", "has two tails",
            "the/DET [conception] of/ADP a/DET baby = start of/ADP pregnancy",
            "the/DET [conception] came/VERB = start of/ADP pregnancy", _has_two_tails),
    FitRule("noun", "is in a phrase", "muscular/ADJ [atrophy] = wasting",
            "severe/ADJ [atrophy] = wasting", _is_in_a_phrase),
    FitRule("verb", "is being", "mechanisms [underlying/VERB<underlie] it/PRON = be/AUX behind/ADP",
            "it/PRON may/AUX [underlie/VERB] it/PRON = be/AUX behind/ADP", _is_being),
    FitRule("verb", "is past or participle",
            "rates [declined/VERB<decline] by/ADP half = go/VERB down",
            "rates [declined/VERB<decline] by/ADP half = drop/VERB", _is_past_or_participle),
    FitRule("verb", "has no object", "effects may/AUX [develop/VERB] months later/ADV = get/VERB",
            "they/PRON may/AUX [develop/VERB] cancer = get/VERB", _has_no_object),
    FitRule("verb", "is irregular before a noun",
            "[hypothesised/VERB<hypothesise] risks = think/VERB",
            "[hypothesised/VERB<hypothesise] risks = assume/VERB", _is_irregular_before_a_noun),
    FitRule("verb", "wants an object",
            "was/AUX [intubated/VERB<intubate] ./PUNCT = put/VERB a tube into",
            "they/PRON [intubated/VERB<intubate] him/PRON"
            " = put/VERB a tube into", _wants_an_object),
    FitRule("verb", "is a long participle before a noun",
            "a/DET [randomized/VERB<randomize] trial = assign/VERB by/ADP chance",
            "we/PRON were/AUX [randomized/VERB<randomize] ./PUNCT = assign/VERB by/ADP chance",
            _is_long_participle_before_a_noun),
    FitRule("adjective", "is not before a noun",
            "an/DET [abnormal/ADJ] result = not/PART normal/ADJ",
            "it/PRON is/AUX [abnormal/ADJ] ./PUNCT = not/PART normal/ADJ",
            lambda match, plain: plain.words[0] == "not" and match.behind in _NAMES),
    FitRule("adjective", "has a tail before a noun",
            "[bioactive/ADJ] compounds = active/ADJ in/ADP it",
            "it/PRON is/AUX [bioactive/ADJ] ./PUNCT"
            " = active/ADJ in/ADP it", _has_tail_before_a_noun),
    FitRule("adjective", "is compared", "more/ADV [extensive/ADJ] surgery = large/ADJ",
            "an/DET [extensive/ADJ] list = large/ADJ", _is_compared),
    FitRule("adjective", "is long after a degree", "a/DET highly/ADV [emetogenic/ADJ] drug"
            " = vomiting-causing/ADJ", "an/DET [emetogenic/ADJ] drug = vomiting-causing/ADJ",
            _is_long_after_a_degree),
    FitRule("adjective", "is a noun before an of",
            "[parental/ADJ] difficulty of/ADP access = parent",
            "the/DET [mean/ADJ] age of/ADP all/DET = average/ADJ", _is_noun_before_an_of),
    FitRule("adjective", "is in a name", "[hepatic/ADJ] artery ligation = liver",
            "the/DET [hepatic/ADJ] artery was/AUX cut/VERB = liver", _is_in_a_name),
    FitRule("adjective", "follows a verb", "becoming/VERB [seronegative/ADJ] = with/ADP a test",
            "people [seronegative/ADJ] ./PUNCT = with/ADP a test",
            lambda match, plain: not match.form.row.behind and plain.words[0] in _WANTS_OBJECT
            and match.before == "VERB"),
    FitRule("adjective", "finds no place behind", "[localized/ADJ] or/CCONJ regional/ADJ disease"
            " => in/ADP one/NUM place", "[localized/ADJ] disease ./PUNCT => in/ADP one/NUM place",
            _finds_no_place_behind),
    FitRule("adverb", "is long before a verb",
            "by/ADP [surgically/ADV] removed/VERB = by/ADP surgery",
            "removed/VERB [surgically/ADV] ./PUNCT = by/ADP surgery",
            lambda match, plain: len(plain.words) > 1
            and match.behind in ("VERB", "ADJ", "ADV", "AUX", "NOUN")),
)  # fmt: skip
