"""Names of objects outside the core, which are loaded on demand.

The core imports nothing of `study`, `writers` and `integrations`. Where they add to it
(rows of features, kinds of model, kinds of file, another tagger), a table of the core names them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def load(hook: str) -> Any:
    """What a hook names: a module below this package, a colon, a name in it.

    >>> load("direction:Direction").HARDER
    <Direction.HARDER: 'higher-harder'>
    """
    module, _, name = hook.partition(":")
    return getattr(import_module(f"understandability.{module}"), name)
