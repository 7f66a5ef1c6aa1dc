"""Labels for learning to rank: the Combos of the study, own expressions, nothing executed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import InputError, OptionError
from understandability.study.gains import COMBOS, parse_gain

R = np.array([0.0, 1.0, 2.0, 2.0, 2.0])
U = np.array([10.0, 40.0, 40.0, 41.0, 100.0])


@pytest.mark.parametrize(
    ("text", "gains"),
    [
        ("combo1", [0, 1, 2, 2, 2]),
        ("combo2", [0, 1, 2, 2, 2]),
        ("combo3", [0, 0.6, 1.2, 1.18, 0]),
        ("combo4", [0, 1, 2, 0, 0]),
        ("combo5", [0, 2, 4, 2, 2]),
        ("min(R, 1)", [0, 1, 1, 1, 1]),
        ("max(R, U / 40)", [0.25, 1, 2, 2, 2.5]),
        ("R > 0", [0, 1, 1, 1, 1]),
        ("1 <= R < 2", [0, 1, 0, 0, 0]),
        ("R if R == 2 else -R + 1", [1, 0, 2, 2, 2]),
        ("3", [3, 3, 3, 3, 3]),
        (" (R) ", [0, 1, 2, 2, 2]),
    ],
)
def test_an_expression_means_what_it_says(text: str, gains: list[float]) -> None:
    """The Combos, and what one may write oneself, worked by hand."""
    assert parse_gain(text)(R, U).tolist() == pytest.approx(gains)


def test_it_is_known_whether_understandability_is_needed() -> None:
    """Combos 1 and 2 are learned without understandability labels."""
    needs = [name for name in COMBOS if parse_gain(name).uses_understandability]
    assert needs == ["combo3", "combo4", "combo5"]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "R.__class__",
        "[R][0]",
        "lambda: R",
        "(R := U)",
        "R ** 9",
        "R % 2",
        "R and U",
        "not R",
        "'R'",
        "True",
        "None",
        "Q",
        "pow(R, 2)",
        "min(R)",
        "max(R, U, 1)",
        "min(*[R, U])",
        "max(R, U, key=R)",
        "R in U",
        "R if U",
        "R = 1",
        "R; U",
        "",
        "combo6",
        "1e999",
        "9" * 250,
        "R" + "+R" * 400,
        "\0",
    ],
)
def test_what_is_not_allowed_is_refused(text: str) -> None:
    """One sentence that says what may be written; nothing runs."""
    with pytest.raises(OptionError):
        parse_gain(text)


@given(st.text(alphabet="RU0123456789.+-*/()<>= ifelsminax,[]_'", max_size=60))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    """Nothing else comes out, whatever goes in."""
    try:
        gain = parse_gain(text)
    except OptionError:
        return
    try:
        gains = gain(R, U)
    except InputError:
        return
    assert gains.shape == R.shape
    assert (gains >= 0).all()


@pytest.mark.parametrize("text", ["-" * 299 + "R", "R - 1", "1 / R", "R / R", "-R - 1"])
def test_a_gain_below_0_or_without_a_value_is_refused(text: str) -> None:
    """The first document where it happens is named with its labels."""
    with pytest.raises(InputError, match=r"where R is . and U .*must be a number of 0 or more"):
        parse_gain(text)(R, U)
