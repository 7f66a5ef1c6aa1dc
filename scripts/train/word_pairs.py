"""Build ``resources/word_pairs.npz``: pairs of words that follow each other in open corpora.

    python -m scripts.train.word_pairs [--data ../shared/data]

The file has the pairs of neighbouring words that occur at least twice in the background corpora and
in openly licensed texts of 68 kinds. It contains neither counts nor texts.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.shared import corpus, parser_of, records

from understandability.feature.batch import Batch
from understandability.feature.language_model import statistics_numbers, word_statistics
from understandability.feature.table import batches
from understandability.text.analysis import document_of_text
from understandability.text.document import Document

CORPORA = ("reddit_like", "consumer_nih", "wikipedia_med", "pubmed")
LONGEST_TEXT = 15_000  # characters
LEAST_COUNT = 2


def documents(data: Path) -> Iterator[Document]:
    """Yield the texts from which pairs are collected."""
    for name in CORPORA:
        for record in corpus(data, name):
            yield document_of_text(record["text"][:LONGEST_TEXT], record["id"])
    for record in records(data / "open_texts" / "texts.jsonl.gz"):
        yield document_of_text(record["text"], record["id"])


def neighbours(batch: Batch) -> NDArray[np.uint32]:
    """Return the pairs of known words that follow each other in a sentence.

    The pair of the words with the ids a and b is ``a * words + b``, where `words` is the number of
    words in `word_statistics`.
    """
    numbers = batch.token_values(statistics_numbers)
    is_known = numbers >= 0
    is_last = np.zeros(len(numbers), np.bool_)
    is_last[np.asarray(batch.token_bounds[1:]) - 1] = len(numbers) > 0
    index = np.flatnonzero(is_known[:-1] & is_known[1:] & ~is_last[:-1])
    ids, words = numbers.astype(np.uint32), np.uint32(len(word_statistics().words))
    return np.asarray(ids[index] * words + ids[index + 1])


def main() -> None:
    """Write the resource and print its size."""
    chosen = parser_of(__doc__, output="resources/word_pairs.npz").parse_args()
    pairs_of_batches = [neighbours(batch) for batch in batches(documents(chosen.data))]
    pairs, counts = np.unique(np.concatenate(pairs_of_batches), return_counts=True)
    pairs = pairs[counts >= LEAST_COUNT]
    steps = np.diff(pairs.astype(np.uint32), prepend=np.uint32(0))
    np.savez_compressed(chosen.output, steps=steps)
    print(f"{len(pairs):,} pairs, {chosen.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
