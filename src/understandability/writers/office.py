"""Documents of word processors and PDF, read as Markdown: headings, lists, tables, paragraphs.

Nothing is fetched or executed, no entity is resolved, and what would unfold too far is not read.
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

from lxml import etree

from understandability.errors import MissingExtraError
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
_BULLET = re.compile(r"^[•●▪◦‣·○■-]\s+")
_HEADING_WORDS = 14
_LARGER = 1.12  # times the size of the body text; larger letters are a heading


class _UnreadableError(Exception):
    """Why a document cannot be read, as a sentence."""


def check_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` where the package that reads such files is not installed."""
    package = _PACKAGES.get(suffix)
    if package and find_spec(package) is None:
        raise MissingExtraError(
            f"{suffix[1:].upper()} files need an optional package: "
            f"pip install '.[{suffix[1:]}]' in the source folder"
        )


def read(
    suffix: str, stream: io.BufferedReader, docno: str, path: str, limit: int
) -> Page | Failure:
    """The page that a document of that suffix is, of at most `limit` bytes."""
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
    """Return True if an archive has too many parts or too much text by its own directory."""
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
    """Paragraphs and rows of tables, the last of `tags`, but for what is in a row."""
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
    """The text of a paragraph, without the paragraphs inside it."""
    texts, waiting = [], list(reversed(paragraph))
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_WORD}t":
            texts.append("".join(element.itertext()))  # entities are not expanded
        elif element.tag in _SPACES:
            texts.append(" ")
        elif element.tag != f"{_WORD}p":
            waiting += reversed(element)
    return " ".join("".join(texts).split())


def _odt_lines(content: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        xml = archive.read("content.xml")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    root, table_row = etree.fromstring(xml, parser), f"{_ODT_TABLE}table-row"
    for element in _outermost(root, f"{_ODT}h", f"{_ODT}p", table_row):
        if element.tag == table_row:
            yield row(" ".join(cell.itertext()) for cell in element)
        elif text := " ".join("".join(element.itertext()).split()):
            depth = sum(1 for _ in element.iterancestors(f"{_ODT}list"))
            if element.tag == f"{_ODT}h":
                yield heading(int(element.get(f"{_ODT}outline-level") or 1), text)
            else:
                yield item(depth - 1, text) if depth else text


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
    for text in texts:
        for paragraph in pdf_paragraphs(text, large):
            is_heading = paragraph in large and len(paragraph.split()) <= _HEADING_WORDS
            bullet = _BULLET.match(paragraph)
            line = item(0, paragraph[bullet.end() :]) if bullet else paragraph
            yield heading(2, paragraph) if is_heading else line


def pdf_paragraphs(text: str, large: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """Join lines where a sentence continues, and words that a hyphen divides.

    A line in `large` letters stays a paragraph of its own.

    >>> pdf_paragraphs("Rest, and drink wa-\\nter. You will\\nfeel better.\\nFever\\nCall us.")
    ['Rest, and drink water. You will feel better.', 'Fever', 'Call us.']
    """
    lines = [line.strip() for line in text.splitlines()]
    full = 0.75 * max(map(len, lines), default=0)  # a shorter line ends a paragraph or is a heading
    joined: list[str] = []
    before = ""
    for line in lines:
        alone = before in large or line in large or _BULLET.match(line)
        if before.endswith("-") and line[:1].islower():
            joined[-1] = joined[-1][:-1] + line
        elif not alone and (line[:1].islower() or (len(before) >= full and line)):
            joined[-1:] = [f"{joined[-1]} {line}"] if joined else [line]
        elif line:
            joined.append(line)
        before = line
    return joined


_LINES: Mapping[str, Callable[[bytes], Iterator[str]]] = {
    DOCX: _docx_lines, ODT: _odt_lines, PDF: _pdf_lines,
}  # fmt: skip
