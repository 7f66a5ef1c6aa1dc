"""Networks side by side: what they learn, from which columns, and how their error is fitted."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scripts.train.add_members import joined
from scripts.train.networks import Shape, learn_apart, learn_together
from scripts.train.page_fit import KindsLeftOut, folds_of_texts
from scripts.train.pages import difficulty_error, level_error, spreads_of

from understandability.evaluation.correlation import pearson
from understandability.model.bundle import load_bundle
from understandability.model.passage_model import ErrorModel, Hardening, apart
from understandability.model.passages import passage_columns
from understandability.model.predictors import Network, Prepared, standardised

Learn = Callable[..., Network]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # by `rounds`
@pytest.mark.parametrize(
    ("learn", "middle", "step"), [(learn_together, 50, 10), (learn_apart, 3.5, 1)]
)
def test_networks_learn_what_rows_say_and_each_from_its_own_columns(
    learn: Learn, middle: float, step: float
) -> None:
    """A sum with a bend, of the first two of eight columns, on rows that were not learned from."""
    rows = np.random.default_rng(0).normal(size=(2500, 8))
    wanted = middle + step * (rows[:, 0] + abs(rows[:, 1]))
    shape = Shape((1.0, 0.5, 0.5), 16, 80, 0.0)
    network = learn(rows[:1500], wanted[:1500], np.ones(1500), shape, 0)
    said = network(rows[1500:])
    sums = replace(network, link="identity")(rows[1500:])
    assert sums[:, 0] == pytest.approx(sums[:, 1:].mean(axis=1), rel=1e-6, abs=1e-6)
    assert pearson(said[:, 1], wanted[1500:]) > 0.98
    all_seen, *seen = (network.weights[0].reshape(8, 3, 16) != 0).any(axis=2).sum(axis=0)
    assert all_seen == 8
    assert max(seen) < 8


def test_a_row_that_weighs_nothing_teaches_nothing() -> None:
    rows = np.random.default_rng(1).normal(size=(1500, 3))
    wanted = np.where(np.arange(1500) < 1000, 50 + 10 * rows[:, 0], 100.0)
    weights = (np.arange(1500) < 1000).astype(float)
    network = learn_together(rows, wanted, weights, Shape((1.0,), 8, 60, 0.0), 0)
    assert abs(network(rows)[:, 0] - 50 - 10 * rows[:, 0]).mean() < 2


def test_no_text_leaves_the_scale_of_difficulty() -> None:
    rows = np.linspace(-3, 3, 200)[:, None]
    network = learn_together(rows, 50 + 200 * rows[:, 0], np.ones(200), Shape((1.0,), 4, 5, 0.0), 0)
    said = network(100 * rows)
    assert said.min() >= 0
    assert said.max() <= 100


def test_estimates_whose_parts_are_apart_are_less_certain() -> None:
    """Computed by hand: 9 + 4 * 2 ** 2 is 25."""
    error = ErrorModel(9.0, 0.0, 1.0, 0.0, 3.0, by_parts=4.0)
    parts = apart(np.array([[52.0, 48.0], [50.0, 50.0]]))
    estimates, words, squares = np.full(2, 50.0), np.full(2, 100.0), np.ones(2)
    few = np.ones(2)
    assert error.of(estimates, words, squares, parts, few) == pytest.approx([5.0, 3.0])


def test_hard_texts_and_pages_are_less_certain_where_the_errors_say_so() -> None:
    """By hand: exp(1) from end to end of the scale, and four times the square for a page."""
    error = ErrorModel(9.0, 0.0, 1.0, 0.0, 3.0, rising=1.0, of_pages=4.0)
    estimates, parts = np.array([0.0, 100.0, 0.0]), np.array([1.0, 1.0, 5.0])
    errors = error.of(estimates, np.full(3, 100.0), np.ones(3), np.zeros(3), parts)
    assert errors == pytest.approx([3.0, 3.0 * np.exp(0.5), 6.0])


def test_the_error_of_texts_from_elsewhere_covers_two_thirds_of_passages_and_of_pages() -> None:
    """Pages err three times as much, and hard texts twice as much as easy ones."""
    chance = np.random.default_rng(3)
    count = 4000
    sets = np.where(np.arange(count) < 3000, "readings", "read_pages")
    parts = np.where(sets == "readings", 1.0, 8.0)
    estimates = chance.uniform(5, 95, count)
    sizes = (3 + estimates / 30) * np.where(parts > 5, 3.0, 1.0)
    passages = SimpleNamespace(totals=chance.integers(50, 400, count), equal_parts=parts)
    labels = estimates + sizes * chance.normal(size=count)
    table: Any = SimpleNamespace(sets=sets, labels=labels, passages=passages)
    ones, spreads = np.ones(count), chance.uniform(0.5, 2, count)
    left_out = KindsLeftOut(estimates, estimates, spreads, ones)
    error = difficulty_error(table, left_out, Hardening(50.0, 0.5))
    inside = abs(labels - estimates) <= spreads_of(table, left_out, error)
    assert inside[parts == 1].mean() == pytest.approx(0.68, abs=0.01)
    assert inside[parts > 1].mean() == pytest.approx(0.68, abs=0.01)
    assert error.rising > 0.5
    assert error.of_pages > 4


def test_each_group_of_people_counts_the_same_for_the_error_of_a_level() -> None:
    """However many texts it judged: ten times the texts of one change nothing."""
    chance = np.random.default_rng(2)
    names = ["readings", "cefr_sp_wiki", "medreadme", "medreadme_docs", "readmepp_en"]
    sets = np.repeat(names, 100)
    labels = np.where(sets == "readings", 50.0, 3.5) + chance.normal(size=500)
    squares, words = chance.uniform(0.5, 1.5, 500), chance.integers(10, 200, 500)
    levels = labels + chance.normal(size=500) * np.where(sets == "readmepp_en", 1.5, 1.0)

    def error(rows: Any, labels: Any = labels) -> ErrorModel:
        passages = SimpleNamespace(totals=words[rows], equal_parts=np.ones(len(rows)))
        table: Any = SimpleNamespace(sets=sets[rows], labels=labels[rows], passages=passages)
        return level_error(table, levels[rows], squares[rows], squares[rows])

    once = np.arange(500)
    ten_times = np.concatenate([once, np.tile(np.flatnonzero(sets == "medreadme"), 9)])
    expected = error(once).of(levels, words, squares, squares, np.ones(500))
    found = error(ten_times).of(levels, words, squares, squares, np.ones(500))
    assert found == pytest.approx(expected, rel=0.05)
    assert error(once, np.where(sets == "cefr_sp_wiki", 6.0, labels)) == error(once)
    assert error(once, np.where(sets == "readmepp_en", 6.0, labels)) != error(once)


def test_a_page_is_of_the_fold_of_its_group_or_of_its_number() -> None:
    """A page whose document is in a set is left out with it; every other page is in some fold."""
    sets = np.array(["readings"] * 10 + ["read_once"] + ["read_pages"] * 20)
    groups = np.array([*range(10), -1, 3, *[-1] * 19])
    table: Any = SimpleNamespace(sets=sets, groups=groups)
    fold = folds_of_texts(table)
    assert fold[10] == -1
    assert fold[11] == fold[3]
    assert sorted(np.bincount(fold[12:])) == [3, 4, 4, 4, 4]


def test_two_ensembles_are_joined_to_their_mean() -> None:
    """The second reads ``difficulty_by_words`` on its own scale, and columns by its own means."""
    rng = np.random.default_rng(3)
    columns = len(passage_columns())
    rows = rng.normal(size=(300, columns))
    targets = np.stack([50 + 10 * rows[:, 0], 40 + 5 * rows[:, 1]], axis=1)

    def ensemble(members: int, seed: int) -> Prepared:
        shape = Shape((1.0,) * members, 4, 2, 0.0)
        center, scale = rng.normal(size=columns), rng.uniform(0.5, 2, columns)
        standard = standardised(rows, center, center, scale, 4.0)
        network = learn_together(standard, targets, np.ones(300), shape, seed)
        return Prepared(center, center, scale, replace(network, link="identity"), 1e9)

    first, second = ensemble(3, 0), ensemble(2, 1)
    others = rows.copy()
    index = passage_columns().index("difficulty_by_words")
    others[:, index] = 1.5 + 0.8 * rows[:, index]
    both = joined(first, second, (1.5, 0.8))(rows)
    one, two = first(rows), second(others)
    assert both[:, :2] == pytest.approx(0.35 * one[:, :2] + 0.65 * two[:, :2], abs=0.05)  # float16
    assert both[:, 2:] == pytest.approx(np.hstack([one[:, 2:], two[:, 2:]]), abs=0.1)


def test_a_bundle_with_two_ensembles_gets_no_third() -> None:
    network = load_bundle("open").model.network
    with pytest.raises(SystemExit, match="has a second ensemble already"):
        joined(network, network, (0.0, 1.0))
