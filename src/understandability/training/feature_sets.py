"""Choose the columns that a model is trained on, from given values or from a table of features."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import missing_resources
from understandability.inputs.frames import read_records
from understandability.wording import counted

# Names the columns that the blend reads, which are not in the catalogue (`model.blend`).
PASSAGES = "passages"


def without_empty(inputs: Floats, columns: Sequence[str]) -> tuple[Floats, tuple[str, ...], str]:
    """Drop columns without any value. Returns values, names, and a remark on dropped columns.

    >>> without_empty(np.array([[1.0, np.nan]]), ["smog", "chv_concepts"])[1:]  # doctest: +ELLIPSIS
    (('smog',), 'dropped, because no text has a value: 1 feature (chv_concepts); ...')
    """
    full = np.asarray(np.isfinite(inputs).any(axis=0))
    empty = [name for name, has in zip(columns, full, strict=True) if not has]
    if not empty:
        return inputs, tuple(columns), ""
    if not full.any():
        raise InputError(f"none of the features {', '.join(empty[:5])} has a value for any text")
    needs = [need for name in empty for need in COLUMNS[name][0].needs]
    lacking = ", ".join(dict.fromkeys(missing_resources(needs)))
    some = f"{', '.join(empty[:3])}{', ...' if len(empty) > 3 else ''}"
    remark = f"dropped, because no text has a value: {counted(len(empty), 'feature')} ({some})"
    if lacking:
        remark += f"; not installed: {lacking} (see `understand resources list`)"
    names = tuple(name for name, has in zip(columns, full, strict=True) if has)
    return inputs[:, full], names, remark


def features_in(table: Any, docnos: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """Return the columns of the catalogue in a table of features, and their values by docno.

    Raises `InputError` if the table lacks a document, or contains values that are not numbers.
    """
    where = str(table) if isinstance(table, str | Path) else "the table"
    records = read_records(table)
    columns = tuple(name for name in (records[0] if records else ()) if name in COLUMNS)
    if not columns or "docno" not in records[0]:
        raise InputError(f"{where} has no docno and columns of the feature catalogue")
    rows = {str(record["docno"]): [record.get(name) for name in columns] for record in records}
    if missing := [docno for docno in docnos if docno not in rows]:
        raise InputError(f"{where} lacks {len(missing)} labelled docnos, such as {missing[0]!r}")
    try:
        return columns, np.array([rows[docno] for docno in docnos], np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where} holds values that are not numbers: {error}") from error
