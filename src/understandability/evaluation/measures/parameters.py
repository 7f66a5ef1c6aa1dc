"""The parameters of measures, with their parser, default and meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.evaluation.conventions import CONVENTIONS, Conventions


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of measures, such as ``p`` of RBP.

    `read` parses the text of a value, and raises ValueError for a text that is not `allowed`.
    `default` is a function of the conventions, because a convention can set the parameter for all
    measures. Values that are `quoted` print in quotes, as in ir_measures.
    """

    name: str
    read: Callable[[str], Any]
    allowed: str
    default: Callable[[Conventions], Any]
    meaning: str
    quoted: bool = False

    @property
    def written(self) -> str:
        """The name with the default, if there is one: ``p=0.8``."""
        default = self.default(Conventions())
        return self.name if default is None else f"{self.name}={parameter_text(self.name, default)}"


def parameter_text(name: str, value: Any) -> str:
    """Format the value of a parameter as it is written in the name of a measure.

    >>> parameter_text("s", math.pi), parameter_text("p", 0.80), parameter_text("w", (1.0, 2.0))
    ('pi', '0.8', '[1,2]')
    """
    if isinstance(value, tuple):
        return f"[{','.join(parameter_text('', item) for item in value)}]"
    if isinstance(value, bool) or not isinstance(value, float | int):
        return f"'{value}'" if name in PARAMETERS and PARAMETERS[name].quoted else str(value)
    if value == math.pi:
        return "pi"
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _number(text: str, allowed: Callable[[float], bool] = math.isfinite) -> float:
    number = math.pi if text == "pi" else float(text)
    if "_" in text or not (math.isfinite(number) and allowed(number)):
        raise ValueError(text)
    return number


def _choice(text: str, choices: tuple[str, ...]) -> str:
    bare = text[1:-1] if re.fullmatch(r"'[^']*'|\"[^\"]*\"", text) else text
    if bare not in choices:
        raise ValueError(text)
    return bare


def _flag(text: str) -> bool:
    return _choice(text, ("True", "False")) == "True"


def _items(text: str) -> list[str]:
    match = re.fullmatch(r"\[(.+)\]", text, re.DOTALL)
    if match is None:
        raise ValueError(text)
    return [item.strip() for item in match[1].split(",")]


def _weights(text: str) -> tuple[float, ...]:
    return tuple(map(_WEIGHT, _items(text)))


def _discount(text: str) -> tuple[float, ...] | str:
    weights = _weights(text) if text.startswith("[") else _choice(text, tuple(DISCOUNTS))
    if not isinstance(weights, str) and not any(weights):
        raise ValueError(text)
    return weights


def _names(text: str) -> tuple[str, ...]:
    names = tuple(_items(text))
    if len(set(names)) < len(names) or not all(re.fullmatch("[a-z][a-z0-9_]*", n) for n in names):
        raise ValueError(text)
    return names


# By name, the weights of ranks, which count from 1.
DISCOUNTS: Mapping[str, Callable[[Floats], Floats]] = {
    "flat": np.ones_like,
    "log2": lambda rank: 1 / np.log2(rank + 1),
    "zipf": lambda rank: 1 / rank,
}
_POSITIVE = partial(_number, allowed=lambda number: number > 0)
_WEIGHT = partial(_number, allowed=lambda number: number >= 0)
# Parsers of the conventions that are numbers or switches, and the values that they allow.
_READ: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "rel": (_number, "a number"),
    "max": (_POSITIVE, "a number above 0"),
    "joint": (_flag, "True or False"),
    "th": (_number, "a number"),
    "s": (_POSITIVE, "a number above 0, or pi"),
}


def _own(
    name: str, read: Callable[[str], Any], allowed: str, default: Any, meaning: str
) -> Parameter:
    """Return a parameter with a fixed default, which no convention changes."""
    return Parameter(name, read, allowed, lambda _: default, meaning)


def _of_convention(name: str) -> Parameter:
    """Return a parameter whose default is the value of the convention with this name."""
    row = next(row for row in CONVENTIONS.values() if row.metadata["parameter"] == name)
    choices = row.metadata["choices"]
    read, allowed = (
        (partial(_choice, choices=choices), " or ".join(choices)) if choices else _READ[name]
    )
    return Parameter(
        name, read, allowed, attrgetter(row.name), row.metadata["meaning"], quoted=name == "dcg"
    )


_UNIT = partial(_number, allowed=lambda number: 0 < number < 1)
_WEIGHTED, _SWITCHED = "a number of 0 or more", "True or False"
# fmt: off
_ROWS = (
    _own("p", _UNIT, "a number between 0 and 1, exclusive", 0.8, "persistence"),
    _own("T", _POSITIVE, "a number above 0", 1.0, "the gain that the user wants"),
    _own("discount", _discount,
        f"weights in brackets, not all 0, as [3,2,1], or one of {', '.join(DISCOUNTS)}", "log2",
        "weights of the ranks: a list, or flat, log2 (1 / log2(rank + 1)), zipf (1 / rank), to the "
        "cut-off or else to rank 1000"),
    _of_convention("rel"),
    _own("graded", _flag, _SWITCHED, False, "gain is grade / max, not 0 or 1"),
    *map(_of_convention, ("max", "dcg", "form")),
    _own("dims", _names, "names in brackets, as [u,trust]", ("u",),
        "dimensions whose gains multiply the gain of relevance"),
    *map(_of_convention, ("user", "th", "s", "norm", "joint", "ideal")),
    _own("wr", _WEIGHT, _WEIGHTED, 1.0, "weight of relevance"),
    _own("wu", _WEIGHT, _WEIGHTED, 1.0, "weight of understandability"),
    _own("wtrust", _WEIGHT, _WEIGHTED, 0.0, "weight of trust"),
    _own("w", _weights, "numbers of 0 or more in brackets, as [1,1]", None,
        "weights; equal by default"),
    _of_convention("of"),
    _own("tail", _flag, _SWITCHED, False, "include the weight below the cut-off"),
    Parameter("judged_only", _flag, _SWITCHED,
        lambda conventions: conventions.no_label == "ignored",
        "documents without a label are removed first"),
)
# fmt: on
PARAMETERS: Mapping[str, Parameter] = {row.name: row for row in _ROWS}
