"""How a text is written, in columns that only estimators read: a share of words each.

Punctuation, function words, endings, rare words, the spread of sentence lengths. They stand beside
the catalogue rather than in it, because none of them means anything to a reader on its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MARKS = {
    "comma": ",",
    "colon": ";:",
    "bracket": "()[]",
    "quote": "\"“”‘’''``",
    "dash": "-–—--",
    "exclamation": "!?",
    "percent": "%",
    "symbol": "=<>±≥≤*/+~",
    "period": ".",
}
_FUNCTION_WORDS = {
    "first_person": "i me my we us our",
    "second_person": "you your",
    "third_person": "he she him her his",
    "it_they": "it its they them their",
    "past_be": "was were had did",
    "be": "is are be been being",
    "modal": "can could may might should would will must",
    "relative": "which that who whose whom",
    "connective": "however although thus therefore moreover whereas furthermore despite",
    "of": "of",
    "article": "the a an",
    "and": "and or",
    "cause": "but so because if when",
    "preposition": "in on at to for with by from",
    "negation": "n't not no never",
}
_ENDINGS = (
    ("tion", "tions"),
    ("ity", "ities"),
    ("ment", "ments"),
    ("ence", "ences"),
    ("ance", "ances"),
    ("ness",),
    ("ism",),
    ("ical",),
    ("ive",),
    ("ous",),
    ("ing",),
    ("ed",),
    ("ly",),
)
_LEAST_ENDING_WORD = 6

_MARK_OF = {mark: column for column, marks in enumerate(_MARKS.values()) for mark in marks}
_WORD_OF = {
    word: column for column, words in enumerate(_FUNCTION_WORDS.values()) for word in words.split()
}
_ENDING_OF = {ending: column for column, endings in enumerate(_ENDINGS) for ending in endings}
_ENDING_SIZES = sorted(set(map(len, _ENDING_OF)))
STYLE_KINDS = (
    *_MARKS,
    *_FUNCTION_WORDS,
    *(f"ending_{ending[0]}" for ending in _ENDINGS),
    "number",
    "capitals",
    "capitalised",
)


def kinds_of_token(tokens: Sequence[str]) -> NDArray[np.uint8]:
    """Which of `STYLE_KINDS` each token is, and last whether it has a letter.

    (tokens, kinds + 1). A column of types.
    """
    kinds = np.zeros((len(tokens), len(STYLE_KINDS) + 1), np.uint8)
    words = len(_MARKS)
    endings = words + len(_FUNCTION_WORDS)
    rest = endings + len(_ENDINGS)
    found: list[tuple[int, int]] = []
    for row, token in enumerate(tokens):
        if not (token.isalnum() or any(map(str.isalnum, token))):
            column = _MARK_OF.get(token[:1])
            if column is not None:
                found.append((row, column))
            continue
        lower = token.lower()
        column = _WORD_OF.get(lower.replace("’", "'"))
        if column is not None:
            found.append((row, words + column))
        if len(lower) >= _LEAST_ENDING_WORD:
            for size in _ENDING_SIZES:
                column = _ENDING_OF.get(lower[-size:])
                if column is not None:
                    found.append((row, endings + column))
        if token[0].isdigit():
            found.append((row, rest))
        if token[0].isupper():
            found.append((row, rest + 2))
        if len(token) > 1 and token.isupper():
            found.append((row, rest + 1))
    if found:
        kinds[tuple(np.array(found).T)] = 1
    kinds[:, -1] = np.fromiter(
        (token.isalpha() or any(map(str.isalpha, token)) for token in tokens), bool, len(tokens)
    )
    return kinds
