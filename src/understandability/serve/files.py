"""The text of files that a writer drops into the editor."""

from __future__ import annotations

import io
from pathlib import PurePosixPath

from understandability.documents import document_of_page
from understandability.errors import InputError
from understandability.formats.office import OFFICE_SUFFIXES
from understandability.records import HTML, TEXT, Failure, Page

_MOST_BYTES = 50_000_000
_TEXTS = (".txt", ".md", ".text")
_PAGES = (".html", ".htm", ".xhtml")


def text_of_file(content: bytes, name: str) -> dict[str, str]:
    """The text and the title of a file, by the suffix of its name.

    Raises `InputError` where the file is none of these kinds, or has no text.

    >>> text_of_file(b"<title>Flu</title><p>You have flu.</p>", "flu.html")["title"]
    'Flu'
    """
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in OFFICE_SUFFIXES:
        stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]  # bytes are a raw stream too
        page = OFFICE_SUFFIXES[suffix](stream, name, name, _MOST_BYTES)
    elif suffix in _TEXTS:
        page = Page(name, name, content, TEXT)
    elif suffix in _PAGES:
        page = Page(name, name, content, HTML)
    else:
        allowed = ", ".join((*_PAGES, *_TEXTS, *OFFICE_SUFFIXES))
        raise InputError(f"{name or 'the file'} is of a kind that is not read; use {allowed}")
    if isinstance(page, Failure):
        raise InputError(f"{name}: {page.error}")
    document = document_of_page(page)
    kept = [block.text for block in document.blocks if block.kept]
    if not any(map(str.strip, kept)):
        raise InputError(f"{name} holds no text that could be read; paste the text instead")
    return {"text": "\n\n".join(kept), "title": document.title}
