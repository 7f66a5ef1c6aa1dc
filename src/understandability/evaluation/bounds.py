"""Bound the effect that documents without a label could have on the difference of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import Choices
from understandability.evaluation.judgements import Judgements
from understandability.evaluation.measures.measure import Measure
from understandability.evaluation.measures.names import own_measures
from understandability.evaluation.measures.values import discount, largest_gain
from understandability.evaluation.options import (
    DEFAULT_MEASURES,
    EvaluationOptions,
    LabelFile,
    Labelling,
    Measures,
    Qrels,
    Runs,
)
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.unusual_input import notes_on_runs
from understandability.inputs.run import Run
from understandability.inputs.runs_and_labels import runs_of
from understandability.keywords import keywords_of


@dataclass(frozen=True, slots=True)
class PairBounds:
    """The mean difference between two runs (run minus reference), and its bounds under unknown
    labels.

    The bounds are tighter than the difference of the two residuals (Moffat & Zobel 2008).
    """

    measure: str
    run: str
    reference: str
    difference: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """True if no labels of unlabelled documents could reverse the order of the two runs."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True, repr=False)
class Bounds(Tabular):
    """The bounds for all pairs of runs; `notes` say what is unusual in labels and runs."""

    rows: tuple[PairBounds, ...]
    conventions: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def table(self, *, digits: int = 4) -> ResultTable:
        """Return a table with one row per measure and pair of runs."""
        columns = ("measure", "run", "reference", "difference", "low", "high", "settled")
        rows = tuple((*astuple(row), "yes" if row.settled else "no") for row in self.rows)
        note = "settled: whatever labels the unjudged documents get, the better run stays better."
        return ResultTable(columns, rows, note=note, digits=digits, texts=3)

    def as_dict(self) -> dict[str, Any]:
        """The conventions and the bounds as plain dictionaries."""
        return {"conventions": dict(self.conventions), "bounds": self.to_dicts()}


@keywords_of(Labelling, Choices)
def bounds(
    runs: Runs,
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    measures: Measures = DEFAULT_MEASURES,
    **options: Unpack[EvaluationOptions],
) -> Bounds:
    """Bound the change that unlabelled documents could make to the difference of every two runs.

    Bounds are computed for RBP, uRBP and RBPu, as means over the queries of the qrels. A document
    that both runs rank has the same unknown label in both, so the bounds are tighter than the
    residuals. Its gain is at least 0, and at most what its known labels allow. Documents that a run
    does not return do not count for it.

    Example: understand bounds a.run b.run --qrels qrels.txt -m 'RBP(p=0.8)@10'

    Examples:
        >>> runs = {"first": {"q": {"new": 2.0, "good": 1.0}}, "second": {"q": {"good": 1.0}}}
        >>> result = bounds(runs, {"q": {"good": 1}}, measures="RBP(p=0.5)")
        >>> [(row.run, row.difference, row.low, row.high) for row in result.rows]
        [('second', 0.25, -0.25, 0.25)]
    """
    parsed = own_measures(measures)
    for measure in parsed:
        if measure.base != "RBP" or measure.form == "H":
            raise OptionError(f"{measure} has no bounds here: choose RBP, uRBP or RBPu")
    judgements = Judgements.read(qrels, understandability, **options)
    for measure in parsed:
        judgements.require(measure)
        if measure.get("judged_only", judgements.conventions):
            raise OptionError(f"{measure} leaves unjudged documents out: there is nothing to bound")
    listed = list(runs_of(runs))
    if len(listed) < 2:
        raise InputError("bounds are computed for pairs of runs; give at least two runs")
    rows = [
        _bounds(measure, reference, run, judgements)
        for measure in parsed
        for reference, run in combinations(listed, 2)
    ]
    chosen = judgements.conventions
    notes = (*judgements.notes, *notes_on_runs(listed, chosen.order))
    return Bounds(tuple(rows), chosen.as_dict(), notes)


def _bounds(measure: Measure, reference: Run, run: Run, judgements: Judgements) -> PairBounds:
    """Compute the bounds for one measure and two runs, as a sum over the documents of both.

    A document counts by the difference of its two discounts.
    """
    row_of_pair: dict[tuple[int, str], int] = {}
    size = len(run) + len(reference)
    difference, gains, is_labelled = np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool)
    for signed_run, sign in ((run, 1.0), (reference, -1.0)):
        order = signed_run.line_order(judgements.conventions.order)
        ranked, lines = judgements.all_ranked(signed_run, order)
        docnos = signed_run.docnos_of(lines)
        keys = zip(ranked.query.tolist(), docnos, strict=True)
        rows = np.array([row_of_pair.setdefault(key, len(row_of_pair)) for key in keys], np.int64)
        difference[rows] += sign * discount(measure, judgements, ranked)
        is_labelled[rows] = ranked.labelled_in(measure.dimensions)
        gains[rows] = largest_gain(measure, judgements, ranked)
    largest = difference * gains
    queries = len(judgements.queries)
    certain = float(largest[is_labelled].sum()) / queries
    unknown = largest[~is_labelled]
    return PairBounds(
        str(measure),
        run.name,
        reference.name,
        certain,
        certain + float(unknown[unknown < 0].sum()) / queries,
        certain + float(unknown[unknown > 0].sum()) / queries,
    )
