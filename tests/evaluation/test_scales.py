"""Scales: the direction is stated, never guessed; labels outside are refused with their place."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from understandability.direction import WORDS
from understandability.errors import InputError, OptionError
from understandability.evaluation.scales import parse_gains, parse_scale
from understandability.inputs.run import Labels
from understandability.inputs.runs import read_labels

LABELS = np.array([0.0, 39.0, 40.0, 41.0, 100.0, np.nan])


@pytest.mark.parametrize(
    ("text", "binary"),
    [
        ("lower-easier:40", [1, 1, 0, 0, 0]),
        ("lower-easier:<40", [1, 1, 0, 0, 0]),
        ("lower-easier:<=40", [1, 1, 1, 0, 0]),
        ("higher-easier:40", [0, 0, 1, 1, 1]),
        ("higher-easier:>=40", [0, 0, 1, 1, 1]),
        ("higher-easier:>40", [0, 0, 0, 1, 1]),
        ("lower-better:-1", [0, 0, 0, 0, 0]),
        ("higher-better:40:0..100", [0, 0, 1, 1, 1]),
    ],
)
def test_the_threshold_belongs_to_one_side(text: str, binary: list[int]) -> None:
    """As the option's help says; no label stays none."""
    np.testing.assert_array_equal(parse_scale(text).binary(LABELS), [*binary, np.nan])


@pytest.mark.parametrize(
    "text",
    [
        "lower-easier:40",
        "lower-easier:<=40:0..100",
        "higher-easier:>2",
        "higher-easier:2",
        "lower-easier",
        "higher-easier:0..8",
    ],
)
def test_a_scale_prints_back(text: str) -> None:
    """So it can stand in the settings of an output."""
    assert str(parse_scale(text)) == text
    assert parse_scale(str(parse_scale(text))) == parse_scale(text)


UNSAID = "does not state whether lower or higher labels are easier"


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_scale, "40", UNSAID),
        (parse_scale, "<40", UNSAID),
        (parse_scale, "easy:40", UNSAID),
        *((parse_scale, "40", direction) for direction in WORDS),  # who forgot it learns how
        (parse_scale, "lower-easier:>40", "> goes against lower-easier"),
        (parse_scale, "higher-easier:<=2", "<= goes against higher-easier"),
        (parse_scale, "lower-easier:easy", "'easy' in 'lower-easier:easy' is not a finite number"),
        (parse_scale, "lower-easier:nan", "is not a finite number"),
        (parse_scale, "lower-easier:100..0", "its ends the wrong way round"),
        (parse_scale, "lower-easier:40:50", "is not a scale"),
        (parse_scale, "lower-easier:", "is not a scale"),
        (parse_gains, "0,1:1", "is not a table of gains"),
        (parse_gains, "0:0,1:2", "not between 0 and 1"),
        (parse_gains, "a:1", "'a' in"),
    ],
)
def test_a_bad_scale_or_table_of_gains_is_told(
    parse: Callable[[str], object], text: str, message: str
) -> None:
    """With the form that is wanted, where that helps."""
    with pytest.raises(OptionError) as error:
        parse(text)
    assert message in str(error.value)


def test_graded_gains_follow_the_table_or_the_ends() -> None:
    """The table of ECIR 2016; linear else, turned where lower is easier."""
    ecir = replace(parse_scale("higher-easier:2"), gains=parse_gains("0:0,1:.4,2:.8,3:1"))
    assert ecir.graded(np.array([3.0, 0.0, 1.0, 2.0])).tolist() == [1.0, 0.0, 0.4, 0.8]
    np.testing.assert_array_equal(ecir.graded(np.array([1.5, np.nan])), [np.nan, np.nan])
    down, up = parse_scale("lower-easier:0..100"), parse_scale("higher-easier:0..100")
    assert down.graded(np.array([0.0, 25.0, 100.0])).tolist() == [1.0, 0.75, 0.0]
    assert up.graded(np.array([0.0, 25.0, 100.0])).tolist() == [0.0, 0.25, 1.0]


def test_graded_gains_are_not_guessed() -> None:
    """Without a table or the ends there are none, nor binary ones without a threshold."""
    with pytest.raises(OptionError, match="a table of gains"):
        parse_scale("lower-easier:40").graded(LABELS)
    with pytest.raises(OptionError, match="has no threshold"):
        parse_scale("lower-easier").binary(LABELS)


def test_a_label_outside_the_scale_is_refused_with_file_and_line(tmp_path: Path) -> None:
    """Be it by the ends or by the table of gains."""
    path = tmp_path / "qunder"
    path.write_text("q 0 a 7\n\nq 0 b 101\n")
    labels = read_labels(path, "u")
    with pytest.raises(InputError) as error:
        parse_scale("lower-easier:40:0..100").check(labels)
    assert f"{path}, line 3 (document b): label 101 is outside" in str(error.value)
    graded = replace(parse_scale("lower-easier:40"), gains={0.0: 1.0, 101.0: 0.0})
    with pytest.raises(InputError, match=r"line 1 \(document a\): label 7 .* \(0, 101\)"):
        graded.check(labels)
    parse_scale("lower-easier:40").check(labels)
    parse_scale("lower-easier:40:0..100").check(Labels.of_documents("x", {"a": 0.0, "b": 100.0}))
