"""Repeat the HTML rows of Table 3 (2016) of the study of Palotti, Zuccon & Hanbury (JMIR 2019).

Counts of tags against understandability labels, relevant documents only, mean label of a
document. Table 5 rests on runs of 300 queries that cannot be had whole.

    python -m scripts.reproduce.study2019 [--data ../shared/data]
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scripts.reproduce.tables import Row, clef_folder, print_rows

from understandability.arrays import Floats
from understandability.evaluation.statistics.correlation import kendall_tau_b, pearson, spearman
from understandability.formats.runs import read_labels

COEFFICIENTS = {"Pearson": pearson, "Spearman": spearman, "Kendall": kendall_tau_b}
PRINTED = {"n_ps": ("P tags", 0.110, 0.123, 0.084), "n_lists": ("lists", 0.114, 0.021, 0.015)}


def counts(path: Path) -> tuple[list[str], dict[str, Floats]]:
    """Names of the counts, and the counts of each document."""
    with gzip.open(path, "rt") as file:
        _, *names = next(file).rstrip("\n").split("\t")
        rows = (line.rstrip("\n").split("\t") for line in file)
        return names, {docno: np.array(values, dtype=float) for docno, *values in rows}


def labels_of_relevant(folder: Path, combine: Callable[[Floats], float]) -> dict[str, float]:
    """One label for each document that is relevant to a topic."""
    qrels, qunder = read_labels(folder / "task2.qrels.gz"), read_labels(folder / "task2.qunder.gz")
    labels: dict[int, list[float]] = {}
    for document, label in zip(qunder.docno_ids.tolist(), qunder.values.tolist(), strict=True):
        labels.setdefault(document, []).append(label)
    relevant = np.unique(qrels.docno_ids[qrels.values >= 1])
    names = qunder.docnos.to_pylist()
    return {names[i]: float(combine(np.array(labels[i]))) for i in relevant.tolist()}


def main() -> None:
    folder = clef_folder(__doc__.partition("\n")[0]) / "clef2016"
    names, table = counts(folder / "html_features.tsv.gz")
    mean, highest = (labels_of_relevant(folder, combine) for combine in (np.mean, np.max))
    rows = []
    for name, (title, *printed) in PRINTED.items():
        column = names.index(name)
        for (coefficient, compute), number in zip(COEFFICIENTS.items(), printed, strict=True):
            here, alternative = (
                compute([table[docno][column] for docno in labels], list(labels.values()))
                for labels in (mean, highest)
            )
            why = f"with the highest label of a document {alternative:+.3f}"
            if here < 0:
                why += "; print may show the size without the sign"
            rows.append(Row(f"{title}: {coefficient}", number, here, why))
    print_rows(
        f"Study, Table 3, 2016, HTML rows ({len(mean):,} relevant documents)", rows, digits=3
    )
    print(
        "\nThe counts here are those published with the study's code, of pages that may have been "
        "parsed otherwise for the printed table. Table 5 cannot be repeated: its runs of 300 "
        "queries are not here whole."
    )


if __name__ == "__main__":
    main()
