"""From a tape to blocks of text: the walks of the four extractors."""

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
    """Split a tape into blocks and select the main text: steps 1 to 5 of `text.extract.main`.

    Args:
        tape: The page.
        rules: Maps a tag to its `layout.MainAction`; the tag that ends it, or that it ends; its bit
            among the elements that other tags end; the bits of those that it ends; its
            `layout.BlockBit` or level as a heading; and its label as a section.
        hints: The labels of sections by their attributes, by the index of the tag, ascending. They
            take precedence.
        is_forum: Returns True if the page declares itself a forum.
        closing: Returns what follows a heading that ends the text: ``posts``, ``links`` or another
            string; None for another heading.
        is_ended: Returns something true if a text ends as a sentence does.
        kept_as: The reason of blocks that are kept.

    Returns:
        Texts, elements, a list of True for kept blocks, reasons, and the number of characters kept.
    """

def naive_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """Return the text and the element of each field; `unparsed` reads the text of ``noframes``."""

def boilerpipe_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str], marks: str, without: int
) -> tuple[list[str], list[int], list[int], list[str]]:
    """Return text, number of words, number of words in links, and element of each block.

    Words are runs of letters and digits; the characters in `marks` do not interrupt them.
    `unparsed` returns the text of frames. The text after the tag at index `without` is skipped (-1
    for none).
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
    """Return `paragraph` of each paragraph's text, element, characters in links, and two flags.

    The flags are True in a heading and in a select. `headings` and `selects` map a tag to the
    change of depth in those. The walk visits the tags from `first` up to `last`, and the text
    before the first.

    Raises:
        IndexError: The tape does not have these tags.
    """
