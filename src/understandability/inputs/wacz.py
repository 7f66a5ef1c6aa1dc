"""Read WACZ files: ZIP archives of WARC files with an index (Webrecorder, Browsertrix)."""

from __future__ import annotations

import io
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import IO, cast

from understandability.inputs.archives import ZIP_ERRORS, is_plain, zip_directory, zip_entries
from understandability.inputs.limits import is_environment_error, unread
from understandability.inputs.streams import decompressed
from understandability.inputs.warc import read_warc
from understandability.text.page import Failure, Page

_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
# Members are decoded as a stream, so their size costs no memory. `decompressed` bounds the ratio.
_LARGEST = 1 << 20
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_MAGIC = b"PK\x03\x04"


def stored_warcs(file: IO[bytes]) -> list[tuple[str, int, int]]:
    """Return name, start and end of each WARC file in a WACZ file that can be read in place.

    The list is empty if any of them is compressed by ZIP, or if they overlap.
    """
    warcs = []
    previous_end, size = 0, file.seek(0, io.SEEK_END)
    for entry in zip_directory(file):
        if not _is_warc(entry.filename):
            continue
        is_stored = entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1
        file.seek(entry.header_offset)
        header = file.read(_LOCAL_HEADER.size)
        if not is_stored or not is_plain(entry) or len(header) < _LOCAL_HEADER.size:
            return []
        magic, name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)
        start = entry.header_offset + len(header) + name_bytes + extra_bytes
        end = start + entry.file_size
        if magic != _LOCAL_MAGIC or start < previous_end or end > size:
            return []
        warcs.append((entry.filename, start, end))
        previous_end = end
    return warcs


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.lower().endswith(_SUFFIXES)


def read_wacz(
    stream: io.BufferedReader, source: str, limit: int, skipped: Counter[str]
) -> Iterator[Page | Failure]:
    """Yield the pages of all WARC files in the folder ``archive/`` of a WACZ file."""
    has_archive = False
    try:
        for entry in zip_entries(stream, _LARGEST):
            name = entry.name
            if not _is_warc(name):
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
                if is_environment_error(error):
                    raise
                yield unread(where, f"damaged member: {error}", name)
    except (*ZIP_ERRORS, zipfile.LargeZipFile) as error:
        if is_environment_error(error):
            raise
        yield unread(source, f"damaged archive: {error}")
        return
    if not has_archive:
        yield unread(source, "the WACZ file has no WARC file in its folder archive/")
