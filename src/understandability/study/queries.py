"""Read the texts of queries: XML topics as in TREC and CLEF, tab-separated lines, CSV, or JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from understandability.errors import InputError, needing
from understandability.inputs.delimited import as_utf8, detect_delimiter
from understandability.inputs.json_files import LineError, read_json
from understandability.inputs.runs import dataset_queries, is_dataset
from understandability.inputs.streams import DamagedStreamError, is_url, open_stream

_IDS = ("num", "id", "number", "query_id", "qid")
_TEXTS = ("query", "title", "text")
# The names of columns in tables of queries, in small letters without blanks and underscores.
_ID_COLUMNS = ("num", "id", "number", "queryid", "qid", "topic", "topicid")
_FORMS = (
    "topics in XML (<num> or <id>, <query> or <title>), a line for each query with its id, a tab "
    "and its text, CSV with the columns query_id and text, or JSON with query_id and text"
)


def read_queries(path: str | Path) -> dict[str, str]:
    """Read the text of each query by its id, in the order of the file; plain, gzip or zstd.

    Files are TREC or CLEF topics in XML, lines of id and text with a tab between them, CSV, or
    JSON (an object per line, or an array of objects). ``irds:NAME`` is a data set of ir_datasets.
    Raises `InputError` if the file holds no queries, or one of them twice.
    """
    name = str(path)
    pairs = dataset_queries(name) if is_dataset(name) else _pairs_of_file(name)
    queries: dict[str, str] = {}
    for query, words in pairs:
        if query in queries:
            raise InputError(f"{name} has the query {query!r} twice; name each once")
        queries[query] = words
    if not queries:
        raise InputError(f"{name} has no queries; write {_FORMS}")
    return queries


def _pairs_of_file(name: str) -> Iterable[tuple[str, str]]:
    """Return the ids and texts of a file; its first characters decide its format."""
    if name != "-" and not is_url(name) and not Path(name).exists():
        raise InputError(f"{name} does not exist; expected a file of queries: {_FORMS}")
    try:
        with open_stream(name) as stream:
            text = as_utf8(stream).read().decode("utf-8-sig", "replace")
    except DamagedStreamError as error:
        raise InputError(f"{name} cannot be read: {error}") from error
    if _has_suffix(name, ".jsonl", ".ndjson") or text.lstrip().startswith(("{", "[")):
        return _of_objects(text, name)
    if text.lstrip().startswith("<"):
        return _of_topics(text)
    header = _columns_of(text)
    if header is not None or (_has_suffix(name, ".csv") and "\t" not in text):
        return _of_table(text, name, header)
    return _of_lines(text, name)


def _has_suffix(name: str, *suffixes: str) -> bool:
    return name.lower().removesuffix(".gz").removesuffix(".zst").endswith(suffixes)


def _of_topics(text: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of every element that has both among its children."""
    with needing("topics in XML need lxml", ".[reference]"):
        from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode(), parser)
    for element in () if root is None else root.iter(etree.Element):
        children: dict[str, str] = {}
        for child in element.iterchildren(*_IDS, *_TEXTS):
            children.setdefault(child.tag, " ".join("".join(child.itertext()).split()))
        query = next((children[tag] for tag in _IDS if children.get(tag)), element.get("number"))
        words = next((children[tag] for tag in _TEXTS if children.get(tag)), None)
        if query and words:
            yield query, words


def _of_lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        query, tab, words = line.partition("\t")
        if line.strip() and not (tab and query.strip() and words.strip()):
            raise InputError(f"{name}, line {number} names no query; write {_FORMS}")
        if line.strip():
            yield query.strip(), words.strip()


def _columns_of(text: str) -> tuple[int, int] | None:
    """Return the indices of the columns with ids and texts if the first line names them."""
    lines = text.lstrip().splitlines()
    first = lines[0] if lines else ""
    names = next(csv.reader([first], delimiter=detect_delimiter(first)), [])
    plain = [*map(_plain, names)]
    ids = [plain.index(name) for name in _ID_COLUMNS if name in plain]
    texts = [plain.index(name) for name in _TEXTS if name in plain]
    return (ids[0], texts[0]) if ids and texts else None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]", "", name.lower())


def _of_table(text: str, name: str, columns: tuple[int, int] | None) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of CSV; without a header, ids are in the first column."""
    lines = text.lstrip().splitlines(keepends=True)
    delimiter = detect_delimiter(lines[0] if lines else "")
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    id_index, text_index = columns or (0, 1)
    try:
        names = next(rows, []) if columns is not None else []
        is_pair = (id_index, text_index) == (0, 1) and len(names) in (0, 2)
        for row in filter(None, rows):
            if rows.line_num == 1 and _plain(row[0]) in _ID_COLUMNS:
                raise InputError(
                    f"{name} has the columns {', '.join(row)}; name the one with the texts query"
                )
            if is_pair:  # the text may have commas without being quoted
                row[1:] = [delimiter.join(row[1:])]
            if len(row) <= max(id_index, text_index) or not (row[id_index] and row[text_index]):
                raise InputError(f"{name}, line {rows.line_num} names no query; write {_FORMS}")
            yield row[id_index].strip(), " ".join(row[text_index].split())
    except csv.Error as error:
        raise InputError(f"{name}, line {rows.line_num} is not CSV: {error}") from error


def _of_objects(text: str, name: str) -> Iterator[tuple[str, str]]:
    stream: io.BufferedReader = io.BufferedReader(io.BytesIO(text.encode()))
    for number, record in read_json(stream):
        if isinstance(record, LineError):
            raise InputError(f"{name}: {record}")
        query, words = (
            next((str(record[key]).strip() for key in keys if record.get(key) is not None), "")
            for keys in (_IDS, _TEXTS)
        )
        if not query or not words:
            raise InputError(f"{name}, record {number} names no query; write {_FORMS}")
        yield query, words
