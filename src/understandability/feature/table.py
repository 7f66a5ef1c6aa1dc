"""Documents in, a table of features out; what lacks an installed resource is named once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from understandability import _core
from understandability.errors import OptionError
from understandability.feature.background_rows import BackgroundOutput, by_row
from understandability.feature.batch import Array, Batch, FloatArray, OtherTagger, nan_for_0
from understandability.feature.catalogue import COLUMNS, check_columns
from understandability.feature.row import SENTENCE, WORD, Feature, Flag
from understandability.hooks import load
from understandability.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

_log = logging.getLogger(__name__)
_named: set[str] = set()
_MOST_NAMED = 8
_INSTALLED = "study.installed:installed"  # what only rows of the study need


def missing_resources(needs: Iterable[str]) -> tuple[str, ...]:
    """Those of the resources that are not installed."""
    return tuple(name for name in needs if load(_INSTALLED)(name) is None)


def name_missing(features: Iterable[Feature]) -> None:
    """Log a warning that names the features without a value, each once in a process.

    Many are counted, and only what they lack is named.
    """
    lacking: dict[str, list[str]] = {}
    for feature in features:
        if feature.name not in _named and (names := missing_resources(feature.needs)):
            _named.add(feature.name)
            lacking.setdefault(", ".join(names), []).append(feature.name)
    count = sum(map(len, lacking.values()))
    if count > _MOST_NAMED:
        resources = dict.fromkeys(name for names in lacking for name in names.split(", "))
        _log.warning(
            "%d features have no value, because this is not installed: %s (see "
            "`understand features --list` and `understand resources list`)",
            count,
            ", ".join(resources),
        )
    elif lacking:
        _log.warning(
            "not installed, so without a value: %s (see `understand resources list`)",
            "; ".join(f"{names} for {', '.join(rows)}" for names, rows in lacking.items()),
        )


NO_WORDS = "no_words"
_BATCH_DOCUMENTS = 256
_BATCH_PIECES = 50_000
_LETTERS = 5  # of a piece


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
    documents: Iterable[Document],
    names: Sequence[str] | None = None,
    models: Sequence[BackgroundOutput] = (),
) -> FeatureTable:
    """The named columns of the catalogue for each document, all of them if none are named.

    A text without words has NaN for every ratio and formula, 0 for every count, and the flag
    ``no_words``. A value depends on its own document only. The rows of background models have
    the values of `models`, one of an estimator.

    >>> text = Document("d", "", ("Rest", "and", "drink", "water."), (0,))
    >>> compute_features([text], ["words", "syllables_per_word"]).values
    array([[4.  , 1.25]])
    """
    columns = tuple(COLUMNS) if names is None else check_columns(names)
    tables = [features_of(batch, columns, models) for batch in batches(documents)]
    return FeatureTable(
        tuple(docno for table in tables for docno in table.docnos),
        columns,
        np.concatenate([table.values for table in tables]),
        tuple(flags for table in tables for flags in table.flags),
    )


def features_of(
    batch: Batch, columns: Sequence[str], models: Sequence[BackgroundOutput] = ()
) -> FeatureTable:
    """The named columns of the catalogue for each document of a batch.

    The rows of background models have the values of `models`.
    A column that needs a resource that is not installed is NaN, as is a ratio of a document
    without words. Raises `OptionError` where a name is no column.

    >>> from understandability.text.analysis import document_of_text
    >>> batch = Batch([document_of_text("Rest. Drink water."), document_of_text("...")])
    >>> features_of(batch, ["words", "syllables_per_word"]).values.round(2).tolist()
    [[3.0, 1.33], [0.0, nan]]
    """
    plan = _plan(tuple(columns))
    given = by_row(models) if models else {}
    values = np.empty((len(plan.features), len(batch.documents)))
    for index, feature in enumerate(plan.features):
        compute = given[feature.name].raw if feature.name in given else feature.compute
        values[index] = compute(batch)
    values = values[plan.of_column]
    for per, number in ((WORD, batch.words), (SENTENCE, batch.sentences)):
        if per in plan.given:
            values[[each == per for each in plan.given]] /= nan_for_0(number)
    name_missing(feature for feature in plan.needing if feature.name not in given)
    raised = [(NO_WORDS, batch.words == 0)]
    raised += [(flag.name, flag.raised(batch)) for flag in plan.flags]
    return FeatureTable(
        tuple(document.docno for document in batch.documents),
        tuple(columns),
        values.T,
        tuple(
            (*document.flags, *(name for name, where in raised if where[index]))
            for index, document in enumerate(batch.documents)
        ),
    )


class _Plan(NamedTuple):
    """What columns take: their rows, each once, and which column is of which row and form.

    `given` holds the form of each column, `needing` the rows that need what may not be installed.
    """

    features: tuple[Feature, ...]
    of_column: Array
    given: tuple[str, ...]
    needing: tuple[Feature, ...]
    flags: tuple[Flag, ...]


@lru_cache(maxsize=16)
def _plan(columns: tuple[str, ...]) -> _Plan:
    rows = [COLUMNS[name] for name in columns]
    numbers: dict[str, int] = {}
    of_column = [numbers.setdefault(feature.name, len(numbers)) for feature, _ in rows]
    features = tuple(COLUMNS[name][0] for name in numbers)
    return _Plan(
        features,
        np.array(of_column, np.intp),
        tuple(per for _, per in rows),
        tuple(feature for feature in features if feature.needs),
        tuple(feature.flag for feature in features if feature.flag),
    )


def weight(document: Document) -> int:
    """What a document costs in time and memory: its pieces, endless ones as many as they hold.

    >>> [weight(Document("d", "", pieces, (0,))) for pieces in (("So", "be", "it."), ("!?" * 50,))]
    [3, 20]
    """
    texts = document.uncut.texts if document.uncut else document.pieces
    words = sum(_core.words_of_each(texts))
    return max(words, (sum(map(len, texts)) + len(texts) - words) // _LETTERS)


def batches(documents: Iterable[Document], tagger: OtherTagger | None = None) -> Iterator[Batch]:
    """The documents in batches of a size that is quick and bounded; at least one, if empty.

    With a `tagger` their parts of speech and named entities are by that.

    >>> from understandability.text.analysis import document_of_text
    >>> [len(batch) for batch in batches([document_of_text("Rest.")] * 300)]
    [256, 44]
    """
    waiting: list[Document] = []
    pieces = 0
    nothing = True
    for document in documents:
        waiting.append(document)
        pieces += weight(document)
        if pieces >= _BATCH_PIECES or len(waiting) >= _BATCH_DOCUMENTS:
            yield Batch(waiting, tagger)
            waiting, pieces, nothing = [], 0, False
    if waiting or nothing:
        yield Batch(waiting, tagger)
