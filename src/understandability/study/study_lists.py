"""Count words on lists by the rules of the study (Palotti, Zuccon & Hanbury 2019).

The rules are taken from its public code: affixes must have at least four letters, words on
dictionary lists more than three, and acronyms must match exactly. Words with several listed affixes
count several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SHORTEST_AFFIX = 4  # letters
SHORTEST_WORD = 4

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Cut = Callable[[str, int], str]  # the first or last letters of a word


class StudyList:
    """A word list of the study, with one method per matching rule; each returns a value per
    word.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = frozenset(entries)

    @cached_property
    def _lower(self) -> frozenset[str]:
        return frozenset(entry.lower() for entry in self._entries)

    @cached_property
    def _affixes(self) -> frozenset[str]:
        return frozenset(entry for entry in self._entries if len(entry) >= SHORTEST_AFFIX)

    @cached_property
    def _affix_lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(affix) for affix in self._affixes}))

    def prefixes(self, words: Sequence[str]) -> Counts:
        """Return the number of listed prefixes, of at least four letters, with which each word
        begins.

        >>> StudyList(["card", "cardio", "a"]).prefixes(["Cardiology", "cardio", "an"]).tolist()
        [2, 2, 0]
        """
        return self._count(words, lambda word, length: word[:length])

    def suffixes(self, words: Sequence[str]) -> Counts:
        """Return the number of listed suffixes, of at least four letters, with which each word
        ends.

        >>> StudyList(["itis", "is"]).suffixes(["arthritis", "itis", "this"]).tolist()
        [1, 1, 0]
        """
        return self._count(words, lambda word, length: word[-length:])

    def long_words(self, words: Sequence[str]) -> Mask:
        """Return a mask of the words on the list with more than three letters, ignoring case.

        >>> StudyList(["Bone", "the"]).long_words(["bone", "the"]).tolist()
        [True, False]
        """
        return _mask(len(word) >= SHORTEST_WORD and word.lower() in self._lower for word in words)

    def exact(self, words: Sequence[str]) -> Mask:
        """Return a mask of the words that are on the list with the same capitals.

        >>> StudyList(["MRI", "As"]).exact(["MRI", "MRIs", "mri", "As"]).tolist()
        [True, False, False, True]
        """
        return _mask(word in self._entries for word in words)

    def _count(self, words: Sequence[str], cut: Cut) -> Counts:
        counts = np.zeros(len(words), np.int64)
        for index, word in enumerate(words):
            lower = word.lower()
            lengths = (length for length in self._affix_lengths if length <= len(lower))
            counts[index] = sum(cut(lower, length) in self._affixes for length in lengths)
        return counts


def _mask(values: Iterable[bool]) -> Mask:
    return np.fromiter(values, bool)
