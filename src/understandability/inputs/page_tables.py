"""Tables of pages: which column is what; CSV, TSV, Arrow and JSON Lines files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, count
from typing import Annotated, Any, NamedTuple

from understandability.errors import InputError, in_one_line
from understandability.inputs.limits import too_long, unread
from understandability.inputs.streams import DamagedStreamError, bounded_lines, open_stream
from understandability.prompt import AtPrompt
from understandability.text.page import HTML, TEXT, Failure, Page

# Names of columns that are taken where none is chosen, the first that a table has.
ID_COLUMNS = ("id", "docno", "document_id", "doc_id", "warc_record_id", "url")
# And of the content; without a media type the content itself tells, page by page.
CONTENT_COLUMNS = {"html": HTML, "content": None, "raw_content": None, "body": None, "text": TEXT}
URL_COLUMN = "url"
_DOCUMENTED = {"id", "docno", "html", "text"}  # which need no remark
_TAG = re.compile(
    r"<(?:!doctype|html|head|body|div|p|br|table|span|h[1-6]|ul|ol|li|a|img)\b[^>]*>", re.I
)
_LOOKED_AT = 10_000
_ROWS = 64
_MOST_LACKING = 100
_MOST_AHEAD = 50_000_000  # characters
_MOST_KNOWN = 1000
_LONGEST_ROW = 1_000_000  # bytes of a row of CSV besides the page
_LEAST_BATCH = 64  # bytes of Arrow; fewer are padding
# A list of two bytes becomes an object of 56 and more.
_MOST_PARTS = 1_000_000


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns of tables hold what; None is guessed: `ID_COLUMNS`, `CONTENT_COLUMNS`.

    >>> TableColumns(html="body", keep=("lang",)).id is None
    True

    Args:
        id: Column with the name of each document. Default: the first of id, docno, document_id,
            doc_id, warc_record_id, url.
        html: Column with HTML. Default: the first of html, content, raw_content, body, text.
        text: Column with plain text.
        url: Column with addresses. Default: url.
        keep: Columns of the input to copy into the rows; one with the name of an output
            column gets `input_` in front.
    """

    id: Annotated[str | None, AtPrompt(str, "--id-column")] = None
    html: Annotated[str | None, AtPrompt(str, "--html-column")] = None
    text: Annotated[str | None, AtPrompt(str, "--text-column")] = None
    url: Annotated[str | None, AtPrompt(str, "--url-column")] = None
    keep: Annotated[
        tuple[str, ...], AtPrompt(str, value="NAME,...", convert="wording:names_in")
    ] = ()

    def __bool__(self) -> bool:
        """Whether anything is chosen."""
        return self != TableColumns()

    @property
    def contents(self) -> tuple[tuple[str, str | None], ...]:
        """The columns of the content that are chosen, with their media types."""
        return tuple((name, kind) for name, kind in ((self.html, HTML), (self.text, TEXT)) if name)


def kept_names(keep: Sequence[str], ours: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """New names of kept columns beside `ours`: one that meets a name gets ``input_`` before it.

    The second part is a remark on each column that is not kept under its own name.
    """
    names = {}
    for name in keep:
        names[name] = name
        while names[name] in ours or (names[name] in keep and names[name] != name):
            names[name] = f"input_{names[name]}"
    return names, [
        f"the column {name} of the input is kept as {new}: the rows have their own {name}"
        for name, new in names.items()
        if name != new
    ]


class Layout(NamedTuple):
    """The columns of one table: of the name, of the content with its media type, of the URL."""

    id: str
    contents: tuple[tuple[str, str | None], ...]
    url: str | None
    keep: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        content = [name for name, _ in self.contents]
        return list(dict.fromkeys([self.id, *content, *filter(None, [self.url]), *self.keep]))


class ColumnsError(InputError):
    """A table lacks a column, or has none that could be guessed; a record of it `lacks` so much."""

    def __init__(self, message: str, lacks: str) -> None:
        super().__init__(message)
        self.lacks = lacks


@dataclass
class Tables:
    """How tables are read: the columns that are chosen, and `remarks` on those that are guessed."""

    columns: TableColumns = TableColumns()
    remarks: list[str] = field(default_factory=list)

    def layout(self, path: str, names: Sequence[str], *, is_record: bool = False) -> Layout:
        """Find the columns of a table by their names; raises `ColumnsError`.

        Of a single record (`is_record`) a column may be missing that is chosen besides others.
        """
        chosen = self.columns
        has = f"it has {', '.join(names) or 'none'}"
        needed = [chosen.id, chosen.html, chosen.text, chosen.url, *chosen.keep]
        for name in [chosen.id] if is_record else needed:
            if name is not None and name not in names:
                raise ColumnsError(f"{path} has no column {name!r}; {has}", f"has no {name!r}")
        identity = chosen.id or next((name for name in ID_COLUMNS if name in names), None)
        if identity is None:
            raise ColumnsError(
                f"{path} has no column that would name its documents ({', '.join(ID_COLUMNS)}); "
                f"{has}; choose one with --id-column {names[0] if names else 'NAME'}",
                "has no 'id' (text or a whole number)",
            )
        wanted = chosen.contents or tuple(CONTENT_COLUMNS.items())
        contents = tuple(each for each in wanted if each[0] in names)
        if not contents:
            asked = [name for name, _ in wanted]
            raise ColumnsError(
                f"{path} has no column that would hold pages ({', '.join(asked)}); "
                f"{has}; choose one with --html-column or --text-column",
                f"has no {' and no '.join(map(repr, asked))}"
                if chosen
                else "has neither 'html' nor 'text'",
            )
        url = chosen.url or (URL_COLUMN if URL_COLUMN in names else None)
        layout = Layout(identity, contents, url, tuple(dict.fromkeys(chosen.keep)))
        self._remark(path, layout)
        return layout

    def _remark(self, path: str, layout: Layout) -> None:
        content = " or ".join(name for name, _ in layout.contents)
        guessed = [layout.id] if self.columns.id is None else []
        if not self.columns.contents:
            guessed += [name for name, _ in layout.contents]
        remark = f"documents are named by column {layout.id}, their content is column {content}"
        if any(media_type is None for _, media_type in layout.contents):
            remark += " (HTML where there are tags in it)"
        if set(guessed) <= _DOCUMENTED or any(each.endswith(remark) for each in self.remarks):
            return
        self.remarks.append(f"{path}: {remark}")


def page_of(record: Mapping[str, Any], where: str, limit: int, layout: Layout) -> Page | Failure:
    """The page that one object or row holds."""
    identity = record.get(layout.id)
    if isinstance(identity, bool) or not isinstance(identity, str | int) or identity == "":
        return unread(where, f"the record has no {layout.id!r} (text or a whole number)")
    for name, media_type in layout.contents:
        content = record.get(name)
        if isinstance(content, str | bytes):
            if len(content) > limit:
                return unread(where, too_long(limit), str(identity))
            url = record.get(layout.url) if layout.url else None
            return Page(
                str(identity),
                where,
                content,
                media_type or media_type_of(content),
                url=url if isinstance(url, str) else None,
                kept=tuple(record.get(name) for name in layout.keep),
            )
    columns = " and no ".join(repr(name) for name, _ in layout.contents)
    return unread(where, f"the record has no {columns}", str(identity))


def media_type_of(content: str | bytes) -> str:
    """HTML or plain text, by whether there is an element of HTML in the content."""
    start = content[:_LOOKED_AT]
    if isinstance(start, bytes):
        start = start.decode("latin-1")
    return HTML if _TAG.search(start) else TEXT


def read_csv_pages(
    stream: io.BufferedReader, path: str, limit: int, tables: Tables, delimiter: str
) -> Iterator[Page | Failure]:
    """The pages of a table of text with a line of headings; `delimiter` parts its cells."""
    names, rows = read_delimited(stream, path, delimiter, limit)
    if not names:
        return
    layout = tables.layout(path, names)
    for number, row in enumerate(rows, start=1):
        where = f"{path}#{number}"
        if isinstance(row, LineError):
            yield unread(where, row)
        else:
            yield page_of(row, where, limit, layout)


def read_delimited(
    stream: io.BufferedReader, path: str, delimiter: str, limit: int, errors: str = "replace"
) -> tuple[list[str], Iterator[Mapping[str, str | None] | LineError]]:
    """The headings of a CSV file, and its rows, empty cells as None; a `LineError` for a bad one.

    `limit` bounds the bytes of a cell, `errors` says what becomes of bytes that are not UTF-8.
    Raises `InputError` where the headings cannot be read.
    """
    csv.field_size_limit(max(limit, _LONGEST_ROW))
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        encoding = "utf-8-sig"
        for line in bounded_lines(stream, 2 * limit + _LONGEST_ROW, f"{path}, "):
            last = line.decode(encoding, errors)
            encoding = "utf-8"
            yield last

    rows = csv.reader(lines(), delimiter=delimiter, strict=True)
    try:
        names = next(rows, [])
    except csv.Error as error:
        raise InputError(f"the first line of {path} is not CSV: {error}") from error

    def read() -> Iterator[Mapping[str, str | None] | LineError]:
        while True:
            before = rows.line_num
            try:
                row = next(rows, None)
            except csv.Error as error:
                row = _loose_row(last, delimiter) if rows.line_num == before + 1 else None
                if row is None:
                    yield LineError(f"lines {before + 1} to {rows.line_num} are not CSV: {error}")
                    continue
            if row is None:
                return
            if len(row) == len(names):
                yield {name: cell or None for name, cell in zip(names, row, strict=True)}
            elif row:
                message = f"has {len(row)} cells, but the header has {len(names)}"
                yield LineError(f"line {rows.line_num} {message}")

    return names, read()


def _loose_row(line: str, delimiter: str) -> list[str] | None:
    """The row of a line with text behind a quoted part of a cell; None where a quote stays open."""
    rows = csv.reader([line, ""], delimiter=delimiter)
    try:
        row = next(rows)
    except csv.Error:  # a cell that is too long
        return None
    return row if rows.line_num == 1 else None


def read_arrow_pages(
    stream: io.BufferedReader, path: str, limit: int, tables: Tables
) -> Iterator[Page | Failure]:
    """The pages of an Arrow file (Feather 2) or stream; a damaged batch is one failure."""
    import pyarrow as pa

    is_file = stream.peek(8)[:6] == b"ARROW1"
    if is_file:
        stream.read(8)  # a file is a stream with a magic number before and an index behind
    number = 0
    try:
        with pa.ipc.open_stream(stream) as batches:
            layout = tables.layout(path, batches.schema.names)
            for batch in batches:
                chosen = batch.select(layout.names)
                try:
                    chosen.validate(full=True)  # Arrow reads offsets out of bounds without looking
                except pa.ArrowInvalid as error:
                    first, number = number + 1, number + len(chosen)
                    message = f"damaged Arrow file: rows {first} to {number}: {in_one_line(error)}"
                    yield unread(f"{path}#{first}", message)
                    continue
                for start in range(0, len(chosen), _ROWS):
                    for record in chosen.slice(start, _ROWS).to_pylist():
                        number += 1
                        yield page_of(record, f"{path}#{number}", limit, layout)
        _check_end(stream, is_file)
    except (pa.ArrowException, ValueError) as error:
        yield unread(f"{path}#{number + 1}", f"damaged Arrow file: {in_one_line(error)}")


def _check_end(stream: io.BufferedReader, is_file: bool) -> None:
    """Raise `ValueError` where more than a file's index stands behind the end of its batches."""
    size, end = 0, b""
    while data := stream.read(1 << 16):
        size, end = size + len(data), (end + data)[-10:]
    if is_file and end[4:] != b"ARROW1":
        raise ValueError("the file ends without its index")
    index = int.from_bytes(end[:4], "little") + len(end) if is_file else 0
    if size > index + _LEAST_BATCH:
        raise ValueError(f"{size - index} bytes after its end mark are not read")


def read_object_pages(
    records: Iterable[tuple[int, Mapping[str, Any] | LineError]],
    path: str,
    limit: int,
    tables: Tables,
) -> Iterator[Page | Failure]:
    """The pages of numbered objects, each of which has columns of its own.

    One that lacks a column is an error row. Where the first hundred do, and where all do, this is
    another kind of table: `ColumnsError` is raised. So it is where none of these has a column to
    keep.
    """

    @lru_cache(_MOST_KNOWN)
    def layout_of(names: tuple[str, ...]) -> Layout | ColumnsError:
        try:
            return tables.layout(path, names, is_record=True)
        except ColumnsError as error:
            return error

    def layout_in(record: Mapping[str, Any]) -> Layout | ColumnsError:
        return layout_of(tuple(name for name, value in record.items() if value is not None))

    records = iter(records)
    first: list[tuple[int, Mapping[str, Any] | LineError]] = []
    names, wanted, size = dict[str, None](), set(tables.columns.keep), 0
    found: Layout | ColumnsError | None = None
    while len(first) < _MOST_LACKING and (wanted or not isinstance(found, Layout)):
        if size > _MOST_AHEAD or (each := next(records, None)) is None:
            break
        first.append(each)
        if isinstance(record := each[1], Mapping):
            here = layout_in(record)
            found = here if found is None or isinstance(here, Layout) else found
            size += sum(len(value) for value in record.values() if isinstance(value, str))
            names.update(dict.fromkeys(record))
            wanted -= record.keys()
    if wanted and names:
        name, has = sorted(wanted)[0], ", ".join(names)
        raise ColumnsError(f"{path} has no column {name!r}; it has {has}", f"has no {name!r}")
    if isinstance(found, ColumnsError) and size <= _MOST_AHEAD:
        raise found
    for number, record in chain(first, records):
        where = f"{path}#{number}"
        if isinstance(record, LineError):
            yield unread(where, record)
        elif isinstance(layout := layout_in(record), Layout):
            yield page_of(record, where, limit, layout)
        else:
            identity = record.get(tables.columns.id or "id", where)
            docno = identity if isinstance(identity, str) else ""
            yield unread(where, f"the record {layout.lacks}", docno)


class LineError(InputError):
    """One line of JSON Lines cannot be used."""


def read_jsonl(
    stream: io.BufferedReader, limit: int = 100_000_000
) -> Iterator[tuple[int, dict[str, Any] | LineError]]:
    """Each line's number and object; in the place of a bad line, a `LineError` saying why.

    Lines of more than `limit` bytes are passed over; blank lines are no records.

    >>> list(read_jsonl(io.BufferedReader(io.BytesIO(b'{"id": 1}\\n[2]\\n'))))
    [(1, {'id': 1}), (2, LineError('line 2 is a JSON list; each line must be an object'))]
    """
    for number in count(1):
        try:
            line = stream.readline(limit + 1)
            if not line:
                return
            if len(line) > limit and not line.endswith(b"\n"):
                while (rest := stream.readline(1 << 16)) and not rest.endswith(b"\n"):
                    pass
                raise LineError(f"line {number} is longer than {limit / 1e6:g} MB")
            if line.strip():
                yield number, _object(line, number)
        except DamagedStreamError as error:
            yield number, LineError(f"line {number} is lost: {error}")
        except LineError as error:
            yield number, error


def read_objects(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; `InputError` at the first line that is not good."""
    with open_stream(path) as stream:
        for _, record in read_jsonl(stream):
            if isinstance(record, LineError):
                raise InputError(f"{path}: {record}")
            yield record


def _object(line: bytes, number: int) -> dict[str, Any]:
    if line.count(b"[") + line.count(b"{") > _MOST_PARTS:
        raise LineError(f"line {number} has more than {_MOST_PARTS} lists and objects")
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise LineError(f"line {number} is not JSON: {problem}") from error
    if not isinstance(value, dict):
        raise LineError(
            f"line {number} is a JSON {type(value).__name__}; each line must be an object"
        )
    return value


def read_jsonl_pages(
    stream: io.BufferedReader, source: str, limit: int, tables: Tables
) -> Iterator[Page | Failure]:
    """The pages of lines of JSON, such as ``{"id": "flu", "text": "Rest."}``."""
    # JSON may write each byte of a text as an escape of six.
    lines = read_jsonl(stream, 6 * limit + 10_000)
    return read_object_pages(lines, source, limit, tables)
