"""Read and write bundle folders, ``bundle.json`` and weight files, as bytes.

`model.bundle` interprets the content. Reading trusts nothing: names cannot point outside the
folder, sizes are bounded, every file must have the checksum in ``bundle.json``, and control
characters in texts are replaced.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understandability.errors import InputError
from understandability.inputs.writing import unfinished
from understandability.resources import resource_folder

FORMAT = 1
DESCRIPTION = "bundle.json"
MAX_BYTES = 256_000_000
_MAX_DESCRIPTION_BYTES = 4_000_000
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\.npz")


@dataclass(frozen=True, slots=True)
class BundleFiles:
    """The content of a bundle's folder: the object in ``bundle.json``, and weight files by name.

    `where` names the folder in messages. `checksum` is the SHA-256 of ``bundle.json``, which holds
    the checksums of all other files.
    """

    where: str
    checksum: str
    description: dict[str, Any]
    weights: dict[str, bytes]


def embedded_bundles() -> tuple[str, ...]:
    """Return the names of the bundles that come with the package."""
    folder = resource_folder() / "bundles"
    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{DESCRIPTION}")))


def read_bundle(name_or_path: str | Path) -> BundleFiles:
    """Read a bundle by name, if it comes with the package, or by the path of its folder.

    Raises `InputError` if it is missing, damaged, altered or unsafe, or has a newer format.
    """
    folder = folder_of(name_or_path)
    where = f"bundle {name_or_path}"
    content = _content(folder, DESCRIPTION, _MAX_DESCRIPTION_BYTES, where)
    description = _description(content, where)
    weights = {}
    for name, entry in description["files"].items():
        if not _FILE_NAME.fullmatch(name):
            raise InputError(
                f"{where} is refused: it names a file {name[:40]!r}; weights must be .npz files "
                f"next to {DESCRIPTION}"
            )
        weights[name] = _content(folder, name, MAX_BYTES, where)
        expected = entry.get("sha256") if isinstance(entry, dict) else None
        if hashlib.sha256(weights[name]).hexdigest() != expected:
            raise InputError(
                f"{where} is refused: {name} is truncated or was altered (its checksum is not "
                f"the one in {DESCRIPTION}); get the bundle again"
            )
    return BundleFiles(where, hashlib.sha256(content).hexdigest(), description, weights)


def check_bundle_folder(folder: str | Path) -> None:
    """Raise `InputError` if no bundle can be written to the folder. Call it before training."""
    target = Path(folder)
    is_bundle = target.is_dir() and all(
        path.name == DESCRIPTION or _FILE_NAME.fullmatch(path.name) for path in target.iterdir()
    )
    if target.exists() and not is_bundle:
        raise InputError(f"{folder} holds other files and no bundle; name a new folder")
    if not target.absolute().parent.is_dir():
        raise InputError(f"{folder} cannot be written: its folder does not exist; make it first")


def write_bundle(
    folder: str | Path, description: Mapping[str, Any], weights: Mapping[str, bytes]
) -> None:
    """Write a bundle to a folder, completely or not at all; an older bundle there is replaced."""
    check_bundle_folder(folder)
    files = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in sorted(weights.items())
    }
    text = json.dumps(
        {"format": FORMAT, **description, "files": files}, indent=1, ensure_ascii=False
    )
    write_folder(Path(folder), {**weights, DESCRIPTION: f"{text}\n".encode()})


def write_folder(folder: Path, files: Mapping[str, bytes | memoryview]) -> None:
    """Write a folder of files, completely or not at all; an existing folder is replaced."""
    with unfinished(folder) as temporary:
        try:
            temporary.mkdir()
            for name, content in files.items():
                (temporary / name).write_bytes(content)
            if folder.exists():
                shutil.rmtree(folder)
            temporary.replace(folder)
        except OSError as error:
            raise InputError(f"{folder} cannot be written: {error.strerror}") from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def folder_of(name_or_path: str | Path) -> Path:
    """Return the folder of a bundle; raise `InputError` if it does not exist."""
    if str(name_or_path) in embedded_bundles():
        return resource_folder() / "bundles" / str(name_or_path)
    folder = Path(name_or_path)
    if not (folder / DESCRIPTION).is_file():
        problem = f"has no {DESCRIPTION}" if folder.is_dir() else "does not exist"
        raise InputError(
            f"bundle {name_or_path} {problem}; give the folder of a bundle, or one of the names "
            f"{', '.join(embedded_bundles())}"
        )
    return folder


def _content(folder: Path, name: str, limit: int, where: str) -> bytes:
    path = folder / name
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{where} is incomplete: it has no file {name}; get the bundle again")
    if path.stat().st_size > limit:
        raise InputError(f"{where} is refused: {name} has more than {limit // 1_000_000} MB")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{where}: {name} cannot be read: {error.strerror}") from error


def _parse_int(digits: str) -> int | float:
    """Parse an integer of JSON; one of 19 digits or more, which no array can hold, becomes a
    float.
    """
    return int(digits) if len(digits) < 19 else float(digits)


def _printable(value: Any) -> Any:
    r"""Replace unprintable characters in all strings of a JSON value.

    Control characters can change a terminal, and direction marks can reverse the text. Line breaks
    become spaces.

    >>> _printable({"name": "a\x1b[2J\nb"})
    {'name': 'a�[2J b'}
    """
    if isinstance(value, str):
        if value.isprintable():
            return value
        text = " ".join(value.splitlines()).replace("\t", " ")
        return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    if isinstance(value, list):
        return [_printable(entry) for entry in value]
    if isinstance(value, dict):
        return {_printable(key): _printable(entry) for key, entry in value.items()}
    return value


def _description(content: bytes, where: str) -> dict[str, Any]:
    try:
        description = json.loads(content, parse_int=_parse_int)
        # JSON can escape half of a surrogate pair, which cannot be printed; encoding it fails.
        json.dumps(description, ensure_ascii=False).encode()
        description = _printable(description)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where} is refused: its {DESCRIPTION} is not JSON, perhaps truncated; "
            "get the bundle again"
        ) from error
    if not isinstance(description, dict) or not isinstance(description.get("files"), dict):
        raise InputError(f"{where} is refused: its {DESCRIPTION} does not describe a bundle")
    version = description.get("format")
    if not isinstance(version, int) or version < 1:
        raise InputError(f"{where} is refused: its {DESCRIPTION} states no format")
    if version > FORMAT:
        raise InputError(
            f"{where} has format {version}, from a newer version of the toolkit; this one reads "
            f"format {FORMAT}: upgrade it from the newer source"
        )
    return description
