"""Parts of speech: a linear model over a window of five tokens, in two passes, without history.

*First pass*: the score of each tag is a sum over the token and its two neighbours on each side,
each described by its own features (word, suffixes, shape, ...). What a token type adds at each
of the five distances is therefore computed once per type (`Tagger.contributions`), and tagging
is five gathers, four additions and an argmax over all tokens of a batch.
*Second pass*: tables add what the first-pass tags around a token tell.
All numbers are whole, so that the same sentence has the same tags in any batch, anywhere.
The weights were learned from the UD English Web Treebank by ``scripts/train/tagger.py``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.resources import resource_arrays

UNIVERSAL = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
TWELVE = (
    "VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X", "PUNCT",
)  # fmt: skip
_RENAMED = {
    "AUX": "VERB",
    "PROPN": "NOUN",
    "SCONJ": "CONJ",
    "CCONJ": "CONJ",
    "PART": "PRT",
    "INTJ": "X",
    "SYM": "X",
}
# The twelve-tag set's index of each universal tag: ``TO_TWELVE[tags]``.
TO_TWELVE = np.array([TWELVE.index(_RENAMED.get(tag, tag)) for tag in UNIVERSAL], np.uint8)

TAGS = len(UNIVERSAL)
# What stands before the first and after the last token of a sentence.
BOUNDARY_TAG = TAGS
BOUNDARY_FEATURE = "boundary"
# Where neighbours stand that a token's type adds to: itself in the middle.
OFFSETS = (-2, -1, 0, 1, 2)

_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_RUN = re.compile(r"(.)\1{2,}")
_ASCII_SHAPES = str.maketrans(
    string.ascii_uppercase + string.ascii_lowercase + string.digits, "X" * 26 + "x" * 26 + "d" * 10
)

Array = NDArray[Any]


@lru_cache(1 << 10)  # a new token is asked for again and again, right away
def normal_form(token: str) -> str:
    """Small letters, all digits alike."""
    return token.lower() if token.isalpha() else _DIGIT.sub("0", token.lower())


def _shape(token: str) -> str:
    """Capitals, small letters and digits, a run of more than two shortened."""
    if token.isalpha() and (len(token) == 1 or token[1:].islower()):  # as most are
        return "X" + "xx"[: len(token) - 1] if token[0].isupper() else "xx"[: len(token)]
    shape = token[:16]
    if shape.isascii():
        shape = shape.translate(_ASCII_SHAPES)
    else:
        shape = _LETTER.sub(lambda letter: "X" if letter[0].isupper() else "x", shape)
        shape = _DIGIT.sub("d", shape)
    return _RUN.sub(r"\1\1", shape)[:8]


def context_features(token: str, usual_case: str) -> list[str]:
    """What a token tells about itself and its neighbours.

    `usual_case` says how often the word is capitalised within sentences elsewhere: a digit, or
    ``N`` where that is not known.
    """
    word = normal_form(token)
    case = "t"
    if token[:1].isupper():
        case = "U" if len(token) > 1 and token.isupper() else "T"
    return [
        "w=" + word,
        "1=" + word[-1:],
        "2=" + word[-2:],
        "3=" + word[-3:],
        "4=" + word[-4:],
        "shape=" + _shape(token),
        "case=" + case + usual_case,
        "bias",
    ]


def own_features(token: str) -> list[str]:
    """What a token tells about itself only."""
    word = normal_form(token)
    case = "T" if token[:1].isupper() else "t"
    features = [
        "W=" + token,
        "5=" + word[-5:],
        "-1=" + word[:1],
        "-2=" + word[:2],
        "-3=" + word[:3],
        "-4=" + word[:4],
        "c2=" + case + word[-2:],
        "c3=" + case + word[-3:],
        f"size={min(len(word), 9)}",
    ]
    if "-" in word:
        features.append("hyphen")
    if "." in word[1:-1]:
        features.append("dot")
    if token.isupper():
        features.append(f"upper={min(len(token), 5)}")
    return features


class Tagger:
    """Tags of tokens: indexes into `UNIVERSAL`.

    >>> tagger = default_tagger()
    >>> tags = tagger.tag("The flu is an infection .".split(), np.array([0]))
    >>> [UNIVERSAL[tag] for tag in tags]
    ['DET', 'NOUN', 'AUX', 'DET', 'NOUN', 'PUNCT']
    """

    def __init__(self, arrays: dict[str, Array]) -> None:
        texts = arrays["features"].tobytes().decode("utf-8").split("\n")
        self._rows = {text: row for row, text in enumerate(texts)}
        self._weights = arrays["weights"]
        words = arrays["usual_case_words"].tobytes().decode("utf-8").split("\n")
        self._usual_case = dict(zip(words, arrays["usual_case"].astype("U1").tolist(), strict=True))
        classes = arrays["word_classes"].tobytes().decode("utf-8").split("\n")
        self._word_classes = {word: number for number, word in enumerate(classes, 1)}
        self._before = arrays["before"]
        self._around = arrays["around"]
        self._after = arrays["after"]
        self._word_around = arrays["word_around"]
        self._boundary = np.append(self._weights[self._rows[BOUNDARY_FEATURE]], 0)

    def tag(self, tokens: Sequence[str], sentence_starts: Array) -> NDArray[np.uint8]:
        """The tag of each token; `sentence_starts` are indexes of the tokens that start one."""
        numbers: dict[str, int] = {}
        ids = np.array([numbers.setdefault(token, len(numbers)) for token in tokens], np.int64)
        return self.tag_ids(ids, sentence_starts, self.contributions(list(numbers)))

    def contributions(self, types: Sequence[str]) -> NDArray[np.int16]:
        """What each token type adds to the scores around it: (types, offsets * tags + 1).

        A function of each type alone, to be kept with it. Column ``o * 17 + t`` is for tag `t`
        of a token for which this one stands at ``OFFSETS[o]``; the last one numbers the words
        that the second pass knows.
        """
        columns = len(OFFSETS) * TAGS
        table = np.empty((len(types), columns + 1), np.int16)
        for start in range(0, len(types), _AT_ONCE):
            some = types[start : start + _AT_ONCE]
            rows: list[int] = []
            starts = []
            for token in some:
                starts.append(len(rows))
                rows.extend(self._rows_of(token))
            np.add.reduceat(
                self._weights.take(rows, axis=0),
                starts,
                axis=0,
                dtype=np.int16,
                out=table[start : start + len(some), :columns],
            )
        word_class = self._word_classes.get
        table[:, columns] = [word_class(normal_form(token), 0) for token in types]
        return table

    def _rows_of(self, token: str) -> list[int]:
        token = token[:_LONGEST]
        usual_case = self._usual_case.get(normal_form(token), "N")
        features = context_features(token, usual_case) + own_features(token)
        return [row for row in map(self._rows.get, features) if row is not None]

    def tag_ids(
        self, type_ids: Array, sentence_starts: Array, contributions: Array
    ) -> NDArray[np.uint8]:
        """The tag of each token, given by its type's row in `contributions`."""
        tags = np.empty(len(type_ids), np.uint8)
        # Some sentences at a time, for the cache; their tags do not depend on the others.
        ends = np.append(sentence_starts[1:], len(type_ids))
        first = 0
        while first < len(sentence_starts):
            start = sentence_starts[first]
            last = max(first + 1, int(np.searchsorted(ends, start + _AT_ONCE, side="right")))
            starts, end = sentence_starts[first:last] - start, ends[last - 1]
            for begin in range(start, end, _AT_ONCE):  # once, unless a sentence does not end
                stop = min(begin + _AT_ONCE, end)
                left, right = max(begin - _REACH, start), min(stop + _REACH, end)
                some = self._tag_some(type_ids[left:right], starts, contributions)
                tags[begin:stop] = some[begin - left : stop - left]
            first = last
        return tags

    def _tag_some(self, ids: Array, starts: Array, contributions: Array) -> Array:
        # Two boundaries stand before each sentence and after the last, so that the neighbours of
        # all tokens are slices. What comes out for the boundaries themselves is left alone.
        sizes = np.append(starts[1:], len(ids)) - starts
        sentence = np.repeat(np.arange(len(starts)), sizes)
        place = np.arange(2, len(ids) + 2) + 2 * sentence
        size = len(ids) + 2 * len(starts) + 2
        is_boundary = np.ones(size, bool)
        is_boundary[place] = False
        types = np.zeros(size, np.intp)
        types[place] = ids
        rows = contributions.take(types, axis=0)
        rows[is_boundary] = self._boundary
        blocks = rows[:, :-1].reshape(size, len(OFFSETS), TAGS)
        last = len(OFFSETS) - 1
        scores = blocks[: size - last, 0].copy()
        for offset in range(1, len(OFFSETS)):
            scores += blocks[offset : size - last + offset, offset]

        tags = np.full(size, BOUNDARY_TAG, np.intp)
        tags[2:-2] = scores.argmax(axis=1)
        tags[is_boundary] = BOUNDARY_TAG
        side = TAGS + 1
        far_left, left, here, right, far_right = (
            tags[offset : size - last + offset] for offset in range(len(OFFSETS))
        )
        word_class = rows[2:-2, -1]
        scores += self._before.take(far_left * side + left, axis=0)
        scores += self._around.take((left * side + here) * side + right, axis=0)
        scores += self._after.take(right * side + far_right, axis=0)
        scores += self._word_around.take((word_class * side + left) * side + right, axis=0)
        best: Array = scores.argmax(axis=1)[place - 2]
        return best


# Tokens or types at once: what they gather stays in the processor's cache.
_AT_ONCE = 4096
# How far on each side a token's tag looks: two passes of a window of five.
_REACH = 4
# Of a longer token only so many characters are looked at.
_LONGEST = 64


@cache
def default_tagger() -> Tagger:
    """The tagger that comes with the package."""
    return Tagger(resource_arrays("tagger.npz"))
