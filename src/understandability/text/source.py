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

from understandability.compiled import compiled
from understandability.text.hints import SECTIONS, kind_of
from understandability.text.tape import (
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
# attribute's quotes anything may stand. Bytes are searched faster than text.
_TOKEN = re.compile(
    rb"""<(?: !--(?:-?>|.*?(?:--!?>|\Z))
          | (?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE]))\b [^<>]*+ > .*?
            (?:</(?:[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE])) [^<>]*+ > | \Z)
          | (/?[a-zA-Z][^\s<>/]*+)
            (?: > | ([^<>=]*+ (?: = \s*+ (?: "[^"]*+" | '[^']*+' )?+ [^<>=]*+ )*+) > )
          | [!?][^<>]*+ > )""",
    re.VERBOSE | re.DOTALL,
)
# What may be a quoted value with a tag in it, and how many of these times bytes may be searched:
# where it is not, the search for the end of a tag begins anew at each tag within.
_SWALLOWED = re.compile(rb"""=\s*+(?:"[^"<]*+<|'[^'<]*+<)""")
_MOST_SEARCHED = 500_000_000  # at most two seconds, and a hundred times what real pages have
_NAMES = re.compile(
    rb"""(?<!\S)(?:class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE
)
_LANGUAGE = re.compile(rb"""(?<!\S)(?:xml:)?lang\s*=\s*["']?([^\s"']+)""", re.IGNORECASE)
_SECTIONS = frozenset(SECTIONS)
_SPACES = bytes.maketrans(b"\n\t\r", b"   ")
_MENDED = tuple(name.encode() for name in (*RAW, *HIDING))  # where they are not closed
_MARK = "\1"  # stands in no text

_Cut = tuple[Tape, Counter[str], dict[int, bytes], list[bytes]]


def read_source(source: bytes) -> Markup:
    """The tape of a page's source, which is UTF-8, with what the names of its sections tell.

    `hints` go by the place of a tag among the tags. Comments, scripts and styles are tags
    without a name. A source that has to be mended is read by `read_markup`, without hints.

    >>> markup = read_source(b"<DIV class=sidebar>3 &lt; 4<br>a<!-- b -->")
    >>> markup.tape, markup.hints
    (['', 'div', '3 < 4', 'br/', 'a', '', ''], {0: 'sidebar'})
    """
    count_tags(source)
    cut = None if _is_to_be_mended(source) else _cut(source)
    if cut is None:
        return read_markup(source)
    tape, tags, sections, roots = cut
    hints = {place: kind for place, written in sections.items() if (kind := _hint(written))}
    claims = filter(None, map(_LANGUAGE.search, roots))
    language = next((claim[1].decode() for claim in claims), "")
    return Markup(tape, tags, language, hints=hints)


def _normal(tag: bytes | None) -> str:
    name = (tag or b"").decode().lower()
    return name.strip("/") + "/" if name.strip("/") in VOID else name


@compiled(_normal, without_references, _SECTIONS, _MENDED)
def _cut(source: bytes) -> _Cut | None:
    """The tape of a source and how often each tag is on it; attributes of sections, of roots.

    None if one of the elements is never closed that are mended. The sections have the places of
    their tags among the tags.
    """
    lowered = source.lower()
    if _is_open(lowered, (b"script", b"style")):
        return None
    pieces = _TOKEN.split(source.translate(_SPACES))
    written, attributes = pieces[1::3], pieces[2::3]
    tags_of = {tag: _normal(tag) for tag in set(written)}
    known = set(tags_of.values())
    if _is_open(lowered, (name for name in _MENDED if name.decode() in known)):
        return None
    tags = list(map(tags_of.__getitem__, written))
    texts = _MARK.encode().join(pieces[0::3]).decode()
    if "&" in texts:
        texts = without_references(texts)
        for space in "\n\t\r":
            texts = texts.replace(space, " ")
    tape: Tape = [""] * (2 * len(tags) + 1)
    tape[0::2], tape[1::2] = texts.replace("\xa0", " ").split(_MARK), tags
    looked_at = _SECTIONS & known
    sections = {
        place: attributes[place]
        for place, tag in enumerate(tags)
        if tag in looked_at and attributes[place]
    }
    roots = [written or b"" for tag, written in zip(tags, attributes, strict=True) if tag == "html"]
    return tape, Counter(tags), sections, roots


def _is_to_be_mended(source: bytes) -> bool:
    """Whether something in the source is never closed, or its quotes are a tangle."""
    size = len(source)
    if (
        source.count(b"<") * size > _MOST_SEARCHED  # else there cannot be as many values
        and _swallowing(source) * size > _MOST_SEARCHED
    ):
        return True
    if with_comments_closed(source) is not source or len(source) > MAX_TREE_BYTES:
        return True
    return any(with_quote_closed(source, quote) is not source for quote in (b'"', b"'"))


@compiled()
def _swallowing(source: bytes) -> int:
    return len(_SWALLOWED.findall(source))


def _is_open(lowered: bytes, names: Iterable[bytes]) -> bool:
    """Whether the last element of one of these names is never closed."""
    return any(opens_after_last_end(lowered, name) >= 0 for name in names)


@lru_cache(maxsize=20_000)
def _hint(attributes: bytes) -> str:
    """What the class and id among the attributes of a tag tell."""
    names = b" ".join(map(b"".join, _NAMES.findall(attributes))).decode()
    return kind_of(names) if names else ""
