"""Paragraphs of plain text.

A blank line ends a paragraph. A single line break does so too ("Heading", then text), unless the
text looks hard-wrapped there: the next line begins with a lower-case letter, or the line is full
(60 characters or more), does not end in sentence punctuation, and no list item follows.

Marks of Markdown tell headings (``## What is flu?``), items of lists (``- rest``, ``2. drink``) and
rows of tables (``| dose | 5 mg |``, of which each cell is a block). Other marks are text.
"""

from __future__ import annotations

import re

from understandability.text.document import Block

_FULL_LINE = 60
_SENTENCE_ENDS = (".", "!", "?", ":", "…")
_BULLETS = ("-", "*", "•", "·", "–", "#", "|")
_HEADING = re.compile(r"(#{1,6}) +(?=\S)")
_ITEM = re.compile(r"(?:[-*•·–]|\d{1,2}[.)])\s+\S")
_ROW = re.compile(r"\|(.*)\|")


def plain_paragraphs(text: str) -> tuple[Block, ...]:
    """One kept block for each paragraph.

    >>> [block.text for block in plain_paragraphs("Influenza\\nThe flu is\\ncaused by a virus.")]
    ['Influenza', 'The flu is caused by a virus.']
    >>> [(block.tag, block.text) for block in plain_paragraphs("## Flu\\n- rest\\n| a | b |")]
    [('h2', 'Flu'), ('li', '- rest'), ('td', 'a'), ('td', 'b')]
    """
    paragraphs: list[list[str]] = []
    before = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = line.strip()
        if before and _goes_on(before, line):
            paragraphs[-1].append(line)
        elif line:
            paragraphs.append([line])
        before = line
    return tuple(
        Block(part, tag, True, "plain text")
        for lines in paragraphs
        for tag, part in _marked(" ".join(" ".join(lines).split()))
    )


def _marked(text: str) -> list[tuple[str, str]]:
    """The tag and the text of what a paragraph holds, by its marks."""
    if heading := _HEADING.match(text):
        return [(f"h{len(heading[1])}", text[heading.end() :])]
    if row := _ROW.fullmatch(text):
        cells = [cell.strip() for cell in row[1].split("|")]
        return [("td", cell) for cell in cells if cell.strip("-: ")]
    return [("li" if _ITEM.match(text) else "p", text)]


def _goes_on(line: str, following: str) -> bool:
    """Whether the line that follows belongs to the same paragraph."""
    if _HEADING.match(line) or _ROW.fullmatch(line):
        return False
    if following[:1].islower():
        return True
    full = len(line) >= _FULL_LINE and not line.endswith(_SENTENCE_ENDS)
    return full and bool(following) and not following.startswith(_BULLETS)
