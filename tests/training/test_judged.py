"""Training on labels, and validating."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import EASY, HARD, Run, own_words

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.feature.batch import Batch
from understandability.feature.table import compute_features
from understandability.model.bundle import load_bundle
from understandability.model.calibration import Calibration, difficulty_of_level
from understandability.model.estimators import ESTIMATORS
from understandability.model.readers import probability
from understandability.text.analysis import document_of_text
from understandability.training.labelled import LabelColumns, LabelledTexts, read_labelled
from understandability.training.train import train_judged
from understandability.training.validation import (
    brier_score,
    calibration_error,
    folds_of,
    roc_auc,
    validate,
)

pytestmark = pytest.mark.usefixtures("few_resamples")
RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(90, 3))
DIFFICULTIES = 50 + 12 * ROWS[:, 0] + RNG.normal(size=90)
GROUPS = [str(number // 2) for number in range(90)]
COLUMNS = ("syllables_per_word", "words_per_sentence", "dale_chall")


def write(path: Path, records: list[dict[str, object]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def labels_in(path: Path, **more: Any) -> LabelledTexts:
    return read_labelled(str(path), LabelColumns(**{"direction": "harder", **more}))


def records(count: int = 60, **more: object) -> list[dict[str, object]]:
    """Return texts whose label rises with the share of hard sentences."""
    return [
        {
            "id": f"d{i}",
            "text": " ".join([HARD] * (i % 6) + [EASY] * (5 - i % 6) + [own_words(i)]),
            "label": 1 + i % 6,
            "group": f"g{i}",
            **more,
        }
        for i in range(count)
    ]


def test_labels_are_said_as_difficulty(tmp_path: Path) -> None:
    """Users can choose a threshold in the units of their labels, in either direction."""
    path = write(tmp_path / "own.jsonl.gz", records())
    harder = labels_in(path, scale="range").in_difficulty
    assert harder == "1 is 0, 2 is 20, 3 is 40, 4 is 60, 5 is 80, 6 is 100"
    easier = labels_in(path, scale="range", direction="easier").in_difficulty
    assert easier == "6 is 0, 5 is 20, 4 is 40, 3 is 60, 2 is 80, 1 is 100"


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("labels") / "set.jsonl.gz", records())


@pytest.mark.parametrize(
    ("groups", "count"),
    [([0, 1, 1, 2, 3, 3, 3, 4], 3), (range(10), 5), (range(11), 5), (range(2), 2)],
)
def test_folds_keep_groups_whole_and_are_even(groups: Sequence[int], count: int) -> None:
    """Numbers of groups differ by one at most; a seed gives the same folds."""
    numbers = np.array(groups)
    folds = folds_of(numbers, count, 1)
    assert len(set(zip(numbers, folds, strict=True))) == len(set(numbers))
    sizes = [len(set(numbers[folds == fold])) for fold in range(count)]
    assert max(sizes) - min(sizes) <= 1
    assert (folds == folds_of(numbers, count, 1)).all()


def test_training_twice_gives_the_same_bundle(tmp_path: Path) -> None:
    for name in ("one", "two"):
        bundle, _ = train_judged(
            ROWS, COLUMNS, DIFFICULTIES, GROUPS, "xgboost-regressor", name="b", folds=2
        )
        bundle.save(tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_documents_without_a_label_are_estimated_by_the_whole_model_only() -> None:
    some = np.where(np.arange(90) < 10, np.nan, DIFFICULTIES)
    _, estimates = train_judged(ROWS, COLUMNS, some, GROUPS, "linear-regressor")
    assert (estimates.fold[:10] == -1).all()
    assert np.isnan(estimates.difficulty[:10]).all()
    assert np.corrcoef(estimates.difficulty[10:], some[10:])[0, 1] > 0.9


@pytest.mark.parametrize("name", [name for name, row in ESTIMATORS.items() if row.classifies])
def test_classifiers_give_the_expected_difficulty(name: str) -> None:
    classes = np.where(ROWS[:, 0] > 0, 60.0, 20.0)
    if ESTIMATORS[name].on_counts:
        with pytest.raises(OptionError, match="counts of words"):
            train_judged(ROWS, COLUMNS, classes, GROUPS, name)
        return
    bundle, _ = train_judged(ROWS, COLUMNS, classes, GROUPS, name, folds=3)
    raw = bundle.model.predict(ROWS)  # type: ignore[attr-defined]
    assert ((raw >= 20) & (raw <= 60)).all()
    assert raw[ROWS[:, 0] > 0].mean() > raw[ROWS[:, 0] < 0].mean() + 2


@pytest.mark.parametrize(
    ("difficulties", "groups", "message"),
    [
        (DIFFICULTIES, ["one"] * 90, "1 group, too few for 5 folds; give more groups$"),
        (RNG.permutation(DIFFICULTIES), GROUPS, "do not rise with the labels"),
    ],
)
def test_labels_that_teach_nothing_are_refused(
    difficulties: np.ndarray, groups: list[str], message: str
) -> None:
    rows = np.ones_like(ROWS) if "rise" in message else ROWS
    with pytest.raises(InputError, match=message):
        train_judged(rows, COLUMNS, difficulties, groups, "linear-regressor")


def test_each_trained_bundle_has_a_scale_of_its_own(tmp_path: Path) -> None:
    """A reader of one is no reader of another; bundles of older versions stay as they were."""
    one, _ = train_judged(ROWS, COLUMNS, DIFFICULTIES, GROUPS, "linear-regressor")
    other, _ = train_judged(ROWS, COLUMNS, DIFFICULTIES / 2, GROUPS, "linear-regressor")
    one.save(tmp_path / "one")
    assert load_bundle(tmp_path / "one").scale == one.scale != other.scale
    old = {**one.calibration.to_json()}
    del old["scale"]
    assert Calibration.from_json(old).scale == load_bundle("llr").scale == "labels.v1"


def test_too_few_groups_say_how_many_folds_there_can_be() -> None:
    """The message also mentions that equal texts are in one group, a possible cause."""
    rows = records(60, site="")
    for number, row in enumerate(rows):
        row["site"] = f"site {number % 7}"
    rows = {name: [row[name] for row in rows] for name in rows[0]}
    how: dict[str, Any] = {"direction": "harder", "group": "site"}
    with pytest.raises(InputError, match=r"7 groups, too few .*, or --folds 7 .folds=7.$"):
        ud.train(rows, **how)
    rows["text"][:4] = [rows["text"][0]] * 4
    with pytest.raises(InputError, match=r"4 groups .7 values of 'site', joined where texts are"):
        ud.train(rows, **how)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a.jsonl", ("a.jsonl", "label", None, "rank")),
        ("a.jsonl:easier", ("a.jsonl", "label", "higher-easier", "rank")),
        ("a.jsonl:bt:easier:difficulty", ("a.jsonl", "bt", "higher-easier", "difficulty")),
        ("a.jsonl:cefr", ("a.jsonl", "label", None, "cefr")),
    ],
)
def test_a_label_source_is_what_it_says(source: str, expected: tuple[str, ...]) -> None:
    path, got = LabelColumns().stated_in(source)
    assert (path, got.label, got.direction, got.scale) == expected


@pytest.mark.parametrize("said", ["hard", "cefr:harder"])
def test_a_word_that_is_no_direction_is_named(tmp_path: Path, said: str) -> None:
    """It is not read as part of the path."""
    path = tmp_path / "others.csv"
    path.write_text("text,rating\n")
    word = said.partition(":")[0]
    with pytest.raises(OptionError, match=f"'{word}' is not one of harder, easier"):
        LabelColumns().stated_in(f"{path}:rating:{said}")


def test_labels_are_turned_to_harder_is_higher(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl.gz", records())
    harder = labels_in(path, scale="cefr")
    easier = labels_in(path, direction="easier", scale="cefr")
    np.testing.assert_array_equal(harder.labels + easier.labels, 7)
    np.testing.assert_array_equal(harder.targets, difficulty_of_level(harder.labels))


def test_ranks_within_a_set_run_from_0_to_100(labelled: Path) -> None:
    ranked = labels_in(labelled).targets
    assert ranked.min() == pytest.approx(100 / 12)
    assert ranked.max() == pytest.approx(100 - 100 / 12)


def test_records_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    more: list[dict[str, object]] = [{"id": "e", "text": " ", "label": 1}, {"id": "n", "label": 2}]
    more += [{"id": "w", "text": "??? --", "label": 3}, {"id": "u", "text": EASY}]
    texts = labels_in(write(tmp_path / "x.jsonl.gz", records() + more))
    assert texts.unusable == {"no text": ["e", "n"], "no words": ["w"]}
    assert np.isnan(texts.labels[-1])


@pytest.mark.parametrize(
    ("rows", "source", "message"),
    [
        (records(), ":charm:harder", "has no column 'charm'; it has id, text, label, group"),
        (records(20), ":harder", "20 usable labels; at least 30"),
        (records(label=3), ":harder", "all labels are 3; they must differ"),
        (records(label="hard"), ":harder", "record 1: 'label' is 'hard', not a number"),
        (
            [*records(40), *records(41, label=7)[40:]],
            ":label:harder:cefr",
            "outside 1 to 6 of the scale",
        ),
        (records(text="... --"), ":harder", "no texts with words"),
        (records(label=10**400), ":harder", "record 1: 'label' is '1000.*not a number"),
        (records(label=True), ":harder", "all labels are yes; they must differ"),
        (records(label=[1]), ":harder", "not a number"),
    ],
)
def test_bad_labels_are_one_sentence(
    tmp_path: Path, rows: list[dict[str, object]], source: str, message: str
) -> None:
    path = write(tmp_path / "x.jsonl.gz", rows)
    with pytest.raises(InputError, match=message) as caught:
        read_labelled(*LabelColumns().stated_in(f"{path}{source}"))
    assert len(str(caught.value)) < 300


def test_measures_of_chances_by_hand() -> None:
    chances, truth = np.array([0.9, 0.6, 0.3, 0.2]), np.array([True, False, True, False])
    assert brier_score(chances, truth) == pytest.approx((0.01 + 0.36 + 0.49 + 0.04) / 4)
    assert roc_auc(chances, truth) == 0.75
    assert calibration_error(chances, truth) == pytest.approx((0.1 + 0.6 + 0.7 + 0.2) / 4)


def test_calibrations_never_fall_and_have_a_spread() -> None:
    with pytest.raises(InputError, match="never falls"):
        Calibration((0.0, 1.0), (50.0, 40.0), (1.0, 1.0))
    for spread in (0.0, -1.0, 1e308, float("nan")):
        with pytest.raises(InputError, match="a spread above 0, up to 100"):
            Calibration((0.0, 1.0), (0.0, 100.0), (5.0, spread))


@pytest.mark.slow
def test_validation_orders_texts_that_differ(labelled: Path) -> None:
    """On easy and hard texts every baseline agrees, Flesch's ease turned round."""
    texts = labels_in(labelled, scale="cefr")
    [result] = validate("open", texts).sets
    assert result.records == 60
    for row in result.agreements:
        # These texts repeat two sentences, and `open` reads a sentence once.
        assert row.correlations["spearman"] > (0.7 if row.name.startswith("open") else 0.8), (
            row.name
        )
        low, high = row.intervals["pearson"]
        assert low <= row.correlations["pearson"] <= high
    assert result.chances["roc_auc"] > 0.7


def test_the_default_does_not_depend_on_how_long_a_text_is() -> None:
    """The same sentences a hundred times over are as difficult, within 3 points."""
    bundle = load_bundle("open")
    text = f"{EASY} {HARD} "
    short, long = bundle.estimate(Batch([document_of_text(text * n) for n in (5, 500)]))
    assert short.difficulty == pytest.approx(long.difficulty, abs=3)


def test_training_and_validating_from_the_command_line(
    understand: Run, labelled: Path, tmp_path: Path
) -> None:
    out, report = tmp_path / "mine", tmp_path / "report.json"
    done = understand(
        "train", "judged", "--labels", f"{labelled}:label:harder:cefr", "--folds", "5",
        "--estimator", "linear-regressor", "-o", out, "--out-of-fold", tmp_path / "oof.tsv",
        status=0,
    )  # fmt: skip
    assert len((tmp_path / "oof.tsv").read_text().splitlines()) == 61
    assert "mine, out of fold" in done.stdout
    assert "flesch_kincaid" in done.stdout
    assert "open" in done.stdout
    assert f"{labelled}: texts are read from the column 'text'\n" in done.stderr
    assert f"{out} is written; " in done.stderr
    assert (
        f"validate {out} OTHER_FILE --label-column label --direction higher-harder" in done.stderr
    )
    card = understand("bundle", "show", out).stdout
    assert "linear-regressor" in card
    assert "mine, out of fold" in card
    done = understand("validate", out, f"{labelled}:label:harder:cefr", "-o", report, status=0)
    assert "P(U|d), if below 40 is understood: brier 0." in done.stdout
    assert "texts are read from the column 'text'" in done.stderr
    [validated] = json.loads(report.read_text())["sets"]
    assert validated["scores"][0]["pearson"] > 0.9
    assert f"scale {load_bundle(out).scale}" in done.stdout
    assert load_bundle(out).scale.startswith("own-")


def test_a_table_of_features_stands_for_texts() -> None:
    """Joined by docno, the estimates are those from the texts; a document it lacks is named."""
    rows = records()
    labels = {"id": [row["id"] for row in rows], "label": [row["label"] for row in rows]}
    texts = [str(row["text"]) for row in rows]
    values = compute_features([document_of_text(text) for text in texts], COLUMNS).values
    table = {"docno": labels["id"][::-1], **dict(zip(COLUMNS, values[::-1].T, strict=True))}
    given: dict[str, Any] = {"estimator": "linear-regressor", "direction": "harder", "folds": 5}
    of_table, of_texts = (
        ud.train(of, **source, **given).estimates["difficulty"].to_numpy()
        for of, source in (
            (labels, {"table": table}),
            ({**labels, "text": texts}, {"features": COLUMNS}),
        )
    )
    np.testing.assert_allclose(of_table, of_texts, atol=1)  # the folds are others
    fewer = {name: list(column)[:-1] for name, column in table.items()}
    with pytest.raises(InputError, match="lacks 1 labelled docnos, such as 'd0'"):
        ud.train(labels, table=fewer, **given)


def test_levels_are_judged_by_the_level_that_has_the_threshold() -> None:
    """Computed by hand: difficulty 40 of 2016 is converted to a level; P is P(label < level)."""
    bundle = load_bundle("open")
    assert bundle.assessors is not None
    texts = [f"{EASY} " * n + f"{HARD} " * (30 - n) for n in range(30)]
    batch = Batch([document_of_text(text) for text in texts])
    labels = np.arange(30) / 10 + 2
    reading, at = bundle.model.read(batch), bundle.assessors.level_of(40)
    chances = probability(
        np.clip(reading.level, 1, 6), at, "calibrated", noise_scale=reading.level_error
    )
    by_hand = brier_score(chances, labels < at)
    validated = validate(
        bundle,
        {"text": texts, "level": labels},
        label="level",
        scale="cefr",
        direction="higher-harder",
    ).sets[0]
    assert validated.chances["brier"] == pytest.approx(by_hand)
    assert f"a level below {at:.2f}" in validated.remarks[0]


def test_a_set_of_the_name_that_a_card_has_is_said_to_be_learned_from(tmp_path: Path) -> None:
    """`open` names the readings, without a checksum of their texts."""
    readings, mine = (
        write(tmp_path / f"{name}.jsonl.gz", records(30)) for name in ("readings", "mine")
    )
    [validated] = validate("open", f"{readings}:label:harder").sets
    assert "was trained on a set called readings" in validated.remarks[0]
    assert not validate("open", f"{mine}:label:harder").sets[0].remarks


def test_background_models_from_the_command_line(understand: Run, tmp_path: Path) -> None:
    for label, text in ((1, EASY), (2, HARD)):
        write(
            tmp_path / f"{label}.jsonl.gz",
            [{"id": f"{label}-{i}", "text": f"{text} {i}"} for i in range(40)],
        )
    out = tmp_path / "mine"
    understand(
        "train", "background", "--corpus", f"1={tmp_path}/1.jsonl.gz", "--corpus",
        f"2={tmp_path}/2.jsonl.gz", "--estimator", "naive-bayes-classifier", "--dimensions", "2",
        "-o", out, "--quiet", status=0,
    )  # fmt: skip
    easy, hard = load_bundle(out).estimate(Batch([document_of_text(t) for t in (EASY, HARD)]))
    assert easy.difficulty < 40 < hard.difficulty


CORPUS = ("train", "background", "-o", "mine", "--corpus")
GRID = ("grid", ".", "--direction", "harder", "--labels")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*CORPUS, "1"), "--corpus is LABEL=INPUT"),
        *(
            ((*CORPUS, "1=a.jsonl", "--corpus", f"{label}=b.jsonl"), "--corpus is LABEL=INPUT")
            for label in ("a", "nan", "inf", "1e99", "")
        ),
        ((*CORPUS, "1=words.tsv", "--estimator", "oracle"), "estimator 'oracle' does not exist"),
        (("probability", "inf.tsv", "--threshold", "15"), "holds numbers that are not finite"),
        (("probability", "words.tsv", "--threshold", "15"), "values that are not numbers"),
        (("validate", "llr", "x.jsonl", "-o", "x.pdf"), "is not in a supported format"),
        (("validate", "llr", "x.jsonl", "-o", "no/x.json"), "its folder does not exist"),
        (("validate", "llr", "x.jsonl", "--threshold", "nan"), "must be a finite number"),
        ((*GRID, "words.tsv"), "has no column of numbers"),
        ((*GRID, "inf.tsv", "--plot", "no/x.svg"), "make it first"),
    ],
)
def test_what_can_be_known_is_said_at_once(
    understand: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """In one sentence, before any work is done."""
    (tmp_path / "inf.tsv").write_text("docno\tfog\na\tinf\nb\t3\n")
    (tmp_path / "words.tsv").write_text("docno\tfog\na\tx\n")
    done = understand(*arguments, cwd=tmp_path, status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_probability_of_any_column(understand: Run, tmp_path: Path) -> None:
    table = tmp_path / "fog.tsv"
    table.write_text("docno\tfog\na\t3\nb\t15\nc\t\n")
    done = understand(
        "probability", table, "--user", "arctan", "--threshold", "15", "--noise-scale", "pi"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["docno"] for row in rows] == ["a", "b", "c"]
    assert rows[1]["p_understandable"] == 0.5
    assert rows[2]["p_understandable"] is None
