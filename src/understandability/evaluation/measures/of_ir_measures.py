"""Measures of ir_measures (MacAvaney et al. 2022), also by names of trec_eval."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.measures.bases import RELEVANCE
from understandability.evaluation.scales import refuse
from understandability.inputs.run import Labels, Run

if TYPE_CHECKING:
    from understandability.evaluation.conventions import Conventions

EXTRA = "pip install '.[ir]' in the source folder"


@dataclass(frozen=True, slots=True)
class ForeignMeasure:
    """A measure of ir_measures: the name that it was given, and its object there."""

    given: str
    measure: Any

    def __str__(self) -> str:
        return self.given

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Relevance alone."""
        return (RELEVANCE,)

    def full(self, conventions: Conventions) -> str:
        """The name as ir_measures prints it."""
        return f"{self.measure} (ir_measures)"


def is_foreign(measure: object) -> bool:
    """Whether an object is a measure of ir_measures itself."""
    return any(kind.__module__ == "ir_measures.measures.base" for kind in type(measure).__mro__)


def is_installed() -> bool:
    """Whether ir_measures is there."""
    from importlib.util import find_spec

    return find_spec("ir_measures") is not None


def parse_foreign(name: str) -> ForeignMeasure | None:
    """The measure of a name of ir_measures or of trec_eval; None where they know none."""
    if not is_installed():
        return None
    import ir_measures

    with warnings.catch_warnings():
        # It reads names with parts of Python's ast that newer versions warn of.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            measure = ir_measures.parse_measure(name)
            _check_parameters(name, measure)
            return ForeignMeasure(name, measure)
        except (NameError, ValueError, TypeError):
            pass
        try:
            found = ir_measures.parse_trec_measure(name)
        except (NameError, ValueError, TypeError):
            return None
    return ForeignMeasure(name, found[0]) if len(found) == 1 else None


def _check_parameters(name: str, measure: Any) -> None:
    """Raise `OptionError` for a parameter that a measure does not have, or lacks."""
    known = measure.SUPPORTED_PARAMS
    for each in measure.params:
        if each not in known:
            raise OptionError(
                f"{name!r} has no parameter {each!r} (there are {', '.join(known) or 'none'})"
            )
    for each, parameter in known.items():
        if parameter.required and each not in measure.params:
            raise OptionError(f"{name!r} needs the parameter {each!r}, {parameter.desc}")


class ForeignValues:
    """Values of measures of ir_measures under some qrels, which are read once for all runs."""

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
            for each in measures:
                self._evaluators.append((each, ir_measures.evaluator([each.measure], labels)))
        except (ValueError, AssertionError) as error:
            names = ", ".join(map(str, measures))
            raise InputError(
                f"ir_measures cannot compute one of {names}: {' '.join(str(error).split())}"
            ) from error

    def of(self, run: Run, lines: NDArray[np.int64]) -> Iterator[tuple[Floats, Any]]:
        """For each measure its values by query of the qrels, and what puts them together.

        The scores handed over fall with the position in `lines`, whatever the scores of the run.
        """
        places = {query: place for place, query in enumerate(self._qrels.queries)}
        rankings = self._rankings(run, lines) if self._evaluators else {}
        for measure, evaluator in self._evaluators:
            values = np.zeros(len(places))
            try:
                for metric in evaluator.iter_calc(rankings):
                    if metric.query_id in places:
                        values[places[metric.query_id]] = metric.value
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
