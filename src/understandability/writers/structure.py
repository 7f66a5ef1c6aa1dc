"""How a text is laid out: headings, lists, paragraphs, and what guides would say of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from understandability.text.document import Block
from understandability.text.tokens import split_pieces, word_of

LONG_PARAGRAPH = 100  # words; a hand's breadth of a page
_WITHOUT_HEADING = 200  # words that need none
_HEADING_WORDS = 12
_TEXT_WITHOUT_LIST = 300
_HEADINGS = frozenset(("title", "h1", "h2", "h3", "h4", "h5", "h6"))
_ITEM = re.compile(r"(?:[-*•·–]|\d{1,2}[.)])\s")
_ENDS = (".", "!", "?", ":", "…", ";", ",")


@dataclass(frozen=True, slots=True)
class Structure:
    """Counts of the parts of a text, the longest paragraph in words, and what could be better."""

    headings: int
    list_items: int
    paragraphs: int
    longest_paragraph: int
    advice: tuple[str, ...]


def structure(blocks: Sequence[Block]) -> Structure:
    """The structure of the blocks that were kept.

    In plain text a short line without punctuation at its end is a heading, and a bullet or a
    number begins an item of a list.

    >>> found = structure([Block("Flu", "p"), Block("- rest", "p"), Block("You have flu.", "p")])
    >>> found.headings, found.list_items, found.paragraphs, found.longest_paragraph
    (1, 1, 1, 3)
    """
    headings = items = paragraphs = longest = words = 0
    for block in blocks:
        if not block.kept or not block.text.strip():
            continue
        count = sum(word_of(piece) != "" for piece in split_pieces(block.text))
        words += count
        if block.tag == "li" or _ITEM.match(block.text):
            items += 1
        elif block.tag in _HEADINGS or (
            count <= _HEADING_WORDS and not block.text.rstrip().endswith(_ENDS)
        ):
            headings += 1
        else:
            paragraphs += 1
            longest = max(longest, count)
    advice = []
    if words > _WITHOUT_HEADING and headings < 2:
        advice.append(f"There are {words} words under one heading or none; put in headings.")
    if longest > LONG_PARAGRAPH:
        advice.append(f"The longest paragraph has {longest} words; make two or three of it.")
    if words > _TEXT_WITHOUT_LIST and not items:
        advice.append("There is no list; steps and enumerations are easier to read as one.")
    return Structure(headings, items, paragraphs, longest, tuple(advice))
