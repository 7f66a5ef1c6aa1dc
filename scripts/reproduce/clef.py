"""Helpers for the reproductions: labels and runs of CLEF eHealth, and the organisers' means."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.reproduce.verdicts import PUBLISHED

from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.evaluation.options import Dimension
from understandability.evaluation.scales import Scale
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_labels, read_runs

VARIATIONS = range(1, 7)  # of each topic of task 1 of 2016


def published_means(name: str) -> tuple[tuple[str, ...], dict[str, NDArray[np.float64]]]:
    """Read a file in `published`: the measures, and the published means by run."""
    with (PUBLISHED / name).open(newline="") as file:
        (_, *measures), *rows = csv.reader(file, delimiter="\t")
    return tuple(measures), {run: np.array(values, dtype=float) for run, *values in rows}


def evaluated(
    folder: Path,
    runs: Iterable[Run],
    measures: Sequence[str],
    scales: dict[str, Scale],
    *,
    task: str = "",
    variations: bool = False,
    preset: str | None = None,
    **choices: str,
) -> Evaluation:
    """Evaluate the runs of a year of CLEF eHealth with the label files in its folder.

    With `variations`, the labels of a topic are used for its six query variations.
    """
    files = ("qrels", "qunder", "qtrust")[: 1 + len(scales)]
    qrels, *others = (read_labels(next(folder.glob(f"{task}{file}*.gz"))) for file in files)
    if variations:
        qrels, *others = map(for_variations, (qrels, *others))
    dimensions = {
        name: Dimension(labels, scale)
        for (name, scale), labels in zip(scales.items(), others, strict=True)
    }
    return evaluate(runs, qrels, measures=measures, dimensions=dimensions, preset=preset, **choices)


def for_variations(labels: Labels) -> Labels:
    """Copy the labels of each topic to its query variations: of 101 to 101001 ... 101006."""
    return Labels.of(
        labels.name,
        {
            f"{topic}00{variation}": documents
            for topic, documents in labels.by_query().items()
            for variation in VARIATIONS
        },
    )


def runs_of(folder: Path) -> Iterable[Run]:
    """Read the runs in a folder, in the order of their names."""
    return read_runs(sorted(folder.glob("*.run.gz")))


def agreement(
    result: Evaluation, published: dict[str, NDArray[np.float64]], names: Iterable[str]
) -> tuple[int, float]:
    """Return the number of runs that agree to four digits, and the largest difference."""
    differences = [float(np.abs(result.means[name] - published[name]).max()) for name in names]
    return sum(difference < 1e-4 for difference in differences), max(differences)
