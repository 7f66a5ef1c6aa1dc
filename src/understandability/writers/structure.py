"""Describe the layout of a text (headings, lists, tables), with advice from style guides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from understandability.text.document import Block
from understandability.text.tokens import split_pieces, word_of

LONG_PARAGRAPH = 100  # words; a hand's breadth of a page
_WITHOUT_HEADING = 200  # words that need none
_HEADING_WORDS = 12
_TEXT_WITHOUT_LIST = 300
_HEADINGS = frozenset(("title", "h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS = frozenset(("td", "th"))
_ENDS = (".", "!", ":", "…", ";", ",")


@dataclass(frozen=True, slots=True)
class Structure:
    """Counts of headings, list items, tables and paragraphs, the longest paragraph, and advice.

    `questions` counts the headings that are questions.
    """

    headings: int
    questions: int
    list_items: int
    cells: int
    paragraphs: int
    longest_paragraph: int
    advice: tuple[str, ...]


def structure(blocks: Sequence[Block]) -> Structure:
    """Describe the structure of the blocks that were kept.

    A short paragraph without a full stop, or a short question, counts as a heading if a longer
    paragraph follows.

    >>> texts = ("What is flu?", "p"), ("- rest", "li"), ("You have flu, which is a virus.", "p")
    >>> result = structure([Block(*values) for values in texts])
    >>> result.headings, result.list_items, result.paragraphs, result.longest_paragraph
    (1, 1, 1, 7)
    """
    blocks_kept = [block for block in blocks if block.kept and block.text.strip()]
    counts = [_words_in(block.text) for block in blocks_kept]
    tags = list(map(_role_of, blocks_kept, counts))
    for index, tag in enumerate(tags):
        if tag == "heading?":
            is_heading = index + 1 < len(tags) and tags[index + 1] in ("paragraph", "item")
            tags[index] = "heading" if is_heading else "paragraph"
    is_question = [block.text.rstrip().endswith("?") for block in blocks_kept]
    paragraphs = [n for n, tag in zip(counts, tags, strict=True) if tag == "paragraph"]
    longest = max(paragraphs, default=0)
    words, headings, items = sum(counts), tags.count("heading"), tags.count("item")
    advice = []
    if words > _WITHOUT_HEADING and headings < 2:
        advice.append(f"There are {words} words under one heading or none; add headings.")
    if longest > LONG_PARAGRAPH:
        advice.append(f"The longest paragraph has {longest} words; split it into two or three.")
    if words > _TEXT_WITHOUT_LIST and not items:
        advice.append("There is no list; steps and enumerations are easier to read as one.")
    return Structure(
        headings,
        sum(asks and tag == "heading" for asks, tag in zip(is_question, tags, strict=True)),
        items,
        tags.count("cell"),
        len(paragraphs),
        longest,
        tuple(advice),
    )


@lru_cache(4096)  # while somebody types, one block changes
def _words_in(text: str) -> int:
    return sum(word_of(piece) != "" for piece in split_pieces(text))


def _role_of(block: Block, words: int) -> str:
    if block.tag == "li":
        return "item"
    if block.tag in _CELLS:
        return "cell"
    if block.tag in _HEADINGS:
        return "heading"
    is_open = not block.text.rstrip().endswith(_ENDS)
    return "heading?" if words <= _HEADING_WORDS and is_open else "paragraph"
