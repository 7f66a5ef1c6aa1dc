"""Read DOCX, ODT and PDF documents as Markdown: headings, lists, tables, paragraphs.

Nothing is fetched or executed, and no entity is resolved. A file that would expand too much is not
read.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder, XMLParser

from understandability.errors import MissingExtraError
from understandability.feature.frequency import zipf_places
from understandability.inputs.limits import too_long
from understandability.inputs.office import DOCX, ODT, PDF
from understandability.inputs.streams import DamagedStreamError, read_bounded
from understandability.text.page import TEXT, Failure, Page
from understandability.writers.markdown import heading, item, markdown, row

MOST_PAGES = 200
_MOST_LETTERS = 5_000_000
_MAX_PARTS = 5_000
_UNFOLDED = 4  # times the limit of a document: pictures do not shrink, markup shrinks a lot
_PACKAGES = {DOCX: "docx", PDF: "pypdf"}
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACES = (f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr")
# The same text once more, for programs that do not know the newer markup.
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_ODT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ODT_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_ODT_SPACES = (f"{_ODT}s", f"{_ODT}tab", f"{_ODT}line-break")
# Text that was deleted under tracked changes, and remarks of reviewers.
_ODT_UNSEEN = (
    f"{_ODT}tracked-changes",
    "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}annotation",
)
_BULLET = re.compile(r"^[•●▪◦‣·○■-]\s+")
_HEADING_WORDS = 14
_LARGER = 1.12  # times the size of the body text; larger letters are a heading


class _UnreadableError(Exception):
    """A document cannot be read; the message is the reason, as a sentence."""


def check_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` if the optional package that reads such files is not installed."""
    package = _PACKAGES.get(suffix)
    if package and find_spec(package) is None:
        raise MissingExtraError(
            f"{suffix[1:].upper()} files need an optional package: "
            f"pip install '.[{suffix[1:]}]' in the source folder"
        )


def read(
    suffix: str, stream: io.BufferedReader, docno: str, path: str, limit: int
) -> Page | Failure:
    """Read a document of at most `limit` bytes as a page; the `suffix` decides its format."""
    check_office_extra(suffix)
    try:
        content = read_bounded(stream, limit)
        if content is None or _unfolds_too_far(content, _UNFOLDED * limit):
            return Failure(docno, path, "read", too_long(limit))
        text = markdown(_LINES[suffix](content))
    except (DamagedStreamError, _UnreadableError) as error:
        return Failure(docno, path, "read", str(error))
    except Exception as error:
        # Whatever a package raises for a file that is damaged, or made to harm.
        message = f"not {suffix[1:].upper()}, or damaged: {type(error).__name__}"
        return Failure(docno, path, "read", f"{message}; save it again without a password")
    if len(text) > min(limit, _MOST_LETTERS):
        return Failure(docno, path, "read", too_long(limit))
    return Page(docno, path, text, TEXT)


def _unfolds_too_far(content: bytes, most: int) -> bool:
    """Return True if, by its directory, an archive has too many members or expands too much."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False  # not an archive; reading it raises the error
    return len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > most


def _docx_lines(content: bytes) -> Iterator[str]:
    from docx import Document

    document = Document(io.BytesIO(content))
    names = {style.style_id: str(style.name) for style in document.styles}
    body = document.element.body
    for fallback in list(body.iter(_FALLBACK)):
        fallback.getparent().remove(fallback)
    for element in _outermost(body, f"{_WORD}p", f"{_WORD}tr"):
        if element.tag == f"{_WORD}tr":
            cells = element.iterchildren(f"{_WORD}tc")
            yield row(" ".join(map(_docx_text, cell.iter(f"{_WORD}p"))) for cell in cells)
        elif text := _docx_text(element):
            yield _docx_line(element, text, names)


def _outermost(root: Any, *tags: str) -> Iterator[Any]:
    """Yield the elements with one of `tags` that are not inside a row; the last of `tags` is the
    row.
    """
    in_rows = set()
    for element in root.iter(*tags):
        if element not in in_rows:
            yield element
            if element.tag == tags[-1]:
                in_rows.update(element.iter(*tags))


def _docx_line(paragraph: Any, text: str, names: Mapping[str, str]) -> str:
    style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
    name = names.get(style.get(f"{_WORD}val"), "") if style is not None else ""
    if name == "Title":
        return heading(1, text)
    if name.startswith("Heading ") and name[8:].isdigit():
        return heading(int(name[8:]), text)
    numbering = paragraph.find(f"{_WORD}pPr/{_WORD}numPr")
    if numbering is not None or (name.startswith("List ") and name != "List Paragraph"):
        level = numbering.find(f"{_WORD}ilvl") if numbering is not None else None
        depth = int(level.get(f"{_WORD}val")) if level is not None else 0
        depth = depth or (int(name[-1]) - 1 if name[-1:].isdigit() else 0)
        return item(depth, text)
    return text


def _docx_text(paragraph: Any) -> str:
    """Return the text of a paragraph, without paragraphs nested inside it."""
    texts, waiting = [], list(reversed(paragraph))
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_WORD}t":
            texts.append("".join(element.itertext()))  # entities are not expanded
        elif element.tag in _SPACES:
            texts.append(" ")
        elif element.tag != f"{_WORD}p" and not _is_hidden(element):
            waiting += reversed(element)
    return " ".join("".join(texts).split())


def _is_hidden(element: Any) -> bool:
    """Return True for a run of text that is hidden, or was deleted under tracked changes."""
    if element.tag in (f"{_WORD}del", f"{_WORD}moveFrom"):
        return True
    properties = element.find(f"{_WORD}rPr") if element.tag == f"{_WORD}r" else None
    if properties is None:
        return False
    marks = [properties.find(f"{_WORD}{name}") for name in ("vanish", "webHidden")]
    values = [mark.get(f"{_WORD}val", "true") for mark in marks if mark is not None]
    return any(value not in ("0", "false", "off") for value in values)


def _odt_lines(content: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        xml = archive.read("content.xml")
    parser = XMLParser(target=_WithoutEntities())
    parser.feed(xml)
    root = parser.close()
    for element in list(root.iter()):
        if element.tag in _ODT_SPACES:
            element.text = " "
        elif element.tag in _ODT_UNSEEN:
            tail = element.tail
            element.clear()
            element.tail = tail
    table_row, headings = f"{_ODT_TABLE}table-row", f"{_ODT}h"
    # Elements that are not yet read, the next one last, with the number of lists around each.
    waiting: list[tuple[Element, int]] = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        if element.tag == table_row:
            yield row(" ".join(cell.itertext()) for cell in element)
        elif element.tag in (headings, f"{_ODT}p"):
            text = " ".join("".join(element.itertext()).split())
            if element.tag == headings and text:
                yield heading(int(element.get(f"{_ODT}outline-level") or 1), text)
            elif text:
                yield item(depth - 1, text) if depth else text
        else:
            depth += element.tag == f"{_ODT}list"
            waiting += [(child, depth) for child in reversed(element)]


class _WithoutEntities(TreeBuilder):
    """An XML parser target that rejects document types, which could define exponential entities."""

    def doctype(self, *_: object) -> None:
        raise _UnreadableError(
            "the ODT has a document type, which no word processor writes; save it again"
        )


def _pdf_lines(content: bytes) -> Iterator[str]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs each fault of a file
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise _UnreadableError("the PDF is encrypted; save it without a password")
    if len(reader.pages) > MOST_PAGES:
        raise _UnreadableError(
            f"the PDF has {len(reader.pages)} pages, at most {MOST_PAGES} are read; cut it"
        )
    sizes: dict[str, float] = {}
    letters: Counter[float] = Counter()

    def note(text: str, matrix: Any, own: Any, font: Any, size: float) -> None:
        height = round(abs(size * (own[3] or 1) * (matrix[3] or 1)), 1)
        letters[height] += len(text.strip())
        for line in text.splitlines():
            sizes.setdefault(line.strip(), height)

    texts: list[str] = []
    for page in reader.pages:
        texts.append(page.extract_text(visitor_text=note))
        if sum(map(len, texts)) > _MOST_LETTERS:
            raise _UnreadableError("the text of the PDF is too long; cut it")
    if not "".join(texts).strip():
        raise _UnreadableError("the PDF holds no text, only pictures; scanned pages need OCR")
    common = letters.most_common(1)[0][0] if letters else 0.0
    large = {line for line, height in sizes.items() if height > _LARGER * common}
    for text in _across_pages(without_furniture(texts), large):
        for paragraph in pdf_paragraphs(text, large):
            is_heading = paragraph in large and len(paragraph.split()) <= _HEADING_WORDS
            bullet = _BULLET.match(paragraph)
            line = item(0, paragraph[bullet.end() :]) if bullet else paragraph
            yield heading(2, paragraph) if is_heading else line


_NUMBERS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|p\.|pagina|página|стр\.?)\s*)?(?:\d{1,4}|[ivxlc]{1,6})"
    r"(?:\s*(?:of|von|de|di|van|из|/)\s*\d{1,4})?\W*",
    re.IGNORECASE,
)
_EDGE_LINES = 3  # lines at the top and at the bottom of a page that may be furniture


def without_furniture(pages: list[str]) -> list[str]:
    r"""Remove page numbers, and headers and footers: lines that recur at the edges of pages.

    >>> without_furniture(["On flu\nRest.\n1", "On flu\nDrink.\n2", "On flu\nSleep.\n3"])
    ['Rest.', 'Drink.', 'Sleep.']
    """
    split = [[line.strip() for line in page.splitlines() if line.strip()] for page in pages]

    def edges(lines: list[str]) -> list[int]:
        last = len(lines)
        return sorted({*range(min(_EDGE_LINES, last)), *range(max(0, last - _EDGE_LINES), last)})

    def shape(line: str) -> str:
        return _NUMBERS.sub("0", line).lower()

    counts = Counter(
        edge for lines in split for edge in {shape(lines[index]) for index in edges(lines)}
    )
    least = max(2, (len(pages) + 1) // 2) if len(pages) > 2 else len(pages)
    remaining: list[str] = []
    for lines in split:
        dropped = {
            index
            for index in edges(lines)
            if len(pages) > 1 and counts[shape(lines[index])] >= least and len(lines) > 1
        }
        for index in (0, len(lines) - 1):  # a number alone, also on a document of one page
            if len(lines) > 1 and _PAGE_NUMBER.fullmatch(lines[index]):
                dropped.add(index)
        remaining.append(
            "\n".join(line for index, line in enumerate(lines) if index not in dropped)
        )
    return remaining


def _across_pages(pages: list[str], large: set[str]) -> Iterator[str]:
    """Yield the pages; a page that ends within a sentence is joined with the next one."""
    text = ""
    for page in pages:
        first, last = page.partition("\n")[0], text.rpartition("\n")[2]
        goes_on = first[:1].islower() or last.endswith(("-", ","))
        if text and not (goes_on and last not in large and first not in large):
            yield text
            text = ""
        text = f"{text}\n{page}" if text and page else text or page
    if text:
        yield text


_DIVIDED = re.compile(r"\w-$")
_LAST_PART, _FIRST_PART = re.compile(r"[^\W\d_]+(?=-$)"), re.compile(r"[^\W\d_]+")
# Places on the Zipf scale (times 100) from which words are common, known, or words at all.
_COMMON, _KNOWN, _RARE, _UNKNOWN_WORD = 480, 350, 360, 200


def _joined(before: str, line: str) -> str:
    """Join two lines, the first of which ends in a hyphen; the hyphen of a compound is kept.

    It is a compound if both parts are common words, and the two joined are not.

    >>> _joined("Rest, drink wa-", "ter."), _joined("Come to the follow-", "up visit.")
    ('Rest, drink water.', 'Come to the follow-up visit.')
    """
    first, second = _LAST_PART.search(before), _FIRST_PART.match(line)
    if before[-2:-1].isdigit() or line[:1].isdigit():
        return before + line
    if first and second:
        if len(first[0]) == 1 and first[0].isupper():  # X-ray
            return before + line
        parts = first[0].lower(), second[0].lower()
        rarer, whole = min(zipf_places(parts)), zipf_places(["".join(parts)])[0]
        goes_on = line[len(second[0]) :].startswith("-")  # up-to-date
        is_common = rarer >= _COMMON and (whole < _RARE or goes_on)
        if is_common or (rarer >= _KNOWN and whole < _UNKNOWN_WORD):
            return before + line
    return before[:-1] + line


def pdf_paragraphs(text: str, large: frozenset[str] | set[str] = frozenset()) -> list[str]:
    r"""Join the lines of a PDF to paragraphs where a sentence continues, and join hyphenated words.

    `large` holds lines in large letters, which remain separate paragraphs.

    >>> pdf_paragraphs("Rest, and drink wa-\nter. You will\nfeel better.\nFever\nCall us.")
    ['Rest, and drink water. You will feel better.', 'Fever', 'Call us.']
    """
    lines = [line.strip() for line in text.splitlines()]
    full = 0.75 * max(map(len, lines), default=0)  # a shorter line ends a paragraph or is a heading
    joined: list[str] = []
    before = ""
    for line in lines:
        alone = before in large or line in large or _BULLET.match(line)
        if _DIVIDED.search(before) and (line[:1].islower() or line[:1].isdigit()):
            joined[-1] = _joined(joined[-1], line)
        elif not alone and (line[:1].islower() or (len(before) >= full and line)):
            joined[-1:] = [f"{joined[-1]} {line}"] if joined else [line]
        elif line:
            joined.append(line)
        before = line
    return joined


_LINES: Mapping[str, Callable[[bytes], Iterator[str]]] = {
    DOCX: _docx_lines, ODT: _odt_lines, PDF: _pdf_lines,
}  # fmt: skip
