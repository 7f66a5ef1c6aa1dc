"""Labels of all dimensions together, and what they say of the documents of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import MODELLED_USERS, Conventions
from understandability.evaluation.measures.bases import RELEVANCE, UNDERSTANDABILITY, Measure
from understandability.evaluation.measures.foreign import ForeignMeasure
from understandability.evaluation.scales import Scale
from understandability.inputs.run import Labels, Run

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of relevance beside the topical one: its labels and what they mean.

    >>> from understandability.evaluation.scales import parse_scale
    >>> labels = Labels.of("qunder", {"q1": {"flu": 20, "cold": 60}})
    >>> Dimension(labels, parse_scale("lower-easier:40")).labels.name
    'qunder'
    """

    labels: Labels
    scale: Scale


@dataclass(frozen=True, slots=True)
class Judged:
    """The labelled documents of a ranking, one line each, by query and then by position.

    `query` counts the queries of the qrels, `position` counts from 0 in the ranking; `found`
    says for each dimension which line of its labels a document has, -1 for none. `returned`
    is the number of documents ranked for each query, labelled or not.
    """

    query: Ids
    position: Ids
    found: Mapping[str, Ids]
    returned: Ids

    def known(self, dimensions: tuple[str, ...]) -> Flags:
        """Which documents carry a label in every one of the dimensions."""
        known: Flags = np.logical_and.reduce([self.found[name] >= 0 for name in dimensions])
        return known

    def only(self, kept: Flags) -> Judged:
        """Some of the documents, at their positions."""
        found = {name: lines[kept] for name, lines in self.found.items()}
        return Judged(self.query[kept], self.position[kept], found, self.returned)

    def condensed(self, dimensions: tuple[str, ...]) -> Judged:
        """The ranking without the documents that lack one of the labels."""
        kept = self.known(dimensions)
        query = self.query[kept]
        returned = np.bincount(query, minlength=len(self.returned))
        return Judged(
            query,
            _places(query, returned),
            {name: lines[kept] for name, lines in self.found.items()},
            returned,
        )


class Judgements:
    """The qrels, and the labels and scales of further dimensions, under some conventions.

    Raises `InputError` where a label is outside its declared scale.
    """

    def __init__(
        self, qrels: Labels, dimensions: Mapping[str, Dimension], conventions: Conventions
    ) -> None:
        if qrels.query_ids is None or not qrels.queries:
            raise InputError(f"{qrels.name} holds no relevance labels of queries and documents")
        for labels in (qrels, *(dimension.labels for dimension in dimensions.values())):
            _check_finite(labels)
        for dimension in dimensions.values():
            dimension.scale.check(dimension.labels)
        self.qrels = qrels
        self.queries = qrels.queries
        self.dimensions = {
            name: replace(dimension, labels=dimension.labels.by_document())
            if conventions.keyed_on == "document"
            else dimension
            for name, dimension in dimensions.items()
        }
        self.conventions = self._resolved(conventions)
        self._like_qrels = {
            name
            for name, dimension in self.dimensions.items()
            if _same_pairs(qrels, dimension.labels)
        }
        self.ideal: dict[Measure, Floats] = {}  # ideal DCG by measure, filled as needed
        self._gains: dict[tuple[str, str, float | None, float, str], Floats] = {}

    def _resolved(self, conventions: Conventions) -> Conventions:
        """The conventions with what only the labels can tell: highest grade, usual threshold."""
        highest = float(self.qrels.values.max())
        if conventions.max_relevance is None:
            conventions = replace(conventions, max_relevance=max(highest, 1.0))
        if UNDERSTANDABILITY in self.dimensions and conventions.threshold is None:
            scale = self.dimensions[UNDERSTANDABILITY].scale
            conventions = replace(conventions, threshold=scale.threshold)
        noise = math.pi if conventions.noise_scale is None else conventions.noise_scale
        return replace(conventions, noise_scale=noise)

    def judged(self, run: Run, lines: Ids | None = None) -> Judged:
        """What is known of the documents of a run, in the order of the conventions.

        Queries without qrels are left out. `lines` is the order of the run's lines, where it is
        known already.
        """
        if lines is None:
            lines = run.line_order(self.conventions.order)
        ranked, _ = self.all_of(run, lines)
        labelled = np.logical_or.reduce([line >= 0 for line in ranked.found.values()])
        return ranked.only(labelled)

    def all_of(self, run: Run, lines: Ids) -> tuple[Judged, Ids]:
        """All documents of a run, labelled or not, and the line of the run that each stands on."""
        places = {query: place for place, query in enumerate(self.queries)}
        queries = np.array([places.get(query, -1) for query in run.queries], dtype=np.int64)
        query = queries[run.query_ids[lines]]
        known_query = query >= 0
        if not known_query.all():
            lines, query = lines[known_query], query[known_query]
        # By query of the qrels; the lines of a query stay together, in their order.
        if not (query[1:] >= query[:-1]).all():
            by_query = np.argsort(query, kind="stable")
            lines, query = lines[by_query], query[by_query]
        returned = np.bincount(query, minlength=len(self.queries))
        found = {name: label[lines] for name, label in self._lines_of(run).items()}
        return Judged(query, _places(query, returned), found, returned), lines

    @cached_property
    def pool(self) -> Judged:
        """The documents of the qrels themselves: what ideal rankings are made of."""
        labels = self.qrels
        assert labels.query_ids is not None
        pool = Run(
            labels.name,
            labels.queries,
            labels.docnos,
            labels.query_ids,
            labels.docno_ids,
            np.zeros(len(labels), dtype=np.int64),
            np.zeros(len(labels)),
        )
        found = self._lines_of(pool)
        query = labels.query_ids.astype(np.int64)
        order = np.argsort(query, kind="stable")
        returned = np.bincount(query, minlength=len(self.queries))
        return Judged(
            query[order],
            _places(query[order], returned),
            {name: lines[order] for name, lines in found.items()},
            returned,
        )

    def _lines_of(self, run: Run) -> dict[str, Ids]:
        """The line of labels that each line of a run finds, for every dimension."""
        of_qrels = self.qrels.lines_of(run)
        return {RELEVANCE: of_qrels} | {
            name: of_qrels if name in self._like_qrels else dimension.labels.lines_of(run)
            for name, dimension in self.dimensions.items()
        }

    def require(self, measure: Measure | ForeignMeasure) -> None:
        """Raise `OptionError` where labels that the measure needs were not given."""
        for name in measure.dimensions:
            if name == RELEVANCE or name in self.dimensions:
                continue
            option = {
                "u": "--understandability FILE --scale SCALE",
                "trust": "--trust FILE --trust-scale SCALE",
            }.get(name, f"--dimension {name}=FILE --dimension-scale {name}=SCALE")
            raise OptionError(
                f"{measure} needs labels of {_in_words(name)}; give {option} "
                "(in Python, arguments of the same names)"
            )

    def grades(self, judged: Judged) -> Floats:
        """The relevance grade of each line, 0 where there is none or a negative one."""
        return _at(np.maximum(self.qrels.values, 0), judged.found[RELEVANCE])

    def gains(self, measure: Measure, name: str, judged: Judged) -> Floats:
        """The gain between 0 and 1 of each line in one dimension beside relevance."""
        # A user model belongs to understandability, or to the one dimension of the measure.
        modelled = name in (UNDERSTANDABILITY, measure.dimension)
        user, threshold, noise_scale, norm = (
            measure.get(option, self.conventions) for option in ("user", "th", "s", "norm")
        )
        if not modelled:
            user = "graded" if user == "graded" else "binary"
        key = (name, user, threshold, noise_scale, norm)
        if key not in self._gains:
            self._gains[key] = self._gains_of_labels(measure, *key)
        return _at(self._gains[key], judged.found[name])

    def _gains_of_labels(
        self,
        measure: Measure,
        name: str,
        user: str,
        threshold: float | None,
        noise_scale: float,
        norm: str,
    ) -> Floats:
        dimension = self.dimensions[name]
        values, scale = dimension.labels.values, dimension.scale
        if user == "graded":
            return scale.graded(values)
        if user not in MODELLED_USERS:
            return scale.binary(values)
        if threshold is None:
            raise OptionError(
                f"{measure} needs the threshold of its {user} user; give --threshold, or th=..."
            )
        from understandability.model.readers import probability

        return probability(
            values,
            threshold,
            user,
            noise_scale=noise_scale if user == "arctan" else None,
            direction=scale.direction,
            normalise="integral" if norm == "integral" and user == "arctan" else None,
        )


def _check_finite(labels: Labels) -> None:
    infinite = ~np.isfinite(labels.values)
    if infinite.any():
        line = int(np.argmax(infinite))
        raise InputError(
            f"{labels.where(line)}: label {labels.values[line]:g} is not finite, so that nothing "
            "can be computed from it; correct it, or leave it out with --not-a-label"
        )


def _same_pairs(labels: Labels, others: Labels) -> bool:
    """Whether two files label the same pairs in the same order, as those of CLEF do."""
    return (
        others.query_ids is not None
        and labels.query_ids is not None
        and labels.queries == others.queries
        and labels.docnos.equals(others.docnos)
        and np.array_equal(labels.query_ids, others.query_ids)
        and np.array_equal(labels.docno_ids, others.docno_ids)
    )


def _in_words(name: str) -> str:
    return "understandability" if name == UNDERSTANDABILITY else name


def _at(values: Floats, lines: Ids) -> Floats:
    """The values of some lines, 0 for the line -1."""
    return np.append(values, 0.0)[lines]


def _places(query: Ids, counts: Ids) -> Ids:
    """How many lines of the same query stand before each line of sorted queries."""
    starts = np.cumsum(counts) - counts
    return np.arange(len(query), dtype=np.int64) - starts[query]
