"""Write resources/report/references.json: the difficulty of typical texts, for comparison.

The file has, for each embedded bundle (by checksum), percentiles of its estimates for texts of the
background corpora. Run the script again after a bundle was rebuilt.

    python -m scripts.train.report_references [--data ../shared/data]
"""

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from scripts.shared import ROOT, corpus, parser_of

from understandability.feature.table import batches
from understandability.model.bundle import load_bundle
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.writers.levels import PERCENTS

SOURCES = {
    "Reddit posts on health": "reddit_like",
    "NIH consumer pages": "consumer_nih",
    "Wikipedia pages on diseases": "wikipedia_med",
    "PubMed papers": "pubmed",
}
SAMPLE = 1000  # texts per corpus
LEAST_WORDS = 100


def sampled(records: Iterator[dict[str, Any]]) -> list[Document]:
    """Return a seeded sample of the texts of a corpus that are long enough for an estimate."""
    texts = [row["text"] for row in records if len(row["text"].split()) >= LEAST_WORDS]
    chosen = random.Random(0).sample(texts, min(SAMPLE, len(texts)))
    return [document_of_text(text) for text in chosen]


def difficulties(bundle_name: str, documents: list[Document]) -> Iterator[float]:
    """Yield the estimates of a bundle; documents without an estimate are skipped."""
    bundle = load_bundle(bundle_name)
    for batch in batches(documents):
        for estimate in bundle.estimate(batch):
            if not np.isnan(estimate.difficulty):
                yield estimate.difficulty


def main() -> None:
    """Update the percentiles of the chosen bundles, and keep the rows of other embedded bundles."""
    parser = parser_of(__doc__)
    bundles = ["background-mlp", "llr", "open"]
    parser.add_argument("--bundles", nargs="+", default=bundles, help="embedded bundles")
    chosen = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {
        name: {"bundle": name, "texts": []} for name in chosen.bundles
    }
    for title, name in SOURCES.items():
        documents = sampled(corpus(chosen.data, name))
        for bundle, row in rows.items():
            values = list(difficulties(bundle, documents))
            percentiles = [round(float(value), 1) for value in np.percentile(values, PERCENTS)]
            row["texts"].append({"name": title, "count": len(values), "percentiles": percentiles})
    path = ROOT / "resources" / "report" / "references.json"
    embedded = sorted(file.parent.name for file in ROOT.glob("resources/bundles/*/bundle.json"))
    checksums = {load_bundle(name).checksum: name for name in embedded}
    before = json.loads(path.read_text("utf-8"))
    references = {sum_: row for sum_, row in before.items() if sum_ in checksums}
    references |= {load_bundle(name).checksum: row for name, row in rows.items()}
    path.write_text(json.dumps(references, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
