"""What the bundle `neural-open` costs beside `open`, on one core.

    OMP_NUM_THREADS=1 python -m scripts.benchmark.neural [--data ../shared/data]

Sentences of 25 words of the background corpora go through the encoder one by one; stretches of 600
words are estimated whole, each from text to P(U|d). Medians; `processor` is the time that the
process was given, `wall` also counts what others took from it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.benchmark.features import documents_of, stretches

from understandability.feature.batch import Batch
from understandability.model.bundle import Bundle, load_bundle
from understandability.neural.encoder import installed_encoder

SENTENCES, PAGES = 500, 60


def spent(run: Callable[[str], object], texts: Sequence[str]) -> str:
    """Median milliseconds of processor and of wall clock for each text, the first left out."""
    processor, wall = [], []
    for text in texts:
        busy, begun = time.process_time(), time.perf_counter()
        run(text)
        processor.append(time.process_time() - busy)
        wall.append(time.perf_counter() - begun)
    figures = (1000 * statistics.median(of[1:]) for of in (processor, wall))
    return " | ".join(f"{figure:.2f}" for figure in figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    texts = stretches(parser.parse_args().data)
    found = (sentence for document in documents_of(texts) for sentence in document.sentences)
    sentences = [" ".join(each) for each in found if len(each) == 25][:SENTENCES]
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| | ms of processor | ms of wall |")
    print("|---|--:|--:|")
    print(f"| encoder, a sentence of 25 words | {spent(installed_encoder().states, sentences)} |")
    for name in ("open", "neural-open"):
        bundle = load_bundle(name)

        def run(text: str, bundle: Bundle = bundle) -> object:
            return bundle.estimate(Batch(documents_of([text])))

        print(f"| {name}, a page of 600 words | {spent(run, texts[:PAGES])} |")


if __name__ == "__main__":
    main()
