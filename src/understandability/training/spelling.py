"""Fit a model of texts by their spelling: ridge regression on runs of three to five letters.

Texts are stored as two sparse matrices, texts by words and words by runs of letters, because the
product of both is ten times as large. Conjugate gradients solve the normal equations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from understandability._core import Numbers
from understandability.arrays import Floats
from understandability.errors import needing
from understandability.feature.batch import Batch, sizes_between
from understandability.model.spelling import Spelling, word_weights
from understandability.model.word_columns import RUNS, runs_of_letters

# The penalty, as a multiple of the variance of the inputs.
_PENALTY = 1.0
_PRECISION = 1e-6
_MOST_STEPS = 300
_CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class SpelledTexts:
    """Texts as two sparse matrices: texts by words, and words by sequences of letters.

    Their product has a row for each text; `squares` are the squared lengths of these rows.
    """

    words: Any  # scipy.sparse.csr_matrix (texts, words)
    runs: Any  # scipy.sparse.csr_matrix (words, RUNS)
    squares: Floats

    def __len__(self) -> int:
        return len(self.squares)

    def rows(self, selection: NDArray[Any]) -> Self:
        """Return the texts of a mask or with these indexes."""
        chosen = np.flatnonzero(selection) if selection.dtype == bool else selection
        return replace(self, words=self.words[chosen], squares=self.squares[chosen])

    def estimates(self, spelling: Spelling) -> Floats:
        """Return the estimate of a fitted model for each text."""
        return np.asarray(self.words @ (self.runs @ spelling.letters) + spelling.start)


@dataclass(slots=True)
class SpellingReader:
    """Collects the words of batches of documents, and returns them as `SpelledTexts`."""

    _table: Any = field(default_factory=Numbers)
    _ids: list[NDArray[np.int32]] = field(default_factory=list)
    _values: list[NDArray[np.float32]] = field(default_factory=list)
    _sizes: list[NDArray[np.int64]] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        """Add the documents of a batch."""
        document = np.repeat(np.arange(len(batch)), sizes_between(batch.word_starts))
        keys = document * len(batch.word_types) + batch.word_ids
        distinct, codes = np.unique(keys, return_inverse=True)
        owner, types = np.divmod(distinct, max(1, len(batch.word_types)))
        used, positions = np.unique(types, return_inverse=True)
        strings = [batch.word_types.strings[id_] for id_ in used.tolist()]
        numbers = np.empty(len(strings), np.int32)
        self._table.number(strings, numbers)
        self._ids.append(numbers[positions])
        weights = np.bincount(codes, word_weights(batch), len(distinct))
        self._values.append(weights.astype(np.float32))
        self._sizes.append(np.bincount(owner, minlength=len(batch)))

    def texts(self) -> SpelledTexts:
        """Return all texts that were added, in order."""
        with needing("training the blend needs SciPy", ".[train]"):
            from scipy.sparse import csr_matrix, vstack
        sizes = np.concatenate([np.zeros(1, np.int64), *self._sizes])
        strings = self._table.strings
        values = np.concatenate([np.empty(0, np.float32), *self._values])
        ids = np.concatenate([np.empty(0, np.int32), *self._ids])
        words = csr_matrix(
            (values.astype(np.float64), ids, np.cumsum(sizes)), (len(sizes) - 1, len(strings))
        )
        parts = [csr_matrix((0, RUNS))]
        for start in range(0, len(strings), _CHUNK):
            chunk = strings[start : start + _CHUNK]
            letters = runs_of_letters(chunk)
            parts.append(
                csr_matrix((letters.values, (letters.words, letters.numbers)), (len(chunk), RUNS))
            )
        runs = vstack(parts, format="csr")
        squares = [np.empty(0)]
        for start in range(0, words.shape[0], _CHUNK):
            product = words[start : start + _CHUNK] @ runs
            squares.append(np.asarray(product.multiply(product).sum(axis=1)).ravel())
        return SpelledTexts(words, runs, np.concatenate(squares))


def fit_spelling(texts: SpelledTexts, targets: Floats, weights: Floats) -> Spelling:
    """Fit a ridge regression of targets on runs of letters; `weights` are weights of texts."""
    with needing("training the blend needs SciPy", ".[train]"):
        from scipy.sparse.linalg import LinearOperator, cg
    total = float(weights.sum())
    mean = float(weights @ targets) / total
    words, runs = texts.words, texts.runs
    center = runs.T @ (words.T @ weights) / total

    def transposed(residuals: Floats) -> Floats:
        weighted = weights * residuals
        return np.asarray(runs.T @ (words.T @ weighted) - center * weighted.sum())

    spread = max(float(weights @ texts.squares) / total - float(center @ center), 1e-9)
    penalty = _PENALTY * spread * total / len(weights)

    def product(letters: Floats) -> Floats:
        fitted = words @ (runs @ letters) - center @ letters
        return transposed(fitted) + penalty * letters

    operator = LinearOperator((RUNS, RUNS), matvec=product, dtype=np.float64)
    solution, _ = cg(operator, transposed(targets - mean), rtol=_PRECISION, maxiter=_MOST_STEPS)
    letters = solution.astype(np.float32).astype(np.float64)  # as the bundle holds them
    return Spelling(letters, mean - float(center @ letters))
