"""Split plain text into paragraphs.

A blank line ends a paragraph. A single line break does so too ("Heading", then text), unless the
text looks hard-wrapped there: the next line begins with a lower-case letter, or the line is full
(60 characters or more), does not end in sentence punctuation, and no list item follows. A numbered
line is an item if it begins a list or continues one ("1." "2.", "a)" "b)", "(i)" "(ii)"), so that a
wrapped line that happens to begin with a number does not end the paragraph.

Markdown marks headings (``## What is flu?``), list items (``- rest``, ``2. drink``) and rows of
tables (``| dose | 5 mg |``; each cell is a block). Other marks are treated as text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from understandability.text.document import Block

_FULL_LINE = 60  # characters
_SENTENCE_ENDS = (".", "!", "?", ":", "…", "。", "؟", "।")
_MARKS = "-*+•·–—‣⁃▪▫◦●○■□➢✓✔→"
_HEADING = re.compile(r"(#{1,6}) +(?=\S)")
# What begins a list item. A capital before a stop may be an initial ("A. Smith").
_ITEM = re.compile(
    rf"""(?:[{re.escape(_MARKS)}①-⑳]|\(?(?:\d{{1,3}}|[^\W\d_A-ZА-Я]|[ivx]{{2,4}})[.)]|\(?\w\)
    |\[\d{{1,3}}\]|\d{{1,3}}[º°])\s+\S""",
    re.VERBOSE,
)
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
# "2.", "(b)", "[3]", "iv)", "4º", "①", "Step 2:"; and, where they continue a list, "1.2", "2 -".
_NUMBERED = re.compile(
    rf"""(?P<opening>[(\[]? | [^\W\d_]{{3,12}}\ (?=\d) | (?:\d{{1,2}}\.){{1,3}}(?=\d))
    (?P<label>\d{{1,3}} | [a-zA-Z] | [ivxIVX]{{2,4}} | [а-яА-Я] | [{_CIRCLED}])
    (?P<closing>[.):\]º°] | \ [-–—] | )\s+\S""",
    re.VERBOSE,
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_ROW = re.compile(r"\|(.*)\|")


def plain_paragraphs(text: str) -> tuple[Block, ...]:
    """Return one kept block for each paragraph, list item, heading and table cell.

    >>> [block.text for block in plain_paragraphs("Influenza\\nThe flu is\\ncaused by a virus.")]
    ['Influenza', 'The flu is caused by a virus.']
    >>> [(block.tag, block.text) for block in plain_paragraphs("## Flu\\n- rest\\n| a | b |")]
    [('h2', 'Flu'), ('li', '- rest'), ('td', 'a'), ('td', 'b')]
    """
    paragraphs: list[list[str]] = []
    previous = ""
    label: _Label | None = None  # of the last numbered item
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = line.strip()
        own_label = _Label.parse(line)
        is_item = own_label is not None and own_label.follows(label)
        if previous and not is_item and _goes_on(previous, line):
            paragraphs[-1].append(line)
        elif line:
            paragraphs.append([line])
        if own_label is not None and (is_item or (line and paragraphs[-1][0] is line)):
            label = own_label
        previous = line
    return tuple(
        Block(part, tag, True, "plain text")
        for lines in paragraphs
        for tag, part in _marked(" ".join(" ".join(lines).split()))
    )


class _Label(NamedTuple):
    """The number or letter of a list item: "2.", "(b)", "iv)"."""

    marks: str  # around the number
    numbers: frozenset[tuple[str, int]]  # "i" may be the letter or the Roman number
    may_be_text: bool  # "A. Smith", "1.1 mg"

    @classmethod
    def parse(cls, line: str) -> _Label | None:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        opening, label, closing = match.groups()
        is_circled, is_decimal = label in _CIRCLED, opening.endswith(".")
        if not closing and not (is_circled or is_decimal):
            return None
        if closing == ":" and not label.isdecimal():
            return None
        numbers = set()
        if is_circled:
            numbers.add(("①", _CIRCLED.index(label) + 1))
        elif label.isdecimal():
            numbers.add(("1", int(label)))
        else:
            case = "A" if label.isupper() else "a"
            if len(label) == 1:
                first = "а" if "а" <= label.lower() <= "я" else "a"
                numbers.add((case + first, ord(label.lower()) - ord(first) + 1))
            if label.lower() in _ROMAN:
                numbers.add((case + "i", _ROMAN.index(label.lower()) + 1))
        may_be_text = (opening + closing == "." and label.isupper()) or (
            is_decimal or closing.startswith(" ")
        )
        return cls(opening + closing, frozenset(numbers), may_be_text) if numbers else None

    def follows(self, label: _Label | None) -> bool:
        """Return True if this label begins a list, or is the next label of the same list."""
        if any(number == 1 for _, number in self.numbers) and not self.may_be_text:
            return True
        return (
            label is not None
            and label.marks == self.marks
            and any((style, number - 1) in label.numbers for style, number in self.numbers)
        )


def _marked(text: str) -> list[tuple[str, str]]:
    """Return the tag and the text of each part of a paragraph, according to its Markdown marks."""
    if heading := _HEADING.match(text):
        return [(f"h{len(heading[1])}", text[heading.end() :])]
    if row := _ROW.fullmatch(text):
        cells = [cell.strip() for cell in row[1].split("|")]
        return [("td", cell) for cell in cells if cell.strip("-: ")]
    return [("li" if _ITEM.match(text) else "p", text)]


def _goes_on(line: str, following: str) -> bool:
    """Return True if the following line continues the same paragraph."""
    if _HEADING.match(line) or _ROW.fullmatch(line):
        return False
    if following[:1].islower():
        return True
    is_full = len(line) >= _FULL_LINE and not line.endswith(_SENTENCE_ENDS)
    return is_full and bool(following) and following[0] not in _MARKS + "#|"
