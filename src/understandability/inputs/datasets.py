"""Documents, queries and runs of ir_datasets, by ``irds:NAME``; its labels are read by `runs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from understandability.errors import InputError, MissingExtraError
from understandability.inputs.run import Run
from understandability.text.page import HTML, TEXT, Page

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
