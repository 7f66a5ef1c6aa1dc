"""Mistakes of spelling: a word that hardly anybody writes, one letter from one that many do."""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import cache

from understandability.feature.frequency import general_places
from understandability.feature.inflection import one_spelling
from understandability.writers.plain_terms.term_tables import index

_RARE, _COMMON = 130, 391  # places: once in 50 million words, and in 125,000
_LEAST_LETTERS = 5
_LONG = 7  # letters from which a word with one letter wrong is told from another word


@cache
def _terms() -> frozenset[str]:
    return frozenset(word for words in index().forms for word in words)


def likely_word(word: str) -> str:
    """The word that was likely meant; '' for a word that is right, rare or a name.

    >>> likely_word("medicne"), likely_word("enoxaparin"), likely_word("tablet")
    ('medicine', '', '')
    """
    small = word.lower()
    if len(small) < _LEAST_LETTERS or not small.isascii() or not small.isalpha():
        return ""
    if not (word.islower() or word.istitle()) or one_spelling(small) in _terms():
        return ""
    places = general_places()
    if places.get(small, 0) > _RARE:
        return ""
    best = max(_one_away(small), key=lambda each: places.get(each, 0), default="")
    if places.get(best, 0) < _COMMON:
        return ""
    return best.capitalize() if word.istitle() else best


def _one_away(word: str) -> Iterator[str]:
    """All that is made by one letter more, less, another, or two in the other order."""
    for place in range(1, len(word) + 1):
        head, tail = word[:place], word[place:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        if tail and len(word) >= _LONG:
            yield head + tail[1:]
        for letter in string.ascii_lowercase if len(word) >= _LONG else ():
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
