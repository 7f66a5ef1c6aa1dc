"""Fit a blend: the outputs of the bundle `open`, plus a correction learned from a user's labels.

The prior is a linear function of the difficulty and the level of `open`. One ridge regression and
one set of boosted trees learn the labels; a second pair learns the errors of the prior. The first
pair is better with many labels, the second with few. A fifth learner reads the spelling of the
words. The correction is the weighted mean difference of all five from the prior. The weights are
fitted to texts that the learners did not learn from, and pulled towards equal weights (stacking;
Breiman 1996).

A share of the correction, from 0 to 1, is added to the prior. It is chosen on texts that neither
learners nor weights were learned from: the least-squares share, scaled down if the gain may be
chance. Without a gain the share is 0, and the result is `open` on the scale of the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import needing
from understandability.model.blend import BASE_OUTPUTS, Prior, distances_of
from understandability.model.predictors import Network, Predictor, Prepared
from understandability.model.spelling import Spelling
from understandability.training.folds import Alignment
from understandability.training.portable import forest_of
from understandability.training.spelling import SpelledTexts, fit_spelling

# Penalties of the ridge regression, on columns of unit variance.
_PENALTIES = np.geomspace(0.1, 1e5, 25)
_ROUNDS = 200
_TREES = {
    "objective": "reg:squarederror",
    "max_depth": 3,
    "learning_rate": 0.04,
    "subsample": 0.7,
    "colsample_bytree": 0.3,
    "min_child_weight": 5,
    "tree_method": "hist",
    "nthread": 1,
    "verbosity": 0,
}
# In standard errors: up to this gain the share is 0. With one standard error more it is the
# least-squares share, and in between it grows linearly.
_LEAST_GAIN = 0.5
# The pull towards equal weights of the learners, as a share of the mean square of their
# distances from the prior.
_PULL = 0.3
_CUT = 8.0  # standard deviations at which inputs are clipped
_ROWS = 20_000  # rows per block; blocks avoid a copy of all inputs


@dataclass(frozen=True, slots=True)
class FittedBlend:
    """A fitted prior and five fitted learners, before their weights are chosen."""

    prior: Prior
    direct: tuple[Predictor, ...]
    corrections: tuple[Predictor, ...]
    spelling: Spelling

    def outputs(self, rows: Floats, spelled: SpelledTexts) -> tuple[Floats, Floats]:
        """Return the prior for each row, and the learners' differences from it, (rows,
        learners).
        """
        prior = self.prior.of(rows[:, -len(BASE_OUTPUTS) :])
        distances = distances_of(prior, rows, self.direct, self.corrections)
        by_spelling = spelled.estimates(self.spelling) - prior
        return prior, np.concatenate([distances, by_spelling[:, None]], axis=1)


def fit_blend(
    rows: Floats, spelled: SpelledTexts, targets: Floats, weights: Floats, random_state: int
) -> FittedBlend:
    """Fit prior and learners to rows of `blend_columns`, without NaN, and their targets.

    `spelled` holds the words of the same texts. `weights` are the weights of the texts; all 1 if
    the texts count equally.
    """
    prior = fit_prior(rows[:, -len(BASE_OUTPUTS) :], targets, weights)
    errors = targets - prior.of(rows[:, -len(BASE_OUTPUTS) :])
    direct, corrections = (
        (fit_ridge(rows, learned, weights), fit_trees(rows, learned, weights, random_state))
        for learned in (targets, errors)
    )
    return FittedBlend(prior, direct, corrections, fit_spelling(spelled, targets, weights))


def fit_prior(outputs: Floats, targets: Floats, weights: Floats) -> Prior:
    """Fit a linear function of difficulty and level to targets, with slopes of 0 or more.

    >>> outputs = np.array([[10.0, 1.0], [20.0, 2.0], [30.0, 2.0]])
    >>> fit_prior(outputs, np.array([15.0, 25.0, 35.0]), np.ones(3))
    Prior(start=5.0, difficulty=1.0, level=0.0)
    """
    root = np.sqrt(weights)[:, None]
    best, least = Prior(float(np.average(targets, weights=weights)), 0.0, 0.0), np.inf
    # Of two slopes at most one can be at its bound unless both are, so four fits cover all cases.
    for columns in ((), (0,), (1,), (0, 1)):
        design = np.column_stack([np.ones(len(targets)), *(outputs[:, c] for c in columns)])
        solution = np.linalg.lstsq(design * root, targets * root[:, 0])[0]
        slopes = dict(zip(columns, solution[1:].tolist(), strict=True))
        loss = float(weights @ (targets - design @ solution) ** 2)
        if min(slopes.values(), default=0.0) >= 0 and loss < least - 1e-9:
            least = loss
            start = round(float(solution[0]), 9)
            best = Prior(start, *(round(slopes.get(c, 0.0), 9) for c in (0, 1)))
    return best


def _blocks(count: int) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, count, _ROWS))


def fit_ridge(rows: Floats, targets: Floats, weights: Floats) -> Prepared:
    """Fit a ridge regression; its penalty is chosen by leave-one-out cross-validation.

    Columns are scaled to unit variance. The Gram matrix of the columns is computed block by block,
    so memory does not grow with the number of texts.
    """
    total = float(weights.sum())
    blocks = list(_blocks(len(rows)))
    center = np.sum([weights[block] @ rows[block] for block in blocks], axis=0) / total
    squares = [weights[block] @ (rows[block] - center) ** 2 for block in blocks]
    scale = np.sqrt(np.sum(squares, axis=0) / total)
    scale = np.where(scale > 1e-6, scale, 1.0)  # rows may be float32
    mean = float(weights @ targets) / total

    def standardised(block: slice) -> Floats:
        return np.asarray(np.clip((rows[block] - center) / scale, -_CUT, _CUT))

    columns = rows.shape[1]
    products, moments = np.zeros((columns, columns)), np.zeros(columns)
    for block in blocks:
        values = standardised(block)
        weighted = values * weights[block, None]
        products += weighted.T @ values
        moments += weighted.T @ (targets[block] - mean)
    eigenvalues, vectors = np.linalg.eigh(products)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    # Coefficients of every penalty: (columns, penalties).
    shrunk = 1 / (eigenvalues[:, None] + _PENALTIES)
    coefficients = vectors @ (shrunk * (vectors.T @ moments)[:, None])
    losses = np.zeros(len(_PENALTIES))
    for block in blocks:
        values = standardised(block)
        leverage = (values @ vectors) ** 2 @ shrunk * weights[block, None] + (
            weights[block, None] / total
        )
        residuals = (targets[block] - mean)[:, None] - values @ coefficients
        losses += weights[block] @ (residuals / np.maximum(1 - leverage, 1e-6)) ** 2
    solution = coefficients[:, losses.argmin()]
    network = Network((solution[:, None],), (np.array([mean]),))
    return Prepared(center, center, scale, network, _CUT)


def fit_trees(rows: Floats, targets: Floats, weights: Floats, random_state: int) -> Predictor:
    """Fit boosted trees (XGBoost), and return them as plain arrays."""
    with needing("training the blend needs XGBoost", ".[train]"):
        import xgboost
    data = xgboost.DMatrix(np.asarray(rows, np.float32), targets, weight=weights)
    settings: dict[str, Any] = {
        **_TREES,
        "seed": random_state,
        "base_score": float(np.average(targets, weights=weights)),
    }
    return forest_of([xgboost.train(settings, data, _ROUNDS)])


@dataclass(frozen=True, slots=True)
class Mixture:
    """How a blend combines its learners: their weights, which sum to about 1, and the correction's
    share.
    """

    weights: Floats
    share: float

    def of(self, prior: Floats, distances: Floats) -> Floats:
        """Return the estimate for each text."""
        return np.asarray(prior + self.share * (distances @ self.weights))


@dataclass(frozen=True, slots=True)
class Proof:
    """Estimates of held-out texts by learners, from which the share of the correction is chosen.

    All arrays have one entry per text. The `prior` and the `distances` of the learners from it,
    (texts, learners), come from models that did not learn from the text. `targets` are the labels.
    Each text has a weight and the id of its group.
    """

    prior: Floats
    distances: Floats
    targets: Floats
    weights: Floats
    groups: NDArray[np.int64]
    fold: NDArray[np.int64]

    def where(self, chosen: NDArray[np.bool_]) -> Proof:
        """Select texts by a mask."""
        return Proof(*(getattr(self, name)[chosen] for name in self.__slots__))

    def mixture(self) -> Mixture:
        """The weights of the learners and the share to use.

        The share is chosen by the correction of each text with weights that were fitted to the
        other folds. The gain is the decrease of the squared error if the correction has its
        least-squares share. Its standard error is computed over groups. The least-squares share is
        multiplied by ``clip(gain / error - .5, 0, 1)``; so it is 0 without a clear gain.
        """
        residuals, weights = self.targets - self.prior, self.weights
        learners = _learner_weights(self.distances, residuals, weights)
        step = np.empty(len(residuals))
        for number in np.unique(self.fold):
            own = self.fold == number
            step[own] = self.distances[own] @ _learner_weights(
                self.distances[~own], residuals[~own], weights[~own]
            )
        denominator = float(weights @ step**2)
        if denominator <= 0:
            return Mixture(learners, 0.0)
        share = min(max(float(weights @ (step * residuals)) / denominator, 0.0), 1.0)
        gains = weights * (residuals**2 - (residuals - share * step) ** 2)
        by_group = np.bincount(np.unique(self.groups, return_inverse=True)[1], gains)
        error = float(np.std(by_group)) * np.sqrt(len(by_group))
        if error <= 0:
            return Mixture(learners, 0.0)
        proof = float(by_group.sum()) / error - _LEAST_GAIN
        return Mixture(learners, float(share * min(max(proof, 0.0), 1.0)))


def _learner_weights(distances: Floats, residuals: Floats, weights: Floats) -> Floats:
    """Return weights from 0 to 1 for the learners, fitted to residuals and pulled towards equal
    weights.
    """
    with needing("training the blend needs SciPy", ".[train]"):
        from scipy.optimize import lsq_linear
    count = distances.shape[1]
    root = np.sqrt(weights)[:, None]
    design = distances * root
    pull = np.sqrt(_PULL * (design**2).sum() / count)
    if pull <= 0:
        return np.full(count, 1 / count)
    solution = lsq_linear(
        np.concatenate([design, pull * np.eye(count)]),
        np.concatenate([residuals * root[:, 0], np.full(count, pull / count)]),
        (0.0, 1.0),
        method="bvls",
    ).x
    # Six digits, so that the last bits of a solver do not show.
    return np.asarray(np.clip(solution, 0.0, 1.0).round(6))


def prove(
    rows: Floats,
    spelled: SpelledTexts,
    targets: Floats,
    weights: Floats,
    groups: NDArray[np.int64],
    fold: NDArray[np.int64],
    random_state: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    chosen: Callable[[NDArray[np.bool_]], NDArray[np.bool_]] | None = None,
) -> Proof:
    """Estimate each text by a blend that was trained on the other folds.

    The outputs of each fold are shifted so that their mean over all texts is the same for each fold
    (`Alignment`). `chosen` may restrict the training texts: it maps a mask of the other folds to a
    smaller mask.
    """
    prior: Floats = np.empty(len(rows))
    parts: list[tuple[NDArray[np.bool_], Floats]] = []
    folds = int(fold.max()) + 1
    alignment = Alignment(targets, weights)
    reference = alignment.rows
    for number in range(folds):
        own = fold == number
        learned = ~own if chosen is None else chosen(~own)
        fitted = fit_blend(
            rows[learned], spelled.rows(learned), targets[learned], weights[learned], random_state
        )
        means, steps = fitted.outputs(rows[reference], spelled.rows(reference))
        prior[own], distances = fitted.outputs(rows[own], spelled.rows(own))
        prior[own] += alignment.shift(means)
        parts.append((own, distances - alignment.mean(steps)))
        progress(number + 1, folds)
    distances = np.empty((len(rows), parts[0][1].shape[1]))
    for own, part in parts:
        distances[own] = part
    return Proof(prior, distances, targets, weights, groups, fold)


def out_of_fold(proof: Proof) -> Floats:
    """Estimate each text by learners, weights and a share that were all learned on other folds."""
    estimates = np.empty(len(proof.fold))
    for number in range(int(proof.fold.max()) + 1):
        own = proof.fold == number
        mixture = proof.where(~own).mixture()
        estimates[own] = mixture.of(proof.prior[own], proof.distances[own])
    return estimates
