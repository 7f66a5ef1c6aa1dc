"""Distinct strings and their numbers, texts into pieces and sentences, lists of words."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

class Numbers:
    """Distinct strings, numbered in the order in which they come.

    `strings` has that of each number; all together they have so many `characters`.
    """

    strings: list[str]
    characters: int
    def number(self, strings: list[str], out: NDArray[Any], adds_new: bool = True) -> None:
        """Write the number of each string into `out` (int32).

        New strings get the next; -1 if they are not to be added.
        """

def words_of_each(texts: Iterable[str]) -> list[int]:
    """How many words each text has, by its spaces."""

def cut_up(
    ends_of: Mapping[str, str],
    starts_of: Mapping[str, str],
    may_end: bytes,
    before: dict[str, str],
    letter_words: frozenset[str],
    spaced: Callable[[str], str],
    texts: list[str],
    are_open: list[bool],
    table: Numbers,
    pieces: array[int],
    starts: list[int],
    open_ends: list[int],
) -> None:
    """Cut texts into pieces and sentences, of which none runs across the end of a text.

    Added are the numbers of the pieces in the table to `pieces` (int), the places there of those
    that begin a sentence to `starts`, and to `open_ends` the places there of the last sentences of
    texts that are open.

    `ends_of` and `starts_of` say how a piece ends and begins, in one character as in
    `understandability.text.sentences`; a piece may end a sentence if `may_end` has a 1 for its last
    byte, and does if `before` has, for its end, the beginning of the next. A unit after a
    number ends one as a number does, and so does a single letter after one of `letter_words`
    ("vitamin C."); otherwise both are abbreviations. `spaced` gives a text
    with white space between all pieces.
    """

class Places:
    """Words with a whole number each.

    `packed` holds the words in UTF-8. Before each is a byte below 32: the number of bytes that it
    shares with the start of the word before it, which are left out. `numbers` is uint16, one entry
    per word; a word that occurs twice keeps its last number. Raises `ValueError` for a list of
    another form, or a word of more than 255 bytes. `words` is the number of distinct words.
    """

    words: int
    def __init__(self, packed: bytes | NDArray[Any], numbers: NDArray[Any]) -> None: ...
    def get(self, word: str, otherwise: int) -> int:
        """The number of a word, or another where it is not there."""

def count_known(text: str, known: Places) -> tuple[int, list[int]]:
    """How many runs of letters a text has, and the numbers of the known ones, in order."""
