"""The text that a page is read for: articles, threads, leaflets, lists.

Built for pages of today, whose authors name the parts of a page, and for old ones, which do not.

1. Cut the page into blocks: every block-level element is one of its own (headings, list items,
   table cells), and so is what two line breaks in a row set apart. Each stands in a section of
   the page's tree.
2. Blocks of a line or more with few links are *prose*. (If a page has hardly any, shorter ones
   count.)
3. Drop sections that are called menus, footers, sidebars, comments and the like, by their
   element or by class and id (`understandability.text.hints`). Names can mislead, so a section
   that holds much of the page's prose stays. Comments stay in threads (as the page or its
   data calls itself), and where there is little
   other text: there they are what the page is about.
4. The *main section* is the smallest that holds nine tenths of the prose that is left; drop what
   stands outside.
5. In it, drop blocks that are mostly links, lists of labels between bars, copyright lines, what
   has no words, what stands there for the third time, what follows a heading such as
   "References", what is no sentence before the first prose and after the last, and headings of
   which nothing is left.
6. Where hardly anything is kept, the text for readers without scripts (``noscript``) is taken,
   or what the page's data holds (`understandability.text.extract.page_data`), if it is more.

Lists of links are no prose, and stay out: a page that is one has the flag ``list_of_links``.
Numbers were chosen on half of the pages of a gold set (scripts/evaluate/extraction.py), each in
the middle of the range that did best.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from understandability import _core
from understandability.text.document import MOSTLY_LINKS, Block
from understandability.text.extract.columns import blocks_of
from understandability.text.extract.page_data import data_texts
from understandability.text.hints import COMMENTS, CONSENT, SIDEBAR, THREAD
from understandability.text.parsed import ParsedPage
from understandability.text.tape import names

# Reasons, as they are reported, beside the kinds of sections that are told by their names.
TEXT = "main text"
OUTSIDE = "outside the main section"
LABELS = "labels between bars"
COPYRIGHT = "copyright line"
NO_WORDS = "no words"
REPEATED = "stands on the page three times"
CLOSING = "under a heading that ends the text"
EDGE = "short, before or after the text"
HEADING = "heading of nothing that is kept"
DATA = "main text, in the page's data"
IN_DATA = "stands in the page's data"

MAX_LINKS = 0.5  # of a block's characters
PROSE_LENGTHS = (75, 25, 1)  # characters; the next counts if there is less prose than this:
MIN_PROSE = 200
MAX_PROSE_LINKS = 0.35
# A section of more of the page's prose than this is not what its names say.
MAX_SHARE = 0.3
MAX_SHARES = {SIDEBAR: 0.85, CONSENT: 0.95}  # of which one can be sure
MAX_TOGETHER = 0.5  # the same of all sections of a kind
MAX_BEFORE_COMMENTS = 900  # characters of prose; with more, comments are not the page's text
MAIN_SHARE = 0.9
MAX_HEADING = 150  # characters; what is longer is text that was made to look like a heading
MAX_REPEATED = 2
MIN_SENTENCE = 40
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
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_CELLS = names("td th")
_ITEMS = names("li dt dd td")
# Elements whose end tag may be left out, by the tags that end them; all end paragraphs.
_PARAGRAPH = names("p")
_ENDS = {
    "li": names("p li"),
    **dict.fromkeys(("dt", "dd"), names("p dt dd")),
    **dict.fromkeys(("td", "th"), names("p td th")),
    "tr": names("p td th tr"),
}

# What a tag does. Those up to _BREAK leave the block open.
_NOTHING, _SPACE, _LINK, _END_LINK, _BREAK, _OPEN, _CLOSE, _EMPTY, _SKIP = range(9)

# As what search engines are told that the page is, or a software its body.
_THREADS = ("DiscussionForumPosting", '"QAPage"', "schema.org/QAPage")

_SPACES = re.compile("  +")
_LETTER = re.compile(r"[^\W\d_]")
_BAR = re.compile(r"[|»›•·>]")
_CHARACTERS_A_BAR = 36
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
_ENDED = re.compile(r"[.!?][\"'”’»)]{0,3}(?:\[[\w ]{1,9}\]){0,9}\Z")
_AFTER_HEADING = re.compile(r"(?:\[edit\]|[:. ])+\Z")


_Columns = tuple[list[str], list[str], list[int], list[int], list[int], dict[int, str]]


@dataclass(frozen=True, slots=True)
class _Layout:
    """A page as blocks (columns of the same length) in a tree of sections (0 is the root)."""

    texts: list[str]
    elements: list[str]
    sections: list[int]
    links: list[float]  # the share of characters in links
    parents: list[int]  # of each section; they come before their children
    kinds: Mapping[int, str]  # what the names of a section tell


def main(parsed: ParsedPage) -> tuple[Block, ...]:
    """The blocks of a page, kept if they belong to its main text."""
    blocks = _blocks(parsed, _layout(parsed))
    length = _kept_length(blocks)
    if length < MIN_KEPT and "noscript" in parsed.tags:
        others = _blocks(parsed, _layout(parsed, _SKIPPED - {"noscript"}))
        if _kept_length(others) > MIN_TIMES * length + MIN_PROSE:
            return others
    if length < MAX_BESIDE_DATA and (data := data_texts(parsed.text)):
        together = " ".join(data)
        if len(together) > MIN_TIMES * length:
            beside = [
                replace(block, kept=False, reason=IN_DATA)
                if block.kept and block.text in together
                else block
                for block in blocks
            ]
            return (*beside, *(Block(text, "p", reason=DATA) for text in data))
    return blocks


def _kept_length(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) for block in blocks if block.kept)


def _blocks(parsed: ParsedPage, layout: _Layout) -> tuple[Block, ...]:
    prose = _prose(layout)
    named, is_thread = _named(layout, prose, parsed.text)
    reasons = [named[section] for section in layout.sections]
    _drop_endings(layout, prose, reasons, is_thread)
    left = [0 if reason else length for reason, length in zip(reasons, prose, strict=True)]
    # A question may be short beside its answers.
    inside = _main_section(layout, left, 1.0 if is_thread else MAIN_SHARE)
    times = Counter(layout.texts)
    for place, reason in enumerate(reasons):
        if not reason:
            reasons[place] = (
                _reason(layout, place, times[layout.texts[place]])
                if inside[layout.sections[place]]
                else OUTSIDE
            )
    _drop_edges(layout, prose, reasons)
    _drop_bare_headings(layout, reasons)
    return blocks_of(
        layout.texts,
        layout.elements,
        [not reason for reason in reasons],
        [reason or TEXT for reason in reasons],
    )


def _layout(parsed: ParsedPage, skipped: frozenset[str] = _SKIPPED) -> _Layout:
    """Step 1."""
    actions = {tag: _action(tag, parsed.tags, skipped) for tag in parsed.tags}
    texts, elements, sections, linked, parents, kinds = _core.main_walk(
        parsed.tape, actions, dict(parsed.hints), _ENDS, _PARAGRAPH, _NAMED
    )
    links = [number / len(text) for number, text in zip(linked, texts, strict=True)]
    return _Layout(texts, elements, sections, links, parents, kinds)


def _action(tag: str, tags: Mapping[str, int], skipped: frozenset[str]) -> int:
    if not tag:
        return _NOTHING
    name = tag.strip("/")
    closes, is_empty = tag[0] == "/", tag[-1] == "/"
    if name in skipped:
        return _SKIP if "/" + tag in tags else _SPACE
    if name in _SPACED:
        return _SPACE
    if name == "br":
        return _BREAK
    if name == "a" and not is_empty:
        return _END_LINK if closes else _LINK
    if name in _INLINE:
        return _NOTHING
    return _CLOSE if closes else _EMPTY if is_empty else _OPEN


def _prose(layout: _Layout) -> list[int]:
    """Step 2: the length of each block that is prose, 0 of others."""
    prose: list[int] = []
    for shortest in PROSE_LENGTHS:
        prose = [
            len(text) if len(text) >= shortest and links <= MAX_PROSE_LINKS else 0
            for text, links in zip(layout.texts, layout.links, strict=True)
        ]
        if sum(prose) >= MIN_PROSE:
            break
    return prose


def _named(layout: _Layout, prose: list[int], source: str) -> tuple[list[str], bool]:
    """Step 3: as what each section is dropped (or ``''``); whether the page is a thread."""
    sums = _core.section_sums(layout.parents, layout.sections, prose)
    shares = {section: sums[section] / (sums[0] or 1) for section in layout.kinds}
    is_thread = any(
        kind == THREAD and shares[section] > MAX_SHARE for section, kind in layout.kinds.items()
    )
    if not is_thread and COMMENTS in layout.kinds.values():
        is_thread = any(mark in source for mark in _THREADS)
    kinds = {
        section: kind
        for section, kind in layout.kinds.items()
        if kind != THREAD and shares[section] <= MAX_SHARES.get(kind, MAX_SHARE)
    }
    dropped = _core.inherited(layout.parents, kinds)
    lengths: Counter[str] = Counter()
    for section, length in zip(layout.sections, prose, strict=True):
        lengths[dropped[section]] += length
    # Many small sections together may be most of the text, too.
    wrong = {
        kind
        for kind, length in lengths.items()
        if kind and kind not in (COMMENTS, CONSENT, SIDEBAR) and length > MAX_TOGETHER * sums[0]
    }
    if is_thread or lengths[""] < min(MAX_BEFORE_COMMENTS, lengths[COMMENTS]):
        wrong.add(COMMENTS)
    if wrong:
        kinds = {section: kind for section, kind in kinds.items() if kind not in wrong}
        dropped = _core.inherited(layout.parents, kinds)
    return dropped, is_thread


def _main_section(layout: _Layout, lengths: list[int], share: float) -> list[bool]:
    """Step 4: which sections are in the smallest that holds this share of the text.

    A single block is none: the one around it is, with the headings beside it.
    """
    sums = _core.section_sums(layout.parents, layout.sections, lengths)
    around = set(layout.parents)
    main = max(
        section  # children come after their parents, and two that lie apart cannot hold so much
        for section in ([0, *sorted(around)] if sums[0] else [0])
        if sums[section] >= share * sums[0]
    )
    inside = [False] * len(layout.parents)
    inside[main] = True
    for section in range(main + 1, len(inside)):
        inside[section] = inside[layout.parents[section]]
    return inside


def _reason(layout: _Layout, place: int, times: int) -> str:
    """Why a block is dropped that stands in the main section; ``''`` if it is kept."""
    text = layout.texts[place]
    if layout.links[place] > MAX_LINKS:
        return MOSTLY_LINKS
    if "\xa9" in text:
        return COPYRIGHT
    if layout.elements[place] not in _CELLS:
        if times > MAX_REPEATED:
            return REPEATED
        if not _LETTER.search(text):
            return NO_WORDS
    if len(_BAR.findall(text)) * _CHARACTERS_A_BAR > len(text) + _CHARACTERS_A_BAR:
        return LABELS
    return ""


def _drop_endings(
    layout: _Layout, prose: Sequence[int], reasons: list[str], is_thread: bool
) -> None:
    """Drop what follows a heading such as "References", up to the next of its level.

    At least one sentence has to stand before it. But for comments, it ends no more than the
    section that it shares with the block behind it; one of links ends before prose beside it.
    """
    ended, begun, before, around, beside = 0, False, 0, 0, -1
    parents, newest = layout.parents, 0  # section so far; those within another have later numbers
    rows = zip(layout.texts, layout.elements, layout.sections, strict=True)
    for place, (text, element, section) in enumerate(rows):
        is_heading = element in _LEVELS and len(text) <= MAX_HEADING
        if ended and (
            section < around
            or min(parents[newest + 1 : section + 1], default=around) < around
            or (is_heading and _LEVELS[element] <= ended)
            or (prose[place] and element == "p" and parents[section] == beside)
        ):
            ended = 0
        newest = max(newest, section)
        if reasons[place]:
            continue
        if is_heading and begun and not ended:
            heading = _CLOSING.fullmatch(_AFTER_HEADING.sub("", text))
            group = heading.lastgroup if heading else ""
            if heading and not ((group and before < MIN_PROSE) or (group == "posts" and is_thread)):
                ended = _LEVELS[element]
                around = _around(layout, place) if group != "posts" else 0
                beside = parents[section] if group == "links" else -1
        begun = begun or (len(text) >= MIN_SENTENCE and _ENDED.search(text) is not None)
        if ended:
            reasons[place] = CLOSING
        else:
            before += prose[place]


def _around(layout: _Layout, place: int) -> int:
    """The smallest section that holds the block at a place and the next one."""
    section = layout.sections[place]
    other = layout.sections[min(place + 1, len(layout.sections) - 1)]
    while section != other:
        if section > other:
            section = layout.parents[section]
        else:
            other = layout.parents[other]
    return section


def _drop_edges(layout: _Layout, prose: Sequence[int], reasons: list[str]) -> None:
    """Drop short blocks before the first prose and after the last.

    Sentences stay, items and cells, headings before the first, and elements of the same kind in
    the same section as the prose.
    """
    places = [place for place, reason in enumerate(reasons) if not reason]
    kinds = [
        (layout.parents[section], element)
        for section, element in zip(layout.sections, layout.elements, strict=True)
    ]
    for order, left in ((places, _ITEMS.union(_LEVELS)), (places[::-1], _ITEMS)):
        edge = list(takewhile(lambda place: not prose[place], order))
        beside = kinds[order[len(edge)]] if len(edge) < len(order) else None
        for place in edge:
            text = layout.texts[place]
            is_sentence = " " in text and _ENDED.search(text)
            if not is_sentence and layout.elements[place] not in left and kinds[place] != beside:
                reasons[place] = reasons[place] or EDGE


def _drop_bare_headings(layout: _Layout, reasons: list[str]) -> None:
    """Drop headings that are followed by no text before the next heading of their level."""
    deepest = 0  # level of what is kept behind; text is deeper than any heading
    for place in range(len(reasons) - 1, -1, -1):
        level = _LEVELS.get(layout.elements[place], 7)
        if len(layout.texts[place]) > MAX_HEADING:
            level = 7
        if not reasons[place] and level < 7 and deepest <= level:
            reasons[place] = HEADING
        if not reasons[place]:
            deepest = level
