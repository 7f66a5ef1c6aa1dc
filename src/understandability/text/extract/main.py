"""The text that a page is read for: articles, threads, leaflets, lists.

Built for pages of today, whose authors name the parts of a page, and for old ones, which do not.

1. Cut the page into blocks: every block-level element is one of its own (headings, list items,
   table cells), and so is what two line breaks in a row set apart. Each stands in a section of
   the page's tree.
2. Blocks of a line or more with few links are *prose*. (If a page has hardly any, shorter ones
   count.)
3. Drop sections that are called menus, footers, sidebars, comments and the like, by their
   element or by class and id (`understandability.text.tape`). Names can mislead, so a section
   that holds much of the page's prose stays. Comments stay in threads (as the page or its
   data calls itself), and where there is little
   other text: there they are what the page is about.
4. The *main section* is the smallest that holds nine tenths of the prose that is left; drop what
   stands outside.
5. In it, drop blocks that are mostly links (but keep sentences that are links as a whole, as in
   cards, and their titles), lists of labels between bars, short copyright lines, data of programs,
   blocks without words, repetitions of a text that occurs three times, everything under a heading
   such as "References", short blocks before the first prose and after the last, and headings with
   no text left under them.
6. Where hardly anything is kept, the text for readers without scripts (``noscript``) is taken,
   or what the page's data holds (`understandability.text.extract.main`), if it is more.

Elements that their attributes hide are left out, unless they hold most of the text.

Lists of links are no prose, and stay out: a page that is one has the flag ``list_of_links``.
Numbers were chosen on half of the pages of a gold set (scripts/evaluate/extraction.py), each in
the middle of the range that did best.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from typing import Any

from understandability import _core
from understandability._core.layout import MIN_PROSE, PROSE_LENGTHS, BlockBit
from understandability._core.layout import MainAction as Action
from understandability.text.cache import BoundedCache
from understandability.text.document import Block, Blocks
from understandability.text.parsed import ParsedPage
from understandability.text.tape import NOT_SHOWN, names, without_references

MAX_CHARACTERS = 500_000  # of the scripts of a page, together
MAX_DEPTH = 40
_SCRIPT = re.compile(
    r"""<script\b[^<>]*\btype\s*=\s*["']?application/(?:ld\+)?json\b[^<>]*>([^<]*(?:<(?!/script)[^<]*)*)""",
    re.IGNORECASE,
)
# What holds a text, by the type of the thing it is of; "" stands for any.
_TEXTS = {
    "": ("articleBody",),
    "DiscussionForumPosting": ("headline", "text"),
    "SocialMediaPosting": ("headline", "text"),
    "Comment": ("text",),
    "Question": ("name", "text"),
    "Answer": ("text",),
    "Product": ("name", "description"),
}
_MARKS = tuple(f'"{name}"' for name in ("articleBody", *filter(None, _TEXTS)))
_END = re.compile(r"\n|<(?:br|/?(?:p|li|ul|ol|div|h[1-6]|blockquote|pre|tr))\b[^<>]*>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def data_texts(source: bytes) -> list[str]:
    """The paragraphs of the articles, posts, answers and products in the data of a page in UTF-8.

    What is broken, too long or too deep is left alone.

    >>> data_texts(b'<script type="application/ld+json">{"@type": "Answer", "text": "Rest."}')
    ['Rest.']
    """
    if not re.search(b"json", source) or not (b"ation/json" in source or b"/ld+json" in source):
        return []  # a pattern finds the one word in a third of the time of the two
    left = MAX_CHARACTERS
    paragraphs: dict[str, None] = {}  # the same thing may stand there twice
    for script in _SCRIPT.finditer(source.decode()):
        data = script[1]
        left -= len(data)
        if left < 0:
            break
        if not any(mark in data for mark in _MARKS):
            continue
        try:
            things = json.loads(data, strict=False)
        except (ValueError, RecursionError):
            continue
        for text in _texts(things):
            for paragraph in _END.split(without_references(text)):
                words = " ".join(_TAG.sub(" ", paragraph).split())
                if words:
                    paragraphs[words] = None
    return list(paragraphs)


def _texts(data: Any) -> Iterator[str]:
    """The texts in parsed JSON, in its order."""
    waiting, seen = [(data, 0)], False
    while waiting:
        thing, depth = waiting.pop()
        inner: list[Any] = []
        if isinstance(thing, dict):
            kinds = thing.get("@type")
            names = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
            if "Product" in names:  # others are variants of the first, or beside it
                names, seen = ([] if seen else names), True
            for kind in ["", *names]:
                for key in _TEXTS.get(kind, ()) if isinstance(kind, str) else ():
                    if isinstance(text := thing.get(key), str):
                        yield text
            inner = list(thing.values())
        elif isinstance(thing, list):
            inner = thing
        if depth < MAX_DEPTH:
            waiting += [(one, depth + 1) for one in reversed(inner) if isinstance(one, dict | list)]


# Reasons, as they are reported, beside the kinds of sections that are told by their names.
TEXT = "main text"
DATA = "main text, in the page's data"
IN_DATA = "stands in the page's data"

SHORTEST_PROSE = PROSE_LENGTHS[0]
# With less kept text (characters), the one for readers without scripts is looked at, and the
# page's data; they count if they have so many times more.
MIN_KEPT = 500
MAX_BESIDE_DATA = 2000
MIN_TIMES = 2

_INLINE = names(
    """a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label
    mark marquee nobr o:p q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u
    var wbr"""
)
_SPACED = names("area audio canvas embed img input map output param picture source track video")
# Their content is not shown, or not read as text.
_SKIPPED = names(
    """script style template noscript title svg object applet iframe noembed select option
    button textarea"""
)
_NAMED = {
    "nav": "menu",
    "menu": "menu",
    "footer": "footer",
    "aside": "beside the text",
    "dialog": "hidden",
}
# Elements whose end tag may be left out, by the tags that end them; all end paragraphs.
_PARAGRAPH = names("p")
_ENDS = {
    "li": names("p li"),
    **dict.fromkeys(("dt", "dd"), names("p dt dd")),
    **dict.fromkeys(("td", "th"), names("p td th")),
    "tr": names("p td th tr"),
}
_BITS = {
    name: 1 << place for place, name in enumerate(sorted({*chain.from_iterable(_ENDS.values())}))
}
_KINDS = {
    **{f"h{level}": level for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), BlockBit.ITEM),
    **{"td": BlockBit.ITEM | BlockBit.CELL, "th": BlockBit.CELL, "p": BlockBit.PARAGRAPH},
}
_Rule = tuple[int, str, int, int, int, str]

# As what search engines are told that the page is, or a software its body.
_THREADS = (b"DiscussionForumPosting", b'"QAPage"', b"schema.org/QAPage")

_CLOSING = re.compile(
    r"""references | acknowledge?ments? | author\ information | funding | see\ also | bibliography
    | external\ links | further\ reading | (?:foot)?notes | notes\ and\ references | sources
    | about\ the\ authors?
    | (?P<posts>(?:\d+\ )?comments?(?:\ \(\d+\))? | leave\ a\ (?:reply|comment).*
        | post\ a\ comment)
    | (?P<links>related\ \w.{0,40} | share\ this.* | you\ (?:may|might)\ also\ .*
        | more\ (?:from|on)\ .* | recent\ posts | read\ (?:more|next))""",
    re.VERBOSE | re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?…।。！？][\"'”’»)]{0,3}(?:\[[\w ]{1,9}\]){0,9}\Z")


def main(parsed: ParsedPage) -> Iterable[Block]:
    """The blocks of a page, kept if they belong to its main text."""
    blocks, length = _blocks(parsed, _RULES)
    if (
        NOT_SHOWN in parsed.hints.values()
        and _length_hidden(blocks) > MIN_TIMES * length + MIN_PROSE
    ):
        # Scripts show most of the page's text: tabs, "continue reading".
        hints = {place: hint for place, hint in parsed.hints.items() if hint != NOT_SHOWN}
        blocks, length = _blocks(replace(parsed, hints=hints), _RULES)
    if length < MIN_KEPT and "noscript" in parsed.tags:
        others, longer = _blocks(parsed, _RULES_WITHOUT_SCRIPTS)
        if longer > MIN_TIMES * length + MIN_PROSE:
            return others
    if length < MAX_BESIDE_DATA and (data := data_texts(parsed.source)):
        together = " ".join(data)
        if len(together) > MIN_TIMES * length:
            beside = [
                block._replace(kept=False, reason=IN_DATA)
                if block.kept and block.text in together
                else block
                for block in blocks
            ]
            return (*beside, *(Block(text, "p", reason=DATA) for text in data))
    return blocks


def _length_hidden(blocks: Blocks) -> int:
    """The number of characters of prose that are not shown, and shown nowhere else."""
    shown = set(compress(blocks.texts, blocks.are_kept))
    return sum(
        len(text)
        for text, reason in zip(blocks.texts, blocks.reasons, strict=True)
        if reason == NOT_SHOWN and len(text) >= SHORTEST_PROSE and text not in shown
    )


def _blocks(parsed: ParsedPage, rules: BoundedCache[_Rule]) -> tuple[Blocks, int]:
    """The blocks, and the characters in those that are kept."""
    texts, elements, kept, reasons, length = _core.main_blocks(
        parsed.tape,
        rules,
        dict(parsed.hints),
        lambda: any(mark in parsed.source for mark in _THREADS),
        _closing,
        _ENDED.search,
        TEXT,
    )
    return Blocks(texts, elements, kept, reasons), length


def _closing(heading: str) -> str | None:
    """What the text is of that a heading ends: ``posts``, ``links`` or another; None if none."""
    heading = heading.rstrip(":. ")
    while heading.endswith("[edit]"):
        heading = heading[:-6].rstrip(":. ")
    match = _CLOSING.fullmatch(heading)
    return (match.lastgroup or "") if match else None


def _rule(tag: str, skipped: frozenset[str] = _SKIPPED) -> _Rule:
    """What `_core.main_blocks` asks of a tag."""
    name = tag.strip("/")
    return (
        _action(tag, name, skipped),
        name if tag[:1] == "/" else "/" + tag,
        _BITS.get(tag, 0),
        sum(map(_BITS.__getitem__, _ENDS.get(tag, _PARAGRAPH))),
        _KINDS.get(tag, 0),
        _NAMED.get(tag, ""),
    )


def _action(tag: str, name: str, skipped: frozenset[str]) -> int:
    if not tag:
        return Action.NOTHING
    if name in skipped:
        return Action.SKIP if tag == name else Action.SPACE
    if name in _SPACED:
        return Action.SPACE
    if name == "br":
        return Action.BREAK
    closes, is_empty = tag[0] == "/", tag[-1] == "/"
    if name == "a" and not is_empty:
        return Action.END_LINK if closes else Action.LINK
    if name in _INLINE:
        return Action.NOTHING
    return Action.CLOSE if closes else Action.EMPTY if is_empty else Action.OPEN


_RULES = BoundedCache(_rule)
_RULES_WITHOUT_SCRIPTS = BoundedCache(partial(_rule, skipped=_SKIPPED - {"noscript"}))
