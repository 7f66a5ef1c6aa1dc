"""Documents of word processors and PDF, each by its suffix."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from understandability.formats import docx, pdf
from understandability.formats.docx import read_docx
from understandability.formats.odt import SUFFIX as ODT
from understandability.formats.odt import read_odt
from understandability.formats.pdf import read_pdf
from understandability.records import Failure, Page

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
