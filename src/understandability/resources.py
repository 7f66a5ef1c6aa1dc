"""Access to the data files of the package, in an installed wheel and in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError


@cache
def resource_folder() -> Path:
    """The folder of the data files: inside an installed wheel, or next to ``src`` in a checkout."""
    package = Path(__file__).parent
    for folder in (package / "resources", package.parents[1] / "resources"):
        if folder.is_dir():
            return folder
    raise InputError(
        f"the package's resources are missing next to {package}; install the package again"
    )


def resource(name: str) -> Path:
    """Return the path of a data file or folder; raise `InputError` if it is missing.

    >>> sorted(page.name for page in resource("samples").glob("*.html"))
    ['easy.html', 'hard.html', 'medium.html']
    """
    path = resource_folder() / name
    if not path.exists():
        raise InputError(f"resource {name!r} is missing in {resource_folder()}; install again")
    return path


def resource_arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` data file, by name; nothing is unpickled."""
    with np.load(resource(name), allow_pickle=False) as file:
        return dict(file)


def resource_text(name: str) -> str:
    """Return the text of a data file."""
    return resource(name).read_text("utf-8")


def resource_lines(name: str) -> list[str]:
    """Return the lines of a data file."""
    return resource_text(name).splitlines()
