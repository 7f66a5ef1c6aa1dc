"""Build ``resources/word_vectors.npz``: which words of the background corpora keep like company.

    python scripts/build_word_vectors.py [--data ../shared/data] [--output resources/...]

Positive pointwise mutual information of words up to five apart, weighted by 1 / distance, in the
three background corpora and the NIH consumer pages, context counts raised to .75 (Levy, Goldberg &
Dagan 2015), reduced by a truncated singular value decomposition, each vector of length 1, kept as
whole numbers from -127 to 127 times a scale for each dimension. Words are those of
``word_statistics.npz``.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from sklearn.utils.extmath import randomized_svd

from understandability.features.word_statistics import NO_WORD, statistics_numbers, word_statistics
from understandability.language.cache import BoundedCache
from understandability.language.words import split_pieces, tokenize

CORPORA = ("reddit_like", "consumer_nih", "wikipedia_med", "pubmed")
DIMENSIONS = 60
WINDOW = 5
CONTEXT_POWER = 0.75


def numbers_of_piece(piece: str) -> tuple[int, ...]:
    return tuple(statistics_numbers(tokenize(piece)).tolist())


def documents(data: Path) -> Iterator[NDArray[np.int64]]:
    numbers = BoundedCache(numbers_of_piece)
    for corpus in CORPORA:
        with gzip.open(data / "corpora" / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                pieces = split_pieces(json.loads(line)["text"])
                row = np.fromiter(chain.from_iterable(map(numbers.__getitem__, pieces)), np.int64)
                yield row[row != NO_WORD]


def company(data: Path, words: int) -> csr_array:
    """How often two words stand near each other, each pair weighted by 1 / distance."""
    total = csr_array((words, words), dtype=np.float32)
    rows, columns, weights, size = [], [], [], 0
    for row in chain(documents(data), [None]):
        if row is not None:
            for distance in range(1, WINDOW + 1):
                a, b = row[:-distance], row[distance:]
                known = (a >= 0) & (b >= 0)
                rows.append(a[known])
                columns.append(b[known])
                weights.append(np.full(int(known.sum()), 1 / distance, np.float32))
                size += len(rows[-1])
        if rows and (row is None or size > 10_000_000):
            pairs = (np.concatenate(rows), np.concatenate(columns))
            more = coo_array((np.concatenate(weights), pairs), shape=(words, words))
            total = total + more.tocsr()
            rows, columns, weights, size = [], [], [], 0
    return csr_array(total + total.T)


def positive_information(counts: csr_array) -> csr_array:
    """Positive pointwise mutual information of each pair."""
    sums = np.asarray(counts.sum(axis=1)).ravel()
    contexts = sums**CONTEXT_POWER
    contexts /= contexts.sum()
    pairs = counts.tocoo()
    information = np.log(pairs.data / sums[pairs.row] / contexts[pairs.col])
    kept = information > 0
    return csr_array(
        (information[kept].astype(np.float32), (pairs.row[kept], pairs.col[kept])),
        shape=counts.shape,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/word_vectors.npz"))
    arguments = parser.parse_args()
    counts = company(arguments.data, len(word_statistics().words))
    left, values, _ = randomized_svd(
        positive_information(counts), DIMENSIONS, random_state=0, n_iter=3
    )
    vectors = left * np.sqrt(values)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    scale = np.abs(vectors).max(axis=0) / 127
    np.savez_compressed(
        arguments.output,
        vectors=np.round(vectors / scale).astype(np.int8),
        scale=scale.astype(np.float32),
    )


if __name__ == "__main__":
    main()
