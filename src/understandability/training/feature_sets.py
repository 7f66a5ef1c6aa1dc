"""Which features a model may be trained on: sets, groups, features and columns by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.feature.catalogue import COLUMNS, all_groups, catalogue, check_columns
from understandability.feature.row import DOCUMENT
from understandability.feature.table import missing_resources
from understandability.inputs.frames import read_records
from understandability.wording import counted

# Groups of the catalogue that describe a text of any length, whatever page it stood on.
_GROUPS = (
    "readability", "components", "medical vocabulary", "natural language", "word frequency",
    "language model",
)  # fmt: skip


def text_columns() -> tuple[str, ...]:
    """The columns of the catalogue that a judged model reads by default.

    They are ratios, so that the length of a text does not matter, and need nothing installed.
    """
    return tuple(
        row.column(per)
        for row in catalogue()
        if row.group in _GROUPS
        if not row.needs and not row.name.endswith("_readcalc")
        for per in row.per
        if (per != DOCUMENT or len(row.per) == 1) and row.name != "sentences"
    )


# What rows of the study's groups have at the end of their names, or are called, that its Table 2
# does not list: other forms of a formula, other lists, another matcher of concepts.
_NOT_IN_STUDY = (
    "_above_5", "_cloze", "_plain", "_readcalc", "_metamap", "_indri", "_terrier",
    "words_over_3_syllables", "adam_abbreviations",
)  # fmt: skip
_STUDY_GROUPS = (
    "readability", "components", "medical vocabulary", "consumer vocabulary", "expert vocabulary",
    "natural language", "html", "word frequency",
)  # fmt: skip


def study_columns() -> tuple[str, ...]:
    """The features of Table 2 of Palotti, Zuccon & Hanbury (2019), in all their forms.

    Raw, per word and per sentence; the outputs of background models, which Table 2 has too, come
    with the bundles of these models. Where the study had a list of its own, ours stands beside it.
    """
    return tuple(
        column
        for row in catalogue()
        if row.group in _STUDY_GROUPS
        if not row.name.endswith(_NOT_IN_STUDY) and not row.name.startswith("zipf_")
        for column in row.columns
    )


# The columns that the blend reads; they are not of the catalogue (`model.blend`).
PASSAGES = "passages"

# Sets of features by name, in addition to the groups and the columns of the catalogue.
FEATURE_SETS = {"text": text_columns, "study2018": study_columns}


def columns_named(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of sets (`FEATURE_SETS`), groups, features and columns; each once.

    A group or a feature has all its forms: raw, per word, per sentence.

    >>> columns_named(["smog", "syllables"])
    ('smog', 'syllables', 'syllables_per_word', 'syllables_per_sentence')
    """
    chosen: list[str] = []
    for name in names:
        group = name.replace("-", " ").replace("_", " ").lower()
        if name in FEATURE_SETS:
            chosen += FEATURE_SETS[name]()
        elif group in all_groups():
            chosen += [each for row in catalogue() if row.group == group for each in row.columns]
        else:
            try:
                [column] = check_columns([name])
            except OptionError as error:
                raise OptionError(
                    f"{error}; sets and groups are {', '.join((*FEATURE_SETS, *all_groups()))}"
                ) from error
            row, form = COLUMNS[column]
            chosen += row.columns if form == DOCUMENT else [column]
    return tuple(dict.fromkeys(chosen))


def without_empty(inputs: Floats, columns: Sequence[str]) -> tuple[Floats, tuple[str, ...], str]:
    """The columns that have a value in any row, and a sentence on those that have none.

    >>> without_empty(np.array([[1.0, np.nan]]), ["smog", "chv_concepts"])[1:]  # doctest: +ELLIPSIS
    (('smog',), 'left out, because no text has a value: 1 feature (chv_concepts); ...')
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
    remark = f"left out, because no text has a value: {counted(len(empty), 'feature')} ({some})"
    if lacking:
        remark += f"; not installed: {lacking} (see `understand resources list`)"
    kept = tuple(name for name, has in zip(columns, full, strict=True) if has)
    return inputs[:, full], kept, remark


def features_in(table: Any, docnos: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """The columns of the catalogue in a table of features, and their values by docno.

    Raises `InputError` where the table lacks a document, or holds values that are not numbers.
    """
    where = str(table) if isinstance(table, str | Path) else "the table"
    records = read_records(table)
    columns = tuple(name for name in (records[0] if records else ()) if name in COLUMNS)
    if not columns or "docno" not in records[0]:
        raise InputError(f"{where} has no docno and columns of the feature catalogue")
    rows = {str(record["docno"]): [record.get(name) for name in columns] for record in records}
    if lacking := [docno for docno in docnos if docno not in rows]:
        raise InputError(f"{where} lacks {len(lacking)} labelled docnos, such as {lacking[0]!r}")
    try:
        return columns, np.array([rows[docno] for docno in docnos], np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where} holds values that are not numbers: {error}") from error
