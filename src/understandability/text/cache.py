"""A bounded cache for functions of a string."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


class BoundedCache(dict[str, Value]):
    """A dictionary that computes missing values, and is emptied when it is full.

    A hit costs no more than a lookup in a dictionary (``map(cache.__getitem__, words)`` runs
    without a Python call). Values of strings longer than `longest` are computed every time, because
    crawled pages have pieces of a megabyte.

    >>> lengths = BoundedCache(len)
    >>> lengths["heart"], dict(lengths)
    (5, {'heart': 5})
    """

    def __init__(
        self, compute: Callable[[str], Value], limit: int = 100_000, longest: int = 64
    ) -> None:
        super().__init__()
        self._compute = compute
        self._limit = limit
        self._longest = longest

    def __missing__(self, key: str) -> Value:
        value = self._compute(key)
        if len(key) <= self._longest:
            if len(self) >= self._limit:
                self.clear()
            self[key] = value
        return value
