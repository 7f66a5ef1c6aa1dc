"""A step for datatrove that scores documents. Requires datatrove.

datatrove's own filters can use the scores:

    LambdaFilter(lambda document: document.metadata["p_understandable"] >= 0.5)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from understandability.crawls.score import score_table
from understandability.errors import needing
from understandability.scoring import LANGUAGE_FORMULA, TEXTS, SettingsOptions

with needing("the step needs datatrove", "datatrove"):
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.batching import batched

if TYPE_CHECKING:
    from datatrove.data import Document


class UnderstandabilityStep(PipelineStep):  # type: ignore[misc, unused-ignore]  # it has no types
    """Adds scores to the metadata of each document: the named columns, and ``error``.

    `columns` are columns of ``ud.score_table``. With `html`, the documents are HTML. `batch_size`
    documents are scored at a time; scoring them one by one takes several times as long. `settings`
    are fields of ``Settings``, such as ``threshold=40``.

    A document that cannot be scored passes with NaN (or an empty text) and the reason in ``error``,
    which is empty otherwise. So each metadata field has one type, as Parquet requires.
    """

    name = "understandability"
    type = "📖 - SCORER"

    def __init__(
        self,
        columns: Sequence[str] = ("p_understandable", "difficulty"),
        html: bool = False,
        *,
        batch_size: int = 64,
        **settings: Unpack[SettingsOptions],
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.html = html
        self.batch_size = batch_size
        self.settings = settings

    def run(
        self, data: Iterator[Document] | None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield the documents in the same order, with scores in their metadata."""
        options: dict[str, Any] = {"html" if self.html else "text": "content", **self.settings}
        for batch in batched(data or (), self.batch_size):
            with self.track_time("batch"):
                texts = {"content": [document.text for document in batch]}
                rows = score_table(texts, **options)
            for index, document in enumerate(batch):
                error = rows["error"][index] or ""
                self.stat_update("not_scored" if error else "scored")
                self.update_doc_stats(document)
                values = {name: _typed(rows[name][index], name) for name in self.columns}
                document.metadata |= {**values, "error": error}
                yield document


def _typed(value: Any, name: str) -> float | str:
    """Return a number as a float and text as text; a missing value becomes NaN or ""."""
    if name in (*TEXTS, LANGUAGE_FORMULA[0]):
        return value or ""
    return math.nan if value is None else float(value)
