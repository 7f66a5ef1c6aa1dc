"""Leaflets as LibreOffice writes them: the paragraphs of an ODT file as plain text."""

from __future__ import annotations

import io
import zipfile

from lxml import etree

from understandability.inputs.http import too_long
from understandability.inputs.streams import DamagedStreamError, read_bounded
from understandability.text.page import TEXT, Failure, Page

_UNFOLDED = 4  # times the limit of a document
_TEXT_SPACE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def read_odt(stream: io.BufferedReader, docno: str, path: str, limit: int) -> Page | Failure:
    """The headings and paragraphs of an ODT file, with a blank line between.

    Nothing is fetched from elsewhere, no entity is resolved, and a text that would unfold to more
    than 4 times `limit` bytes is not read. An encrypted file is a failure.
    """
    try:
        content = read_bounded(stream, limit)
        if content is None:
            return Failure(docno, path, "read", too_long(limit))
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            part = archive.getinfo("content.xml")
            if part.file_size > _UNFOLDED * limit:
                return Failure(docno, path, "read", too_long(limit))
            xml = archive.read(part)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        root = etree.fromstring(xml, parser)
    except DamagedStreamError as error:
        return Failure(docno, path, "read", str(error))
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError,
            etree.XMLSyntaxError):  # fmt: skip
        message = "not an ODT document, or damaged or encrypted; save it again without a password"
        return Failure(docno, path, "read", message)
    texts = (" ".join("".join(each.itertext()).split()) for each in root.iter(
        f"{_TEXT_SPACE}h", f"{_TEXT_SPACE}p"))  # fmt: skip
    return Page(docno, path, "\n\n".join(text for text in texts if text), TEXT)
