"""The inner loops in C, where the package in the folder ``accelerator`` is installed.

The functions of this library are the definition; a loop in C gives what its function gives, only
sooner. It is used if it can be imported and repeats these functions as they are now.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar, cast

# Goes up with each change of what a function with `compiled` gives or is given.
INTERFACE = 1
# Set to anything, it keeps to Python, to compare.
VARIABLE = "UNDERSTANDABILITY_PURE_PYTHON"

Function = TypeVar("Function", bound=Callable[..., Any])


def _accelerator() -> ModuleType | None:
    if os.environ.get(VARIABLE):
        return None
    try:
        module = import_module("understandability_accelerator")
    except ImportError:
        return None
    if module.INTERFACE == INTERFACE:
        return module
    warnings.warn(
        "understandability_accelerator was built for another version of understandability and is "
        "not used; build it again: pip install ./accelerator",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


ACCELERATOR = _accelerator()


def compiled(*needs: object) -> Callable[[Function], Function]:
    """Puts a loop in C in the place of a function; it has the names of the module and of that.

    `needs` are the functions and tables that it uses; the loop is given them before the arguments.
    """

    def chosen(function: Function) -> Function:
        if ACCELERATOR is None:
            return function
        name = function.__module__.rpartition(".")[2] + function.__name__
        loop: Any = partial(getattr(ACCELERATOR, name), *needs)
        return cast(Function, loop)

    return chosen
