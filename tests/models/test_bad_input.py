"""What bad labels, corpora and places get: one sentence each, before any work is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from understandability.errors import InputError, OptionError
from understandability.model.bundle_files import check_place
from understandability.model.readers import Calibration
from understandability.training.judged_training import judged_estimator
from understandability.training.labelled import LabelColumns, read_labelled

TEXT = "The cat sat on a mat. It was hot."


def write(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "has no texts with words"),
        ([{"id": str(n), "text": "... --", "label": n} for n in range(40)], "no texts with words"),
        ([{"id": "a", "text": TEXT, "label": 10**400}], "record 1: 'label' is '1000.*not a number"),
        ([{"id": "a", "text": TEXT, "label": True}], "not a number"),
        ([{"id": "a", "text": TEXT, "label": [1]}], "not a number"),
    ],
)
def test_labels_that_cannot_be_used(
    tmp_path: Path, records: list[dict[str, object]], message: str
) -> None:
    path = write(tmp_path / "x.jsonl", records)
    with pytest.raises(InputError, match=message) as caught:
        read_labelled(str(path), LabelColumns("harder"))
    assert len(str(caught.value)) < 300


def test_texts_without_words_are_named(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"id": f"d{n}", "text": TEXT if n else "???", "label": n} for n in range(40)
    ]
    path = write(tmp_path / "x.jsonl", records)
    texts = read_labelled(str(path), LabelColumns("harder"))
    assert texts.unusable == {"no words": ["d0"]}


def test_a_place_is_checked_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its folder does not exist; make it first"):
        check_place(tmp_path / "not" / "there")
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="holds other files and no bundle"):
        check_place(tmp_path)
    check_place(tmp_path / "new")


def test_an_estimator_of_counts_is_refused_for_features() -> None:
    with pytest.raises(OptionError, match="takes counts of words, not features"):
        judged_estimator("naive-bayes-classifier")


@pytest.mark.parametrize("spread", [0.0, -1.0, 1e308, float("nan")])
def test_a_spread_that_cannot_be_is_refused(spread: float) -> None:
    with pytest.raises(InputError, match="a spread above 0, up to 100"):
        Calibration((0.0, 1.0), (0.0, 100.0), (5.0, spread))


@pytest.mark.parametrize("label", ["nan", "inf", "1e99", "", "x"])
def test_labels_of_corpora_are_numbers(understand, tmp_path: Path, label: str) -> None:
    done = understand(
        "train", "background", "--corpus", "1=a.jsonl", "--corpus", f"{label}=b.jsonl",
        "-o", tmp_path / "mine",
    )  # fmt: skip
    assert done.returncode == 2
    assert "--corpus is LABEL=INPUT" in done.stderr
    assert len(done.stderr.splitlines()) == 1


GRID = ("--grid", ".", "--direction", "harder", "--labels")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("probability", "inf.tsv", "--threshold", "15"), "holds numbers that are not finite"),
        (("probability", "words.tsv", "--threshold", "15"), "values that are not numbers"),
        (("validate", "llr", "x.jsonl", "-o", "x.pdf"), "names no kind of table"),
        (("validate", "llr", "x.jsonl", "-o", "no/x.json"), "its folder does not exist"),
        (("validate", "llr", "x.jsonl", "--threshold", "nan"), "must be a finite number"),
        (("validate", *GRID, "words.tsv"), "has no column of numbers"),
        (("validate", *GRID, "inf.tsv", "--plot", "no/x.svg"), "make it first"),
    ],
)
def test_what_can_be_known_is_said_at_once(
    understand, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "inf.tsv").write_text("docno\tfog\na\tinf\nb\t3\n")
    (tmp_path / "words.tsv").write_text("docno\tfog\na\tx\n")
    done = understand(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
