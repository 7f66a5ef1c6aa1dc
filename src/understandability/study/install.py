"""Install medical vocabularies: read their various file formats once, and store them in one
format.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatch
from io import BufferedReader
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from cyclopts import Parameter

from understandability.errors import InputError, OptionError, check_choice
from understandability.inputs.archives import MAX_BYTES, members, safe_name
from understandability.inputs.fetching import is_address
from understandability.resources import resource_lines
from understandability.study import vocabulary_files as files
from understandability.study.installed import (
    MANIFEST,
    TABLE,
    VARIABLE,
    Manifest,
    installed,
    installed_folder,
)

Reader = Callable[[BufferedReader, str], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Installable:
    """A vocabulary that can be installed, or other files that are copied unchanged.

    `names` lists alternatives, each of one or more file name patterns separated by blanks. In a
    folder or an archive, all files of the first alternative that is present are read. A single file
    is read whatever its name.
    """

    name: str
    title: str
    origin: str
    names: tuple[str, ...]


NLTK_DATA = "nltk-data"  # copied unchanged
_NLTK_FOLDERS = (
    *("chunkers", "corpora", "grammars", "help", "misc"),
    *("models", "sentiment", "stemmers", "taggers", "tokenizers"),
)


def _keep_folders(paths: Sequence[Path], folder: Path) -> int:
    """Copy the folders of NLTK's data; return the number of files."""
    entries = 0
    for path in paths:
        for member in members(path, keep_compressed=True):
            parts = PurePosixPath(safe_name(member.name, path)).parts
            start = next((i for i, part in enumerate(parts) if part in _NLTK_FOLDERS), None)
            if start is None or start == len(parts) - 1:
                continue
            target = folder.joinpath(*parts[start:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(member.stream, file)
            entries += 1
    if not entries:
        raise InputError(
            f"{', '.join(map(str, paths))} holds none of NLTK's folders, such as tokenizers"
        )
    return entries


# The vocabularies that are more than a list of words.
# fmt: off
_READERS: Mapping[str, Reader] = {
    "chv": files.read_chv, "mesh": files.read_mesh, "icd10cm": files.read_icd10cm,
    "drugbank": files.read_drugbank, "adam": files.read_adam, "metamap": files.read_mmi,
    "disease-ontology": files.read_disease_ontology,
    "symptom-ontology": files.read_symptom_ontology,
}
# fmt: on
INSTALLABLE: dict[str, Installable] = {
    name: Installable(name, title, origin, tuple(filter(None, patterns.split(" | "))))
    for name, patterns, title, origin in (
        line.split("\t") for line in resource_lines("vocabularies.tsv")[1:]
    )
}


def listed() -> dict[str, tuple[Installable, Manifest | None]]:
    """Show which vocabularies can be installed, where to get them, and which are installed.

    Example: understand resources list
    """
    return {name: (resource, installed(name)) for name, resource in INSTALLABLE.items()}


def install(
    name: str,
    sources: Annotated[Sequence[str], Parameter("--from", metavar="PATH_OR_URL")] = (),
) -> Manifest:
    """Read a vocabulary and store it for the features that need it.

    Nothing is downloaded unless you give a URL. A folder or an archive may have other files too. An
    earlier vocabulary of that name is replaced after everything was read.

    Example: understand resources install mesh --from d2024.bin

    Args:
        name: A name that `list` shows.
        sources: Files, folders or archives as distributed, or URLs.

    In Python:
        Raises `InputError` if a source is missing, damaged or in an unknown format.
    """
    check_choice("resource", name, INSTALLABLE)
    resource = INSTALLABLE[name]
    if not sources:
        raise OptionError(f"give --from PATH or URL of {name}; it comes from {resource.origin}")
    root = installed_folder()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{root} cannot be made ({error.strerror}); set {VARIABLE} to another folder"
        ) from error
    with TemporaryDirectory(prefix=f".{name}-", dir=root) as work:
        new = Path(work) / "new"
        new.mkdir()
        paths = []
        for number, source in enumerate(sources):
            if is_address(source):
                paths.append(_download(source, Path(work) / f"download-{number}"))
            elif Path(source).exists():
                paths.append(Path(source))
            else:
                raise InputError(f"{source} does not exist")
        if name == NLTK_DATA:
            entries = _keep_folders(paths, new)
        else:
            entries = _keep_table(resource, paths, new / TABLE)
        copied = [path for path in sorted(new.rglob("*")) if path.is_file()]
        manifest = Manifest(
            name=name,
            sources={
                source: _sha256(path) if path.is_file() else ""
                for source, path in zip(sources, paths, strict=True)
            },
            entries=entries,
            files={path.relative_to(new).as_posix(): _sha256(path) for path in copied},
        )
        (new / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n", "utf-8")
        if (root / name).exists():
            (root / name).rename(Path(work) / "old")
        new.rename(root / name)
    return manifest


def verify_all() -> dict[str, str | None]:
    """Check every installed file against its SHA-256; ends with status 1 if one has changed.

    Example: understand resources verify

    In Python:
        Returns the problem of each installed resource, or None.
    """
    return {name: verify(name) for name in INSTALLABLE if installed(name)}


def verify(name: str) -> str | None:
    """Return the problem of an installed vocabulary, such as a changed file, or None."""
    manifest = installed(name)
    if manifest is None:
        return "is not installed"
    for file, digest in manifest.files.items():
        path = installed_folder() / name / safe_name(file, Path(MANIFEST))
        if not path.is_file():
            return f"has lost {file}; install it again"
        if _sha256(path) != digest:
            return f"has changed in {file}; install it again"
    return None


def _keep_table(resource: Installable, paths: Sequence[Path], table: Path) -> int:
    """Write the entries of a vocabulary to a table, one per line, and return their number."""
    reader = _READERS.get(resource.name, files.read_words)
    entries = 0
    groups = set()
    with table.open("w", encoding="utf-8", newline="\n") as file:
        for path in paths:
            chosen = _chosen_members(resource, path)
            for member in members(path):
                if chosen is not None and member.name not in chosen:
                    continue
                for entry in reader(member.stream, member.name):
                    values = (getattr(entry, field.name) for field in fields(entry))
                    row = ("" if value is None else str(value) for value in values)
                    # White space of any kind and number would break the table.
                    file.write("\t".join(" ".join(value.split()) for value in row) + "\n")
                    entries += 1
                    groups.add(getattr(entry, "group", ""))
    if not entries:
        raise InputError(f"{', '.join(map(str, paths))} holds no entry of {resource.name}")
    if resource.name == "chv" and (missing := {"", files.STOP} - groups):
        part = "stop concepts" if files.STOP in missing else "terms"
        raise InputError(
            f"{', '.join(map(str, paths))} holds no {part} of {resource.name}; give the folder or "
            "archive with both files (--from FOLDER), or both files (--from FILE --from FILE)"
        )
    return entries


def _chosen_members(resource: Installable, path: Path) -> set[str] | None:
    """Return the names of the files to read from a folder or archive; None for a single file."""
    names = [member.name for member in members(path)]
    if names in ([], [path.name]):
        return None
    for patterns in resource.names:
        matches = {
            name
            for name in names
            if any(fnmatch(PurePosixPath(name).name.lower(), one) for one in patterns.split())
        }
        if matches:
            return matches
    if len(names) == 1:
        return None
    expected = ", ".join(" ".join(resource.names).split())
    raise InputError(
        f"{path} holds no file of {resource.name}; it should hold one called {expected}"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(url: str, target: Path) -> Path:
    try:
        with urllib.request.urlopen(url, timeout=60) as response, target.open("wb") as file:
            size = 0
            while chunk := response.read(1 << 20):
                size += len(chunk)
                if size > MAX_BYTES:
                    raise InputError(f"{url} is longer than {MAX_BYTES >> 20} MB")
                file.write(chunk)
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError(f"{url} cannot be downloaded: {reason}") from error
    return target
