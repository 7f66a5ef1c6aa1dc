r"""Make the measures of this package available in ir_measures and in PyTerrier's experiments.

Importing this module registers the names of measures that ir_measures lacks. Call `use` once to set
the labels of understandability. The parser of ir_measures cannot read measures of measures
(``H(...)``, ``residual(...)``): pass them to experiments as text, or as objects from `measures`.
The command line of ir_measures loads no providers of other packages; with ours it is

    python -m understandability.integrations.ir_measures --understandability qunder.txt \
        --scale lower-easier:40 qrels.txt mine.run 'uRBP(p=0.8)@10' nDCG@10

Requires the extra ``ir``.
"""

# mypy: allow-untyped-calls
# ir_measures types a part of itself.

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from understandability.errors import OptionError, needing
from understandability.evaluation.conventions import Conventions, conventions
from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.measures.bases import COMPOUNDS
from understandability.evaluation.measures.measure import UNDERSTANDABILITY, Measure
from understandability.evaluation.measures.names import example_names, own_measures, parse_measure
from understandability.evaluation.options import ConventionOptions, Dimension
from understandability.evaluation.scales import Scale, parse_scale
from understandability.inputs.runs_and_labels import labels_of, runs_of

with needing("measures of ir_measures need an optional package", ".[ir]"):
    import ir_measures

# Rankings are ordered by score, and means are over the queries that have labels, as there.
_BASE = conventions(order="score")
# The fields of qrels with labels of a dimension, as in ir_datasets.
_FIELDS = {UNDERSTANDABILITY: "understandability", "trust": "trustworthiness"}
_state: dict[str, Any] = {"dimensions": {}, "scales": {}, "conventions": _BASE}


def use(
    understandability: Any = None,
    *,
    scale: str | Scale,
    dimensions: Mapping[str, Dimension] | None = None,
    **choices: Unpack[ConventionOptions],
) -> None:
    """Set the labels, their scale and the conventions of all measures that are requested by name.

    `understandability` is a path, a dictionary, a frame or labels; by default, the labels are the
    column ``understandability`` of the qrels. Rankings are ordered by score under every preset.

    >>> use({"q": {"d1": 90, "d2": 10}}, scale="lower-easier:40")
    >>> run = {"q": {"d1": 2.0, "d2": 1.0}}
    >>> measure = ir_measures.parse_measure("uRBP(p=0.8)@10")
    >>> values = ir_measures.calc_aggregate([measure], {"q": {"d1": 1, "d2": 1}}, run)
    >>> {str(name): round(value, 3) for name, value in values.items()}
    {'uRBP(p=0.8)@10': 0.16}
    """
    parsed = parse_scale(scale) if isinstance(scale, str) else scale
    labelled = dict(dimensions or {})
    if understandability is not None:
        labels = labels_of(understandability, UNDERSTANDABILITY)
        labelled[UNDERSTANDABILITY] = Dimension(labels, parsed)
    chosen = replace(conventions(**choices), order="score")
    _state.update(dimensions=labelled, scales={UNDERSTANDABILITY: parsed}, conventions=chosen)


def measures(
    names: Sequence[str],
    dimensions: Mapping[str, Dimension] | None = None,
    conventions: Conventions | None = None,
) -> tuple[Any, ...]:
    """Return our measures as measures of ir_measures that contain their labels.

    `dimensions` holds the labels of understandability under ``u``, with their scale. Rankings are
    ordered by score, as in ir_measures. Two of these measures are equal only if their labels and
    conventions are.

    >>> from understandability.evaluation.options import dimension
    >>> easy = dimension({"q": {"d1": 90, "d2": 10}}, "lower-easier:40")
    >>> ours = measures(["uRBP(p=0.8)@10"], {"u": easy})
    >>> qrels, run = {"q": {"d1": 1, "d2": 1}}, {"q": {"d1": 2.0, "d2": 1.0}}
    >>> [round(value, 3) for value in ir_measures.calc_aggregate(ours, qrels, run).values()]
    [0.16]
    """
    by_score = replace(conventions or _BASE, order="score")
    return tuple(
        OurMeasure(_of=measure, _own=(dict(dimensions or {}), by_score))
        for measure in own_measures(names)
    )


class OurMeasure(ir_measures.Measure):
    """One of our measures as a measure of ir_measures: parameters, a cut-off, a name.

    Measures that are parsed from a name use the labels and conventions that were set by `use`.
    Measures made by `measures` contain their own.
    """

    NAME = "understandability"
    __name__ = NAME
    SHORT_DESC = "understandability-biased evaluation"

    def __init__(self, **params: Any) -> None:
        self._parsed: Measure | None = params.pop("_of", None)
        # Labels and conventions of its own.
        self.own: tuple[dict[str, Dimension], Conventions] | None = params.pop("_own", None)
        super().__init__(**params)

    @property
    def measure(self) -> Measure:
        """The corresponding measure of this package."""
        return self._parsed or parse_measure(str(self))

    def __call__(self, **params: Any) -> OurMeasure:
        return type(self)(**{**self.params, **params})

    def validate_params(self) -> None:
        _ = self.measure  # raises an error for a bad name

    def __str__(self) -> str:
        if self._parsed is not None:
            return str(self._parsed)
        inner = ",".join(
            f"{name}={value}" for name, value in self.params.items() if name != "cutoff"
        )
        cutoff = f"@{self.params['cutoff']}" if "cutoff" in self.params else ""
        return f"{self.__name__}{f'({inner})' if inner else ''}{cutoff}"

    def __repr__(self) -> str:
        return f"understandability: {self}"  # ir_measures compares measures by it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OurMeasure) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash(self._meaning())

    def _meaning(self) -> str:
        """The name with all parameters, by which measures are compared."""
        dimensions, chosen = self.own or (_state["dimensions"], _state["conventions"])
        labels = {
            name: f"{dimension.labels.name} {dimension.scale}"
            for name, dimension in dimensions.items()
        }
        return f"understandability: {self} = {self.measure.full(chosen)}, {chosen}, {labels}"


class UnderstandabilityProvider(ir_measures.Provider):
    """A provider of ir_measures that computes our measures."""

    NAME = "understandability"

    def supports(self, measure: Any) -> bool:
        """Return True for measures of this package."""
        return isinstance(measure, OurMeasure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> UnderstandabilityEvaluator:
        return UnderstandabilityEvaluator(list(measures), qrels)


class UnderstandabilityEvaluator(ir_measures.Evaluator):
    """Computes our measures with certain qrels, for any number of runs."""

    def __init__(self, measures: Sequence[OurMeasure], qrels: Any) -> None:
        self._measures, rows = measures, _held(qrels)
        self._qrels = labels_of(rows)
        self._dimensions = _dimensions(rows, measures)
        super().__init__(measures, self._qrels.queries)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        rows = _held(run)
        if not len(rows):
            return
        [ranked] = runs_of(rows)
        named = [measure for measure in self._measures if measure.own is None]
        groups = [named, *([measure] for measure in self._measures if measure.own is not None)]
        for group in filter(None, groups):
            dimensions, chosen = group[0].own or (self._dimensions, _state["conventions"])
            wanted = [measure.measure for measure in group]
            result = evaluate(
                ranked, self._qrels, measures=wanted, dimensions=dimensions, preset=chosen
            )
            for measure, row in zip(group, result.values[ranked.name].tolist(), strict=True):
                for query, value in zip(result.queries, row, strict=True):
                    if not np.isnan(value) and query in ranked.queries:
                        yield ir_measures.Metric(query, measure, value)


def _held(rows: Any) -> Any:
    """Return a list of the rows of a stream, because they are read more than once."""
    return rows if isinstance(rows, dict) or hasattr(rows, "columns") else list(rows)


def _dimensions(qrels: Any, measures: Sequence[OurMeasure]) -> dict[str, Dimension]:
    """Return the labels of all dimensions except relevance: set by `use`, otherwise from the
    qrels.
    """
    dimensions: dict[str, Dimension] = dict(_state["dimensions"])
    columns = getattr(qrels, "columns", ())
    if isinstance(qrels, list) and qrels:
        columns = getattr(qrels[0], "_fields", ())
    for name, column in _FIELDS.items():
        needed = any(
            name in measure.measure.dimensions for measure in measures if measure.own is None
        )
        if needed and name not in dimensions and column in columns:
            if name not in _state["scales"]:
                raise OptionError(
                    f"nothing says whether lower or higher labels of {column} are easier; call "
                    "understandability.integrations.ir_measures.use(scale='lower-easier:40')"
                )
            dimensions[name] = Dimension(labels_of(qrels, name, column), _state["scales"][name])
    return dimensions


_of_trec_eval = ir_measures.parse_trec_measure


def _of_text(measure: str) -> list[Any]:
    """Parse the name of one of our measures, or a name of trec_eval."""
    base = re.match(r"\w*", measure.strip())
    registered = ir_measures.measures.registry.get(base[0] if base else "")
    if isinstance(registered, OurMeasure) or (base and base[0] in COMPOUNDS):
        return [OurMeasure(_of=parse_measure(measure))]
    return list(_of_trec_eval(measure))


def _register() -> None:
    """Register our provider and our names of measures with ir_measures."""
    provider = ir_measures.providers.register(UnderstandabilityProvider())
    ir_measures.DefaultPipeline.providers.append(provider)
    for name in example_names():
        if name not in ir_measures.measures.registry and name not in COMPOUNDS:
            # The measure of the bare name; parameters and a cut-off derive other measures from it.
            bare = type(name, (OurMeasure,), {"NAME": name, "__name__": name})
            ir_measures.measures.register(bare(), name=name)
    # PyTerrier parses the names of measures with this function of ir_measures, which has no table
    # to add names to.
    ir_measures.parse_trec_measure = _of_text


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line of ir_measures with our measures and with options for their labels."""
    import argparse

    from ir_measures.__main__ import main_cli

    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--understandability")
    parser.add_argument("--scale")
    options, rest = parser.parse_known_args(arguments)
    if options.scale is not None:
        use(options.understandability, scale=options.scale)
    sys.argv[1:] = rest
    main_cli()


if __name__ == "__main__":
    # Python runs this file as `__main__`; only the module under its own name is registered.
    from understandability.integrations.ir_measures import main as of_module

    of_module()
else:
    _register()
