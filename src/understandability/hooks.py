"""Names of objects outside the core, as text, which are imported only when they are needed.

The core imports nothing from `study`, `writers` and `integrations`. Its tables hold such names
instead, for the features, models, file types and taggers that these packages add.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def load(hook: str) -> Any:
    """Import and return the object with a name such as ``direction:Direction``: module, colon,
    object.

    >>> load("direction:Direction").HARDER
    <Direction.HARDER: 'higher-harder'>
    """
    module, _, name = hook.partition(":")
    return getattr(import_module(f"understandability.{module}"), name)
