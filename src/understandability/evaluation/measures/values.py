"""Measures as array arithmetic over the labelled documents of a ranking.

Every measure is a sum of gains times discounts (Zuccon 2016), or the cascade of ERR, over the
documents that carry a label; all others gain nothing. One value for each query of the qrels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.evaluation.joined import Judged, Judgements
from understandability.evaluation.measures.bases import RELEVANCE, Measure

_HIGHEST_EXPONENT = 1000.0  # 2 to the power of 1024 is no float


def score(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    """The value of a measure for each query of the qrels.

    0 for a query that the run lacks, or that has no relevant document.
    """
    if measure.base == "residual":
        return _residual(measure, judgements, judged)
    if measure.parts or measure.form == "H":
        components = measure.components()
        values = [score(part, judgements, judged) for part, _ in components]
        return harmonic(np.array(values), np.array([weight for _, weight in components]))
    if measure.base == "Judged":
        return _judged_share(measure, judged)
    if measure.get("judged_only", judgements.conventions):
        judged = judged.condensed(measure.dimensions)
    return _SCORES[measure.base](measure, judgements, judged)


def harmonic(values: Floats, weights: Floats) -> Floats:
    """The weighted harmonic mean down the first axis, 0 where a part is 0.

    >>> harmonic(np.array([[1.0, 1.0], [0.5, 0.0]]), np.array([1.0, 1.0])).round(3).tolist()
    [0.667, 0.0]
    """
    positive = (values > 0).all(axis=0)
    safe = np.where(positive, values, 1.0)
    column = weights.reshape(-1, *[1] * (values.ndim - 1))
    return np.where(positive, weights.sum() / (column / safe).sum(axis=0), 0.0)


def gain(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    """The gain of each labelled document, 0 where a label that the measure needs is missing."""
    others = [name for name in measure.dimensions if name != RELEVANCE]
    product = np.ones(len(judged.query))
    for name in others:
        product *= judgements.gains(measure, name, judged)
    if measure.form == "DIM":
        value = product
    elif measure.form == "u" and measure.get("joint", judgements.conventions):
        value = _relevance_gain(measure, judgements, judgements.grades(judged) * product)
    else:
        value = _relevance_gain(measure, judgements, judgements.grades(judged)) * product
    return np.where(judged.known(measure.dimensions), value, 0.0)


def largest_gain(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    """The gain of each document, of one that lacks labels the most that its other labels allow."""
    largest = np.ones(len(judged.query))
    for name in measure.dimensions:
        known = judged.known((name,))
        if name == RELEVANCE:
            own = _relevance_gain(measure, judgements, judgements.grades(judged))
        else:
            own = judgements.gains(measure, name, judged)
        largest *= np.where(known, own, 1.0)
    known = judged.known(measure.dimensions)
    return np.where(known, gain(measure, judgements, judged), largest)


def _relevance_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    """f(T): what a grade of relevance gains under the measure."""
    conventions = judgements.conventions
    if measure.base == "nDCG":
        if measure.get("dcg", conventions) == "log2":
            return grades
        _check_grades(measure, judgements, _HIGHEST_EXPONENT, "choose dcg=log2, or correct")
        return _exp2(grades) - 1
    if measure.base == "RBP" and not measure.get("graded", conventions):
        return np.asarray(grades >= measure.get("rel", conventions), dtype=np.float64)
    highest = float(measure.get("max", conventions))
    _check_grades(measure, judgements, highest, "correct max or")
    if measure.base == "RBP":
        return grades / highest
    return _exp2(grades - highest) - float(2.0**-highest)  # (2^grade - 1) / 2^highest


def _check_grades(measure: Measure, judgements: Judgements, highest: float, mend: str) -> None:
    above = judgements.qrels.values > highest
    if above.any():
        line = int(np.argmax(above))
        raise InputError(
            f"{judgements.qrels.where(line)}: label {judgements.qrels.values[line]:g} is above "
            f"the highest grade {highest:g} of {measure}; {mend} the qrels"
        )


def _exp2(grades: Floats) -> Floats:
    doubled: Floats = np.exp2(grades)
    return doubled


def _within(measure: Measure, judged: Judged) -> NDArray[np.bool_]:
    """Which documents stand above the cut-off."""
    if measure.cutoff is None:
        return np.ones(len(judged.query), dtype=bool)
    return judged.position < measure.cutoff


def _sums(judged: Judged, values: Floats) -> Floats:
    """The sum of some values of the documents for each query."""
    sums = np.bincount(judged.query, weights=values, minlength=len(judged.returned))
    return sums.astype(np.float64, copy=False)


def _rbp(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    gains = np.where(_within(measure, judged), gain(measure, judgements, judged), 0.0)
    return _sums(judged, gains * _rbp_discount(measure, judgements, judged))


def _rbp_discount(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    p: float = measure.get("p", judgements.conventions)
    return np.asarray((1 - p) * np.power(p, judged.position.astype(np.float64)))


def _ndcg(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    dcg = _dcg(measure, judged, gain(measure, judgements, judged))
    by_relevance = (
        measure.form == "u" and measure.get("ideal", judgements.conventions) == "relevance"
    )
    stated = tuple(pair for pair in measure.stated if pair[0] == "dcg")
    ideal = Measure("nDCG", "", stated=stated, cutoff=measure.cutoff) if by_relevance else measure
    best = _ideal_dcg(ideal, judgements)
    return np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 0)


def _dcg(measure: Measure, judged: Judged, gains: Floats) -> Floats:
    gains = np.where(_within(measure, judged), gains, 0.0)
    return _sums(judged, gains / np.log2(judged.position + 2.0))


def _ideal_dcg(measure: Measure, judgements: Judgements) -> Floats:
    """The highest DCG that the documents of the qrels allow, for each query."""
    if measure not in judgements.ideal:
        pool = judgements.pool
        gains = gain(measure, judgements, pool)
        best_first = np.lexsort((-gains, pool.query))
        judgements.ideal[measure] = _dcg(measure, pool, gains[best_first])
    return judgements.ideal[measure]


def _err(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    stop: Floats = np.where(_within(measure, judged), gain(measure, judgements, judged), 0.0)
    if measure.get("form", judgements.conventions) == "cascade":
        stop = np.multiply(stop, _product_before(judged, 1 - stop))
    return _sums(judged, stop / (judged.position + 1))


def _product_before(judged: Judged, factors: Floats) -> Floats:
    """For each document the product of the factors of those above it in its query."""
    counts = np.bincount(judged.query, minlength=len(judged.returned))
    starts = np.cumsum(counts) - counts
    place = np.arange(len(factors)) - starts[judged.query]
    table = np.ones((len(counts), int(counts.max(initial=0)) + 1))
    table[judged.query, place + 1] = factors
    products: Floats = np.multiply.accumulate(table, axis=1)
    return products[judged.query, place]


def _judged_share(measure: Measure, judged: Judged) -> Floats:
    known = judged.known(measure.dimensions) & _within(measure, judged)
    count = _sums(judged, known.astype(np.float64))
    shown = judged.returned.astype(np.float64)
    if measure.cutoff is not None:
        shown = np.minimum(shown, measure.cutoff)
    return np.divide(count, shown, out=np.zeros_like(count), where=shown > 0)


def _residual(measure: Measure, judgements: Judgements, judged: Judged) -> Floats:
    part = measure.parts[0]
    if part.get("judged_only", judgements.conventions):
        judged = judged.condensed(part.dimensions)
    p: float = part.get("p", judgements.conventions)
    known = judged.known(part.dimensions) & _within(part, judged)
    of_known = _sums(judged, np.where(known, _rbp_discount(part, judgements, judged), 0.0))
    shown = judged.returned.astype(np.float64)
    if part.cutoff is not None:
        shown = np.minimum(shown, part.cutoff)
    if measure.get("tail", judgements.conventions):
        return 1 - of_known
    complete = _sums(judged, known.astype(np.float64)) == shown
    return np.where(complete, 0.0, 1 - np.power(p, shown) - of_known)


_SCORES: Mapping[str, Callable[[Measure, Judgements, Judged], Floats]] = MappingProxyType(
    {"RBP": _rbp, "nDCG": _ndcg, "ERR": _err}
)
