"""Train a bundle with its figures from labels, in one call."""

from typing import Any

import numpy as np
import pytest
from tests.conftest import EASY, HARD, own_words

import understandability as ud
from understandability.errors import OptionError
from understandability.feature.feature_sets import columns_named, study_columns
from understandability.training import validation
from understandability.training.train import FoldedLabels, folded_labels
from understandability.training.validation import agreement

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_resamples")]

RNG = np.random.default_rng(3)


def labels(count: int = 60) -> dict[str, list[Any]]:
    """Return labels of ease that fall with the number of hard sentences."""
    hard = [number % 6 for number in range(count)]
    return {
        "docno": [f"d{number}" for number in range(count)],
        "text": [
            " ".join([HARD] * h + [EASY] * (6 - h) + [own_words(number)])
            for number, h in enumerate(hard)
        ],
        "ease": [5.0 - h for h in hard],
        "site": [number // 3 for number in range(count)],
    }


@pytest.fixture(scope="module")
def trained(few_resamples: None) -> Any:
    return ud.train(
        labels(), label="ease", direction="higher-easier", group="site", scale="range",
        estimator="linear-regressor", features=["readability", "consumer vocabulary"], folds=5,
        curve=True, name="mine",
    )  # fmt: skip


def test_figures_out_of_fold_stand_beside_the_formulas_and_the_default(trained: Any) -> None:
    rows = list(trained.figures)
    names = [row["score"] for row in rows]
    assert names[:4] == ["mine, out of fold", "open", "open, level", "TF-IDF ridge, out of fold"]
    assert {"flesch_kincaid", "smog", "dale_chall"} < set(names)
    assert rows[0]["spearman_low"] <= rows[0]["spearman"] <= rows[0]["spearman_high"]
    assert rows[0]["spearman"] > 0.9
    assert trained.bundle.card["figures"][0]["spearman"] == round(rows[0]["spearman"], 3)
    assert trained.figures.sets[0].groups == 20


def test_the_table_of_a_paper_has_each_score_with_its_intervals(trained: Any) -> None:
    row = next(iter(trained.figures))
    cell = f"{row['pearson']:.3f} [{row['pearson_low']:.3f}, {row['pearson_high']:.3f}]"
    assert f"mine, out of fold & 60 & {cell}" in trained.figures.to_latex()
    assert f"| mine, out of fold | 60 | {cell} |" in trained.figures.to_markdown()


def test_harder_texts_are_more_difficult_although_higher_labels_are_easier(trained: Any) -> None:
    table = trained.estimates.to_pydict()
    assert table["difficulty"][5] > table["difficulty"][0] + 40


def test_features_without_a_value_are_left_out_with_a_remark(trained: Any) -> None:
    """A table with the columns of vocabularies that are not installed failed in training."""
    assert any("not installed: chv" in remark for remark in trained.remarks)
    assert not any(name.startswith("chv") for name in trained.bundle.model.names)


def test_what_agrees_better_than_one_s_own_estimator_is_named() -> None:
    """This warns users whose model is worse than a formula."""
    result = ud.train(
        labels(), label="ease", direction="higher-easier", estimator="linear-regressor",
        features=["smog"], folds=5, name="mine",
    )  # fmt: skip
    rows = {row["score"]: row["spearman"] for row in result.figures}
    better = [name for name in rows if rows[name] > rows["mine, out of fold"]]
    assert better
    best = max(better, key=rows.__getitem__)
    assert f"{len(better)} of {len(rows) - 1} other scores agree better" in result.remarks[0]
    assert f"the best is {best} ({rows[best]:.3f})" in result.remarks[0]


def test_the_learning_curve_says_whether_more_labels_would_help(trained: Any) -> None:
    shares = [point.share for point in trained.curve]
    assert shares == [0.5, 1.0]  # an eighth of 48 texts is too few
    assert [point.texts for point in trained.curve] == [24, 48]
    assert trained.remarks[-1].startswith("from half of the labels to all of them, Spearman")


def test_validating_says_when_texts_were_trained_on(trained: Any) -> None:
    result = ud.validate(
        trained.bundle, labels(), label="ease", direction="higher-easier", group="site"
    )
    assert "was trained on these very texts" in result.sets[0].remarks[0]
    others = ud.validate(trained.bundle, labels(42), label="ease", direction="higher-easier")
    assert others.sets[0].remarks == ()


def test_intervals_are_those_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text ten times over is no more evidence than each text once."""
    monkeypatch.setattr(validation, "_RESAMPLES", 200)
    values = RNG.normal(size=40)
    marks = values + RNG.normal(size=40)
    ten = [np.repeat(values_, 10) for values_ in (values, marks, np.arange(40))]
    once, grouped = agreement("a", values, marks), agreement("a", *ten)
    assert grouped.intervals["pearson"] == pytest.approx(once.intervals["pearson"])
    low, high = agreement("a", *ten[:2]).intervals["pearson"]
    assert high - low < 0.6 * (once.intervals["pearson"][1] - once.intervals["pearson"][0])


def task() -> FoldedLabels:
    rows = RNG.normal(size=(90, 2))
    groups = np.arange(90) // 3
    return folded_labels(rows, rows[:, 0], groups, "linear-regressor", folds=3)


def test_a_share_of_labels_is_one_of_groups_and_never_of_the_own_fold() -> None:
    seen: list[Any] = []

    class Watched(FoldedLabels):
        def fit(self, where: Any) -> Any:
            seen.append(where)
            return super().fit(where)

    own = task()
    watched = Watched(*(getattr(own, name) for name in own.__dataclass_fields__))
    watched.out_of_fold(0.25)
    for fold, where in enumerate(seen):
        assert where.sum() == 15  # a quarter of 20 groups of three
        assert not (where & (own.fold == fold)).any()
        assert all(where[own.groups == group].all() for group in np.unique(own.groups[where]))


def test_the_study_s_table_2_has_its_groups_in_all_forms() -> None:
    columns = study_columns()
    assert {"ari", "syllables_per_sentence", "chv_score", "mesh_depth", "html_p", "oov_aspell",
            "rank_reddit_mean_all", "words_per_sentence"} < set(columns)  # fmt: skip
    assert not {"zipf_mean", "smog_readcalc", "chv_score_metamap", "gunning_fog_plain"} & {*columns}


@pytest.mark.parametrize(
    ("name", "column"),
    [("html", "html_p"), ("medical-vocabulary", "icd_concepts_per_word"), ("text", "smog"),
     ("FOG", "gunning_fog_plain"), ("dci", "dale_chall"),
     ("syllables", "syllables_per_word"), ("syllables_per_word", "syllables_per_word")],
)  # fmt: skip
def test_features_are_chosen_by_set_group_or_name(name: str, column: str) -> None:
    assert column in columns_named([name])


def test_a_wrong_feature_names_what_there_is() -> None:
    with pytest.raises(OptionError, match=r"did you mean smog\?.*study2018.*word frequency"):
        columns_named(["smug"])
