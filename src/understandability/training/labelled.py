"""Labelled texts from tables of any kind: documents, labels turned to harder = higher, groups."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.errors import InputError, OptionError, PageError, WrongTypeError
from understandability.feature.table import compute_features
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import (
    CONTENT_COLUMNS,
    ID_COLUMNS,
    TableColumns,
    media_type_of,
)
from understandability.model.arrays import MOST
from understandability.model.calibration import difficulty_of_level
from understandability.text.analysis import document_of_page
from understandability.text.document import Document
from understandability.text.page import HTML, TEXT, Page
from understandability.text.tokens import word_of
from understandability.wording import counted

LEAST_RECORDS = 30


def _ranked(labels: Floats) -> Floats:
    """Where each label stands among all of its set, 0 to 100; equal labels share their place."""
    _, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(100 * middle[place] / len(labels), np.float64)


def _ranged(labels: Floats) -> Floats:
    """Each label on the way from the lowest, 0, to the highest of its set, 100."""
    return np.asarray(100 * (labels - labels.min()) / np.ptp(labels), np.float64)


# How labels, harder = higher, become difficulty; and within which limits they have to be.
SCALES: Mapping[str, tuple[Any, float, float]] = MappingProxyType(
    {
        "rank": (_ranked, -math.inf, math.inf),
        "range": (_ranged, -math.inf, math.inf),
        "cefr": (difficulty_of_level, 1.0, 6.0),
        "difficulty": (lambda labels: labels, 0.0, 100.0),
    }
)
_FOG = "gunning_fog_plain"
_GUESSED = TableColumns()


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A table of labelled texts: its columns, what a higher label means, the labels' scale.

    `columns` chooses id, text and html (guessed as for pages, if not chosen), `group` the column
    of texts that belong together (``group``, if there is one). Without a `direction` it is asked
    for when the labels are read.

    >>> LabelSource.parse("clear.jsonl.gz:label:easier")  # doctest: +NORMALIZE_WHITESPACE
    LabelSource(path='clear.jsonl.gz', label='label',
                direction=<Direction.EASIER: 'higher-easier'>, scale='rank',
                columns=TableColumns(id=None, html=None, text=None, url=None, keep=()), group=None)
    >>> LabelSource.parse("readme.csv:cefr:harder:cefr").label
    'cefr'
    """

    path: str
    label: str = "label"
    direction: Direction | None = None
    scale: str = "rank"
    columns: TableColumns = _GUESSED
    group: str | None = None

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise OptionError(
                f"there is no scale of labels {self.scale!r}; choose one of {', '.join(SCALES)}"
            )

    @classmethod
    def parse(
        cls,
        text: str,
        label: str | None = None,
        direction: Direction | None = None,
        scale: str | None = None,
        columns: TableColumns = _GUESSED,
        group: str | None = None,
    ) -> LabelSource:
        """``PATH[:COLUMN][:harder|easier][:SCALE]``; what it leaves out is as given besides."""
        parts = text.split(":")
        if len(parts) > 1 and parts[-1] in SCALES:
            scale = parts.pop()
        if len(parts) > 1 and parts[-1] in WORDS:
            direction = WORDS[parts.pop()]
        path = ":".join(parts)
        if len(parts) > 1 and not Path(path).exists():
            if len(parts) > 2 and Path(":".join(parts[:-2])).exists():
                raise OptionError(
                    f"{text!r}: {parts[-1]!r} is not one of harder, easier; write "
                    "FILE:COLUMN:harder or FILE:COLUMN:easier, and behind it, if any, a scale "
                    f"({', '.join(SCALES)})"
                )
            path, label = ":".join(parts[:-1]), parts[-1]
        if not path:
            raise OptionError(
                f"{text!r} names no labels; write FILE[:COLUMN][:harder|easier]"
                f"[:{'|'.join(SCALES)}]"
            )
        return cls(path, label or "label", direction, scale or "rank", columns, group)

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

    @property
    def checksum(self) -> str:
        """What tells these texts from others, whatever file they stand in; '' without texts."""
        texts = sorted(" ".join(document.pieces) for document in self.documents)
        return hashlib.sha256("\n".join(texts).encode()).hexdigest() if texts else ""


def read_labelled(
    source: LabelSource, given: Any = None, *, with_text: bool = True
) -> LabelledTexts:
    """Read a labelled set from its file, or from a frame that is `given`.

    A record without a usable text is left out and counted; one without a label stays, because
    its text can be estimated. Without a column of ids, texts are named by their number. Raises
    `InputError` where a column is missing, or where labels are not numbers, out of their scale, all
    the same, or fewer than 30; `OptionError` where the direction is not said.
    """
    records = read_records(source.path if given is None else given)
    if not records:
        raise InputError(f"{source.path} has no texts with words")
    columns = _Chosen.of(source, tuple(dict.fromkeys(name for each in records for name in each)))
    if with_text and not columns.contents:
        raise InputError(
            f"{source.path} has no column that would hold texts ({', '.join(CONTENT_COLUMNS)}); "
            f"it has {', '.join(columns.names)}; choose one with --text-column or --html-column "
            "(text=, html=)"
        )
    docnos: list[str] = []
    documents: list[Document] = []
    labels: list[float] = []
    groups: list[str] = []
    unusable: dict[str, list[str]] = {}
    for number, record in enumerate(records, 1):
        identity = record.get(columns.id) if columns.id else None
        docno = str(number if identity is None else identity)
        if with_text:
            document = _document(record, docno, columns.contents)
            if isinstance(document, str):
                unusable.setdefault(document, []).append(docno)
                continue
            documents.append(document)
        group = record.get(columns.group) if columns.group else None
        docnos.append(docno)
        labels.append(_label(record, source, number))
        groups.append(docno if group is None else str(group))
    values = np.array(labels, np.float64)
    _check(values, source)
    if source.direction is None:
        raise OptionError(_which_direction(source, documents, values))
    turned = values if source.direction is Direction.HARDER else _turned(values, source.scale)
    return LabelledTexts(source, tuple(docnos), tuple(documents), turned, tuple(groups), unusable)


def read_sets(
    labels: Any,
    label: str | None,
    direction: str | None,
    scale: str | None,
    columns: TableColumns,
    group: str | None,
    *,
    with_text: bool = True,
) -> tuple[LabelledTexts, ...]:
    """The labelled sets that a call names: a table, its path, or a list of paths.

    A path may be ``PATH:COLUMN:harder:SCALE``; what it leaves out is given besides. Without a
    scale labels become difficulties by rank.
    """
    stated = None if direction is None else Direction.of(direction)
    given = labels if isinstance(labels, list | tuple) else [labels]
    if not given:
        raise WrongTypeError("there are no labels; give the path of a table, or a frame")
    sets = []
    for each in given:
        if isinstance(each, LabelSource):
            sets.append(read_labelled(each, with_text=with_text))
        elif isinstance(each, str | Path):
            source = LabelSource.parse(str(each), label, stated, scale, columns, group)
            sets.append(read_labelled(source, with_text=with_text))
        else:
            source = LabelSource(
                "the table", label or "label", stated, scale or "rank", columns, group
            )
            sets.append(read_labelled(source, each, with_text=with_text))
    return tuple(sets)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which columns of a table are read; `contents` with the media type, None if pages tell."""

    id: str | None
    contents: tuple[tuple[str, str | None], ...]
    group: str | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, source: LabelSource, names: tuple[str, ...]) -> _Chosen:
        """Those that the source chooses, and else the first of the usual names."""
        chosen = source.columns
        for name, option in (
            (source.label, "--label-column"),
            (chosen.id, "--id-column"),
            (chosen.html, "--html-column"),
            (chosen.text, "--text-column"),
            (source.group, "--group-column"),
        ):
            if name is not None and name not in names:
                raise InputError(
                    f"{source.path} has no column {name!r}; it has {', '.join(names)}; "
                    f"choose one with {option}"
                )
        picked: list[tuple[str | None, str | None]] = [(chosen.html, HTML), (chosen.text, TEXT)]
        usual = [(name, kind) for name, kind in CONTENT_COLUMNS.items() if name in names]
        contents: list[tuple[str, str | None]] = [
            (name, kind) for name, kind in picked if name is not None
        ]
        return cls(
            chosen.id or next((name for name in ID_COLUMNS if name in names), None),
            tuple(contents or usual),
            source.group or ("group" if "group" in names else None),
            names,
        )


def _document(
    record: Mapping[str, Any], docno: str, contents: Sequence[tuple[str, str | None]]
) -> Document | str:
    """The document of a record, or why there is none."""
    for name, media_type in contents:
        content = record.get(name)
        if isinstance(content, str) and content.strip():
            try:
                page = Page(docno, "", content, media_type or media_type_of(content))
                document = document_of_page(page)
            except PageError as error:
                return str(error)
            return document if any(map(word_of, document.pieces)) else "no words"
    return "no text"


def _label(record: Mapping[str, Any], source: LabelSource, number: int) -> float:
    given = record.get(source.label)
    if given is None:
        return math.nan
    try:
        label = math.inf if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):
        label = math.inf
    if math.isnan(label):
        return math.nan
    if not abs(label) <= MOST:
        raise InputError(
            f"{source.path}, record {number}: {source.label!r} is {str(given)[:40]!r}, not a number"
        )
    _, low, high = SCALES[source.scale]
    if not low <= label <= high:
        raise InputError(
            f"{source.path}, record {number}: {source.label!r} is {label:g}, outside {low:g} to "
            f"{high:g} of the scale {source.scale!r}"
        )
    return label


def _turned(labels: Floats, scale: str) -> Floats:
    """Labels of which higher ones are easier, turned round."""
    _, low, high = SCALES[scale]
    return low + high - labels if math.isfinite(low) else -labels


def _which_direction(source: LabelSource, documents: Sequence[Document], labels: Floats) -> str:
    """The sentence that asks what a higher label means, with what speaks for either reading."""
    question = (
        f"{source.path} does not say what a higher {source.label!r} means; say "
        "higher-harder or higher-easier (--direction, direction=)"
    )
    if not documents:
        return question
    from scipy.stats import spearmanr

    fog = compute_features(documents, [_FOG]).values[:, 0]
    known = np.isfinite(labels) & np.isfinite(fog)
    if not known.any() or np.ptp(fog[known]) == 0:
        return question
    correlation = float(spearmanr(fog[known], labels[known]).statistic)
    return (
        f"{question} (with the FOG index, where higher is harder, the {int(known.sum())} labels "
        f"correlate at {correlation:+.2f} as higher-harder, and at {-correlation:+.2f} as "
        "higher-easier)"
    )


def _check(labels: Floats, source: LabelSource) -> None:
    if not len(labels):
        raise InputError(f"{source.path} has no texts with words")
    known = labels[np.isfinite(labels)]
    if len(known) < LEAST_RECORDS:
        raise InputError(
            f"{source.path} has {counted(len(known), 'usable label')}; "
            f"at least {LEAST_RECORDS} are needed"
        )
    if known.min() == known.max():
        raise InputError(f"{source.path}: all labels are {known[0]:g}; they must differ")


def joined_groups(sets: Sequence[LabelledTexts]) -> NDArray[np.int64]:
    """The number of the group of each text of several sets; texts that are equal share theirs.

    A text that stands twice must not be learned from in one fold and judged in another.
    """
    groups = [group for each in sets for group in each.groups]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    parent = list(range(len(numbers)))

    def root(number: int) -> int:
        while parent[number] != number:
            number = parent[number]
        return number

    first: dict[str, int] = {}
    for document, group in zip(all_documents(sets), groups, strict=False):
        own = root(numbers[group])
        other = root(first.setdefault(" ".join(document.pieces), own))
        parent[max(own, other)] = min(own, other)
    return np.array([root(numbers[group]) for group in groups], np.int64)


def all_documents(sets: Sequence[LabelledTexts]) -> Iterator[Document]:
    """The documents of several sets, one after another."""
    for each in sets:
        yield from each.documents
