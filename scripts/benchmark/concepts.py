"""Measure how fast vocabularies load and their terms are found, and which they find most.

    python -m scripts.benchmark.concepts [--data ../shared/data] [--documents 300]

The vocabularies are installed into a folder that is removed at the end.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from understandability.feature.batch import Batch
from understandability.study.install import install
from understandability.study.lexicons import grouped_chv, lexicon
from understandability.text.document import Document
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces

CORPORA = ("reddit_like", "wikipedia_med", "pubmed")
VOCABULARIES = ("chv", "mesh", "icd10cm", "drugbank")
REPEATS = 5


def read_documents(data: Path, count: int) -> list[Document]:
    """As many documents of each corpus, of 600 words at most."""
    documents = []
    for corpus in CORPORA:
        path = data / "corpora" / f"{corpus}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, count):
                pieces = split_pieces(json.loads(line)["text"])[:600]
                documents.append(Document("", "", tuple(pieces), tuple(sentence_starts(pieces))))
    return documents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--documents", type=int, default=300, help="of each corpus")
    arguments = parser.parse_args()
    batch = Batch(read_documents(arguments.data, arguments.documents))
    words = batch.words.sum()
    strings = batch.token_types.strings
    print(f"{len(batch)} documents, {words:.0f} words")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNDERSTANDABILITY_RESOURCES"] = folder
        for name in (*VOCABULARIES, "disease-ontology", "symptom-ontology"):
            install(name, [str(arguments.data / "lexicons")])
        for name in VOCABULARIES:
            start = time.process_time()
            vocabulary = lexicon(name)
            assert vocabulary is not None
            loading = time.process_time() - start
            matches = vocabulary.finder.find(batch)  # numbers the types of the batch
            start = time.process_time()
            for _ in range(REPEATS):
                vocabulary.finder.find(batch)
            finding = (time.process_time() - start) / REPEATS
            found = Counter(
                " ".join(strings[token] for token in batch.token_ids[first:last]).lower()
                for first, last in zip(matches.starts, matches.ends, strict=True)
            )
            print(
                f"{name}: {vocabulary.finder.size} terms loaded in {loading:.2f} s; "
                f"{len(matches.entries)} found at {words / finding / 1e6:.1f} million words/s: "
                f"{', '.join(term for term, _ in found.most_common(12))}"
            )
        start = time.process_time()
        groups = grouped_chv()
        assert groups is not None
        print(
            f"chv: {groups.diseases.sum()} names of diseases and {groups.symptoms.sum()} of "
            f"symptoms told in {time.process_time() - start:.2f} s"
        )


if __name__ == "__main__":
    main()
