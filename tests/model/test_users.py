"""User models against the published formulas."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import OptionError
from understandability.model.readers import READERS, USERS, probability

scores = st.lists(st.floats(-1000, 1000), min_size=1, max_size=20)


def test_the_step_user_understands_strictly_below_the_threshold() -> None:
    assert probability([14.9, 15.0, 15.1], 15, "step").tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(("scale", "expected"), [(math.pi, 0.6805), (1.0, 0.8524)])
def test_arctan_is_the_published_formula_at_both_published_scales(
    scale: float, expected: float
) -> None:
    """1/2 - arctan((13 - 15) / s) / pi, worked by hand."""
    assert probability(13, 15, "arctan", noise_scale=scale) == pytest.approx(expected, abs=1e-4)


def test_the_scale_of_the_ecir_paper_is_the_default() -> None:
    assert probability(13, 15, "arctan") == probability(13, 15, "arctan", noise_scale=math.pi)


def test_calibrated_takes_a_spread_for_each_document() -> None:
    got = probability([30, 30], 40, "calibrated", noise_scale=[10, 20])
    assert got == pytest.approx([0.8413, 0.6915], abs=1e-4)


@given(scores, st.sampled_from(sorted(USERS)))
def test_p_is_a_probability_and_falls_with_difficulty(values: list[float], user: str) -> None:
    got = probability(sorted(values), 40, user, noise_scale=7)
    assert ((got >= 0) & (got <= 1)).all()
    assert (np.diff(got) <= 0).all()


@given(scores)
def test_where_higher_is_easier_the_inequality_turns(values: list[float]) -> None:
    for user in USERS:
        easier = probability(values, 40, user, noise_scale=3, direction="easier")
        mirrored = probability(np.negative(values), -40, user, noise_scale=3)
        np.testing.assert_array_equal(easier, mirrored)


@pytest.mark.parametrize("direction", ["harder", "easier"])
def test_the_normalised_arctan_form_integrates_to_one(direction: str) -> None:
    grid = np.linspace(2, 31, 20_001)
    got = probability(grid, 15, "arctan", direction=direction, normalise="integral")  # type: ignore[arg-type]
    assert np.trapezoid(got, grid) == pytest.approx(1)
    plain = probability(grid, 15, "arctan", direction=direction)  # type: ignore[arg-type]
    np.testing.assert_allclose(got / got[0], plain / plain[0])


@pytest.mark.parametrize("user", sorted(USERS))
def test_a_missing_score_stays_missing(user: str) -> None:
    assert np.isnan(probability([math.nan], 40, user, noise_scale=1)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"user": "cauchy"}, "choose one of step, arctan, calibrated"),
        ({"user": "calibrated"}, "needs a noise scale"),
        ({"user": "arctan", "noise_scale": 0}, "above 0"),
        ({"threshold": math.nan}, "finite number"),
        ({"direction": "higher"}, "write one of higher-harder"),
        ({"user": "step", "normalise": "integral"}, "only for user 'arctan'"),
        ({"user": "arctan", "normalise": "integral"}, "scores with a range"),
    ],
)
def test_a_wrong_choice_is_one_sentence(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        probability([1.0], **{"threshold": 40, **arguments})  # type: ignore[arg-type]


def test_the_table_of_limits_holds_the_numbers() -> None:
    """Each cell by adding up the public's curve over a normal distribution, step by step."""
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "limits.md").read_text("utf-8")
    part = page.partition("<!-- begin: assumptions -->")[2].partition("<!-- end: assumptions -->")[
        0
    ]
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.split("\n") if line
    ]
    assert len(rows) >= 3
    at, shares = np.array(READERS["public"].curve).T
    steps = np.linspace(-6, 6, 4001)
    weights = np.exp(-(steps**2) / 2) / np.exp(-(steps**2) / 2).sum()
    for spread, *cells in rows:
        for name, cell in zip(head[1:], cells, strict=True):
            places = float(name.removeprefix("difficulty ")) + float(spread) * steps
            found = (np.interp(places, at, shares) * weights).sum()
            assert float(cell) == pytest.approx(found, abs=0.011), (spread, name)
