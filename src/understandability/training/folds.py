"""Make the estimates of models that were trained on different folds comparable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats

_MOST_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Alignment:
    """Shifts out-of-fold outputs so that the mean over the same texts is equal for all folds.

    A model's mean output is the mean label of its training texts, which is low if the held-out
    texts have high labels. Pooled over folds, estimates would therefore correlate with the labels
    less than each model's do; if nothing can be learned, even negatively. The shift uses no label
    of a single held-out text, and it changes no correlation within a fold.

    >>> alignment = Alignment(np.array([1.0, 2.0, 6.0]), np.ones(3))
    >>> alignment.shift(np.array([0.0, 1.0, 5.0]))
    1.0
    """

    targets: Floats
    weights: Floats

    @property
    def rows(self) -> NDArray[np.int64]:
        """The indices of the texts that means are computed over: at most 5,000, evenly spread."""
        count = len(self.targets)
        return np.arange(0, count, 1 + (count - 1) // _MOST_ROWS)

    def mean(self, outputs: Floats) -> Floats:
        """The weighted mean of outputs for `rows`."""
        return np.asarray(np.average(outputs, axis=0, weights=self.weights[self.rows]))

    def shift(self, outputs: Floats) -> float:
        """The number to add to a model's outputs, from its outputs for `rows`."""
        return float(np.average(self.targets, weights=self.weights) - self.mean(outputs))
