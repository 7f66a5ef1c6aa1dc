"""The estimators of published papers, by name: scikit-learn or XGBoost classes with settings.

All take numeric matrices. Where needed, a pipeline first fills missing values with the median and
scales columns to unit variance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

from understandability.arrays import Floats
from understandability.errors import OptionError, check_choice, needing


@dataclass(frozen=True, slots=True)
class EstimatorRow:
    """One published estimator. `make` returns an unfitted instance for a random state.

    `classifies` is True for classifiers. `on_counts` is True for estimators that read term counts
    instead of dense columns. `parameters` are the settable parameters of scikit-learn or XGBoost.
    """

    name: str
    classifies: bool
    make: Callable[[int], Any]
    parameters: tuple[str, ...] = ()
    on_counts: bool = False

    def unfitted(
        self,
        random_state: int,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        texts: int | None = None,
    ) -> Any:
        """Return an unfitted estimator with these parameters; raise `OptionError` for an unknown
        one.

        `texts` is the number of training texts. Forests get smaller leaves if there are few.

        >>> estimator_row("svm-classifier").unfitted(0, {"C": 3.0}).steps[-1][1].estimator
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
        # A pipeline prefixes the parameters of a step with the step's name.
        full_names = {
            name.rpartition("__")[2]: name
            for name in estimator.get_params()
            if name.rpartition("__")[2] in parameters
        }
        return estimator.set_params(
            **{full_names[name]: value for name, value in parameters.items()}
        )

    def fit(self, estimator: Any, rows: Floats, targets: Any, weights: Floats | None) -> Any:
        """Fit an estimator that `unfitted` returned, optionally with weights of the texts.

        Raises `OptionError` if the estimator does not accept weights.
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


def _make(random_state: int, class_name: str, steps: str, settings: Mapping[str, Any]) -> Any:
    """Return an unfitted estimator, preceded by steps that prepare the columns.

    `class_name` is ``module:class``. `steps` is empty, ``filled`` (missing values are replaced by
    the median), ``scaled`` (filled, and scaled to unit variance) or ``on_scaled_targets`` (scaled,
    and the targets are scaled, too).
    """
    module, _, name = class_name.partition(":")
    seeded = {"random_state": random_state} if "random_state" in settings else {}
    with needing(f"the estimator {name} needs scikit-learn or XGBoost", ".[train]"):
        estimator_class = getattr(import_module(module), name)
    estimator = estimator_class(**{**settings, **seeded})
    if not steps:
        return estimator
    with needing("this estimator needs scikit-learn", ".[train]"):
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

    if steps == "on_scaled_targets":
        # On targets from 0 to 100, a support vector machine with a penalty of 1 learns little.
        from sklearn.compose import TransformedTargetRegressor

        estimator = TransformedTargetRegressor(estimator, transformer=StandardScaler())
    # A column that is missing everywhere counts as 0, so that no column is dropped.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, *[StandardScaler()] * (steps != "filled"), estimator)


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
        partial(_make, class_name=class_name, steps=steps, settings=settings),
        parameters,
        on_counts=name.startswith("naive-bayes"),
    )
    for name, class_name, steps, settings, parameters in _ROWS
}

# Names of the estimators of `train`. The blend starts from `open`, the others learn from features.
TRAINABLE = ("blend", *(name for name, row in ESTIMATORS.items() if not row.on_counts))


def estimator_row(name: str) -> EstimatorRow:
    """Return the estimator with this name; raise `OptionError` for an unknown name."""
    check_choice("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]
