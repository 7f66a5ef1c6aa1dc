"""Build ``resources/bundles/llr``: the likelihood ratio of the background corpora, as difficulty.

    python -m scripts.train.llr_bundle [--data ../shared/data] [--output resources/bundles]

The model is the column ``log_likelihood_pubmed_reddit`` of the catalogue; what is learned here is
its map to difficulty, from passages of the three corpora.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scripts.shared import parser_of

from understandability.feature.table import compute_features
from understandability.inputs.page_tables import read_objects
from understandability.model.bundle import Bundle
from understandability.model.calibration import calibrate_by_corpora
from understandability.model.model import ColumnModel
from understandability.text.analysis import document_of_text

CORPORA = (("reddit_like", 1), ("wikipedia_med", 2), ("pubmed", 3))
COLUMN = "log_likelihood_pubmed_reddit"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    arguments = parser.parse_args()
    raw, labels, training = [], [], []
    for corpus, label in CORPORA:
        records = read_objects(str(arguments.data / "corpora" / f"{corpus}.jsonl.gz"))
        documents = (document_of_text(record["text"], record["id"]) for record in records)
        values = compute_features(documents, [COLUMN]).values[:, 0]
        raw.append(values)
        labels.append(np.full(len(values), label))
        training.append({"name": corpus, "label": label, "records": len(values)})
    bundle = Bundle(
        name="llr",
        licence="Apache-2.0",
        model=ColumnModel(COLUMN),
        calibration=calibrate_by_corpora(np.concatenate(raw), np.concatenate(labels)),
        card={
            "summary": (
                "How much likelier a text's words are in PubMed than in medical Reddit; the "
                "median post stands at 20, the median Wikipedia article at 50, the median "
                "research report at 80."
            ),
            "training": training,
        },
    )
    bundle.save(arguments.output / bundle.name)


if __name__ == "__main__":
    main()
