"""How many syllables a word has when it is spoken."""

from __future__ import annotations

import re

_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?:[^laeiouy]|[^aeiouy]l)e$|[^tdaeiouy]ed$|(?:[^sxzaeiouycg]|[^cs]h)es$")
_HIATUS = re.compile(r"i[aou](?!us$)|eo|ua|[aeiouy]ing|ism$")


def count_syllables(word: str) -> int:
    """The syllables of a word; those of its parts where hyphens or other marks join it.

    >>> [count_syllables(word) for word in ("heart", "asthma", "walked", "well-being", "piano")]
    [1, 2, 1, 3, 4]
    """
    return max(1, sum(_count_part(part) for part in re.findall(r"[^\W\d_]+", word.lower())))


def _count_part(part: str) -> int:
    count = len(_VOWELS.findall(part)) + len(_HIATUS.findall(part))
    return max(1, count - len(_SILENT.findall(part)))
