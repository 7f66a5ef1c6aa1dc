"""A page's markup as its source has it, without a tree: for methods that need none.

Half of the time of a page goes into its tree. What stands in a source between its tags is the
same text, in the same order; missing are the tags that a tree adds. Attributes are still there,
so that the names of sections can be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from understandability.pages.hints import SECTIONS, kind_of
from understandability.pages.tape import (
    HIDING,
    MAX_TREE_BYTES,
    RAW,
    VOID,
    Markup,
    Tape,
    count_tags,
    opens_after_last_end,
    read_markup,
    with_comments_closed,
    with_quote_closed,
    without_references,
)

# A comment, a script or style with its content, or the name and attributes of a tag; in an
# attribute's quotes anything may stand.
_TOKEN = re.compile(
    r"""<(?: !--(?:-?>|.*?(?:--!?>|\Z))
          | (?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE]))\b [^<>]*+ > .*?
            (?:</(?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE])) [^<>]*+ > | \Z)
          | (/?[a-zA-Z][^\s<>/]*+)
            (?: > | ([^<>=]*+ (?: = \s*+ (?: "[^"]*+" | '[^']*+' )?+ [^<>=]*+ )*+) > )
          | [!?][^<>]*+ > )""",
    re.VERBOSE | re.DOTALL,
)
_NAMES = re.compile(
    r"""(?<!\S)(?:class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE
)
_LANGUAGE = re.compile(r"""(?<!\S)(?:xml:)?lang\s*=\s*["']?([^\s"']+)""", re.IGNORECASE)
_SECTIONS = frozenset(SECTIONS)
_MARK = "\1"  # stands in no text


def read_source(source: bytes) -> Markup:
    """The tape of a page's source, which is UTF-8, with what the names of its sections tell.

    `hints` go by the place of a tag among the tags. Comments, scripts and styles are tags
    without a name. A source that has to be mended is read by `read_markup`, without hints.

    >>> markup = read_source(b"<DIV class=sidebar>3 &lt; 4<br>a<!-- b -->")
    >>> markup.tape, markup.hints
    (['', 'div', '3 < 4', 'br/', 'a', '', ''], {0: 'sidebar'})
    """
    count_tags(source)
    if _is_to_be_mended(source):
        return read_markup(source)
    pieces = _TOKEN.split(source.decode())
    written = pieces[1::3]
    known = {tag: _normal(tag) for tag in set(written)}
    if _is_open(source, known.keys() & {*RAW, *HIDING}):
        return read_markup(source)
    tags = list(map(known.__getitem__, written))
    texts = _MARK.join(pieces[0::3])
    if "&" in texts:
        texts = without_references(texts)
    for space in "\n\t\r\xa0":
        texts = texts.replace(space, " ")
    tape: Tape = [""] * (2 * len(tags) + 1)
    tape[0::2], tape[1::2] = texts.split(_MARK), tags
    hints = {}
    language = ""
    for place, (tag, attributes) in enumerate(zip(tags, pieces[2::3], strict=True)):
        if attributes and tag in _SECTIONS:
            if kind := _hint(attributes):
                hints[place] = kind
        elif tag == "html" and not language:
            found = _LANGUAGE.search(attributes or "")
            language = found[1] if found else ""
    return Markup(tape, Counter(tags), language, hints=hints)


def _is_to_be_mended(source: bytes) -> bool:
    """Whether something in the source is never closed."""
    if with_comments_closed(source) is not source or len(source) > MAX_TREE_BYTES:
        return True
    if any(with_quote_closed(source, quote) is not source for quote in (b'"', b"'")):
        return True
    return _is_open(source, ("script", "style"))


def _is_open(source: bytes, names: Iterable[str]) -> bool:
    """Whether the last element of one of these names is never closed."""
    return any(opens_after_last_end(source, name.encode()) >= 0 for name in names)


@lru_cache(maxsize=20_000)
def _hint(attributes: str) -> str:
    """What the class and id among the attributes of a tag tell."""
    names = " ".join(map("".join, _NAMES.findall(attributes)))
    return kind_of(names) if names else ""


def _normal(tag: str | None) -> str:
    name = (tag or "").lower()
    return name.strip("/") + "/" if name.strip("/") in VOID else name
