"""One's own estimator: the blend, labels as people write them, and what Python users do."""

import contextlib
import json
import shlex
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.conftest import Run

import understandability as ud
from understandability.errors import InputError, OptionError, WrongTypeError
from understandability.evaluation.correlation import spearman
from understandability.feature.batch import Batch
from understandability.model.blend import BlendModel, Prior, blend_columns
from understandability.model.bundle import load_bundle
from understandability.model.card import card
from understandability.model.spelling import Spelling
from understandability.text.analysis import document_of_text
from understandability.training import labelled
from understandability.training.baselines import tfidf_out_of_fold
from understandability.training.blend import Proof, fit_prior, fit_ridge, prove
from understandability.training.duplicates import joined_groups, near_duplicates
from understandability.training.spelling import SpellingReader, fit_spelling
from understandability.training.train import folded_labels
from understandability.training.validation import class_measures, weighted_kappa

pytestmark = pytest.mark.usefixtures("few_resamples")
RNG = np.random.default_rng(11)
NOUNS = [
    "dog",
    "cat",
    "bird",
    "house",
    "tree",
    "school",
    "friend",
    "doctor",
    "garden",
    "kitchen",
    "river",
    "mountain",
    "teacher",
]
TERMS = [
    "hypertension",
    "arrhythmia",
    "neuropathy",
    "sclerosis",
    "carcinoma",
    "thrombosis",
    "stenosis",
    "fibrosis",
]


def text_of(hard: int, seed: int) -> str:
    """Return five sentences, some of them hard."""
    rng = np.random.default_rng(seed)
    sentences = [
        f"Progressive {rng.choice(TERMS)} notwithstanding, concomitant {rng.choice(TERMS)} may "
        f"exacerbate pre-existing {rng.choice(TERMS)} in the {rng.choice(NOUNS)} number {seed}."
        if number < hard
        else f"The {rng.choice(NOUNS)} and the {rng.choice(NOUNS)} went to the {rng.choice(NOUNS)} "
        f"near the {rng.choice(NOUNS)}."
        for number in range(5)
    ]
    return " ".join(sentences)


LEVELS = [number % 4 for number in range(80)]
TEXTS = [text_of(level, seed) for seed, level in enumerate(LEVELS)]
BINARY = [int(level >= 2) for level in LEVELS]


@pytest.fixture(scope="module")
def trained(few_resamples: None) -> Any:
    return ud.train(TEXTS, BINARY, direction="higher-harder", folds=4, name="mine")


def test_the_blend_is_the_default_and_its_leaderboard_has_open_and_words(trained: Any) -> None:
    names = [row["score"] for row in trained.figures]
    assert names[:4] == ["mine, out of fold", "open", "open, level", "TF-IDF ridge, out of fold"]
    assert {"smog", "log_likelihood_pubmed_reddit"} < {*names}
    assert trained.estimator == trained.bundle.model.estimator == "blend"
    first = next(iter(trained.figures))
    assert first["auc"] > 0.9
    assert first["auc_low"] <= first["auc"] <= first["auc_high"]
    assert {"accuracy", "kappa"} < {*first}
    card = trained.bundle.card["figures"]
    assert [row["score"] for row in card] == names
    assert "ROC AUC" in trained.figures.to_markdown()
    assert "Accuracy and kappa" in trained.bundle.card["figures_note"]


def test_a_blend_reads_and_writes_the_same_numbers(trained: Any, tmp_path: Path) -> None:
    trained.save(tmp_path / "mine")
    again = load_bundle(tmp_path / "mine")
    assert again.reader == trained.bundle.reader
    one, other = (ud.score_text(TEXTS[0], bundle=b) for b in (trained, str(tmp_path / "mine")))
    assert one["difficulty"] == other["difficulty"]
    assert one["p_understandable"] == other["p_understandable"] > 0.5
    assert not np.isnan(one["level"])
    trained.save(tmp_path / "mine")
    assert load_bundle(tmp_path / "mine").checksum == again.checksum


def test_scores_do_not_need_what_trained_them(trained: Any, tmp_path: Path, python: Any) -> None:
    """Neither XGBoost nor scikit-learn is imported to score with a blend."""
    trained.save(tmp_path / "mine")
    program = (
        "import sys, understandability as ud\n"
        f"ud.score_text({TEXTS[0]!r}, bundle={str(tmp_path / 'mine')!r})\n"
        "print(*{'sklearn', 'xgboost', 'scipy'} & {*sys.modules})"
    )
    assert python(program).split() == []


@pytest.mark.parametrize(
    "damage", ["share", "weights", "prior", "direct", "base", "labels", "center"]
)
def test_a_damaged_blend_is_one_sentence(trained: Any, damage: str) -> None:
    model, files = trained.bundle.model.to_parts()
    for value in (None, "x", [1], -1, 1e99, {}):
        with pytest.raises(InputError) as caught:
            BlendModel.from_parts({**model, damage: value}, files)
        assert "\n" not in str(caught.value)


def proof_of(prior: Any, distances: Any, targets: Any, groups: Any = None) -> Proof:
    """Return a proof of texts of equal weight, whose groups are dealt to ten folds."""
    count = len(targets)
    numbers = np.arange(count) if groups is None else groups
    return Proof(prior, distances, targets, np.ones(count), numbers, numbers % 10)


def test_without_a_gain_the_share_is_0() -> None:
    """Labels that nothing in a text explains leave `open` as it is."""
    values = RNG.normal(size=200)
    noise = RNG.normal(size=200)
    proof = proof_of(values, noise[:, None], values + RNG.normal(size=200))
    assert proof.mixture().share == 0
    right = proof_of(values, noise[:, None], values + noise)
    assert right.mixture().share == pytest.approx(1)


def test_five_learners_of_noise_prove_nothing() -> None:
    """The gain is measured on texts that the weights of the learners were not fitted to."""
    shares = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        proof = proof_of(np.zeros(50), rng.normal(size=(50, 5)), rng.normal(size=50))
        shares.append(proof.mixture().share)
    assert np.mean(shares) < 0.1


def test_estimates_of_several_folds_are_comparable() -> None:
    """Pooled over folds, noise is not estimated worse than by chance.

    The mean label of the other folds is low where the labels of a fold are high.
    """
    agreements = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        inputs, labels = rng.normal(size=(60, 1)), rng.exponential(size=60) ** 2
        task = folded_labels(inputs, labels, range(60), "linear-regressor", folds=10)
        agreements.append(spearman(task.out_of_fold(), labels))
    assert np.mean(agreements) > -0.1


def test_a_line_over_open_orders_held_out_texts_as_open_does() -> None:
    """With skewed labels too, rescaling `open` costs nothing out of fold."""
    rng = np.random.default_rng(1)
    batch = Batch([document_of_text(text) for text in TEXTS])
    spelling = SpellingReader()
    spelling.add(batch)
    difficulty = rng.normal(50, 20, len(TEXTS))
    rows = np.zeros((len(TEXTS), len(blend_columns())))
    rows[:, -3] = difficulty
    labels = np.exp((difficulty + rng.normal(0, 40, len(TEXTS))) / 12)
    numbers = np.arange(len(TEXTS))
    proof = prove(rows, spelling.texts(), labels, np.ones(len(TEXTS)), numbers, numbers % 10, 0)
    assert spearman(proof.prior, labels) > spearman(difficulty, labels) - 0.01


def test_groups_of_copies_are_no_more_proof_than_one() -> None:
    values, step = RNG.normal(size=30), RNG.normal(size=30)
    targets = values + 0.5 * step + RNG.normal(size=30)
    proof = proof_of(values, step[:, None], targets)
    parts = [np.repeat(part, 9, axis=0) for part in (values, step[:, None], targets)]
    copied = proof_of(*parts, np.repeat(np.arange(30), 9))
    assert copied.mixture().share == pytest.approx(proof.mixture().share)


def test_the_learner_that_explains_the_labels_gets_most_of_the_weight() -> None:
    """Without evidence weights are near equal; none is negative."""
    values, distances = RNG.normal(size=300), RNG.normal(size=(300, 3))
    targets = values + distances[:, 1] - 0.5 * distances[:, 2]
    proof = proof_of(values, distances, targets)
    weights = proof.mixture().weights
    assert weights[1] > 0.7 > 0.2 > weights[0] > weights[2] == 0
    nothing = proof_of(values, np.zeros((300, 3)), targets)
    assert nothing.mixture().weights.tolist() == [1 / 3] * 3
    assert nothing.mixture().share == 0


def test_spelling_is_fitted_in_training_as_it_is_read_in_scoring() -> None:
    """The same estimates from sparse matrices and from a batch, whatever the batches were."""
    documents = [*map(document_of_text, [*TEXTS[:40], "", "Flu, flu, FLU! Flu?"])]
    reader = SpellingReader()
    for part in (documents[:7], documents[7:30], documents[30:]):
        reader.add(Batch(part))
    texts = reader.texts()
    targets = np.arange(42.0) % 7
    spelling = fit_spelling(texts, targets, np.ones(42))
    assert spelling(Batch(documents)) == pytest.approx(texts.estimates(spelling), rel=1e-5)
    whole = spelling(Batch(documents))
    alone = np.concatenate([spelling(Batch([document])) for document in documents])
    assert (alone == whole).all()
    assert np.corrcoef(whole, targets)[0, 1] > 0.5
    again = Spelling.from_files({"s": spelling.to_bytes()}, "s")
    assert (again(Batch(documents)) == whole).all()


def test_spelling_is_a_ridge_regression_by_another_solver() -> None:
    """The normal equations, solved densely with weights; texts of weight 0 do not count."""
    reader = SpellingReader()
    reader.add(Batch([*map(document_of_text, TEXTS[:30])]))
    texts = reader.texts()
    targets, weights = np.arange(30.0), 1.0 + np.arange(30.0) % 3
    spelling = fit_spelling(texts, targets, weights)
    rows = (texts.words @ texts.runs).toarray()
    centered = rows - np.average(rows, axis=0, weights=weights)
    penalty = np.average((centered**2).sum(axis=1), weights=weights) * weights.mean()
    kernel = centered @ centered.T + penalty * np.diag(1 / weights)
    mean = np.average(targets, weights=weights)
    expected = mean + centered @ centered.T @ np.linalg.solve(kernel, targets - mean)
    assert texts.estimates(spelling) == pytest.approx(expected, rel=1e-3)


def test_the_prior_never_falls_with_difficulty_or_level() -> None:
    outputs = RNG.normal(size=(50, 2))
    prior = fit_prior(outputs, -outputs[:, 0] + 0.5 * outputs[:, 1], np.ones(50))
    assert prior.difficulty == 0 < prior.level
    for numbers in ((0.0, -1.0, 0.0), (0.0, float("nan"), 0.0)):
        with pytest.raises(InputError):
            Prior(*numbers)


def test_the_ridge_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import RidgeCV

    rows = RNG.normal(size=(60, 5)) * [1, 10, 0.1, 3, 2] + 4
    targets = rows @ [1, 0.1, 5, 0, 0] + RNG.normal(size=60)
    ours = fit_ridge(rows, targets, np.ones(60))
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    theirs = RidgeCV(np.geomspace(0.1, 1e5, 25)).fit(scaled, targets)
    np.testing.assert_allclose(ours(rows)[:, 0], theirs.predict(scaled), rtol=1e-6)


def test_weights_count_as_so_many_copies() -> None:
    rows, targets = RNG.normal(size=(40, 3)), RNG.normal(size=40)
    weights = np.where(np.arange(40) < 10, 3.0, 1.0)
    twice = np.repeat(np.arange(40), weights.astype(int))
    outputs = fit_prior(rows, targets, weights)
    copies = fit_prior(rows[twice], targets[twice], np.ones(len(twice)))
    assert outputs.start == pytest.approx(copies.start)
    assert outputs.level == pytest.approx(copies.level)


# -- near-duplicates -----------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["{} Again.", "{}", "As they say: {}", "{} (2)", "\n{}\n"])
def test_near_duplicates_are_found(change: str) -> None:
    texts = [*TEXTS, *(change.format(text) for text in TEXTS[:40])]
    pairs = near_duplicates(map(document_of_text, texts)).tolist()
    assert {(i, 80 + i) for i in range(40)} <= {(one, other) for one, other in pairs}
    assert not [pair for pair in pairs if pair[1] < 80]


def test_copies_do_not_raise_the_figures_out_of_fold() -> None:
    """Random labels of texts that are all there twice must not look learned."""
    rng = np.random.default_rng(2)
    labels = rng.permutation(LEVELS).tolist() * 2
    texts = [*TEXTS, *(f"{text} Again." for text in TEXTS)]
    # What labels teach here is chance, so that the estimates may not even rise with them.
    with contextlib.suppress(InputError):
        result = ud.train(texts, labels, direction="harder", folds=4)
        assert abs(next(iter(result.figures))["pearson"]) < 0.4
        assert any("80 texts joined" in remark for remark in result.remarks)


# -- labels as they come -------------------------------------------------------------------------


def table(labels: list[Any], **more: list[Any]) -> dict[str, list[Any]]:
    return {"id": list(range(80)), "text": TEXTS, "label": labels, **more}


@pytest.mark.parametrize(
    ("labels", "how", "lowest"),
    [
        ([["easy", "medium", "hard", "HARD "][n] for n in LEVELS],
         {"order": "easy,medium,hard"}, "easy is"),
        ([["no", "no", "yes", "Yes"][n] for n in LEVELS], {"direction": "harder"}, "no is"),
        ([["A2", "B1", "B2", "C1"][n] for n in LEVELS], {}, "A2 is 10"),
        ([f"{25 * n} %" for n in LEVELS], {"direction": "harder"}, "0 is"),
        ([f"{n},5" for n in LEVELS], {"direction": "harder"}, "0.5 is"),
        ([bool(n >= 2) for n in LEVELS], {"direction": "harder"}, "no is"),
        ([["NA", "2", "nan", "3"][n] if i > 7 else n for i, n in enumerate(LEVELS)],
         {"direction": "harder"}, "0 is"),
    ],
)  # fmt: skip
def test_labels_are_read_as_people_write_them(
    labels: list[Any], how: dict[str, Any], lowest: str
) -> None:
    result = ud.train(
        table(list(map(str, labels)) if not isinstance(labels[0], bool) else labels),
        estimator="linear-regressor", features=["readability"], folds=4, **how,
    )  # fmt: skip
    assert next(iter(result.figures))["spearman"] > 0.6
    assert result.bundle.card["training"][0]["labels_in_difficulty"].startswith(lowest)


@pytest.mark.parametrize(
    ("labels", "how", "message"),
    [
        (["easy", "hard"] * 40, {"direction": "harder"}, "--order easy,medium,hard"),
        (["easy", "odd"] * 40, {"order": ["easy", "hard"]}, "'odd', not one of easy, hard"),
        (["easy", "hard"] * 40, {"order": "easy"}, "two or more different words"),
        (["1,500", "2"] * 40, {"direction": "harder"}, "not a number"),
        (["yes", "no"] * 40, {}, "no is 0, yes is 1.*higher-harder or higher-easier"),
        (BINARY, {"scale": "difficulty", "direction": "harder"}, "easiest hundredth.*'range'"),
        (LEVELS, {"direction": "harder", "weight": "w"}, "the weight 'w' is 'much'"),
        (LEVELS, {"direction": "harder", "threshold_label": 99}, "every label is easier"),
        (LEVELS, {"direction": "harder", "threshold_label": "odd"}, "threshold_label="),
        (LEVELS, {"lable": "label"}, "no keyword 'lable'.*did you mean 'label'"),
        (LEVELS, {"direction": "harder", "features": ["smog"], "estimator": "blend"},
         "the blend reads the columns of passages"),
    ],
)  # fmt: skip
def test_labels_that_cannot_be_read_say_what_to_do(
    labels: list[Any], how: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, OptionError), match=message):
        ud.train(table(labels, w=["much"] * 80), folds=4, **how)


def test_ratings_of_one_text_are_averaged() -> None:
    """In several columns, or in several rows of one id and text."""
    one, other = np.array(LEVELS, float), np.array(LEVELS, float) + 1
    wide = table(one.tolist(), second=other.tolist())
    how: dict[str, Any] = {
        "direction": "harder", "estimator": "linear-regressor", "features": ["readability"],
        "folds": 4,
    }  # fmt: skip
    of_columns = ud.train(wide, label="label,second", **how).estimates.to_pydict()
    long = {
        "id": [*range(80)] * 2, "text": TEXTS * 2, "label": [*one.tolist(), *other.tolist()],
    }  # fmt: skip
    result = ud.train(long, **how)
    of_rows = result.estimates.to_pydict()
    assert of_columns["label"] == of_rows["label"] == (one + 0.5).tolist()
    assert of_columns["difficulty"] == of_rows["difficulty"]
    assert "80 rows with a further rating" in result.remarks[0]


def test_estimates_out_of_fold_have_the_labels_of_the_table() -> None:
    result = ud.train(
        table([-level for level in LEVELS]), direction="higher-easier", folds=4,
        estimator="linear-regressor", features=["readability"],
    )  # fmt: skip
    assert result.estimates["label"].to_pylist() == [-level for level in LEVELS]


# -- P(U|d) ----------------------------------------------------------------------------------------


def test_a_threshold_label_gives_p(few_resamples: None) -> None:
    """At the threshold half of the readers understand; labels below it are understood."""
    result = ud.train(
        table(LEVELS), direction="harder", folds=4, threshold_label=2, scale="range"
    )  # fmt: skip
    assert any("P(U|d) is the probability of a label easier than 2" in r for r in result.remarks)
    easy, hard = (
        ud.score_text(TEXTS[index], bundle=result)["p_understandable"] for index in (0, 3)
    )
    assert easy > 0.6 > 0.4 > hard


def test_a_bundle_without_a_reader_says_how_to_get_one(understand: Run, tmp_path: Path) -> None:
    result = ud.train(
        table(LEVELS), direction="harder", folds=4, estimator="linear-regressor",
        features=["readability"],
    )  # fmt: skip
    assert any("--threshold-label" in remark for remark in result.remarks)
    result.save(tmp_path / "mine")
    page = tmp_path / "a.txt"
    page.write_text(TEXTS[0])
    out = tmp_path / "s.csv"
    done = understand("score", page, "--bundle", tmp_path / "mine", "-o", out, status=0)
    assert "general public" not in done.stderr + done.stdout
    assert "--threshold-label" in done.stderr
    named = ("--reader", "public")
    done = understand("score", page, "--bundle", tmp_path / "mine", *named, "-o", out, status=2)
    assert "means nothing on" in done.stderr


# -- Python ----------------------------------------------------------------------------------------


def test_objects_stand_wherever_paths_do(trained: Any, tmp_path: Path) -> None:
    labels = table(BINARY)
    [result] = ud.validate(trained, labels, direction="harder").sets
    names = [row.name for row in result.agreements]
    assert names[:4] == ["mine", "mine, raw output", "open", "open, level"]
    assert "trained on these very texts" in result.remarks[0]
    with pytest.raises(WrongTypeError, match="not a list"):
        ud.validate([trained], labels, direction="harder")  # type: ignore[arg-type]
    rescaled = ud.rescale(trained, labels, direction="harder")
    assert "trained on these very texts" in rescaled.remarks[0]
    frame = pd.DataFrame(list(ud.score(dict(enumerate(TEXTS)))))
    frame["understood"] = [not label for label in BINARY]
    fitted = ud.calibrate(frame)
    assert fitted.reader.scale == "readings.v1"
    fitted.save(tmp_path / "me.json")
    row = ud.score_text(TEXTS[0], reader=fitted)
    assert row == ud.score_text(TEXTS[0], reader=str(tmp_path / "me.json"))
    with pytest.raises(WrongTypeError, match="reader takes"):
        ud.score_text(TEXTS[0], reader=3)


def test_a_bundle_in_memory_scores_as_its_folder_does(trained: Any, tmp_path: Path) -> None:
    """In this process and in workers, for pages, tables and crawl folders."""
    trained.save(tmp_path / "mine")
    folder = str(tmp_path / "mine")
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, text in enumerate(TEXTS[:4]):
        (pages / f"{number}.txt").write_text(text)
    for given in (trained, trained.bundle):
        for how in ({"workers": 1}, {"workers": 2}):
            own, expected = (
                ud.score(pages, bundle=bundle, **how).to_arrow() for bundle in (given, folder)
            )
            assert own.equals(expected)
        ud.score(pages, tmp_path / "rows.parquet", bundle=given)
        status = ud.crawl(pages, tmp_path / "crawl", bundle=given, workers=1)
        assert status.facts.scored == 4  # the second time the folder is continued
        assert ud.score_table({"t": TEXTS[:4]}, text="t", bundle=given)["difficulty"] == (
            own["difficulty"].to_pylist()
        )
        assert "mine" in card(given)
    wrong: Any = [trained]
    for call in (
        lambda: ud.score("a", bundle=wrong),
        lambda: ud.score_text("a", bundle=wrong),
        lambda: card(wrong),
        lambda: ud.train(TEXTS, BINARY, direction="harder", backgrounds=[wrong]),
    ):
        with pytest.raises(WrongTypeError, match=r"a Bundle, or a result of train.*not a list"):
            call()


def test_a_background_bundle_in_memory_gives_a_feature() -> None:
    bundle = load_bundle("background-mlp")
    by_name, by_object = (
        ud.features(TEXTS[:2], groups=["background models"], bundles=[b]).to_arrow()
        for b in ("background-mlp", bundle)
    )
    assert by_name.equals(by_object)


@pytest.mark.parametrize(
    ("texts", "values", "message"),
    [
        (TEXTS, BINARY[:-1], "80 texts and 79 labels"),
        ("a text", [1], "a sequence of texts"),
        ([1, 2], [1, 2], r"takes texts \(str\), not int"),
    ],
)
def test_texts_and_labels_that_do_not_fit_are_named(texts: Any, values: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        ud.train(texts, values, direction="harder")


def test_frames_are_read_by_their_column_of_texts() -> None:
    """The names of the columns were read as texts."""
    from sklearn.pipeline import make_pipeline

    from understandability.feature.transformer import FeatureTransformer
    from understandability.training.learners import DifficultyRegressor

    frame = pd.DataFrame({"id": range(5), "text": TEXTS[:5]})
    expected = ud.features(TEXTS[:5], ["words"]).to_arrow()["words"].to_pylist()
    for source in (frame, frame[["text"]], frame["text"].tolist()):
        assert ud.features(source, ["words"]).to_arrow()["words"].to_pylist() == expected
    transformer = FeatureTransformer(["words"])
    for source in (frame, frame[["text"]], frame["text"], frame[["text"]].to_numpy()):
        assert transformer.fit_transform(source)[:, 0].tolist() == expected
    with pytest.raises(WrongTypeError, match="no column text; choose one of its columns"):
        transformer.fit_transform(frame.rename(columns={"text": "body"}))
    grouped = make_pipeline(
        FeatureTransformer(["readability"]), DifficultyRegressor("linear-regressor")
    )
    assert grouped.fit(frame, range(5)).predict(frame).shape == (5,)
    assert "smog" in grouped[0].get_feature_names_out()


def test_groups_and_sets_are_searched_as_other_parameters() -> None:
    """A grid over groups, a set, and single features; the best fits the labels."""
    from sklearn.model_selection import GridSearchCV, GroupKFold
    from sklearn.pipeline import Pipeline

    from understandability.feature.transformer import FeatureTransformer
    from understandability.training.learners import DifficultyRegressor

    pipeline = Pipeline(
        [("features", FeatureTransformer()), ("model", DifficultyRegressor("linear-regressor"))]
    )
    choices = [["readability"], ["study2018"], ["readability", "sentences"], ["sentences"]]
    search = GridSearchCV(pipeline, {"features__features": choices}, cv=GroupKFold(3))
    frame = pd.DataFrame({"text": TEXTS})
    search.fit(frame, LEVELS, groups=[index // 4 for index in range(80)])
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert scores[0] > scores[3]
    assert search.best_params_["features__features"] != ["sentences"]
    assert search.predict(frame).shape == (80,)
    widths = [
        len(FeatureTransformer(choice).fit(TEXTS).get_feature_names_out()) for choice in choices
    ]
    assert widths[0] + 1 == widths[2] > widths[3] == 1
    assert widths[1] > 50


def test_a_hostile_card_reaches_no_terminal_and_no_page(
    trained: Any, understand: Run, tmp_path: Path
) -> None:
    trained.save(tmp_path / "mine")
    path = tmp_path / "mine" / "bundle.json"
    card = json.loads(path.read_text())
    evil = "\x1b[2J\u202e<script>alert(1)</script>[x](javascript:1)|"
    card |= {"name": evil, "licence": evil, "summary": evil, "intended_use": evil}
    card["reader"]["description"] = evil
    card["figures"] = [{evil: evil}]
    path.write_text(json.dumps(card))
    page = tmp_path / "a.txt"
    page.write_text(TEXTS[0])
    for command in (
        ("bundle", "show", tmp_path / "mine"),
        ("bundle", "show", tmp_path / "mine", "--markdown"),
        ("score", page, "--bundle", tmp_path / "mine", "-o", tmp_path / "s.csv"),
        ("explain", page, "--bundle", tmp_path / "mine", "-o", tmp_path / "e.html"),
    ):
        done = understand(*command, status=0)
        assert not {"\x1b", "\u202e"} & {*done.stdout, *done.stderr}
        if "--markdown" in command:
            assert "<script>" not in done.stdout
            assert "\\[x\\]" in done.stdout
    assert "<script>alert" not in (tmp_path / "e.html").read_text("utf-8")


# -- measures --------------------------------------------------------------------------------------


def test_measures_of_classes_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import cohen_kappa_score, roc_auc_score

    labels = RNG.integers(0, 4, 100).astype(float)
    classes = np.clip(labels + RNG.integers(-1, 2, 100), 0, 3)
    theirs = cohen_kappa_score(classes, labels, weights="quadratic")
    assert weighted_kappa(classes, labels) == pytest.approx(theirs)
    values, truth = RNG.normal(size=100).round(1), RNG.integers(0, 2, 100)
    assert class_measures(values, truth.astype(float))["auc"] == pytest.approx(
        roc_auc_score(truth, values)
    )
    assert class_measures(values, RNG.normal(size=100)) == {}


def test_words_that_no_other_text_has_make_no_ridge() -> None:
    from understandability.training.labelled import LabelColumns, read_labelled

    texts = [f"one{n} two{n} three{n}" for n in range(40)]
    labelled = read_labelled("x", LabelColumns("harder"), {"text": texts, "label": range(40)})
    assert tfidf_out_of_fold([labelled], np.arange(40) % 4) is None


@pytest.mark.parametrize("name", ["svm-regressor", "mlp-regressor", "random-forest-regressor"])
def test_regressors_learn_from_few_texts_and_from_difficulties(name: str) -> None:
    """Targets of 0 to 100 left a penalty of 1 without effect, and 50 texts made one leaf."""
    from understandability.training.learners import DifficultyRegressor

    rows = RNG.normal(size=(120, 3))
    targets = 50 + 20 * rows[:, 0]
    model = DifficultyRegressor(name).fit(rows[:60], targets[:60])
    assert np.corrcoef(model.predict(rows[60:]), targets[60:])[0, 1] > 0.8


def test_passages_name_the_columns_of_the_blend() -> None:
    result = ud.train(
        TEXTS, LEVELS, direction="harder", folds=4, estimator="linear-regressor",
        features="passages",
    )  # fmt: skip
    assert result.bundle.model.names == blend_columns()
    assert isinstance(result.bundle.model, BlendModel)


def test_a_large_table_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch, trained: Any) -> None:
    """Documents that are created again for each step give the same bundle."""
    monkeypatch.setattr(labelled, "_MOST_KEPT", 20)
    again = ud.train(TEXTS, BINARY, direction="higher-harder", folds=4, name="mine")
    assert again.bundle.checksum == trained.bundle.checksum
    assert again.estimates == trained.estimates


@pytest.mark.parametrize("estimator", ["blend", "linear-regressor"])
def test_beyond_the_limit_texts_are_estimated_but_not_learned_from(
    monkeypatch: pytest.MonkeyPatch, estimator: str
) -> None:
    monkeypatch.setattr("understandability.training.train._MOST_TEXTS", 60)
    steps = []
    result = ud.train(
        TEXTS, [*LEVELS[:70], *[None] * 10], direction="harder", folds=4, estimator=estimator,
        progress=lambda step, done, total: steps.append(step),
    )  # fmt: skip
    rows = result.estimates.to_pylist()
    others = [number for number, row in enumerate(rows) if row["fold"] < 0]
    assert len(others) == 20
    for number in others:
        expected = ud.score_text(TEXTS[number], bundle=result)["difficulty"]
        assert rows[number]["difficulty"] == pytest.approx(expected, rel=1e-6)
    assert {row["n"] for row in result.figures} == {60}
    assert {"reading labels", "comparing texts", "estimating the other texts"} < {*steps}
    assert any("drawn at random" in remark for remark in result.remarks)


def test_one_long_id_does_not_cost_its_length_for_each_text() -> None:
    ids = [f"{number}" for number in range(79)] + ["x" * 1_000_000]
    table = {"id": ids, "text": TEXTS, "label": LEVELS}
    texts = labelled.read_sets(table, labelled.LabelColumns("harder"))
    tracemalloc.start()
    groups, joined = joined_groups(texts)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert len(set(groups.tolist())) == 80 - joined


def test_sequences_go_with_texts_and_labels_in_training_and_validation(trained: Any) -> None:
    groups = [f"site{number // 2}" for number in range(80)]
    options = {"direction": "harder", "group": groups, "weight": [1.0] * 80, "id": range(100, 180)}
    result = ud.train(TEXTS, LEVELS, folds=4, **options)
    assert result.figures.sets[0].groups == 40
    assert result.estimates["docno"][0].as_py() == "100"
    assert ud.validate(trained, TEXTS, LEVELS, **options).sets[0].groups == 40
    assert ud.rescale(trained, TEXTS, LEVELS, **options).groups <= 40
    for call in (ud.train, lambda *args, **more: ud.validate(trained, *args, **more)):
        with pytest.raises(WrongTypeError, match="80 texts and 1 group"):
            call(TEXTS, LEVELS, direction="harder", group=["a"])
        with pytest.raises(WrongTypeError, match="group takes the name of a column, not"):
            call({"text": TEXTS, "label": LEVELS}, direction="harder", group=groups)
    with pytest.raises(WrongTypeError, match=r"validate\(bundle, texts, labels\)$"):
        ud.validate(trained, ["Rest.\nDrink."], direction="harder")


def test_texts_that_are_missing_are_left_out_as_such() -> None:
    texts = [float("nan"), None, *TEXTS[2:]]
    result = ud.train(texts, LEVELS, direction="harder", folds=4, estimator="linear-regressor")
    assert result.figures.sets[0].left_out["no text"] == ("1", "2")


def test_several_raters_may_be_a_list_of_columns() -> None:
    table = {"text": TEXTS, "anna": LEVELS, "ben": [level + 1 for level in LEVELS]}
    texts = labelled.read_sets(table, labelled.LabelColumns("harder", label=["anna", "ben"]))
    assert texts[0].labels[:3].tolist() == [0.5, 1.5, 2.5]


def test_the_next_command_reads_a_table_with_the_same_columns(
    understand_process: Run, tmp_path: Path
) -> None:
    words = ["easy", "medium", "hard", "very hard"]
    frame = pd.DataFrame({"my text": TEXTS, "how hard": [words[level] for level in LEVELS]})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    options = [
        "--label-column", "how hard", "--order", ",".join(words), "--text-column", "my text",
    ]  # fmt: skip
    done = understand_process(
        "train",
        "judged",
        "--labels",
        "mine.csv",
        *options,
        "--folds",
        "4",
        "-o",
        "my own",
        cwd=tmp_path,
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(
        "understand validate 'my own' OTHER_FILE --label-column 'how hard' --order "
        "'easy,medium,hard,very hard' --text-column 'my text'"
    )
    command = shlex.split(
        last[last.index("understand validate") :].replace("OTHER_FILE", "mine.csv")
    )
    assert understand_process(*command[1:], cwd=tmp_path).returncode == 0


def test_a_bundle_without_a_reader_says_for_whom_it_scores(
    understand_process: Run, tmp_path: Path
) -> None:
    trained = ud.train(TEXTS, LEVELS, direction="harder", folds=4, estimator="linear-regressor")
    trained.save(tmp_path / "mine")
    (tmp_path / "page.txt").write_text(TEXTS[0])
    assert understand_process(
        "score", "page.txt", "--bundle", "mine", cwd=tmp_path
    ).stdout.startswith("for no reader; bundle ")
    with_threshold = understand_process(
        "score", "page.txt", "--bundle", "mine", "--threshold", "50", cwd=tmp_path
    ).stdout
    assert with_threshold.startswith("for a reader with threshold 50.0; bundle ")


def test_labels_of_a_former_scale_are_not_difficulties_of_the_new_one(trained: Any) -> None:
    card = ud.rescale(trained, TEXTS, LEVELS, direction="harder").bundle.card
    former, new = card["training"]
    assert "labels_in_difficulty" in new
    assert "labels_in_difficulty" not in former
