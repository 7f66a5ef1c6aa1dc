"""Contributions are exact for every type of model, and have the right themes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import EASY, HARD

from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS as COLUMNS_OF_CATALOGUE
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.contributions import THEMES, contributions, shapley_values, theme_of
from understandability.model.passages import passage_columns
from understandability.text.analysis import document_of_text
from understandability.training.train import train_judged
from understandability.training.train_background import train_background

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(90, 3))
GROUPS = [str(number // 2) for number in range(90)]
COLUMNS = ("syllables_per_word", "words_per_sentence", "dale_chall")


@pytest.fixture(scope="module")
def background() -> Bundle:
    """A model that counts words, trained on two small corpora."""
    corpora = {
        float(label): [document_of_text(f"{text} {i}") for i in range(40)]
        for label, text in ((1, EASY), (2, HARD))
    }
    return train_background(corpora, "naive-bayes-classifier", dimensions=2)


@pytest.mark.parametrize("name", ["open", "llr", "background-mlp"])
def test_contributions_add_up_to_the_estimate(name: str) -> None:
    """This holds for every type of model; documents without words are skipped."""
    check_contributions(load_bundle(name))


@pytest.mark.parametrize(
    "name",
    ["xgboost-regressor", "random-forest-regressor", "linear-regressor", "logistic-classifier"],
)
def test_contributions_of_judged_models_add_up(name: str) -> None:
    """Trees, forests, sums, and classifiers; also of a bundle that was written and read."""
    targets = np.where(ROWS[:, 0] > 0, 80.0, 20.0)
    bundle, _ = train_judged(ROWS, COLUMNS, targets, GROUPS, name, folds=3)
    check_contributions(bundle)


def test_contributions_of_counted_words_add_up(background: Bundle) -> None:
    check_contributions(background)


def check_contributions(bundle: Bundle) -> None:
    batch = Batch([document_of_text(text) for text in (EASY, "", HARD)])
    estimates = bundle.estimate(batch)
    for why, estimate in zip(
        contributions(bundle, batch), (estimates[0], estimates[2]), strict=True
    ):
        assert why.difficulty == pytest.approx(estimate.difficulty)
        points = [part.points for part in why.parts]
        assert why.typical + sum(points) == pytest.approx(estimate.difficulty)
        assert points == sorted(points, key=abs, reverse=True)
        assert {part.theme for part in why.parts} <= set(THEMES)


def test_contributions_tell_easy_from_hard() -> None:
    """With the default bundle, the features of the hard text add points."""
    batch = Batch([document_of_text(text) for text in (EASY, HARD)])
    easy, hard = contributions(load_bundle("open"), batch)
    assert easy.typical == pytest.approx(hard.typical)
    assert easy.difficulty < easy.typical < hard.difficulty
    words = {part.theme: part for part in hard.parts}["difficulty of words"]
    assert words.points > 0
    assert words.own > words.typical


def test_a_column_that_moves_nothing_has_no_points() -> None:
    """A model of one column: the theme of that column has all points, exactly."""
    rows = RNG.normal(size=(60, 3))
    bundle, _ = train_judged(rows, COLUMNS, 50 + 10 * rows[:, 1], GROUPS[:60], "linear-regressor")
    (why,) = contributions(bundle, Batch([document_of_text(EASY)]))
    points = {part.theme: part.points for part in why.parts}
    assert points["length of sentences"] == pytest.approx(why.difficulty - why.typical, rel=1e-5)
    assert points["difficulty of words"] == pytest.approx(0, abs=1e-4)


def test_every_input_of_a_model_has_a_theme() -> None:
    """Every theme is in `THEMES`, and its main columns belong to it."""
    names = (*COLUMNS_OF_CATALOGUE, *passage_columns())
    assert {theme_of(name) for name in names} | {theme_of("word_vector_0")} == set(THEMES)
    for theme, columns in THEMES.items():
        assert all(theme_of(column) == theme for column in columns)


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3), st.floats(-5, 5))
def test_shapley_values_of_sums_are_their_parts(parts: list[float], start: float) -> None:
    """Players that do not meet each other are worth what each adds by itself."""
    worth = [
        start + sum(parts[i] for i in range(3) if coalition >> i & 1) for coalition in range(8)
    ]
    assert shapley_values(np.array(worth)) == pytest.approx(parts, rel=1e-6, abs=1e-6)
