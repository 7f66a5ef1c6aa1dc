"""Convert fitted estimators of scikit-learn or XGBoost to plain arrays (`Predictor`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError
from understandability.feature.catalogue import check_columns
from understandability.model.background import expected_label
from understandability.model.bundle import Bundle
from understandability.model.calibration import EASIEST, HARDEST, calibrate_by_line
from understandability.model.estimators import estimator_row
from understandability.model.feature_model import JudgedModel, check_backgrounds
from understandability.model.predictors import (
    LEAF,
    Combined,
    Forest,
    Kernel,
    Network,
    Predictor,
    Prepared,
)
from understandability.training.validation import agreement, rounded
from understandability.wording import counted


def portable(estimator: Any) -> Predictor:
    """Convert a fitted estimator of `ESTIMATORS`, or a similar one, to a `Predictor`.

    Predictions stay the same. A pipeline may fill missing values (`SimpleImputer`), shift and scale
    columns (`StandardScaler`, `MinMaxScaler`, `RobustScaler`) and select some (`SelectKBest`);
    before a linear model or a network it may also rotate them (`PCA`). The last step may be an
    estimator whose class is in `KEPT`, a `DifficultyRegressor` or `DifficultyClassifier`, one of
    these with transformed targets (`TransformedTargetRegressor`), or a combination of several
    (`VotingRegressor`, `VotingClassifier`, `StackingRegressor`, `StackingClassifier`). For a search
    such as `GridSearchCV`, the best estimator is converted. Raises `OptionError` for any other
    estimator; the message lists the supported classes.

    >>> from sklearn.linear_model import LinearRegression
    >>> portable(LinearRegression().fit([[0], [1], [2]], [1, 3, 5]))(np.array([[4.0]])).round(6)
    array([[9.]])
    """
    *preparing, last = _steps(estimator)
    make, _ = _converter(last)
    predictor = make(last)
    same_columns: list[Any] = []  # steps right before the predictor that keep the columns
    for step in reversed(preparing):
        if _changes_columns(step):
            predictor = _of_more_columns(step, _after(same_columns, predictor))
            same_columns = []
        else:
            same_columns.insert(0, step)
    return _after(same_columns, predictor)


def _changes_columns(step: Any) -> bool:
    return hasattr(step, "get_support") or type(step).__name__ == "PCA"


def _of_more_columns(step: Any, predictor: Predictor) -> Predictor:
    """Rewrite a predictor to accept the columns that precede a selecting or rotating step."""
    selects = hasattr(step, "get_support")
    if selects:
        matrix = np.eye(len(step.get_support()))[:, step.get_support()]
        offset = np.zeros(matrix.shape[1])
    else:
        matrix = step.components_.T / (np.sqrt(step.explained_variance_) if step.whiten else 1.0)
        offset = -step.mean_ @ matrix
    if isinstance(predictor, Network):
        first, bias = predictor.weights[0], predictor.biases[0]
        return replace(
            predictor,
            weights=(matrix @ first, *predictor.weights[1:]),
            biases=(bias + offset @ first, *predictor.biases[1:]),
        )
    if isinstance(predictor, Forest) and selects:
        columns = np.append(np.flatnonzero(step.get_support()), LEAF)  # index -1 is a leaf
        return replace(predictor, feature=columns[predictor.feature], inputs=len(matrix))
    if isinstance(predictor, Prepared) and selects:
        inner = _of_more_columns(step, predictor.predictor)
        assert isinstance(inner, Network | Forest)
        others = 1.0 - matrix.sum(axis=1)
        return replace(
            predictor,
            fill=matrix @ predictor.fill,
            center=matrix @ predictor.center,
            scale=matrix @ predictor.scale + others,
            predictor=inner,
        )
    raise OptionError(_cannot(step))


def _after(preparing: Sequence[Any], predictor: Predictor) -> Predictor:
    """Combine a predictor with preceding steps that fill, shift and scale columns."""
    if not preparing:
        return predictor
    fill, center, scale = _prepared(preparing, predictor.inputs)
    if isinstance(predictor, Combined):
        final = predictor.final
        if predictor.passthrough:
            raise OptionError(
                "a bundle cannot keep a StackingRegressor or StackingClassifier with "
                "passthrough=True after other steps; put these steps inside its estimators"
            )
        members = tuple(_after(preparing, member) for member in predictor.members)
        return Combined(members, predictor.chosen, final)
    if isinstance(predictor, Prepared):  # a learner of this package, with steps of its own
        fill = np.where(np.isnan(fill), center + scale * predictor.fill, fill)
        center, scale = center + scale * predictor.center, scale * predictor.scale
        predictor = predictor.predictor
    assert isinstance(predictor, Network | Kernel | Forest)
    return Prepared(np.where(np.isnan(fill), 0.0, fill), center, scale, predictor)


def bundle_of(
    pipeline: Any,
    columns: Sequence[str],
    inputs: ArrayLike,
    labels: ArrayLike,
    name: str,
    licence: str,
    card: Mapping[str, Any],
) -> Bundle:
    """Convert a fitted scikit-learn pipeline to a bundle; see `Bundle.from_sklearn`."""
    try:
        rows, difficulties = np.asarray(inputs, np.float64), np.asarray(labels, np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(
            "a bundle is made from a pipeline that reads columns, with inputs as rows of "
            "numbers, one per named column, and numbers as labels, not from one that reads "
            "texts; fit it without the FeatureTransformer, on its output: "
            "FeatureTransformer(columns).fit_transform(texts)"
        ) from error
    named = check_columns(list(columns))
    check_backgrounds(named, ())
    predictor = portable(pipeline)
    _, estimator = _converter(_steps(pipeline)[-1])
    if rows.ndim != 2 or rows.shape[1] != len(named) or predictor.inputs != len(named):
        raise OptionError(
            f"the pipeline takes {predictor.inputs} columns, {len(named)} are named, and the "
            f"inputs have the shape {rows.shape}; they must agree"
        )
    if difficulties.shape != (len(rows),) or not bool(
        ((difficulties >= EASIEST) & (difficulties <= HARDEST)).all()
    ):
        raise OptionError("there must be a label for each row of inputs, from 0 to 100")
    classes: tuple[float, ...] = ()
    if estimator_row(estimator).classifies:
        try:
            classes = tuple(float(label) for label in pipeline.classes_)
        except ValueError as error:
            raise OptionError(
                "the classes of the pipeline must be numbers: difficulties from 0 to 100"
            ) from error
    outputs = predictor(rows)
    expected = np.asarray(pipeline.predict_proba(rows) if classes else pipeline.predict(rows))
    if not np.allclose(outputs, expected.reshape(outputs.shape), rtol=1e-4, atol=1e-4):
        raise OptionError(
            f"a bundle cannot reproduce this {type(pipeline).__name__}: plain arrays cannot "
            "hold one of its settings (a kernel, an activation, a loss, missing values in "
            "trees)"
        )
    raw = expected_label(outputs, classes)
    held_out = agreement(name, raw, difficulties)
    entries = {
        "set": "held-out texts given to from_sklearn", "score": name, "n": held_out.scored,
        **held_out.values,
        **{
            f"{measure}_{end}": value
            for measure, ends in held_out.intervals.items()
            for end, value in zip(("low", "high"), ends, strict=True)
        },
    }  # fmt: skip
    model = JudgedModel(estimator, named, predictor, means(rows), classes)
    summary = f"{type(pipeline).__name__} of scikit-learn on {counted(len(named), 'feature')}."
    return Bundle(
        name,
        licence,
        model,
        calibrate_by_line(raw, difficulties).on_own_scale(),
        {
            "summary": summary,
            "figures": [rounded(entries)],
            "figures_note": "Agreement with the labels of the held-out texts, from which the map "
            "to difficulty is taken too; 95 % intervals by resampling texts.",
            **card,
        },
    )


def means(rows: Floats) -> tuple[float, ...]:
    """Return the mean of the values in each column; 0 for a column without values."""
    has_value = np.isfinite(rows)
    sums = np.where(has_value, rows, 0).sum(axis=0, dtype=np.float64)
    return tuple((sums / np.maximum(has_value.sum(axis=0), 1)).tolist())


def _converter(last: Any) -> tuple[Callable[[Any], Predictor], str]:
    """Return the function that converts the last step of a pipeline, and the step's name in
    `ESTIMATORS`.
    """
    if hasattr(last, "predictor_"):
        return attrgetter("predictor_"), last.name
    name = type(last).__name__
    if name == "TransformedTargetRegressor":
        return _export_transformed, _converter(_steps(last.regressor_)[-1])[1]
    if name in _COMBINED:
        return _COMBINED[name], "logistic-classifier" if _classifies(last) else "linear-regressor"
    if name not in KEPT:
        raise OptionError(_cannot(last))
    return KEPT[name]


def _classifies(estimator: Any) -> bool:
    return hasattr(estimator, "classes_")


def _steps(estimator: Any) -> list[Any]:
    """Return the steps of a pipeline, or of the best pipeline of a search."""
    best = getattr(estimator, "best_estimator_", estimator)
    steps = [step for _, step in getattr(best, "steps", [("", best)])]
    return [step for step in steps if step not in (None, "passthrough")]


def _cannot(step: Any) -> str:
    here = " there" if _changes_columns(step) else ""
    return (
        f"a bundle cannot keep {type(step).__name__}{here}; it keeps pipelines of SimpleImputer, "
        f"{', '.join(_SCALERS)} and one of {', '.join(KEPT)}, DifficultyRegressor, "
        f"DifficultyClassifier, TransformedTargetRegressor or {', '.join(_COMBINED)}; right before "
        "linear models and networks, selections and PCA, right before trees, selections"
    )


# The center that a fitted scaler subtracts, and the scale that it divides by.
_SCALERS: Mapping[str, Callable[[Any], tuple[Any, Any]]] = {
    "StandardScaler": lambda step: (step.mean_ if step.with_mean else None, step.scale_),
    "RobustScaler": lambda step: (step.center_, step.scale_),
    "MinMaxScaler": lambda step: (-step.min_ / step.scale_, 1 / step.scale_),
}


def _prepared(steps: Sequence[Any], inputs: int) -> tuple[Floats, Floats, Floats]:
    """Combine the preparing steps into three arrays with one entry per column: fill, center, scale.

    A fill of NaN means that missing values are not filled.
    """
    fill, center, scale = np.full(inputs, np.nan), np.zeros(inputs), np.ones(inputs)
    for step in steps:
        name = type(step).__name__
        if name == "SimpleImputer":
            # Convert the fill value, which is on the scale after scaling, to the scale before it.
            unscaled = center + scale * _of_columns(step.statistics_, inputs, step)
            fill = np.where(np.isnan(fill), unscaled, fill)
        elif name in _SCALERS:
            off, by = _SCALERS[name](step)
            center = center + scale * (0.0 if off is None else _of_columns(off, inputs, step))
            scale = scale * (1.0 if by is None else _of_columns(by, inputs, step))
        else:
            raise OptionError(_cannot(step))
    return fill, center, scale


def _of_columns(values: Any, inputs: int, step: Any) -> Floats:
    """Return one number per column of a step; `OptionError` if the step drops or adds columns."""
    numbers = np.asarray(values, np.float64)
    if numbers.shape != (inputs,) or getattr(step, "add_indicator", False):
        raise OptionError(
            f"a bundle cannot keep a {type(step).__name__} that drops or adds columns; remove "
            "columns without values first, or set keep_empty_features=True"
        )
    return numbers


def _link_of(estimator: Any) -> str:
    """Return the name of a classifier's link function, which depends on its number of classes."""
    if not hasattr(estimator, "classes_"):
        return "identity"
    return "binary" if len(estimator.classes_) == 2 else "softmax"


def _export_linear(estimator: Any) -> Network:
    weights, biases = np.atleast_2d(estimator.coef_).T, np.atleast_1d(estimator.intercept_)
    return Network((weights,), (biases,), _link_of(estimator))


def _export_network(estimator: Any) -> Network:
    return Network(tuple(estimator.coefs_), tuple(estimator.intercepts_), _link_of(estimator))


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
    """Convert a one-vs-rest classifier: join the support vector machines of all classes.

    Each machine has weights for its own support vectors only.
    """
    machines = estimator.estimators_
    columns = [np.zeros((len(machine.support_vectors_), len(machines))) for machine in machines]
    for number, machine in enumerate(machines):
        columns[number][:, number] = machine.dual_coef_[0]
    weights = np.concatenate(columns)
    biases = np.array([machine.intercept_[0] for machine in machines])
    vectors = np.concatenate([machine.support_vectors_ for machine in machines])
    link = "one_vs_rest" if len(machines) > 1 else "binary"
    return Kernel(vectors, weights, biases, float(machines[0]._gamma), link)


class _Tree(NamedTuple):
    """One decision tree. The root is the first node; `values` has the shape (nodes, outputs)."""

    left: NDArray[Any]  # -1 at leaves
    right: NDArray[Any]
    feature: NDArray[Any]
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    values: Floats


def _export_forest(estimator: Any) -> Forest:
    trees = [tree.tree_ for tree in estimator.estimators_]
    values = [tree.value[:, 0, :] for tree in trees]
    if hasattr(estimator, "classes_"):
        values = [value / value.sum(axis=1, keepdims=True) for value in values]
    grown = [_tree_of(tree, value / len(trees)) for tree, value in zip(trees, values, strict=True)]
    return _forest(grown, np.zeros(values[0].shape[1]), estimator.n_features_in_)


def _export_boosting(estimator: Any) -> Forest:
    stages = estimator.estimators_  # (rounds, outputs)
    outputs = np.eye(stages.shape[1])
    grown = [
        _tree_of(tree.tree_, estimator.learning_rate * tree.tree_.value[:, 0] * output)
        for stage in stages
        for tree, output in zip(stage, outputs, strict=True)
    ]
    start = estimator._raw_predict_init(np.zeros((1, estimator.n_features_in_)))[0]
    return _forest(grown, start, estimator.n_features_in_, _link_of(estimator))


def _tree_of(tree: Any, values: Floats) -> _Tree:
    missing_left = np.zeros(len(values), np.bool_)  # missing values were filled already
    below = _at_most(tree.threshold)
    return _Tree(tree.children_left, tree.children_right, tree.feature, below, missing_left, values)


def _at_most(threshold: Floats) -> NDArray[np.float32]:
    """Round thresholds down to float32, so that comparisons with float32 values do not change."""
    below = threshold.astype(np.float32)
    return np.where(below > threshold, np.nextafter(below, np.float32(-np.inf)), below)


def _export_histograms(estimator: Any) -> Forest:
    grown = [
        _Tree(
            np.where(nodes["is_leaf"], -1, nodes["left"].astype(np.intp)),
            nodes["right"].astype(np.intp),
            nodes["feature_idx"],
            _at_most(nodes["num_threshold"]),
            nodes["missing_go_to_left"].astype(np.bool_),
            nodes["value"][:, None] * output,
        )
        for stage in estimator._predictors
        for nodes, output in zip((tree.nodes for tree in stage), np.eye(len(stage)), strict=True)
    ]
    start = estimator._baseline_prediction.ravel()
    return _forest(grown, start, estimator.n_features_in_, _link_of(estimator))


def forest_of(boosters: Sequence[Any]) -> Forest:
    """Convert XGBoost models over the same features, each with one output, to one forest.

    Output ``k`` is the prediction of model ``k``. XGBoost sums in float32, a forest in float64.
    """
    trees, starts = [], []
    for booster, output in zip(boosters, np.eye(len(boosters)), strict=True):
        learner = json.loads(booster.save_raw("json"))["learner"]
        parameters = learner["learner_model_param"]
        starts.append(float(parameters["base_score"].strip("[]")))
        for tree in learner["gradient_booster"]["model"]["trees"]:
            # At a leaf, `split_conditions` holds the value. Elsewhere a row goes left if its value
            # is below the condition; a `Forest` goes left at equality too, so round down.
            condition = np.array(tree["split_conditions"], np.float32)
            trees.append(
                _Tree(
                    np.array(tree["left_children"]),
                    np.array(tree["right_children"]),
                    np.array(tree["split_indices"]),
                    np.nextafter(condition, np.float32(-np.inf)),
                    np.array(tree["default_left"], np.bool_),
                    condition[:, None].astype(np.float64) * output,
                )
            )
    return _forest(trees, np.array(starts), int(parameters["num_feature"]))


def _forest(trees: Sequence[_Tree], start: Floats, inputs: int, link: str = "identity") -> Forest:
    """Join trees into one `Forest`; the nodes of each tree are stored level by level."""
    orders = [_by_level(tree) for tree in trees]

    def joined(name: str) -> NDArray[Any]:
        parts = zip(trees, orders, strict=True)
        return np.concatenate([getattr(tree, name)[order] for tree, order in parts])

    leaf = joined("left") < 0
    sizes = np.array([len(order) for order in orders])
    return Forest(
        np.cumsum(sizes) - sizes,
        np.where(leaf, LEAF, joined("feature")).astype(np.intp),
        np.where(leaf, 0, joined("threshold")).astype(np.float32),
        joined("missing_left") & ~leaf,
        np.where(leaf[:, None], joined("values"), 0),
        np.asarray(start, np.float64),
        int(inputs),
        link,
    )


def _by_level(tree: _Tree) -> NDArray[Any]:
    level = np.zeros(1, np.intp)
    levels = []
    while len(level):
        levels.append(level)
        inner = level[tree.left[level] >= 0]
        level = np.stack([tree.left[inner], tree.right[inner]], axis=1).ravel()
    return np.concatenate(levels)


def _scaled_outputs(predictor: Predictor, scale: float, offset: float) -> Predictor:
    """Return a predictor with the outputs ``scale * output + offset``."""
    if isinstance(predictor, Combined):
        final = _scaled_outputs(predictor.final, scale, offset)
        assert isinstance(final, Network | Kernel | Forest | Prepared)
        return replace(predictor, final=final)
    if isinstance(predictor, Prepared):
        inner = _scaled_outputs(predictor.predictor, scale, offset)
        assert isinstance(inner, Network | Kernel | Forest)
        return replace(predictor, predictor=inner)
    assert isinstance(predictor, Network | Kernel | Forest)
    assert predictor.link == "identity"
    if isinstance(predictor, Network):
        *before, last = predictor.weights
        *biases, bias = predictor.biases
        return replace(
            predictor, weights=(*before, scale * last), biases=(*biases, scale * bias + offset)
        )
    if isinstance(predictor, Kernel):
        return replace(
            predictor, weights=scale * predictor.weights, biases=scale * predictor.biases + offset
        )
    return replace(
        predictor, values=scale * predictor.values, start=scale * predictor.start + offset
    )


def _export_transformed(estimator: Any) -> Predictor:
    """Convert a regressor whose targets were scaled by one of `_SCALERS`, or not at all."""
    scaler, inner = estimator.transformer_, portable(estimator.regressor_)
    name = type(scaler).__name__
    if name == "FunctionTransformer" and estimator.func is None and scaler.func is None:
        return inner
    if name not in _SCALERS:
        raise OptionError(
            f"a bundle cannot keep a TransformedTargetRegressor with {name}; it keeps "
            f"{', '.join(_SCALERS)}"
        )
    center, scale = (None if part is None else float(np.ravel(part)[0]) for part in
                     _SCALERS[name](scaler))  # fmt: skip
    return _scaled_outputs(inner, 1.0 if scale is None else scale, center or 0.0)


def _export_voting(estimator: Any) -> Combined:
    """Convert a vote: the weighted mean of predictions, or of probabilities (soft voting)."""
    if hasattr(estimator, "classes_") and estimator.voting != "soft":
        raise OptionError("a bundle cannot keep a VotingClassifier with voting='hard'; set 'soft'")
    members = tuple(map(portable, estimator.estimators_))
    weights = np.array(estimator._weights_not_none or [1.0] * len(members), np.float64)
    outputs = len(estimator.classes_) if hasattr(estimator, "classes_") else 1
    mean = np.kron((weights / weights.sum())[:, None], np.eye(outputs))
    return Combined(members, np.arange(len(mean)), Network((mean,), (np.zeros(outputs),)))


def _export_stacking(estimator: Any) -> Combined:
    """Convert a stack: a final estimator reads the outputs of the members, and maybe the inputs."""
    members = tuple(map(portable, estimator.estimators_))
    methods = set(estimator.stack_method_) - {"predict_proba"}
    if hasattr(estimator, "classes_") and methods:
        raise OptionError(
            f"a bundle cannot keep a StackingClassifier with stack_method {methods.pop()!r}; set "
            "'predict_proba'"
        )
    classes = len(getattr(estimator, "classes_", ()))
    width = max(classes, 1)
    # With two classes, the final estimator reads the probability of the second only.
    columns = [1] if classes == 2 else range(width)
    chosen = np.array([width * number + c for number in range(len(members)) for c in columns])
    final = portable(estimator.final_estimator_)
    assert isinstance(final, Network | Kernel | Forest | Prepared)
    return Combined(members, chosen, final, bool(estimator.passthrough))


_COMBINED: Mapping[str, Callable[[Any], Combined]] = {
    "VotingRegressor": _export_voting,
    "VotingClassifier": _export_voting,
    "StackingRegressor": _export_stacking,
    "StackingClassifier": _export_stacking,
}


# Class name -> its converter, and its name in `ESTIMATORS`. Names avoid importing the classes.
_LINEAR = (
    "LinearRegression Ridge Lasso ElasticNet RidgeCV LassoCV ElasticNetCV BayesianRidge "
    "HuberRegressor SGDRegressor LinearSVR ARDRegression TheilSenRegressor QuantileRegressor Lars "
    "LassoLars"
)
KEPT: Mapping[str, tuple[Callable[[Any], Predictor], str]] = {
    class_name: (make, name)
    for classes, make, name in (
        (_LINEAR, _export_linear, "linear-regressor"),
        ("LogisticRegression", _export_linear, "logistic-classifier"),
        ("MLPRegressor", _export_network, "mlp-regressor"),
        ("MLPClassifier", _export_network, "mlp-classifier"),
        ("MultinomialNB", _export_naive_bayes, "naive-bayes-classifier"),
        ("SVR", _export_svr, "svm-regressor"),
        ("OneVsRestClassifier", _export_one_vs_rest, "svm-classifier"),
        ("RandomForestRegressor", _export_forest, "random-forest-regressor"),
        ("RandomForestClassifier", _export_forest, "random-forest-classifier"),
        ("ExtraTreesRegressor", _export_forest, "random-forest-regressor"),
        ("ExtraTreesClassifier", _export_forest, "random-forest-classifier"),
        ("HistGradientBoostingRegressor", _export_histograms, "gradient-boosting-regressor"),
        ("HistGradientBoostingClassifier", _export_histograms, "gradient-boosting-classifier"),
        ("GradientBoostingRegressor", _export_boosting, "gradient-boosting-regressor"),
        ("GradientBoostingClassifier", _export_boosting, "gradient-boosting-classifier"),
        ("XGBRegressor", lambda model: forest_of([model.get_booster()]), "xgboost-regressor"),
    )
    for class_name in classes.split()
}
