"""Labels in, a bundle out, with the figures of texts that it did not learn from."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError, check_range
from understandability.evaluation.correlation import spearman
from understandability.feature.background_rows import by_row
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import compute_features
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.bundle import (
    DEFAULT_BUNDLE,
    Bundle,
    load_background_models,
    load_bundle,
)
from understandability.model.calibration import Calibration, calibrate_by_line
from understandability.model.estimators import EstimatorRow, estimator_row
from understandability.model.judged import JudgedModel, check_backgrounds
from understandability.model.predictors import Predictor
from understandability.prompt import AtPrompt
from understandability.training.feature_sets import columns_named, features_in, without_empty
from understandability.training.labelled import (
    LabelColumns,
    LabelledTexts,
    all_documents,
    joined_groups,
    read_sets,
)
from understandability.training.portable import means, portable
from understandability.training.validation import (
    BASELINES,
    Validated,
    compared,
    comparisons,
    folds_of,
    interval,
    resamples_of_groups,
    rounded,
)
from understandability.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_CLASSES = 20
_SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)  # of the labels, for a learning curve
_FEWEST_TEXTS = 20


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

    `figures` compare estimates out of fold with the formulas and the default bundle; they are in
    the bundle's card, too. `estimates` has a row for each text: docno, set, label, fold, difficulty
    (of texts without a label by the whole model). `curve` is the learning curve, empty if not asked
    for. `remarks` are sentences on what was left out, and on what the curve says.
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
    labels: Annotated[
        Any,
        AtPrompt(
            list[str],
            "--labels",
            value="FILE[:COLUMN][:harder|easier][:rank|range|cefr|difficulty]",
        ),
    ],
    *,
    estimator: Annotated[str, AtPrompt(choices="model.estimators:ESTIMATORS")] = (
        "xgboost-regressor"
    ),
    features: Annotated[
        Sequence[str] | str, AtPrompt(str, value="NAME,...", convert="wording:names_in")
    ] = ("text",),
    table: Annotated[Any, AtPrompt(str, value="FILE")] = None,
    backgrounds: Annotated[Sequence[str | Path], AtPrompt(list[str], "--bundle")] = (),
    folds: int = 10,
    curve: Annotated[bool, AtPrompt(bool, "--learning-curve")] = False,
    licence: str = "that of its labels",
    random_state: int = 0,
    parameters: Annotated[Mapping[str, Any], AtPrompt(None)] = MappingProxyType({}),
    name: Annotated[str, AtPrompt(None)] = "judged",
    **columns: Annotated[Any, AtPrompt((LabelColumns,))],
) -> Trained:
    """Train on people's labels of texts; files with different scales may be combined.

    Shows how well the model estimates held-out texts (out of fold, by group), next to the eight
    formulas, the corpus ratio and the default bundle. The bundle's card keeps these figures.

    Example: understand train judged --labels ratings.csv --label-column rating
    --direction higher-harder --group-column site -o my-bundle

    In Python, `labels` are a frame or a dictionary of lists, the path of a table, or several paths,
    each perhaps ``PATH:COLUMN:harder:SCALE``; `columns` are fields of `LabelColumns`, of which
    `direction` has to be given; texts of one group are never split between learning and judging.
    `parameters` are set on the `estimator`, `name` is that of the bundle.

    Args:
        labels: Texts with a label: a table (JSON Lines, CSV, TSV, Parquet). The scale says how
            labels become difficulty: by rank within the file, by range (the lowest 0, the highest
            100), by CEFR level 1 to 6, or as they are, 0 to 100. May be repeated.
        estimator: A regressor or classifier over features.
        features: Sets (text, study2018: Table 2 of the study of 2019), groups (readability,
            components, html, ...) and features.
        table: Use the features in this table instead, joined by docno.
        backgrounds: A background model, whose output becomes a feature. May be repeated.
        folds: Folds; groups stay together.
        curve: Also learn from 1/8, 1/4 and 1/2 of the labels, to see whether more would help.
        licence: Licence of the model.
        random_state: Seed; the same number gives the same bundle.

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
    check_range(2, folds=folds)
    check_range(0, random_state=random_state)
    models = load_background_models(backgrounds)
    sets = read_sets(labels, LabelColumns(**columns), with_text=table is None)
    targets = np.concatenate([each.targets for each in sets])
    stated = np.array([group for each in sets for group in each.groups])
    groups = joined_groups(sets) if table is None else stated
    judged = np.isfinite(targets)
    values, count = len(np.unique(stated[judged])), len(np.unique(groups[judged]))
    column = sets[0].columns.group
    what = f"{values} values of {column!r}" if column else f"{values} groups or single texts"
    joined = f" ({what}, joined where texts are equal)" if count < values else ""
    check_groups(count, folds, joined)  # before any feature is computed
    if table is None:
        named = columns_named([features] if isinstance(features, str) else features)
        names: tuple[str, ...] = tuple(dict.fromkeys((*named, *by_row(models))))
        inputs = compute_features(all_documents(sets), names, models).values
    else:
        names, inputs = features_in(table, [docno for each in sets for docno in each.docnos])
    inputs, names, remark = without_empty(inputs, names)
    bundle, out_of_fold = train_judged(
        inputs, names, targets, groups, estimator, backgrounds=models, name=name, licence=licence,
        folds=folds, random_state=random_state, parameters=parameters,
    )  # fmt: skip
    figures = _figures(name, sets, out_of_fold, inputs, names, random_state)
    remarks = [*([remark] if remark else []), *_better(name, figures)]
    points: tuple[CurvePoint, ...] = ()
    if curve:
        points, said = _curve(out_of_fold)
        remarks.append(said)
    chosen = "".join(f", {key} {value}" for key, value in parameters.items())
    summary = f"{estimator}{chosen} on {counted(len(names), 'feature')}, trained on judged texts."
    return Trained(
        replace(bundle, card=_card(summary, licence, sets, figures, points, folds)),
        figures,
        _estimates(bundle, out_of_fold, inputs, sets),
        points,
        tuple(remarks),
    )


def judged_estimator(name: str) -> EstimatorRow:
    """The row of an estimator that takes features; `OptionError` for any other."""
    row = estimator_row(name)
    if row.on_counts:
        raise OptionError(f"{name} takes counts of words, not features; choose another")
    return row


@dataclass(frozen=True)
class FoldedLabels:
    """What judged models are fitted to, and how; `rows` and `labels` of judged texts only.

    Labels stand on 0 to 100, higher = harder.
    """

    row: EstimatorRow
    rows: Floats
    labels: Floats
    fold: NDArray[np.int64]
    groups: NDArray[Any]
    random_state: int
    parameters: Mapping[str, Any]

    @property
    def classes(self) -> tuple[float, ...]:
        """The labels of a classifier's classes; none for a regressor."""
        return tuple(np.unique(self.labels).tolist()) if self.row.classifies else ()

    def fit(self, where: NDArray[np.bool_]) -> Predictor:
        """A model of some of the texts; raises `InputError` where they lack a class."""
        targets: NDArray[Any] = self.labels[where]
        if self.row.classifies:
            targets = np.searchsorted(self.classes, targets)
            if len(np.unique(targets)) < len(self.classes):
                raise InputError(
                    f"a label occurs in too few groups for {self.fold.max() + 1} folds"
                )
        made = self.row.made(self.random_state, self.parameters)
        return portable(made.fit(self.rows[where], targets))

    def out_of_fold(self, share: float = 1.0) -> Floats:
        """The raw output for each text by a model of the other folds, or of a share of them.

        A share is one of groups; a smaller share is part of a larger one.
        """
        raw = np.empty(len(self.labels))
        distinct, number = np.unique(self.groups, return_inverse=True)
        place = np.random.default_rng(self.random_state).permutation(len(distinct))[number]
        for each in range(self.fold.max() + 1):
            others, own = self.fold != each, self.fold == each
            last = np.quantile(np.unique(place[others]), share, method="inverted_cdf")
            fitted = self.fit(others & (place <= last))
            raw[own] = expected_label(fitted(self.rows[own]), self.classes)
        return raw


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Estimates of judged texts by models that did not see their group.

    `difficulty` is NaN for texts without a label; `fold` is -1 there. `task` is what was dealt out
    to folds, and `raw` the output for each text of it.
    """

    difficulty: Floats
    fold: NDArray[np.int64]
    task: FoldedLabels
    raw: Floats


def folded_labels(
    inputs: Floats,
    targets: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str,
    *,
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> FoldedLabels:
    """The judged texts among all, dealt out to folds by group; raises as `train_judged`."""
    row = judged_estimator(estimator)
    judged = np.isfinite(targets)
    numbers = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    check_groups(int(numbers.max()) + 1, folds)
    labels = targets[judged]
    if row.classifies and (found := len(np.unique(labels))) > _MOST_CLASSES:
        raise OptionError(
            f"{row.name} needs at most {_MOST_CLASSES} different labels, but there are "
            f"{found}; choose a regressor"
        )
    fold = folds_of(numbers, folds, random_state)
    return FoldedLabels(row, inputs[judged], labels, fold, numbers, random_state, parameters)


def check_groups(groups: int, folds: int, joined: str = "") -> None:
    """Raise `InputError` for fewer groups than folds; `joined` says why they are so few."""
    if groups < folds:
        fewer = f", or --folds {groups} (folds={groups})" if groups > 1 else ""
        raise InputError(
            f"the labels have {counted(groups, 'group')}{joined}, too few for "
            f"{folds} folds; give more groups{fewer}"
        )


def train_judged(
    inputs: Floats,
    columns: Sequence[str],
    targets: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str = "xgboost-regressor",
    *,
    backgrounds: Sequence[BackgroundModel] = (),
    name: str = "judged",
    licence: str = "that of its labels",
    **dealt: Any,
) -> tuple[Bundle, OutOfFold]:
    """Train an estimator on (documents, columns) and `targets`, labels on 0 to 100.

    Documents whose target is NaN are left out of training. Out-of-fold estimates by group give
    the map from the estimator's output to difficulty (`calibrate_by_line`). `backgrounds` are the
    models whose outputs are among the columns; the bundle holds them. `dealt` are folds, random
    state and parameters of the estimator, as `folded_labels` has them.

    Raises `InputError` where there are too few groups for the folds, or where the estimates say
    nothing about the targets; `OptionError` for an estimator that takes no columns.
    """
    check_backgrounds(columns, backgrounds)
    task = folded_labels(inputs, targets, groups, estimator, **dealt)
    raw = task.out_of_fold()
    calibration = calibrate_by_line(raw, task.labels).on_own_scale()
    whole = task.fit(np.full(len(raw), True))
    model = JudgedModel(
        task.row.name, tuple(columns), whole, means(task.rows), task.classes, tuple(backgrounds)
    )
    judged = np.isfinite(targets)
    estimated, where = np.full(len(inputs), np.nan), np.full(len(inputs), -1, np.int64)
    estimated[judged], where[judged] = calibration.of(raw)[0], task.fold
    bundle = Bundle(name, licence, model, calibration, {})
    return bundle, OutOfFold(estimated, where, task, raw)


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
            found, baselines = comparisons(default, each.documents)
            scores += [(default.name, found["difficulty"]), *baselines]
        else:
            scores += [
                (column, inputs[own, place] * (direction or Direction.HARDER).sign)
                for place, column in enumerate(columns)
                if column in BASELINES
                for direction in [COLUMNS[column][0].direction]
            ]
        validations.append(compared(each, scores, random_state=random_state))
    return Validated(tuple(validations))


def _better(name: str, figures: Validated) -> list[str]:
    """A sentence for each set of labels with which others agree better than the new bundle."""
    remarks = []
    for each in figures.sets:
        own, *others = ((row.name, row.correlations["spearman"]) for row in each.agreements)
        better = [f"{other} ({value:.3f})" for other, value in others if value > own[1]]
        if better:
            remarks.append(
                f"with the labels of {each.set} these agree better than {name} does out of fold "
                f"(Spearman {own[1]:.3f}): {', '.join(better)}"
            )
    return remarks


def _curve(out_of_fold: OutOfFold) -> tuple[tuple[CurvePoint, ...], str]:
    """The learning curve, and a sentence on whether more labels would help.

    Shares of too few texts to learn from are left out.
    """
    task = out_of_fold.task
    samples = resamples_of_groups(task.groups, task.random_state)
    learned = 1 - 1 / (task.fold.max() + 1)  # of the texts, in each fold
    points: list[CurvePoint] = []
    resampled: list[Floats] = []
    for share in _SHARES:
        texts = share * learned * len(task.labels)
        if texts < _FEWEST_TEXTS:
            continue
        with contextlib.suppress(InputError):  # a class that so few texts lack
            raw = out_of_fold.raw if share == 1 else task.out_of_fold(share)
            found = np.array([spearman(raw[sample], task.labels[sample]) for sample in samples])
            whole = spearman(raw, task.labels)
            points.append(CurvePoint(share, round(texts), whole, *interval(found)))
            resampled.append(found)
    if len(points) < 2:
        return tuple(points), "there are too few labels for a learning curve; more would tell"
    low, high = interval(resampled[-1] - resampled[-2])
    gain = f"{points[-1].spearman - points[-2].spearman:+.3f} [{low:+.3f}, {high:+.3f}]"
    verdict = "more would help" if low > 0 else "whether more would help cannot be told from chance"
    said = f"from half of the labels to all the Spearman changes by {gain}: {verdict}"
    return tuple(points), said


def _card(
    summary: str,
    licence: str,
    sets: tuple[LabelledTexts, ...],
    figures: Validated,
    curve: Sequence[CurvePoint],
    folds: int,
) -> Mapping[str, Any]:
    """What there is to know of a judged bundle: data, figures, and what they do not say."""
    card: dict[str, Any] = {
        "summary": summary,
        "intended_use": "texts like those it was trained on, for readers like those who judged "
        "them",
        "cannot_know": "anything but the text; how texts of other kinds, lengths and subjects "
        "would have been judged",
        "training": [each.on_card(licence) for each in sets],
        "figures": [rounded(row) for row in figures],
        "figures_note": f"Correlations with the labels, 95 % intervals by group. The first row of "
        f"a set is out of fold: {folds} folds by group, each text estimated by a model that saw no "
        "text of its group. No figure is on texts from elsewhere.",
    }
    if curve:
        card["learning_curve"] = [rounded(asdict(point)) for point in curve]
    return card


def _estimates(
    bundle: Bundle, out_of_fold: OutOfFold, inputs: Floats, sets: tuple[LabelledTexts, ...]
) -> pa.Table:
    import pyarrow as pa

    assert isinstance(bundle.model, JudgedModel)
    assert isinstance(bundle.calibration, Calibration)
    whole = bundle.calibration.of(bundle.model.predict(inputs))[0]
    return pa.table(
        {
            "docno": [docno for each in sets for docno in each.docnos],
            "set": [each.name for each in sets for _ in each.docnos],
            "label": np.concatenate([each.labels for each in sets]),
            "fold": out_of_fold.fold,
            "difficulty": np.where(out_of_fold.fold >= 0, out_of_fold.difficulty, whole),
        }
    )
