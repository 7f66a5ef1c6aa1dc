"""Leaflets as word processors write them: the paragraphs of a DOCX file as plain text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from understandability.errors import MissingExtraError
from understandability.inputs.http import too_long
from understandability.inputs.streams import DamagedStreamError, read_bounded
from understandability.text.page import TEXT, Failure, Page

_MAX_PARTS = 5_000
_UNFOLDED = 4  # times the limit of a document: pictures do not shrink, markup shrinks a lot
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _TEXT = f"{_WORD}p", f"{_WORD}t"
_SPACES = (f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr")
# The same text once more, for programs that do not know the newer markup.
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def check_extra() -> None:
    """Raise `MissingExtraError` where the package that reads DOCX is not installed."""
    if find_spec("docx") is None:
        raise MissingExtraError(
            "DOCX files need an optional package: pip install 'understandability[docx]'"
        )


def read_docx(stream: io.BufferedReader, docno: str, source: str, limit: int) -> Page | Failure:
    """The paragraphs of a DOCX file, those of tables and text boxes too, with a line between.

    No part is fetched from elsewhere, no entity is resolved, and a file that would unfold to
    more than 4 times `limit` bytes is not read.
    """
    check_extra()
    try:
        content = read_bounded(stream, limit)
    except DamagedStreamError as error:
        return Failure(docno, source, "read", str(error))
    if content is None or _unfolds_too_far(content, _UNFOLDED * limit):
        return Failure(docno, source, "read", too_long(limit))
    try:
        text = "\n\n".join(_paragraphs(content))
    except Exception as error:
        # Whatever the package raises for a file that is damaged, or made to harm.
        message = f"no DOCX document, or a damaged one: {type(error).__name__}: {error}"
        return Failure(docno, source, "read", message)
    if len(text) > limit:
        return Failure(docno, source, "read", too_long(limit))
    return Page(docno, source, text, TEXT)


def _unfolds_too_far(content: bytes, most: int) -> bool:
    """Whether the parts are too many, or too long together; `zipfile` reads no more than stated."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False  # it is no DOCX document, which opening it will tell
    return len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > most


def _paragraphs(content: bytes) -> Iterator[str]:
    """The text of each paragraph that has some."""
    from docx import Document

    body = Document(io.BytesIO(content)).element.body
    for fallback in list(body.iter(_FALLBACK)):
        fallback.getparent().remove(fallback)
    for paragraph in body.iter(_PARAGRAPH):
        if text := " ".join("".join(_texts(paragraph)).split()):
            yield text


def _texts(paragraph: Any) -> Iterator[str]:
    """The pieces of text of a paragraph, without those of paragraphs within it."""
    waiting = list(reversed(paragraph))
    while waiting:
        element = waiting.pop()
        if element.tag == _TEXT:
            yield "".join(element.itertext())  # an entity stands as it is written
        elif element.tag in _SPACES:
            yield " "
        elif element.tag != _PARAGRAPH:
            waiting += reversed(element)
