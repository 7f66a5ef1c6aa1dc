"""Paragraphs of plain text.

A blank line ends a paragraph. A single line break does so too ("Heading", then text), unless the
text looks hard-wrapped there: the next line begins with a lower-case letter, or the line is so
long (60 to 100 characters) that its editor broke it and does not end in sentence punctuation.
"""

from __future__ import annotations

import re

from understandability.records import Block

_WRAPPED = re.compile(
    r"""(?:
        (?<=[^\n]) \n [^\S\n]* (?=[a-zà-öø-ÿ])     # the sentence goes on in lower case
        | (?<=[^.!?:…\n]) (?<=[^\n]{60}) \n (?=\S)  # the line was full
    )""",
    re.VERBOSE,
)


def plain_paragraphs(text: str) -> tuple[Block, ...]:
    """One kept block for each paragraph.

    >>> [block.text for block in plain_paragraphs("Influenza\\nThe flu is\\ncaused by a virus.")]
    ['Influenza', 'The flu is caused by a virus.']
    """
    lines = _WRAPPED.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return tuple(
        Block(" ".join(line.split()), "p", True, "plain text") for line in lines if line.strip()
    )
