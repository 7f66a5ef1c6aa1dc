"""What estimators cost beside computing features, and what their bundles weigh and take to load.

    python -m scripts.train.background_bundle --estimator all --output models
    python -m scripts.benchmark.estimation [--data ../shared/data] [--background models]
    python -m scripts.benchmark.estimation --training

Documents are stretches of 600 words of the background corpora. In one process and in turns, batch
by batch: all embedded features, then what each bundle adds to them; medians over the batches. The
bundles are those that come with the package, the background models of a folder, and a judged model
of each estimator over the columns of the default, fitted to which corpus a stretch is from (its
time is what matters). A bundle is loaded in this process (warm, the median of 5), and by a new one,
from its start to its end (cold, of 3). ``--training`` trains one background model on the corpora.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scripts.benchmark.features import BATCH, EMBEDDED, documents_of, stretches
from scripts.train.background_bundle import CORPORA, documents

from understandability.features import Batch, compute_features, features_of
from understandability.models import Bundle, load_bundle
from understandability.models.calibration import Calibration
from understandability.models.estimators import ESTIMATORS
from understandability.models.runtime.judged import JudgedModel
from understandability.models.training.background import train_background
from understandability.models.training.judged import text_columns
from understandability.models.training.portable import portable
from understandability.storage.bundle_files import embedded_bundles
from understandability.storage.resources import resource

TAUGHT = 1000
COLD = "from understandability.models import load_bundle; load_bundle({!r})"


def seconds(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


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


def benchmark(data: Path, background: Path | None, count: int) -> None:
    texts = stretches(data)
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: resource("bundles") / name for name in embedded_bundles()}
        if background:
            paths = sorted(path.parent for path in background.glob("*/bundle.json"))
            folders |= {f"background {path.name}": path for path in paths}
        folders |= judged_bundles(texts[-TAUGHT:], Path(temporary))
        bundles = {name: load_bundle(folder) for name, folder in folders.items()}
        spent: dict[str, list[float]] = {name: [] for name in ["features", *bundles]}
        for start in range(0, count, BATCH):
            chosen = documents_of(texts[start : start + BATCH])
            batch = Batch(chosen)
            turns = {"features": lambda batch=batch: features_of(batch, EMBEDDED)}
            for name, bundle in bundles.items():
                turns[name] = lambda batch=batch, bundle=bundle: bundle.model.raw(batch)
            for name, run in turns.items():
                taken = seconds(run)
                if start:  # the first batch loads what is loaded once
                    spent[name].append(taken / len(chosen))
        features = statistics.median(spent["features"])
        print(f"all embedded features: {1000 * features:.2f} ms a document of 600 words")
        print("| bundle | ms a document | of the features | kB | load warm, s | cold, s |")
        print("|---|--:|--:|--:|--:|--:|")
        for name, folder in folders.items():
            cost = statistics.median(spent[name])
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1000
            warm = statistics.median(
                seconds(lambda folder=folder: load_bundle(folder)) for _ in range(5)
            )
            command = [sys.executable, "-c", COLD.format(str(folder))]
            cold = statistics.median(
                seconds(lambda command=command: subprocess.run(command, check=True))
                for _ in range(3)
            )
            print(
                f"| {name} | {1000 * cost:.3f} | {100 * cost / features:.1f} % | {size:.0f} "
                f"| {warm:.3f} | {cold:.2f} |",
                flush=True,
            )


def training(data: Path) -> None:
    corpora = {label: documents(data, corpus) for label, corpus in CORPORA.items()}
    busy = time.process_time()
    taken = seconds(lambda: train_background(corpora, "mlp-regressor"))
    print(f"training mlp-regressor: {taken:.0f} s, {time.process_time() - busy:.0f} s of processor")


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
