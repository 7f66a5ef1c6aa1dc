"""How well estimates agree with labels: correlation with intervals, and P(U|d) at a threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.evaluation.correlation import kendall_tau_b, pearson, spearman
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of
from understandability.model.bundle import Bundle
from understandability.model.estimate import Estimate
from understandability.model.readers import probability
from understandability.text.document import Document
from understandability.training.labelled import LabelledTexts

# The eight formulas of Palotti, Zuccon & Hanbury (2019).
EIGHT_FORMULAS = (
    "ari",
    "coleman_liau",
    "dale_chall",
    "flesch_kincaid",
    "flesch_reading_ease",
    "gunning_fog",
    "lix",
    "smog",
)
# What every estimate is compared with: these, and the ratio of the corpora.
BASELINES = (*EIGHT_FORMULAS, "log_likelihood_pubmed_reddit")
_BINS = 10
_RESAMPLES = 200


def roc_auc(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """How often a text that is understood has a higher chance than one that is not.

    >>> roc_auc(np.array([0.9, 0.8, 0.1]), np.array([True, False, False]))
    1.0
    """
    from scipy.stats import rankdata

    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    ranks = rankdata(chances)[truth].sum()
    return float((ranks - positive * (positive + 1) / 2) / (positive * negative))


def brier_score(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean squared distance of chances from what is true (Brier 1950)."""
    return float(np.mean((chances - truth) ** 2))


def calibration_error(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """How far chances lie from frequencies, over ten bins of equally many texts.

    >>> calibration_error(np.array([0.5] * 20), np.array([True, False] * 10))
    0.0
    """
    order = np.argsort(chances, kind="stable")
    bins = [each for each in np.array_split(order, _BINS) if len(each)]
    distances = [len(each) * abs(chances[each].mean() - truth[each].mean()) for each in bins]
    return float(sum(distances) / len(chances))


CORRELATIONS: Mapping[str, Callable[[Floats, Floats], float]] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall_tau_b}
)


def correlations(values: Floats, labels: Floats) -> dict[str, float]:
    """Each of `CORRELATIONS` of a score with labels; NaN where one does not vary.

    >>> correlations(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0]))["kendall"]
    1.0
    """
    if len(values) < 2:
        return dict.fromkeys(CORRELATIONS, float("nan"))
    return {name: function(values, labels) for name, function in CORRELATIONS.items()}


@dataclass(frozen=True, slots=True)
class Agreement:
    """One score against the labels of one set; `intervals` are 95 %, by bootstrap."""

    name: str
    scored: int
    correlations: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Validation:
    """One labelled set: scores against its labels, and P(U|d).

    `groups` is how many groups of texts there are, by which the intervals are resampled.
    `left_out` are the ids of records by why they tell nothing. `chances` has Brier score,
    calibration error and ROC AUC at the threshold; none where the labels are only ranks.
    `remarks` are sentences on what the figures do not say.
    """

    set: str
    records: int
    groups: int
    left_out: Mapping[str, tuple[str, ...]]
    agreements: tuple[Agreement, ...]
    chances: Mapping[str, float]
    remarks: tuple[str, ...] = ()


def resamples_of_groups(
    groups: Sequence[Any] | NDArray[Any], random_state: int = 0
) -> list[NDArray[np.int64]]:
    """The rows of 200 samples of as many groups as there are, drawn with replacement.

    Texts of one group (versions of an article) are no evidence apart from each other.

    >>> sample = resamples_of_groups(["a", "a", "b"])[0].tolist()
    >>> sample.count(0) == sample.count(1)
    True
    """
    _, numbers, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    by_group = np.split(np.argsort(numbers, kind="stable"), np.cumsum(counts)[:-1])
    rng = np.random.default_rng(random_state)
    drawn = (rng.integers(0, len(counts), len(counts)) for _ in range(_RESAMPLES))
    return [np.concatenate([by_group[number] for number in sample]) for sample in drawn]


def agreement(
    name: str,
    values: Floats,
    labels: Floats,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    *,
    random_state: int = 0,
) -> Agreement:
    """Correlations of a score with labels, with intervals from 200 resamples of the groups.

    Without `groups` each record is one of its own. All are NaN where a side does not vary.
    """
    known = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[known], labels[known]
    if len(values) < 2 or np.ptp(values) == 0 or np.ptp(labels) == 0:
        nothing = dict.fromkeys(CORRELATIONS, math.nan)
        return Agreement(name, len(values), nothing, {m: (v, v) for m, v in nothing.items()})
    numbers = np.arange(len(known)) if groups is None else np.asarray(groups)
    samples = resamples_of_groups(numbers[known], random_state)
    resampled = [correlations(values[sample], labels[sample]) for sample in samples]
    intervals = {}
    for measure in CORRELATIONS:
        low, high = np.nanpercentile([each[measure] for each in resampled], [2.5, 97.5])
        intervals[measure] = (float(low), float(high))
    return Agreement(name, len(values), correlations(values, labels), intervals)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """A bundle's estimates of documents, and the baselines beside them.

    `other` is the level, of a bundle without levels its raw output; `formulas` is (documents,
    `BASELINES`), turned so that higher is harder.
    """

    difficulty: Floats
    spread: Floats
    level: Floats
    level_error: Floats
    other: tuple[str, Floats]
    formulas: Floats

    def baselines(self) -> list[tuple[str, Floats]]:
        """Each formula with its values."""
        return list(zip(BASELINES, self.formulas.T, strict=True))


def comparisons(bundle: Bundle, documents: Iterable[Document]) -> Comparisons:
    """The estimates of a bundle and the baselines of documents."""
    estimates: list[Estimate] = []
    errors = [np.empty(0)]
    formulas = [np.empty((0, len(BASELINES)))]
    for batch in batches(documents):
        estimates += bundle.estimate(batch)
        errors.append(bundle.model.read(batch).level_error)
        formulas.append(features_of(batch, BASELINES).values)
    signs = [(COLUMNS[name][0].direction or Direction.HARDER).sign for name in BASELINES]
    level, raw = (np.array([getattr(each, of) for each in estimates]) for of in ("level", "raw"))
    return Comparisons(
        np.array([each.difficulty for each in estimates]),
        np.array([each.spread for each in estimates]),
        level,
        np.concatenate(errors),
        ("level", level) if np.isfinite(level).any() else ("raw output", raw),
        np.concatenate(formulas) * signs,
    )


def validate(
    bundle: Bundle, texts: LabelledTexts, *, threshold: float = 40.0, random_state: int = 0
) -> Validation:
    """Estimate a labelled set, and compare estimates and baselines with its labels.

    Estimates are those of the bundle as it is: of texts that it was trained on they say nothing,
    which a remark says where it can be told. Baselines are turned so that higher is harder.
    """
    found = comparisons(bundle, texts.documents)
    name, other = found.other
    rows = [(bundle.name, found.difficulty), (f"{bundle.name}, {name}", other)]
    chances = _chances(bundle, found, texts, threshold)
    result = compared(texts, [*rows, *found.baselines()], chances, random_state)
    training = bundle.card.get("training")
    if isinstance(training, list) and any(
        isinstance(entry, Mapping) and entry.get("texts_sha256") == texts.checksum
        for entry in training
    ):
        remark = (
            f"{bundle.name} was trained on these very texts: its figures here say nothing of "
            "others; those out of fold are in its card (`understand bundle show`)"
        )
        return replace(result, remarks=(remark,))
    return result


def compared(
    texts: LabelledTexts,
    scores: Sequence[tuple[str, Floats]],
    chances: Mapping[str, float] = MappingProxyType({}),
    random_state: int = 0,
) -> Validation:
    """Scores against the labels of a set, with intervals by group; the first is the one judged."""
    left_out = {reason: tuple(docnos) for reason, docnos in texts.unusable.items()}
    for reason, where in (
        ("no label", np.isnan(texts.labels)),
        ("no estimate", np.isnan(scores[0][1]) & np.isfinite(texts.labels)),
    ):
        if where.any():
            left_out[reason] = tuple(compress(texts.docnos, where))
    return Validation(
        texts.source.name,
        len(texts.docnos),
        len(set(texts.groups)),
        MappingProxyType(left_out),
        tuple(
            agreement(name, values, texts.labels, texts.groups, random_state=random_state)
            for name, values in scores
        ),
        chances,
    )


def _chances(
    bundle: Bundle, found: Comparisons, texts: LabelledTexts, threshold: float
) -> Mapping[str, float]:
    """How well the chance of a label below the threshold is told; nothing where labels are ranks.

    Labels that are levels are compared with the level, and its error: the threshold, a difficulty
    on the scale of 2016, stands for the level that has it.
    """
    if texts.source.scale == "rank":
        return {}
    labels, estimates, errors = texts.difficulties, found.difficulty, found.spread
    if texts.source.scale == "cefr" and bundle.assessors:
        threshold = bundle.assessors.level_of(threshold)
        labels, estimates, errors = texts.labels, found.level, found.level_error
    known = np.isfinite(labels) & np.isfinite(estimates)
    if not known.any():
        return {}
    chances = probability(estimates, threshold, "calibrated", noise_scale=errors)
    truth = labels[known] < threshold
    return {
        "brier": brier_score(chances[known], truth),
        "calibration_error": calibration_error(chances[known], truth),
        "roc_auc": roc_auc(chances[known], truth),
    }


def report(validations: Sequence[Validation]) -> list[dict[str, object]]:
    """Validations as plain data, for JSON."""
    return [
        {
            "set": each.set,
            "records": each.records,
            "groups": each.groups,
            "remarks": list(each.remarks),
            "left_out": {reason: list(docnos) for reason, docnos in each.left_out.items()},
            "scores": [
                {
                    "name": row.name,
                    "n": row.scored,
                    **row.correlations,
                    "intervals": {name: list(ends) for name, ends in row.intervals.items()},
                }
                for row in each.agreements
            ],
            "p_understandable": dict(each.chances),
        }
        for each in validations
    ]


def score_rows(validations: Sequence[Validation]) -> list[dict[str, object]]:
    """Validations as rows of a table: a score of a set, its correlations and their intervals."""
    return [
        {
            "set": each.set,
            "score": row.name,
            "n": row.scored,
            **row.correlations,
            **{
                f"{name}_{end}": value
                for name, ends in row.intervals.items()
                for end, value in zip(("low", "high"), ends, strict=True)
            },
        }
        for each in validations
        for row in each.agreements
    ]
