"""Labelled texts from tables of any kind: documents, labels turned to harder = higher, groups."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.distributions import ranks
from understandability.errors import InputError, OptionError, PageError, WrongTypeError
from understandability.evaluation.correlation import spearman
from understandability.feature.table import compute_features
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import CONTENT_COLUMNS, ID_COLUMNS, media_type_of
from understandability.model.calibration import difficulty_of_level
from understandability.model.predictors import MOST
from understandability.prompt import AtPrompt
from understandability.text.analysis import document_of_page
from understandability.text.document import Document
from understandability.text.page import HTML, TEXT, Page
from understandability.text.tokens import word_of
from understandability.wording import counted

LEAST_RECORDS = 30


@dataclass(frozen=True, slots=True)
class LabelScale:
    """How labels, higher = harder, are put on 0 to 100; they have to lie from `low` to `high`."""

    to_difficulty: Callable[[Floats], Floats]
    low: float = -math.inf
    high: float = math.inf

    def turned(self, labels: Floats) -> Floats:
        """Labels of which higher ones are easier, turned round."""
        return self.low + self.high - labels if math.isfinite(self.low) else -labels


def percentile(labels: Floats) -> Floats:
    """The share of its set below each label, 0 to 100, equal labels counting half.

    >>> percentile(np.array([3.0, 7.0, 7.0, 9.0])).tolist()
    [12.5, 50.0, 50.0, 87.5]
    """
    return np.asarray(100 * (ranks(labels) - 0.5) / len(labels), np.float64)


def rescaled_label(labels: Floats) -> Floats:
    """Each label on the way from the lowest of its set, 0, to the highest, 100."""
    return np.asarray(100 * (labels - labels.min()) / np.ptp(labels), np.float64)


SCALES: Mapping[str, LabelScale] = {
    "rank": LabelScale(percentile),
    "range": LabelScale(rescaled_label),
    "cefr": LabelScale(difficulty_of_level, 1.0, 6.0),
    "difficulty": LabelScale(np.asarray, 0.0, 100.0),
}
_FOG = "gunning_fog_plain"


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """What tables of labelled texts hold; the same for all that train, judge and rescale.

    `scale` puts labels on 0 to 100: by ``rank`` (the percentile), by ``range`` (the lowest is 0,
    the highest 100), by ``cefr`` level, or ``difficulty``, as they are. Raises `OptionError` for
    a direction or a scale that does not exist.

    >>> LabelColumns("harder", "rating", group="site").direction
    <Direction.HARDER: 'higher-harder'>

    Args:
        direction: What a higher label means: higher-harder or higher-easier.
        label: Column with the label. Default: label.
        group: Column that says which texts belong together (site, article). Default: group, if
            there is one; else each text is its own group.
        id: Column with the name of each document. Default: the first of id, docno, document_id,
            doc_id, warc_record_id, url.
        text: Column with plain text.
        html: Column with HTML. Default: the first of html, content, raw_content, body, text.
    """

    direction: Annotated[str | None, AtPrompt(str)] = None
    label: Annotated[str, AtPrompt(str, "--label-column")] = "label"
    group: Annotated[str | None, AtPrompt(str, "--group-column")] = None
    id: Annotated[str | None, AtPrompt(str, "--id-column")] = None
    text: Annotated[str | None, AtPrompt(str, "--text-column")] = None
    html: Annotated[str | None, AtPrompt(str, "--html-column")] = None
    scale: Annotated[str, AtPrompt(None)] = "rank"

    def __post_init__(self) -> None:
        if self.direction is not None:
            object.__setattr__(self, "direction", Direction.of(self.direction))
        if self.scale not in SCALES:
            raise OptionError(
                f"there is no scale of labels {self.scale!r}; choose one of {', '.join(SCALES)}"
            )

    @property
    def label_scale(self) -> LabelScale:
        """The row of `SCALES`."""
        return SCALES[self.scale]

    def stated_in(self, text: str) -> tuple[str, LabelColumns]:
        """The path and the columns of ``PATH[:COLUMN][:harder|easier][:SCALE]``.

        What the text leaves out stays. Raises `OptionError` where it names no table, or ends in
        a word that is no direction.

        >>> path, columns = LabelColumns(group="site").stated_in("clear.csv:rating:easier:cefr")
        >>> path, columns.label, columns.direction.value, columns.scale, columns.group
        ('clear.csv', 'rating', 'higher-easier', 'cefr', 'site')
        """
        changes: dict[str, str] = {}
        parts = text.split(":")
        if len(parts) > 1 and parts[-1] in SCALES:
            changes["scale"] = parts.pop()
        if len(parts) > 1 and parts[-1] in WORDS:
            changes["direction"] = parts.pop()
        path = ":".join(parts)
        if len(parts) > 1 and not Path(path).exists():
            if len(parts) > 2 and Path(":".join(parts[:-2])).exists():
                raise OptionError(
                    f"{text!r}: {parts[-1]!r} is not one of harder, easier; write "
                    "FILE:COLUMN:harder or FILE:COLUMN:easier, and after it, if needed, a scale "
                    f"({', '.join(SCALES)})"
                )
            path, changes["label"] = ":".join(parts[:-1]), parts[-1]
        if not path:
            raise OptionError(
                f"{text!r} names no labels; write FILE[:COLUMN][:harder|easier]"
                f"[:{'|'.join(SCALES)}]"
            )
        return path, replace(self, **changes)


@dataclass(frozen=True)
class LabelledTexts:
    """One labelled set, in the order of its table, which `path` names.

    `labels` are turned to harder = higher, NaN where a record has none. `documents` is empty
    where only labels were asked for. `unusable` are the ids of records that were left out, by
    reason; `guessed` says which columns were taken for the texts where none was named.
    """

    path: str
    columns: LabelColumns
    docnos: tuple[str, ...]
    documents: tuple[Document, ...]
    labels: Floats
    groups: tuple[str, ...]
    unusable: Mapping[str, list[str]] = field(default_factory=dict)
    guessed: str = ""

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        return Path(self.path).name.partition(".")[0]

    @property
    def targets(self) -> Floats:
        """The labels on 0 to 100 as their scale says; NaN stays."""
        known = np.isfinite(self.labels)
        result = np.full(len(self.labels), np.nan)
        result[known] = self.columns.label_scale.to_difficulty(self.labels[known])
        return result

    @property
    def checksum(self) -> str:
        """What tells these texts from others, whatever file they stand in; '' without texts."""
        texts = sorted(" ".join(document.pieces) for document in self.documents)
        return hashlib.sha256("\n".join(texts).encode()).hexdigest() if texts else ""

    @property
    def in_difficulty(self) -> str:
        """What some labels are on 0 to 100, easiest first, so that a threshold can be chosen.

        All labels where there are at most seven, else seven from the lowest to the highest.
        """
        given = self.labels
        if self.columns.direction is Direction.EASIER:
            given = self.columns.label_scale.turned(given)
        pairs = sorted({(t, g) for t, g in zip(self.targets, given, strict=True) if t == t})
        chosen = np.unique(np.linspace(0, len(pairs) - 1, min(7, len(pairs))).round().astype(int))
        return ", ".join(f"{pairs[i][1]:g} is {pairs[i][0]:.0f}" for i in chosen)

    def on_card(self, licence: str) -> dict[str, Any]:
        """The set as a bundle's card has it."""
        return {
            "name": self.name,
            "records": int(np.isfinite(self.labels).sum()),
            "groups": len(set(self.groups)),
            "label": self.columns.label,
            "scale": self.columns.scale,
            "direction": self.columns.direction,
            "labels_in_difficulty": self.in_difficulty,
            "licence": licence,
            "texts_sha256": self.checksum,
        }


def read_sets(
    labels: Any, columns: LabelColumns, *, with_text: bool = True
) -> tuple[LabelledTexts, ...]:
    """The labelled sets that a call names: a table, its path, or a list of paths.

    A path may be ``PATH:COLUMN:harder:SCALE``. Raises as `read_labelled` does.
    """
    found = []
    for given in labels if isinstance(labels, list | tuple) else [labels]:
        if isinstance(given, LabelledTexts):
            found.append(given)
        elif isinstance(given, str | Path):
            found.append(read_labelled(*columns.stated_in(str(given)), with_text=with_text))
        else:
            found.append(read_labelled("the table", columns, given, with_text=with_text))
    if not found:
        raise WrongTypeError("there are no labels; give the path of a table, or a frame")
    return tuple(found)


def read_labelled(
    path: str, columns: LabelColumns, given: Any = None, *, with_text: bool = True
) -> LabelledTexts:
    """Read a labelled set from its file, or from a frame that is `given`.

    A record without a usable text is left out and counted; one without a label stays, because
    its text can be estimated. Without a column of ids, texts are named by their number. Raises
    `InputError` where a column is missing, or where labels are not numbers, out of their scale, all
    the same, or fewer than 30; `OptionError` where the direction is not said.
    """
    records = read_records(path if given is None else given)
    names = tuple(dict.fromkeys(name for each in records for name in each))
    if not records:
        raise InputError(f"{path} has no texts with words")
    identity, contents, group_column = _places(path, columns, names)
    if with_text and not contents:
        raise InputError(
            f"{path} has no column that would hold texts ({', '.join(CONTENT_COLUMNS)}); "
            f"it has {', '.join(names)}; choose one with --text-column or --html-column "
            "(text=, html=)"
        )
    docnos: list[str] = []
    documents: list[Document] = []
    labels: list[float] = []
    groups: list[str] = []
    unusable: dict[str, list[str]] = {}
    for number, record in enumerate(records, 1):
        named = record.get(identity) if identity else None
        docno = str(number if named is None else named)
        if with_text:
            document = _document(record, docno, contents)
            if isinstance(document, str):
                unusable.setdefault(document, []).append(docno)
                continue
            documents.append(document)
        group = record.get(group_column) if group_column else None
        docnos.append(docno)
        labels.append(_label(record, columns, f"{path}, record {number}: {columns.label!r}"))
        groups.append(docno if group is None else str(group))
    values = np.array(labels, np.float64)
    known = values[np.isfinite(values)]
    if not len(values):
        raise InputError(f"{path} has no texts with words")
    if len(known) < LEAST_RECORDS:
        raise InputError(
            f"{path} has {counted(len(known), 'usable label')}; at least {LEAST_RECORDS} are needed"
        )
    if known.min() == known.max():
        raise InputError(f"{path}: all labels are {known[0]:g}; they must differ")
    if columns.direction is None:
        raise OptionError(_which_direction(path, columns, documents, values))
    if columns.direction is Direction.EASIER:
        values = columns.label_scale.turned(values)
    taken = ", else ".join(repr(name) for name, _ in contents)
    named = columns.text or columns.html or not with_text
    guessed = "" if named else f"{path}: the texts are those of the column {taken}"
    return LabelledTexts(
        path, columns, tuple(docnos), tuple(documents), values, tuple(groups), unusable, guessed
    )


def _places(
    path: str, columns: LabelColumns, names: Sequence[str]
) -> tuple[str | None, list[tuple[str, str | None]], str | None]:
    """The columns of ids, of texts with their media types (None: pages tell), and of groups."""
    for option in ("label", "id", "html", "text", "group"):
        name = getattr(columns, option)
        if name is not None and name not in names:
            more = " and --direction higher-harder or higher-easier"
            raise InputError(
                f"{path} has no column {name!r}; it has {', '.join(names)}; choose one with "
                f"--{option}-column{'' if columns.direction or option != 'label' else more}"
            )
    chosen: list[tuple[str, str | None]] = [
        (name, kind) for name, kind in ((columns.html, HTML), (columns.text, TEXT)) if name
    ]
    usual = [(name, kind) for name, kind in CONTENT_COLUMNS.items() if name in names]
    return (
        columns.id or next((name for name in ID_COLUMNS if name in names), None),
        chosen or usual,
        columns.group or ("group" if "group" in names else None),
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


def _label(record: Mapping[str, Any], columns: LabelColumns, where: str) -> float:
    given = record.get(columns.label)
    try:
        label = math.inf if isinstance(given, bool) else math.nan if given is None else float(given)
    except (TypeError, ValueError, OverflowError):
        label = math.inf
    if math.isnan(label):
        return math.nan
    if not abs(label) <= MOST:
        raise InputError(f"{where} is {str(given)[:40]!r}, not a number")
    low, high = columns.label_scale.low, columns.label_scale.high
    if not low <= label <= high:
        raise InputError(
            f"{where} is {label:g}, outside {low:g} to {high:g} of the scale {columns.scale!r}"
        )
    return label


def _which_direction(
    path: str, columns: LabelColumns, documents: Sequence[Document], labels: Floats
) -> str:
    """The sentence that asks what a higher label means, with what speaks for either reading."""
    question = (
        f"{path} does not say what a higher {columns.label!r} means; say "
        "higher-harder or higher-easier (--direction, direction=)"
    )
    if not documents:
        return question
    fog = compute_features(documents, [_FOG]).values[:, 0]
    known = np.isfinite(labels) & np.isfinite(fog)
    if not known.any() or np.ptp(fog[known]) == 0:
        return question
    correlation = spearman(fog[known], labels[known])
    return (
        f"{question} (with the FOG index, where higher is harder, the {int(known.sum())} labels "
        f"correlate at {correlation:+.2f} as higher-harder, and at {-correlation:+.2f} as "
        "higher-easier)"
    )


def joined_groups(sets: Sequence[LabelledTexts]) -> NDArray[np.int64]:
    """The number of the group of each text of several sets; texts that are equal share theirs.

    A text that stands twice must not be learned from in one fold and judged in another.
    """
    groups = _numbered([group for labelled in sets for group in labelled.groups])
    texts = _numbered([" ".join(document.pieces) for document in all_documents(sets)])
    # Each group points to an earlier one that shares a text with it, or to itself.
    earlier = list(range(len(groups)))

    def first(group: int) -> int:
        while earlier[group] != group:
            earlier[group] = group = earlier[earlier[group]]
        return group

    with_text: dict[int, int] = {}
    for group, text in zip(groups.tolist(), texts.tolist(), strict=True):
        other = first(with_text.setdefault(text, group))
        low, high = sorted((first(group), other))
        earlier[high] = low
    return _numbered([first(group) for group in groups.tolist()])


def _numbered(values: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return integer codes for the values, in order of first appearance."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.array([numbers[value] for value in values], np.int64)


def all_documents(sets: Sequence[LabelledTexts]) -> Iterator[Document]:
    """The documents of several sets, one after another."""
    for each in sets:
        yield from each.documents
