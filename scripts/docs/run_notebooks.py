"""Execute the notebooks in place, so that their outputs are those of today.

python -m scripts.docs.run_notebooks            # all of them
python -m scripts.docs.run_notebooks 01 04      # some
"""

import os
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from scripts.shared import ROOT, parser_of

NOTEBOOKS = ROOT / "notebooks"
LIMIT = 300  # seconds for a cell, on a busy machine


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs, without what differs from one execution to the next."""
    notebook = nbformat.read(path, as_version=4)
    # XGBoost and BLAS give the same sums whatever the machine if each has one thread.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}
    client = NotebookClient(
        notebook,
        timeout=LIMIT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.execute(env=environment)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def main() -> None:
    """Execute and write."""
    parser = parser_of(__doc__, data=False)
    parser.add_argument("numbers", nargs="*", help="which, by their first digits")
    parser.add_argument("--check", action="store_true", help="execute, and write nothing")
    arguments = parser.parse_args()
    numbers = tuple(arguments.numbers)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not numbers or path.name.startswith(numbers):
            start = time.monotonic()
            notebook = executed(path)
            if not arguments.check:
                nbformat.write(notebook, path)
            print(f"{path.name}: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
