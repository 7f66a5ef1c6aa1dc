"""How many syllables a word has when it is spoken.

Each letter that may carry a syllable (vowels, the m of *prism*, the apostrophe of *Max's*) is
weighed by the letters around it; a syllable is counted where the weights sum to more than zero.
The weights were learned from the CMU Pronouncing Dictionary by ``scripts/train/syllables.py``;
the words of the dictionary that they get wrong are kept in a table beside them, so that all of
its words come out as it has them.
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
    """Patterns of characters as a table of nodes; a node stands for what some pattern begins with.

    `nodes` has that of each pattern; `size` is above all nodes. A pattern holds no NUL.

    >>> trie = Trie(["flu", "fly"])
    >>> for walkers, nodes in trie.walk(trie.encode("a flu"), np.array([0, 2])):
    ...     print(walkers, nodes == trie.nodes[0])
    [1] [False]
    [1] [False]
    [1] [ True]
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        strings = np.array(patterns)
        points = strings.view(np.uint32).reshape(len(strings), -1)  # NUL behind each end
        known = np.flatnonzero(np.bincount(points.ravel())[1:]) + 1
        self._width = len(known) + 1
        # Code 0 is any other character; node 0 is where no pattern goes, 1 where all begin.
        self._codes = np.zeros(known[-1] + 2, np.int32)
        self._codes[known] = np.arange(1, self._width)
        # Nodes are numbered by how deep they are and in order, so that the steps between them,
        # which are a node and a code, ascend: step `i` leads to node ``i + 2``.
        self.nodes, self.size = np.ones(len(strings), np.int64), 2
        steps = []
        for column in points.T:  # the nodes of all beginnings of one length at once
            longer = np.flatnonzero(column)
            taken = self.nodes[longer] * self._width + self._codes[column[longer]]
            distinct, places = np.unique(taken, return_inverse=True)
            self.nodes[longer] = self.size + places
            self.size += len(distinct)
            steps.append(distinct)
        self._steps = np.concatenate(steps)
        # The same for the core: where the steps of each node begin, and the code of each.
        firsts = np.searchsorted(self._steps, np.arange(self.size + 1) * self._width)
        self.tables = firsts.astype(np.int32), (self._steps % self._width).astype(np.uint8)

    def encode(self, text: str) -> Array:
        """The text as `walk` takes it; one character more, where no pattern goes on."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        codes = np.zeros(len(points) + 1, self._codes.dtype)
        codes[:-1] = self._codes[np.minimum(points, len(self._codes) - 1)]
        return codes

    def walk(
        self, codes: Array, starts: Array, nodes: Array | int = 1
    ) -> Iterator[tuple[Array, Array]]:
        """Go on from each of the `starts` while some pattern does, from the given `nodes`.

        Gives, step after step, the indexes in `starts` of those who still walk, and their nodes.
        """
        walkers = np.arange(len(starts))
        places = starts
        reached = np.broadcast_to(nodes, len(starts))
        while True:
            taken = reached * self._width + codes[places]
            found = np.minimum(np.searchsorted(self._steps, taken), len(self._steps) - 1)
            walking = np.flatnonzero(self._steps[found] == taken)
            if not len(walking):
                return
            walkers, reached, places = walkers[walking], found[walking] + 2, places[walking] + 1
            yield walkers, reached


# A number with its ending, letters, or an "and" between letters.
_PARTS = re.compile(
    r"""(\d+(?:,\d{3})*(?:\.\d+)*)((?:st|nd|rd|th|['’]?s)\b)?
    | ([^\W\d_]+(?:['’][^\W\d_]+)*) | (?<=\w)(&)(?=\w)""",
    re.VERBOSE | re.IGNORECASE,
)
# Spellings that the patterns, which know American words, get wrong, and how they are said.
_SAID = (
    (re.compile(r"(?:é|ée|és|ées)$"), "ay"),  # "résumé", "fiancée"
    (re.compile(r"^coeli"), "celi"),
    (re.compile(r"(?<=[lnrt])eum(?=s?$)"), "ium"),  # "ileum", "peritoneum"
    (
        re.compile(r"(?:(?<=^il)|(?<=[^\W\d_]{2}[ng])(?<!cong))eal(?=s?$)"),
        "ial",
    ),  # "ileal", "corneal"
)
# How many letters before a nucleus a pattern may reach, after it, and together.
_BEFORE, _AFTER, _TOGETHER = 4, 4, 6


def patterns(marked: str, nucleus: int) -> Iterator[tuple[int, str]]:
    """The letters around a nucleus, near and far: how many stand before it, and all of them.

    >>> list(patterns("^flu$", 3))[:4]
    [(0, 'u'), (0, 'u$'), (1, 'lu'), (1, 'lu$')]
    """
    for before in range(min(_BEFORE, nucleus) + 1):
        last = min(nucleus + min(_AFTER, _TOGETHER - before), len(marked) - 1)
        for end in range(nucleus, last + 1):
            yield before, marked[nucleus - before : end + 1]


class SyllableWeights:
    """The weights of patterns, to be summed at all nuclei of many words at once."""

    def __init__(self, weights: Mapping[tuple[int, str], int]) -> None:
        # A pattern that begins so many letters before its nucleus stands below that digit.
        texts = [f"{before}{text}" for before, text in weights]
        self._trie = Trie(texts)
        digits = self._trie.encode("".join(map(str, range(_BEFORE + 1))))
        there, roots = next(self._trie.walk(digits, np.arange(_BEFORE + 1)))
        self._roots = np.zeros(_BEFORE + 1, np.int64)
        self._roots[there] = roots
        self._weights = np.zeros(self._trie.size, np.int16)
        self._weights[self._trie.nodes] = list(weights.values())
        self._codes = self._trie.encode("".join(map(chr, range(128))))

    def nuclei(self, words: Sequence[str]) -> list[list[int]]:
        """Where each word in small letters carries a syllable, in it between ``^`` and ``$``.

        >>> SyllableWeights({(0, letter): 1 for letter in "im"}).nuclei(["prism", "mimic"])
        [[3, 5], [2, 4]]
        """
        tables = *self._trie.tables, self._codes, self._roots, self._weights
        return _core.nuclei(list(words), *tables)

    def count(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The syllables of each word in small letters by the weights alone; at least 1."""
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
    """The syllables of a word as it is read aloud; at least 1.

    - Words joined by hyphens or other marks count as the sum of their parts.
    - Numbers are read out (Flesch 1948: "1918" is four): four digits in pairs, what follows a
      decimal point digit by digit, with their endings ("2nd" is two, "20th" three, "80s" two).
    - Capitals are spelled out where they hold no vowel, or are two to four letters that make
      no English word (``MRI``, ``mRNA``; but ``AIDS``).

    >>> [count_syllables(word) for word in ("heart", "diabetes", "walked", "well-being", "piano")]
    [1, 4, 1, 3, 3]
    >>> [count_syllables(word) for word in ("1918", "2.5", "mRNA", "MRIs", "AIDS", "mg")]
    [4, 3, 4, 3, 1, 3]
    """
    return int(count_each((word,))[0])


def count_each(words: Sequence[str]) -> NDArray[np.int64]:
    """`count_syllables` of many words, at a fraction of its time for each.

    >>> count_each(["heart", "diabetes"])
    array([1, 4])
    """
    weights, exceptions, short_words = _pronunciation()
    known = [0] * len(words)
    # What the patterns are to count: a part, the word it is of, whether to add or to take away.
    asked: list[tuple[str, int, int]] = []
    for index, word in enumerate(words):
        # Most words are letters only, without the patterns that take most of the time.
        plain = word.isascii() and word.isalpha()
        word = word if word.isascii() else unicodedata.normalize("NFC", word)
        parts = (("", "", word, ""),) if plain else _PARTS.findall(word)
        for number, ending, letters, sign in parts:
            if number:
                known[index] += _number(number) + _ending(number, ending.lower())
                continue
            if sign:
                known[index] += 1
                continue
            part = letters if letters.isascii() else _plain(_as_said(letters))
            capitals = _CAPITALS.fullmatch(part) if part[1:2].isupper() else None
            if capitals and _is_spelled(capitals[1], short_words):
                known[index] += len(capitals[1]) + 2 * capitals[1].count("W")  # "dou-ble-u"
                continue
            part = part.lower()
            if part.endswith(_CLASSICAL) or part.startswith("coeli"):
                part = _as_said(part)
            if part in exceptions:
                known[index] += exceptions[part]
                continue
            asked.append((part, index, 1))
            for ending in ("'s", "s", "ly") if part.endswith(("s", "ly")) else ():
                stem = part.removesuffix(ending)
                if stem in exceptions:
                    # What the patterns get wrong in the stem they get wrong in the inflected word.
                    known[index] += exceptions[stem]
                    asked.append((stem, index, -1))
                    break
    counted = weights.count([part for part, _, _ in asked]).tolist()
    for (_, index, sign), count in zip(asked, counted, strict=True):
        known[index] += sign * count
    return np.maximum(1, np.array(known, np.int64))


_CAPITALS = re.compile(r"([A-Z]{2,}|[a-z][A-Z]+)s?")


def _is_spelled(capitals: str, short_words: frozenset[str]) -> bool:
    may_be = len(capitals) <= 4 or not re.search("[AEIOUY]", capitals)
    return may_be and capitals.lower() not in short_words


_CLASSICAL = ("eum", "eums", "eal", "eals")


def _as_said(part: str) -> str:
    """The part with the spellings of `_SAID` replaced."""
    for pattern, said in _SAID:
        part = pattern.sub(said, part)
    return part


def _plain(part: str) -> str:
    """Without accents, with the straight apostrophe."""
    decomposed = unicodedata.normalize("NFKD", part.replace("’", "'"))
    return "".join(letter for letter in decomposed if letter.isascii())


# zero, one, ... nineteen; then twenty, thirty, ... ninety.
_UNITS = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)
_TENS = (0, 0, 2, 2, 2, 2, 2, 3, 2, 2)


def _ending(number: str, ending: str) -> int:
    """The number of syllables that an ending adds: "sec-ond" has one more than "two".

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
