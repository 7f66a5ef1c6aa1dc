"""Labels in, a bundle out, with the figures of texts that it did not learn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understandability.api.validation import Validated
from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError
from understandability.evaluation.correlation import spearman
from understandability.feature.background_rows import by_row
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import compute_features
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import TableColumns
from understandability.model.bundle import (
    DEFAULT_BUNDLE,
    Bundle,
    load_background_models,
    load_bundle,
)
from understandability.model.calibration import SHORT
from understandability.model.judged import JudgedModel
from understandability.training.judged_training import (
    OutOfFold,
    check_groups,
    columns_named,
    judged_estimator,
    learning_curve,
    train_judged,
    without_empty,
)
from understandability.training.labelled import (
    LabelledTexts,
    all_documents,
    joined_groups,
    read_sets,
)
from understandability.training.validation import (
    BASELINES,
    compared,
    comparisons,
    resamples_of_groups,
)
from understandability.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A share of the labels: how many, and the Spearman correlation after training on them.

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

    def __repr__(self) -> str:
        return (
            f"<Trained, bundle: {self.bundle.name}, texts: {self.estimates.num_rows}, remarks: "
            f"{len(self.remarks)}; .figures says how good it is, .save(folder) writes it>"
        )

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
    sets = read_sets(
        labels,
        label,
        direction,
        scale,
        TableColumns(id, html, text),
        group,
        with_text=table is None,
    )
    docnos = [docno for each in sets for docno in each.docnos]
    difficulties = np.concatenate([each.difficulties for each in sets])
    stated = np.array([group for each in sets for group in each.groups])
    groups = joined_groups(sets) if table is None else stated
    judged = np.isfinite(difficulties)
    _check_groups(stated[judged], groups[judged], sets[0].source.group, folds)
    if table is None:
        named = columns_named([features] if isinstance(features, str) else features)
        columns: tuple[str, ...] = tuple(dict.fromkeys((*named, *by_row(models))))
        inputs = compute_features(all_documents(sets), columns, models).values
    else:
        columns, inputs = _features_in(table, docnos)
    inputs, columns, remark = without_empty(inputs, columns)
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
        points, said = _curve(out_of_fold)
        remarks.append(said)
    card = _card(bundle, columns, sets, figures, points, folds, parameters)
    return Trained(
        Bundle(bundle.name, bundle.licence, bundle.model, bundle.calibration, card),
        figures,
        _estimates(bundle, out_of_fold, inputs, docnos, sets),
        points,
        tuple(remarks),
    )


def _check_groups(
    stated: NDArray[Any], groups: NDArray[Any], column: str | None, folds: int
) -> None:
    """Raise `InputError` for fewer groups than folds, before any feature is computed."""
    values, count = len(np.unique(stated)), len(np.unique(groups))
    what = f"{values} values of {column!r}" if column else f"{values} groups or single texts"
    joined = f" ({what}, joined where texts are equal)" if count < values else ""
    check_groups(count, folds, joined)


def _features_in(table: Any, docnos: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """The columns of the catalogue in a table of features, and their values by docno."""
    where = str(table) if isinstance(table, str | Path) else "the table"
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
        raise InputError(f"{where} holds values that are not numbers: {error}") from error
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


def _curve(out_of_fold: OutOfFold) -> tuple[tuple[CurvePoint, ...], str]:
    """The learning curve, and a sentence on whether more labels would help."""
    task, outputs = out_of_fold.task, learning_curve(out_of_fold)
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
        "summary": f"{bundle.model.estimator}{chosen} on {counted(len(columns), 'feature')}, "
        "trained on judged texts.",
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
