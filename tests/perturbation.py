"""Estimates as another processor might give them: other from the seventh digit on.

    pytest --perturb

`.ci/perturbed` runs the tests so: whatever they compare with recorded numbers has to allow for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

# The relative difference at most; 3.2930242 and 3.2930238 of two processors differ by 1.2e-7.
SIZE = 2e-7


def perturbed(values: Any) -> Any:
    """Return an array of floats with each number changed; whole numbers and NaN stay.

    The change depends on the number alone, so that equal numbers stay equal.
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return values
    double = values.astype(np.float64)
    bits = double.view(np.uint64) if double.flags.c_contiguous else double.copy().view(np.uint64)
    mixed = (bits * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)  # 24 bits
    change = 1 + SIZE * (mixed / 2**23 - 1)
    return np.where(double == np.rint(double), double, double * change).astype(values.dtype)


def _perturbing(initialise: Callable[..., None]) -> Callable[..., None]:
    def init(self: object, *arguments: Any, **named: Any) -> None:
        initialise(
            self,
            *map(perturbed, arguments),
            **{name: perturbed(value) for name, value in named.items()},
        )

    return init


def perturb(patch: pytest.MonkeyPatch) -> None:
    """Perturb what every model says of a text; features are exact arithmetic on every processor."""
    from understandability.model.model import Reading

    patch.setattr(Reading, "__init__", _perturbing(Reading.__init__))
