"""Build ``resources/bundles/background-mlp``: the published recipe over the three corpora.

python scripts/build_background_bundle.py [--data ../shared/data] [--output resources/bundles]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from understandability.documents import document_of_text
from understandability.estimation.background import train_background
from understandability.io.jsonl import read_objects
from understandability.records import Document

CORPORA = {1.0: "reddit_like", 2.0: "wikipedia_med", 3.0: "pubmed"}


def documents(data: Path, corpus: str) -> Iterator[Document]:
    for record in read_objects(str(data / "corpora" / f"{corpus}.jsonl.gz")):
        yield document_of_text(record["text"], record["id"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--estimator", default="mlp-regressor")
    parser.add_argument("--name", default="background-mlp")
    arguments = parser.parse_args()
    corpora = {label: documents(arguments.data, corpus) for label, corpus in CORPORA.items()}
    bundle = train_background(
        corpora, arguments.estimator, name=arguments.name, licence="Apache-2.0"
    )
    bundle.save(arguments.output / bundle.name)


if __name__ == "__main__":
    main()
