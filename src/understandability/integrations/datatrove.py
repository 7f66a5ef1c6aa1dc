"""A step for datatrove: each document with its scores. Needs datatrove.

datatrove's own filters take it from there:

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

_BATCH = 64  # documents that are scored together; one by one takes several times as long


class UnderstandabilityStep(PipelineStep):  # type: ignore[misc, unused-ignore]  # it has no types
    """Puts scores of each document into its metadata: the named columns, and ``error``.

    `columns` are those of ``ud.score_table``; with `html` the documents are HTML. `settings` are
    fields of ``Settings``, such as ``threshold=40``. A document that cannot be scored passes, with
    NaN (or an empty text) and the reason in ``error``, which else is empty; so a metadata field has
    one type, as Parquet asks.
    """

    name = "understandability"
    type = "📖 - SCORER"

    def __init__(
        self,
        columns: Sequence[str] = ("p_understandable", "difficulty"),
        html: bool = False,
        **settings: Unpack[SettingsOptions],
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.html = html
        self.settings = settings

    def run(
        self, data: Iterator[Document] | None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """The documents in their order, each with its scores."""
        options: dict[str, Any] = {"html" if self.html else "text": "content", **self.settings}
        for batch in batched(data or (), _BATCH):
            with self.track_time("batch"):
                texts = {"content": [document.text for document in batch]}
                rows = score_table(texts, **options)
            for place, document in enumerate(batch):
                error = rows["error"][place] or ""
                self.stat_update("not_scored" if error else "scored")
                self.update_doc_stats(document)
                values = {name: _typed(rows[name][place], name) for name in self.columns}
                document.metadata |= {**values, "error": error}
                yield document


def _typed(value: Any, name: str) -> float | str:
    """A number as a float and text as text, with NaN and "" for what is missing."""
    if name in (*TEXTS, LANGUAGE_FORMULA[0]):
        return value or ""
    return math.nan if value is None else float(value)
