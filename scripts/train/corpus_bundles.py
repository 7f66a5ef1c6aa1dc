"""Build the bundles that learn from the background corpora alone: ``llr`` and ``background-mlp``.

    python -m scripts.train.corpus_bundles [--output resources/bundles] [--estimator NAME|all]

The model of `llr` is the column ``log_likelihood_pubmed_reddit`` of the catalogue; only its map to
difficulty is learned. `background-mlp` follows the published recipe. With ``--estimator``, only the
recipe is trained, with another estimator or with all twelve; each bundle is named after its
estimator.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scripts.shared import corpus, parser_of

from understandability.feature.table import compute_features
from understandability.model.bundle import Bundle
from understandability.model.calibration import LABELS, calibrate_by_corpora
from understandability.model.estimators import ESTIMATORS
from understandability.model.model import ColumnModel
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.training.train_background import train_background

CORPORA = {1: "reddit_like", 2: "wikipedia_med", 3: "pubmed"}
COLUMN = "log_likelihood_pubmed_reddit"


def documents(data: Path, name: str) -> Iterator[Document]:
    for record in corpus(data, name):
        yield document_of_text(record["text"], record["id"])


def ratio(data: Path) -> Bundle:
    """Build the bundle `llr`."""
    raw = [
        compute_features(documents(data, name), [COLUMN]).values[:, 0] for name in CORPORA.values()
    ]
    sizes = [len(values) for values in raw]
    calibration = calibrate_by_corpora(np.concatenate(raw), np.repeat(list(CORPORA), sizes))
    training = [
        {"name": name, "label": label, "records": size}
        for (label, name), size in zip(CORPORA.items(), sizes, strict=True)
    ]
    card = {
        "summary": (
            "How much likelier a text's words are in PubMed than in medical Reddit; the "
            "median post stands at 20, the median Wikipedia article at 50, the median "
            "research report at 80."
        ),
        "training": training,
    }
    return Bundle("llr", "Apache-2.0", ColumnModel(COLUMN), calibration, card)


def background(data: Path, estimator: str, name: str) -> Bundle:
    """Train the published recipe with an estimator."""
    corpora = {float(label): documents(data, corpus) for label, corpus in CORPORA.items()}
    bundle = train_background(corpora, estimator, name=name, licence="Apache-2.0")
    # The bundles of the package keep their original scale.
    return replace(bundle, calibration=replace(bundle.calibration, scale=LABELS))


def main() -> None:
    parser = parser_of(__doc__, output="resources/bundles")
    parser.add_argument("--estimator", choices=[*ESTIMATORS, "all"])
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.estimator is None:
        ratio(options.data).save(options.output / "llr")
        estimators = {"background-mlp": "mlp-regressor"}
    else:
        names = ESTIMATORS if options.estimator == "all" else [options.estimator]
        estimators = {name: name for name in names}
    for name, estimator in estimators.items():
        clock, processor = time.perf_counter(), time.process_time()
        background(options.data, estimator, name).save(options.output / name)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        print(f"{name}: {clock:.0f} s, {processor:.0f} s of processor time")


if __name__ == "__main__":
    main()
