"""Word processor and PDF documents: their suffixes, and how they are passed to the package that
reads them.
"""

from __future__ import annotations

import io

from understandability.hooks import load
from understandability.text.page import Failure, Page

DOCX, ODT, PDF = ".docx", ".odt", ".pdf"
OFFICE_SUFFIXES = (DOCX, ODT, PDF)


def read_office(
    suffix: str, stream: io.BufferedReader, docno: str, path: str, limit: int
) -> Page | Failure:
    """Read a document whose suffix is in `OFFICE_SUFFIXES`, of at most `limit` bytes, as a page."""
    page: Page | Failure = load("writers.office:read")(suffix, stream, docno, path, limit)
    return page


def require_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` if the optional package that reads such files is not installed."""
    if suffix in OFFICE_SUFFIXES:
        load("writers.office:check_office_extra")(suffix)
