"""Which words count as familiar to a fourth-grader, after Dale and Chall (1948)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability.io.resources import package_text

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
    known = familiar_words()
    if word in known or any(base in known for base in _bases(word)):
        return True
    if not word.isalpha():
        if word[0].isdigit() and _NUMERAL.fullmatch(word):
            return True
        parts = [part for part in word.split("-") if part]
        if len(parts) > 1:
            return all(map(is_familiar, parts))
        stem = _CLITIC.sub("", word)
        return stem != word and stem != "" and is_familiar(stem)
    return False


def _bases(word: str) -> Iterator[str]:
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
