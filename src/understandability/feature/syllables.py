"""Count the syllables of words as they are spoken.

A possible nucleus of a syllable is a vowel, the m of *prism*, or the apostrophe of *Max's*. Each
possible nucleus gets the sum of the weights of the letter patterns around it, and is counted if the
sum is positive. ``scripts/train/syllables.py`` learned the weights from the CMU Pronouncing
Dictionary. Words of the dictionary that the weights get wrong are stored as exceptions, so every
word of the dictionary has the right count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability.resources import resource_arrays

Array = NDArray[Any]


class Trie:
    """A prefix tree of patterns, stored as arrays. Each node stands for a prefix of some pattern.

    `nodes` has the node of each complete pattern, and `size` is the number of nodes. Patterns must
    not contain NUL.

    >>> trie = Trie(["flu", "fly"])
    >>> for indexes, nodes in trie.walk(trie.encode("a flu"), np.array([0, 2])):
    ...     print(indexes, nodes == trie.nodes[0])
    [1] [False]
    [1] [False]
    [1] [ True]
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        strings = np.array(patterns)
        points = strings.view(np.uint32).reshape(len(strings), -1)  # padded with NUL
        characters = np.flatnonzero(np.bincount(points.ravel())[1:]) + 1
        self._width = len(characters) + 1
        # Code 0 stands for all characters that no pattern contains. Node 1 is the root.
        self._codes = np.zeros(characters[-1] + 2, np.int32)
        self._codes[characters] = np.arange(1, self._width)
        # An edge is ``parent node * width + code``. Nodes are numbered level by level and in
        # ascending order of their edges, so edge `i` leads to node ``i + 2``.
        self.nodes = np.ones(len(strings), np.int64)
        self.size = 2
        levels = []
        for column in points.T:  # all prefixes of one length at once
            longer = np.flatnonzero(column)
            edges = self.nodes[longer] * self._width + self._codes[column[longer]]
            distinct, indexes = np.unique(edges, return_inverse=True)
            self.nodes[longer] = self.size + indexes
            self.size += len(distinct)
            levels.append(distinct)
        self._edges = np.concatenate(levels)
        # The same tree for the core: the first edge of each node, and the code of each edge.
        first_edges = np.searchsorted(self._edges, np.arange(self.size + 1) * self._width)
        self.tables = first_edges.astype(np.int32), (self._edges % self._width).astype(np.uint8)

    def encode(self, text: str) -> Array:
        """Return the codes of a text for `walk`, with a final 0, at which every walk ends."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        codes = np.zeros(len(points) + 1, self._codes.dtype)
        codes[:-1] = self._codes[np.minimum(points, len(self._codes) - 1)]
        return codes

    def walk(
        self, codes: Array, starts: Array, nodes: Array | int = 1
    ) -> Iterator[tuple[Array, Array]]:
        """Walk down the tree from several `starts` in the text at once, beginning at `nodes`.

        After each step, yields the indexes in `starts` of the walks that have not ended, and the
        nodes that they have reached. A walk ends where no pattern continues.
        """
        indexes = np.arange(len(starts))
        positions = starts
        current_nodes = np.broadcast_to(nodes, len(starts))
        while True:
            edges = current_nodes * self._width + codes[positions]
            edge_indexes = np.minimum(np.searchsorted(self._edges, edges), len(self._edges) - 1)
            continuing = np.flatnonzero(self._edges[edge_indexes] == edges)
            if not len(continuing):
                return
            indexes = indexes[continuing]
            current_nodes = edge_indexes[continuing] + 2
            positions = positions[continuing] + 1
            yield indexes, current_nodes


# A number with its ending, letters, or an "and" between letters.
_PARTS = re.compile(
    r"""(\d+(?:,\d{3})*(?:\.\d+)*)((?:st|nd|rd|th|['’]?s)\b)?
    | ([^\W\d_]+(?:['’][^\W\d_]+)*) | (?<=\w)(&)(?=\w)""",
    re.VERBOSE | re.IGNORECASE,
)
# Replacements for spellings that the patterns get wrong, because they know American words only.
_RESPELLINGS = (
    (re.compile(r"(?:é|ée|és|ées)$"), "ay"),  # "résumé", "fiancée"
    (re.compile(r"^coeli"), "celi"),
    (re.compile(r"(?<=[lnrt])eum(?=s?$)"), "ium"),  # "ileum", "peritoneum"
    (
        re.compile(r"(?:(?<=^il)|(?<=[^\W\d_]{2}[ng])(?<!cong))eal(?=s?$)"),
        "ial",
    ),  # "ileal", "corneal"
    (re.compile(r"(?<=^uv)eal(?=s?$)"), "ial"),
    (re.compile(r"(?<=[^\W\d_])e(?=itis(?:es)?$)"), "ee-"),  # "uveitis"
    (re.compile(r"(?:(?<=^il)|(?<=[^\W\d_][lrtcnd]))eus$"), "ius"),  # "ileus", "nucleus"
    (re.compile(r"(?<=gastr)o(?=e)"), "o-"),
    (re.compile(r"my(?=algi)"), "my-"),
    (re.compile(r"^(ascit|lu|stap)es$"), r"\1eez"),
)
# The most letters that a pattern may have before its nucleus, after it, and in total.
_BEFORE, _AFTER, _TOGETHER = 4, 4, 6


def patterns(marked: str, nucleus: int) -> Iterator[tuple[int, str]]:
    """Yield the letter patterns around a nucleus: the number of letters before it, and the pattern.

    `nucleus` is an index in `marked`, a word between ``^`` and ``$``.

    >>> list(patterns("^flu$", 3))[:4]
    [(0, 'u'), (0, 'u$'), (1, 'lu'), (1, 'lu$')]
    """
    for before in range(min(_BEFORE, nucleus) + 1):
        last = min(nucleus + min(_AFTER, _TOGETHER - before), len(marked) - 1)
        for end in range(nucleus, last + 1):
            yield before, marked[nucleus - before : end + 1]


class SyllableWeights:
    """The learned weights of letter patterns, summed at all possible nuclei of many words at
    once.
    """

    def __init__(self, weights: Mapping[tuple[int, str], int]) -> None:
        # The tree has the patterns prefixed by a digit: the number of letters before the nucleus.
        texts = [f"{before}{text}" for before, text in weights]
        self._trie = Trie(texts)
        digits = self._trie.encode("".join(map(str, range(_BEFORE + 1))))
        used_digits, roots = next(self._trie.walk(digits, np.arange(_BEFORE + 1)))
        self._roots = np.zeros(_BEFORE + 1, np.int64)
        self._roots[used_digits] = roots
        self._weights = np.zeros(self._trie.size, np.int16)
        self._weights[self._trie.nodes] = list(weights.values())
        self._codes = self._trie.encode("".join(map(chr, range(128))))

    def nuclei(self, words: Sequence[str]) -> list[list[int]]:
        """Return the nuclei of lower-case words, as indexes in each word between ``^`` and ``$``.

        >>> SyllableWeights({(0, letter): 1 for letter in "im"}).nuclei(["prism", "mimic"])
        [[3, 5], [2, 4]]
        """
        tables = *self._trie.tables, self._codes, self._roots, self._weights
        return _core.nuclei(list(words), *tables)

    def count(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Count the syllables of lower-case words by the weights alone, without exceptions; at
        least 1.
        """
        return np.maximum(1, np.fromiter(map(len, self.nuclei(words)), np.int64))


class _Pronunciation(NamedTuple):
    weights: SyllableWeights
    exceptions: dict[str, int]
    short_words: frozenset[str]


@cache
def _pronunciation() -> _Pronunciation:
    arrays = resource_arrays("syllables.npz")
    texts, words, short_words = (
        arrays[name].astype(str).tolist() for name in ("patterns", "words", "short_words")
    )
    patterns = zip(arrays["before"].tolist(), texts, strict=True)
    return _Pronunciation(
        SyllableWeights(dict(zip(patterns, arrays["weights"].tolist(), strict=True))),
        dict(zip(words, arrays["counts"].tolist(), strict=True)),
        frozenset(short_words),
    )


def count_syllables(word: str) -> int:
    """Count the syllables of a word as it is read aloud; at least 1.

    - The parts of words joined by hyphens or other marks are counted separately and summed.
    - Numbers are read out (Flesch 1948: "1918" has four): four digits in pairs, decimals digit by
      digit, and endings are included ("2nd" has two, "20th" three, "80s" two).
    - Capitals are spelled out if they contain no vowel, or are two to four letters that are not an
      English word (``MRI``, ``mRNA``; but ``AIDS`` is read as a word).

    >>> [count_syllables(word) for word in ("heart", "diabetes", "walked", "well-being", "piano")]
    [1, 4, 1, 3, 3]
    >>> [count_syllables(word) for word in ("1918", "2.5", "mRNA", "MRIs", "AIDS", "mg")]
    [4, 3, 4, 3, 1, 3]
    """
    return int(count_each((word,))[0])


def count_each(words: Sequence[str]) -> NDArray[np.int64]:
    """Count the syllables of many words; much faster than calling `count_syllables` for each.

    >>> count_each(["heart", "diabetes"])
    array([1, 4])
    """
    weights, exceptions, short_words = _pronunciation()
    totals = [0] * len(words)
    # Parts to count by weights: the part, the index of its word, and 1 to add or -1 to subtract.
    by_weights: list[tuple[str, int, int]] = []
    for index, word in enumerate(words):
        # Most words have only letters: skip the regular expression, which is slow.
        plain = word.isascii() and word.isalpha()
        word = word if word.isascii() else unicodedata.normalize("NFC", word)
        parts = (("", "", word, ""),) if plain else _PARTS.findall(word)
        for number, ending, letters, ampersand in parts:
            if number:
                totals[index] += _number(number) + _ending(number, ending.lower())
                continue
            if ampersand:
                totals[index] += 1
                continue
            part = letters if letters.isascii() else _plain(_respelled(letters))
            capitals = _CAPITALS.fullmatch(part) if part[1:2].isupper() else None
            if capitals and _is_spelled(capitals[1], short_words):
                totals[index] += len(capitals[1]) + 2 * capitals[1].count("W")  # "dou-ble-u"
                continue
            part = part.lower()
            if part.endswith(_CLASSICAL) or part.startswith(_CLASSICAL_STARTS):
                part = _respelled(part)
            if part in exceptions:
                totals[index] += exceptions[part]
                continue
            by_weights.append((part, index, 1))
            for ending in ("'s", "s", "ly") if part.endswith(("s", "ly")) else ():
                stem = part.removesuffix(ending)
                if stem in exceptions:
                    # The weights make the same error in the stem and in the inflected word, so
                    # correct the count by the difference for the stem.
                    totals[index] += exceptions[stem]
                    by_weights.append((stem, index, -1))
                    break
    counts = weights.count([part for part, _, _ in by_weights]).tolist()
    for (_, index, sign), count in zip(by_weights, counts, strict=True):
        totals[index] += sign * count
    return np.maximum(1, np.array(totals, np.int64))


_CAPITALS = re.compile(r"([A-Z]{2,}|[a-z][A-Z]+)s?")


def _is_spelled(capitals: str, short_words: frozenset[str]) -> bool:
    is_candidate = len(capitals) <= 4 or not re.search("[AEIOUY]", capitals)
    return is_candidate and capitals.lower() not in short_words


_CLASSICAL = (
    "eum",
    "eums",
    "eal",
    "eals",
    "eus",
    "aneous",
    "aneously",
    "eitis",
    "ites",
    "lues",
    "apes",
)


_CLASSICAL_STARTS = ("coeli", "gastroe", "myalg", "fibromyalg")


def _respelled(part: str) -> str:
    """Apply the substitutions of `_RESPELLINGS`, such as those of numbers by words."""
    for pattern, replacement in _RESPELLINGS:
        part = pattern.sub(replacement, part)
    return part


def _plain(part: str) -> str:
    """Strip accents, and straighten apostrophes."""
    decomposed = unicodedata.normalize("NFKD", part.replace("’", "'"))
    return "".join(letter for letter in decomposed if letter.isascii())


# zero, one, ... nineteen; then twenty, thirty, ... ninety.
_UNITS = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)
_TENS = (0, 0, 2, 2, 2, 2, 2, 3, 2, 2)


def _ending(number: str, ending: str) -> int:
    """Return the number of syllables that an ending adds: "sec-ond" has one more than "two".

    >>> [_ending(number, ending) for number, ending in (("2", "nd"), ("20", "th"), ("80", "s"))]
    [1, 1, 0]
    """
    if "." in number or not ending:
        return 0
    last = int(number[-2:].strip(",") or 0)
    if ending == "nd":
        return int(last % 10 == 2 and last != 12)
    if ending == "th":
        return int(last >= 20 and last % 10 == 0)  # "twen-ti-eth"
    return int(ending[-1] == "s" and last in (6, *range(26, 100, 10)))  # "six-es"


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
