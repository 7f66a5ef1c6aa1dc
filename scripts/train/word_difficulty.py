"""Estimate the difficulty of passages from their words alone: ``resources/word_difficulty.npz``.

Ridge regression from the distinct words of a passage, and their runs of letters, to its difficulty
by readings or by the teacher. `scripts.train.pages` fits it and writes the file. Its output is one
column of a passage. For training texts, the column is estimated out of fold; otherwise the model
would trust the column too much.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg
from scripts.train.page_texts import Mask, Table, folds_of

from understandability.arrays import Floats
from understandability.model.word_columns import RUNS

_LEAST = 4  # words in fewer passages have no weight
_RIDGE = 0.1  # the penalty, relative to the mean square of a passage's inputs
_PARTS = 5
# The largest decrease of difficulty by a single word or run of letters. Without this bound, a few
# easy words at the end of a hard text could make the text look easy.
_MOST_EASIER = 60.0


class ByWords:
    """The fitted regression, and its column for the texts of a table, in points of difficulty.

    `labels` are difficulties. `weights` are the weights of the texts; 0 for texts not learned from.
    """

    def __init__(self, table: Table, labels: Floats, weights: Floats) -> None:
        passages, rows, text = table.passages, table.word_features, table.text
        passage_weights = weights[text] * passages.words / np.maximum(passages.totals[text], 1)
        learned, targets = passage_weights > 0, labels[text]
        n_words = rows.shape[1] - RUNS
        counts = np.bincount(rows[np.flatnonzero(learned)].indices, minlength=rows.shape[1])
        is_used = counts >= _LEAST
        is_used[n_words:] = True
        slopes, start = _ridge(rows, targets, passage_weights, is_used)
        # The file stores float16, so round here too.
        self.words, self.letters = (
            part.astype(np.float16) for part in (slopes[:n_words], slopes[n_words:])
        )
        self.start = np.float32(start)
        self.column = self.of(table)
        others = table.groups < 0
        groups = table.groups.copy()
        groups[others] = groups.max() + 1 + np.unique(table.keys[others], return_inverse=True)[1]
        part = folds_of(groups, _PARTS)[text]
        for number in range(_PARTS):
            held_out = np.flatnonzero(learned & (part == number))
            slopes, start = _ridge(rows, targets, passage_weights * (part != number), is_used)
            self.column[held_out] = rows[held_out] @ slopes + start

    def of(self, table: Table) -> Floats:
        """Return the column for texts that were not learned from."""
        slopes = np.append(self.words, self.letters).astype(np.float64)
        return np.asarray(table.word_features @ slopes + self.start)

    def save(self, path: Path) -> None:
        """Write the file."""
        arrays = {"words": self.words, "letters": self.letters, "start": np.array(self.start)}
        np.savez_compressed(path, **arrays)


def _ridge(
    rows: csr_array, targets: Floats, weights: Floats, is_used: Mask
) -> tuple[NDArray[np.float64], float]:
    """Fit weighted ridge regression; returns slopes (0 for unused columns) and intercept."""
    used, columns = np.flatnonzero(weights > 0), np.flatnonzero(is_used)
    rows, targets, weights = rows[used][:, columns], targets[used], weights[used]
    transposed = rows.T.tocsr()
    center = transposed @ weights / weights.sum()
    mean = float(np.average(targets, weights=weights))
    ridge = _RIDGE * float(rows.power(2).sum()) / len(used)

    def product(slopes: Floats) -> Floats:
        centred = weights * (rows @ slopes - center @ slopes)
        return transposed @ centred - center * centred.sum() + ridge * slopes

    gram = LinearOperator((len(columns),) * 2, matvec=product, dtype=np.float64)
    centred = weights * (targets - mean)
    moments = transposed @ centred - center * centred.sum()
    solution, _ = cg(gram, moments, rtol=1e-3, maxiter=200)
    slopes = np.zeros(len(is_used))
    slopes[columns] = np.maximum(solution, -_MOST_EASIER)
    return slopes, mean - float(center @ slopes[columns])
