"""The same pages read by every extraction method and policy of sentence ends, side by side.

What Palotti, Zuccon & Hanbury (2015) did for CLEF eHealth, for anybody's pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from understandability.scoring import Scorer, document_or_failure
from understandability.text.page import Failure, Page
from understandability.text.sentences import SENTENCE_ENDS

METHODS = ("naive", "boilerpipe", "justext")
MEASURED = (
    "words",
    "sentences",
    "dale_chall",
    "gunning_fog",
    "flesch_reading_ease",
    "difficulty",
)


@dataclass(frozen=True, slots=True)
class MethodValues:
    """What one method under one policy makes of some pages: a row a page with text.

    `values` has a column for each of `MEASURED`; (pages, columns), float64.
    """

    method: str
    sentence_ends: str
    values: NDArray[np.float64]

    @property
    def name(self) -> str:
        """The method and the policy, as tables call them."""
        return f"{self.method}, {self.sentence_ends}"

    def column(self, name: str) -> NDArray[np.float64]:
        """The values of one of `MEASURED`."""
        return self.values[:, MEASURED.index(name)]

    def medians(self) -> list[float]:
        """The median of each column, NaN where no page has text."""
        if not len(self.values):
            return [np.nan] * len(MEASURED)
        return [float(value) for value in np.nanmedian(self.values, axis=0)]


def compare_methods(pages: Iterable[Page | Failure], scorer: Scorer) -> list[MethodValues]:
    """The values of the pages under each of `METHODS` and each policy of sentence ends."""
    readable = [page for page in pages if isinstance(page, Page)]
    return [
        MethodValues(method, policy, _values(readable, method, policy, scorer))
        for method in METHODS
        for policy in SENTENCE_ENDS
    ]


def _values(pages: Sequence[Page], method: str, policy: str, scorer: Scorer) -> NDArray[np.float64]:
    settings = replace(scorer.settings, extractor=method, sentence_ends=policy)
    results = [document_or_failure(page, settings) for page in pages]
    documents = [each for each in results if not isinstance(each, Failure) and each.pieces]
    tables = [table.select(list(MEASURED)) for table in scorer.score_all(documents)]
    columns = [
        np.concatenate([table[name].to_numpy(zero_copy_only=False) for table in tables])
        for name in MEASURED
    ]
    return np.column_stack(columns).astype(np.float64)
