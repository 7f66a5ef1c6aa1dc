"""Train a bundle on labels, and measure it on texts that it did not learn from."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Unpack

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError, check_range
from understandability.evaluation.correlation import spearman
from understandability.feature.background_rows import by_row
from understandability.feature.catalogue import COLUMNS
from understandability.feature.feature_sets import columns_named
from understandability.feature.table import batches
from understandability.keywords import keywords_of, read_by
from understandability.model.background import BackgroundModel, expected_label
from understandability.model.blend import BLEND, BlendModel, Prior, blend_columns
from understandability.model.bundle import (
    DEFAULT_BUNDLE,
    AnyBundle,
    Bundle,
    load_background_models,
    load_bundle,
)
from understandability.model.calibration import Calibration, calibrate_by_line
from understandability.model.estimators import TRAINABLE, EstimatorRow, estimator_row
from understandability.model.feature_model import JudgedModel, check_backgrounds
from understandability.model.passage_model import PassageModel
from understandability.model.predictors import Predictor
from understandability.model.readers import Reader
from understandability.training.baselines import tfidf_out_of_fold
from understandability.training.blend import (
    FittedBlend,
    Mixture,
    Proof,
    fit_blend,
    out_of_fold,
    prove,
)
from understandability.training.calibrate import fit_reader
from understandability.training.duplicates import joined_groups
from understandability.training.feature_sets import PASSAGES, features_in, without_empty
from understandability.training.folds import Alignment
from understandability.training.labelled import (
    LabelColumns,
    LabelledTexts,
    LabelOptions,
    documents_where,
    read_sets,
    rescaled_label,
    table_of_pairs,
)
from understandability.training.measurements import Measurements, measure_texts, scattered
from understandability.training.portable import means, portable
from understandability.training.spelling import SpelledTexts
from understandability.training.validation import (
    BASELINES,
    Validated,
    Validation,
    compared,
    folds_of,
    interval,
    resamples_of_groups,
    rounded,
)
from understandability.wording import counted, names_in

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[str, int, int], None]

_MOST_CLASSES = 20
_SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)  # of the labels, for a learning curve
_FEWEST_TEXTS = 20
# More texts than these hardly improve an estimator, and cost time and memory.
_MOST_TEXTS = 50_000
_ROWS = 10_000
_FORMER_DEFAULT = "xgboost-regressor"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a learning curve: the Spearman correlation after learning from a share of the
    labels.

    `texts` is the number of texts learned from. `low` and `high` are the 95 % interval, by
    resampling groups.
    """

    share: float
    texts: int
    spearman: float
    low: float
    high: float


@dataclass(frozen=True)
class Trained:
    """The result of `train`: a `bundle`, and its agreement with labels it did not learn from.

    `figures` is the leaderboard, with a row for the new bundle (out of fold), the bundle `open`,
    each formula, the corpus ratio and a TF-IDF ridge; the bundle's card has it too. `estimates` has
    a row per text: docno, set, label (as in the table), fold and difficulty. The difficulty is out
    of fold, or estimated by the final model if the text has no label. `curve` is the learning
    curve, empty unless requested. `remarks` are sentences on dropped data and on the curve.
    `estimator` and `folds` are the settings used; `options` are those that ``understand validate``
    needs to read a table like the first labels.
    """

    bundle: Bundle
    figures: Validated
    estimates: pa.Table
    curve: tuple[CurvePoint, ...]
    remarks: tuple[str, ...]
    estimator: str = BLEND
    folds: int = 10
    options: str = ""

    def __repr__(self) -> str:
        return (
            f"<Trained, bundle: {self.bundle.name}, texts: {self.estimates.num_rows}, remarks: "
            f"{len(self.remarks)}; .figures says how good it is, .save(folder) writes it>"
        )

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder."""
        self.bundle.save(folder)


@keywords_of(LabelColumns)
def train(
    labels: Annotated[
        Sequence[str] | Any,
        Parameter("--labels", metavar="FILE[:COLUMN][:harder|easier][:rank|range|cefr|difficulty]"),
    ],
    values: Annotated[Any, Parameter(parse=False)] = None,
    *,
    estimator: Annotated[str | None, Parameter(metavar="NAME", choices=TRAINABLE)] = None,
    features: Annotated[Sequence[str] | str | None, read_by(names_in, metavar="NAME,...")] = None,
    table: Annotated[Any, Parameter(metavar="FILE")] = None,
    backgrounds: Annotated[
        Sequence[str] | Sequence[AnyBundle], Parameter("--bundle", metavar="NAME")
    ] = (),
    threshold_label: Annotated[str | float | None, Parameter(metavar="LABEL")] = None,
    folds: int = 10,
    curve: Annotated[bool, Parameter("--learning-curve")] = False,
    licence: str = "that of its labels",
    random_state: int = 0,
    parameters: Annotated[Mapping[str, Any], Parameter(parse=False)] = MappingProxyType({}),
    name: Annotated[str, Parameter(parse=False)] = "judged",
    progress: Annotated[Progress | None, Parameter(parse=False)] = None,
    **columns: Unpack[LabelOptions],
) -> Trained:
    """Train an estimator on human labels of texts; files with different scales may be combined.

    The default estimator, blend, starts from the bundle `open` and learns a correction, which it
    uses only as far as it helps on held-out labels. Prints a leaderboard on held-out texts (out of
    fold, by group, with near-duplicates in one group): the new bundle, `open`, the eight formulas,
    the corpus ratio and a TF-IDF ridge. The bundle's card keeps these figures.

    Example: understand train judged --labels ratings.csv --label-column rating
    --direction higher-harder --group-column site -o my-bundle

    Args:
        labels: Texts with a label: a table (JSON Lines, CSV, TSV, Parquet). Labels are numbers,
            yes and no, CEFR levels (A1 to C2), percent, or words with --order. The scale says how
            labels become difficulty: by rank within the file, by range (the lowest 0, the highest
            100), by CEFR level (1 to 6), or unchanged (0 to 100). May be repeated.
        estimator: blend, or a regressor or classifier over features. Default: blend; with
            --features, --table or --bundle xgboost-regressor.
        features: Sets (text, passages, study2018: Table 2 of the study of 2019), groups
            (readability, components, html, ...) and features, for estimators other than blend.
        table: Use the features in this table instead, joined by docno.
        backgrounds: A background model, whose output becomes a feature. May be repeated.
        threshold_label: The lowest label that is too hard for your reader, as in the table; the
            bundle then has P(U|d). Labels of two values need none.
        folds: Folds; groups stay together.
        curve: Also learn from 1/8, 1/4 and 1/2 of the labels, to see whether more would help.
        licence: Licence of the model.
        random_state: Seed; the same number gives the same bundle.

    In Python:
        `labels` are a frame, a dictionary of lists, a list of rows, the path of a table, or several
        paths, optionally as ``PATH:COLUMN:harder:SCALE``. Or they are a sequence of texts, with
        their labels in `values`: ``train(texts, labels, direction="higher-harder")``; then `group`,
        `weight` and `id` may be sequences, too. `columns` are fields of `LabelColumns`; texts of
        one group are never split between training and test folds. `parameters` are set on the
        `estimator`, `name` becomes the name of the bundle, and `progress` is called with the name
        of the step, the number of finished units, and the total.

    >>> easy, hard = "The cat sat on a mat.", "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [f"{hard if i % 2 else easy} It is word{i} thing{i} of place{i} and time{i}."
    ...          for i in range(60)]
    >>> trained = train(
    ...     texts, [i % 2 for i in range(60)], direction="higher-harder",
    ...     estimator="linear-regressor", features=["readability"], folds=3,
    ... )
    >>> next(iter(trained.figures))["spearman"] > 0.8
    True
    """
    progress = progress or (lambda step, done, total: None)
    named_features = (features,) if isinstance(features, str) else features
    if estimator is None:
        others = features is not None or table is not None or backgrounds
        estimator = _FORMER_DEFAULT if others else BLEND
    _check_choices(estimator, named_features, table, backgrounds, parameters)
    check_range(2, folds=folds)
    check_range(0, random_state=random_state)
    models = load_background_models(backgrounds)
    options: dict[str, Any] = {**columns}
    if values is not None:
        labels, options = table_of_pairs(labels, values, "train", options)
    progress("reading labels", 0, 0)
    sets = read_sets(labels, LabelColumns(**options), with_text=table is None)
    targets = np.concatenate([labelled.targets for labelled in sets])
    weights = np.concatenate([labelled.weights for labelled in sets])
    # Objects, because an array of str takes the memory of the longest for each.
    stated = np.array([group for labelled in sets for group in labelled.groups], object)
    groups, joined = joined_groups(sets, progress) if table is None else (stated, 0)
    judged = np.isfinite(targets)
    _check_enough_groups(sets, stated, groups, judged, folds)
    measured = np.full(len(targets), True)
    if too_many := judged.sum() > _MOST_TEXTS:
        drawn = _drawn(groups, judged, random_state)
        targets = np.where(drawn, targets, np.nan)
        measured = drawn if table is None else measured
    on_passages = estimator == BLEND or named_features == (PASSAGES,)
    catalogue_columns: tuple[str, ...] = ()
    if table is None and not on_passages:
        names = columns_named(named_features or ("text",))
        catalogue_columns = tuple(dict.fromkeys((*names, *by_row(models))))
    default = load_bundle(DEFAULT_BUNDLE)
    measurements = None
    if table is None:
        measurements = measure_texts(
            documents_where(sets, measured), int(measured.sum()), default, catalogue_columns,
            models, on_passages, estimator == BLEND, progress,
        )  # fmt: skip
    remark = ""
    settings = _Settings(name, licence, folds, random_state, parameters, progress)
    if on_passages:
        assert measurements is not None
        assert isinstance(default.model, PassageModel)
        learned = targets
        if len(sets) == 1 and not (estimator != BLEND and estimator_row(estimator).classifies):
            # In the units of the labels, so that a rank or a level bends nothing.
            learned = np.where(np.isfinite(targets), _on_range(sets[0].labels), np.nan)
        bundle, result = train_blend(
            measurements, default.model, targets[measured], learned[measured], weights[measured],
            groups[measured], estimator, settings,
        )  # fmt: skip
        count = len(blend_columns())
    else:
        if measurements is None:
            read, inputs = features_in(
                table, [docno for labelled in sets for docno in labelled.docnos]
            )
        else:
            read, inputs = catalogue_columns, measurements.features
        inputs, read, remark = without_empty(inputs, read)
        bundle, result = train_judged(
            inputs, read, targets[measured], groups[measured], estimator, backgrounds=models,
            name=name, licence=licence, folds=folds, random_state=random_state,
            parameters=parameters, weights=weights[measured],
        )  # fmt: skip
        count = len(read)
        if measurements is None:
            measurements = _of_table(read, inputs)
    if not measured.all():
        measurements = measurements.among(measured)
        result = result.among(measured, _estimated(bundle, sets, ~measured, progress))
    figures = _leaderboard(name, sets, result, measurements, default.name, random_state, progress)
    reader, reader_remark = _reader_of(bundle, sets, result, threshold_label)
    remarks = [
        *(sentence for labelled in sets for sentence in labelled.remarks),
        *[remark] * bool(remark),
        *_joined_remark(joined),
        *[
            f"{_MOST_TEXTS:,} labelled texts, drawn at random by group, are learned from and "
            "compared; the others are estimated by the final model"
        ]
        * bool(too_many),
        *_blend_remark(bundle),
        *_better(name, figures),
        *[reader_remark] * bool(reader_remark),
    ]
    points: tuple[CurvePoint, ...] = ()
    if curve:
        points, sentence = _curve(result)
        remarks.append(sentence)
    chosen = "".join(f", {key} {value}" for key, value in parameters.items())
    summary = f"{estimator}{chosen} on {counted(count, 'feature')}, trained on judged texts."
    card = _card(summary, licence, sets, figures, points, folds)
    bundle = replace(bundle, card=card, reader=reader)
    estimates = _estimates(bundle, result, sets)
    return Trained(
        bundle, figures, estimates, points, tuple(remarks), estimator, folds, sets[0].options
    )


def _drawn(groups: NDArray[Any], judged: NDArray[np.bool_], random_state: int) -> NDArray[np.bool_]:
    """Return a mask of about `_MOST_TEXTS` judged texts; whole groups are drawn at random."""
    codes = np.unique(groups, return_inverse=True)[1]
    rank = np.random.default_rng(random_state).permutation(int(codes.max()) + 1)[codes]
    last = np.sort(rank[judged])[_MOST_TEXTS - 1]
    return np.asarray(judged & (rank <= last))


def _check_choices(
    estimator: str,
    features: Sequence[str] | None,
    table: Any,
    backgrounds: Sequence[Any],
    parameters: Mapping[str, Any],
) -> None:
    """Raise `OptionError` for options that cannot be combined."""
    if estimator != BLEND:
        judged_estimator(estimator)
        if features is not None and PASSAGES in features and len(features) > 1:
            raise OptionError(
                f"the features {PASSAGES!r} cannot be combined with others; name them alone"
            )
        return
    if features not in (None, (), (PASSAGES,), [PASSAGES]) or table is not None or backgrounds:
        raise OptionError(
            "the blend reads the columns of passages only; for other features, a table of "
            f"features or background models choose another estimator, such as {_FORMER_DEFAULT}"
        )
    if parameters:
        raise OptionError("the blend has no parameters to set; choose another estimator")


def _check_enough_groups(
    sets: Sequence[LabelledTexts],
    stated: NDArray[Any],
    groups: NDArray[Any],
    judged: NDArray[np.bool_],
    folds: int,
) -> None:
    values, count = len(np.unique(stated[judged])), len(np.unique(groups[judged]))
    column = sets[0].columns.group
    counts = f"{values} values of {column!r}" if column else f"{values} groups or single texts"
    joined = f" ({counts}, joined where texts are equal or nearly so)" if count < values else ""
    check_groups(count, folds, joined)  # before any feature is computed


def _estimated(
    bundle: Bundle, sets: Sequence[LabelledTexts], where: NDArray[np.bool_], progress: Progress
) -> Floats:
    """Estimate the difficulty of the texts of a mask, batch by batch."""
    difficulties: list[float] = []
    for batch in batches(documents_where(sets, where)):
        difficulties += [estimate.difficulty for estimate in bundle.estimate(batch)]
        progress("estimating the other texts", len(difficulties), int(where.sum()))
    return np.array(difficulties)


def _on_range(labels: Floats) -> Floats:
    """Scale labels linearly to 0..100; NaN stays NaN."""
    result = np.full(len(labels), np.nan)
    has_label = np.isfinite(labels)
    result[has_label] = rescaled_label(labels[has_label])
    return result


def judged_estimator(name: str) -> EstimatorRow:
    """Return the estimator with this name; raise `OptionError` unless it learns from features."""
    row = estimator_row(name)
    if row.on_counts:
        raise OptionError(f"{name} takes counts of words, not features; choose another")
    return row


class Task(Protocol):
    """Judged texts with their folds, which can be estimated by models trained on the other folds.

    `labels` (0..100, higher is harder), `fold` and `groups` have one entry per text.
    """

    @property
    def labels(self) -> Floats: ...
    @property
    def fold(self) -> NDArray[np.int64]: ...
    @property
    def groups(self) -> NDArray[Any]: ...
    @property
    def random_state(self) -> int: ...

    def out_of_fold(self, share: float = 1.0) -> Floats:
        """Return the raw output for each text, by a model trained on a share of the other folds."""


@dataclass(frozen=True)
class FoldedLabels:
    """Judged texts with their folds, for an estimator that reads features.

    `rows` has the shape (texts, columns). `labels` are on 0..100; higher is harder.
    """

    row: EstimatorRow
    rows: Floats
    labels: Floats
    fold: NDArray[np.int64]
    groups: NDArray[Any]
    random_state: int
    parameters: Mapping[str, Any]
    weights: Floats | None = None

    @property
    def classes(self) -> tuple[float, ...]:
        """The labels of a classifier's classes; empty for a regressor."""
        return tuple(np.unique(self.labels).tolist()) if self.row.classifies else ()

    def fit(self, where: NDArray[np.bool_]) -> Predictor:
        """Fit the estimator to the texts of a mask; raise `InputError` if a class is missing
        there.
        """
        targets: NDArray[Any] = self.labels[where]
        if self.row.classifies:
            targets = np.searchsorted(self.classes, targets)
            if len(np.unique(targets)) < len(self.classes):
                raise InputError(
                    f"a label occurs in too few groups for {self.fold.max() + 1} folds"
                )
        estimator = self.row.unfitted(self.random_state, self.parameters, int(where.sum()))
        weights = None if self.weights is None else self.weights[where]
        return portable(self.row.fit(estimator, self.rows[where], targets, weights))

    def out_of_fold(self, share: float = 1.0) -> Floats:
        """Return the raw output for each text, by a model trained on a share of the other folds.

        A `share` of the groups in these folds is used. A smaller share is a subset of a larger one.
        """
        raw = np.empty(len(self.labels))
        weights = np.ones(len(raw)) if self.weights is None else self.weights
        alignment = Alignment(self.labels, weights)
        for number in range(self.fold.max() + 1):
            own = self.fold == number
            learned = share_of_groups(self.groups, ~own, share, self.random_state)
            predictor = self.fit(learned)
            means = expected_label(predictor(self.rows[alignment.rows]), self.classes)
            raw[own] = expected_label(predictor(self.rows[own]), self.classes)
            raw[own] += alignment.shift(means)
        return raw


def share_of_groups(
    groups: NDArray[Any], where: NDArray[np.bool_], share: float, random_state: int
) -> NDArray[np.bool_]:
    """Restrict a mask of texts to a share of its groups, drawn at random."""
    distinct, number = np.unique(groups, return_inverse=True)
    position = np.random.default_rng(random_state).permutation(len(distinct))[number]
    last = np.quantile(np.unique(position[where]), share, method="inverted_cdf")
    return np.asarray(where & (position <= last))


@dataclass(frozen=True)
class BlendTask:
    """Judged texts with their folds, for the blend.

    `rows` holds the `blend_columns` of each text, and `spelled` its words. `labels` are on 0..100;
    `learned` are the same labels in the units that the blend learns.
    """

    rows: Floats
    spelled: SpelledTexts
    learned: Floats
    labels: Floats
    weights: Floats
    fold: NDArray[np.int64]
    groups: NDArray[np.int64]
    random_state: int

    def prove(
        self, share: float = 1.0, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Proof:
        """Estimate each text by models that were trained on a share of the other folds."""

        def chosen(where: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return share_of_groups(self.groups, where, share, self.random_state)

        return prove(
            self.rows, self.spelled, self.learned, self.weights, self.groups, self.fold,
            self.random_state, progress, chosen if share < 1 else None,
        )  # fmt: skip

    def out_of_fold(self, share: float = 1.0) -> Floats:
        """Return the blend's out-of-fold estimate of each text, in the units of `learned`."""
        return out_of_fold(self.prove(share))


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Estimates of judged texts by models that did not learn from their group.

    A text without a label has the difficulty NaN and the fold -1. `task` holds the judged texts,
    and `raw` the output for each of them. `whole` holds the difficulty of every text, estimated by
    the final model.
    """

    difficulty: Floats
    fold: NDArray[np.int64]
    task: Task
    raw: Floats
    whole: Floats = field(default_factory=lambda: np.empty(0))

    def among(self, measured: NDArray[np.bool_], whole: Floats) -> OutOfFold:
        """Return the estimates of all texts, from those of the `measured` ones.

        `whole` holds the difficulty of the others.
        """
        fold = np.full(len(measured), -1, np.int64)
        fold[measured] = self.fold
        everything = np.full(len(measured), np.nan)
        everything[measured], everything[~measured] = self.whole, whole
        return replace(
            self, difficulty=scattered(self.difficulty, measured), fold=fold, whole=everything
        )


@dataclass(frozen=True, slots=True)
class _Settings:
    name: str
    licence: str
    folds: int
    random_state: int
    parameters: Mapping[str, Any]
    progress: Progress


def folded_labels(
    inputs: Floats,
    targets: Floats,
    groups: Sequence[Any] | NDArray[Any],
    estimator: str,
    *,
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    weights: Floats | None = None,
) -> FoldedLabels:
    """Assign the judged texts to folds, without splitting groups; raise the errors of
    `train_judged`.
    """
    row = judged_estimator(estimator)
    judged = np.isfinite(targets)
    numbers = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    check_groups(int(numbers.max()) + 1, folds)
    labels = targets[judged]
    if row.classifies and (count := len(np.unique(labels))) > _MOST_CLASSES:
        raise OptionError(
            f"{row.name} needs at most {_MOST_CLASSES} different labels, but there are "
            f"{count}; choose a regressor"
        )
    fold = folds_of(numbers, folds, random_state)
    own_weights = None
    if weights is not None and len(np.unique(weights[judged])) > 1:
        own_weights = weights[judged]
    return FoldedLabels(
        row, inputs[judged], labels, fold, numbers, random_state, parameters, own_weights
    )


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
    estimator: str = _FORMER_DEFAULT,
    *,
    backgrounds: Sequence[BackgroundModel] = (),
    name: str = "judged",
    licence: str = "that of its labels",
    folds: int = 5,
    random_state: int = 0,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    weights: Floats | None = None,
) -> tuple[Bundle, OutOfFold]:
    """Train an estimator on (documents, columns) and `targets`, labels on 0..100.

    Documents whose target is NaN are ignored. The map from the estimator's output to difficulty is
    fitted to out-of-fold estimates by group (`calibrate_by_line`). `backgrounds` are the models
    whose outputs are among the columns; they become part of the bundle. `weights` are the weights
    of the documents.

    Raises `InputError` for fewer groups than folds, or if the estimates do not agree with the
    targets, and `OptionError` for an estimator that does not read columns.
    """
    check_backgrounds(columns, backgrounds)
    task = folded_labels(
        inputs, targets, groups, estimator, folds=folds, random_state=random_state,
        parameters=parameters, weights=weights,
    )  # fmt: skip
    raw = task.out_of_fold()
    calibration = calibrate_by_line(raw, task.labels).on_own_scale()
    whole = task.fit(np.full(len(raw), True))
    model = JudgedModel(
        task.row.name, tuple(columns), whole, means(task.rows), task.classes, tuple(backgrounds)
    )
    judged = np.isfinite(targets)
    result = _out_of_fold(task, raw, calibration, judged, model.predict(inputs))
    return Bundle(name, licence, model, calibration, {}), result


def _out_of_fold(
    task: Task, raw: Floats, calibration: Calibration, judged: NDArray[np.bool_], whole: Floats
) -> OutOfFold:
    estimated, fold = np.full(len(judged), np.nan), np.full(len(judged), -1, np.int64)
    estimated[judged], fold[judged] = calibration.of(raw)[0], task.fold
    return OutOfFold(estimated, fold, task, raw, calibration.of(whole)[0])


def train_blend(
    measurements: Measurements,
    base: PassageModel,
    targets: Floats,
    learned: Floats,
    weights: Floats,
    groups: NDArray[Any],
    estimator: str,
    settings: _Settings,
) -> tuple[Bundle, OutOfFold]:
    """Train on the columns of passages: the blend, or a single estimator without the prior.

    `targets` are labels on 0..100, `learned` the same in the units that are learned. Documents with
    a NaN in either, or without an estimate of the base model, are not learned from.
    """
    rows = measurements.rows
    judged = np.isfinite(targets) & np.isfinite(rows).all(axis=1)
    if not judged.any():
        raise InputError("no labelled text has an estimate; the blend reads English texts")
    own_groups = np.unique(np.asarray(groups)[judged], return_inverse=True)[1]
    check_groups(int(own_groups.max()) + 1, settings.folds)
    fold = folds_of(own_groups, settings.folds, settings.random_state)
    task: Task
    if estimator == BLEND:
        assert measurements.spelled is not None
        blend = BlendTask(
            rows[judged], measurements.spelled.rows(judged), learned[judged], targets[judged],
            weights[judged], fold, own_groups, settings.random_state,
        )  # fmt: skip
        proof = blend.prove(progress=lambda done, total: settings.progress("training", done, total))
        raw = out_of_fold(proof)
        fitted = fit_blend(
            blend.rows, blend.spelled, blend.learned, blend.weights, settings.random_state
        )
        model = _blend_model(base, fitted, proof.mixture(), blend)
        task = blend
        by_spelling = measurements.spelled.estimates(fitted.spelling)
    else:
        masked = np.where(judged, learned, np.nan)
        folded = folded_labels(
            rows, masked, groups, estimator, folds=settings.folds,
            random_state=settings.random_state, parameters=settings.parameters, weights=weights,
        )  # fmt: skip
        raw = folded.out_of_fold()
        learner = folded.fit(np.full(len(raw), True))
        model = BlendModel(
            estimator,
            base,
            Prior(0.0, 0.0, 0.0),
            (learner,),
            (),
            1.0,
            means(folded.rows),
            labels=folded.classes,
        )
        by_spelling = None
        task = replace(folded, labels=targets[judged]) if not folded.classes else folded
    calibration = calibrate_by_line(raw, targets[judged]).on_own_scale()
    whole = _predicted(model, rows, by_spelling)
    result = _out_of_fold(task, raw, calibration, judged, whole)
    return Bundle(settings.name, settings.licence, model, calibration, {}), result


def _predicted(model: BlendModel, rows: Floats, by_spelling: Floats | None) -> Floats:
    """Return the raw output for each row, computed in blocks, because copies of all rows need much
    memory.
    """
    outputs = [np.empty(0)]
    for start in range(0, len(rows), _ROWS):
        inputs = np.asarray(rows[start : start + _ROWS], np.float64)
        if by_spelling is not None:
            inputs = np.column_stack([inputs, by_spelling[start : start + _ROWS]])
        outputs.append(model.predict(inputs))
    return np.concatenate(outputs)


def _blend_model(
    base: PassageModel, fitted: FittedBlend, mixture: Mixture, task: BlendTask
) -> BlendModel:
    by_spelling = float(task.spelled.estimates(fitted.spelling).mean())
    return BlendModel(
        BLEND,
        base,
        fitted.prior,
        fitted.direct,
        fitted.corrections,
        round(mixture.share, 6),
        (*means(task.rows), by_spelling),
        tuple(mixture.weights.tolist()),
        spelling=fitted.spelling,
    )


def _of_table(columns: Sequence[str], inputs: Floats) -> Measurements:
    """Return measurements of a table of features, in which formulas are the baselines."""
    baselines = {
        name: inputs[:, index] * (COLUMNS[name][0].direction or Direction.HARDER).sign
        for index, name in enumerate(columns)
        if name in BASELINES
    }
    nothing = np.empty((len(inputs), 0))
    return Measurements(nothing, inputs, baselines, {})


def _leaderboard(
    name: str,
    sets: tuple[LabelledTexts, ...],
    result: OutOfFold,
    measurements: Measurements,
    default: str,
    random_state: int,
    progress: Progress,
) -> Validated:
    """Measure how well out-of-fold estimates, `open`, the formulas and a TF-IDF ridge agree with
    labels.
    """
    scores = {f"{name}, out of fold": result.difficulty}
    for output, values in measurements.default.items():
        scores[default if output == "difficulty" else f"{default}, {output}"] = values
    if measurements.default:
        progress("TF-IDF ridge", 0, 0)
        ridge = tfidf_out_of_fold(sets, result.fold)
        if ridge is not None:
            scores["TF-IDF ridge, out of fold"] = ridge
    scores |= measurements.baselines
    validations: list[Validation] = []
    start = 0
    for labelled in sets:
        own = slice(start, start + len(labelled.docnos))
        start = own.stop
        progress("intervals", len(validations), len(sets))
        rows = [(score, values[own]) for score, values in scores.items()]
        groups = np.full(len(labelled.docnos), -1, np.int64)
        is_estimated = result.fold[own] >= 0
        judged = np.flatnonzero(result.fold >= 0)
        positions = np.searchsorted(judged, np.arange(own.start, own.stop)[is_estimated])
        groups[is_estimated] = np.asarray(result.task.groups)[positions]
        groups[~is_estimated] = np.arange(-int((~is_estimated).sum()), 0)
        validations.append(compared(labelled, rows, random_state=random_state, groups=groups))
    return Validated(tuple(validations))


def _reader_of(
    bundle: Bundle, sets: Sequence[LabelledTexts], result: OutOfFold, threshold_label: Any
) -> tuple[Reader | None, str]:
    """Return a reader for the bundle, if a threshold can be set, and a remark on it.

    The reader is fitted to the out-of-fold estimates: a text counts as understood if its label is
    below the threshold's label.
    """
    values = np.unique(np.concatenate([labelled.labels for labelled in sets]))
    values = values[np.isfinite(values)]
    if threshold_label is None:
        if len(values) != 2:
            return None, (
                "the bundle has no reader, so scores by it have no P(U|d): name the lowest label "
                "that is too hard for your reader with --threshold-label (threshold_label=), or "
                "give --threshold when scoring"
            )
        limits = [float(values[1])] * len(sets)
        stated = sets[0].in_words(
            float(sets[0].stated_labels[np.flatnonzero(sets[0].labels == values[1])[0]])
        )
    else:
        limits = [labelled.difficulty_of(str(threshold_label)) for labelled in sets]
        stated = str(threshold_label)
    understood = np.concatenate(
        [labelled.labels < limit for labelled, limit in zip(sets, limits, strict=True)]
    )
    is_estimated = np.isfinite(result.difficulty)
    answers = understood[is_estimated]
    if answers.all() or not answers.any():
        amount = "every" if answers.all() else "no"
        raise OptionError(
            f"{amount} label is easier than --threshold-label {stated} (threshold_label=); choose "
            f"one between the easiest and the hardest: {sets[0].in_difficulty}"
        )
    fitted = fit_reader(
        result.difficulty[is_estimated], answers.tolist(), "own", scale=bundle.scale
    )
    reader = replace(
        fitted.reader,
        description=f"a reader who understands texts easier than the label {stated}",
        source=f"probit regression on {counted(len(answers), 'label')}, out of fold",
    )
    return reader, (
        f"P(U|d) is the probability of a label easier than {stated}: difficulty below "
        f"{reader.threshold:g}, with a noise of {reader.noise_scale:g}"
    )


def _joined_remark(joined: int) -> list[str]:
    if not joined:
        return []
    return [
        f"{counted(joined, 'text')} joined to the group of an equal or nearly equal text, so that "
        "no text is learned from and judged by its copy"
    ]


def _blend_remark(bundle: Bundle) -> list[str]:
    """Return a remark on the share of the correction."""
    model = bundle.model
    if not isinstance(model, BlendModel) or model.estimator != BLEND:
        return []
    if not model.share:
        return [
            "no correction of `open` helps on held-out labels, so the bundle is `open` on the "
            "scale of the labels; more labels may help"
        ]
    return [f"a correction of `open` helps on held-out labels; {model.share:.0%} of it is used"]


def _better(name: str, figures: Validated) -> list[str]:
    """Return a remark for each set on which other scores agree better than the new bundle."""
    remarks = []
    for labelled in figures.sets:
        own, *others = labelled.agreements
        value = own.correlations["spearman"]
        better = [row for row in others if row.correlations["spearman"] > value]
        if not better:
            continue
        best = max(better, key=lambda row: row.correlations["spearman"])
        most = best.correlations["spearman"]
        chance = most <= own.intervals["spearman"][1]
        remarks.append(
            f"on {labelled.set}, {len(better)} of {len(others)} other scores agree better with the "
            f"labels than {name} does out of fold (Spearman {value:.3f}); the best is {best.name} "
            f"({most:.3f}), {'within' if chance else 'beyond'} the interval of {name}"
        )
    return remarks


def _curve(result: OutOfFold) -> tuple[tuple[CurvePoint, ...], str]:
    """Compute the learning curve, and return it with a remark on whether more labels would help.

    Shares with too few texts to learn from are skipped.
    """
    task = result.task
    samples = resamples_of_groups(task.groups, task.random_state)
    learned = 1 - 1 / (task.fold.max() + 1)  # the share of the texts outside a fold
    points: list[CurvePoint] = []
    resampled: list[Floats] = []
    for share in _SHARES:
        texts = share * learned * len(task.labels)
        if texts < _FEWEST_TEXTS:
            continue
        with contextlib.suppress(InputError):  # raised if so few texts lack a class
            raw = result.raw if share == 1 else task.out_of_fold(share)
            values = np.array([spearman(raw[sample], task.labels[sample]) for sample in samples])
            whole = spearman(raw, task.labels)
            points.append(CurvePoint(share, round(texts), whole, *interval(values)))
            resampled.append(values)
    if len(points) < 2:
        return tuple(points), "there are too few labels for a learning curve"
    low, high = interval(resampled[-1] - resampled[-2])
    gain = f"{points[-1].spearman - points[-2].spearman:+.3f} [{low:+.3f}, {high:+.3f}]"
    verdict = "more would help" if low > 0 else "the gain from more labels is within chance"
    sentence = f"from half of the labels to all of them, Spearman changes by {gain}: {verdict}"
    return tuple(points), sentence


def _card(
    summary: str,
    licence: str,
    sets: tuple[LabelledTexts, ...],
    figures: Validated,
    curve: Sequence[CurvePoint],
    folds: int,
) -> Mapping[str, Any]:
    """Return the card of a judged bundle: data, figures, and their limits."""
    card: dict[str, Any] = {
        "summary": summary,
        "intended_use": "texts like those it was trained on, for readers like those who judged "
        "them",
        "cannot_know": "anything but the text; how texts of other kinds, lengths and subjects "
        "would have been judged",
        "training": [labelled.on_card(licence) for labelled in sets],
        "figures": [rounded(row) for row in figures],
        "figures_note": f"Agreement with the labels, 95 % intervals by group. The first row of "
        f"a set is out of fold: {folds} folds by group, each text estimated by a model that saw no "
        f"text of its group, nor a near-duplicate.{_of_classes(figures)} No figure is on texts "
        "from elsewhere.",
    }
    if curve:
        card["learning_curve"] = [rounded(asdict(point)) for point in curve]
    return card


def _of_classes(figures: Validated) -> str:
    """Return a sentence that explains the measures of classes, if there are any."""
    if "accuracy" not in figures.measures:
        return ""
    return (
        " Accuracy and kappa (quadratic weights) compare the labels with classes: each score is "
        "cut so that a class has as many texts as in the labels."
    )


def _estimates(bundle: Bundle, result: OutOfFold, sets: tuple[LabelledTexts, ...]) -> pa.Table:
    import pyarrow as pa

    stated = np.concatenate([labelled.stated_labels for labelled in sets])
    return pa.table(
        {
            "docno": [docno for labelled in sets for docno in labelled.docnos],
            "set": [labelled.name for labelled in sets for _ in labelled.docnos],
            "label": stated,
            "fold": result.fold,
            "difficulty": np.where(result.fold >= 0, result.difficulty, result.whole),
        }
    )
