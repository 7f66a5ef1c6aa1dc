"""The default extractor: find the main text of articles, threads, leaflets and lists.

It works for modern pages, whose authors name the parts of a page, and for old pages without names.

1. Split the page into blocks, at every block-level element (headings, list items, table cells) and
   at two line breaks in a row. Each block is in a section of the page's tree.
2. Blocks of a line or more with few links are *prose*. (If a page has hardly any, shorter ones
   count.)
3. Drop sections that are menus, footers, sidebars, comments and so on by their element, class or id
   (`understandability.text.tape`). Names can mislead, so a section with much of the page's prose
   stays. Comments stay in threads (if the page or its data says that it is one), and if there is
   little other text, because then they are the content.
4. The *main section* is the smallest that holds nine tenths of the remaining prose. Drop everything
   outside it.
5. In it, drop blocks that are mostly links (but keep sentences that are links as a whole, as in
   cards, and their titles), lists of labels between bars, short copyright lines, data of programs,
   blocks without words, repetitions of a text that occurs three times, everything under a heading
   such as "References", short blocks before the first prose and after the last, and headings with
   no text left under them.
6. If hardly anything is kept, use the text for readers without scripts (``noscript``) or
   the text in the page's data (`data_texts`), if there is more of it.

Elements that their attributes hide are left out, unless they hold most of the text.

Lists of links are no prose, and stay out: a page that is one has the flag ``list_of_links``. We
chose the limits on half of the pages of a gold set (scripts/evaluate/extraction.py), each in the
middle of the range that did best.
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
# The keys that hold text, by the type of the object; "" means any type.
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
    """Return the paragraphs of articles, posts, answers and products in a page's embedded JSON
    data.

    `source` is the page in UTF-8. Data that is broken, too long or too deeply nested is ignored.

    >>> data_texts(b'<script type="application/ld+json">{"@type": "Answer", "text": "Rest."}')
    ['Rest.']
    """
    if not re.search(b"json", source) or not (b"ation/json" in source or b"/ld+json" in source):
        return []  # a pattern finds the one word in a third of the time of the two
    left = MAX_CHARACTERS
    paragraphs: dict[str, None] = {}  # a set in order, because data often repeats a text
    for script in _SCRIPT.finditer(source.decode()):
        data = script[1]
        left -= len(data)
        if left < 0:
            break
        if not any(mark in data for mark in _MARKS):
            continue
        try:
            parsed = json.loads(data, strict=False)
        except (ValueError, RecursionError):
            continue
        for text in _texts(parsed):
            for paragraph in _END.split(without_references(text)):
                words = " ".join(_TAG.sub(" ", paragraph).split())
                if words:
                    paragraphs[words] = None
    return list(paragraphs)


def _texts(data: Any) -> Iterator[str]:
    """Yield the texts in parsed JSON, in order."""
    stack = [(data, 0)]
    had_product = False
    while stack:
        node, depth = stack.pop()
        children: list[Any] = []
        if isinstance(node, dict):
            stated = node.get("@type")
            types = [type_ for type_ in (stated if isinstance(stated, list) else [stated]) if type_]
            if "Product" in types:  # later products are variants of the first, or related ones
                types, had_product = ([] if had_product else types), True
            for type_ in ["", *types]:
                for key in _TEXTS.get(type_, ()) if isinstance(type_, str) else ():
                    if isinstance(text := node.get(key), str):
                        yield text
            children = list(node.values())
        elif isinstance(node, list):
            children = node
        if depth < MAX_DEPTH:
            stack += [(c, depth + 1) for c in reversed(children) if isinstance(c, dict | list)]


# Reasons for keeping or dropping a block, in addition to the labels of sections in `text.tape`.
TEXT = "main text"
DATA = "main text, in the page's data"
IN_DATA = "stands in the page's data"

SHORTEST_PROSE = PROSE_LENGTHS[0]
# With fewer characters kept, the text for readers without scripts and the page's data are used, if
# they have more than MIN_TIMES as many.
MIN_KEPT = 500
MAX_BESIDE_DATA = 2000
MIN_TIMES = 2

_INLINE = names(
    """a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label
    mark marquee nobr o:p q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u
    var wbr"""
)
_SPACED = names("area audio canvas embed img input map output param picture source track video")
# Elements with content that is not shown, or not read as text.
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
# The elements that each start tag ends, where end tags may be omitted. All of them end paragraphs.
_PARAGRAPH = names("p")
_ENDS = {
    "li": names("p li"),
    **dict.fromkeys(("dt", "dd"), names("p dt dd")),
    **dict.fromkeys(("td", "th"), names("p td th")),
    "tr": names("p td th tr"),
}
_BITS = {
    name: 1 << index for index, name in enumerate(sorted({*chain.from_iterable(_ENDS.values())}))
}
_KINDS = {
    **{f"h{level}": level for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), BlockBit.ITEM),
    **{"td": BlockBit.ITEM | BlockBit.CELL, "th": BlockBit.CELL, "p": BlockBit.PARAGRAPH},
}
_Rule = tuple[int, str, int, int, int, str]

# Marks in a page's data or body that say it is a thread.
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
    """Return the blocks of a page; those of its main text are kept."""
    blocks, length = _blocks(parsed, _RULES)
    if (
        NOT_SHOWN in parsed.hints.values()
        and _length_hidden(blocks) > MIN_TIMES * length + MIN_PROSE
    ):
        # Scripts show most of the page's text: tabs, "continue reading".
        hints = {index: hint for index, hint in parsed.hints.items() if hint != NOT_SHOWN}
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
    """Return the number of characters of prose that are hidden and not repeated in a visible
    block.
    """
    visible = set(compress(blocks.texts, blocks.are_kept))
    return sum(
        len(text)
        for text, reason in zip(blocks.texts, blocks.reasons, strict=True)
        if reason == NOT_SHOWN and len(text) >= SHORTEST_PROSE and text not in visible
    )


def _blocks(parsed: ParsedPage, rules: BoundedCache[_Rule]) -> tuple[Blocks, int]:
    """Return the blocks, and the number of characters in the kept ones."""
    texts, elements, are_kept, reasons, length = _core.main_blocks(
        parsed.tape,
        rules,
        dict(parsed.hints),
        lambda: any(mark in parsed.source for mark in _THREADS),
        _closing,
        _ENDED.search,
        TEXT,
    )
    return Blocks(texts, elements, are_kept, reasons), length


def _closing(heading: str) -> str | None:
    """Classify a heading after which the main text ends: ``posts``, ``links`` or ''; None for
    others.
    """
    heading = heading.rstrip(":. ")
    while heading.endswith("[edit]"):
        heading = heading[:-6].rstrip(":. ")
    match = _CLOSING.fullmatch(heading)
    return (match.lastgroup or "") if match else None


def _rule(tag: str, skipped: frozenset[str] = _SKIPPED) -> _Rule:
    """Return what `_core.main_blocks` should do at a tag."""
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
