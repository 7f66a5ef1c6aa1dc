"""Write resources/report/references.json: where kinds of texts lie on the scale of difficulty.

For each embedded bundle, by its checksum, percentiles of what it estimates for texts of the
background corpora. Run it again whenever a bundle is built anew.

    python -m scripts.train.report_references ../shared/data
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from understandability.feature.batch import Batch
from understandability.model.bundle import load_bundle
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.writers.levels import PERCENTS

ROOT = Path(__file__).parents[2]
KINDS = {
    "Reddit posts on health": "reddit_like",
    "NIH consumer pages": "consumer_nih",
    "Wikipedia pages on diseases": "wikipedia_med",
    "PubMed papers": "pubmed",
}
SAMPLE = 1000  # texts of each kind
LEAST_WORDS = 100
_BATCH = 50


def sampled(path: Path) -> list[Document]:
    """A seeded sample of the texts of a corpus that are long enough to be estimated."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [str(json.loads(line)["text"]) for line in file]
    texts = [text for text in texts if len(text.split()) >= LEAST_WORDS]
    chosen = random.Random(0).sample(texts, min(SAMPLE, len(texts)))
    return [document_of_text(text) for text in chosen]


def difficulties(bundle_name: str, documents: list[Document]) -> Iterator[float]:
    """What a bundle estimates, where it does."""
    bundle = load_bundle(bundle_name)
    for start in range(0, len(documents), _BATCH):
        batch = Batch(documents[start : start + _BATCH])
        for estimate in bundle.estimate(batch):
            if not np.isnan(estimate.difficulty):
                yield estimate.difficulty


def main() -> None:
    """Write the percentiles of the bundles, and keep those of other bundles that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=ROOT.parent / "shared" / "data")
    parser.add_argument(
        "--bundles",
        nargs="+",
        default=["background-mlp", "llr", "open"],
        help="embedded bundles",
    )
    chosen = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {
        name: {"bundle": name, "texts": []} for name in chosen.bundles
    }
    for kind, corpus in KINDS.items():
        documents = sampled(chosen.data / "corpora" / f"{corpus}.jsonl.gz")
        for name, row in rows.items():
            values = list(difficulties(name, documents))
            percentiles = [round(float(each), 1) for each in np.percentile(values, PERCENTS)]
            row["texts"].append({"name": kind, "count": len(values), "percentiles": percentiles})
    path = ROOT / "resources" / "report" / "references.json"
    embedded = sorted(each.parent.name for each in ROOT.glob("resources/bundles/*/bundle.json"))
    checksums = {load_bundle(name).checksum: name for name in embedded}
    before = json.loads(path.read_text("utf-8"))
    references = {sum_: row for sum_, row in before.items() if sum_ in checksums}
    references |= {load_bundle(name).checksum: row for name, row in rows.items()}
    path.write_text(json.dumps(references, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
