"""A bundle on the scale of labels: estimates stay, what 0 to 100 means is the labels'."""

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Run, own_words

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.model.calibration import Calibration
from understandability.model.card import card
from understandability.model.readers import reader_of
from understandability.training.calibrate import fit_reader

pytestmark = pytest.mark.usefixtures("few_resamples")
EASY, HARD = "You have flu. Rest, and drink water.", "Pharmacokinetic heterogeneity complicates it."
TEXTS = [" ".join([HARD] * (i % 7) + [EASY] * (7 - i % 7)) + f" {own_words(i)}" for i in range(70)]


@cache
def raw_of(bundle: str) -> np.ndarray:
    """The bundle's raw output for each text."""
    return np.array([row["raw"] for row in ud.score(dict(enumerate(TEXTS)), bundle=bundle)])


def ratings(bundle: str, noise: float = 0.0) -> dict[str, Any]:
    """Labels of 1 to 5 that rise along a straight line with the bundle's raw output."""
    raw = raw_of(bundle)
    line = 1 + 4 * (raw - raw.min()) / np.ptp(raw)
    line += np.random.default_rng(3).normal(0, noise, len(raw)) if noise else 0
    return {"text": TEXTS, "rating": line, "site": [f"site{i % 14}" for i in range(len(TEXTS))]}


def test_a_threshold_of_another_scale_is_told(understand: Run, tmp_path: Path) -> None:
    """`score` and `explain` print a remark, unless the user chose the threshold."""
    labels = ratings("open")
    how: dict[str, Any] = {"label": "rating", "direction": "higher-harder", "group": "site"}
    ud.rescale("open", labels, **how).save(tmp_path / "mine")
    page, reader = tmp_path / "a.txt", tmp_path / "me.json"
    page.write_text(EASY)
    reader.write_text(json.dumps(reader_of("public").to_json()))
    message_start = "the threshold 60 of the reader public is on the scale readings.v1 and means"
    score = ("score", page, "-o", tmp_path / "s.csv", "--bundle", tmp_path / "mine")
    explain = ("explain", page, "-o", tmp_path / "a.html", "--bundle", tmp_path / "mine")
    for command, expected in (
        (score, True),
        (explain, True),
        ((*score, "--quiet"), False),
        ((*score, "--threshold", "30"), False),
        (score[:-2], False),
    ):
        done = understand(*command, status=0)
        assert (message_start in done.stderr) == expected, command
    # A reader that is chosen, and whose threshold means nothing here, is refused.
    for own in ("public", reader):
        assert message_start in understand(*score, "--reader", own, status=2).stderr


@pytest.mark.parametrize("bundle", ["open", "llr", "background-mlp"])
def test_a_line_of_labels_comes_out_again(bundle: str, tmp_path: Path) -> None:
    """For every kind of model; the bundle says the same when it is read from its folder."""
    labels = ratings(bundle)
    rescaled = ud.rescale(
        bundle, labels, label="rating", direction="higher-harder", group="site", name="mine"
    )
    assert (rescaled.texts, rescaled.groups) == (70, 14)
    assert rescaled.after.distance < 0.01 < rescaled.before.distance
    assert rescaled.spearman == pytest.approx(1)
    rescaled.save(tmp_path / "mine")
    again = ud.load_bundle(tmp_path / "mine")
    assert again.scale == rescaled.bundle.scale != ud.load_bundle(bundle).scale
    for text, rating in list(zip(TEXTS, labels["rating"], strict=True))[:7]:
        row = ud.score_text(text, bundle=str(tmp_path / "mine"))
        assert row["difficulty"] == pytest.approx(25 * (rating - 1), abs=0.01)
        assert row["raw"] == ud.score_text(text, bundle=bundle)["raw"]


def test_the_spread_is_that_of_the_labels() -> None:
    """Half a point of a scale of five is 12 of 100, give or take the ends that it is made from."""
    rescaled = ud.rescale("open", ratings("open", 0.5), label="rating", direction="higher-harder")
    [spread] = set(rescaled.bundle.calibration.examples()[0][2:])
    assert 5 < spread < 13
    assert rescaled.after.low < rescaled.after.distance < rescaled.after.high


def test_the_card_says_whose_scale_it_is() -> None:
    rescaled = ud.rescale("open", ratings("open"), label="rating", direction="higher-harder")
    text = card(rescaled.bundle, markdown=True)
    assert "with difficulties on the scale of the table" in text
    assert "CC BY-SA 4.0" in rescaled.bundle.licence
    assert "its scale under that of its labels" in rescaled.bundle.licence
    assert rescaled.bundle.scale in text
    message_start = ud.validate(
        rescaled.bundle, ratings("open"), label="rating", direction="higher-harder", scale="range"
    )
    assert "was trained on these very texts" in message_start.sets[0].remarks[0]


def test_a_reader_of_another_scale_is_refused(tmp_path: Path) -> None:
    """A threshold means nothing there."""
    difficulties = np.linspace(10, 80, 50)
    answered = [difficulty % 9 + 40 > difficulty for difficulty in difficulties]
    fitted = fit_reader(difficulties, answered, scale=ud.load_bundle("open").scale)
    reader = tmp_path / "me.json"
    reader.write_text(json.dumps(fitted.to_json()))
    ud.rescale("open", ratings("open"), label="rating", direction="higher-harder").save(
        tmp_path / "mine"
    )
    mine = str(tmp_path / "mine")
    with pytest.raises(OptionError, match=r"threshold is on 'readings\.v1': name its own bundle"):
        ud.score_text(EASY, bundle=mine, reader=str(reader))
    assert math.isnan(ud.score_text(EASY, bundle=mine)["p_understandable"])
    assert ud.score_text(EASY, bundle=mine, threshold=90)["p_understandable"] > 0.5


@pytest.mark.parametrize(
    ("change", "how", "error", "message"),
    [
        ({}, {"direction": None}, OptionError, "does not say what a higher 'rating' means"),
        ({}, {"direction": "higher-easier"}, InputError, "do not rise with the labels"),
        ({"site": ["a", "b"] * 35}, {}, InputError, "have 2 groups; at least 5 are needed"),
        ({}, {"scale": "difficulty", "label": "high"}, InputError, "outside 0 to 100"),
        ({}, {"scale": "stars"}, OptionError, "no scale of labels 'stars'"),
    ],
)
def test_labels_that_give_no_scale_are_told(
    change: dict[str, Any], how: dict[str, Any], error: type[Exception], message: str
) -> None:
    labels = {**ratings("open"), "high": np.linspace(0, 120, 70), **change}
    options = {"label": "rating", "direction": "higher-harder", "group": "site", **how}
    with pytest.raises(error, match=message):
        ud.rescale("open", labels, **options)


def test_a_scale_of_another_model_is_refused(tmp_path: Path) -> None:
    """The scale of readings is only for models of passages; a scale must be a string."""
    with pytest.raises(InputError, match="three lists of numbers"):
        Calibration.from_json(
            {**Calibration((0.0, 1.0), (0.0, 100.0), (5.0, 5.0)).to_json(), "scale": 7}
        )
    mixed = replace(ud.load_bundle("llr"), calibration=ud.load_bundle("open").calibration)
    mixed.save(tmp_path / "mixed")
    with pytest.raises(InputError, match="is refused"):
        ud.load_bundle(tmp_path / "mixed")


def test_the_command_writes_a_bundle_that_scores(tmp_path: Path, understand: Run) -> None:
    labels = ratings("open")
    table = tmp_path / "ratings.csv"
    table.write_text(
        "text,rating\n"
        + "".join(
            f'"{text}",{rating}\n' for text, rating in zip(TEXTS, labels["rating"], strict=True)
        )
    )
    done = understand(
        "bundle", "rescale", "open", f"{table}:rating:harder", "-o", str(tmp_path / "mine"),
        status=0,
    )  # fmt: skip
    assert "open, readings.v1" in done.stdout
    assert "Thresholds belong to a scale" in done.stderr
    assert f"{table}: texts are read from the column 'text'\n" in done.stderr
    assert ud.load_bundle(tmp_path / "mine").name == "mine"
