"""`Sources`: read inputs of any type, in any mixture, as one stream of pages."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from understandability.errors import InputError, MissingExtraError, WrongTypeError, in_one_line
from understandability.flags import FlagName
from understandability.inputs.archives import PAGE_SUFFIXES, read_archive_pages
from understandability.inputs.arrow_files import read_arrow_pages
from understandability.inputs.limits import (
    DEFAULT_LIMIT,
    is_environment_error,
    stopped,
    too_long,
    unread,
)
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
    read_csv_pages,
    read_json_pages,
    read_jsonl_pages,
)
from understandability.inputs.parquet import read_parquet_pages
from understandability.inputs.parts import (
    BATCHES,
    BYTES,
    MEMBERS,
    InputPart,
    open_wacz_windows,
    open_window,
    plan_parts,
)
from understandability.inputs.parts import File as File  # importable from here, too
from understandability.inputs.streams import (
    COMPRESSION_SUFFIXES,
    DamagedStreamError,
    bounded_lines,
    file_system,
    is_url,
    is_web,
    open_file,
    open_stream,
)
from understandability.inputs.trec_pages import read_trec_pages
from understandability.inputs.wacz import read_wacz
from understandability.inputs.warc import CUT, read_arc, read_warc
from understandability.text.page import TEXT, Failure, Page
from understandability.wording import kind_of

StreamPages = Callable[[io.BufferedReader, str, int, Counter[str]], Iterator[Page | Failure]]
TablePages = Callable[[io.BufferedReader, str, int, Tables], Iterator[Page | Failure]]

CONTAINER_SUFFIXES: dict[str, StreamPages] = {
    ".warc": read_warc,
    ".wet": read_warc,
    ".arc": read_arc,
    ".trec": read_trec_pages,
    ".trectext": read_trec_pages,
    ".trecweb": read_trec_pages,
    ".tar": partial(read_archive_pages, is_zip=False),
    ".tgz": partial(read_archive_pages, is_zip=False),
    ".zip": partial(read_archive_pages, is_zip=True),
    ".wacz": read_wacz,
}
TABLE_SUFFIXES: dict[str, TablePages] = {
    ".jsonl": read_jsonl_pages,
    ".ndjson": read_jsonl_pages,
    ".json": read_json_pages,
    ".csv": partial(read_csv_pages, delimiter=None),
    ".tsv": partial(read_csv_pages, delimiter="\t"),
    ".arrow": read_arrow_pages,
    ".feather": read_arrow_pages,
}
_PARQUET = ".parquet"
_ARCHIVES = (".tar", ".tgz", ".zip")
# In folders such files mostly hold something else than pages: labels, settings. They are read only
# if columns are chosen. JSON that is compressed belongs to a data set, and is read.
_SELDOM_PAGES = (".csv", ".tsv")
_SETTINGS = ".json"
_SUFFIXES = (*PAGE_SUFFIXES, *CONTAINER_SUFFIXES, *TABLE_SUFFIXES, _PARQUET, *OFFICE_SUFFIXES)
_SPREADSHEETS = (".xlsx", ".xls", ".ods")
# The type of standard input is detected by its first bytes, or by its first text.
_MAGIC_BYTES = {
    b"WARC/1.": ".warc",
    b"WARC/0.": ".warc",
    b"PK\x03\x04": DOCX,
    b"%PDF": PDF,
    b"ARROW1": ".arrow",
}
_FIRST_TEXT = {
    b"<DOC>": ".trec",
    b'{"': ".jsonl",
    b"{ ": ".jsonl",
    b"[{": ".json",
    b"{\n": ".json",
    b"<": ".html",
}
_LONGEST_PATH = 1 << 16
_REQUESTS = 32  # at the same time, for the sizes of files on the web
_GLOB = re.compile(r"[*?\[]")
_SKIPPED = "files with the suffix "


class Sources:
    """The pages of files, folders, URLs and standard input (``-``), one after another.

    Iterating yields a `Page` for each document, or a `Failure` if it cannot be read. `skipped`
    counts records and files that are not documents (a redirect, a style sheet) by label, and
    truncated documents; `in_words` turns such a count into a message.

    The docno of a file is its path below the input, or its name if it is the input itself. A member
    of an archive has its path in the archive as docno, and a record has its id. If files of two
    inputs would have the same docno, the name of the input is put in front.

    `docnos` selects documents; `limit` bounds the decoded bytes of a document; `columns` are the
    columns of tables, and `remarks` report those that were guessed. Raises `InputError` at once for
    a missing path, an unsupported file type, or a folder without pages.
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
        self._labels: dict[str, str] = {}  # suffix -> label of skipped files
        self.without: frozenset[str] = frozenset()
        self.files = self._with_distinct_docnos([*self._find_all([str(path) for path in paths])])

    def __iter__(self) -> Iterator[Page | Failure]:
        for file in self.files:
            yield from self.read(file)

    def without_files(self) -> Sources:
        """Return sources with the same settings but no files; they can `read` any file."""
        sources = Sources([], docnos=self.docnos, limit=self.limit, columns=self.columns)
        sources.without = self.without
        return sources

    def give_up(self, paths: Collection[str], before: Sequence[File]) -> None:
        """Do not read these files any more; each becomes one failure instead.

        `before` lists all files in their order when the crawl began; the failures are at the same
        positions.
        """
        self.without = frozenset(paths)
        names = {file.path: file.docno for file in before}
        self.files = [
            replace(file, docno=names.get(file.path, file.docno))
            for file in self.files
            if file.path not in self.without
        ]
        for index, file in enumerate(before):
            if file.path in self.without:
                self.files.insert(index, file)

    def read(self, file: File) -> Iterator[Page | Failure]:
        """Yield the requested pages of one of `files`."""
        if file.path in self.without:
            yield _printable(unread(file.path, "given up (--without)", file.docno))
            return
        before = self._records + self.skipped.total()
        try:
            parts = plan_parts(file)
        except InputError as error:
            yield _printable(stopped(file.path, error, file.docno))
            return
        for part in parts:
            yield from self._read_part(part)
        if self._records + self.skipped.total() == before:
            yield unread(file.path, "there is no document in it", file.docno)

    def read_part(self, part: InputPart) -> Iterator[Page | Failure]:
        """Yield the requested pages of a part that `plan_parts` returned."""
        yield from self.read(part.file) if part.is_whole else self._read_part(part)

    def _read_part(self, part: InputPart) -> Iterator[Page | Failure]:
        try:
            for record in self._records_of(part):
                self._records += 1
                if self.docnos is None or record.docno in self.docnos:
                    yield _printable(record)
        except Exception as error:  # an unforeseen fault of a reader must not end a crawl
            self._records += 1
            if is_environment_error(error):
                yield _printable(stopped(part.source, error, part.file.docno))
                return
            message = str(error)
            if not isinstance(error, InputError | MissingExtraError | OSError):
                message = f"reading stopped here: {type(error).__name__}: {error}"
            yield _printable(unread(part.source, message, part.file.docno))

    @property
    def position(self) -> int:
        """The approximate number of bytes that were read from the current file; 0 for a pipe."""
        try:
            return 0 if self._stream is None or self._stream.closed else self._stream.raw.tell()
        except (OSError, ValueError):  # a closed file
            return 0

    def _with_distinct_docnos(self, files: Sequence[File]) -> list[File]:
        """Return each distinct file once, with a docno that no other file has."""
        distinct: dict[str, File] = {}
        for file in files:
            if file.path in distinct:
                self.skipped["files that were named twice"] += 1
            else:
                distinct[file.path] = file
        counts = Counter(file.docno for file in distinct.values())
        return [
            replace(file, docno=file.input if file.is_input else f"{file.input}/{file.docno}")
            if counts[file.docno] > 1
            else file
            for file in distinct.values()
        ]

    def _find_all(self, paths: Sequence[str]) -> Iterator[File]:
        """Yield the files of all paths; several URLs are looked up at the same time."""
        addresses = [path for path in paths if is_web(path)]
        with ThreadPoolExecutor(_REQUESTS) as pool:
            matches = pool.map(lambda path: list(self._find(path)), addresses)
            files = dict(zip(addresses, matches, strict=True))
        for path in paths:
            yield from files[path] if path in files else self._find(path)

    def _find(self, path: str) -> Iterator[File]:
        """Yield the files that a path names: itself, or the files in a folder or behind a URL."""
        if path == "-":
            yield File("-", "-", "-", 0)
            return
        if not path:
            raise InputError("an input has no name; name a file, a folder, or - for standard input")
        system, top = file_system(path) if is_url(path) else (None, "")
        here = Path(path)
        if system and not is_web(path) and _GLOB.search(top):
            matches = sorted(system.unstrip_protocol(name) for name in system.glob(top))
            if not matches:
                raise InputError(f"{path} matches no file")
            for match in matches:
                yield from self._find(match)
        # A web server has no folders; to list one would download the file.
        elif (not is_web(path) and system.isdir(top)) if system else here.is_dir():
            before = len(self.skipped)
            below = self._find_below(system, top, path) if system else self._find_in_folder(here)
            files = list(below)
            if not files:
                counts = (f"{count} {label}" for label, count in self.skipped.most_common(5))
                seen = f"; there are {', '.join(counts)}" if len(self.skipped) > before else ""
                raise InputError(f"{path} has no pages in it{seen}; pages end in {_allowed()}")
            yield from files
        elif system.exists(top) if system else here.exists():
            suffix = _suffix(path)
            if suffix is None:
                is_sheet = path.lower().endswith(_SPREADSHEETS)
                remedy = "save it as CSV" if is_sheet else f"inputs end in {_allowed()}"
                raise InputError(f"cannot read {path}: unsupported file type; {remedy}")
            require_office_extra(suffix)
            name = path if system else here.as_posix()
            size = int(system.size(top) or 0) if system else here.stat().st_size
            yield File(name.rpartition("/")[2], name, name, size)
        else:
            if reason := _network_error(system, top) if system else "":
                raise InputError(f"{path} cannot be read: {reason}")
            raise InputError(
                f"{path} does not exist; name a file, a folder, or - for standard input"
            )

    def _find_in_folder(self, folder: Path) -> Iterator[File]:
        for parent, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(parent, name)
                _refuse_versioned_table(file.relative_to(folder).as_posix(), str(folder))
                if self._is_input(name, file.as_posix(), file.is_file()):
                    docno = file.relative_to(folder).as_posix()
                    yield File(docno, file.as_posix(), folder.as_posix(), file.stat().st_size)

    def _find_below(self, system: Any, top: str, url: str) -> Iterator[File]:
        url = url.rstrip("/")
        for path, entry in sorted(system.find(top, detail=True).items()):
            name = path.removeprefix(top).lstrip("/")
            _refuse_versioned_table(name, url)
            here = f"{url}/{name}"
            if self._is_input(name.rpartition("/")[2], here, not name.startswith(".")):
                yield File(name, here, url, int(entry["size"] or 0))

    def _is_input(self, name: str, path: str, is_file: bool) -> bool:
        """Return True if a file in a folder should be read; otherwise count it as skipped."""
        suffix = _suffix(name)
        if name.startswith(".") or not is_file:
            self.skipped["hidden and special files"] += 1
            return False
        is_seldom = suffix in _SELDOM_PAGES or name.lower().endswith(_SETTINGS)
        if suffix is not None and (self.columns or not is_seldom):
            return True
        ending = _full_suffix(name) or "(none)"
        self.skipped[self._labels.setdefault(ending, f"{_SKIPPED}{ending}, such as {path}")] += 1
        return False

    def _records_of(self, part: InputPart) -> Iterator[Page | Failure]:
        if part.is_whole:
            yield from self._read_file(part.file)
        elif part.unit == BYTES:
            yield from self._read_bytes(part)
        elif part.unit == MEMBERS:
            members = (part.start, part.end)
            yield from self._read_archive(part, is_zip=True, members=members)
        elif part.unit == BATCHES:
            batches = (part.start, part.end)
            with open_stream(part.path) as stream:
                self._stream = stream
                yield from read_arrow_pages(stream, part.path, self.limit, self._tables, batches)
        else:
            groups = (part.start, part.end)
            yield from read_parquet_pages(part.path, self.limit, self._tables, groups)

    def _read_bytes(self, part: InputPart) -> Iterator[Page | Failure]:
        suffix = _suffix(part.path)
        if suffix == ".wacz":
            for name, window in open_wacz_windows(part):
                self._stream = window.stream
                where = f"{part.path}!{name}"
                yield from read_warc(window.stream, where, self.limit, self.skipped, window)
        elif suffix == ".tar":
            end = None if part.end >= part.file.bytes else part.end
            yield from self._read_archive(part, is_zip=False, offsets=(part.start, end))
        else:
            with open_window(part) as window:
                self._stream = window.stream
                settings = (window.stream, part.path, self.limit)
                if suffix in TABLE_SUFFIXES:
                    yield from read_jsonl_pages(*settings, self._tables, window)
                else:
                    yield from read_warc(*settings, self.skipped, window)

    def _read_archive(self, part: InputPart, **range_: Any) -> Iterator[Page | Failure]:
        with open_stream(part.path) as stream:
            self._stream = stream
            if part.unit == BYTES:
                stream.seek(part.start)
            for record in read_archive_pages(stream, part.path, self.limit, self.skipped, **range_):
                yield _with_archive(record, part.file)

    def _read_file(self, file: File) -> Iterator[Page | Failure]:
        path = file.path
        if path != "-" and _suffix(path) == _PARQUET:
            yield from read_parquet_pages(path, self.limit, self._tables)
            return
        with open_stream(path) as stream:
            self._stream = stream
            suffix = _suffix_of_content(stream) if path == "-" else _suffix(path) or ""
            if suffix == ".txt" and stream.peek(5).lstrip()[:5].upper() == b"<DOC>":
                suffix = ".trec"  # the disks of TREC have such files
            if suffix in OFFICE_SUFFIXES:
                yield read_office(suffix, stream, file.docno, path, self.limit)
            elif suffix in TABLE_SUFFIXES:
                yield from TABLE_SUFFIXES[suffix](stream, path, self.limit, self._tables)
            elif suffix in CONTAINER_SUFFIXES:
                for record in CONTAINER_SUFFIXES[suffix](stream, path, self.limit, self.skipped):
                    yield _with_archive(record, file) if suffix in _ARCHIVES else record
            else:
                media_type = PAGE_SUFFIXES.get(suffix, TEXT)
                yield _read_page(stream, file.docno, path, media_type, self.limit)


def read_pages(
    *paths: str | Path,
    docnos: Collection[str] | None = None,
    limit: int = DEFAULT_LIMIT,
    columns: TableColumns | None = None,
) -> Sources:
    """Return an iterable of the pages of `paths`; the arguments are those of `Sources`.

    >>> from understandability.resources import resource
    >>> [page.docno for page in read_pages(resource("samples"))]
    ['easy.html', 'hard.html', 'medium.html']
    """
    wrong = next((path for path in paths if not isinstance(path, str | Path)), None)
    if wrong is not None:
        raise WrongTypeError(
            f"read_pages takes paths one by one, not {kind_of(wrong)}: write *paths"
        )
    return Sources(paths, docnos=docnos, limit=limit, columns=columns)


def read_paths(path: str) -> list[str]:
    """Read the names of inputs, one a line, from a file that may be compressed.

    Relative names are relative to the current folder. If the list has a URL, they are relative to
    its host or bucket, as in the lists of Common Crawl. Raises `InputError` if the file names no
    inputs.
    """
    with open_stream(path) as stream:
        lines = bounded_lines(stream, _LONGEST_PATH, f"{path}, ")
        try:
            paths = [line.decode("utf-8-sig").strip() for line in lines]
        except (UnicodeDecodeError, DamagedStreamError) as error:
            raise InputError(f"{path} is no list of inputs: {in_one_line(error)}") from error
    paths = [line for line in paths if line]
    if not paths:
        raise InputError(f"{path} names no input; expected one path or URL a line")
    if is_url(path):
        scheme, _, rest = path.partition("://")
        root = f"{scheme}://{rest.partition('/')[0]}/"
        paths = [line if is_url(line) else root + line.lstrip("/") for line in paths]
    return paths


def is_skipped_file(label: str) -> bool:
    """Return True if a label of `Sources.skipped` is about files whose type is not supported.

    >>> is_skipped_file("files with the suffix .css, such as a.css")
    True
    """
    return label.startswith(_SKIPPED)


def in_words(label: str, count: int) -> str:
    """Format an entry of `Sources.skipped` as a message.

    >>> in_words("files with the suffix .css, such as a.css", 1234)
    'passed over: files with the suffix .css, such as a.css: 1,234'
    """
    return f"{label}: {count:,}" if label.startswith(CUT) else f"passed over: {label}: {count:,}"


def holds_many(path: str) -> bool:
    """Return True if a file with this name may contain more than one page."""
    return _suffix(path) not in (*PAGE_SUFFIXES, *OFFICE_SUFFIXES)


def is_read_by_arrow(path: str) -> bool:
    """Return True if Arrow reads the file; Arrow may crash on damaged data."""
    return _suffix(path) in (".arrow", ".feather", _PARQUET)


def typed_columns(path: str) -> Any:
    """Return the Arrow schema stored in a file, or None; raise `InputError` if it is damaged."""
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
    content = bytearray()
    flags: tuple[FlagName, ...] = ()
    try:
        while len(content) <= limit and (part := stream.read1(limit + 1)):
            content += part
    except DamagedStreamError as error:
        if not content:
            return unread(path, error, docno)
        flags = ("truncated",)
    if len(content) > limit:
        return unread(path, too_long(limit), docno)
    if not content:
        return unread(path, "the file is empty", docno)
    return Page(docno, path, bytes(content), media_type, flags=flags)


def _with_archive(record: Page | Failure, file: File) -> Page | Failure:
    """Prefix the docno of an archive's member with the name of the archive, if that is in a
    folder.
    """
    if record.path == file.path or file.is_input:
        return record
    return replace(record, docno=f"{file.docno}!{record.docno}")


_GONE = (404, 410)  # statuses of HTTP for an address that does not exist


def _network_error(system: Any, path: str) -> str:
    """Return a message if a file system could not reach the network; '' otherwise."""
    try:
        system.info(path)
    except Exception as error:  # of whatever package reads from there
        cause = error.__cause__
        if getattr(cause, "status", None) in _GONE:  # the server answered
            return ""
        if isinstance(cause, Exception) and is_environment_error(cause):
            return in_one_line(cause)
    return ""


def _printable(record: Page | Failure) -> Page | Failure:
    """Escape characters that no file can store in the names of a record.

    JSON may contain half of a surrogate pair.
    """
    names = [name for name in ("docno", "path", "url", "error") if getattr(record, name, None)]
    texts = {name: getattr(record, name) for name in names}
    if all(text.isascii() for text in texts.values()):
        return record
    return replace(
        record,
        **{name: text.encode("utf-8", "backslashreplace").decode() for name, text in texts.items()},
    )


def _refuse_versioned_table(name: str, folder: str) -> None:
    """Raise `InputError` if this file belongs to a versioned table, such as Delta Lake or Iceberg.

    Reading all files in its folder would mix the versions.
    """
    versioned = "Delta" if "/_delta_log/" in f"/{name}" else "Iceberg"
    if versioned == "Delta" or name.endswith(".metadata.json"):
        raise InputError(
            f"{folder} holds a {versioned} table ({name}), whose files include older versions; "
            "read it with its own package, and score the result with ud.score_table"
        )


def _suffix(name: str) -> str | None:
    """Return the suffix of a supported file type, without the suffix of a compression; else
    None.
    """
    base = name.lower()
    if is_web(base):
        base = re.split(r"[?#]", base, maxsplit=1)[0]
    for suffix in COMPRESSION_SUFFIXES:
        base = base.removesuffix(suffix)
    suffix = PurePosixPath(base).suffix
    return suffix if suffix in _SUFFIXES else None


def _full_suffix(name: str) -> str:
    """Return the suffix of a name, together with the suffix of a compression.

    >>> _full_suffix("a.json.gz"), _full_suffix("v1.2.css"), _full_suffix("README")
    ('.json.gz', '.css', '')
    """
    path = PurePosixPath(name)
    is_compressed = path.suffix.lower() in COMPRESSION_SUFFIXES
    return (path.with_suffix("").suffix if is_compressed else "") + path.suffix


def _suffix_of_content(stream: io.BufferedReader) -> str:
    """Return the suffix that fits the first bytes of standard input."""
    first = stream.peek(512)[:512]
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:16].upper()
    if first.startswith(b"PAR1"):
        raise InputError("Parquet cannot be piped in; name the file")
    if first[257:262] == b"ustar":
        return ".tar"
    for magic, suffix in _MAGIC_BYTES.items():
        if first.startswith(magic):
            return suffix
    for text, suffix in _FIRST_TEXT.items():
        if start.startswith(text):
            return suffix
    return ".txt"


def _allowed() -> str:
    return f"{', '.join(_SUFFIXES)} (also with {', '.join(COMPRESSION_SUFFIXES)})"


def is_path(text: str) -> bool:
    """Return True if a text is the path of an existing file or folder, or a URL."""
    if is_url(text) or text == "-":
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # longer than any name, or with a null character
        return False


def with_progress(
    pages: Iterable[Page | Failure], progress: Callable[[int, int], None] | None
) -> Iterator[Page | Failure]:
    """Yield pages, and repeatedly call `progress` with the numbers of pages and of failures so
    far.
    """
    errors = 0
    for number, page in enumerate(pages, 1):
        errors += isinstance(page, Failure)
        if progress is not None:
            progress(number - errors, errors)
        yield page
