"""Fetch a file that a user names; nothing else in the package touches the network."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

from understandability.errors import InputError
from understandability.inputs.archives import MAX_BYTES

_CHUNK = 1 << 20


def is_url(source: str) -> bool:
    """Whether the source is an address to download from.

    >>> is_url("https://nlmpubs.nlm.nih.gov/mesh/d2024.bin"), is_url("d2024.bin")
    (True, False)
    """
    return source.lower().startswith(("http://", "https://"))


def download(url: str, target: Path) -> Path:
    """Save what is at `url` as `target`; `InputError` where that fails or is too long."""
    try:
        with urllib.request.urlopen(url, timeout=60) as response, target.open("wb") as file:
            size = 0
            while chunk := response.read(_CHUNK):
                size += len(chunk)
                if size > MAX_BYTES:
                    raise InputError(f"{url} is longer than {MAX_BYTES >> 20} MB")
                file.write(chunk)
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError(f"{url} cannot be downloaded: {reason}") from error
    return target
