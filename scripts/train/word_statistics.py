"""Build ``resources/word_statistics.npz``: the counts of words in the background corpora.

    python -m scripts.train.word_statistics [--data ../shared/data] [--output resources/...]

The file has counts only, no texts. Words in fewer than three documents are dropped, and with them
the names and misspellings of a single writer.

``--tune`` prints, for several smoothing weights of the language model, the held-out likelihood of
each corpus (five folds of documents). It also prints how well the likelihood ratio of PubMed to
Reddit separates snippets of ten words from two corpora (ROC AUC), in sources that the model has not
seen.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.shared import corpus, parser_of

from understandability.feature.language_model import (
    CORPORA,
    WordStatistics,
    log_probabilities,
    statistics_key,
)
from understandability.text.cache import BoundedCache
from understandability.text.tokens import split_pieces, tokenize
from understandability.training.validation import roc_auc

FILES = {"reddit": "reddit_like", "wikipedia": "wikipedia_med", "pubmed": "pubmed"}
LEAST_DOCUMENTS = 3


def keys_of_piece(piece: str) -> tuple[str, ...]:
    return tuple(key for token in tokenize(piece) if (key := statistics_key(token)))


def documents_of(data: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the source and the keys of each document of a corpus."""
    keys = BoundedCache(keys_of_piece)
    for record in corpus(data, FILES[name]):
        pieces = split_pieces(record["text"])
        yield record["source"], list(chain.from_iterable(map(keys.__getitem__, pieces)))


class IndexedCorpora:
    """The corpora as arrays of word ids, with the document of each word."""

    def __init__(self, data: Path) -> None:
        self.numbers: dict[str, int] = {}
        self.words: dict[str, NDArray[np.int32]] = {}
        self.documents: dict[str, NDArray[np.int32]] = {}
        self.sources: dict[str, NDArray[np.str_]] = {}
        for name in CORPORA:
            sources, arrays = [], []
            for source, keys in documents_of(data, name):
                sources.append(source)
                numbers = (self.numbers.setdefault(key, len(self.numbers)) for key in keys)
                arrays.append(np.fromiter(numbers, np.int32, len(keys)))
            lengths = [len(array) for array in arrays]
            self.words[name] = np.concatenate(arrays)
            self.documents[name] = np.repeat(np.arange(len(arrays), dtype=np.int32), lengths)
            self.sources[name] = np.array(sources)

    def statistics(self, used: dict[str, NDArray[np.bool_]] | None = None) -> WordStatistics:
        """Count words over all documents, or over a mask of the documents of each corpus."""
        size = len(self.numbers)
        counts = np.zeros((size, len(CORPORA)), np.int64)
        document_counts = np.zeros(size, np.int64)
        for column, name in enumerate(CORPORA):
            words, documents = self.words[name], self.documents[name]
            if used is not None:
                chosen = used[name][documents]
                words, documents = words[chosen], documents[chosen]
            counts[:, column] = np.bincount(words, minlength=size)
            pairs = np.unique(documents.astype(np.int64) * size + words)
            document_counts += np.bincount(pairs % size, minlength=size)
        is_frequent = document_counts >= LEAST_DOCUMENTS
        dropped = ~is_frequent & (counts.sum(axis=1) > 0)
        names = np.array(list(self.numbers))
        order = np.flatnonzero(is_frequent)[np.argsort(names[is_frequent])]
        return WordStatistics(
            words=tuple(names[order].tolist()),
            counts=counts[order],
            dropped_tokens=counts[dropped].sum(axis=0),
            dropped_types=int(dropped.sum()),
        )


def save(statistics: WordStatistics, path: Path) -> None:
    np.savez_compressed(
        path,
        words=np.frombuffer("\n".join(statistics.words).encode(), np.uint8),
        counts=statistics.counts.astype(np.uint32),
        dropped_tokens=statistics.dropped_tokens,
        dropped_types=np.array(statistics.dropped_types),
    )


def area_under_curve(lower: NDArray[np.float64], higher: NDArray[np.float64]) -> float:
    truth = np.repeat([False, True], [len(lower), len(higher)])
    return roc_auc(np.concatenate([lower, higher]), truth)


def tune(corpora: IndexedCorpora) -> None:
    folds = 5
    random = np.random.default_rng(0)
    by_document = {
        name: random.integers(folds, size=len(sources)) for name, sources in corpora.sources.items()
    }
    # Wikipedia is one source, so hold out documents of it instead of sources.
    by_source = dict(by_document)
    for name in ("reddit", "pubmed"):
        by_source[name] = np.unique(corpora.sources[name], return_inverse=True)[1] % folds
    print("weight of merged | held-out log-likelihood per word | AUC of ten unseen words")
    print("                 | reddit  wikipedia  pubmed  mean | wikipedia>reddit  pubmed>wikipedia")
    for weight in (0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.003):
        likelihoods = np.empty((folds, len(CORPORA)))
        areas = np.empty((folds, 2))
        for fold in range(folds):
            columns = model_columns(corpora, by_document, fold, weight)
            for column, name in enumerate(CORPORA):
                words = held_out(corpora, by_document, fold, name)
                likelihoods[fold, column] = columns[words, column].mean()
            columns = model_columns(corpora, by_source, fold, weight)
            ratio = columns[:, CORPORA.index("pubmed")] - columns[:, CORPORA.index("reddit")]
            reddit, wikipedia, pubmed = (
                snippets(ratio[held_out(corpora, by_source, fold, name)]) for name in CORPORA
            )
            areas[fold] = area_under_curve(reddit, wikipedia), area_under_curve(wikipedia, pubmed)
        means = (*likelihoods.mean(axis=0), likelihoods.mean())
        cells = "  ".join(f"{mean:.4f}" for mean in means)
        print(f"{weight:16} | {cells} | {areas[:, 0].mean():.4f}  {areas[:, 1].mean():.4f}")


def held_out(
    corpora: IndexedCorpora, folds: dict[str, NDArray[np.int64]], fold: int, name: str
) -> NDArray[np.int32]:
    """Return the words of one corpus in one fold."""
    return corpora.words[name][folds[name][corpora.documents[name]] == fold]


def snippets(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of about 5,000 runs of ten consecutive words."""
    means = values[: len(values) // 10 * 10].reshape(-1, 10).mean(axis=1)
    return means[:: max(1, len(means) // 5000)]


def model_columns(
    corpora: IndexedCorpora, folds: dict[str, NDArray[np.int64]], fold: int, weight: float
) -> NDArray[np.float64]:
    """Return the log-probability of each word id, by a model that has not seen one fold."""
    statistics = corpora.statistics({name: folds[name] != fold for name in CORPORA})
    listed, unknown = log_probabilities(statistics, weight)
    columns = np.tile(unknown, (len(corpora.numbers), 1))
    columns[[corpora.numbers[word] for word in statistics.words]] = listed
    return columns


def main() -> None:
    parser = parser_of(__doc__, output="resources/word_statistics.npz")
    parser.add_argument("--tune", action="store_true", help="print the figures; write nothing")
    arguments = parser.parse_args()
    corpora = IndexedCorpora(arguments.data)
    if arguments.tune:
        tune(corpora)
        return
    statistics = corpora.statistics()
    save(statistics, arguments.output)
    tokens = {name: len(corpora.words[name]) for name in CORPORA}
    print(f"{len(statistics.words)} words, {statistics.dropped_types} dropped, tokens {tokens}")
    print(f"{arguments.output}: {arguments.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
