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

The library reads nothing behind the first ``</html>``. Here that stands in blocks that are
dropped, unless there is no text before it.
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
# As jusText looks for them in the path of a paragraph, in which any element may stand.
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
    """The paragraphs of a page; those of class *good* are kept."""
    size = len(parsed.tape)
    paragraphs, behind = _paragraphs(parsed, 0, size), []
    if parsed.tags["html"] > 1 and "/html" in parsed.tags:
        end = parsed.tape.place_of("/html")
        if before := _paragraphs(parsed, 0, end):
            paragraphs, behind = before, _paragraphs(parsed, end + 1, size)
    stop_list = stop_words_of(parsed.language or "en")
    alone = [_class_alone(paragraph, stop_list) for paragraph in paragraphs]
    revised = _revise(paragraphs, alone)
    reasons = [
        final if final == first else f"{first}, {final} among its neighbours"
        for first, final in zip(alone, revised, strict=True)
    ]
    paragraphs += behind
    rows = zip(
        [paragraph.text for paragraph in paragraphs],
        [paragraph.element for paragraph in paragraphs],
        [final == "good" for final in revised] + [False] * len(behind),
        reasons + ["behind the end of the page"] * len(behind),
        strict=True,
    )
    return tuple(map(Block._make, rows))


def _paragraphs(parsed: ParsedPage, first: int, last: int) -> list[_Paragraph]:
    """Steps 1 and 2: the paragraphs with text between two places of a tape."""
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
    """By how much a tag changes the depth of open elements."""
    return -1 if tag[0] == "/" else 0 if tag[-1] == "/" else 1


def _class_alone(paragraph: _Paragraph, stop_list: frozenset[str] | None) -> str:
    """Step 3. Without a stop list, as for Chinese, words do not count, only lengths."""
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
    """Steps 4 and 5."""
    classes = list(alone)
    before, before_near = (_nearest(alone, wanted) for wanted in (_DECIDED, _NEAR))
    backwards = alone[::-1]
    after, after_near = (_nearest(backwards, wanted)[::-1] for wanted in (_DECIDED, _NEAR))
    for place, own in enumerate(alone):
        if own == "short":
            sides = {before[place], after[place]}
            beside_near = (before[place] == "bad" and before_near[place] == "neargood") or (
                after[place] == "bad" and after_near[place] == "neargood"
            )
            good = sides == {"good"} or (len(sides) == 2 and beside_near)
            classes[place] = "good" if good else "bad"
    after = _nearest(classes[::-1], _DECIDED)[::-1]
    previous = "bad"
    for place, own in enumerate(classes):
        if own == "neargood":
            classes[place] = "bad" if previous == after[place] == "bad" else "good"
        previous = classes[place]
    to_good = _distances_to_good(paragraphs, classes)
    for place, paragraph in enumerate(paragraphs):
        lifted = paragraph.in_heading and classes[place] == "bad" and alone[place] != "bad"
        if lifted and to_good[place] <= MAX_HEADING_DISTANCE:
            classes[place] = "good"
    return classes


def _nearest(classes: Sequence[str], wanted: frozenset[str]) -> list[str]:
    """The last class before each paragraph that is among the wanted; ``bad`` if there is none."""
    nearest, last = [], "bad"
    for own in classes:
        nearest.append(last)
        if own in wanted:
            last = own
    return nearest


def _distances_to_good(paragraphs: Sequence[_Paragraph], classes: Sequence[str]) -> list[float]:
    """How many characters stand between each paragraph and the next good one, if there is one."""
    distances, distance = [], inf
    for paragraph, own in zip(reversed(paragraphs), reversed(classes), strict=True):
        distances.append(distance)
        distance = 0 if own == "good" else distance + len(paragraph.text)
    return distances[::-1]
