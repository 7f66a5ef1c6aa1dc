"""Read and write runs and labels as files, and read them from data sets of ir_datasets."""

from __future__ import annotations

import gzip
import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understandability.errors import InputError, OptionError, needing
from understandability.inputs.delimited import as_utf8, detect_delimiter
from understandability.inputs.run import Labels, Run, numpy_values
from understandability.inputs.streams import open_stream
from understandability.inputs.tables import DOCUMENT_COLUMNS, QUERY_COLUMNS, read_table
from understandability.inputs.trec import LABELS, RUN, read_lines
from understandability.inputs.writing import write_bytes
from understandability.text.page import HTML, TEXT, Page
from understandability.wording import near_miss

PREFIX = "irds:"  # of the name of a data set of ir_datasets
_AHEAD = 2
LABEL_COLUMNS = ("relevance", "label", "rel")  # the names of columns of labels in frames
TABLE_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
# Dimensions whose field in the frames of ir_datasets has a longer name.
_FRAME_FIELDS = {"u": "understandability", "trust": "trustworthiness"}


def run_name(path: str | Path) -> str:
    """Return the name of the run in a file: the file name without ``.gz``, ``.run``, ``.txt`` or
    ``.dat``.
    """
    if str(path) == "-":
        return "standard input"
    name = Path(path).name
    for suffixes in ((".gz", ".zst"), (".run", ".txt", ".dat")):
        for suffix in suffixes:
            if name.endswith(suffix) and name != suffix:
                name = name.removesuffix(suffix)
                break
    return name


def read_run(path: str | Path, name: str | None = None) -> Run:
    """Read a TREC run: ``query Q0 document rank score tag`` a line, plain, gzip or zstd.

    ``irds:NAME`` reads the run that is included in a data set of ir_datasets. Raises `InputError`,
    with file and line, if a line lacks columns, a rank is not a whole number, or a score is not a
    number. Unusual lines are accepted and reported in the run's `oddities`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.run")
    ...     _ = path.write_text("q1 Q0 d7 1 3.5 mine")
    ...     read_run(path).by_query()
    {'q1': [('d7', 3.5)]}
    """
    if is_dataset(str(path)):
        return dataset_run(str(path), name)
    table, oddities = read_lines(path, RUN)
    ranks = numpy_values(table["rank"], np.int64)
    scores = numpy_values(table["score"], np.float64)
    name = run_name(path) if name is None else name
    return Run.of_columns(name, table["query"], table["document"], scores, ranks, oddities)


def read_runs(paths: Iterable[str | Path]) -> Iterator[Run]:
    """Read runs in the given order; threads read the next two while the caller uses one."""
    with ThreadPoolExecutor(_AHEAD) as pool:
        ahead: deque[Future[Run]] = deque()
        for path in paths:
            ahead.append(pool.submit(read_run, path))
            if len(ahead) > _AHEAD:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def read_labels(
    path: str | Path, dimension: str = "relevance", column: str | None = None
) -> Labels:
    """Read the labels of one dimension from a file of any supported format.

    A path with the suffix of a table (``.jsonl .csv .tsv .parquet``, also compressed) is a table
    of labels or scores (except a ``.tsv`` whose first line is a label, as some qrels have it);
    ``FILE:COLUMN`` names its column. ``irds:NAME`` is a data set of ir_datasets; anything else is a
    TREC label file, ``query 0 document label`` a line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "qrels")
    ...     _ = path.write_text("q1 0 d7 2")
    ...     read_labels(path).by_query()
    {'q1': {'d7': 2.0}}
    """
    text = str(path)
    if is_dataset(text):
        rows = open_dataset(text, "qrels").qrels_iter()
        return labels_from_rows(rows, text.removeprefix(PREFIX), column or dimension)
    file, colon, suffix = text.rpartition(":")
    if colon and column is None and is_table_name(file) and not Path(text).exists():
        text, column = file, suffix
    if _holds_table(text):
        _check_header(text)
        table = read_table(text)
        if dimension == "relevance" and column is None:
            _check_grades(table, text)
        return labels_from_table(table, text, column, dimension)
    if column is not None:
        raise OptionError(f"{path} has no named columns: leave out the column {column!r}")
    table, oddities = read_lines(path, LABELS)
    if "line" in table.column_names:
        numbers = numpy_values(table["line"], np.int64)
    else:
        numbers = np.arange(1, table.num_rows + 1)
    return Labels.of_columns(
        text, table["query"], table["document"], table["label"], numbers, oddities
    )


def _holds_table(path: str) -> bool:
    """Return True if a file is a table of scores. A ``.tsv`` may be a label file instead."""
    if not is_table_name(path) or ".tsv" not in path.lower():
        return is_table_name(path)
    with open_stream(path) as stream:
        fields = stream.readline().decode("utf-8", "replace").split()
    return len(fields) != len(LABELS.columns) or not re.fullmatch(r"-?[\d.]+", fields[-1])


def _check_grades(table: pa.Table, name: str) -> None:
    """Raise `InputError` for a missing grade; qrels list only what was judged."""
    column = next((name for name in LABEL_COLUMNS if name in table.column_names), None)
    if column is None or not table[column].null_count:
        return
    row = table[column].to_pylist().index(None) + 1
    raise InputError(
        f"{name}, row {row}: the {column} must be a number, and it is missing; leave out documents "
        "that were not judged"
    )


def _check_header(path: str) -> None:
    """Raise `InputError` if the first line of a text table has numbers in place of names."""
    if ".csv" not in path.lower() and ".tsv" not in path.lower():
        return
    with open_stream(path) as stream:
        first = as_utf8(stream).readline(1 << 20).decode("utf-8-sig", "replace").rstrip("\r\n")
    cells = first.split(detect_delimiter(first))
    if len(cells) > 2 and any(re.fullmatch(r"-?[\d.]+", cell.strip()) for cell in cells[1:]):
        raise InputError(
            f"{path}: the first line must name the columns, such as query_id,doc_id,relevance; "
            f"it is {first[:80]!r}"
        )


def numeric_columns(path: str | Path) -> tuple[str, ...] | None:
    """Return the numeric columns of a score table; None for a TREC label file."""
    text = str(path)
    if is_dataset(text) or not _holds_table(text):
        return None
    return tuple(number_columns(read_table(text), *DOCUMENT_COLUMNS, *QUERY_COLUMNS))


def is_table_name(path: str) -> bool:
    """Return True if a file name has the suffix of a table."""
    return path.lower().removesuffix(".gz").removesuffix(".zst").endswith(TABLE_SUFFIXES)


def number_columns(table: pa.Table, *names: str | None) -> list[str]:
    """Return the numeric columns of a table, except those in `names`."""
    return [
        field.name
        for field in table.schema
        if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
        and field.name not in names
    ]


def labels_from_table(
    table: pa.Table, name: str, column: str | None = None, dimension: str = "relevance"
) -> Labels:
    """Return the numbers in one column of a table, by its column ``docno`` (or ``doc_id`` ...).

    Without `column` it is the column that is called as the dimension, relevance or label, or the
    only numeric column. With a column ``query_id`` (or ``qid`` ...) the numbers hold for that
    query, otherwise for the document in all queries. Values that are not finite are ignored.
    """
    docno, query = (
        next((name for name in names if name in table.column_names), None)
        for names in (("docno", *DOCUMENT_COLUMNS), QUERY_COLUMNS)
    )
    if docno is None:
        raise InputError(
            f"{name} has no column 'docno' (or {', '.join(DOCUMENT_COLUMNS)}); it has "
            f"{', '.join(table.column_names)}"
        )
    numeric = number_columns(table, docno, query)
    if not numeric or (column is not None and column not in numeric):
        _refuse_texts(table.rename_columns({docno: "docno"}), name, column)
    if column is None and len(numeric) != 1:
        names = (dimension, _FRAME_FIELDS.get(dimension, dimension), *LABEL_COLUMNS)
        column = next((name for name in names if name in numeric), None)
    if column is None and len(numeric) != 1:
        raise OptionError(
            f"{name} has {len(numeric)} columns of numbers; choose one of {', '.join(numeric)} "
            "(--column or FILE:COLUMN; column= in Python)"
        )
    values = table[column or numeric[0]].cast(pa.float64())
    table = table.filter(pc.is_finite(values))
    queries = table[query].cast(pa.string()) if query is not None else None
    values = values.filter(pc.is_finite(values))
    return Labels.of_columns(name, queries, table[docno].cast(pa.string()), values)


def _refuse_texts(table: pa.Table, name: str, column: str | None) -> None:
    """Raise the error for a column of texts; if most values are numbers, quote the first text."""
    has = f"it has {', '.join(table.column_names)}"
    if column is not None and column not in table.column_names:
        hint = near_miss(column, table.column_names)
        raise OptionError(f"{name} has no column {column!r}{hint}; {has}")
    for candidate in [column] if column else table.column_names:
        texts = ["" if value is None else str(value) for value in table[candidate].to_pylist()]
        wrong = [row for row, text in enumerate(texts) if text and not _is_number(text)]
        if candidate not in ("docno", "query") and 0 < 2 * len(wrong) <= len(texts):
            raise InputError(
                f"{name}, row {wrong[0] + 1}: the {candidate} of document "
                f"{table['docno'][wrong[0]].as_py()!r} must be a number, not {texts[wrong[0]]!r}"
            )
    suffix = f" {column!r}" if column else ""
    raise OptionError(f"{name} has no column of numbers{suffix}; {has}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def labels_from_rows(rows: Iterable[Any], name: str, dimension: str = "relevance") -> Labels:
    """Make labels from rows as returned by `qrels_iter` of ir_datasets.

    A row has ``query_id``, ``doc_id`` and a field named after the dimension (``understandability``
    for ``u``, ``trustworthiness`` for ``trust``).
    """
    field = _FRAME_FIELDS.get(dimension, dimension)
    listed = list(rows)
    if listed and not hasattr(listed[0], field):
        fields = ", ".join(getattr(listed[0], "_fields", ()))
        raise InputError(f"the labels of {name} have no field {field!r}; they have {fields}")
    values: list[float] = []
    for row in listed:
        value = getattr(row, field)
        if is_missing(value):
            raise InputError(
                f"{name}, query {id_text(row.query_id)}, document {id_text(row.doc_id)}: the label "
                "must be a number, and it is missing; leave out documents that were not judged"
            )
        values.append(float(value))
    return Labels.of_columns(
        name,
        pa.array([id_text(row.query_id) for row in listed], pa.string()),
        pa.array([id_text(row.doc_id) for row in listed], pa.string()),
        pa.array(values, pa.float64()),
    )


def id_text(value: Any) -> str:
    """Convert an id to text. Whole floats lose their ".0", because pandas converts integers to
    floats.

    >>> id_text(7), id_text(7.0), id_text("7")
    ('7', '7', '7')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_missing(value: Any) -> bool:
    """Return True for None, NaN and the missing value of pandas (`pandas.NA`)."""
    return value is None or type(value).__name__ == "NAType" or value != value


def write_run(run: Run, destination: str | Path, order: str = "rank") -> None:
    r"""Write a TREC run with ranks from 1 in the given `order`; a name in ``.gz`` is compressed.

    The file appears when it is complete; ``-`` is standard output. The run's name is its tag.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_run(Run.of("mine", {"q1": [("d7", 3.5)]}), Path(folder, "mine.run"))
    ...     Path(folder, "mine.run").read_text()
    'q1 Q0 d7 1 3.5 mine\n'
    """
    tag = re.sub(r"\s+", "_", run.name) or "run"
    lines = (
        f"{query} Q0 {docno} {rank} {score!r} {tag}\n"
        for query, documents in run.by_query(order).items()
        for rank, (docno, score) in enumerate(documents, start=1)
    )
    data, name = "".join(lines).encode(), str(destination)
    write_bytes(name, gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else data)


def is_dataset(name: str) -> bool:
    """Return True for the name of a data set of ir_datasets."""
    return name.startswith(PREFIX)


def open_dataset(name: str, has: str) -> Any:
    """Open a data set of ir_datasets by name, with or without the prefix ``irds:``.

    Raises `InputError` if it does not have the kind of data named by `has`, such as ``docs``.
    """
    with needing("data sets of ir_datasets need a package", ".[ir]"):
        import ir_datasets
    bare = name.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(bare)
    except KeyError:
        raise InputError(f"ir_datasets has no data set {bare!r}") from None
    if not getattr(dataset, f"has_{has}")():
        missing = {"qrels": "labels", "scoreddocs": "ranked documents"}.get(has, has)
        raise InputError(f"the data set {bare!r} of ir_datasets has no {missing}")
    return dataset


def dataset_pages(name: str) -> Iterator[Page]:
    """Yield the documents of a data set: HTML for crawls, plain text for others."""
    for doc in open_dataset(name, "docs").docs_iter():
        if hasattr(doc, "body_content_type"):
            media_type = TEXT if doc.body_content_type.startswith(TEXT) else HTML
            yield Page(doc.doc_id, name, doc.body, media_type, url=doc.url)
        else:
            yield Page(doc.doc_id, name, doc.default_text(), TEXT)


def dataset_queries(name: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each query of a data set."""
    for query in open_dataset(name, "queries").queries_iter():
        yield query.query_id, query.default_text()


def dataset_run(name: str, run_name: str | None = None) -> Run:
    """Return the run that a data set includes, the highest score first."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for line in open_dataset(name, "scoreddocs").scoreddocs_iter():
        rankings.setdefault(line.query_id, []).append((line.doc_id, line.score))
    for documents in rankings.values():
        documents.sort(key=lambda document: -document[1])
    return Run.of(run_name or name.removeprefix(PREFIX), rankings)
