"""Look up words in lists of words, affixes and polarities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.feature.frequency import CLITICS, GENERAL_LIST, places_in
from understandability.resources import resource_lines
from understandability.text.tokens import tokenize

_NUMERAL = re.compile(r"[\d\W]*(?:st|nd|rd|th|s)?")
_CLITIC = re.compile(r"(?:'(?:s|d|m|ll|re|ve)?|n't)$")
# One vowel and one consonant: such a word doubles its last letter ("fatter", not "fater").
_DOUBLES = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")


@cache
def familiar_words() -> frozenset[str]:
    """Return the list of familiar words of Dale and Chall (1995) in lower case, as in textstat
    0.7.13.
    """
    return frozenset(resource_lines("words/dale_chall.txt"))


def unfamiliar(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the words that are not familiar by the Dale-Chall list.

    Numerals are familiar, and so are regular inflections of listed words, in -s, -es, -ies, -'s,
    -s', -d, -ed, -ied, -ing, -er or -est. A hyphenated word is familiar if all its parts are.

    >>> unfamiliar(["stopped", "babies", "3.5", "well-known", "tumour"]).tolist()
    [False, False, False, False, True]
    """
    listed = familiar_words()
    return _column(words, (word not in listed and not is_familiar(word) for word in plain(words)))


def is_familiar(word: str) -> bool:
    """Return True if a word is on the Dale-Chall list, or regularly inflected from a listed
    word.
    """
    word = word.lower().replace("’", "'")
    if _is_listed(word):
        return True
    if word.isalpha():
        return False
    if word[0].isdigit() and _NUMERAL.fullmatch(word):
        return True
    stem = _CLITIC.sub("", word)
    parts = [part for part in stem.split("-") if part]
    return (len(parts) > 1 or stem != word) and all(
        _is_listed(part) or part.isdigit() for part in parts
    )


def _is_listed(word: str) -> bool:
    listed = familiar_words()
    return word in listed or (word[-1:] in _LAST and not listed.isdisjoint(bases(word)))


_LAST = frozenset("sdgrt")  # the last letters of regular inflections


def bases(word: str) -> Iterator[str]:
    """Yield the words from which this word may be regularly inflected."""
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            yield word[:-2]
        if word.endswith("ies"):
            yield word[:-3] + "y"
    for ending in ("ed", "ing", "er", "est"):
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        if len(stem) < 2:
            continue
        yield stem + "e"
        if not _DOUBLES.fullmatch(stem):
            yield stem
        if stem[-1] == stem[-2]:
            yield stem[:-1]
        if stem[-1] == "i" and ending != "ing":
            yield stem[:-1] + "y"


# The least number of letters next to an affix: the word "itis" has no suffix.
_LEAST_STEM = 2


class WordList:
    """A list of words or affixes. Each method returns a mask of the words that match."""

    def __init__(self, words: Iterable[str]) -> None:
        self._exact = frozenset(words)
        self._lower = frozenset(word.lower() for word in self._exact)
        self._sizes = sorted(set(map(len, self._lower)))
        # The first and last letters of all affixes: a fast test that most words fail.
        self._least = self._sizes[0] if self._sizes else 0
        self._heads = frozenset(affix[: self._least] for affix in self._lower)
        self._tails = frozenset(affix[-self._least :] for affix in self._lower)

    def contains(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the words on the list, ignoring case.

        >>> WordList(["Aarskog", "stent"]).contains(["Stent", "stents"]).tolist()
        [True, False]
        """
        return _column(words, map(self._lower.__contains__, plain(words)))

    def contains_acronym(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the acronyms on the list; case matters, and a plural s is stripped.

        An acronym has at least two capitals or digits.

        >>> WordList(["MRI", "B12", "As"]).contains_acronym(["MRIs", "mri", "B12", "As"]).tolist()
        [True, False, True, False]
        """
        return _column(words, map(self._has_acronym, words))

    def _has_acronym(self, word: str) -> bool:
        if word not in self._exact:
            word = word.removesuffix("s")
            if word not in self._exact:
                return False
        return sum(letter.isupper() or letter.isdigit() for letter in word) >= 2

    def contains_base(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the words on the list and of their regular inflections.

        >>> WordList(["stent", "biopsy"]).contains_base(["Stents", "biopsied", "sten"]).tolist()
        [True, True, False]
        """
        return _column(
            words,
            (
                word in self._lower or not self._lower.isdisjoint(bases(word))
                for word in plain(words)
            ),
        )

    def begins(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the words that begin with a prefix on the list, and are longer.

        >>> WordList(["cardio", "a"]).begins(["Cardiology", "cardio", "an"]).tolist()
        [True, False, False]
        """
        heads, least = self._heads, self._least
        plains = plain(words)
        return _column(words, (w[:least] in heads and self._affixed(w, False) for w in plains))

    def ends(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the words that end in a suffix on the list, and are longer.

        >>> WordList(["itis", "ectomy"]).ends(["arthritis", "itis", "rash"]).tolist()
        [True, False, False]
        """
        tails, least = self._tails, self._least
        plains = plain(words)
        return _column(words, (w[-least:] in tails and self._affixed(w, True) for w in plains))

    def _affixed(self, word: str, at_end: bool) -> bool:
        for size in self._sizes:
            if len(word) - size < _LEAST_STEM:
                return False
            if (word[-size:] if at_end else word[:size]) in self._lower:
                return True
        return False


def _column(words: Sequence[str], values: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(values, bool, len(words))


class PlainWords(list[str]):
    """A list of words that are already in lower case, with straight apostrophes."""


def plain(words: Sequence[str]) -> PlainWords:
    """Convert words to lower case, with straight apostrophes."""
    if isinstance(words, PlainWords):
        return words
    return PlainWords([word.lower().replace("’", "'") for word in words])


@cache
def embedded_list(name: str) -> WordList:
    """Load a medical list of the package: ``prefixes``, ``suffixes`` or ``acronyms``."""
    return WordList(resource_lines(f"medical/{name}.txt"))


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop words of scikit-learn 1.9."""
    return frozenset(resource_lines("words/stop_words.txt"))


@cache
def stop_word_list() -> WordList:
    """Return the stop words as a `WordList`."""
    return WordList(stop_words())


def outside_english(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the words with a part that is not in wordfreq's large English list.

    The parts are tokens of letters, such as "well" and "being" of "well-being". Numbers, and words
    with a digit such as "B12", are never marked.

    >>> outside_english(["Heart", "don't", "well-being", "B12", "xqzzzy"]).tolist()
    [False, False, False, False, True]
    """
    place_of = places_in(GENERAL_LIST).get
    return _column(
        words,
        (
            place_of(word.lower(), -1) < 0
            if word.isalpha()
            else any(map(str.isalpha, word)) and any(map(_is_unknown, tokenize(word)))
            for word in words
        ),
    )


def _is_unknown(token: str) -> bool:
    """Return True if a token is not an English word; False for numbers and punctuation."""
    if not token.isalpha() and (any(map(str.isdigit, token)) or not any(map(str.isalpha, token))):
        return False
    token = token.lower().replace("’", "'")
    return places_in(GENERAL_LIST).get(token, -1) < 0 and token not in CLITICS


@cache
def polarities() -> dict[str, int]:
    """Return, by lower-case word, the sign of its valence in VADER: -1 negative, 1 positive."""
    rows = (line.split("\t") for line in resource_lines("words/polarity.tsv"))
    return {word: int(sign) for word, sign in rows}


def polarity(words: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for positive words, -1 for negative words, and 0 for all others.

    >>> polarity(["Happy", "pain", "kidney"])
    array([ 1, -1,  0], dtype=int8)
    """
    signs = polarities()
    return np.fromiter((signs.get(word, 0) for word in plain(words)), np.int8, len(words))
