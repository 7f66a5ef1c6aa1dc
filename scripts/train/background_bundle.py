"""Build ``resources/bundles/background-mlp``: the published recipe over the three corpora.

    python -m scripts.train.background_bundle [--data ../shared/data] [--output resources/bundles]

``--estimator NAME`` trains another estimator, ``--estimator all`` each of the twelve; the bundle is
called by its name, and how long training took is printed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scripts.shared import parser_of

from understandability.inputs.page_tables import read_objects
from understandability.model.calibration import LABELS
from understandability.model.estimators import ESTIMATORS
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.training.background_training import train_background

CORPORA = {1.0: "reddit_like", 2.0: "wikipedia_med", 3.0: "pubmed"}


def documents(data: Path, corpus: str) -> Iterator[Document]:
    for record in read_objects(str(data / "corpora" / f"{corpus}.jsonl.gz")):
        yield document_of_text(record["text"], record["id"])


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--estimator", choices=[*ESTIMATORS, "all"])
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    chosen = {None: ("mlp-regressor",), "all": ESTIMATORS}
    for estimator in chosen.get(arguments.estimator, (arguments.estimator,)):
        corpora = {label: documents(arguments.data, corpus) for label, corpus in CORPORA.items()}
        start = time.perf_counter(), time.process_time()
        bundle = train_background(
            corpora,
            estimator,
            name=estimator if arguments.estimator else "background-mlp",
            licence="Apache-2.0",
        )
        # The bundle of the package keeps the scale it has always had.
        bundle = replace(bundle, calibration=replace(bundle.calibration, scale=LABELS))
        bundle.save(arguments.output / bundle.name)
        elapsed, busy = time.perf_counter() - start[0], time.process_time() - start[1]
        print(f"{estimator}: {elapsed:.0f} s, {busy:.0f} s of processor time")


if __name__ == "__main__":
    main()
