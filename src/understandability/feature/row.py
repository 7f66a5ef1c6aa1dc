"""The types of the rows of the catalogue: features, and the flags that they raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.feature.batch import Batch
from understandability.flags import FlagName

DOCUMENT, WORD, SENTENCE = "document", "word", "sentence"
_SUFFIXES = {DOCUMENT: "", WORD: "_per_word", SENTENCE: "_per_sentence"}


@dataclass(frozen=True, slots=True)
class Flag:
    """A warning about documents; `raised` returns a mask of the documents that get it."""

    name: FlagName
    meaning: str
    raised: Callable[[Batch], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature: one row of the catalogue, from which values, column names, listings and tests
    derive.

    `compute` is a named function that maps a batch to one float64 per document. `per` lists the
    forms in which the value is available: as it is, divided by words, divided by sentences.
    `direction` says what a higher value means, if known. `needs` names the resources that must be
    installed; without them the value is NaN. `packages` are modules of an extra; without them,
    the feature is left out of groups and of the whole catalogue.
    """

    name: str
    group: str
    unit: str
    direction: Direction | None
    meaning: str
    source: str
    compute: Callable[[Batch], NDArray[np.float64]]
    per: tuple[str, ...] = (DOCUMENT,)
    needs: tuple[str, ...] = ()
    flag: Flag | None = None
    packages: tuple[str, ...] = ()

    def is_available(self) -> bool:
        """Return True if the optional packages of the feature are installed."""
        return all(find_spec(name) is not None for name in self.packages)

    def column(self, per: str) -> str:
        """Return the name of the column for a form, such as ``syllables_per_word``."""
        return self.name + _SUFFIXES[per]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns for all forms."""
        return tuple(map(self.column, self.per))
