"""Leaflets as PDF: the text of their pages, with paragraphs put together again."""

from __future__ import annotations

import io
import logging
from importlib.util import find_spec

from understandability.errors import MissingExtraError
from understandability.inputs.http import too_long
from understandability.inputs.streams import DamagedStreamError, read_bounded
from understandability.text.page import TEXT, Failure, Page

MOST_PAGES = 200
_MOST_LETTERS = 5_000_000


def check_extra() -> None:
    """Raise `MissingExtraError` where the package that reads PDF is not installed."""
    if find_spec("pypdf") is None:
        raise MissingExtraError(
            "PDF files need an optional package: pip install 'understandability[pdf]'"
        )


def read_pdf(stream: io.BufferedReader, docno: str, path: str, limit: int) -> Page | Failure:
    """The text of a PDF file of up to `MOST_PAGES` pages, lines joined to paragraphs.

    A file that is encrypted, scanned (it holds pictures of text only), damaged or longer is a
    failure that says so. Nothing in it is executed or fetched.
    """
    check_extra()
    from pypdf import PdfReader

    try:
        content = read_bounded(stream, limit)
    except DamagedStreamError as error:
        return Failure(docno, path, "read", str(error))
    if content is None:
        return Failure(docno, path, "read", too_long(limit))
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells each fault of a file
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return _failure(docno, path, "it is encrypted; save it without a password")
        if len(reader.pages) > MOST_PAGES:
            message = f"it has {len(reader.pages)} pages, at most {MOST_PAGES} are read; cut it"
            return _failure(docno, path, message)
        texts: list[str] = []
        for page in reader.pages:
            texts.append(page.extract_text())
            if sum(map(len, texts)) > _MOST_LETTERS:
                return _failure(docno, path, "its text is too long; cut it")
    except Exception as error:
        # Whatever the package raises for a file that is damaged, or made to harm.
        return _failure(docno, path, f"it is damaged ({type(error).__name__}); save it again")
    text = "\n\n".join(map(_paragraphs, texts)).strip()
    if not text:
        return _failure(docno, path, "it holds no text, only pictures; scanned pages need OCR")
    return Page(docno, path, text, TEXT)


def _failure(docno: str, path: str, message: str) -> Failure:
    return Failure(docno, path, "read", f"the PDF cannot be read: {message}")


def _paragraphs(text: str) -> str:
    """Lines joined where a sentence runs on; a word that was parted is put together.

    >>> _paragraphs("Rest, and drink wa-\\nter. You will\\nfeel better.\\nFever\\nCall us.")
    'Rest, and drink water. You will feel better.\\n\\nFever\\n\\nCall us.'
    """
    lines = [line.strip() for line in text.splitlines()]
    full = 0.75 * max(map(len, lines), default=0)  # a shorter line ends a paragraph or is a heading
    joined: list[str] = []
    before = ""
    for line in lines:
        if before.endswith("-") and line[:1].islower():
            joined[-1] = joined[-1][:-1] + line
        elif line[:1].islower() or (len(before) >= full and line):
            joined[-1:] = [f"{joined[-1]} {line}"] if joined else [line]
        elif line:
            joined.append(line)
        before = line
    return "\n\n".join(joined)
