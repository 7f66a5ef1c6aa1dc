"""Convert runs and labels from any accepted form: paths, data frames, dictionaries, or objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understandability.errors import InputError
from understandability.inputs.frames import is_frame, table_of
from understandability.inputs.run import Labels, Run, ranks_of
from understandability.inputs.runs import (
    LABEL_COLUMNS,
    id_text,
    is_missing,
    labels_from_rows,
    labels_from_table,
    number_columns,
    read_labels,
    read_runs,
)
from understandability.inputs.tables import DOCUMENT_COLUMNS, QUERY_COLUMNS

RELEVANCE = "relevance"
# The names of the other columns of frames in ir_measures, PyTerrier, trectools, and here.
_SYSTEM = ("run", "name", "system", "tag", "run_id")
_RUNS = (
    "paths of TREC runs, {query: {document: score}}, {name: {query: {document: score}}}, frames "
    "with columns such as query_id, doc_id and score, or Run objects"
)
_LABELS = (
    "a path, {query: {document: label}}, {document: label}, a frame with columns such as "
    "query_id, doc_id and relevance, or a Labels object"
)


def runs_of(given: Any, name: str = "run") -> Iterator[Run]:
    """Yield runs, one at a time, from one or several runs in any accepted form.

    The forms are: paths of TREC runs; ``{query: {document: score}}``, or ``{run: {query: {document:
    score}}}``; frames (pandas, polars, Arrow) with a column of queries, of documents and of scores,
    perhaps of ranks and of the names of runs; `Run` objects; and lists of these. Without ranks, the
    highest score is first, and ties are ordered as in trec_eval.

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
        raise InputError(f"runs must be {_RUNS}, not {_type_name(given)}")


def run_of(given: Any, name: str = "run") -> Run:
    """Return a single run, from any form that `runs_of` accepts; raise `InputError` for several."""
    runs = list(runs_of(given, name))
    if len(runs) != 1:
        raise InputError(f"expected one run, found {len(runs)}")
    return runs[0]


def labels_of(given: Any, dimension: str = "relevance", column: str | None = None) -> Labels:
    """Return labels from a path, dictionaries, a frame, or `Labels`.

    `column` names the column of labels in a frame or a score table. By default it is the column
    named after the dimension, ``relevance`` or ``label``, or else the only numeric one.

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
                numbers = {
                    id_text(query): _without_missing(labels, dimension, id_text(query))
                    for query, labels in given.items()
                }
                return Labels.of(dimension, numbers)
            return Labels.of_documents(dimension, _without_missing(given, dimension))
        except (TypeError, AttributeError):
            pass
    elif isinstance(given, Iterable) and not isinstance(given, Mapping | bytes):
        rows = list(given)
        if rows and all(hasattr(row, "query_id") and hasattr(row, "doc_id") for row in rows):
            return labels_from_rows(rows, dimension, column or dimension)
    raise InputError(f"labels of {dimension} must be {_LABELS}, not {_type_name(given)}")


def _without_missing(
    labels: Mapping[Any, Any], dimension: str, query: str = ""
) -> dict[str, float]:
    """Return the labels of one query by document, without missing ones (None or NaN).

    A missing label of relevance is an error, because qrels list only judged documents. Estimates
    and ratings may be missing.
    """
    numbers = {}
    for document, value in labels.items():
        try:
            numbers[id_text(document)] = _number_or_nan(value)
        except ValueError:
            raise InputError(
                f"{dimension}, {f'query {query}, ' if query else ''}document {id_text(document)}: "
                f"the label must be a number, not {value!r}"
            ) from None
    missing = [document for document, value in numbers.items() if math.isnan(value)]
    if missing and dimension == RELEVANCE:
        raise InputError(_missing_grade(query, missing[0]))
    return {document: value for document, value in numbers.items() if not math.isnan(value)}


def _missing_grade(query: str, document: str) -> str:
    return (
        f"{RELEVANCE}, query {query}, document {document}: the label must be a number, and it is "
        "missing; leave out documents that were not judged"
    )


def _missing_score(run: str, query: str, document: str) -> str:
    return (
        f"run {run}, query {query}, document {document}: the score must be a number, and it is "
        "missing; leave out documents that were not ranked"
    )


def _number_or_nan(value: Any) -> float:
    """Convert a value to a number; None and the missing value of pandas become NaN."""
    return math.nan if is_missing(value) else float(value)


def _runs_of_list(items: list[Any]) -> Iterator[Run]:
    if not items:
        raise InputError(f"there is no run; give {_RUNS}")
    if all(isinstance(path, str | Path) for path in items):
        yield from read_runs(items)  # the next ones are read ahead
    elif all(hasattr(row, "query_id") and hasattr(row, "score") for row in items):
        rankings: dict[str, dict[str, float]] = {}
        for row in items:
            ranking = rankings.setdefault(id_text(row.query_id), {})
            ranking.setdefault(id_text(row.doc_id), row.score)
        yield from _runs_of_mapping(rankings, "run")
    else:
        for number, runs in enumerate(items, 1):
            yield from runs_of(runs, f"run{number}")


def _runs_of_mapping(runs_by_name: Mapping[Any, Any], name: str) -> Iterator[Run]:
    """Yield the run of a dictionary by query, or the runs of a dictionary by name."""
    # Any query or run may be empty, so one of them decides that has something in it.
    are_named = any(
        not isinstance(value, Mapping) or isinstance(next(iter(value.values()), None), Mapping)
        for value in runs_by_name.values()
    )
    if are_named:
        for key, value in runs_by_name.items():
            if isinstance(value, int | float):
                raise InputError(f"runs must be {_RUNS}, not {{{key!r}: {value!r}, ...}}")
            if isinstance(value, Mapping) and not value:
                raise InputError(f"run {key} is empty; leave it out, or give it a document")
            if isinstance(value, list | tuple) and not _are_runs(value):
                raise InputError(
                    f"the run {name} is not {{query: {{document: score}}}}: {key!r} has a list; "
                    "give each document a score"
                )
            for run in runs_of(value, str(key)):
                yield replace(run, name=str(key))
        return
    try:
        rankings = {
            id_text(query): [
                (id_text(docno), _number_or_nan(score)) for docno, score in documents.items()
            ]
            for query, documents in runs_by_name.items()
        }
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the run {name} is not {{query: {{document: score}}}}: {error}"
        ) from error
    for query, ranking in rankings.items():
        for docno, score in ranking:
            if math.isnan(score):
                raise InputError(_missing_score(name, query, docno))
    yield _by_score(Run.of(name, rankings))


def _are_runs(given: list[Any] | tuple[Any, ...]) -> bool:
    """Return False for a list of documents, with or without scores, in place of runs."""
    return not any(
        isinstance(item, tuple) or (isinstance(item, str) and not Path(item).exists())
        for item in given
    )


def _by_score(run: Run) -> Run:
    """Return a run ranked by its scores; repeated documents come last."""
    lines = run.line_order("score")
    again = np.setdiff1d(np.arange(len(run)), lines)
    order = np.concatenate([lines, again])
    order = order[np.argsort(run.query_ids[order], kind="stable")]
    ranks = np.empty(len(run), dtype=np.int64)
    ranks[order] = ranks_of(run.query_ids[order])
    return replace(run, ranks=ranks)


def _column(table: pa.Table, names: Iterable[str]) -> str | None:
    return next((name for name in names if name in table.column_names), None)


def _runs_of_table(table: pa.Table, name: str) -> Iterator[Run]:
    query, docno = _column(table, QUERY_COLUMNS), _column(table, DOCUMENT_COLUMNS)
    rank, score = _column(table, ["rank"]), _column(table, ["score"])
    if query is None or docno is None or (score is None and rank is None):
        raise InputError(
            f"the frame of runs has the columns {', '.join(table.column_names)}; it needs a "
            f"query ({', '.join(QUERY_COLUMNS)}), a document ({', '.join(DOCUMENT_COLUMNS)}) "
            "and a score or rank"
        )
    system = _column(table, _SYSTEM)
    names = table[system].cast(pa.string()) if system else None
    for run_name in [None] if names is None else pc.unique(names).to_pylist():
        rows = table if names is None else table.filter(pc.equal(names, run_name))
        ranks = None if rank is None else _numbers(rows, rank)
        queries, docnos = _ids(rows, query), _ids(rows, docno)
        scores = -ranks if score is None and ranks is not None else _numbers(rows, str(score))
        missing = np.flatnonzero(np.isnan(scores))
        if len(missing):
            at = int(missing[0])
            query_id, docno_id = queries[at].as_py(), docnos[at].as_py()
            raise InputError(_missing_score(run_name or name, query_id, docno_id))
        run = Run.of_columns(
            run_name or name,
            queries,
            docnos,
            scores,
            None if ranks is None else ranks.astype(np.int64),
        )
        yield _by_score(run) if ranks is None else run


def _ids(table: pa.Table, name: str) -> Any:
    """Return a column of ids as text; whole numbers are written without ".0".

    (pandas converts a column of integers to floats if a value is missing.)
    """
    column = table[name]
    if column.null_count:
        row = next(row for row, value in enumerate(column) if not value.is_valid)
        raise InputError(f"row {row + 1} of the frame has no {name}; fill it, or drop the row")
    if pa.types.is_floating(column.type):
        return pa.array([id_text(value) for value in column.to_pylist()], pa.string())
    return column.cast(pa.string())


def _numbers(table: pa.Table, name: str) -> Any:
    """Return a column as numbers; missing values become NaN."""
    try:
        return table[name].cast(pa.float64()).to_numpy()
    except pa.ArrowException:
        raise InputError(
            f"the column {name} of the frame must hold numbers, in every row"
        ) from None


def _labels_of_table(table: pa.Table, dimension: str, column: str | None) -> Labels:
    docno = _column(table, DOCUMENT_COLUMNS)
    if docno is None:
        raise InputError(
            f"the frame of {dimension} has the columns {', '.join(table.column_names)}; it needs a "
            f"document ({', '.join(DOCUMENT_COLUMNS)})"
        )
    query = _column(table, QUERY_COLUMNS)
    numeric = number_columns(table, docno, query)
    label = column or _column(table.select(numeric), (dimension, *LABEL_COLUMNS))
    label = numeric[0] if label is None and len(numeric) == 1 else label
    texts = [name for name in (dimension, *LABEL_COLUMNS) if name in table.column_names]
    if label not in numeric and (named := [column] if column else texts):
        where = named[0]
        if where in table.column_names:
            raise InputError(
                f"the column {where} of the frame of {dimension} must hold numbers; convert it, "
                f"such as with frame[{where!r}].astype(float)"
            )
    if label not in numeric:
        raise InputError(
            f"the frame of {dimension} has the columns of numbers {', '.join(numeric) or 'none'}; "
            "name the one to use with column="
        )
    columns = {"docno": _ids(table, docno)}
    if query is not None:
        columns["query"] = _ids(table, query)
    columns[str(label)] = table[label]
    if dimension == RELEVANCE:
        missing = np.flatnonzero(np.isnan(_numbers(table, str(label))))
        if len(missing):
            at = int(missing[0])
            of_query = columns["query"][at].as_py() if query is not None else "-"
            raise InputError(_missing_grade(of_query, columns["docno"][at].as_py()))
    return labels_from_table(pa.table(columns), dimension, label)


def _type_name(value: Any) -> str:
    empty = "an empty " if isinstance(value, Mapping) and not value else ""
    return f"{empty}{type(value).__name__}"
