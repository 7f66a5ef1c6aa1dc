"""How large a corpus is: documents, words, distinct words, means and deviations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from understandability.arrays import Floats
from understandability.feature.batch import letters
from understandability.feature.table import batches
from understandability.text.document import Document


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """The statistics of Table 1 of Palotti, Zuccon & Hanbury (2019), of one corpus.

    Means and standard deviations (of the corpus: divided by the number) are over documents, those
    of characters per word over words. Documents without words are counted in `without_words` alone.
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
        """One row for each statistic: corpus, statistic, value, sd (None for counts)."""
        counts = ("documents", "without_words", "words", "unique_words")
        means = ("words_per_document", "characters_per_document", "characters_per_word")
        plain = [(name, float(getattr(self, name)), None) for name in counts]
        pairs = [(name, *getattr(self, name)) for name in means]
        return [
            {"corpus": self.name, "statistic": name.replace("_", " "), "value": value, "sd": sd}
            for name, value, sd in (*plain, *pairs)
        ]


def corpus_size(documents: Iterable[Document], name: str = "corpus") -> CorpusSize:
    """Count the words of documents; a word is one whatever its capitals.

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
