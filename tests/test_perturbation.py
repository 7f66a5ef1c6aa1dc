"""Effects of `pytest --perturb` on numbers, and of `--allow-skip` on skipped tests."""

import numpy as np
import pytest
from tests.perturbation import SIZE, perturb, perturbed

import understandability as ud


def test_only_the_seventh_digit_of_fractions_changes() -> None:
    values = np.array([3.2930242, 0.5707036907, -41.07, 5.0, np.nan, 0.0])
    other = perturbed(values)
    np.testing.assert_allclose(other, values, rtol=SIZE)
    assert (other[:3] != values[:3]).all()
    assert perturbed(values).tolist()[:4] == other.tolist()[:4]
    assert perturbed("text") == "text"


def test_estimates_are_perturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The flu is caused by a virus. Rest, and drink a lot of water until you are well again."
    (before,) = ud.score({"flu": text})
    perturb(monkeypatch)
    (after,) = ud.score({"flu": text})
    assert after["difficulty"] != before["difficulty"]
    assert after["difficulty"] == pytest.approx(before["difficulty"], rel=1e-6)


def test_a_skip_fails_unless_it_is_allowed(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.conftest import *")
    pytester.makepyfile(
        """
        import pytest

        def test_data():
            pytest.skip("needs the real data")

        def test_ray():
            pytest.skip("needs Ray")
        """
    )
    pytester.runpytest("-p", "no:cacheprovider", "--allow-skip", "real data").assert_outcomes(
        skipped=1, failed=1
    )
