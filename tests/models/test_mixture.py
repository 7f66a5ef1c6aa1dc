"""The mixture of experts, trees and a gate: what it learns, keeps and refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.documents import document_of_text
from understandability.errors import InputError
from understandability.features import Batch
from understandability.models import Bundle, load_bundle
from understandability.models.calibration import Calibration
from understandability.models.runtime.letters import RUNS, Spelling, letters, runs_of_letters
from understandability.models.runtime.mixture import ANY, MixtureModel, input_names
from understandability.models.training.mixture import Domain, JudgedTexts, fit_mixture

COLUMNS = ("words_per_sentence",)
TEXTS = ("Rest and drink.", "", "Hypertensive patients exhibited tachycardia; rest is best.")


def judged(texts: int = 90) -> JudgedTexts:
    """Texts of two domains and some that nobody judged; in the second, spelling alone tells."""
    rng = np.random.default_rng(0)
    domains = np.arange(texts) % 3
    levels = rng.uniform(1, 6, texts)
    inputs = rng.normal(size=(texts, len(input_names(COLUMNS))))
    inputs[:, 0] += 3 * domains
    inputs[domains == 0, 1] += levels[domains == 0]
    words = ["tachycardia" if level > 3.5 else "rest" for level in levels]
    ones = np.ones(texts)
    return JudgedTexts(
        inputs, letters(batch(*words)), levels, domains, np.arange(texts), ones, ones
    )


@pytest.fixture(scope="module")
def model() -> MixtureModel:
    kinds = {"a": Domain(common=0.3), "b": Domain(letters=1.0)}
    return fit_mixture(judged(), COLUMNS, kinds, folds=2)


def batch(*texts: str) -> Batch:
    return Batch([document_of_text(text) for text in texts])


def test_texts_that_nobody_judged_make_a_domain_of_any_text(model: MixtureModel) -> None:
    assert list(model.experts) == ["a", "b", ANY]
    assert model.common.tolist() == [0.3, 0.0, 0.0]
    everything = judged()
    rest = everything.where(everything.domains < 2)
    alone = fit_mixture(rest, COLUMNS, {"a": Domain(), "b": Domain()}, folds=2)
    assert list(alone.experts) == ["a", "b"]


def test_letters_tell_where_they_may(model: MixtureModel) -> None:
    easy, hard = model.spelling(batch("rest", "tachycardia"))
    assert hard[1] > easy[1] + 1
    assert easy[0] == hard[0] == easy[2] == 0


def test_the_worth_of_letters_is_that_learned_from(model: MixtureModel) -> None:
    texts = batch(*TEXTS)
    assert model.spelling(texts) == pytest.approx(letters(texts) @ model.spelling.weights)


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=5))
def test_the_runs_of_a_word_do_not_depend_on_the_others(words: list[str]) -> None:
    together = runs_of_letters(words)
    for number, word in enumerate(words):
        alone = runs_of_letters([word])
        of_word = together.words == number
        assert together.numbers[of_word].tolist() == alone.numbers.tolist()
        assert together.values[of_word].tolist() == alone.values.tolist()
        assert np.sum(alone.values**2) == pytest.approx(1)


def test_the_runs_of_a_word_by_hand() -> None:
    """<gene> has four runs of three letters, three of four, two of five, and the whole."""
    assert len(runs_of_letters(["Gene"]).numbers) == 4 + 3 + 2 + 1
    shared = set(runs_of_letters(["gene"]).numbers) & set(runs_of_letters(["GENES"]).numbers)
    assert len(shared) == 3 + 2 + 1  # <ge gen ene <gen gene <gene


def test_rows_depend_on_themselves_only(model: MixtureModel) -> None:
    together = model.raw(batch(*TEXTS))
    assert together.tolist() == [model.raw(batch(text))[0] for text in TEXTS]
    assert np.isfinite(together).all()


def test_training_twice_and_saving_give_the_same_numbers(
    model: MixtureModel, tmp_path: Path
) -> None:
    kinds = {"a": Domain(common=0.3), "b": Domain(letters=1.0)}
    again = fit_mixture(judged(), COLUMNS, kinds, folds=2)
    assert again.to_parts() == model.to_parts()
    calibration = Calibration((1.0, 6.0), (0.0, 80.0), (5.0, 5.0))
    Bundle("mine", "CC0-1.0", model, calibration).save(tmp_path / "mine")
    read = load_bundle(str(tmp_path / "mine")).model
    texts = batch(*TEXTS)
    assert read.raw(texts).tolist() == model.raw(texts).tolist()


def test_parts_that_do_not_fit_are_refused(model: MixtureModel) -> None:
    with pytest.raises(InputError, match="do not fit together"):
        replace(model, common=np.array([0.3, 0.0]))
    with pytest.raises(InputError, match="do not fit together"):
        replace(model, spelling=Spelling(np.zeros((RUNS, 1)), np.zeros(1)))
    with pytest.raises(InputError, match="letters"):
        Spelling(np.zeros((3, 1)), np.zeros(1))
