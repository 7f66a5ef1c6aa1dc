"""The conventions of evaluation that change published numbers, in one table, with two presets.

Options of commands, parameters of measures, headers of outputs and documentation derive from it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, make_dataclass, replace
from typing import Annotated, Any

from cyclopts import Parameter

from understandability.errors import OptionError, check_choice
from understandability.keywords import read_by
from understandability.wording import number_or_pi

_PRESETS = ("ubire", "trec_eval")


def _convention(
    default: Any,
    meaning: str,
    *,
    choices: tuple[str, ...] = (),
    parameter: str = "",
    **presets: Any,
) -> Any:
    """Return a row of the table of conventions. Presets that are not passed keep the default.

    A convention is one of `choices`, a switch if its default is a Boolean, or else a number.
    """
    row = {
        "meaning": meaning,
        "choices": choices,
        "type": bool if isinstance(default, bool) else str if choices else float,
        "parameter": parameter,
        "presets": {name: presets.get(name, default) for name in _PRESETS},
    }
    return field(default=default, metadata=row)


@dataclass(frozen=True, slots=True)
class Conventions:
    """The choices of how runs, labels and measures are read and computed.

    A parameter in the name of a measure, such as ``RBP(p=0.9)``, takes precedence over them.

    ``docs/evaluation.md`` describes each convention; so does ``understand evaluate --help``.

    >>> Conventions().order, Conventions(order="score").order
    ('rank', 'score')
    """

    preset: str | None = None
    # fmt: off
    order: str = _convention("rank",
        "order rankings by the rank column, or by score as trec_eval does",
        choices=("rank", "score"), trec_eval="score")
    keyed_on: str = _convention("pair",
        "labels other than relevance belong to a query and a document, or to a document "
        "alone, which keeps its first label",
        choices=("pair", "document"), ubire="document")
    no_label: str = _convention("zero",
        "documents without a label gain zero, or are removed from the ranking (condensed measures)",
        choices=("zero", "ignored"))
    mean_over: str = _convention("qrels",
        "take means over the queries of the qrels, or of the run",
        choices=("qrels", "run"), trec_eval="run")
    relevant: float = _convention(1.0, "lowest relevant grade", parameter="rel")
    max_relevance: float | None = _convention(None,
        "highest grade; by default the highest of the qrels", parameter="max")
    err_max: float | None = _convention(4.0,
        "highest grade of ERR, unless --max-relevance sets it: 4, as in gdeval and ir_measures; "
        "ubire takes the highest of the qrels", ubire=None)
    dcg: str = _convention("log2",
        "gain of nDCG: log2, the grade, as trec_eval and ir_measures; or exp-log2, 2^grade - 1",
        choices=("log2", "exp-log2"), parameter="dcg")
    joint: bool = _convention(False,
        "apply the gain function to the product of all dimensions, not to relevance alone",
        parameter="joint")
    ideal: str = _convention("product",
        "the ideal ranking of unDCG sorts by the product of the gains, or by relevance alone",
        choices=("product", "relevance"), parameter="ideal", ubire="relevance")
    err: str = _convention("cascade",
        "ERR as the cascade of Chapelle et al., or as gain-discount, as the uRBP papers read it",
        choices=("cascade", "gain-discount"), parameter="form", ubire="gain-discount")
    h: str = _convention("queries", "H is the mean of the H of queries, or the H of means",
        choices=("queries", "means"), parameter="of")
    user: str = _convention("binary",
        "understandability is binary or graded by its scale, or P(U|d) of a step or arctan user",
        choices=("binary", "graded", "step", "arctan"), parameter="user")
    threshold: float | None = _convention(None,
        "threshold of the step and arctan users, exclusive; by default the threshold of the "
        "scale, with its own edge",
        parameter="th")
    noise_scale: float | None = _convention(None,
        "noise of the arctan user; pi by default", parameter="s", ubire=1.0)
    norm: str = _convention("none",
        "the arctan form unchanged, or divided by its integral over the labels",
        choices=("none", "integral"), parameter="norm")
    # fmt: on

    def __post_init__(self) -> None:
        for name, row in CONVENTIONS.items():
            value, choices = getattr(self, name), row.metadata["choices"]
            option = name.replace("_", "-")
            if choices and value not in choices:
                raise OptionError(f"{option} must be {' or '.join(choices)}, not {value!r}")
            number = isinstance(value, int | float) and not isinstance(value, bool)
            finite = value is None or (number and math.isfinite(value))
            if row.metadata["type"] is float and not finite:
                raise OptionError(f"{option} must be a finite number, not {value!r}")

    def for_labels(self, *, highest_grade: float, threshold: float | None) -> Conventions:
        """Complete the conventions whose default depends on the labels.

        `highest_grade` is the highest label of the qrels. `threshold` is the threshold of the scale
        of understandability.
        """
        defaults: dict[str, Any] = {
            "max_relevance": max(highest_grade, 1.0),
            "threshold": threshold,
            "noise_scale": math.pi,
        }
        return replace(self, **{n: v for n, v in defaults.items() if getattr(self, n) is None})

    def as_dict(self) -> dict[str, Any]:
        """The conventions as a dictionary by name, for the header of an output."""
        return asdict(self)


MODELLED_USERS = ("step", "arctan")  # users with a threshold on a score

CONVENTIONS: Mapping[str, Field[Any]] = {
    row.name: row for row in fields(Conventions) if row.metadata
}
"""The conventions by name. The metadata of a field is its row of the table."""


def _choices() -> type[Any]:
    """Build a dataclass in which every convention is optional, for the options of commands.

    Its docstring describes the conventions.
    """
    rows: list[tuple[str, Any, Any]] = [
        ("preset", Annotated[str, Parameter(choices=_PRESETS)], None)
    ]
    entries = ["preset: Use the conventions of ubire or trec_eval; options override them."]
    for name, row in CONVENTIONS.items():
        meaning, default = row.metadata["meaning"], row.default
        note = "" if default is None else f" (default {'not' if default is False else default})"
        entries.append(f"{name}: {meaning[0].upper()}{meaning[1:]}{note}.")
        about = Parameter(metavar=" or ".join(row.metadata["choices"]) or None)
        if name == "noise_scale":
            about = read_by(number_or_pi, metavar="NUMBER")
        rows.append((name, Annotated[row.metadata["type"], about], None))
    wrapped = (
        textwrap.fill(entry, 100, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for entry in entries
    )
    document = "\n".join(["Conventions that are chosen.", "", "Args:", *wrapped])
    return make_dataclass("Choices", rows, namespace={"__doc__": document})


Choices = _choices()
"""A field for each convention. Commands turn the fields into options."""

PRESETS: Mapping[str, Conventions] = {
    preset: Conventions(
        preset, **{name: row.metadata["presets"][preset] for name, row in CONVENTIONS.items()}
    )
    for preset in _PRESETS
}


def conventions(preset: str | Conventions | None = None, **choices: Any) -> Conventions:
    """Return the conventions of a preset, or the defaults, with some of them replaced.

    A choice of None keeps the value of the preset or the default.

    >>> conventions("ubire", order="score", ideal=None).ideal
    'relevance'
    """
    if isinstance(preset, str):
        check_choice("preset", preset, PRESETS)
    for name in sorted(choices):
        check_choice("convention", name, CONVENTIONS)
    chosen = {name: value for name, value in choices.items() if value is not None}
    if "max_relevance" in chosen:
        chosen.setdefault("err_max", chosen["max_relevance"])
    base = PRESETS[preset] if isinstance(preset, str) else preset or Conventions()
    return replace(base, **chosen)


def caption_of(evaluation: Mapping[str, Any]) -> str:
    """Return the conventions that a reader of a table needs, in one sentence.

    `evaluation` is the header of a result; nothing is returned if it has no conventions.
    """
    chosen = evaluation.get("conventions")
    if not chosen:
        return ""
    preset = f", preset {chosen['preset']}" if chosen.get("preset") else ""
    scales = "".join(
        f"; {name}: {dimension['scale']}" for name, dimension in chosen["dimensions"].items()
    )
    return (
        f"Means over {chosen['queries']} queries of the {chosen['mean_over']}{preset}; "
        f"rankings ordered by {chosen['order']}; labels keyed on {chosen['keyed_on']}; "
        f"documents without a label: {chosen['no_label']}{scales}."
    )
