"""Find the terms of a vocabulary in a text: at each word, the longest term that begins there.

Case, number ("Heart Attacks"), hyphens and genitives ("Alzheimer's disease") are ignored. A term
never extends over punctuation or the end of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import Array, Batch, PieceTable, ranges
from understandability.text.tokens import split_pieces

LONGEST = 12  # words; longer terms hardly ever occur in a text exactly as in a vocabulary

_PASSED_OVER = frozenset(("-", "‐", "‑", "–", "'", "’", "'s", "’s"))
_HAS_WORD = re.compile(r"[^\W_]")
# What ends in s and is another word without it.
_NO_PLURAL = frozenset(("aids", "does", "mers", "sars"))
_IS_PLURAL = re.compile(r"(?:(?:ph|gn|ch|mb|br|cr|ur)os|stas|alys)es$")
_ES_PLURAL = re.compile(r"(?:ss|sh|zz|x|[^a]ch)es$")


def singular(word: str) -> str:
    """Return a form that a lower-case noun shares with its plural; it is not always a word.

    >>> [singular(word) for word in ("attacks", "biopsies", "diagnoses", "abscesses", "headaches")]
    ['attack', 'biopsy', 'diagnosis', 'abscess', 'headache']
    >>> [singular(word) for word in ("virus", "sepsis", "aids", "gas", "bacteria")]
    ['virus', 'sepsis', 'aids', 'gas', 'bacteria']
    """
    if len(word) < 4 or word[-1] != "s" or word[-2] in "sui" or word in _NO_PLURAL:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if _IS_PLURAL.search(word):
        return word[:-2] + "is"
    return word[:-2] if _ES_PLURAL.search(word) else word[:-1]


def key_of(token: str) -> str | None:
    """Return the form in which a token is compared with terms.

    >>> [key_of(token) for token in ("Attacks", "-", "’s", "B12", ",")]
    ['attack', '', '', 'b12', None]
    """
    if token.isalpha():
        return singular(token.lower())
    if token.lower() in _PASSED_OVER:
        return ""
    return token.lower().replace("’", "'") if _HAS_WORD.search(token) else None


@dataclass(frozen=True, slots=True)
class ConceptMatches:
    """The terms found in a batch, in order; each array has one entry per match.

    `documents` is the index of the document, `entries` the entry (see `TermFinder`), and its tokens
    are ``batch.token_ids[starts[i]:ends[i]]``.
    """

    documents: NDArray[np.int64]
    entries: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


_UNKNOWN, _SKIP = -1, -2


class TermFinder:
    """Finds the terms of a vocabulary, by a tree of arrays with one level per word.

    Terms with equal keys form one entry: `entries` holds the entry of each term, and `size` is the
    number of entries. Some terms are excluded (entry -1): terms of more than `LONGEST` words, and
    single words that are in `too_common`, a number, or shorter than three letters, because "it",
    "12" and "cm" in a text rarely mean what the vocabulary means by them.
    """

    def __init__(self, terms: Sequence[str], too_common: Collection[str] = ()) -> None:
        words, sizes = self._words_of(terms)
        left_out = (sizes == 0) | (sizes > LONGEST)
        keys = list(self._numbers)
        common = np.array([len(k) < 3 or k.isdigit() or k in too_common for k in keys], bool)
        alone = np.flatnonzero(sizes == 1)
        left_out[alone[common[words[alone, 0]]]] = True
        self._width = len(keys)
        self.entries = np.full(len(terms), _UNKNOWN, np.int64)
        self.size = 0
        # Of each level: the edges (node, word) in order, and what ends at the nodes they lead to.
        self._edges: list[NDArray[np.int64]] = []
        self._ends: list[NDArray[np.int64]] = []
        remaining = np.flatnonzero(~left_out)
        nodes = np.zeros(len(remaining), np.int64)
        for level in range(LONGEST):
            if not len(remaining):
                break
            edges, nodes = np.unique(
                nodes * self._width + words[remaining, level], return_inverse=True
            )
            is_last = sizes[remaining] == level + 1
            ends = np.full(len(edges), _UNKNOWN, np.int64)
            ending, entry = np.unique(nodes[is_last], return_inverse=True)
            ends[ending] = self.size + np.arange(len(ending))
            self.entries[remaining[is_last]] = self.size + entry
            self.size += len(ending)
            self._edges.append(edges)
            self._ends.append(ends)
            remaining, nodes = remaining[~is_last], nodes[~is_last]

    def _words_of(self, terms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ids of each term's first words, and its number of words.

        Punctuation within a term is ignored: "Diabetes Mellitus, Type 2" has four words.
        """
        pieces = PieceTable()
        split = list(map(split_pieces, terms))
        tokens, token_sizes = pieces.tokens(pieces.number(chain.from_iterable(split)))
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        number_of_type = np.array(
            [
                number(key, len(self._numbers)) if (key := key_of(token)) else _UNKNOWN
                for token in pieces.token_types.strings
            ],
            np.int64,
        )
        term_of_piece = np.repeat(np.arange(len(terms)), list(map(len, split)))
        numbers = number_of_type[tokens]
        is_word = numbers >= 0
        term = np.repeat(term_of_piece, token_sizes)[is_word]
        sizes = np.bincount(term, minlength=len(terms))
        position = ranges(np.zeros_like(sizes), sizes)
        words = np.full((len(terms), LONGEST), _UNKNOWN, np.int64)
        short = position < LONGEST
        words[term[short], position[short]] = numbers[is_word][short]
        return words, sizes

    def find(self, batch: Batch) -> ConceptMatches:
        """Find the longest terms in a batch's documents, from left to right, without overlaps."""
        numbers = batch.token_values(self._numbers_of)
        tokens = np.flatnonzero(numbers != _SKIP)
        # An unknown word separates the sentences and ends the last one, so that no term crosses.
        breaks = np.searchsorted(tokens, batch.token_sentence_starts)
        words = np.append(np.insert(numbers[tokens], breaks, _UNKNOWN), _UNKNOWN)
        tokens = np.append(np.insert(tokens, breaks, -1), -1)
        positions, sizes, entries = self._longest(words)
        chosen, end = [], 0  # each match starts after the end of the previous one
        for index, (position, size) in enumerate(
            zip(positions.tolist(), sizes.tolist(), strict=True)
        ):
            if position >= end:
                chosen.append(index)
                end = position + size
        positions, sizes, entries = positions[chosen], sizes[chosen], entries[chosen]
        starts = tokens[positions]
        return ConceptMatches(
            documents=np.searchsorted(batch.token_starts, starts, side="right") - 1,
            entries=entries,
            starts=starts,
            ends=tokens[positions + sizes - 1] + 1,
        )

    def _longest(self, words: Array) -> tuple[Array, Array, Array]:
        """Return the longest term at each index where a term begins: index, words, entry.

        Terms are a trie, one array per level: an edge is the key ``node * width + word``, and its
        index among the sorted edges is the next node. All indexes step down together:

            words             flu  shot  in  flu
            terms             "flu" (entry 0), "flu shot" (entry 1)
            level 0 follows   0, 3: both end entry 0, with size 1
            level 1 follows   0: it ends entry 1, with size 2
        """
        best_size = np.zeros(len(words), np.int64)
        best_entry = np.zeros(len(words), np.int64)
        positions = np.flatnonzero(words >= 0)
        nodes = np.zeros(len(positions), np.int64)
        for level, (edges, ends) in enumerate(zip(self._edges, self._ends, strict=True)):
            keys = nodes * self._width + words[positions + level]
            edge = np.minimum(np.searchsorted(edges, keys), len(edges) - 1)
            follows = (edges[edge] == keys) & (words[positions + level] >= 0)
            positions, nodes = positions[follows], edge[follows]
            ending = ends[nodes]
            is_last = ending >= 0
            best_size[positions[is_last]] = level + 1
            best_entry[positions[is_last]] = ending[is_last]
            if not len(positions):
                break
        begins = np.flatnonzero(best_size)
        return begins, best_size[begins], best_entry[begins]

    def _numbers_of(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each token's key; ignored tokens and unknown words have ids of their
        own.
        """
        keys = map(key_of, tokens)
        numbers = self._numbers
        return np.fromiter(
            (_SKIP if key == "" else numbers.get(key or "", _UNKNOWN) for key in keys),
            np.int64,
            len(tokens),
        )
