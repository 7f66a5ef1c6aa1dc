"""The transformer keeps scikit-learn's manners."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from tests.feature.conftest import document

from understandability.errors import OptionError
from understandability.feature.catalogue import COLUMNS
from understandability.feature.transformer import FeatureTransformer

TEXTS = ["Rest and drink water.", "Hypertension complicates pregnancy.", ""]
NAMES = ["words", "flesch_reading_ease", "syllables_per_word"]


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_get_feature_names_out_error,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_mixin_order,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_set_params,
        estimator_checks.check_valid_tag_types,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learn_s_own_checks(check) -> None:
    """Run the checks that apply to transformers of texts."""
    check("FeatureTransformer", FeatureTransformer())


def test_texts_become_a_matrix_with_names() -> None:
    """One row a text, one column a name, NaN where a text has no words."""
    transformer = FeatureTransformer(NAMES)
    values = transformer.fit_transform(TEXTS)
    assert transformer.get_feature_names_out().tolist() == NAMES
    assert values[:, 0].tolist() == [4, 3, 0]
    assert values[0, 2] == 5 / 4
    assert np.isnan(values[2, 1:]).all()


def test_documents_are_taken_as_they_are() -> None:
    """A Document and its text have the same row."""
    transformer = FeatureTransformer(NAMES).fit([])
    rows = transformer.transform([document(TEXTS[0]), TEXTS[0]])
    np.testing.assert_array_equal(rows[0], rows[1])


def test_all_columns_without_names() -> None:
    assert FeatureTransformer().fit(TEXTS).get_feature_names_out().tolist() == list(COLUMNS)


def test_clones_and_pickles_give_the_same() -> None:
    """A clone has the parameters, a pickle the fitted state too."""
    fitted = FeatureTransformer(NAMES).fit(TEXTS)
    assert clone(fitted).get_params() == fitted.get_params()
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.transform(TEXTS), fitted.transform(TEXTS))


def test_output_as_pandas() -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    frame = FeatureTransformer(NAMES).set_output(transform="pandas").fit_transform(TEXTS)
    assert list(frame.columns) == NAMES


def test_in_a_pipeline() -> None:
    model = make_pipeline(FeatureTransformer(["words", "characters"]), Ridge())
    predicted = model.fit(TEXTS, [1.0, 2.0, 0.0]).predict(TEXTS)
    assert predicted.shape == (3,)


@pytest.mark.parametrize(
    ("features", "message"),
    [("words", "must be names of columns in a list"), (["wrods"], "did you mean words")],
)
def test_wrong_names_are_told_when_fitting(features, message: str) -> None:
    """`__init__` only stores its parameters, so `fit` raises the error."""
    transformer = FeatureTransformer(features)
    with pytest.raises(OptionError, match=message):
        transformer.fit(TEXTS)


@pytest.mark.parametrize(
    ("texts", "message"), [("one text", "a list of texts"), (["a text", 3.5], "row 1 is a float")]
)
def test_what_is_no_text_is_refused(texts, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        FeatureTransformer(NAMES).fit(TEXTS).transform(texts)


def test_before_fitting_there_is_nothing() -> None:
    with pytest.raises(NotFittedError):
        FeatureTransformer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        FeatureTransformer().get_feature_names_out()
