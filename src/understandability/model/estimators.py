"""The estimators that models are trained with.

All are scikit-learn estimators that take numeric matrices; those that need it fill what is
missing with the median and scale columns to unit variance, as steps of one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from understandability.errors import OptionError


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


def _scaled(estimator: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # A column that is missing everywhere counts as 0, so that the columns stay what they are.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, StandardScaler(), estimator)


def _filled(estimator: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), estimator)


def _linear(random_state: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return _scaled(LinearRegression())


def _gradient_boosting(random_state: int) -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return _filled(GradientBoostingRegressor(random_state=random_state))


def _xgboost(random_state: int) -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(
        n_estimators=300,
        learning_rate=0.05,
        max_depth=5,
        min_child_weight=5,
        subsample=0.7,
        colsample_bynode=0.5,
        n_jobs=1,
        random_state=random_state,
    )


def _mlp(random_state: int) -> Any:
    from sklearn.neural_network import MLPRegressor

    return _scaled(MLPRegressor(early_stopping=True, max_iter=1000, random_state=random_state))


# Leaves of 20 documents and trees of bounded depth keep a forest of 100 trees below 10 MB.
_FOREST = {"min_samples_leaf": 20, "max_depth": 20}


def _random_forest(random_state: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return _filled(RandomForestRegressor(**_FOREST, random_state=random_state))


def _svm(random_state: int) -> Any:
    from sklearn.svm import SVR

    return _scaled(SVR())


def _logistic(random_state: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _scaled(LogisticRegression(max_iter=1000))


def _gradient_boosting_classifier(random_state: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return _filled(GradientBoostingClassifier(random_state=random_state))


def _mlp_classifier(random_state: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return _scaled(MLPClassifier(early_stopping=True, max_iter=1000, random_state=random_state))


def _random_forest_classifier(random_state: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _filled(RandomForestClassifier(**_FOREST, random_state=random_state))


def _svm_classifier(random_state: int) -> Any:
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    return _scaled(OneVsRestClassifier(SVC()))


def _naive_bayes(random_state: int) -> Any:
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


_GROWN = ("n_estimators", "max_depth")
_BOOSTED = (*_GROWN, "learning_rate", "subsample")
_NETWORK = ("hidden_layer_sizes", "alpha", "learning_rate_init")

ESTIMATORS: Mapping[str, EstimatorRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            EstimatorRow("linear-regressor", False, _linear),
            EstimatorRow(
                "gradient-boosting-regressor",
                False,
                _gradient_boosting,
                (*_BOOSTED, "min_samples_leaf"),
            ),
            EstimatorRow("xgboost-regressor", False, _xgboost, (*_BOOSTED, "min_child_weight")),
            EstimatorRow("mlp-regressor", False, _mlp, _NETWORK),
            EstimatorRow(
                "random-forest-regressor", False, _random_forest, (*_GROWN, "min_samples_leaf")
            ),
            EstimatorRow("svm-regressor", False, _svm, ("C", "epsilon", "gamma")),
            EstimatorRow("logistic-classifier", True, _logistic, ("C",)),
            EstimatorRow(
                "gradient-boosting-classifier",
                True,
                _gradient_boosting_classifier,
                (*_BOOSTED, "min_samples_leaf"),
            ),
            EstimatorRow("mlp-classifier", True, _mlp_classifier, _NETWORK),
            EstimatorRow(
                "random-forest-classifier",
                True,
                _random_forest_classifier,
                (*_GROWN, "min_samples_leaf"),
            ),
            EstimatorRow("svm-classifier", True, _svm_classifier, ("C", "gamma")),
            EstimatorRow("naive-bayes-classifier", True, _naive_bayes, ("alpha",), on_counts=True),
        )
    }
)


def estimator_row(name: str) -> EstimatorRow:
    """The row of an estimator; an error that names all where there is none of that name."""
    if name not in ESTIMATORS:
        raise OptionError(f"there is no estimator {name!r}; choose one of {', '.join(ESTIMATORS)}")
    return ESTIMATORS[name]
