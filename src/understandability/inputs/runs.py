"""Runs and labels in and out: TREC files, score tables, label frames of ir_datasets."""

from __future__ import annotations

import gzip
import math
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understandability.errors import InputError, MissingExtraError, OptionError
from understandability.inputs.frames import is_frame, table_of
from understandability.inputs.run import Labels, Oddity, Run, numpy_values
from understandability.inputs.streams import open_stream
from understandability.inputs.tables import read_table
from understandability.inputs.trec import LABELS, RUN, numbers_of, read_lines
from understandability.inputs.writing import write_bytes
from understandability.text.page import HTML, TEXT, Page

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_AHEAD = 2
TABLE_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
# Dimensions whose field in the frames of ir_datasets has a longer name.
_FRAME_FIELDS = {"u": "understandability", "trust": "trustworthiness"}


def run_name(path: str | Path) -> str:
    """What the run in a file is called: the file name without ``.gz`` and a last suffix.

    That suffix is ``.run``, ``.txt`` or ``.dat``.

    >>> run_name("runs/KISTI_EN_RUN.1.run.gz"), run_name("bm25.dat"), run_name("-")
    ('KISTI_EN_RUN.1', 'bm25', 'standard input')
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

    ``irds:NAME`` is the run that a data set of ir_datasets comes with.
    Raises `InputError`, with file and line, where a line lacks columns, a rank is no whole
    number or a score no number. What is unusual is accepted and told in the run's `oddities`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.run")
    ...     _ = path.write_text("q1 Q0 d7 1 3.5 mine")
    ...     read_run(path).by_query()
    {'q1': [('d7', 3.5)]}
    """
    import numpy as np

    if is_dataset(str(path)):
        return dataset_run(str(path), name)
    table, oddities = read_lines(path, RUN)
    queries, query_ids = _decoded(table["query"])
    docnos, docno_ids = _decoded(table["document"])
    return Run(
        run_name(path) if name is None else name,
        tuple(queries.to_pylist()),
        docnos,
        query_ids,
        docno_ids,
        numbers_of(table["rank"], np.int64),
        numbers_of(table["score"], np.float64),
        oddities,
    )


def read_runs(paths: Iterable[str | Path]) -> Iterator[Run]:
    """Read runs in the order given, the next two in threads while one is being used."""
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
    """Read the labels of one dimension, whatever they stand in.

    A path with the suffix of a table (``.jsonl .csv .tsv .parquet``, also compressed) is a
    score table, see `labels_from_table` (but for a ``.tsv`` whose first line is a label, as
    some qrels are called); ``irds:NAME`` is a data set of ir_datasets, see
    `labels_from_frame`; anything else is a TREC label file, ``query 0 document label`` a line:
    qrels, understandability or trust labels.

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
        return labels_from_frame(rows, text.removeprefix("irds:"), column or dimension)
    if _is_table(text):
        return labels_from_table(read_table(text), text, column)
    if column is not None:
        raise OptionError(f"{path} has no named columns: leave out the column {column!r}")
    import numpy as np

    table, oddities = read_lines(path, LABELS)
    if "line" in table.column_names:
        numbers = numbers_of(table["line"], np.int64)
    else:
        numbers = np.arange(1, table.num_rows + 1)
    return _labels(
        text, table["query"], table["document"], table["label"], line_numbers=numbers, odd=oddities
    )


def _begins_as_labels(path: str) -> bool:
    """Whether the first line of a file has four columns, of which the last is a number."""
    if ".tsv" not in path.lower():
        return False
    with open_stream(path) as stream:
        fields = stream.readline().decode("utf-8", "replace").split()
    return len(fields) == len(LABELS.columns) and re.fullmatch(r"-?[\d.]+", fields[-1]) is not None


def numeric_columns(path: str | Path) -> tuple[str, ...] | None:
    """The columns of numbers of a score table; None for a file that `read_labels` reads as TREC."""
    text = str(path)
    if is_dataset(text) or not _is_table(text):
        return None
    return tuple(_numeric(read_table(text)))


def _is_table(path: str) -> bool:
    bare = path.lower().removesuffix(".gz").removesuffix(".zst")
    return bare.endswith(TABLE_SUFFIXES) and not _begins_as_labels(path)


def _numeric(table: pa.Table) -> list[str]:
    import pyarrow as pa

    return [
        field.name
        for field in table.schema
        if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
        and field.name not in ("docno", "query")
    ]


def labels_from_table(table: pa.Table, name: str, column: str | None = None) -> Labels:
    """The numbers in one column of a score table, by its column ``docno``.

    Without `column` there must be one single column of numbers. With a column ``query`` the
    numbers hold for that query, otherwise for the document whatever the query. Missing
    numbers (null, NaN) are no labels.

    >>> import pyarrow as pa
    >>> fog = pa.table({"docno": ["d1", "d2"], "gunning_fog": [9.5, None]})
    >>> labels_from_table(fog, "fog.parquet").values.tolist()
    [9.5]
    """

    numeric = _numeric(table)
    if "docno" not in table.column_names:
        raise InputError(f"{name} has no column 'docno'; it has {', '.join(table.column_names)}")
    if not numeric or (column is not None and column not in numeric):
        _refuse_texts(table, name, column)
    if column is None and len(numeric) != 1:
        raise OptionError(
            f"{name} has {len(numeric)} columns of numbers; choose one of {', '.join(numeric)}"
        )
    column = column or numeric[0]
    queries = table["query"] if "query" in table.column_names else None
    return labels_from_columns(name, queries, table["docno"], table[column])


def _refuse_texts(table: pa.Table, name: str, column: str | None) -> None:
    """Say where a column is none of numbers: the first value that is not, if most are."""
    has = f"it has {', '.join(table.column_names)}"
    if column is not None and column not in table.column_names:
        raise OptionError(f"{name} has no column {column!r}; {has}")
    for candidate in [column] if column else table.column_names:
        texts = ["" if value is None else str(value) for value in table[candidate].to_pylist()]
        wrong = [row for row, text in enumerate(texts) if text and not _is_number(text)]
        if candidate not in ("docno", "query") and 0 < 2 * len(wrong) <= len(texts):
            raise InputError(
                f"{name}, row {wrong[0] + 1}: the {candidate} of document "
                f"{table['docno'][wrong[0]].as_py()!r} must be a number, not {texts[wrong[0]]!r}"
            )
    of = f" {column!r}" if column else ""
    raise OptionError(f"{name} has no column of numbers{of}; {has}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def labels_from_columns(name: str, queries: Any, docnos: Any, values: Any) -> Labels:
    """Labels from columns of Arrow, `queries` perhaps None; what is no finite number is no label.

    >>> import pyarrow as pa
    >>> columns = pa.array(["d1", "d2"]), pa.array([9.5, None])
    >>> labels_from_columns("fog", None, *columns).values.tolist()
    [9.5]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = values.cast(pa.float64())
    known = pc.is_finite(values)
    return _labels(
        name,
        None if queries is None else queries.cast(pa.string()).filter(known),
        docnos.cast(pa.string()).filter(known),
        values.filter(known),
    )


def labels_from_frame(rows: Any, name: str, dimension: str = "relevance") -> Labels:
    """Labels from a label frame of ir_datasets, or from the named tuples of `qrels_iter`.

    A row has ``query_id``, ``doc_id`` and a field of the dimension's name (``u`` is found as
    ``understandability``, ``trust`` as ``trustworthiness``).

    >>> from typing import NamedTuple
    >>> Qrel = NamedTuple("Qrel", [("query_id", str), ("doc_id", str), ("relevance", int)])
    >>> labels_from_frame([Qrel("q1", "d1", 2)], "mine").values.tolist()
    [2.0]
    """
    import pyarrow as pa

    field = _FRAME_FIELDS.get(dimension, dimension)
    if hasattr(rows, "itertuples"):
        rows = rows.itertuples(index=False)
    listed = list(rows)
    if listed and not hasattr(listed[0], field):
        fields = ", ".join(getattr(listed[0], "_fields", ()))
        raise InputError(f"the labels of {name} have no field {field!r}; they have {fields}")
    return _labels(
        name,
        pa.array([row.query_id for row in listed], pa.string()),
        pa.array([row.doc_id for row in listed], pa.string()),
        pa.array([getattr(row, field) for row in listed], pa.float64()),
    )


def write_run(run: Run, destination: str | Path, order: str = "rank") -> None:
    """Write a TREC run, ``.gz`` compressed, with ranks from 1 in the order asked for.

    The file appears when it is complete; ``-`` is standard output. The run's name is its tag.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_run(Run.of("mine", {"q1": [("d7", 3.5)]}), Path(folder, "mine.run"))
    ...     Path(folder, "mine.run").read_text()
    'q1 Q0 d7 1 3.5 mine\\n'
    """
    tag = re.sub(r"\s+", "_", run.name) or "run"
    _write(
        destination,
        (
            f"{query} Q0 {docno} {rank} {score!r} {tag}\n"
            for query, documents in run.by_query(order).items()
            for rank, (docno, score) in enumerate(documents, start=1)
        ),
    )


def write_labels(labels: Labels, destination: str | Path) -> None:
    """Write labels of pairs of query and document as a TREC label file, ``.gz`` compressed."""
    if labels.query_ids is None:
        raise OptionError(f"{labels.name} has labels of documents, not of queries and documents")
    docnos = labels.docnos.to_pylist()
    _write(
        destination,
        (
            f"{labels.queries[query]} 0 {docnos[document]} {value:.15g}\n"
            for query, document, value in zip(
                labels.query_ids.tolist(),
                labels.docno_ids.tolist(),
                labels.values.tolist(),
                strict=True,
            )
        ),
    )


def _write(destination: str | Path, lines: Iterable[str]) -> None:
    data = "".join(lines).encode()
    name = str(destination)
    if name == "-":
        sys.stdout.buffer.write(data)
        return
    write_bytes(name, gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else data)


def _labels(
    name: str,
    queries: Any,
    docnos: Any,
    values: Any,
    *,
    line_numbers: NDArray[np.int64] | None = None,
    odd: tuple[Oddity, ...] = (),
) -> Labels:
    """Labels from columns, a pair's first line only."""
    import numpy as np

    names, docno_ids = _decoded(docnos)
    distinct, query_ids = ((), None) if queries is None else _decoded(queries)
    pairs = docno_ids.astype(np.int64)
    if query_ids is not None:
        pairs += query_ids.astype(np.int64) * len(names)
    first = np.sort(np.unique(pairs, return_index=True)[1])
    if again := len(pairs) - len(first):
        place = int(np.setdiff1d(np.arange(len(pairs)), first)[0])
        odd += (Oddity("labels given again", again, f"document {names[int(docno_ids[place])]}"),)
    return Labels(
        name,
        tuple(query.as_py() for query in distinct),
        names,
        None if query_ids is None else query_ids[first],
        docno_ids[first],
        numbers_of(values, np.float64)[first],
        None if line_numbers is None else line_numbers[first],
        odd,
    )


def _decoded(column: Any) -> tuple[Any, Any]:
    """The distinct values of a column in order of appearance, and indexes into them."""
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of no chunks
        return pa.array([], pa.string()), np.empty(0, dtype=np.int32)
    return column.dictionary, numpy_values(column.indices, np.int32)


PREFIX = "irds:"


def is_dataset(name: str) -> bool:
    """Whether a path is the name of a data set of ir_datasets."""
    return name.startswith(PREFIX)


def open_dataset(name: str, has: str) -> Any:
    """The data set of a name, with or without ``irds:``, that has ``docs``, ``queries``, ..."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError(
            "data sets of ir_datasets need an optional package: pip install 'understandability[ir]'"
        ) from None
    bare = name.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(bare)
    except KeyError:
        raise InputError(f"ir_datasets has no data set {bare!r}") from None
    if not getattr(dataset, f"has_{has}")():
        kind = {"qrels": "labels", "scoreddocs": "ranked documents"}.get(has, has)
        raise InputError(f"the data set {bare!r} of ir_datasets has no {kind}")
    return dataset


def dataset_pages(name: str) -> Iterator[Page]:
    """The documents of a data set: the pages of a crawl as they were served, others as text."""
    for doc in open_dataset(name, "docs").docs_iter():
        if hasattr(doc, "body_content_type"):
            kind = TEXT if doc.body_content_type.startswith(TEXT) else HTML
            yield Page(doc.doc_id, name, doc.body, kind, url=doc.url)
        else:
            yield Page(doc.doc_id, name, doc.default_text(), TEXT)


def dataset_queries(name: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each query of a data set."""
    for query in open_dataset(name, "queries").queries_iter():
        yield query.query_id, query.default_text()


def dataset_run(name: str, run_name: str | None = None) -> Run:
    """The ranked documents that a data set comes with, the highest score first."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for line in open_dataset(name, "scoreddocs").scoreddocs_iter():
        rankings.setdefault(line.query_id, []).append((line.doc_id, line.score))
    for documents in rankings.values():
        documents.sort(key=lambda document: -document[1])
    return Run.of(run_name or name.removeprefix(PREFIX), rankings)


# What columns of frames are called by ir_measures, PyTerrier, trectools, and here.
_QUERY = ("query_id", "qid", "query", "topic")
_DOCUMENT = ("doc_id", "docno", "docid", "document")
_RANK, _SCORE = ("rank",), ("score",)
_SYSTEM = ("run", "name", "system", "tag", "run_id")
_LABEL = ("relevance", "label", "rel")
_RUNS = (
    "paths of TREC runs, {query: {document: score}}, {name: {query: {document: score}}}, frames "
    "with columns such as query_id, doc_id and score, or Run objects"
)
_LABELS = (
    "a path, {query: {document: label}}, {document: label}, a frame with columns such as "
    "query_id, doc_id and relevance, or a Labels object"
)


def runs_of(given: Any, name: str = "run") -> Iterator[Run]:
    """The runs that are given, one at a time: a run, or several, in any of the forms.

    Forms are paths of TREC runs; ``{query: {document: score}}``, also under the name of each run;
    frames (pandas, polars, Arrow) with a column of queries, of documents and of scores, perhaps
    of ranks and of the names of runs; `Run` objects; and lists of these. Where no ranks are given
    the highest score is first, equal ones as in trec_eval.

    >>> [run] = runs_of({"q1": {"d1": 0.5, "d2": 0.9}})
    >>> run.by_query()
    {'q1': [('d2', 0.9), ('d1', 0.5)]}
    """
    if isinstance(given, Run):
        yield given
    elif isinstance(given, str | Path):
        yield from read_runs([given])
    elif is_frame(given):
        yield from _runs_of_table(table_of(given, "frame of runs"), name)
    elif isinstance(given, Mapping) and given:
        yield from _runs_of_mapping(given, name)
    elif isinstance(given, Iterable) and not isinstance(given, Mapping | bytes):
        yield from _runs_of_list(list(given))
    else:
        raise InputError(f"runs must be {_RUNS}, not {_kind(given)}")


def run_of(given: Any, name: str = "run") -> Run:
    """The one run that is given, in any form of `runs_of`."""
    found = list(runs_of(given, name))
    if len(found) != 1:
        raise InputError(f"this takes one run, and there are {len(found)}; give one")
    return found[0]


def labels_of(given: Any, dimension: str = "relevance", column: str | None = None) -> Labels:
    """The labels that are given: a path, dictionaries, a frame, or `Labels`.

    `column` names the column of a frame or of a score table; without it, one called as the
    dimension, relevance or label serves, or the only one of numbers.

    >>> labels_of({"flu": 20, "cold": 45}).query_ids is None
    True
    >>> labels_of({"q1": {"flu": 20}}).values.tolist()
    [20.0]
    """
    if isinstance(given, Labels):
        return given
    if isinstance(given, str | Path):
        return read_labels(given, dimension, column)
    if is_frame(given):
        return _labels_of_table(table_of(given, f"frame of {dimension}"), dimension, column)
    if isinstance(given, Mapping) and given:
        first = next(iter(given.values()))
        try:
            if isinstance(first, Mapping):
                return Labels.of(dimension, {q: _known(labels) for q, labels in given.items()})
            return Labels.of_documents(dimension, _known(given))
        except (TypeError, ValueError, AttributeError):
            pass
    elif isinstance(given, Iterable) and not isinstance(given, Mapping | bytes):
        rows = list(given)
        if rows and all(hasattr(row, "query_id") and hasattr(row, "doc_id") for row in rows):
            return labels_from_frame(rows, dimension, column or dimension)
    raise InputError(f"labels of {dimension} must be {_LABELS}, not {_kind(given)}")


def _known(labels: Mapping[Any, Any]) -> dict[str, float]:
    """Labels by document; None and NaN are none."""
    known = {str(d): float(v) for d, v in labels.items() if v is not None}
    return {docno: value for docno, value in known.items() if not math.isnan(value)}


def _runs_of_list(given: list[Any]) -> Iterator[Run]:
    if not given:
        raise InputError(f"there is no run; give {_RUNS}")
    if all(isinstance(each, str | Path) for each in given):
        yield from read_runs(given)  # the next ones are read ahead
    elif all(hasattr(row, "query_id") and hasattr(row, "score") for row in given):
        rankings: dict[str, dict[str, float]] = {}
        for row in given:
            rankings.setdefault(row.query_id, {}).setdefault(row.doc_id, row.score)
        yield from _runs_of_mapping(rankings, "run")
    else:
        for place, each in enumerate(given, 1):
            yield from runs_of(each, f"run{place}")


def _runs_of_mapping(given: Mapping[Any, Any], name: str) -> Iterator[Run]:
    """One run of queries, or several under their names."""
    first = next(iter(given.values()))
    inner = next(iter(first.values()), 0.0) if isinstance(first, Mapping) else first
    if not isinstance(first, Mapping) or isinstance(inner, Mapping):
        for key, each in given.items():
            if isinstance(each, int | float):
                raise InputError(f"runs must be {_RUNS}, not {{{key!r}: {each!r}, ...}}")
            for run in runs_of(each, str(key)):
                yield replace(run, name=str(key))
        return
    try:
        rows = [
            (str(query), str(docno), float(score))
            for query, documents in given.items()
            for docno, score in documents.items()
        ]
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the run {name} is not {{query: {{document: score}}}}: {error}"
        ) from error
    queries, docnos, scores = zip(*rows, strict=True) if rows else ((), (), ())
    yield _by_score(Run.of_columns(name, list(queries), list(docnos), np.array(scores, float)))


def _by_score(run: Run) -> Run:
    """A run whose ranks follow its scores."""
    ranks = np.empty(len(run), dtype=np.int64)
    unranked = replace(run, ranks=np.zeros(len(run), dtype=np.int64))
    lines = unranked.line_order("score")
    left_out = np.setdiff1d(np.arange(len(run)), lines)
    order = np.concatenate([lines, left_out])
    ranks[order] = np.arange(1, len(run) + 1)
    starts = np.full(len(run.queries), len(run) + 1)
    np.minimum.at(starts, run.query_ids, ranks)
    return replace(run, ranks=ranks - starts[run.query_ids] + 1)


def _column(table: pa.Table, names: Iterable[str]) -> str | None:
    return next((name for name in names if name in table.column_names), None)


def _runs_of_table(table: pa.Table, name: str) -> Iterator[Run]:
    import pyarrow as pa
    import pyarrow.compute as pc

    query, docno = _column(table, _QUERY), _column(table, _DOCUMENT)
    rank, score = _column(table, _RANK), _column(table, _SCORE)
    if query is None or docno is None or (score is None and rank is None):
        raise InputError(
            f"the frame of runs has the columns {', '.join(table.column_names)}; it needs a "
            f"query ({', '.join(_QUERY)}), a document ({', '.join(_DOCUMENT)}) and a score or rank"
        )
    system = _column(table, _SYSTEM)
    names = table[system].cast(pa.string()) if system else None
    for each in [None] if names is None else pc.unique(names).to_pylist():
        rows = table if names is None else table.filter(pc.equal(names, each))
        ranks = None if rank is None else _numbers(rows, rank)
        scores = -ranks if score is None and ranks is not None else _numbers(rows, str(score))
        run = Run.of_columns(
            each or name,
            rows[query].cast(pa.string()).to_pylist(),
            rows[docno].cast(pa.string()).to_pylist(),
            scores,
            None if ranks is None else ranks.astype(np.int64),
        )
        yield _by_score(run) if ranks is None else run


def _numbers(table: pa.Table, name: str) -> Any:
    import pyarrow as pa

    try:
        numbers = table[name].cast(pa.float64()).to_numpy()
    except pa.ArrowException:
        numbers = np.array([np.nan])
    if np.isnan(numbers).any():
        raise InputError(f"the column {name} of the frame must hold numbers, in every row")
    return numbers


def _labels_of_table(table: pa.Table, dimension: str, column: str | None) -> Labels:
    import pyarrow as pa

    docno = _column(table, _DOCUMENT)
    if docno is None:
        raise InputError(
            f"the frame of {dimension} has the columns {', '.join(table.column_names)}; it needs a "
            f"document ({', '.join(_DOCUMENT)})"
        )
    query = _column(table, _QUERY)
    numeric = [
        field.name
        for field in table.schema
        if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
        and field.name not in (docno, query)
    ]
    found = column or _column(table.select(numeric), (dimension, *_LABEL))
    found = numeric[0] if found is None and len(numeric) == 1 else found
    if found not in numeric:
        raise InputError(
            f"the frame of {dimension} has the columns of numbers {', '.join(numeric) or 'none'}; "
            "name the one that is meant with column="
        )
    return labels_from_columns(
        dimension, table[query] if query else None, table[docno], table[str(found)]
    )


def _kind(given: Any) -> str:
    return (
        f"{'an empty ' if isinstance(given, Mapping) and not given else ''}{type(given).__name__}"
    )
