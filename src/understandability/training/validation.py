"""How well estimates agree with labels: correlation with intervals, and P(U|d) at a threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.distributions import ranks
from understandability.errors import OptionError
from understandability.evaluation.correlation import kendall_tau_b, pearson, spearman
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of
from understandability.model.bundle import Bundle, Estimate, load_bundle
from understandability.model.readers import probability
from understandability.prompt import AtPrompt
from understandability.text.document import Document
from understandability.training.labelled import LabelColumns, LabelledTexts, read_sets

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The eight formulas of Palotti, Zuccon & Hanbury (2019).
EIGHT_FORMULAS = (
    "ari", "coleman_liau", "dale_chall", "flesch_kincaid", "flesch_reading_ease", "gunning_fog",
    "lix", "smog",
)  # fmt: skip
# What every estimate is compared with: these, and the ratio of the corpora.
BASELINES = (*EIGHT_FORMULAS, "log_likelihood_pubmed_reddit")
_BINS = 10
_RESAMPLES = 200


def roc_auc(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """How often a text that is understood has a higher chance than one that is not.

    >>> roc_auc(np.array([0.9, 0.8, 0.1]), np.array([True, False, False]))
    1.0
    """
    understood, others = int(truth.sum()), int((~truth).sum())
    if not understood or not others:
        return math.nan
    pairs = float(ranks(chances)[truth].sum()) - understood * (understood + 1) / 2
    return pairs / (understood * others)


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


CORRELATIONS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_tau_b,
}


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

    def in_words(self, digits: int = 3) -> list[str]:
        """Each correlation with its interval in brackets."""
        return [
            f"{self.correlations[name]:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
            for name, (low, high) in self.intervals.items()
        ]


@dataclass(frozen=True, slots=True)
class Validation:
    """One labelled set: scores against its labels, and P(U|d).

    `groups` is how many groups of texts there are, by which the intervals are resampled.
    `left_out` are the ids of records by why they tell nothing. `chances` has Brier score,
    calibration error and ROC AUC at the threshold; none where the labels are only ranks.
    `remarks` are sentences on what the figures do not say, `guessed` one on the column of texts.
    """

    set: str
    records: int
    groups: int
    left_out: Mapping[str, tuple[str, ...]]
    agreements: tuple[Agreement, ...]
    chances: Mapping[str, float]
    remarks: tuple[str, ...] = ()
    guessed: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The figures as plain data, for JSON."""
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
                    **row.correlations,
                    "intervals": {name: list(ends) for name, ends in row.intervals.items()},
                }
                for row in self.agreements
            ],
            "p_understandable": dict(self.chances),
        }


@dataclass(frozen=True, repr=False)
class Validated(Tabular):
    """How scores agree with the labels of one or more `sets`: a table with a row for each score.

    `settings` are the model, its scale and the threshold, where one model was judged.
    """

    sets: tuple[Validation, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each row: set, score, n, correlations and their 95 % intervals."""
        for each in self.sets:
            for row in each.agreements:
                ends = {
                    f"{name}_{end}": value
                    for name, interval in row.intervals.items()
                    for end, value in zip(("low", "high"), interval, strict=True)
                }
                start = {"set": each.set, "score": row.name, "n": row.scored}
                yield {**start, **row.correlations, **ends}

    def as_dict(self) -> dict[str, Any]:
        """All there is as plain data, for JSON."""
        return {"settings": dict(self.settings), "sets": [each.as_dict() for each in self.sets]}

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self))

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, where pandas is installed."""
        return self.to_arrow().to_pandas()

    def table(self, *, digits: int = 3) -> ResultTable:
        """A table for a paper: one row for each score, each correlation with its interval."""
        rows = tuple(
            (each.set, row.name, row.scored, *row.in_words(digits))
            for each in self.sets
            for row in each.agreements
        )
        return ResultTable(
            ("set", "score", "texts", *(name.capitalize() for name in CORRELATIONS)),
            rows,
            note="Correlations with the labels; in brackets 95 % intervals by resampling groups.",
        )


def rounded(row: Mapping[str, Any], digits: int = 3) -> dict[str, Any]:
    """A row of figures as a card has it."""
    return {key: round(x, digits) if isinstance(x, float) else x for key, x in row.items()}


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


def folds_of(groups: NDArray[Any], folds: int, random_state: int) -> NDArray[np.int64]:
    """The fold of each row; rows of one group are in one fold, groups are dealt out evenly.

    >>> folds_of(np.array([3, 3, 5, 9]), 3, 0).tolist()
    [2, 2, 0, 1]
    """
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(random_state).permutation(np.arange(len(distinct)) % folds)
    return np.asarray(dealt[number], np.int64)


def interval(resampled: Sequence[float] | Floats) -> tuple[float, float]:
    """Between which ends 95 % of the figures of samples lie."""
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
    intervals = {
        measure: interval([each[measure] for each in resampled]) for measure in CORRELATIONS
    }
    return Agreement(name, len(values), correlations(values, labels), intervals)


def comparisons(
    bundle: Bundle, documents: Iterable[Document]
) -> tuple[dict[str, Floats], list[tuple[str, Floats]]]:
    """What a bundle estimates of documents, by the names of `Estimate`, and beside it `BASELINES`.

    Baselines are turned so that higher is harder.
    """
    estimates: list[Estimate] = []
    formulas = [np.empty((0, len(BASELINES)))]
    for batch in batches(documents):
        estimates += bundle.estimate(batch)
        formulas.append(features_of(batch, BASELINES).values)
    numbers = {
        name: np.array([getattr(each, name) for each in estimates])
        for name in ("difficulty", "spread", "raw", "level", "level_error")
    }
    signs = [(COLUMNS[name][0].direction or Direction.HARDER).sign for name in BASELINES]
    baselines = (np.concatenate(formulas) * signs).T
    return numbers, list(zip(BASELINES, baselines, strict=True))


def validate(
    bundle: Annotated[Bundle | str | Path, AtPrompt(str)],
    labels: Annotated[Any, AtPrompt(list[str], value="LABELS...")],
    *,
    threshold: float = 40.0,
    **columns: Annotated[Any, AtPrompt((LabelColumns,))],
) -> Validated:
    """Compare a bundle, the eight formulas and the corpus ratio with labels of texts.

    Correlations come with 95 % intervals, by groups of texts; where labels are difficulties (cefr,
    difficulty), P(U|d) is judged at the threshold by Brier score, calibration error and ROC AUC.
    Use texts that the bundle was not trained on.

    Example: understand validate open judged.csv --label-column rating --direction harder

    In Python, `labels` are those of `train`, and `columns` fields of `LabelColumns`. Formulas are
    turned so that higher is harder.

    Args:
        bundle: Name or folder of a bundle.
        labels: Labelled texts: FILE[:COLUMN][:harder|easier], with the scales of the --labels of
            `understand train judged`.
        threshold: The difficulty below which the reader understands.

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
    sets = []
    for texts in read_sets(labels, LabelColumns(**columns)):
        found, baselines = comparisons(model, texts.documents)
        has_levels = np.isfinite(found["level"]).any()
        name, other = ("level", "level") if has_levels else ("raw output", "raw")
        scores = [(model.name, found["difficulty"]), (f"{model.name}, {name}", found[other])]
        chances = _chances(model, found, texts, threshold)
        remarks = _trained_on(model, texts)
        if texts.columns.scale == "cefr" and model.assessors:
            level, scale = model.assessors.level_of(threshold), model.assessors.scale
            remarks += (
                f"labels are levels, so P(U|d) is the chance of a level below {level:.2f}, which "
                f"has the difficulty {threshold:g} on {scale}",
            )
        sets.append(compared(texts, [*scores, *baselines], chances, remarks=remarks))
    settings = {"model": model.label, "scale": model.scale, "threshold": threshold}
    return Validated(tuple(sets), settings)


def _trained_on(bundle: Bundle, texts: LabelledTexts) -> tuple[str, ...]:
    """A remark where the card of the bundle says that it learned from these texts.

    By their checksum, or, of a set without one, by its name.
    """
    training = bundle.card.get("training")
    entries = training if isinstance(training, list) else []
    for each in entries:
        checksum = each.get("texts_sha256") if isinstance(each, Mapping) else ""
        if checksum and checksum == texts.checksum:
            named = "these very texts"
        elif checksum is None and each.get("name") == texts.name:
            named = f"a set called {texts.name}"
        else:
            continue
        return (
            f"{bundle.name} was trained on {named}: its figures here say nothing about "
            "others; those out of fold are in its card (`understand bundle show`)",
        )
    return ()


def compared(
    texts: LabelledTexts,
    scores: Sequence[tuple[str, Floats]],
    chances: Mapping[str, float] = MappingProxyType({}),
    *,
    random_state: int = 0,
    remarks: tuple[str, ...] = (),
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
        texts.name,
        len(texts.docnos),
        len(set(texts.groups)),
        left_out,
        tuple(
            agreement(name, values, texts.labels, texts.groups, random_state=random_state)
            for name, values in scores
        ),
        chances,
        remarks,
        texts.guessed,
    )


def _chances(
    bundle: Bundle, found: Mapping[str, Floats], texts: LabelledTexts, threshold: float
) -> Mapping[str, float]:
    """How well the chance of a label below the threshold is told; nothing where labels are ranks.

    Labels that are levels are compared with the level, and its error: the threshold, a difficulty
    on the scale of 2016, stands for the level that has it.
    """
    if texts.columns.scale == "rank":
        return {}
    labels, estimates, errors = texts.targets, found["difficulty"], found["spread"]
    if texts.columns.scale == "cefr" and bundle.assessors:
        threshold = bundle.assessors.level_of(threshold)
        labels, estimates, errors = texts.labels, found["level"], found["level_error"]
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
