"""Detect American or British English, and convert plain terms to it; choose "a" or "an"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from understandability.resources import resource_lines

AMERICAN, BRITISH = "american", "british"
ENGLISHES = (AMERICAN, BRITISH)
# Spellings of one English only; words that both spell alike ("advise") are left out.
_SIGNS = {
    BRITISH: re.compile(
        r"\w*(?:aemi|haem|oedema|oesoph|anaesth|paediatr|orrhoea|gynaec|oestr|coeliac|foet)\w*"
        r"|\w*(?:colour|tumour|behaviour|favour|labour|odour|neighbour)\w*"
        r"|(?:cent|lit|kilomet|milli?met|fib|theat)res?|programmes?|whilst|gp|nhs|a&e|paracetamol"
        r"|(?:organ|recogn|minim|util|mobil|immun|random|special|stabil|normal|steril|hospital)"
        r"is(?:e|es|ed|ing|ation)|analys(?:e|ed|ing)|(?:travell|labell|cancell)(?:ed|ing)"
    ),
    AMERICAN: re.compile(
        r"\w*(?:anemi|hemat|hemorr|(?<!o)edema|esophag|anesth|pediatr|orrhea|gynec|estrogen)\w*"
        r"|\w*(?:color|tumor|behavior|favor|labor|odor|neighbor)(?!ect|at)\w*"
        r"|(?:cent|lit|kilomet|millimet|fib|theat)ers?|celiac|acetaminophen|tylenol|er"
        r"|(?:organ|recogn|minim|util|mobil|immun|random|special|stabil|normal|steril|hospital)"
        r"iz(?:e|es|ed|ing|ation)|analyz(?:e|ed|ing)|(?:travel|label|cancel)(?:ed|ing)"
    ),
}  # fmt: skip

_SPOKEN_VOWEL = re.compile(
    r"(?!eu|uni|us[eu]|one|ur[aei]|ut[ei])[aeiou]|hour|honest|x-ray|(?-i:[FHLMNRSX][A-Z])",
    re.IGNORECASE,
)


def english_of(words: Iterable[str]) -> str:
    """Detect the English of a text by its spelling: American unless more words are British.

    >>> english_of(["The", "haemorrhage", "stopped"]), english_of(["It", "stopped"])
    ('british', 'american')
    """
    counts = Counter(map(_sign, words))
    return BRITISH if counts[BRITISH] > counts[AMERICAN] else AMERICAN


@lru_cache(1 << 16)
def _sign(word: str) -> str:
    small = word.strip(".,;:()?!\"'").lower()
    return next((name for name in ENGLISHES if _SIGNS[name].fullmatch(small)), "")


@cache
def _table() -> tuple[Mapping[str, str], re.Pattern[str]]:
    rows = [line.split("\t") for line in resource_lines("plain_terms/british.tsv")[1:]]
    american_terms = sorted((row[0] for row in rows), key=len, reverse=True)
    pattern = re.compile(rf"\b(an? )?({'|'.join(map(re.escape, american_terms))})\b", re.IGNORECASE)
    return {american.lower(): british for american, british in rows}, pattern


def in_english(text: str, english: str) -> str:
    """Convert a text from the tables, which are in American English, to the requested English.

    >>> in_english("Swelling colored by a tumor", "british")
    'Swelling coloured by a tumour'
    >>> in_english("given a shot", "british")
    'given an injection'
    """
    if english == AMERICAN or not text:
        return text
    table, pattern = _table()

    def british(match: re.Match[str]) -> str:
        article, american = match[1] or "", match[2]
        said_british = table[american.lower()]
        if article:
            article = f"{article_before(said_british, article)} "
        is_start = american[0].isupper() and american[1:2].islower()
        return article + (said_british[:1].upper() + said_british[1:] if is_start else said_british)

    return pattern.sub(british, text)


def article_before(text: str, written: str) -> str:
    """Return "a" or "an" for a following text, by its pronunciation; capitalised like `written`.

    >>> [article_before(noun, "a") for noun in ("heart attack", "infection", "urine test", "MRI")]
    ['a', 'an', 'a', 'an']
    """
    right = "an" if _SPOKEN_VOWEL.match(text) else "a"
    return right.capitalize() if written[0].isupper() else right
