"""Measure the agreement of estimates with labels: correlations with intervals, and errors of
P(U|d).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.distributions import ranks
from understandability.errors import OptionError
from understandability.evaluation.correlation import kendall_tau_b, pearson, spearman
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of
from understandability.keywords import keywords_of
from understandability.model.bundle import (
    DEFAULT_BUNDLE,
    AnyBundle,
    Bundle,
    Estimate,
    bundle_of,
    load_bundle,
)
from understandability.model.readers import READINGS, probability
from understandability.text.document import Document
from understandability.training.labelled import (
    LabelColumns,
    LabelledTexts,
    LabelOptions,
    read_sets,
    table_of_pairs,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The eight formulas of Palotti, Zuccon & Hanbury (2019).
EIGHT_FORMULAS = (
    "ari", "coleman_liau", "dale_chall", "flesch_kincaid", "flesch_reading_ease", "gunning_fog",
    "lix", "smog",
)  # fmt: skip
# Every estimate is compared with these formulas and the ratio of the corpora.
BASELINES = (*EIGHT_FORMULAS, "log_likelihood_pubmed_reddit")
_BINS = 10
_RESAMPLES = 200
_MANY_ROWS = 20_000
_MOST_CLASSES = 10


def roc_auc(values: Floats, truth: NDArray[np.bool_]) -> float:
    """Return the probability that a true row has a higher value than a false row; ties count half.

    NaN if all rows are true, or all are false.

    >>> roc_auc(np.array([0.9, 0.8, 0.1]), np.array([True, False, False]))
    1.0
    """
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return math.nan
    pairs = float(ranks(values)[truth].sum()) - positives * (positives + 1) / 2
    return pairs / (positives * negatives)


def brier_score(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """Return the mean squared difference between probabilities and outcomes, 0 or 1 (Brier
    1950).
    """
    return float(np.mean((probabilities - truth) ** 2))


def calibration_error(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """Return the mean absolute difference between probability and frequency, in ten equal-sized
    bins.

    >>> calibration_error(np.array([0.5] * 20), np.array([True, False] * 10))
    0.0
    """
    order = np.argsort(probabilities, kind="stable")
    bins = [rows for rows in np.array_split(order, _BINS) if len(rows)]
    distances = [len(rows) * abs(probabilities[rows].mean() - truth[rows].mean()) for rows in bins]
    return float(sum(distances) / len(probabilities))


CORRELATIONS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_tau_b,
}


def correlations(values: Floats, labels: Floats) -> dict[str, float]:
    """Return the `CORRELATIONS` of a score with labels; NaN if all scores or all labels are equal.

    >>> correlations(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0]))["kendall"]
    1.0
    """
    if len(values) < 2:
        return dict.fromkeys(CORRELATIONS, float("nan"))
    return {name: function(values, labels) for name, function in CORRELATIONS.items()}


def classes_by_share(values: Floats, labels: Floats) -> Floats:
    """Predict classes by cutting a score so that each class has as many texts as in the labels.

    >>> classes_by_share(np.array([0.1, 0.9, 0.4]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.0, 2.0, 1.0]
    """
    classes = np.empty(len(labels))
    classes[np.argsort(values, kind="stable")] = np.sort(labels)
    return classes


def weighted_kappa(classes: Floats, labels: Floats) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968); 1 is full agreement, 0 is chance.

    >>> weighted_kappa(np.array([1.0, 2.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0, 1.0]))
    0.5
    """
    names = np.unique(np.concatenate([classes, labels]))
    one, other = np.searchsorted(names, classes), np.searchsorted(names, labels)
    count = len(names)
    table = np.bincount(one * count + other, minlength=count**2).reshape(count, count)
    distance = np.subtract.outer(np.arange(count), np.arange(count)) ** 2
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(labels)
    by_chance = float((distance * expected).sum())
    return 1 - float((distance * table).sum()) / by_chance if by_chance else math.nan


def class_measures(values: Floats, labels: Floats) -> dict[str, float]:
    """Return accuracy and kappa of a score cut into classes, and ROC AUC for two classes.

    The score is cut by `classes_by_share`. The result is empty if the labels have more than ten
    different values, because they are not classes then.

    >>> class_measures(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0]))
    {'auc': 1.0, 'accuracy': 1.0, 'kappa': 1.0}
    """
    distinct = np.unique(labels)
    if not 2 <= len(distinct) <= _MOST_CLASSES:
        return {}
    classes = classes_by_share(values, labels)
    auc = {"auc": roc_auc(values, labels == distinct[1])} if len(distinct) == 2 else {}
    return {
        **auc,
        "accuracy": float(np.mean(classes == labels)),
        "kappa": weighted_kappa(classes, labels),
    }


CLASS_MEASURES = {"auc": "ROC AUC", "accuracy": "Accuracy", "kappa": "Kappa"}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of one score with the labels of one set.

    `classes` holds the measures of `class_measures`, if labels are classes. `intervals` are 95 %
    bootstrap intervals of all correlations and class measures. `scored` is the number of texts.
    """

    name: str
    scored: int
    correlations: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    classes: Mapping[str, float] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """The correlations and the measures of classes, by name."""
        return {**self.correlations, **self.classes}

    def in_words(self, digits: int = 3, measures: Sequence[str] = ()) -> list[str]:
        """Format measures with their intervals in brackets; default: all correlations."""
        values = self.values
        cells = []
        for name in measures or CORRELATIONS:
            low, high = self.intervals.get(name, (math.nan, math.nan))
            value = values.get(name, math.nan)
            cells.append(f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]")
        return cells


@dataclass(frozen=True, slots=True)
class Validation:
    """The agreement of scores and of P(U|d) with the labels of one set.

    `groups` is the number of groups, which the intervals resample. `left_out` lists the ids of
    dropped records by reason. `chances` holds Brier score, calibration error and ROC AUC of P(U|d)
    at the threshold; it is empty if labels are only ranks. `remarks` are sentences on the limits of
    the figures. `guessed` is a sentence on the column that was read as the text.
    """

    set: str
    records: int
    groups: int
    left_out: Mapping[str, tuple[str, ...]]
    agreements: tuple[Agreement, ...]
    chances: Mapping[str, float]
    remarks: tuple[str, ...] = ()
    guessed: str = ""

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all measures that any score has: correlations, then class measures."""
        names = {name for row in self.agreements for name in row.classes}
        return (*CORRELATIONS, *(name for name in CLASS_MEASURES if name in names))

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, for JSON."""
        return {
            "set": self.set,
            "records": self.records,
            "groups": self.groups,
            "remarks": list(self.remarks),
            "left_out": {reason: list(docnos) for reason, docnos in self.left_out.items()},
            "scores": [
                {
                    "name": row.name,
                    "n": row.scored,
                    **row.values,
                    "intervals": {name: list(ends) for name, ends in row.intervals.items()},
                }
                for row in self.agreements
            ],
            "p_understandable": dict(self.chances),
        }


@dataclass(frozen=True, repr=False)
class Validated(Tabular):
    """Agreement of scores with the labels of one or more `sets`: a table with a row per score.

    `settings` are the model, its scale and the threshold, if a single model was validated.
    """

    sets: tuple[Validation, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield a row per score: set, score, n, measures and their 95 % intervals."""
        for labelled in self.sets:
            for row in labelled.agreements:
                ends = {
                    f"{name}_{end}": value
                    for name, interval in row.intervals.items()
                    for end, value in zip(("low", "high"), interval, strict=True)
                }
                start = {"set": labelled.set, "score": row.name, "n": row.scored}
                yield {**start, **row.values, **ends}

    def as_dict(self) -> dict[str, Any]:
        """Return the settings and figures as plain data, for JSON."""
        sets = [labelled.as_dict() for labelled in self.sets]
        return {"settings": dict(self.settings), "sets": sets}

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all measures that any row has: correlations, then class measures."""
        names = {name for labelled in self.sets for name in labelled.measures}
        return tuple(name for name in (*CORRELATIONS, *CLASS_MEASURES) if name in names)

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame; requires pandas."""
        return self.to_arrow().to_pandas()

    def table(self, *, digits: int = 3) -> ResultTable:
        """Return a table for a paper: one row per score, every measure with its interval."""
        rows = tuple(
            (labelled.set, row.name, row.scored, *row.in_words(digits, self.measures))
            for labelled in self.sets
            for row in labelled.agreements
        )
        return ResultTable(
            ("set", "score", "texts", *map(heading, self.measures)),
            rows,
            note="Correlations with the labels; in brackets 95 % intervals by resampling groups.",
        )


def heading(measure: str) -> str:
    """Return the heading of a measure's column."""
    return CLASS_MEASURES.get(measure, measure.capitalize())


def rounded(row: Mapping[str, Any], digits: int = 3) -> dict[str, Any]:
    """Round the figures of a row, for a model card."""
    return {key: round(x, digits) if isinstance(x, float) else x for key, x in row.items()}


def resamples_of_groups(
    groups: Sequence[Any] | NDArray[Any], random_state: int = 0
) -> list[NDArray[np.int64]]:
    """Draw 200 bootstrap samples of whole groups, and return the row indices of each sample.

    Texts of one group (such as versions of an article) are not independent evidence. Above 20,000
    rows there are fewer samples, down to 20.

    >>> sample = resamples_of_groups(["a", "a", "b"])[0].tolist()
    >>> sample.count(0) == sample.count(1)
    True
    """
    _, numbers, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    by_group = np.split(np.argsort(numbers, kind="stable"), np.cumsum(counts)[:-1])
    rng = np.random.default_rng(random_state)
    count = min(_RESAMPLES, max(20, _RESAMPLES * _MANY_ROWS // max(1, len(numbers))))
    drawn = (rng.integers(0, len(counts), len(counts)) for _ in range(count))
    return [np.concatenate([by_group[number] for number in sample]) for sample in drawn]


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """Assign each row to a fold. Groups are not split; folds have equal numbers of groups.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)


def interval(resampled: Sequence[float] | Floats) -> tuple[float, float]:
    """Return the ends of the middle 95 % of resampled figures."""
    low, high = np.nanpercentile(resampled, [2.5, 97.5])
    return float(low), float(high)


def agreement(
    name: str,
    values: Floats,
    labels: Floats,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    *,
    random_state: int = 0,
) -> Agreement:
    """Measure a score against labels, with intervals from resamples of the groups.

    Without `groups`, every record is its own group. Correlations are NaN if the values or the
    labels are constant.
    """
    usable = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[usable], labels[usable]
    if len(values) < 2 or np.ptp(values) == 0 or np.ptp(labels) == 0:
        nothing = dict.fromkeys(CORRELATIONS, math.nan)
        return Agreement(name, len(values), nothing, {m: (v, v) for m, v in nothing.items()})
    numbers = np.arange(len(usable)) if groups is None else np.asarray(groups)
    samples = resamples_of_groups(numbers[usable], random_state)
    classes = class_measures(values, labels)
    resampled = [
        {
            **correlations(values[sample], labels[sample]),
            **(class_measures(values[sample], labels[sample]) if classes else {}),
        }
        for sample in samples
    ]
    intervals = {
        measure: interval([figures.get(measure, math.nan) for figures in resampled])
        for measure in (*CORRELATIONS, *classes)
    }
    return Agreement(name, len(values), correlations(values, labels), intervals, classes)


OUTPUTS = ("difficulty", "spread", "raw", "level", "level_error")


def comparisons(
    bundle: Bundle, documents: Iterable[Document], default: Bundle | None = None
) -> tuple[dict[str, Floats], list[tuple[str, Floats]]]:
    """Estimate documents with a bundle; return its `OUTPUTS` by name, and scores to compare them
    with.

    The scores are difficulty and level by the `default` bundle, if given, and the `BASELINES`, with
    the sign changed where needed so that higher is harder.
    """
    estimates: list[Estimate] = []
    others: list[Estimate] = []
    formulas = [np.empty((0, len(BASELINES)))]
    for batch in batches(documents):
        estimates += bundle.estimate(batch)
        if default is not None:
            others += default.estimate(batch)
        formulas.append(features_of(batch, BASELINES).values)
    numbers = {
        name: np.array([getattr(estimate, name) for estimate in estimates]) for name in OUTPUTS
    }
    scores = list(harder_baselines(np.concatenate(formulas)).items())
    if default is not None:
        scores = [
            (default.name, np.array([estimate.difficulty for estimate in others])),
            (f"{default.name}, level", np.array([estimate.level for estimate in others])),
            *scores,
        ]
    return numbers, scores


def harder_baselines(values: Floats) -> dict[str, Floats]:
    """Split an array (documents, baselines) into columns by name, negated if higher values are
    easier.
    """
    signs = [(COLUMNS[name][0].direction or Direction.HARDER).sign for name in BASELINES]
    return dict(zip(BASELINES, (values * signs).T, strict=True))


@keywords_of(LabelColumns)
def validate(
    bundle: str | AnyBundle,
    labels: Annotated[Sequence[str] | Any, Parameter(metavar="LABELS...")],
    values: Annotated[Any, Parameter(parse=False)] = None,
    *,
    threshold: float = 40.0,
    **columns: Unpack[LabelOptions],
) -> Validated:
    """Compare a bundle, `open`, the eight formulas and the corpus ratio with labels of texts.

    Correlations have 95 % intervals, by groups of texts. Labels with few values also get accuracy,
    kappa and, for two values, ROC AUC. If labels are difficulties (cefr, difficulty), P(U|d) at the
    threshold is compared with them by Brier score, calibration error and ROC AUC. Use texts that
    the bundle was not trained on.

    Example: understand validate open judged.csv --label-column rating --direction harder

    Args:
        bundle: Name or folder of a bundle.
        labels: Labelled texts: FILE[:COLUMN][:harder|easier], with the scales of the --labels of
            `understand train judged`.
        threshold: The difficulty below which the reader understands.

    In Python:
        `bundle` may also be a result of `train` or `rescale`. `labels` and `values` are as in
        `train`, and `columns` are fields of `LabelColumns`. Formulas are negated if higher values
        are easier.

    >>> easy, hard = "The cat sat on a mat.", "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> labels = {"text": texts, "ease": [-(i % 5) for i in range(60)]}
    >>> result = validate("llr", labels, label="ease", direction="higher-easier")
    >>> [row["score"] for row in result][:2]
    ['llr', 'llr, raw output']
    """
    if not math.isfinite(threshold):
        raise OptionError(f"the threshold must be a finite number, not {threshold}")
    model = bundle_of(bundle)
    default = load_bundle(DEFAULT_BUNDLE)
    options: dict[str, Any] = {**columns}
    if values is not None:
        labels, options = table_of_pairs(labels, values, "validate", options, "bundle, ")
    sets = []
    for texts in read_sets(labels, LabelColumns(**options)):
        compared_to = None if model.name == default.name else default
        estimates, others = comparisons(model, texts.documents, compared_to)
        has_levels = np.isfinite(estimates["level"]).any() and model.scale == READINGS
        name, other = ("level", "level") if has_levels else ("raw output", "raw")
        scores = [
            (model.name, estimates["difficulty"]),
            (f"{model.name}, {name}", estimates[other]),
        ]
        chances = _chances(model, estimates, texts, threshold)
        remarks = (*texts.remarks, *trained_on(model, texts))
        if texts.columns.scale == "cefr" and model.assessors:
            level, scale = model.assessors.level_of(threshold), model.assessors.scale
            remarks += (
                f"labels are levels, so P(U|d) is the probability of a level below {level:.2f}, "
                f"whose difficulty is {threshold:g} on {scale}",
            )
        sets.append(compared(texts, [*scores, *others], chances, remarks=remarks))
    settings = {"model": model.label, "scale": model.scale, "threshold": threshold}
    return Validated(tuple(sets), settings)


def trained_on(bundle: Bundle, texts: LabelledTexts) -> tuple[str, ...]:
    """Return a remark if the bundle's card lists these texts as training data; otherwise nothing.

    Texts are recognised by their checksum; sets without one by their name.
    """
    training = bundle.card.get("training")
    entries = training if isinstance(training, list) else []
    for entry in entries:
        checksum = entry.get("texts_sha256") if isinstance(entry, Mapping) else ""
        if checksum and checksum == texts.checksum:
            named = "these very texts"
        elif checksum is None and entry.get("name") == texts.name:
            named = f"a set called {texts.name}"
        else:
            continue
        return (
            f"{bundle.name} was trained on {named}, so these figures say nothing about other "
            "texts; its card has out-of-fold figures (`understand bundle show`)",
        )
    return ()


def compared(
    texts: LabelledTexts,
    scores: Sequence[tuple[str, Floats]],
    chances: Mapping[str, float] = MappingProxyType({}),
    *,
    random_state: int = 0,
    remarks: tuple[str, ...] = (),
    groups: NDArray[Any] | None = None,
) -> Validation:
    """Compare scores with the labels of a set, with intervals by group.

    The first score is the one to validate; texts for which it has no value are reported. `groups`
    replaces the groups of the set, for example with groups merged because of near-duplicates.
    """
    left_out = {reason: tuple(docnos) for reason, docnos in texts.unusable.items()}
    for reason, mask in (
        ("no label", np.isnan(texts.labels)),
        ("no estimate", np.isnan(scores[0][1]) & np.isfinite(texts.labels)),
    ):
        if mask.any():
            left_out[reason] = tuple(compress(texts.docnos, mask))
    own_groups = np.array(texts.groups) if groups is None else groups
    return Validation(
        texts.name,
        len(texts.docnos),
        len(np.unique(own_groups)),
        left_out,
        tuple(
            agreement(name, values, texts.labels, own_groups, random_state=random_state)
            for name, values in scores
        ),
        chances,
        remarks,
        texts.guessed,
    )


def _chances(
    bundle: Bundle, estimates: Mapping[str, Floats], texts: LabelledTexts, threshold: float
) -> Mapping[str, float]:
    """Measure P(label < threshold) against the labels; empty if labels are only ranks.

    CEFR levels are compared with the estimated level and its error. The threshold, a difficulty, is
    then converted to the level with that difficulty.
    """
    if texts.columns.scale == "rank":
        return {}
    labels, values, errors = texts.targets, estimates["difficulty"], estimates["spread"]
    if texts.columns.scale == "cefr" and bundle.assessors:
        threshold = bundle.assessors.level_of(threshold)
        labels, values, errors = texts.labels, estimates["level"], estimates["level_error"]
    usable = np.isfinite(labels) & np.isfinite(values)
    if not usable.any():
        return {}
    estimated = probability(values, threshold, "calibrated", noise_scale=errors)[usable]
    truth = labels[usable] < threshold
    return {
        "brier": brier_score(estimated, truth),
        "calibration_error": calibration_error(estimated, truth),
        "roc_auc": roc_auc(estimated, truth),
    }
