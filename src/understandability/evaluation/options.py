"""The arguments shared by all functions of evaluation: runs, qrels, labels, and their options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypedDict

from cyclopts import Parameter

from understandability.errors import OptionError, check_choice
from understandability.evaluation.conventions import CONVENTIONS, Conventions
from understandability.evaluation.measures.measure import UNDERSTANDABILITY
from understandability.evaluation.scales import Scale, parse_gains, parse_scale
from understandability.inputs.run import Labels
from understandability.inputs.runs_and_labels import labels_of

_RUNS = "TREC runs (query Q0 document rank score tag), plain, .gz or .zst."
_QRELS = "Relevance labels: TREC qrels, or irds:NAME."
_LABELS = "Understandability labels like qrels, a score table, or irds:NAME."
_MEASURES = "A measure by name, such as 'uRBP(p=0.8)@10'; may be repeated."
Runs = Annotated[Sequence[str] | Any, Parameter(help=_RUNS)]
Qrels = Annotated[Any, Parameter("--qrels", metavar="FILE", help=_QRELS)]
LabelFile = Annotated[Any, Parameter(metavar="FILE", help=_LABELS)]
Measures = Annotated[
    Sequence[str] | Iterable[object],
    Parameter(("--measure", "-m"), metavar="MEASURE", help=_MEASURES),
]
DEFAULT_MEASURES = ("RBP(p=0.8)@10",)


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension in addition to topical relevance, such as understandability: its labels and
    scale.
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
    """Read the labels of a dimension other than relevance, and their scale.

    `labels` are a path, a dictionary, a frame or `Labels`. `scale` states the direction and the
    threshold (``lower-easier:40``, see `parse_scale`), and `gains` the gains of grades
    (``0:0,1:.4,3:1``). Labels equal to `not_a_label` mean "could not judge" and are dropped.

    >>> ease = dimension({"q1": {"d1": 90, "d2": 10}}, "lower-easier:40")
    >>> str(ease.scale)
    'lower-easier:40'
    """
    if scale is None:
        raise OptionError(
            f"nothing says whether lower or higher labels of {in_words(name)} are easier; give "
            "their scale (--scale, --trust-scale, --dimension-scale; scale= in Python), such as "
            "lower-easier:40, higher-easier:2, or higher-easier:0.5 for P(U|d)"
        )
    parsed = parse_scale(scale) if isinstance(scale, str) else scale
    if gains is not None:
        table = parse_gains(gains) if isinstance(gains, str) else dict(gains)
        parsed = replace(parsed, gains=table)
    not_labels = [not_a_label] if isinstance(not_a_label, int | float) else list(not_a_label)
    return Dimension(labels_of(labels, name, column).without(*not_labels), parsed)


@dataclass(frozen=True, slots=True)
class Labelling:
    """The options for labels of further dimensions: their files, scales and gains.

    In Python, `gains` and `not_a_label` apply to understandability. `dimensions` maps the name of
    each dimension to a result of `dimension`, or to a pair (labels, scale).

    Args:
        scale: Direction and threshold of the labels of understandability: lower-easier:40 is
            understandable below 40, 'lower-easier:<=40' at 40 too, higher-easier:2 from 2 on; the
            ends may follow (:0..100). Quote a scale with < or >, which the shell would interpret.
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

    scale: Annotated[str | Scale | None, Parameter(metavar="SCALE")] = None
    column: str | None = None
    gains: Annotated[
        Sequence[str] | str | Mapping[Any, Any] | None,
        Parameter(metavar="[NAME=]GRADE:GAIN,..."),
    ] = None
    not_a_label: Annotated[
        Sequence[str | float] | float | Mapping[str, Sequence[float]],
        Parameter(metavar="[NAME=]LABEL"),
    ] = ()
    trust: Annotated[Any, Parameter(metavar="FILE")] = None
    trust_scale: Annotated[str | Scale | None, Parameter(metavar="SCALE")] = None
    dimensions: Annotated[
        Sequence[str] | Mapping[str, Any] | None,
        Parameter("--dimension", metavar="NAME=FILE"),
    ] = None
    dimension_scales: Annotated[
        Sequence[str] | Mapping[str, str | Scale] | None,
        Parameter("--dimension-scale", metavar="NAME=SCALE"),
    ] = None
    strict: bool = False

    def read(self, understandability: Any) -> dict[str, Dimension]:
        """Read the labels of every dimension other than relevance."""
        labels = {"u": understandability, "trust": self.trust, **by_name(self.dimensions or ())}
        scales: dict[str, Any] = {"u": self.scale, "trust": self.trust_scale}
        scales |= by_name(self.dimension_scales or ())
        gains = _by_dimension(self.gains, gains_by_dimension)
        not_labels = _by_dimension(self.not_a_label or None, non_labels_by_dimension)
        for name in (*scales, *gains):
            if labels.get(name) is None and (scales.get(name) or gains.get(name)):
                raise OptionError(f"there is a scale but no labels of {in_words(name)}; give both")
        dimensions = {}
        for name, source in labels.items():
            if isinstance(source, Dimension):
                dimensions[name] = source
            elif isinstance(source, tuple):
                dimensions[name] = dimension(*source, name=name)
            elif source is not None:
                dimensions[name] = dimension(
                    source,
                    scales.get(name),
                    name=name,
                    column=self.column if name == "u" else None,
                    gains=gains.get(name),
                    not_a_label=(*not_labels.get(name, ()), *not_labels.get("", ())),
                )
        return dimensions


class UserConventions(TypedDict, total=False):
    """The fields of `Conventions` except ``order`` and ``noise_scale``; None keeps the default."""

    preset: str | Conventions | None
    keyed_on: str | None
    no_label: str | None
    mean_over: str | None
    relevant: float | None
    max_relevance: float | None
    err_max: float | None
    dcg: str | None
    joint: bool | None
    ideal: str | None
    err: str | None
    h: str | None
    user: str | None
    threshold: float | None
    norm: str | None


class ConventionOptions(UserConventions, total=False):
    """The fields of `Conventions`, as keywords; None keeps the default."""

    order: str | None
    noise_scale: float | None


class EvaluationOptions(ConventionOptions, total=False):
    """The keywords of functions that evaluate runs: the fields of `Labelling` and of
    `Conventions`.
    """

    scale: str | Scale | None
    column: str | None
    gains: Sequence[str] | str | Mapping[Any, Any] | None
    not_a_label: Sequence[str | float] | float | Mapping[str, Sequence[float]]
    trust: Any
    trust_scale: str | Scale | None
    dimensions: Sequence[str] | Mapping[str, Any] | None
    dimension_scales: Sequence[str] | Mapping[str, str | Scale] | None
    strict: bool


def split_options(options: EvaluationOptions) -> tuple[Labelling, dict[str, Any]]:
    """Split the keywords of a call into the fields of `Labelling` and the chosen conventions.

    >>> labelling, chosen = split_options({"scale": "lower-easier:40", "order": "score"})
    >>> labelling.scale, chosen
    ('lower-easier:40', {'order': 'score'})
    """
    labelling = Labelling.__dataclass_fields__
    for name in options:
        check_choice("convention", name, (*CONVENTIONS, "preset", *labelling))
    fields: dict[str, Any] = {n: value for n, value in options.items() if n in labelling}
    return Labelling(**fields), {n: v for n, v in options.items() if n not in labelling}


def in_words(name: str) -> str:
    """Return the name of a dimension as messages write it."""
    return "understandability" if name == UNDERSTANDABILITY else name


def _by_dimension(values: Any, parse: Callable[[Sequence[str]], dict[str, Any]]) -> dict[str, Any]:
    """Return values keyed by the name of a dimension; values without names are for
    understandability.

    `parse` reads a list of texts from the command line.
    """
    if isinstance(values, Mapping) and all(isinstance(name, str) for name in values):
        return dict(values)
    if values is None:
        return {}
    if isinstance(values, list | tuple) and any(isinstance(value, str) for value in values):
        return parse([str(value) for value in values])
    return {"u": (values,) if isinstance(values, int | float) else values}


def by_name(texts: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Parse texts ``NAME=VALUE`` into a dictionary of files or scales by dimension."""
    if isinstance(texts, Mapping):
        return dict(texts)
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch("[a-z][a-z0-9_]*", name) or name in ("u", "gr"):
            raise OptionError(
                "write --dimension NAME=FILE and --dimension-scale NAME=SCALE with a name in "
                f"small letters, not {text!r}"
            )
        values[name] = value
    return values


def gains_by_dimension(texts: Sequence[str]) -> dict[str, str]:
    """Parse texts ``[NAME=]GAINS``; without ``NAME=``, the gains apply to understandability."""
    parts = (text.rpartition("=") for text in texts)
    return {name or UNDERSTANDABILITY: value for name, _, value in parts}


def non_labels_by_dimension(texts: Sequence[str]) -> dict[str, list[float]]:
    """Parse texts ``[NAME=]LABEL``; labels without a name apply to all dimensions, under the key
    "".
    """
    labels: dict[str, list[float]] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            labels.setdefault(name, []).append(float(value))
        except ValueError:
            raise OptionError(
                f"--not-a-label must be a number, or NAME=number, not {value!r}"
            ) from None
    return labels
