"""The text that stands in the place of a term: its form, article, capital and punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from understandability.feature.inflection import BASE, PARTICIPLE, PAST, PLURAL, verb_form
from understandability.feature.terms import singular
from understandability.writers.plain_terms.tagged_sentences import Match

_ARTICLES = ("a", "an")


def in_form(match: Match, plain: Sequence[str]) -> tuple[str, ...]:
    """Plain terms of the term's row in the form of the term: plurals, forms of verbs."""
    row, name = match.form
    if row.part == "noun" and name == PLURAL:
        plurals = dict(zip(row.plain, row.plurals, strict=True))
        return tuple(plurals[each] for each in plain)
    if row.part != "verb":
        return tuple(plain)
    if match.is_past:
        name = match.past_or_participle()
    return tuple(verb_form(each, name or common_form(each)) for each in plain)


def common_form(plain: str) -> str:
    """The form to show where a term may be past or participle: theirs if it is one, or the base."""
    return PAST if verb_form(plain, PAST) == verb_form(plain, PARTICIPLE) else BASE


def term_in(match: Match, pieces: Sequence[str]) -> str:
    """The term as it is written, without the punctuation around it."""
    sentence = match.sentence
    first, last = sentence.pieces[match.start], sentence.pieces[match.end - 1]
    return _between(pieces, first, sentence.begins[match.start], last, sentence.ends[match.end - 1])


def _between(pieces: Sequence[str], first: int, begin: int, last: int, end: int) -> str:
    """The text from a letter of one piece to a letter of another."""
    text = " ".join(pieces[first : last + 1])
    return text[begin : len(text) - len(pieces[last]) + end]


def placed(
    match: Match, plain: Sequence[str], pieces: Sequence[str]
) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    """Plain terms that fit, written in the place of the term: articles, capitals, punctuation.

    The first piece and that behind the last, the plain terms in their form, and the texts there.
    """
    sentence = match.sentence
    term = term_in(match, pieces)
    forms = in_form(match, plain)
    first, last = sentence.pieces[match.start], sentence.pieces[match.end - 1]
    before = pieces[first][: sentence.begins[match.start]]
    end, moved = match.end, ""
    if match.form.row.behind and (until := match.end_of_nouns()) > end:
        moved = _between(pieces, last + 1, 0, sentence.pieces[until - 1], sentence.ends[until - 1])
        moved += " "
        last, end = sentence.pieces[until - 1], until
        if singular(sentence.word(end - 1)) != sentence.word(end - 1):
            forms = tuple(map(_for_several, forms))
    behind = pieces[last][sentence.ends[end - 1] :]
    article = ""
    if first and not before and pieces[first - 1].lower() in _ARTICLES:
        first -= 1
        article = pieces[first]
    capital = term[:1].isupper() and not term.isupper()
    texts = []
    for each in forms:
        text = moved + each
        text = text[:1].upper() + text[1:] if capital else text
        if article:
            text = f"{_article(article, text)} {text}"
        texts.append(before + text + behind)
    return first, last + 1, forms, tuple(texts)


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
