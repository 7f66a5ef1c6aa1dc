"""Ids of strings, texts to pieces and sentences, and lists of words."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

class Numbers:
    """Distinct strings and their ids, in order of first appearance.

    `strings` is indexed by id, and `characters` is the total length of the strings.
    """

    strings: list[str]
    characters: int
    def number(self, strings: list[str], out: NDArray[Any], adds_new: bool = True) -> None:
        """Write the id of each string to `out` (int32).

        New strings get the next ids, or -1 if `adds_new` is False.
        """

def words_of_each(texts: Iterable[str]) -> list[int]:
    """Return the number of words per text: its spaces plus 1."""

class SentenceCutter:
    """Splits texts into pieces and sentences, by the rules of a language.

    Args:
        ends_of: Maps a piece to how it ends, one character of `layout.PIECE_ENDS`.
        starts_of: Maps a piece to how it begins, one character (`text.sentences`).
        may_end: 256 bytes; 0 for a last byte of a piece after which no sentence ends.
        before: Maps an end to the beginnings before which it ends a sentence.
        letter_words: The words that a single letter may follow at the end of a sentence
            ("vitamin C."). Elsewhere a single letter is an abbreviation, and so is a unit that does
            not follow a number. Those that end with a stop are labels of a number ("Abb. 3."), or
            of the sentence that they begin ("Question. Can I eat?").
        copulas: Words that may be between such a word and its letter ("group is O.").
        spaced: Returns a text with white space between all pieces.
    """

    def __init__(
        self,
        ends_of: Mapping[str, str],
        starts_of: Mapping[str, str],
        may_end: bytes,
        before: dict[str, str],
        letter_words: frozenset[str],
        copulas: frozenset[str],
        spaced: Callable[[str], str],
    ) -> None: ...
    def cut(
        self,
        texts: list[str],
        are_open: list[bool],
        table: Numbers,
        pieces: array[int],
        starts: list[int],
        open_ends: list[int],
    ) -> None:
        """Split texts, and append to `pieces`, `starts` and `open_ends`.

        No sentence extends past the end of its text.

        Args:
            texts: The texts.
            are_open: True for a text without final punctuation.
            table: The ids of pieces.
            pieces: Output: the ids of the pieces (C integers).
            starts: Output: the indexes in `pieces` at which sentences begin.
            open_ends: Output: the indexes in `starts` of the last sentences of open texts.
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
        """Return the number of a word, or `otherwise` if the list does not have it."""

def count_listed(text: str, listed: Places) -> tuple[int, int, int]:
    """Count the words between white space, those that are listed, and the distinct listed ones.

    Words are compared in any case; only ASCII letters have two.
    """
