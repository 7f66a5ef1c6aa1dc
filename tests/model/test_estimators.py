"""Fitted estimators as plain arrays give what scikit-learn and XGBoost give."""

from functools import cache

import numpy as np
import pytest

from understandability.model.estimators import ESTIMATORS, estimator_row
from understandability.model.predictors import (
    MAX_DEPTH,
    Columns,
    Forest,
    predictor_files,
    predictor_of,
)
from understandability.training.portable import forest_of, portable

RNG = np.random.default_rng(1)
ROWS = RNG.normal(size=(200, 5)) * [1, 10, 0.1, 1, 1]
ROWS[::9, 3] = np.nan
TARGET = np.digitize(ROWS[:, 0] + ROWS[:, 1] / 20, [-0.5, 0.5]) + 1.0
COUNTS = RNG.integers(0, 4, size=(200, 5)).astype(float)


def fitted(name: str, classes: int) -> tuple[object, np.ndarray]:
    row = estimator_row(name)
    rows = COUNTS if row.on_counts else ROWS
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", "ignore")
        return row.make(0).fit(rows, np.minimum(TARGET, classes)), rows


once_fitted = cache(fitted)


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        (name, classes)
        for name, row in ESTIMATORS.items()
        for classes in (3, 2)[: 1 + row.classifies]
    ],
)
def test_the_portable_form_predicts_the_same(name: str, classes: int) -> None:
    """For regressors the value, for classifiers the probability of each class."""
    estimator, rows = once_fitted(name, classes)
    got = portable(estimator)(rows)
    if name == "svm-classifier":  # scikit-learn gives votes, no probabilities
        votes = estimator.predict(rows)
        assert np.mean(estimator.classes_[got.argmax(axis=1)] == votes) == 1
        return
    if ESTIMATORS[name].classifies:
        expected = estimator.predict_proba(rows)
    else:
        expected = estimator.predict(rows).reshape(-1, 1)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_arrays_are_all_there_is(name: str) -> None:
    """Written to bytes without pickles and read again, a predictor is the same."""
    estimator, rows = once_fitted(name, 3)
    predictor = portable(estimator)
    again = predictor_of(predictor_files(predictor))
    np.testing.assert_array_equal(again(rows), predictor(rows))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_row_does_not_depend_on_the_others(name: str) -> None:
    """Alone, and within 200: the same to the last digit."""
    estimator, rows = once_fitted(name, 3)
    predictor = portable(estimator)
    alone = np.concatenate([predictor(rows[i : i + 1]) for i in range(0, 200, 17)])
    np.testing.assert_array_equal(predictor(rows)[::17], alone)
    assert predictor(rows[:0]).shape == (0, alone.shape[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_fitting_twice_gives_the_same(name: str) -> None:
    first, rows = once_fitted(name, 3)
    second, _ = fitted(name, 3)
    np.testing.assert_array_equal(portable(first)(rows), portable(second)(rows))


def test_forests_stay_as_shallow_as_can_be_read() -> None:
    row = estimator_row("random-forest-regressor")
    assert row.make(0)[-1].max_depth <= MAX_DEPTH


def test_a_forest_by_hand() -> None:
    """Two trees: x0 <= 1.5: 10, else by x1 <= 3 (or missing): 20, else 30; and always 5.

    Level by level the nodes of the first are x0, 10, x1, 20, 30. A start of 1 is added.
    """
    forest = Forest(
        roots=np.array([0, 5]),
        feature=np.array([0, -1, 1, -1, -1, -1]),
        threshold=np.array([1.5, 0, 3, 0, 0, 0], np.float32),
        missing_left=np.array([False, False, True, False, False, False]),
        values=np.array([[0.0], [10.0], [0.0], [20.0], [30.0], [5.0]]),
        start=np.array([1.0]),
        inputs=2,
    )
    rows = [[1.5, 9], [1.6, 3], [1.6, 3.1], [np.nan, np.nan], [np.inf, -np.inf], [1e300, 4]]
    assert forest(np.array(rows))[:, 0].tolist() == [16.0, 26.0, 36.0, 26.0, 26.0, 36.0]


def test_a_row_at_a_condition_goes_where_xgboost_sends_it() -> None:
    """XGBoost splits at values of the rows; a row with the value itself goes right, in float32."""
    rows = np.round(RNG.normal(size=(300, 3)), 1)
    labels = np.where(rows[:, 0] < 0.3, 1.0, 2.0) + 0.1 * rows[:, 1]
    fitted = estimator_row("xgboost-regressor").make(0).fit(rows, labels)
    forest = portable(fitted)
    assert isinstance(forest, Forest)
    inner = forest.feature >= 0
    at = np.zeros((inner.sum(), 3))
    # The conditions are one float32 above the thresholds.
    at[np.arange(len(at)), forest.feature[inner]] = np.nextafter(
        forest.threshold[inner], np.float32(np.inf)
    )
    np.testing.assert_allclose(forest(at)[:, 0], fitted.predict(at), atol=1e-5)


def test_a_forest_of_two_models_has_two_outputs() -> None:
    first, second = (
        estimator_row("xgboost-regressor").make(0).fit(ROWS, TARGET * sign) for sign in (1, -2)
    )
    both = forest_of([first.get_booster(), second.get_booster()])(ROWS)
    np.testing.assert_allclose(both[:, 0], first.predict(ROWS), atol=1e-5)
    np.testing.assert_allclose(both[:, 1], second.predict(ROWS), atol=1e-5)


@pytest.mark.parametrize(
    ("inputs", "outputs"), [(37, 3), (300, 1001), (20_000, 40), (100_000, 2), (3, 0), (0, 2)]
)
def test_products_do_not_depend_on_the_number_of_rows(inputs: int, outputs: int) -> None:
    rows, matrix = RNG.normal(size=(30, inputs)), RNG.normal(size=(inputs, outputs))
    columns = Columns(matrix)
    np.testing.assert_allclose(columns.product(rows), rows @ matrix, atol=1e-6)
    np.testing.assert_array_equal(columns.product(rows)[17:18], columns.product(rows[17:18]))
