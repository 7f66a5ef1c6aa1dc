"""Export scores in the format of a search engine, with queries that use them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any

from cyclopts import Parameter

from understandability.errors import InputError, OptionError, check_choice
from understandability.inputs.tables import read_table
from understandability.inputs.writing import open_folder
from understandability.resources import resource

Value = tuple[str, float]
Files = Iterator[tuple[str, Iterable[bytes]]]
# Documents per bulk request: engines reject more than 100 MB, and work best with a few MB.
_DOCUMENTS_OF_PART = 50_000
_PART = re.compile(r"(bulk|updates)-\d{5}\.(nd)?json")
_NAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*", re.IGNORECASE)  # also the name of a file
# Elasticsearch and OpenSearch reject a rank feature of 0 or less.
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class SearchEngine:
    """A search engine, and its format for loading values.

    `files` yields the names and contents of the files with the values. The files in the resource
    folder `extras` are added; they declare the field and show queries.
    """

    title: str
    files: Callable[[Sequence[Value], str, str], Files]
    extras: str
    load: str
    longest_id: int = 10_000  # bytes
    between: str = "\n"  # the separator of a docno and its value

    def takes(self, docno: str) -> bool:
        """Return True if the format of the engine can hold this docno."""
        line = docno.splitlines() == [docno] and self.between not in docno
        return line and len(docno.encode()) <= self.longest_id


def _parts(values: Sequence[Value]) -> Iterator[tuple[int, Sequence[Value]]]:
    """Split the values into parts of the size of one request, numbered from 1."""
    for number, start in enumerate(range(0, len(values), _DOCUMENTS_OF_PART), 1):
        yield number, values[start : start + _DOCUMENTS_OF_PART]


def _line(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _number(value: float) -> str:
    return f"{value:.6g}"


def _bulk(values: Sequence[Value], field: str, index: str) -> Files:
    """Yield files of bulk updates for Elasticsearch or OpenSearch."""
    for number, part in _parts(values):
        lines = (
            _line({"update": {"_index": index, "_id": docno}})
            + _line({"doc": {field: max(float(_number(value)), _LEAST)}})
            for docno, value in part
        )
        yield f"bulk-{number:05}.ndjson", lines


def _solr(values: Sequence[Value], field: str, index: str) -> Files:
    """Yield files of in-place updates of doc values for Solr."""
    for number, part in _parts(values):
        documents = [{"id": docno, field: {"set": float(_number(value))}} for docno, value in part]
        yield f"updates-{number:05}.json", [json.dumps(documents, ensure_ascii=False).encode()]


def _solr_file(values: Sequence[Value], field: str, index: str) -> Files:
    """Yield an external file field for Solr (deprecated since 9.9), sorted by key for fast
    loading.
    """
    lines = (f"{docno}={_number(value)}\n".encode() for docno, value in sorted(values))
    yield f"external_{field}", lines


def _vespa(values: Sequence[Value], field: str, index: str) -> Files:
    """Yield files of partial updates for Vespa.

    In Vespa, a document without a value has NaN and is not ranked.
    """
    updates = (
        {"update": f"id:{index}:{index}::{docno}", "fields": {field: {"assign": float(_number(v))}}}
        for docno, v in values
    )
    yield "updates.jsonl", map(_line, updates)


def _table(values: Sequence[Value], field: str, index: str, *, name: str) -> Files:
    """Yield a table with one line per document, which a program for Lucene turns into doc
    values.
    """
    lines = (f"{docno}\t{_number(value)}\n".encode() for docno, value in values)
    yield name, chain([f"docno\t{field}\n".encode()], lines)


_LOAD_BULK = (
    "PUT /INDEX/_mapping with mapping.json; POST /_bulk with each bulk file; "
    "POST /INDEX/_search with query.json or rescore.json"
)
# fmt: off
ENGINES: Mapping[str, SearchEngine] = MappingProxyType({
    "elasticsearch": SearchEngine("Elasticsearch", _bulk, "bulk", _LOAD_BULK, longest_id=512),
    "opensearch": SearchEngine("OpenSearch", _bulk, "bulk", _LOAD_BULK, longest_id=512),
    "solr": SearchEngine("Solr", _solr, "solr",
        "POST /solr/INDEX/schema with schema.json; POST /solr/INDEX/update?commit=true with "
        "each updates file; POST /solr/INDEX/query with query.json"),
    "solr-file": SearchEngine("Solr, external file field", _solr_file, "solr-file",
        "add schema.xml to the schema; put the external file into the data folder of the "
        "index, and commit; POST /solr/INDEX/query with query.json"),
    "vespa": SearchEngine("Vespa", _vespa, "vespa",
        "put the two parts of schema.sd where its comment says, and deploy; "
        "vespa feed updates.jsonl; POST /search/ with query.json"),
    # Lucene's doc values are integers: a float is kept by its bits. Only a field that the index
    # knows is updated, so AddDocValues adds a document that has it, and deletes it.
    "anserini": SearchEngine("Anserini and Lucene", partial(_table, name="docvalues.tsv"),
        "anserini",
        "with the Lucene of the index, as java -cp anserini-fatjar.jar: AddDocValues.java on a "
        "copy of the index and docvalues.tsv; then Search.java, or its query in your code",
        between="\t"),
    "pyterrier": SearchEngine("PyTerrier", partial(_table, name="scores.tsv"), "pyterrier",
        "use pipeline.py, where index is yours", between="\t"),
})
# fmt: on


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of `export_scores`: the number of documents with and without a value, and the next
    step.

    `refused` lists the docnos that the format cannot hold. `replaced` is True if files of an
    earlier export were overwritten.
    """

    engine: SearchEngine
    documents: int
    left_out: int
    next: str
    refused: tuple[str, ...] = ()
    replaced: bool = False


def export_scores(
    scores: Annotated[str, Parameter(metavar="SCORES")],
    *,
    to: Annotated[str, Parameter("--to", choices=ENGINES)],
    output: Annotated[str, Parameter(("--output", "-o"), metavar="FOLDER/")],
    column: str = "p_understandable",
    field: str | None = None,
    index: str = "pages",
) -> Exported:
    """Write scores as files that a search engine loads, with the field to declare and a query.

    Documents without a value are skipped, and counted. Documents whose docno the engine cannot
    hold (a line break, a tab, too long) are skipped, and named.

    Example: understand export scores.parquet --to elasticsearch -o for-elasticsearch/

    Args:
        scores: A score table, with docno and the column.
        to: elasticsearch, opensearch, solr, solr-file, vespa, anserini or pyterrier.
        output: Folder to write.
        column: The column of the table.
        field: Name of the field in the engine. Default: the name of the column.
        index: Name of the index in the engine.
    """
    check_choice("search engine", to, ENGINES)
    engine = ENGINES[to]
    table = read_table(scores, ["docno", column])
    numbers = table[column].to_pylist()
    if any(isinstance(number, str) for number in numbers):
        raise InputError(f"column {column!r} of {scores} holds values that are not numbers")
    values = {
        docno or "": float(number)
        for docno, number in zip(table["docno"].to_pylist(), numbers, strict=True)
        if number is not None and math.isfinite(number)
    }
    left_out = table.num_rows - len(values)
    refused = tuple(docno for docno in values if not engine.takes(docno))
    values = {docno: value for docno, value in values.items() if docno not in refused}
    folder = open_folder(output)
    before, written = set(folder.names("")), set()
    for name, chunks in export(values, to, field=field or column, index=index):
        folder.write(name, chunks)
        written.add(name)
    for name in filter(_PART.fullmatch, before - written):
        folder.remove(name)
    steps, again = engine.load.replace("INDEX", index), bool(before & written)
    return Exported(engine, len(values), left_out, steps, refused, again)


def export(
    values: Mapping[str, float], to: str, *, field: str = "p_understandable", index: str = "pages"
) -> Files:
    """Yield the files for a search engine: their names, and their contents in chunks.

    `values` are finite numbers by docno, written with six digits. `to` is one of `ENGINES`. `field`
    is the name of the field in the engine, and `index` the name of its index (for Vespa the
    namespace and the document type).

    Raises `OptionError` for an unknown engine or a name with other characters than letters, digits
    and ``_ . -``, and `InputError` for a docno that the engine's format cannot hold.

    >>> files = {name: b"".join(chunks) for name, chunks in export({"flu": 0.75}, "vespa")}
    >>> files["updates.jsonl"].decode().strip()
    '{"update":"id:pages:pages::flu","fields":{"p_understandable":{"assign":0.75}}}'
    """
    check_choice("search engine", to, ENGINES)
    for what, name in (("field", field), ("index", index)):
        if not _NAME.fullmatch(name):
            raise OptionError(
                f"{what} takes a name of letters, digits and the signs _ . -, not {name!r}"
            )
    engine = ENGINES[to]
    if (refused := next((docno for docno in values if not engine.takes(docno)), None)) is not None:
        raise InputError(
            f"{engine.title} cannot take the docno {refused!r}: it is empty, has a tab or a line "
            f"break, or more than {engine.longest_id:,} bytes; leave its row out"
        )
    yield from engine.files(list(values.items()), field, index)
    for path in sorted(resource(f"export/{engine.extras}").iterdir()):
        if not path.is_file():  # Python caches compiled templates next to them
            continue
        text = path.read_text("utf-8").replace("FIELD", field).replace("INDEX_NAME", index)
        yield path.name, [text.encode()]
