"""The folder of an inverted index: ``index.json`` and arrays in ``.npz``; nothing is unpickled."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.model.bundle_files import write_folder
from understandability.model.npz import DAMAGED_ARRAYS, NO_PLAIN_ARRAYS

FORMAT = 1
HEADER = "index.json"
ARRAYS = "postings.npz"


def write_index(folder: str | Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write an index as a folder, complete or not at all; replaces an older index there."""
    target = Path(folder)
    if target.exists() and not (target / HEADER).is_file():
        raise InputError(f"{folder} holds other files and no index; name a new folder")
    content = io.BytesIO()
    np.savez(content, **arrays)
    data = content.getbuffer()
    described = {"format": FORMAT, **header, "sha256": hashlib.sha256(data).hexdigest()}
    header_text = json.dumps(described, indent=1) + "\n"
    write_folder(target, {ARRAYS: data, HEADER: header_text.encode()})


def read_index(folder: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of an index.

    Raises `InputError` where the folder is no index, damaged, altered, or of another version.
    """
    path = Path(folder)
    try:
        header = json.loads((path / HEADER).read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not an index: it has no {HEADER}; make one with `understand index build`"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"the index {folder} is damaged: {HEADER} is not JSON") from error
    version = header.get("format") if isinstance(header, dict) else None
    if version != FORMAT:
        raise InputError(
            f"the index {folder} is of format {version}, this version reads format {FORMAT}; "
            "build it again with `understand index build`"
        )
    try:
        data = (path / ARRAYS).read_bytes()
    except OSError as error:
        raise InputError(f"the index {folder} has no {ARRAYS} to read; build it again") from error
    if hashlib.sha256(data).hexdigest() != header.get("sha256"):
        raise InputError(
            f"the index {folder} is truncated or was altered (the checksum of {ARRAYS} is not "
            f"the one in {HEADER}); build it again"
        )
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return header, dict(arrays)
    except (*NO_PLAIN_ARRAYS, *DAMAGED_ARRAYS) as error:
        raise InputError(f"the index {folder} is damaged ({error}); build it again") from error
