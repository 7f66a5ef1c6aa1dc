"""Inputs of any kind, in any mix, as one stream of pages."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from understandability.errors import InputError, MissingExtraError, in_one_line
from understandability.inputs.archives import PAGE_SUFFIXES, read_archive_pages
from understandability.inputs.limits import DEFAULT_LIMIT, too_long, unread
from understandability.inputs.office import (
    DOCX,
    OFFICE_SUFFIXES,
    PDF,
    read_office,
    require_office_extra,
)
from understandability.inputs.page_tables import (
    TableColumns,
    Tables,
    read_arrow_pages,
    read_csv_pages,
    read_jsonl_pages,
)
from understandability.inputs.parquet import read_parquet_pages
from understandability.inputs.parts import File as File  # importable from here, too
from understandability.inputs.parts import InputPart, plan_parts
from understandability.inputs.streams import (
    DamagedStreamError,
    file_system,
    is_url,
    open_file,
    open_stream,
    read_bounded,
)
from understandability.inputs.trec_pages import read_trec_pages
from understandability.inputs.warc import read_warc
from understandability.text.page import TEXT, Failure, Page

StreamPages = Callable[[io.BufferedReader, str, int, Counter[str]], Iterator[Page | Failure]]
TablePages = Callable[[io.BufferedReader, str, int, Tables], Iterator[Page | Failure]]

CONTAINER_SUFFIXES: dict[str, StreamPages] = {
    ".warc": read_warc,
    ".wet": read_warc,
    ".trec": read_trec_pages,
    ".trectext": read_trec_pages,
    ".trecweb": read_trec_pages,
    ".tar": partial(read_archive_pages, is_zip=False),
    ".tgz": partial(read_archive_pages, is_zip=False),
    ".zip": partial(read_archive_pages, is_zip=True),
}
TABLE_SUFFIXES: dict[str, TablePages] = {
    ".jsonl": read_jsonl_pages,
    ".ndjson": read_jsonl_pages,
    ".csv": partial(read_csv_pages, delimiter=","),
    ".tsv": partial(read_csv_pages, delimiter="\t"),
    ".arrow": read_arrow_pages,
    ".feather": read_arrow_pages,
}
_PARQUET = ".parquet"
_ARCHIVES = (".tar", ".tgz", ".zip")
# Folders hold such tables of other things than pages; they are read where columns are chosen.
_SELDOM_PAGES = (".csv", ".tsv")
_SUFFIXES = (*PAGE_SUFFIXES, *CONTAINER_SUFFIXES, *TABLE_SUFFIXES, _PARQUET, *OFFICE_SUFFIXES)
_COMPRESSION = (".gz", ".zst")
# What is piped in is told by its first bytes, or by its first text.
_MARKS = {
    b"WARC/1.": ".warc", b"WARC/0.": ".warc", b"PK\x03\x04": DOCX, b"%PDF": PDF,
    b"ARROW1": ".arrow",
}  # fmt: skip
_STARTS = {b"<DOC>": ".trec", b'{"': ".jsonl", b"{ ": ".jsonl", b"<": ".html"}


class Sources:
    """The pages of files, folders, URLs and standard input (``-``), one after another.

    Iterating gives a `Page` for each document and a `Failure` in the place of each that cannot
    be read; `skipped` counts what is no document (a redirect, a style sheet), by kind.

    The docno of a file is its path below the input that was given, of a single file its name;
    of a member of an archive its path in there; of a record its identifier. Where files of two
    inputs would have one docno, the name of its input stands before each.

    `docnos` keeps the documents of a list; `limit` bounds the decoded bytes of a document;
    `columns` says what columns of tables are, and `remarks` what had to be guessed.
    Raises `InputError` at once where a path is missing, of an unknown kind, or an empty folder.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        docnos: Collection[str] | None = None,
        limit: int = DEFAULT_LIMIT,
        columns: TableColumns | None = None,
    ) -> None:
        self.docnos, self.limit = docnos, limit
        self._stream: io.BufferedReader | None = None
        self._records = 0
        self.columns = columns or TableColumns()
        self.remarks: list[str] = []
        self._tables = Tables(self.columns, self.remarks)
        self.skipped: Counter[str] = Counter()
        self.without: frozenset[str] = frozenset()
        self.files = self._apart([file for path in paths for file in self._find(str(path))])

    def __iter__(self) -> Iterator[Page | Failure]:
        for file in self.files:
            yield from self.read(file)

    def without_files(self) -> Sources:
        """Sources without files of their own, that `read` those of these."""
        sources = Sources([], docnos=self.docnos, limit=self.limit, columns=self.columns)
        sources.without = self.without
        return sources

    def give_up(self, paths: Collection[str], before: Sequence[File]) -> None:
        """Read some files no more: each is one failure, at its place among the files `before`."""
        self.without = frozenset(paths)
        names = {file.path: file.docno for file in before}
        self.files = [
            replace(file, docno=names.get(file.path, file.docno))
            for file in self.files
            if file.path not in self.without
        ]
        for place, file in enumerate(before):
            if file.path in self.without:
                self.files.insert(place, file)

    def read(self, file: File) -> Iterator[Page | Failure]:
        """Yield the requested pages of one of `files`."""
        if file.path in self.without:
            yield _printable(unread(file.path, "given up (--without)", file.docno))
            return
        before = self._records + self.skipped.total()
        for part in plan_parts(file):
            yield from self._read_part(part)
        if self._records + self.skipped.total() == before:
            yield unread(file.path, "there is no document in it", file.docno)

    def read_part(self, part: InputPart) -> Iterator[Page | Failure]:
        """Yield the requested pages of a part that `plan_parts` returned."""
        yield from self.read(part.file) if part.is_whole else self._read_part(part)

    def _read_part(self, part: InputPart) -> Iterator[Page | Failure]:
        try:
            for record in self._read_file(part.file):
                self._records += 1
                if self.docnos is None or record.docno in self.docnos:
                    yield _printable(record)
        except Exception as error:  # an unforeseen fault of a reader must not end a crawl
            self._records += 1
            message = str(error)
            if not isinstance(error, InputError | MissingExtraError | OSError):
                message = f"reading stopped here: {type(error).__name__}: {error}"
            yield _printable(unread(part.source, message, part.file.docno))

    @property
    def position(self) -> int:
        """About how many bytes of a file were read, before decoding; 0 of a pipe."""
        try:
            return 0 if self._stream is None or self._stream.closed else self._stream.raw.tell()
        except OSError:
            return 0

    def _apart(self, files: Sequence[File]) -> list[File]:
        """Each file once, with a docno of its own."""
        once: dict[str, File] = {}
        for file in files:
            if file.path in once:
                self.skipped["files that were named twice"] += 1
            else:
                once[file.path] = file
        times = Counter(file.docno for file in once.values())
        return [
            replace(file, docno=file.input if file.is_input else f"{file.input}/{file.docno}")
            if times[file.docno] > 1
            else file
            for file in once.values()
        ]

    def _find(self, path: str) -> Iterator[File]:
        """The files that a path stands for."""
        if path == "-":
            yield File("-", "-", "-", 0)
            return
        if not path:
            raise InputError("an input has no name; name a file, a folder, or - for standard input")
        system, top = file_system(path) if is_url(path) else (None, "")
        here = Path(path)
        if system.isdir(top) if system else here.is_dir():
            before = len(self.skipped)
            below = self._find_below(system, top, path) if system else self._find_in_folder(here)
            files = list(below)
            if not files:
                counts = (f"{count} {what}" for what, count in self.skipped.most_common(5))
                seen = f"; there are {', '.join(counts)}" if len(self.skipped) > before else ""
                raise InputError(f"{path} has no pages in it{seen}; pages end in {_allowed()}")
            yield from files
        elif system.exists(top) if system else here.exists():
            suffix = _suffix(path)
            if suffix is None:
                is_sheet = path.lower().endswith((".xlsx", ".xls", ".ods"))
                how = "save it as CSV" if is_sheet else f"inputs end in {_allowed()}"
                raise InputError(f"{path} has an unknown suffix; {how}")
            require_office_extra(suffix)
            name = path if system else here.as_posix()
            size = int(system.size(top) or 0) if system else here.stat().st_size
            yield File(name.rpartition("/")[2], name, name, size)
        else:
            raise InputError(
                f"{path} does not exist; name a file, a folder, or - for standard input"
            )

    def _find_in_folder(self, folder: Path) -> Iterator[File]:
        for parent, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(parent, name)
                _check_versions(file.relative_to(folder).as_posix(), str(folder))
                if self._is_input(name, file.is_file()):
                    docno = file.relative_to(folder).as_posix()
                    yield File(docno, file.as_posix(), folder.as_posix(), file.stat().st_size)

    def _find_below(self, system: Any, top: str, url: str) -> Iterator[File]:
        url = url.rstrip("/")
        for path, entry in sorted(system.find(top, detail=True).items()):
            name = path.removeprefix(top).lstrip("/")
            _check_versions(name, url)
            if self._is_input(name.rpartition("/")[2], not name.startswith(".")):
                yield File(name, system.unstrip_protocol(path), url, int(entry["size"] or 0))

    def _is_input(self, name: str, is_file: bool) -> bool:
        """Whether a file of a folder is read; counts it where not."""
        suffix = _suffix(name)
        if name.startswith(".") or not is_file:
            self.skipped["hidden and special files"] += 1
        elif suffix is None or (suffix in _SELDOM_PAGES and not self.columns):
            self.skipped[f"files with the suffix {Path(name).suffix or '(none)'}"] += 1
        else:
            return True
        return False

    def _read_file(self, file: File) -> Iterator[Page | Failure]:
        path = file.path
        if path != "-" and _suffix(path) == _PARQUET:
            yield from read_parquet_pages(path, self.limit, self._tables)
            return
        with open_stream(path) as stream:
            self._stream = stream
            suffix = _suffix_of_content(stream) if path == "-" else _suffix(path) or ""
            if suffix == ".txt" and stream.peek(5).lstrip()[:5].upper() == b"<DOC>":
                suffix = ".trec"  # as TREC's own disks name them
            if suffix in OFFICE_SUFFIXES:
                yield read_office(suffix, stream, file.docno, path, self.limit)
            elif suffix in TABLE_SUFFIXES:
                yield from TABLE_SUFFIXES[suffix](stream, path, self.limit, self._tables)
            elif suffix in CONTAINER_SUFFIXES:
                for record in CONTAINER_SUFFIXES[suffix](stream, path, self.limit, self.skipped):
                    if suffix in _ARCHIVES and record.path != path and not file.is_input:
                        record = replace(record, docno=f"{file.docno}!{record.docno}")
                    yield record
            else:
                media_type = PAGE_SUFFIXES.get(suffix, TEXT)
                yield _read_page(stream, file.docno, path, media_type, self.limit)


def read_pages(
    *paths: str | Path,
    docnos: Collection[str] | None = None,
    limit: int = DEFAULT_LIMIT,
    columns: TableColumns | None = None,
) -> Sources:
    """The pages of `paths`; see `Sources`.

    >>> from understandability.resources import resource
    >>> [page.docno for page in read_pages(resource("samples"))]
    ['easy.html', 'hard.html', 'medium.html']
    """
    return Sources(paths, docnos=docnos, limit=limit, columns=columns)


def holds_many(path: str) -> bool:
    """Whether a file may hold many pages, as far as its name tells."""
    return _suffix(path) not in (*PAGE_SUFFIXES, *OFFICE_SUFFIXES)


def is_read_by_arrow(path: str) -> bool:
    """Whether Arrow reads a file, whose native code may end the process where it is damaged."""
    return _suffix(path) in (".arrow", ".feather", _PARQUET)


def typed_columns(path: str) -> Any:
    """The Arrow schema that a file states, if any; raises `InputError` where it is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    suffix = _suffix(path)
    try:
        if suffix == _PARQUET:
            with open_file(path) as file:
                return pq.read_schema(file)
        if suffix in (".arrow", ".feather"):
            with open_stream(path) as stream:
                stream.read(8 if stream.peek(6)[:6] == b"ARROW1" else 0)
                return pa.ipc.open_stream(stream).schema
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read as a table: {in_one_line(error)}") from error
    return None


def _read_page(
    stream: io.BufferedReader, docno: str, path: str, media_type: str, limit: int
) -> Page | Failure:
    try:
        content = read_bounded(stream, limit)
    except DamagedStreamError as error:
        return unread(path, error, docno)
    if content is None:
        return unread(path, too_long(limit), docno)
    if not content:
        return unread(path, "the file is empty", docno)
    return Page(docno, path, content, media_type)


def _printable(record: Page | Failure) -> Page | Failure:
    """The record with names that files can hold: an escape in JSON may be half a character."""
    names = [name for name in ("docno", "path", "url", "error") if getattr(record, name, None)]
    texts = {name: getattr(record, name) for name in names}
    if all(text.isascii() for text in texts.values()):
        return record
    return replace(
        record,
        **{name: text.encode("utf-8", "backslashreplace").decode() for name, text in texts.items()},
    )


def _check_versions(name: str, folder: str) -> None:
    """Raise what is wrong with a folder that has such a file: it belongs to a versioned table."""
    versioned = "Delta" if "/_delta_log/" in f"/{name}" else "Iceberg"
    if versioned == "Delta" or name.endswith(".metadata.json"):
        raise InputError(
            f"{folder} holds a {versioned} table ({name}), whose files are also those of older "
            "versions; read it with its own package, and score the result with ud.score_table"
        )


def _suffix(name: str) -> str | None:
    """The suffix that tells how a file is read, without that of its compression."""
    base = name.lower()
    for suffix in _COMPRESSION:
        base = base.removesuffix(suffix)
    suffix = PurePosixPath(base).suffix
    return suffix if suffix in _SUFFIXES else None


def _suffix_of_content(stream: io.BufferedReader) -> str:
    """The kind of what is piped in."""
    first = stream.peek(512)[:512]
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n")[:16].upper()
    if first.startswith(b"PAR1"):
        raise InputError("Parquet cannot be piped in; name the file")
    if first[257:262] == b"ustar":
        return ".tar"
    for mark, suffix in _MARKS.items():
        if first.startswith(mark):
            return suffix
    for mark, suffix in _STARTS.items():
        if start.startswith(mark):
            return suffix
    return ".txt"


def _allowed() -> str:
    return f"{', '.join(_SUFFIXES)} (also with .gz or .zst)"


def is_path(text: str) -> bool:
    """Whether a text names a file, a folder or a URL."""
    if is_url(text) or text == "-":
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # longer than any name, or with a null character
        return False


def with_progress(
    pages: Iterable[Page | Failure], progress: Callable[[int, int], None] | None
) -> Iterator[Page | Failure]:
    """The pages; `progress` is called with how many there were, and how many errors."""
    errors = 0
    for number, page in enumerate(pages, 1):
        errors += isinstance(page, Failure)
        if progress is not None:
            progress(number - errors, errors)
        yield page
