"""Parts of speech: a linear model over a window of five tokens, in two passes, without history.

*First pass*: the score of each tag is a sum over the token and its two neighbours on each side,
each described by its own features (word, suffixes, shape, ...). What a token type adds at each
of the five distances is therefore computed once per type (`Tagger.contributions`), and tagging
is five additions for each tag of each token, in the compiled core.
*Second pass*: tables add what the first-pass tags around a token tell.
All numbers are whole, so that the same sentence has the same tags in any batch, anywhere.
The weights were learned from the UD English Web Treebank by ``scripts/train/tagger.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability import _core
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

Array = NDArray[Any]


class Tagger:
    """Tags of tokens: indexes into `UNIVERSAL`.

    >>> tagger = default_tagger()
    >>> tags = tagger.tag("The flu is an infection .".split(), np.array([0]))
    >>> [UNIVERSAL[tag] for tag in tags]
    ['DET', 'NOUN', 'AUX', 'DET', 'NOUN', 'PUNCT']
    """

    def __init__(self, arrays: dict[str, Array]) -> None:
        texts = arrays["features"].tobytes().decode("utf-8").split("\n")
        self._rows = _core.Numbers()
        rows = np.empty(len(texts), np.int32)
        self._rows.number(texts, rows)
        self._weights = np.ascontiguousarray(arrays["weights"], np.int8)
        words = arrays["usual_case_words"].tobytes().decode("utf-8").split("\n")
        self._usual_case = dict(zip(words, arrays["usual_case"].astype("U1").tolist(), strict=True))
        classes = arrays["word_classes"].tobytes().decode("utf-8").split("\n")
        self._word_classes = {word: number for number, word in enumerate(classes, 1)}
        self._before = arrays["before"]
        self._around = arrays["around"]
        self._after = arrays["after"]
        self._word_around = arrays["word_around"]
        self._boundary = self._weights[texts.index(BOUNDARY_FEATURE)].astype(np.int16)

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
        table = np.empty((len(types), len(OFFSETS) * TAGS + 1), np.int16)
        _core.add_features(
            list(types),
            self._rows,
            self._usual_case,
            self._word_classes,
            _LONGEST,
            self._weights,
            table,
        )
        return table

    def tag_ids(
        self, type_ids: Array, sentence_starts: Array, contributions: Array
    ) -> NDArray[np.uint8]:
        """The tag of each token, given by its type's row in `contributions`."""
        tags = np.empty(len(type_ids), np.uint8)
        _core.best_tags(
            np.ascontiguousarray(contributions, np.int16),
            np.ascontiguousarray(type_ids, np.int64),
            np.ascontiguousarray(sentence_starts, np.int64),
            self._boundary,
            self._before,
            self._around,
            self._after,
            self._word_around,
            tags,
        )
        return tags


# Of a longer token only so many characters are looked at.
_LONGEST = 64


@cache
def default_tagger() -> Tagger:
    """The tagger that comes with the package."""
    return Tagger(resource_arrays("tagger.npz"))


_PROPER_NOUN = UNIVERSAL.index("PROPN")


def entity_starts(tags: NDArray[Any], sentence_starts: NDArray[Any]) -> NDArray[np.bool_]:
    """Where an entity begins: a proper noun whose left neighbour in the sentence is none.

    `tags` are indexes into `UNIVERSAL`, one for each token.

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
