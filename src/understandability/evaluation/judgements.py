"""`Judgements`: the labels of all dimensions under some conventions, joined with the documents of
runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import MODELLED_USERS, Conventions, conventions
from understandability.evaluation.criteria import mixed_models
from understandability.evaluation.measures.foreign import ForeignMeasure
from understandability.evaluation.measures.measure import RELEVANCE, UNDERSTANDABILITY, Measure
from understandability.evaluation.options import (
    Dimension,
    EvaluationOptions,
    by_name,
    in_words,
    split_options,
)
from understandability.evaluation.scales import refuse
from understandability.inputs.run import Labels, Run, ranks_of
from understandability.inputs.runs_and_labels import labels_of

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents of a ranking joined with their labels, in parallel arrays sorted by query and
    position.

    Args:
        query: Indices into the queries of the qrels, ascending.
        position: Positions in the ranking, from 0.
        lines: For each dimension, the index of each document's label in the `Labels`; -1 for none.
        returned: The number of documents ranked for each query, labelled or not.
    """

    query: Ids
    position: Ids
    lines: Mapping[str, Ids]
    returned: Ids

    @classmethod
    def of(cls, query: Ids, queries: int, lines: Mapping[str, Ids]) -> Ranked:
        """Return a ranking without gaps: the documents of each query are at the positions 0, 1, 2,
        ...
        """
        return cls(query, ranks_of(query) - 1, lines, np.bincount(query, minlength=queries))

    def labelled_in(self, dimensions: tuple[str, ...]) -> Mask:
        """A mask of the documents that have a label in every one of the dimensions."""
        mask: Mask = np.logical_and.reduce([self.lines[name] >= 0 for name in dimensions])
        return mask

    def only(self, selected: Mask) -> Ranked:
        """Return the selected documents, which keep their positions."""
        lines = {name: of_dimension[selected] for name, of_dimension in self.lines.items()}
        return Ranked(self.query[selected], self.position[selected], lines, self.returned)

    def condensed(self, dimensions: tuple[str, ...]) -> Ranked:
        """Return the documents that have a label in all these dimensions, at positions without
        gaps.
        """
        labelled = self.only(self.labelled_in(dimensions))
        return Ranked.of(labelled.query, len(self.returned), labelled.lines)

    def sums(self, values: Floats) -> Floats:
        """Sum `values`, one per document, for each query."""
        sums = np.bincount(self.query, weights=values, minlength=len(self.returned))
        return sums.astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Judgements:
    """All labels that an evaluation uses: relevance and further dimensions, with its conventions.

    Args:
        qrels: Labels of relevance.
        dimensions: Further dimensions by name: ``u`` is understandability.
        conventions: The conventions, completed by `Conventions.for_labels`.
        notes: Remarks on the labels, such as estimates of several models.
        has_own_threshold: True if the conventions state a threshold for the step and arctan users.
            Otherwise the threshold of each dimension's scale applies.
    """

    qrels: Labels
    dimensions: Mapping[str, Dimension]
    conventions: Conventions
    notes: tuple[str, ...] = ()
    has_own_threshold: bool = False
    ideal: dict[Measure, Floats] = field(default_factory=dict, init=False, repr=False)
    _gains: dict[tuple[Any, ...], Floats] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def read(
        cls, qrels: Any, understandability: Any = None, **options: Unpack[EvaluationOptions]
    ) -> Self:
        """Read labels from paths, dictionaries, frames or records (see `labels_of`).

        `options` are the fields of `Labelling`, such as ``scale="lower-easier:40"``, and of
        `Conventions`, such as ``order="score"``. ``preset`` sets all conventions at once.

        Raises `InputError` if a label is not finite or outside its declared scale.

        >>> judgements = Judgements.read({"q1": {"d1": 1}}, {"d1": 90}, scale="lower-easier:40")
        >>> judgements.queries, judgements.conventions.threshold
        (('q1',), 40.0)
        """
        labelling, chosen = split_options(options)
        stated = conventions(**chosen)
        dimensions = labelling.read(understandability)
        sources = [
            understandability,
            labelling.trust,
            *by_name(labelling.dimensions or ()).values(),
        ]
        if isinstance(understandability, str) and labelling.column:
            sources[0] = f"{understandability}:{labelling.column}"
        note = mixed_models([source for source in sources if isinstance(source, str)])
        relevance = labels_of(qrels)
        _check(relevance, dimensions)
        if stated.keyed_on == "document":
            dimensions = {
                name: replace(dimension, labels=dimension.labels.by_document())
                for name, dimension in dimensions.items()
            }
        ease = dimensions.get(UNDERSTANDABILITY)
        complete = stated.for_labels(
            highest_grade=float(relevance.values.max()),
            threshold=ease.scale.threshold if ease else None,
        )
        notes = (note,) if note else ()
        return cls(relevance, dimensions, complete, notes, stated.threshold is not None)

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries of the qrels."""
        return self.qrels.queries

    @property
    def labels(self) -> tuple[Labels, ...]:
        """The labels of all dimensions, relevance first."""
        return (self.qrels, *(dimension.labels for dimension in self.dimensions.values()))

    def ranked(self, run: Run, lines: Ids | None = None) -> Ranked:
        """Return the documents of a run that have a label, in the order of the conventions.

        Queries without qrels are dropped. `lines` is the order of the run's lines
        (`Run.line_order`), if the caller has computed it.
        """
        if lines is None:
            lines = run.line_order(self.conventions.order)
        documents, _ = self.all_ranked(run, lines)
        has_label = [of_dimension >= 0 for of_dimension in documents.lines.values()]
        return documents.only(np.logical_or.reduce(has_label))

    def all_ranked(self, run: Run, lines: Ids) -> tuple[Ranked, Ids]:
        """Return all documents of a run, labelled or not, and the index of each document's line in
        the run.
        """
        ids = {query: id_ for id_, query in enumerate(self.queries)}
        id_of_query = np.array([ids.get(query, -1) for query in run.queries], dtype=np.int64)
        query = id_of_query[run.query_ids[lines]]
        # Sort by query of the qrels. The sort is stable, so documents keep their order. Lines of
        # queries without qrels (-1) come first and are cut off.
        by_query = np.argsort(query, kind="stable")[np.count_nonzero(query < 0) :]
        lines, query = lines[by_query], query[by_query]
        labels = {name: of_run[lines] for name, of_run in self._label_lines(run).items()}
        return Ranked.of(query, len(self.queries), labels), lines

    @cached_property
    def pool(self) -> Ranked:
        """The documents of the qrels as a ranking, from which ideal rankings are made."""
        labels, size = self.qrels, len(self.qrels)
        assert labels.query_ids is not None
        ids = (labels.query_ids, labels.docno_ids)
        unranked = (np.zeros(size, dtype=np.int64), np.zeros(size))
        pool = Run(labels.name, labels.queries, labels.docnos, *ids, *unranked)
        order = np.argsort(labels.query_ids, kind="stable")
        lines = {name: of_pool[order] for name, of_pool in self._label_lines(pool).items()}
        return Ranked.of(labels.query_ids[order].astype(np.int64), len(self.queries), lines)

    def _label_lines(self, run: Run) -> dict[str, Ids]:
        """Return for each dimension the index of the label of each line of a run; -1 for none."""
        of_qrels = self.qrels.lines_of(run)
        return {RELEVANCE: of_qrels} | {
            name: of_qrels if name in self._like_qrels else dimension.labels.lines_of(run)
            for name, dimension in self.dimensions.items()
        }

    @cached_property
    def _like_qrels(self) -> frozenset[str]:
        """The dimensions whose labels have the same queries and documents, in the same order, as
        the qrels.

        This is so in CLEF, and saves a join.
        """
        return frozenset(
            name
            for name, dimension in self.dimensions.items()
            if _same_pairs(self.qrels, dimension.labels)
        )

    def require(self, measure: Measure | ForeignMeasure) -> None:
        """Raise `OptionError` if the labels that a measure needs are missing."""
        for name in measure.dimensions:
            if name == RELEVANCE or name in self.dimensions:
                continue
            option = {
                "u": "--understandability FILE --scale SCALE",
                "trust": "--trust FILE --trust-scale SCALE",
            }.get(name, f"--dimension {name}=FILE --dimension-scale {name}=SCALE")
            raise OptionError(
                f"{measure} needs labels of {in_words(name)}; give {option} "
                "(in Python, arguments of the same names)"
            )

    def grades(self, ranked: Ranked) -> Floats:
        """The relevance grade of each document; 0 if it is negative or missing."""
        return _values_at(np.maximum(self.qrels.values, 0), ranked.lines[RELEVANCE])

    def gains(self, measure: Measure, name: str, ranked: Ranked) -> Floats:
        """The gain, from 0 to 1, of each document in one dimension other than relevance."""
        user, threshold, noise_scale, norm = (
            measure.get(parameter, self.conventions) for parameter in ("user", "th", "s", "norm")
        )
        # A user model belongs to understandability, or to the one dimension of the measure.
        if name not in (UNDERSTANDABILITY, measure.dimension) and user != "graded":
            user = "binary"
        scale = self.dimensions[name].scale
        has_own = self.has_own_threshold and threshold is not None
        if user in MODELLED_USERS and "th" not in dict(measure.stated) and not has_own:
            threshold = scale.threshold
            if user == "step" and threshold is not None:
                user = "binary"  # the scale decides about labels equal to the threshold
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

                is_noisy = user == "arctan"
                gains = probability(
                    values,
                    threshold,
                    user,
                    noise_scale=noise_scale if is_noisy else None,
                    direction=scale.direction,
                    normalise="integral" if norm == "integral" and is_noisy else None,
                )
            self._gains[key] = gains
        return _values_at(self._gains[key], ranked.lines[name])


def _check(qrels: Labels, dimensions: Mapping[str, Dimension]) -> None:
    """Raise `InputError` if labels are not finite or outside their scale."""
    if qrels.query_ids is None or not len(qrels):
        raise InputError(f"{qrels.name} holds no relevance labels of queries and documents")
    for name, dimension in dimensions.items():
        if not len(dimension.labels):
            raise InputError(f"there is no label of {in_words(name)}: all are missing")
    for labels in (qrels, *(dimension.labels for dimension in dimensions.values())):
        refuse(
            labels,
            ~np.isfinite(labels.values),
            "is not finite, so nothing can be computed from it; correct it, or exclude it with "
            "--not-a-label",
        )
    for dimension in dimensions.values():
        dimension.scale.check(dimension.labels)


def _same_pairs(labels: Labels, others: Labels) -> bool:
    return (
        others.query_ids is not None
        and labels.query_ids is not None
        and labels.queries == others.queries
        and labels.docnos.equals(others.docnos)
        and np.array_equal(labels.query_ids, others.query_ids)
        and np.array_equal(labels.docno_ids, others.docno_ids)
    )


def _values_at(values: Floats, lines: Ids) -> Floats:
    """Return the values at some indices; 0 at index -1, because 0 is appended as the last value."""
    return np.append(values, 0.0)[lines]
