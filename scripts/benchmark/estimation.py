"""What estimators cost beside computing features, and what their bundles weigh and take to load.

    python -m scripts.train.background_bundle --estimator all --output models
    python -m scripts.benchmark.estimation [--data ../shared/data] [--background models]
    python -m scripts.benchmark.estimation --training

Documents are stretches of 600 words of the background corpora. In one process and in turns, batch
by batch: all embedded features, then what each bundle adds to them; medians over the batches. All
times are of the processor. Twice: first every batch has new words, of which much is read once (by
the first bundle that asks), then all words are known. A long crawl lies
between. The bundles are those that come with the package, then also the background models of a
folder, and a judged model of each estimator over the columns of the default, fitted to which corpus
a stretch is from (its time is what matters). A bundle is loaded in this process (warm, the median
of 5), and by a new one, from its start to its end (cold, of 3). ``--training`` trains one
background model on the corpora.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scripts.benchmark.features import BATCH, EMBEDDED, documents_of, stretches
from scripts.train.background_bundle import CORPORA, documents

from understandability.feature.batch import Batch
from understandability.feature.table import compute_features, features_of
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.bundle_files import embedded_bundles
from understandability.model.calibration import Calibration
from understandability.model.estimators import ESTIMATORS
from understandability.model.judged import JudgedModel
from understandability.resources import resource
from understandability.text.document import Document
from understandability.training.background_training import train_background
from understandability.training.feature_sets import text_columns
from understandability.training.portable import portable

TAUGHT = 1000
COLD = "from understandability.model.bundle import load_bundle; load_bundle({!r})"


def of_children() -> float:
    """The processor time of the processes that this one has waited for."""
    return sum(os.times()[2:4])


def seconds(run: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    begun = clock()
    run()
    return clock() - begun


def judged_bundles(texts: list[str], folder: Path) -> dict[str, Path]:
    """A judged bundle of each estimator, by name."""
    columns = text_columns()
    values = compute_features(documents_of(texts), columns).values
    labels = np.digitize(values[:, columns.index("log_likelihood_pubmed_reddit")], [-1, 1]) * 30.0
    found = {}
    for name, row in ESTIMATORS.items():
        if row.on_counts:
            continue
        targets = (labels / 30).astype(int) if row.classifies else labels
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a network has not converged
            predictor = portable(row.make(0).fit(values, targets))
        classes = (0.0, 30.0, 60.0) if row.classifies else ()
        model = JudgedModel(name, columns, predictor, (0.0,) * len(columns), classes)
        calibration = Calibration((0.0, 100.0), (0.0, 100.0), (5.0, 5.0))
        found[f"judged {name}"] = folder / name
        Bundle(name, "CC0-1.0", model, calibration).save(folder / name)
    return found


def turns(batches: Sequence[Sequence[Document]], bundles: Mapping[str, Bundle]) -> dict[str, float]:
    """Milliseconds of a document for its features, and for what each bundle adds to them."""
    spent: dict[str, list[float]] = {}
    for chosen in batches:
        for name, bundle in {"features": None, **bundles}.items():
            batch = Batch(chosen)  # bundles of pages would share what they read of one
            taken = seconds(lambda batch=batch: features_of(batch, EMBEDDED))
            if bundle:
                raw = bundle.model.raw
                taken = seconds(lambda batch=batch, raw=raw: raw(batch))
            spent.setdefault(name, []).append(1000 * taken / len(chosen))
    # The first batch loads what is loaded once.
    return {name: statistics.median(each[1:]) for name, each in spent.items()}


def benchmark(data: Path, background: Path | None, count: int) -> None:
    texts = stretches(data)
    batches = [documents_of(texts[start : start + BATCH]) for start in range(0, count, BATCH)]
    with tempfile.TemporaryDirectory() as temporary:
        bundles = {name: load_bundle(name) for name in embedded_bundles()}
        folders = {name: resource("bundles") / name for name in bundles}
        of_new = turns(batches, bundles)
        if background:
            paths = sorted(path.parent for path in background.glob("*/bundle.json"))
            folders |= {f"background {path.name}": path for path in paths}
        folders |= judged_bundles(texts[-TAUGHT:], Path(temporary))
        bundles |= {n: load_bundle(folder) for n, folder in folders.items() if n not in bundles}
        of_known = turns(batches, bundles)
        for words, of in (("new", of_new), ("known", of_known)):
            print(f"features, {words} words: {of['features']:.2f} ms a document of 600 words")
        print("| bundle | new words, ms | of features | known words, ms | of features ", end="")
        print("| kB | load warm, s | cold, s |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for name in bundles:
            folder = folders[name]
            costs = " | ".join(
                f"{of[name]:.3f} | {100 * of[name] / of['features']:.1f} %" if name in of else " | "
                for of in (of_new, of_known)
            )
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1000
            warm = statistics.median(
                seconds(lambda folder=folder: load_bundle(folder)) for _ in range(5)
            )
            command = [sys.executable, "-c", COLD.format(str(folder))]
            cold = statistics.median(
                seconds(lambda command=command: subprocess.run(command, check=True), of_children)
                for _ in range(3)
            )
            print(
                f"| {name} | {costs} | {size:.0f} | {warm:.3f} | {cold:.2f} |",
                flush=True,
            )


def training(data: Path) -> None:
    corpora = {label: documents(data, corpus) for label, corpus in CORPORA.items()}
    taken = seconds(lambda: train_background(corpora, "mlp-regressor"))
    print(f"training mlp-regressor: {taken:.0f} s of processor")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--background", type=Path)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--training", action="store_true")
    arguments = parser.parse_args()
    if arguments.training:
        training(arguments.data)
    else:
        benchmark(arguments.data, arguments.background, arguments.documents)
