"""The page on a user model of one's own says what is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "own_user_model.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_its_examples_hold(example: str) -> None:
    """Each compares with what is computed by hand."""
    assert "assert" in example
    exec(example, {})


def test_its_command_runs(tmp_path: Path, understand) -> None:  # type: ignore[no-untyped-def]  # a fixture
    """Chances in a table, by document."""
    (tmp_path / "mine.run").write_text("q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1 mine\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 1\n")
    (tmp_path / "chances.csv").write_text("docno,chance\nd1,0.3\nd2,0.9\n")
    done = understand(
        "evaluate", "mine.run", "--qrels", "qrels.txt", "--understandability", "chances.csv",
        "--scale", "higher-easier:0..1", "-m", "uRBP(p=0.5,user=graded)@2", cwd=tmp_path,
        status=0,
    )  # fmt: skip
    assert "0.375" in done.stdout
