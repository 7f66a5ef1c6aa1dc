"""Labels of all dimensions under some conventions, and what they say of the documents of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import MODELLED_USERS, Conventions, conventions
from understandability.evaluation.measures.bases import RELEVANCE, UNDERSTANDABILITY, Measure
from understandability.evaluation.measures.foreign import ForeignMeasure
from understandability.evaluation.scales import Scale, parse_gains, parse_scale
from understandability.inputs.given import labels_of
from understandability.inputs.run import Labels, Run

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of relevance beside the topical one: its labels and what they mean.

    >>> labels = Labels.of("qunder", {"q1": {"flu": 20, "cold": 60}})
    >>> Dimension(labels, parse_scale("lower-easier:40")).labels.name
    'qunder'
    """

    labels: Labels
    scale: Scale


def dimension(
    labels: Any,
    scale: str | Scale | None,
    *,
    name: str = "u",
    column: str | None = None,
    gains: str | Mapping[float, float] | None = None,
    not_a_label: float | Sequence[float] = (),
) -> Dimension:
    """Labels of a dimension other than relevance, with what they mean.

    `labels` are a path, a dictionary, a frame or `Labels`; `scale` states the direction and the
    threshold (``lower-easier:40``, see `parse_scale`), `gains` those of grades (``0:0,1:.4,3:1``);
    labels of the value `not_a_label` mean "could not judge".

    >>> ease = dimension({"q1": {"d1": 90, "d2": 10}}, "lower-easier:40")
    >>> str(ease.scale)
    'lower-easier:40'
    """
    if scale is None:
        raise OptionError(
            f"nothing says whether lower or higher labels of {_in_words(name)} are easier; give "
            "their scale (--scale, --trust-scale, --dimension-scale; scale= in Python), such as "
            "lower-easier:40 or higher-easier:2"
        )
    parsed = parse_scale(scale) if isinstance(scale, str) else scale
    if gains is not None:
        table = parse_gains(gains) if isinstance(gains, str) else dict(gains)
        parsed = replace(parsed, gains=table)
    none = [not_a_label] if isinstance(not_a_label, int | float) else list(not_a_label)
    return Dimension(labels_of(labels, name, column).without(*none), parsed)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents of a ranking with their labels, one line each, by query and then by position.

    `query` counts the queries of the qrels, `position` counts from 0 in the ranking; `found`
    says for each dimension which line of its labels a document has, -1 for none. `returned`
    is the number of documents ranked for each query, labelled or not.
    """

    query: Ids
    position: Ids
    found: Mapping[str, Ids]
    returned: Ids

    @classmethod
    def of(cls, query: Ids, queries: int, found: Mapping[str, Ids]) -> Ranked:
        """All documents of sorted queries, at the positions where they stand."""
        returned = np.bincount(query, minlength=queries)
        starts = np.cumsum(returned) - returned
        position = np.arange(len(query), dtype=np.int64) - starts[query]
        return cls(query, position, found, returned)

    def known(self, dimensions: tuple[str, ...]) -> Flags:
        """Which documents carry a label in every one of the dimensions."""
        known: Flags = np.logical_and.reduce([self.found[name] >= 0 for name in dimensions])
        return known

    def only(self, kept: Flags) -> Ranked:
        """Some of the documents, at their positions."""
        found = {name: lines[kept] for name, lines in self.found.items()}
        return Ranked(self.query[kept], self.position[kept], found, self.returned)

    def condensed(self, dimensions: tuple[str, ...]) -> Ranked:
        """The ranking without the documents that lack one of the labels."""
        kept = self.only(self.known(dimensions))
        return Ranked.of(kept.query, len(self.returned), kept.found)

    def sums(self, values: Floats) -> Floats:
        """The sum of a value of the documents for each query."""
        sums = np.bincount(self.query, weights=values, minlength=len(self.returned))
        return sums.astype(np.float64, copy=False)


class Judgements:
    """Labels of relevance and of further dimensions, read under some conventions.

    `qrels` and the labels of `understandability` and `trust` are paths, dictionaries, frames or
    records (`labels_of`). `scale`, `column`, `gains` and `not_a_label` belong to
    `understandability`, as in `dimension`; `dimensions` are further ones by name, made by
    `dimension` or as (labels, scale). `preset` sets all conventions at once (``"ubire"``,
    ``"trec_eval"``, or `Conventions`), `choices` some of them (``order="score"``).

    Raises `InputError` where a label is outside its declared scale.

    >>> judgements = Judgements({"q1": {"d1": 1}}, {"d1": 90}, scale="lower-easier:40")
    >>> judgements.queries, judgements.conventions.threshold
    (('q1',), 40.0)
    """

    def __init__(
        self,
        qrels: Any,
        understandability: Any = None,
        *,
        scale: str | Scale | None = None,
        column: str | None = None,
        gains: str | Mapping[float, float] | None = None,
        not_a_label: float | Sequence[float] = (),
        trust: Any = None,
        trust_scale: str | Scale | None = None,
        dimensions: Mapping[str, Dimension | tuple[Any, str]] | None = None,
        preset: str | Conventions | None = None,
        **choices: Any,
    ) -> None:
        chosen = conventions(preset, **choices)
        given = {
            name: each if isinstance(each, Dimension) else dimension(*each, name=name)
            for name, each in (dimensions or {}).items()
        }
        if understandability is not None:
            given[UNDERSTANDABILITY] = dimension(
                understandability, scale, column=column, gains=gains, not_a_label=not_a_label
            )
        elif scale is not None:
            raise OptionError("there is a scale but no labels of understandability; give both")
        if trust is not None:
            given["trust"] = dimension(trust, trust_scale, name="trust")
        self.qrels = labels_of(qrels)
        self.labels = (self.qrels, *(each.labels for each in given.values()))
        self.queries = self.qrels.queries
        if self.qrels.query_ids is None or not self.queries:
            raise InputError(
                f"{self.qrels.name} holds no relevance labels of queries and documents"
            )
        for labels in self.labels:
            _check_finite(labels)
        for each in given.values():
            each.scale.check(each.labels)
        self.dimensions = {
            name: replace(each, labels=each.labels.by_document())
            if chosen.keyed_on == "document"
            else each
            for name, each in given.items()
        }
        self.conventions = self._resolved(chosen)
        self.ideal: dict[Measure, Floats] = {}  # ideal DCG by measure, filled as needed
        self._gains: dict[tuple[str, str, float | None, float, str], Floats] = {}

    def _resolved(self, chosen: Conventions) -> Conventions:
        """The conventions with what only the labels can tell: highest grade, usual threshold."""
        known = self.dimensions.get(UNDERSTANDABILITY)
        usual: dict[str, Any] = {
            "max_relevance": max(float(self.qrels.values.max()), 1.0),
            "threshold": known.scale.threshold if known else None,
            "noise_scale": math.pi,
        }
        return replace(chosen, **{n: v for n, v in usual.items() if getattr(chosen, n) is None})

    def ranked(self, run: Run, lines: Ids | None = None) -> Ranked:
        """The labelled documents of a run, in the order of the conventions.

        Queries without qrels are left out. `lines` is the order of the run's lines, where it is
        known already.
        """
        if lines is None:
            lines = run.line_order(self.conventions.order)
        everything, _ = self.all_ranked(run, lines)
        return everything.only(np.logical_or.reduce([at >= 0 for at in everything.found.values()]))

    def all_ranked(self, run: Run, lines: Ids) -> tuple[Ranked, Ids]:
        """All documents of a run, labelled or not, and the line of the run that each stands on."""
        numbers = {query: number for number, query in enumerate(self.queries)}
        queries = np.array([numbers.get(query, -1) for query in run.queries], dtype=np.int64)
        query = queries[run.query_ids[lines]]
        known_query = query >= 0
        if not known_query.all():
            lines, query = lines[known_query], query[known_query]
        # By query of the qrels; the lines of a query stay together, in their order.
        if not (query[1:] >= query[:-1]).all():
            by_query = np.argsort(query, kind="stable")
            lines, query = lines[by_query], query[by_query]
        found = {name: of_run[lines] for name, of_run in self._lines_of(run).items()}
        return Ranked.of(query, len(self.queries), found), lines

    @cached_property
    def pool(self) -> Ranked:
        """The documents of the qrels themselves: what ideal rankings are made of."""
        labels, size = self.qrels, len(self.qrels)
        assert labels.query_ids is not None
        ids = (labels.query_ids, labels.docno_ids)
        unranked = (np.zeros(size, dtype=np.int64), np.zeros(size))
        pool = Run(labels.name, labels.queries, labels.docnos, *ids, *unranked)
        order = np.argsort(labels.query_ids, kind="stable")
        found = {name: lines[order] for name, lines in self._lines_of(pool).items()}
        return Ranked.of(labels.query_ids[order].astype(np.int64), len(self.queries), found)

    def _lines_of(self, run: Run) -> dict[str, Ids]:
        """The line of labels that each line of a run finds, for every dimension."""
        of_qrels = self.qrels.lines_of(run)
        return {RELEVANCE: of_qrels} | {
            name: of_qrels if name in self._like_qrels else each.labels.lines_of(run)
            for name, each in self.dimensions.items()
        }

    @cached_property
    def _like_qrels(self) -> frozenset[str]:
        """The dimensions that label the same pairs in the same order, as those of CLEF do."""
        return frozenset(
            name for name, each in self.dimensions.items() if _same_pairs(self.qrels, each.labels)
        )

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

    def grades(self, ranked: Ranked) -> Floats:
        """The relevance grade of each document, 0 where there is none or a negative one."""
        return _at(np.maximum(self.qrels.values, 0), ranked.found[RELEVANCE])

    def gains(self, measure: Measure, name: str, ranked: Ranked) -> Floats:
        """The gain between 0 and 1 of each document in one dimension beside relevance."""
        user, threshold, noise_scale, norm = (
            measure.get(option, self.conventions) for option in ("user", "th", "s", "norm")
        )
        # A user model belongs to understandability, or to the one dimension of the measure.
        if name not in (UNDERSTANDABILITY, measure.dimension) and user != "graded":
            user = "binary"
        key = (name, user, threshold, noise_scale, norm)
        if key not in self._gains:
            self._gains[key] = self._gains_of_labels(measure, *key)
        return _at(self._gains[key], ranked.found[name])

    def _gains_of_labels(
        self,
        measure: Measure,
        name: str,
        user: str,
        threshold: float | None,
        noise_scale: float,
        norm: str,
    ) -> Floats:
        values, scale = self.dimensions[name].labels.values, self.dimensions[name].scale
        if user not in MODELLED_USERS:
            return scale.graded(values) if user == "graded" else scale.binary(values)
        if threshold is None:
            raise OptionError(
                f"{measure} needs the threshold of its {user} user; give --threshold, or th=..."
            )
        from understandability.model.readers import probability

        noisy = user == "arctan"
        return probability(
            values,
            threshold,
            user,
            noise_scale=noise_scale if noisy else None,
            direction=scale.direction,
            normalise="integral" if norm == "integral" and noisy else None,
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
