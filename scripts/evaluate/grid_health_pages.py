"""The study's main experiment on the health pages, whose labels are constructed here.

    python -m scripts.evaluate.grid_health_pages [--output FILE] [--plot FILE.svg]

Nobody judged these pages. Their labels say where a page is from: 1 a thread of a forum (Reddit
AskDocs), 2 an article of Wikipedia, 3 a report in a journal of research (CDC, Preventing Chronic
Disease). What comes out tells how well scores separate the three, not how well they agree with
readers, and markup counts separate sites rather than texts. Pages of other origins have no label.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

LABELS = {"clef2017_askdocs": 1, "enwiki_disease": 2, "cdc_pcd2024": 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", default="grid.json")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    folder = arguments.data / "html" / "health_pages"
    with tempfile.TemporaryDirectory() as temporary:
        labels = Path(temporary, "constructed.tsv")
        with (folder / "pages.tsv").open(newline="") as file:
            rows = [
                f"{row['path']}\t{LABELS[row['origin']]}\n"
                for row in csv.DictReader(file, delimiter="\t")
                if row["origin"] in LABELS
            ]
        labels.write_text("docno\tlabel\n" + "".join(rows))
        command = [sys.executable, "-m", "understandability", "validate"]
        command += ["--grid", str(folder / "health_pages.tar.gz"), "--labels", str(labels)]
        command += ["--direction", "higher-harder"]
        command += ["--output", arguments.output]
        command += ["--plot", arguments.plot] if arguments.plot else []
        print("labels are constructed: 1 forum, 2 Wikipedia, 3 research journal", flush=True)
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
