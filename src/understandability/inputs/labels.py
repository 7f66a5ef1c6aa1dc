"""Numbers that people or programs gave to documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.inputs.joins import Ids, Lines, coded, freeze, matched, pairs_of
from understandability.inputs.run import Oddity, Run


@dataclass(frozen=True, eq=False)
class Labels:
    """One number for a document, of one dimension: relevance, understandability, trust, a score.

    Line ``i`` says `values[i]` of document ``docnos[docno_ids[i]]`` for query
    ``queries[query_ids[i]]``, in the order of the file; of lines for the same pair only the
    first is kept. Where `query_ids` is None (a score table, `by_document`) a line holds for
    the document whatever the query. `docnos` is a pyarrow array of distinct names;
    `line_numbers` says where in a text file each line stood.
    """

    name: str
    queries: tuple[str, ...]
    docnos: Any
    query_ids: Ids | None
    docno_ids: Ids
    values: Floats
    line_numbers: Lines | None = None
    oddities: tuple[Oddity, ...] = ()

    def __post_init__(self) -> None:
        freeze(self.query_ids, self.docno_ids, self.values, self.line_numbers)

    def __len__(self) -> int:
        return len(self.docno_ids)

    @classmethod
    def of(cls, name: str, labels: Mapping[str, Mapping[str, float]]) -> Labels:
        """Labels from ``{query: {document: label}}``.

        >>> labels = Labels.of("trust", {"q1": {"d7": 50, "d2": 90}})
        >>> labels.of_lines(Run.of("mine", {"q1": [("d1", 2.0), ("d2", 1.0)]})).tolist()
        [nan, 90.0]
        """
        lengths = [len(documents) for documents in labels.values()]
        docnos, docno_ids = coded([d for documents in labels.values() for d in documents])
        values = [value for documents in labels.values() for value in documents.values()]
        query_ids = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        return cls(name, tuple(labels), docnos, query_ids, docno_ids, np.array(values, float))

    @classmethod
    def of_documents(cls, name: str, values: Mapping[str, float]) -> Labels:
        """Labels, such as scores, that documents carry whatever the query.

        >>> fog = Labels.of_documents("fog", {"d1": 9.5})
        >>> fog.of_lines(Run.of("mine", {"q1": [("d1", 2.0)], "q2": [("d1", 1.0)]})).tolist()
        [9.5, 9.5]
        """
        docnos, docno_ids = coded(list(values))
        return cls(name, (), docnos, None, docno_ids, np.array(list(values.values()), float))

    def by_query(self) -> dict[str, dict[str, float]]:
        """The labels of pairs as `of` takes them.

        >>> Labels.of("trust", {"q1": {"d7": 50.0}}).by_query()
        {'q1': {'d7': 50.0}}
        """
        docnos = self.docnos.to_pylist()
        labels: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        of_query = [labels[query] for query in self.queries]
        if self.query_ids is not None:
            columns = (self.query_ids, self.docno_ids, self.values)
            for query, document, value in zip(*(c.tolist() for c in columns), strict=True):
                of_query[query][docnos[document]] = value
        return labels

    def by_document(self) -> Labels:
        """The label of each document whatever the query: the one on its first line.

        >>> Labels.of("u", {"q1": {"d": 3}, "q2": {"d": 0}}).by_document().values.tolist()
        [3.0]
        """
        first = np.sort(np.unique(self.docno_ids, return_index=True)[1])
        return replace(self._of(first), queries=(), query_ids=None)

    def without(self, *no_labels: float) -> Labels:
        """The labels but for the values that mean "could not judge".

        >>> Labels.of_documents("credibility", {"a": 3, "b": 1}).without(3).values.tolist()
        [1.0]
        """
        return self._of(np.flatnonzero(~np.isin(self.values, no_labels)))

    def _of(self, kept: Lines) -> Labels:
        """Some of the lines."""
        return replace(
            self,
            query_ids=None if self.query_ids is None else self.query_ids[kept],
            docno_ids=self.docno_ids[kept],
            values=self.values[kept],
            line_numbers=None if self.line_numbers is None else self.line_numbers[kept],
        )

    def where(self, line: int) -> str:
        """The place of a line in words: the file, its line where known, the document."""
        number = "" if self.line_numbers is None else f", line {self.line_numbers[line]}"
        return f"{self.name}{number} (document {self.docnos[int(self.docno_ids[line])]})"

    def of_lines(self, run: Run) -> Floats:
        """The label of each line of a run, NaN where there is none."""
        lines = self.lines_of(run)
        # A last NaN is what -1 finds.
        return np.append(self.values, np.nan)[lines]

    def lines_of(self, run: Run) -> Lines:
        """The line of these labels that each line of a run finds, -1 where there is none."""
        docno_ids = matched(run.docnos, self.docnos)[run.docno_ids]
        # Most lines of a run are of documents without any label.
        candidates = np.flatnonzero(docno_ids >= 0)
        keys = docno_ids[candidates].astype(np.int64)
        if self.query_ids is not None:
            place = {query: i for i, query in enumerate(self.queries)}
            queries = np.array([place.get(query, -1) for query in run.queries], dtype=np.int64)
            query_ids = queries[run.query_ids[candidates]]
            keys = np.where(query_ids < 0, -1, pairs_of(query_ids, keys, len(self.docnos)))
        found = np.full(len(run), -1, dtype=np.int64)
        sorted_keys, lines = self._sorted_keys
        if len(lines):
            places = np.minimum(np.searchsorted(sorted_keys, keys), len(lines) - 1)
            found[candidates] = np.where(sorted_keys[places] == keys, lines[places], -1)
        return found

    @cached_property
    def _sorted_keys(self) -> tuple[Lines, Lines]:
        """What a line is found by, sorted, and the line that each belongs to."""
        keys: Lines = (
            self.docno_ids.astype(np.int64)
            if self.query_ids is None
            else pairs_of(self.query_ids, self.docno_ids, len(self.docnos))
        )
        lines = np.argsort(keys, kind="stable")
        return keys[lines], lines
