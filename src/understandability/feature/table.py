"""Compute features of documents as a table. Missing resources are reported only once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability.errors import OptionError
from understandability.feature.background_rows import BackgroundOutput, by_row
from understandability.feature.batch import Array, Batch, FloatArray, OtherTagger, nan_for_0
from understandability.feature.catalogue import COLUMNS, check_columns
from understandability.feature.row import SENTENCE, WORD, Feature, Flag
from understandability.flags import FlagName
from understandability.hooks import load
from understandability.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

_log = logging.getLogger(__name__)
_named: set[str] = set()
_MAX_NAMED = 8
_INSTALLED = "study.installed:installed"  # resources that only rows of the study need


def missing_resources(needs: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the needed resources that are not installed."""
    return tuple(name for name in needs if load(_INSTALLED)(name) is None)


def name_missing(features: Iterable[Feature]) -> None:
    """Log a warning that names the features without a value, once per process and feature.

    If there are many, only their number and the missing resources are named.
    """
    lacking: dict[str, list[str]] = {}
    for feature in features:
        if feature.name not in _named and (names := missing_resources(feature.needs)):
            _named.add(feature.name)
            lacking.setdefault(", ".join(names), []).append(feature.name)
    count = sum(map(len, lacking.values()))
    if count > _MAX_NAMED:
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


NO_WORDS: Final = "no_words"
_BATCH_DOCUMENTS = 256
_BATCH_PIECES = 50_000
_LETTERS = 5  # the letters of an average piece


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """The features of some documents.

    `values` has one row per document and one column per name (float64). `flags` has, for each
    document, its own flags and those that its features raise.
    """

    docnos: tuple[str, ...]
    names: tuple[str, ...]
    values: FloatArray
    flags: tuple[tuple[FlagName, ...], ...]

    def column(self, name: str) -> FloatArray:
        """Return the values of one column."""
        if name not in self.names:
            raise OptionError(f"the table has no column {name!r}; it has {', '.join(self.names)}")
        return self.values[:, self.names.index(name)]

    def to_arrow(self) -> pa.Table:
        """Return `docno` and the values as an Arrow table."""
        import pyarrow as pa

        values = {name: self.values[:, index] for index, name in enumerate(self.names)}
        return pa.table({"docno": pa.array(self.docnos, pa.string()), **values})


def compute_features(
    documents: Iterable[Document],
    names: Sequence[str] | None = None,
    models: Sequence[BackgroundOutput] = (),
) -> FeatureTable:
    """Compute the named columns of the catalogue for each document; without names, all columns.

    A text without words has NaN for every ratio and formula, 0 for every count, and the flag
    ``no_words``. A value depends on its own document only. The rows of background models are
    computed by `models`, one per estimator.

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
    """Compute the named columns of the catalogue for each document of a batch.

    The rows of background models are computed by `models`. A column is NaN if it needs a resource
    that is not installed, and so is a ratio of a document without words. Raises `OptionError` for a
    name that is not a column.

    >>> from understandability.text.analysis import document_of_text
    >>> batch = Batch([document_of_text("Rest. Drink water."), document_of_text("...")])
    >>> features_of(batch, ["words", "syllables_per_word"]).values.round(2).tolist()
    [[3.0, 1.33], [0.0, nan]]
    """
    plan = _plan(tuple(columns))
    by_model = by_row(models) if models else {}
    values = np.empty((len(plan.features), len(batch.documents)))
    for index, feature in enumerate(plan.features):
        compute = by_model[feature.name].raw if feature.name in by_model else feature.compute
        values[index] = compute(batch)
    values = values[plan.feature_of_column]
    for per, number in ((WORD, batch.words), (SENTENCE, batch.sentences)):
        if per in plan.forms:
            values[[form == per for form in plan.forms]] /= nan_for_0(number)
    name_missing(feature for feature in plan.needing if feature.name not in by_model)
    raised: list[tuple[FlagName, NDArray[np.bool_]]] = [(NO_WORDS, batch.words == 0)]
    raised += [(flag.name, flag.raised(batch)) for flag in plan.flags]
    return FeatureTable(
        tuple(document.docno for document in batch.documents),
        tuple(columns),
        values.T,
        tuple(
            (*document.flags, *(name for name, mask in raised if mask[index]))
            for index, document in enumerate(batch.documents)
        ),
    )


class _Plan(NamedTuple):
    """The plan for computing the requested columns.

    Attributes:
        features: The distinct features.
        feature_of_column: The index of each column's feature.
        forms: The form of each column: the whole count, or divided by words or sentences.
        needing: The features that need resources which may not be installed.
        flags: The flags that the features may raise.
    """

    features: tuple[Feature, ...]
    feature_of_column: Array
    forms: tuple[str, ...]
    needing: tuple[Feature, ...]
    flags: tuple[Flag, ...]


@lru_cache(maxsize=16)
def _plan(columns: tuple[str, ...]) -> _Plan:
    rows = [COLUMNS[name] for name in columns]
    indexes: dict[str, int] = {}
    feature_of_column = [indexes.setdefault(feature.name, len(indexes)) for feature, _ in rows]
    features = tuple(COLUMNS[name][0] for name in indexes)
    return _Plan(
        features,
        np.array(feature_of_column, np.intp),
        tuple(per for _, per in rows),
        tuple(feature for feature in features if feature.needs),
        tuple(feature.flag for feature in features if feature.flag),
    )


def weight(document: Document) -> int:
    """Estimate the cost of computing a document's features, as a number of pieces.

    Very long pieces count for more.

    >>> [weight(Document("d", "", pieces, (0,))) for pieces in (("So", "be", "it."), ("!?" * 50,))]
    [3, 20]
    """
    texts = document.uncut.texts if document.uncut else document.pieces
    words = sum(_core.words_of_each(texts))
    return max(words, (sum(map(len, texts)) + len(texts) - words) // _LETTERS)


def batches(documents: Iterable[Document], tagger: OtherTagger | None = None) -> Iterator[Batch]:
    """Yield the documents in batches of bounded size; at least one batch, which may be empty.

    A `tagger` replaces the built-in parts of speech and named entities.

    >>> from understandability.text.analysis import document_of_text
    >>> [len(batch) for batch in batches([document_of_text("Rest.")] * 300)]
    [256, 44]
    """
    waiting: list[Document] = []
    pieces = 0
    is_first = True
    for document in documents:
        waiting.append(document)
        pieces += weight(document)
        if pieces >= _BATCH_PIECES or len(waiting) >= _BATCH_DOCUMENTS:
            yield Batch(waiting, tagger)
            waiting, pieces, is_first = [], 0, False
    if waiting or is_first:
        yield Batch(waiting, tagger)
