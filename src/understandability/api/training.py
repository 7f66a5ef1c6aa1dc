"""Labels in, a bundle with its figures out; bundles against labels; readers from answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from understandability.api.scoring import Rows
from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError, WrongTypeError
from understandability.evaluation.result_table import ResultTable
from understandability.evaluation.statistics.correlation import spearman
from understandability.evaluation.validation import (
    BASELINES,
    CORRELATIONS,
    Validation,
    compared,
    comparisons,
    resamples_of_groups,
    score_rows,
)
from understandability.evaluation.validation import validate as validate_set
from understandability.features import COLUMNS, compute_features
from understandability.features.rows.background import by_row
from understandability.formats.records import read_records
from understandability.formats.tables import TableColumns
from understandability.models.bundle import (
    DEFAULT_BUNDLE,
    Bundle,
    load_background_models,
    load_bundle,
)
from understandability.models.calibration import SHORT
from understandability.models.runtime.judged import JudgedModel
from understandability.models.training.answers import FittedReader, fit_reader, read_answers
from understandability.models.training.judged import (
    FoldedLabels,
    OutOfFold,
    columns_named,
    folded_labels,
    judged_estimator,
    learning_curve,
    train_judged,
    without_empty,
)
from understandability.models.training.labelled import (
    LabelledTexts,
    LabelSource,
    all_documents,
    joined_groups,
    read_labelled,
)
from understandability.storage.tables import SETTINGS_KEY, read_settings

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_TABLE = "the table"


@dataclass(frozen=True)
class Validated:
    """Scores against the labels of one or more `sets`; rows of a table, one for each score."""

    sets: tuple[Validation, ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each row: set, score, n, correlations and their 95 % intervals."""
        yield from score_rows(self.sets)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self))

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, where pandas is installed."""
        return self.to_arrow().to_pandas()

    def table(self) -> ResultTable:
        """The table of a paper: a score a row, each correlation with its interval."""
        return ResultTable(
            ("set", "score", "texts", *(name.capitalize() for name in CORRELATIONS)),
            tuple(
                (
                    row["set"],
                    row["score"],
                    row["n"],
                    *(
                        f"{row[name]:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"
                        for name in CORRELATIONS
                    ),
                )
                for row in self
            ),
            note="Correlations with the labels; in brackets 95 % intervals by resampling groups.",
        )

    def to_latex(self) -> str:
        """The `table` with the rules of booktabs."""
        return self.table().to_latex()

    def to_markdown(self) -> str:
        """The `table` as Markdown."""
        return self.table().to_markdown()


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A share of the labels: how many, and the Spearman of models that learned from it.

    `low` and `high` are the 95 % interval, by resampling groups.
    """

    share: float
    texts: int
    spearman: float
    low: float
    high: float


@dataclass(frozen=True)
class Trained:
    """What `train` gives: the `bundle`, and how good it is on texts it did not see.

    `figures` compare estimates out of fold with the formulas and the default bundle; they stand in
    the bundle's card, too. `estimates` has a row for each text: docno, set, label, fold,
    difficulty (of texts without a label by the whole model). `curve` is the learning curve, empty
    if not asked for. `remarks` are sentences on what was left out, and on what the curve says.
    """

    bundle: Bundle
    figures: Validated
    estimates: pa.Table
    curve: tuple[CurvePoint, ...]
    remarks: tuple[str, ...]

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder."""
        self.bundle.save(folder)


def train(
    labels: Any,
    *,
    label: str | None = None,
    direction: str | None = None,
    scale: str | None = None,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    text: str | None = None,
    html: str | None = None,
    group: str | None = None,
    features: Sequence[str] | str = ("text",),
    table: Any = None,
    backgrounds: Sequence[str | Path] = (),
    estimator: str = "xgboost-regressor",
    parameters: Mapping[str, Any] = MappingProxyType({}),
    folds: int = 10,
    curve: bool = False,
    name: str = "judged",
    licence: str = "that of its labels",
    random_state: int = 0,
) -> Trained:
    """Train an estimator on labels of texts, and judge it on folds it did not learn from.

    `labels` are a frame or a dictionary of lists, the path of a table, or several paths, each
    perhaps ``PATH:COLUMN:harder:SCALE``. `label`, `id`, `text`, `html` and `group` are columns;
    texts of one group are never split between learning and judging. `direction` says what a higher
    label means and has to be given; `scale` how labels become difficulties: by ``rank``, by
    ``range`` (the lowest is 0, the highest 100), by ``cefr`` level, or ``difficulty``, as they are.

    `features` are sets (``text``, ``study2018``), groups, features or columns of the catalogue;
    or `table` has them by docno. `backgrounds` are bundles whose outputs become features;
    `parameters` are set on the `estimator`. With `curve` a learning curve is made, too.

    >>> easy, hard = "The cat sat on a mat.", "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> trained = train(
    ...     {"text": texts, "label": [i % 5 for i in range(60)]}, direction="higher-harder",
    ...     estimator="linear-regressor", features=["readability"], folds=3,
    ... )
    >>> next(iter(trained.figures))["spearman"] > 0.8
    True
    """
    judged_estimator(estimator)
    models = load_background_models(backgrounds)
    sets = _read(
        labels,
        label,
        direction,
        scale,
        TableColumns(id, html, text),
        group,
        with_text=table is None,
    )
    docnos = [docno for each in sets for docno in each.docnos]
    if table is None:
        named = columns_named([features] if isinstance(features, str) else features)
        columns: tuple[str, ...] = tuple(dict.fromkeys((*named, *by_row(models))))
        inputs = compute_features(all_documents(sets), columns, models).values
    else:
        columns, inputs = _features_in(table, docnos)
    inputs, columns, remark = without_empty(inputs, columns)
    difficulties = np.concatenate([each.difficulties for each in sets])
    groups: Any = (
        joined_groups(sets) if table is None else [group for each in sets for group in each.groups]
    )
    bundle, out_of_fold = train_judged(
        inputs,
        columns,
        difficulties,
        groups,
        estimator,
        backgrounds=models,
        folds=folds,
        random_state=random_state,
        parameters=parameters,
        name=name,
        licence=licence,
    )
    figures = _figures(name, sets, out_of_fold, inputs, columns, random_state)
    remarks = [remark] if remark else []
    for each in figures.sets:
        own, *others = (row.correlations["spearman"] for row in each.agreements)
        better = [
            f"{row.name} ({value:.3f})"
            for row, value in zip(each.agreements[1:], others, strict=True)
            if value > own
        ]
        if better:
            remarks.append(
                f"with the labels of {each.set} these agree better than {name} does out of fold "
                f"(Spearman {own:.3f}): {', '.join(better)}"
            )
    points: tuple[CurvePoint, ...] = ()
    if curve:
        task = folded_labels(
            inputs,
            difficulties,
            groups,
            estimator,
            folds=folds,
            random_state=random_state,
            parameters=parameters,
        )
        points, said = _curve(task)
        remarks.append(said)
    card = _card(bundle, columns, sets, figures, points, folds, parameters)
    return Trained(
        Bundle(bundle.name, bundle.licence, bundle.model, bundle.calibration, card),
        figures,
        _estimates(bundle, out_of_fold, inputs, docnos, sets),
        points,
        tuple(remarks),
    )


def validate(
    bundle: Bundle | str | Path,
    labels: Any,
    *,
    label: str | None = None,
    direction: str | None = None,
    scale: str | None = None,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    text: str | None = None,
    html: str | None = None,
    group: str | None = None,
    threshold: float = 40.0,
) -> Validated:
    """Compare a bundle and the eight formulas with labels of texts it was not trained on.

    `labels` and their columns are those of `train`. Intervals are by resampling groups.

    >>> easy, hard = "The cat sat on a mat.", "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> labels = {"text": texts, "ease": [-(i % 5) for i in range(60)]}
    >>> found = validate("llr", labels, label="ease", direction="higher-easier")
    >>> [row["score"] for row in found][:2]
    ['llr', 'llr, raw output']
    """
    if not math.isfinite(threshold):
        raise OptionError(f"the threshold must be a finite number, not {threshold}")
    model = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
    sets = _read(labels, label, direction, scale, TableColumns(id, html, text), group)
    return Validated(tuple(validate_set(model, each, threshold=threshold) for each in sets))


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


def _read(
    labels: Any,
    label: str | None,
    direction: str | None,
    scale: str | None,
    columns: TableColumns,
    group: str | None,
    *,
    with_text: bool = True,
) -> tuple[LabelledTexts, ...]:
    """The labelled sets that a call names."""
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
            source = LabelSource(_TABLE, label or "label", stated, scale or "rank", columns, group)
            sets.append(read_labelled(source, each, with_text=with_text))
    return tuple(sets)


def _features_in(table: Any, docnos: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """The columns of the catalogue in a table of features, and their values by docno."""
    where = str(table) if isinstance(table, str | Path) else _TABLE
    records = read_records(table)
    columns = tuple(name for name in (records[0] if records else ()) if name in COLUMNS)
    if not columns or "docno" not in records[0]:
        raise InputError(f"{where} has no docno and columns of the feature catalogue")
    rows = {str(record["docno"]): record for record in records}
    if missing := [docno for docno in docnos if docno not in rows]:
        raise InputError(f"{where} lacks {len(missing)} labelled docnos, such as {missing[0]!r}")
    try:
        values = [
            [
                math.nan if rows[docno][name] is None else float(rows[docno][name])
                for name in columns
            ]
            for docno in docnos
        ]
    except (TypeError, ValueError) as error:
        raise InputError(f"{where} holds other things than numbers: {error}") from error
    return columns, np.array(values, np.float64)


def _figures(
    name: str,
    sets: tuple[LabelledTexts, ...],
    out_of_fold: OutOfFold,
    inputs: Floats,
    columns: Sequence[str],
    random_state: int,
) -> Validated:
    """Estimates out of fold against the labels, beside the formulas and the default bundle.

    Without texts there are only those formulas that are among the columns.
    """
    default = load_bundle(DEFAULT_BUNDLE)
    validations, start = [], 0
    for each in sets:
        own = slice(start, start + len(each.docnos))
        start = own.stop
        scores = [(f"{name}, out of fold", out_of_fold.difficulty[own])]
        if each.documents:
            found = comparisons(default, each.documents)
            scores += [(default.name, found.difficulty), *found.baselines()]
        else:
            scores += [
                (column, inputs[own, place] * (direction or Direction.HARDER).sign)
                for place, column in enumerate(columns)
                if column in BASELINES
                for direction in [COLUMNS[column][0].direction]
            ]
        validations.append(compared(each, scores, random_state=random_state))
    return Validated(tuple(validations))


def _curve(task: FoldedLabels) -> tuple[tuple[CurvePoint, ...], str]:
    """The learning curve, and a sentence on whether more labels would help."""
    outputs = learning_curve(task)
    samples = resamples_of_groups(task.groups, task.random_state)
    resampled = {
        share: np.array([spearman(raw[sample], task.labels[sample]) for sample in samples])
        for share, raw in outputs.items()
    }
    learned = 1 - 1 / (task.fold.max() + 1)  # of the texts, in each fold
    points = tuple(
        CurvePoint(
            share,
            round(share * learned * len(task.labels)),
            spearman(raw, task.labels),
            *(float(end) for end in np.nanpercentile(resampled[share], [2.5, 97.5])),
        )
        for share, raw in outputs.items()
    )
    if len(points) < 2:
        return points, "there are too few labels for a learning curve; more would tell"
    last, before = points[-1], points[-2]
    gains = resampled[last.share] - resampled[before.share]
    low, high = np.nanpercentile(gains, [2.5, 97.5])
    gain = f"{last.spearman - before.spearman:+.3f} [{low:+.3f}, {high:+.3f}]"
    verdict = "more would help" if low > 0 else "whether more would help cannot be told from chance"
    return points, f"from half of the labels to all the Spearman changes by {gain}: {verdict}"


def _card(
    bundle: Bundle,
    columns: Sequence[str],
    sets: tuple[LabelledTexts, ...],
    figures: Validated,
    curve: Sequence[CurvePoint],
    folds: int,
    parameters: Mapping[str, Any],
) -> Mapping[str, Any]:
    """What there is to know of a judged bundle: data, figures, and what they do not say."""
    assert isinstance(bundle.model, JudgedModel)
    chosen = "".join(f", {name} {value}" for name, value in parameters.items())
    card: dict[str, Any] = {
        "summary": f"{bundle.model.estimator}{chosen} on {len(columns)} features, trained on "
        "judged texts.",
        "intended_use": "texts like those it was trained on, for readers like those who judged "
        "them",
        "cannot_know": "anything but the text; how texts of other kinds, lengths and subjects "
        "would have been judged",
        "training": [
            {
                "name": each.source.name,
                "records": int(np.isfinite(each.labels).sum()),
                "groups": len(set(each.groups)),
                "label": each.source.label,
                "scale": each.source.scale,
                "direction": each.source.direction,
                "licence": bundle.licence,
                "texts_sha256": each.checksum,
            }
            for each in sets
        ],
        "figures": [
            {
                key: round(value, 3) if isinstance(value, float) else value
                for key, value in row.items()
            }
            for row in figures
        ],
        "figures_note": f"Correlations with the labels, 95 % intervals by group. The first row of "
        f"a set is out of fold: {folds} folds by group, each text estimated by a model that saw no "
        "text of its group. No figure is on texts from elsewhere.",
    }
    if curve:
        card["learning_curve"] = [
            {
                "share": point.share,
                "texts": point.texts,
                "spearman": round(point.spearman, 3),
                "low": round(point.low, 3),
                "high": round(point.high, 3),
            }
            for point in curve
        ]
    return MappingProxyType(card)


def _estimates(
    bundle: Bundle,
    out_of_fold: OutOfFold,
    inputs: Floats,
    docnos: list[str],
    sets: tuple[LabelledTexts, ...],
) -> pa.Table:
    import pyarrow as pa

    assert isinstance(bundle.model, JudgedModel)
    raw = bundle.model.predict(inputs)
    whole = bundle.calibration.apply(raw, np.full(len(raw), SHORT))[0]
    return pa.table(
        {
            "docno": docnos,
            "set": [each.source.name for each in sets for _ in each.docnos],
            "label": np.concatenate([each.labels for each in sets]),
            "fold": out_of_fold.fold,
            "difficulty": np.where(out_of_fold.fold >= 0, out_of_fold.difficulty, whole),
        }
    )
