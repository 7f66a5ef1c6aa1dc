"""Labels of all dimensions under some conventions, and what they say of the documents of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import (
    MODELLED_USERS,
    Choices,
    Conventions,
    conventions,
)
from understandability.evaluation.criteria import mixed_models
from understandability.evaluation.measures.bases import RELEVANCE, UNDERSTANDABILITY, Measure
from understandability.evaluation.measures.of_ir_measures import ForeignMeasure
from understandability.evaluation.scales import Scale, parse_gains, parse_scale, refuse
from understandability.inputs.given import labels_of
from understandability.inputs.run import Labels, Run, ranks_of
from understandability.prompt import AtPrompt

# The parameters of calls that evaluate, as the prompt has them.
_RUNS = "TREC runs (query Q0 document rank score tag), plain, .gz or .zst."
_QRELS = "Relevance labels: TREC qrels, or irds:NAME."
_LABELS = "Understandability labels like qrels, a score table, or irds:NAME."
_MEASURES = "A measure by name, such as 'uRBP(p=0.8)@10'; may be repeated."
Runs = Annotated[Any, AtPrompt(list[str], help=_RUNS)]
Qrels = Annotated[Any, AtPrompt(str, "--qrels", value="FILE", help=_QRELS)]
LabelFile = Annotated[Any, AtPrompt(str, value="FILE", help=_LABELS)]
Measures = Annotated[
    str | Iterable[object], AtPrompt(list[str], "--measure", "-m", value="MEASURE", help=_MEASURES)
]
DEFAULT_MEASURES = ("RBP(p=0.8)@10",)
_HERE = "evaluation.judgements"

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of relevance beside the topical one: its labels and what they mean."""

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
        return cls(query, ranks_of(query) - 1, found, np.bincount(query, minlength=queries))

    def known(self, dimensions: tuple[str, ...]) -> Flags:
        """Which documents carry a label in every one of the dimensions."""
        known: Flags = np.logical_and.reduce([self.found[name] >= 0 for name in dimensions])
        return known

    def only(self, kept: Flags) -> Ranked:
        """The chosen documents, at their positions."""
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


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels of dimensions beside relevance, what they mean, and whether odd ones are refused.

    In Python, `gains` and `not_a_label` are those of understandability, `dimensions` are by name,
    made by `dimension` or as (labels, scale).

    Args:
        scale: Direction and threshold of the labels of understandability: lower-easier:40 is
            understandable below 40, lower-easier:<=40 at 40 too, higher-easier:2 from 2 on; the
            ends may follow (:0..100).
        column: The column, if these labels are a score table.
        gains: Gains of graded labels: 0:0,1:.4,2:.8,3:1 (trust=0:0,... for another dimension).
            Default: linear between the ends of the scale.
        not_a_label: A label that means "could not judge", in one dimension (NAME=) or in all but
            relevance.
        trust: Trust labels.
        trust_scale: Scale of the trust labels, such as higher-better:50.
        dimensions: Labels of a further dimension.
        dimension_scales: Scale of a further dimension.
        strict: Refuse runs and labels with anything unusual.
    """

    scale: Annotated[str | Scale | None, AtPrompt(value="SCALE")] = None
    column: str | None = None
    gains: Annotated[
        str | Mapping[Any, Any] | None,
        AtPrompt(list[str], value="[NAME=]GRADE:GAIN,...", convert=f"{_HERE}:gains_by_dimension"),
    ] = None
    not_a_label: Annotated[
        float | Sequence[float] | Mapping[str, Sequence[float]],
        AtPrompt(list[str], value="[NAME=]LABEL", convert=f"{_HERE}:no_labels_by_dimension"),
    ] = ()
    trust: Annotated[Any, AtPrompt(value="FILE")] = None
    trust_scale: Annotated[str | Scale | None, AtPrompt(value="SCALE")] = None
    dimensions: Annotated[
        Mapping[str, Any] | None,
        AtPrompt(list[str], "--dimension", value="NAME=FILE", convert=f"{_HERE}:by_name"),
    ] = None
    dimension_scales: Annotated[
        Mapping[str, str | Scale] | None,
        AtPrompt(list[str], "--dimension-scale", value="NAME=SCALE", convert=f"{_HERE}:by_name"),
    ] = None
    strict: bool = False

    def dimensions_of(self, understandability: Any) -> dict[str, Dimension]:
        """Each dimension beside relevance that has labels."""
        labels = {"u": understandability, "trust": self.trust, **(self.dimensions or {})}
        scales: dict[str, Any] = {"u": self.scale, "trust": self.trust_scale}
        scales |= self.dimension_scales or {}
        gains = _by_dimension(self.gains)
        none = _by_dimension(None if self.not_a_label == () else self.not_a_label)
        for name in (*scales, *gains):
            if labels.get(name) is None and (scales.get(name) or gains.get(name)):
                raise OptionError(f"there is a scale but no labels of {_in_words(name)}; give both")
        found = {}
        for name, given in labels.items():
            if isinstance(given, Dimension):
                found[name] = given
            elif isinstance(given, tuple):
                found[name] = dimension(*given, name=name)
            elif given is not None:
                found[name] = dimension(
                    given,
                    scales.get(name),
                    name=name,
                    column=self.column if name == "u" else None,
                    gains=gains.get(name),
                    not_a_label=(*none.get(name, ()), *none.get("", ())),
                )
        return found


How = Annotated[Any, AtPrompt((Labelling, Choices))]  # the options of `Judgements`


class Judgements:
    """Labels of relevance and of further dimensions, read under some conventions.

    `qrels` and the labels of other dimensions are paths, dictionaries, frames or records
    (`labels_of`). `how` are the fields of `Labelling`, which belong to them, and of `Conventions`:
    ``scale="lower-easier:40"``, ``order="score"``; ``preset`` sets all conventions at once.

    Raises `InputError` where a label is outside its declared scale.

    >>> judgements = Judgements({"q1": {"d1": 1}}, {"d1": 90}, scale="lower-easier:40")
    >>> judgements.queries, judgements.conventions.threshold
    (('q1',), 40.0)
    """

    def __init__(self, qrels: Any, understandability: Any = None, **how: Any) -> None:
        labelling = Labelling(**{n: how.pop(n) for n in Labelling.__dataclass_fields__ if n in how})
        chosen = conventions(**how)
        given = labelling.dimensions_of(understandability)
        self.strict = labelling.strict
        columns = [understandability, labelling.trust, *(labelling.dimensions or {}).values()]
        if isinstance(understandability, str) and labelling.column:
            columns[0] = f"{understandability}:{labelling.column}"
        self.mixed = mixed_models([each for each in columns if isinstance(each, str)])
        self.qrels = labels_of(qrels)
        self.labels = (self.qrels, *(each.labels for each in given.values()))
        self.queries = self.qrels.queries
        if self.qrels.query_ids is None or not self.queries:
            raise InputError(
                f"{self.qrels.name} holds no relevance labels of queries and documents"
            )
        for name, each in given.items():
            if not len(each.labels):
                raise InputError(f"there is no label of {name}: all are missing")
        for labels in self.labels:
            refuse(
                labels,
                ~np.isfinite(labels.values),
                "is not finite, so nothing can be computed from it; correct it, or leave it out "
                "with --not-a-label",
            )
        for each in given.values():
            each.scale.check(each.labels)
        self.dimensions = {
            name: replace(each, labels=each.labels.by_document())
            if chosen.keyed_on == "document"
            else each
            for name, each in given.items()
        }
        # Some conventions only the labels can tell.
        known = self.dimensions.get(UNDERSTANDABILITY)
        usual: dict[str, Any] = {
            "max_relevance": max(float(self.qrels.values.max()), 1.0),
            "threshold": known.scale.threshold if known else None,
            "noise_scale": math.pi,
        }
        unset = {name: value for name, value in usual.items() if getattr(chosen, name) is None}
        self.conventions: Conventions = replace(chosen, **unset)
        self._threshold_of_scale = chosen.threshold is None
        self.ideal: dict[Measure, Floats] = {}  # ideal DCG by measure, filled as needed
        self._gains: dict[tuple[Any, ...], Floats] = {}  # of labels, by dimension and user
        # These label the same pairs in the same order as the qrels, as those of CLEF do.
        self._like_qrels = {
            name for name, each in self.dimensions.items() if _same_pairs(self.qrels, each.labels)
        }

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
        # By query of the qrels; the lines of a query stay together, in their order.
        by_query = np.argsort(query, kind="stable")[np.count_nonzero(query < 0) :]
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
        scale = self.dimensions[name].scale
        if "th" not in dict(measure.stated) and (self._threshold_of_scale or threshold is None):
            threshold = scale.threshold
            if user == "step" and threshold is not None:
                user = "binary"  # the edge counts as the scale says
        # A user model belongs to understandability, or to the one dimension of the measure.
        if name not in (UNDERSTANDABILITY, measure.dimension) and user != "graded":
            user = "binary"
        key = (name, user, threshold, noise_scale, norm)
        if key not in self._gains:
            values = self.dimensions[name].labels.values
            if user not in MODELLED_USERS:
                gains = scale.graded(values) if user == "graded" else scale.binary(values)
            elif threshold is None:
                raise OptionError(
                    f"{measure} needs the threshold of its {user} user; give --threshold, or th=..."
                )
            else:
                from understandability.model.readers import probability

                noisy = user == "arctan"
                gains = probability(
                    values,
                    threshold,
                    user,
                    noise_scale=noise_scale if noisy else None,
                    direction=scale.direction,
                    normalise="integral" if norm == "integral" and noisy else None,
                )
            self._gains[key] = gains
        return _at(self._gains[key], ranked.found[name])


def _by_dimension(given: Any) -> dict[str, Any]:
    """By the name of each dimension; what has no names is of understandability."""
    if isinstance(given, Mapping) and all(isinstance(name, str) for name in given):
        return dict(given)
    if given is None:
        return {}
    return {"u": (given,) if isinstance(given, int | float) else given}


def by_name(texts: Sequence[str]) -> dict[str, str]:
    """Files or scales by the name of their dimension, which ``NAME=VALUE`` gives."""
    named: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch("[a-z][a-z0-9_]*", name) or name in ("u", "gr"):
            raise OptionError(
                "write --dimension NAME=FILE and --dimension-scale NAME=SCALE with a name in "
                f"small letters, not {text!r}"
            )
        named[name] = value
    return named


def gains_by_dimension(texts: Sequence[str]) -> dict[str, str]:
    """Tables of gains by dimension; one without ``NAME=`` is of understandability."""
    named = (text.rpartition("=") for text in texts)
    return {name or UNDERSTANDABILITY: value for name, _, value in named}


def no_labels_by_dimension(texts: Sequence[str]) -> dict[str, list[float]]:
    """Labels that are none by dimension; those without ``NAME=`` stand under "", for all."""
    found: dict[str, list[float]] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            found.setdefault(name, []).append(float(value))
        except ValueError:
            raise OptionError(
                f"--not-a-label must be a number, or NAME=number, not {value!r}"
            ) from None
    return found


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
