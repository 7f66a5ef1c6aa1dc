"""The published estimators, by name: scikit-learn and XGBoost, with their settings.

All take numeric matrices. Where needed, missing values are filled with the median and columns are
scaled to unit variance, as steps of one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

from understandability.arrays import Floats
from understandability.errors import OptionError, check_known, needing


@dataclass(frozen=True, slots=True)
class EstimatorRow:
    """One estimator: `make` returns it unfitted, given a random state.

    `classifies` is true for classifiers; `on_counts` for estimators of term counts instead of dense
    columns; `parameters` are those of scikit-learn or XGBoost that can be set.
    """

    name: str
    classifies: bool
    make: Callable[[int], Any]
    parameters: tuple[str, ...] = ()
    on_counts: bool = False

    def made(
        self,
        random_state: int,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        texts: int | None = None,
    ) -> Any:
        """The unfitted estimator with some parameters set; `OptionError` for an unknown one.

        `texts` is the number of texts to learn from; leaves of forests are smaller if they are few.

        >>> estimator_row("svm-classifier").made(0, {"C": 3.0}).steps[-1][1].estimator
        SVC(C=3.0)
        """
        estimator = self.make(random_state)
        if wrong := [name for name in parameters if name not in self.parameters]:
            raise OptionError(
                f"{self.name} has no parameter {wrong[0]!r} to set; it has "
                f"{', '.join(self.parameters) or 'none'}"
            )
        if texts is not None and self.name.startswith("random-forest"):
            # A forest whose leaves hold 20 of 50 texts estimates the same for all of them.
            leaf = min(_FOREST["min_samples_leaf"], max(1, texts // 20))
            parameters = {"min_samples_leaf": leaf, **parameters}
        # In a pipeline, a parameter of the last step has the step's name before its own.
        whole = {
            name.rpartition("__")[2]: name
            for name in estimator.get_params()
            if name.rpartition("__")[2] in parameters
        }
        return estimator.set_params(**{whole[name]: value for name, value in parameters.items()})

    def fit(self, estimator: Any, rows: Floats, targets: Any, weights: Floats | None) -> Any:
        """Fit an estimator of this row, with weights of the texts if any are given.

        Raises `OptionError` for weights where the estimator takes none.
        """
        if weights is None:
            return estimator.fit(rows, targets)
        try:
            steps = getattr(estimator, "steps", None)
            name = f"{steps[-1][0]}__sample_weight" if steps else "sample_weight"
            return estimator.fit(rows, targets, **{name: weights})
        except TypeError as error:
            raise OptionError(
                f"{self.name} takes no weights of texts; choose another estimator, or leave out "
                "--weight-column (weight=)"
            ) from error


def _one_vs_rest() -> Any:
    with needing("this estimator needs scikit-learn", ".[train]"):
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.svm import SVC

    return OneVsRestClassifier(SVC())


def _make(random_state: int, where: str, steps: str, settings: Mapping[str, Any]) -> Any:
    """An unfitted estimator of a class with settings and seed, after steps that prepare columns.

    `steps` is empty, ``filled`` (missing values by the median) or ``scaled`` (and unit variance);
    ``on_scaled_targets`` also learns targets of unit variance.
    """
    module, _, name = where.partition(":")
    seeded = {"random_state": random_state} if "random_state" in settings else {}
    with needing(f"the estimator {name} needs scikit-learn or XGBoost", ".[train]"):
        estimator_class = getattr(import_module(module), name)
    made = estimator_class(**{**settings, **seeded})
    if not steps:
        return made
    with needing("this estimator needs scikit-learn", ".[train]"):
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

    if steps == "on_scaled_targets":
        # With targets of 0 to 100, a penalty of 1 lets a support vector machine learn little.
        from sklearn.compose import TransformedTargetRegressor

        made = TransformedTargetRegressor(made, transformer=StandardScaler())
    # A column that is missing everywhere counts as 0, so that no column is dropped.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, *[StandardScaler()] * (steps != "filled"), made)


_SEEDED = {"random_state": None}
# Leaves of 20 documents and trees of bounded depth keep a forest of 100 trees below 10 MB.
_FOREST: dict[str, Any] = {"min_samples_leaf": 20, "max_depth": 20, **_SEEDED}
_MLP = {"early_stopping": True, "max_iter": 1000, **_SEEDED}
_XGBOOST = {
    "n_estimators": 300,
    "learning_rate": 0.05,
    "max_depth": 5,
    "min_child_weight": 5,
    "subsample": 0.7,
    "colsample_bynode": 0.5,
    "n_jobs": 1,
    **_SEEDED,
}
_GROWN = ("n_estimators", "max_depth")
_BOOSTED = (*_GROWN, "learning_rate", "subsample")
_LEAVES = ("min_samples_leaf",)
_LAYERS = ("hidden_layer_sizes", "alpha", "learning_rate_init")
# Name, class, preparation (see `_make`), settings, parameters that can be set.
_ROWS: tuple[tuple[str, str, str, Mapping[str, Any], tuple[str, ...]], ...] = (
    ("linear-regressor", "sklearn.linear_model:LinearRegression", "scaled", {}, ()),
    ("gradient-boosting-regressor", "sklearn.ensemble:GradientBoostingRegressor", "filled",
     _SEEDED, _BOOSTED + _LEAVES),
    ("xgboost-regressor", "xgboost:XGBRegressor", "", _XGBOOST, (*_BOOSTED, "min_child_weight")),
    ("mlp-regressor", "sklearn.neural_network:MLPRegressor", "on_scaled_targets", _MLP, _LAYERS),
    ("random-forest-regressor", "sklearn.ensemble:RandomForestRegressor", "filled", _FOREST,
     _GROWN + _LEAVES),
    ("svm-regressor", "sklearn.svm:SVR", "on_scaled_targets", {}, ("C", "epsilon", "gamma")),
    ("logistic-classifier", "sklearn.linear_model:LogisticRegression", "scaled",
     {"max_iter": 1000}, ("C",)),
    ("gradient-boosting-classifier", "sklearn.ensemble:GradientBoostingClassifier", "filled",
     _SEEDED, _BOOSTED + _LEAVES),
    ("mlp-classifier", "sklearn.neural_network:MLPClassifier", "scaled", _MLP, _LAYERS),
    ("random-forest-classifier", "sklearn.ensemble:RandomForestClassifier", "filled", _FOREST,
     _GROWN + _LEAVES),
    ("svm-classifier", f"{__name__}:_one_vs_rest", "scaled", {}, ("C", "gamma")),
    ("naive-bayes-classifier", "sklearn.naive_bayes:MultinomialNB", "", {}, ("alpha",)),
)  # fmt: skip
ESTIMATORS: Mapping[str, EstimatorRow] = {
    name: EstimatorRow(
        name,
        name.endswith("-classifier"),
        partial(_make, where=where, steps=steps, settings=settings),
        parameters,
        on_counts=name.startswith("naive-bayes"),
    )
    for name, where, steps, settings, parameters in _ROWS
}


# The names of `train`'s estimators: the blend starts from `open`, the others learn from features.
TRAINABLE = ("blend", *(name for name, row in ESTIMATORS.items() if not row.on_counts))


def estimator_row(name: str) -> EstimatorRow:
    """The row of an estimator; `OptionError` for an unknown name."""
    check_known("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]
