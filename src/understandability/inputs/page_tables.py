"""Read pages from tables (CSV, TSV, JSON), and find out which column holds what."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from understandability.errors import InputError, check_choice
from understandability.inputs.delimited import Dialect, as_utf8, read_delimited
from understandability.inputs.json_files import LineError, read_json, read_jsonl
from understandability.inputs.limits import too_long, unread
from understandability.inputs.streams import Window
from understandability.keywords import read_by
from understandability.text.page import HTML, TEXT, Failure, Page, stated_language
from understandability.wording import names_in

if TYPE_CHECKING:
    import pyarrow as pa

# Names of columns that are used if none is chosen: the first that a table has. A name with a dot
# is a field within a column, as in OSCAR.
ID_COLUMNS = (
    "id",
    "docno",
    "document_id",
    "doc_id",
    "_id",
    "docid",
    "warc_record_id",
    "warc_headers.warc-record-id",
    "url",
)
# Without a media type, the content of each page decides.
CONTENT_COLUMNS = {"html": HTML, "content": None, "raw_content": None, "body": None, "text": TEXT}
URL_COLUMNS = ("url", "warc_headers.warc-target-uri")
LANGUAGE_COLUMNS = ("language", "lang", "metadata.identification.label")
# Data sets with one of these columns store the title apart from the text: BEIR, MS MARCO.
TITLE_COLUMN = "title"
_TITLE_IS_APART = {"_id", "body"}
_DOCUMENTED = {"id", "docno", "html", "text"}  # guesses that need no remark
_TAG = re.compile(
    r"<(?:!doctype|html|head|body|div|p|br|table|span|h[1-6]|ul|ol|li|a|img)\b[^>]*>", re.I
)
_LONGEST_SAMPLE = 10_000  # characters in which tags are looked for
_ESCAPED = 6  # bytes of JSON that may stand for one byte of a text
_MOST_LACKING = 100
_MOST_AHEAD = 50_000_000  # characters
_MOST_KNOWN = 1000


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The names of the columns in tables of pages. None means that the column is guessed by its
    name.

    >>> TableColumns(html="body", keep=("lang",)).id is None
    True

    Args:
        id: Column with the name of each document. Default: the first of id, docno, document_id,
            doc_id, _id, docid, warc_record_id, url. A dot reaches into nested columns:
            warc_headers.warc-record-id.
        html: Column with HTML. Default: the first of html, content, raw_content, body, text.
        text: Column with plain text.
        title: Column with a title to put before plain text. Default: title, if the table has a
            column _id (BEIR) or body (MS MARCO).
        url: Column with addresses. Default: url.
        lang: Column with the language of each document, such as de. Default: language or lang.
        keep: Columns of the input to copy into the rows, or * for all; one with the name of an
            output column gets `input_` in front.
        no_header: The first line of CSV and TSV files is data. Columns are numbered:
            --id-column 1 --text-column 2.
        format: Columns of a known data set without a header: msmarco-docs or msmarco-passages.
    """

    id: Annotated[str | None, Parameter("--id-column")] = None
    html: Annotated[str | None, Parameter("--html-column")] = None
    text: Annotated[str | None, Parameter("--text-column")] = None
    url: Annotated[str | None, Parameter("--url-column")] = None
    keep: Annotated[tuple[str, ...], read_by(names_in, metavar="NAME,...")] = ()
    title: Annotated[str | None, Parameter("--title-column")] = None
    lang: Annotated[str | None, Parameter("--language-column")] = None
    no_header: bool = False
    format: Annotated[str | None, Parameter("--format", choices=FORMATS)] = None

    def __post_init__(self) -> None:
        if self.format is not None:
            check_choice("format", self.format, FORMATS)

    def __bool__(self) -> bool:
        """True if any option differs from its default."""
        return self != TableColumns()

    @property
    def contents(self) -> tuple[tuple[str, str | None], ...]:
        """The chosen columns of the content, each with its media type."""
        return tuple(
            (name, type_) for name, type_ in ((self.html, HTML), (self.text, TEXT)) if name
        )

    def resolved(self) -> TableColumns:
        """Return a copy in which columns that are not chosen come from the chosen `format`."""
        if self.format is None:
            return self
        own = {column.name: getattr(self, column.name) for column in fields(self)}
        return replace(
            FORMATS[self.format], **{name: value for name, value in own.items() if value}
        )


# Data sets whose files have no header.
FORMATS: dict[str, TableColumns] = {}
FORMATS["msmarco-docs"] = TableColumns(id="1", url="2", title="3", text="4", no_header=True)
FORMATS["msmarco-passages"] = TableColumns(id="1", text="2", no_header=True)


def kept_names(keep: Sequence[str], ours: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """Return the output names of the columns to keep, and a remark on each renamed one.

    `ours` are the columns of the output. An input column with the same name gets the prefix
    ``input_``.
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
    """The columns that were found in one table. `contents` pairs columns with media types."""

    id: str
    contents: tuple[tuple[str, str | None], ...]
    title: str | None
    url: str | None
    language: str | None
    keep: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The names of all columns that are read, without repetition."""
        contents = [name for name, _ in self.contents]
        optional = filter(None, [self.title, self.url, self.language])
        return list(dict.fromkeys([self.id, *contents, *optional, *self.keep]))

    def top_level(self, names: Collection[str]) -> list[str]:
        """Return the columns of a table that have to be read; a nested field is in its top-level
        column.

        `names` are the columns of the table.
        """
        return list(
            dict.fromkeys(name if name in names else name.partition(".")[0] for name in self.names)
        )


class ColumnsError(InputError):
    """A table lacks a column, or no column could be guessed. `lacks` says the same of one
    record.
    """

    def __init__(self, message: str, lacks: str) -> None:
        super().__init__(message)
        self.lacks = lacks


@dataclass
class Tables:
    """Finds the columns of tables; `remarks` tell the user which ones were guessed."""

    columns: TableColumns = TableColumns()
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chosen = self.columns.resolved()
        chosen = [self._chosen.id, self._chosen.title, self._chosen.url, self._chosen.lang]
        chosen += [name for name, _ in self._chosen.contents]
        candidates = (*chosen, *self._chosen.keep, *ID_COLUMNS, *URL_COLUMNS, *LANGUAGE_COLUMNS)
        self._nested = [name for name in dict.fromkeys(candidates) if name and "." in name]

    def dialect(self, delimiter: str | None) -> Dialect:
        """Return how a delimited table is written; in TSV without a header, quotes are ordinary
        text.
        """
        has_header = not self._chosen.no_header
        return Dialect(delimiter, has_header, is_quoted=has_header or delimiter != "\t")

    def names_in(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of a record's values that are not None, and of nested fields that may be
        chosen.
        """
        names = [name for name, value in record.items() if value is not None]
        nested = [name for name in self._nested if value_of(record, name) is not None]
        return (*names, *(name for name in nested if name not in record))

    def names_of(self, schema: pa.Schema) -> list[str]:
        """Return the names of an Arrow table's columns, and of nested fields that may be chosen."""
        return [*schema.names, *(name for name in self._nested if _is_field(schema, name))]

    def layout(
        self, path: str, names: Sequence[str], *, is_record: bool = False, hint: str = ""
    ) -> Layout:
        """Find the columns of a table by their names; raise `ColumnsError` if one is missing.

        A single record (`is_record`) may lack a chosen column if it has another. `hint` is added to
        the error.
        """
        chosen = self._chosen
        has = f"it has {', '.join(names) or 'none'}"
        required = [
            chosen.id,
            chosen.html,
            chosen.text,
            chosen.title,
            chosen.url,
            chosen.lang,
            *chosen.keep,
        ]
        for name in [chosen.id] if is_record else required:
            if name is not None and name not in names:
                raise ColumnsError(f"{path} has no column {name!r}; {has}", f"has no {name!r}")
        id_column = chosen.id or _first(ID_COLUMNS, names)
        if id_column is None:
            raise ColumnsError(
                f"{path} has no column that would name its documents "
                f"({', '.join(ID_COLUMNS)}); {has}; choose one with --id-column{hint}",
                "has no 'id' (text or a whole number)",
            )
        candidates = chosen.contents or tuple(CONTENT_COLUMNS.items())
        contents = tuple(column for column in candidates if column[0] in names)
        if not contents:
            requested = [name for name, _ in candidates]
            raise ColumnsError(
                f"{path} has no column that would hold pages ({', '.join(requested)}); "
                f"{has}; choose one with --html-column or --text-column{hint}",
                f"has no {' and no '.join(map(repr, requested))}"
                if chosen
                else "has neither 'html' nor 'text'",
            )
        title = chosen.title
        is_apart = id_column in _TITLE_IS_APART or contents[0][0] in _TITLE_IS_APART
        if title is None and not chosen.contents and is_apart and TITLE_COLUMN in names:
            title = TITLE_COLUMN
        layout = Layout(
            id_column,
            contents,
            title,
            chosen.url or _first(URL_COLUMNS, names),
            chosen.lang or _first(LANGUAGE_COLUMNS, names),
            tuple(dict.fromkeys(chosen.keep)),
        )
        self._remark(path, layout)
        return layout

    def _remark(self, path: str, layout: Layout) -> None:
        """Report guessed columns once per table layout, unless they are the documented defaults."""
        chosen = self._chosen
        guessed = {} if chosen.id else {"id": layout.id}
        if not chosen.contents:
            content = " or ".join(name for name, _ in layout.contents)
            is_open = any(media_type is None for _, media_type in layout.contents)
            guessed["content"] = content + " (HTML if it contains tags)" * is_open
        if layout.title and not chosen.title:
            guessed["title"] = layout.title
        names = {name for name in guessed.values() if name}
        if names <= _DOCUMENTED:
            return
        if layout.url not in (None, "url", chosen.url):
            guessed["url"] = layout.url
        if layout.language not in (None, "language", chosen.lang):
            guessed["language"] = layout.language
        listed = ", ".join(f"{role} = {name}" for role, name in guessed.items())
        remark = f"columns guessed: {listed}"
        if not any(reported.endswith(remark) for reported in self.remarks):
            self.remarks.append(f"{path}: {remark}")


def _first(candidates: Iterable[str], names: Collection[str]) -> str | None:
    return next((name for name in candidates if name in names), None)


def value_of(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a column, or of a nested field such as ``a.b``; None if it is missing.

    >>> value_of({"warc_headers": {"uri": "http://a/"}}, "warc_headers.uri")
    'http://a/'
    """
    if name in record:
        return record[name]
    value: Any = record
    for step in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def _is_field(schema: pa.Schema, name: str) -> bool:
    """Return True if an Arrow schema has a nested field of this name."""
    import pyarrow as pa

    first, *steps = name.split(".")
    if first not in schema.names or name in schema.names:
        return False
    type_ = schema.field(schema.names.index(first)).type
    for step in steps:
        if not pa.types.is_struct(type_) or type_.get_field_index(step) < 0:
            return False
        type_ = type_.field(step).type
    return True


def page_of(record: Mapping[str, Any], where: str, limit: int, layout: Layout) -> Page | Failure:
    """Convert one object or row to a page; return a failure if the content is missing or too
    long.
    """
    docno = value_of(record, layout.id)
    if isinstance(docno, bool) or not isinstance(docno, str | int) or docno == "":
        return unread(where, f"the record has no {layout.id!r} (text or a whole number)")
    for name, media_type in layout.contents:
        content = value_of(record, name)
        if isinstance(content, str | bytes):
            if len(content) > limit:
                return unread(where, too_long(limit), str(docno))
            media_type = media_type or media_type_of(content)
            if layout.title and media_type == TEXT and isinstance(content, str):
                content = _with_title(value_of(record, layout.title), content)
            url = value_of(record, layout.url) if layout.url else None
            language = value_of(record, layout.language) if layout.language else None
            return Page(
                str(docno),
                where,
                content,
                media_type,
                url=url if isinstance(url, str) else None,
                kept=tuple(value_of(record, name) for name in layout.keep),
                language=stated_language(language),
            )
    columns = " and no ".join(repr(name) for name, _ in layout.contents)
    return unread(where, f"the record has no {columns}", str(docno))


def _with_title(title: Any, text: str) -> str:
    """Return the text preceded by its title, unless it already begins with the title."""
    title = title.strip() if isinstance(title, str) else ""
    return text if not title or text.lstrip().startswith(title) else f"{title}\n\n{text}"


def media_type_of(content: str | bytes) -> str:
    """Return the media type of HTML if the content contains an HTML element, else of plain text."""
    start = content[:_LONGEST_SAMPLE]
    if isinstance(start, bytes):
        start = start.decode("latin-1")
    return HTML if _TAG.search(start) else TEXT


def read_csv_pages(
    stream: io.BufferedReader, path: str, limit: int, tables: Tables, delimiter: str | None
) -> Iterator[Page | Failure]:
    """Yield the pages of a delimited table. If `delimiter` is None, it is detected."""
    dialect = tables.dialect(delimiter)
    hint = "; if the first line is data, add --no-header and choose columns by number: "
    try:
        names, rows = read_delimited(stream, path, dialect, limit)
    except InputError as error:
        if not dialect.has_header:
            raise
        raise InputError(f"{error}{hint}--id-column 1 --text-column 2") from error
    if not names:
        return
    hint = f"{hint}--id-column 1 --text-column {len(names)}" if dialect.has_header else ""
    layout = tables.layout(path, names, hint=hint)
    for number, row in enumerate(rows, start=1):
        where = f"{path}#{number}"
        if isinstance(row, LineError):
            yield unread(where, row)
        else:
            yield page_of(row, where, limit, layout)


def read_object_pages(
    records: Iterable[tuple[int | str, Mapping[str, Any] | LineError]],
    path: str,
    limit: int,
    tables: Tables,
) -> Iterator[Page | Failure]:
    """Yield the pages of numbered JSON objects, whose fields may differ from object to object.

    An object that lacks a field is a failure. If the first hundred objects, or all of them, lack
    it, the file is not a table of pages, and `ColumnsError` is raised. The same happens if none has
    a column that the user wants to keep.
    """

    @lru_cache(_MOST_KNOWN)
    def layout_of(names: tuple[str, ...]) -> Layout | ColumnsError:
        try:
            return tables.layout(path, names, is_record=True)
        except ColumnsError as error:
            return error

    def layout_in(record: Mapping[str, Any]) -> Layout | ColumnsError:
        return layout_of(tables.names_in(record))

    records = iter(records)
    first: list[tuple[int | str, Mapping[str, Any] | LineError]] = []
    names: dict[str, None] = {}
    size = 0
    missing = set(tables.columns.keep)
    layout: Layout | ColumnsError | None = None
    while len(first) < _MOST_LACKING and (missing or not isinstance(layout, Layout)):
        if size > _MOST_AHEAD or (numbered := next(records, None)) is None:
            break
        first.append(numbered)
        if isinstance(record := numbered[1], Mapping):
            own_layout = layout_in(record)
            layout = own_layout if layout is None or isinstance(own_layout, Layout) else layout
            size += sum(len(value) for value in record.values() if isinstance(value, str))
            names.update(dict.fromkeys(record))
            missing = {name for name in missing if name not in record} - {*tables.names_in(record)}
    if missing and names:
        name, has = sorted(missing)[0], ", ".join(names)
        raise ColumnsError(f"{path} has no column {name!r}; it has {has}", f"has no {name!r}")
    if isinstance(layout, ColumnsError) and size <= _MOST_AHEAD:
        raise layout
    for number, record in chain(first, records):
        where = f"{path}{number}" if isinstance(number, str) else f"{path}#{number}"
        if isinstance(record, LineError):
            yield unread(where, record)
        elif isinstance(own_layout := layout_in(record), Layout):
            yield page_of(record, where, limit, own_layout)
        else:
            docno = value_of(record, tables.columns.id or "id")
            docno = docno if isinstance(docno, str) else ""
            yield unread(where, f"the record {own_layout.lacks}", docno)


def read_jsonl_pages(
    stream: io.BufferedReader,
    source: str,
    limit: int,
    tables: Tables,
    window: Window | None = None,
) -> Iterator[Page | Failure]:
    """Yield the pages of a JSON Lines file, with lines such as ``{"id": "flu", "text": "Rest."}``.

    With a `window` (a range of bytes), only the lines that begin in it are read.
    """
    records = read_jsonl(as_utf8(stream), _ESCAPED * limit + 10_000, window)
    return read_object_pages(records, source, limit, tables)


def read_json_pages(
    stream: io.BufferedReader, source: str, limit: int, tables: Tables
) -> Iterator[Page | Failure]:
    """Yield the pages of a JSON file, which may be a JSON array or JSON Lines."""
    records = read_json(as_utf8(stream), _ESCAPED * limit + 10_000)
    return read_object_pages(records, source, limit, tables)
