"""PyTerrier transformers that estimate the difficulty of texts, and re-rank results by it.

They are plain Python and start no Java virtual machine. Requires the extra ``pyterrier``.

    from understandability.integrations.pyterrier import Rerank, Understandability

    pipeline = bm25 >> pt.text.get_text(dataset) >> Understandability() >> Rerank(top=15)

`use` (of `understandability.integrations.ir_measures`) sets the labels of our measures. Importing
this module registers their names for ``pt.Experiment``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from understandability.crawls.score import score_table
from understandability.errors import InputError, needing
from understandability.evaluation.criteria import Criterion, column_direction, criterion
from understandability.evaluation.rerank import rerank
from understandability.inputs.run import Run
from understandability.inputs.runs_and_labels import labels_of
from understandability.integrations.ir_measures import use
from understandability.scoring import SettingsOptions, scorer_with

with needing("the transformers need an optional package", ".[pyterrier]"):
    import pyterrier as pt

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rerank", "Understandability", "use"]

ESTIMATES = ("p_understandable", "difficulty", "spread")


class Understandability(pt.Transformer):  # type: ignore[misc, unused-ignore]  # untyped in some versions
    """Adds the columns ``p_understandable``, ``difficulty`` and ``spread`` to documents.

    Requires rows with ``docno`` and the column `text`, which holds plain text or HTML. `settings`
    are fields of `understandability.scoring.Settings`, such as ``bundle="default", threshold=40``.
    """

    def __init__(
        self, text: str = "text", html: bool = False, **settings: Unpack[SettingsOptions]
    ) -> None:
        self.text, self.html = text, html
        self.settings = settings
        scorer_with(**settings)  # raises errors at once, and is cached

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with three more columns; a repeated text is scored only once."""
        _require(results, ("docno", self.text), "Understandability")
        texts = results.drop_duplicates("docno")
        content: dict[str, Any] = {"html" if self.html else "text": "content", **self.settings}
        rows = score_table({"content": texts[self.text].tolist()}, **content)
        values = {name: dict(zip(texts["docno"], rows[name], strict=True)) for name in ESTIMATES}
        return results.assign(
            **{name: results["docno"].map(values[name]).astype(float) for name in ESTIMATES}
        )


class Rerank(pt.Transformer):  # type: ignore[misc, unused-ignore]  # untyped in some versions
    """Re-ranks the first `top` results of each query, easiest first.

    `by` is the name of a column of the results, optionally with a direction
    (``mine:higher-harder``), a score table (``scores.parquet:difficulty``), or a `Criterion`.
    The order is computed by `understandability.evaluation.rerank.rerank`; the new scores are the
    reciprocals of the new ranks, counted from 1, while ranks count from 0 as PyTerrier's do.
    """

    def __init__(
        self, by: str | Criterion = "difficulty", top: int = 15, weight: float = 1.0
    ) -> None:
        self.by, self.top, self.weight = by, top, weight
        self._criterion = by if isinstance(by, Criterion) else None
        if isinstance(by, str) and "." in by.partition(":")[0]:
            self._criterion = criterion(by)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the same rows with new scores and ranks, in the new order."""
        _require(results, ("qid", "docno", "score"), "Rerank")
        if results.empty:
            return results.assign(rank=np.empty(0, dtype=np.int64))
        by_rank = results.sort_values(["qid", "score"], ascending=[True, False], kind="stable")
        rankings = {
            str(qid): list(zip(rows["docno"], rows["score"], strict=True))
            for qid, rows in by_rank.groupby("qid", sort=False)
        }
        easy = self._criterion or self._of_column(results)
        run = rerank(Run.of("results", rankings), easy, top=self.top, weights=[self.weight])
        positions = {
            (query, docno): position
            for query, documents in run.by_query().items()
            for position, (docno, _) in enumerate(documents)
        }
        keys = zip(by_rank["qid"].astype(str), by_rank["docno"], strict=True)
        rank = np.array([positions[key] for key in keys], dtype=np.int64)
        new = by_rank.assign(rank=rank, score=1 / (rank + 1.0))
        return new.sort_values(["qid", "rank"], kind="stable").reset_index(drop=True)

    def _of_column(self, results: pd.DataFrame) -> Criterion:
        """Return the scores in a column of the results, as a `Criterion`."""
        column, direction = column_direction(str(self.by))
        _require(results, (column,), "Rerank")
        scores = results[["qid", "docno"]].assign(score=results[column].astype(float))
        return Criterion(labels_of(scores, column, "score"), direction)


def _require(results: pd.DataFrame, columns: tuple[str, ...], transformer: str) -> None:
    if missing := [column for column in columns if column not in results.columns]:
        raise InputError(
            f"{transformer} needs the column {missing[0]!r}; the results have "
            f"{', '.join(results.columns)}"
        )
