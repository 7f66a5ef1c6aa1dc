"""Outputs of background models as features, alone and inside a judged model."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import Run

from understandability.errors import InputError, OptionError
from understandability.feature.background_rows import GROUP, ROWS, row_name
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import compute_features
from understandability.feature.transformer import FeatureTransformer
from understandability.model.bundle import load_background_models, load_bundle
from understandability.model.estimators import ESTIMATORS
from understandability.text.analysis import document_of_text
from understandability.training.train import train_judged

TEXTS = ["my legs hurt", "", "Randomised trials of statins were pooled.", "The liver is an organ."]
ROW = "background_mlp_regressor"


@pytest.fixture(scope="module")
def models() -> tuple[object, ...]:
    return load_background_models(["background-mlp"])


def test_every_estimator_has_a_row() -> None:
    assert [row.name for row in ROWS] == [row_name(name) for name in ESTIMATORS]


def test_a_row_is_nan_until_its_model_is_given(models) -> None:
    """The value is the model's raw output; the rows of other estimators stay NaN."""
    documents = [document_of_text(text) for text in TEXTS]
    names = ["words", ROW, "background_svm_regressor"]
    without = compute_features(documents, names)
    table = compute_features(documents, names, models)
    assert np.isnan(without.values[:, 1:]).all()
    np.testing.assert_array_equal(table.column(ROW), models[0].raw(Batch(documents)))
    assert np.isfinite(table.column(ROW)).tolist() == [True, False, True, True]
    assert np.isnan(table.values[:, 2]).all()


def test_the_transformer_takes_models(models) -> None:
    got = FeatureTransformer([ROW], models).fit(TEXTS).transform(TEXTS)
    np.testing.assert_array_equal(
        got[:, 0], models[0].raw(Batch([document_of_text(text) for text in TEXTS]))
    )


def test_a_judged_model_holds_the_background_models_that_it_reads(models, tmp_path: Path) -> None:
    """One folder is all that is needed to score."""
    rng = np.random.default_rng(0)
    values = rng.normal(2, 0.5, (60, 2))
    columns = (ROW, "words_per_sentence")
    bundle, _ = train_judged(
        values, columns, 20 * values[:, 0], [str(n) for n in range(60)], "linear-regressor",
        backgrounds=models,
    )  # fmt: skip
    bundle.save(tmp_path / "mine")
    batch = Batch([document_of_text(text) for text in TEXTS])
    again = load_bundle(tmp_path / "mine")
    np.testing.assert_array_equal(again.model.read(batch).raw, bundle.model.read(batch).raw)
    outputs = models[0].read(batch).raw[[0, 2, 3]]
    assert (np.argsort(again.model.read(batch).raw[[0, 2, 3]]) == np.argsort(outputs)).all()


def test_a_model_that_lacks_its_background_model_is_refused(models, tmp_path: Path) -> None:
    rows, labels = np.random.default_rng(0).normal(size=(40, 1)), np.arange(40.0)
    groups = [str(number) for number in range(40)]
    with pytest.raises(InputError, match=f"'{ROW}' is the output of a background model"):
        train_judged(rows, (ROW,), labels, groups, "linear-regressor")


def test_other_bundles_are_no_background_models() -> None:
    with pytest.raises(OptionError, match="bundle llr is not a background model"):
        load_background_models(["llr"])


def test_two_models_of_one_estimator_have_one_row(models) -> None:
    with pytest.raises(OptionError, match="the same estimator"):
        compute_features([], [ROW], models * 2)


def test_features_with_a_bundle_from_the_command_line(understand: Run, tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text or "...")
    done = understand(
        "features", tmp_path, "--only", ROW, "--bundle", "background-mlp", "-o", "-", "--quiet",
        status=0,
    )  # fmt: skip
    values = [json.loads(line)[ROW] for line in done.stdout.splitlines()]
    assert values[1] is None
    assert values[0] < values[2]
    assert not done.stderr


def test_the_listing_says_what_a_row_needs() -> None:
    assert all("--bundle" in row.needs[0] for row, _ in COLUMNS.values() if row.group == GROUP)
