"""A page's markup as one flat list, the form in which all extractors read it.

A tape alternates text and tags: ``tape[0::2]`` are the texts (possibly empty), ``tape[1::2]``
the tags between them, in lower case and without attributes: ``p`` opens, ``/p`` closes and
``br/`` is an element without content. It is made in C, from the tree of one lxml parse; walking
it needs no recursion, however deep the page nests.

libxml2 drops what is nested deeper than 2,048 elements, and a tree takes some 500 bytes a tag.
Pages that are too deep or too large for a tree, or of which no text is left in it, are cut at
their tags instead, into a tape of the same form, whose end tags need not match.

What follows a comment, script or the like that is never closed belongs to it, by the standard,
and an attribute goes on to the next quote, wherever that is. That would lose the rest of the
page, or much of it, so they are closed where text seems to go on.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from understandability import _core
from understandability._core import Tape
from understandability.errors import PageError


def names(listed: str) -> frozenset[str]:
    """The names of elements that a text lists.

    >>> sorted(names("p li"))
    ['li', 'p']
    """
    return frozenset(listed.split())


# Larger pages get no tree.
MAX_TREE_BYTES = 4_000_000
_MAX_TREE_TAGS = 400_000
# Nor do pages with a tag of more attributes, for which libxml2 takes the square of their number.
_MAX_ATTRIBUTES = 150
_LONG_TAG = 500  # bytes, which is more than most tags have
_MANY_VALUES = 12_000  # equals signs of a page, which is more than most pages have
# An attribute as the standard has it: "<" may be in it, and ">" in quotes.
_ATTRIBUTE = rb"""
    [\s/]*+ [^\s/>] [^\s/>=]*+ (?: \s*+ = \s*+ (?: "[^"]*+"?+ | '[^']*+'?+ | [^\s>]*+ ) )?+
"""
_TAG_START = re.compile(rb"<[a-zA-Z]")
# The first group is there in a full tag.
_START_TAG = re.compile(
    rb"<[a-zA-Z][^\s/>]*+ (?:%b){0,%d}+ (%b)?+" % (_ATTRIBUTE, _MAX_ATTRIBUTES, _ATTRIBUTE),
    re.VERBOSE,
)
# Pages with more tags are refused; a tape takes some 150 bytes a tag.
_MAX_TAGS = 1_000_000

# Elements whose content is text even where it looks like tags.
RAW = ("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp")

# Elements that extractors leave out, so that all is lost behind one that is never closed.
HIDING = ("noscript", "template", "object")

VOID = names(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source
    track wbr"""
)

_TAG = re.compile(r"<([^>]+)>")
# What is written with a reference in the serialised tree; the ampersand comes last.
_REFERENCES = (
    ("&#13;", " "),
    ("&#xFFFD;", "\ufffd"),
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&amp;", "&"),
)
_IN_TEXT = re.compile("[<>&]")
_ENDLESS_NUMBER = re.compile(r"&#\d{4000,};?")  # Python refuses to read it
_MARK = "\1"  # stands in no text: of control characters, only white space is read

_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)|<[!?/](?![a-zA-Z])[^<>]*>|<![^<>]*>", re.DOTALL)
_RAW_ELEMENT = re.compile(
    rf"(<({'|'.join(RAW)})\b[^<>]*>)(.*?)(?=</\2\b|\Z)", re.DOTALL | re.IGNORECASE
)
_LINE_BREAK = re.compile(rb"<br ?(/?)>")
_ANY_TAG = re.compile(r"<[^<>]*>")
_SOURCE_TAG = re.compile(r"<(/?[a-zA-Z][^\s<>/]*+)[^<>]*+>")
# Where text goes on after a script or style that is not closed.
_TEXT_STARTS = rb"<(?:p|div|h[1-6]|table|ul|ol|dl|body|/head|article|section|main)\b"

# An attribute has lost its closing quote if a tag's end comes before any other tag in it, and it
# takes in the rest of the page, or more than this with a block-level tag. (Others are left as
# browsers have them, and so is JSON.)
_MAX_ATTRIBUTE = 1000
_UNCLOSED = re.compile(rb"(?![{\[])[^<>]{0,300}+(?=>)")
_BLOCK_TAG = re.compile(
    rb"</?(?:p|div|h[1-6]|table|tr|td|ul|ol|li|dl|dd|br|section)\b", re.IGNORECASE
)
_UP_TO_ATTRIBUTE = re.compile(rb"""<[a-zA-Z][^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+(?<==)""")


class Markup(NamedTuple):
    """What is read from the source of a page."""

    tape: Tape
    tags: Counter[str]  # how often each tag is on the tape
    language: str = ""  # as the root element claims
    closes_void_elements: bool = False  # the page writes <br/>, not <br>
    flags: tuple[str, ...] = ()
    hints: Mapping[int, str] = MappingProxyType({})  # see `read_source`


def read_markup(source: bytes) -> Markup:
    """The tape of a page's source, which is UTF-8.

    Raises `PageError` for more tags than fit into memory.

    >>> read_markup(b"<p class=x>3 &lt; 4<br>&amp;").tape.pieces()
    ['', 'html', '', 'body', '', 'p', '3 < 4', 'br/', '&', '/p', '', '/body', '', '/html', '']
    """
    closed = with_comments_closed(source)
    if len(closed) <= MAX_TREE_BYTES:  # else attributes are not read
        closed = with_quote_closed(with_quote_closed(closed, b'"'), b"'")
    markup = _read(closed)
    last = _raw_at_end(markup.tape.pieces())
    if last and opens_after_last_end(closed.lower(), last.encode()) >= 0:
        closed = _with_raw_elements_closed(closed)
        markup = _read(closed)
    shown = closed
    lowered = shown.lower()
    for name in HIDING:
        if name in markup.tags and (start := opens_after_last_end(lowered, name.encode())) >= 0:
            tags = re.compile(rb"<%b\b[^<>]*>" % name.encode(), re.IGNORECASE)
            shown = shown[:start] + tags.sub(b"", shown[start:])
            lowered = shown.lower()
    if shown is not closed:
        closed = shown
        markup = _read(closed)
    if closed is not source:
        markup = markup._replace(flags=(*markup.flags, "unclosed_element"))
    return markup


def text_of_unparsed(content: str) -> str:
    """The text of what stands in an iframe, noembed or noframes, which parsers leave as it is.

    >>> text_of_unparsed("<p>No frames&hellip;")
    ' No frames…'
    """
    return without_references(_ANY_TAG.sub(" ", content)).replace("\n", " ")


def count_tags(source: bytes) -> int:
    """How many tags a source may have; raises `PageError` for more than fit into memory."""
    number = source.count(b"<") if len(source) > _MAX_TREE_TAGS else 0
    if number > _MAX_TAGS:
        raise PageError("decode", f"the page has {number:,} tags; at most {_MAX_TAGS:,} are read")
    return number


def _read(source: bytes) -> Markup:
    number = count_tags(source)
    if not source or source.isspace():
        return Markup(Tape(), Counter())
    slashes = _LINE_BREAK.findall(source)
    closes_void_elements = 2 * slashes.count(b"/") > len(slashes)
    if number <= _MAX_TREE_TAGS and len(source) <= MAX_TREE_BYTES and not _has_full_tag(source):
        parser = etree.HTMLParser(
            encoding="utf-8",
            remove_comments=True,
            remove_pis=True,
            huge_tree=True,
            collect_ids=False,
        )
        root = etree.fromstring(source, parser)
        error = parser.error_log.last_error
        if root is not None and (error is None or error.level < etree.ErrorLevels.FATAL):
            language = root.get("lang") or root.get("xml:lang") or ""
            tape, tags = _tape_of(root)
            if _has_text(tape):
                return Markup(Tape(tape), tags, language, closes_void_elements)
    tape = _tape_of_source(source.decode())
    return Markup(Tape(tape), Counter(tape[1::2]), "", closes_void_elements, flags=("no_tree",))


def _has_full_tag(source: bytes) -> bool:
    """Whether a tag has more attributes than a parser is given.

    Looked at are tags that are long without a "<" or a ">" in them, or all where a page has very
    many attributes with values. (Passed over are those with both, in quotes, all along.)
    """
    if source.count(b"=") > _MANY_VALUES:
        return _is_any_full(source, (tag.start() for tag in _TAG_START.finditer(source)))
    return any(_is_any_full(source, _long_tags(source, bracket)) for bracket in (b"<", b">"))


def _long_tags(source: bytes, bracket: bytes) -> Iterator[int]:
    """Where tags start with a long stretch behind them that holds no such bracket."""
    for start, end in _core.gaps(source, bracket, 1, _LONG_TAG - 1):
        if start + _LONG_TAG <= len(source) and (tag := _TAG_START.search(source, start - 1, end)):
            yield tag.start()


def _is_any_full(source: bytes, starts: Iterable[int]) -> bool:
    """Whether a tag that starts there is full; one within another is part of that."""
    in_script, known, done = False, 0, 0
    for start in starts:
        tag = _START_TAG.match(source, start) if start >= done else None
        if tag is None:
            continue
        done = tag.end()
        if tag[1] is None:
            continue
        begins, ends = (
            max(source.rfind(name, known, start), source.rfind(name.upper(), known, start))
            for name in (b"<script", b"</script")
        )
        if begins != ends:
            in_script = begins > ends
        if not in_script:  # where nothing is a tag
            return True
        known = start
    return False


def _tape_of(root: etree._Element) -> tuple[list[str], Counter[str]]:
    """The tape of an lxml tree, whose attributes are lost on the way, and its tags."""
    root.getroottree().docinfo.clear()  # a doctype of XHTML would change the serialisation
    parts = []
    for element in (root, *root.itersiblings(etree.Element)):  # what stands after </html>
        etree.strip_attributes(element, "{}*")
        parts.append(etree.tostring(element, encoding="unicode", with_tail=False))
    markup = parts[0] if len(parts) == 1 else "".join(parts)
    tape = _unescaped(markup.replace("<", _MARK).replace(">", _MARK)).split(_MARK)
    tags = Counter(tape[1::2])
    if len(tape) != 2 * markup.count(">") + 1 or _IN_TEXT.search("".join(tags)):
        tape = _TAG.split(markup)  # what looks like markup is in the name of a tag
        tape[0::2] = map(_unescaped, tape[0::2])
        tags = Counter(tape[1::2])
    return tape, tags


def _unescaped(text: str) -> str:
    for space in "\n\t\r\xa0":
        text = text.replace(space, " ")
    if "&" in text:
        for reference, character in _REFERENCES:
            text = text.replace(reference, character)
    return text


def _tape_of_source(source: str) -> list[str]:
    """The tape of a source that is cut at its tags.

    >>> _tape_of_source("<P>3 &lt; 4<BR><!-- <p> --><script>'<p>'</script>")
    ['', 'p', '3 < 4', 'br/', '', 'script', '', '/script', '']
    """
    source = _RAW_ELEMENT.sub(_without_tags, _COMMENT.sub("", source))
    pieces = _SOURCE_TAG.split(source.replace("\n", " ").replace("\xa0", " "))
    tags = [tag.lower() for tag in pieces[1::2]]
    pieces[1::2] = [tag + "/" if tag in VOID else tag for tag in tags]
    pieces[0::2] = [
        without_references(text).replace("\n", " ").replace("\xa0", " ") if "&" in text else text
        for text in pieces[0::2]
    ]
    if _MARK in source:
        pieces[0::2] = [text.replace(_MARK, "<") for text in pieces[0::2]]
    return pieces


def without_references(text: str) -> str:
    return html.unescape(_ENDLESS_NUMBER.sub("\ufffd", text))


def _without_tags(element: re.Match[str]) -> str:
    start, name, content = element.groups()
    if name.lower() in ("script", "style"):
        return start
    return start + content.replace("<", _MARK)


def with_comments_closed(source: bytes) -> bytes:
    """The source with comments that are never closed made empty: what they held is text."""
    end = source.rfind(b"-->") + 1
    if source.find(b"<!--", end) < 0:
        return source
    end = max(end, source.rfind(b"--!>") + 1)
    if source.find(b"<!--", end) < 0:
        return source
    return source[:end] + source[end:].replace(b"<!--", b"<!-->")


def with_quote_closed(source: bytes, quote: bytes) -> bytes:
    """The source with attributes that swallow text closed before the end of their tag.

    >>> source = b"<p title='a>" + b"<p>text" * 200 + b"<p title='b'>"
    >>> with_quote_closed(source, b"'")[:21]
    b"<p title='a'><p>text<"
    """
    parts: list[bytes] = []
    done = 0
    for start, end in _core.gaps(source, quote, 0, _MAX_ATTRIBUTE):
        value = _UNCLOSED.match(source, start, end)
        swallows = end == len(source) or (value and _BLOCK_TAG.search(source, value.end(), end))
        if value and swallows and _opens(source, start - 1):
            parts += source[done : value.end()], quote
            done = value.end()
    return b"".join((*parts, source[done:])) if parts else source


def _opens(source: bytes, place: int) -> bool:
    """Whether the quote at a place opens an attribute of a tag."""
    tag = source.rfind(b"<", max(0, place - 2 * _MAX_ATTRIBUTE), place)
    return tag >= 0 and _UP_TO_ATTRIBUTE.fullmatch(source, tag, place) is not None


def _has_text(tape: list[str]) -> bool:
    """Whether there is text on a tape, apart from code."""
    return any(
        text and not text.isspace() and tag not in ("script", "style")
        for tag, text in zip(tape[1::2], tape[2::2], strict=True)
    )


def _raw_at_end(tape: list[str]) -> str:
    """The name of the last element that holds text or is not closed, if it is one of `RAW`."""
    for place in range(len(tape) - 2, 0, -2):
        tag, text = tape[place], tape[place + 1]
        if tag[0] != "/":
            holds = place == len(tape) - 2 or (text and not text.isspace())
            return tag if tag in RAW and holds else ""
        if text and not text.isspace():
            return ""
    return ""


def opens_after_last_end(lowered: bytes, name: bytes) -> int:
    """Where an element opens that is never closed, in a source in small letters; -1 if none is."""
    end = max(0, lowered.rfind(b"</" + name))
    if lowered.find(b"<" + name, end) < 0:  # seen faster than by the pattern
        return -1
    opening = re.compile(rb"<%b\b" % name).search(lowered, end)
    return opening.start() if opening else -1


def _with_raw_elements_closed(source: bytes) -> bytes:
    """The source with scripts and the like closed where text seems to go on."""
    for name in RAW:
        tag = name.encode()
        if (start := opens_after_last_end(source.lower(), tag)) >= 0:
            goes_on = _TEXT_STARTS if name in ("script", "style") else b"<"
            element = re.compile(
                rb"<%b\b[^<>]*>.*?(?=%b|\Z)" % (tag, goes_on), re.DOTALL | re.IGNORECASE
            )
            rest = element.sub(partial(_with_end, b"</%b>" % tag), source[start:])
            source = source[:start] + rest
    return source


def _with_end(end: bytes, element: re.Match[bytes]) -> bytes:
    return element[0] + end  # which a template of `sub` would take five times as long for
