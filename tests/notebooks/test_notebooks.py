"""The notebooks run, and what is committed of them is whole and tells nothing of a machine."""

import json
import re
from pathlib import Path

import pytest
from tests.conftest import ROOT

import understandability as ud

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_is_a_notebook_for_every_way_of_use() -> None:
    """Eight of them, numbered in the order in which to read them."""
    assert [path.name[:2] for path in NOTEBOOKS] == [f"0{number}" for number in range(1, 9)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of Jupyter
@each
def test_a_notebook_runs(path: Path, request: pytest.FixtureRequest) -> None:
    """From its first cell to its last, without an error."""
    if "UNDERSTANDABILITY_DATA" in path.read_text("utf-8"):
        data = request.getfixturevalue("shared_data")
        request.getfixturevalue("monkeypatch").setenv("UNDERSTANDABILITY_DATA", str(data))
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package, reason="needs the extra notebooks")
    from scripts.docs.run_notebooks import executed

    assert all(cell.get("execution_count", 1) for cell in executed(path).cells)


@each
def test_committed_outputs_are_whole(path: Path) -> None:
    """Every cell was run, in order; no errors, no warnings, no paths of a machine."""
    cells = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs
    assert not [out for out in outputs if out["output_type"] == "error"]
    assert not [out for out in outputs if out.get("name") == "stderr"]
    assert not re.search(r"/(?:work|tmp|root|home|Users|usr)/|[A-Z]:\\\\", json.dumps(cells))


def test_the_first_notebook_shows_today_s_scores() -> None:
    """Outputs are those of the default bundle as it is."""
    kept = NOTEBOOKS[0].read_text("utf-8")
    for row in ud.score(str(ROOT / "resources" / "samples")):
        assert re.search(rf"{row['docno']} .*\b{row['difficulty']:.2f}\b", kept)
