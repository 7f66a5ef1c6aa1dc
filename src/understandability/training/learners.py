"""scikit-learn classes for the estimators in `ESTIMATORS`, for use in pipelines and grid searches.

After fitting, they store plain arrays, as bundles do, and predict with these.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from understandability.arrays import Floats
from understandability.errors import OptionError, needing
from understandability.model.estimators import EstimatorRow, estimator_row
from understandability.model.predictors import Predictor
from understandability.training.portable import portable

with needing("these estimators need scikit-learn", ".[train]"):
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class _Learner(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The base class: an estimator chosen by name, which is fitted to (documents, columns)."""

    _classifies: ClassVar[bool]
    _default: ClassVar[str]
    predictor_: Predictor = field(init=False)

    estimator: str | None = None
    _: KW_ONLY
    random_state: int = 0
    n_estimators: int | None = None
    max_depth: int | None = None
    learning_rate: float | None = None
    subsample: float | None = None
    min_samples_leaf: int | None = None
    min_child_weight: float | None = None
    hidden_layer_sizes: tuple[int, ...] | None = None
    learning_rate_init: float | None = None
    alpha: float | None = None
    C: float | None = None
    gamma: float | str | None = None
    epsilon: float | None = None

    @property
    def name(self) -> str:
        """The name of the estimator in `ESTIMATORS`."""
        return self.estimator or self._default

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that are not None; the others keep the defaults of `ESTIMATORS`."""
        own = self.get_params(deep=False)
        return {
            name: value
            for name, value in own.items()
            if value is not None and name not in ("estimator", "random_state")
        }

    def _fitted(self, rows: Floats, targets: NDArray[Any]) -> Predictor:
        estimator = self._row().unfitted(self.random_state, self.parameters(), len(rows))
        return portable(estimator.fit(rows, targets))

    def _row(self) -> EstimatorRow:
        row = estimator_row(self.name)
        if row.classifies != self._classifies:
            required = "classifier" if self._classifies else "regressor"
            raise OptionError(
                f"the 'estimator' of {type(self).__name__} must be a {required}; got "
                f"{self.estimator!r}"
            )
        return row

    def _outputs(self, X: ArrayLike) -> Floats:  # noqa: N803  # scikit-learn's name
        check_is_fitted(self)
        rows = validate_data(
            self, X, reset=False, dtype=np.float64, ensure_all_finite=self._finite()
        )
        return self.predictor_(rows)

    def _finite(self) -> bool | str:
        return True if self._row().on_counts else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        on_counts = self.estimator in _ON_COUNTS
        tags.input_tags.allow_nan = not on_counts
        tags.input_tags.positive_only = on_counts
        return tags


# A constant, because scikit-learn requests tags for wrong names too.
_ON_COUNTS = ("naive-bayes-classifier",)


class DifficultyRegressor(RegressorMixin, _Learner):  # type: ignore[misc]  # scikit-learn has no types
    """A regressor of `ESTIMATORS` that predicts difficulty from columns of features.

    A feature of NaN is a missing value.

    Parameters
    ----------
    estimator
        A name in `ESTIMATORS`, such as ``"svm-regressor"``; by default XGBoost.
    random_state
        Seed; the same number gives the same model.
    n_estimators, max_depth, learning_rate, subsample, min_samples_leaf, min_child_weight
        Parameters of trees, if the estimator has them (`EstimatorRow.parameters`).
    hidden_layer_sizes, learning_rate_init, alpha
        Parameters of networks; naive Bayes has alpha, too.
    C, gamma, epsilon
        Parameters of support vector machines; logistic regression has C, too.

    A parameter of None has the default of the table. Fitting rejects a parameter that the estimator
    does not have.

    Attributes
    ----------
    predictor_
        The fitted estimator as arrays, in the form that bundles store.

    >>> model = DifficultyRegressor("linear-regressor").fit([[0.0], [1.0], [2.0]], [10, 20, 30])
    >>> model.predict([[4.0]]).round(6)
    array([50.])
    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(DifficultyRegressor("svm-regressor"), {"C": [0.001, 1]}, cv=2)
    >>> search.fit([[0.0], [1.0], [2.0], [3.0]], [0, 10, 20, 30]).best_params_
    {'C': 1}
    """

    _classifies, _default = False, "xgboost-regressor"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # noqa: N803  # scikit-learn's name
        """Fit the estimator to columns `X`, (documents, columns), and difficulties `y`."""
        rows, targets = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite=self._finite(), y_numeric=True
        )
        self.predictor_ = self._fitted(rows, targets)
        return self

    def predict(self, X: ArrayLike) -> Floats:  # noqa: N803  # scikit-learn's name
        """Return the difficulty of each document."""
        return self._outputs(X)[:, 0]


class DifficultyClassifier(ClassifierMixin, _Learner):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of `ESTIMATORS` that predicts classes of texts from columns of features.

    Parameters and attributes are the same as for `DifficultyRegressor`, plus ``classes_``. The
    default estimator is logistic regression.

    >>> labels = ["easy", "easy", "hard", "hard"]
    >>> model = DifficultyClassifier().fit([[0.0], [1.0], [5.0], [6.0]], labels)
    >>> model.predict([[7.0]]), model.classes_
    (array(['hard'], dtype='<U4'), array(['easy', 'hard'], dtype='<U4'))
    """

    _classifies, _default = True, "logistic-classifier"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # noqa: N803  # scikit-learn's name
        """Fit the estimator to columns `X`, (documents, columns), and classes `y`."""
        rows, targets = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite=self._finite()
        )
        check_classification_targets(targets)
        self.classes_, codes = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes or more, got one class")
        self.predictor_ = self._fitted(rows, codes)
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:  # noqa: N803  # scikit-learn's name
        """Return the probability of each class; (documents, classes)."""
        return self._outputs(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803  # scikit-learn's name
        """Return the most probable class of each document."""
        most_probable = self._outputs(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # An estimator of counts learns little from columns that are not counts.
        tags.classifier_tags.poor_score = self.estimator in _ON_COUNTS
        return tags
