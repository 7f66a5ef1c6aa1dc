"""Readers from answers, and the scale of a bundle from labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from understandability.api.scoring import Rows
from understandability.errors import InputError
from understandability.formats.records import read_records
from understandability.models.training.answers import FittedReader, fit_reader, read_answers
from understandability.storage.tables import SETTINGS_KEY, read_settings


def calibrate(
    answers: Any,
    scores: Any = None,
    *,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    understood: str = "understood",
    column: str = "difficulty",
    name: str = "own",
) -> FittedReader:
    """A reader of one's own from some fifty answers: this document was understood, or was not.

    `answers` are a path, a frame or a dictionary of lists, with a column of documents and one of
    yes or no (`understood`). Their difficulties are those of `scores`, a score table (a path, a
    frame, or what `score` gave), or stand beside the answers, in `column`.

    >>> difficulties = list(range(10, 70))
    >>> answers = {"difficulty": difficulties, "understood": [d + d % 7 < 45 for d in difficulties]}
    >>> round(calibrate(answers).reader.threshold)
    42
    """
    found: dict[str, float] | None = None
    scale = ""
    remark: tuple[str, ...] = ()
    if scores is not None:
        table = scores.to_arrow() if isinstance(scores, Rows) else scores
        rows = read_records(table)
        if not rows or "docno" not in rows[0] or column not in rows[0]:
            raise InputError(f"the scores have no docno and no column {column!r}")
        found = {str(row["docno"]): row[column] for row in rows}
        scale = str((_settings_of(table) or {}).get("scale", ""))
    where = str(answers) if isinstance(answers, str | Path) else "the table of answers"
    values, given, without = read_answers(
        read_records(answers), where, found, id=id, understood=understood, column=column
    )
    fitted = fit_reader(values, given, name, scale=scale)
    if without:
        some = ", ".join(without[:3])
        remark = (f"left out, because they have no difficulty: {len(without)} answers ({some})",)
    return replace(fitted, remarks=(*remark, *fitted.remarks))


def _settings_of(table: Any) -> Mapping[str, Any] | None:
    """What a score table says of how it was made."""
    if isinstance(table, str | Path):
        return read_settings(str(table))
    metadata = getattr(getattr(table, "schema", None), "metadata", None) or {}
    text = metadata.get(SETTINGS_KEY)
    return dict(json.loads(text)) if text else None
