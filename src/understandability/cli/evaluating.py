"""What the commands that evaluate runs share: their options, reading, remarks."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from understandability.cli.options import number
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.evaluation.evaluate import Evaluation
    from understandability.evaluation.labels import Dimension
    from understandability.evaluation.scales import Scale
    from understandability.records import Oddity, Run

_LABELS = "Labels"
_CHOICES = "Choices that change the numbers"

DEFAULT_MEASURES = ("RBP(p=0.8)@10",)


def _option(*names: str, text: str, panel: str = _CHOICES, metavar: str | None = None) -> Any:
    return typer.Option(
        *names, help=text, rich_help_panel=panel, metavar=metavar, show_default=False
    )


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """The arguments and options of a command that evaluates runs."""

    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="TREC runs (query Q0 document rank score tag), plain, .gz or .zst.",
            show_default=False,
        ),
    ]
    qrels: Annotated[
        str,
        _option("--qrels", text="Relevance labels: TREC qrels, or irds:NAME.", panel=_LABELS),
    ]
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="MEASURE",
            help="A measure by name, such as 'uRBP(p=0.8)@10'; may be repeated.",
            show_default=False,
        ),
    ] = None
    understandability: Annotated[
        str | None,
        _option(
            "--understandability",
            text="Understandability labels like qrels, a score table, or irds:NAME.",
            panel=_LABELS,
            metavar="FILE",
        ),
    ] = None
    scale: Annotated[
        str | None,
        _option(
            "--scale",
            text="Its direction and threshold: lower-easier:40 is understandable below 40, "
            "lower-easier:<=40 at 40 too, higher-easier:2 from 2 on; "
            "the ends may follow (:0..100).",
            panel=_LABELS,
        ),
    ] = None
    column: Annotated[
        str | None,
        _option("--column", text="The column of a score table.", panel=_LABELS),
    ] = None
    gains: Annotated[
        list[str] | None,
        _option(
            "--gains",
            text="Gains of graded understandability: 0:0,1:.4,2:.8,3:1 (trust=0:0,... for "
            "another dimension); without, linear between the ends of the scale.",
            panel=_LABELS,
            metavar="[NAME=]GRADE:GAIN,...",
        ),
    ] = None
    trust: Annotated[
        str | None, _option("--trust", text="Trust labels.", panel=_LABELS, metavar="FILE")
    ] = None
    trust_scale: Annotated[
        str | None, _option("--trust-scale", text="Their scale: higher-better:50.", panel=_LABELS)
    ] = None
    dimension: Annotated[
        list[str] | None,
        _option(
            "--dimension", text="Labels of a further dimension.", panel=_LABELS, metavar="NAME=FILE"
        ),
    ] = None
    dimension_scale: Annotated[
        list[str] | None,
        _option("--dimension-scale", text="Its scale.", panel=_LABELS, metavar="NAME=SCALE"),
    ] = None
    not_a_label: Annotated[
        list[str] | None,
        _option(
            "--not-a-label",
            text="A label that means 'could not judge', in all dimensions but relevance or in one.",
            panel=_LABELS,
            metavar="[NAME=]LABEL",
        ),
    ] = None
    preset: Annotated[
        str | None,
        _option("--preset", text="Choose as ubire or trec_eval do; options here go before it."),
    ] = None
    order: Annotated[
        str | None, _option("--order", text="Rankings by rank (default) or by score.")
    ] = None
    keyed_on: Annotated[
        str | None,
        _option(
            "--keyed-on",
            text="Labels beside relevance hold for the pair of query and document (default), "
            "or for the document, its first line.",
        ),
    ] = None
    no_label: Annotated[
        str | None,
        _option(
            "--no-label", text="Documents without a label gain zero (default), or are ignored."
        ),
    ] = None
    mean_over: Annotated[
        str | None,
        _option("--mean-over", text="Means over the queries of the qrels (default) or of the run."),
    ] = None
    relevant: Annotated[
        float | None, _option("--relevant", text="The lowest relevant grade (default 1).")
    ] = None
    max_relevance: Annotated[
        float | None,
        _option("--max-relevance", text="The highest grade (default: that of the qrels)."),
    ] = None
    dcg: Annotated[
        str | None,
        _option("--dcg", text="Gain of nDCG: exp-log2, 2^grade - 1 (default), or log2, the grade."),
    ] = None
    joint: Annotated[
        bool | None,
        _option("--joint/--no-joint", text="Gains are f(T u), not f(T) u (default: not)."),
    ] = None
    ideal: Annotated[
        str | None,
        _option("--ideal", text="Ideal of unDCG by product (default), or by relevance alone."),
    ] = None
    err: Annotated[
        str | None, _option("--err", text="ERR as cascade (default), or gain-discount.")
    ] = None
    h: Annotated[
        str | None,
        _option("--h", text="H: the mean of H over queries (default), or the H of means."),
    ] = None
    user: Annotated[
        str | None,
        _option("--user", text="Understandability is binary (default), graded, step, arctan."),
    ] = None
    threshold: Annotated[
        float | None,
        _option("--threshold", text="Threshold of the step and arctan users, for scores."),
    ] = None
    noise_scale: Annotated[
        str | None, _option("--noise-scale", text="Scale of the arctan user; pi (default) or 1.")
    ] = None
    norm: Annotated[
        str | None,
        _option("--norm", text="The arctan form as it is: none (default), or by its integral."),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse runs and labels with anything unusual.")
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No remarks on what was unusual.")
    ] = False

    def evaluate(self, variants: Callable[[Run], Iterable[Run]] = lambda run: (run,)) -> Evaluation:
        """Read everything and evaluate; remarks go to standard error.

        What is evaluated are the `variants` of each run, by default itself.
        """
        from understandability.evaluation.conventions import settings
        from understandability.evaluation.evaluate import evaluate
        from understandability.evaluation.measures.names import parse_measures
        from understandability.formats.runs import read_labels, read_runs

        # Names and choices first: they are wrong before anything is read.
        measures = parse_measures(self.measures or DEFAULT_MEASURES)
        chosen = settings(
            self.preset,
            **{name: getattr(self, name) for name in _SETTINGS},
            noise_scale=number(self.noise_scale, "--noise-scale"),
        )
        scales = self._scales()
        qrels = read_labels(self.qrels)
        dimensions = {
            name: self._dimension(name, path, scales[name]) for name, path in self._files().items()
        }
        labels = [qrels, *(dimension.labels for dimension in dimensions.values())]
        self._remark({label.name: label.oddities for label in labels}, "labels", refuse=True)
        result = evaluate(
            (variant for run in read_runs(self.runs) for variant in variants(run)),
            qrels,
            measures,
            dimensions,
            chosen,
            strict=self.strict,
        )
        self._remark(result.oddities, "runs")
        return result

    def _files(self) -> dict[str, str]:
        named = {"u": self.understandability, "trust": self.trust}
        further = _pairs(self.dimension or (), "--dimension", "NAME=FILE")
        return {name: path for name, path in named.items() if path is not None} | further

    def _scales(self) -> dict[str, Scale]:
        """The scale of each dimension that has labels; none is guessed."""
        from understandability.evaluation.scales import parse_gains, parse_scale

        given = _pairs(self.dimension_scale or (), "--dimension-scale", "NAME=SCALE")
        given |= {n: s for n, s in (("u", self.scale), ("trust", self.trust_scale)) if s}
        gains = _by_dimension(self.gains or (), "u")
        files = self._files()
        for name in (*given, *gains):
            if name not in files:
                raise OptionError(f"there is a scale but no labels of dimension {name}; give both")
        scales: dict[str, Scale] = {}
        for name in files:
            if name not in given:
                option = {"u": "--scale ", "trust": "--trust-scale "}.get(
                    name, f"--dimension-scale {name}="
                )
                raise OptionError(
                    f"nothing says whether lower or higher labels of {name} are easier; add "
                    f"{option}lower-easier:THRESHOLD or {option}higher-easier:THRESHOLD"
                )
            scale = parse_scale(given[name])
            scales[name] = (
                replace(scale, gains=parse_gains(gains[name])) if name in gains else scale
            )
        return scales

    def _dimension(self, name: str, path: str, scale: Scale) -> Dimension:
        from understandability.evaluation.labels import Dimension
        from understandability.formats.runs import read_labels

        labels = read_labels(path, name, self.column if name == "u" else None)
        none = [
            _label(value)
            for given in self.not_a_label or ()
            for dimension, value in [_split(given)]
            if dimension in (None, name)
        ]
        return Dimension(labels.without(*none), scale)

    def _remark(
        self, oddities: Mapping[str, Sequence[Oddity]], kind: str, refuse: bool = False
    ) -> None:
        if refuse and self.strict:
            for name, found in oddities.items():
                if found:
                    raise OptionError(f"{name} is refused under --strict: {found[0]}")
        if not self.quiet:
            for line in summary(oddities, kind):
                typer.echo(f"understand: {line}", err=True)


# The options that are settings under the same name; the noise scale has its own way.
_SETTINGS = (
    "order",
    "keyed_on",
    "no_label",
    "mean_over",
    "relevant",
    "max_relevance",
    "dcg",
    "joint",
    "ideal",
    "err",
    "h",
    "user",
    "threshold",
    "norm",
)


def takes_evaluation_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all `EvaluationOptions`, which it receives as its first argument."""
    types = get_type_hints(EvaluationOptions, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=types[field.name],
        )
        for field in fields(EvaluationOptions)
    ]
    own_types = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=own_types[parameter.name])
        for parameter in list(inspect.signature(command).parameters.values())[1:]
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        options = {parameter.name: values.pop(parameter.name) for parameter in shared}
        command(EvaluationOptions(**options), **values)

    parameters = [*shared, *own]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # which inspect looks for
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default


def summary(oddities: Mapping[str, Sequence[Oddity]], kind: str) -> list[str]:
    """One line for each sort of oddity: how often, in how many files, where first."""
    lines: dict[str, tuple[int, int, str]] = {}
    for name, found in oddities.items():
        for oddity in found:
            count, files, first = lines.get(oddity.what, (0, 0, f"{name}, {oddity.example}"))
            lines[oddity.what] = (count + oddity.count, files + 1, first)
    total = len(oddities)
    return [
        f"{what}: {count:,} in {files} of {total} {kind} (first: {first})"
        for what, (count, files, first) in lines.items()
    ]


def _pairs(texts: Iterable[str], option: str, form: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not re.fullmatch("[a-z][a-z0-9_]*", name) or name in ("u", "gr"):
            raise OptionError(f"write {option} {form} with a name in small letters, not {text!r}")
        pairs[name] = value
    return pairs


def _split(text: str) -> tuple[str | None, str]:
    """The dimension that a value belongs to, where one is named, and the value."""
    name, separator, value = text.partition("=")
    return (name, value) if separator else (None, text)


def _by_dimension(texts: Iterable[str], default: str) -> dict[str, str]:
    return {name or default: value for name, value in map(_split, texts)}


def _label(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--not-a-label must be a number, or NAME=number, not {text!r}") from None
