"""The estimators keep scikit-learn's manners."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from understandability.errors import OptionError
from understandability.model.estimators import ESTIMATORS
from understandability.training.learners import DifficultyClassifier, DifficultyRegressor

RNG = np.random.default_rng(2)
ROWS = RNG.normal(size=(60, 3))
DIFFICULTIES = 50 + 10 * ROWS[:, 0]
# They pass too, but a minute of forests tells little more than the others do.
SLOW = ("random-forest", "gradient-boosting")


def learner(name: str) -> Any:
    return (DifficultyClassifier if ESTIMATORS[name].classifies else DifficultyRegressor)(name)


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks that meet a refusal which is meant.

    A network stops early by a tenth of its texts, and so refuses a handful; one check sets alpha
    of whatever has the name, and a parameter that an estimator has not is refused.
    """
    row = ESTIMATORS[estimator.name]
    failing: dict[str, str] = {}
    if row.name.startswith("mlp"):
        reason = "the tenth to stop by has less than two texts"
        failing = dict.fromkeys(
            ("check_regressors_no_decision_function", "check_fit2d_1feature"), reason
        )
    if "alpha" not in row.parameters and not row.classifies:
        failing["check_regressors_train"] = "it sets alpha, which this one has not"
    return failing


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [learner(name) for name in ESTIMATORS if not name.startswith(SLOW)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_s_own_checks(estimator, check) -> None:
    check(estimator)


def test_the_tags_know_which_takes_counts() -> None:
    counting = {name for name, row in ESTIMATORS.items() if row.on_counts}
    tagged = {
        name for name in ESTIMATORS if learner(name).__sklearn_tags__().input_tags.positive_only
    }
    assert tagged == counting


def test_in_a_pipeline_and_a_grid_search() -> None:
    """The choice of the estimator is a parameter like any other."""
    pipeline = make_pipeline(StandardScaler(), DifficultyRegressor())
    names = ["linear-regressor", "svm-regressor"]
    search = GridSearchCV(pipeline, {"difficultyregressor__estimator": names}, cv=3)
    search.fit(ROWS, DIFFICULTIES)
    assert search.best_params_ == {"difficultyregressor__estimator": "linear-regressor"}
    np.testing.assert_allclose(search.predict(ROWS), DIFFICULTIES)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_of_the_table_is_one_of_the_learner_and_reaches_the_estimator(
    name: str,
) -> None:
    row = ESTIMATORS[name]
    values = {"hidden_layer_sizes": (3,), "gamma": 0.25, "n_estimators": 7, "max_depth": 2}
    chosen = {each: values.get(each, 0.5) for each in row.parameters}
    set_up = row.unfitted(0, learner(name).set_params(**chosen).parameters())
    actual = {key.rpartition("__")[2]: value for key, value in set_up.get_params().items()}
    assert {each: actual[each] for each in chosen} == chosen


@pytest.mark.parametrize("name", ["linear-regressor", "xgboost-regressor", "svm-classifier"])
def test_clones_and_pickles_give_the_same(name: str) -> None:
    labels = DIFFICULTIES > 50 if ESTIMATORS[name].classifies else DIFFICULTIES
    fitted = learner(name).fit(ROWS, labels)
    again = clone(fitted).fit(ROWS, labels)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(ROWS), fitted.predict(ROWS))
    np.testing.assert_array_equal(restored.predict(ROWS), fitted.predict(ROWS))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (DifficultyRegressor("svm-classifier"), "must be a regressor; got 'svm-classifier'"),
        (DifficultyClassifier("linear-regressor"), "must be a classifier"),
        (DifficultyRegressor("svm"), "estimator 'svm' does not exist; choose one of"),
        (DifficultyRegressor("svm-regressor", max_depth=3), "no parameter 'max_depth' to set; it"),
    ],
)
def test_a_wrong_name_is_told_when_fitting(estimator: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        estimator.fit(ROWS, DIFFICULTIES)
