"""Training of `MixtureModel`, from columns and levels of judged texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.estimation.mixture import MixtureModel, tree_inputs
from understandability.estimation.portable import forest_of
from understandability.estimation.predictors import Kernel, Network, Prepared, standardised
from understandability.estimation.users import Floats

# Chosen on the folds of `scripts/evaluate_estimators.py`.
LANDMARKS = 1000
_CUT = 4.0
_GATE_FREEDOM = 0.1
_TREES: dict[str, Any] = {
    "n_estimators": 500,
    "learning_rate": 0.04,
    "max_depth": 5,
    "subsample": 0.7,
    "colsample_bynode": 0.3,
    "min_child_weight": 8,
    "reg_lambda": 3,
    "n_jobs": 1,
}
_OWN_TREES = {**_TREES, "learning_rate": 0.02, "max_depth": 4}


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged texts as numbers, one row each.

    `inputs` are those of `inputs_of`, `levels` their CEFR levels, `domains` the number of the
    domain each was judged in, `kinds` that of the domain it is of for the gate (-1: of none, as
    far as the gate shall learn), `groups` what must not be split between folds, `weights` how much
    each counts for the common trees, and `expert_weights` for the expert and the trees of its
    domain.
    """

    inputs: Floats
    levels: Floats
    domains: NDArray[np.int64]
    kinds: NDArray[np.int64]
    groups: NDArray[np.int64]
    weights: Floats
    expert_weights: Floats

    def __len__(self) -> int:
        return len(self.levels)

    def where(self, chosen: NDArray[np.bool_]) -> Judged:
        """Some of the rows."""
        return Judged(*(getattr(self, name)[chosen] for name in self.__slots__))


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """The fold of each row; rows of one group are in one fold, groups are dealt out evenly.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)


def fit_mixture(
    judged: Judged,
    columns: Sequence[str],
    domains: Sequence[str],
    shares: Mapping[str, float],
    *,
    reach: float = 0.2,
    ridge: float = 0.3,
    random_state: int = 0,
    folds: int = 5,
) -> MixtureModel:
    """Fit experts, trees and gate; trees see estimates of texts that the experts were not fit on.

    `reach` is the gamma of the experts' bells times the number of inputs, `ridge` what holds their
    weights small. `shares` tell what the common trees weigh in each domain that a new text can be
    of, in the order of `domains`; domains behind them lend their texts to the common trees only.
    """
    fold = folds_of(judged.groups, folds, random_state)
    experts, estimates = {}, []
    for number, domain in enumerate(domains):
        own = judged.domains == number
        fit = _Landmarks(judged, own, reach, ridge, random_state)
        experts[domain] = fit.expert(own)
        left_out = np.empty((len(judged), 1))
        for turn in range(folds):
            here = fold == turn
            left_out[here] = fit.expert(own & ~here)(judged.inputs[here])
        estimates.append(left_out)
    gate = _gate(judged, len(shares))
    rows = tree_inputs(gate.prepared(judged.inputs), np.hstack(estimates))
    grown = []
    for number in range(len(shares)):
        own = judged.domains == number
        weights = judged.expert_weights[own]
        grown.append(_grown(rows[own], judged.levels[own], weights, _OWN_TREES, random_state))
    grown.append(_grown(rows, judged.levels, judged.weights, _TREES, random_state))
    return MixtureModel(
        tuple(columns), experts, gate, forest_of(grown), np.array(list(shares.values()))
    )


class _Landmarks:
    """Bells around texts of one domain, and the kernel ridge regressions that stand on them."""

    def __init__(
        self,
        judged: Judged,
        own: NDArray[np.bool_],
        reach: float,
        ridge: float,
        random_state: int,
    ) -> None:
        self.judged, self.ridge = judged, ridge
        self.center, self.scale = _center_and_scale(judged.inputs[own])
        self.rows = standardised(judged.inputs, self.center, self.center, self.scale, _CUT)
        rng = np.random.default_rng(random_state)
        inside = np.flatnonzero(own)
        chosen = np.sort(rng.choice(inside, min(LANDMARKS, len(inside)), replace=False))
        # What goes into the bundle as float16 is used as such here.
        self.vectors = self.rows[chosen].astype(np.float16).astype(np.float64)
        self.gamma = reach / self.rows.shape[1]
        self.root = _inverse_root(_bells(self.vectors, self.vectors, self.gamma))
        self.bells = np.zeros((len(judged), len(chosen)))
        self.bells[own] = _bells(self.rows[own], self.vectors, self.gamma) @ self.root

    def expert(self, used: NDArray[np.bool_]) -> Prepared:
        """The ridge regression of the levels of `used` texts."""
        bells, weight = self.bells[used], self.judged.expert_weights[used]
        levels = self.judged.levels[used]
        mean = np.average(bells, axis=0, weights=weight)
        level = float(np.average(levels, weights=weight))
        centred = bells - mean
        gram = (centred * weight[:, None]).T @ centred + self.ridge * np.eye(len(mean))
        solved = np.linalg.solve(gram, (centred * weight[:, None]).T @ (levels - level))
        weights = (self.root @ solved)[:, None]
        kernel = Kernel(self.vectors, weights, np.array([level - mean @ solved]), self.gamma)
        return Prepared(self.center, self.center, self.scale, kernel, _CUT)


def _gate(judged: Judged, gates: int) -> Prepared:
    """Logistic regression of the domain, under which all domains are equally frequent."""
    from sklearn.linear_model import LogisticRegression

    center, scale = _center_and_scale(judged.inputs)
    inputs = judged.inputs.shape[1]
    weights, biases = np.zeros((inputs, gates)), np.zeros(gates)
    if gates > 1:
        inside = judged.kinds >= 0
        fitted = LogisticRegression(C=_GATE_FREEDOM, max_iter=500, class_weight="balanced").fit(
            standardised(judged.inputs[inside], center, center, scale, _CUT),
            judged.kinds[inside],
        )
        if gates == 2:  # one row of weights, for and against the second
            weights = np.hstack([-fitted.coef_.T, fitted.coef_.T]) / 2
            biases = np.append(-fitted.intercept_, fitted.intercept_) / 2
        else:
            weights, biases = fitted.coef_.T, fitted.intercept_
    network = Network((weights,), (biases,), "softmax")
    return Prepared(center, center, scale, network, _CUT)


def _grown(
    rows: Floats, levels: Floats, weights: Floats, trees: Mapping[str, Any], random_state: int
) -> Any:
    from xgboost import XGBRegressor

    grown = XGBRegressor(**trees, random_state=random_state)
    return grown.fit(rows, levels, sample_weight=weights).get_booster()


def _center_and_scale(inputs: Floats) -> tuple[Floats, Floats]:
    known = np.where(np.isfinite(inputs), inputs, np.nan)
    center, scale = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    return center, np.where(scale > 1e-9, scale, 1.0)


def _bells(rows: Floats, vectors: Floats, gamma: float) -> Floats:
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2 * rows @ vectors.T, 0)))


def _inverse_root(matrix: Floats) -> Floats:
    values, directions = np.linalg.eigh(matrix)
    return np.asarray((directions / np.sqrt(np.maximum(values, 1e-9))) @ directions.T)
