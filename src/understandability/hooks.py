"""Names of objects outside the core, which are loaded on demand.

The core imports nothing from `study`, `writers` and `integrations`. Tables of the core name what
these add to it: rows of features, types of models and files, another tagger.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def load(hook: str) -> Any:
    """Return the object of a hook: a module of this package, a colon, a name in the module.

    >>> load("direction:Direction").HARDER
    <Direction.HARDER: 'higher-harder'>
    """
    module, _, name = hook.partition(":")
    return getattr(import_module(f"understandability.{module}"), name)
