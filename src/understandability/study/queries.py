"""Read the texts of queries: XML topics as in TREC and CLEF, tab-separated lines, or JSON Lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from understandability.errors import InputError, needing
from understandability.inputs.json_files import read_objects
from understandability.inputs.runs import dataset_queries, is_dataset
from understandability.inputs.streams import DamagedStreamError, open_stream

_IDS = ("num", "id", "number", "query_id", "qid")
_TEXTS = ("query", "title", "text")
_FORMS = (
    "topics in XML (<num> or <id>, <query> or <title>), lines of a query's name, a tab and its "
    "text, or JSON Lines with query_id and text"
)


def read_queries(path: str | Path) -> dict[str, str]:
    """Read the queries of a file as a dictionary from name to text, in the order of the file.

    The file may be compressed (gzip or zstd). ``irds:NAME`` reads a data set of ir_datasets. Raises
    `InputError` if there are no queries, or if a name occurs twice.
    """
    name = str(path)
    pairs: Iterable[tuple[str, str]]
    if is_dataset(name):
        pairs = dataset_queries(name)
    elif name.lower().removesuffix(".gz").removesuffix(".zst").endswith((".jsonl", ".ndjson")):
        pairs = _of_objects(name)
    else:
        try:
            with open_stream(name) as stream:
                text = stream.read().decode("utf-8-sig", "replace")
        except DamagedStreamError as error:
            raise InputError(f"{name} cannot be read: {error}") from error
        pairs = _of_topics(text) if text.lstrip().startswith("<") else _of_lines(text, name)
    queries: dict[str, str] = {}
    for query, words in pairs:
        if query in queries:
            raise InputError(f"{name} has the query {query!r} twice; name each once")
        queries[query] = words
    if not queries:
        raise InputError(f"{name} has no queries; write {_FORMS}")
    return queries


def _of_topics(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every XML element that has both among its children."""
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


def _of_objects(name: str) -> Iterator[tuple[str, str]]:
    for number, record in enumerate(read_objects(name), start=1):
        query, words = (
            next((str(record[key]).strip() for key in keys if record.get(key) is not None), "")
            for keys in (_IDS, _TEXTS)
        )
        if not query or not words:
            raise InputError(f"{name}, record {number} names no query; write {_FORMS}")
        yield query, words
