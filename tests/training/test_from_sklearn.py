"""Pipelines of scikit-learn as bundles: the same numbers, or one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVR, LinearSVR

from understandability.errors import OptionError
from understandability.feature.batch import Batch
from understandability.feature.transformer import FeatureTransformer
from understandability.model.bundle import Bundle, load_bundle
from understandability.text.analysis import document_of_text
from understandability.training.learners import DifficultyRegressor

RNG = np.random.default_rng(4)
COLUMNS = ("smog", "dale_chall", "syllables_per_word")
ROWS = RNG.normal(size=(120, 3)) * [3, 2, 0.2] + [9, 8, 1.5]
LABELS = np.clip(5 * ROWS[:, 0] + RNG.normal(size=120), 0, 100)
MISSING = np.where(RNG.random(ROWS.shape) < 0.1, np.nan, ROWS)
OWN, HELD_OUT = slice(80), slice(80, None)


def kept(pipeline: Any, rows: Any = ROWS, labels: Any = LABELS) -> Bundle:
    fitted = pipeline.fit(rows[OWN], labels[OWN])
    return Bundle.from_sklearn(fitted, COLUMNS, rows[HELD_OUT], labels[HELD_OUT])


@pytest.mark.parametrize(
    "pipeline",
    [
        Ridge(),
        make_pipeline(RobustScaler(), ElasticNet(alpha=0.01)),
        make_pipeline(SimpleImputer(strategy="mean"), MinMaxScaler((-1, 3)), SVR(C=10)),
        make_pipeline(StandardScaler(), SimpleImputer(), RobustScaler(), LinearRegression()),
        make_pipeline(StandardScaler(with_mean=False), "passthrough", Ridge()),
        make_pipeline(RobustScaler(), DifficultyRegressor("random-forest-regressor")),
        HuberRegressor(),
        make_pipeline(StandardScaler(), LinearSVR()),
        TransformedTargetRegressor(SVR(), transformer=StandardScaler()),
        TransformedTargetRegressor(Ridge()),
        make_pipeline(
            MinMaxScaler(),
            TransformedTargetRegressor(
                RandomForestRegressor(max_depth=3), transformer=MinMaxScaler()
            ),
        ),
        VotingRegressor(
            [("a", Ridge()), ("b", RandomForestRegressor(max_depth=4))], weights=[1, 3]
        ),
        make_pipeline(SimpleImputer(), VotingRegressor([("a", Ridge()), ("b", SVR(C=9))])),
        StackingRegressor([("a", Ridge()), ("b", make_pipeline(StandardScaler(), SVR(C=9)))]),
        StackingRegressor(
            [("a", Ridge()), ("b", HistGradientBoostingRegressor(max_depth=3))],
            final_estimator=Ridge(),
            passthrough=True,
        ),
        make_pipeline(SimpleImputer(), StandardScaler(), DifficultyRegressor("svm-regressor")),
        make_pipeline(StandardScaler(), PCA(2, whiten=True), BayesianRidge()),
        make_pipeline(SimpleImputer(), SelectKBest(f_regression, k=2), StandardScaler(), Ridge()),
        make_pipeline(SimpleImputer(), SelectKBest(f_regression, k=1), ExtraTreesRegressor(9)),
        make_pipeline(StandardScaler(), HistGradientBoostingRegressor(max_iter=9)),
        GridSearchCV(make_pipeline(SimpleImputer(), Ridge()), {"ridge__alpha": [0.1, 1]}, cv=2),
    ],
    ids=lambda pipeline: type(getattr(pipeline, "steps", [("", pipeline)])[-1][1]).__name__,
)
def test_a_bundle_gives_the_numbers_of_the_pipeline(pipeline: Any, tmp_path: Path) -> None:
    """This includes missing values, if the pipeline fills them."""
    fills = "SimpleImputer" in str(pipeline)
    bundle = kept(pipeline, MISSING if fills else ROWS)
    bundle.save(tmp_path / "own")
    again = load_bundle(tmp_path / "own")
    rows = MISSING if fills else ROWS
    np.testing.assert_allclose(again.model.predict(rows), pipeline.predict(rows), rtol=1e-6)
    [row] = again.estimate(Batch([document_of_text("You have flu. Rest, and drink water.")]))
    assert 0 <= row.difficulty <= 100


@pytest.mark.parametrize("levels", [(20, 60), (20, 40, 60)])
def test_trees_over_bins_keep_their_classes(levels: tuple[int, ...]) -> None:
    """And where they send what is missing."""
    classes = np.array(levels)[
        np.digitize(LABELS, np.quantile(LABELS, [0.4, 0.7])[: len(levels) - 1])
    ]
    trees = HistGradientBoostingClassifier(max_iter=5)
    bundle = kept(trees, MISSING, classes)
    expected = trees.predict_proba(MISSING) @ np.array(levels)
    np.testing.assert_allclose(bundle.model.predict(MISSING), expected, rtol=1e-5)


def test_the_classes_of_a_classifier_are_difficulties() -> None:
    classes = np.where(LABELS > 45, 60, 20)
    bundle = kept(make_pipeline(StandardScaler(), LogisticRegression()), labels=classes)
    raw = bundle.model.predict(ROWS)
    assert raw.min() >= 20
    assert raw.max() <= 60
    words = make_pipeline(LogisticRegression()).fit(ROWS, np.where(LABELS > 45, "hard", "easy"))
    with pytest.raises(OptionError, match="classes of the pipeline must be numbers"):
        Bundle.from_sklearn(words, COLUMNS, ROWS, LABELS)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (KNeighborsRegressor(), "cannot keep KNeighborsRegressor; it keeps"),
        (make_pipeline(StandardScaler(), PCA(2), SVR()), "cannot keep PCA there; it keeps"),
        (SVR(kernel="linear"), "cannot reproduce this SVR"),
        (
            MLPRegressor(hidden_layer_sizes=(4,), activation="tanh", tol=10.0),
            "cannot reproduce this",
        ),
        (make_pipeline(SimpleImputer(add_indicator=True), Ridge()), "drops or adds columns"),
    ],
    ids=["neighbours", "pca", "kernel", "activation", "indicator"],
)
def test_what_cannot_be_kept_is_one_sentence(pipeline: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        kept(pipeline, MISSING if "Imputer" in str(pipeline) else ROWS)
    assert "\n" not in str(caught.value)


def test_trees_that_learned_of_missing_values_are_refused() -> None:
    with pytest.raises(OptionError, match="missing values in trees"):
        kept(RandomForestRegressor(20), MISSING)


def test_a_pipeline_that_takes_texts_is_told_what_is_taken() -> None:
    texts = [f"You have flu. Rest {'and drink water ' * n}." for n in range(1, 13)]
    takes_texts = make_pipeline(FeatureTransformer(list(COLUMNS)), Ridge()).fit(texts, LABELS[:12])
    with pytest.raises(OptionError, match=r"reads columns.*fit it without the FeatureTransformer"):
        Bundle.from_sklearn(takes_texts, COLUMNS, texts, LABELS[:12])


@pytest.mark.parametrize(
    ("columns", "rows", "labels", "message"),
    [
        (("smog",), ROWS, LABELS, "takes 3 columns, 1 are named"),
        (("smog", "dale_chall", "smug"), ROWS, LABELS, "did you mean smog"),
        (COLUMNS, ROWS, LABELS[:5], "a label for each row"),
        (COLUMNS, ROWS, LABELS * 9, "from 0 to 100"),
    ],
)
def test_mistakes_are_one_sentence(columns: Any, rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Bundle.from_sklearn(Ridge().fit(ROWS, LABELS), columns, rows, labels)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("combine", ["vote", "stack"])
def test_classifiers_that_vote_or_stack_are_kept(
    classes: int, combine: str, tmp_path: Path
) -> None:
    members = [
        ("a", LogisticRegression(max_iter=1000)),
        ("b", HistGradientBoostingClassifier(max_depth=2)),
    ]
    pipeline = (
        VotingClassifier(members, voting="soft")
        if combine == "vote"
        else StackingClassifier(members)
    )
    labels = np.digitize(LABELS, np.quantile(LABELS, np.arange(1, classes) / classes)) * 30.0
    bundle = kept(pipeline, labels=labels)
    bundle.save(tmp_path / "mine")
    again = load_bundle(tmp_path / "mine")
    expected = pipeline.predict_proba(ROWS) @ pipeline.classes_
    np.testing.assert_allclose(again.model.predict(ROWS), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (VotingClassifier([("a", LogisticRegression())]), "set 'soft'"),
        (TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
         "TransformedTargetRegressor with FunctionTransformer"),
        (VotingRegressor([("a", KNeighborsRegressor())]), "cannot keep KNeighborsRegressor"),
        (make_pipeline(StandardScaler(), StackingRegressor([("a", Ridge())], passthrough=True)),
         "passthrough=True after other steps"),
    ],
)  # fmt: skip
def test_a_combination_that_cannot_be_kept_says_why(pipeline: Any, message: str) -> None:
    labels = LABELS if "Classifier" not in type(pipeline).__name__ else (LABELS > 45) * 30.0
    with pytest.raises(OptionError, match=message):
        kept(pipeline, labels=labels)


def test_the_card_has_the_figures_of_held_out_texts() -> None:
    bundle = kept(Ridge())
    [figures] = bundle.card["figures"]
    expected = np.corrcoef(Ridge().fit(ROWS[OWN], LABELS[OWN]).predict(ROWS[HELD_OUT]),
                           LABELS[HELD_OUT])[0, 1]  # fmt: skip
    assert figures["pearson"] == round(expected, 3)
    assert figures["n"] == 40
