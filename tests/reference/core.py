"""The functions of the compiled core in Python. Tests compare `understandability._core` with them.

Each function has the name and the arguments of the one in the stubs of `_core`. They are written to
be read, and go when the core has stood one release.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from understandability._core import Numbers, Places, Tape
from understandability._core.layout import (
    BoilerpipeAction,
    JustextAction,
    MainAction,
    NaiveAction,
)
from understandability.model.passages import TOKEN
from understandability.text.document import MOSTLY_LINKS
from understandability.text.tape import (
    COMMENTS,
    CONSENT,
    NOT_SHOWN,
    SIDEBAR,
    THREAD,
    opens_after_last_end,
    with_comments_closed,
)

Array = NDArray[Any]
Paragraph = TypeVar("Paragraph")
Rule = tuple[int, str, int, int, int, str]

_MARK = "\1"  # stands in no text
_SPACES = bytes.maketrans(b"\n\t\r", b"   ")
_CONTROLS = [bytes([code]) for code in range(0x20) if code not in b"\t\n\r"]
# A comment, a script or style with its content, or the name and attributes of a tag; in an
# attribute's quotes anything may stand. Bytes are searched faster than text.
_NAMES = re.compile(
    rb"""(?<!\S)(?:class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE
)
_MAY_HIDE = re.compile(rb"hidden|display|visibility", re.IGNORECASE)
_TOKEN = re.compile(
    rb"""<(?: !--(?:-?>|.*?(?:--!?>|\Z))
          | (?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE]))\b [^<>]*+ > .*?
            (?:</(?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE])) [^<>]*+ > | \Z)
          | (/?[a-zA-Z][^\s<>/]*+)
            (?: > | ([^<>=]*+ (?: = \s*+ (?: "[^"]*+" | '[^']*+' )?+ [^<>=]*+ )*+) > )
          | [!?][^<>]*+ > )""",
    re.VERBOSE | re.DOTALL,
)
_RUN = re.compile(r"\s\s+")  # as long as "\s+" makes it, and most texts have none
_CANDIDATE = re.compile("[^-c]c*|c+")


# --- text/decoding.py


def has_controls(content: bytes) -> bool:
    return any(map(content.__contains__, _CONTROLS))


def is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


# --- text/tape.py


def values(source: bytes, quote: bytes, length: int) -> list[tuple[int, int]]:
    """Stretches of at least that length (but at the end) without a quote: start and end of each.

    >>> values(b"a='c'=defg='efg'", b"'", 3)
    [(12, 15)]
    """
    found = re.finditer(rb"(?<==%b)[^%b]++" % (quote, quote), source)
    ends = [match.span() for match in found]
    return [(start, end) for start, end in ends if end - start >= length or end == len(source)]


# --- text/tape.py


def cut(
    source: bytes,
    normal: Callable[[bytes], str],
    unescape: Callable[[str], str],
    sections: frozenset[str],
    hints_of: Mapping[str, str],
    claiming: frozenset[str],
    mended: tuple[bytes, ...],
    hides: Mapping[str, bool],
    hidden: str,
) -> tuple[Tape, dict[int, str], list[tuple[str, bytes]]] | None:
    """The tape of a source, the hints of sections by the places of their tags, and the claims.

    None if a comment is never closed, or one of the elements that are mended.
    """
    lowered = source.lower()
    if with_comments_closed(source) is not source or _is_open(lowered, (b"script", b"style")):
        return None
    pieces = _TOKEN.split(source.translate(_SPACES))
    written, attributes = pieces[1::3], pieces[2::3]
    tags_of = {tag: normal(tag or b"") for tag in set(written)}
    known = set(tags_of.values())
    if _is_open(lowered, (name for name in mended if name.decode() in known)):
        return None
    tags = list(map(tags_of.__getitem__, written))
    texts = _MARK.encode().join(pieces[0::3]).decode()
    if "&" in texts:
        texts = unescape(texts)
        for space in "\n\t\r":
            texts = texts.replace(space, " ")
    for place, written in enumerate(attributes):
        if tags[place] == "a" and not _is_link(written or b""):
            tags[place] = "a/"
    tape = [""] * (2 * len(tags) + 1)
    tape[0::2], tape[1::2] = texts.replace("\xa0", " ").split(_MARK), tags
    looked_at = sections & known
    hints = {
        place: hint
        for place, tag in enumerate(tags)
        if tag in looked_at
        and (names := b" ".join(map(b"".join, _NAMES.findall(attributes[place] or b""))).decode())
        and (hint := hints_of[names])
    }
    hints |= {
        place: hidden
        for place, written in enumerate(attributes)
        if tags[place][:1] not in ("", "/")
        and _MAY_HIDE.search(written or b"")
        and hides[(written or b"").decode()]
    }
    hints = dict(sorted(hints.items()))
    claims = [
        (tag, written or b"")
        for tag, written in zip(tags, attributes, strict=True)
        if tag in claiming
    ]
    return Tape(tape), hints, claims


def _is_link(attributes: bytes) -> bool:
    """Return True if an ``a`` has an address or is for a script, and is not closed at once."""
    is_empty = re.search(rb"""[\s"']/\Z""", attributes)
    address = rb"""[\s"'/](?:href(?![\w:.-])|onclick|data-|role(?![\w:.-]))"""
    return not is_empty and re.search(address, attributes, re.IGNORECASE) is not None


def _is_open(lowered: bytes, names: Iterable[bytes]) -> bool:
    """Whether the last element of one of these names is never closed."""
    return any(opens_after_last_end(lowered, name) >= 0 for name in names)


# --- text/tape.py

_TAG = re.compile(r"<([^>]+)>")
_UNESCAPED = {"&#13;": " ", "&#xFFFD;": "\ufffd", "&gt;": ">", "&lt;": "<", "&amp;": "&"}


def read_tree(source: bytes, _: object, __: object) -> tuple[Tape, bytes] | None:
    """What lxml makes of a source: the core repeats the trees of libxml2 2.14, which 6.1 brings."""
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    root = etree.fromstring(source, parser)
    error = parser.error_log.last_error
    if error is not None and error.level == etree.ErrorLevels.FATAL:
        return None
    if root is None:
        return Tape(), b""
    claims = [f"{name}={root.get(name)}" for name in ("lang", "xml:lang") if root.get(name)]
    root.getroottree().docinfo.clear()  # a doctype of XHTML would change the serialisation
    markup = ""
    for element in (root, *root.itersiblings(etree.Element)):  # what stands after </html>
        etree.strip_attributes(element, "{}*")
        markup += etree.tostring(element, encoding="unicode", with_tail=False)
    pieces = _TAG.split(markup)
    for written, text in _UNESCAPED.items():
        pieces[0::2] = [piece.replace(written, text) for piece in pieces[0::2]]
    spaces = str.maketrans("\n\t\r\xa0", "    ")
    pieces[0::2] = [piece.translate(spaces) for piece in pieces[0::2]]
    return Tape(pieces), " ".join(claims).encode()


# --- text/extract/main.py


def main_walk(
    whole: Tape, rules: Mapping[str, Rule], hints: Mapping[int, str]
) -> tuple[list[str], list[str], list[int], list[int], list[int], dict[int, str], list[bool]]:
    """The columns of a layout, but for each block the number of its characters in links."""
    hidden_columns: list[bool] = []
    hidden = 0
    tape = whole.pieces()
    texts: list[str] = []
    elements: list[str] = []
    sections: list[int] = []
    linked_lengths: list[int] = []
    parents = [0]
    kinds: dict[int, str] = {}
    open_elements = ["body"]
    numbers_open = {"body": 1}  # a look at all for each tag would take the square
    section = 0
    text, linked = tape[0], 0
    in_link = ends_with_block = after_break = False
    skipped = ""
    skipped_to = -1
    tags, contents = [*tape[1::2], "/body"], [*tape[2::2], ""]  # ends the last
    rules = {tag: rules[tag] for tag in {*tags, "body", "/body"}}
    actions = {
        tag: MainAction.SPACE if action == MainAction.SKIP and end not in tags else action
        for tag, (action, end, *_) in rules.items()
    }
    for place, (tag, action, content) in enumerate(
        zip(tags, map(actions.__getitem__, tags), contents, strict=True)
    ):
        if place <= skipped_to:
            if place < skipped_to:
                continue
        elif skipped:
            if tag != skipped:
                continue
            skipped = ""
            action = MainAction.SPACE
        elif action <= MainAction.LINK and hints.get(place) == NOT_SHOWN:
            skipped_to = _end_of_hidden(tags[:-1], place)
            if skipped_to >= 0:
                text += " "
                continue
        if action < MainAction.BREAK or (action == MainAction.BREAK and not after_break):
            if action:
                if action == MainAction.LINK:
                    in_link = True
                    ends_with_block = not _is_closed(actions, tags[place + 1 : -1])
                elif action == MainAction.END_LINK:
                    in_link = False
                else:
                    is_item = action == MainAction.BREAK and _ITEM.match(content)
                    if is_item and text and not text.isspace():
                        text += _END_OF_LINE
                    else:
                        text += " "
                    after_break = action == MainAction.BREAK
            if content:
                text += content
                if in_link:
                    linked += len(content)
                if after_break and not content.isspace():
                    after_break = False
            continue
        if action == MainAction.SKIP:
            skipped = "/" + tag
            continue
        if text and not text.isspace():
            texts.append(text)
            elements.append(open_elements[-1])
            sections.append(section)
            linked_lengths.append(linked)
            hidden_columns.append(hidden > 0)
        if ends_with_block:
            in_link = ends_with_block = False
        text, linked = content, len(content) if in_link else 0
        after_break = False
        if action == MainAction.OPEN:
            while rules[open_elements[-1]][2] & rules[tag][3]:
                numbers_open[open_elements.pop()] -= 1
                section = parents[section]
            hidden = hidden if section >= hidden else 0
            parents.append(section)
            section = len(parents) - 1
            open_elements.append(tag)
            numbers_open[tag] = numbers_open.get(tag, 0) + 1
            if kind := hints.get(place) or rules[tag][5]:
                kinds[section] = kind
                if kind == NOT_SHOWN:
                    hidden = hidden or section
        elif action == MainAction.CLOSE:
            while section and numbers_open.get(tag[1:]):
                section = parents[section]
                ended = open_elements.pop()
                numbers_open[ended] -= 1
                if ended == tag[1:]:
                    break
            hidden = hidden if section >= hidden else 0
    return _collapsed(texts), elements, sections, linked_lengths, parents, kinds, hidden_columns


_END_OF_LINE = "\x1e"
_ITEM = re.compile(r"\s*(?:[0-9]{1,2}[.)]|[-*\u2022\u2013])\s")
_MAX_TAGS_HIDDEN = 500


def _end_of_hidden(tags: Sequence[str], place: int) -> int:
    """The place of the end tag of an element; -1 if it is nowhere near."""
    depth = 0
    for end, tag in enumerate(tags[place : place + _MAX_TAGS_HIDDEN], place):
        depth += (tag == tags[place]) - (tag == "/" + tags[place])
        if not depth:
            return end
    return -1


def _is_closed(actions: Mapping[str, int], tags: Iterable[str]) -> bool:
    """Return True if a link is closed before the next one is opened."""
    links = (MainAction.LINK, MainAction.END_LINK)
    return next((actions[tag] for tag in tags if actions[tag] in links), 0) == MainAction.END_LINK


def _collapsed(texts: list[str]) -> list[str]:
    """The texts with each run of white space made one space."""
    if not texts:
        return []
    whole = "\n".join(texts)
    for space in filter(str.isspace, set(whole) - set(map(chr, range(128)))):
        whole = whole.replace(space, " ")
    whole = re.sub("  +", " ", whole)
    return [re.sub(f" ?{_END_OF_LINE}", "\n", text).strip() for text in whole.split("\n")]


def inherited(parents: Sequence[int], kinds: Mapping[int, str]) -> list[str]:
    """The kind of each section or of the outermost one around it that has one."""
    inherited = [""] * len(parents)
    for section, parent in enumerate(parents):
        inherited[section] = inherited[parent] or kinds.get(section, "")
    return inherited


def section_sums(
    parents: Sequence[int], sections: Sequence[int], lengths: Sequence[int]
) -> list[int]:
    """How much stands in each section and those within it."""
    sums = [0] * len(parents)
    for section, length in zip(sections, lengths, strict=True):
        sums[section] += length
    for section in range(len(sums) - 1, 0, -1):
        sums[parents[section]] += sums[section]
    return sums


OUTSIDE = "outside the main section"
LABELS = "labels between bars"
COPYRIGHT = "copyright line"
NO_WORDS = "no words"
PROGRAM = "data of a program"
REPEATED = "stands on the page three times"
CLOSING = "under a heading that ends the text"
EDGE = "short, before or after the text"
HEADING = "heading of nothing that is kept"
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
WHOLLY_LINKED = 0.6
MIN_LINKED_SENTENCE = 40
MAX_REPEATED = 2
MAX_COPYRIGHT = 150  # characters
MAX_RUN = 150  # characters without a space
MIN_SENTENCE = 40
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_ITEMS = frozenset(("li", "dt", "dd", "td"))
_LETTER = re.compile(r"[^\W\d_]")
_BAR = re.compile(r"[|»›>]|(?<=[^\n])[•·]")
_CHARACTERS_A_BAR = 36


@dataclass(frozen=True, slots=True)
class _Layout:
    """A page as blocks (columns of the same length) in a tree of sections (0 is the root)."""

    texts: list[str]
    elements: list[str]
    sections: list[int]
    links: list[float]  # the share of characters in links; 2 is a program's data
    parents: list[int]  # of each section; they come before their children
    kinds: Mapping[int, str]  # what the names of a section tell
    are_hidden: list[bool]


def main_blocks(
    tape: Tape,
    rules: Mapping[str, Rule],
    hints: Mapping[int, str],
    is_forum: Callable[[], bool],
    closing: Callable[[str], str | None],
    is_ended: Callable[[str], object],
    kept_as: str,
) -> tuple[list[str], list[str], list[bool], list[str], int]:
    """Steps 1 to 5 of `understandability.text.extract.main`."""
    texts, elements, sections, linked, parents, kinds, are_hidden = main_walk(tape, rules, hints)
    links = [
        2.0 if _is_data(text) else min(number, len(text)) / len(text)
        for number, text in zip(linked, texts, strict=True)
    ]
    layout = _Layout(texts, elements, sections, links, parents, kinds, are_hidden)
    prose = _prose(layout)
    dropped, is_thread = _named(layout, prose, is_forum)
    reasons = [dropped[section] for section in layout.sections]
    _drop_endings(layout, prose, reasons, is_thread, closing, is_ended)
    left = [0 if reason else length for reason, length in zip(reasons, prose, strict=True)]
    # A question may be short beside its answers.
    inside = _main_section(layout, left, 1.0 if is_thread else MAIN_SHARE)
    times = Counter(
        text for text, is_hidden in zip(texts, are_hidden, strict=True) if not is_hidden
    )
    seen: set[str] = set()
    for place, reason in enumerate(reasons):
        if not reason:
            if not inside[layout.sections[place]]:
                reasons[place] = OUTSIDE
                continue
            text = layout.texts[place]
            reasons[place] = _reason(
                layout, place, times[text] > MAX_REPEATED and text in seen, is_ended
            )
            seen.add(text)
    for place in range(len(texts) - 1):
        is_title, is_next = (
            elements[index] in _LEVELS and len(texts[index]) <= MAX_HEADING
            for index in (place, place + 1)
        )
        if is_title and not is_next and reasons[place] == MOSTLY_LINKS and not reasons[place + 1]:
            reasons[place] = ""
    _drop_edges(layout, prose, reasons, is_ended)
    _drop_bare_headings(layout, reasons)
    length = sum(len(text) for text, reason in zip(texts, reasons, strict=True) if not reason)
    rows = [
        (part.strip(" "), element, not reason, reason or kept_as)
        for text, element, reason in zip(texts, elements, reasons, strict=True)
        for part in text.split("\n")
        if part.strip(" ")
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    return columns[0], columns[1], columns[2], columns[3], length


def _is_data(text: str) -> bool:
    """Whether a program's data or code stands where text should."""
    return any(len(run) > MAX_RUN and ("{" in run or '":' in run) for run in text.split())


def _prose(layout: _Layout) -> list[int]:
    """Step 2: the length of each block that is prose, 0 of others."""
    prose: list[int] = []
    for shortest in PROSE_LENGTHS:
        prose = [
            len(text) if len(text) >= shortest and links <= MAX_PROSE_LINKS and not is_hidden else 0
            for text, links, is_hidden in zip(
                layout.texts, layout.links, layout.are_hidden, strict=True
            )
        ]
        if sum(prose) >= MIN_PROSE:
            break
    return prose


def _named(
    layout: _Layout, prose: list[int], is_forum: Callable[[], bool]
) -> tuple[list[str], bool]:
    """Step 3: as what each section is dropped (or ``''``); whether the page is a thread."""
    sums = section_sums(layout.parents, layout.sections, prose)
    shares = {section: sums[section] / (sums[0] or 1) for section in layout.kinds}
    is_thread = any(
        kind == THREAD and shares[section] > MAX_SHARE for section, kind in layout.kinds.items()
    )
    if not is_thread and COMMENTS in layout.kinds.values():
        is_thread = is_forum()
    kinds = {
        section: kind
        for section, kind in layout.kinds.items()
        if kind == NOT_SHOWN
        or (kind != THREAD and shares[section] <= MAX_SHARES.get(kind, MAX_SHARE))
    }
    dropped = inherited(layout.parents, kinds)
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
        dropped = inherited(layout.parents, kinds)
    return dropped, is_thread


def _main_section(layout: _Layout, lengths: list[int], share: float) -> list[bool]:
    """Step 4: which sections are in the smallest that holds this share of the text.

    A single block is none: the one around it is, with the headings beside it.
    """
    sums = section_sums(layout.parents, layout.sections, lengths)
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


def _reason(
    layout: _Layout, place: int, is_repeated: bool, is_ended: Callable[[str], object]
) -> str:
    """Why a block is dropped that stands in the main section; ``''`` if it is kept."""
    text = layout.texts[place]
    is_heading = layout.elements[place] in _LEVELS and len(text) <= MAX_HEADING
    is_card = (
        WHOLLY_LINKED <= layout.links[place] <= 1
        and len(text) >= MIN_LINKED_SENTENCE
        and is_ended(text)
    )
    if layout.links[place] > MAX_LINKS and not is_card:
        return MOSTLY_LINKS if layout.links[place] <= 1 else PROGRAM
    if "\xa9" in text and len(text) <= MAX_COPYRIGHT:
        return COPYRIGHT
    if layout.elements[place] not in _CELLS:
        if is_repeated and not is_heading:
            return REPEATED
        if not _LETTER.search(text):
            return NO_WORDS
    is_bars = len(_BAR.findall(text)) * _CHARACTERS_A_BAR > len(text) + _CHARACTERS_A_BAR
    if is_bars and layout.elements[place] != "pre":
        return LABELS
    return ""


def _drop_endings(
    layout: _Layout,
    prose: Sequence[int],
    reasons: list[str],
    is_thread: bool,
    closing: Callable[[str], str | None],
    is_ended: Callable[[str], object],
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
            group = closing(text)
            if group is not None and not (
                (group and before < MIN_PROSE) or (group == "posts" and is_thread)
            ):
                ended = _LEVELS[element]
                around = _around(layout, place) if group != "posts" else 0
                beside = parents[section] if group == "links" else -1
        begun = begun or (len(text) >= MIN_SENTENCE and bool(is_ended(text)))
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


def _drop_edges(
    layout: _Layout, prose: Sequence[int], reasons: list[str], is_ended: Callable[[str], object]
) -> None:
    """Drop short blocks before the first prose and after the last.

    Sentences stay, items and cells, headings before the first, and elements of the same kind in
    the same section as the prose.
    """

    def is_title(place: int) -> bool:
        """Whether a heading is directly followed by a sentence that is kept."""
        is_heading, is_next = (
            index < len(reasons)
            and layout.elements[index] in _LEVELS
            and len(layout.texts[index]) <= MAX_HEADING
            for index in (place, place + 1)
        )
        if not is_heading or is_next or place + 1 == len(reasons):
            return False
        return not reasons[place + 1] and bool(is_ended(layout.texts[place + 1]))

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
            is_sentence = " " in text and is_ended(text)
            if not is_sentence and is_title(place):
                continue
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


# --- text/extract/naive.py


def naive_walk(
    whole: Tape, actions: Mapping[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """The text of each field, and its element."""
    tape = whole.pieces()
    fields: list[str] = []
    elements: list[str] = []
    open_elements = ["body"]
    field = tape[0]
    dropped = ""
    last_tag, last_text = "", ""
    actions = {**actions, "/body": NaiveAction.END}
    tags, texts = [*tape[1::2], "/body"], [*tape[2::2], ""]  # the last tag ends all
    for tag, action, text in zip(tags, map(actions.__getitem__, tags), texts, strict=True):
        if dropped:
            if tag == dropped:
                dropped = ""
                field += text
        elif action == NaiveAction.END:
            if field and not field.isspace():
                fields.append(field)
                elements.append(open_elements[-1])
            field = unparsed(text) if tag == "noframes" else text
            if tag[0] == "/":
                if len(open_elements) > 1:
                    open_elements.pop()
            elif tag[-1] != "/":
                open_elements.append(tag)
        elif action == NaiveAction.DROP:
            dropped = "/" + tag
        else:
            if action == NaiveAction.SPACE or (
                action == NaiveAction.LINK
                and last_tag == "/" + tag
                and not last_text
                and field[-3:].isalpha()
                and text[:3].isalpha()
            ):
                field += " "
            field += text
        last_tag, last_text = tag, text
    return [" ".join(field.split()) for field in fields], elements


# --- text/extract/boilerpipe.py


def boilerpipe_walk(
    whole: Tape,
    actions: Mapping[str, int],
    unparsed: Callable[[str], str],
    marks: str,
    without: int,
) -> tuple[list[str], list[int], list[int], list[str]]:
    """Text, words, words in links and element of each block."""
    tape = whole.pieces()
    if without >= 0:
        tape[2 * without + 2] = ""
    texts: list[str] = []
    linked_texts: list[str] = []
    elements: list[str] = []
    text = tape[0]
    linked = ""
    open_elements = ["body"]
    in_link = False
    ignored = 0
    tags, contents = [*tape[1::2], "/html"], [*tape[2::2], ""]  # ends the last block
    actions = {**actions, "/html": BoilerpipeAction.CLOSE}
    for tag, action, content in zip(tags, map(actions.__getitem__, tags), contents, strict=True):
        if ignored:
            ignored += (action == BoilerpipeAction.IGNORE) - (
                action == BoilerpipeAction.END_IGNORED
            )
            if ignored:
                continue
        if action < BoilerpipeAction.CLOSE:
            if action:
                text += " "
                linked += " "
                if action != BoilerpipeAction.SPACE:
                    in_link = action == BoilerpipeAction.LINK
            text += content
            if in_link:
                linked += content
            continue
        if text and not text.isspace():
            texts.append(text)
            linked_texts.append(linked)
            elements.append(open_elements[-1])
        text = content
        if action < BoilerpipeAction.OPEN:
            if len(open_elements) > 1:
                open_elements.pop()
        elif action != BoilerpipeAction.EMPTY:
            open_elements.append(tag)
            if action == BoilerpipeAction.SKIP:
                text = ""
            elif action == BoilerpipeAction.IGNORE:
                text = ""
                ignored = 1
            elif action == BoilerpipeAction.UNPARSED:
                text = unparsed(content)
        linked = text if in_link else ""
    words, linked_words = count_words(texts, marks), count_words(linked_texts, marks)
    return _collapsed(texts), words, linked_words, elements


def count_words(texts: Iterable[str], marks: str) -> list[int]:
    """How many words each text has; `marks` neither part words nor make them.

    >>> count_words(["It's 3.5 mg/l – naïve", "... | ?"], "'./")
    [4, 0]
    """
    parted = (
        "".join(char if char.isalnum() else "" if char in marks else " " for char in text)
        for text in texts
    )
    return [len(text.split()) for text in parted]


# --- text/extract/justext.py


def justext_walk(
    whole: Tape,
    actions: Mapping[str, int],
    headings: Mapping[str, int],
    selects: Mapping[str, int],
    paragraph: Callable[[str, str, int, bool, bool], Paragraph],
    first: int,
    last: int,
) -> list[Paragraph]:
    """The paragraphs of a part of a tape."""
    tape = whole.pieces()[2 * first : 2 * last + 1]
    paragraphs: list[Paragraph] = []
    text, linked = "", 0
    chunk = tape[0]  # the text since the last tag that counts
    killed, killed_depth = "", 0
    in_link = after_break = in_heading = in_select = False
    heading_depth = select_depth = 0
    open_elements = ["body"]
    tags, contents = [*tape[1::2], "/body"], [*tape[2::2], ""]  # the last tag ends all
    actions = {**actions, "/body": JustextAction.CLOSE}
    for tag, action, content in zip(tags, map(actions.__getitem__, tags), contents, strict=True):
        if killed:
            killed_depth += (tag == killed) - (tag == "/" + killed)
            if not killed_depth:
                killed = ""
                chunk += content
            continue
        if action >= JustextAction.UNWRAP:
            if action == JustextAction.KILL:
                killed, killed_depth = tag, 1
            else:
                chunk += content
            continue
        if chunk and not chunk.isspace():
            text += chunk
            if in_link:
                linked += len(_RUN.sub(" ", chunk))
            after_break = False
        chunk = content
        if tag in headings:
            heading_depth += headings[tag]
        if tag in selects:
            select_depth += selects[tag]
        if action >= JustextAction.LINK:
            if action == JustextAction.LINK:
                in_link, after_break = True, False
            elif action == JustextAction.END_LINK:
                in_link, after_break = False, after_break and tag == "/a"
            elif action == JustextAction.INLINE:
                after_break = False
            continue
        if action == JustextAction.BREAK and not after_break:
            after_break = True
            text += " "
            continue
        if text:
            text = " ".join(text.split())
            if text:
                element = open_elements[-1]
                paragraphs.append(paragraph(text, element, linked, in_heading, in_select))
            text, linked = "", 0
        if action == JustextAction.OPEN:
            open_elements.append(tag)
        elif action == JustextAction.CLOSE and len(open_elements) > 1:
            open_elements.pop()
        in_heading, in_select = heading_depth > 0, select_depth > 0
    return paragraphs


# --- text/sentences.py


def sentence_starts(
    pieces: list[str],
    ends_of: Mapping[str, str],
    starts_of: Mapping[str, str],
    before: Mapping[str, str],
    letter_words: frozenset[str],
    copulas: frozenset[str],
) -> list[int]:
    """Where sentences start, by how pieces end and begin."""
    starts = [0]
    ends = "".join([ends_of[piece] for piece in pieces])
    for match in _CANDIDATE.finditer(ends):
        following = match.end()
        if following == len(pieces):
            break
        place = match.start()
        kind = ends[place]
        if kind == "a" and place and pieces[place][0] in "0123456789":
            kind = "#" if pieces[place - 1].lower() in letter_words else "a"
        if place == starts[-1] and pieces[place].lower() in letter_words:
            continue  # "Question. Can I eat?"
        if kind == "#" and _begins_item(pieces, place, starts[-1]):
            continue
        if kind == "#" and place - 1 == starts[-1] and pieces[place - 1].lower() in letter_words:
            continue  # "Step 1. Wash your hands."
        if kind == "l" and place == starts[-1]:
            continue
        previous = pieces[place - 1].lower().lstrip("\"'“‘«([") if place else ""
        if kind == "u":
            kind = "#" if previous and pieces[place - 1][0] in "0123456789" else "a"
        elif kind == "l":
            if place > 1 and pieces[place - 1].lower() in copulas:
                previous = pieces[place - 2].lower().lstrip("\"'“‘«([")
            kind = "#" if previous in letter_words else "a"
        if starts_of[pieces[following]] in before.get(kind, "us"):
            starts.append(following)
    return starts


def _begins_item(pieces: Sequence[str], number: int, start: int) -> bool:
    """Whether a number with a full stop counts an item of a list."""
    return number == start or (number > 0 and pieces[number - 1][-1] in ":;,")


def words_of_each(texts: Iterable[str]) -> list[int]:
    """Words by their spaces."""
    return [text.count(" ") + 1 for text in texts]


class SentenceCutter:
    """Splits texts at their white space, and each with `sentence_starts`."""

    def __init__(
        self,
        ends_of: Mapping[str, str],
        starts_of: Mapping[str, str],
        may_end: bytes,
        before: Mapping[str, str],
        letter_words: frozenset[str],
        copulas: frozenset[str],
        spaced: Callable[[str], str],
    ) -> None:
        self.rules = (ends_of, starts_of, before, letter_words, copulas)
        self.spaced = spaced

    def cut(
        self,
        texts: list[str],
        are_open: list[bool],
        table: Numbers,
        pieces: "array[int]",
        starts: list[int],
        open_ends: list[int],
    ) -> None:
        for text, is_open in zip(texts, are_open, strict=False):
            more, first = self.spaced(text).split(), len(pieces)
            begins = sentence_starts(more, *self.rules) if more else []
            starts.extend(first + begin for begin in begins)
            numbers = np.empty(len(more), np.int32)
            table.number(more, numbers)
            pieces.extend(numbers.tolist())
            if more and is_open:
                open_ends.append(len(starts) - 1)


# --- feature/tagger.py


def add_rows(weights: Array, rows: Array, table: Array) -> None:
    """Add the row of weights that each number names."""
    for row, number in zip(table, rows, strict=True):
        if number >= 0:
            row[:-1] += weights[number]


def best_tags(
    rows: Array,
    ids: Array,
    starts: Array,
    boundary: Array,
    before: Array,
    around: Array,
    after: Array,
    word_around: Array,
    tags: Array,
) -> None:
    """Write the tag of each token."""
    size, side = before.shape[1], before.shape[1] + 1
    columns = 5 * size
    for start, end in zip(starts, [*starts[1:], len(ids)], strict=True):
        sentence = [boundary] * 2 + [rows[number][:columns] for number in ids[start:end]]
        sentence += [boundary] * 2
        scores = [
            sum(
                sentence[place + offset][offset * size : (offset + 1) * size].astype(int)
                for offset in range(5)
            )
            for place in range(end - start)
        ]
        first = [size, size, *[int(np.argmax(each)) for each in scores], size, size]
        for place, score in enumerate(scores):
            far_left, left, here, right, far_right = first[place : place + 5]
            word_class = int(rows[ids[start + place]][columns])
            total = score + before[far_left * side + left]
            total = total + around[(left * side + here) * side + right]
            total = total + after[right * side + far_right]
            total = total + word_around[(word_class * side + left) * side + right]
            tags[start + place] = np.argmax(total)


_NUCLEUS = re.compile(r"[aeiouy]|(?<=[sh])m(?![aeiouy])|(?<=[sxzh])'(?=s)|(?<=\^m)c(?![aeiouyhk])")


def nuclei(
    words: list[str], firsts: Array, letters: Array, codes: Array, roots: Array, weights: Array
) -> list[list[int]]:
    """Where the weights of all patterns sum to more than zero, in each word."""
    found: list[list[int]] = []
    for word in words:
        marked = f"^{word}$".encode().decode("latin-1")
        own = [codes[min(ord(letter), 128)] for letter in marked]
        found.append([])
        for nucleus in (match.start() for match in _NUCLEUS.finditer(marked, 1, len(marked))):
            evidence = 0
            for before, root in enumerate(roots.tolist()):
                node = root
                for code in own[nucleus - before :] if nucleus >= before else ():
                    steps = letters[firsts[node] : firsts[node + 1]].tolist()
                    if code not in steps:
                        break
                    node = firsts[node] + steps.index(code) + 2
                    evidence += weights[node]
            if evidence > 0:
                found[-1].append(nucleus)
    return found


_KNUTH = 2654435761


def hash_runs(words: list[str], out: Array) -> None:
    """Write a hash of each run of letters, and of each longer word."""
    found = []
    for word in words:
        points = np.frombuffer(word.encode("utf-32-le", "replace"), "<u4").tolist()
        lengths = [3, 4, 5] + [len(points)] * (len(points) > 5)
        for length in lengths:
            for start in range(len(points) - length + 1):
                run = points[start : start + length]
                hashed = sum(point * _KNUTH**place for place, point in enumerate(run)) % 2**32
                for shift in (16, 13):
                    hashed = (hashed ^ hashed >> shift) * _KNUTH % 2**32
                found.append(hashed)
    out[: len(found)] = found


def sum_rows(table: Array, ids: Array, starts: Array, out: Array) -> None:
    """Write the sums of the rows of each segment."""
    for place, (begin, end) in enumerate(pairwise(starts.tolist())):
        out[place] = table[ids[begin:end]].sum(axis=0)


# --- model/passages.py


def multiply(rows: Array, blocks: Array, biases: Array, least: float, out: Array) -> None:
    matrix = np.concatenate(list(blocks), axis=1)[:, : out.shape[1]]
    products = [sum(values[:, None] * matrix, np.zeros(out.shape[1])) for values in rows]
    out[:] = np.maximum(np.stack(products) + biases, least)


def read_sentences(
    types: Array,
    ids: Array,
    bounds: Array,
    tags: Array,
    firsts: Array,
    scores: Array,
    no_end: int,
    out: Array,
) -> None:
    """Write what is told of each sentence."""
    words, frequent = len(scores) - 13, types.view(TOKEN)["frequent"][:, 0]
    for first, end in pairwise(firsts.tolist()):
        seen = set()
        for sentence in range(first, end):
            own = slice(bounds[sentence], bounds[sentence + 1])
            counts = np.bincount(tags[own], minlength=12)
            classes = np.where(frequent[ids[own]] >= 0, frequent[ids[own]], words + tags[own])
            classes = classes[classes != words + 11]
            pairs = scores[classes[:-1], classes[1:]]
            ended = len(classes) > 0
            cut = ended and scores[classes[-1], -1] < no_end
            key = tuple(ids[own].tolist())
            out[sentence] = *counts, pairs.sum(), len(pairs), cut, ended, key not in seen
            seen.add(key)


def _mean(rows: Array, weights: Array | float = 1.0) -> Array:
    """The mean of some rows; NaN of none."""
    return (rows * weights).sum(axis=0) / len(rows) if len(rows) else rows.sum(axis=0) + np.nan


def _of_token(token: Any) -> list[float]:
    """What a token adds to the columns of tokens."""
    named = np.bincount(token["kinds"], minlength=256)[:62].astype(float)
    rarer = np.array([3.0, 4.0, 5.0]) - token["zipf"]
    beyond = token["complexity"] - np.array([0.3, 0.4])
    _, over_reddit, _, beyond_reddit = token["logs"].tolist()
    if token["flags"] & 1:
        named[41:44], named[44:47] = np.maximum(rarer, 0), rarer > 0
    named[47:51] = token["logs"]
    named[51:54] = max(over_reddit, 0), max(over_reddit - 1, 0), max(beyond_reddit, 0)
    named[54:59] = token["complexity"], *np.maximum(beyond, 0), *(beyond > 0)
    return named.tolist()


def read_passages(
    types: Array,
    ids: Array,
    bounds: Array,
    kinds: Array,
    word_ids: Array,
    word_bounds: Array,
    names: Array,
    sentences: Array,
    vectors: Array,
    scale: Array,
    by_sentence: Array,
    numbers: Array,
    prose: Array,
    begins: Array,
    ends: Array,
    out: Array,
) -> None:
    """Write the columns of each passage."""
    tokens = types.view(TOKEN)[:, 0]
    for passage, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        own = numbers[begin:end]
        is_prose = prose[begin:end] > 0
        of_words, of_tokens, hardest, rare_ids = [], [], [], []
        found: Array = np.empty(0, TOKEN)
        within = np.empty(0, bool)
        for sentence in own.tolist():
            some = slice(word_bounds[sentence], word_bounds[sentence + 1])
            rows = kinds[word_ids[some]].astype(float)
            rows[:, 0] *= ~((names[some] > 0) & (rows[:, 12] == 0))
            of_words.append([*rows[:, :12].sum(axis=0), (rows[:, 1] ** 2).sum()])
            held = ids[bounds[sentence] : bounds[sentence + 1]]
            rare_ids += held.tolist()
            here = tokens[held]
            of_tokens.append(np.sum([_of_token(each) for each in here], axis=0) + np.zeros(62))
            hardest.append(here["complexity"].max(initial=0))
            found = np.append(found, here)
            within = np.append(within, np.arange(len(here)) > 0)
        words = np.array(of_words).reshape(len(own), 13)
        marks = np.array(of_tokens).reshape(len(own), 62)
        lengths = np.diff(word_bounds)[own].astype(float)
        length, count = max(lengths.sum(), 1), max((found["flags"] & 8 > 0).sum(), 1)
        tags, order = sentences[own, :12], sentences[own, 12:16].sum(axis=0)
        weights = np.where(found["vector"] >= 0, found["weight"], 0)
        pointed = (vectors[found["vector"]] * scale * weights[:, None]).astype(float)
        has_letter, capitalised = found["flags"] & 1 > 0, found["flags"] & 2 > 0
        is_name = capitalised & within & (found["flags"] & 4 == 0)
        plain = has_letter & ~is_name
        zipf, complexity = (np.sort(found[name][plain]) for name in ("zipf", "complexity"))
        size, letters = max(len(zipf), 1), max(has_letter.sum(), 1)
        rarity = np.maximum(5 - found["zipf"], 0) * plain
        is_rare = plain & ~capitalised & (found["zipf"] < 4)
        _, times = np.unique(np.array(rare_ids)[is_rare], return_counts=True)
        _, first = np.unique(np.array(rare_ids)[has_letter], return_index=True)
        by_words = found["difficulty"][has_letter][first].astype(float)
        logs, over = np.log1p(lengths), lengths[:, None] - [10, 20, 30]
        in_prose = _mean(
            np.column_stack(
                [lengths, logs, np.maximum(over, 0), (over[:, 1:] > 0) * lengths[:, None], hardest]
            )[is_prose]
        )
        deviation = _mean(logs[is_prose] ** 2) - in_prose[1] ** 2

        def at(values: Array, shares: Sequence[float]) -> Array:
            places = np.rint(np.array(shares) * max(len(values) - 1, 0)).astype(int)
            return values[places] if len(values) else np.full(len(shares), np.nan)

        columns = np.concatenate(
            [
                words.sum(axis=0) / length,
                _mean(words[is_prose][:, 4:6]),
                marks.sum(axis=0) / count,
                _mean(marks[is_prose][:, [0, 16, 55, 56]]),
                pointed.sum(axis=0) / max(weights.sum(), 0.5),
                tags.sum(axis=0) / max(tags.sum(), 1),
                [_mean(tags[is_prose, 0])],
                at(zipf, [0.01, 0.05, 0.1, 0.25, 0.5]),
                at(complexity, [0.5, 0.75, 0.9, 0.95, 0.99]),
                [complexity.sum() / size, np.maximum(complexity - 0.3, 0).sum() / size],
                [(found["vector"] < 0)[plain].sum() / size, 1 - plain.sum() / letters],
                [len(times) / letters, times[times > 1].sum() / letters],
                [(times.sum() + 1) / (len(times) + 1)],
                in_prose,
                [np.sqrt(np.maximum(deviation, 0)), lengths[is_prose].sum() / length],
                [(lengths < 5).sum() / len(own)],
                (pointed * rarity[:, None]).sum(axis=0) / max(rarity.sum(), 1),
                order[[0, 2]] / np.maximum(order[[1, 3]], 1),
                [by_words.sum() / max(len(by_words), 1), max(1 - length / 60, 0)],
            ]
        )
        for source, target in by_sentence.tolist():
            assert np.isfinite(columns[source])
            assert np.isfinite(columns[target]) == is_prose.any()
        out[passage] = columns


# --- model/sense.py


def hash_pairs(pairs: Array, slots: Array) -> None:
    for pair in pairs.tolist():
        slot = (pair * 2654435769 % 2**32) * len(slots) >> 32
        while slots[slot] not in (0, pair + 1):
            slot = (slot + 1) % len(slots)
        slots[slot] = pair + 1


def read_coherence(
    ids: Array,
    starts: Array,
    bounds: Array,
    numbers: Array,
    ranks: Array,
    attested: Array,
    words: int,
    vectors: Array,
    scale: Array,
    first_content: int,
    wants_fit: Array,
    out: Array,
) -> None:
    pairs = {slot - 1 for slot in attested.tolist() if slot}
    ends_of_sentences = {end - 1 for end in bounds[1:].tolist()}
    for document, (start, end) in enumerate(pairwise(starts.tolist())):
        end = min(end, start + 400)
        neighbours = [
            (int(numbers[ids[index]]), int(numbers[ids[index + 1]]))
            for index in range(start, end)
            if index not in ends_of_sentences
        ]
        known = [(one, two) for one, two in neighbours if one >= 0 and two >= 0]
        gains = sum((a * words + b in pairs) - (b * words + a in pairs) for a, b in known)
        content = ranks[ids[start:end]] if wants_fit[document] else np.empty(0, int)
        content = content[content >= max(first_content, 0)]
        units = vectors[content] * scale
        units /= np.linalg.norm(units, axis=1, keepdims=True) + 1e-9
        cosines = units @ units.T
        distance = abs(np.subtract.outer(np.arange(len(content)), np.arange(len(content))))
        cosines[(distance > 3) | np.equal.outer(content, content)] = 0
        tokens = ids[start:end].tolist()
        fit = cosines.max(axis=0, initial=0).sum()
        distinct = len({*pairwise(tokens)})
        out[document] = gains, len(known), fit, len(content), distinct, max(len(tokens) - 1, 0)


# --- text/language.py


def count_listed(text: str, listed: Places) -> tuple[int, int, int]:
    words = text.split()
    small = [re.sub("[A-Z]+", lambda match: match[0].lower(), word) for word in words]
    matches = [number for word in small if (number := listed.get(word, -1)) >= 0]
    return len(words), len(matches), len(set(matches))


def may_combine(content: bytes) -> bool:
    marks = "[\u0300-\u037f\u0653-\u0655\u1140-\u11ff\u3099\u309a]"
    return re.search(marks, content.decode("utf-8", "replace")) is not None


def start_tags(source: bytes, names: tuple[bytes, ...]) -> list[tuple[str, bytes]]:
    pattern = rb"<(%b)(?=[\s<>/])([^<>]*)" % b"|".join(names)
    tags = re.findall(pattern, source, re.IGNORECASE)
    return [(name.lower().decode(), attributes) for name, attributes in tags]
