"""The verdicts on printed numbers hold: what is equal stays equal, what is near stays near."""

import os
from pathlib import Path

import pytest
from scripts.reproduce.verdicts import Row, stored_verdicts


@pytest.mark.parametrize(
    ("printed", "ours", "unit", "verdict"),
    [
        ("0.8666", 0.86659, 1.0, "equal"),
        ("0.8666", 0.8670, 1.0, "within 0.001"),
        ("0.48", 0.5, 1.0, "within 0.02"),
        ("0.48", 0.6, 1.0, "differs"),
        ("25.28", 25.93, 100.0, "within 1"),
        ("110", 110.0, 1.0, "equal"),
        ("0.5", None, 1.0, "not possible"),
    ],
)
def test_a_verdict_goes_by_the_digits_of_print(
    printed: str, ours: float | None, unit: float, verdict: str
) -> None:
    assert Row("what", printed, ours, "", unit).verdict == verdict


def test_the_verdicts_hold(script: object, shared_data: Path) -> None:
    folder = Path(os.environ.get("UNDERSTANDABILITY_PUBLISHED", shared_data.parent / "published"))
    if not folder.is_dir():
        pytest.skip(f"needs the printed values; {folder} is not there")
    done = script("reproduce", "--check", "--data", shared_data, "--published", folder)  # type: ignore[operator]
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_files_have_all_verdicts() -> None:
    kept = list(stored_verdicts())
    assert len(kept) > 300
    assert {verdict.partition(" ")[0] for _, _, verdict in kept} == {
        "equal", "within", "differs", "not",
    }  # fmt: skip
    assert ("ECIR 2016, Section 6", "Kendall's τ of RBP and uRBP", "equal") in kept
