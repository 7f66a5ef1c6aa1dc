"""Build ``resources/word_pairs.npz``: pairs of words that follow each other in open corpora.

    python -m scripts.train.word_pairs [--data ../shared/data]

The file has the pairs of neighbouring words that occur at least twice in the background corpora and
in openly licensed texts of 68 kinds. It contains neither counts nor texts.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scripts.shared import corpus, parser_of, records

from understandability.feature.table import batches
from understandability.model.sense import neighbours
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


def main() -> None:
    """Write the resource and print its size."""
    chosen = parser_of(__doc__, output="resources/word_pairs.npz").parse_args()
    pairs_of_batches = [neighbours(batch)[0] for batch in batches(documents(chosen.data))]
    pairs, counts = np.unique(np.concatenate(pairs_of_batches), return_counts=True)
    pairs = pairs[counts >= LEAST_COUNT]
    steps = np.diff(pairs.astype(np.uint32), prepend=np.uint32(0))
    np.savez_compressed(chosen.output, steps=steps)
    print(f"{len(pairs):,} pairs, {chosen.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
