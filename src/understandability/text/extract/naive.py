"""All text of a page, tags removed.

1. Leave out what is not shown: script, style, template, noscript, iframe, comments.
2. Every block-level element begins and ends a field of its own: paragraphs, headings, list
   items, table cells, the title.
3. Within a field, inline tags do not separate words ("H<sub>2</sub>O"). Exceptions are line breaks,
   images, form controls, and a link or label of several letters directly after another.
"""

from __future__ import annotations

from itertools import repeat

from understandability import _core
from understandability._core.layout import NaiveAction as Action
from understandability.text.document import Block
from understandability.text.parsed import ParsedPage
from understandability.text.tape import names, text_of_unparsed

DROPPED = frozenset({"script", "style", "template", "noscript", "iframe", "noembed"})
INLINE = names(
    """a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label
    mark marquee nobr o:p q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u
    var wbr"""
)
SPACED = names(
    "area br button canvas embed img input map object output param picture select source svg"
    " textarea"
)
_LINKS = frozenset({"a", "label"})


def naive(parsed: ParsedPage) -> tuple[Block, ...]:
    """Return the blocks of a page, one per block-level element; all are kept."""
    texts, elements = _core.naive_walk(
        parsed.tape, {tag: _action(tag) for tag in parsed.tags}, text_of_unparsed
    )
    rows = zip(texts, elements, repeat(True), repeat("all text"), strict=False)
    return tuple(map(Block._make, rows))


def _action(tag: str) -> int:
    name = tag.strip("/")
    if name in DROPPED:
        return Action.DROP if tag == name else Action.NOTHING
    if name in SPACED:
        return Action.SPACE
    if name in _LINKS:
        return Action.LINK if tag == name else Action.NOTHING
    return Action.NOTHING if name in INLINE else Action.END
