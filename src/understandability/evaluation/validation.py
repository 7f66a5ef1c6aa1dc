"""How well estimates agree with labels: correlation with intervals, and P(U|d) at a threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.evaluation.statistics.correlation import kendall_tau_b, pearson, spearman
from understandability.features import COLUMNS, batches, features_of
from understandability.models.bundle import Bundle
from understandability.models.training.labelled import LabelledTexts

# What every estimate is compared with: the eight formulas, and the ratio of the corpora.
BASELINES = (
    "ari",
    "coleman_liau",
    "dale_chall",
    "flesch_kincaid",
    "flesch_reading_ease",
    "gunning_fog",
    "lix",
    "smog",
    "log_likelihood_pubmed_reddit",
)
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
    """One labelled set: the bundle and the baselines against the labels, and P(U|d).

    `left_out` are the ids of records by why they tell nothing. `chances` has Brier score,
    calibration error and ROC AUC at the threshold; none where the labels are only ranks.
    """

    set: str
    records: int
    left_out: Mapping[str, tuple[str, ...]]
    agreements: tuple[Agreement, ...]
    chances: Mapping[str, float]


def agreement(name: str, values: Floats, labels: Floats, *, random_state: int = 0) -> Agreement:
    """Correlations of a score with labels, with intervals from 200 resamples of the records."""
    known = np.isfinite(values) & np.isfinite(labels)
    values, labels = values[known], labels[known]
    rng = np.random.default_rng(random_state)
    samples = [rng.integers(0, len(values), len(values)) for _ in range(_RESAMPLES)]
    resampled = [correlations(values[sample], labels[sample]) for sample in samples]
    intervals = {}
    for measure in CORRELATIONS:
        low, high = np.nanpercentile([each[measure] for each in resampled], [2.5, 97.5])
        intervals[measure] = (float(low), float(high))
    return Agreement(name, len(values), correlations(values, labels), intervals)


def validate(
    bundle: Bundle, texts: LabelledTexts, *, threshold: float = 40.0, random_state: int = 0
) -> Validation:
    """Estimate a labelled set, and compare estimates and baselines with its labels.

    Estimates are those of the bundle as it is: of texts that it was trained on they say nothing.
    Baselines are turned so that higher is harder.
    """
    difficulty, raw, chance, formulas = [], [], [], []
    for batch in batches(texts.documents):
        estimates = bundle.estimate(batch, threshold=threshold)
        difficulty += [estimate.difficulty for estimate in estimates]
        raw += [estimate.raw for estimate in estimates]
        chance += [estimate.p_understandable for estimate in estimates]
        formulas.append(features_of(batch, BASELINES).values)
    values, chances = np.array(difficulty), np.array(chance)
    columns = np.concatenate([np.empty((0, len(BASELINES))), *formulas])
    left_out = {reason: tuple(docnos) for reason, docnos in texts.unusable.items()}
    for reason, where in (
        ("no label", np.isnan(texts.labels)),
        ("no estimate", np.isnan(values)),
    ):
        if where.any():
            left_out[reason] = tuple(compress(texts.docnos, where))
    rows = [(bundle.name, values), (f"{bundle.name}, raw output", np.array(raw))] + [
        (name, column * (COLUMNS[name][0].direction or Direction.HARDER).sign)
        for name, column in zip(BASELINES, columns.T, strict=True)
    ]
    return Validation(
        texts.source.name,
        len(texts.documents),
        MappingProxyType(left_out),
        tuple(
            agreement(name, column, texts.labels, random_state=random_state)
            for name, column in rows
        ),
        _chances(chances, texts, threshold),
    )


def _chances(chances: Floats, texts: LabelledTexts, threshold: float) -> Mapping[str, float]:
    known = np.isfinite(chances) & np.isfinite(texts.labels)
    if texts.source.scale == "rank" or not known.any():
        return {}
    truth = texts.difficulties[known] < threshold
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
