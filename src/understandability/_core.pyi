"""The hot path from bytes to text, compiled from ``_core.pyx``.

Texts are `str`, sources are UTF-8. A *tape* alternates texts and tags, see
`understandability.text.tape`; an action says what a tag does, by the constants of the extractor
that walks. All functions are pure, take time and memory linear in what they are given, and raise
nothing but `MemoryError`, unless said otherwise.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

Paragraph = TypeVar("Paragraph")

def has_controls(content: bytes) -> bool:
    """Whether bytes below the space are there, other than tabs, line feeds and returns."""

def gaps(source: bytes, byte: bytes, start: int, length: int) -> list[tuple[int, int]]:
    """Stretches of at least `length` bytes (but at the end) without a byte: start, end of each.

    They begin at `start` or right behind such a byte, and end at the next or at the source's end.
    """

def swallowing(source: bytes) -> int:
    """How many quoted values of attributes may hold a tag."""

class Tape:
    """A page's markup: texts and the tags between them, packed.

    `names` are the different tags: ``p`` opens, ``/p`` closes, ``br/`` is an element without
    content, and ``""`` a comment, script or style. Made of a list that alternates texts and tags.
    """

    names: list[str]
    def __init__(self, pieces: list[str] = ...) -> None: ...
    def pieces(self) -> list[str]:
        """Texts (possibly empty) and tags in turn, as the tape is made of."""

    def counts(self) -> Counter[str]:
        """How often each tag is there."""

    def place_of(self, tag: str) -> int:
        """Where a tag comes first among the tags; -1 if it does not."""

    def text_behind(self, place: int) -> str:
        """The text behind a tag; raises `IndexError` for a place that no tag has."""

    def long_texts(self, least: int, without: frozenset[str]) -> list[str]:
        """Texts of at least so many characters behind tags that are not among some."""

def cut(
    source: bytes,
    normal: Callable[[bytes], str],
    unescape: Callable[[str], str],
    sections: frozenset[str],
    hint_of: Callable[[bytes], str],
    mended: tuple[bytes, ...],
) -> tuple[Tape, dict[int, str], list[bytes]] | None:
    """The tape of a source, what the attributes of sections tell, those of each ``html``.

    `normal` gives the tag for one as it is written, `unescape` a text with its references resolved.
    Of a tag in `sections` that has attributes, `hint_of` says what these tell; that comes by the
    place of the tag among the tags if it is not ``""``. None if one of the elements of `mended`, in
    small letters, is never closed. Raises `UnicodeDecodeError` for what is not UTF-8.
    """

def inherited(parents: list[int], kinds: dict[int, str]) -> list[str]:
    """The kind of each section, or of the outermost one around it that has one; else ``''``.

    `parents` has the parent of each section, which comes before it; the first is its own.
    """

def section_sums(parents: list[int], sections: list[int], lengths: list[int]) -> list[int]:
    """The sum of lengths in each section and those within it.

    `sections` and `lengths` have one entry a block. Raises `IndexError` for an unknown section.
    """

def main_walk(
    tape: Tape,
    actions: dict[str, int],
    hints: dict[int, str],
    ends: dict[str, frozenset[str]],
    paragraph: frozenset[str],
    named: dict[str, str],
) -> tuple[list[str], list[str], list[int], list[int], list[int], dict[int, str]]:
    """A tape as blocks: texts, elements, sections, characters in links; parents and kinds.

    The first four have one entry a block. `parents` has one a section, and `kinds` those sections
    that `hints` (by the place of their tag) or `named` (by their tag) call something. `ends` has
    the open elements that a tag ends; other tags end those of `paragraph`.
    """

def naive_walk(
    tape: list[str], actions: dict[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """The text of each field, and its element; `unparsed` gives the text of a ``noframes``."""

def boilerpipe_walk(
    tape: list[str], actions: dict[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str], list[str]]:
    """Text, text in links and element of each block; `unparsed` is for frames."""

def count_words(text: str, marks: str) -> list[int]:
    """How many words each line has: runs of letters and digits that no other character parts.

    Characters of `marks` neither part words nor make them.
    """

def justext_walk(
    tape: list[str],
    actions: dict[str, int],
    headings: dict[str, int],
    selects: dict[str, int],
    paragraph: Callable[[str, str, int, bool, bool], Paragraph],
) -> list[Paragraph]:
    """The paragraphs: of text, element, characters in links, in a heading, in a select.

    `headings` and `selects` say by how much a tag changes how deep the walk is in those.
    """

def nearest(classes: list[str], wanted: frozenset[str]) -> list[str]:
    """The last class before each paragraph that is among the wanted; ``bad`` if there is none."""

def sentence_starts(
    pieces: list[str],
    ends_of: Mapping[str, str],
    starts_of: Mapping[str, str],
    marks: str,
    before: dict[str, str],
) -> list[int]:
    """The indexes of the pieces that begin a sentence; there is a piece, and none is empty.

    `ends_of` and `starts_of` say how a piece ends and begins, in one character as in
    `understandability.text.sentences`; a piece may end a sentence if its last character is in
    `marks`, and does if `before` has, for its end, the beginning of the next.
    """

def cut_up(
    texts: list[str],
    ends_of: Mapping[str, str],
    starts_of: Mapping[str, str],
    marks: str,
    before: dict[str, str],
    split_pieces: Callable[[str], list[str]],
) -> tuple[list[str], list[int], list[int]]:
    """Pieces of all texts, the indexes of those that begin a sentence, sentences of each text."""

def ended(texts: list[str], marks: str, closing: str, most: int) -> list[bool]:
    """Which texts end in one of `marks` and then any of `closing`, within the last characters.

    `most` is the number of characters that are looked at.
    """
