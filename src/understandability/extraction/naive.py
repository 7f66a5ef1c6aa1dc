"""All text of a page, tags removed.

1. Leave out what is no text: script, style, template, noscript, comments.
2. Every block-level element begins and ends a field of its own: paragraphs, headings, list
   items, table cells, the title.
3. Within a field, elements of a line do not separate words ("H<sub>2</sub>O"), except for line
   breaks, images and form controls, and where one link follows another.
"""

from __future__ import annotations

from understandability.pages import ParsedPage
from understandability.records import Block

_DROPPED = frozenset({"script", "style", "template", "noscript"})
_INLINE = frozenset(
    """abbr acronym b basefont bdi bdo big cite code data del dfn em font i ins kbd label mark
    nobr o:p q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr
    """.split()
)
_SPACE = frozenset(
    "a area br button embed iframe img input map object output param select svg".split()
)


def naive(parsed: ParsedPage) -> tuple[Block, ...]:
    """The fields of a page, all kept."""
    blocks: list[Block] = []
    field: list[str] = []
    tag, dropped = "body", ""
    texts = iter(parsed.tape)
    field.append(next(texts))

    def end_field() -> None:
        text = " ".join("".join(field).split())
        if text:
            blocks.append(Block(text, tag, True, "all text"))
        field.clear()

    for name, text in zip(texts, texts, strict=True):
        plain = name.strip("/")
        if dropped:
            if name == dropped:
                dropped = ""
                field.append(text)
            continue
        if plain in _DROPPED:
            if name == plain:
                dropped = "/" + name
                continue
        elif plain in _SPACE:
            field.append(" ")
        elif plain not in _INLINE:
            end_field()
            tag = plain
        field.append(text)
    end_field()
    return tuple(blocks)
