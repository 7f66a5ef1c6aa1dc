"""WACZ files: WARC files with their index in one ZIP archive (Webrecorder, Browsertrix)."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import IO, cast

from understandability.inputs.archives import ZIP_ERRORS, zip_entries
from understandability.inputs.limits import unread
from understandability.inputs.streams import decompressed
from understandability.inputs.warc import read_warc
from understandability.text.page import Failure, Page

_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
# Members are decoded as a stream, so their size costs no memory. `decompressed` bounds the ratio.
_LARGEST = 1 << 20


def read_wacz(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """Yield the pages of all WARC files in the folder ``archive/`` of a WACZ file."""
    has_archive = False
    try:
        for entry in zip_entries(stream, _LARGEST):
            name = entry.name
            if not name.startswith("archive/") or not name.lower().endswith(_SUFFIXES):
                continue
            has_archive = True
            where = f"{source}!{name}"
            if not entry.is_plain:
                skipped["archive members that are not plain files"] += 1
                continue
            try:
                with cast(IO[bytes], entry.open()) as member:
                    yield from read_warc(decompressed(member), where, limit, skipped)
            except ZIP_ERRORS as error:
                yield unread(where, f"damaged member: {error}", name)
    except (*ZIP_ERRORS, zipfile.LargeZipFile) as error:
        yield unread(source, f"damaged archive: {error}")
        return
    if not has_archive:
        yield unread(source, "the WACZ file has no WARC file in its folder archive/")
