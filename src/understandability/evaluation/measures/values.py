"""Measures as array arithmetic over the labelled documents of a ranking.

Each base measure has two functions here. The first turns grades of relevance into gains per
document. The second turns the gains of a ranking into one number per query: a sum of gains times
discounts (Zuccon 2016), or the cascade of ERR.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.distributions import trigamma
from understandability.errors import OptionError
from understandability.evaluation.judgements import Judgements, Ranked
from understandability.evaluation.measures.measure import RELEVANCE, Base, Measure
from understandability.evaluation.measures.parameters import DISCOUNTS
from understandability.evaluation.scales import refuse
from understandability.inputs.run import ranks_of

_RANKS_OF_A_NAMED_DISCOUNT = 1000  # without a cut-off
_HIGHEST_EXPONENT = 1000.0  # 2 to the power of 1024 overflows


def values_of(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute a measure for each query of the qrels; 0 where nothing is relevant."""
    if measure.form == "H":
        return harmonic(measure, judgements, ranked)
    has_gains = isinstance(measure.row, Base) and measure.row.gain is not None
    if has_gains and measure.get("judged_only", judgements.conventions):
        ranked = ranked.condensed(measure.dimensions)
    return measure.row.value(measure, judgements, ranked)


def harmonic(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute the weighted harmonic mean of a measure's components for each query."""
    parts, weights = zip(*measure.components(), strict=True)
    values = [values_of(part, judgements, ranked) for part in parts]
    return harmonic_mean(np.array(values), np.array(weights))


def harmonic_mean(values: Floats, weights: Floats) -> Floats:
    """Return the weighted harmonic mean along the first axis; 0 where a component is 0."""
    positive = (values > 0).all(axis=0)
    safe = np.where(positive, values, 1.0)
    column = weights.reshape(-1, *[1] * (values.ndim - 1))
    return np.where(positive, weights.sum() / (column / safe).sum(axis=0), 0.0)


def gain(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Return the gain of each labelled document; 0 if it lacks a label that the measure needs."""
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
    return np.where(ranked.labelled_in(measure.dimensions), value, 0.0)


def largest_gain(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Return the highest gain that each document can have, given the labels that it has."""
    largest = np.ones(len(ranked.query))
    for name in measure.dimensions:
        if name == RELEVANCE:
            own = _relevance_gain(measure, judgements, judgements.grades(ranked))
        else:
            own = judgements.gains(measure, name, ranked)
        largest *= np.where(ranked.labelled_in((name,)), own, 1.0)
    is_labelled = ranked.labelled_in(measure.dimensions)
    return np.where(is_labelled, gain(measure, judgements, ranked), largest)


def discount(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Return the weight in RBP of each document's position; 0 below the cut-off."""
    p: float = measure.get("p", judgements.conventions)
    weights = (1 - p) * np.power(p, ranked.position.astype(np.float64))
    return np.where(_above_cutoff(measure, ranked), weights, 0.0)


# Gains: f(T) for grades T of relevance.


def share_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    """Return 1 for a relevant document and 0 for others; if graded, grade / highest grade."""
    conventions = judgements.conventions
    if not measure.get("graded", conventions):
        return np.asarray(grades >= measure.get("rel", conventions), dtype=np.float64)
    highest = float(measure.get("max", conventions))
    _check_grades(measure, judgements, highest, "correct max or")
    return grades / highest


def dcg_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    """Return the gain of nDCG: the grade (for log2), or 2^grade - 1 (for exp-log2)."""
    if measure.get("dcg", judgements.conventions) == "log2":
        return grades
    _check_grades(measure, judgements, _HIGHEST_EXPONENT, "choose dcg=log2, or correct")
    return np.asarray(np.exp2(grades) - 1)


def stop_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    """Return the probability that a document satisfies a reader: (2^grade - 1) / 2^highest."""
    highest = float(measure.get("max", judgements.conventions))
    _check_grades(measure, judgements, highest, "correct max or")
    return np.asarray(np.exp2(grades - highest) - 2.0**-highest)


def _relevance_gain(measure: Measure, judgements: Judgements, grades: Floats) -> Floats:
    if not isinstance(measure.row, Base) or measure.row.gain is None:
        raise OptionError(f"{measure} has no gains: it is computed from whether labels exist")
    return measure.row.gain(measure, judgements, grades)


def _check_grades(measure: Measure, judgements: Judgements, highest: float, remedy: str) -> None:
    why = f"is above the highest grade {highest:g} of {measure}; {remedy} the qrels"
    refuse(judgements.qrels, judgements.qrels.values > highest, why)


def _above_cutoff(measure: Measure, ranked: Ranked) -> NDArray[np.bool_]:
    return np.asarray(ranked.position < (measure.cutoff or np.inf))


def _depth(measure: Measure, ranked: Ranked) -> Floats:
    """Return the number of documents above the cut-off, labelled or not, for each query."""
    return np.minimum(ranked.returned.astype(np.float64), measure.cutoff or np.inf)


# Values: one number per query.


def rbp(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute rank-biased precision for each query."""
    gains = gain(measure, judgements, ranked)
    return ranked.sums(gains * discount(measure, judgements, ranked))


def cwl(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute the mean gain for each query, weighted by a named discount or a list of weights."""
    weights = measure.get("discount", judgements.conventions)
    if isinstance(weights, str):
        ranks = np.arange(1.0, (measure.cutoff or _RANKS_OF_A_NAMED_DISCOUNT) + 1)
        weights = DISCOUNTS[weights](ranks)
    shares = np.append(np.array(weights) / np.sum(weights), 0.0)  # 0 for all later ranks
    gains = np.where(_above_cutoff(measure, ranked), gain(measure, judgements, ranked), 0.0)
    return ranked.sums(gains * shares[np.minimum(ranked.position, len(shares) - 1)])


def inst(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute INST for each query.

    A user at rank i who expects T relevant documents and still misses m of them continues with
    probability ((i + T + m - 1) / (i + T + m))^2. So the weight of rank i is proportional to 1 / (i
    + T + m - 1)^2 as long as m does not change. The sum of the weights between two labelled
    documents telescopes, and so does the sum after the last one.
    """
    target: float = measure.get("T", judgements.conventions)
    gains = np.where(_above_cutoff(measure, ranked), gain(measure, judgements, ranked), 0.0)
    values = np.zeros(len(ranked.returned))
    starts = np.searchsorted(ranked.query, np.arange(len(values) + 1))
    for query, (start, end) in enumerate(pairwise(starts.tolist())):
        lines = start + np.flatnonzero(gains[start:end])
        gained = total = value = 0.0
        rank = 1.0  # the next rank
        weight = 1.0  # of the next rank
        shift = 2 * target - 1  # T + m - 1
        for gain_rank, own in zip(ranked.position[lines] + 1.0, gains[lines], strict=True):
            scale = weight * (rank + shift) ** 2
            weight = scale / (gain_rank + shift) ** 2
            total += scale * (trigamma(rank + shift) - trigamma(gain_rank + shift)) + weight
            value += weight * own
            gained += own
            shift = 2 * target - gained - 1
            rank = gain_rank + 1
            weight *= ((gain_rank + shift) / (rank + shift)) ** 2
        total += weight * (rank + shift) ** 2 * trigamma(rank + shift)
        values[query] = value / total
    return values


def ndcg(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute discounted cumulative gain divided by the gain of the ideal ranking, for each
    query.
    """
    dcg = _dcg(measure, ranked, gain(measure, judgements, ranked))
    ideal = measure
    if measure.form == "u" and measure.get("ideal", judgements.conventions) == "relevance":
        stated = tuple(pair for pair in measure.stated if pair[0] == "dcg")
        ideal = Measure(measure.row, stated=stated, cutoff=measure.cutoff)
    best = _ideal_dcg(ideal, judgements)
    return np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 0)


def _dcg(measure: Measure, ranked: Ranked, gains: Floats) -> Floats:
    gains = np.where(_above_cutoff(measure, ranked), gains, 0.0)
    return ranked.sums(gains / np.log2(ranked.position + 2.0))


def _ideal_dcg(measure: Measure, judgements: Judgements) -> Floats:
    """Compute the highest DCG that the documents of the qrels allow, for each query."""
    if measure not in judgements.ideal:
        pool = judgements.pool
        gains = gain(measure, judgements, pool)
        best_first = np.lexsort((-gains, pool.query))
        judgements.ideal[measure] = _dcg(measure, pool, gains[best_first])
    return judgements.ideal[measure]


def err(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute expected reciprocal rank for each query, as a cascade or as gain times discount."""
    stop = np.where(_above_cutoff(measure, ranked), gain(measure, judgements, ranked), 0.0)
    if measure.get("form", judgements.conventions) == "cascade":
        stop = stop * _product_above(ranked, 1 - stop)
    return ranked.sums(stop / (ranked.position + 1))


def _product_above(ranked: Ranked, factors: Floats) -> Floats:
    """Return, for each document, the product of the factors of all documents above it in its
    query.
    """
    rank = ranks_of(ranked.query)
    table = np.ones((len(ranked.returned), int(rank.max(initial=0)) + 1))
    table[ranked.query, rank] = factors
    products: Floats = np.multiply.accumulate(table, axis=1)
    return products[ranked.query, rank - 1]


def judged_share(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute the share of documents above the cut-off that have a label, for each query."""
    is_labelled = ranked.labelled_in(measure.dimensions) & _above_cutoff(measure, ranked)
    count, depth = ranked.sums(is_labelled.astype(np.float64)), _depth(measure, ranked)
    return np.divide(count, depth, out=np.zeros_like(count), where=depth > 0)


def pool_depth(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute the rank down to which every document has a label, for each query."""
    labelled = ranked.only(ranked.labelled_in(measure.dimensions) & _above_cutoff(measure, ranked))
    without_gap = Ranked.of(labelled.query, len(labelled.returned), labelled.lines).position
    return labelled.sums((labelled.position == without_gap).astype(np.float64))


def residual(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """Compute the RBP weight of documents without a label; with `tail`, also below the cut-off."""
    [part] = measure.parts
    if part.get("judged_only", judgements.conventions):
        ranked = ranked.condensed(part.dimensions)
    is_labelled = ranked.labelled_in(part.dimensions) & _above_cutoff(part, ranked)
    known_weight = ranked.sums(np.where(is_labelled, discount(part, judgements, ranked), 0.0))
    if measure.get("tail", judgements.conventions):
        return 1 - known_weight
    depth = _depth(part, ranked)
    is_complete = ranked.sums(is_labelled.astype(np.float64)) == depth
    p: float = part.get("p", judgements.conventions)
    return np.where(is_complete, 0.0, 1 - np.power(p, depth) - known_weight)
