"""What is proposed to ir_measures (`contrib/ir_measures`), in a copy of the release."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ir_measures = pytest.importorskip("ir_measures")

CONTRIB = Path(__file__).parents[2] / "contrib" / "ir_measures"
PROGRAM = """
import json, sys, ir_measures
from collections import namedtuple
Qrel = namedtuple("Qrel", "query_id doc_id relevance understandability")
qrels, run, names = json.load(sys.stdin)
measures = [ir_measures.parse_measure(name) for name in names]
found = ir_measures.calc_aggregate(measures, [Qrel(*row) for row in qrels], run)
print(json.dumps([found[measure] for measure in measures]))
"""


@pytest.mark.slow
@pytest.mark.skipif(ir_measures.__version__ != "0.4.3", reason="the patch is for release 0.4.3")
@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no program patch")
def test_the_release_with_the_patch_gives_our_values(tmp_path: Path) -> None:
    """Its own tests pass there, and random runs have the values of `evaluate`."""
    from understandability.evaluation.evaluate import evaluate

    shutil.copytree(Path(ir_measures.__file__).parent, tmp_path / "ir_measures")
    shutil.copytree(CONTRIB, tmp_path, dirs_exist_ok=True)

    def called(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, input=stdin, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    patched = called(shutil.which("patch") or "", "-p1", "-i", "register.patch")
    assert patched.returncode == 0, patched.stdout
    tested = called(sys.executable, "tests/test_urbp.py")
    assert "Ran 4 tests" in tested.stderr, tested.stderr
    assert tested.returncode == 0, tested.stderr
    random = np.random.default_rng(0)
    docnos = [f"d{i}" for i in range(30)]
    relevance = {q: {d: int(random.integers(3)) for d in docnos} for q in ("q1", "q2")}
    ease = {q: {d: int(random.integers(101)) for d in docnos} for q in relevance}
    run = {q: {d: float(random.random()) for d in docnos[:20]} for q in relevance}
    qrels = [[q, d, relevance[q][d], ease[q][d]] for q in relevance for d in docnos]
    wanted = ["uRBP(p=0.8)@10", "uRBP(p=0.5)@20", "RBPu(p=0.8)@10", "HRBP(p=0.5)@10", "HRBP(p=0.9)"]
    names = [name.replace(")", ",max_u=40)") for name in wanted]
    theirs = called(sys.executable, "-c", PROGRAM, stdin=json.dumps([qrels, run, names]))
    assert theirs.returncode == 0, theirs.stderr
    ours = evaluate(
        {"run": run}, relevance, ease, scale="lower-easier:<=40", order="score",
        measures=wanted,
    )  # fmt: skip
    np.testing.assert_allclose(json.loads(theirs.stdout), ours.values["run"].mean(1), rtol=1e-6)
