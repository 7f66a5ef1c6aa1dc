"""What the commands that evaluate runs share: their options, reading, remarks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

import typer

from understandability.cli.groups import OptionGroup
from understandability.cli.options import Completion, names_of, number, one_of
from understandability.errors import OptionError
from understandability.evaluation.conventions import CONVENTIONS

if TYPE_CHECKING:
    from understandability.evaluation.evaluate import Evaluation
    from understandability.evaluation.judgements import Dimension
    from understandability.inputs.run import Oddity

_LABELS = "Labels"
_CHOICES = "Choices that change the numbers"

DEFAULT_MEASURES = ("RBP(p=0.8)@10",)


def _option(
    *names: str,
    text: str,
    panel: str = _CHOICES,
    metavar: str | None = None,
    values: Completion | None = None,
) -> Any:
    return typer.Option(
        *names,
        help=text,
        rich_help_panel=panel,
        metavar=metavar,
        show_default=False,
        autocompletion=values,
    )


@dataclass(frozen=True, slots=True)
class EvaluationOptions(OptionGroup):
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
            text="Direction and threshold of these labels: lower-easier:40 is understandable "
            "below 40, "
            "lower-easier:<=40 at 40 too, higher-easier:2 from 2 on; "
            "the ends may follow (:0..100).",
            panel=_LABELS,
        ),
    ] = None
    column: Annotated[
        str | None,
        _option("--column", text="The column, if the labels are a score table.", panel=_LABELS),
    ] = None
    gains: Annotated[
        list[str] | None,
        _option(
            "--gains",
            text="Gains of graded labels: 0:0,1:.4,2:.8,3:1 (trust=0:0,... for another "
            "dimension). Default: linear between the ends of the scale.",
            panel=_LABELS,
            metavar="[NAME=]GRADE:GAIN,...",
        ),
    ] = None
    trust: Annotated[
        str | None, _option("--trust", text="Trust labels.", panel=_LABELS, metavar="FILE")
    ] = None
    trust_scale: Annotated[
        str | None,
        _option(
            "--trust-scale",
            text="Scale of the trust labels, such as higher-better:50.",
            panel=_LABELS,
        ),
    ] = None
    dimension: Annotated[
        list[str] | None,
        _option(
            "--dimension", text="Labels of a further dimension.", panel=_LABELS, metavar="NAME=FILE"
        ),
    ] = None
    dimension_scale: Annotated[
        list[str] | None,
        _option(
            "--dimension-scale",
            text="Scale of a further dimension.",
            panel=_LABELS,
            metavar="NAME=SCALE",
        ),
    ] = None
    not_a_label: Annotated[
        list[str] | None,
        _option(
            "--not-a-label",
            text="A label that means 'could not judge', in one dimension (NAME=) or in all but "
            "relevance.",
            panel=_LABELS,
            metavar="[NAME=]LABEL",
        ),
    ] = None
    preset: Annotated[
        str | None,
        _option(
            "--preset",
            text="Use the conventions of ubire or trec_eval; options given here override them.",
            values=names_of("evaluation.conventions", "PRESETS"),
        ),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse runs and labels with anything unusual.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not report what is unusual.")] = (
        False
    )

    # What was chosen of the table of conventions, whose options `takes_evaluation_options` adds.
    conventions: Mapping[str, Any] = field(default_factory=dict)

    def evaluate(self) -> Evaluation:
        """Read everything and evaluate; remarks go to standard error."""
        from understandability.evaluation.evaluate import evaluate

        result = evaluate(self.runs, **self.arguments())
        self.remark(result)
        return result

    def arguments(self) -> dict[str, Any]:
        """What the options mean to `understandability.evaluate`, but for the runs."""
        from understandability.evaluation.measures.names import parse_measures

        # Names are wrong before anything is read.
        measures = parse_measures(self.measures or DEFAULT_MEASURES)
        return {
            "qrels": self.qrels,
            "dimensions": self._dimensions(),
            "measures": measures,
            "strict": self.strict,
            "preset": self.preset,
            **self.conventions,
        }

    def remark(self, result: Evaluation) -> None:
        """Say on standard error what was unusual in labels and runs."""
        from understandability.evaluation.criteria import mixed_models

        if not self.quiet:
            columns = {"u": f":{self.column}" if self.column else ""}
            if mix := mixed_models(
                [path + columns.get(name, "") for name, path in self._files().items()]
            ):
                typer.echo(f"understand: {mix}", err=True)
            for kind, oddities in (("labels", result.label_oddities), ("runs", result.oddities)):
                for line in summary(oddities, kind):
                    typer.echo(f"understand: {line}", err=True)

    @classmethod
    def options(cls) -> list[inspect.Parameter]:
        """An option for each field, and in place of the last one for each convention."""
        types = get_type_hints(cls, include_extras=True)
        shared = [
            _parameter(row.name, types[row.name], _default(row))
            for row in fields(cls)
            if row.name != "conventions"
        ]
        return [
            *shared,
            *(_parameter(name, _annotation(row), None) for name, row in CONVENTIONS.items()),
        ]

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """The group, with the conventions that were given as one field."""
        conventions = {name: given.pop(name) for name in CONVENTIONS}
        conventions["noise_scale"] = number(conventions["noise_scale"], "--noise-scale")
        return cls(**given, conventions=conventions)

    def _dimensions(self) -> dict[str, Dimension]:
        """The dimensions beside relevance that have labels."""
        from understandability.evaluation.judgements import dimension

        files = self._files()
        scales = {"u": self.scale, "trust": self.trust_scale}
        scales |= _pairs(self.dimension_scale or (), "--dimension-scale", "NAME=SCALE")
        gains = {name or "u": value for name, value in map(_split, self.gains or ())}
        for name in (*scales, *gains):
            if files.get(name) is None and (scales.get(name) or name in gains):
                raise OptionError(f"there is a scale but no labels of dimension {name}; give both")
        none = [(name, _label(value)) for name, value in map(_split, self.not_a_label or ())]
        return {
            name: dimension(
                path,
                scales.get(name),
                name=name,
                column=self.column if name == "u" else None,
                gains=gains.get(name),
                not_a_label=[value for of, value in none if of in (None, name)],
            )
            for name, path in files.items()
        }

    def _files(self) -> dict[str, str]:
        """The file of labels of each dimension that has one."""
        usual = {"u": self.understandability, "trust": self.trust}
        given = {name: path for name, path in usual.items() if path is not None}
        return given | _pairs(self.dimension or (), "--dimension", "NAME=FILE")


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _annotation(row: Field[Any]) -> Any:
    """The option of a convention; the scale of noise may be pi, so it is read as text."""
    kind, default = row.metadata["kind"], row.default
    option = f"--{row.name.replace('_', '-')}"
    if kind is bool:
        option += f"/--no-{row.name.replace('_', '-')}"
    meaning = row.metadata["meaning"]
    shown = "" if default is None else f" (default {'not' if default is False else default})"
    text = f"{meaning[0].upper()}{meaning[1:]}{shown}."
    of = {bool: bool | None, float: float | None, str: str | None}
    annotated = str | None if row.name == "noise_scale" else of[kind]
    choices = row.metadata["choices"]
    return Annotated[annotated, _option(option, text=text, values=one_of(lambda: choices))]


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


def _label(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--not-a-label must be a number, or NAME=number, not {text!r}") from None
