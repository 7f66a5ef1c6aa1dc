"""Tag parts of speech with a linear model over a window of five tokens, in two passes.

*First pass*: the score of a tag is a sum over the token and its two neighbours on each side, each
described by features such as word, suffixes and shape. The contribution of a token type at each of
the five offsets is computed once per type (`Tagger.contributions`), so tagging needs only five
additions per tag and token, in the compiled core.

*Second pass*: scores from tables are added, which depend on the first-pass tags around the token.

All weights are integers, so a sentence has the same tags in every batch and on every machine.
``scripts/train/tagger.py`` learned them from the UD English Web Treebank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core import layout
from understandability.arrays import ids_of, numbered
from understandability.resources import resource_arrays

UNIVERSAL, TWELVE = layout.UNIVERSAL_TAGS, layout.TWELVE_TAGS
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
# The tag and the feature of the virtual tokens before and after a sentence.
BOUNDARY_TAG = TAGS
BOUNDARY_FEATURE = "boundary"
# The offsets, from a token that is scored, of the tokens that contribute to its scores.
OFFSETS = (-2, -1, 0, 1, 2)

Array = NDArray[Any]


class Tagger:
    """A part-of-speech tagger. Tags are indexes into `UNIVERSAL`.

    >>> tagger = default_tagger()
    >>> tags = tagger.tag("The flu is an infection .".split(), np.array([0]))
    >>> [UNIVERSAL[tag] for tag in tags]
    ['DET', 'NOUN', 'AUX', 'DET', 'NOUN', 'PUNCT']
    """

    def __init__(self, arrays: dict[str, Array]) -> None:
        texts = arrays["features"].tobytes().decode("utf-8").split("\n")
        self._rows = numbered(texts)
        self._weights = np.ascontiguousarray(arrays["weights"], np.int8)
        words, classes = (
            arrays[name].tobytes().decode("utf-8").split("\n")
            for name in ("usual_case_words", "word_classes")
        )
        self._words, self._classes = numbered(words), numbered(classes)
        # The last entry is for words that are not in the table; their index is -1.
        self._usual_case = [*arrays["usual_case"].astype("U1").tolist(), "N"]
        passes = ("before", "around", "after", "word_around")
        self._second_pass = [arrays[name] for name in passes]
        self._boundary = self._weights[texts.index(BOUNDARY_FEATURE)].astype(np.int16)

    def tag(self, tokens: Sequence[str], sentence_starts: Array) -> NDArray[np.uint8]:
        """Return the part of speech of each token, as an index into `UNIVERSAL`.

        `sentence_starts` has the index of the first token of each sentence.
        """
        numbers: dict[str, int] = {}
        ids = np.array([numbers.setdefault(token, len(numbers)) for token in tokens], np.int64)
        return self.tag_ids(ids, sentence_starts, self.contributions(list(numbers)))

    def contributions(self, types: Sequence[str]) -> NDArray[np.int16]:
        """Return what each token type adds to the scores of the tokens around it.

        The shape is (types, offsets * tags + 1). Column ``o * 17 + t`` is added to the score of tag
        `t` of the token for which this token is at ``OFFSETS[o]``. The last column is the id of the
        word in the tables of the second pass, or 0. A row depends on its type alone, so it can be
        cached.
        """
        table = np.zeros((len(types), len(OFFSETS) * TAGS + 1), np.int16)
        tokens = [token[:_LONGEST] for token in types]
        words = list(map(normal_form, tokens))
        usual_cases = map(self._usual_case.__getitem__, ids_of(words, self._words).tolist())
        for features in features_of(tokens, words, list(usual_cases)):
            _core.add_rows(self._weights, ids_of(features, self._rows), table)
        table[:, -1] = ids_of(words, self._classes) + 1
        return table

    def tag_ids(
        self, type_ids: Array, sentence_starts: Array, contributions: Array
    ) -> NDArray[np.uint8]:
        """Do the same for tokens that are given as indexes of their types in `contributions`."""
        tags = np.empty(len(type_ids), np.uint8)
        rows = np.ascontiguousarray(contributions, np.int16)
        ids = np.ascontiguousarray(type_ids, np.int64)
        starts = np.ascontiguousarray(sentence_starts, np.int64)
        before, around, after, word_around = self._second_pass
        _core.best_tags(rows, ids, starts, self._boundary, before, around, after, word_around, tags)
        return tags


# Longer tokens are truncated to this many characters.
_LONGEST = 64

_DIGIT = re.compile(r"\d")
_SAME = re.compile(r"(.)\1{2,}", re.DOTALL)
_SHAPES = str.maketrans(ascii_uppercase + ascii_lowercase + digits, "X" * 26 + "x" * 26 + "d" * 10)


def normal_form(token: str) -> str:
    """Return a token in lower case, with 0 for each digit.

    >>> normal_form("B12")
    'b00'
    """
    return token.lower() if token.isalpha() else _DIGIT.sub("0", token.lower())


def _shape_of(token: str) -> str:
    """Return the shape of a token: X, x, d for capitals, small letters, digits; longer runs are cut
    to two.
    """
    if token.isalpha() and token[1:].islower():  # a shortcut for most tokens
        return "X" + "xx"[: len(token) - 1] if token[0].isupper() else "xx"
    short = token[:16]
    shape = (
        short.translate(_SHAPES) if short.isascii() else "".join(map(_shape_of_character, short))
    )
    return _SAME.sub(r"\1\1", shape)[:8]


def _shape_of_character(character: str) -> str:
    if character.isdecimal():
        return "d"
    return ("X" if character.isupper() else "x") if character.isalnum() else character


# The first 8 features of `features_of` also score the neighbours of a token.
CONTEXT = 8
_SIZES = [f"size={size}" for size in range(10)]


def features_of(
    tokens: Sequence[str], words: Sequence[str], usual_cases: Sequence[str]
) -> Iterator[list[str]]:
    """Yield the features of tokens, one feature at a time: a string per token, '' for none.

    The first `CONTEXT` features also contribute to the scores of neighbouring tokens. `words` are
    the normal forms. `usual_cases` has one character per token: a digit for how often its word is
    capitalised inside sentences of large corpora, or ``N`` if that is unknown.

    >>> [feature for (feature,) in features_of(["Flu"], ["flu"], ["3"])][:CONTEXT]
    ['w=flu', '1=u', '2=lu', '3=flu', '4=flu', 'shape=Xxx', 'case=T3', 'bias']
    """
    cases = ["T" if token[:1].isupper() else "t" for token in tokens]
    yield ["w=" + word for word in words]
    for size, prefix in enumerate(("1=", "2=", "3=", "4="), 1):
        yield [prefix + word[-size:] for word in words]
    yield ["shape=" + _shape_of(token) for token in tokens]
    yield [
        f"case={'U' if case == 'T' and len(token) > 1 and token.isupper() else case}{usual_case}"
        for token, case, usual_case in zip(tokens, cases, usual_cases, strict=True)
    ]
    yield ["bias"] * len(tokens)
    yield ["W=" + token for token in tokens]
    yield ["5=" + word[-5:] for word in words]
    for size, prefix in enumerate(("-1=", "-2=", "-3=", "-4="), 1):
        yield [prefix + word[:size] for word in words]
    for size in (2, 3):
        yield [f"c{size}={case}{word[-size:]}" for case, word in zip(cases, words, strict=True)]
    yield [_SIZES[min(len(word), 9)] for word in words]
    yield ["hyphen" if "-" in word else "" for word in words]
    yield ["dot" if "." in word[1:-1] else "" for word in words]
    yield [f"upper={min(len(token), 5)}" if token.isupper() else "" for token in tokens]


@cache
def default_tagger() -> Tagger:
    """Load the tagger of the package; cached."""
    return Tagger(resource_arrays("tagger.npz"))


_PROPER_NOUN = UNIVERSAL.index("PROPN")


def entity_starts(tags: NDArray[Any], sentence_starts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the proper nouns that do not follow a proper noun in the same sentence.

    `tags` are indexes into `UNIVERSAL`, one per token.

    >>> tags = [UNIVERSAL.index(tag) for tag in ("PROPN", "PROPN", "VERB", "PROPN", "PROPN")]
    >>> entity_starts(np.array(tags), np.array([0, 4])).tolist()
    [True, False, False, True, True]
    """
    proper: NDArray[np.bool_] = np.asarray(tags) == _PROPER_NOUN
    continues = np.zeros(len(proper), bool)
    continues[1:] = proper[:-1]
    continues[sentence_starts] = False
    proper[continues] = False
    return proper
