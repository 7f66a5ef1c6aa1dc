"""A page's markup as its source has it, without a tree: for methods that need none.

Half of the time of a page goes into its tree. What stands in a source between its tags is the
same text, in the same order; missing are the tags that a tree adds. Attributes are still there,
so that the names of sections can be read.
"""

from __future__ import annotations

import re
from functools import lru_cache

from understandability import _core
from understandability.text.hints import SECTIONS, kind_of
from understandability.text.tape import (
    HIDING,
    MAX_TREE_BYTES,
    RAW,
    VOID,
    Markup,
    count_tags,
    read_markup,
    with_comments_closed,
    with_quote_closed,
    without_references,
)

# How many quoted values that may hold a tag, times bytes, may be searched: where a value is not
# one, the search for the end of a tag begins anew at each tag within.
_MOST_SEARCHED = 500_000_000  # at most two seconds, and a hundred times what real pages have
_NAMES = re.compile(
    rb"""(?<!\S)(?:class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE
)
_LANGUAGE = re.compile(rb"""(?<!\S)(?:xml:)?lang\s*=\s*["']?([^\s"']+)""", re.IGNORECASE)
_SECTIONS = frozenset(SECTIONS)
_MENDED = tuple(name.encode() for name in (*RAW, *HIDING))  # where they are not closed


def read_source(source: bytes) -> Markup:
    """The tape of a page's source, which is UTF-8, with what the names of its sections tell.

    `hints` go by the place of a tag among the tags. Comments, scripts and styles are tags
    without a name. A source that has to be mended is read by `read_markup`, without hints.

    >>> markup = read_source(b"<DIV class=sidebar>3 &lt; 4<br>a<!-- b -->")
    >>> markup.tape.pieces(), markup.hints
    (['', 'div', '3 < 4', 'br/', 'a', '', ''], {0: 'sidebar'})
    """
    count_tags(source)
    cut = (
        None
        if _is_to_be_mended(source)
        else _core.cut(source, _normal, without_references, _SECTIONS, _hint, _MENDED)
    )
    if cut is None:
        return read_markup(source)
    tape, hints, roots = cut
    claims = filter(None, map(_LANGUAGE.search, roots))
    language = next((claim[1].decode() for claim in claims), "")
    return Markup(tape, tape.counts(), language, hints=hints)


@lru_cache(maxsize=20_000)
def _normal(tag: bytes) -> str:
    name = tag.decode().lower()
    return name.strip("/") + "/" if name.strip("/") in VOID else name


def _is_to_be_mended(source: bytes) -> bool:
    """Whether something in the source is never closed, or its quotes are a tangle."""
    size = len(source)
    if (
        source.count(b"<") * size > _MOST_SEARCHED  # else there cannot be as many values
        and _core.swallowing(source) * size > _MOST_SEARCHED
    ):
        return True
    if with_comments_closed(source) is not source or len(source) > MAX_TREE_BYTES:
        return True
    return any(with_quote_closed(source, quote) is not source for quote in (b'"', b"'"))


@lru_cache(maxsize=20_000)
def _hint(attributes: bytes) -> str:
    """What the class and id among the attributes of a tag tell."""
    names = b" ".join(map(b"".join, _NAMES.findall(attributes))).decode()
    return kind_of(names) if names else ""
