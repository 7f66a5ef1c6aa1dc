"""Documents of word processors and PDF, each by its suffix."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from understandability.inputs.office import DOCX, ODT, PDF
from understandability.text.page import Failure, Page
from understandability.writers import docx, odt, pdf

# Suffix -> what reads a stream: its docno, its path, the most bytes of it.
READERS: Mapping[str, Callable[[io.BufferedReader, str, str, int], Page | Failure]] = {
    DOCX: docx.read_docx,
    ODT: odt.read_odt,
    PDF: pdf.read_pdf,
}


def check_office_extra(suffix: str) -> None:
    """Raise `MissingExtraError` where the package that reads such files is not installed."""
    if suffix == DOCX:
        docx.check_extra()
    elif suffix == PDF:
        pdf.check_extra()
