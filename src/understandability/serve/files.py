"""The text of files that a writer drops into the editor."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from understandability.documents import document_of_page
from understandability.errors import InputError
from understandability.formats.docx import read_docx
from understandability.formats.odt import read_odt
from understandability.formats.pdf import read_pdf
from understandability.records import HTML, TEXT, Failure, Page

_MOST_BYTES = 50_000_000
_READERS: Mapping[str, Callable[[io.BufferedReader, str, str, int], Page | Failure]] = (
    MappingProxyType({".docx": read_docx, ".odt": read_odt, ".pdf": read_pdf})
)
_TEXTS = (".txt", ".md", ".text")
_PAGES = (".html", ".htm", ".xhtml")


def text_of_file(content: bytes, name: str) -> dict[str, str]:
    """The text and the title of a file, by the suffix of its name.

    Raises `InputError` where the file is none of these kinds, or has no text.

    >>> text_of_file(b"<title>Flu</title><p>You have flu.</p>", "flu.html")["title"]
    'Flu'
    """
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in _READERS:
        stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]  # bytes are a raw stream too
        page = _READERS[suffix](stream, name, name, _MOST_BYTES)
    elif suffix in _TEXTS:
        page = Page(name, name, content, TEXT)
    elif suffix in _PAGES:
        page = Page(name, name, content, HTML)
    else:
        allowed = ", ".join((*_PAGES, *_TEXTS, *_READERS))
        raise InputError(f"{name or 'the file'} is of a kind that is not read; use {allowed}")
    if isinstance(page, Failure):
        raise InputError(f"{name}: {page.error}")
    document = document_of_page(page)
    kept = [block.text for block in document.blocks if block.kept]
    if not any(map(str.strip, kept)):
        raise InputError(f"{name} holds no text that could be read; paste the text instead")
    return {"text": "\n\n".join(kept), "title": document.title}
