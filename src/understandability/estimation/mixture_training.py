"""Training of `MixtureModel`: from columns and levels of judged texts, in three fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.estimation.boosting import Boosted
from understandability.estimation.mixture import MixtureModel, input_names, prepared, tree_inputs
from understandability.estimation.predictors import Kernel
from understandability.estimation.users import Floats

# Chosen on the folds of `scripts/evaluate_estimators.py`.
LANDMARKS = 1200
_REACH = 0.2  # gamma of the bells, times the number of inputs
_RIDGE = 0.3
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


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged texts as numbers, one row each.

    `inputs` are those of `inputs_of`, `levels` their CEFR levels, `domains` the number of the
    domain each was judged in, `groups` what must not be split between folds, `weights` how much
    each counts for the trees, and `expert_weights` for the expert of its domain.
    """

    inputs: Floats
    levels: Floats
    domains: NDArray[np.int64]
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
    gates: int,
    *,
    random_state: int = 0,
    folds: int = 5,
) -> MixtureModel:
    """Fit experts, gate and trees; the trees see estimates of texts their expert was not fit on.

    The first `gates` of the `domains` can be what a new text is of; the others lend their texts
    to the trees only.
    """
    from xgboost import XGBRegressor

    center, scale = _center_and_scale(judged.inputs)
    rows = prepared(judged.inputs, center, scale)
    rng = np.random.default_rng(random_state)
    landmarks = np.sort(rng.choice(len(rows), min(LANDMARKS, len(rows)), replace=False))
    gamma = _REACH / rows.shape[1]
    # What goes into the bundle as float32 is used as such here.
    vectors = rows[landmarks].astype(np.float32).astype(np.float64)
    root = _inverse_root(_bells(vectors, vectors, gamma))
    bells = _bells(rows, vectors, gamma) @ root
    fold = folds_of(judged.groups, folds, random_state)
    estimates = np.empty((len(rows), len(domains)))
    for number in range(folds):
        weights, biases = _experts(bells, judged, fold != number, len(domains))
        estimates[fold == number] = bells[fold == number] @ weights + biases
    weights, biases = _experts(bells, judged, np.full(len(rows), True), len(domains))
    odds, odd_biases = _gate(bells, judged.domains, gates)
    kernel = Kernel(
        vectors, root @ np.hstack([weights, odds]), np.concatenate([biases, odd_biases]), gamma
    )
    trees = XGBRegressor(**_TREES, random_state=random_state).fit(
        tree_inputs(rows, estimates), judged.levels, sample_weight=judged.weights
    )
    boosted = Boosted(trees.get_booster(), len(input_names(columns)) + len(domains))
    return MixtureModel(tuple(columns), tuple(domains), gates, center, scale, kernel, boosted)


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


def _experts(
    bells: Floats, judged: Judged, used: NDArray[np.bool_], domains: int
) -> tuple[Floats, Floats]:
    """Ridge regressions, one for each domain: weights (bells, domains) and biases."""
    columns, biases = [], []
    for domain in range(domains):
        own = used & (judged.domains == domain)
        weight = judged.expert_weights[own]
        mean = np.average(bells[own], axis=0, weights=weight)
        level = float(np.average(judged.levels[own], weights=weight))
        centred = bells[own] - mean
        gram = (centred * weight[:, None]).T @ centred + _RIDGE * np.eye(bells.shape[1])
        solved = np.linalg.solve(gram, (centred * weight[:, None]).T @ (judged.levels[own] - level))
        columns.append(solved)
        biases.append(level - mean @ solved)
    return np.stack(columns, axis=1), np.array(biases)


def _gate(bells: Floats, domains: NDArray[np.int64], gates: int) -> tuple[Floats, Floats]:
    """Logistic regression of the domain: weights (bells, gates) and biases."""
    from sklearn.linear_model import LogisticRegression

    own = domains < gates
    if gates == 1:
        return np.zeros((bells.shape[1], 1)), np.zeros(1)
    fitted = LogisticRegression(C=10.0, max_iter=500, class_weight="balanced").fit(
        bells[own], domains[own]
    )
    weights, biases = fitted.coef_.T, fitted.intercept_
    if gates == 2:
        weights, biases = np.hstack([-weights / 2, weights / 2]), np.append(-biases, biases) / 2
    return weights, biases
