"""Documents of word processors and PDF, each by its suffix."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from understandability.text.page import Failure, Page
from understandability.writers import docx, pdf
from understandability.writers.docx import read_docx
from understandability.writers.odt import SUFFIX as ODT
from understandability.writers.odt import read_odt
from understandability.writers.pdf import read_pdf

DOCX, PDF = docx.SUFFIX, pdf.SUFFIX

# Suffix -> what reads a stream: its docno, its path, the most bytes of it.
OFFICE_SUFFIXES: Mapping[str, Callable[[io.BufferedReader, str, str, int], Page | Failure]] = {
    DOCX: read_docx,
    ODT: read_odt,
    PDF: read_pdf,
}


def check_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` where the package that reads such files is not installed."""
    if suffix == DOCX:
        docx.check_extra()
    elif suffix == PDF:
        pdf.check_extra()
