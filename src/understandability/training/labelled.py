"""Read labelled texts from tables: documents, groups, and labels where higher means harder."""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict, overload

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.distributions import ranks
from understandability.errors import InputError, OptionError, PageError, WrongTypeError
from understandability.evaluation.correlation import spearman
from understandability.feature.table import compute_features
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import CONTENT_COLUMNS, ID_COLUMNS, media_type_of
from understandability.keywords import read_by
from understandability.model.calibration import difficulty_of_level
from understandability.model.predictors import MOST
from understandability.text.analysis import document_of_page
from understandability.text.document import Document
from understandability.text.page import HTML, TEXT, Page
from understandability.text.tokens import word_of
from understandability.training.label_values import MISSING, LabelReader
from understandability.wording import counted, kind_of, names_in

LEAST_RECORDS = 30
# The documents of larger tables are not kept in memory.
_MOST_KEPT = 10_000
_MOST_OF_FOG = 2_000  # texts that the message on the direction of labels is computed from


@dataclass(frozen=True, slots=True)
class LabelScale:
    """A map from labels (higher = harder) to 0..100. Labels must lie between `low` and `high`."""

    to_difficulty: Callable[[Floats], Floats]
    low: float = -math.inf
    high: float = math.inf

    def turned(self, labels: Floats) -> Floats:
        """Reverse labels whose higher values are easier. Applying it twice restores the labels."""
        return self.low + self.high - labels if math.isfinite(self.low) else -labels


def percentile(labels: Floats) -> Floats:
    """Return the percentile of each label in its set, 0 to 100; equal labels count half.

    >>> percentile(np.array([3.0, 7.0, 7.0, 9.0])).tolist()
    [12.5, 50.0, 50.0, 87.5]
    """
    return np.asarray(100 * (ranks(labels) - 0.5) / len(labels), np.float64)


def rescaled_label(labels: Floats) -> Floats:
    """Scale labels linearly to 0 (lowest) to 100 (highest)."""
    return np.asarray(100 * (labels - labels.min()) / np.ptp(labels), np.float64)


SCALES: Mapping[str, LabelScale] = {
    "rank": LabelScale(percentile),
    "range": LabelScale(rescaled_label),
    "cefr": LabelScale(difficulty_of_level, 1.0, 6.0),
    "difficulty": LabelScale(np.asarray, 0.0, 100.0),
}
_FOG = "gunning_fog_plain"


class LabelOptions(TypedDict, total=False):
    """The fields of `LabelColumns` as keywords of `train`, `validate` and `rescale`."""

    direction: str | None
    label: str
    order: Sequence[str]
    weight: str | None
    group: str | None
    id: str | None
    text: str | None
    html: str | None
    scale: str


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The options of a table of labelled texts: its columns, and the meaning of its labels.

    `scale` maps labels to 0..100: ``rank`` (the percentile), ``range`` (the lowest is 0, the
    highest 100), ``cefr`` (levels), or ``difficulty`` (unchanged). Raises `OptionError` for an
    unknown direction or scale.

    >>> LabelColumns("harder", "rating", group="site").direction
    <Direction.HARDER: 'higher-harder'>

    Args:
        direction: What a higher label means: higher-harder or higher-easier. CEFR levels and
            labels with an order need none.
        label: Column with the label, or several columns separated by commas (one per rater),
            which are averaged. Default: label.
        order: Labels that are words, from the easiest to the hardest, such as easy,medium,hard.
        weight: Column with the weight of each text, a number of 0 or more.
        group: Column with the group of each text, such as its site or article. Default: group, if
            the table has it; else each text is its own group.
        id: Column with the name of each document. Default: the first of id, docno, document_id,
            doc_id, warc_record_id, url.
        text: Column with plain text.
        html: Column with HTML. Default: the first of html, content, raw_content, body, text.
    """

    direction: str | None = None
    label: Annotated[str, Parameter("--label-column")] = "label"
    group: Annotated[str | None, Parameter("--group-column")] = None
    id: Annotated[str | None, Parameter("--id-column")] = None
    text: Annotated[str | None, Parameter("--text-column")] = None
    html: Annotated[str | None, Parameter("--html-column")] = None
    scale: Annotated[str, Parameter(parse=False)] = "rank"
    order: Annotated[Sequence[str], read_by(names_in, metavar="WORD,...")] = ()
    weight: Annotated[str | None, Parameter("--weight-column")] = None

    def __post_init__(self) -> None:
        label: Any = self.label
        if isinstance(label, list | tuple) and all(isinstance(name, str) for name in label):
            object.__setattr__(self, "label", ",".join(label))
        for name in ("label", "group", "id", "text", "html", "weight"):
            if not isinstance(value := getattr(self, name), str | None):
                raise WrongTypeError(
                    f"{name} takes the name of a column, not {kind_of(value)}; with texts and "
                    "labels as sequences, as in train(texts, labels), group, weight and id may be "
                    "sequences too"
                )
        if self.direction is not None:
            object.__setattr__(self, "direction", Direction.of(self.direction))
        if self.scale not in SCALES:
            raise OptionError(
                f"there is no scale of labels {self.scale!r}; choose one of {', '.join(SCALES)}"
            )
        words = self.order.split(",") if isinstance(self.order, str) else self.order
        order = tuple(str(word).strip() for word in words)
        object.__setattr__(self, "order", order)
        if order and (len(order) < 2 or len(set(map(str.casefold, order))) < len(order)):
            raise OptionError(
                "--order (order=) needs two or more different words, from the easiest to the "
                f"hardest, not {', '.join(order)!r}"
            )

    @property
    def label_scale(self) -> LabelScale:
        """The `LabelScale` with the name in `scale`."""
        return SCALES[self.scale]

    def stated_in(self, text: str) -> tuple[str, LabelColumns]:
        """Parse ``PATH[:COLUMN][:harder|easier][:SCALE]``; return the path, and a copy with these
        options.

        Omitted parts keep their values. Raises `OptionError` if the text names no table, or ends in
        a word that is not a direction.

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


@dataclass(frozen=True, slots=True, eq=False)
class StoredPages(Sequence[Document]):
    """The documents of a large table. Each is created when it is read, and not kept.

    An analysed text takes ten times the memory of a page.
    """

    pages: tuple[Page, ...]

    def __len__(self) -> int:
        return len(self.pages)

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> StoredPages: ...
    def __getitem__(self, index: int | slice) -> Document | StoredPages:
        if isinstance(index, slice):
            return StoredPages(self.pages[index])
        return document_of_page(self.pages[index])


@dataclass(frozen=True)
class LabelledTexts:
    """A set of labelled texts, in the order of the table at `path`.

    Higher `labels` are harder, whatever the direction of the table; a missing label is NaN.
    `weights` are 1 if the table has no weights. `documents` is empty if only labels were requested.
    `unusable` holds the ids of dropped records by reason. `guessed` names the columns that were
    read as texts, if the caller named none. `remarks` are sentences on how labels were read.
    `words` maps a number to the word in the table, if labels are words.
    """

    path: str
    columns: LabelColumns
    docnos: tuple[str, ...]
    documents: Sequence[Document]
    labels: Floats
    groups: tuple[str, ...]
    unusable: Mapping[str, list[str]] = field(default_factory=dict)
    guessed: str = ""
    weights: Floats = field(default_factory=lambda: np.empty(0))
    remarks: tuple[str, ...] = ()
    words: Mapping[float, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.labels):
            object.__setattr__(self, "weights", np.ones(len(self.labels)))

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        return Path(self.path).name.partition(".")[0]

    @property
    def targets(self) -> Floats:
        """The labels mapped to 0..100 by their scale; NaN stays NaN."""
        has_label = np.isfinite(self.labels)
        result = np.full(len(self.labels), np.nan)
        result[has_label] = self.columns.label_scale.to_difficulty(self.labels[has_label])
        return result

    @property
    def stated_labels(self) -> Floats:
        """The labels as in the table; `labels` are the reverse if a high label there means easy."""
        if self.columns.direction is Direction.EASIER:
            return self.columns.label_scale.turned(self.labels)
        return self.labels

    @property
    def options(self) -> str:
        """The options of a command that read another table with the same columns."""
        columns = self.columns
        options = {
            "label-column": columns.label,
            "order": ",".join(columns.order),
            "direction": "" if columns.order else columns.direction,
            "text-column": columns.text,
            "html-column": columns.html,
        }
        return " ".join(f"--{name} {shlex.quote(str(v))}" for name, v in options.items() if v)

    @property
    def checksum(self) -> str:
        """The SHA-256 of the texts, independent of their order and file; '' without texts."""
        texts = sorted(" ".join(document.pieces) for document in self.documents)
        return hashlib.sha256("\n".join(texts).encode()).hexdigest() if texts else ""

    @property
    def in_difficulty(self) -> str:
        """A list of the labels with their difficulties (0 to 100), easiest first: "easy is 12, …".

        It helps users choose a threshold. At most seven labels are listed, spread evenly from the
        lowest to the highest.
        """
        pairs = sorted(
            {(t, s) for t, s in zip(self.targets, self.stated_labels, strict=True) if t == t}
        )
        chosen = np.unique(np.linspace(0, len(pairs) - 1, min(7, len(pairs))).round().astype(int))
        return ", ".join(f"{self.in_words(pairs[i][1])} is {pairs[i][0]:.0f}" for i in chosen)

    def in_words(self, label: float) -> str:
        """Format a label as it is written in the table."""
        return self.words.get(label, f"{label:g}")

    def difficulty_of(self, label: str) -> float:
        """Convert a label, written as in the table, to a number where higher is harder.

        Raises `OptionError` for a label that is not on the scale.
        """
        number = LabelReader(self.columns.order).read(label)
        if number is None or number is MISSING:
            choices = ", ".join(self.words.values()) or "a number"
            raise OptionError(
                f"--threshold-label (threshold_label=) is {label!r}; write a label as in the "
                f"table: {choices}"
            )
        value = np.array([float(number)])
        if self.columns.direction is Direction.EASIER:
            value = self.columns.label_scale.turned(value)
        return float(value[0])

    def on_card(self, licence: str) -> dict[str, Any]:
        """Return the entry of a model card that describes this set."""
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
    """Read labelled sets from a table, its path, a list of these, or a list of rows.

    A path may be ``PATH:COLUMN:harder:SCALE``. Raises the errors of `read_labelled`.
    """
    sets = []
    sources = list(labels) if isinstance(labels, list | tuple) else [labels]
    if sources and all(map(_is_record, sources)):
        names = dict.fromkeys(name for record in sources for name in record)
        sources = [{name: [record.get(name) for record in sources] for name in names}]
    for source in sources:
        if isinstance(source, LabelledTexts):
            sets.append(source)
        elif isinstance(source, str) and "\n" in source:
            raise WrongTypeError(
                "labels are tables or their paths, and this is a text; give texts with their "
                "labels, as in train(texts, labels) or validate(bundle, texts, labels)"
            )
        elif isinstance(source, str | Path):
            sets.append(read_labelled(*columns.stated_in(str(source)), with_text=with_text))
        else:
            sets.append(read_labelled("the table", columns, source, with_text=with_text))
    if not sets:
        raise WrongTypeError("there are no labels; give the path of a table, or a frame")
    return tuple(sets)


def _is_record(value: Any) -> bool:
    """Return True for a dictionary that is one row, not a table of lists."""
    return isinstance(value, Mapping) and all(
        isinstance(cell, str | int | float | None) for cell in value.values()
    )


def table_of_pairs(
    texts: Any, values: Any, call: str, columns: Mapping[str, Any], first: str = ""
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return texts and their labels as a table, and the columns to read from it.

    `columns` are fields of `LabelColumns`; groups, weights and ids may be sequences. `call` is the
    name of the function, and `first` its arguments before the texts, for error messages.

    >>> table_of_pairs(["Rest.", "Drink."], [1, 2], "train", {"group": ["a", "b"]})
    ({'text': ['Rest.', 'Drink.'], 'label': [1, 2], 'group': ['a', 'b']}, {'group': 'group'})
    """
    usage = f"{call}({first}texts, labels)"
    if isinstance(texts, str) or isinstance(values, str):
        raise WrongTypeError(f"{usage} takes a sequence of texts and one of labels")
    table = {"text": list(texts), "label": list(values)}
    names = dict(columns)
    for name in ("group", "weight", "id"):
        if names.get(name) is not None and not isinstance(names[name], str):
            table[name] = list(names[name])
            names[name] = name
    for name, column in table.items():
        if len(column) != len(table["text"]):
            raise WrongTypeError(
                f"{usage} takes a {name} for each text; got {counted(len(table['text']), 'text')} "
                f"and {counted(len(column), name)}"
            )
    is_wrong = (t for t in table["text"] if not (isinstance(t, str) or t is None or t != t))
    if wrong := next(is_wrong, None):
        raise WrongTypeError(
            f"{usage} takes texts (str), not {type(wrong).__name__}; give a frame as "
            f"{call}({first}frame, label=COLUMN)"
        )
    table["text"] = [text if isinstance(text, str) else None for text in table["text"]]
    return table, names


def read_labelled(
    path: str, columns: LabelColumns, frame: Any = None, *, with_text: bool = True
) -> LabelledTexts:
    """Read a labelled set from its file, or from a `frame`.

    A record without a usable text is dropped and reported. A record without a label is kept,
    because its text can be estimated. Several records of one text (same id, same text) are several
    ratings, which are averaged. Without a column of ids, texts are named by their number.

    Raises:
        InputError: A column is missing, or the labels cannot be read, are off their scale, are all
            equal, or fewer than 30.
        OptionError: The direction of the labels is not stated.
    """
    # Excel in Europe writes windows-1252.
    records = read_records(path if frame is None else frame, fallback="windows-1252")
    names = tuple(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise InputError(f"{path} has no rows")
    identity, contents, group_column = _columns_of(path, columns, names)
    if with_text and not contents:
        raise InputError(
            f"{path} has no column of texts ({', '.join(CONTENT_COLUMNS)}); "
            f"it has {', '.join(names)}; choose one with --text-column or --html-column "
            "(text=, html=)"
        )
    label_columns = _label_columns(path, columns, names)
    reader = LabelReader(columns.order)
    rows: dict[Any, _Row] = {}
    unusable: dict[str, list[str]] = {}
    for number, record in enumerate(records, 1):
        name = record.get(identity) if identity else None
        docno = str(number if name is None else name)
        page = document = None
        if with_text:
            page, document = _document(record, docno, contents)
        if isinstance(document, str):
            unusable.setdefault(document, []).append(docno)
            continue
        group = record.get(group_column) if group_column else None
        where = f"{path}, record {number}: "
        label = _mean([_label(record, name, reader, where) for name in label_columns])
        weight = _weight(record, columns.weight, where)
        key = (docno, hash(document.pieces)) if document and name is not None else number
        if len(rows) >= _MOST_KEPT:
            document = None
        group = docno if group is None else str(group)
        row = _Row(docno, page, document, group, label, weight, number)
        rows[key] = rows[key].joined(row) if key in rows else row
    repeats = len(records) - len(rows) - sum(map(len, unusable.values()))
    return _labelled_texts(path, columns, tuple(rows.values()), unusable, reader, repeats, contents)


@dataclass(frozen=True, slots=True)
class _Row:
    docno: str
    page: Page | None
    document: Document | None  # None if it is not kept
    group: str
    label: float
    weight: float
    number: int
    ratings: int = 1

    def joined(self, other: _Row) -> _Row:
        """Merge two rows of the same text: average the ratings, and add the weights."""
        if math.isnan(other.label):
            return self
        if math.isnan(self.label):
            return replace(self, label=other.label, weight=other.weight)
        weight = self.weight + other.weight
        ratings = self.ratings + other.ratings
        if weight > 0:
            label = (self.label * self.weight + other.label * other.weight) / weight
        else:
            label = (self.label * self.ratings + other.label * other.ratings) / ratings
        return replace(self, label=label, weight=weight, ratings=ratings)


def _labelled_texts(
    path: str,
    columns: LabelColumns,
    rows: tuple[_Row, ...],
    unusable: dict[str, list[str]],
    reader: LabelReader,
    repeats: int,
    contents: Sequence[tuple[str, str | None]],
) -> LabelledTexts:
    """Check the labels of a table, and turn them so that higher is harder."""
    columns = _completed(columns, reader)
    documents: Sequence[Document] = tuple(row.document for row in rows if row.document)
    if len(rows) > _MOST_KEPT:
        documents = StoredPages(tuple(row.page for row in rows if row.page))
    values = np.array([row.label for row in rows], np.float64)
    # A text that was rated three times counts once, unless the table has a column of weights.
    ratings = np.array([row.ratings for row in rows], np.float64)
    weights = np.array([row.weight for row in rows], np.float64)
    if columns.weight is None:
        weights = weights / np.maximum(ratings, 1)
    labels = values[np.isfinite(values)]
    if not len(values):
        raise InputError(f"{path} has no texts with words")
    if len(labels) < LEAST_RECORDS:
        raise InputError(
            f"{path} has {counted(len(labels), 'usable label')}; "
            f"at least {LEAST_RECORDS} are needed"
        )
    if labels.min() == labels.max():
        same = reader.words.get(float(labels[0]), f"{labels[0]:g}")
        raise InputError(f"{path}: all labels are {same}; they must differ")
    if not (weights[np.isfinite(values)] > 0).any():
        raise InputError(f"{path}: all weights are 0; at least one must be above 0")
    _check_scale(path, columns, rows, labels)
    if columns.direction is None:
        raise OptionError(_which_direction(path, columns, documents, values, reader))
    if columns.direction is Direction.EASIER:
        values = columns.label_scale.turned(values)
    remarks = [
        f"{path}: {counted(repeats, 'row')} with a further rating of a text; its ratings are "
        "averaged"
    ] * bool(repeats)
    named = columns.text or columns.html or not documents
    content_names = ", else ".join(repr(name) for name, _ in contents)
    return LabelledTexts(
        path,
        columns,
        tuple(row.docno for row in rows),
        documents,
        values,
        tuple(row.group for row in rows),
        unusable,
        "" if named else f"{path}: texts are read from the column {content_names}",
        weights,
        tuple(remarks),
        reader.words,
    )


def _completed(columns: LabelColumns, reader: LabelReader) -> LabelColumns:
    """Fill in the direction and the scale if the labels imply them (CEFR levels, ordered words)."""
    if reader.is_cefr and columns.scale == "rank":
        columns = replace(columns, scale="cefr")
    if columns.direction is None and (columns.order or reader.is_cefr):
        columns = replace(columns, direction=Direction.HARDER)
    return columns


def _check_scale(path: str, columns: LabelColumns, rows: Sequence[_Row], labels: Floats) -> None:
    low, high = columns.label_scale.low, columns.label_scale.high
    for row in rows:
        if not (math.isnan(row.label) or low <= row.label <= high):
            raise InputError(
                f"{path}, record {row.number}: {columns.label!r} is {row.label:g}, outside {low:g} "
                f"to {high:g} of the scale {columns.scale!r}"
            )
    if columns.scale == "difficulty" and labels.max() <= 1:
        raise InputError(
            f"{path}: all labels are from {labels.min():g} to {labels.max():g}, which on the scale "
            "'difficulty' (0 to 100) is the easiest hundredth; for shares and for 0 and 1 write "
            "the scale 'range'"
        )


def _label_columns(path: str, columns: LabelColumns, names: Sequence[str]) -> list[str]:
    """Return the columns that hold labels: the named one, or one per rater."""
    if columns.label in names:
        return [columns.label]
    parts = [name.strip() for name in columns.label.split(",")]
    if len(parts) > 1 and all(name in names for name in parts):
        return parts
    missing = next((name for name in parts if name not in names), columns.label)
    raise InputError(_no_column(path, "label", missing, names, columns))


def _no_column(
    path: str, option: str, name: str, names: Sequence[str], columns: LabelColumns
) -> str:
    more = " and --direction higher-harder or higher-easier"
    more = "" if columns.direction or columns.order or option != "label" else more
    return (
        f"{path} has no column {name!r}; it has {', '.join(names)}; choose one with "
        f"--{option}-column{more}"
    )


def _columns_of(
    path: str, columns: LabelColumns, names: Sequence[str]
) -> tuple[str | None, list[tuple[str, str | None]], str | None]:
    """Return the columns of ids, of texts (each with its media type), and of groups.

    The media type is None if it has to be guessed; the columns of ids and of groups are None if
    absent.
    """
    for option in ("id", "html", "text", "group", "weight"):
        name = getattr(columns, option)
        if name is not None and name not in names:
            raise InputError(_no_column(path, option, name, names, columns))
    _label_columns(path, columns, names)
    chosen: list[tuple[str, str | None]] = [
        (name, media_type)
        for name, media_type in ((columns.html, HTML), (columns.text, TEXT))
        if name
    ]
    defaults = [(name, media_type) for name, media_type in CONTENT_COLUMNS.items() if name in names]
    return (
        columns.id or next((name for name in ID_COLUMNS if name in names), None),
        chosen or defaults,
        columns.group or ("group" if "group" in names else None),
    )


def _document(
    record: Mapping[str, Any], docno: str, contents: Sequence[tuple[str, str | None]]
) -> tuple[Page | None, Document | str]:
    """Return the page of a record and its document, or the reason why it has no usable text."""
    for name, media_type in contents:
        content = record.get(name)
        if isinstance(content, str) and content.strip():
            page = Page(docno, "", content, media_type or media_type_of(content))
            try:
                document = document_of_page(page)
            except PageError as error:
                return page, str(error)
            return page, document if any(map(word_of, document.pieces)) else "no words"
    return None, "no text"


def _label(record: Mapping[str, Any], name: str, reader: LabelReader, where: str) -> float:
    """Return the number of a label; NaN if it is missing."""
    cell = record.get(name)
    number = reader.read(cell)
    if number is MISSING:
        return math.nan
    if number is None or not abs(float(number)) <= MOST:
        raise InputError(f"{where}{name!r} is {reader.refusal(cell)}")
    return float(number)


def _mean(labels: Sequence[float]) -> float:
    """Return the mean of the ratings that are not missing; NaN without any."""
    ratings = [label for label in labels if not math.isnan(label)]
    return sum(ratings) / len(ratings) if ratings else math.nan


def _weight(record: Mapping[str, Any], name: str | None, where: str) -> float:
    if name is None:
        return 1.0
    cell = record.get(name)
    number = LabelReader(()).read(cell)
    if number is None or number is MISSING or not 0 <= float(number) <= MOST:
        raise InputError(f"{where}the weight {name!r} is {str(cell)[:40]!r}, not a number from 0")
    return float(number)


def _which_direction(
    path: str,
    columns: LabelColumns,
    documents: Sequence[Document],
    labels: Floats,
    reader: LabelReader,
) -> str:
    """Return the message that asks what a higher label means, with the evidence for each answer."""
    meaning = f"what a higher {columns.label!r} means"
    if reader.words:
        pairs = ", ".join(f"{word} is {number:g}" for number, word in reader.words.items())
        meaning += f" ({pairs})"
    question = (
        f"{path} does not say {meaning}; say higher-harder or higher-easier "
        "(--direction, direction=)"
    )
    if not documents:
        return question
    step = 1 + (len(documents) - 1) // _MOST_OF_FOG
    fog, labels = compute_features(documents[::step], [_FOG]).values[:, 0], labels[::step]
    usable = np.isfinite(labels) & np.isfinite(fog)
    if not usable.any() or np.ptp(fog[usable]) == 0:
        return question
    correlation = spearman(fog[usable], labels[usable])
    return (
        f"{question} (with the FOG index, where higher is harder, the {int(usable.sum())} labels "
        f"correlate at {correlation:+.2f} as higher-harder, and at {-correlation:+.2f} as "
        "higher-easier)"
    )


def all_documents(sets: Sequence[LabelledTexts]) -> Iterator[Document]:
    """Yield the documents of all sets, set by set."""
    for labelled in sets:
        yield from labelled.documents


def documents_where(sets: Sequence[LabelledTexts], where: NDArray[np.bool_]) -> Iterator[Document]:
    """Yield the documents of a mask over the texts of all sets."""
    start = 0
    for labelled in sets:
        end = start + len(labelled.documents)
        yield from (
            labelled.documents[index] for index in np.flatnonzero(where[start:end]).tolist()
        )
        start = end
