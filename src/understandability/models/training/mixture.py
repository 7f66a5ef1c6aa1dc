"""Training of `MixtureModel`, from columns and levels of judged texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.models.runtime.letters import Spelling
from understandability.models.runtime.mixture import ANY, MixtureModel, tree_inputs
from understandability.models.runtime.predictors import Kernel, Network, Prepared, standardised
from understandability.models.training.portable import forest_of

# Chosen on the folds of `scripts/evaluate/estimators.py`.
LANDMARKS = 700
_CUT = 4.0
_ANY_REACH = 0.05
_GATE_FREEDOM = 0.1
# What trees weigh in the estimate of a domain against its expert.
_SHARE, _ANY_SHARE = 0.5, 0.3
_TREES: dict[str, Any] = {
    "n_estimators": 300,
    "learning_rate": 0.033,
    "max_depth": 4,
    "subsample": 0.7,
    "colsample_bynode": 0.3,
    "min_child_weight": 8,
    "reg_lambda": 3,
    "n_jobs": 1,
}
_ANY_TREES = {**_TREES, "learning_rate": 0.066, "max_depth": 5}


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """JudgedTexts texts as numbers, one row each.

    `inputs` are those of `inputs_of`, `letters` how their words are spelled, `levels` their CEFR
    levels, `domains` the number of the domain each was judged in (the one behind the last: nobody
    judged it, its level is a guess), `groups` what must not be split between folds, `weights` how
    much each counts for the trees of any text, and `expert_weights` for all else.
    """

    inputs: Floats
    letters: Any
    levels: Floats
    domains: NDArray[np.int64]
    groups: NDArray[np.int64]
    weights: Floats
    expert_weights: Floats

    def __len__(self) -> int:
        return len(self.levels)

    def where(self, chosen: NDArray[np.bool_]) -> JudgedTexts:
        """Some of the rows."""
        return JudgedTexts(*(getattr(self, name)[chosen] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Domain:
    """What the estimate for texts of any kind weighs in a domain, and what letters do in its own.

    `letters` is their share of the variance of what its expert reads; short texts have too few.
    """

    common: float = 0.0
    letters: float = 0.0


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """The fold of each row; rows of one group are in one fold, groups are dealt out evenly.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)


def fit_mixture(
    judged: JudgedTexts,
    columns: Sequence[str],
    domains: Mapping[str, Domain],
    *,
    reach: float = 0.2,
    ridge: float = 0.3,
    random_state: int = 0,
    folds: int = 5,
) -> MixtureModel:
    """Fit experts, trees and gate; trees see estimates of texts that the experts were not fit on.

    Where there are texts that nobody judged, `ANY` is a domain too, the last. `reach` is the gamma
    of the experts' bells times the number of inputs, `ridge` what holds their weights small.
    """
    unjudged = judged.domains == len(domains)
    names = [*domains, ANY] if unjudged.any() else list(domains)
    fold = folds_of(judged.groups, folds, random_state)
    experts, worths, estimates = {}, [], []
    for number, domain in enumerate(names):
        own = ~unjudged if domain == ANY else judged.domains == number
        share = domains[domain].letters if domain in domains else 0.0
        far = _ANY_REACH if domain == ANY else reach
        fit = _Landmarks(judged, own, far, ridge, share, random_state)
        experts[domain], worth = fit.expert(own)
        worths.append(worth)
        left_out = np.empty(len(judged))
        for turn in range(folds):
            here = fold == turn
            expert, worth = fit.expert(own & ~here)
            left_out[here] = expert(judged.inputs[here])[:, 0] + judged.letters[here] @ worth
        estimates.append(left_out)
    gate = _gate(judged, len(names))
    rows = tree_inputs(gate.prepared(judged.inputs), np.column_stack(estimates))
    grown = []
    for number, domain in enumerate(names):
        if domain == ANY:
            grown.append(_grown(rows, judged.levels, judged.weights, _ANY_TREES, random_state))
        else:
            own = judged.domains == number
            weights = judged.expert_weights[own]
            grown.append(_grown(rows[own], judged.levels[own], weights, _TREES, random_state))
    shares = np.array([_ANY_SHARE if domain == ANY else _SHARE for domain in names])
    common = np.array([domains[domain].common if domain in domains else 0.0 for domain in names])
    worth = np.column_stack(worths).astype(np.float16).astype(np.float64)
    spelling = Spelling(worth, (judged.letters @ worth).mean(axis=0))
    return MixtureModel(tuple(columns), experts, spelling, gate, forest_of(grown), shares, common)


class _Landmarks:
    """Bells around texts of one domain, its letters, and the ridge regressions that stand on them.

    Letters that are rare there weigh more; all together they vary by `share` of what bells may.
    """

    def __init__(
        self,
        judged: JudgedTexts,
        own: NDArray[np.bool_],
        reach: float,
        ridge: float,
        share: float,
        random_state: int,
    ) -> None:
        self.judged, self.ridge = judged, ridge
        self.center, self.scale = _center_and_scale(judged.inputs[own])
        rows = standardised(judged.inputs[own], self.center, self.center, self.scale, _CUT)
        rng = np.random.default_rng(random_state)
        chosen = np.sort(rng.choice(len(rows), min(LANDMARKS, len(rows)), replace=False))
        # What goes into the bundle as float16 is used as such here.
        self.vectors = rows[chosen].astype(np.float16).astype(np.float64)
        self.gamma = reach / rows.shape[1]
        self.root = _inverse_root(_bells(self.vectors, self.vectors, self.gamma))
        self.letter_scale = np.zeros(judged.letters.shape[1])
        bells = _bells(rows, self.vectors, self.gamma) @ self.root
        if share:
            letters = judged.letters[own].toarray()
            frequent = (letters != 0).sum(axis=0)
            weight = np.where(frequent > 1, np.log(len(rows) / np.maximum(frequent, 1)), 0.0)
            self.letter_scale = weight * np.sqrt(share / (letters * weight).var(axis=0).sum())
            bells = np.hstack([bells, letters * self.letter_scale])
        self.own, self.features = np.flatnonzero(own), bells
        # With more features than texts the texts' products are what is quick to solve with.
        self.products = bells @ bells.T if bells.shape[1] > len(bells) else None

    def expert(self, used: NDArray[np.bool_]) -> tuple[Prepared, Floats]:
        """The ridge regression of the levels of `used` texts, and what their letters are worth."""
        here = np.flatnonzero(used[self.own])
        features, levels = self.features[here], self.judged.levels[self.own[here]]
        weight = self.judged.expert_weights[self.own[here]]
        share = weight / weight.sum()
        mean, level = share @ features, float(share @ levels)
        if self.products is None:
            centred = features - mean
            gram = (centred * weight[:, None]).T @ centred + self.ridge * np.eye(len(mean))
            solved = np.linalg.solve(gram, (centred * weight[:, None]).T @ (levels - level))
        else:
            products = self.products[np.ix_(here, here)]
            toward = products @ share
            products -= toward[:, None] + toward - share @ toward
            products[np.diag_indices(len(here))] += self.ridge / weight
            pulls = np.linalg.solve(products, levels - level)
            solved = features.T @ pulls - mean * pulls.sum()
        of_bells, of_letters = np.split(solved, [len(self.vectors)])
        bias = np.array([level - mean @ solved])
        kernel = Kernel(self.vectors, (self.root @ of_bells)[:, None], bias, self.gamma)
        worth = self.letter_scale * (of_letters if len(of_letters) else 0.0)
        return Prepared(self.center, self.center, self.scale, kernel, _CUT), worth


def _gate(judged: JudgedTexts, gates: int) -> Prepared:
    """Logistic regression of the domain, under which all domains are equally frequent."""
    from sklearn.linear_model import LogisticRegression

    center, scale = _center_and_scale(judged.inputs)
    inputs = judged.inputs.shape[1]
    weights, biases = np.zeros((inputs, gates)), np.zeros(gates)
    if gates > 1:
        fitted = LogisticRegression(C=_GATE_FREEDOM, max_iter=500, class_weight="balanced").fit(
            standardised(judged.inputs, center, center, scale, _CUT), judged.domains
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
