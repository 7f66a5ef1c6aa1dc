"""Every choice that changes published numbers, in one table; two presets set them all.

Options of commands, parameters of measures, headers of outputs and documentation derive from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, make_dataclass, replace
from typing import Annotated, Any

from understandability.errors import OptionError, check_known
from understandability.prompt import AtPrompt

_PRESETS = ("ubire", "trec_eval")


def _convention(
    default: Any,
    meaning: str,
    *,
    choices: tuple[str, ...] = (),
    parameter: str = "",
    **presets: Any,
) -> Any:
    """A row of the table: a preset that is not named keeps the default.

    What is neither a choice nor a switch is a number.
    """
    row = {
        "meaning": meaning,
        "choices": choices,
        "kind": bool if isinstance(default, bool) else str if choices else float,
        "parameter": parameter,
        "presets": {name: presets.get(name, default) for name in _PRESETS},
    }
    return field(default=default, metadata=row)


@dataclass(frozen=True, slots=True)
class Conventions:
    """How runs, labels and measures are read; a measure's own parameters go before these.

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
        "alone, whose first label counts",
        choices=("pair", "document"), ubire="document")
    no_label: str = _convention("zero",
        "documents without a label gain zero, or are left out of the ranking (condensed measures)",
        choices=("zero", "ignored"))
    mean_over: str = _convention("qrels",
        "take means over the queries of the qrels, or of the run",
        choices=("qrels", "run"), trec_eval="run")
    relevant: float = _convention(1.0, "lowest relevant grade", parameter="rel")
    max_relevance: float | None = _convention(None,
        "highest grade; that of the qrels if it is not given", parameter="max")
    err_max: float | None = _convention(4.0,
        "highest grade of ERR, unless --max-relevance gives it: 4, as in gdeval and ir_measures; "
        "ubire takes that of the qrels", ubire=None)
    dcg: str = _convention("log2",
        "gain of nDCG: log2, the grade, as trec_eval and ir_measures; or exp-log2, 2^grade - 1",
        choices=("log2", "exp-log2"), parameter="dcg")
    joint: bool = _convention(False,
        "the gain function takes the product of all dimensions, not relevance alone",
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
        "threshold of the step and arctan users, exclusive; without it that of the scale, whose "
        "edge counts as the scale says",
        parameter="th")
    noise_scale: float | None = _convention(None,
        "noise of the arctan user; pi if it is not given", parameter="s", ubire=1.0)
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
            if row.metadata["kind"] is float and not finite:
                raise OptionError(f"{option} must be a finite number, not {value!r}")

    def as_dict(self) -> dict[str, Any]:
        """The conventions by name, for the header of an output."""
        return asdict(self)


MODELLED_USERS = ("step", "arctan")  # those with a threshold on a score

CONVENTIONS: Mapping[str, Field[Any]] = {
    row.name: row for row in fields(Conventions) if row.metadata
}
"""Each convention by its name: the metadata of the field are its row of the table."""


def _choices() -> type[Any]:
    """Conventions as they may be chosen, None where they are not, with their help at the prompt."""
    text = "Use the conventions of ubire or trec_eval; options override them."
    about = AtPrompt(choices="evaluation.conventions:PRESETS", help=text)
    rows: list[tuple[str, Any, Any]] = [("preset", Annotated[Any, about], None)]
    for name, row in CONVENTIONS.items():
        kind, meaning, usual = row.metadata["kind"], row.metadata["meaning"], row.default
        shown = "" if usual is None else f" (default {'not' if usual is False else usual})"
        text = f"{meaning[0].upper()}{meaning[1:]}{shown}."
        about = AtPrompt(kind, value=" or ".join(row.metadata["choices"]), help=text)
        if name == "noise_scale":
            about = AtPrompt(value="NUMBER", convert="wording:number_or_pi", help=text)
        rows.append((name, Annotated[Any, about], None))
    return make_dataclass("Choices", rows)


Choices = _choices()
"""A field for each convention, to be spread into the options of a command."""

PRESETS: Mapping[str, Conventions] = {
    preset: Conventions(
        preset, **{name: row.metadata["presets"][preset] for name, row in CONVENTIONS.items()}
    )
    for preset in _PRESETS
}


def conventions(preset: str | Conventions | None = None, **choices: Any) -> Conventions:
    """The conventions of a preset (or the defaults), with what is chosen beside it.

    A choice of None is none: the preset or the default holds.

    >>> conventions("ubire", order="score", ideal=None).ideal
    'relevance'
    """
    if isinstance(preset, str):
        check_known("preset", preset, PRESETS)
    for name in sorted(choices):
        check_known("convention", name, CONVENTIONS)
    chosen = {name: value for name, value in choices.items() if value is not None}
    if "max_relevance" in chosen:
        chosen.setdefault("err_max", chosen["max_relevance"])
    base = PRESETS[preset] if isinstance(preset, str) else preset or Conventions()
    return replace(base, **chosen)
