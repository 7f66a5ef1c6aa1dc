"""The estimators that models are trained with, and how a fitted one becomes a `Predictor`.

All are scikit-learn estimators that take numeric matrices; those that need it fill what is
missing with the median and scale columns to unit variance, as steps of one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from understandability.errors import OptionError
from understandability.estimation.boosting import Boosted
from understandability.estimation.predictors import (
    Forest,
    Kernel,
    Network,
    Predictor,
    Prepared,
)
from understandability.estimation.users import Floats


@dataclass(frozen=True, slots=True)
class EstimatorRow:
    """One estimator: `make` gives it unfitted from a random state.

    `classifies` tells classifiers from regressors; `on_counts` those that take term counts in
    place of dense columns.
    """

    name: str
    classifies: bool
    make: Callable[[int], Any]
    on_counts: bool = False


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


ESTIMATORS: Mapping[str, EstimatorRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            EstimatorRow("linear-regressor", False, _linear),
            EstimatorRow("gradient-boosting-regressor", False, _gradient_boosting),
            EstimatorRow("xgboost-regressor", False, _xgboost),
            EstimatorRow("mlp-regressor", False, _mlp),
            EstimatorRow("random-forest-regressor", False, _random_forest),
            EstimatorRow("svm-regressor", False, _svm),
            EstimatorRow("logistic-classifier", True, _logistic),
            EstimatorRow("gradient-boosting-classifier", True, _gradient_boosting_classifier),
            EstimatorRow("mlp-classifier", True, _mlp_classifier),
            EstimatorRow("random-forest-classifier", True, _random_forest_classifier),
            EstimatorRow("svm-classifier", True, _svm_classifier),
            EstimatorRow("naive-bayes-classifier", True, _naive_bayes, on_counts=True),
        )
    }
)


def estimator_row(name: str) -> EstimatorRow:
    """The row of an estimator; an error that names all where there is none of that name."""
    if name not in ESTIMATORS:
        raise OptionError(f"there is no estimator {name!r}; choose one of {', '.join(ESTIMATORS)}")
    return ESTIMATORS[name]


def portable(estimator: Any) -> Predictor:
    """A fitted estimator of this table as a `Predictor`, which gives the same numbers.

    >>> row = estimator_row("linear-regressor")
    >>> fitted = row.make(0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> portable(fitted)(np.array([[4.0]])).round(6)
    array([[9.]])
    """
    *preparing, last = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    predictor = _EXPORTS[type(last).__name__](last)
    if isinstance(predictor, Boosted) or not preparing:
        return predictor
    inputs = int(last.n_features_in_)
    fill, center, scale = np.zeros(inputs), np.zeros(inputs), np.ones(inputs)
    for step in preparing:
        if type(step).__name__ == "SimpleImputer":
            fill = np.asarray(step.statistics_, np.float64)
        else:
            center, scale = step.mean_, step.scale_
    return Prepared(fill, center, scale, predictor)


def _link_of(estimator: Any) -> str:
    """Of a classifier: what its last sums become, by its number of classes."""
    return "binary" if len(estimator.classes_) == 2 else "softmax"


def _export_linear(estimator: Any) -> Network:
    classifies = hasattr(estimator, "classes_")
    return Network(
        (np.atleast_2d(estimator.coef_).T,),
        (np.atleast_1d(estimator.intercept_),),
        _link_of(estimator) if classifies else "identity",
    )


def _export_network(estimator: Any) -> Network:
    classifies = hasattr(estimator, "classes_")
    return Network(
        tuple(estimator.coefs_),
        tuple(estimator.intercepts_),
        _link_of(estimator) if classifies else "identity",
    )


def _export_naive_bayes(estimator: Any) -> Network:
    return Network((estimator.feature_log_prob_.T,), (estimator.class_log_prior_,), "softmax")


def _export_svr(estimator: Any) -> Kernel:
    return Kernel(
        estimator.support_vectors_,
        estimator.dual_coef_.T,
        estimator.intercept_,
        float(estimator._gamma),
    )


def _export_one_vs_rest(estimator: Any) -> Kernel:
    """One machine a class, joined: each has weights for its own support vectors only."""
    machines = estimator.estimators_
    columns = [np.zeros((len(machine.support_vectors_), len(machines))) for machine in machines]
    for number, machine in enumerate(machines):
        columns[number][:, number] = machine.dual_coef_[0]
    weights = np.concatenate(columns)
    biases = np.array([machine.intercept_[0] for machine in machines])
    vectors = np.concatenate([machine.support_vectors_ for machine in machines])
    link = "one_vs_rest"
    if len(machines) == 1:
        link = "binary"
    return Kernel(vectors, weights, biases, float(machines[0]._gamma), link)


def _export_forest(estimator: Any) -> Forest:
    trees = [tree.tree_ for tree in estimator.estimators_]
    if hasattr(estimator, "classes_"):
        values = [tree.value[:, 0, :] / tree.value[:, 0, :].sum(1, keepdims=True) for tree in trees]
    else:
        values = [tree.value[:, 0, :] for tree in trees]
    share = [each / len(trees) for each in values]
    return _forest(trees, share, np.zeros(share[0].shape[1]), estimator.n_features_in_, "identity")


def _export_boosting(estimator: Any) -> Forest:
    stages = estimator.estimators_  # (rounds, outputs)
    outputs = stages.shape[1]
    trees, values = [], []
    for stage in stages:
        for output, tree in enumerate(stage):
            value = np.zeros((tree.tree_.node_count, outputs))
            value[:, output] = estimator.learning_rate * tree.tree_.value[:, 0, 0]
            trees.append(tree.tree_)
            values.append(value)
    start = estimator._raw_predict_init(np.zeros((1, estimator.n_features_in_)))[0]
    classifies = hasattr(estimator, "classes_")
    return _forest(
        trees,
        values,
        start,
        estimator.n_features_in_,
        _link_of(estimator) if classifies else "identity",
    )


def _forest(
    trees: list[Any], values: list[Floats], start: Floats, inputs: int, link: str
) -> Forest:
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    leaf = np.concatenate([tree.children_left < 0 for tree in trees])
    own = np.arange(sizes.sum())

    def joined(name: str) -> Any:
        parts = [getattr(tree, name) for tree in trees]
        return np.concatenate(parts)

    def children(name: str) -> Any:
        return np.where(leaf, own, joined(name) + np.repeat(roots, sizes)).astype(np.int32)

    return Forest(
        roots.astype(np.int32),
        children("children_left"),
        children("children_right"),
        np.where(leaf, 0, joined("feature")).astype(np.int32),
        np.where(leaf, 0.0, joined("threshold")),
        np.concatenate(values),
        np.asarray(start, np.float64),
        int(inputs),
        link,
    )


def _export_xgboost(estimator: Any) -> Boosted:
    return Boosted(estimator.get_booster(), int(estimator.n_features_in_))


# By the name of the class, so that naming them imports nothing.
_EXPORTS: Mapping[str, Callable[[Any], Network | Kernel | Forest | Boosted]] = MappingProxyType(
    {
        "LinearRegression": _export_linear,
        "LogisticRegression": _export_linear,
        "MLPRegressor": _export_network,
        "MLPClassifier": _export_network,
        "MultinomialNB": _export_naive_bayes,
        "SVR": _export_svr,
        "OneVsRestClassifier": _export_one_vs_rest,
        "RandomForestRegressor": _export_forest,
        "RandomForestClassifier": _export_forest,
        "GradientBoostingRegressor": _export_boosting,
        "GradientBoostingClassifier": _export_boosting,
        "XGBRegressor": _export_xgboost,
    }
)
