"""Decide by rules of grammar whether a plain term can replace a term in a sentence, and write the
result.

"Bulge through a muscle wall" cannot replace "hernia" in "incisional hernia", although that is the
meaning. ``tests/writers/fit_rules.tsv`` has two examples of each rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from understandability.feature.tagger import UNIVERSAL, default_tagger
from understandability.study.terms import singular
from understandability.text.tokens import tokenize
from understandability.writers.inflection import (
    BASE,
    ING,
    PARTICIPLE,
    PAST,
    PLURAL,
    is_irregular_plural,
    is_participle,
    verb_form,
)
from understandability.writers.plain_terms.english import article_before
from understandability.writers.plain_terms.tagged_sentences import (
    NAMES,
    NOUNS,
    OBJECT,
    SUBJECT,
    Match,
)
from understandability.writers.plain_terms.term_tables import MEDICAL, head_of, word_list

_WITHOUT_OBJECT = frozenset(("PUNCT", "ADP", "AUX"))
_WANTS_OBJECT = frozenset(("of", "to", "into", "in", "from", "with", "for", "as"))
_AFTER_PREDICATE = frozenset(("PUNCT", "ADP", "SCONJ", "PART", "AUX", "VERB"))
_OF_NOUN = frozenset(("ADP", "NUM", "CCONJ", "NOUN", "ADJ", "PROPN", "PART"))
_BEFORE_NOUN = frozenset(("DET", "ADJ", "NUM", "ADP", "CCONJ"))
_DEGREES = frozenset(("more", "most", "less", "least", "very", "so", "too", "quite", "rather"))
_SHORT = 6  # letters of an adjective that takes "-er" rather than "more"
# Ends of terms that may do without an article.
_UNCOUNTED = (
    "age", "ia", "ing", "ion", "is", "ism", "ity", "ma", "ment", "nce", "placebo", "sound", "ure",
    "y",
)  # fmt: skip
_CLAUSE = frozenset(("how", "what", "when", "whether", "too", "with", "not", "no", "out"))
# Ends of adjectives that name a type ("incisional").
_OF_A_KIND = ("al", "ar", "ary", "ic", "ine", "ive", "ous")
_TIMES = frozenset(("hours", "days", "weeks", "months", "years", "decades"))
_BEFORE_NUMBER = ("at least", "at most", "up to")
_SPLIT = re.compile("[ -]")
_ARTICLES = ("a", "an")
_SERIES = frozenset((",", "and", "or", ")"))
_SORTS = frozenset(("type", "types", "kind", "kinds", "form", "forms", "sort", "sorts"))
_POSSESSIVES = frozenset(("your", "his", "her", "its", "our", "their", "my", "whose"))
_SMALL = 3  # letters; shorter words, such as "the", do not show the meaning


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain term: its words and their tags. Words after its `head` are its tail, such as "in a
    vein".
    """

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
        """True for a noun of action, such as "taking out"; not for "lining of the womb"."""
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
        after = word_list("after head")
        return self.is_clause or any(word.strip(",") in after for word in self.words[1:])


@lru_cache(None)
def plain_of(text: str) -> Plain:
    """Return a plain term with the tags that its words get in the context "of ..."."""
    words, tokens = tuple(text.split()), tokenize(text)
    behind = ["results"] * (len(words) == 1)
    tags = default_tagger().tag(["of", *tokens, *behind], np.array([0]))[1 : len(tokens) + 1]
    return Plain(words, tuple(UNIVERSAL[tag] for tag in tags))


def fits(match: Match, plain: str) -> bool:
    """Return True if a plain term can replace the term in its sentence."""
    plain_term = plain_of(plain)
    row = match.form.row
    rules: Sequence[Callable[[Match, Plain], bool]] = RULES.get(row.part, ())
    if row.is_sure:
        rules = SURE_RULES.get(row.part, rules)
    return not any(is_against(match, plain_term) for is_against in (*RULES[""], *rules))


def changes_sense(match: Match, plain: str) -> bool:
    """Return True if the plain term would have another meaning in this sentence.

    "to develop cancer" is "to get cancer"; "cancer develops" and "tests are developed" are not.
    """
    if match.form.row.part != "verb" or plain not in ("get", "have"):
        return False
    if match.is_past and match.past_or_participle() != PAST and not match.is_after_auxiliary:
        return True  # "all letters received" are not "all letters got"
    return match.is_passive or (not match.is_past and _lacks_object(match))


def _is_abbreviated(match: Match, _: Plain) -> bool:
    first = match.sentence.tokens[match.start][0].upper()
    return match.sentence.abbreviation(match.end)[:1] == first


def _is_said_beside(match: Match, plain: Plain) -> bool:
    """Return True if every word of the plain term occurs near the term."""
    following = [match.sentence.word(match.end + offset) for offset in range(3)]
    if following == [",", "or", plain.words[0].lower()]:
        return True  # "the uterus, or womb,"
    own = frozenset(word.lower() for word in plain.words if len(word) > _SMALL)
    return len(own) > 1 and match.sentence.said_beside(own, match.start, match.end, 8) == own


def _changes_number(match: Match, plain: Plain) -> bool:
    sentence, row = match.sentence, match.form.row
    several = match.form.name == PLURAL or _is_plural(row.term)
    if plain.head in _SPLIT.split(row.term):
        return False  # "control group", "comparison group"
    one_form = row.plurals[row.plain.index(plain.text)] == plain.text
    if one_form and several != (plain.head.endswith("s") and not plain.head.endswith("ss")):
        return not _is_object(match)
    if several or plain.head not in word_list("counted") or not row.term.endswith(_UNCOUNTED):
        return False
    if match.tag_after in NOUNS:
        return False
    before = match.start - 1
    while before >= 0 and sentence.tag(before) in ("ADJ", "NOUN", "PROPN", "ADV"):
        before -= 1
    has_article = sentence.word(before + 1) in ("a", "an")
    return not has_article and sentence.tag(before) not in ("DET", "PRON", "NUM")


def _is_plural(noun: str) -> bool:
    """Return True for a term that is a plural: "guidelines", "criteria"."""
    return singular(noun) != noun or is_irregular_plural(_SPLIT.split(noun)[-1])


def _is_object(match: Match) -> bool:
    """Return True if the term follows a verb or preposition, so that no verb has to agree with
    it.
    """
    tags = [
        match.sentence.tag(position) for position in range(match.start - 1, match.start - 4, -1)
    ]
    until = tags.index("PUNCT") if "PUNCT" in tags else len(tags)
    return not {"VERB", "ADP"}.isdisjoint(tags[:until])


def _has_two_tails(match: Match, plain: Plain) -> bool:
    is_short = plain.is_doing and len(plain.words) == 2  # "going away of symptoms"
    is_two = match.next_word in ("of", "to") and plain.has_tail and "or" not in plain.words
    return is_two and not is_short


def is_of_a_kind(match: Match) -> bool:
    """Return True after an adjective that must directly precede its noun: "incisional"."""
    word = match.last_word
    return (
        match.tag_before == "ADJ"
        and word.endswith(_OF_A_KIND)
        and word not in word_list("of any kind")
    )


def _is_in_a_phrase(match: Match, _: Plain) -> bool:
    """Return True for a noun among nouns or in a coordination: "muscular atrophy".

    Such phrases are mostly names or lists; judges found 10 % to 30 % of replacements wrong.
    """
    is_joined = "CCONJ" in (match.tag_before, match.tag_after)
    is_among = match.tag_before in NOUNS or match.tag_after in (*NOUNS, "NUM")
    return is_joined or is_among or is_of_a_kind(match)


def _is_in_a_name(match: Match, _: Plain) -> bool:
    """Return True for an adjective in a coordination or in a name: "hepatic artery ligation"."""
    if "CCONJ" in (match.tag_before, match.tag_after) or "," in (match.last_word, match.next_word):
        return True
    is_noun = match.sentence.tag(match.start) in NOUNS and match.tag_after not in NAMES
    is_long = match.form.row.vocabulary == MEDICAL and match.end_of_nouns() - match.end > 1
    return is_noun or match.tag_before in NAMES or (is_long and not match.form.row.follows_noun)


def _is_being(match: Match, plain: Plain) -> bool:
    name = match.form.name
    is_free = name == BASE and match.tag_before not in ("AUX", "PART", "VERB")
    return plain.words[0] == "be" and (name == ING or is_free)


def _is_past_or_participle(match: Match, plain: Plain) -> bool:
    unknown = match.is_past and not match.past_or_participle()
    return unknown and common_form(plain.text) == BASE


def _has_no_object(match: Match, plain: Plain) -> bool:
    return plain.text in word_list("transitive") and not match.is_past and _lacks_object(match)


def _lacks_object(match: Match) -> bool:
    one, two = match.next_word, match.sentence.word(match.end + 1)
    if f"{one} {two}" in _BEFORE_NUMBER:
        return False
    return match.tag_after in _WITHOUT_OBJECT or one in _TIMES


def _is_irregular_before_a_noun(match: Match, plain: Plain) -> bool:
    is_regular = verb_form(plain.words[0], PARTICIPLE).endswith("ed")
    is_before = match.tag_after in NAMES and match.tag_before in ("", "DET", "ADJ", "ADP")
    return match.is_past and is_before and not is_regular


def _wants_an_object(match: Match, plain: Plain) -> bool:
    last = plain.words[-1]
    has_none = match.is_passive or match.tag_after not in OBJECT
    wants = len(plain.words) > 1 and last in _WANTS_OBJECT
    return wants and has_none and not match.form.row.term.endswith(last)


def _is_named_participle(match: Match, _: Plain) -> bool:
    """Return True for a verb form before a noun, which may be a name: "assisted living"."""
    is_free = match.tag_before in ("", "PUNCT", "DET", "ADJ", "ADP", "CCONJ")
    sentence, end = match.sentence, match.end
    # "assisted or controlled breathing"
    is_joined = (
        match.tag_after == "CCONJ"
        and sentence.tag(end + 1) in ("VERB", "ADJ")
        and sentence.tag(end + 2) in NOUNS
    )
    return match.is_past and (is_joined or (is_free and match.tag_after in NAMES))


def _is_enough_after_an_article(match: Match, plain: Plain) -> bool:
    """Return True for "enough" after an article: "a sufficient supply" is not "an enough
    supply".
    """
    return plain.words[-1] == "enough" and match.tag_before not in ("", "VERB", "ADP", "PUNCT")


def _is_long_participle_before_a_noun(match: Match, plain: Plain) -> bool:
    if len(plain.words) == 1 or not match.is_one_word or match.tag_before in ("AUX", "PART"):
        return False
    name = match.form.name
    if name in (PAST, PARTICIPLE, ING) and match.tag_before in ("DET", "ADJ", "NUM"):
        return True
    is_verb = name == PAST and match.tag_before in SUBJECT
    is_before = match.tag_after in NAMES and match.sentence.tag(match.start) != "AUX"
    return match.is_past and is_before and not is_verb


def _has_tail_before_a_noun(match: Match, plain: Plain) -> bool:
    after = word_list("after head") - {"and", "or"}
    has_tail = not after.isdisjoint(plain.words[1:-1])
    return has_tail and not match.form.row.follows_noun and match.tag_after in NAMES


def _is_compared(match: Match, plain: Plain) -> bool:
    is_short = len(plain.words) == 1 and len(plain.text) <= _SHORT
    return not match.form.row.follows_noun and is_short and match.last_word in _DEGREES


def _is_long_after_a_degree(match: Match, plain: Plain) -> bool:
    is_long = len(plain.words) > 1 or "-" in plain.text
    is_degree = match.last_word.endswith("ly") or match.last_word in _DEGREES
    return is_long and match.tag_before == "ADV" and is_degree and not match.form.row.follows_noun


def _is_noun_before_an_of(match: Match, plain: Plain) -> bool:
    is_of = match.tag_after in NOUNS and match.sentence.word(match.end + 1) == "of"
    is_noun = plain.tags[-1] == "NOUN" and "-" not in plain.text
    return not match.form.row.follows_noun and is_of and is_noun


def _finds_no_place_behind(match: Match, plain: Plain) -> bool:
    if not match.form.row.follows_noun:
        return False
    sentence, end = match.sentence, match.end
    until = match.end_of_nouns()
    if until == end:  # "was unresectable", not "localized or regional disease"
        is_clause = plain.words[0] == "that"  # "it was that has spread"
        is_after = match.tag_after in _AFTER_PREDICATE and match.tag_before not in _BEFORE_NOUN
        return is_clause or not is_after
    if sentence.is_in_compound(end, until):
        return True  # "intravenous contrast-enhanced"
    # "excess risk of cancer", "grade 3 pain", "readiness to change": after the whole phrase
    is_of = sentence.word(until) == "of"  # "persistent risk of developing"
    return is_of or (
        sentence.tag(until) in _OF_NOUN and sentence.word(until) not in ("between", "among")
    )


def _is_a_clause_after_a_modifier(match: Match, plain: Plain) -> bool:
    modifiers = ("ADJ", "DET", "NOUN", "NUM", "PROPN", "VERB")
    return plain.is_clause and match.tag_before in modifiers


def _is_not_before_a_noun(match: Match, plain: Plain) -> bool:
    return plain.words[0] == "not" and match.tag_after in NAMES


def _follows_a_verb(match: Match, plain: Plain) -> bool:
    wants_object = plain.words[0] in _WANTS_OBJECT
    return not match.form.row.follows_noun and wants_object and match.tag_before == "VERB"


def _is_long_before_a_verb(match: Match, plain: Plain) -> bool:
    return len(plain.words) > 1 and match.tag_after in ("VERB", "ADJ", "ADV", "AUX", "NOUN")


# What keeps a plain term from the place of a term of each part of speech ('': of any).
RULES: Mapping[str, tuple[Callable[[Match, Plain], bool], ...]] = {
    "": (_is_abbreviated, _is_said_beside),
    "noun": (_changes_number, _is_a_clause_after_a_modifier, _has_two_tails, _is_in_a_phrase),
    "verb": (_is_being, _is_past_or_participle, _has_no_object, _is_irregular_before_a_noun,
             _wants_an_object, _is_long_participle_before_a_noun),
    "adjective": (_is_not_before_a_noun, _has_tail_before_a_noun, _is_compared,
                  _is_long_after_a_degree, _is_noun_before_an_of, _is_in_a_name, _follows_a_verb,
                  _finds_no_place_behind, _is_enough_after_an_article),
    "adverb": (_is_long_before_a_verb,),
}  # fmt: skip


def _is_among_nouns(match: Match, _: Plain) -> bool:
    """Return True for a noun next to another noun ("brain haemorrhage"), with some exceptions.

    "Hypertension tablets" are "high blood pressure tablets", but a "fracture clinic" is not a
    "broken bone clinic".
    """
    is_modifier = match.tag_after in (*NOUNS, "NUM") and "modifier" not in match.form.row.flags
    return match.tag_before in NOUNS or is_modifier or is_of_a_kind(match) or _shares(match)


def _shares(match: Match) -> bool:
    """Return True if a preceding adjective shares the noun: "physical and psychological
    distress".
    """
    sentence, start = match.sentence, match.start
    # "orbital or metastatic disease"
    is_joined = match.tag_before == "CCONJ" and (
        sentence.tag(start - 2) == "ADJ"
        or (sentence.tag(start - 2) in NOUNS and sentence.tag(start - 3) in ("ADP", "DET"))
    )
    return is_joined and not match.is_one_word and sentence.tag(start) in ("ADJ", "NOUN")


def _has_wrong_article(match: Match, _: Plain) -> bool:
    """Return True if the article would have to go: "a severe haemorrhage", "heavy bleeding"."""
    flags = match.form.row.flags
    is_plural = match.form.name == PLURAL
    if "mass" in flags and is_plural:
        return True
    if "det" in flags and not _has_determiner(match):
        return True  # "following commencement" is not "following start"
    after_joint = match.sentence.tag(match.end + 1)
    is_of_types = match.last_word == "of" and match.sentence.word(match.start - 2) in _SORTS
    if "count" in flags and not is_plural and is_of_types:
        return True  # "four types of biopsy"
    is_modifier = after_joint == "ADJ" or (
        after_joint == "NOUN" and match.sentence.tag(match.end + 2) == "NOUN"
    )
    is_in_series = match.tag_after == "CCONJ" and is_modifier and not _has_determiner(match)
    if is_in_series and not is_plural and not {"count", "modifier"}.isdisjoint(flags):
        return True  # "laboratory and radiological tests"
    if "count" in flags and not is_plural and match.next_word == "," and not _determiner(match):
        return True  # "a review of laboratory, animal, and human studies"
    if "count" in flags and not is_plural and _is_after_compound(match):
        return True  # "the main cancer-fighting component"
    if "count" in flags and not is_plural and match.last_word in _SERIES:
        return True  # "the ureters, bladder, and urethra", "(FNA) biopsy"
    if match.tag_before not in ("ADJ", "VERB", "ADV"):
        return False
    is_named = match.tag_before == "VERB" and match.last_word.endswith("ed")
    if "count" in flags and not is_plural and is_named and not _determiner(match):
        return True  # "stress-induced cardiomyopathy"
    if "alone" in flags and match.tag_before == "ADJ":
        return True  # "minor haemorrhage" is no "minor heavy bleeding"
    determiner = _determiner(match)
    if "mass" in flags:
        return determiner in _ARTICLES
    return "count" in flags and not is_plural and match.tag_before == "ADJ" and not determiner


def _is_after_compound(match: Match) -> bool:
    """Return True after a word with a hyphen: "cancer-fighting component"."""
    return match.start > 1 and match.sentence.is_in_compound(match.start - 1, match.start)


def _has_determiner(match: Match) -> bool:
    """Return True for a term after a determiner: "the onset", "its early onset"."""
    return match.tag_before in ("DET", "PRON") or bool(_determiner(match))


def _determiner(match: Match) -> str:
    """Return the determiner of the noun phrase, before any adjectives; '' for none."""
    sentence, position = match.sentence, match.start - 1
    while position >= 0 and (
        sentence.tag(position) in ("ADJ", "ADV")
        or (sentence.tag(position) == "VERB" and is_participle(sentence.word(position)))
    ):
        position -= 1
    is_determiner = sentence.tag(position) in ("DET", "PRON", "NUM") and position >= 0
    return sentence.word(position) if is_determiner else ""


# For sure terms, whose plain terms are known to be mass nouns or count nouns.
SURE_RULES: Mapping[str, tuple[Callable[[Match, Plain], bool], ...]] = {
    "noun": (
        _is_a_clause_after_a_modifier, _has_two_tails, _is_among_nouns, _has_wrong_article,
    ),
    "verb": (*RULES["verb"], _is_named_participle),
}  # fmt: skip


def in_form(match: Match, plain: Sequence[str]) -> tuple[str, ...]:
    """Inflect plain terms like the term in the sentence: plurals and forms of verbs."""
    row, name = match.form
    if row.part == "noun" and name == PLURAL:
        plurals = dict(zip(row.plain, row.plurals, strict=True))
        return tuple(plurals[one] for one in plain)
    if row.part != "verb":
        return tuple(plain)
    if match.is_past:
        name = match.past_or_participle()
    return tuple(verb_form(one, name or common_form(one)) for one in plain)


def common_form(plain: str) -> str:
    """Return a form of a plain verb that works as past tense and as participle, or else its base
    form.

    It is shown if the term itself may be either.
    """
    return PAST if verb_form(plain, PAST) == verb_form(plain, PARTICIPLE) else BASE


def term_in(match: Match, pieces: Sequence[str]) -> str:
    """Return the term as it is written in the sentence, without surrounding punctuation."""
    sentence = match.sentence
    first, last = sentence.pieces[match.start], sentence.pieces[match.end - 1]
    return _between(pieces, first, sentence.begins[match.start], last, sentence.ends[match.end - 1])


def _between(pieces: Sequence[str], first: int, begin: int, last: int, end: int) -> str:
    """Return the text from one letter to another, which may be in different pieces.

    `begin` is an offset in piece `first`, and `end` one in piece `last`.
    """
    text = " ".join(pieces[first : last + 1])
    return text[begin : len(text) - len(pieces[last]) + end]


def placed(
    match: Match, plain: Sequence[str], pieces: Sequence[str]
) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    """Write the plain terms that fit into the sentence, with articles, capitals and punctuation.

    Return the first and last piece to replace, the inflected plain terms, and the replacement
    texts.
    """
    sentence = match.sentence
    term = term_in(match, pieces)
    forms = in_form(match, plain)
    first, last = sentence.pieces[match.start], sentence.pieces[match.end - 1]
    before = pieces[first][: sentence.begins[match.start]]
    end, moved = match.end, ""
    if match.form.row.follows_noun and (until := match.end_of_nouns()) > end:
        moved = _between(pieces, last + 1, 0, sentence.pieces[until - 1], sentence.ends[until - 1])
        moved += " "
        last, end = sentence.pieces[until - 1], until
        if singular(sentence.word(end - 1)) != sentence.word(end - 1):
            forms = tuple(map(_for_several, forms))
    behind = pieces[last][sentence.ends[end - 1] :]
    article = ""
    opening = ""
    if first and not before and pieces[first - 1].lower().lstrip("([“") in _ARTICLES:
        first -= 1
        article = pieces[first].lstrip("([“")
        opening = pieces[first].removesuffix(article)
    capital = term[:1].isupper() and not term.isupper()
    flags = match.form.row.flags
    if "mass" in flags and article:
        capital, article = capital or article[0].isupper(), ""
    wants_article = (
        "count" in flags
        and match.form.name != PLURAL
        and not article
        and match.tag_before not in ("DET", "NUM", "NOUN", "PROPN", "ADJ", "PART")
        and not (match.tag_before == "PRON" and match.last_word in _POSSESSIVES)
        and match.tag_after not in NOUNS
        and not _determiner(match)
        and not {"VERB", "AUX"}.isdisjoint(sentence.tags)  # no article in a heading
    )
    texts = []
    for form in forms:
        text = f"{article_before(form, 'a')} {form}" if wants_article else moved + form
        text = text[:1].upper() + text[1:] if capital else text
        if article:
            text = f"{article_before(text, article)} {text}"
        texts.append(opening + before + text + behind)
    return first, last + 1, forms, tuple(texts)


# Verbs of relative clauses after a noun in the plural.
_SEVERAL = (
    ("that has ", "that have "),
    ("that is ", "that are "),
    ("that does ", "that do "),
)


def _for_several(plain: str) -> str:
    """Convert a relative clause to the plural: "that has spread", "that have spread"."""
    for one, several in _SEVERAL:
        plain = plain.replace(one, several)
    return plain
