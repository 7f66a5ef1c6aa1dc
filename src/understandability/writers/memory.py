"""What was found for a sentence, kept for the next key: while somebody types, one changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_MOST = 20_000  # sentences, some 20 MB


class Memory(Generic[Key, Value]):
    """Values by key; where there are too many it begins anew.

    >>> memory: Memory[str, int] = Memory()
    >>> memory.of(["a", "bb", "a"], lambda places: [len("a bb a".split()[p]) for p in places])
    [1, 2, 1]
    """

    def __init__(self) -> None:
        self._values: dict[Key, Value] = {}

    def of(
        self, keys: Sequence[Key], make: Callable[[Sequence[int]], Iterable[Value]]
    ) -> list[Value]:
        """The value of each key; `make` gives those at the places of the keys that are new."""
        values = self._values
        if len(values) > _MOST:
            self._values = values = {}
        places = {key: place for place, key in enumerate(keys) if key not in values}
        if places:
            values.update(zip(places, make(list(places.values())), strict=True))
        return [values[key] for key in keys]
