"""Labelled texts from JSON Lines: documents, labels turned to harder = higher, groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.documents import document_of_page
from understandability.errors import InputError, OptionError, PageError
from understandability.formats.jsonl import read_objects
from understandability.language.tokens import word_of
from understandability.models.calibration import difficulty_of_level
from understandability.models.runtime.arrays import MOST
from understandability.records import HTML, TEXT, Document, Page

LEAST_RECORDS = 30


def _ranked(labels: Floats) -> Floats:
    """Where each label stands among all of its set, 0 to 100; equal labels share their place."""
    _, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(100 * middle[place] / len(labels), np.float64)


# How labels, harder = higher, become difficulty; and within which limits they have to be.
SCALES: Mapping[str, tuple[Any, float, float]] = MappingProxyType(
    {
        "rank": (_ranked, -math.inf, math.inf),
        "cefr": (difficulty_of_level, 1.0, 6.0),
        "difficulty": (lambda labels: labels, 0.0, 100.0),
    }
)


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A file of labelled texts, which field is the label, what a higher one means, its scale.

    >>> LabelSource.parse("clear.jsonl.gz:label:easier")  # doctest: +NORMALIZE_WHITESPACE
    LabelSource(path='clear.jsonl.gz', label='label',
                direction=<Direction.EASIER: 'higher-easier'>, scale='rank')
    >>> LabelSource.parse("readme.jsonl:cefr:harder:cefr").label
    'cefr'
    """

    path: str
    label: str = "label"
    direction: Direction = Direction.HARDER
    scale: str = "rank"

    @classmethod
    def parse(cls, text: str) -> LabelSource:
        """``PATH[:FIELD][:harder|easier][:rank|cefr|difficulty]``."""
        parts = text.split(":")
        scale, direction = "rank", Direction.HARDER
        if len(parts) > 1 and parts[-1] in SCALES:
            scale = parts.pop()
        if len(parts) > 1 and parts[-1] in WORDS:
            direction = WORDS[parts.pop()]
        path, label = ":".join(parts), "label"
        if len(parts) > 1 and not Path(path).exists():
            path, label = ":".join(parts[:-1]), parts[-1]
        if not path:
            raise OptionError(
                f"{text!r} names no labels; write FILE[:FIELD][:harder|easier][:{'|'.join(SCALES)}]"
            )
        return cls(path, label, direction, scale)

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        return Path(self.path).name.partition(".")[0]


@dataclass(frozen=True)
class LabelledTexts:
    """One labelled set, in the order of its file.

    `labels` are turned to harder = higher, NaN where a record has none. `documents` is empty
    where only labels were asked for. `unusable` are the ids of records that were left out, by
    reason.
    """

    source: LabelSource
    docnos: tuple[str, ...]
    documents: tuple[Document, ...]
    labels: Floats
    groups: tuple[str, ...]
    unusable: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def difficulties(self) -> Floats:
        """The labels on the scale of difficulty; NaN stays."""
        to_difficulty, _, _ = SCALES[self.source.scale]
        known = np.isfinite(self.labels)
        result = np.full(len(self.labels), np.nan)
        result[known] = to_difficulty(self.labels[known])
        return result


def read_labelled(source: LabelSource, *, with_text: bool = True) -> LabelledTexts:
    """Read a labelled set: objects of ``id``, ``text`` or ``html``, the label, and ``group``.

    A record without a usable text is left out and counted; one without a label stays, because
    its text can be estimated. Raises `InputError` where labels are not numbers, out of their
    scale, all the same, or fewer than 30.
    """
    docnos: list[str] = []
    documents: list[Document] = []
    labels: list[float] = []
    groups: list[str] = []
    unusable: dict[str, list[str]] = {}
    for number, record in enumerate(read_objects(source.path), 1):
        docno = str(record.get("id", number))
        if with_text:
            document = _document(record, docno)
            if isinstance(document, str):
                unusable.setdefault(document, []).append(docno)
                continue
            documents.append(document)
        docnos.append(docno)
        labels.append(_label(record, source, number))
        groups.append(str(record.get("group", docno)))
    values = np.array(labels, np.float64)
    _check(values, source)
    return LabelledTexts(source, tuple(docnos), tuple(documents), values, tuple(groups), unusable)


def _document(record: Mapping[str, Any], docno: str) -> Document | str:
    media_type = HTML if isinstance(record.get("html"), str) else TEXT
    content = record.get("html" if media_type == HTML else "text")
    if not isinstance(content, str) or not content.strip():
        return "no text"
    try:
        document = document_of_page(Page(docno, "", content, media_type))
    except PageError as error:
        return str(error)
    return document if any(map(word_of, document.pieces)) else "no words"


def _label(record: Mapping[str, Any], source: LabelSource, number: int) -> float:
    label = record.get(source.label)
    if label is None:
        return math.nan
    if isinstance(label, bool) or not isinstance(label, int | float) or not abs(label) <= MOST:
        raise InputError(
            f"{source.path}, record {number}: {source.label!r} is {str(label)[:40]!r}, not a number"
        )
    _, low, high = SCALES[source.scale]
    if not low <= label <= high:
        raise InputError(
            f"{source.path}, record {number}: {source.label!r} is {label:g}, outside {low:g} to "
            f"{high:g} of the scale {source.scale!r}"
        )
    if source.direction is Direction.HARDER:
        return float(label)
    return low + high - label if math.isfinite(low) else -float(label)


def _check(labels: Floats, source: LabelSource) -> None:
    if not len(labels):
        raise InputError(f"{source.path} has no texts with words")
    known = labels[np.isfinite(labels)]
    if not len(known):
        raise InputError(
            f"{source.path} has no field {source.label!r}; name the label as FILE:FIELD"
        )
    if len(known) < LEAST_RECORDS:
        raise InputError(
            f"{source.path} has {len(known)} usable labels; at least {LEAST_RECORDS} are needed"
        )
    if known.min() == known.max():
        raise InputError(f"{source.path}: all labels are {known[0]:g}; they must differ")


def all_documents(sets: tuple[LabelledTexts, ...]) -> Iterator[Document]:
    """The documents of several sets, one after another."""
    for each in sets:
        yield from each.documents
