"""`understand simulate grid`: extraction × sentence ends × score × threshold × measure."""

import json
from pathlib import Path

import pytest
from tests.conftest import EASY, HARD, Run

from understandability.study.simulate_users import simulate_users


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Three runs over six pages of rising difficulty, with a menu each."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for i in range(6):
        text = " ".join([EASY] * (6 - i) + [HARD] * i)
        menu = "".join(f"<li>{HARD[:20]} item {n}</li>" for n in range(8 * (i % 2)))
        (pages / f"d{i}.html").write_text(
            f"<html lang=en><body><ul>{menu}</ul><h1>Influenza</h1><p>{text}</p></body></html>"
        )
    orders = {"easy": range(6), "hard": range(5, -1, -1), "mixed": (2, 0, 4, 1, 5, 3)}
    for name, order in orders.items():
        lines = [f"q Q0 d{d}.html {rank} {9 - rank} {name}" for rank, d in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    qrels = [f"q 0 d{d}.html {int(d != 1)}" for d in range(6)]
    (tmp_path / "qrels.txt").write_text("\n".join(qrels))
    return tmp_path


@pytest.mark.slow
def test_the_grid_goes_on_and_is_drawn(study: Path, understand: Run) -> None:
    """A cell for each choice, each as `simulate users` has it; a second run reads no page."""
    pytest.importorskip("matplotlib")
    runs = [study / f"{name}.run" for name in ("easy", "hard", "mixed")]
    out, plot = study / "out.json", study / "grid.svg"
    command = (
        "simulate", "grid", *runs, "--qrels", study / "qrels.txt", "--pages", study / "pages",
        "--folder", study / "grid", "--extractor", "naive", "--extractor", "boilerpipe",
        "--sentence-ends", "none", "--sentence-ends", "force-period", "--formula", "fog",
        "--formula", "dci", "--threshold", "25%", "--threshold", "60%", "-m", "RBP(p=0.8)",
        "-m", "nDCG@5", "--workers", "1", "-o", out, "--quiet",
    )  # fmt: skip
    understand(*command, "--plot", plot, status=0)
    assert b"<svg" in plot.read_bytes()
    cells = json.loads(out.read_text())["cells"]
    assert len(cells) == 2 * 2 * 2 * 2 * 2 * 2
    assert {cell["tau_reading"] for cell in cells[:16]} <= {1.0, None}
    alone = simulate_users(
        runs, study / "qrels.txt", study / "grid" / "naive-none" / "scores" /
        "0000000-00000-end.parquet", column="gunning_fog_plain", thresholds=["25%", "60%"],
    )  # fmt: skip
    ours = [
        cell for cell in cells
        if (cell["extractor"], cell["sentence_ends"], cell["score"], cell["reference"])
        == ("naive", "none", "fog", "RBP(p=0.8)")
    ]  # fmt: skip
    expected = [(user.user, user.threshold, user.first, user.readable) for user in alone.users]
    assert [(c["user"], c["threshold"], c["first"], c["readable"]) for c in ours] == expected
    assert [c["tau"] for c in ours] == pytest.approx([user.tau for user in alone.users])
    before = {path: path.stat().st_mtime_ns for path in study.glob("grid/*/scores/*")}
    understand(*command, "-o", study / "out.csv", status=0)
    assert len((study / "out.csv").read_text().splitlines()) == 1 + len(cells)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_what_the_grid_cannot_take(study: Path, understand: Run) -> None:
    """Told before a page is read."""
    command = ("simulate", "grid", study / "easy.run", "--qrels", study / "qrels.txt",
               "--pages", study / "pages", "--folder", study / "grid")  # fmt: skip
    assert "has no understandability-biased form" in understand(*command, "-m", "uRBP").stderr
    assert "simulated user 'stp' does not exist" in understand(*command, "--user", "stp").stderr
    assert not (study / "grid").exists()
