"""Measures with 95 % intervals that resample groups, and tables for documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.evaluation.correlation import pearson, spearman
from understandability.training.validation import roc_auc

RESAMPLES = 200

Measure = Callable[[Floats, Floats], float]


class Measured(NamedTuple):
    """A measure with its interval, and of how many texts."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        low, high = short(self.low), short(self.high)
        return f"{short(self.value)} [{low}, {high}]"


def short(value: float, digits: int = 3) -> str:
    """A number between -1 and 1 as tables print it.

    >>> short(0.8391)
    '.839'
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def auc(values: Floats, labels: Floats) -> float:
    """How often a text of the highest label has the higher value than one of the lowest."""
    ends = (labels == labels.max()) | (labels == labels.min())
    return roc_auc(values[ends], labels[ends] == labels.max())


def measured(
    measure: Measure, values: Floats, labels: Floats, groups: NDArray[Any], seed: int = 0
) -> Measured:
    """A measure of the texts that have a value; whole groups are drawn for its interval."""
    known = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[known], labels[known]
    _, number = np.unique(groups[known], return_inverse=True)
    order = np.argsort(number, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(0, len(members), len(members))
        rows = np.concatenate([members[group] for group in drawn])
        found.append(measure(values[rows], labels[rows]))
    low, high = np.nanquantile(found, [0.025, 0.975])
    return Measured(measure(values, labels), float(low), float(high), len(values))


def between(harder: Floats, easier: Floats) -> Measured:
    """How often a page of `harder` has the higher value; pages are drawn for the interval."""
    labels = np.repeat([1.0, 0.0], [len(harder), len(easier)])
    values = np.concatenate([harder, easier])
    return measured(auc, values, labels, np.arange(len(values)))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is to the left."""
    lines = [" | ".join(head), "|".join(["---", *["--:"] * (len(head) - 1)])]
    return "".join(f"| {line} |\n" for line in [*lines, *map(" | ".join, rows)])


def fill(document: Path, parts: Mapping[str, str]) -> None:
    """Put text between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` of a document."""
    text = document.read_text("utf-8")
    for name, part in parts.items():
        before, begin, rest = text.partition(f"<!-- begin: {name} -->\n")
        _, end, after = rest.partition(f"<!-- end: {name} -->")
        if not (begin and end):
            raise SystemExit(f"{document} has no place for the part {name!r}")
        text = f"{before}{begin}\n{part.rstrip()}\n\n{end}{after}"
    document.write_text(text, "utf-8")


__all__ = [
    "Measure",
    "Measured",
    "auc",
    "between",
    "fill",
    "markdown",
    "measured",
    "pearson",
    "short",
    "spearman",
]
