"""Which words count as familiar to a fourth-grader, after Dale and Chall (1948)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.resources import package_text

_NUMERAL = re.compile(r"[\d\W]*(?:st|nd|rd|th|s)?")
_CLITIC = re.compile(r"(?:'(?:s|d|m|ll|re|ve)?|n't)$")
# One vowel and one consonant: such a word doubles its last letter ("fatter", not "fater").
_DOUBLES = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")


@cache
def familiar_words() -> frozenset[str]:
    """The Dale-Chall list, as the package textstat ships it; lower case."""
    text = package_text("textstat", "resources/en/easy_words.txt")
    return frozenset(text.lower().split())


def unfamiliar(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words are neither on the Dale-Chall list, nor regular inflections, nor numerals.

    Regular inflections are those in -s, -es, -ies, -'s, -s', -d, -ed, -ied, -ing, -er, -est;
    the parts of a hyphenated word count each for itself.

    >>> unfamiliar(["stopped", "babies", "3.5", "well-known", "tumour"]).tolist()
    [False, False, False, False, True]
    """
    return np.fromiter((not is_familiar(word) for word in words), bool)


def is_familiar(word: str) -> bool:
    """Whether the list has the word, in this form or another."""
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
    known = familiar_words()
    return word in known or not known.isdisjoint(bases(word))


def bases(word: str) -> Iterator[str]:
    """The words of which this one may be a regular inflection."""
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
