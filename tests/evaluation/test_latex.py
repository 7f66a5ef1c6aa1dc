"""The LaTeX of every result compiles, in one and in two columns, with one table per result."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import understandability as ud

ARTICLE = """\\documentclass[%s]{article}
\\usepackage{booktabs,graphicx}
\\begin{document}
%s
\\end{document}
"""


def runs(number: int) -> dict[str, dict[str, dict[str, float]]]:
    """Runs with long names over ten queries."""
    generator = np.random.default_rng(0)
    return {
        f"TEAM_{place}_EN_Run_with_a_long_name.{place}": {
            f"q{query}": {f"d{n}": float(generator.random()) for n in range(10)}
            for query in range(10)
        }
        for place in range(number)
    }


@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_tables_are_no_wider_than_a_column(columns: str, tmp_path: Path) -> None:
    """The tables of `evaluate`, `compare`, `correlate` and `simulate users`."""
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("needs pdflatex (Debian: texlive-latex-recommended)")
    qrels = {f"q{query}": {f"d{n}": (n + query) % 2 for n in range(10)} for query in range(10)}
    labels = {f"d{n}": 10.0 * n for n in range(10)}
    result = ud.evaluate(
        runs(4), qrels, labels, scale="lower-easier:40:0..100",
        measures=["RBP(p=0.8)@10", "uRBP(p=0.8)@10", "uRBPgr(p=0.8)@10", "nDCG@10", "HRBP@10",
                  "uRBP(p=0.8,user=arctan,s=pi,th=40,norm=integral)@10"],
    )  # fmt: skip
    fog = {name: 5 + label / 10 for name, label in labels.items()}
    users = ud.simulate_users(runs(3), qrels, fog)
    tables = [
        result.to_latex(),
        result.compare(tests=["t", "tukey"]).to_latex(),
        result.compare(pairs=True).to_latex(corrected=True),
        result.correlate().to_latex(),
        ud.simulate(topicality=[0.5], mean=[30], measures="RBP@10").to_latex(),
        users.to_latex(),
        ud.evaluate(
            runs(4), qrels, measures=["RBP(p=0.8)@10", "nDCG@10"], ci=True,
            baseline="TEAM_0_EN_Run_with_a_long_name.0",
        ).to_latex(letters=True),
    ]  # fmt: skip
    assert all(r"\caption{" in table for table in tables)
    assert [table.count(r"\begin{tabular}") for table in tables] == [1] * len(tables)
    tables.append(result.to_latex(split=True))
    (tmp_path / "a.tex").write_text(ARTICLE % (columns, "\n\n".join(tables)))
    done = subprocess.run(
        [latex, "-interaction=nonstopmode", "a.tex"], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:]
    wide = [line for line in done.stdout.splitlines() if "Overfull \\hbox" in line]
    assert not wide
