"""From a tape to blocks: the walks of the four extractors."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from understandability._core.source import Tape

Paragraph = TypeVar("Paragraph")

def main_blocks(
    tape: Tape,
    rules: Mapping[str, tuple[int, str, int, int, int, str]],
    hints: dict[int, str],
    is_forum: Callable[[], bool],
    closing: Callable[[str], str | None],
    is_ended: Callable[[str], object],
    kept_as: str,
) -> tuple[list[str], list[str], list[bool], list[str], int]:
    """A tape as blocks, by steps 1 to 5 of `main`: texts, elements, which are kept, reasons.

    And how many characters are kept; the reason for that is `kept_as`. `rules` tells of a tag its
    action, the tag that ends it or that it ends, its bit among the elements that others end, the
    bits of those that it ends, what it is as a block (the level of a heading, 8 an item, 16 a
    cell, 32 a paragraph), and what it is called as a section, if `hints` (by the place of the tag,
    in their order) do not tell. `is_forum` tells whether a page says of itself that it is one,
    `closing` what follows a heading that ends the text (``posts``, ``links`` or another; None if
    it ends none), and `is_ended` whether a text ends as a sentence does.
    """

def naive_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """The text of each field, and its element; `unparsed` gives the text of a ``noframes``."""

def boilerpipe_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str], marks: str, without: int
) -> tuple[list[str], list[int], list[int], list[str]]:
    """Text, number of words, number of words in links, and element of each block.

    Words are runs of letters and digits that nothing but `marks` interrupts. `unparsed` gives the
    text of frames; the text behind the tag at `without` is left out (-1 for none).
    """

def justext_walk(
    tape: Tape,
    actions: dict[str, int],
    headings: dict[str, int],
    selects: dict[str, int],
    paragraph: Callable[[str, str, int, bool, bool], Paragraph],
    first: int,
    last: int,
) -> list[Paragraph]:
    """The paragraphs: of text, element, characters in links, in a heading, in a select.

    Walked are the tags from `first` up to `last`, with the text before the first; raises
    `IndexError` where that is not on the tape. `headings` and `selects` say by how much a tag
    changes how deep the walk is in those.
    """
