"""A scikit-learn transformer that computes features of texts or documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from understandability.errors import OptionError, needing
from understandability.feature.background_rows import BackgroundOutput
from understandability.feature.batch import FloatArray
from understandability.feature.catalogue import COLUMNS
from understandability.feature.feature_sets import columns_named
from understandability.feature.table import compute_features
from understandability.inputs.frames import is_frame, texts_in
from understandability.text.analysis import document_of_text
from understandability.text.document import Document

with needing("FeatureTransformer needs scikit-learn", ".[train]"):
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted


class FeatureTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Features of texts or documents, for use in scikit-learn pipelines.

    Parameters
    ----------
    features
        Names of columns, groups (``"readability"``) and sets (``"text"``, ``"study2018"``), in the
        order of the columns of the result; None is all columns.
    models
        Background models, such as ``load_bundle("background-mlp").model``, for the columns that
        are their outputs.

    Attributes
    ----------
    columns_
        The names of the columns, as returned by `get_feature_names_out`.

    Texts are a sequence, a Series, or a frame with one column of texts, or with a column named
    ``text``. Ratios and formulas of a text without words are NaN.

    >>> transformer = FeatureTransformer(["words", "syllables_per_word"])
    >>> transformer.fit_transform(["Rest and drink water.", "Rest!"])
    array([[4.  , 1.25],
           [1.  , 1.  ]])
    >>> transformer.get_feature_names_out()
    array(['words', 'syllables_per_word'], dtype=object)
    """

    def __init__(
        self,
        features: Sequence[str] | None = None,
        models: Sequence[BackgroundOutput] = (),
    ) -> None:
        self.features = features
        self.models = models

    def fit(self, X: Sequence[str | Document], y: object = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Check the names of the features. Nothing is learned from the texts."""
        if isinstance(self.features, str):
            raise OptionError(
                f"the 'features' of FeatureTransformer must be names of columns in a list, "
                f"or None for all; got {self.features!r}"
            )
        names = tuple(COLUMNS) if self.features is None else self.features
        self.columns_ = columns_named(names, all_forms=False)
        return self

    def transform(self, X: Any) -> FloatArray:  # noqa: N803  # scikit-learn's name
        """Return a float64 matrix with one row per text and one column per name."""
        check_is_fitted(self)
        if isinstance(X, str):
            raise TypeError("FeatureTransformer takes a list of texts, not one text")
        if is_frame(X):
            X = texts_in(X, "FeatureTransformer")  # noqa: N806  # scikit-learn's name
        elif isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
            X = X[:, 0].tolist()  # noqa: N806  # scikit-learn's name
        documents = map(_document, X, count())
        return compute_features(documents, self.columns_, self.models).values

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns."""
        check_is_fitted(self)
        return np.array(self.columns_, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _document(text: str | Document, row: int) -> Document:
    if isinstance(text, Document):
        return text
    if isinstance(text, str):
        return document_of_text(text, docno=str(row))
    raise TypeError(
        f"FeatureTransformer takes texts (str) or Documents; row {row} is a {type(text).__name__}"
    )
