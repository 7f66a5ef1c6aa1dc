"""The tape: a page's markup as one flat list, which all extractors read.

A tape alternates texts (possibly empty) and tags. Tags are in lower case and without attributes:
``p`` opens an element, ``/p`` closes it and ``br/`` is an element without content. The compiled
core stores it compactly. Walking it needs no recursion, however deeply the page is nested.

The tags are the ones of the tree that libxml2 2.14 builds, by the rules below, because jusText is
defined on that tree. It is at most 2,048 elements deep. Pages that are deeper, very large, or
without text in the tree are split at their tags instead, and their end tags need not match.

By the standard, a comment or script that is never closed includes everything after it, and an
attribute extends to the next quote. This would lose the rest of the page, so we close them where
text seems to go on.

*Without a tree*: building the tree takes half of the time of a page. A tape can also be read from
the source directly. It has the same texts in the same order, and lacks only the tags that the tree
adds. Attributes are available then, so sections can be labelled by their names (`kind_of_section`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from understandability import _core
from understandability._core import Tape
from understandability._core.layout import Content, Role
from understandability.errors import PageError
from understandability.flags import FlagName
from understandability.text.cache import BoundedCache


def names(listed: str) -> frozenset[str]:
    """Split a list of names at white space.

    >>> sorted(names("p li"))
    ['li', 'p']
    """
    return frozenset(listed.split())


# Larger pages get no tree.
MAX_TREE_BYTES = 4_000_000
_MAX_TREE_TAGS = 400_000
# Pages with more tags are refused. A tape needs about 150 bytes per tag.
_MAX_TAGS = 1_000_000

# Elements whose content is text even where it looks like tags.
RAW = ("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp")

# Elements that hold the main part of a page, where there are any.
MAIN_PARTS = ("main", "article")

# Elements that extractors leave out. One that is never closed would hide the rest of the page.
HIDING = ("noscript", "template", "object")

# --- The tree as libxml2 2.14 builds it, which jusText and boilerpipe were measured on

# For each start tag, the open elements that it ends. We found them by parsing all pairs.
_CLOSED_BY = {
    new: tuple(old.split())
    for several, old in {
        "a": "a head",
        "table": "a h1 h2 h3 h4 h5 h6 head listing p pre",
        "fieldset": "a h1 h2 h3 h4 h5 h6 head legend listing p pre",
        "td th": "a b font i p span td th u",
        "dd": "address dir dt head listing menu p pre",
        "dl": "address dir dt head listing menu p pre",
        "dt": "address dd dir head listing menu p pre",
        "form": "address dir dl form h1 h2 h3 h4 h5 h6 head listing menu ol p pre ul",
        "li": "address dl h1 h2 h3 h4 h5 h6 head li listing p pre",
        "ul": "address dir head listing menu p pre",
        "center": "b font head i p",
        "p": "b big h1 h2 h3 h4 h5 h6 head i p s small strike tt u",
        "caption col head title": "p",
        "colgroup": "caption colgroup p",
        "tbody": "caption colgroup p tbody td tfoot th thead tr",
        "tfoot": "caption colgroup p tbody td th thead tr",
        "thead": "caption colgroup",
        "tr": "caption colgroup p td th tr",
        "address menu pre": "head p ul",
        """blockquote body dir div frameset h1 h2 h3 h4 h5 h6 hr listing ol xmp""": "head p",
        """abbr acronym b bdo big br cite code dfn em font i iframe img kbd map q s samp small span
        strike strong sub sup tt u var""": "head",
        "optgroup option": "option",
    }.items()
    for new in several.split()
}
_CLOSABLE = sorted(set(chain.from_iterable(_CLOSED_BY.values())))
# An end tag ends no element of a higher level than its own; others are of level 0.
_LEVELS = {
    **{"div": 1, "td": 2, "th": 2, "tr": 3, "table": 5, "head": 6, "body": 6, "html": 7},
    **dict.fromkeys(("thead", "tbody", "tfoot"), 4),
}
_CONTENTS = {
    **dict.fromkeys(
        names("area base basefont br col frame hr img input isindex link meta param"),
        Content.NOTHING,
    ),
    **dict.fromkeys(("iframe", "noembed", "noframes", "style", "xmp"), Content.RAW),
    **dict.fromkeys(("textarea", "title"), Content.RAW_WITH_REFERENCES),
    **{"script": Content.SCRIPT, "plaintext": Content.PLAIN_TEXT},
}
_ROLES = {
    **{"html": Role.HTML, "head": Role.HEAD, "body": Role.BODY},
    **dict.fromkeys(("script", "style", "meta", "link", "title", "base"), Role.IN_HEAD),
    **dict.fromkeys(("noframes", "frame", "frameset"), Role.WITHOUT_BODY),
}
_CODE = frozenset({"script", "style"})
_LANGUAGES = re.compile(rb"""(?<!\S)(lang|xml:lang)\s*=\s*["']?([^\s"']+)""", re.IGNORECASE)
_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{0,31};?)")

VOID = names(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source
    track wbr"""
)

_ENDLESS_NUMBER = re.compile(r"&#\d{4000,};?")  # Python refuses to read it
_MARK = "\1"  # occurs in no text, because control characters are replaced

_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)|<[!?/](?![a-zA-Z])[^<>]*>|<![^<>]*>", re.DOTALL)
_RAW_ELEMENT = re.compile(
    rf"(<({'|'.join(RAW)})\b[^<>]*>)(.*?)(?=</\2\b|\Z)", re.DOTALL | re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]*>")
_SOURCE_TAG = re.compile(r"<(/?[a-zA-Z][^\s<>/]*+)[^<>]*+>")
# Where text goes on after a script or style that is not closed.
_TEXT_STARTS = rb"<(?:p|div|h[1-6]|table|ul|ol|dl|body|/head|article|section|main)\b"

# An attribute has lost its closing quote if its value contains the end of a tag before any other
# tag, and includes the rest of the page, or a block-level tag and more characters than this. (Other
# values are read as browsers read them, and so is JSON.)
_MAX_ATTRIBUTE = 1000
_UNCLOSED = re.compile(rb"(?![{\[])[^<>]{0,300}+(?=>)")
_BLOCK_TAG = re.compile(
    rb"</?(?:p|div|h[1-6]|table|tr|td|ul|ol|li|dl|dd|br|section)\b", re.IGNORECASE
)
_UP_TO_ATTRIBUTE = re.compile(rb"""<[a-zA-Z][^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+(?<==)""")


class Markup(NamedTuple):
    """The markup of a page that was read from its source: the tape, and what was read with it."""

    tape: Tape
    language: str = ""  # as the root element claims
    flags: tuple[FlagName, ...] = ()
    hints: Mapping[int, str] = MappingProxyType({})  # see `read_source`
    # The tag and attributes of each root and main part; None if they were not read.
    claims: Sequence[tuple[str, bytes]] | None = None


def read_markup(source: bytes) -> Markup:
    """Parse a page in UTF-8, and return the tape of its tree.

    Raises `PageError` if the page has more tags than fit into memory.

    >>> read_markup(b"<p class=x>3 &lt; 4<br>&amp;").tape.pieces()
    ['', 'html', '', 'body', '', 'p', '3 < 4', 'br/', '&', '/p', '', '/body', '', '/html', '']
    """
    return _repaired(source)[1]


def _repaired(source: bytes) -> tuple[bytes, Markup]:
    """Close everything that is never closed in the source; return the source and its tape."""
    closed = with_comments_closed(source)
    if len(closed) <= MAX_TREE_BYTES:  # else attributes are not read
        closed = with_quote_closed(with_quote_closed(closed, b'"'), b"'")
    markup = _read(closed)
    for repair in (_with_last_raw_element_closed, _without_unclosed_hiding):
        repaired = repair(closed, markup.tape)
        if repaired is not closed:
            closed, markup = repaired, _read(repaired)
    if closed is not source:
        markup = markup._replace(flags=(*markup.flags, "unclosed_element"))
    return closed, markup


def _with_last_raw_element_closed(source: bytes, tape: Tape) -> bytes:
    """Close raw elements such as scripts, if the last one on the tape is never closed."""
    last = _raw_at_end(tape)
    is_unclosed = last and opens_after_last_end(source.lower(), last.encode()) >= 0
    return _with_raw_elements_closed(source) if is_unclosed else source


def _without_unclosed_hiding(source: bytes, tape: Tape) -> bytes:
    """Remove start tags of `HIDING` elements that are never closed, which would hide the rest."""
    for name in HIDING:
        if tape.place_of(name) < 0:
            continue
        if (start := opens_after_last_end(source.lower(), name.encode())) >= 0:
            tags = re.compile(rb"<%b\b[^<>]*>" % name.encode(), re.IGNORECASE)
            source = source[:start] + tags.sub(b"", source[start:])
    return source


def text_of_unparsed(content: str) -> str:
    """Return the text of the content of an iframe, noembed or noframes, which parsers do not parse.

    >>> text_of_unparsed("<p>No frames&hellip;")
    ' No frames…'
    """
    return without_references(_ANY_TAG.sub(" ", content)).replace("\n", " ")


def number_of_tags(source: bytes) -> int:
    """Return an upper bound of the number of tags; raise `PageError` if they do not fit into
    memory.
    """
    number = source.count(b"<") if len(source) > _MAX_TREE_TAGS else 0
    if number > _MAX_TAGS:
        raise PageError("decode", f"the page has {number:,} tags; at most {_MAX_TAGS:,} are read")
    return number


def _read(source: bytes) -> Markup:
    number = number_of_tags(source)
    if not source or source.isspace():
        return Markup(Tape())
    if number <= _MAX_TREE_TAGS and len(source) <= MAX_TREE_BYTES:
        tree = _core.read_tree(source, _rule, _resolved)
        # The first thousand characters nearly always show that it has text.
        if tree and any(tree[0].long_texts(1, n, _CODE).strip() for n in (1000, MAX_TREE_BYTES)):
            tape, attributes = tree
            claims = sorted(_LANGUAGES.findall(attributes))  # "lang" before "xml:lang"
            language = claims[0][1].decode() if claims else ""
            return Markup(tape, language)
    return Markup(Tape(_tape_of_source(source.decode())), flags=("no_tree",))


@lru_cache(maxsize=10_000)
def _rule(name: str) -> tuple[int, int, int, int, int]:
    """Return the `layout.ELEMENT_RULE` of an element, which `_core.read_tree` needs."""
    closed = _CLOSED_BY.get(name, ())
    return (
        1 << _CLOSABLE.index(name) if name in _CLOSABLE else 0,
        sum(1 << _CLOSABLE.index(other) for other in closed),
        _LEVELS.get(name, 0),
        _CONTENTS.get(name, Content.MARKUP),
        _ROLES.get(name, Role.NONE),
    )


def _resolved(text: str) -> str:
    """Resolve character references as libxml2 does, and drop invalid characters.

    >>> _resolved("&lt;&eacute;&#8211;&#150;&#1;&nosuch;")
    '<é––�&nosuch;'
    """
    return _REFERENCE.sub(_meaning, text)


def _meaning(reference: re.Match[str]) -> str:
    name = reference[1].rstrip(";")
    if name[0] != "#":
        return html.unescape(reference[0])
    digits, base = (name[2:], 16) if name[1] in "xX" else (name[1:], 10)
    code = int(digits.lstrip("0")[:9] or "0", base)
    if 0x80 <= code < 0xA0:
        return html.unescape(f"&#{code};") or chr(code)
    is_allowed = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000
    return chr(code) if is_allowed else "\ufffd"


def _tape_of_source(source: str) -> list[str]:
    """Return the tape of a source that is split at its tags, without a tree.

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
    """Close unclosed comments at their start, so that their content becomes text."""
    end = source.rfind(b"-->") + 1
    if source.find(b"<!--", end) < 0:
        return source
    end = max(end, source.rfind(b"--!>") + 1)
    if source.find(b"<!--", end) < 0:
        return source
    return source[:end] + source[end:].replace(b"<!--", b"<!-->")


def with_quote_closed(source: bytes, quote: bytes) -> bytes:
    """Close attribute values that include text at the end of their tag, and return the source.

    >>> source = b"<p title='a>" + b"<p>text" * 200 + b"<p title='b'>"
    >>> with_quote_closed(source, b"'")[:21]
    b"<p title='a'><p>text<"
    """
    parts: list[bytes] = []
    done = 0
    for start, end in _core.values(source, quote, _MAX_ATTRIBUTE):
        value = _UNCLOSED.match(source, start, end)
        swallows = end == len(source) or (value and _BLOCK_TAG.search(source, value.end(), end))
        if value and swallows and _opens(source, start - 1):
            parts += source[done : value.end()], quote
            done = value.end()
    return b"".join((*parts, source[done:])) if parts else source


def _opens(source: bytes, offset: int) -> bool:
    """Return True if the quote at an offset opens the value of an attribute."""
    tag = source.rfind(b"<", max(0, offset - 2 * _MAX_ATTRIBUTE), offset)
    return tag >= 0 and _UP_TO_ATTRIBUTE.fullmatch(source, tag, offset) is not None


def _raw_at_end(tape: Tape) -> str:
    """Return the name of the last element on the tape if it is in `RAW` and not closed; otherwise
    ''.
    """
    for index in range(len(tape) - 1, -1, -1):
        tag, text = tape.tag(index), tape.text_behind(index)
        has_text = text and not text.isspace()
        if tag[0] != "/":
            return tag if tag in RAW and (has_text or index == len(tape) - 1) else ""
        if has_text:
            return ""
    return ""


def opens_after_last_end(lowered: bytes, name: bytes) -> int:
    """Return the offset of an element that is never closed; -1 without one.

    The source must be in lower case.
    """
    end = max(0, lowered.rfind(b"</" + name))
    if lowered.find(b"<" + name, end) < 0:  # faster than the pattern
        return -1
    opening = re.compile(rb"<%b\b" % name).search(lowered, end)
    return opening.start() if opening else -1


def _with_raw_elements_closed(source: bytes) -> bytes:
    """Add missing end tags of scripts and the like, where the text of the page seems to go on."""
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
    return element[0] + end  # a template of `sub` would take five times as long


# Elements with a class and id that are read. (The names of articles describe subjects: "tag-diet".)
SECTIONS = ("body", "section", "header", "div", "form", "p", "ul", "ol", "table", "td")

THREAD = "thread"  # posts that answer each other: the text itself
COMMENTS = "comments"
SIDEBAR = "sidebar"
CONSENT = "cookies"

# The label of a section by the words in its class and id: the first match counts. Names are
# separated by ";".
_WORDS = {
    SIDEBAR: r"(?<=;)(?:side | sidebars? | widget\ area)(?=;)",
    CONSENT: r"""onetrust \w* | cookie\ (?: consent | banner | notice | law | popup ) \w*
        | cookiebot \w*""",
    THREAD: r"""comments\ page | commentarea | threads? | forum \w* | topic | questions? | answers?
        | replies | discussion | viewtopic | viewthread""",
    "hidden": r"""sr\ only | screen\ reader\ \w+ | visually\ hidden | display\ none | modal | popup
        | off\ ?canvas | print\ only | no\ ?print""",
    COMMENTS: r"comments? | commentlist | respond | disqus \w* | nocomments | reply\ title",
    "references": r"reflist | references | footnotes? | bibliography | citations?",
    "menu": r"""nav | navi | navbar | navbox \w* | navigation | menu | submenu | mainmenu | pager
        | bread\ ?crumbs? | pagination | toc | table\ of\ contents | skip\ link | toolbar
        | nav\ ?links | catlinks | editsection | jump\ link | prev\ next""",
    "footer": r"""footer | foot | colophon | contentinfo | copyright | legal | disclaimer
        | printfooter | post\ ?footer | page\ ?footer""",
    "sharing or advertising": r"""share | sharing | sharedaddy | social | follow | likes? | a2a
        | addthis \w* | addtoany | newsletter | subscribe | subscription | sign\ ?up | mailing
        | donate | donation | cta | promo \w* | banner | cookies? | consent | gdpr | advert \w*
        | ads? | sponsor \w* | adsbygoogle | dfp | outbrain | taboola | paywall | login
        | buy\ box | mc\ embed""",
    "beside the text": r"""sidebar \w* | \w+ sidebar | side | side\ ?panel | sidebars | aside
        | complementary | widget\ area | rail | right\ ?col | related \w* | \w* relatedposts
        | recommend \w* | recirc \w* | more\ stories | read\ (?: more|next ) | also | trending
        | popular | latest | teasers? | infobox | portlet | see\ also | archives?
        | relacionad[ao]s""",
    "about the text": r"""byline \w* | author \w* | meta | metadata | tags? | tag\ list | tagline
        | timestamp | date | published | entry\ footer | post\ info | credits? | hatnote
        | sitesub | caption | flat\ list | buttons? | thumbcaption | thumb""",
}
_HINT = re.compile(
    "|".join(
        rf"(?P<k{index}>(?<!\w)(?:{words})(?!\w))" for index, words in enumerate(_WORDS.values())
    ),
    re.VERBOSE,
)
_LABELS = tuple(_WORDS)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MARKS = str.maketrans("-_:/. \n\t\r", "     ;;;;")


def kind_of_section(names: str) -> str:
    """Return the label of a section, such as ``footer``, given its class and id; ``''`` if unknown.

    >>> kind_of_section("col-4 siteFooter"), kind_of_section("comments"), kind_of_section("main")
    ('footer', 'comments', '')
    """
    match = _HINT.search(_CAPITAL.sub(" ", f";{names.translate(_MARKS)};").lower())
    return _LABELS[int(str(match.lastgroup)[1:])] if match else ""


NOT_SHOWN = "not shown"
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_DECLARATION = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([a-z-]+)")


# Names of elements that are hidden only until a reader opens them, or until React shows them.
_OPENED = re.compile(
    r"""(?<![a-z])(?: tabs? | tab[-_]?(?:pane|panel|content)s? | accordions? | collaps\w* | faqs?
        | answers? | disclosures? | expand\w* | expander | spoilers? | (?:read|show)[-_]?more
        )(?![a-z])
    | role\s*=\s*["']?(?:tabpanel|region)\b | \bid\s*=\s*["']?s:""",
    re.VERBOSE,
)


def is_hidden(attributes: str) -> bool:
    """Return True if the attributes of an element hide it.

    Tabs, accordions and the like do not count as hidden, because readers open them.

    >>> is_hidden(' hidden'), is_hidden(' style="display: none"'), is_hidden(' aria-hidden=true')
    (True, True, False)
    >>> is_hidden(' class="faq-answer" style="display:none"')
    False
    """
    is_shown, others = True, ""
    for name, value in _ATTRIBUTE.findall(attributes):
        match name.lower():
            case "hidden":
                is_shown = False
            case "style":  # may be "visibility: collapse"
                style = without_references(value.strip("\"'")).lower()
                last = dict(_DECLARATION.findall(style))  # a later declaration replaces an earlier
                if last.get("display") == "none" or last.get("visibility") in _INVISIBLE:
                    is_shown = False
            case _:
                others += f" {name}={value}"
    return not is_shown and _OPENED.search(others.lower()) is None


_INVISIBLE = ("hidden", "collapse")
_LANGUAGE = re.compile(rb"""(?<!\S)(?:xml:)?lang\s*=\s*["']?([^\s"']+)""", re.IGNORECASE)
_SECTIONS = frozenset(SECTIONS)
_CLAIMING = frozenset({"html", *MAIN_PARTS})
_HINTS = BoundedCache(kind_of_section, limit=20_000, longest=300)
_HIDDEN = BoundedCache(is_hidden, limit=20_000, longest=300)
_MENDED = tuple(name.encode() for name in (*RAW, *HIDING))  # where they are not closed


def read_source(source: bytes) -> Markup:
    """Read the tape of a page in UTF-8 from its source, without building a tree.

    `hints` of the result maps the index of a tag to the label of the section. Comments, scripts and
    styles are tags without a name. If the source cannot be repaired, the result is that of
    `read_markup`, without hints.

    >>> markup = read_source(b"<DIV class=sidebar>3 &lt; 4<br>a<!-- b -->")
    >>> markup.tape.pieces(), markup.hints
    (['', 'div', '3 < 4', 'br/', 'a', '', ''], {0: 'sidebar'})
    """
    number_of_tags(source)
    cut = (
        _cut(source)
        if len(source) <= MAX_TREE_BYTES
        and all(with_quote_closed(source, quote) is source for quote in (b'"', b"'"))
        else None
    )
    flags: tuple[FlagName, ...] = ()
    if cut is None:  # something is never closed
        repaired, markup = _repaired(source)
        cut = _cut(repaired) if len(source) <= MAX_TREE_BYTES else None
        if cut is None or not cut[0].long_texts(1, MAX_TREE_BYTES, _CODE).strip():
            return markup
        flags = markup.flags
    tape, hints, claims = cut
    of_roots = (_LANGUAGE.search(attributes) for tag, attributes in claims if tag == "html")
    language = next((claim[1].decode() for claim in of_roots if claim), "")
    return Markup(tape, language, flags, hints, claims)


def _cut(source: bytes) -> tuple[Tape, dict[int, str], list[tuple[str, bytes]]] | None:
    return _core.cut(
        source, _normal, without_references, _SECTIONS, _HINTS, _CLAIMING, _MENDED, _HIDDEN,
        NOT_SHOWN,
    )  # fmt: skip


@lru_cache(maxsize=20_000)
def _normal(tag: bytes) -> str:
    name = tag.decode().lower()
    return name.strip("/") + "/" if name.strip("/") in VOID else name
