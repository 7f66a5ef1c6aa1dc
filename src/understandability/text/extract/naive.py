"""All text of a page, tags removed.

1. Leave out what is not shown: script, style, template, noscript, iframe, comments.
2. Every block-level element begins and ends a field of its own: paragraphs, headings, list
   items, table cells, the title.
3. Within a field, the tags of a line separate no words ("H<sub>2</sub>O"), except for line
   breaks, images and form controls, and where one link or label of several letters directly
   follows another.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat

from understandability.compiled import compiled
from understandability.text.document import Block
from understandability.text.extract.columns import blocks_of
from understandability.text.parsed import ParsedPage
from understandability.text.tape import Tape, names, text_of_unparsed

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

# What a tag does to the field that is being read.
_END, _NOTHING, _SPACE, _LINK, _DROP = range(5)


def naive(parsed: ParsedPage) -> tuple[Block, ...]:
    """The fields of a page, all kept."""
    texts, elements = _fields(parsed.tape, {tag: _action(tag) for tag in parsed.tags})
    return blocks_of(texts, elements, repeat(True), repeat("all text"))


@compiled(text_of_unparsed)
def _fields(tape: Tape, actions: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """The text of each field, and its element."""
    fields: list[str] = []
    elements: list[str] = []
    open_elements = ["body"]
    field = tape[0]
    dropped = ""
    last_tag, last_text = "", ""
    actions = {**actions, "/body": _END}
    tags, texts = [*tape[1::2], "/body"], [*tape[2::2], ""]  # the last tag ends all
    for tag, action, text in zip(tags, map(actions.__getitem__, tags), texts, strict=True):
        if dropped:
            if tag == dropped:
                dropped = ""
                field += text
        elif action == _END:
            if field and not field.isspace():
                fields.append(field)
                elements.append(open_elements[-1])
            field = text_of_unparsed(text) if tag == "noframes" else text
            if tag[0] == "/":
                if len(open_elements) > 1:
                    open_elements.pop()
            elif tag[-1] != "/":
                open_elements.append(tag)
        elif action == _DROP:
            dropped = "/" + tag
        else:
            if action == _SPACE or (
                action == _LINK
                and last_tag == "/" + tag
                and not last_text
                and field[-3:].isalpha()
                and text[:3].isalpha()
            ):
                field += " "
            field += text
        last_tag, last_text = tag, text
    return [" ".join(field.split()) for field in fields], elements


def _action(tag: str) -> int:
    name = tag.strip("/")
    if name in DROPPED:
        return _DROP if tag == name else _NOTHING
    if name in SPACED:
        return _SPACE
    if name in _LINKS:
        return _LINK if tag == name else _NOTHING
    return _NOTHING if name in INLINE else _END
