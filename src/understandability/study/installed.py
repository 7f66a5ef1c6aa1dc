"""Vocabularies that the user has installed: a folder for each, with a manifest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError

FORMAT = 1
VARIABLE = "UNDERSTANDABILITY_RESOURCES"
_PLACES = ("LOCALAPPDATA", "XDG_DATA_HOME", "HOME")
MANIFEST = "manifest.json"
TABLE = "table.tsv"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was installed: from where, how many entries, and the SHA-256 of every file kept."""

    name: str
    sources: dict[str, str]
    entries: int
    files: dict[str, str]
    format: int = FORMAT


def installed_folder() -> Path:
    """Where installed vocabularies live: `UNDERSTANDABILITY_RESOURCES`, or the platform's place."""
    return _folder(sys.platform, *map(os.environ.get, (VARIABLE, *_PLACES)))


@lru_cache(maxsize=16)
def _folder(platform: str, chosen: str | None, *places: str | None) -> Path:
    """The folder in one state of the environment; features ask for it dozens of times a page."""
    if chosen:
        return Path(chosen)
    local, data, _ = places
    if platform == "win32":
        base = Path(local or Path.home() / "AppData/Local")
    elif platform == "darwin":
        base = Path.home() / "Library/Application Support"
    else:
        base = Path(data or Path.home() / ".local/share")
    return base / "understandability" / "resources"


def installed(name: str) -> Manifest | None:
    """What is installed under that name, None if nothing is."""
    path = os.path.join(installed_folder(), name, MANIFEST)  # noqa: PTH118  # as below
    try:
        stat = os.stat(path)  # noqa: PTH116  # a tenth of the time of Path.stat
    except OSError:
        return None
    return _manifest(Path(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _manifest(path: Path, changed: int, size: int) -> Manifest:
    """The manifest of a state of its file; features ask for it with every batch."""
    name = path.parent.name
    try:
        manifest = Manifest(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path} is damaged ({error}); install {name} again") from error
    if manifest.format != FORMAT:
        raise InputError(f"{path} is of another version of the toolkit; install {name} again")
    return manifest


def nltk_folder() -> Path | None:
    """The installed folder of NLTK's data, None if there is none."""
    return installed_folder() / "nltk-data" if installed("nltk-data") else None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a vocabulary as columns; see `vocabulary_files.Term` for what they hold."""

    texts: tuple[str, ...]
    concepts: tuple[str, ...]
    values: NDArray[np.float64]
    groups: NDArray[np.str_]


def installed_terms(name: str) -> Terms:
    """The terms of an installed vocabulary, or the words of a list; a missing value is NaN."""
    return Terms(*_columns(name, (tuple, tuple, _numbers, np.array)))


@dataclass(frozen=True, slots=True)
class Mappings:
    """What MetaMap found, as columns; see `vocabulary_files.Mapping` for what they hold."""

    docnos: tuple[str, ...]
    concepts: tuple[str, ...]
    occurrences: NDArray[np.float64]
    groups: NDArray[np.str_]
    depths: NDArray[np.float64]


def installed_mappings() -> Mappings:
    """What MetaMap found in the documents of the user; a missing depth is NaN."""
    return Mappings(*_columns("metamap", (tuple, tuple, _numbers, np.array, _numbers)))


def _numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([text or "nan" for text in texts], np.float64)


def _columns(name: str, kinds: Sequence[Callable[[Sequence[str]], Any]]) -> list[Any]:
    """The columns of an installed table, each made by its kind."""
    path = installed_folder() / name / TABLE
    try:
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        columns = zip(*rows, strict=True)
        return [kind(texts) for kind, texts in zip(kinds, columns, strict=True)]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); install {name} again") from error
