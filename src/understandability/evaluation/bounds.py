"""What documents without a label could change between two runs.

A run's RBP lies between its value and that plus its residual (Moffat & Zobel 2008). Between two
runs the bounds are closer: a document that both rank has one label, so what it adds to one run it
adds to the other too, at another rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.joined import Dimension, Judgements
from understandability.evaluation.measures.bases import Measure
from understandability.evaluation.measures.names import own_measures
from understandability.evaluation.measures.values import largest_gain
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.inputs.run import Labels, Run


@dataclass(frozen=True, slots=True)
class PairBounds:
    """The mean difference of run less reference, and how far unknown labels could move it.

    `settled` says whether its sign is the same at both ends.
    """

    measure: str
    run: str
    reference: str
    difference: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether no labels could turn the order of the two."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True, repr=False)
class Bounds(Tabular):
    """The bounds of all pairs of runs."""

    rows: tuple[PairBounds, ...]

    def table(self, *, digits: int = 4) -> ResultTable:
        """A row for each measure and pair."""
        columns = ("measure", "run", "reference", "difference", "low", "high", "settled")
        rows = tuple((*astuple(row), "yes" if row.settled else "no") for row in self.rows)
        note = "settled: whatever labels the unjudged documents get, the better run stays better."
        return ResultTable(columns, rows, note=note, digits=digits)


def pair_bounds(
    runs: Iterable[Run],
    qrels: Labels,
    measures: Sequence[object],
    dimensions: Mapping[str, Dimension] | None = None,
    conventions: Conventions | None = None,
) -> Bounds:
    """The bounds of every pair of runs under RBP, uRBP and RBPu, over the queries of the qrels.

    A document of which a label is missing gains between 0 and what its other labels allow;
    documents that a run does not return are no part of it.

    >>> first = Run.of("first", {"q": [("new", 2.0), ("good", 1.0)]})
    >>> second = Run.of("second", {"q": [("good", 2.0), ("new", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q": {"good": 1}})
    >>> [row] = pair_bounds([second, first], qrels, ["RBP(p=0.5)"]).rows
    >>> (row.run, row.difference, row.low, row.high)
    ('first', -0.25, -0.25, 0.0)
    """
    parsed = own_measures(measures)
    for measure in parsed:
        if measure.base != "RBP" or measure.form == "H" or measure.parts:
            raise OptionError(f"{measure} has no bounds here: choose RBP, uRBP or RBPu")
    judgements = Judgements(qrels, dimensions or {}, conventions or Conventions())
    for measure in parsed:
        judgements.require(measure)
        if measure.get("judged_only", judgements.conventions):
            raise OptionError(f"{measure} leaves unjudged documents out: there is nothing to bound")
    listed = [_Listed(run, judgements) for run in runs]
    if len(listed) < 2:
        raise InputError("bounds are computed for pairs of runs; give at least two runs")
    rows = [
        _bounds(measure, run, reference, judgements)
        for measure in parsed
        for reference, run in combinations(listed, 2)
    ]
    return Bounds(tuple(rows))


class _Listed:
    """All documents of a run, labelled or not."""

    def __init__(self, run: Run, judgements: Judgements) -> None:
        self.name = run.name
        lines = run.line_order(judgements.conventions.order)
        self.judged, places = judgements.all_of(run, lines)
        docnos = run.docnos.to_pylist()
        documents = [docnos[document] for document in run.docno_ids[places].tolist()]
        self.keys = list(zip(self.judged.query.tolist(), documents, strict=True))

    def weights(self, measure: Measure, judgements: Judgements) -> Floats:
        p: float = measure.get("p", judgements.conventions)
        weights: Floats = (1 - p) * np.power(p, self.judged.position.astype(np.float64))
        return (
            weights if measure.cutoff is None else weights * (self.judged.position < measure.cutoff)
        )


def _bounds(
    measure: Measure, run: _Listed, reference: _Listed, judgements: Judgements
) -> PairBounds:
    numbers: dict[tuple[int, str], int] = {}
    weight, known, gains = [], np.array([], dtype=bool), np.array([])
    for listed, sign in ((run, 1.0), (reference, -1.0)):
        rows = np.array([numbers.setdefault(key, len(numbers)) for key in listed.keys], np.int64)
        weight.append((rows, sign * listed.weights(measure, judgements)))
        known = np.append(known, np.zeros(len(numbers) - len(known), dtype=bool))
        gains = np.append(gains, np.zeros(len(numbers) - len(gains)))
        known[rows] = listed.judged.known(measure.dimensions)
        gains[rows] = largest_gain(measure, judgements, listed.judged)
    difference = np.zeros(len(numbers))
    for rows, values in weight:
        difference += np.bincount(rows, values, minlength=len(numbers))
    at_most = difference * gains
    queries = len(judgements.queries)
    sure = float(at_most[known].sum()) / queries
    unknown = at_most[~known]
    return PairBounds(
        str(measure),
        run.name,
        reference.name,
        sure,
        sure + float(unknown[unknown < 0].sum()) / queries,
        sure + float(unknown[unknown > 0].sum()) / queries,
    )
