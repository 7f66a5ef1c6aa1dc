"""Where the files that come with the package are, from a wheel and from a checkout."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError


@cache
def resource_folder() -> Path:
    """The folder of embedded resources: inside an installed wheel, or beside ``src``."""
    package = Path(__file__).parent
    for folder in (package / "resources", package.parents[1] / "resources"):
        if folder.is_dir():
            return folder
    raise InputError(
        f"the package's resources are missing next to {package}; install the package again"
    )


def resource(name: str) -> Path:
    """The path of one embedded resource; `InputError` where it is missing.

    >>> sorted(page.name for page in resource("samples").glob("*.html"))
    ['easy.html', 'hard.html', 'medium.html']
    """
    path = resource_folder() / name
    if not path.exists():
        raise InputError(f"resource {name!r} is missing in {resource_folder()}; install again")
    return path


def resource_arrays(name: str) -> dict[str, NDArray[Any]]:
    """The arrays of an embedded ``.npz`` file; nothing is unpickled."""
    with np.load(resource(name), allow_pickle=False) as file:
        return dict(file)


def resource_text(name: str) -> str:
    """The text of an embedded resource."""
    return resource(name).read_text("utf-8")


def resource_lines(name: str) -> list[str]:
    """The lines of an embedded list."""
    return resource_text(name).splitlines()


def package_text(package: str, name: str) -> str:
    """The text of a file that an installed package ships, without importing the package."""
    return package_bytes(package, name).decode("utf-8")


@cache
def _package_folders(package: str) -> tuple[Path, ...]:
    spec = find_spec(package)
    return tuple(map(Path, (spec and spec.submodule_search_locations) or ()))


def package_bytes(package: str, name: str) -> bytes:
    """The content of a file that an installed package ships, without importing the package."""
    for folder in _package_folders(package):
        path = folder / name
        if path.is_file():
            return path.read_bytes()
    raise InputError(f"the package {package!r} has no file {name!r}; install {package} again")
