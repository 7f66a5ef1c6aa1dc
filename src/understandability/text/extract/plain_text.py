"""Paragraphs of plain text.

A blank line ends a paragraph. A single line break does so too ("Heading", then text), unless the
text looks hard-wrapped there: the next line begins with a lower-case letter, or the line is full
(60 characters or more), does not end in sentence punctuation, and no list item follows.
"""

from __future__ import annotations

from understandability.text.document import Block

_FULL_LINE = 60
_SENTENCE_ENDS = (".", "!", "?", ":", "…")
_BULLETS = ("-", "*", "•", "·", "–")


def plain_paragraphs(text: str) -> tuple[Block, ...]:
    """One kept block for each paragraph.

    >>> [block.text for block in plain_paragraphs("Influenza\\nThe flu is\\ncaused by a virus.")]
    ['Influenza', 'The flu is caused by a virus.']
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
        Block(" ".join(" ".join(lines).split()), "p", True, "plain text") for lines in paragraphs
    )


def _goes_on(line: str, following: str) -> bool:
    """Whether the line that follows belongs to the same paragraph."""
    if following[:1].islower():
        return True
    full = len(line) >= _FULL_LINE and not line.endswith(_SENTENCE_ENDS)
    return full and bool(following) and not following.startswith(_BULLETS)
