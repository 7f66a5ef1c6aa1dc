"""jusText: remove boilerplate by the lengths, links and stop words of paragraphs.

Pomikálek (2011), Removing Boilerplate and Duplicate Content from Web Corpora, chapter 4, as
implemented by jusText 3.0.2. The paragraphs and classes are the same:

1. Clean: drop head, scripts, styles, applets and form controls; unwrap forms and frames.
2. Split into paragraphs at block-level elements and at two line breaks in a row. Text that is
   blank between two tags is skipped.
3. Classify each paragraph alone: *bad* with too many characters in links, a copyright sign or
   few stop words; *short* below 70 characters; *good* if long and full of stop words; else
   *neargood*.
4. Revise by neighbours: *short* and *neargood* paragraphs take the class of their neighbours.
5. Headings up to 200 characters before a good paragraph become good, unless bad by themselves.

jusText also has a pass before step 4 that should lift short headings to *neargood*. It has no
effect, because it looks for later paragraphs of class *good* before these are assigned, so we leave
it out. We find neighbours in one scan in each direction, not in one scan per paragraph.

The library ignores everything after the first ``</html>``. We return it as dropped blocks, and read
it if no text precedes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from understandability import _core
from understandability._core.layout import JustextAction as Action
from understandability.text.document import Block
from understandability.text.parsed import ParsedPage
from understandability.text.stop_words import stop_words_of
from understandability.text.tape import names

MAX_LINK_DENSITY = 0.2
LENGTH_LOW = 70
LENGTH_HIGH = 200
STOP_WORDS_LOW = 0.30
STOP_WORDS_HIGH = 0.32
MAX_HEADING_DISTANCE = 200

_PARAGRAPH_TAGS = names(
    """body blockquote caption center col colgroup dd div dl dt fieldset form legend optgroup
    option p pre table td textarea tfoot th thead tr ul li h1 h2 h3 h4 h5 h6"""
)
_KILLED = names("head script style applet base button input select textarea")
_UNWRAPPED = names("form iframe embed layer object param link")
# jusText searches the whole path of a paragraph for headings.
_HEADING = re.compile(r"\bh\d\b")
_SPACES = re.compile(r"\s\s+")  # as long as "\s+" makes it, and most texts have none
_DECIDED = frozenset({"good", "bad"})
_NEAR = frozenset({"good", "bad", "neargood"})


class _Paragraph(NamedTuple):
    text: str
    element: str
    linked: int  # characters in links
    in_heading: bool
    in_select: bool


def justext(parsed: ParsedPage) -> tuple[Block, ...]:
    """Return the paragraphs of a page. Paragraphs of class *good* are kept."""
    size = len(parsed.tape)
    paragraphs, rest = _paragraphs(parsed, 0, size), []
    if parsed.tags["html"] > 1 and "/html" in parsed.tags:
        end = parsed.tape.place_of("/html")
        if before := _paragraphs(parsed, 0, end):
            paragraphs, rest = before, _paragraphs(parsed, end + 1, size)
    stop_list = stop_words_of(parsed.language or "en")
    alone = [_class_alone(paragraph, stop_list) for paragraph in paragraphs]
    revised = _revise(paragraphs, alone)
    reasons = [
        final if final == first else f"{first}, {final} among its neighbours"
        for first, final in zip(alone, revised, strict=True)
    ]
    paragraphs += rest
    rows = zip(
        [paragraph.text for paragraph in paragraphs],
        [paragraph.element for paragraph in paragraphs],
        [final == "good" for final in revised] + [False] * len(rest),
        reasons + ["after the end of the page"] * len(rest),
        strict=True,
    )
    return tuple(map(Block._make, rows))


def _paragraphs(parsed: ParsedPage, first: int, last: int) -> list[_Paragraph]:
    """Clean the page and split it into paragraphs (steps 1 and 2).

    `first` and `last` are the indexes of the tags between which paragraphs are read.
    """
    actions = {tag: _action(tag) for tag in parsed.tags}
    for tag, action in actions.items():
        if action == Action.KILL and "/" + tag not in parsed.tags:
            actions[tag] = Action.UNWRAP
    headings = {tag: _depth(tag) for tag in parsed.tags if _HEADING.search(tag)}
    selects = {tag: _depth(tag) for tag in parsed.tags if "select" in tag}
    return _core.justext_walk(parsed.tape, actions, headings, selects, _Paragraph, first, last)


def _action(tag: str) -> int:
    name = tag.strip("/")
    closes = tag[0] == "/"
    if name in _KILLED:
        return Action.KILL if tag == name else Action.UNWRAP
    if name in _UNWRAPPED:
        return Action.UNWRAP
    if name in _PARAGRAPH_TAGS:
        return Action.OPEN if tag == name else Action.CLOSE if closes else Action.EMPTY
    if name == "br" and not closes:
        return Action.BREAK
    if name == "a":
        return Action.LINK if tag == name else Action.END_LINK
    return Action.END_INLINE if closes else Action.INLINE


def _depth(tag: str) -> int:
    """Return how a tag changes the nesting depth: 1, -1 or 0."""
    return -1 if tag[0] == "/" else 0 if tag[-1] == "/" else 1


def _class_alone(paragraph: _Paragraph, stop_list: frozenset[str] | None) -> str:
    """Classify one paragraph by itself (step 3).

    Without a stop list, as for Chinese, only lengths and links count.
    """
    text, length = paragraph.text, len(paragraph.text)
    if paragraph.linked / length > MAX_LINK_DENSITY:
        return "bad"
    if "\xa9" in text or "&copy" in text or paragraph.in_select:
        return "bad"
    if length < LENGTH_LOW:
        return "bad" if paragraph.linked else "short"
    density = 1.0
    if stop_list is not None:
        words = text.lower().split()
        density = sum(map(stop_list.__contains__, words)) / len(words)
    if density >= STOP_WORDS_HIGH:
        return "good" if length > LENGTH_HIGH else "neargood"
    return "neargood" if density >= STOP_WORDS_LOW else "bad"


def _revise(paragraphs: Sequence[_Paragraph], alone: list[str]) -> list[str]:
    """Revise the classes by those of neighbouring paragraphs (steps 4 and 5)."""
    classes = list(alone)
    before, before_near = (_nearest(alone, wanted) for wanted in (_DECIDED, _NEAR))
    backwards = alone[::-1]
    after, after_near = (_nearest(backwards, wanted)[::-1] for wanted in (_DECIDED, _NEAR))
    for index, own in enumerate(alone):
        if own == "short":
            sides = {before[index], after[index]}
            beside_near = (before[index] == "bad" and before_near[index] == "neargood") or (
                after[index] == "bad" and after_near[index] == "neargood"
            )
            good = sides == {"good"} or (len(sides) == 2 and beside_near)
            classes[index] = "good" if good else "bad"
    after = _nearest(classes[::-1], _DECIDED)[::-1]
    previous = "bad"
    for index, own in enumerate(classes):
        if own == "neargood":
            classes[index] = "bad" if previous == after[index] == "bad" else "good"
        previous = classes[index]
    to_good = _distances_to_good(paragraphs, classes)
    for index, paragraph in enumerate(paragraphs):
        lifted = paragraph.in_heading and classes[index] == "bad" and alone[index] != "bad"
        if lifted and to_good[index] <= MAX_HEADING_DISTANCE:
            classes[index] = "good"
    return classes


def _nearest(classes: Sequence[str], wanted: frozenset[str]) -> list[str]:
    """Return, for each paragraph, the last class before it that is wanted; ``bad`` without one."""
    nearest, last = [], "bad"
    for own in classes:
        nearest.append(last)
        if own in wanted:
            last = own
    return nearest


def _distances_to_good(paragraphs: Sequence[_Paragraph], classes: Sequence[str]) -> list[float]:
    """Return, for each paragraph, the characters up to the next good one; infinite without one."""
    distances, distance = [], inf
    for paragraph, own in zip(reversed(paragraphs), reversed(classes), strict=True):
        distances.append(distance)
        distance = 0 if own == "good" else distance + len(paragraph.text)
    return distances[::-1]
