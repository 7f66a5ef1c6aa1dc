"""How many syllables a word has when it is spoken.

Each letter that may carry a syllable (vowels, the m of *prism*, the apostrophe of *Max's*) is
weighed by the letters around it; a syllable is counted where the weights sum to more than zero.
The weights were learned from the CMU Pronouncing Dictionary by ``scripts/build_syllables.py``;
the words of the dictionary that they get wrong are kept in a table beside them, so that all of
its words come out as it has them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from understandability.io.resources import resource_arrays

# A number (its -th not counted), or letters.
_PARTS = re.compile(
    r"(\d+(?:,\d{3})*(?:\.\d+)*)(?:(?:st|nd|rd|th)\b)?|([^\W\d_]+(?:['’][^\W\d_]+)*)"
)
_NUCLEUS = re.compile(
    r"[aeiouy]|(?<=[sh])m(?=[^aeiouy])|(?<=\^m)c(?=[^aeiouyhk])|(?<=[sxzh])'(?=s)"
)
# How many letters before a nucleus a pattern may reach, after it, and together.
_BEFORE, _AFTER, _TOGETHER = 4, 4, 6

# Weights of patterns, by the number of letters before the nucleus.
Weights = list[dict[str, int]]


def nuclei(marked: str) -> Iterator[int]:
    """Where a word between ``^`` and ``$`` may carry a syllable."""
    return (match.start() for match in _NUCLEUS.finditer(marked))


def patterns(marked: str, nucleus: int) -> Iterator[tuple[int, str]]:
    """The letters around a nucleus, near and far: how many stand before it, and all of them.

    >>> list(patterns("^flu$", 3))[:4]
    [(0, 'u'), (0, 'u$'), (1, 'lu'), (1, 'lu$')]
    """
    for before in range(min(_BEFORE, nucleus) + 1):
        last = min(nucleus + min(_AFTER, _TOGETHER - before), len(marked) - 1)
        for end in range(nucleus, last + 1):
            yield before, marked[nucleus - before : end + 1]


def tabulate(patterns: Iterable[tuple[int, str]], weights: Iterable[int]) -> Weights:
    """Patterns and their weights, ready to be looked up; and their beginnings, at no weight."""
    tables: Weights = [{} for _ in range(_BEFORE + 1)]
    for (before, text), weight in zip(patterns, weights, strict=True):
        tables[before][text] = weight
        for end in range(before + 1, len(text)):
            tables[before].setdefault(text[:end], 0)
    return tables


def count_by_patterns(word: str, weights: Weights) -> int:
    """The syllables of a word in small letters by the learned weights alone."""
    marked = f"^{word}$"
    count = 0
    for nucleus in nuclei(marked):
        evidence = 0
        for start, table in zip(range(nucleus, -1, -1), weights, strict=False):
            for end in range(nucleus + 1, len(marked) + 1):
                text = marked[start:end]
                if text not in table:
                    break
                evidence += table[text]
        count += evidence > 0
    return max(1, count)


class _Pronunciation(NamedTuple):
    weights: Weights
    exceptions: dict[str, int]
    short_words: frozenset[str]


@cache
def _pronunciation() -> _Pronunciation:
    arrays = resource_arrays("syllables.npz")
    texts, words, short_words = (
        arrays[name].astype(str).tolist() for name in ("patterns", "words", "short_words")
    )
    return _Pronunciation(
        tabulate(zip(arrays["before"].tolist(), texts, strict=True), arrays["weights"].tolist()),
        dict(zip(words, arrays["counts"].tolist(), strict=True)),
        frozenset(short_words),
    )


def count_syllables(word: str) -> int:
    """The syllables of a word as it is read aloud; at least 1.

    - Words joined by hyphens or other marks count as the sum of their parts.
    - Numbers are read out (Flesch 1948: "1918" is four): four digits in pairs, what follows a
      decimal point digit by digit.
    - Capitals are spelled out where they hold no vowel, or are two to four letters that make
      no English word (``MRI``, ``mRNA``; but ``AIDS``).

    >>> [count_syllables(word) for word in ("heart", "diabetes", "walked", "well-being", "piano")]
    [1, 4, 1, 3, 3]
    >>> [count_syllables(word) for word in ("1918", "2.5", "mRNA", "MRIs", "AIDS", "mg")]
    [4, 3, 4, 3, 1, 3]
    """
    total = 0
    for number, letters in _PARTS.findall(word):
        total += _number(number) if number else _letters(letters)
    return max(1, total)


_CAPITALS = re.compile(r"([A-Z]{2,}|[a-z][A-Z]+)s?")


def _letters(part: str) -> int:
    pronunciation = _pronunciation()
    if not part.isascii():
        part = _plain(part)
    capitals = _CAPITALS.fullmatch(part)
    if capitals and _is_spelled(capitals[1], pronunciation.short_words):
        return len(capitals[1]) + 2 * capitals[1].count("W")  # "dou-ble-u"
    return _lower_case(part.lower(), pronunciation.weights, pronunciation.exceptions)


def _lower_case(word: str, weights: Weights, exceptions: dict[str, int]) -> int:
    if word in exceptions:
        return exceptions[word]
    count = count_by_patterns(word, weights)
    for ending in ("'s", "s", "ly"):
        stem = word.removesuffix(ending)
        if stem in exceptions:
            # What the patterns get wrong in the stem they get wrong in the inflected word.
            return count + exceptions[stem] - count_by_patterns(stem, weights)
    return count


def _is_spelled(capitals: str, short_words: frozenset[str]) -> bool:
    may_be = len(capitals) <= 4 or not re.search("[AEIOUY]", capitals)
    return may_be and capitals.lower() not in short_words


def _plain(part: str) -> str:
    """Without accents, with the straight apostrophe."""
    decomposed = unicodedata.normalize("NFKD", part.replace("’", "'"))
    return "".join(letter for letter in decomposed if letter.isascii())


# zero, one, ... nineteen; then twenty, thirty, ... ninety.
_UNITS = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)
_TENS = (0, 0, 2, 2, 2, 2, 2, 3, 2, 2)


def _number(text: str) -> int:
    whole, *decimals = text.replace(",", "").split(".")
    count = sum(1 + _digits(part) for part in decimals)
    if len(whole) > 9 or whole.startswith("0"):
        return count + _digits(whole)
    return count + _cardinal(int(whole), in_pairs=len(whole) == 4 and "," not in text)


def _digits(text: str) -> int:
    return sum(_UNITS[unicodedata.digit(digit, 1)] for digit in text)


def _cardinal(number: int, in_pairs: bool = False) -> int:
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10] + (_UNITS[number % 10] if number % 10 else 0)
    if in_pairs and number % 1000 >= 100:
        rest = number % 100
        return _cardinal(number // 100) + (_cardinal(rest) + (rest < 10) if rest else 2)
    # One syllable more than the number of hundreds: "hun-dred", "thou-sand", "mil-lion".
    size = 100 if number < 1000 else 1000 if number < 1_000_000 else 1_000_000
    rest = number % size
    return _cardinal(number // size) + 2 + (_cardinal(rest) if rest else 0)
