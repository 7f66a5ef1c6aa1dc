"""The estimators that models are trained with.

All are scikit-learn estimators that take numeric matrices; those that need it fill what is
missing with the median and scale columns to unit variance, as steps of one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

from understandability.errors import OptionError, check_known, needing


@dataclass(frozen=True, slots=True)
class EstimatorRow:
    """One estimator: `make` gives it unfitted from a random state.

    `classifies` tells classifiers from regressors; `on_counts` those that take term counts in
    place of dense columns; `parameters` are those of scikit-learn or XGBoost that can be set.
    """

    name: str
    classifies: bool
    make: Callable[[int], Any]
    parameters: tuple[str, ...] = ()
    on_counts: bool = False

    def made(self, random_state: int, parameters: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """The estimator, unfitted, with some parameters set; `OptionError` for one it has not.

        >>> estimator_row("svm-regressor").made(0, {"C": 3.0}).steps[-1]
        ('svr', SVR(C=3.0))
        """
        estimator = self.make(random_state)
        if wrong := [name for name in parameters if name not in self.parameters]:
            raise OptionError(
                f"{self.name} has no parameter {wrong[0]!r} to set; it has "
                f"{', '.join(self.parameters) or 'none'}"
            )
        # In a pipeline, a parameter of the last step has the step's name before its own.
        whole = {
            name.rpartition("__")[2]: name
            for name in estimator.get_params()
            if name.rpartition("__")[2] in parameters
        }
        return estimator.set_params(**{whole[name]: value for name, value in parameters.items()})


def _one_vs_rest() -> Any:
    with needing("this estimator needs scikit-learn", ".[train]"):
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.svm import SVC

    return OneVsRestClassifier(SVC())


def _make(random_state: int, where: str, steps: str, settings: Mapping[str, Any]) -> Any:
    """The estimator of a class, with its settings, seeded if it is, behind the `steps`."""
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

    # A column that is missing everywhere counts as 0, so that the columns stay what they are.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, *[StandardScaler()] * (steps == "scaled"), made)


_SEEDED = {"random_state": None}
# Leaves of 20 documents and trees of bounded depth keep a forest of 100 trees below 10 MB.
_FOREST = {"min_samples_leaf": 20, "max_depth": 20, **_SEEDED}
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
# Name, class, what comes before it, settings, parameters that can be set.
_ROWS: tuple[tuple[str, str, str, Mapping[str, Any], tuple[str, ...]], ...] = (
    ("linear-regressor", "sklearn.linear_model:LinearRegression", "scaled", {}, ()),
    ("gradient-boosting-regressor", "sklearn.ensemble:GradientBoostingRegressor", "filled",
     _SEEDED, _BOOSTED + _LEAVES),
    ("xgboost-regressor", "xgboost:XGBRegressor", "", _XGBOOST, (*_BOOSTED, "min_child_weight")),
    ("mlp-regressor", "sklearn.neural_network:MLPRegressor", "scaled", _MLP, _LAYERS),
    ("random-forest-regressor", "sklearn.ensemble:RandomForestRegressor", "filled", _FOREST,
     _GROWN + _LEAVES),
    ("svm-regressor", "sklearn.svm:SVR", "scaled", {}, ("C", "epsilon", "gamma")),
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


def estimator_row(name: str) -> EstimatorRow:
    """The row of an estimator; an error that names all where there is none of that name."""
    check_known("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]
