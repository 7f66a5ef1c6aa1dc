"""jusText: boilerplate removal by the lengths, links and stop words of paragraphs.

Pomikálek (2011), Removing Boilerplate and Duplicate Content from Web Corpora, chapter 4, as
implemented by jusText 3.0.2, whose paragraphs and classes this gives:

1. Clean: drop head, scripts, styles, applets and form controls; unwrap forms and frames.
2. Cut into paragraphs at block-level elements and at two line breaks in a row. Text that is
   blank between two tags is skipped.
3. Classify each paragraph alone: *bad* with too many characters in links, a copyright sign or
   few stop words; *short* below 70 characters; *good* if long and full of stop words; else
   *neargood*.
4. Revise by neighbours: *short* and *neargood* paragraphs take the class of what surrounds them.
5. Headings up to 200 characters before a good paragraph become good, unless bad by themselves.

jusText also has a pass before step 4 that would lift short headings to *neargood*. It looks for
later paragraphs of class *good* while it is only now assigning those classes, so it never finds
one; it is left out here. Neighbours are found in one scan each way, not one scan a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from understandability.pages import ParsedPage, Tape
from understandability.records import Block

MAX_LINK_DENSITY = 0.2
LENGTH_LOW = 70
LENGTH_HIGH = 200
STOP_WORDS_LOW = 0.30
STOP_WORDS_HIGH = 0.32
MAX_HEADING_DISTANCE = 200

_PARAGRAPH_TAGS = frozenset(
    """body blockquote caption center col colgroup dd div dl dt fieldset form legend optgroup
    option p pre table td textarea tfoot th thead tr ul li h1 h2 h3 h4 h5 h6""".split()
)
_KILLED = frozenset("head script style applet base button input select textarea".split())
_UNWRAPPED = frozenset("form iframe embed layer object param link".split())
_HEADING = re.compile(r"\bh\d\b")


class _Action(IntEnum):
    """What a tag of the tape does."""

    NOTHING = 0
    UNWRAP = 1
    KILL = 2
    START = 3
    END = 4
    BREAK = 5
    LINK = 6
    END_LINK = 7
    EMPTY_LINK = 8


class _Actions(dict[str, _Action]):
    def __missing__(self, tag: str) -> _Action:
        name = tag.strip("/")
        if name in _KILLED: action = _Action.KILL
        return action
