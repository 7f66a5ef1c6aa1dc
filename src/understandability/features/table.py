"""Documents in, a table of features out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from understandability.errors import OptionError
from understandability.features.batch import Batch, ratio
from understandability.features.catalogue import COLUMNS, check_columns
from understandability.features.feature import SENTENCE, WORD, Feature
from understandability.features.needs import name_missing
from understandability.features.types import FloatArray
from understandability.records import Document

if TYPE_CHECKING:
    import pyarrow as pa

NO_WORDS = "no_words"
_BATCH_DOCUMENTS = 256
_BATCH_PIECES = 50_000


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """`values` has a row for each document and a column for each name; float64.

    `flags` are those of the document and what its features remark.
    """

    docnos: tuple[str, ...]
    names: tuple[str, ...]
    values: FloatArray
    flags: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> FloatArray:
        """The values of one column."""
        if name not in self.names:
            raise OptionError(f"the table has no column {name!r}; it has {', '.join(self.names)}")
        return self.values[:, self.names.index(name)]

    def to_arrow(self) -> pa.Table:
        """`docno` and the values, as an Arrow table."""
        import pyarrow as pa

        values = {name: self.values[:, index] for index, name in enumerate(self.names)}
        return pa.table({"docno": pa.array(self.docnos, pa.string()), **values})


def compute_features(
    documents: Iterable[Document], names: Sequence[str] | None = None
) -> FeatureTable:
    """The named columns of the catalogue for each document, all of them if none are named.

    A text without words has NaN for every ratio and formula, 0 for every count, and the flag
    ``no_words``. A value depends on its own document only.

    >>> text = Document("d", "", ("Rest", "and", "drink", "water."), (0,))
    >>> compute_features([text], ["words", "syllables_per_word"]).values
    array([[4.  , 1.25]])
    """
    columns = tuple(COLUMNS) if names is None else check_columns(names)
    tables = [features_of(batch, columns) for batch in batches(documents)]
    return FeatureTable(
        tuple(docno for table in tables for docno in table.docnos),
        columns,
        np.concatenate([table.values for table in tables]),
        tuple(flags for table in tables for flags in table.flags),
    )


def features_of(batch: Batch, columns: Sequence[str]) -> FeatureTable:
    """The named columns of the catalogue for each document of a batch."""
    values = np.empty((len(batch), len(columns)))
    rows: dict[Feature, None] = {}
    for index, name in enumerate(columns):
        feature, per = COLUMNS[name]
        rows[feature] = None
        value = batch.once(feature.compute)
        if per == WORD:
            value = ratio(value, batch.words)
        elif per == SENTENCE:
            value = ratio(value, batch.sentences)
        values[:, index] = value
    name_missing(rows)
    raised = [(NO_WORDS, batch.words == 0)]
    raised += [(row.flag.name, row.flag.raised(batch)) for row in rows if row.flag]
    return FeatureTable(
        tuple(document.docno for document in batch.documents),
        tuple(columns),
        values,
        tuple(
            (*document.flags, *(name for name, where in raised if where[index]))
            for index, document in enumerate(batch.documents)
        ),
    )


def batches(documents: Iterable[Document]) -> Iterator[Batch]:
    """The documents in batches of a size that is quick and bounded; at least one, if empty."""
    waiting: list[Document] = []
    pieces = 0
    nothing = True
    for document in documents:
        waiting.append(document)
        pieces += len(document.pieces)
        if pieces >= _BATCH_PIECES or len(waiting) >= _BATCH_DOCUMENTS:
            yield Batch(waiting)
            waiting, pieces, nothing = [], 0, False
    if waiting or nothing:
        yield Batch(waiting)
