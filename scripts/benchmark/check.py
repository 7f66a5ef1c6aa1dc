"""Measure `understand check`: its start, files per second and core, and a file that misses.

    python -m scripts.benchmark.check [--starts 15] [--files 1000]

The files have about 300 words, and one in twenty misses its aim. The file that misses has some
1,000 words, at an aim that it cannot reach.
"""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from scripts.shared import UNDERSTAND, panel_words, parser_of

from understandability.writers.check import check

_EASY = "You have flu. Rest in bed, and drink a lot of water. Call us if you feel worse. "


def start(path: Path) -> float:
    """Seconds of processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [*UNDERSTAND, "check", str(path)]
    environment = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the three."""
    chosen = parser_of(__doc__, data=False, starts=15, files=1000).parse_args()
    every = panel_words()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one = folder / "one.md"
        one.write_text(_EASY, "utf-8")
        start(one)
        starts = [start(one) for _ in range(chosen.starts)]
        print(f"start: {min(starts):.2f} s of processor time, median {np.median(starts):.2f}")
        site = folder / "site"
        site.mkdir()
        for number in range(chosen.files):
            hard = number % 20 == 0
            text = "".join(every[number : number + 300]) if hard else f"{_EASY * 18}{number}."
            (site / f"{number:04}.md").write_text(text, "utf-8")
        check([one], aim=1.0)
        begin = time.process_time()
        result = check([site])
        rate = chosen.files / (time.process_time() - begin)
        print(f"files: {rate:.0f} a second and core, {len(result.misses)} of them miss")
        costs = []
        for number in range(20):
            one.write_text("".join(every[300 * number : 300 * number + 1000]), "utf-8")
            check([one], aim=0.0)
            begin = time.process_time()
            check([one], aim=1.0)
            costs.append(1000 * (time.process_time() - begin))
        print(f"a miss of 1,000 words: median {np.median(costs):.0f} ms, most {max(costs):.0f} ms")


if __name__ == "__main__":
    main()
