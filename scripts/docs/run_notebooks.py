"""Execute the notebooks in place, to update their outputs.

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
LIMIT = 300  # seconds per cell, enough for a busy machine


def executed(path: Path) -> nbformat.NotebookNode:
    """Return the notebook with new outputs, without metadata that change with every execution."""
    notebook = nbformat.read(path, as_version=4)
    # With one thread, the sums of XGBoost and BLAS are the same on every machine.
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
    parser.add_argument("numbers", nargs="*", help="only notebooks whose names start with these")
    parser.add_argument("--check", action="store_true", help="execute without writing")
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
