"""Texts with their structure as lines of Markdown: what the editor shows, reads and saves."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from lxml.html import HtmlElement, document_fromstring

from understandability.text.document import Block
from understandability.text.extract.plain_text import plain_paragraphs

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARK = re.compile(r"^(?:[-*•·–]|\d{1,2}[.)])\s+")
_NUMBER = re.compile(r"^\d")


def heading(level: int, text: str) -> str:
    """A heading of a level, 1 to 6."""
    return f"{'#' * min(max(level, 1), 6)} {' '.join(text.split())}"


def item(depth: int, text: str, mark: str = "-") -> str:
    """An item of a list, `depth` lists deep within another."""
    return f"{'  ' * depth}{mark} {' '.join(text.split())}"


def row(cells: Iterable[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in cells)} |"


def markdown(lines: Iterable[str]) -> str:
    """The text of such lines: a blank line between paragraphs, none within a list or a table.

    >>> markdown(["# Flu", "- rest", "- drink", "Call us."])
    '# Flu\\n\\n- rest\\n- drink\\n\\nCall us.'
    """
    text: list[str] = []
    before = ""
    for line in filter(str.strip, lines):
        tag = _kind(line)
        text += ["\n" if tag and tag == before else "\n\n"] * bool(text)
        text.append(line)
        before = tag
    return "".join(text)


def _kind(line: str) -> str:
    return "item" if _MARK.match(line.lstrip()) else "row" if line.startswith("|") else ""


def markdown_of(blocks: Iterable[Block], html: str = "") -> str:
    """Markdown of the kept blocks of a page; the source `html` shows which cells and items belong.

    >>> source = "<h1>Flu</h1><ol><li>Rest<ul><li>at home</ul><li>Drink</ol>"
    >>> blocks = [Block("Flu", "h1"), Block("Rest", "li"), Block("at home", "li")]
    >>> markdown_of(blocks, source)
    '# Flu\\n\\n1. Rest\\n  - at home'
    """
    items, rows = _layout(html)
    lines: list[str] = []
    left: list[str] = []  # what the last row still lacks, backwards
    for block in blocks:
        if not block.kept:
            continue
        if block.tag in ("td", "th"):
            if left and left[-1] == block.text:
                left.pop()
                continue
            cells = rows.get(block.text, [block.text])
            left = [cell for cell in reversed(cells[1:]) if cell]
            lines.append(row(cells))
        # Of "<li><p>Rest" the block is the paragraph.
        elif (block.tag == "li" or (block.tag == "p" and block.text in items)) and not _MARK.match(
            block.text
        ):
            lines.append(item(*items.get(block.text, (0, block.text, "-"))))
        elif block.tag in _HEADINGS or block.tag == "title":
            line = heading(int(block.tag[1:]) if block.tag in _HEADINGS else 1, block.text)
            if not lines or lines[-1].lstrip("# ") != block.text:  # the title once more
                lines.append(line)
        else:
            lines.append(block.text)
    return markdown(lines)


def _layout(source: str) -> tuple[dict[str, tuple[int, str, str]], dict[str, list[str]]]:
    """The items of lists by their own text, with depth and mark; the cells of rows by the first."""
    tree = document_fromstring(source) if source.strip() else None
    if tree is None:
        return {}, {}
    items: dict[str, tuple[int, str, str]] = {}
    counters: Counter[HtmlElement] = Counter()  # items of each list so far
    for element in tree.iter("li"):
        around = [ancestor.tag for ancestor in element.iterancestors("ul", "ol")]
        own = [element.text or ""]
        for child in element:
            own += [] if child.tag in ("ul", "ol") else child.itertext()
            own.append(child.tail or "")
        text = " ".join("".join(own).split())
        around_it = element.getparent()
        counters[around_it] += 1
        mark = f"{counters[around_it]}." if around[:1] == ["ol"] else "-"
        items.setdefault(text, (max(len(around) - 1, 0), text, mark))
    rows: dict[str, list[str]] = {}
    for row in tree.iter("tr"):
        cells = [" ".join("".join(c.itertext()).split()) for c in row.iterchildren("td", "th")]
        if cells:
            rows.setdefault(cells[0], cells)
    return items, rows


def html_of(text: str, title: str) -> str:
    """A page of a text in Markdown; every word is escaped.

    >>> html_of("# Flu\\n- rest", "Flu").splitlines()[-5:]
    ['<h1>Flu</h1>', '<ul>', '<li>rest</li>', '</ul>', '</body></html>']
    """
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title></head>\n<body>",
    ]
    opened = ""
    for tag, cells in _elements(text):
        around = {"ul": "ul", "ol": "ol", "tr": "table"}.get(tag, "")
        if around != opened:
            parts += [f"</{opened}>"] * bool(opened) + [f"<{around}>"] * bool(around)
            opened = around
        inside = [escape(cell) for cell in cells]
        if tag == "tr":
            parts.append(f"<tr><td>{'</td><td>'.join(inside)}</td></tr>")
        else:
            name = "li" if around else tag
            parts.append(f"<{name}>{inside[0]}</{name}>")
    return "\n".join([*parts, *[f"</{opened}>"] * bool(opened), "</body></html>"])


def _elements(text: str) -> Iterator[tuple[str, list[str]]]:
    """The tag and the texts of each line: ul and ol are items of such lists, tr rows."""
    for line in filter(str.strip, text.splitlines()):
        blocks = plain_paragraphs(line)
        if blocks and blocks[0].tag == "td":
            yield "tr", [block.text for block in blocks]
        for block in blocks if blocks and blocks[0].tag != "td" else ():
            if block.tag == "li":
                yield "ol" if _NUMBER.match(block.text) else "ul", [_MARK.sub("", block.text)]
            else:
                yield block.tag, [block.text]


def docx_of(text: str, title: str) -> bytes:
    """The same as a DOCX file; needs the extra ``docx``."""
    from docx import Document

    document = Document()
    document.core_properties.title = title
    styles = {"ul": "List Bullet", "ol": "List Number"}
    rows: list[list[str]] = []
    for tag, cells in [*_elements(text), ("", [""])]:
        if rows and tag != "tr":
            table = document.add_table(len(rows), max(map(len, rows)))
            for index, texts in enumerate(rows):
                for cell, text in zip(table.rows[index].cells, texts, strict=False):
                    cell.text = text
            rows = []
        if tag == "tr":
            rows.append(cells)
        elif tag in _HEADINGS:
            document.add_heading(cells[0], int(tag[1]))
        elif tag:
            document.add_paragraph(cells[0], styles.get(tag))
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()
