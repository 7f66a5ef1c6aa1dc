"""Measures of the package ir_measures (MacAvaney et al. 2022), which are also known by trec_eval's
names.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.measures.measure import RELEVANCE
from understandability.evaluation.scales import refuse
from understandability.inputs.run import Labels, Run

if TYPE_CHECKING:
    from understandability.evaluation.conventions import Conventions

EXTRA = "pip install '.[ir]' in the source folder"


@dataclass(frozen=True, slots=True)
class ForeignMeasure:
    """A measure of ir_measures: the name as the user wrote it, and the object of that package."""

    written: str
    measure: Any

    def __str__(self) -> str:
        return self.written

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that the measure needs: only relevance."""
        return (RELEVANCE,)

    def full(self, conventions: Conventions) -> str:
        """Return the name as ir_measures prints it."""
        return f"{self.measure} (ir_measures)"


def is_foreign(measure: object) -> bool:
    """Return True if an object is a measure of the package ir_measures."""
    return any(base.__module__ == "ir_measures.measures.base" for base in type(measure).__mro__)


def is_installed() -> bool:
    """Return True if the package ir_measures is installed."""
    from importlib.util import find_spec

    return find_spec("ir_measures") is not None


def parse_foreign(name: str) -> ForeignMeasure | None:
    """Parse a name of ir_measures or of trec_eval; return None if neither knows it."""
    if not is_installed():
        return None
    import ir_measures

    with warnings.catch_warnings():
        # Its parser uses classes of `ast` that are deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            measure = ir_measures.parse_measure(name)
            _check_parameters(name, measure)
            return ForeignMeasure(name, measure)
        except (NameError, ValueError, TypeError):
            pass
        try:
            measures = ir_measures.parse_trec_measure(name)
        except (NameError, ValueError, TypeError):
            return None
    return ForeignMeasure(name, measures[0]) if len(measures) == 1 else None


def _check_parameters(name: str, measure: Any) -> None:
    """Raise `OptionError` for an unknown parameter, or for a required one that is missing."""
    supported = measure.SUPPORTED_PARAMS
    for parameter in measure.params:
        if parameter not in supported:
            raise OptionError(
                f"{name!r} has no parameter {parameter!r} "
                f"(there are {', '.join(supported) or 'none'})"
            )
    for parameter, about in supported.items():
        if about.required and parameter not in measure.params:
            raise OptionError(f"{name!r} needs the parameter {parameter!r}, {about.desc}")


class ForeignValues:
    """Computes measures of ir_measures for several runs. The qrels are converted only once."""

    def __init__(
        self, measures: Sequence[ForeignMeasure], qrels: Labels, *, judged_only: bool
    ) -> None:
        self._qrels, self._judged_only = qrels, judged_only
        self._evaluators: list[tuple[ForeignMeasure, Any]] = []
        if not measures:
            return
        import ir_measures

        why = f"is not a whole number, which {measures[0]} of ir_measures needs"
        refuse(qrels, qrels.values % 1 != 0, why)
        labels = {
            query: {docno: int(label) for docno, label in documents.items()}
            for query, documents in qrels.by_query().items()
        }
        try:
            for measure in measures:
                evaluator = ir_measures.evaluator([measure.measure], labels)
                self._evaluators.append((measure, evaluator))
        except (ValueError, AssertionError) as error:
            names = ", ".join(map(str, measures))
            raise InputError(
                f"ir_measures cannot compute one of {names}: {' '.join(str(error).split())}"
            ) from error

    def values_of(self, run: Run, lines: NDArray[np.int64]) -> Iterator[tuple[Floats, Any]]:
        """Yield the values by query, and the aggregator, of each measure for a run.

        The scores of the run are replaced by positions in the order `lines`, so that both packages
        see the same ranking.
        """
        indices = {query: index for index, query in enumerate(self._qrels.queries)}
        rankings = self._rankings(run, lines) if self._evaluators else {}
        for measure, evaluator in self._evaluators:
            values = np.zeros(len(indices))
            try:
                for metric in evaluator.iter_calc(rankings):
                    if metric.query_id in indices:
                        values[indices[metric.query_id]] = metric.value
            except ArithmeticError as error:
                raise InputError(f"{measure} cannot compute run {run.name}: {error}") from error
            yield values, measure.measure.aggregator

    def _rankings(self, run: Run, lines: NDArray[np.int64]) -> dict[str, dict[str, float]]:
        if self._judged_only:
            lines = lines[self._qrels.lines_of(run)[lines] >= 0]
        rankings: dict[str, dict[str, float]] = {query: {} for query in run.queries}
        for query, docno in zip(run.query_ids[lines].tolist(), run.docnos_of(lines), strict=True):
            ranking = rankings[run.queries[query]]
            ranking[docno] = -float(len(ranking))
        return rankings
