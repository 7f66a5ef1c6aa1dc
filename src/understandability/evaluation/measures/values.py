"""Measures as array arithmetic over the labelled documents of a ranking.

Each is a sum of gains times discounts (Zuccon 2016), or the cascade of ERR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.distributions import trigamma
from understandability.evaluation.judgements import Judgements, Ranked
from understandability.evaluation.measures.bases import OF_LABELS, RELEVANCE, Measure
from understandability.evaluation.measures.parameters import DISCOUNTS
from understandability.evaluation.scales import refuse
from understandability.inputs.run import ranks_of

RATES = ("RBP", "INST", "CWL")  # mean gains, each between 0 and 1
_DEEPEST = 1000  # ranks that a discount by name has without a cut-off
_HIGHEST_EXPONENT = 1000.0  # 2 to the power of 1024 is no float


def values_of(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """The value of a measure for each query of the qrels; 0 where nothing is relevant."""
    if measure.base == "residual":
        return _residual(measure, judgements, ranked)
    if measure.parts or measure.form == "H":
        parts, weights = zip(*measure.components(), strict=True)
        values = [values_of(part, judgements, ranked) for part in parts]
        return harmonic_mean(np.array(values), np.array(weights))
    if measure.base in OF_LABELS:
        return (_judged_share if measure.base == "Judged" else _pool_depth)(measure, ranked)
    if measure.get("judged_only", judgements.conventions):
        ranked = ranked.condensed(measure.dimensions)
    return _VALUES[measure.base](measure, judgements, ranked)


def harmonic_mean(values: Floats, weights: Floats) -> Floats:
    """The weighted harmonic mean down the first axis, 0 where a part is 0."""
    positive = (values > 0).all(axis=0)
    safe = np.where(positive, values, 1.0)
    column = weights.reshape(-1, *[1] * (values.ndim - 1))
    return np.where(positive, weights.sum() / (column / safe).sum(axis=0), 0.0)


def gain(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """The gain of each labelled document, 0 where a label that the measure needs is missing."""
    product = np.ones(len(ranked.query))
    for name in measure.dimensions:
        if name != RELEVANCE:
            product *= judgements.gains(measure, name, ranked)
    if measure.form == "DIM":
        value = product
    elif measure.form == "u" and measure.get("joint", judgements.conventions):
        value = _relevance_gain(measure, judgements, judgements.grades(ranked) * product)
    else:
        value = _relevance_gain(measure, judgements, judgements.grades(ranked)) * product
    return np.where(ranked.known(measure.dimensions), value, 0.0)


def largest_gain(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """The gain of each document; of one that lacks labels, the most that its others allow."""
    largest = np.ones(len(ranked.query))
    for name in measure.dimensions:
        if name == RELEVANCE:
            own = _relevance_gain(measure, judgements, judgements.grades(ranked))
        else:
            own = judgements.gains(measure, name, ranked)
        largest *= np.where(ranked.known((name,)), own, 1.0)
    known = ranked.known(measure.dimensions)
    return np.where(known, gain(measure, judgements, ranked), largest)


def discount(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """The weight that RBP gives to the position of each document, 0 below the cut-off."""
    p: float = measure.get("p", judgements.conventions)
    weights = (1 - p) * np.power(p, ranked.position.astype(np.float64))
    return np.where(_above_cut(measure, ranked), weights, 0.0)


def _relevance_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    """f(T): the gain that the measure makes of a grade of relevance."""
    conventions = judgements.conventions
    if measure.base == "nDCG":
        if measure.get("dcg", conventions) == "log2":
            return grades
        _check_grades(measure, judgements, _HIGHEST_EXPONENT, "choose dcg=log2, or correct")
        return np.asarray(np.exp2(grades) - 1)
    if measure.base in RATES and not measure.get("graded", conventions):
        return np.asarray(grades >= measure.get("rel", conventions), dtype=np.float64)
    highest = float(measure.get("max", conventions))
    _check_grades(measure, judgements, highest, "correct max or")
    if measure.base in RATES:
        return grades / highest
    return np.asarray(np.exp2(grades - highest) - 2.0**-highest)  # (2^grade - 1) / 2^highest


def _check_grades(measure: Measure, judgements: Judgements, highest: float, mend: str) -> None:
    why = f"is above the highest grade {highest:g} of {measure}; {mend} the qrels"
    refuse(judgements.qrels, judgements.qrels.values > highest, why)


def _above_cut(measure: Measure, ranked: Ranked) -> NDArray[np.bool_]:
    return np.asarray(ranked.position < (measure.cutoff or np.inf))


def _shown(measure: Measure, ranked: Ranked) -> Floats:
    """How many documents of each query stand above the cut-off, labelled or not."""
    return np.minimum(ranked.returned.astype(np.float64), measure.cutoff or np.inf)


def _rbp(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    gains = gain(measure, judgements, ranked)
    return ranked.sums(gains * discount(measure, judgements, ranked))


def _cwl(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    chosen = measure.get("discount", judgements.conventions)
    if isinstance(chosen, str):
        chosen = DISCOUNTS[chosen](np.arange(1.0, (measure.cutoff or _DEEPEST) + 1))
    weights = np.append(np.array(chosen) / np.sum(chosen), 0.0)
    gains = np.where(_above_cut(measure, ranked), gain(measure, judgements, ranked), 0.0)
    return ranked.sums(gains * weights[np.minimum(ranked.position, len(weights) - 1)])


def _inst(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """The weights between two labelled documents telescope, and so do those below the last.

    A user at rank i who still misses m of T goes on with the chance ((i + T + m - 1) / (i + T +
    m))^2, so the weight of rank i goes as 1 / (i + T + m - 1)^2 while m stays what it is.
    """
    wanted: float = measure.get("T", judgements.conventions)
    gains = np.where(_above_cut(measure, ranked), gain(measure, judgements, ranked), 0.0)
    values = np.zeros(len(ranked.returned))
    starts = np.searchsorted(ranked.query, np.arange(len(values) + 1))
    for query, (start, end) in enumerate(pairwise(starts.tolist())):
        lines = start + np.flatnonzero(gains[start:end])
        found = total = value = 0.0
        rank, weight, shift = 1.0, 1.0, 2 * wanted - 1  # of the next rank; T + m - 1
        for at, own in zip(ranked.position[lines] + 1.0, gains[lines], strict=True):
            scale = weight * (rank + shift) ** 2
            weight = scale / (at + shift) ** 2
            total += scale * (trigamma(rank + shift) - trigamma(at + shift)) + weight
            value, found = value + weight * own, found + own
            shift, rank = 2 * wanted - found - 1, at + 1
            weight *= ((at + shift) / (rank + shift)) ** 2
        total += weight * (rank + shift) ** 2 * trigamma(rank + shift)
        values[query] = value / total
    return values


def _ndcg(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    dcg = _dcg(measure, ranked, gain(measure, judgements, ranked))
    ideal = measure
    if measure.form == "u" and measure.get("ideal", judgements.conventions) == "relevance":
        stated = tuple(pair for pair in measure.stated if pair[0] == "dcg")
        ideal = Measure("nDCG", "", stated=stated, cutoff=measure.cutoff)
    best = _ideal_dcg(ideal, judgements)
    return np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 0)


def _dcg(measure: Measure, ranked: Ranked, gains: Floats) -> Floats:
    gains = np.where(_above_cut(measure, ranked), gains, 0.0)
    return ranked.sums(gains / np.log2(ranked.position + 2.0))


def _ideal_dcg(measure: Measure, judgements: Judgements) -> Floats:
    """The highest DCG that the documents of the qrels allow, for each query."""
    if measure not in judgements.ideal:
        pool = judgements.pool
        gains = gain(measure, judgements, pool)
        best_first = np.lexsort((-gains, pool.query))
        judgements.ideal[measure] = _dcg(measure, pool, gains[best_first])
    return judgements.ideal[measure]


def _err(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    stop = np.where(_above_cut(measure, ranked), gain(measure, judgements, ranked), 0.0)
    if measure.get("form", judgements.conventions) == "cascade":
        stop = stop * _product_before(ranked, 1 - stop)
    return ranked.sums(stop / (ranked.position + 1))


def _product_before(ranked: Ranked, factors: Floats) -> Floats:
    """For each document the product of the factors of those above it in its query."""
    rank = ranks_of(ranked.query)
    table = np.ones((len(ranked.returned), int(rank.max(initial=0)) + 1))
    table[ranked.query, rank] = factors
    products: Floats = np.multiply.accumulate(table, axis=1)
    return products[ranked.query, rank - 1]


def _judged_share(measure: Measure, ranked: Ranked) -> Floats:
    known = ranked.known(measure.dimensions) & _above_cut(measure, ranked)
    count, shown = ranked.sums(known.astype(np.float64)), _shown(measure, ranked)
    return np.divide(count, shown, out=np.zeros_like(count), where=shown > 0)


def _pool_depth(measure: Measure, ranked: Ranked) -> Floats:
    kept = ranked.only(ranked.known(measure.dimensions) & _above_cut(measure, ranked))
    without_gap = Ranked.of(kept.query, len(kept.returned), kept.found).position
    return kept.sums((kept.position == without_gap).astype(np.float64))


def _residual(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    [part] = measure.parts
    if part.get("judged_only", judgements.conventions):
        ranked = ranked.condensed(part.dimensions)
    known = ranked.known(part.dimensions) & _above_cut(part, ranked)
    of_known = ranked.sums(np.where(known, discount(part, judgements, ranked), 0.0))
    if measure.get("tail", judgements.conventions):
        return 1 - of_known
    shown = _shown(part, ranked)
    complete = ranked.sums(known.astype(np.float64)) == shown
    p: float = part.get("p", judgements.conventions)
    return np.where(complete, 0.0, 1 - np.power(p, shown) - of_known)


_VALUES: Mapping[str, Callable[[Measure, Judgements, Ranked], Floats]] = {
    "RBP": _rbp,
    "INST": _inst,
    "CWL": _cwl,
    "nDCG": _ndcg,
    "ERR": _err,
}
