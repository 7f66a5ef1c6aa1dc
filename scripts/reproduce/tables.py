"""What the `reproduce_*.py` scripts share: rows of published and own numbers, CLEF data."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from understandability.evaluation.conventions import conventions
from understandability.evaluation.evaluate import Evaluation, evaluate_runs
from understandability.evaluation.labels import Dimension
from understandability.evaluation.scales import Scale
from understandability.formats.runs import read_labels, read_runs
from understandability.records import Run

PUBLISHED = Path(__file__).parent / "published"
NOT_TO_BE_HAD = "not to be had"


@dataclass(frozen=True)
class Row:
    """A published number beside ours; `published` may be a word where there is no number."""

    what: str
    published: float | str
    here: float
    why: str = ""


def print_rows(title: str, rows: Iterable[Row], digits: int = 4) -> None:
    """A Markdown table."""
    print(f"\n## {title}\n\n| what | published | here | difference | why |\n|---|---|---|---|---|")
    for row in rows:
        if isinstance(row.published, float):
            published = f"{row.published:.{digits}f}"
            difference = f"{row.here - row.published:+.{digits}f}"
        else:
            published, difference = row.published, ""
        print(f"| {row.what} | {published} | {row.here:.{digits}f} | {difference} | {row.why} |")


def clef_folder(description: str) -> Path:
    """The folder of CLEF data, from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), metavar="FOLDER")
    folder: Path = parser.parse_args().data / "clef"
    if not folder.is_dir():
        parser.error(f"{folder} is not there; give the folder of the data with --data")
    return folder


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
    preset: str | None = None,
) -> Evaluation:
    """Runs of a year of CLEF eHealth, whose label files are named alike."""
    qrels, *others = (
        next(folder.glob(f"{task}{kind}*.gz"))
        for kind in ("qrels", "qunder", *_TRUST[: len(scales) - 1])
    )
    dimensions = {
        name: Dimension(read_labels(path, name), scale)
        for (name, scale), path in zip(scales.items(), others, strict=True)
    }
    return evaluate_runs(runs, read_labels(qrels), measures, dimensions, conventions(preset))


_TRUST = ("qtrust",)


def runs_of(folder: Path) -> Iterable[Run]:
    """The runs in a folder, by name."""
    return read_runs(sorted(folder.glob("*.run.gz")))


def agreement(
    result: Evaluation, published: dict[str, NDArray[np.float64]], names: Iterable[str]
) -> tuple[int, float]:
    """How many runs agree in every measure to four digits, and the largest difference."""
    differences = [float(np.abs(result.means[name] - published[name]).max()) for name in names]
    return sum(difference < 1e-4 for difference in differences), max(differences)
