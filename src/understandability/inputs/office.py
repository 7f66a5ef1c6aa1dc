"""Documents of word processors and PDF: their suffixes, and the way to what reads them."""

from __future__ import annotations

import io

from understandability.hooks import load
from understandability.text.page import Failure, Page

DOCX, ODT, PDF = ".docx", ".odt", ".pdf"
OFFICE_SUFFIXES = (DOCX, ODT, PDF)


def read_office(
    suffix: str, stream: io.BufferedReader, docno: str, path: str, limit: int
) -> Page | Failure:
    """The page that a document of one of `OFFICE_SUFFIXES` is, of at most `limit` bytes."""
    page: Page | Failure = load("writers.office:read")(suffix, stream, docno, path, limit)
    return page


def require_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` where the package that reads such files is not installed."""
    if suffix in OFFICE_SUFFIXES:
        load("writers.office:check_office_extra")(suffix)
