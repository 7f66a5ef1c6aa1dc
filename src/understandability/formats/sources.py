"""Inputs of any kind, in any mix, as one stream of pages."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from understandability.errors import InputError, MissingExtraError
from understandability.formats.containers import (
    PAGE_SUFFIXES,
    read_jsonl_pages,
    read_parquet_pages,
    read_tar_pages,
    read_trec_pages,
)
from understandability.formats.docx import SUFFIX as DOCX
from understandability.formats.docx import check_extra, read_docx
from understandability.formats.http import too_long
from understandability.formats.warc import read_warc
from understandability.records import TEXT, Failure, Page
from understandability.storage.remote import file_system, is_url
from understandability.storage.streams import (
    DamagedStreamError,
    open_stream,
    position,
    read_bounded,
)

DEFAULT_LIMIT = 10_000_000  # decoded bytes of one document

StreamReader = Callable[[io.BufferedReader, str, int, Counter[str]], Iterator[Page | Failure]]

CONTAINER_SUFFIXES: dict[str, StreamReader] = {
    ".warc": read_warc,
    ".wet": read_warc,
    ".jsonl": read_jsonl_pages,
    ".ndjson": read_jsonl_pages,
    ".trec": read_trec_pages,
    ".trectext": read_trec_pages,
    ".trecweb": read_trec_pages,
    ".tar": read_tar_pages,
    ".tgz": read_tar_pages,
}
_PARQUET = ".parquet"
_COMPRESSION = (".gz", ".zst")


class Sources:
    """The pages of files, folders, URLs and standard input (``-``), one after another.

    Iterating gives a `Page` for each document and a `Failure` in the place of each that cannot
    be read; `skipped` counts what is no document (a redirect, a style sheet), by kind. The
    docno of a file is its path as given; of a file in a folder, its path below that folder; of
    a member of an archive, its name; of a record, its identifier.

    `docnos` keeps the documents of a list; `limit` bounds the decoded bytes of a document.
    Raises `InputError` at once where a path is missing, of an unknown kind, or an empty folder.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        docnos: Collection[str] | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        self.docnos, self.limit = docnos, limit
        self._stream: io.BufferedReader | None = None
        self.skipped: Counter[str] = Counter()
        self.files = [found for path in paths for found in self._find(str(path))]

    def __iter__(self) -> Iterator[Page | Failure]:
        for docno, path in self.files:
            yield from self.read(docno, path)

    def read(self, docno: str, path: str) -> Iterator[Page | Failure]:
        """The pages of one of `files`, of those asked for."""
        nothing = True
        before = self.skipped.total()
        try:
            for record in self._read_file(docno, path):
                nothing = False
                if self.docnos is None or record.docno in self.docnos:
                    yield _printable(record)
        except (InputError, MissingExtraError, OSError) as error:
            nothing = False
            yield Failure(docno, path, "read", str(error))
        except Exception as error:  # what a reader never foresaw must not end a crawl
            nothing = False
            message = f"reading stopped here: {type(error).__name__}: {error}"
            yield Failure(docno, path, "read", message)
        if nothing and self.skipped.total() == before:
            yield Failure(docno, path, "read", "there is no document in it")

    @property
    def position(self) -> int:
        """How many bytes of the file that is being read have been read, where that is known."""
        stream = self._stream
        return 0 if stream is None or stream.closed else position(stream)

    def _find(self, path: str) -> Iterator[tuple[str, str]]:
        """The files that a path stands for, each with its docno."""
        if path == "-":
            yield "-", "-"
            return
        if is_url(path):
            yield from self._find_remote(path)
            return
        here = Path(path)
        if here.is_dir():
            yield from self._some(path, self._find_in_folder(here))
        elif here.exists():
            yield _of_known_kind(here.as_posix(), path)
        else:
            raise InputError(
                f"{path} does not exist; name a file, a folder, or - for standard input"
            )

    def _find_remote(self, url: str) -> Iterator[tuple[str, str]]:
        system, top = file_system(url)
        if system.isdir(top):
            yield from self._some(url, self._find_below(system, top))
        elif system.exists(top):
            yield _of_known_kind(url, url)
        else:
            raise InputError(
                f"{url} does not exist; name a file, a folder, or - for standard input"
            )

    def _some(self, path: str, files: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
        """The files of a folder, of which there must be some."""
        before = len(self.skipped)
        found = list(files)
        if not found:
            seen = f"; there are {self._unknown_names()}" if len(self.skipped) > before else ""
            raise InputError(f"{path} has no pages in it{seen}; pages end in {_allowed()}")
        return found

    def _find_in_folder(self, folder: Path) -> Iterator[tuple[str, str]]:
        for parent, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(parent, name)
                if self._is_input(name, file.is_file()):
                    yield file.relative_to(folder).as_posix(), str(file)

    def _find_below(self, system: Any, top: str) -> Iterator[tuple[str, str]]:
        for path in sorted(system.find(top)):
            name = path.removeprefix(top).lstrip("/")
            if self._is_input(name.rpartition("/")[2], not name.startswith(".")):
                yield name, system.unstrip_protocol(path)

    def _is_input(self, name: str, is_file: bool) -> bool:
        """Whether a file of a folder is read; counts it where not."""
        if name.startswith(".") or not is_file:
            self.skipped["hidden and special files"] += 1
        elif _kind(name) is None:
            self.skipped[f"files with the suffix {Path(name).suffix or '(none)'}"] += 1
        else:
            return True
        return False

    def _unknown_names(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in self.skipped.most_common(5))

    def _read_file(self, docno: str, path: str) -> Iterator[Page | Failure]:
        if path != "-" and _kind(path) == _PARQUET:
            yield from read_parquet_pages(path, path, self.limit, self.skipped)
            return
        with open_stream(path) as stream:
            self._stream = stream
            kind = _kind_of_content(stream) if path == "-" else _kind(path) or ""
            if kind == ".txt" and stream.peek(5).lstrip()[:5].upper() == b"<DOC>":
                kind = ".trec"  # as TREC's own disks name them
            if kind == DOCX:
                yield read_docx(stream, docno, path, self.limit)
            elif kind in CONTAINER_SUFFIXES:
                reader = CONTAINER_SUFFIXES[kind]
                yield from reader(stream, path, self.limit, self.skipped)
            else:
                yield _read_page(stream, docno, path, PAGE_SUFFIXES.get(kind, TEXT), self.limit)


def read_pages(
    *paths: str | Path, docnos: Collection[str] | None = None, limit: int = DEFAULT_LIMIT
) -> Sources:
    """The pages of `paths`; see `Sources`.

    >>> from understandability.storage.resources import resource
    >>> [page.docno for page in read_pages(resource("samples"))]
    ['easy.html', 'hard.html', 'medium.html']
    """
    return Sources(paths, docnos=docnos, limit=limit)


def holds_many(path: str) -> bool:
    """Whether a file may hold many pages, as far as its name tells."""
    return _kind(path) not in (*PAGE_SUFFIXES, DOCX)


def size_of(path: str) -> int:
    """The bytes of a file or of what is behind a URL, as stored."""
    if is_url(path):
        system, there = file_system(path)
        return int(system.size(there))
    return Path(path).stat().st_size


def _read_page(
    stream: io.BufferedReader, docno: str, path: str, media_type: str, limit: int
) -> Page | Failure:
    try:
        content = read_bounded(stream, limit)
    except DamagedStreamError as error:
        return Failure(docno, path, "read", str(error))
    if content is None:
        return Failure(docno, path, "read", too_long(limit))
    if not content:
        return Failure(docno, path, "read", "the file is empty")
    return Page(docno, path, content, media_type)


def _printable(record: Page | Failure) -> Page | Failure:
    """The record with names that files can hold: an escape in JSON may be half a character."""
    names = [name for name in ("docno", "source", "url", "error") if getattr(record, name, None)]
    texts = {name: getattr(record, name) for name in names}
    if all(text.isascii() for text in texts.values()):
        return record
    return replace(
        record,
        **{name: text.encode("utf-8", "backslashreplace").decode() for name, text in texts.items()},
    )


def _of_known_kind(docno: str, path: str) -> tuple[str, str]:
    if _kind(path) is None:
        raise InputError(f"{path} has a suffix that is not known; inputs end in {_allowed()}")
    if _kind(path) == DOCX:
        check_extra()
    return docno, path


def _kind(name: str) -> str | None:
    """The suffix that tells how a file is read, without that of its compression."""
    base = name.lower()
    for suffix in _COMPRESSION:
        base = base.removesuffix(suffix)
    suffix = Path(base).suffix
    known = (*PAGE_SUFFIXES, *CONTAINER_SUFFIXES, _PARQUET, DOCX)
    return suffix if suffix in known else None


def _kind_of_content(stream: io.BufferedReader) -> str:
    """The kind of what is piped in, told by its first bytes."""
    first = stream.peek(512)[:512]
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n")[:16].upper()
    if first.startswith((b"WARC/1.", b"WARC/0.")):
        return ".warc"
    if first[257:262] == b"ustar":
        return ".tar"
    if start.startswith(b"<DOC>"):
        return ".trec"
    if first.startswith(b"PK\x03\x04"):
        return DOCX
    if first.startswith(b"PAR1"):
        raise InputError("Parquet cannot be piped in; name the file")
    if start.startswith((b'{"', b"{ ")):
        return ".jsonl"
    return ".html" if start.startswith(b"<") else ".txt"


def _allowed() -> str:
    return (
        ", ".join([*PAGE_SUFFIXES, *CONTAINER_SUFFIXES, _PARQUET, DOCX])
        + " (also with .gz or .zst)"
    )
