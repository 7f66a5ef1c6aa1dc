"""By how much a text is harder for the words that stand in it: ``resources/word_difficulty.npz``.

Ridge regression from the different words of a passage, and their runs of letters, to its
difficulty, as readings give it and the teacher estimates it. `scripts.train.pages` learns it and
writes the file; the model reads its sum as one column of a passage. For a text that was learned
from, the column is by a regression that did not see its group: otherwise the model would trust
the column more than it may.
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

_LEAST = 4  # passages that have a word with a weight of its own
_RIDGE = 0.1  # of the mean square of what a passage has
_PARTS = 5
# So easy may one word or run of letters make a passage of nothing else: otherwise a few easy words
# behind a hard text make it pass for an easy one.
_MOST_EASIER = 60.0


class ByWords:
    """What was learned, and the column for a table: points of difficulty by words alone.

    `weights` are those of the texts that are learned from, 0 for all others, and `labels` their
    difficulty.
    """

    def __init__(self, table: Table, labels: Floats, weights: Floats) -> None:
        passages, rows, text = table.passages, table.word_features, table.text
        of_passages = weights[text] * passages.words / np.maximum(passages.totals[text], 1)
        learned, wanted = of_passages > 0, labels[text]
        own = slice(0, rows.shape[1] - RUNS)
        counts = np.bincount(rows[np.flatnonzero(learned)].indices, minlength=rows.shape[1])
        kept = counts >= _LEAST
        kept[own.stop :] = True
        slopes, start = _ridge(rows, wanted, of_passages, kept)
        # What goes into the file as float16 is used as such here.
        self.words, self.letters = (
            part.astype(np.float16) for part in (slopes[own], slopes[own.stop :])
        )
        self.start = np.float32(start)
        self.column = self.of(table)
        others = table.groups < 0
        groups = table.groups.copy()
        groups[others] = groups.max() + 1 + np.unique(table.keys[others], return_inverse=True)[1]
        part = folds_of(groups, _PARTS)[text]
        for number in range(_PARTS):
            here = np.flatnonzero(learned & (part == number))
            slopes, start = _ridge(rows, wanted, of_passages * (part != number), kept)
            self.column[here] = rows[here] @ slopes + start

    def of(self, table: Table) -> Floats:
        """The column for texts that were not learned from."""
        slopes = np.append(self.words, self.letters).astype(np.float64)
        return np.asarray(table.word_features @ slopes + self.start)

    def save(self, path: Path) -> None:
        """Write the file."""
        arrays = {"words": self.words, "letters": self.letters, "start": np.array(self.start)}
        np.savez_compressed(path, **arrays)


def _ridge(
    rows: csr_array, wanted: Floats, weights: Floats, kept: Mask
) -> tuple[NDArray[np.float64], float]:
    """Slopes, 0 for columns that are not kept, and a constant, of weighted ridge regression."""
    here, columns = np.flatnonzero(weights > 0), np.flatnonzero(kept)
    rows, wanted, weights = rows[here][:, columns], wanted[here], weights[here]
    turned = rows.T.tocsr()
    center, mean = turned @ weights / weights.sum(), float(np.average(wanted, weights=weights))
    ridge = _RIDGE * float(rows.power(2).sum()) / len(here)

    def product(slopes: Floats) -> Floats:
        away = weights * (rows @ slopes - center @ slopes)
        return turned @ away - center * away.sum() + ridge * slopes

    square = LinearOperator((len(columns),) * 2, matvec=product, dtype=np.float64)
    away = weights * (wanted - mean)
    found, _ = cg(square, turned @ away - center * away.sum(), rtol=1e-3, maxiter=200)
    slopes = np.zeros(len(kept))
    slopes[columns] = np.maximum(found, -_MOST_EASIER)
    return slopes, mean - float(center @ slopes[columns])
