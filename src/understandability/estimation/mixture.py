"""The model of the default bundle: experts for kinds of text, a gate between them, boosted trees.

People judged sentences by CEFR level, school books by comparison, news by the level they were
rewritten for. One *domain* is a group of texts that were judged in one way. A text goes

1. into columns: the catalogue's, those of `style`, and the mean of its word vectors; each is
   centred, scaled, and cut off at four standard deviations, so that no length is out of range;
2. through Gaussian bells around chosen training texts, whose sums are one estimate for each domain
   (kernel ridge regression, Nyström approximation: Williams & Seeger 2001) and the chances that
   it is of each domain (logistic regression on the same bells);
3. with these estimates, into boosted trees (XGBoost) for all domains at once.

The raw output is the mean of the trees and of the domains' estimates under their chances; its
scale is that of CEFR levels, 1 (A1) to 6 (C2). Nobody tells it which set a text is from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from understandability.errors import InputError
from understandability.estimation.boosting import Boosted
from understandability.estimation.models import check_features
from understandability.estimation.predictors import LINKS, Kernel
from understandability.estimation.style import STYLE_COLUMNS, style
from understandability.estimation.users import Floats
from understandability.estimation.weights import array_bytes, arrays_of, predictor_of
from understandability.features import CATALOGUE, Batch, features_of, ratio
from understandability.features.batch import starts_of
from understandability.features.feature import DOCUMENT
from understandability.features.word_statistics import statistics_numbers
from understandability.io.resources import resource_arrays

_CUT = 4.0
_TREES_SHARE = 0.5
# Groups of the catalogue that describe a text of any length, whatever page it stood on.
_GROUPS = (
    "readability",
    "components",
    "medical vocabulary",
    "natural language",
    "word frequency",
    "language model",
)


def text_columns() -> tuple[str, ...]:
    """The columns of the catalogue that the mixture reads: ratios that need nothing installed."""
    return tuple(
        row.column(per)
        for row in CATALOGUE
        if row.group in _GROUPS
        if not row.needs and not row.name.endswith("_readcalc")
        for per in row.per
        if (per != DOCUMENT or len(row.per) == 1) and row.name != "sentences"
    )


@cache
def _word_vectors() -> Floats:
    arrays = resource_arrays("word_vectors.npz")
    return np.asarray(arrays["vectors"] * arrays["scale"], np.float64)


def mean_word_vectors(batch: Batch) -> Floats:
    """The mean vector of each document's words; 0 where none is known. Use `Batch.once`."""
    from scipy.sparse import csr_array

    numbers = batch.token_values(statistics_numbers)
    known = numbers >= 0
    starts = starts_of(known)[batch.token_starts]
    vectors = _word_vectors()
    # A sparse product adds row by row, and never holds a vector for each token.
    words = csr_array(
        (np.ones(starts[-1]), numbers[known], starts), shape=(len(batch), len(vectors))
    )
    means = ratio(words @ vectors, np.diff(starts)[:, None])
    return np.where(np.isnan(means), 0.0, means)


def inputs_of(batch: Batch, columns: Sequence[str]) -> Floats:
    """What a mixture reads of each document: catalogue, style, word vectors, side by side."""
    return np.hstack(
        [
            features_of(batch, columns).values,
            batch.once(style),
            batch.once(mean_word_vectors),
        ]
    )


def input_names(columns: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns of `inputs_of`."""
    vectors = _word_vectors().shape[1]
    return (*columns, *STYLE_COLUMNS, *(f"word_vector_{number}" for number in range(vectors)))


@dataclass(frozen=True, slots=True)
class MixtureModel:
    """Experts, gate and trees, fitted; see the module.

    `kernel` has an output for each of `domains` (an estimate), then for each but those that have
    no gate (a log-odds): the first ``gates`` domains have one.
    """

    columns: tuple[str, ...]
    domains: tuple[str, ...]
    gates: int
    center: Floats
    scale: Floats
    kernel: Kernel
    trees: Boosted

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of `inputs_of`."""
        return input_names(self.columns)

    @property
    def typical(self) -> Floats:
        """The mean of the texts it learned from."""
        return self.center

    def inputs(self, batch: Batch) -> Floats:
        """The columns of `inputs_of` for each document."""
        return inputs_of(batch, self.columns)

    def predict(self, inputs: Floats) -> Floats:
        """The raw output for each row of `inputs_of`."""
        rows = prepared(inputs, self.center, self.scale)
        outputs = self.kernel(rows)
        estimates, odds = outputs[:, : len(self.domains)], outputs[:, len(self.domains) :]
        chances = LINKS["softmax"](odds)
        mixed = (chances * estimates[:, : self.gates]).sum(axis=1)
        grown = self.trees(tree_inputs(rows, estimates))[:, 0]
        return np.asarray(_TREES_SHARE * grown + (1 - _TREES_SHARE) * mixed, np.float64)

    def raw(self, batch: Batch) -> Floats:
        """The raw output for each document."""
        return self.predict(self.inputs(batch))

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Numbers as float32: the kernel's weights as float64, because large ones cancel."""
        arrays = self.kernel.to_arrays()
        arrays["vectors"] = arrays["vectors"].astype(np.float32)
        model = {
            "kind": "mixture",
            "features": list(self.columns),
            "domains": list(self.domains),
            "gates": self.gates,
        }
        return model, {
            "experts.npz": array_bytes({**arrays, "center": self.center, "scale": self.scale}),
            "trees.ubj": self.trees.to_bytes(),
        }

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> MixtureModel:
        """The model that `to_parts` gave."""
        columns = check_features(model.get("features"))
        domains, gates = model.get("domains"), model.get("gates")
        if not isinstance(domains, list) or not isinstance(gates, int):
            raise InputError("it states no domains")
        arrays = arrays_of(weights, "experts.npz")
        kernel = Kernel.from_arrays(arrays)
        center, scale = (arrays.get(name, np.empty(0)) for name in ("center", "scale"))
        trees = predictor_of(weights, "trees")
        inputs = len(input_names(columns))
        if not (
            isinstance(trees, Boosted)
            and 1 <= gates <= len(domains)
            and center.shape == scale.shape == (inputs,)
            and center.dtype == scale.dtype == np.float64
            and bool((scale > 0).all() and np.isfinite(center).all())
            and kernel.inputs == inputs
            and len(kernel.biases) == len(domains) + gates
            and trees.inputs == inputs + len(domains)
            and kernel.link == "identity"
        ):
            raise InputError("its features, its experts and its trees do not fit together")
        return cls(columns, tuple(map(str, domains)), gates, center, scale, kernel, trees)


def prepared(inputs: Floats, center: Floats, scale: Floats) -> Floats:
    """The inputs, centred, scaled, cut off; what is missing stands at the centre."""
    standard = (np.where(np.isfinite(inputs), inputs, center) - center) / scale
    return np.asarray(np.clip(standard, -_CUT, _CUT), np.float64)


def tree_inputs(rows: Floats, estimates: Floats) -> Floats:
    """What the trees read; rounded, so that the last digits of a sum cannot turn a branch."""
    return np.asarray(np.round(np.hstack([rows, estimates]), 6), np.float64)
