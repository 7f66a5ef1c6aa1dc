"""The documents to rank, as rows of numbers: what learning to rank learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.rerank import chosen
from understandability.inputs.run import Run
from understandability.inputs.runs import labels_from_table, number_columns
from understandability.inputs.tables import read_table
from understandability.prompt import AtPrompt
from understandability.study.index import Index, load_index
from understandability.study.queries import read_queries
from understandability.study.retrieval import IR_FEATURES, ir_features

_ROW = "row number"


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The lines of a run, in order and each document once, with features.

    `values` has a row for each line and a column for each of `names`; NaN where a document has
    none.
    """

    run: Run
    names: tuple[str, ...]
    values: Floats

    def with_index(self, index: Index, queries: Mapping[str, str]) -> Candidates:
        """With the `IR_FEATURES` beside the features there are."""
        return self._with(IR_FEATURES, ir_features(index, queries, self.run), "the index")

    def with_table(self, table: pa.Table, name: str) -> Candidates:
        """With every column of numbers of a table, by its columns ``docno`` and perhaps ``query``.

        Raises `InputError` where it has none of the documents, or a feature that is there.
        """
        numeric = number_columns(table, "docno", "query")
        if not numeric:
            raise InputError(f"{name} has no column of numbers to learn from")
        keys = table.select([key for key in ("docno", "query") if key in table.column_names])
        numbers = pa.array(np.arange(table.num_rows, dtype=np.float64))
        rows = labels_from_table(keys.append_column(_ROW, numbers), name, _ROW).of_lines(self.run)
        known = ~np.isnan(rows)
        if not known.any():
            raise InputError(
                f"{name} and the run {self.run.name} have no document in common; compute the "
                "features of the documents of the run"
            )
        values = np.full((len(rows), len(numeric)), np.nan)
        for place, column in enumerate(numeric):
            cells = table[column].cast(pa.float64()).to_numpy(zero_copy_only=False)
            values[known, place] = cells[rows[known].astype(np.int64)]
        return self._with(numeric, values, name)

    def select(self, names: Sequence[str]) -> Candidates:
        """The named features alone, in that order.

        Raises `InputError`, naming them, where some are not there.
        """
        if missing := [name for name in names if name not in self.names]:
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise InputError(
                f"the model was learned from {len(names)} features, and {len(missing)} of them are "
                f"not given ({shown}); give the index, the queries and the tables of features that "
                "it was learned with"
            )
        columns = [self.names.index(name) for name in names]
        return Candidates(self.run, tuple(names), self.values[:, columns])

    def _with(self, names: Sequence[str], values: Floats, source: str) -> Candidates:
        if twice := [name for name in names if name in self.names]:
            raise InputError(f"{source} has a feature {twice[0]!r} that is there already")
        return Candidates(self.run, (*self.names, *names), np.hstack([self.values, values]))


def candidates_of(run: Run, order: str = "rank") -> Candidates:
    """The candidates of a run, without features yet, in the order of its ranks or scores.

    >>> run = Run.of("bm25", {"q1": [("flu", 7.5), ("cold", 3.0)]})
    >>> candidates_of(run).values.shape
    (2, 0)
    """
    once = chosen(run, run.line_order(order))
    return Candidates(once, (), np.empty((len(once), 0)))


@dataclass(frozen=True, slots=True)
class FeatureSources:
    """Where the features of the documents of a run come from.

    Args:
        index: An index of the documents: gives the 24 IR features.
        queries: The texts of the queries.
        features: Numbers by docno (and query): from `understand features`, `understand score` or
            any table; may be repeated.
        order: How a run is ordered: by its rank column, or by score as in trec_eval.
    """

    index: Annotated[str | None, AtPrompt(str, value="FOLDER")] = None
    queries: Annotated[str | None, AtPrompt(str, value="FILE")] = None
    features: Annotated[Sequence[str], AtPrompt(list[str], value="TABLE")] = ()
    order: str = "rank"

    def candidates(self, run: Run) -> Candidates:
        """The documents of the run with all features that are given."""
        if (self.index is None) != (self.queries is None):
            raise OptionError("--index and --queries belong together; give both")
        if self.index is None and not self.features:
            raise OptionError(
                "there are no features; give --index and --queries, --features, or all"
            )
        found = candidates_of(run, self.order)
        if self.index is not None and self.queries is not None:
            found = found.with_index(load_index(self.index), read_queries(self.queries))
        for table in self.features:
            found = found.with_table(read_table(table), table)
        return found
