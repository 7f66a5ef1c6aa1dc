"""Find the prose in Markdown, reStructuredText or HTML, with every character at its original
offset.

Everything else (code, front matter, URLs, directives, markup) is replaced by blanks. So whatever is
found in the prose can be shown in the source, by line and column.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from html import unescape

Lines = Callable[[Sequence[str]], Iterator[str]]
BLANK = "\0"
# Directives whose content is read as the text around them is.
_READ = frozenset(
    ("note", "warning", "tip", "important", "caution", "danger", "hint", "attention", "admonition",
     "seealso", "versionadded", "versionchanged", "deprecated", "rubric", "topic", "sidebar")
)  # fmt: skip
_FENCE = re.compile(
    r"(`{3,}|~{3,}|:{3,}(?=\{(?:toctree|code|math|image|include)))(?:\s*\{([\w-]+)\})?"
)
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")
# Lines of Markdown that are no text: definitions, fences of directives, targets, rules, imports.
_MARKDOWN_LINE = re.compile(
    r":{3,}|\[[^\]^][^\]]*\]:\s|\([\w-]+\)=\s*$|(?:=+|-{2,}|[*_]{3,})\s*$|:[\w-]+:(?:\s|$)"
    r"|(?:import|export)\s.*(?:from\s+['\"]|[={])|\+\+\+\s*$|%\s"
)
_RST_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w:-]+)::")
_RST_LINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$|\+[-=+]+\s*$|>>>|\.\.\s+_|(?:=+\s+)+=+\s*$")
_ADDRESS = r"(?:https?|ftp)://[^\s<>)\]]+"
_EMPHASIS = r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)"
# Patterns to blank, in order; a group ``text`` stays. Every repetition is bounded.
_MARKDOWN = tuple(
    re.compile(pattern, re.M | re.S)
    for pattern in (
        r"(?:\{[\w:+-]{1,40}\})?(?<!`)(`{1,3})(?!`)(?:(?!`|\n\n).){1,500}\1(?!`)(?P<text>)",
        r"\$\$[^$]{1,999}\$\$|\\\[.{1,999}?\\\]",
        r"\{%-?\s*(highlight|raw)\b[^%]{0,200}%\}(?:(?!\{%-?\s*end\1).){0,9999}"
        r"\{%-?\s*end\1\s*-?%\}(?P<text>)",
        r"!\[[^\[\]]{0,999}\](?:\([^()]{0,999}\)|\[[^\[\]]{0,200}\])",
        r"\[(?P<text>[^\[\]]{0,999})\](?:\([^()]{0,999}(?:\([^()]{0,200}\)[^()]{0,200})?\)"
        r"|\[[^\[\]]{0,200}\])",
        r"\[\^[^\[\]\s]{1,40}\]:?",
        r"</?[a-zA-Z][^<>]{0,999}>",
        _ADDRESS,
        r"\{\{[^{}]{0,999}\}\}|\{%[^{}]{0,999}%\}|\{[#.:][^{}\n]{0,200}\}",
        _EMPHASIS,
    )
)
# A tag that the text is about: "Use `<pre>` here."
_TAG_AS_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[ ]?</?[a-zA-Z][^`\n]{0,200}\1(?!`)")
# Elements whose content is no prose; the first two in any kind of source.
_NO_PROSE = (
    "script", "style", "pre", "code", "samp", "textarea", "svg", "math", "template", "noscript",
    "iframe", "object", "head",
)  # fmt: skip
_RST = tuple(
    re.compile(pattern, re.M | re.S)
    for pattern in (
        r"``(?:(?!``|\n\n).){1,500}``",
        r":(?:doc|ref|term|abbr|guilabel|any)?:?`(?P<text>[^`<>]{1,300}?)\s*(?:<[^`<>]{0,300}>)?`_{0,2}",
        r":[\w:+-]{1,40}:`[^`]{1,300}`",
        r"`(?P<text>[^`<>]{1,300}?)\s*(?:<[^`<>]{0,300}>)?`_{0,2}",
        r"\[[\w#*]{1,20}\]_|^[ \t]*:[^:\s][^:\n]{0,60}:(?=\s|$)",
        _ADDRESS,
        _EMPHASIS,
    )
)
_HTML = re.compile(
    r"(?P<none>\0[\0\n]*"
    r"|</?(?:a|abbr|b|cite|code|em|font|i|mark|q|small|span|strong|sub|sup|u)\b[^<>]{0,9999}>)"
    r"|<[a-zA-Z/!?][^<>]{0,9999}>|(?P<entity>&#?\w{1,31};)",
    re.I | re.S,
)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", BLANK, text)


def _without(text: str, first: str, last: str) -> str:
    """Replace everything from a mark `first` to the next mark `last` by blanks.

    If no `last` follows, the mark is kept as text.
    """
    end = max((match.end() for match in re.finditer(last, text, re.I)), default=0)
    pattern = re.compile(f"{first}.*?{last}", re.I | re.S)  # in what is before `end`, always found
    return pattern.sub(lambda match: _blank(match[0]), text[:end]) + text[end:]


def _all_but_text(match: re.Match[str]) -> str:
    """Replace a match by blanks, except for its group ``text``."""
    if "text" not in match.re.groupindex or match["text"] is None:
        return _blank(match[0])
    (first, last), start = match.span("text"), match.start()
    whole = match[0]
    return _blank(whole[: first - start]) + match["text"] + _blank(whole[last - start :])


def _markdown_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of Markdown, with front matter and code blocks blanked."""
    matter = lines[0].strip() if lines and lines[0].strip() in ("---", "+++") else ""
    ends = {"---": ("---", "..."), "+++": ("+++",)}.get(matter, ())
    if not any(line.strip() in ends for line in lines[1:]):
        matter = ""  # a rule
    fence, read, in_list, before_is_text = "", "", False, False
    for number, line in enumerate(lines):
        bare = line.lstrip(" \t>")
        quoted = len(line) - len(bare)
        opened = _FENCE.match(bare)
        if matter:
            matter = "" if number and line.strip() in ends else matter
            yield _blank(line)
        elif fence:
            is_end = bare.startswith(fence) and not bare.strip().strip(fence[0])
            fence = "" if is_end else fence
            yield _blank(line)
        elif opened:
            if opened[2] in _READ:
                read = opened[1]
            elif read and bare.strip() == read:
                read = ""
            else:
                fence = opened[1]
            yield _blank(line)
        elif line.startswith(("    ", "\t")) and not in_list and not before_is_text:
            yield _blank(line)
        elif _MARKDOWN_LINE.match(bare):
            in_list = in_list and quoted > 0
            before_is_text = False
            yield _blank(line)
        else:
            if bare.strip():
                in_list = bool(_ITEM.match(bare)) or (in_list and (quoted > 0 or before_is_text))
            before_is_text = bool(bare.strip())
            yield _blank(line[:quoted]) + bare


def _rst_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of reStructuredText, with directives, comments and literal blocks blanked."""
    hidden = -1  # indentation of a directive whose deeper lines are hidden
    for line in lines:
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if hidden >= 0 and bare and indent <= hidden:
            hidden = -1
        directive = _RST_DIRECTIVE.match(bare)
        if hidden >= 0 or not bare:
            yield _blank(line)
        elif directive and directive[1] in _READ:
            end = indent + directive.end()
            yield _blank(line[:end]) + line[end:]
        elif directive or bare.rstrip() == ".." or re.match(r"\.\.\s(?!\s*\[)", bare):
            hidden = indent
            yield _blank(line)
        elif _RST_LINE.match(bare):
            yield _blank(line)
        else:
            if bare.rstrip().endswith("::"):
                hidden = indent
                line = line.rstrip()[:-1] + BLANK * (len(line) - len(line.rstrip()) + 1)
            marker = re.match(r"\s*(?:\.\.\s+\[[^\]]+\]|\|\s)", line)
            yield _blank(marker[0]) + line[marker.end() :] if marker else line


def _joined(text: str) -> str:
    """Replace the line breaks within paragraphs by spaces."""
    lines = text.split("\n")
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        this, after = line.strip(f" \t\r{BLANK}"), following.strip(f" \t\r{BLANK}")
        goes_on = this and after and this[0] not in "#|" and after[0] not in "#|"
        parts += [line, " " if goes_on and not _ITEM.match(after) else "\n"]
    return "".join(parts[:-1])


def _masked(source: str, lines: Lines, inline: Sequence[re.Pattern[str]]) -> str:
    text = "\n".join(lines(source.split("\n")))
    if lines is _markdown_lines:
        text = _TAG_AS_CODE.sub(lambda match: _blank(match[0]), text)
    text = _without(text, "<!--", "-->")
    for name in _NO_PROSE if lines is _markdown_lines else _NO_PROSE[:2]:
        text = _without(text, rf"<{name}\b", rf"</{name}\s{{0,9}}>")
    for pattern in inline:
        text = pattern.sub(_all_but_text, text)
    return _joined(text)


def _of_html(source: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        instead = (
            "" if match["none"] is not None else unescape(match[0]) if match["entity"] else " "
        )
        return instead[: len(match[0])].ljust(len(match[0]), BLANK)

    source = _without(source.replace(BLANK, " "), "<!--", "-->")
    for name in ("script", "style"):
        source = _without(source, rf"<{name}\b", rf"</{name}\s{{0,9}}>")
    return _HTML.sub(replacement, source)


def prose_of_markdown(source: str) -> str:
    """Return a Markdown text with everything but the prose replaced by blanks."""
    return Prose(source, ".md").text


# Suffix -> what blanks all that is no prose.
MASKS: Mapping[str, Callable[[str], str]] = {
    ".md": lambda source: _masked(source, _markdown_lines, _MARKDOWN),
    ".rst": lambda source: _masked(source, _rst_lines, _RST),
    ".html": _of_html,
}


class Prose:
    r"""A source and its prose. `suffix` is ``.md``, ``.rst`` or ``.html``; others are all prose.

    >>> prose = Prose("# Use `ls`\n\nSee [the guide](https://a.org/b), *please*.", ".md")
    >>> prose.text
    '# Use \n\nSee the guide, please.'
    >>> prose.place_of(("the", "guide,")), prose.line_and_column(16)
    ((17, 45), (3, 5))
    """

    def __init__(self, source: str, suffix: str) -> None:
        self.source, self.suffix = source, suffix

    @cached_property
    def _masked(self) -> str:
        return MASKS[self.suffix](self.source) if self.suffix in MASKS else self.source

    @cached_property
    def text(self) -> str:
        """The prose, without the blanks."""
        return self._masked.replace(BLANK, "")

    @cached_property
    def _offsets(self) -> list[int]:
        return [offset for offset, sign in enumerate(self._masked) if sign != BLANK]

    def place_of(self, pieces: Sequence[str], start: int = 0) -> tuple[int, int] | None:
        """Return the start and end in the source of consecutive pieces, from `start` on; None if
        absent.
        """
        texts = [*pieces[:-1], pieces[-1].rstrip(".")] if pieces else []
        pattern = r"\s+".join(re.escape(text) for text in texts if text)
        match = re.compile(pattern).search(self.text, bisect_left(self._offsets, start))
        if not pattern or not match:
            return None
        return self._offsets[match.start()], self._offsets[match.end() - 1] + 1

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a character offset, both counted from 1."""
        line = self.source.count("\n", 0, offset)
        return line + 1, offset - self.source.rfind("\n", 0, offset)
