"""Count the documents, words and distinct words of corpora, with means and deviations."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.feature.batch import letters
from understandability.feature.table import batches
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.page_tables import TableColumns
from understandability.inputs.sources import Sources
from understandability.inputs.trec import read_docnos
from understandability.keywords import read_by
from understandability.scoring import Settings, documents_of
from understandability.text.document import Document
from understandability.text.page import Failure, Page


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """The statistics of one corpus, as in Table 1 of Palotti, Zuccon & Hanbury (2019).

    Means and standard deviations are over documents, except characters per word, which are over
    words. (The deviation is divided by n, not n - 1.) Documents without words are counted in
    `without_words` alone.
    """

    name: str
    documents: int
    without_words: int
    words: int
    unique_words: int
    words_per_document: tuple[float, float]
    characters_per_document: tuple[float, float]
    characters_per_word: tuple[float, float]

    def rows(self) -> list[dict[str, object]]:
        """Return one row per statistic: corpus, statistic, value, sd (None for counts)."""
        counts = ("documents", "without_words", "words", "unique_words")
        means = ("words_per_document", "characters_per_document", "characters_per_word")
        plain = [(name, float(getattr(self, name)), None) for name in counts]
        pairs = [(name, *getattr(self, name)) for name in means]
        return [
            {"corpus": self.name, "statistic": name.replace("_", " "), "value": value, "sd": sd}
            for name, value, sd in (*plain, *pairs)
        ]


def corpus_size(documents: Iterable[Document], name: str = "corpus") -> CorpusSize:
    """Compute the statistics of a corpus; words that differ only in capitals are the same.

    >>> from understandability.text.analysis import document_of_text
    >>> size = corpus_size([document_of_text("The cat saw the dog."), document_of_text("Rest.")])
    >>> size.documents, size.words, size.unique_words, size.words_per_document
    (2, 6, 5, (3.0, 2.0))
    """
    unique: set[str] = set()
    words = [np.empty(0)]
    characters = [np.empty(0)]
    squares = 0.0
    for batch in batches(documents):
        unique.update(
            batch.word_types.strings[number].lower() for number in np.unique(batch.word_ids)
        )
        words.append(batch.words.astype(np.float64))
        characters.append(batch.word_sums(letters))
        squares += float((batch.word_values(letters).astype(np.float64) ** 2).sum())
    counts, lengths = np.concatenate(words), np.concatenate(characters)
    full = counts > 0
    total = float(counts.sum())
    mean = float(lengths[full].sum()) / total if total else math.nan
    deviation = math.sqrt(max(squares / total - mean**2, 0.0)) if total else math.nan
    return CorpusSize(
        name,
        int(full.sum()),
        int((~full).sum()),
        int(total),
        len(unique),
        _mean_and_deviation(counts[full]),
        _mean_and_deviation(lengths[full]),
        (mean, deviation),
    )


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    if not len(values):
        return math.nan, math.nan
    return float(values.mean()), float(values.std())


@dataclass(frozen=True, slots=True)
class CorpusSizes:
    """The statistics of several corpora, and the number of documents in each that cannot be read.

    `inputs` are the paths that were read.
    """

    sizes: tuple[CorpusSize, ...]
    unreadable: dict[str, int]
    inputs: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, object]]:
        """Return one row per statistic and corpus."""
        return [row for size in self.sizes for row in size.rows()]


@dataclass(frozen=True)
class CorpusColumns(TableColumns):
    """The columns of tables with pages. URLs and columns to keep are not needed here."""

    url: Annotated[str | None, Parameter(parse=False)] = None
    keep: Annotated[tuple[str, ...], Parameter(parse=False)] = ()


def corpus_sizes(
    inputs: Annotated[Sequence[str], Parameter(metavar="INPUT...")],
    *,
    together: bool = False,
    table_columns: CorpusColumns | None = None,
    docnos: Annotated[Collection[str] | None, read_by(read_docnos, metavar="FILE")] = None,
    limit_mb: float = DEFAULT_LIMIT / 1e6,
) -> CorpusSizes:
    """Count documents, words and distinct words of corpora, with means and deviations.

    The statistics follow Table 1 of Palotti, Zuccon & Hanbury (2019). Documents that cannot
    be read are left out, and counted.

    Example: understand corpus reddit.jsonl.gz wikipedia/ pubmed.parquet -o table1.csv

    Args:
        inputs: Pages, as for `understand score`; each input is a corpus.
        together: Count all inputs as one corpus.
        table_columns: What the columns of tables hold.
        docnos: Read only documents named in this list, qrels file or run.
        limit_mb: Longest document, in MB once decoded; longer ones are left out.
    """
    sizes, unreadable = [], {}
    for paths in [inputs] if together else [[path] for path in inputs]:
        pages = Sources(paths, docnos=docnos, limit=int(limit_mb * 1e6), columns=table_columns)
        failures: list[Failure] = []
        name = "all" if together else Path(paths[0]).name.partition(".")[0] or paths[0]
        sizes.append(corpus_size(documents_of(_readable(pages, failures), Settings()), name))
        unreadable[name] = len(failures)
    return CorpusSizes(tuple(sizes), unreadable, tuple(map(str, inputs)))


def _readable(pages: Iterable[Page | Failure], failures: list[Failure]) -> Iterator[Page]:
    for page in pages:
        if isinstance(page, Failure):
            failures.append(page)
        else:
            yield page
