"""The array job of the documents, run as local processes with the variables that Slurm sets."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.conftest import ROOT, Run

JOBS = 2
COMMANDS = {"understand": f'exec "{sys.executable}" -m understandability "$@"', "srun": 'exec "$@"'}


@pytest.mark.slow
def test_the_slurm_example_makes_one_run(tmp_path: Path, understand: Run) -> None:
    """All jobs at once fill one folder, which merges to what one process writes."""
    page = (ROOT / "docs" / "howto" / "engines" / "slurm.md").read_text("utf-8")
    (script,) = re.findall(r"<!-- begin: slurm -->\n```bash\n(.*?)```", page, re.DOTALL)
    assert "--array=1-16" in script
    (tmp_path / "crawl.sh").write_text(script.replace("16", str(JOBS)))
    (tmp_path / "bin").mkdir()
    for name, line in COMMANDS.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "crawl").mkdir()
    for number in range(4):
        lines = [
            json.dumps({"id": f"d{number}-{i}", "text": f"Rest, and drink {number} cups of water."})
            for i in range(10)
        ]
        (tmp_path / "crawl" / f"{number}.jsonl").write_text("\n".join(lines))
    path = f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}"
    jobs = []
    for number in range(1, JOBS + 1):
        slurm = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": "1"}
        env = {**os.environ, **slurm, "PATH": path}
        command = ["bash", "crawl.sh"]
        jobs.append(
            subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=env)
        )
    for job in jobs:
        _, told = job.communicate()
        assert job.returncode == 0, told
    understand("crawl", "merge", "scores/", "-o", "scores.parquet", cwd=tmp_path, status=0)
    understand("score", "crawl/", "-o", "alone.parquet", cwd=tmp_path, status=0)
    table = pq.read_table(tmp_path / "scores.parquet")
    assert table.num_rows == 40
    assert table.equals(pq.read_table(tmp_path / "alone.parquet"))
