"""What the reproductions share: the labels and runs of CLEF eHealth, and organisers' means."""

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
    """Measures, and their printed means of every run, of a file in `published`."""
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
    """Runs of a year of CLEF eHealth, whose label files are named alike.

    With `variations` the labels of a topic hold for its six query variations.
    """
    kinds = ("qrels", "qunder", "qtrust")[: 1 + len(scales)]
    qrels, *others = (read_labels(next(folder.glob(f"{task}{kind}*.gz"))) for kind in kinds)
    if variations:
        qrels, *others = map(for_variations, (qrels, *others))
    dimensions = {
        name: Dimension(labels, scale)
        for (name, scale), labels in zip(scales.items(), others, strict=True)
    }
    return evaluate(runs, qrels, measures=measures, dimensions=dimensions, preset=preset, **choices)


def for_variations(labels: Labels) -> Labels:
    """The labels of each topic for its variations: 101 to 101001 ... 101006."""
    return Labels.of(
        labels.name,
        {
            f"{topic}00{variation}": documents
            for topic, documents in labels.by_query().items()
            for variation in VARIATIONS
        },
    )


def runs_of(folder: Path) -> Iterable[Run]:
    """The runs in a folder, by name."""
    return read_runs(sorted(folder.glob("*.run.gz")))


def agreement(
    result: Evaluation, published: dict[str, NDArray[np.float64]], names: Iterable[str]
) -> tuple[int, float]:
    """How many runs agree in every measure to four digits, and the largest difference."""
    differences = [float(np.abs(result.means[name] - published[name]).max()) for name in names]
    return sum(difference < 1e-4 for difference in differences), max(differences)
