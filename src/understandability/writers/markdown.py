"""Convert texts with headings, lists and tables to and from Markdown, which the editor shows and
saves.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape

from understandability.text.document import Block
from understandability.text.extract.plain_text import plain_paragraphs
from understandability.text.tape import read_markup

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARK = re.compile(r"^(?:[-*•·–]|\d{1,2}[.)])\s+")
_NUMBER = re.compile(r"^\d")


def heading(level: int, text: str) -> str:
    """Return a Markdown heading of a level from 1 to 6."""
    return f"{'#' * min(max(level, 1), 6)} {' '.join(text.split())}"


def item(depth: int, text: str, mark: str = "-") -> str:
    """Return a Markdown list item; `depth` is the number of lists around its list."""
    return f"{'  ' * depth}{mark} {' '.join(text.split())}"


def row(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in cells)} |"


def markdown(lines: Iterable[str]) -> str:
    r"""Join lines of Markdown, with a blank line between paragraphs, but not in a list or table.

    >>> markdown(["# Flu", "- rest", "- drink", "Call us."])
    '# Flu\n\n- rest\n- drink\n\nCall us.'
    """
    text: list[str] = []
    before = ""
    for line in filter(str.strip, lines):
        tag = _block_tag(line)
        text += ["\n" if tag and tag == before else "\n\n"] * bool(text)
        text.append(line)
        before = tag
    return "".join(text)


def _block_tag(line: str) -> str:
    return "item" if _MARK.match(line.lstrip()) else "row" if line.startswith("|") else ""


def markdown_of(blocks: Iterable[Block], html: str = "") -> str:
    r"""Convert the kept blocks of a page to Markdown.

    >>> source = "<h1>Flu</h1><ol><li>Rest<ul><li>at home</ul><li>Drink</ol>"
    >>> blocks = [Block("Flu", "h1"), Block("Rest", "li"), Block("at home", "li")]
    >>> markdown_of(blocks, source)
    '# Flu\n\n1. Rest\n  - at home'
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


@dataclass
class _Item:
    """A list item while the HTML is parsed; its text excludes the text of lists within it."""

    depth: int  # open lists around it
    mark: str
    texts: list[str] = field(default_factory=list)


def _layout(source: str) -> tuple[dict[str, tuple[int, str, str]], dict[str, list[str]]]:
    """Return the list items and the table rows of an HTML source, as two dictionaries.

    The key of an item is its text, and its value has depth, text and mark. The key of a row is the
    text of its first cell, and its value is the list of its cells.

    >>> _layout("<ol><li>Rest<ul><li>at home</ul><li>Drink</ol><table><tr><td>8 am<td>water")
    ... # doctest: +NORMALIZE_WHITESPACE
    ({'Rest': (0, 'Rest', '1.'), 'at home': (1, 'at home', '-'), 'Drink': (0, 'Drink', '2.')},
     {'8 am': ['8 am', 'water']})
    """
    pieces = read_markup(source.encode("utf-8", "replace")).tape.pieces()
    all_items: list[_Item] = []
    all_rows: list[list[list[str]]] = []  # the texts of each cell of each row
    open_lists: list[tuple[str, list[_Item]]] = []
    open_items: list[_Item] = []
    open_rows: list[list[list[str]]] = []
    open_cells: list[list[str]] = []
    for tag, text in zip(pieces[1::2], pieces[2::2], strict=True):
        match tag:
            case "ul" | "ol":
                open_lists.append((tag, []))
            case "/ul" | "/ol" if open_lists:
                open_lists.pop()
            case "li" | "li/":
                list_tag, siblings = open_lists[-1] if open_lists else ("ul", [])
                mark = f"{len(siblings) + 1}." if list_tag == "ol" else "-"
                siblings.append(_Item(len(open_lists), mark))
                if tag == "li":
                    all_items.append(siblings[-1])
                    open_items.append(siblings[-1])
            case "/li" if open_items:
                open_items.pop()
            case "tr":
                open_rows.append([])
                all_rows.append(open_rows[-1])
            case "/tr" if open_rows:
                open_rows.pop()
            case "td" | "th" | "td/" | "th/":
                cell: list[str] = []
                if open_rows:
                    open_rows[-1].append(cell)
                if not tag.endswith("/"):
                    open_cells.append(cell)
            case "/td" | "/th" if open_cells:
                open_cells.pop()
        if open_items and open_items[-1].depth == len(open_lists):
            open_items[-1].texts.append(text)
        for cell in open_cells:  # a table within a cell belongs to both
            cell.append(text)
    items: dict[str, tuple[int, str, str]] = {}
    for item_ in all_items:
        text = _in_one_line(item_.texts)
        items.setdefault(text, (max(item_.depth - 1, 0), text, item_.mark))
    rows: dict[str, list[str]] = {}
    for row_ in filter(None, all_rows):
        cells = list(map(_in_one_line, row_))
        rows.setdefault(cells[0], cells)
    return items, rows


def _in_one_line(texts: Iterable[str]) -> str:
    return " ".join("".join(texts).split())


def html_of(text: str, title: str) -> str:
    r"""Convert a Markdown text to an HTML page; all text is escaped.

    >>> html_of("# Flu\n- rest", "Flu").splitlines()[-5:]
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
    """Yield, for each line of Markdown, its HTML tag and its texts.

    ``ul`` and ``ol`` stand for an item of such a list, ``tr`` for a row of a table, with a text per
    cell.
    """
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
    """Convert a Markdown text to a DOCX file; requires the extra ``docx``."""
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
